//! The table of all keys of a scenario: the single source of the check, the JSON
//! schema and the reference page.

use super::schema::{Key, ValueKind};

const fn key(name: &'static str, kind: ValueKind, doc: &'static str) -> Key {
    Key {
        name,
        kind,
        required: false,
        default: None,
        doc,
    }
}

const fn required(name: &'static str, kind: ValueKind, doc: &'static str) -> Key {
    Key {
        name,
        kind,
        required: true,
        default: None,
        doc,
    }
}

/// The file.
pub(super) const SCENARIO: &[Key] = &[
    key("title", ValueKind::Text, "The title of the report."),
    key(
        "base",
        ValueKind::Text,
        "The address that paths of steps are relative to, for example `http://127.0.0.1:8080`.",
    ),
    key(
        "warmup",
        ValueKind::Duration,
        "Length of the warm-up, whose load is not measured.",
    )
    .or("1s, or none for runs that end by iterations"),
    key(
        "duration",
        ValueKind::Duration,
        "Length of the measured part.",
    )
    .or("10s, or the length of the profile's pieces"),
    key(
        "grace",
        ValueKind::Duration,
        "How long to wait for outstanding requests at the end.",
    )
    .or("the timeout"),
    key(
        "timeout",
        ValueKind::Duration,
        "A request without an answer after this time has failed.",
    )
    .or("30s"),
    key(
        "threads",
        ValueKind::Integer(0, 1024),
        "Number of driver threads; 0 for as many as the load needs.",
    )
    .or("0"),
    key(
        "seed",
        ValueKind::Integer(0, i64::MAX),
        "Seed of random arrivals, pauses and data.",
    )
    .or("1"),
    key(
        "interval",
        ValueKind::Duration,
        "Length of a reporting interval.",
    )
    .or("1s"),
    key(
        "objectives",
        ValueKind::List(&ValueKind::Text),
        "Bounds that the result must meet: `p50` to `p99.999`, `mean` and `max` with `<20ms`, `errors=0` or `errors<=0.1%`, `throughput>900/s`, `cpu<50us` (of a server that is observed). Operators are `<`, `<=`, `>`, `>=`, and `=` for errors.",
    ),
    key(
        "loop",
        ValueKind::Map(&ValueKind::List(&ValueKind::Any)),
        "Lists of values; every combination is a separate run. `${name}` stands for the value and must be used at least once.",
    ),
    key("tls", ValueKind::Table(TLS), "Certificates to trust."),
    key(
        "observe",
        ValueKind::Table(OBSERVE),
        "Servers whose resources are sampled.",
    ),
    key(
        "feeders",
        ValueKind::Map(&ValueKind::Table(FEEDER)),
        "Data for templates, used as `{{name.column}}`. Each feeder must be used at least once.",
    ),
    required(
        "population",
        ValueKind::List(&ValueKind::Table(POPULATION)),
        "Clients of one kind; all populations run at the same time.",
    ),
];

const TLS: &[Key] = &[
    key(
        "ca_file",
        ValueKind::Text,
        "A PEM file with certificates to trust instead of the system's: those of issuers or of the servers themselves.",
    ),
    key("insecure", ValueKind::Bool, "Accept any certificate.").or("false"),
];

const OBSERVE: &[Key] = &[
    key(
        "pids",
        ValueKind::List(&ValueKind::Integer(1, u32::MAX as i64)),
        "Processes by id, with their children.",
    ),
    key(
        "processes",
        ValueKind::List(&ValueKind::Text),
        "Processes by name or id.",
    ),
    key(
        "cgroups",
        ValueKind::List(&ValueKind::Text),
        "Control groups by folder.",
    ),
    key(
        "scrape",
        ValueKind::List(&ValueKind::Text),
        "Prometheus endpoints of remote servers.",
    ),
];

const FEEDER: &[Key] = &[
    key(
        "csv",
        ValueKind::Text,
        "A CSV file whose first line names the columns.",
    ),
    key(
        "columns",
        ValueKind::List(&ValueKind::Text),
        "Names of the columns of a CSV file. Required if the file has no heading.",
    ),
    key(
        "heading",
        ValueKind::Bool,
        "Whether the first line of a CSV file is a heading.",
    )
    .or("true, or false if `columns` are given"),
    key(
        "delimiter",
        ValueKind::Text,
        "The character between two fields of a CSV file.",
    )
    .or("a comma"),
    key(
        "jsonl",
        ValueKind::Text,
        "A file with one JSON object per line; its keys are the columns.",
    ),
    key(
        "sequence",
        ValueKind::Table(SEQUENCE),
        "Consecutive numbers; the column is `value`.",
    ),
    key(
        "random",
        ValueKind::Table(RANDOM),
        "Random numbers; the column is `value`.",
    ),
    key(
        "order",
        ValueKind::OneOf(&["sequential", "random"]),
        "The order of rows.",
    )
    .or("sequential, starting again after the last row"),
];

const SEQUENCE: &[Key] = &[
    key(
        "first",
        ValueKind::Integer(i64::MIN, i64::MAX),
        "The first number.",
    )
    .or("1"),
    key(
        "step",
        ValueKind::Integer(i64::MIN, i64::MAX),
        "The increment.",
    )
    .or("1"),
];

const RANDOM: &[Key] = &[
    required("low", ValueKind::Integer(0, i64::MAX), "The lowest number."),
    required(
        "high",
        ValueKind::Integer(0, i64::MAX),
        "The highest number.",
    ),
];

const POPULATION: &[Key] = &[
    required("name", ValueKind::Text, "The name in reports."),
    key(
        "clients",
        ValueKind::Either(&[
            ValueKind::Integer(1, 1_000_000),
            ValueKind::List(&ValueKind::Table(PIECE)),
        ]),
        "A closed loop of this many clients, or a profile of pieces.",
    ),
    key(
        "rate",
        ValueKind::Either(&[
            ValueKind::Number(0.001, 1e7),
            ValueKind::List(&ValueKind::Table(PIECE)),
        ]),
        "An open loop of this many iterations/s, or a profile of pieces.",
    ),
    key(
        "arrivals",
        ValueKind::OneOf(&["constant", "poisson"]),
        "How an open loop's iterations are spaced.",
    ).or("constant"),
    key(
        "outstanding",
        ValueKind::Integer(1, 1_000_000),
        "The maximum number of outstanding iterations of an open loop.",
    ).or("1000, or the number of sessions that an LU 6.2 partner allows"),
    key(
        "connections",
        ValueKind::Integer(0, 1_000_000),
        "Connections of an open loop opened before the run; if equal to `outstanding`, all are used in turn.",
    ).or("as many as the rate needs"),
    key(
        "spin",
        ValueKind::Duration,
        "How long before an arrival a thread spins instead of sleeping.",
    ).or("50us at a constant rate, but at most an eighth of the time between two arrivals; no spin before random arrivals"),
    key(
        "iterations",
        ValueKind::Integer(1, i64::MAX),
        "A closed loop ends after this many iterations of the whole population.",
    ),
    key("think", THINK, "The pause after each answer of a client."),
    key(
        "keep_alive",
        ValueKind::Bool,
        "Whether connections are kept between requests, and conversations between iterations.",
    ).or("true"),
    key("http2", ValueKind::Bool, "Whether HTTP/2 is used.").or("false"),
    key(
        "connection",
        ValueKind::Table(CONNECTION),
        "Socket options.",
    ),
    key(
        "sockets",
        ValueKind::Map(&ValueKind::Text),
        "Raw sockets that each client opens, as `name = \"tcp://host:port\"`.",
    ),
    key(
        "opening",
        ValueKind::Map(&ValueKind::Text),
        "A message sent first on every new connection of a raw socket, as `name = \"text\"`, for example the message with which a CICS sockets listener starts a transaction. Templates are allowed; no answer is awaited.",
    ),
    key(
        "cycle",
        ValueKind::Integer(1, i64::MAX),
        "A client closes its raw sockets after this many iterations and opens new ones.",
    ),
    key(
        "cycles",
        ValueKind::Integer(1, i64::MAX),
        "A client of a closed loop stops after this many cycles, which ends the run.",
    ),
    key(
        "appc",
        ValueKind::Table(APPC),
        "The LU 6.2 partner of the clients' conversations. Clients of a thread share a link.",
    ),
    key(
        "terminal",
        ValueKind::Table(TERMINAL),
        "The TN3270 server of the clients' 3270 terminals.",
    ),
    required(
        "step",
        ValueKind::List(&ValueKind::Table(STEP)),
        "The requests of an iteration, in order.",
    ),
];

const APPC: &[Key] = &[
    required(
        "address",
        ValueKind::Text,
        "The partner's DLSw switch, `host` or `host:port`; default port 2065.",
    ),
    required(
        "partner",
        ValueKind::Text,
        "The partner's logical unit, NET.NAME.",
    ),
    required("tp", ValueKind::Text, "The transaction program to attach."),
    key("mode", ValueKind::Text, "The mode.").or("`#INTER`"),
    key(
        "lu",
        ValueKind::Text,
        "The driver's logical unit. Threads after the first append their number.",
    ).or("the name in `config`, otherwise a name unique to this process, so that several drivers may load one server"),
    key(
        "sync",
        ValueKind::OneOf(&["confirm", "none"]),
        "Sync level.",
    ).or("confirm"),
    key(
        "user",
        ValueKind::Text,
        "A user. Without a password it is sent as already verified.",
    ),
    key("password", ValueKind::Text, "The user's password."),
    key(
        "ru",
        ValueKind::Integer(8, 491_520),
        "The largest RU of the mode, in bytes.",
    ),
    key(
        "pacing",
        ValueKind::Integer(0, 63),
        "The pacing window of the mode, in RUs; 0 means no pacing.",
    ),
    key(
        "config",
        ValueKind::Text,
        "A TOML file whose `[appc]` section describes the driver's node: station addresses, modes, captures.",
    ),
];

const TERMINAL: &[Key] = &[
    required(
        "address",
        ValueKind::Text,
        "The server, `host` or `host:port`; default port 23.",
    ),
    key(
        "model",
        ValueKind::Text,
        "The model, `2` to `5`, or any larger size such as `62x160` (IBM-DYNAMIC).",
    )
    .or("2"),
    key(
        "lu",
        ValueKind::List(&ValueKind::Text),
        "LU names to request, assigned to the clients in turn.",
    )
    .or("any LU"),
    key(
        "tls",
        ValueKind::Bool,
        "TLS from the first byte. START_TLS by the server is always accepted.",
    )
    .or("false"),
    key("tn3270e", ValueKind::Bool, "Whether TN3270E is accepted.").or("true"),
    key(
        "code_page",
        ValueKind::Text,
        "The EBCDIC code page of the terminals.",
    )
    .or("037"),
];

const PIECE: &[Key] = &[
    key(
        "from",
        ValueKind::Number(0.0, 1e7),
        "The level at the start.",
    )
    .or("the end of the previous piece"),
    required(
        "to",
        ValueKind::Number(0.0, 1e7),
        "The level at the end; equal to `from` for a step.",
    ),
    required("for", ValueKind::Duration, "How long the piece lasts."),
];

const THINK: ValueKind = ValueKind::Either(&[ValueKind::Duration, ValueKind::Table(THINKING)]);

const THINKING: &[Key] = &[
    key("constant", ValueKind::Duration, "A constant pause."),
    key(
        "exponential",
        ValueKind::Duration,
        "Exponentially distributed with this mean.",
    ),
    key(
        "recorded",
        ValueKind::Text,
        "A file of pauses, one duration a line, drawn at random.",
    ),
];

const CONNECTION: &[Key] = &[
    key("no_delay", ValueKind::Bool, "TCP_NODELAY.").or("true"),
    key(
        "quick_ack",
        ValueKind::Bool,
        "TCP_QUICKACK after every read.",
    )
    .or("false"),
    key(
        "kernel_times",
        ValueKind::Bool,
        "The kernel's time stamps end the time on the wire.",
    )
    .or("true"),
    key("send_buffer", ValueKind::Size, "SO_SNDBUF."),
    key("receive_buffer", ValueKind::Size, "SO_RCVBUF."),
    key(
        "reset_on_close",
        ValueKind::Bool,
        "Close connections by RST, which frees their ports at once.",
    )
    .or("false"),
    key(
        "sources",
        ValueKind::List(&ValueKind::Text),
        "Local addresses, used in turn.",
    ),
];

const STEP: &[Key] = &[
    key(
        "name",
        ValueKind::Text,
        "The name in reports.",
    ).or("the request"),
    key(
        "request",
        ValueKind::Text,
        "An HTTP request, such as `GET /path` or `POST http://host/path`. Templates are allowed in the path.",
    ),
    key(
        "headers",
        ValueKind::Map(&ValueKind::Text),
        "Headers; templates are allowed.",
    ),
    key("body", ValueKind::Text, "The body; templates are allowed."),
    key(
        "body_file",
        ValueKind::Text,
        "A file with the body. Templates are allowed unless it is binary.",
    ),
    key(
        "status",
        ValueKind::List(&ValueKind::Either(&[
            ValueKind::Integer(100, 599),
            ValueKind::Text,
        ])),
        "Statuses to accept, such as 200 or \"2xx\".",
    ).or("below 400"),
    key(
        "contains",
        ValueKind::Text,
        "Text that the answer must contain.",
    ),
    key(
        "matches",
        ValueKind::Text,
        "A regular expression that the answer must match.",
    ),
    key(
        "size",
        ValueKind::Integer(0, i64::MAX),
        "The required size of the answer's body in bytes; on a raw socket, of the message with its frame.",
    ),
    key(
        "capture",
        ValueKind::Map(&ValueKind::Table(CAPTURE)),
        "Values for later steps, used as `{{name}}`.",
    ),
    key(
        "think",
        THINK,
        "The pause after this step, instead of the population's.",
    ),
    key("socket", ValueKind::Text, "The raw socket to send on."),
    key(
        "send",
        ValueKind::Text,
        "Data to send on the raw socket or in the conversation; templates are allowed. Without it a conversation's step waits for the partner to send.",
    ),
    key(
        "send_hex",
        ValueKind::Text,
        "The data to send as hexadecimal digits.",
    ),
    key(
        "receive_from",
        ValueKind::Text,
        "The raw socket that the answer comes from.",
    ).or("`socket`"),
    key(
        "frame",
        ValueKind::Table(FRAME),
        "The framing of messages on the raw socket.",
    ),
    key(
        "reply",
        ValueKind::Bool,
        "Whether an answer is awaited. In a conversation the answer is everything that the partner sends until it gives up the send state or deallocates.",
    ).or("true"),
    key(
        "confirm",
        ValueKind::Bool,
        "The answer is the partner's confirmation (CONFIRMED), and this side stays in the send state.",
    ).or("false"),
    key(
        "bytes",
        ValueKind::Size,
        "The data sent in a conversation is padded with blanks or truncated to this many bytes.",
    ),
    key(
        "ebcdic",
        ValueKind::Bool,
        "Text is sent in EBCDIC (code page 037), and checks and captures see the answer translated from it.",
    ).or("false"),
    key(
        "return_code",
        ValueKind::List(&ValueKind::Integer(0, 49)),
        "CPI-C return codes to accept.",
    ).or("0 (CM_OK) and 18 (CM_DEALLOCATED_NORMAL)"),
    key(
        "fields",
        ValueKind::Map(&ValueKind::Text),
        "Input fields to fill, in order, as `Label = \"text\"` or `\"row,column\" = \"text\"`, both from 1. A label is text on the screen and means the first input field after it. The field's old contents are erased. Templates are allowed in texts.",
    ),
    key(
        "cursor",
        ValueKind::Text,
        "Position of the cursor after that, as `\"row,column\"`, both from 1.",
    ),
    key(
        "type",
        ValueKind::Text,
        "Text typed at the cursor after that; templates are allowed, `\\t` is Tab and `\\n` New Line.",
    ),
    key(
        "key",
        ValueKind::Text,
        "The key that ends a terminal's step: `enter` (the default), `clear`, `pf1` to `pf24`, `pa1` to `pa3`, `attn`, `sysreq`, `select`.",
    ),
    key(
        "wait_for",
        ValueKind::Text,
        "The step ends when the keyboard is unlocked and the screen shows this text. Checks and captures see the screen, one line for each row.",
    ).or("when the keyboard is unlocked; with `reply = false`, at once"),
    key(
        "writes",
        ValueKind::List(&ValueKind::Integer(1, i64::MAX)),
        "Sizes of the writes that a request is split into, or of a conversation's records; the last size repeats.",
    ),
    key(
        "write_pause",
        ValueKind::Duration,
        "The pause between two writes.",
    ),
];

const CAPTURE: &[Key] = &[
    key(
        "json",
        ValueKind::Text,
        "A JSON Pointer into the body, such as `/account/id`; empty for the whole body.",
    ),
    key("header", ValueKind::Text, "A header."),
    key(
        "regex",
        ValueKind::Text,
        "A regular expression. The value is its first group, or the whole match.",
    ),
];

const FRAME: &[Key] = &[
    key(
        "length",
        ValueKind::Integer(1, 8),
        "Bytes of a big-endian length before each message: 1, 2, 4 or 8.",
    ),
    key(
        "inclusive",
        ValueKind::Bool,
        "Whether that length counts its own bytes.",
    )
    .or("false"),
    key("delimiter", ValueKind::Text, "Text after each message."),
    key(
        "fixed",
        ValueKind::Integer(1, 67_108_864),
        "Messages of this many bytes.",
    ),
    key(
        "close",
        ValueKind::Bool,
        "The answer ends when the peer closes.",
    )
    .or("false"),
];

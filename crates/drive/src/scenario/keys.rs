//! The table of every key a scenario may have: the single source of the check,
//! the JSON schema and the reference page.

use super::schema::{Key, ValueKind};

const fn key(name: &'static str, kind: ValueKind, doc: &'static str) -> Key {
    Key {
        name,
        kind,
        required: false,
        doc,
    }
}

const fn required(name: &'static str, kind: ValueKind, doc: &'static str) -> Key {
    Key {
        name,
        kind,
        required: true,
        doc,
    }
}

/// The file.
pub(super) const SCENARIO: &[Key] = &[
    key("title", ValueKind::Text, "What the report calls the run."),
    key(
        "base",
        ValueKind::Text,
        "The address that paths of steps are relative to, for example `http://127.0.0.1:8080`.",
    ),
    key(
        "warmup",
        ValueKind::Duration,
        "Load before anything is measured; 1s unless given, none for runs that end by iterations.",
    ),
    key(
        "duration",
        ValueKind::Duration,
        "How long is measured; 10s unless given. A profile with pieces lasts as long as its pieces unless this is given.",
    ),
    key(
        "grace",
        ValueKind::Duration,
        "How long outstanding requests are waited for at the end; the timeout unless given.",
    ),
    key(
        "timeout",
        ValueKind::Duration,
        "A request without an answer after this time has failed; 30s unless given.",
    ),
    key(
        "threads",
        ValueKind::Integer(0, 1024),
        "Threads that present load; 0 for what the load needs.",
    ),
    key(
        "seed",
        ValueKind::Integer(0, i64::MAX),
        "What random arrivals, pauses and data depend on.",
    ),
    key(
        "interval",
        ValueKind::Duration,
        "How often figures are taken; 1s unless given.",
    ),
    key(
        "objectives",
        ValueKind::List(&ValueKind::Text),
        "What the result must meet: `p50` to `p99.999`, `mean` and `max` with `<20ms`, `errors=0` or `errors<=0.1%`, `throughput>900/s`, `cpu<50us` (of a server that is observed). Operators are `<`, `<=`, `>`, `>=`, and `=` for errors.",
    ),
    key(
        "loop",
        ValueKind::Map(&ValueKind::List(&ValueKind::Any)),
        "Values to go through; every combination is a run of its own, and `${name}` stands for the value, somewhere at least.",
    ),
    key("tls", ValueKind::Table(TLS), "Whom to trust."),
    key(
        "observe",
        ValueKind::Table(OBSERVE),
        "Whose resources to sample.",
    ),
    key(
        "feeders",
        ValueKind::Map(&ValueKind::Table(FEEDER)),
        "Data for templates, used as `{{name.column}}`, somewhere at least.",
    ),
    required(
        "population",
        ValueKind::List(&ValueKind::Table(POPULATION)),
        "Clients of one kind; all populations run at once.",
    ),
];

const TLS: &[Key] = &[
    key(
        "ca_file",
        ValueKind::Text,
        "Certificates in PEM to trust instead of the system's: issuers', or servers' own.",
    ),
    key("insecure", ValueKind::Bool, "Accept any certificate."),
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
        "Names of the columns of a CSV file that does not name them, or otherwise.",
    ),
    key(
        "heading",
        ValueKind::Bool,
        "Whether the first line of a CSV file is a heading; true unless `columns` are given.",
    ),
    key(
        "delimiter",
        ValueKind::Text,
        "The character between two fields of a CSV file; a comma unless given.",
    ),
    key(
        "jsonl",
        ValueKind::Text,
        "A file with one JSON object a line; its keys are the columns.",
    ),
    key(
        "sequence",
        ValueKind::Table(SEQUENCE),
        "Numbers in order; the column is `value`.",
    ),
    key(
        "random",
        ValueKind::Table(RANDOM),
        "Random numbers; the column is `value`.",
    ),
    key(
        "order",
        ValueKind::OneOf(&["sequential", "random"]),
        "How rows of a file are taken; sequential (and from the start again) unless given.",
    ),
];

const SEQUENCE: &[Key] = &[
    key(
        "first",
        ValueKind::Integer(i64::MIN, i64::MAX),
        "The first number; 1 unless given.",
    ),
    key(
        "step",
        ValueKind::Integer(i64::MIN, i64::MAX),
        "What is added each time; 1 unless given.",
    ),
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
        "An open loop of this many iterations a second, or a profile of pieces.",
    ),
    key(
        "arrivals",
        ValueKind::OneOf(&["constant", "poisson"]),
        "How an open loop's iterations are spaced; constant unless given.",
    ),
    key(
        "outstanding",
        ValueKind::Integer(1, 1_000_000),
        "The most iterations of an open loop outstanding at once; 1000 unless given, or the sessions that the partner of a conversation allows.",
    ),
    key(
        "connections",
        ValueKind::Integer(0, 1_000_000),
        "Connections of an open loop opened before the run; when equal to `outstanding`, all are used in turn. What the rate needs unless given.",
    ),
    key(
        "spin",
        ValueKind::Duration,
        "How long before an arrival a thread spins instead of sleeping. Unless given: 50us at a constant rate, but no more than an eighth of the time between two; none before random arrivals.",
    ),
    key(
        "iterations",
        ValueKind::Integer(1, i64::MAX),
        "A closed loop ends after this many iterations of the whole population.",
    ),
    key("think", THINK, "The pause after each answer of a client."),
    key(
        "keep_alive",
        ValueKind::Bool,
        "Whether connections are kept between requests, and conversations between iterations; true unless given.",
    ),
    key("http2", ValueKind::Bool, "Whether HTTP/2 is spoken."),
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
        "What is sent first on every new connection of a raw socket, as `name = \"text\"`, such as the message that a listener of CICS sockets starts a transaction by. Templates are allowed; nothing is awaited.",
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
        "The LU 6.2 partner that each client has a conversation with; clients of a thread share a link.",
    ),
    key(
        "terminal",
        ValueKind::Table(TERMINAL),
        "The TN3270 server that each client has a 3270 terminal at.",
    ),
    required(
        "step",
        ValueKind::List(&ValueKind::Table(STEP)),
        "What a client does in an iteration, in this order.",
    ),
];

const APPC: &[Key] = &[
    required(
        "address",
        ValueKind::Text,
        "The partner's DLSw switch, `host` or `host:port`; port 2065 unless given.",
    ),
    required(
        "partner",
        ValueKind::Text,
        "The partner's logical unit, NET.NAME.",
    ),
    required("tp", ValueKind::Text, "The transaction program to attach."),
    key("mode", ValueKind::Text, "The mode; `#INTER` unless given."),
    key(
        "lu",
        ValueKind::Text,
        "The driver's logical unit; unless `config` names one either, a name that no other process has, so that several drivers may load one server. Threads after the first put their number behind it.",
    ),
    key(
        "sync",
        ValueKind::OneOf(&["confirm", "none"]),
        "Sync level; confirm unless given.",
    ),
    key(
        "user",
        ValueKind::Text,
        "A user; without a password, as already verified.",
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
        "The pacing window of the mode, in RUs; 0 is no pacing.",
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
        "The server, `host` or `host:port`; port 23 unless given.",
    ),
    key(
        "model",
        ValueKind::Text,
        "The model, `2` to `5`, or any larger size as `62x160` (IBM-DYNAMIC); 2 unless given.",
    ),
    key(
        "lu",
        ValueKind::List(&ValueKind::Text),
        "Names of logical units to ask for, taken in turn by the clients; any unless given.",
    ),
    key(
        "tls",
        ValueKind::Bool,
        "TLS from the first byte; false unless given. TLS that the server begins inside the connection (START_TLS) is agreed to in any case.",
    ),
    key(
        "tn3270e",
        ValueKind::Bool,
        "Whether TN3270E is agreed to; true unless given.",
    ),
    key(
        "code_page",
        ValueKind::Text,
        "The EBCDIC code page of the terminals; 037 unless given.",
    ),
];

const PIECE: &[Key] = &[
    key(
        "from",
        ValueKind::Number(0.0, 1e7),
        "The level at the start; the end of the piece before unless given.",
    ),
    required(
        "to",
        ValueKind::Number(0.0, 1e7),
        "The level at the end; the same as `from` for a step.",
    ),
    required("for", ValueKind::Duration, "How long the piece lasts."),
];

const THINK: ValueKind = ValueKind::Either(&[ValueKind::Duration, ValueKind::Table(THINKING)]);

const THINKING: &[Key] = &[
    key("constant", ValueKind::Duration, "Always this long."),
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
    key(
        "no_delay",
        ValueKind::Bool,
        "TCP_NODELAY; true unless given.",
    ),
    key(
        "quick_ack",
        ValueKind::Bool,
        "TCP_QUICKACK after every read.",
    ),
    key(
        "kernel_times",
        ValueKind::Bool,
        "The kernel's time stamps end the time on the wire; true unless given.",
    ),
    key("send_buffer", ValueKind::Size, "SO_SNDBUF."),
    key("receive_buffer", ValueKind::Size, "SO_RCVBUF."),
    key(
        "reset_on_close",
        ValueKind::Bool,
        "End connections with RST, which frees their ports at once.",
    ),
    key(
        "sources",
        ValueKind::List(&ValueKind::Text),
        "Local addresses, taken in turn.",
    ),
];

const STEP: &[Key] = &[
    key(
        "name",
        ValueKind::Text,
        "The name in reports; the request unless given.",
    ),
    key(
        "request",
        ValueKind::Text,
        "An HTTP request, as `GET /path` or `POST http://host/path`. Templates are allowed in the path.",
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
        "A file with the body; templates are allowed, unless it is binary.",
    ),
    key(
        "status",
        ValueKind::List(&ValueKind::Either(&[
            ValueKind::Integer(100, 599),
            ValueKind::Text,
        ])),
        "Statuses that are right, as 200 or \"2xx\"; below 400 unless given.",
    ),
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
        "The number of bytes that the answer's body must have; on a raw socket, those of the message with its frame.",
    ),
    key(
        "capture",
        ValueKind::Map(&ValueKind::Table(CAPTURE)),
        "Values kept for later steps, used as `{{name}}`.",
    ),
    key(
        "think",
        THINK,
        "The pause after this step instead of the population's.",
    ),
    key("socket", ValueKind::Text, "The raw socket to send on."),
    key(
        "send",
        ValueKind::Text,
        "What is sent on the raw socket or in the conversation; templates are allowed. A step of a conversation that sends nothing lets the partner begin.",
    ),
    key(
        "send_hex",
        ValueKind::Text,
        "The same as hexadecimal digits.",
    ),
    key(
        "receive_from",
        ValueKind::Text,
        "The raw socket that the answer comes from; `socket` unless given.",
    ),
    key(
        "frame",
        ValueKind::Table(FRAME),
        "How messages sent and received on the raw socket are told apart.",
    ),
    key(
        "reply",
        ValueKind::Bool,
        "Whether an answer is awaited; true unless given. In a conversation the answer is all that the partner sends until it gives the turn back or ends.",
    ),
    key(
        "confirm",
        ValueKind::Bool,
        "The answer of a conversation is the partner's confirmation, and this side goes on sending.",
    ),
    key(
        "bytes",
        ValueKind::Size,
        "What is sent in a conversation is filled with blanks, or cut, to this many bytes.",
    ),
    key(
        "ebcdic",
        ValueKind::Bool,
        "The text sent in a conversation goes out in EBCDIC (code page 037), and checks and captures see the answer translated.",
    ),
    key(
        "return_code",
        ValueKind::List(&ValueKind::Integer(0, 49)),
        "Return codes of a conversation that are right, by the numbers of CPI-C; 0 (OK) and 18 (ended by the partner after its answer) unless given.",
    ),
    key(
        "fields",
        ValueKind::Map(&ValueKind::Text),
        "Input fields of the screen that are filled, in this order, as `Label = \"text\"` or `\"row,column\" = \"text\"`, both from 1. A label is text of the screen; the first input field after it is meant. What the field had is erased; templates are allowed in texts.",
    ),
    key(
        "cursor",
        ValueKind::Text,
        "Where the cursor goes after that, as `\"row,column\"`, both from 1.",
    ),
    key(
        "type",
        ValueKind::Text,
        "What is typed at the cursor then; templates are allowed, `\\t` is Tab and `\\n` New Line.",
    ),
    key(
        "key",
        ValueKind::Text,
        "The key that ends a terminal's step: `enter` (unless given), `clear`, `pf1` to `pf24`, `pa1` to `pa3`, `attn`, `sysreq`, `select`.",
    ),
    key(
        "wait_for",
        ValueKind::Text,
        "A terminal's step is answered when the keyboard is unlocked and the screen shows this text. Without it the unlocked keyboard is enough; `reply = false` waits for nothing. Checks and captures see the screen, a line for each row.",
    ),
    key(
        "writes",
        ValueKind::List(&ValueKind::Integer(1, i64::MAX)),
        "Sizes of the writes that a request is split into, or of a conversation's records; the last one repeats.",
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
        "A JSON Pointer into the body, as `/account/id`; empty for all of it.",
    ),
    key("header", ValueKind::Text, "A header."),
    key(
        "regex",
        ValueKind::Text,
        "A regular expression; its first group, or the whole match.",
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
    ),
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
    ),
];

//! The table of every key a scenario may have: the single source of the check,
//! the JSON schema and the reference page.

use super::schema::{Key, Kind};

const fn key(name: &'static str, kind: Kind, doc: &'static str) -> Key {
    Key {
        name,
        kind,
        required: false,
        doc,
    }
}

const fn required(name: &'static str, kind: Kind, doc: &'static str) -> Key {
    Key {
        name,
        kind,
        required: true,
        doc,
    }
}

/// The file.
pub(super) const SCENARIO: &[Key] = &[
    key("title", Kind::Text, "What the report calls the run."),
    key(
        "base",
        Kind::Text,
        "The address that paths of steps are relative to, for example `http://127.0.0.1:8080`.",
    ),
    key(
        "warmup",
        Kind::Duration,
        "Load before anything is measured; 1s unless given, none for runs that end by iterations.",
    ),
    key(
        "duration",
        Kind::Duration,
        "How long is measured; 10s unless given. A profile with pieces lasts as long as its pieces unless this is given.",
    ),
    key(
        "grace",
        Kind::Duration,
        "How long outstanding requests are waited for at the end; the timeout unless given.",
    ),
    key(
        "timeout",
        Kind::Duration,
        "A request without an answer after this time has failed; 30s unless given.",
    ),
    key(
        "threads",
        Kind::Integer(0, 1024),
        "Threads that present load; 0 for what the load needs.",
    ),
    key(
        "seed",
        Kind::Integer(0, i64::MAX),
        "What random arrivals, pauses and data depend on.",
    ),
    key(
        "interval",
        Kind::Duration,
        "How often figures are taken; 1s unless given.",
    ),
    key(
        "objectives",
        Kind::List(&Kind::Text),
        "What the result must meet: `p50` to `p99.999`, `mean` and `max` with `<20ms`, `errors=0` or `errors<=0.1%`, `throughput>900/s`, `cpu<50us` (of a server that is observed). Operators are `<`, `<=`, `>`, `>=`, and `=` for errors.",
    ),
    key(
        "loop",
        Kind::Map(&Kind::List(&Kind::Any)),
        "Values to go through; every combination is a run of its own, and `${name}` stands for the value, somewhere at least.",
    ),
    key("tls", Kind::Table(TLS), "Whom to trust."),
    key(
        "observe",
        Kind::Table(OBSERVE),
        "Whose resources to sample.",
    ),
    key(
        "feeders",
        Kind::Map(&Kind::Table(FEEDER)),
        "Data for templates, used as `{{name.column}}`, somewhere at least.",
    ),
    required(
        "population",
        Kind::List(&Kind::Table(POPULATION)),
        "Clients of one kind; all populations run at once.",
    ),
];

const TLS: &[Key] = &[
    key(
        "ca_file",
        Kind::Text,
        "Certificates in PEM to trust instead of the system's: issuers', or servers' own.",
    ),
    key("insecure", Kind::Bool, "Accept any certificate."),
];

const OBSERVE: &[Key] = &[
    key(
        "pids",
        Kind::List(&Kind::Integer(1, u32::MAX as i64)),
        "Processes by id, with their children.",
    ),
    key(
        "processes",
        Kind::List(&Kind::Text),
        "Processes by name or id.",
    ),
    key(
        "cgroups",
        Kind::List(&Kind::Text),
        "Control groups by folder.",
    ),
    key(
        "scrape",
        Kind::List(&Kind::Text),
        "Prometheus endpoints of remote servers.",
    ),
];

const FEEDER: &[Key] = &[
    key(
        "csv",
        Kind::Text,
        "A CSV file whose first line names the columns.",
    ),
    key(
        "columns",
        Kind::List(&Kind::Text),
        "Names of the columns of a CSV file that does not name them, or otherwise.",
    ),
    key(
        "heading",
        Kind::Bool,
        "Whether the first line of a CSV file is a heading; true unless `columns` are given.",
    ),
    key(
        "delimiter",
        Kind::Text,
        "The character between two fields of a CSV file; a comma unless given.",
    ),
    key(
        "jsonl",
        Kind::Text,
        "A file with one JSON object a line; its keys are the columns.",
    ),
    key(
        "sequence",
        Kind::Table(SEQUENCE),
        "Numbers in order; the column is `value`.",
    ),
    key(
        "random",
        Kind::Table(RANDOM),
        "Random numbers; the column is `value`.",
    ),
    key(
        "order",
        Kind::OneOf(&["sequential", "random"]),
        "How rows of a file are taken; sequential (and from the start again) unless given.",
    ),
];

const SEQUENCE: &[Key] = &[
    key(
        "first",
        Kind::Integer(i64::MIN, i64::MAX),
        "The first number; 1 unless given.",
    ),
    key(
        "step",
        Kind::Integer(i64::MIN, i64::MAX),
        "What is added each time; 1 unless given.",
    ),
];

const RANDOM: &[Key] = &[
    required("low", Kind::Integer(0, i64::MAX), "The lowest number."),
    required("high", Kind::Integer(0, i64::MAX), "The highest number."),
];

const POPULATION: &[Key] = &[
    required("name", Kind::Text, "The name in reports."),
    key(
        "clients",
        Kind::Either(&[Kind::Integer(1, 1_000_000), Kind::List(&Kind::Table(PIECE))]),
        "A closed loop of this many clients, or a profile of pieces.",
    ),
    key(
        "rate",
        Kind::Either(&[Kind::Number(0.001, 1e7), Kind::List(&Kind::Table(PIECE))]),
        "An open loop of this many iterations a second, or a profile of pieces.",
    ),
    key(
        "arrivals",
        Kind::OneOf(&["constant", "poisson"]),
        "How an open loop's iterations are spaced; constant unless given.",
    ),
    key(
        "outstanding",
        Kind::Integer(1, 1_000_000),
        "The most iterations of an open loop outstanding at once; 1000 unless given, or the sessions that the partner of a conversation allows.",
    ),
    key(
        "connections",
        Kind::Integer(0, 1_000_000),
        "Connections of an open loop opened before the run; when equal to `outstanding`, all are used in turn. What the rate needs unless given.",
    ),
    key(
        "spin",
        Kind::Duration,
        "How long before an arrival a thread spins instead of sleeping. Unless given: 50us at a constant rate, but no more than an eighth of the time between two; none before random arrivals.",
    ),
    key(
        "iterations",
        Kind::Integer(1, i64::MAX),
        "A closed loop ends after this many iterations of the whole population.",
    ),
    key("think", THINK, "The pause after each answer of a client."),
    key(
        "keep_alive",
        Kind::Bool,
        "Whether connections are kept between requests, and conversations between iterations; true unless given.",
    ),
    key("http2", Kind::Bool, "Whether HTTP/2 is spoken."),
    key("connection", Kind::Table(CONNECTION), "Socket options."),
    key(
        "sockets",
        Kind::Map(&Kind::Text),
        "Raw sockets that each client opens, as `name = \"tcp://host:port\"`.",
    ),
    key(
        "opening",
        Kind::Map(&Kind::Text),
        "What is sent first on every new connection of a raw socket, as `name = \"text\"`, such as the message that a listener of CICS sockets starts a transaction by. Templates are allowed; nothing is awaited.",
    ),
    key(
        "cycle",
        Kind::Integer(1, i64::MAX),
        "A client closes its raw sockets after this many iterations and opens new ones.",
    ),
    key(
        "cycles",
        Kind::Integer(1, i64::MAX),
        "A client of a closed loop stops after this many cycles, which ends the run.",
    ),
    key(
        "appc",
        Kind::Table(APPC),
        "The LU 6.2 partner that each client has a conversation with; clients of a thread share a link.",
    ),
    required(
        "step",
        Kind::List(&Kind::Table(STEP)),
        "What a client does in an iteration, in this order.",
    ),
];

const APPC: &[Key] = &[
    required(
        "address",
        Kind::Text,
        "The partner's DLSw switch, `host` or `host:port`; port 2065 unless given.",
    ),
    required(
        "partner",
        Kind::Text,
        "The partner's logical unit, NET.NAME.",
    ),
    required("tp", Kind::Text, "The transaction program to attach."),
    key("mode", Kind::Text, "The mode; `#INTER` unless given."),
    key(
        "lu",
        Kind::Text,
        "The driver's logical unit; unless `config` names one either, a name that no other process has, so that several drivers may load one server. Threads after the first put their number behind it.",
    ),
    key(
        "sync",
        Kind::OneOf(&["confirm", "none"]),
        "Sync level; confirm unless given.",
    ),
    key(
        "user",
        Kind::Text,
        "A user; without a password, as already verified.",
    ),
    key("password", Kind::Text, "The user's password."),
    key(
        "ru",
        Kind::Integer(8, 491_520),
        "The largest RU of the mode, in bytes.",
    ),
    key(
        "pacing",
        Kind::Integer(0, 63),
        "The pacing window of the mode, in RUs; 0 is no pacing.",
    ),
    key(
        "config",
        Kind::Text,
        "A TOML file whose `[appc]` section describes the driver's node: station addresses, modes, captures.",
    ),
];

const PIECE: &[Key] = &[
    key(
        "from",
        Kind::Number(0.0, 1e7),
        "The level at the start; the end of the piece before unless given.",
    ),
    required(
        "to",
        Kind::Number(0.0, 1e7),
        "The level at the end; the same as `from` for a step.",
    ),
    required("for", Kind::Duration, "How long the piece lasts."),
];

const THINK: Kind = Kind::Either(&[Kind::Duration, Kind::Table(THINKING)]);

const THINKING: &[Key] = &[
    key("constant", Kind::Duration, "Always this long."),
    key(
        "exponential",
        Kind::Duration,
        "Exponentially distributed with this mean.",
    ),
    key(
        "recorded",
        Kind::Text,
        "A file of pauses, one duration a line, drawn at random.",
    ),
];

const CONNECTION: &[Key] = &[
    key("no_delay", Kind::Bool, "TCP_NODELAY; true unless given."),
    key("quick_ack", Kind::Bool, "TCP_QUICKACK after every read."),
    key(
        "kernel_times",
        Kind::Bool,
        "The kernel's time stamps end the time on the wire; true unless given.",
    ),
    key("send_buffer", Kind::Size, "SO_SNDBUF."),
    key("receive_buffer", Kind::Size, "SO_RCVBUF."),
    key(
        "reset_on_close",
        Kind::Bool,
        "End connections with RST, which frees their ports at once.",
    ),
    key(
        "sources",
        Kind::List(&Kind::Text),
        "Local addresses, taken in turn.",
    ),
];

const STEP: &[Key] = &[
    key(
        "name",
        Kind::Text,
        "The name in reports; the request unless given.",
    ),
    key(
        "request",
        Kind::Text,
        "An HTTP request, as `GET /path` or `POST http://host/path`. Templates are allowed in the path.",
    ),
    key(
        "headers",
        Kind::Map(&Kind::Text),
        "Headers; templates are allowed.",
    ),
    key("body", Kind::Text, "The body; templates are allowed."),
    key(
        "body_file",
        Kind::Text,
        "A file with the body; templates are allowed, unless it is binary.",
    ),
    key(
        "status",
        Kind::List(&Kind::Either(&[Kind::Integer(100, 599), Kind::Text])),
        "Statuses that are right, as 200 or \"2xx\"; below 400 unless given.",
    ),
    key("contains", Kind::Text, "Text that the answer must contain."),
    key(
        "matches",
        Kind::Text,
        "A regular expression that the answer must match.",
    ),
    key(
        "size",
        Kind::Integer(0, i64::MAX),
        "The number of bytes that the answer's body must have; on a raw socket, those of the message with its frame.",
    ),
    key(
        "capture",
        Kind::Map(&Kind::Table(CAPTURE)),
        "Values kept for later steps, used as `{{name}}`.",
    ),
    key(
        "think",
        THINK,
        "The pause after this step instead of the population's.",
    ),
    key("socket", Kind::Text, "The raw socket to send on."),
    key(
        "send",
        Kind::Text,
        "What is sent on the raw socket or in the conversation; templates are allowed. A step of a conversation that sends nothing lets the partner begin.",
    ),
    key("send_hex", Kind::Text, "The same as hexadecimal digits."),
    key(
        "receive_from",
        Kind::Text,
        "The raw socket that the answer comes from; `socket` unless given.",
    ),
    key(
        "frame",
        Kind::Table(FRAME),
        "How messages sent and received on the raw socket are told apart.",
    ),
    key(
        "reply",
        Kind::Bool,
        "Whether an answer is awaited; true unless given. In a conversation the answer is all that the partner sends until it gives the turn back or ends.",
    ),
    key(
        "confirm",
        Kind::Bool,
        "The answer of a conversation is the partner's confirmation, and this side goes on sending.",
    ),
    key(
        "bytes",
        Kind::Size,
        "What is sent in a conversation is filled with blanks, or cut, to this many bytes.",
    ),
    key(
        "ebcdic",
        Kind::Bool,
        "The text sent in a conversation goes out in EBCDIC (code page 037), and checks and captures see the answer translated.",
    ),
    key(
        "return_code",
        Kind::List(&Kind::Integer(0, 49)),
        "Return codes of a conversation that are right, by the numbers of CPI-C; 0 (OK) and 18 (ended by the partner after its answer) unless given.",
    ),
    key(
        "writes",
        Kind::List(&Kind::Integer(1, i64::MAX)),
        "Sizes of the writes that a request is split into, or of a conversation's records; the last one repeats.",
    ),
    key(
        "write_pause",
        Kind::Duration,
        "The pause between two writes.",
    ),
];

const CAPTURE: &[Key] = &[
    key(
        "json",
        Kind::Text,
        "A JSON Pointer into the body, as `/account/id`; empty for all of it.",
    ),
    key("header", Kind::Text, "A header."),
    key(
        "regex",
        Kind::Text,
        "A regular expression; its first group, or the whole match.",
    ),
];

const FRAME: &[Key] = &[
    key(
        "length",
        Kind::Integer(1, 8),
        "Bytes of a big-endian length before each message: 1, 2, 4 or 8.",
    ),
    key(
        "inclusive",
        Kind::Bool,
        "Whether that length counts its own bytes.",
    ),
    key("delimiter", Kind::Text, "Text after each message."),
    key(
        "fixed",
        Kind::Integer(1, 67_108_864),
        "Messages of this many bytes.",
    ),
    key("close", Kind::Bool, "The answer ends when the peer closes."),
];

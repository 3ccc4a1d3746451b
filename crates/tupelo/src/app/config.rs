//! `tupelo.toml`: the settings of an application folder.
//!
//! The doc comment of a field is its reference: `tupelo serve --print-config`
//! and the configuration page of the docs are made from them. Every key has a
//! default, so an empty file, or none, is a valid configuration.
//!
//! Invariant: a key that is not listed here is an error, never ignored.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::mainframe::MainframeSection;
use super::security::SecuritySection;
use super::telemetry::{AuditSection, TracesSection};

/// The whole file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The region: its name and its limits.
    pub region: RegionSection,
    /// Where records are kept.
    pub store: StoreSection,
    /// Limits of a transaction beyond its DEFINE TRANSACTION, by name.
    pub transactions: BTreeMap<String, TransactionSection>,
    /// What a file needs beyond its DEFINE FILE, by file name.
    pub files: BTreeMap<String, FileSection>,
    /// Temporary storage, transient data and journals.
    pub queues: QueuesSection,
    /// How COBOL is compiled.
    pub compile: CompileSection,
    /// The REST gateway.
    pub gateway: GatewaySection,
    /// The administration server: health, metrics, API documents.
    pub admin: AdminSection,
    /// Who callers are and what they may do.
    pub security: SecuritySection,
    /// Audit records of the gateway's requests.
    pub audit: AuditSection,
    /// Traces of the gateway's requests, for an OpenTelemetry collector.
    pub traces: TracesSection,
    /// The node for APPC partners, when there is one. It listens on
    /// 127.0.0.1:2065 when `listen` is absent.
    pub appc: Option<appc::AppcConfig>,
    /// CICS sockets: EZASOKET for programs, listeners, and receivers.
    pub sockets: sockets::SocketsConfig,
    /// Connections from gateways and regions to this region, and from this
    /// process to regions.
    pub ipconn: ipconn::IpconnConfig,
    /// JavaScript in the region.
    pub script: script::ScriptConfig,
    /// CICS web support.
    pub web: web::WebConfig,
    /// 3270 terminals.
    pub terminal: terminal::TerminalConfig,
    /// EXEC SQL: the server, its roles, its limits.
    pub sql: database::SqlConfig,
    /// REST APIs that programs call.
    pub requester: RequesterSection,
    /// Connections of the gateway to CICS systems on a mainframe.
    pub mainframe: MainframeSection,
    /// Which CPUs serve what.
    pub engines: EnginesSection,
}

/// `[requester]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RequesterSection {
    /// Folder of the APIs that programs call, one folder each with its OpenAPI
    /// document, relative to the application folder.
    pub folder: PathBuf,
    /// Address and credentials of each API, by the folder of its document. An API
    /// without an entry cannot be called.
    pub apis: BTreeMap<String, RequesterApi>,
}

impl Default for RequesterSection {
    fn default() -> Self {
        RequesterSection {
            folder: "requesters".into(),
            apis: BTreeMap::new(),
        }
    }
}

/// `[requester.apis.NAME]`. Files are relative to the application folder, and
/// blanks at their ends do not count.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequesterApi {
    /// The address that goes before the paths of the document, such as
    /// `https://books.example/v1`.
    pub url: String,
    /// Most milliseconds of a call.
    #[serde(default = "ten_seconds")]
    pub timeout_ms: u32,
    /// Most KiB of a response.
    #[serde(default = "four_mib")]
    pub max_kib: u32,
    /// File of the certificates in PEM that the server is trusted by; the system's
    /// when absent.
    #[serde(default)]
    pub trusted: Option<PathBuf>,
    /// File of a certificate chain in PEM that is presented to the server, and to a
    /// token server, when they request one; needs `key`. A changed file is read
    /// again.
    #[serde(default)]
    pub certificate: Option<PathBuf>,
    /// File of its key in PEM.
    #[serde(default)]
    pub key: Option<PathBuf>,
    /// Basic authentication: the user, and the file of the password.
    #[serde(default)]
    pub basic: Option<RequesterBasic>,
    /// A key in a header.
    #[serde(default)]
    pub api_key: Option<RequesterKey>,
    /// OAuth 2.0: client credentials, or the password grant where the program
    /// gives a user.
    #[serde(default)]
    pub oauth: Option<RequesterOauth>,
    /// A JSON Web Token that a server gives for a user and a password.
    #[serde(default)]
    pub token: Option<RequesterToken>,
}

fn ten_seconds() -> u32 {
    10_000
}

fn four_mib() -> u32 {
    4_096
}

/// `basic` of an API that programs call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequesterBasic {
    /// User.
    pub user: String,
    /// File of the password.
    pub password_file: PathBuf,
}

/// `api_key` of an API that programs call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequesterKey {
    /// Name of the header.
    pub header: String,
    /// File of the key.
    pub file: PathBuf,
}

/// `oauth` of an API that programs call. Values that the program gives take
/// precedence.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequesterOauth {
    /// Address of the authorization server's token endpoint.
    pub token_url: String,
    /// Client.
    #[serde(default)]
    pub client_id: String,
    /// File of the client's secret.
    #[serde(default)]
    pub client_secret_file: Option<PathBuf>,
    /// Scope.
    #[serde(default)]
    pub scope: String,
}

/// `token` of an API that programs call. The user and the password that the
/// program gives take precedence.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequesterToken {
    /// Address that gives tokens to GET with basic authentication.
    pub url: String,
    /// User.
    #[serde(default)]
    pub user: String,
    /// File of the password.
    #[serde(default)]
    pub password_file: Option<PathBuf>,
    /// Member of the JSON answer that holds the token.
    #[serde(default = "token_member")]
    pub member: String,
}

fn token_member() -> String {
    "token".into()
}

/// `[region]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RegionSection {
    /// Name of the region, 1 to 8 characters (ASSIGN APPLID).
    pub applid: String,
    /// Short name, 1 to 4 characters (ASSIGN SYSID).
    pub sysid: String,
    /// User id of tasks whose caller is not authenticated.
    pub default_user: String,
    /// Most tasks at work at one time (MXT). Each holds a COBOL worker process.
    pub max_tasks: u32,
    /// Most requests waiting for a task before further ones are refused. As many
    /// tasks that programs start may wait in addition, half of them of one
    /// transaction and a quarter from one origin; then START gets IOERR, and RUN
    /// TRANSID waits.
    pub max_queued: u32,
    /// Seconds that tasks have to end when the server is stopped, 1 to 3600; those
    /// that still run then are purged, and their workers ended 5 seconds later.
    pub shutdown_s: u32,
    /// Steps of nice(2), 0 to 19, by which COBOL workers have a lower priority
    /// than the gateway and the region's own threads when CPUs are short, so that
    /// clients are answered, or refused, at once. The priority is also lower than
    /// that of other programs: at 15 a worker next to a busy program has 3 % of a
    /// processor, at 5 a quarter.
    pub worker_nice: u8,
    /// Whether a worker gets a task only when the memory of all others in it is
    /// cleared. Without it up to 62 tasks wait in one worker's memory, where a
    /// program that computes addresses can read them. With it a task waits for a
    /// free worker instead, which costs throughput of brief programs and up to
    /// `max_tasks` workers.
    pub isolate_tasks: bool,
    /// Milliseconds a task may run without issuing a command before it abends
    /// with AICA (ICVR); 0 switches the check off.
    pub runaway_ms: u32,
    /// Milliseconds of waiting that raise the priority of a request by one
    /// (PRTYAGE), 0 to 65535; with 0 priorities do not age.
    pub priority_aging_ms: u32,
    /// Milliseconds a task may wait for a lock before it abends (AFCF for a
    /// record, AKCS for an ENQ name), as FTIMEOUT of CICS does for records; 0
    /// waits for ever. A transaction with SPURGE(YES) and DTIMOUT has its own
    /// limit; DTIMOUT without SPURGE(YES) means nothing, as on CICS.
    pub lock_wait_ms: u32,
    /// Bytes of the common work area (WRKAREA), 0 to 3584. It is memory that
    /// every worker can write: a program that runs wild can spoil it for all.
    pub cwa_bytes: u32,
    /// Bytes of storage for GETMAIN SHARED that all workers have at the same
    /// addresses, at most 1 GiB. Every worker can write it, so it weakens the
    /// isolation of tasks. Without it such storage is that of the one worker,
    /// and its address means nothing to tasks in other workers.
    pub shared_storage_bytes: u64,
    /// Most bytes of containers one task may hold.
    pub channel_bytes: u64,
    /// Code page of the texts that programs have: `ascii`, or one of its kind, such
    /// as `utf-8` and `latin-1`. REST APIs, scripts, EXEC CICS WEB and called APIs
    /// are translated from and to it. A request whose characters it does not have
    /// is answered with 400: choose a wider one. In `utf-8` a character of `é` and
    /// its kind takes two bytes of a field or more.
    pub code_page: String,
    /// How signed zoned numbers without SIGN SEPARATE carry their sign in the last
    /// byte: `ascii` as GnuCOBOL has it (`p` to `y` for minus, digits for plus), or
    /// `ebcdic` as text that came from z/OS has it (`}` and `J` to `R` for minus, `{`
    /// and `A` to `I` for plus). Programs read both and write this one.
    pub zoned_sign: ZonedSign,
    /// What keeps programs from everything but their task: `required` refuses
    /// to start where the kernel lacks a part, `best-effort` says which and goes
    /// on without it, `off` is for debuggers and profilers.
    pub sandbox: Sandbox,
    /// MiB of storage that one task may take: GETMAIN, ALLOCATE, LOCAL-STORAGE and
    /// the working storage of its programs, touched or not. A longer GETMAIN is answered with
    /// LENGERR, one for which there is too little left with NOSTG; everything else
    /// above it is the abend AKCP. What earlier tasks left in the worker
    /// (`worker_keep_mib`) comes on top.
    pub task_memory_mib: u32,
    /// MiB of memory that one worker takes, its programs' storage included.
    pub worker_memory_mib: u32,
    /// MiB of memory that a worker may keep after a task; above them it is
    /// replaced.
    pub worker_keep_mib: u32,
    /// Commands by which programs may administer the region: `all`, a command such
    /// as `SET TASK`, or a first word such as `CREATE`, `DISCARD` and `SHUTDOWN`.
    /// Others are answered with NOTAUTH. INQUIRE, and SET of files, programs and
    /// queues, need no entry.
    pub spi: Vec<String>,
    /// Lines a second that programs may DISPLAY and scripts log, all in all; ten
    /// seconds' worth may come at once, and what is more is left out and
    /// counted. A line of more than 256 bytes counts for several. 0 for no bound.
    pub display_lines_per_s: u32,
    /// MiB of the disks of the store and of the state folder that programs cannot
    /// use up: below them WRITEQ TS and TD of queues in the store and in files get
    /// NOSPACE, journals NOJBUFSP, SPOOLWRITE SPOLERR and DUMP NOSPACE. 0 for none.
    pub disk_reserve_mib: u32,
    /// Limits of what tasks make grow, by account: how many there may be, and their
    /// bytes, of one task and in the region. `tupelo limits` shows what is used.
    pub limits: BTreeMap<String, LimitSection>,
    /// Whether file commands of threadsafe programs take the QR token
    /// (FCQRONLY=YES): two changes of mode a command.
    pub fc_qr_only: bool,
    /// Whether the region and its workers write their traces, for `tupelo trace
    /// print`.
    pub trace: bool,
    /// File that receives one JSON line a task; relative to the state folder.
    /// None are written when absent.
    pub monitoring: Option<PathBuf>,
}

impl Default for RegionSection {
    fn default() -> Self {
        RegionSection {
            applid: "TUPELO".into(),
            sysid: "TUPE".into(),
            default_user: "CICSUSER".into(),
            max_tasks: 250,
            max_queued: 1000,
            shutdown_s: 10,
            worker_nice: 5,
            isolate_tasks: false,
            runaway_ms: 5000,
            priority_aging_ms: 1000,
            lock_wait_ms: 30_000,
            cwa_bytes: 0,
            shared_storage_bytes: 0,
            channel_bytes: 512 << 20,
            code_page: "ascii".into(),
            zoned_sign: ZonedSign::Ascii,
            sandbox: Sandbox::BestEffort,
            task_memory_mib: 256,
            worker_memory_mib: 2048,
            worker_keep_mib: 256,
            spi: Vec::new(),
            display_lines_per_s: 1000,
            disk_reserve_mib: 256,
            limits: BTreeMap::new(),
            fc_qr_only: false,
            trace: true,
            monitoring: None,
        }
    }
}

/// `[region.limits.NAME]`: what is left out keeps its usual limit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LimitSection {
    /// Most of them that one task may have made.
    pub task: Option<u64>,
    /// Most KiB that those may take.
    pub task_kib: Option<u64>,
    /// Most of them in the region.
    pub region: Option<u64>,
    /// Most KiB that they may take.
    pub region_kib: Option<u64>,
}

/// How zoned numbers carry their sign.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum ZonedSign {
    /// `p` to `y` for minus, plain digits for plus.
    #[default]
    Ascii,
    /// `}` and `J` to `R` for minus, `{` and `A` to `I` for plus.
    Ebcdic,
}

impl ZonedSign {
    /// The compiler's flag for it.
    pub fn flag(self) -> Option<String> {
        (self == ZonedSign::Ebcdic).then(|| "-fsign=EBCDIC".to_owned())
    }
}

/// Whether COBOL programs run in a sandbox.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sandbox {
    /// The whole of it, or no start.
    Required,
    /// As much of it as the kernel has.
    #[default]
    BestEffort,
    /// None.
    Off,
}

/// `[store]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StoreSection {
    /// Folder of the files' records; relative to the state folder.
    pub path: PathBuf,
    /// Address space set aside for them, in GiB. It costs nothing until used.
    pub map_gib: u32,
    /// Whether a unit of work is on the disk before its syncpoint returns.
    /// Without it a power failure can lose the last moments; a crash of the
    /// region cannot.
    pub sync: bool,
    /// GiB of data.mdb up to which all pages are looked at before anything is
    /// served. Those of a larger one are looked at while it is served; reads
    /// take longer until that is done.
    pub walk_gib: u32,
}

impl Default for StoreSection {
    fn default() -> Self {
        StoreSection {
            path: "store".into(),
            map_gib: 64,
            sync: true,
            walk_gib: 4,
        }
    }
}

/// `[transactions.NAME]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TransactionSection {
    /// Most active tasks, for a transaction without TRANCLASS; a class of its
    /// own keeps it, whose name is `@` and the transaction's.
    pub max_active: Option<u32>,
    /// Most requests that wait for one of them; further ones are refused.
    pub max_waiting: Option<u32>,
    /// Milliseconds from the request on after which a task is ended; 0 for
    /// never.
    pub timeout_ms: u32,
    /// What RETURN TRANSID of this transaction leaves at a terminal outlives the
    /// server: it is given to the next input of the same logical unit and user.
    pub recover_conversation: bool,
}

/// `[files.NAME]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FileSection {
    /// Offset of the key in the record, from 0.
    pub key_offset: u32,
    /// Length of the key; when absent, KEYLENGTH of the DEFINE FILE.
    pub key_length: Option<u32>,
    /// Longest record; when absent, RECORDSIZE of the DEFINE FILE, then the
    /// length of the copybook's record.
    pub record_bytes: Option<u32>,
    /// Copybook of the record, relative to the application folder.
    pub copybook: Option<PathBuf>,
    /// The records the file starts with when it is new; relative to the
    /// application folder.
    pub data: Option<PathBuf>,
    /// How `data` is written.
    pub format: DataFormat,
    /// Code page of `data` when its format is `fixed`, `lines` or `rdw`.
    pub code_page: Option<String>,
}

/// How a file of records is written.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum DataFormat {
    /// One JSON object a line, fields named as in the copybook.
    #[default]
    Json,
    /// Records of one length, nothing between them.
    Fixed,
    /// One record a line.
    Lines,
    /// Variable-length records, each after a four-byte record descriptor word.
    Rdw,
}

/// `[queues]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct QueuesSection {
    /// Most MiB of all temporary storage queues. A WRITEQ TS beyond it waits
    /// until there is room, or gets NOSPACE.
    pub temporary_storage_mib: u32,
    /// Most MiB of all intrapartition transient data queues. A WRITEQ TD beyond
    /// it gets NOSPACE.
    pub transient_data_mib: u32,
    /// Where the records of an extrapartition queue are, by queue name.
    pub files: BTreeMap<String, QueueFileSection>,
}

impl Default for QueuesSection {
    fn default() -> Self {
        QueuesSection {
            temporary_storage_mib: 256,
            transient_data_mib: 256,
            files: BTreeMap::new(),
        }
    }
}

/// `[queues.files.NAME]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct QueueFileSection {
    /// The file; relative to the state folder. `queues/NAME` there when absent.
    pub path: Option<PathBuf>,
    /// How the records follow each other; when absent, `fixed` with
    /// RECORDFORMAT(FIXED) and `lines` otherwise.
    pub format: Option<QueueFormat>,
}

/// How the records of a queue's file follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum QueueFormat {
    /// One record a line; blanks at its end are not written.
    Lines,
    /// Records of RECORDSIZE bytes, nothing between them.
    Fixed,
    /// Each record after a four-byte record descriptor word.
    Rdw,
}

/// `[compile]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CompileSection {
    /// Folders of COBOL programs, relative to the application folder.
    pub programs: Vec<PathBuf>,
    /// Folders of COPY members, relative to the application folder.
    pub copybooks: Vec<PathBuf>,
    /// The COBOL compiler.
    pub cobc: PathBuf,
    /// Checks of subscripts, reference modification and numeric data.
    pub checks: bool,
    /// Programs compiled without these checks.
    pub unchecked: Vec<String>,
    /// Further options for the compiler.
    pub options: Vec<String>,
}

impl Default for CompileSection {
    fn default() -> Self {
        CompileSection {
            programs: vec!["cobol".into()],
            copybooks: vec!["copybooks".into()],
            cobc: "cobc".into(),
            checks: true,
            unchecked: Vec::new(),
            options: Vec::new(),
        }
    }
}

/// `[gateway]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GatewaySection {
    /// Whether this process serves APIs over HTTP; the administration server is
    /// there in any case.
    pub enabled: bool,
    /// Folder of the API projects, relative to the application folder.
    pub apis: PathBuf,
    /// Address for HTTP.
    pub listen: SocketAddr,
    /// Address for HTTPS; served when a certificate is given.
    pub tls_listen: SocketAddr,
    /// Certificate chain in PEM, relative to the application folder.
    pub tls_certificate: Option<PathBuf>,
    /// Private key in PEM, relative to the application folder.
    pub tls_key: Option<PathBuf>,
    /// Certificates in PEM of the authorities that sign clients' certificates,
    /// relative to the application folder; HTTPS clients are asked for one.
    pub tls_client_ca: Option<PathBuf>,
    /// Clients without a certificate get no HTTPS connection.
    pub tls_client_required: bool,
    /// Threads that serve connections; 0 is one for every two CPUs.
    pub threads: u32,
    /// Largest request body in bytes, at most 1 GiB; a larger one is answered
    /// with 413.
    pub max_body_bytes: u64,
    /// Bytes that the headers of a request may have together, 8 KiB to 1 MiB;
    /// more are answered with 431.
    pub max_header_bytes: u32,
    /// Headers that a request may have, 8 to 1000; more are answered with 431.
    pub max_headers: u32,
    /// Arrays and objects of a JSON body that may be nested, 1 to
    /// 128; a deeper one is answered with 400.
    pub max_json_depth: u32,
    /// Requests that a client of HTTP/2 may have open on a connection, 1 to
    /// 10,000.
    pub max_streams: u32,
    /// Most connections open at once. A new one takes the place of the one that
    /// has been idle longest, half-sent headers first.
    pub max_connections: u32,
    /// Most MiB of request bodies, headers and answers that connections may
    /// hold together. Beyond it slow clients are cut, and what needs more is
    /// answered with 503.
    pub memory_mib: u32,
    /// Bytes a second, over `min_rate_window_s`, below which a client that sends
    /// a body or reads an answer is cut; 0 for none.
    pub min_rate_bytes_s: u32,
    /// Seconds over which that rate is taken, and in which a body that stands
    /// still is given up.
    pub min_rate_window_s: u64,
    /// Seconds a client may take for the TLS handshake; `request_timeout_s` ends
    /// it too.
    pub tls_handshake_timeout_s: u64,
    /// Seconds a client may take to send a request's headers.
    pub request_timeout_s: u64,
    /// Seconds a connection may stay open without a request.
    pub idle_timeout_s: u64,
    /// Milliseconds a program may take to answer before the client gets a 504.
    pub response_timeout_ms: u32,
    /// Web origins whose pages may call the APIs, as browsers write them:
    /// `https://shop.example`, with the port where it is not the usual one; `*`
    /// for any.
    pub cors_origins: Vec<String>,
    /// Request headers that these pages may send; empty for any.
    pub cors_allow_headers: Vec<String>,
    /// Response headers that these pages may read in addition to those that browsers
    /// always let them read; `*` for all, where `cors_credentials` is off.
    pub cors_expose_headers: Vec<String>,
    /// These pages may send what the browser has of its user: a password, a
    /// cookie, a certificate. The origins must be named then.
    pub cors_credentials: bool,
    /// Seconds that browsers may cache the answer to a preflight; 0 for none.
    pub cors_max_age_s: u32,
    /// Log every request.
    pub access_log: bool,
    /// The connection of `[ipconn]` or `[mainframe]`, or group of `[ipconn]`, to
    /// the region that runs the programs of assets whose `connectionRef` names
    /// no other connection. When absent the region of this process runs them, or with
    /// `--gateway-only` any region of `[ipconn.connections]`.
    pub connection: Option<String>,
    /// Rule set, in the format of z/OS Connect's, that chooses connection and
    /// transaction by the request, for every API without one of its own;
    /// relative to the application folder.
    pub policy: Option<PathBuf>,
    /// The same for one API, by the name of its folder.
    pub policies: BTreeMap<String, PathBuf>,
}

impl Default for GatewaySection {
    fn default() -> Self {
        GatewaySection {
            enabled: true,
            apis: "apis".into(),
            listen: ([127, 0, 0, 1], 8080).into(),
            tls_listen: ([127, 0, 0, 1], 8443).into(),
            tls_certificate: None,
            tls_key: None,
            tls_client_ca: None,
            tls_client_required: false,
            threads: 0,
            max_body_bytes: 16 << 20,
            max_header_bytes: 64 << 10,
            max_headers: 100,
            max_json_depth: 128,
            max_streams: 200,
            max_connections: 10_000,
            memory_mib: 256,
            min_rate_bytes_s: 500,
            min_rate_window_s: 10,
            tls_handshake_timeout_s: 10,
            request_timeout_s: 30,
            idle_timeout_s: 120,
            response_timeout_ms: 60_000,
            cors_origins: Vec::new(),
            cors_allow_headers: Vec::new(),
            cors_expose_headers: Vec::new(),
            cors_credentials: false,
            cors_max_age_s: 600,
            access_log: false,
            connection: None,
            policy: None,
            policies: BTreeMap::new(),
        }
    }
}

/// `[admin]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AdminSection {
    /// Address of the administration server. On other interfaces than loopback its
    /// users must authenticate.
    pub listen: SocketAddr,
    /// Users must authenticate on loopback too.
    pub require_auth: bool,
    /// HTTPS with the gateway's certificate.
    pub tls: bool,
}

impl Default for AdminSection {
    fn default() -> Self {
        AdminSection {
            listen: ([127, 0, 0, 1], 9080).into(),
            require_auth: false,
            tls: false,
        }
    }
}

/// `[engines]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EnginesSection {
    /// CPUs of the general engines, such as `"0-3,8"`: COBOL workers, dispatch
    /// and commit. Absent: every CPU.
    pub general: Option<String>,
    /// CPUs of the offload engines: the gateway, APPC, receivers of CICS
    /// sockets. Absent: every CPU.
    pub offload: Option<String>,
}

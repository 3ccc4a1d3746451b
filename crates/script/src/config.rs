//! `[script]` of `tupelo.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::Limits;

/// Default transaction of scripts' routes; it is always defined.
pub const TRANSACTION: &str = "CJSR";

/// `[script]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ScriptConfig {
    /// Folder of the scripts, relative to the application folder.
    pub folder: PathBuf,
    /// The paths that scripts serve: a path with variables in braces, such as
    /// `"/customers/{id}"`, and the script's file in the folder. URIMAP
    /// definitions whose PROGRAM is a script's name define paths as well.
    pub routes: BTreeMap<String, RouteConfig>,
    /// Which programs are scripts: a program's name and the script's file, such
    /// as `OVERVIEW = "overview.js"`. LINK reaches its function LINK; a
    /// definition of the program says whether it is enabled.
    pub programs: BTreeMap<String, String>,
    /// Transaction that scripts run under when their route names none.
    pub transaction: String,
    /// Most threads for scripts that compute; each serves many that wait. 0 is
    /// two for every CPU, at most 24. Brief scripts run on the gateway's.
    pub engines: u32,
    /// MiB of memory for one script and its objects.
    pub memory_mib: u32,
    /// KiB of stack for calls within calls of a script.
    pub stack_kib: u32,
    /// Milliseconds of CPU time that a script may use without a command before
    /// its task abends with AICA; 0 switches the check off.
    pub runaway_ms: u32,
    /// Milliseconds from a request on after which its task is purged, for
    /// transactions that have no limit of their own; 0 for never.
    pub timeout_ms: u32,
    /// Calls of scripts to other HTTP servers.
    pub fetch: FetchConfig,
}

/// `[script.fetch]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FetchConfig {
    /// Addresses that scripts may call, with all that is below them, such as
    /// `"https://rates.example/v1"`; none without this.
    pub allow: Vec<String>,
    /// Milliseconds that a call may take.
    pub timeout_ms: u32,
    /// KiB that an answer may have.
    pub max_kib: u32,
    /// File of the certificates in PEM that servers are trusted by, relative to
    /// the application folder; the system's without it.
    pub trusted: Option<PathBuf>,
}

impl FetchConfig {
    /// The settings of the fetcher for an application in this folder.
    pub fn settings(&self, folder: &Path) -> fetch::FetchSettings {
        fetch::FetchSettings {
            allow: self.allow.clone(),
            timeout: Duration::from_millis(self.timeout_ms.into()),
            most_bytes: (self.max_kib as usize) << 10,
            trusted: self.trusted.as_ref().map(|file| folder.join(file)),
            shown: None,
        }
    }
}

impl Default for FetchConfig {
    fn default() -> Self {
        FetchConfig {
            allow: Vec::new(),
            timeout_ms: 10_000,
            max_kib: 4_096,
            trusted: None,
        }
    }
}

/// A script and the transaction it runs under.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum RouteConfig {
    /// The script's file.
    Script(String),
    /// A file with further settings.
    Full(FullRoute),
}

/// A route with its transaction.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FullRoute {
    /// The script's file.
    pub script: String,
    /// Transaction that it runs under.
    #[serde(default)]
    pub transaction: Option<String>,
}

impl Default for ScriptConfig {
    fn default() -> Self {
        let limits = Limits::default();
        ScriptConfig {
            folder: "scripts".into(),
            routes: BTreeMap::new(),
            programs: BTreeMap::new(),
            transaction: TRANSACTION.into(),
            engines: 0,
            memory_mib: (limits.memory_bytes >> 20) as u32,
            stack_kib: (limits.stack_bytes >> 10) as u32,
            runaway_ms: limits.runaway_ms,
            timeout_ms: 60_000,
            fetch: FetchConfig::default(),
        }
    }
}

impl ScriptConfig {
    /// The limits of a script.
    pub fn limits(&self) -> Limits {
        Limits {
            memory_bytes: (self.memory_mib.clamp(2, 4096) as usize) << 20,
            stack_bytes: (self.stack_kib.clamp(64, 4096) as usize) << 10,
            runaway_ms: self.runaway_ms,
        }
    }

    /// The most threads that run scripts.
    pub fn threads(&self) -> usize {
        match self.engines {
            0 => {
                let cpus = std::thread::available_parallelism().map_or(1, |n| n.get());
                (cpus * 2).min(24)
            }
            n => n as usize,
        }
    }
}

impl RouteConfig {
    /// The script's file.
    pub fn script(&self) -> &str {
        match self {
            RouteConfig::Script(script) => script,
            RouteConfig::Full(route) => &route.script,
        }
    }

    /// Its transaction.
    pub fn transaction(&self) -> Option<&str> {
        match self {
            RouteConfig::Script(_) => None,
            RouteConfig::Full(route) => route.transaction.as_deref(),
        }
    }
}

//! The `[terminal]` section of `tupelo.toml`.
//!
//! The doc comment of a field is its reference.

use std::net::SocketAddr;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tn3270::{KeepAlive, ServerConfig, SessionLimits};

/// `[terminal]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TerminalConfig {
    /// Address and port for TN3270 and TN3270E clients, such as
    /// `127.0.0.1:3270`. Connections are not encrypted. No terminals when absent.
    pub listen: Option<SocketAddr>,
    /// Most connections; a further one is closed at once.
    pub max_connections: usize,
    /// Whether TN3270E is offered. Without it all clients speak plain TN3270.
    pub tn3270e: bool,
    /// Which letters become capitals: `transid` those of a transaction code that
    /// a user types (UCTRAN(TRANID)), `all` also those of data, unless a command
    /// has ASIS (UCTRAN(YES)).
    pub uppercase: Uppercase,
    /// RTIMOUT: seconds that a task waits for input; 0 for no limit.
    pub read_timeout_s: u32,
    /// Seconds without an input of the user after which a terminal is
    /// disconnected; 0 for no limit.
    pub idle_timeout_s: u32,
    /// Seconds after which a silent client is asked for an answer. It is
    /// disconnected when three of them bring none; 0 asks never.
    pub keep_alive_s: u32,
}

impl Default for TerminalConfig {
    fn default() -> Self {
        TerminalConfig {
            listen: None,
            max_connections: 1_000,
            tn3270e: true,
            uppercase: Uppercase::Transid,
            read_timeout_s: 0,
            idle_timeout_s: 0,
            keep_alive_s: 60,
        }
    }
}

/// Which letters become capitals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Uppercase {
    /// Those of transaction codes.
    #[default]
    Transid,
    /// All that a user types.
    All,
}

impl TerminalConfig {
    /// The settings of each session.
    pub(crate) fn session(&self) -> ServerConfig {
        let seconds = |s: u32| (s > 0).then(|| Duration::from_secs(s.into()));
        let keep_alive = seconds(self.keep_alive_s);
        ServerConfig {
            tn3270e: self.tn3270e,
            keep_alive: keep_alive.map(|every| (KeepAlive::TimingMark, every)),
            limits: SessionLimits {
                idle: seconds(self.idle_timeout_s),
                silence: keep_alive.map(|every| every * 3),
                ..SessionLimits::default()
            },
            ..ServerConfig::default()
        }
    }
}

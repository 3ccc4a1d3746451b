//! The `[terminal]` section of `tupelo.toml`.
//!
//! The doc comment of a field is its reference.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tn3270::{KeepAlive, ServerConfig, SessionLimits, StartTls};

/// `[terminal]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TerminalConfig {
    /// Address and port for TN3270 and TN3270E clients, such as
    /// `127.0.0.1:3270`. Connections are not encrypted unless `start_tls` says so.
    /// No such clients when absent.
    pub listen: Option<SocketAddr>,
    /// Address and port for clients that begin with TLS, with the certificate of
    /// `[gateway]`.
    pub tls_listen: Option<SocketAddr>,
    /// Whether clients of `listen` are asked to begin TLS inside the connection
    /// (START_TLS): `off`, `offered` or `required`.
    pub start_tls: StartTlsSetting,
    /// Whether browsers get terminals from the administration server, by its
    /// page `/console/terminal.html`.
    pub browser: bool,
    /// Most connections; a further one is closed at once.
    pub max_connections: usize,
    /// Whether TN3270E is offered. Without it all clients speak plain TN3270.
    pub tn3270e: bool,
    /// Which letters become capitals: `transid` those of a transaction code that
    /// a user types (UCTRAN(TRANID)), `all` also those of data, unless a command
    /// has ASIS (UCTRAN(YES)), `never` none (UCTRAN(NO)). SET TERMINAL UCTRANST
    /// and CEMT change it for one terminal.
    pub uppercase: Uppercase,
    /// The text of the good morning message (GMTEXT), at most 70 characters. The
    /// region's name and the terminal are put before it.
    pub welcome: String,
    /// GMTRAN: the transaction that begins at a terminal that connects, such as
    /// `CESN`. The good morning message when absent.
    pub first_transaction: Option<String>,
    /// EBCDIC code page of terminals: `037`, `273`, `1047`, `1140` and others
    /// with one byte a character.
    pub code_page: String,
    /// Code pages of terminals by the names of their logical units; a name may
    /// end with `*`.
    pub code_pages: BTreeMap<String, String>,
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
            tls_listen: None,
            start_tls: StartTlsSetting::Off,
            browser: true,
            max_connections: 1_000,
            tn3270e: true,
            uppercase: Uppercase::Transid,
            welcome: "Type a transaction code and press Enter.".to_owned(),
            first_transaction: None,
            code_page: "037".to_owned(),
            code_pages: BTreeMap::new(),
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
    /// None: codes have to be typed as they are defined (UCTRAN(NO)).
    Never,
}

impl Uppercase {
    /// The name of its CVDA of UCTRANST.
    pub(crate) fn cvda(self) -> &'static str {
        match self {
            Uppercase::Transid => "TRANIDONLY",
            Uppercase::All => "UCTRAN",
            Uppercase::Never => "NOUCTRAN",
        }
    }

    /// Returns `None` if it is not a CVDA of UCTRANST.
    pub(crate) fn of_cvda(name: &str) -> Option<Uppercase> {
        let all = [Uppercase::Transid, Uppercase::All, Uppercase::Never];
        all.into_iter().find(|one| one.cvda() == name)
    }
}

/// Whether TLS is asked for inside a connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StartTlsSetting {
    /// It is not.
    #[default]
    Off,
    /// A client may refuse.
    Offered,
    /// A client that refuses is disconnected.
    Required,
}

impl From<StartTlsSetting> for StartTls {
    fn from(setting: StartTlsSetting) -> StartTls {
        match setting {
            StartTlsSetting::Off => StartTls::Off,
            StartTlsSetting::Offered => StartTls::Offered,
            StartTlsSetting::Required => StartTls::Required,
        }
    }
}

impl TerminalConfig {
    /// Whether a certificate is needed.
    pub fn needs_certificate(&self) -> bool {
        self.tls_listen.is_some() || self.start_tls != StartTlsSetting::Off
    }

    /// Where other programs can connect.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = SocketAddr> {
        self.listen.into_iter().chain(self.tls_listen)
    }

    /// The settings of each session.
    pub(crate) fn session(&self, start_tls: StartTls) -> ServerConfig {
        let seconds = |s: u32| (s > 0).then(|| Duration::from_secs(s.into()));
        let keep_alive = seconds(self.keep_alive_s);
        ServerConfig {
            tn3270e: self.tn3270e,
            start_tls,
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

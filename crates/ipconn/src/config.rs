//! `[ipconn]`: where other regions and gateways connect to this region, and
//! which regions this process calls.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::wire::WireName;

/// Most sessions of a connection.
const MAX_SESSIONS: u16 = 999;

/// `[ipconn]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IpconnConfig {
    /// Address on which gateways and regions connect to this region. Without it
    /// no partner can connect. The usual port is 1435.
    pub listen: Option<SocketAddr>,
    /// Threads that serve them; 0 is one for every four CPUs.
    pub threads: u32,
    /// Most sessions that one partner gets (RECEIVECOUNT), 1 to 999.
    pub receive_count: u16,
    /// Most connections at once, of all partners; 1 to 10000.
    pub max_connections: u32,
    /// Names of the partners that may connect; if the list is empty, every
    /// partner may.
    pub partners: Vec<String>,
    /// Largest message in MiB, 1 to 1024: a COMMAREA, or a channel with all its
    /// containers.
    pub max_message_mib: u32,
    /// Certificate and key of this side, and the authorities that sign the
    /// partners' certificates, each of which must have one. Needed to listen
    /// beyond this machine.
    pub tls: Option<TlsFiles>,
    /// The regions that are called, by name.
    pub connections: BTreeMap<String, ConnectionConfig>,
    /// Groups of connections, by name. A request uses the connection with the
    /// fewest running requests.
    pub groups: BTreeMap<String, Vec<String>>,
    /// Milliseconds that a request waits for a free session (MAXQTIME).
    pub session_wait_ms: u32,
    /// Most requests of one thread that wait for one (QUEUELIMIT).
    pub queue_limit: u32,
}

impl Default for IpconnConfig {
    fn default() -> Self {
        IpconnConfig {
            listen: None,
            threads: 0,
            receive_count: MAX_SESSIONS,
            max_connections: 256,
            partners: Vec::new(),
            max_message_mib: 64,
            tls: None,
            connections: BTreeMap::new(),
            groups: BTreeMap::new(),
            session_wait_ms: 1000,
            queue_limit: 1000,
        }
    }
}

/// `[ipconn.tls]` and `[ipconn.connections.NAME.tls]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TlsFiles {
    /// Certificate chain of this side in PEM, relative to the application
    /// folder.
    pub certificate: PathBuf,
    /// Its private key in PEM, relative to the application folder.
    pub key: PathBuf,
    /// Certificates in PEM of the authorities that sign those of the other
    /// side, relative to the application folder.
    pub authorities: PathBuf,
    /// The name that a called region's certificate must have; when absent, the
    /// host of its address. Not for `[ipconn.tls]`.
    pub name: Option<String>,
}

/// `[ipconn.connections.NAME]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ConnectionConfig {
    /// Where the region listens, `host:port`.
    pub address: String,
    /// Name of the region (APPLID), when it must have a certain one.
    pub applid: Option<String>,
    /// SYSID by which programs name it in LINK and START; when absent, NAME if it
    /// has no more than four characters.
    pub sysid: Option<String>,
    /// Sessions that are asked for (SENDCOUNT), 1 to 999; the region may give
    /// fewer.
    pub sessions: u16,
    /// Milliseconds of silence after which the region is asked whether it is
    /// there; it is given up after three of them.
    pub keepalive_ms: u32,
    /// TLS, when the region wants it.
    pub tls: Option<TlsFiles>,
}

impl Default for ConnectionConfig {
    fn default() -> Self {
        ConnectionConfig {
            address: String::new(),
            applid: None,
            sysid: None,
            sessions: 100,
            keepalive_ms: 5000,
            tls: None,
        }
    }
}

/// A problem of the section.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {why}")]
pub struct ConfigError {
    /// The key.
    pub key: String,
    /// The problem, and the remedy.
    pub why: String,
}

impl ConnectionConfig {
    /// The SYSID of a connection of this name, if programs can name it.
    pub fn sysid(&self, name: &str) -> Option<String> {
        let own = (name.len() <= 4).then_some(name);
        let sysid = self.sysid.as_deref().or(own)?;
        Some(sysid.to_ascii_uppercase())
    }
}

impl IpconnConfig {
    /// Everything that is wrong with it.
    pub fn check(&self) -> Vec<ConfigError> {
        let mut wrong = Vec::new();
        let mut say = |key: String, why: &str| {
            let why = why.to_owned();
            wrong.push(ConfigError { key, why });
        };
        let counts = 1..=MAX_SESSIONS;
        if !counts.contains(&self.receive_count) {
            say("[ipconn] receive_count".into(), "expected 1 to 999");
        }
        if !(1..=10_000).contains(&self.max_connections) {
            say("[ipconn] max_connections".into(), "expected 1 to 10000");
        }
        if !(1..=1024).contains(&self.max_message_mib) {
            say("[ipconn] max_message_mib".into(), "expected 1 to 1024");
        }
        if let Some(listen) = self.listen.filter(|l| !l.ip().is_loopback())
            && self.tls.is_none()
        {
            say(
                "[ipconn] listen".into(),
                &format!(
                    "every client that reaches {listen} could run any program as any user: set \
                     [ipconn.tls] with the authorities of the partners' certificates, or \
                     listen on 127.0.0.1"
                ),
            );
        }
        for partner in &self.partners {
            if WireName::new(partner).is_err() {
                say(
                    format!("[ipconn] partners: {partner}"),
                    "a name must have 1 to 8 characters",
                );
            }
        }
        let mut systems: BTreeMap<String, &String> = BTreeMap::new();
        for (name, connection) in &self.connections {
            let key = |key: &str| format!("[ipconn.connections.{name}] {key}");
            if !connection.address.contains(':') {
                say(key("address"), "expected host:port, such as 10.0.0.7:1435");
            }
            if !counts.contains(&connection.sessions) {
                say(key("sessions"), "expected 1 to 999");
            }
            if connection.keepalive_ms < 100 {
                say(key("keepalive_ms"), "expected 100 or more");
            }
            if connection
                .applid
                .as_ref()
                .is_some_and(|a| WireName::new(a).is_err())
            {
                say(key("applid"), "a name must have 1 to 8 characters");
            }
            let Some(sysid) = connection.sysid(name) else {
                continue;
            };
            if region::Name::<4>::new(&sysid).is_err() {
                say(key("sysid"), "a name must have 1 to 4 characters");
            }
            if let Some(other) = systems.insert(sysid.clone(), name) {
                say(
                    key("sysid"),
                    &format!(
                        "the connection {other} also has the SYSID {sysid}; give one of them another"
                    ),
                );
            }
        }
        for (group, members) in &self.groups {
            let key = format!("[ipconn.groups] {group}");
            if self.connections.contains_key(group) {
                say(
                    key.clone(),
                    "a connection and a group have this name; rename one",
                );
            }
            if members.is_empty() {
                say(key.clone(), "the group names no connection");
            }
            for member in members
                .iter()
                .filter(|m| !self.connections.contains_key(*m))
            {
                say(
                    key.clone(),
                    &format!("no entry [ipconn.connections.{member}]"),
                );
            }
        }
        wrong
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> IpconnConfig {
        let connection = ConnectionConfig {
            address: "127.0.0.1:1435".into(),
            ..ConnectionConfig::default()
        };
        IpconnConfig {
            connections: BTreeMap::from([("CICSA".into(), connection)]),
            groups: BTreeMap::from([("cicsConn".into(), vec!["CICSA".into()])]),
            ..IpconnConfig::default()
        }
    }

    #[test]
    fn what_fits_together_is_taken() {
        assert_eq!(IpconnConfig::default().check(), []);
        assert_eq!(config().check(), []);
        let connection = &config().connections["CICSA"];
        assert_eq!(connection.sysid("CICSA"), None);
        assert_eq!(connection.sysid("peer"), Some("PEER".into()));
    }

    #[test]
    fn contradicting_settings_are_reported_with_their_key() {
        let wrong = |change: fn(&mut IpconnConfig)| {
            let mut config = config();
            change(&mut config);
            let reported: Vec<String> = config.check().iter().map(ToString::to_string).collect();
            reported.join("\n")
        };
        assert!(wrong(|c| c.receive_count = 1000).contains("receive_count"));
        assert!(
            wrong(|c| c
                .groups
                .insert("g".into(), vec!["NO".into()])
                .map_or((), drop))
            .contains("NO")
        );
        assert!(wrong(|c| c.listen = Some(([0, 0, 0, 0], 1435).into())).contains("[ipconn.tls]"));
        let twice = wrong(|c| {
            for name in ["CICSA", "CICSB"] {
                let mut same = c.connections["CICSA"].clone();
                same.sysid = Some("CICS".into());
                c.connections.insert(name.into(), same);
            }
        });
        assert!(
            twice.contains("the connection CICSA also has the SYSID CICS"),
            "{twice}"
        );
        assert!(
            wrong(|c| c.connections.get_mut("CICSA").unwrap().address.clear())
                .contains("host:port")
        );
    }
}

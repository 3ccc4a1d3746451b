//! The state of connections, for operators and metrics: those that this process
//! makes, and the partners that have made one to it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use crate::IpconnConfig;
use crate::wire::{HelloMessage, WireName};

/// All connections of a process; cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct ConnectionDirectory(Arc<DirectoryState>);

#[derive(Debug, Default)]
struct DirectoryState {
    connections: Vec<Arc<Record>>,
    partners: Mutex<BTreeMap<WireName, PartnerEntry>>,
    answered: AtomicU64,
    turned_away: AtomicU64,
}

/// A region that is called, over a connection of each thread.
#[derive(Debug, Default)]
pub struct Record {
    pub name: String,
    pub sysid: String,
    address: String,
    lanes: AtomicU32,
    pub sessions: AtomicU32,
    pub in_use: AtomicU32,
    pub requests: AtomicU64,
    pub retried: AtomicU64,
    pub lost: AtomicU64,
    pub refused: AtomicU64,
    connects: AtomicU64,
    peer: Mutex<PeerState>,
}

/// The state of the region at the other end.
#[derive(Debug, Default)]
struct PeerState {
    applid: String,
    error: String,
}

/// A connection as operators see it.
#[derive(Debug, Clone, Serialize)]
pub struct ConnectionStatus {
    /// Its name.
    pub name: String,
    /// By which programs name it; empty when they cannot.
    pub sysid: String,
    /// The region's listening address.
    pub address: String,
    /// The region's own name, empty before it has said it.
    pub applid: String,
    /// `ACQUIRED` if it is connected, else `OBTAINING`.
    pub state: &'static str,
    /// Sockets that are open: one for each thread that calls.
    pub lanes: u32,
    /// Sessions of all connections.
    pub sessions: u32,
    /// Requests under way.
    pub in_use: u32,
    /// Requests sent so far.
    pub requests: u64,
    /// Requests that were repeated, there or elsewhere.
    pub retried: u64,
    /// Requests whose connection ended before their answer came.
    pub lost: u64,
    /// Requests that the region did not take.
    pub refused: u64,
    /// Connections made so far.
    pub connects: u64,
    /// The reason why it is not connected; empty if it is.
    pub error: String,
}

/// A partner that has connected to this region.
#[derive(Debug, Clone, Serialize)]
pub struct PartnerStatus {
    /// Its name.
    pub applid: String,
    /// Its short name.
    pub sysid: String,
    /// The partner's address.
    pub address: String,
    /// Its connections.
    pub lanes: u32,
    /// Sessions of all connections.
    pub sessions: u32,
    /// Its requests under way.
    pub in_use: u32,
    /// Its requests so far.
    pub requests: u64,
}

/// A partner.
#[derive(Debug, Default)]
struct PartnerEntry {
    instance: u64,
    sysid: String,
    address: String,
    lanes: u32,
    sessions: u32,
    counts: Arc<PartnerCounters>,
}

/// The counters of a partner's connections.
#[derive(Debug, Default)]
pub struct PartnerCounters {
    pub in_use: AtomicU32,
    pub requests: AtomicU64,
}

impl ConnectionDirectory {
    /// One with the connections of the settings.
    pub fn new(config: &IpconnConfig) -> ConnectionDirectory {
        let connections = config.connections.iter().map(|(name, connection)| {
            Arc::new(Record {
                name: name.clone(),
                sysid: connection.sysid(name).unwrap_or_default(),
                address: connection.address.clone(),
                ..Record::default()
            })
        });
        ConnectionDirectory(Arc::new(DirectoryState {
            connections: connections.collect(),
            ..DirectoryState::default()
        }))
    }

    /// The state and counters of a connection, by name.
    pub(crate) fn record(&self, name: &str) -> Option<Arc<Record>> {
        let mut all = self.0.connections.iter();
        all.find(|r| r.name == name).cloned()
    }

    /// The connection that a SYSID names.
    pub fn system(&self, sysid: &str) -> Option<String> {
        let mut all = self.0.connections.iter();
        all.find(|r| !sysid.is_empty() && r.sysid.eq_ignore_ascii_case(sysid))
            .map(|r| r.name.clone())
    }

    /// The APPLID of the region that a connection leads to, empty before the
    /// greeting. Returns `None` if it is not connected.
    pub fn applid(&self, connection: &str) -> Option<String> {
        let record = self.record(connection)?;
        let open = record.lanes.load(Relaxed) > 0;
        open.then(|| record.lock().applid.clone())
    }

    /// The SYSID of a connection, empty when programs cannot name it.
    pub fn sysid(&self, connection: &str) -> Option<String> {
        Some(self.record(connection)?.sysid.clone())
    }

    /// The connections that this process makes.
    pub fn connections(&self) -> Vec<ConnectionStatus> {
        self.0.connections.iter().map(|r| r.status()).collect()
    }

    /// The partners that have connected.
    pub fn partners(&self) -> Vec<PartnerStatus> {
        let partners = self.lock();
        let status = partners.iter().map(|(name, p)| PartnerStatus {
            applid: name.to_string(),
            sysid: p.sysid.clone(),
            address: p.address.clone(),
            lanes: p.lanes,
            sessions: p.sessions,
            in_use: p.counts.in_use.load(Relaxed),
            requests: p.counts.requests.load(Relaxed),
        });
        status.collect()
    }

    /// A partner connects, with so many sessions. An error says why it may not.
    pub(crate) fn arrive(
        &self,
        hello: &HelloMessage,
        address: &str,
        sessions: usize,
    ) -> Result<Arc<PartnerCounters>, String> {
        let mut partners = self.lock();
        if let Some(there) = partners.get(&hello.applid)
            && there.instance != hello.instance
        {
            self.0.turned_away.fetch_add(1, Relaxed);
            return Err(format!(
                "{} is connected from {} already: give one of the two another [region] applid",
                hello.applid, there.address
            ));
        }
        let partner = partners.entry(hello.applid).or_default();
        partner.instance = hello.instance;
        partner.sysid = hello.sysid.to_string();
        partner.address = address.to_owned();
        partner.lanes += 1;
        partner.sessions += sessions as u32;
        Ok(partner.counts.clone())
    }

    /// One of its connections has ended.
    pub(crate) fn leave(&self, applid: &WireName, sessions: usize) {
        let mut partners = self.lock();
        if let Some(partner) = partners.get_mut(applid) {
            partner.lanes = partner.lanes.saturating_sub(1);
            partner.sessions = partner.sessions.saturating_sub(sessions as u32);
            if partner.lanes == 0 {
                partners.remove(applid);
            }
        }
    }

    /// Counts a rejected partner.
    pub(crate) fn turned_away(&self) {
        self.0.turned_away.fetch_add(1, Relaxed);
    }

    /// A request was answered.
    pub(crate) fn answered(&self) {
        self.0.answered.fetch_add(1, Relaxed);
    }

    /// Appends everything in the Prometheus text format.
    pub fn metrics(&self, out: &mut String) {
        for (name, kind, help, of) in METRICS {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
            for status in self.connections() {
                let _ = writeln!(
                    out,
                    "{name}{{connection=\"{}\"}} {}",
                    status.name,
                    of(&status)
                );
            }
        }
        for (name, kind, help, value) in [
            (
                "tupelo_ipconn_partners",
                "gauge",
                "Partners that are connected to this region.",
                self.lock().len() as u64,
            ),
            (
                "tupelo_ipconn_answered_total",
                "counter",
                "Requests of partners that were answered.",
                self.0.answered.load(Relaxed),
            ),
            (
                "tupelo_ipconn_turned_away_total",
                "counter",
                "Rejected connections of partners.",
                self.0.turned_away.load(Relaxed),
            ),
        ] {
            let _ = writeln!(
                out,
                "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}"
            );
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<WireName, PartnerEntry>> {
        self.0
            .partners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A figure of every connection: name, kind, help, value.
type ConnectionMetric = (
    &'static str,
    &'static str,
    &'static str,
    fn(&ConnectionStatus) -> u64,
);

const METRICS: [ConnectionMetric; 7] = [
    (
        "tupelo_ipconn_lanes",
        "gauge",
        "Open sockets to the region.",
        |s| u64::from(s.lanes),
    ),
    (
        "tupelo_ipconn_sessions",
        "gauge",
        "Sessions with the region.",
        |s| u64::from(s.sessions),
    ),
    (
        "tupelo_ipconn_in_use",
        "gauge",
        "Requests under way.",
        |s| u64::from(s.in_use),
    ),
    (
        "tupelo_ipconn_requests_total",
        "counter",
        "Requests sent.",
        |s| s.requests,
    ),
    (
        "tupelo_ipconn_retried_total",
        "counter",
        "Requests sent once more.",
        |s| s.retried,
    ),
    (
        "tupelo_ipconn_lost_total",
        "counter",
        "Requests whose connection ended before their answer.",
        |s| s.lost,
    ),
    (
        "tupelo_ipconn_refused_total",
        "counter",
        "Requests that the region rejected.",
        |s| s.refused,
    ),
];

impl Record {
    /// A connection is open.
    pub fn opened(&self, applid: &str, sessions: usize) {
        self.lanes.fetch_add(1, Relaxed);
        self.sessions.fetch_add(sessions as u32, Relaxed);
        self.connects.fetch_add(1, Relaxed);
        let mut reported = self.lock();
        reported.applid = applid.to_owned();
        reported.error.clear();
    }

    /// An open one has ended.
    pub fn closed(&self, sessions: usize) {
        self.lanes.fetch_sub(1, Relaxed);
        self.sessions.fetch_sub(sessions as u32, Relaxed);
    }

    /// Notes why it is not connected. Returns true if the reason is new.
    pub fn failed(&self, why: &str) -> bool {
        let mut reported = self.lock();
        let news = reported.error != why;
        why.clone_into(&mut reported.error);
        news
    }

    /// The reason why it is not connected.
    pub fn error(&self) -> String {
        let reported = self.lock();
        match reported.error.as_str() {
            "" => format!("{} ({}) is not connected yet", self.name, self.address),
            why => format!("{} ({}): {why}", self.name, self.address),
        }
    }

    fn status(&self) -> ConnectionStatus {
        let reported = self.lock();
        let lanes = self.lanes.load(Relaxed);
        ConnectionStatus {
            name: self.name.clone(),
            sysid: self.sysid.clone(),
            address: self.address.clone(),
            applid: reported.applid.clone(),
            state: if lanes > 0 { "ACQUIRED" } else { "OBTAINING" },
            lanes,
            sessions: self.sessions.load(Relaxed),
            in_use: self.in_use.load(Relaxed),
            requests: self.requests.load(Relaxed),
            retried: self.retried.load(Relaxed),
            lost: self.lost.load(Relaxed),
            refused: self.refused.load(Relaxed),
            connects: self.connects.load(Relaxed),
            error: match lanes {
                0 => reported.error.clone(),
                _ => String::new(),
            },
        }
    }

    fn lock(&self) -> MutexGuard<'_, PeerState> {
        self.peer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

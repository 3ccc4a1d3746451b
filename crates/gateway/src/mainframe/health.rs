//! The state of a connection: whether it was reached, and its counters.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

/// A connection of `[mainframe]` as operators see it.
#[derive(Debug, Clone, Serialize)]
pub struct MainframeStatus {
    /// Its name.
    pub name: String,
    /// `HTTP`, or `SOCKETS` for a listener.
    pub kind: &'static str,
    /// The mainframe's address.
    pub address: String,
    /// `RELEASED` before the first request, `ACQUIRED` when it was reached at
    /// the last try, `OBTAINING` when it was not.
    pub state: &'static str,
    /// Most sessions at a time.
    pub sessions: u32,
    /// Calls under way.
    pub in_use: u64,
    /// Calls so far.
    pub requests: u64,
    /// Calls without an answer.
    pub failed: u64,
    /// Sessions that were opened so far.
    pub opened: u64,
    /// Why it was not reached at the last try; empty when it was.
    pub error: String,
}

/// Of one connection, of all threads together.
#[derive(Debug, Default)]
pub(super) struct ConnectionHealth {
    address: String,
    /// Why it could not be reached when it was last tried.
    error: Mutex<Option<String>>,
    requests: AtomicU64,
    failed: AtomicU64,
    under_way: AtomicU64,
    opened: AtomicU64,
}

impl ConnectionHealth {
    pub fn new(address: &str) -> ConnectionHealth {
        ConnectionHealth {
            address: address.to_owned(),
            ..ConnectionHealth::default()
        }
    }

    pub fn error(&self) -> Option<String> {
        let why = self.why()?;
        Some(format!("{}: {why}", self.address))
    }

    fn why(&self) -> Option<String> {
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        error.clone()
    }

    /// As operators see it, of these sessions at most.
    pub fn status(&self, name: &str, kind: &'static str, sessions: u32) -> MainframeStatus {
        let (why, opened) = (self.why(), self.opened.load(Relaxed));
        MainframeStatus {
            name: name.to_owned(),
            kind,
            address: self.address.clone(),
            state: match (&why, opened) {
                (Some(_), _) => "OBTAINING",
                (None, 0) => "RELEASED",
                (None, _) => "ACQUIRED",
            },
            sessions,
            in_use: self.under_way.load(Relaxed),
            requests: self.requests.load(Relaxed),
            failed: self.failed.load(Relaxed),
            opened,
            error: why.unwrap_or_default(),
        }
    }

    /// A connection was tried; `error` is the reason of a failure.
    pub fn tried(&self, error: Option<&str>) {
        if error.is_none() {
            self.opened.fetch_add(1, Relaxed);
        }
        let mut kept = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = error.map(str::to_owned);
    }

    /// A call begins; it has failed unless it says otherwise.
    pub fn begins(&self) -> UnderWay<'_> {
        self.requests.fetch_add(1, Relaxed);
        self.under_way.fetch_add(1, Relaxed);
        UnderWay {
            health: self,
            answered: false,
        }
    }
}

/// A call; one that is given up ends here too.
pub(super) struct UnderWay<'h> {
    health: &'h ConnectionHealth,
    pub answered: bool,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.health.under_way.fetch_sub(1, Relaxed);
        if !self.answered {
            self.health.failed.fetch_add(1, Relaxed);
        }
    }
}

/// Name, type, help, and where it is.
type Figure = (
    &'static str,
    &'static str,
    &'static str,
    fn(&ConnectionHealth) -> u64,
);

const FIGURES: [Figure; 4] = [
    (
        "tupelo_mainframe_requests_total",
        "counter",
        "Calls over a connection of [mainframe].",
        |h| h.requests.load(Relaxed),
    ),
    (
        "tupelo_mainframe_failed_total",
        "counter",
        "Calls without an answer.",
        |h| h.failed.load(Relaxed),
    ),
    (
        "tupelo_mainframe_under_way",
        "gauge",
        "Calls under way.",
        |h| h.under_way.load(Relaxed),
    ),
    (
        "tupelo_mainframe_opened_total",
        "counter",
        "Sessions that were opened.",
        |h| h.opened.load(Relaxed),
    ),
];

/// Appends the figures of connections in the Prometheus text format.
pub(super) fn write<'h>(
    all: impl Iterator<Item = (&'h str, &'h ConnectionHealth)>,
    out: &mut String,
) {
    let all: Vec<_> = all.collect();
    for (name, kind, help, value) in FIGURES {
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (connection, health) in &all {
            let _ = writeln!(
                out,
                "{name}{{connection=\"{connection}\"}} {}",
                value(health)
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_shows_the_result_of_the_last_try() {
        let health = ConnectionHealth::new("cics.example:80");
        let state = || {
            let status = health.status("CICSA", "HTTP", 8);
            (status.state, status.error, status.opened)
        };
        assert_eq!(state(), ("RELEASED", String::new(), 0));
        health.tried(Some("refused"));
        assert_eq!(state(), ("OBTAINING", "refused".into(), 0));
        health.tried(None);
        assert_eq!(state(), ("ACQUIRED", String::new(), 1));
        let under_way = health.begins();
        assert_eq!(health.status("CICSA", "HTTP", 8).in_use, 1);
        drop(under_way);
        let status = health.status("CICSA", "HTTP", 8);
        assert_eq!((status.in_use, status.requests, status.failed), (0, 1, 1));
    }
}

//! What is known of a connection: whether it was reached, and its figures.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Of one connection, of all threads together.
#[derive(Debug, Default)]
pub(super) struct Health {
    address: String,
    /// Why it could not be reached when it was last tried.
    error: Mutex<Option<String>>,
    requests: AtomicU64,
    failed: AtomicU64,
    under_way: AtomicU64,
    opened: AtomicU64,
}

impl Health {
    pub fn new(address: &str) -> Health {
        Health {
            address: address.to_owned(),
            ..Health::default()
        }
    }

    pub fn error(&self) -> Option<String> {
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        error.as_ref().map(|why| format!("{}: {why}", self.address))
    }

    /// A connection was tried; `error` says why it is not there.
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
    health: &'h Health,
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
type Figure = (&'static str, &'static str, &'static str, fn(&Health) -> u64);

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
pub(super) fn write<'h>(all: impl Iterator<Item = (&'h str, &'h Health)>, out: &mut String) {
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

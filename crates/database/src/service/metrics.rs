//! Figures of EXEC SQL for `/metrics`.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::pool::RoleCount;

/// What was done.
#[derive(Debug, Default)]
pub struct ServiceCounters {
    /// Sessions that were opened.
    pub connected: AtomicU64,
    /// Sessions that could not be opened.
    pub failed: AtomicU64,
    /// Units that the server committed.
    pub committed: AtomicU64,
    /// Units that it rolled back.
    pub rolled_back: AtomicU64,
    /// Commits whose answer was lost.
    pub unknown: AtomicU64,
}

/// Appends the figures, once a program has had a session.
pub fn write(roles: &[RoleCount], counts: &ServiceCounters, out: &mut String) {
    if roles.is_empty() {
        return;
    }
    type RoleGauge = (&'static str, &'static str, fn(&RoleCount) -> usize);
    let gauges: [RoleGauge; 3] = [
        ("sessions", "Sessions with the SQL server, by role.", |c| {
            c.open
        }),
        (
            "sessions_idle",
            "Sessions that no task has, by role.",
            |c| c.idle,
        ),
        ("waiting", "Tasks that wait for a session, by role.", |c| {
            c.waiting
        }),
    ];
    for (name, help, value) in gauges {
        let name = format!("tupelo_sql_{name}");
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge");
        for count in roles {
            let _ = writeln!(out, "{name}{{role=\"{}\"}} {}", count.role, value(count));
        }
    }
    for (name, help, value) in [
        ("connects", "Sessions that were opened.", &counts.connected),
        (
            "connects_failed",
            "Sessions that could not be opened.",
            &counts.failed,
        ),
        (
            "commits",
            "Units of work that the SQL server committed.",
            &counts.committed,
        ),
        (
            "rollbacks",
            "Units of work that it rolled back.",
            &counts.rolled_back,
        ),
        ("unknown", "Commits whose answer was lost.", &counts.unknown),
    ] {
        let (name, value) = (
            format!("tupelo_sql_{name}_total"),
            value.load(Ordering::Relaxed),
        );
        let _ = writeln!(
            out,
            "# HELP {name} {help}\n# TYPE {name} counter\n{name} {value}"
        );
    }
}

/// The figures as an example, for their reference page.
pub fn sample(out: &mut String) {
    let role = RoleCount {
        role: "ROLE".into(),
        open: 0,
        idle: 0,
        waiting: 0,
    };
    write(&[role], &ServiceCounters::default(), out);
}

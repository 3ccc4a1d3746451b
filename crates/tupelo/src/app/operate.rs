//! The administration port's answers to operators: tasks, locks, messages.
//!
//! | | |
//! |---|---|
//! | `GET /tasks?after=N&limit=M` | at most M tasks with numbers above N; without `limit` all of them |
//! | `POST /tasks/N/purge`, `POST /tasks/N/forcepurge` | end one |
//! | `POST /transactions/NAME/start` | start one, as START does |
//! | `POST /transactions/NAME/purge`, `POST /transactions/NAME/forcepurge` | end its tasks |
//! | `GET /top` | tasks, classes, files, queues, counters and CPU time |
//! | `GET /top/actual`, `GET /top/delta` | CPU by kind of engine: since the start, and since the baseline |
//! | `POST /top/reset` | makes the counters the baseline |
//! | `GET /limits` | the use of each limit, and the task that uses most |
//! | `GET /locks` | all locks, their owners and waiters |
//! | `GET /uow` | units of work that another region or a database decides, or has not acknowledged |
//! | `POST /uow/UNIT/commit`, `POST /uow/UNIT/backout` | resolve one instead of its coordinator |
//! | `GET /logs?last=N` | the newest lines of the log |
//! | `GET /connections` | connections to other regions and to mainframes, and partners that have connected |
//! | `GET /partners` | the sessions and links of the APPC node; null without one |
//! | `GET /sockets/list`, `GET /sockets/trace` | the listeners, the last socket calls |
//! | `POST /sockets/start/LISTENER`, `POST /sockets/stop/LISTENER` | start and stop one |
//! | `POST /sockets/trace/on`, `POST /sockets/trace/off` | switch the trace |
//! | `GET /messages` | messages of WRITE OPERATOR that wait for a reply |
//! | `POST /messages/N/reply?TEXT` | the reply to one, percent-encoded |

use std::sync::OnceLock;
use std::time::Instant;

use gateway::{MainframeConnections, OperatorResult};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use region::{Handle, PurgeOutcome, UserId};
use serde::Serialize;
use serde_json::json;

use super::appc::PartnerDirectory;
use super::snapshot;

/// The answer to a path. Returns `None` if the path is not one of these.
pub fn answer(
    region: &Handle,
    user: UserId,
    path: &str,
    query: &str,
    change: bool,
) -> Option<OperatorResult> {
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    Some(match (parts.as_slice(), change) {
        (["tasks"], false) => tasks(region, query),
        (["top"], false) => list(&top(region)),
        (["top", "actual"], false) => list(&snapshot::actual(region, at_ns())),
        (["top", "delta"], false) => list(&snapshot::delta(region, at_ns())),
        (["top", "reset"], true) => list(&snapshot::reset(region, at_ns())),
        (["locks"], false) => list(&region.locks()),
        (["limits"], false) => list(&region.limits()),
        (["uow"], false) => list(&super::uow::list(region)),
        (["uow", unit, what @ ("commit" | "backout")], true) => {
            super::uow::settle(region, unit, *what == "commit")
        }
        (["messages"], false) => list(&region.messages()),
        (["tasks", number, what @ ("purge" | "forcepurge")], true) => {
            let number = number.parse().ok();
            let purged = number.map(|n| region.purge(n, *what == "forcepurge"));
            match purged.unwrap_or(PurgeOutcome::Unknown) {
                PurgeOutcome::Unknown => fault(404, "there is no such task"),
                done => list(&json!({ "purge": done })),
            }
        }
        (["transactions", name, "start"], true) => start(region, user, name),
        (["transactions", name, what @ ("purge" | "forcepurge")], true) => match transid(name) {
            Some(transid) => match region.purge_transaction(transid, *what == "forcepurge") {
                Some(purged) => list(&purged),
                None => fault(404, "there is no such transaction, and no task of it"),
            },
            None => fault(400, NO_TRANSID),
        },
        (["messages", number, "reply"], true) => match (number.parse(), decoded(query)) {
            (Ok(number), Some(text)) if region.reply(number, &text) => list(&json!({})),
            (_, None) => fault(400, "the reply is not percent-encoded text"),
            _ => fault(404, "no task waits for a reply to that message"),
        },
        (["sockets", words @ ..], change) => match region.sockets()?.operate(words, change)? {
            Ok(json) => OperatorResult { status: 200, json },
            Err(why) => fault(409, &why),
        },
        _ => return None,
    })
}

/// The CPU snapshot, for the transaction of terminals.
pub fn snapshot(region: &Handle, kind: terminal::SnapshotKind) -> serde_json::Value {
    use terminal::SnapshotKind;
    match kind {
        SnapshotKind::Actual => snapshot::actual(region, at_ns()),
        SnapshotKind::Reset => snapshot::reset(region, at_ns()),
        SnapshotKind::Delta => snapshot::delta(region, at_ns()),
    }
}

/// The connections of a process.
pub fn connections(
    directory: Option<&ipconn::ConnectionDirectory>,
    mainframe: &MainframeConnections,
) -> OperatorResult {
    let connections = directory.map(ipconn::ConnectionDirectory::connections);
    let partners = directory.map(ipconn::ConnectionDirectory::partners);
    list(&json!({
        "connections": connections.unwrap_or_default(),
        "mainframe": mainframe.statuses(),
        "partners": partners.unwrap_or_default(),
    }))
}

/// The APPC node of a region, or null without one.
pub fn partners(partners: Option<&PartnerDirectory>) -> OperatorResult {
    list(&partners.map(|partners| partners.host().status()))
}

/// The newest lines of the log.
pub fn logs(query: &str) -> OperatorResult {
    let last = query.split('&').find_map(|part| part.strip_prefix("last="));
    match last.map_or(Ok(200), str::parse) {
        Ok(most) => list(&json!({ "lines": crate::log::newest(most) })),
        Err(_) => fault(400, "last= needs a number"),
    }
}

/// Starts a transaction without data, as the region's own user.
fn start(region: &Handle, user: UserId, name: &str) -> OperatorResult {
    let Some(transid) = transid(name) else {
        return fault(400, NO_TRANSID);
    };
    match region.start(transid, user, 0, Vec::new()) {
        Ok(()) => list(&json!({})),
        Err(refusal) => fault(409, &refusal.to_string()),
    }
}

/// The name of a transaction in a path.
fn transid(name: &str) -> Option<region::TransId> {
    let name = String::from_utf8(decoded(name)?).ok()?;
    name.parse().ok()
}

const NO_TRANSID: &str = "a transaction's name has 1 to 4 characters";

/// A page of the tasks.
fn tasks(region: &Handle, query: &str) -> OperatorResult {
    let value = |name: &str| {
        let mut parts = query.split('&').filter_map(|part| part.split_once('='));
        parts.find(|(key, _)| *key == name).map(|(_, value)| value)
    };
    let after = value("after").map_or(Ok(0), str::parse);
    let limit = value("limit").map_or(Ok(usize::MAX), str::parse);
    match (after, limit) {
        (Ok(after), Ok(limit)) => list(&region.tasks_after(after, limit)),
        _ => fault(400, "after= and limit= need numbers"),
    }
}

/// The data that `tupelo top` shows.
fn top(region: &Handle) -> serde_json::Value {
    let engines = super::metrics::engines();
    json!({
        "at_ns": at_ns(),
        // The oldest tasks: they have waited longest.
        "tasks": region.tasks_after(0, MOST_SHOWN),
        "resources": region.resources(),
        "statistics": region.statistics(),
        "general_cpu_ns": engines.map(|(general, _)| general),
        "offload_cpu_ns": engines.map(|(_, offload)| offload),
    })
}

/// Most tasks that `tupelo top` lists.
const MOST_SHOWN: usize = 1_000;

/// Nanoseconds since the first call: a clock for rates.
fn at_ns() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let since = START.get_or_init(Instant::now).elapsed();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

fn list(value: &impl Serialize) -> OperatorResult {
    match serde_json::to_string(value) {
        Ok(json) => OperatorResult { status: 200, json },
        Err(error) => fault(500, &error.to_string()),
    }
}

pub fn fault(status: u16, why: &str) -> OperatorResult {
    OperatorResult {
        status,
        json: json!({ "error": why }).to_string(),
    }
}

/// Percent-encodes a text for a query.
pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// Decodes the result of [`encoded`]. Returns `None` if a `%` lacks its two digits.
pub fn decoded(query: &str) -> Option<Vec<u8>> {
    let mut bytes = query.bytes();
    let mut text = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            text.push(byte);
            continue;
        }
        let mut digit = || char::from(bytes.next()?).to_digit(16);
        text.push((digit()? << 4 | digit()?) as u8);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_reply_arrives_as_it_was_typed(text in any::<String>()) {
            prop_assert_eq!(decoded(&encoded(&text)), Some(text.into_bytes()));
        }

        #[test]
        fn no_query_makes_the_reader_panic(query in any::<String>()) {
            let _ = decoded(&query);
        }
    }
}

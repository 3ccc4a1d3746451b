//! Units of work that span regions, for operators who list and resolve them.
//!
//! A unit is named `COORDINATOR.LINK.NUMBER`: the region that decides it, that region's
//! SYSID for the connection, and the unit's number there. A unit that a database of this
//! region decides is named by its number alone.

use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use gateway::OperatorResult;
use ipconn::CallerConnection;
use region::{BranchId, Handle, InDoubtUnit, UnitId};
use serde_json::{Value, json};

/// Most time that an operator waits for the store.
const LIMIT: Duration = Duration::from_secs(10);

/// The units that are prepared here and wait for another region or a database, and
/// those that are committed here and that a participant has not acknowledged.
pub fn list(region: &Handle) -> Value {
    let waiting = region.prepared_units().into_iter().map(|unit| {
        let of = CallerConnection::of_branch(&unit.branch);
        let in_doubt = unit.task.in_doubt;
        let since_ms = unit.since_unix_ns / 1_000_000;
        let ends_ms = unit.ends_unix_ns.map(|ns| ns / 1_000_000);
        json!({
            "unit": name(&unit.branch),
            "state": if unit.deciding { "COMMITTING" } else { "INDOUBT" },
            "with": of.map(|(of, _)| of.applid.to_string()),
            "since_ms": since_ms,
            "transaction": unit.task.transid.to_string(),
            "action": if in_doubt.commits { "COMMIT" } else { "BACKOUT" },
            "ends_ms": ends_ms,
            "records": unit.records,
            "locks": unit.locks,
        })
    });
    let committed = region.decisions().into_iter().map(|(unit, participant)| {
        json!({
            "unit": unit.to_string(),
            "state": "COMMITTED",
            "with": participant,
            "since_ms": since_ms(unit),
            "transaction": Value::Null,
            "action": Value::Null,
            "ends_ms": Value::Null,
            "records": Value::Null,
            "locks": [],
        })
    });
    let in_doubt = region.in_doubt_units().into_iter().map(|unit| {
        json!({
            "unit": unit.unit.to_string(),
            "state": if unit.applying { "COMMITTING" } else { "INDOUBT" },
            "with": unit.decider,
            "since_ms": unit.since_unix_ns / 1_000_000,
            "transaction": unit.task.transid.to_string(),
            "action": Value::Null,
            "ends_ms": Value::Null,
            "records": unit.records,
            "locks": unit.locks,
        })
    });
    Value::Array(waiting.chain(in_doubt).chain(committed).collect())
}

/// Resolves a unit in doubt instead of its coordinator.
pub fn settle(region: &Handle, wanted: &str, commit: bool) -> OperatorResult {
    let all = region.prepared_units();
    let found = all.into_iter().find(|unit| name(&unit.branch) == wanted);
    let Some(unit) = found else {
        return settle_in_doubt(region, wanted, commit);
    };
    let verb = if commit { "commits" } else { "backs out" };
    tracing::warn!(
        unit = wanted,
        "an operator {verb} a unit of work that another region decides: the two may differ now"
    );
    let (done, outcome) = channel();
    region.settle(unit.branch, commit, move |yes| {
        // The operator's request may have timed out.
        let _ = done.send(yes);
    });
    match outcome.recv_timeout(LIMIT) {
        Ok(true) => OperatorResult {
            status: 200,
            json: json!({}).to_string(),
        },
        Ok(false) => super::operate::fault(409, "the store accepts no changes now"),
        Err(_) => super::operate::fault(409, "the store has not answered yet"),
    }
}

/// Resolves a unit in doubt instead of the database that decides it.
fn settle_in_doubt(region: &Handle, wanted: &str, commit: bool) -> OperatorResult {
    let in_doubt = || region.in_doubt_units().into_iter();
    let named = |unit: &InDoubtUnit| unit.unit.to_string() == wanted;
    let Some(unit) = in_doubt().find(named) else {
        return super::operate::fault(404, "no unit of this name is in doubt here");
    };
    if !region.settle_in_doubt(unit.unit, commit) {
        return super::operate::fault(409, "the unit is being committed");
    }
    let verb = if commit { "commits" } else { "backs out" };
    let decider = unit.decider;
    tracing::warn!(
        unit = wanted,
        "an operator {verb} a unit of work that {decider} decides: the two may differ now"
    );
    let until = Instant::now() + LIMIT;
    while in_doubt().any(|unit| named(&unit)) {
        if Instant::now() >= until {
            return super::operate::fault(409, "the store has not applied the decision yet");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    OperatorResult {
        status: 200,
        json: json!({}).to_string(),
    }
}

/// The name of a unit that another region decides.
fn name(branch: &BranchId) -> String {
    match CallerConnection::of_branch(branch) {
        Some((of, unit)) => format!("{}.{}.{}", of.applid, of.link, UnitId(unit)),
        None => branch.to_string(),
    }
}

/// The unit's begin in milliseconds: its number is a time in nanoseconds.
fn since_ms(unit: UnitId) -> u64 {
    unit.0 / 1_000_000
}

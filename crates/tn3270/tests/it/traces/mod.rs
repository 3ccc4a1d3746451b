//! x3270's public traces, replayed. They are not part of this project: the tests run
//! where the variable `X3270_TRACES` names a copy of its source
//! (<https://github.com/pmattes/x3270>), and are counted as skipped elsewhere.

mod live;
mod read;
mod replay;
mod server;

use std::path::PathBuf;

use read::{Trace, traces};
use replay::replay;
use server::serve;

/// The traces; `None` where the variable is missing.
fn all() -> Option<Vec<Trace>> {
    let Some(folder) = std::env::var_os("X3270_TRACES").map(PathBuf::from) else {
        skipped::lacking(
            "X3270_TRACES",
            "the variable names no copy of x3270's source",
        );
        return None;
    };
    let traces = traces(&folder);
    assert!(!traces.is_empty(), "no traces in {}", folder.display());
    Some(traces)
}

#[test]
fn a_terminal_answers_the_hosts_of_the_traces_as_their_clients_did() {
    let Some(traces) = all() else {
        return;
    };
    for trace in traces {
        let result = replay(&trace);
        println!(
            "{} {} bytes {} records, equal {:?}, rejected {:?}, end {:?}",
            trace.name,
            result.host_bytes,
            result.records,
            result.equal,
            result.rejected,
            result.end
        );
        for (kind, why) in &result.differing {
            println!("    DIFF {kind}: {why}");
        }
        for event in &result.surplus {
            println!("    ONLY {event:?}");
        }
    }
}

#[test]
fn a_terminal_shows_what_s3270_shows_of_the_hosts_of_the_traces() {
    let Some(traces) = all() else {
        return;
    };
    for trace in traces {
        let Some(shown) = live::compare(&trace) else {
            return;
        };
        println!("{} {shown:?}", trace.name);
    }
}

#[test]
fn the_server_takes_what_the_clients_of_the_traces_sent() {
    let Some(traces) = all() else {
        return;
    };
    for trace in traces {
        let result = serve(&trace);
        println!(
            "{} parsed {} refused {:?} connected {} inputs {} end {:?}",
            trace.name, result.parsed, result.refused, result.connected, result.inputs, result.end
        );
    }
}

//! Slow start: the first answer of a connection under initial windows of 1, 2
//! and 10 segments, over a path with a round trip of 50 ms.
//!
//! Reference: RFC 5681 (slow start), RFC 6928 (ten segments); "We Do Performance", which
//! suspected it and called the result not conclusive.

use super::network::{self, cause, exactness};
use super::pictures::{bytes_over_time, where_time_went};
use super::{Context, Experiment, MachineNeeds};
use crate::error::LabError;
use crate::net::{Impairment, Route, WirePlan};
use crate::report::{ExperimentReport, FigureOrigin, PublishedValue};
use crate::traffic::{ClientPlan, ServerPlan, TrafficTrial, TrialEndpoint, TrialResult};

/// The row of the table.
pub const EXPERIMENT: Experiment = Experiment {
    name: "slow-start",
    about: "the first answer of a connection under initial windows of 1, 2 and 10 segments",
    paper: "We Do Performance",
    needs: MachineNeeds::Network,
    repeats: 1,
    run,
};

fn run(context: &Context<'_>) -> Result<ExperimentReport, LabError> {
    let mut report = network::report(
        &EXPERIMENT,
        "Slow start and the initial window",
        "A new connection sends its initial window and then waits a round trip before it may send \
         twice as much. How many round trips does a short answer take?",
    );
    report.condition("path", "25 ms each way");
    report.condition(
        "traffic",
        format!(
            "{REQUESTS} requests, a connection each; answers of {SEGMENTS} segments of 1,460 bytes"
        ),
    );
    let mut runs = Vec::new();
    for window in WINDOWS {
        let trial = trial(window);
        runs.push(trial.run(context, &mut report, &format!("slow-start-{window}"))?);
    }
    let runs: Vec<&TrialResult> = runs.iter().collect();
    for (run, window) in runs.iter().zip(WINDOWS) {
        let rounds = rounds(window);
        let planted = (rounds > 1).then_some(cause::SLOW_START);
        report.findings.push(run.finding(planted));
        // One round trip opens the connection; the request shares the first
        // one of the answer.
        let expected = f64::from(1 + rounds) * ROUND_TRIP_MS;
        report.add(
            FigureOrigin::Derived,
            "response time, expected",
            &run.conditions,
            None,
            expected,
            "ms",
        );
        network::response_time(&mut report, run, PublishedValue::words("not conclusive"));
    }
    let (first, last) = (runs[0].response_ms(), runs[runs.len() - 1].response_ms());
    report.matters(first, "ms", "an answer from a window of one segment");
    report.matters(last, "ms", "the same from ten segments");
    report.matters(ROUND_TRIP_MS, "ms", "a round trip");
    report.conclusions.push(format!(
        "Every doubling of the window costs a round trip: the same answer takes {first:.0} ms from \
         a window of one segment and {last:.0} ms from ten."
    ));
    report.conclusions.push(
        "On a local network, where a round trip is a fraction of a millisecond, the same doublings \
         cost nearly nothing, which may be why the paper saw no clear effect."
            .into(),
    );
    exactness(&mut report, &runs);
    report.pictures = vec![
        bytes_over_time("The first answer of a connection", &runs, false),
        where_time_went(&runs),
    ];
    Ok(report)
}

fn trial(window: u32) -> TrafficTrial {
    TrafficTrial {
        conditions: match window {
            1 => "initial window 1 segment".into(),
            n => format!("initial window {n} segments"),
        },
        wire: WirePlan {
            to_server: Impairment::delay(25_000),
            to_client: Impairment::delay(25_000),
            server: Route {
                initcwnd: Some(window),
                ..Route::default()
            },
            ..WirePlan::default()
        },
        server: TrialEndpoint::Kernel(ServerPlan {
            response_bytes: SEGMENTS as usize * 1460,
            ..ServerPlan::default()
        }),
        client: ClientPlan {
            requests: REQUESTS,
            keep_alive: false,
            ..ClientPlan::default()
        },
    }
}

/// Round trips of an answer when the window doubles with each.
fn rounds(window: u32) -> u32 {
    let (mut sent, mut window, mut rounds) = (0, window, 0);
    while sent < SEGMENTS {
        sent += window;
        window *= 2;
        rounds += 1;
    }
    rounds
}

const WINDOWS: [u32; 3] = [1, 2, 10];
const SEGMENTS: u32 = 10;
const REQUESTS: u64 = 3;
const ROUND_TRIP_MS: f64 = 50.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_of_one_takes_four_rounds_for_ten_segments() {
        assert_eq!(WINDOWS.map(rounds), [4, 3, 1]);
    }
}

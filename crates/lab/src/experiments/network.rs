//! Common parts of network experiments: the conditions of the wire, the precision
//! of the path, and the names of the planted causes.

use super::Experiment;
use crate::net::Route;
use crate::report::{ExperimentReport, FigureOrigin, PublishedValue};
use crate::traffic::TrialResult;

/// Kinds of evidence by the names that `capture` gives them.
pub mod cause {
    /// A small write waits after an unacknowledged one, whose acknowledgement
    /// is delayed.
    pub const WRITE_WRITE_READ: &str = "waited-for-ack";
    /// A sender waits for an acknowledgement that the receiver holds back.
    pub const DELAYED_ACK: &str = "waited-for-ack";
    /// The server works for a time that a user notices.
    pub const SERVICE_TIME: &str = "host-wait";
    /// The congestion window is still opening.
    pub const SLOW_START: &str = "transfer-limited";
}

/// The client's minimum retransmission timeout if acknowledgements are 200 ms late:
/// Linux' own 200 ms would expire at the same time. Windows has 300 ms.
pub const RTO_MIN_MS: u32 = 300;

/// A new report, with the conditions that all wires of the laboratory share.
pub fn report(experiment: &Experiment, title: &str, question: &str) -> ExperimentReport {
    let mut report = experiment.report(title, question);
    report.condition(
        "hosts",
        "two network namespaces of this machine; segmentation, coalescing and check sum offloads are off",
    );
    report.condition(
        "TCP",
        "the kernel's, with Reno congestion control and without time stamps and tail loss probes, unless a user-space peer is named",
    );
    report.condition(
        "client",
        "the load driver with one connection at a time; captured at its interface",
    );
    report
}

/// A client that sends one segment and then waits for its acknowledgement, as
/// the paper's do on a new connection.
pub fn one_segment_at_first() -> Route {
    Route {
        initcwnd: Some(1),
        rto_min_ms: Some(RTO_MIN_MS),
        ..Route::default()
    }
}

/// Adds the numbers of packets of request and response. `published` are the paper's
/// two numbers, for which the sizes were chosen.
pub fn packets(report: &mut ExperimentReport, run: &TrialResult, published: Option<[f64; 2]>) {
    let found = [
        ("packets of the request", run.request_segments()),
        ("packets of the response", run.response_segments()),
    ];
    for (i, (name, found)) in found.into_iter().enumerate() {
        let conditions = &run.conditions;
        match published {
            Some(p) => {
                report.calibrated(
                    name,
                    conditions,
                    PublishedValue::number(p[i]),
                    found,
                    "packets",
                );
            }
            None => report.measured(name, conditions, None, found, "packets"),
        }
    }
}

/// Adds the median response time.
pub fn response_time(
    report: &mut ExperimentReport,
    run: &TrialResult,
    published: Option<PublishedValue>,
) {
    let name = "response time, half are faster";
    report.measured(name, &run.conditions, published, run.response_ms(), "ms");
}

/// Adds a change of the response time, `after` against `before`.
pub fn change(
    report: &mut ExperimentReport,
    conditions: &str,
    published: Option<PublishedValue>,
    [before, after]: [f64; 2],
) {
    let name = "change of the response time";
    let percent = (after / before - 1.0) * 100.0;
    report.change(name, conditions, published, percent);
}

/// Adds a change of the response time that is computed from rows, of which one was
/// chosen to match the published figure. It is not a prediction.
pub fn derived_change(
    report: &mut ExperimentReport,
    conditions: &str,
    published: Option<PublishedValue>,
    [before, after]: [f64; 2],
) {
    let name = "change of the response time";
    let percent = (after / before - 1.0) * 100.0;
    report.add(
        FigureOrigin::Derived,
        name,
        conditions,
        published,
        percent,
        "%",
    );
}

/// Says how exact the path was, over all runs that had one.
pub fn exactness(report: &mut ExperimentReport, runs: &[&TrialResult]) {
    let mut lateness = measure::Histogram::new();
    for path in runs.iter().filter_map(|r| r.path.as_ref()) {
        lateness.merge(&path.lateness);
    }
    if !lateness.is_empty() {
        let us = |q| lateness.quantile(q) as f64 / 1e3;
        report.condition(
            "exactness of the path",
            format!(
                "{} frames left {:.1} µs (half) and {:.0} µs (99 %) after they were due",
                lateness.count(),
                us(0.5),
                us(0.99)
            ),
        );
    }
}

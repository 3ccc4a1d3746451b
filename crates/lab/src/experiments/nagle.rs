//! Nagle's algorithm against delayed acknowledgements: a client that writes
//! twice and then reads, with the algorithm, without it, and with one write.
//!
//! Reference: RFC 896; RFC 1122, 4.2.3.2 and 4.2.3.4; "We Do Performance", which names
//! write-write-read as the pattern that hurts.

use super::network::{self, cause};
use super::pictures::{bytes_over_time, where_time_went};
use super::{Context, Experiment, MachineNeeds};
use crate::error::LabError;
use crate::net::WirePlan;
use crate::report::{ExperimentReport, PublishedValue};
use crate::traffic::{ClientPlan, ServerPlan, TrafficTrial, TrialEndpoint, TrialResult};

/// The row of the table.
pub const EXPERIMENT: Experiment = Experiment {
    name: "nagle",
    about: "write-write-read with Nagle's algorithm, without it, and with one write",
    paper: "We Do Performance",
    needs: MachineNeeds::Network,
    repeats: 1,
    run,
};

fn run(context: &Context<'_>) -> Result<ExperimentReport, LabError> {
    let mut report = network::report(
        &EXPERIMENT,
        "Nagle's algorithm and write-write-read",
        "A client writes the head of a request and then its body. The second write is small and \
         waits until the first is acknowledged; the server delays that acknowledgement because it \
         waits for the rest. What does that cost, and what do the two known remedies save?",
    );
    report.condition(
        "traffic",
        format!(
            "{REQUESTS} requests of {REQUEST_BYTES} bytes on one connection; answers of 200 bytes"
        ),
    );
    let mut trial = |conditions: &str, name: &str, head_apart, no_delay| {
        let trial = TrafficTrial {
            conditions: conditions.into(),
            wire: WirePlan::default(),
            server: TrialEndpoint::Kernel(ServerPlan::default()),
            client: ClientPlan {
                requests: REQUESTS,
                request_bytes: REQUEST_BYTES,
                head_apart,
                no_delay,
                ..ClientPlan::default()
            },
        };
        trial.run(context, &mut report, name)
    };
    let nagle = trial("two writes, Nagle", "nagle-two-writes", true, false)?;
    let no_delay = trial("two writes, TCP_NODELAY", "nagle-no-delay", true, true)?;
    let one = trial("one write, Nagle", "nagle-one-write", false, false)?;
    figures(&mut report, &nagle, &[&no_delay, &one]);
    let runs = [&nagle, &no_delay, &one];
    report.pictures = vec![
        where_time_went(&runs),
        bytes_over_time("One exchange", &runs, true),
    ];
    Ok(report)
}

fn figures(report: &mut ExperimentReport, nagle: &TrialResult, remedied: &[&TrialResult]) {
    report.findings = vec![nagle.finding(Some(cause::WRITE_WRITE_READ))];
    network::response_time(report, nagle, PublishedValue::words("up to 500 more"));
    for run in remedied {
        report.findings.push(run.finding(None));
        network::response_time(report, run, PublishedValue::words("no delay"));
    }
    for run in remedied {
        let conditions = format!("{} against {}", run.conditions, nagle.conditions);
        let times = [nagle.response_ms(), run.response_ms()];
        network::change(report, &conditions, None, times);
    }
    report.matters(nagle.response_ms(), "ms", "two writes");
    for (run, what) in remedied
        .iter()
        .zip(["two writes with TCP_NODELAY", "one write"])
    {
        report.matters(run.response_ms(), "ms", what);
    }
    report.conclusions.push(format!(
        "With two writes every exchange except the first takes {:.0} ms longer; one write costs nothing.",
        nagle.response_ms()
    ));
    report.conclusions.push(
        "The kernel acknowledges the first request of a connection at once and delays from then \
         on. Writing once costs the client nothing and needs no option on either side."
            .into(),
    );
}

const REQUESTS: u64 = 12;
const REQUEST_BYTES: usize = 400;

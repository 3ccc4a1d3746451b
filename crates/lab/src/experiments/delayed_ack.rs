//! Delayed acknowledgements, on and off: the kernel's adaptive 40 ms with the
//! two ways to switch them off, and a peer that waits 200 ms as z/OS does.
//!
//! Reference: RFC 1122, 4.2.3.2; "We Do Performance" (NODELAYACKS), paper 002 (three
//! receives that waited, and response times before and after).

use super::network::{self, cause};
use super::pictures::{bytes_over_time, where_time_went};
use super::{Context, Experiment, MachineNeeds};
use crate::error::LabError;
use crate::net::{Route, WirePlan};
use crate::report::{ExperimentReport, FigureOrigin, PublishedValue};
use crate::traffic::{ClientPlan, PeerPlan, ServerPlan, TrafficTrial, TrialEndpoint, TrialResult};

/// The row of the table.
pub const EXPERIMENT: Experiment = Experiment {
    name: "delayed-ack",
    about: "acknowledgements delayed 40 and 200 ms, against none delayed",
    paper: "CICS Web Services",
    needs: MachineNeeds::Network,
    repeats: 1,
    run,
};

fn run(context: &Context<'_>) -> Result<ExperimentReport, LabError> {
    let mut report = network::report(
        &EXPERIMENT,
        "Delayed acknowledgements",
        "A receiver that delays its acknowledgement hopes to send it along with data. A sender \
         that may not send more before it comes waits for a timer instead. How long, and what does \
         switching the delay off save?",
    );
    report.condition(
        "kernel runs",
        "12 requests of 400 bytes on one connection, head and body written apart with Nagle's algorithm on",
    );
    report.condition(
        "peer runs",
        "5 requests of 1,400 bytes, a connection each, to a user-space TCP with segments of 536 bytes; \
         the client's initial window is one segment, so the second waits for the first one's acknowledgement; it sends \
             nothing again before 300 ms",
    );
    report.condition(
        "flows",
        "the paper's four, as exchanges of 846 and 588 bytes on one connection, each of which waits \
         for one acknowledgement; service times from its table of tasks; with SSL two exchanges \
         more for the handshake's round trips, without cryptography",
    );
    let mut run = |trial: TrafficTrial, name: &str| trial.run(context, &mut report, name);
    let delayed = run(
        kernel("kernel, delayed", Route::default(), false),
        "ack-kernel-delayed",
    )?;
    let quick = Route {
        quickack: true,
        ..Route::default()
    };
    let route = run(
        kernel("kernel, route quickack 1", quick, false),
        "ack-kernel-route",
    )?;
    let option = kernel("kernel, TCP_QUICKACK", Route::default(), true);
    let option = run(option, "ack-kernel-option")?;
    let peer_delayed = run(peer("peer, delayed 200 ms", Some(200)), "ack-peer-delayed")?;
    let peer_quick = run(peer("peer, not delayed", None), "ack-peer-quick")?;
    report.findings = vec![
        delayed.finding(Some(cause::WRITE_WRITE_READ)),
        route.finding(None),
        option.finding(None),
        peer_delayed.finding(Some(cause::DELAYED_ACK)),
        peer_quick.finding(None),
    ];
    figures(
        &mut report,
        [&delayed, &route, &option],
        [&peer_delayed, &peer_quick],
    );
    let runs = [&delayed, &route, &option, &peer_delayed, &peer_quick];
    for flow in &FLOWS {
        flow.run(context, &mut report)?;
    }
    report.pictures = vec![
        where_time_went(&runs),
        bytes_over_time("One exchange", &runs, true),
    ];
    Ok(report)
}

fn kernel(conditions: &str, server: Route, quick_ack: bool) -> TrafficTrial {
    TrafficTrial {
        conditions: conditions.into(),
        wire: WirePlan {
            server,
            ..WirePlan::default()
        },
        server: TrialEndpoint::Kernel(ServerPlan {
            quick_ack,
            ..ServerPlan::default()
        }),
        client: ClientPlan {
            requests: 12,
            head_apart: true,
            no_delay: false,
            ..ClientPlan::default()
        },
    }
}

fn peer(conditions: &str, ack_delay_ms: Option<u64>) -> TrafficTrial {
    TrafficTrial {
        conditions: conditions.into(),
        wire: WirePlan {
            client: network::one_segment_at_first(),
            ..WirePlan::default()
        },
        server: TrialEndpoint::User(PeerPlan {
            ack_delay_ms,
            mtu: 576,
            ..PeerPlan::default()
        }),
        client: ClientPlan {
            requests: 5,
            request_bytes: 1400,
            keep_alive: false,
            ..ClientPlan::default()
        },
    }
}

fn figures(report: &mut ExperimentReport, kernel: [&TrialResult; 3], peer: [&TrialResult; 2]) {
    for run in kernel.iter().chain(&peer) {
        network::response_time(report, run, None);
    }
    let saved =
        |before: &TrialResult, after: &TrialResult| before.response_ms() - after.response_ms();
    let [delayed, route, option] = kernel;
    let [peer_delayed, peer_quick] = peer;
    let waited = saved(peer_delayed, peer_quick);
    for (case, ms) in WAITS {
        let conditions = format!("peer, 200 ms; paper: {case}");
        let name = "wait of one receive";
        report.measured(name, &conditions, PublishedValue::number(ms), waited, "ms");
    }
    let times =
        |before: &TrialResult, after: &TrialResult| [before.response_ms(), after.response_ms()];
    for after in [route, option] {
        network::change(report, &after.conditions, None, times(delayed, after));
    }
    report.matters(
        saved(delayed, route),
        "ms",
        "an exchange waits for the kernel's delay",
    );
    report.matters(waited, "ms", "it waits for a peer's delay of 200 ms");
    report.matters(route.response_ms(), "ms", "an exchange with the delay off");
    report.conclusions.push(format!(
        "The kernel's delay costs {:.0} ms an exchange and either way of switching it off ends \
         that; the peer's costs {waited:.0} ms.",
        saved(delayed, route),
    ));
    report.conclusions.push(
        "The paper's receives waited 272 to 297 ms, so its timer was longer than 200 ms or more \
         than one timer was in the way; the four flows below fall short of the published times by \
         as much."
            .into(),
    );
}

/// One of the paper's four flows: exchanges on a connection, each of which waits
/// for one delayed acknowledgement.
struct Flow {
    name: &'static str,
    /// Exchanges: three waits are in the paper's trace; a TLS handshake has two
    /// round trips more.
    exchanges: u64,
    /// The time of the flow's tasks in the paper's table, in milliseconds,
    /// without the wait inside one of them.
    service_ms: f64,
    /// Response time before and after, in seconds.
    published_s: [f64; 2],
}

impl Flow {
    /// Runs the flow with and without the delay.
    fn run(&self, context: &Context<'_>, report: &mut ExperimentReport) -> Result<(), LabError> {
        let mut found_ms = [0.0; 2];
        for (i, ack_delay_ms) in [Some(DELAY_MS), None].into_iter().enumerate() {
            let when = if i == 0 { "delayed" } else { "not delayed" };
            let conditions = format!("{}, {when}", self.name);
            let name = format!(
                "ack-{}-{}",
                self.name.replace(' ', "-").to_lowercase(),
                i + 1
            );
            let run = self
                .trial(&conditions, ack_delay_ms)
                .run(context, report, &name)?;
            let planted = ack_delay_ms.map(|_| cause::WRITE_WRITE_READ);
            report.findings.push(run.finding(planted));
            // All exchanges are equal. A SYN lost by a busy machine is
            // not a finding.
            found_ms[i] = run.response_ms() * self.exchanges as f64;
            let published = PublishedValue::number(self.published_s[i] * 1e3);
            let name = "response time of the flow";
            // The number of exchanges and their service times are the trace's own.
            report.add(
                FigureOrigin::Seen,
                name,
                &conditions,
                published,
                found_ms[i],
                "ms",
            );
        }
        let [before, after] = self.published_s;
        let published = PublishedValue::number((after / before - 1.0) * 100.0);
        network::derived_change(report, self.name, published, found_ms);
        Ok(())
    }

    fn trial(&self, conditions: &str, ack_delay_ms: Option<u64>) -> TrafficTrial {
        TrafficTrial {
            conditions: conditions.into(),
            wire: WirePlan {
                client: network::one_segment_at_first(),
                ..WirePlan::default()
            },
            server: TrialEndpoint::User(PeerPlan {
                ack_delay_ms,
                response_bytes: FLOW_RESPONSE_BYTES,
                think_ms: (self.service_ms / self.exchanges as f64).round() as u64,
                ..PeerPlan::default()
            }),
            client: ClientPlan {
                requests: self.exchanges,
                request_bytes: FLOW_REQUEST_BYTES,
                head_apart: true,
                no_delay: false,
                ..ClientPlan::default()
            },
        }
    }
}

/// The receives that waited in "CICS Web Services", by their time stamps.
const WAITS: [(&str, f64); 3] = [
    ("case 1, task 232", 280.9),
    ("case 2, task 234", 297.4),
    ("case 3, task 232", 271.6),
];

/// The flows of "CICS Web Services". Its table of tasks is that of Web Services
/// without SSL: CWXN 4.9 ms, CWXN 300.6 ms of which 297.4 are the second wait, CPIH
/// 28.8 ms, within which FXS1 runs. Web Support has no pipeline: FXS1's 2.7 ms in
/// place of CPIH. The cost of SSL is not reported.
const FLOWS: [Flow; 4] = [
    Flow {
        name: "Web Services without SSL",
        exchanges: 3,
        service_ms: 4.9 + 3.2 + 28.8,
        published_s: [0.9042, 0.0888],
    },
    Flow {
        name: "Web Support without SSL",
        exchanges: 3,
        service_ms: 4.9 + 3.2 + 2.7,
        published_s: [0.8484, 0.0271],
    },
    Flow {
        name: "Web Services with SSL",
        exchanges: 5,
        service_ms: 4.9 + 3.2 + 28.8,
        published_s: [1.6228, 0.1344],
    },
    Flow {
        name: "Web Support with SSL",
        exchanges: 5,
        service_ms: 4.9 + 3.2 + 2.7,
        published_s: [1.5414, 0.0606],
    },
];

/// The timer that the paper names.
const DELAY_MS: u64 = 200;
/// 34E and 24C bytes, as the paper's trace has them.
const FLOW_REQUEST_BYTES: usize = 0x34E;
const FLOW_RESPONSE_BYTES: usize = 0x24C;

//! The maximum segment size: 1,460 bytes compared with the 536 that z/OS advertises
//! if a ROUTE statement has no MTU, and the effect of the advertisement alone.
//!
//! Reference: RFC 9293, 3.7.1; "We Do Performance", whose request took three packets and
//! its response six.

use super::network::{self, exactness};
use super::pictures::{bytes_over_time, where_time_went};
use super::{Context, Experiment, MachineNeeds};
use crate::error::LabError;
use crate::net::{Impairment, Route, WirePlan};
use crate::report::ExperimentReport;
use crate::traffic::{ClientPlan, ServerPlan, TrafficTrial, TrialEndpoint, TrialResult};

/// The row of the table.
pub const EXPERIMENT: Experiment = Experiment {
    name: "mss",
    about: "segments of 536 bytes against 1,460: packets and time of an exchange",
    paper: "We Do Performance",
    needs: MachineNeeds::Network,
    repeats: 5,
    run,
};

fn run(context: &Context<'_>) -> Result<ExperimentReport, LabError> {
    let mut report = network::report(
        &EXPERIMENT,
        "Maximum segment size 536 against 1,460",
        "A route without an MTU has 576 bytes, so the host advertises segments of 536 \
         and sends no larger ones. How many packets does that make of one exchange, and what does \
         it cost where nothing else is wrong?",
    );
    report.condition("path", "0.5 ms each way at 100 Mb/s");
    report.condition(
        "traffic",
        format!(
            "{REQUESTS} requests of {REQUEST_BYTES} bytes on one connection, answers of {RESPONSE_BYTES}"
        ),
    );
    let mut run = |conditions: &str, name: &str, server: Route| {
        trial(conditions, server).run(context, &mut report, name)
    };
    let small = Route {
        mtu: Some(576),
        ..Route::default()
    };
    let advertised = Route {
        advmss: Some(536),
        ..Route::default()
    };
    let small = run("server's route MTU 576", "mss-mtu-576", small)?;
    let advertised = run("server advertises 536", "mss-advertised-536", advertised)?;
    let full = run("1,460 both ways", "mss-1460", Route::default())?;
    report.findings = vec![
        small.finding(None),
        advertised.finding(None),
        full.finding(None),
    ];
    let runs = [&small, &advertised, &full];
    figures(&mut report, runs);
    edges(context, &mut report)?;
    exactness(&mut report, &runs);
    report.pictures = vec![
        bytes_over_time("One exchange", &runs, false),
        where_time_went(&runs),
    ];
    Ok(report)
}

fn trial(conditions: &str, server: Route) -> TrafficTrial {
    let way = Impairment {
        rate_bits: Some(100_000_000),
        ..Impairment::delay(500)
    };
    TrafficTrial {
        conditions: conditions.into(),
        wire: WirePlan {
            to_server: way.clone(),
            to_client: way,
            server,
            ..WirePlan::default()
        },
        server: TrialEndpoint::Kernel(ServerPlan {
            response_bytes: RESPONSE_BYTES,
            ..ServerPlan::default()
        }),
        client: ClientPlan {
            requests: REQUESTS,
            request_bytes: REQUEST_BYTES,
            ..ClientPlan::default()
        },
    }
}

/// The paper gives numbers of packets but no sizes. Runs the smallest and the
/// largest sizes with the paper's numbers, and one byte beyond each.
fn edges(context: &Context<'_>, report: &mut ExperimentReport) -> Result<(), LabError> {
    let [request, response] = PAPER_PACKETS.map(|packets| packets as usize * SEGMENT_BYTES);
    for (below, beyond) in [(1, 0), (1, 1), (0, 0), (0, 1)] {
        let size = |most: usize| most - below * SEGMENT_BYTES + beyond;
        let (request, response) = (size(request), size(response));
        let conditions = format!("MTU 576, request {request}, answer {response} bytes");
        let small = Route {
            mtu: Some(576),
            ..Route::default()
        };
        let mut trial = trial(&conditions, small);
        trial.client.request_bytes = request;
        trial.client.requests = EDGE_REQUESTS;
        if let TrialEndpoint::Kernel(server) = &mut trial.server {
            server.response_bytes = response;
        }
        let run = trial.run(context, report, &format!("mss-{request}"))?;
        network::packets(report, &run, None);
    }
    Ok(())
}

fn figures(report: &mut ExperimentReport, runs: [&TrialResult; 3]) {
    let [small, advertised, full] = runs;
    for run in runs {
        let paper = std::ptr::eq(run, small).then_some(PAPER_PACKETS);
        network::packets(report, run, paper);
        let name = "all packets of an exchange";
        report.measured(name, &run.conditions, None, run.packets(), "packets");
        network::response_time(report, run, None);
    }
    let times = [full.response_ms(), small.response_ms()];
    network::change(report, &small.conditions, None, times);
    let change = (times[1] / times[0] - 1.0) * 100.0;
    report.matters(
        small.packets(),
        "packets",
        "an exchange with a route MTU of 576",
    );
    report.matters(full.packets(), "packets", "the same with 1,500");
    report.matters(change, "%", "response time with the small segments");
    report.conclusions.push(format!(
        "Segments of 536 bytes make {:.1} packets of an exchange in the place of {:.1}.",
        small.packets(),
        full.packets(),
    ));
    report.conclusions.push(format!(
        "The paper has three packets and six, but no sizes. So sizes were chosen that make three \
         and six; any request of 1,073 to 1,608 bytes and any answer of 2,681 to 3,216 does, and \
         the runs at these edges show that no other does. The paper's numbers depend on the sizes \
         of its messages. The advertisement alone chops only what the other side sends: the answer stays at \
         {:.0} packets. Small segments cost packets, and round trips where the window is small, as in \
         the experiment tcp-tuning.",
        advertised.response_segments()
    ));
}

/// Of the request and of the response, in the paper.
const PAPER_PACKETS: [f64; 2] = [3.0, 6.0];
const REQUESTS: u64 = 20;
/// Data bytes of a packet of 576 bytes.
const SEGMENT_BYTES: usize = 536;
const EDGE_REQUESTS: u64 = 4;
/// Chosen: three segments of 536 bytes, as in the paper, and one of 1,460.
const REQUEST_BYTES: usize = 1400;
/// Chosen: six segments of 536 bytes, as in the paper, and three of 1,460.
const RESPONSE_BYTES: usize = 3000;

//! Paper 000 before and after: segments of 536 bytes and delayed
//! acknowledgements against 1,460 bytes and none delayed, and each of the two
//! changes alone, which the paper did not separate.
//!
//! The far end is a user-space TCP, because Linux does not delay the first
//! acknowledgement of a connection. The client opens a connection for each
//! request with an initial window of one segment, as the paper describes it.

use super::network::{RTO_MIN_MS, cause, common_conditions, exactness};
use super::pictures::{bytes_over_time, where_time_went};
use super::{Context, Experiment, Needs};
use crate::error::LabError;
use crate::net::{Impairment, Route, WirePlan};
use crate::report::{Picture, Published, Report};
use crate::traffic::{ClientPlan, Endpoint, PeerPlan, Run, Trial};
use measure::report::{Axis, Plot, Series};

/// The row of the table.
pub const EXPERIMENT: Experiment = Experiment {
    name: "tcp-tuning",
    about: "MSS 536 with delayed acknowledgements against 1,460 without: the paper's before and after",
    paper: "000",
    needs: Needs::Network,
    run,
};

fn run(context: &Context<'_>) -> Result<Report, LabError> {
    let mut report = Report {
        experiment: EXPERIMENT.name.into(),
        title: "TCP tuning, before and after".into(),
        paper: EXPERIMENT.paper.into(),
        question: "The paper gave the route an MTU of 1,500 and the port NODELAYACKS at once and \
                   saw its response time fall by 38 %. What do both do together, and what does \
                   each alone?"
            .into(),
        ..Report::default()
    };
    common_conditions(&mut report);
    report.condition("path", "0.5 ms each way");
    report.condition(
        "server",
        "a user-space TCP that delays acknowledgements 200 ms or not at all, and answers at once unless a service time is named",
    );
    report.condition(
        "traffic",
        format!(
            "{REQUESTS} requests of {REQUEST_BYTES} bytes, a connection each, initial window one segment, \
             retransmission after {RTO_MIN_MS} ms at the earliest; \
             answers of {RESPONSE_BYTES} bytes"
        ),
    );
    let mut run = |conditions: &str, name: &str, mtu, delay| {
        trial(conditions, mtu, delay, 0).run(context, &mut report, name)
    };
    let before = run("before: 536, delayed", "tuning-before", 576, Some(200))?;
    let only_mss = run(
        "MTU 1500 only: 1,460, delayed",
        "tuning-mtu",
        1500,
        Some(200),
    )?;
    let only_ack = run(
        "NODELAYACKS only: 536, not delayed",
        "tuning-ack",
        576,
        None,
    )?;
    let after = run("after: 1,460, not delayed", "tuning-after", 1500, None)?;
    report.findings = vec![
        before.finding(Some(cause::DELAYED_ACK)),
        only_mss.finding(None),
        only_ack.finding(None),
        after.finding(None),
    ];
    let runs = [&before, &only_mss, &only_ack, &after];
    figures(&mut report, runs);
    let served = |conditions: String, mtu, delay| {
        let mut trial = trial(&conditions, mtu, delay, SERVICE_MS);
        trial.client.requests = 3;
        trial
    };
    let slow = [
        served(
            format!("before, service of {SERVICE_MS} ms"),
            576,
            Some(200),
        ),
        served(format!("after, service of {SERVICE_MS} ms"), 1500, None),
    ];
    let slow_before = slow[0].run(context, &mut report, "tuning-before-service")?;
    let slow_after = slow[1].run(context, &mut report, "tuning-after-service")?;
    report.measured(
        "change of the response time",
        &slow_after.conditions,
        Published::number(PAPER_CHANGE),
        (slow_after.mean_ms() / slow_before.mean_ms() - 1.0) * 100.0,
        "%",
    );
    report
        .findings
        .push(slow_before.finding(Some(cause::DELAYED_ACK)));
    report.findings.push(slow_after.finding(None));
    exactness(&mut report, &runs);
    report.pictures = vec![
        where_time_went(&runs),
        bytes_over_time("One exchange", &runs, true),
        change_by_service(&before, &after),
    ];
    Ok(report)
}

fn trial(conditions: &str, mtu: u32, ack_delay_ms: Option<u64>, think_ms: u64) -> Trial {
    Trial {
        conditions: conditions.into(),
        wire: WirePlan {
            to_server: Impairment::delay(500),
            to_client: Impairment::delay(500),
            client: Route {
                initcwnd: Some(1),
                rto_min_ms: Some(RTO_MIN_MS),
                ..Route::default()
            },
            ..WirePlan::default()
        },
        server: Endpoint::User(PeerPlan {
            ack_delay_ms,
            mtu,
            response_bytes: RESPONSE_BYTES,
            think_ms,
            ..PeerPlan::default()
        }),
        client: ClientPlan {
            requests: REQUESTS,
            request_bytes: REQUEST_BYTES,
            keep_alive: false,
            ..ClientPlan::default()
        },
    }
}

fn figures(report: &mut Report, runs: [&Run; 4]) {
    let [before, only_mss, only_ack, after] = runs;
    for run in [before, after] {
        let paper = std::ptr::eq(run, before);
        let published = |n: f64| paper.then_some(Published::Number(n));
        let (conditions, unit) = (&run.conditions, "packets");
        report.measured(
            "packets of the request",
            conditions,
            published(3.0),
            run.request_segments(),
            unit,
        );
        report.measured(
            "packets of the response",
            conditions,
            published(6.0),
            run.response_segments(),
            unit,
        );
    }
    for run in runs {
        report.measured(
            "response time, mean",
            &run.conditions,
            None,
            run.mean_ms(),
            "ms",
        );
    }
    let change = |to: &Run| (to.mean_ms() / before.mean_ms() - 1.0) * 100.0;
    let name = "change of the response time";
    let published = Published::number(PAPER_CHANGE);
    report.measured(name, &after.conditions, published, change(after), "%");
    for run in [only_mss, only_ack] {
        report.measured(name, &run.conditions, None, change(run), "%");
    }
    let saved = before.mean_ms() - after.mean_ms();
    let service = service_ms(before, after);
    report.predicted(
        "service time at which this saving is 38 %",
        "before and after",
        None,
        service,
        "ms",
    );
    report.conclusions.push(format!(
        "The packets are the paper's: three and six before. The paper does not tell its response \
         times, and its server worked while this one answers at once, so the percentage alone \
         cannot be compared: what is saved is {saved:.0} ms, which is 38 % of a response whose \
         service takes {service:.0} ms. The runs with a service of {SERVICE_MS} ms show that this \
         is so; they do not show that the paper's service took as long."
    ));
    report.conclusions.push(format!(
        "Either change alone removes the stall ({:.0} ms and {:.0} ms remain): a request that fits \
         one segment needs no acknowledgement, and an acknowledgement that is not delayed lets \
         the second segment go. The paper's two changes cure the same wait twice.",
        only_mss.mean_ms(),
        only_ack.mean_ms()
    ));
}

/// What the same saving is worth to services of different length.
fn change_by_service(before: &Run, after: &Run) -> Picture {
    let saved = before.mean_ms() - after.mean_ms();
    let change = |service: f64| -saved / (service + before.mean_ms()) * 100.0;
    let points = (0..=60).map(|i| 10f64.powf(f64::from(i) / 15.0));
    let axis = |label: &str, log| Axis {
        label: label.into(),
        log,
        from_zero: true,
        ..Axis::default()
    };
    Picture::Plot(Plot {
        title: "The saving by the service's own time".into(),
        x: axis("ms that the service takes (log)", true),
        y: axis("change of the response time, %", false),
        series: vec![Series {
            name: "predicted from the measured saving".into(),
            points: points.map(|ms| (ms, change(ms))).collect(),
            dashed: true,
            ..Series::default()
        }],
        mark: Some((service_ms(before, after), "-38 %, as published".into())),
        shade: None,
    })
}

/// The service time at which the measured saving is what was published.
fn service_ms(before: &Run, after: &Run) -> f64 {
    let saved = before.mean_ms() - after.mean_ms();
    saved / (-PAPER_CHANGE / 100.0) - before.mean_ms()
}

const REQUESTS: u64 = 5;
/// Three segments of 536 bytes, one of 1,460.
const REQUEST_BYTES: usize = 1400;
/// Six segments of 536 bytes, three of 1,460.
const RESPONSE_BYTES: usize = 3000;
const PAPER_CHANGE: f64 = -38.0;
/// A service time at which 200 ms are about 38 % of the response: chosen, since
/// the paper does not tell it.
const SERVICE_MS: u64 = 325;

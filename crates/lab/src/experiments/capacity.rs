//! Paper 003: a gateway and its region on separate hosts, 100 to 500 clients with
//! half a second of think time, responses of 1K to 128K. Then 256K, with more
//! clients than the machine can serve.
//!
//! Gateway, region and load driver are processes of their own, and accounted
//! separately. The gateway's figures are its process's alone, as the paper's
//! are its report class's.

use super::{Context, Experiment, MachineNeeds};
use crate::error::LabError;
use crate::report::{ExperimentReport, Picture, PublishedValue, Table};
use crate::serve::{ServedApplication, Server, stop_flag};
use drive::engine::{self, LoadOutcome, SilentObserver};
use drive::load::{HttpLoad, LoadError};
use drive::plan::ThinkTime;
use page::chart::{ChartAxis, ChartSeries, LineChart};
use page::short;
use std::time::Duration;

/// The row of the table.
pub const EXPERIMENT: Experiment = Experiment {
    name: "capacity",
    about: "a gateway apart from its region: response and CPU a transaction, to beyond capacity",
    paper: "z/OS Connect Performance Summary",
    needs: MachineNeeds::Nothing,
    repeats: 1,
    run,
};

/// One load at one size.
#[derive(Default)]
struct CapacityPoint {
    clients: usize,
    bytes: usize,
    /// Answers/s, refusals not counted.
    rate: f64,
    mean_ms: f64,
    p50_ms: f64,
    p99_ms: f64,
    failed: u64,
    gateway: ProcessCpu,
    region: ProcessCpu,
    driver: ProcessCpu,
}

/// CPU of one process in the measured part.
#[derive(Clone, Copy, Default)]
struct ProcessCpu {
    /// Of one processor.
    percent: f64,
    /// µs an answer.
    us: f64,
    /// The share that may run on offload engines, in percent.
    eligible: f64,
}

fn run(context: &Context<'_>) -> Result<ExperimentReport, LabError> {
    let mut report = EXPERIMENT.report(
        "Capacity of a gateway",
        "A gateway maps REST to a program in a region over a connection with 500 sessions. How do \
         response time, CPU a transaction and CPU of the gateway go with the number of clients and \
         the size of the answer, and where does the machine run out?",
    );
    context.report_progress("compile and start the region and the gateway");
    let region = Server::region(&application(""))?;
    let connection = format!(
        "[gateway]\nmax_connections = {}\n\n[ipconn.connections.CICSA]\naddress = \"{}\"\nsessions = {SESSIONS}\n",
        MORE_CLIENTS[MORE_CLIENTS.len() - 1] * UNEVEN,
        region.ipconn()
    );
    let servers = (Server::gateway(&application(&connection))?, region);
    connected(&servers.0)?;
    warm_up(context, &servers)?;
    let mut points = Vec::new();
    for bytes in SIZES.into_iter().chain([BEYOND]) {
        let more: &[usize] = if bytes == BEYOND { &MORE_CLIENTS } else { &[] };
        for clients in CLIENTS.iter().chain(more) {
            if *clients > CLIENTS[4] && is_bent(&points) {
                break;
            }
            context.report_progress(&format!("{clients} clients, {} KB", bytes >> 10));
            let length = context.length(DURATION);
            points.push(point(context, &servers, (*clients, bytes), length)?);
        }
    }
    conditions(context, &mut report);
    figures(&mut report, &points);
    report.tables = tables(&points);
    report.pictures = pictures(&points);
    conclude(&mut report, &points);
    Ok(report)
}

/// The paper's workload; the gateway's settings say where its region is.
fn application(settings: &str) -> ServedApplication {
    let mut application =
        ServedApplication::default()
            .settings(settings)
            .definitions(include_str!(
                "../../../../examples/perfchannel/resources.csd"
            ));
    for (path, text) in FILES {
        application = application.file(*path, *text);
    }
    application
}

/// Waits until the gateway has its sessions.
fn connected(gateway: &Server) -> Result<(), LabError> {
    for _ in 0..LONGEST_WAIT {
        if gateway
            .metrics()?
            .get("tupelo_ipconn_sessions{connection=\"CICSA\"}")
            > 0.0
        {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    Err(LabError::Failed(
        "the gateway is not connected to its region".into(),
    ))
}

/// Presents load until the gateway's CPU a transaction is steady.
fn warm_up(context: &Context<'_>, servers: &(Server, Server)) -> Result<(), LabError> {
    let length = context.length(DURATION);
    let mut before = f64::MAX;
    for round in 1..=MOST_WARM_UPS {
        context.report_progress(&format!("warm-up {round}"));
        let us = point(context, servers, (CLIENTS[4], SIZES[0]), length)?
            .gateway
            .us;
        if (us / before - 1.0).abs() < STEADY {
            return Ok(());
        }
        before = us;
    }
    Ok(())
}

fn point(
    context: &Context<'_>,
    (gateway, region): &(Server, Server),
    (clients, bytes): (usize, usize),
    length: Duration,
) -> Result<CapacityPoint, LabError> {
    let mut load = HttpLoad::new(gateway.url(&format!("/perfchannel/response/{bytes}")));
    load.method = "PUT".into();
    load.headers = vec![("content-type".into(), "application/json".into())];
    load.body = BODY.into();
    load.clients = clients;
    load.think = ThinkTime::Constant(THINK.as_nanos() as u64);
    load.warmup = Duration::from_secs(1);
    load.duration = length;
    load.timeout = PATIENCE;
    load.threads = 1;
    load.seed = context.seed;
    let plan = load.plan()?;
    let before = (reading(gateway)?, reading(region)?);
    let outcome = engine::run(&plan, &mut SilentObserver, stop_flag()).map_err(LoadError::from)?;
    let after = (reading(gateway)?, reading(region)?);
    let sum = outcome.sum();
    let answered = sum.measured.answered - sum.measured.checks_failed;
    // CPU covers the whole run, so it is divided by all of its answers.
    let all = sum.whole.answered as f64;
    let quantile = |share: f64| sum.passed.quantile(share) as f64 / 1e6;
    Ok(CapacityPoint {
        clients,
        bytes,
        rate: answered as f64 / outcome.measured_s.max(f64::MIN_POSITIVE),
        mean_ms: sum.passed.mean() / 1e6,
        p50_ms: quantile(0.5),
        p99_ms: quantile(0.99),
        failed: sum.measured.failures() + sum.measured.checks_failed,
        gateway: used(before.0, after.0, &outcome, all),
        region: used(before.1, after.1, &outcome, all),
        driver: ProcessCpu {
            percent: outcome.cpu_ns as f64 / outcome.measured_s / 1e7,
            us: outcome.cpu_ns as f64 / answered.max(1) as f64 / 1e3,
            eligible: 0.0,
        },
    })
}

/// CPU seconds of a process so far: all, and of offload engines.
type CpuReading = (f64, f64);

fn reading(server: &Server) -> Result<CpuReading, LabError> {
    let metrics = server.metrics()?;
    let of = |engine: &str| {
        metrics.get(&format!(
            "tupelo_engine_cpu_seconds_total{{engine=\"{engine}\"}}"
        ))
    };
    let offload = of("offload");
    Ok((of("general") + offload, offload))
}

fn used(before: CpuReading, after: CpuReading, outcome: &LoadOutcome, answers: f64) -> ProcessCpu {
    let (all, offload) = (after.0 - before.0, after.1 - before.1);
    ProcessCpu {
        percent: all / outcome.whole_s.max(f64::MIN_POSITIVE) * 100.0,
        us: all / answers.max(1.0) * 1e6,
        eligible: (offload / all.max(f64::MIN_POSITIVE) * 100.0).min(100.0),
    }
}

fn conditions(context: &Context<'_>, report: &mut ExperimentReport) {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    report.condition(
        "machine",
        format!("{cpus} processors, shared by gateway, region and driver (the paper: six)"),
    );
    report.condition(
        "topology",
        format!(
            "gateway, region and driver are processes of their own on loopback; one connection of \
             {SESSIONS} sessions between gateway and region, as in the paper"
        ),
    );
    report.condition(
        "workload",
        format!(
            "HTTP PUT on connections that are kept, a body of {} bytes, think time {} ms, constant",
            BODY.len(),
            THINK.as_millis()
        ),
    );
    report.condition(
        "measured",
        format!(
            "{:.1} s a point (chosen; the paper: a minute) after a second of the same load and a \
             warm-up that ended when CPU a transaction differed by less than {:.0} % between two \
             runs, or after {MOST_WARM_UPS} (chosen; the paper: several hundred thousand requests)",
            context.length(DURATION).as_secs_f64(),
            STEADY * 100.0
        ),
    );
    report.condition(
        "beyond",
        format!(
            "256 KB as in the paper, and on until twice less than {:.0} % of what the clients ask for \
             is answered, or to {} clients (chosen)",
            FOLLOWS * 100.0,
            MORE_CLIENTS[MORE_CLIENTS.len() - 1]
        ),
    );
}

/// Whether the last two points answer less than their clients ask for.
fn is_bent(points: &[CapacityPoint]) -> bool {
    let is_less = |p: &CapacityPoint| p.rate < FOLLOWS * p.clients as f64 / THINK.as_secs_f64();
    let (_, last) = points.split_at(points.len().saturating_sub(2));
    last.len() == 2 && last.iter().all(is_less)
}

fn figures(report: &mut ExperimentReport, points: &[CapacityPoint]) {
    let words = |text: &str| Some(PublishedValue::Words(text.into()));
    for bytes in SIZES {
        let of: Vec<&CapacityPoint> = points.iter().filter(|p| p.bytes == bytes).collect();
        let (Some(first), Some(last)) = (of.first(), of.last()) else {
            continue;
        };
        let size = format!("{} KB", bytes >> 10);
        report.measured(
            "rate at 500 clients",
            &size,
            Some(PublishedValue::Number(1000.0)),
            last.rate,
            "/s",
        );
        report.measured(
            "gateway's CPU a transaction, 500 clients against 100",
            &size,
            words("little or no change"),
            last.gateway.us / first.gateway.us.max(f64::MIN_POSITIVE),
            "×",
        );
        report.measured(
            "eligible for offload, gateway at 500 clients",
            &size,
            Some(PublishedValue::Number(99.0)),
            last.gateway.eligible,
            "%",
        );
        // Without an answer in the measured time there is no response time.
        if last.rate > 0.0 {
            report.measured(
                "response at 500 clients, mean",
                &size,
                words("acceptable"),
                last.mean_ms,
                "ms",
            );
        }
    }
    for p in points.iter().filter(|p| p.bytes == BEYOND) {
        let published = match p.clients {
            ..=300 => words("scales"),
            400..=500 => words("out of CPU"),
            _ => None,
        };
        let conditions = format!("256 KB, {} clients", p.clients);
        report.measured("rate", &conditions, published, p.rate, "/s");
    }
}

fn tables(points: &[CapacityPoint]) -> Vec<Table> {
    let heading = [
        "KB",
        "clients",
        "TPS",
        "mean ms",
        "p50 ms",
        "p99 ms",
        "gateway µs",
        "gateway %",
        "eligible %",
        "region µs",
        "region %",
        "driver %",
        "failed",
    ];
    let row = |p: &CapacityPoint| {
        let figures = [
            p.rate,
            p.mean_ms,
            p.p50_ms,
            p.p99_ms,
            p.gateway.us,
            p.gateway.percent,
            p.gateway.eligible,
            p.region.us,
            p.region.percent,
            p.driver.percent,
        ];
        let mut row = vec![(p.bytes >> 10).to_string(), p.clients.to_string()];
        row.extend(figures.map(short));
        if p.rate == 0.0 {
            // No request was answered in the measured time.
            row[3..6].fill("–".into());
        }
        row.push(p.failed.to_string());
        row
    };
    let table = |title: &str, within: &dyn Fn(&&CapacityPoint) -> bool, caption: &str| Table {
        title: title.into(),
        heading: heading.map(str::to_owned).into(),
        rows: points.iter().filter(within).map(row).collect(),
        caption: caption.into(),
    };
    vec![
        table(
            "1 KB to 128 KB",
            &|p| p.bytes != BEYOND,
            "CPU in µs is that of a transaction; 100 % is one processor. The region's counts its \
             COBOL workers.",
        ),
        table(
            "256 KB, and beyond capacity",
            &|p| p.bytes == BEYOND,
            "Clients that wait for their answers slow themselves down: beyond capacity the rate \
             stays, and the response time grows with the clients.",
        ),
    ]
}

fn pictures(points: &[CapacityPoint]) -> Vec<Picture> {
    let series = |bytes: usize, of: fn(&CapacityPoint) -> f64| ChartSeries {
        name: format!("{} KB", bytes >> 10),
        points: points
            .iter()
            .filter(|p| p.bytes == bytes)
            .map(|p| (p.clients as f64, of(p)))
            .collect(),
        dots: true,
        ..ChartSeries::default()
    };
    let plot = |title: &str, y, of: fn(&CapacityPoint) -> f64| {
        Picture::Plot(LineChart {
            title: title.into(),
            x: ChartAxis::from_zero("clients"),
            y,
            series: SIZES
                .into_iter()
                .chain([BEYOND])
                .map(|bytes| series(bytes, of))
                .collect(),
            mark: None,
            shade: None,
        })
    };
    vec![
        plot("Transactions/s", ChartAxis::from_zero("TPS"), |p| p.rate),
        plot("Mean response time", ChartAxis::log("ms"), |p| p.mean_ms),
        plot(
            "CPU of the gateway a transaction",
            ChartAxis::from_zero("µs"),
            |p| p.gateway.us,
        ),
        plot(
            "CPU of the gateway",
            ChartAxis::from_zero("% of a processor"),
            |p| p.gateway.percent,
        ),
    ]
}

fn conclude(report: &mut ExperimentReport, points: &[CapacityPoint]) {
    let at = |bytes, clients| {
        points
            .iter()
            .find(|p| p.bytes == bytes && p.clients == clients)
    };
    if let (Some(few), Some(many)) = (at(SIZES[0], CLIENTS[0]), at(SIZES[0], CLIENTS[4])) {
        report.matters(many.rate, "/s", "1 KB answers for 500 clients");
        report.matters(many.gateway.us, "µs", "the gateway's CPU for each");
        report.matters(many.mean_ms, "ms", "mean response");
        report.conclusions.push(format!(
            "From 100 to 500 clients at 1 KB the gateway's CPU a transaction goes from {} to {} µs \
             and the mean response from {} to {} ms; {} % of it is eligible for offload.",
            short(few.gateway.us),
            short(many.gateway.us),
            short(few.mean_ms),
            short(many.mean_ms),
            short(many.gateway.eligible)
        ));
        report.conclusions.push(against_the_paper(few, many));
        report.conclusions.push(
            "The eligible share follows from how the gateway registers its threads: all of them are \
             of the offload kind, as its worker threads are on z/OS. It is not a measurement of work."
                .into(),
        );
    }
    let beyond: Vec<&CapacityPoint> = points.iter().filter(|p| p.bytes == BEYOND).collect();
    if let (Some(best), Some(last)) = (
        beyond.iter().max_by(|a, b| a.rate.total_cmp(&b.rate)),
        beyond.last(),
    ) {
        let best = (best.clients, best.rate);
        let text = beyond_capacity(best, (last.clients, last.rate), last.p50_ms);
        report.conclusions.push(text);
    }
}

/// Whether the gateway's CPU per transaction disagrees with the paper, which has
/// little or no change from 100 to 500 clients.
fn against_the_paper(few: &CapacityPoint, many: &CapacityPoint) -> String {
    let change = (many.gateway.us / few.gateway.us.max(f64::MIN_POSITIVE) - 1.0) * 100.0;
    if change.abs() < LITTLE_PERCENT {
        return format!("That is the paper's \"little or no change\" ({change:+.0} %).");
    }
    let why = if change < 0.0 {
        "a thread that finds several requests at once wakes less often for each"
    } else {
        "its threads wait for each other and for processors that region and driver share"
    };
    format!(
        "It disagrees with the paper: its cost a transaction has little or no change from 100 to 500 \
         clients, and here it changes by {change:+.0} %; {why}."
    )
}

/// The limit of the paper's "little or no change", in percent.
const LITTLE_PERCENT: f64 = 10.0;

/// Compares the greatest rate (`best`) with the rate at the most clients
/// (`last`). Both are (clients, answers/s); `p50_ms` is the median response
/// time of `last`.
fn beyond_capacity(best: (usize, f64), last: (usize, f64), p50_ms: f64) -> String {
    let (rate, p50) = (short(best.1), short(p50_ms));
    if last.1 == 0.0 {
        format!(
            "At 256 KB the rate is greatest with {} clients, {rate} answers/s. With {} clients \
             no request was answered: the measured time is too short for that many clients.",
            best.0, last.0
        )
    } else if best.0 == last.0 {
        format!(
            "At 256 KB the rate is greatest with the most clients tried, {}: {rate} answers/s, \
             p50 {p50} ms. The limit lies beyond.",
            best.0
        )
    } else {
        format!(
            "At 256 KB the rate is greatest with {} clients, {rate} answers/s. With {} clients \
             it is {} answers/s, p50 {p50} ms.",
            best.0,
            last.0,
            short(last.1)
        )
    }
}

/// As in the paper.
const SESSIONS: u16 = 500;
const CLIENTS: [usize; 5] = [100, 200, 300, 400, 500];
const SIZES: [usize; 7] = [
    1 << 10,
    4 << 10,
    8 << 10,
    16 << 10,
    32 << 10,
    64 << 10,
    128 << 10,
];
const BEYOND: usize = 256 << 10;
const THINK: Duration = Duration::from_millis(500);
/// About 50 bytes, as in the paper.
const BODY: &str = r#"{"request":"as many characters as the path says"}"#;
/// Chosen: the last are more than a machine of today serves.
const MORE_CLIENTS: [usize; 9] = [750, 1000, 1500, 2000, 3000, 4000, 6000, 8000, 12_000];
/// The factor of the gateway's connections to the number of clients: its threads
/// share them unevenly.
const UNEVEN: usize = 2;
/// Chosen: below this fraction of the requested rate, throughput no longer follows
/// the load.
const FOLLOWS: f64 = 0.9;
/// Chosen: how long a caller waits.
const PATIENCE: Duration = Duration::from_secs(30);
const DURATION: Duration = Duration::from_secs(5);
const STEADY: f64 = 0.05;
const MOST_WARM_UPS: usize = 6;
/// Tenths of a second.
const LONGEST_WAIT: usize = 300;

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../../../examples/perfchannel/", $path)))),*]
    };
}

/// The files of the workload.
const FILES: &[(&str, &str)] = files![
    "copybooks/PFPREQ.cpy",
    "copybooks/PFPLEN.cpy",
    "copybooks/PFPERR.cpy",
    "copybooks/PFPDATA.cpy",
    "cobol/PFPADCON.cbl",
    "apis/perfchannel/src/main/config/options.yaml",
    "apis/perfchannel/src/main/api/openapi.yaml",
    "apis/perfchannel/src/main/zosAssets/perfChannelService/zosAsset.yaml",
    "apis/perfchannel/src/main/zosAssets/perfChannelService/sources.yaml",
    "apis/perfchannel/src/main/zosAssets/perfChannelService/providerFiles/gen/ERROR_response_2.cpy",
    "apis/perfchannel/src/main/zosAssets/perfChannelService/providerFiles/gen/RESPONSE-LENGTH_response_1.cpy",
    "apis/perfchannel/src/main/zosAssets/perfChannelService/providerFiles/gen/LEN-TO-RETURN_request_0.cpy",
    "apis/perfchannel/src/main/zosAssets/perfChannelService/providerFiles/gen/RESPONSE-DATA_response_0.cpy",
    "apis/perfchannel/src/main/operations/%2Fresponse%2F%7Bresponse_size%7D/put/response_400.yaml",
    "apis/perfchannel/src/main/operations/%2Fresponse%2F%7Bresponse_size%7D/put/response_500.yaml",
    "apis/perfchannel/src/main/operations/%2Fresponse%2F%7Bresponse_size%7D/put/operation.yaml",
    "apis/perfchannel/src/main/operations/%2Fresponse%2F%7Bresponse_size%7D/put/request.yaml",
    "apis/perfchannel/src/main/operations/%2Fresponse%2F%7Bresponse_size%7D/put/response_200.yaml",
    "apis/perfchannel/src/main/operations/%2Fresponse%2F%7Bresponse_size%7D/put/response_mapping.yaml",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_that_still_grows_is_not_compared_with_itself() {
        let grows = beyond_capacity((1500, 2998.0), (1500, 2998.0), 0.3241);
        assert_eq!(grows.matches("1500").count(), 1, "{grows}");
        assert!(grows.contains("p50 0.3241 ms"), "{grows}");
        let falls = beyond_capacity((1000, 1999.0), (1500, 1810.0), 401.2);
        assert!(falls.contains("With 1500 clients it is 1810"), "{falls}");
    }

    #[test]
    fn clients_are_added_until_the_rate_no_longer_follows_them() {
        let point = |clients, rate| CapacityPoint {
            clients,
            rate,
            ..CapacityPoint::default()
        };
        let mut points = vec![point(500, 999.0), point(750, 1499.0)];
        assert!(!is_bent(&points));
        points.push(point(1000, 1700.0));
        assert!(!is_bent(&points));
        points.push(point(1500, 1650.0));
        assert!(is_bent(&points));
        assert!(!is_bent(&points[..1]));
    }

    #[test]
    fn a_time_too_short_for_an_answer_says_so_and_gives_no_half() {
        let text = beyond_capacity((100, 70.0), (1500, 0.0), 0.0);
        assert!(text.contains("no request was answered"), "{text}");
        assert!(!text.contains("p50"), "{text}");
        let mut point = CapacityPoint {
            bytes: BEYOND,
            clients: 1500,
            ..CapacityPoint::default()
        };
        let shown = |point: &CapacityPoint| tables(std::slice::from_ref(point))[1].rows[0].clone();
        assert_eq!(shown(&point)[2..7], ["0", "–", "–", "–", "0"]);
        point.rate = 2.0;
        assert_eq!(shown(&point)[3], "0");
    }
}

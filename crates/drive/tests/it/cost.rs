//! The server's CPU per answer, independent of how often the server is observed.

use crate::peers::{read_request, serve};
use clap::Parser;
use drive::cli::{ObserveArgs, run};
use drive::load::HttpLoad;
use drive::observe::ObservedServer;
use drive::scrape::MetricsEndpoint;
use drive::server::{Server, ServerBehaviour};
use drive::session::{Session, SessionResult};
use drive::url::Url;
use measure::proc::CountedSubject;
use measure::report::{CpuView, LoopMatrix, MatrixCell, html, text};
use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// An exporter whose process uses this much CPU between two scrapes, s.
fn exporter(name: &'static str, each_s: u64) -> String {
    let used = AtomicU64::new(0);
    let address = serve(move |mut stream| {
        while read_request(&mut stream).is_some() {
            let body = format!("{name} {}\n", used.fetch_add(each_s, Ordering::Relaxed));
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            let _ = stream.write_all((head + &body).as_bytes());
        }
    });
    format!("http://{address}/metrics")
}

fn endpoint(url: &str) -> ObservedServer {
    ObservedServer::Remote(MetricsEndpoint(Url::parse(url).unwrap()))
}

fn own() -> ObservedServer {
    ObservedServer::Local(CountedSubject::Process(std::process::id()))
}

fn observing(observed: &[ObservedServer]) -> SessionResult {
    let server = Server::start(ServerBehaviour::default()).unwrap();
    let mut load = HttpLoad::new(format!("http://{}/", server.address()));
    load.warmup = Duration::ZERO;
    load.duration = Duration::from_millis(300);
    let plan = load.plan().unwrap();
    let session = Session {
        plan: &plan,
        observed,
        viewers: Vec::new(),
    };
    session.run(&AtomicBool::new(false)).unwrap()
}

#[test]
fn one_server_seen_in_four_ways_is_counted_once_everywhere() {
    let exporter_url = exporter("process_cpu_seconds_total", 1000);
    let id = CountedSubject::called(&std::process::id().to_string());
    let observed = [
        endpoint(&exporter_url),
        own(),
        ObservedServer::Local(id),
        own(),
    ];
    let recording = observing(&observed);
    let report = &recording.report;
    assert_eq!(report.servers.len(), 4);
    let once = report.servers[1].cpu_us;
    let cpu = report.server_cpu.as_ref().unwrap();
    assert!(once > 0.0);
    assert_eq!((cpu.us, cpu.view), (once, CpuView::Processes));
    assert_eq!(report.server_cpu_us(), Some(once));
    assert_eq!(
        report.server_cpu_percent(),
        Some(report.servers[1].cpu_percent)
    );
    assert_eq!(cpu.other_views, std::slice::from_ref(&exporter_url));
    // Objectives, loops, pages and the stored report take the same figure.
    let objective = |bound: f64| {
        let text = format!("cpu<={bound}us");
        drive::objective::Objective::parse(&text)
            .unwrap()
            .met(report)
    };
    assert!(objective(once * 1.01) && !objective(once * 0.99));
    let matrix = LoopMatrix {
        names: vec!["n".into()],
        cells: vec![MatrixCell {
            values: vec!["1".into()],
            report: report.clone(),
        }],
        ..LoopMatrix::default()
    };
    assert!(matrix.csv().contains(&format!(",{once},")));
    let page = html(report);
    assert!(
        page.contains("<span>server CPU per answer at this load: pid"),
        "{page}"
    );
    assert!(page.contains("Server CPU per answer is that of pid") && page.contains("not added"));
    let shown = text(report);
    assert!(
        shown.contains(&format!("  servers: {once:.2} µs per answer")),
        "{shown}"
    );
    assert!(
        shown.contains(&format!("{exporter_url} is another view")),
        "{shown}"
    );
    let stored = serde_json::to_string(report).unwrap();
    let stored: measure::report::LoadReport = serde_json::from_str(&stored).unwrap();
    let back = stored.server_cpu.unwrap();
    assert_eq!(
        (back.view, back.other_views),
        (cpu.view, cpu.other_views.clone())
    );
    assert!((back.us / once - 1.0).abs() < 1e-9);
}

#[test]
fn endpoints_of_different_processes_add_up_and_those_of_one_do_not() {
    let (a, b) = (
        exporter("process_cpu_seconds_total", 1),
        exporter("process_cpu_seconds_total", 2),
    );
    let node = exporter("node_cpu_seconds_total{mode=\"user\"}", 50);
    let report = observing(&[endpoint(&node), endpoint(&a), endpoint(&b)]).report;
    let [_, of_a, of_b] = &report.servers[..] else {
        panic!("{report:?}");
    };
    let both = report.server_cpu.as_ref().unwrap();
    assert_eq!((both.view, both.parts.len()), (CpuView::Endpoints, 2));
    assert!((both.us / (of_a.cpu_us + of_b.cpu_us) - 1.0).abs() < 1e-9);
    assert_eq!(both.other_views, [node]);
    let again = format!("{a}?once=more");
    let report = observing(&[endpoint(&a), endpoint(&again)]).report;
    let one = report.server_cpu.unwrap();
    assert_eq!((one.parts.len(), one.parts[0].shared), (1, true));
    let rows: f64 = report.servers.iter().map(|s| s.cpu_us).sum();
    assert!(one.us > 0.0 && one.us < rows, "{} of {rows}", one.us);
}

#[test]
fn every_observation_that_cannot_be_made_is_reported_at_once() {
    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        observe: ObserveArgs,
    }
    let words = [
        "x",
        "--pid",
        "4194305",
        "--process",
        "no-such-program",
        "--cgroup",
        "/no/such/group",
        "--scrape",
        "http://127.0.0.1:1/m",
        "--scrape",
        "gopher://x",
    ];
    let observe = Cli::try_parse_from(words).unwrap().observe;
    let error = observe.observed(Vec::new()).unwrap_err().to_string();
    for subject in [
        "pid 4194305",
        "no-such-program",
        "/no/such/group",
        "127.0.0.1:1",
        "gopher",
    ] {
        assert!(error.contains(subject), "{subject} in {error}");
    }
}

#[test]
fn an_objective_for_cpu_without_a_server_to_observe_is_reported_before_the_run() {
    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: drive::cli::Args,
    }
    let server = Server::start(ServerBehaviour::default()).unwrap();
    let url = format!("http://{}/", server.address());
    let drive = |words: &[&str]| {
        let first = ["drive", "--quiet", &url, "-n", "9"];
        let words = first.iter().chain(words);
        run(&Cli::try_parse_from(words).unwrap().args).unwrap()
    };
    assert_eq!(drive(&["--objective", "cpu<50s"]), ExitCode::from(64));
    assert_eq!(drive(&["--objective", "p99<<20ms"]), ExitCode::from(64));
    assert_eq!(server.answered(), 0);
    let own = std::process::id().to_string();
    let words = ["--objective", "cpu<50s", "--pid", &own];
    assert_eq!(drive(&words), ExitCode::SUCCESS);
    let folder = tempfile::tempdir().unwrap();
    let scenario = |observe: &str| {
        let text = format!(
            "objectives = [\"cpu<50s\"]\n{observe}\n[[population]]\nname = \"a\"\nclients = 1\n\
             iterations = 3\n[[population.step]]\nrequest = \"GET {url}\"\n"
        );
        let path = folder.path().join("s.toml");
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let drive = |words: &[&str]| {
        let words = ["drive", "--quiet"].iter().chain(words);
        run(&Cli::try_parse_from(words).unwrap().args).unwrap()
    };
    // The server updates its count shortly after its last answer.
    while server.answered() < 9 {
        std::thread::yield_now();
    }
    assert_eq!(drive(&["-s", &scenario("")]), ExitCode::from(2));
    assert_eq!(server.answered(), 9);
    let words = ["-s", &scenario(""), "--pid", &own];
    assert_eq!(drive(&words), ExitCode::SUCCESS);
    let observe = format!("[observe]\npids = [{own}]");
    assert_eq!(drive(&["-s", &scenario(&observe)]), ExitCode::SUCCESS);
}

//! The output files of a run: logs that can be merged, reports that can be read.

use drive::load::HttpLoad;
use drive::merge::{log, merge, merged_log};
use drive::server::{Server, ServerBehaviour};
use drive::session::{Session, SessionResult};
use measure::report::{LoadReport, html, text};
use std::sync::atomic::AtomicBool;

fn recording(requests: u64) -> SessionResult {
    let server = Server::start(ServerBehaviour::default()).unwrap();
    let mut load = HttpLoad::new(format!("http://{}/", server.address()));
    load.iterations = Some(requests);
    load.clients = 4;
    let plan = load.plan().unwrap();
    let own = drive::observe::ObservedServer::Local(measure::proc::CountedSubject::Process(
        std::process::id(),
    ));
    let session = Session {
        plan: &plan,
        observed: &[own],
        viewers: Vec::new(),
    };
    session.run(&AtomicBool::new(false)).unwrap()
}

#[test]
fn logs_of_two_runs_merge_to_the_sum_of_both() {
    let (a, b) = (recording(300), recording(200));
    let logs = [
        ("a".to_owned(), log(&a).unwrap()),
        ("b".to_owned(), log(&b).unwrap()),
    ];
    let merged = merge(&logs).unwrap();
    let sum = merged.sum().unwrap();
    assert_eq!((sum.sent, sum.answered), (500, 500));
    let mut both = a.outcome.sum().response;
    both.merge(&b.outcome.sum().response);
    let direct = measure::report::LatencyReport::of(&both);
    assert_eq!(sum.response.count, 500);
    assert_eq!(
        (sum.response.p99, sum.response.max),
        (direct.p99, direct.max)
    );
    assert_eq!(sum.response.curve, direct.curve);
    let answered = |report: &LoadReport| -> f64 {
        let moments = &report.timeline;
        moments.iter().map(|m| m.answered_s).sum()
    };
    let all = answered(&a.report) + answered(&b.report);
    assert!((answered(&merged) - all).abs() < 1e-6 * all);
    let longest = |report: &LoadReport| report.timeline.iter().map(|m| m.max).fold(0.0, f64::max);
    assert_eq!(longest(&merged), sum.response.max);
    assert!(merge(&[("x".into(), b"junk".to_vec())]).is_err());
    // A merged log is a log like its parts.
    let again = [("ab".to_owned(), merged_log(&logs, &merged).unwrap())];
    let started = measure::hdrlog::started;
    assert_eq!(started(&again[0].1), started(&logs[0].1));
    let again = merge(&again).unwrap();
    let merged_sum = again.sum().unwrap();
    assert_eq!(
        (merged_sum.sent, &merged_sum.response.curve),
        (500, &direct.curve)
    );
    assert_eq!(again.timeline.len(), merged.timeline.len());
}

#[test]
fn a_log_that_lost_a_line_is_refused() {
    let whole = log(&recording(100)).unwrap();
    let text = String::from_utf8(whole).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let without: Vec<&str> = lines
        .iter()
        .filter(|l| !l.contains("Tag=clients.response"))
        .copied()
        .collect();
    assert_eq!(without.len() + 1, lines.len());
    let bytes = (without.join("\n") + "\n").into_bytes();
    let error = merge(&[("a".into(), bytes)]);
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("0 answers") && error.contains("100"),
        "{error}"
    );
}

#[test]
fn servers_of_several_machines_share_the_answers() {
    let (a, b) = (recording(300), recording(300));
    let both = [
        ("a".to_owned(), log(&a).unwrap()),
        ("b".to_owned(), log(&b).unwrap()),
    ];
    let merged = merge(&both).unwrap();
    assert_eq!(
        merged.servers.len(),
        a.report.servers.len() + b.report.servers.len()
    );
    // Both observed this process: one server, whose CPU counts once.
    let cpu = merged.server_cpu.as_ref().unwrap();
    assert_eq!(cpu.parts.len(), 1);
    let alone = |r: &LoadReport| r.server_cpu_us().unwrap() * r.throughput / merged.throughput;
    let greater = alone(&a.report).max(alone(&b.report));
    assert!((cpu.us / greater - 1.0).abs() < 1e-9, "{cpu:?}");
    for server in &merged.servers {
        let answers = merged.throughput.max(1e-9);
        assert!(server.cpu_us.is_finite() && answers > 0.0);
        assert!(server.subject.starts_with("a: ") || server.subject.starts_with("b: "));
    }
}

#[test]
fn a_log_that_is_given_twice_is_refused() {
    let bytes = log(&recording(50)).unwrap();
    let logs = ["w1", "w2", "copy-of-w1"].map(|name| (name.to_owned(), bytes.clone()));
    let error = merge(&logs).unwrap_err().to_string();
    assert!(
        error.starts_with("w1 and w2 contain the same run"),
        "{error}"
    );
    assert!(merge(&logs[..1]).is_ok());
    let other = ("w2".to_owned(), log(&recording(50)).unwrap());
    let both = [logs[0].clone(), other];
    let merged = merge(&both).unwrap();
    // A merged log contains its parts.
    let all = ("all".to_owned(), merged_log(&both, &merged).unwrap());
    let error = merge(&[all.clone(), both[1].clone()]).unwrap_err();
    assert!(
        error.to_string().starts_with("all and w2 contain"),
        "{error}"
    );
    let third = ("w3".to_owned(), log(&recording(50)).unwrap());
    let three = merge(&[all, third]).unwrap();
    assert!(
        three.title.ends_with("(from 3 machines)"),
        "{}",
        three.title
    );
    assert_eq!(three.title.matches("(from").count(), 1);
    assert!(three.load.starts_with("3 × ") && !three.load.contains("2 × "));
}

#[test]
fn a_report_reads_back_from_its_json_and_shows_the_same() {
    let report = recording(100).report;
    let json = serde_json::to_string(&report).unwrap();
    let back: LoadReport = serde_json::from_str(&json).unwrap();
    assert_eq!(text(&report), text(&back));
    let page = html(&report);
    assert!(page.contains("<svg") && !page.contains("<script"));
    assert!(text(&report).contains("100 sent = 100 answered + 0 failed + 0 outstanding"));
}

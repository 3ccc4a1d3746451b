//! What a run leaves behind: logs that merge, reports that read.

use drive::load::HttpLoad;
use drive::merge::{log, merge};
use drive::server::{Behaviour, Server};
use drive::session::{Recording, Session};
use measure::report::{Report, html, text};
use std::sync::atomic::AtomicBool;

fn recording(requests: u64) -> Recording {
    let server = Server::start(Behaviour::default()).unwrap();
    let mut load = HttpLoad::new(format!("http://{}/", server.address()));
    load.iterations = Some(requests);
    load.clients = 4;
    let plan = load.plan().unwrap();
    let own = drive::observe::Observed::Local(measure::proc::Subject::Process(std::process::id()));
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
    assert!(merge(&[("x".into(), b"junk".to_vec())]).is_err());
}

#[test]
fn a_report_reads_back_from_its_json_and_shows_the_same() {
    let report = recording(100).report;
    let json = serde_json::to_string(&report).unwrap();
    let back: Report = serde_json::from_str(&json).unwrap();
    assert_eq!(text(&report), text(&back));
    let page = html(&report);
    assert!(page.contains("<svg") && !page.contains("<script"));
    assert!(text(&report).contains("100 sent = 100 answered + 0 failed + 0 outstanding"));
}

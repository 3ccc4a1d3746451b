//! Every network experiment names the cause that it planted.

use crate::permitted;
use lab::experiments::{Context, find};
use lab::report::{self, ExperimentReport};

fn run(name: &str) -> ExperimentReport {
    let context = Context {
        seed: 1,
        seconds: None,
        repetition: 1,
        keep: None,
        progress: &|_| (),
    };
    let report = (find(name).unwrap().run)(&context).unwrap();
    println!("{}", report::text(&report));
    for finding in &report.findings {
        match &finding.planted {
            Some(_) => assert!(finding.holds(), "{finding:?}"),
            // A busy machine may add waits of its own, but never this cause.
            None => {
                let mut planted = report.findings.iter().filter_map(|f| f.planted.as_ref());
                let named = |cause: &String| finding.named.iter().any(|n| &n.cause == cause);
                assert!(!planted.any(named), "{finding:?}");
            }
        }
    }
    assert!(report.figures.iter().all(|f| f.found.is_finite()));
    assert!(report.pictures.len() >= 2);
    report
}

/// The report of an experiment that plants a cause.
fn run_planted(name: &str) -> ExperimentReport {
    let report = run(name);
    assert!(report.findings.iter().any(|f| f.planted.is_some()));
    report
}

#[test]
fn nagle_names_write_write_read() {
    if permitted("experiments::nagle_names_write_write_read") {
        run_planted("nagle");
    }
}

#[test]
fn slow_start_names_the_opening_window() {
    if permitted("experiments::slow_start_names_the_opening_window") {
        run_planted("slow-start");
    }
}

#[test]
fn delayed_ack_names_the_delay() {
    if permitted("experiments::delayed_ack_names_the_delay") {
        run_planted("delayed-ack");
    }
}

#[test]
fn mss_counts_the_packets_of_the_paper() {
    if permitted("experiments::mss_counts_the_packets_of_the_paper") {
        let report = run("mss");
        let found = |name| report.figure(name, "server's route MTU 576");
        assert_eq!(
            (
                found("packets of the request"),
                found("packets of the response")
            ),
            (Some(3.0), Some(6.0))
        );
        let found = |name| report.figure(name, "1,460 both ways");
        assert_eq!(
            (
                found("packets of the request"),
                found("packets of the response")
            ),
            (Some(1.0), Some(3.0))
        );
    }
}

#[test]
fn tcp_tuning_counts_the_packets_of_the_paper() {
    if permitted("experiments::tcp_tuning_counts_the_packets_of_the_paper") {
        let report = run_planted("tcp-tuning");
        assert!(report.holds(), "{:?}", report.findings);
        let found = |name| report.figure(name, "before: 536, delayed");
        assert_eq!(
            (
                found("packets of the request"),
                found("packets of the response")
            ),
            (Some(3.0), Some(6.0))
        );
    }
}

//! Requests that begin when they are due, whatever the server does.

use drive::load::HttpLoad;
use drive::plan::ArrivalSpacing;
use drive::server::{Server, ServerBehaviour};
use std::time::Duration;

#[test]
fn a_rate_presents_as_many_requests_as_arithmetic_says() {
    let server = Server::start(ServerBehaviour::default()).unwrap();
    let mut load = HttpLoad::new(format!("http://{}/", server.address()));
    load.clients = 100;
    load.rate = Some(1000.0);
    load.threads = 2;
    load.warmup = Duration::from_millis(100);
    load.duration = Duration::from_millis(500);
    let sum = load.run().unwrap().sum();
    assert_eq!(sum.measured.sent, 500);
    assert_eq!(sum.whole.sent, 600);
    load.arrivals = ArrivalSpacing::Poisson;
    let sum = load.run().unwrap().sum();
    // Six standard deviations of a Poisson count of 500.
    assert!(
        sum.measured.sent.abs_diff(500) < 135,
        "{}",
        sum.measured.sent
    );
}

#[test]
fn a_standstill_is_never_reported_shorter_than_it_was() {
    let figures = drive::selftest::run(3).unwrap();
    // Requests that were due in the standstill waited at least this long.
    assert!(
        figures.reported_p99_ms >= figures.true_p99_ms - 20.0,
        "{figures:?}"
    );
    assert!(figures.reported_max_ms >= 950.0, "{figures:?}");
}

#[test]
fn the_bound_on_outstanding_requests_holds_iterations_back() {
    let server = Server::start(ServerBehaviour {
        service: drive::server::ServiceTime::Queue {
            servers: 1,
            mean_ns: 20_000_000,
            exponential: false,
        },
        ..ServerBehaviour::default()
    })
    .unwrap();
    let mut load = HttpLoad::new(format!("http://{}/", server.address()));
    load.clients = 2;
    load.rate = Some(200.0);
    load.warmup = Duration::ZERO;
    load.duration = Duration::from_millis(300);
    let outcome = load.run().unwrap();
    let sum = outcome.sum();
    // Every iteration that was due was sent at last, and counted as held back.
    assert_eq!(sum.measured.sent + sum.measured.unsent, 60);
    assert!(sum.measured.held > 30, "{:?}", sum.measured);
    // Bytes that came or went after the end are not throughput, as answers are not.
    let (measured, whole) = (&sum.measured, &sum.whole);
    assert!(measured.in_window * 2 < whole.answered, "{measured:?}");
    let most = |bytes: u64, answers: u64| bytes * (answers + 2);
    assert!(measured.bytes_in * whole.answered <= most(whole.bytes_in, measured.in_window));
    assert!(measured.bytes_out * whole.sent <= most(whole.bytes_out, measured.in_window + 2));
    // Waiting for a free client is response time, not lateness of the driver.
    assert!(sum.response.max() > 2 * sum.wire.max());
}

#[test]
fn a_bound_that_is_never_reached_holds_nothing_back() {
    let server = Server::start(ServerBehaviour::default()).unwrap();
    let mut load = HttpLoad::new(format!("http://{}/", server.address()));
    load.clients = 1000;
    load.rate = Some(20_000.0);
    load.warmup = Duration::ZERO;
    load.duration = Duration::from_millis(40);
    for _ in 0..5 {
        // 800 arrivals cannot find 1,000 clients busy, however late the driver is.
        let sum = load.run().unwrap().sum();
        assert_eq!((sum.measured.sent, sum.measured.held), (800, 0));
    }
}

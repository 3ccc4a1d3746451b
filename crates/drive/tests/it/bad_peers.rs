//! Servers that misbehave: every request is accounted for, nothing hangs.

use crate::peers::{read_request, serve};
use drive::engine::{LoadOutcome, RequestFailure};
use drive::load::HttpLoad;
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

fn drive(address: SocketAddr, requests: u64) -> LoadOutcome {
    let mut load = HttpLoad::new(format!("http://{address}/"));
    load.iterations = Some(requests);
    load.clients = 2;
    load.timeout = Duration::from_millis(200);
    load.run().unwrap()
}

fn failed(outcome: &LoadOutcome, kind: RequestFailure) -> u64 {
    outcome.sum().measured.failed[kind as usize]
}

#[test]
fn a_server_that_is_not_there_is_reported() {
    let address = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let outcome = drive(address, 4);
    assert_eq!(failed(&outcome, RequestFailure::Connect), 4);
    assert!(
        outcome.messages().keys().all(|m| m.contains("refused")),
        "{:?}",
        outcome.messages()
    );
}

#[test]
fn a_server_that_closes_without_an_answer_is_reported() {
    let address = serve(|mut stream| {
        read_request(&mut stream);
    });
    let outcome = drive(address, 4);
    let sum = outcome.sum().measured;
    assert_eq!(
        sum.failed[RequestFailure::Closed as usize] + sum.failed[RequestFailure::Reset as usize],
        4
    );
}

#[test]
fn an_answer_cut_short_is_reported() {
    let address = serve(|mut stream| {
        read_request(&mut stream);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
    });
    let outcome = drive(address, 4);
    assert_eq!(failed(&outcome, RequestFailure::Closed), 4);
    assert!(
        outcome
            .messages()
            .keys()
            .any(|m| m.contains("before the end of the answer"))
    );
}

#[test]
fn a_malformed_answer_is_reported() {
    let address = serve(|mut stream| {
        read_request(&mut stream);
        let _ = stream.write_all(b"220 mail.example ESMTP\r\n\r\n");
    });
    assert_eq!(failed(&drive(address, 4), RequestFailure::Malformed), 4);
}

#[test]
fn an_endless_answer_times_out() {
    let address = serve(|mut stream| {
        read_request(&mut stream);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        while stream.write_all(b"1\r\nx\r\n").is_ok() {}
    });
    assert_eq!(failed(&drive(address, 4), RequestFailure::Timeout), 4);
}

#[test]
fn a_server_that_says_nothing_times_out() {
    let address = serve(|mut stream| while read_request(&mut stream).is_some() {});
    assert_eq!(failed(&drive(address, 4), RequestFailure::Timeout), 4);
}

#[test]
fn a_server_that_dies_in_mid_run_leaves_no_request_unaccounted() {
    let address = serve(|mut stream| {
        // Each connection answers three requests and is closed.
        for _ in 0..3 {
            if read_request(&mut stream).is_none() {
                return;
            }
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        }
        read_request(&mut stream);
    });
    let outcome = drive(address, 40);
    let sum = outcome.sum().measured;
    assert_eq!(sum.sent, 40);
    assert_eq!(sum.answered + sum.failures(), 40);
    // Each client loses every fourth request; the distribution of the forty varies.
    assert!((30..=31).contains(&sum.answered), "{}", sum.answered);
}

#[test]
fn unrequested_bytes_do_not_become_an_answer() {
    let address = serve(|mut stream| {
        while let Some(_request) = read_request(&mut stream) {
            let twice = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na\
                          HTTP/1.1 500 Oops\r\nContent-Length: 1\r\n\r\nb";
            let _ = stream.write_all(twice);
        }
    });
    let outcome = drive(address, 10);
    let sum = outcome.sum().measured;
    assert_eq!(sum.answered, 10);
    assert_eq!(sum.status[5], 0);
}

#[test]
fn an_interrupted_run_reports_what_was_done() {
    let address = serve(|mut stream| {
        while read_request(&mut stream).is_some() {
            let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n");
        }
    });
    struct StopSoon<'a>(&'a std::sync::atomic::AtomicBool);
    impl drive::engine::RunObserver for StopSoon<'_> {
        fn interval(&mut self, _: &drive::engine::IntervalRecord, _: f64) {
            self.0.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    }
    let mut load = HttpLoad::new(format!("http://{address}/"));
    load.warmup = Duration::ZERO;
    load.duration = Duration::from_secs(3600);
    let mut plan = load.plan().unwrap();
    plan.interval_ns = 100_000_000;
    let stop = std::sync::atomic::AtomicBool::new(false);
    let outcome = drive::engine::run(&plan, &mut StopSoon(&stop), &stop).unwrap();
    assert!(outcome.measured_s > 0.0 && outcome.measured_s < 3600.0);
    assert!(outcome.sum().measured.answered > 0);
}

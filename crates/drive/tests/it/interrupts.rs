//! The stop flag is set at any time: before the start, and while the server does not answer.

use crate::peers::serve;
use drive::engine::{IntervalRecord, RunError, RunObserver, SilentObserver, run};
use drive::load::HttpLoad;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A server that never answers; its first connection sets the stop flag.
fn silent(stop: &Arc<AtomicBool>) -> String {
    let stop = stop.clone();
    let address = serve(move |mut stream| {
        stop.store(true, Ordering::Relaxed);
        let mut buffer = [0; 1024];
        while let Ok(1..) = stream.read(&mut buffer) {}
    });
    format!("http://{address}/")
}

#[test]
fn a_request_to_stop_ends_the_wait_for_a_common_start() {
    let stop = Arc::new(AtomicBool::new(false));
    let mut load = HttpLoad::new(silent(&stop));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let in_a_day = now + Duration::from_secs(86_400);
    load.start_at = Some(in_a_day.as_nanos() as u64);
    let ended = run(&load.plan().unwrap(), &mut SilentObserver, &stop);
    assert!(matches!(ended, Err(RunError::NotBegun)), "{ended:?}");
}

/// Sets the stop flag when the run begins.
struct AtOnce(Arc<AtomicBool>);

impl RunObserver for AtOnce {
    fn begun(&mut self, _: u64, _: u64) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn interval(&mut self, _: &IntervalRecord, _: f64) {}
}

#[test]
fn a_request_to_stop_before_the_first_request_sends_none() {
    for http2 in [false, true] {
        let stop = Arc::new(AtomicBool::new(false));
        let mut load = HttpLoad::new(silent(&Arc::default()));
        load.http2 = http2;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        // Near enough for the threads to wait by themselves.
        let soon = now + Duration::from_millis(90);
        load.start_at = Some(soon.as_nanos() as u64);
        let outcome = run(&load.plan().unwrap(), &mut AtOnce(stop.clone()), &stop).unwrap();
        assert_eq!(outcome.sum().whole.sent, 0, "HTTP/2: {http2}");
    }
}

#[test]
fn unanswered_requests_are_outstanding_when_the_run_is_stopped() {
    for http2 in [false, true] {
        let stop = Arc::new(AtomicBool::new(false));
        let mut load = HttpLoad::new(silent(&stop));
        load.http2 = http2;
        load.clients = 3;
        load.warmup = Duration::ZERO;
        // Connections opened ahead would stop the run before its start.
        load.keep_alive = false;
        // Waiting for this would fail the requests instead.
        load.timeout = Duration::from_secs(30);
        let outcome = run(&load.plan().unwrap(), &mut SilentObserver, &stop).unwrap();
        let sum = outcome.sum().whole;
        assert!(sum.sent > 0 && sum.failures() == 0, "HTTP/2: {http2}");
        assert_eq!(sum.sent, outcome.total.outstanding, "HTTP/2: {http2}");
    }
}

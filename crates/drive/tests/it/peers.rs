//! Servers made for one test: each connection is handled by a closure in its own
//! thread.

use drive::engine::{LoadOutcome, SilentObserver, run};
use drive::plan::RunPlan;
use std::io::Read;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

/// Serves connections until the process ends.
pub fn serve(handle: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let handle = Arc::new(handle);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let handle = handle.clone();
            thread::spawn(move || handle(stream));
        }
    });
    address
}

/// Reads one request without a body. Returns `None` at the end of the connection.
pub fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut seen = Vec::new();
    let mut byte = [0];
    while !seen.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        seen.push(byte[0]);
    }
    Some(String::from_utf8_lossy(&seen).into_owned())
}

/// Runs a plan; the engine itself asserts that every request is accounted for.
pub fn carry_out(plan: &RunPlan) -> LoadOutcome {
    run(plan, &mut SilentObserver, &AtomicBool::new(false)).unwrap()
}

/// The first plan of a scenario.
pub fn plan(text: &str) -> RunPlan {
    let scenario = drive::scenario::read(text, Path::new("."));
    scenario.unwrap().variants.remove(0).plan
}

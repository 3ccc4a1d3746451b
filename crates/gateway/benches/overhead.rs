//! The cost of the gateway itself: the perfChannel API in front of a program
//! that costs nothing, against the same server answering a constant.
//!
//! `wrk` makes the load; without it the bench says so and measures nothing.

#[path = "../tests/it/fake.rs"]
#[allow(dead_code, reason = "shared with the tests, which use more of it")]
mod fake;

use fake::Fake;
use gateway::{Gateway, GatewayConfig, LoadedApi, constant};
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

/// Rounds of each; the median counts.
const ROUNDS: usize = 5;

fn main() {
    // `cargo test --benches` only wants to know that it starts.
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/perfchannel/apis");
    let program = |data: &mut fake::Data| {
        let request = &data.containers["LEN-TO-RETURN"];
        let length = request.as_slice().try_into().map_or(0, i32::from_be_bytes);
        data.containers
            .insert("RESPONSE-DATA".into(), vec![b'A'; length as usize]);
        data.containers.insert(
            "RESPONSE-LENGTH".into(),
            format!("{length:08}").into_bytes(),
        );
    };
    let config = || GatewayConfig {
        listen: ([127, 0, 0, 1], 0).into(),
        threads: 1,
        ..GatewayConfig::default()
    };
    for size in [1024, 131_072] {
        let apis = LoadedApi::load_all(&folder).unwrap_or_else(|faults| panic!("{faults}"));
        let fake = Fake::default().program("PFPADCON", program);
        let ours = Gateway::start(config(), apis, fake).expect("the gateway starts");
        let body = "A".repeat(size + 90).into_bytes();
        let peer = constant::start(config(), body.into()).expect("the peer starts");
        let path = format!("/perfchannel/response/{size}");
        let mut rates: [Vec<(f64, f64)>; 2] = Default::default();
        for _ in 0..ROUNDS {
            for (rates, address) in rates.iter_mut().zip([ours.address(), peer.address()]) {
                let Some(rate) = load(address, &path) else {
                    return println!("wrk is not installed; nothing was measured");
                };
                rates.push(rate);
            }
        }
        let [ours, peer] = rates.map(median);
        println!(
            "{size} bytes: {:.0}/s and {:.1} us CPU, constant {:.0}/s and {:.1} us, ratio {:.2} and {:.2}",
            ours.0,
            ours.1,
            peer.0,
            peer.1,
            ours.0 / peer.0,
            ours.1 / peer.1
        );
    }
}

/// Requests a second and the process's CPU microseconds a request.
fn load(address: SocketAddr, path: &str) -> Option<(f64, f64)> {
    let script = "wrk.method='PUT' wrk.body='{\"request_data\":\"fifty bytes or so of request\"}' \
                  wrk.headers['content-type']='application/json'";
    let file = std::env::temp_dir().join("tupelo-gateway-overhead.lua");
    std::fs::write(&file, script).ok()?;
    let before = cpu_us();
    let output = Command::new("wrk")
        .args(["-t1", "-c50", "-d2s", "-s"])
        .arg(&file)
        .arg(format!("http://{address}{path}"))
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let cpu = cpu_us() - before;
    let line = |word: &str| text.lines().find(|l| l.contains(word));
    assert!(line("Non-2xx").is_none(), "{text}");
    let requests: f64 = line("requests in")?
        .split_whitespace()
        .next()?
        .parse()
        .ok()?;
    let rate = line("Requests/sec:")?
        .split_whitespace()
        .nth(1)?
        .parse()
        .ok()?;
    Some((rate, cpu / requests))
}

fn cpu_us() -> f64 {
    // SAFETY: the structure is plain data that the call fills.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let us = |t: libc::timeval| t.tv_sec as f64 * 1e6 + t.tv_usec as f64;
    us(usage.ru_utime) + us(usage.ru_stime)
}

fn median(mut rates: Vec<(f64, f64)>) -> (f64, f64) {
    rates.sort_by(|a, b| a.0.total_cmp(&b.0));
    rates[rates.len() / 2]
}

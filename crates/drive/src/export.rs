//! A Prometheus endpoint with the figures of the run in progress.
//!
//! Reference: Prometheus text exposition format 0.0.4.

use crate::engine::{IntervalRecord, RequestFailure};
use crate::session::IntervalViewer;
use crate::summary::tag;
use measure::report::ReportInterval;
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// An endpoint that serves the latest figures; stops when dropped.
pub struct MetricsExporter {
    address: SocketAddr,
    names: Vec<String>,
    text: Arc<Mutex<String>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl MetricsExporter {
    /// Listens on an address; `names` are those of the populations.
    pub fn start(address: SocketAddr, names: Vec<String>) -> io::Result<MetricsExporter> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let text = Arc::new(Mutex::new(String::new()));
        let stop = Arc::new(AtomicBool::new(false));
        let (shared, stopped) = (text.clone(), stop.clone());
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::Acquire) {
                    return;
                }
                if let Ok(stream) = stream {
                    // An error on the scraper's connection does
                    // not affect the run.
                    let _ = answer(stream, &shared);
                }
            }
        });
        Ok(MetricsExporter {
            address,
            names,
            text,
            stop,
            thread: Some(thread),
        })
    }

    /// The listening address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl IntervalViewer for MetricsExporter {
    fn show(&mut self, moment: &ReportInterval, total: &IntervalRecord) {
        let text = metrics(&self.names, moment, total);
        *self
            .text
            .lock()
            .expect("no thread panics while it holds the lock") = text;
    }
}

impl Drop for MetricsExporter {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        // A connection wakes the thread that accepts, so that it sees the
        // stop flag.
        let woken = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
        if let (Ok(_), Some(thread)) = (woken, self.thread.take()) {
            let _ = thread.join();
        }
    }
}

fn answer(mut stream: TcpStream, text: &Mutex<String>) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(1)))?;
    let mut seen = Vec::new();
    let mut buffer = [0; 1024];
    while !seen.windows(4).any(|w| w == b"\r\n\r\n") && seen.len() < 8192 {
        match stream.read(&mut buffer)? {
            0 => return Ok(()),
            n => seen.extend_from_slice(&buffer[..n]),
        }
    }
    let text = text
        .lock()
        .expect("no thread panics while it holds the lock")
        .clone();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        text.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(text.as_bytes())
}

/// The figures as metrics text.
fn metrics(names: &[String], moment: &ReportInterval, total: &IntervalRecord) -> String {
    let mut out = String::new();
    let mut family = |name: &str, kind: &str, help: &str, lines: Vec<(String, f64)>| {
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (labels, value) in lines {
            let _ = writeln!(out, "{name}{labels} {value}");
        }
    };
    let each = |f: &dyn Fn(&crate::engine::PopulationRecord) -> f64| -> Vec<(String, f64)> {
        let records = names.iter().zip(&total.populations);
        records
            .map(|(name, r)| {
                (
                    format!("{{population=\"{}\"}}", tag(name).replace(['"', '\\'], "_")),
                    f(r),
                )
            })
            .collect()
    };
    family(
        "tupelo_drive_requests_sent_total",
        "counter",
        "Requests begun.",
        each(&|r| r.whole.sent as f64),
    );
    family(
        "tupelo_drive_requests_answered_total",
        "counter",
        "Requests answered.",
        each(&|r| r.whole.answered as f64),
    );
    for kind in RequestFailure::ALL {
        let name = format!("tupelo_drive_failed_{}_total", tag(&kind.to_string()));
        let lines = each(&|r| r.whole.failed[kind as usize] as f64);
        family(&name, "counter", "Requests that failed.", lines);
    }
    for (quantile, label) in [(0.5, "p50"), (0.99, "p99"), (1.0, "max")] {
        family(
            &format!("tupelo_drive_response_seconds_{label}"),
            "gauge",
            "Response time of the measured part so far.",
            each(&|r| r.response.quantile(quantile) as f64 / 1e9),
        );
    }
    family(
        "tupelo_drive_outstanding",
        "gauge",
        "Requests outstanding.",
        vec![(String::new(), moment.outstanding as f64)],
    );
    family(
        "tupelo_drive_lateness_seconds_p99",
        "gauge",
        "Lateness of the driver's own schedule in the last interval.",
        vec![(String::new(), moment.late_p99 / 1e3)],
    );
    if let Some(us) = moment.server_cpu_us {
        family(
            "tupelo_drive_server_cpu_seconds_per_answer",
            "gauge",
            "CPU of the observed servers for each answer in the last interval.",
            vec![(String::new(), us / 1e6)],
        );
    }
    out
}

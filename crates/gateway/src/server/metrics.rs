//! Counters of the gateway, in the Prometheus text format.
//!
//! Reference: Prometheus "Exposition formats", text format 0.0.4.

use crate::observe::ObserverCounters;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Upper bounds of the latency buckets, in microseconds.
const BOUNDS_US: [u64; 16] = [
    50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000,
    1_000_000, 5_000_000, 30_000_000,
];

/// The counters of one operation.
#[derive(Debug, Default)]
pub(crate) struct OperationMetrics {
    /// Responses by the first digit of their status, from 1.
    classes: [AtomicU64; 5],
    buckets: [AtomicU64; BOUNDS_US.len() + 1],
    sum_us: AtomicU64,
    request_bytes: AtomicU64,
    response_bytes: AtomicU64,
    cpu_ns: AtomicU64,
    /// Largest response of late; the next one's buffer starts at this size.
    pub expected_bytes: AtomicU64,
}

impl OperationMetrics {
    /// Counts a response: its status, how long it took, the bytes of both
    /// bodies, and the CPU time of the program.
    pub fn count(
        &self,
        status: u16,
        elapsed: Duration,
        (request, response): (usize, usize),
        cpu_ns: u64,
    ) {
        let class = usize::from(status / 100).clamp(1, 5) - 1;
        self.classes[class].fetch_add(1, Relaxed);
        let us = elapsed.as_micros() as u64;
        let bucket = BOUNDS_US.partition_point(|bound| *bound < us);
        self.buckets[bucket].fetch_add(1, Relaxed);
        self.sum_us.fetch_add(us, Relaxed);
        if request > 0 {
            self.request_bytes.fetch_add(request as u64, Relaxed);
        }
        self.response_bytes.fetch_add(response as u64, Relaxed);
        if cpu_ns > 0 {
            self.cpu_ns.fetch_add(cpu_ns, Relaxed);
        }
    }
}

/// Everything the gateway counts.
#[derive(Debug, Default)]
pub(crate) struct GatewayMetrics {
    /// By API, method and path; kept over reloads.
    operations: Mutex<BTreeMap<[String; 3], Arc<OperationMetrics>>>,
    pub connections_open: AtomicU64,
    pub connections_total: AtomicU64,
    pub connections_timed_out: AtomicU64,
    pub connections_gave_way: AtomicU64,
    pub memory_refused: AtomicU64,
    pub unrouted: AtomicU64,
    pub unauthenticated: AtomicU64,
    pub forbidden: AtomicU64,
    pub rate_limited: AtomicU64,
    pub reloads: AtomicU64,
}

impl GatewayMetrics {
    pub fn operation(&self, api: &str, method: &str, path: &str) -> Arc<OperationMetrics> {
        let key = [api, method, path].map(str::to_string);
        let mut all = self
            .operations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        all.entry(key).or_default().clone()
    }

    /// Appends all metrics as text; `memory` is the bytes that connections
    /// hold now, `observed` what became of audit records and spans.
    pub fn write(&self, memory: usize, observed: &ObserverCounters, out: &mut String) {
        let all = self
            .operations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let name = "tupelo_gateway_requests_total";
        header(
            out,
            name,
            "counter",
            "Responses by operation and status class.",
        );
        for (key, op) in all.iter() {
            for (i, count) in op.classes.iter().enumerate() {
                let count = count.load(Relaxed);
                if count > 0 {
                    let labels = labels(key);
                    let _ = writeln!(out, "{name}{{{labels},status=\"{}xx\"}} {count}", i + 1);
                }
            }
        }
        let name = "tupelo_gateway_request_duration_seconds";
        header(
            out,
            name,
            "histogram",
            "Time from the request's headers to its response.",
        );
        for (key, op) in all.iter() {
            let labels = labels(key);
            let mut below = 0;
            for (i, count) in op.buckets.iter().enumerate() {
                below += count.load(Relaxed);
                let bound = match BOUNDS_US.get(i) {
                    Some(us) => (*us as f64 / 1e6).to_string(),
                    None => "+Inf".to_string(),
                };
                let _ = writeln!(out, "{name}_bucket{{{labels},le=\"{bound}\"}} {below}");
            }
            let sum = op.sum_us.load(Relaxed) as f64 / 1e6;
            let _ = writeln!(out, "{name}_sum{{{labels}}} {sum}");
            let _ = writeln!(out, "{name}_count{{{labels}}} {below}");
        }
        for (name, help, pick) in [
            (
                "tupelo_gateway_request_bytes_total",
                "Bytes of request bodies.",
                (|op| &op.request_bytes) as fn(&OperationMetrics) -> &AtomicU64,
            ),
            (
                "tupelo_gateway_response_bytes_total",
                "Bytes of response bodies.",
                |op| &op.response_bytes,
            ),
        ] {
            header(out, name, "counter", help);
            for (key, op) in all.iter() {
                let _ = writeln!(out, "{name}{{{}}} {}", labels(key), pick(op).load(Relaxed));
            }
        }
        let name = "tupelo_gateway_program_cpu_seconds_total";
        let help = "CPU time of the programs, as far as their region reports it.";
        header(out, name, "counter", help);
        for (key, op) in all.iter() {
            let seconds = op.cpu_ns.load(Relaxed) as f64 / 1e9;
            let _ = writeln!(out, "{name}{{{}}} {seconds:.9}", labels(key));
        }
        for (name, kind, help, value) in [
            (
                "connections_open",
                "gauge",
                "Connections open now.",
                &self.connections_open,
            ),
            (
                "connections_total",
                "counter",
                "Connections accepted.",
                &self.connections_total,
            ),
            (
                "connections_timed_out_total",
                "counter",
                "Connections closed because the client was too slow.",
                &self.connections_timed_out,
            ),
            (
                "connections_gave_way_total",
                "counter",
                "Connections closed for new ones, or for memory that others needed.",
                &self.connections_gave_way,
            ),
            (
                "memory_refused_total",
                "counter",
                "Requests rejected because bodies and answers used all memory.",
                &self.memory_refused,
            ),
            (
                "unrouted_total",
                "counter",
                "Requests that no operation serves.",
                &self.unrouted,
            ),
            (
                "unauthenticated_total",
                "counter",
                "Requests rejected because they did not identify their sender correctly.",
                &self.unauthenticated,
            ),
            (
                "forbidden_total",
                "counter",
                "Requests rejected because their sender is not permitted, or came without HTTPS.",
                &self.forbidden,
            ),
            (
                "rate_limited_total",
                "counter",
                "Requests rejected because their client sent too many.",
                &self.rate_limited,
            ),
            (
                "reloads_total",
                "counter",
                "Times the APIs were replaced.",
                &self.reloads,
            ),
            (
                "audit_written_total",
                "counter",
                "Audit records written.",
                &observed.audit_written,
            ),
            (
                "audit_dropped_total",
                "counter",
                "Audit records lost: their queue was full, or the file could not be written.",
                &observed.audit_dropped,
            ),
            (
                "spans_exported_total",
                "counter",
                "Spans that the collector has accepted.",
                &observed.spans_exported,
            ),
            (
                "spans_dropped_total",
                "counter",
                "Requests or spans not exported: their queue was full, or the collector did not \
                 accept them.",
                &observed.spans_dropped,
            ),
        ] {
            let name = format!("tupelo_gateway_{name}");
            header(out, &name, kind, help);
            let _ = writeln!(out, "{name} {}", value.load(Relaxed));
        }
        let name = "tupelo_gateway_memory_bytes";
        let help = "Bytes of bodies, headers and answers that connections use.";
        header(out, name, "gauge", help);
        let _ = writeln!(out, "{name} {memory}");
    }
}

/// The metrics of the gateway after one call of one operation: the names, types
/// and labels of the reference.
pub fn sample() -> String {
    let metrics = GatewayMetrics::default();
    metrics
        .operation("API", "METHOD", "PATH")
        .count(200, Duration::ZERO, (0, 0), 0);
    let mut out = String::new();
    metrics.write(0, &ObserverCounters::default(), &mut out);
    out
}

fn header(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn labels([api, method, path]: &[String; 3]) -> String {
    let escape = |text: &str| {
        text.replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('\n', "\\n")
    };
    format!(
        "api=\"{}\",method=\"{}\",path=\"{}\"",
        escape(api),
        escape(method),
        escape(path)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_is_cumulative() {
        let metrics = GatewayMetrics::default();
        let op = metrics.operation("bank", "GET", "/a");
        op.count(200, Duration::from_micros(60), (0, 10), 1_500);
        op.count(404, Duration::from_millis(3), (5, 10), 0);
        let mut out = String::new();
        metrics.write(0, &ObserverCounters::default(), &mut out);
        let labels = "api=\"bank\",method=\"GET\",path=\"/a\"";
        for line in [
            format!("requests_total{{{labels},status=\"4xx\"}} 1"),
            format!("seconds_bucket{{{labels},le=\"0.0001\"}} 1"),
            format!("seconds_bucket{{{labels},le=\"+Inf\"}} 2"),
            format!("response_bytes_total{{{labels}}} 20"),
            format!("program_cpu_seconds_total{{{labels}}} 0.000001500"),
        ] {
            assert!(out.contains(&line), "{line}\n{out}");
        }
    }
}

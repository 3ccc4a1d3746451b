//! Remote servers through Prometheus endpoints: a process's own metrics
//! (`process_cpu_seconds_total`) or those of a node exporter
//! (`node_cpu_seconds_total`). A Tupelo region also reports its CPU time by engine
//! class and the sums of its monitoring records.
//!
//! Reference: Prometheus text exposition format 0.0.4.

use crate::http1::{FeedResult, Response};
use crate::url::{Scheme, Url};
use measure::proc::Usage;
use measure::report::CpuView;
use std::fmt;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use thiserror::Error;

/// A metrics endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricsEndpoint(pub Url);

/// Why an endpoint has no figures.
#[derive(Debug, Error)]
pub enum ScrapeError {
    /// The scheme is not http.
    #[error("metrics are scraped over http:// only")]
    Scheme,
    /// The endpoint cannot be reached or read.
    #[error("{0}")]
    Io(String),
    /// The response is not a metrics page.
    #[error("status {0}")]
    Status(u16),
    /// The page has none of the supported CPU metrics.
    #[error("neither process_cpu_seconds_total nor node_cpu_seconds_total is there")]
    NoCpu,
}

/// The figures of an endpoint.
#[derive(Clone, Debug)]
pub struct EndpointReading {
    /// Resources used so far.
    pub usage: Usage,
    /// Whether the figures are those of a process or of a machine.
    pub view: CpuView,
    /// Start time of the process, seconds since 1970, if the endpoint reports
    /// it.
    pub started: Option<f64>,
}

impl MetricsEndpoint {
    /// Reads the resources used so far.
    pub fn usage(&self) -> Result<Usage, ScrapeError> {
        Ok(self.reading()?.usage)
    }

    /// Reads the resources used so far, with their view.
    pub fn reading(&self) -> Result<EndpointReading, ScrapeError> {
        parse_metrics(&self.text()?)
    }

    /// The identity of the server: the machine's address and, for a process,
    /// its start time. A process that does not report its start time is
    /// identified by its port. The start time is the same at every port of a
    /// process.
    pub fn identity(&self, identified: Option<&EndpointReading>) -> String {
        let (host, port) = match self.0.resolve().map(|a| (a.ip(), a.port())) {
            Ok((ip, port)) if ip.to_canonical().is_loopback() => ("loopback".into(), port),
            Ok((ip, port)) => (ip.to_canonical().to_string(), port),
            Err(_) => (self.0.host.clone(), self.0.port),
        };
        match identified {
            Some(identified) if identified.view == CpuView::Machines => host,
            Some(EndpointReading {
                started: Some(at), ..
            }) => format!("{host}, begun at {at}"),
            _ => format!("{host}:{port}"),
        }
    }

    /// Reads the metrics page.
    pub fn text(&self) -> Result<String, ScrapeError> {
        let io = |error: &dyn fmt::Display| ScrapeError::Io(error.to_string());
        if self.0.scheme != Scheme::Http {
            return Err(ScrapeError::Scheme);
        }
        let address = self.0.resolve().map_err(|e| io(&e))?;
        let mut stream = TcpStream::connect_timeout(&address, PATIENCE).map_err(|e| io(&e))?;
        stream
            .set_read_timeout(Some(PATIENCE))
            .map_err(|e| io(&e))?;
        let (path, host) = (&self.0.path, self.0.authority());
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).map_err(|e| io(&e))?;
        let mut response = Response::default();
        response.start(false, true);
        let mut buffer = [0; 16_384];
        loop {
            let n = stream.read(&mut buffer).map_err(|e| io(&e))?;
            if n == 0 {
                if response.handle_close() {
                    break;
                } else {
                    return Err(io(&"closed in the middle of the answer"));
                }
            }
            match response.feed(&buffer[..n]).map_err(|e| io(&e))? {
                FeedResult::Done(_) => break,
                FeedResult::More if response.body_bytes() > LONGEST as u64 => {
                    return Err(io(&"the answer is too long"));
                }
                FeedResult::More => {}
            }
        }
        match response.status() {
            200 => Ok(String::from_utf8_lossy(response.body()).into_owned()),
            status => Err(ScrapeError::Status(status)),
        }
    }
}

impl fmt::Display for MetricsEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Parses usage from metrics text.
pub fn parse_metrics(text: &str) -> Result<EndpointReading, ScrapeError> {
    let mut usage = Usage::default();
    let mut started = None;
    let mut node = Usage::default();
    let (mut own, mut of_node) = (false, false);
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let Some((name, labels, value)) = split_metric(line) else {
            continue;
        };
        let ns = (value * 1e9) as u64;
        let at_loopback = labels.contains("device=\"lo\"");
        match name {
            "process_cpu_seconds_total" => {
                usage.cpu_ns += ns;
                own = true;
            }
            "tupelo_engine_cpu_seconds_total" => {
                let engine = label(labels, "engine").unwrap_or("other");
                *usage
                    .threads
                    .entry(format!("{engine} engines"))
                    .or_default() += ns;
            }
            "tupelo_region_task_cpu_seconds_total" => {
                count(&mut usage, "CPU of programs, µs", value * 1e6);
            }
            "tupelo_region_wait_seconds_total" => {
                let kind = label(labels, "kind").unwrap_or("other");
                count(&mut usage, &format!("wait: {kind}, µs"), value * 1e6);
            }
            "tupelo_region_commands_total" => {
                let kind = label(labels, "kind").unwrap_or("other");
                count(&mut usage, &format!("EXEC CICS commands: {kind}"), value);
            }
            "tupelo_region_mode_switches_total" => {
                count(&mut usage, "changes of mode", value);
            }
            "tupelo_region_calls_total" => {
                count(&mut usage, "calls to the region", value);
            }
            "process_start_time_seconds" => started = Some(value),
            "process_resident_memory_bytes" => usage.resident_bytes += value as u64,
            "node_cpu_seconds_total" => {
                of_node = true;
                let mode = |name: &str| labels.contains(&format!("mode=\"{name}\""));
                if mode("user") || mode("nice") {
                    node.user_ns += ns;
                } else if mode("system") || mode("irq") || mode("softirq") {
                    node.system_ns += ns;
                }
            }
            "node_context_switches_total" => node.voluntary_switches += value as u64,
            "node_memory_MemTotal_bytes" => node.resident_bytes += value as u64,
            "node_memory_MemAvailable_bytes" => {
                node.resident_bytes = node.resident_bytes.saturating_sub(value as u64);
            }
            "node_network_receive_bytes_total" if !at_loopback => node.network_in += value as u64,
            "node_network_transmit_bytes_total" if !at_loopback => node.network_out += value as u64,
            _ => {}
        }
    }
    match (own, of_node) {
        (true, _) => Ok(EndpointReading {
            usage,
            view: CpuView::Endpoints,
            started,
        }),
        (false, true) => {
            node.cpu_ns = node.user_ns + node.system_ns;
            Ok(EndpointReading {
                usage: node,
                view: CpuView::Machines,
                started: None,
            })
        }
        (false, false) => Err(ScrapeError::NoCpu),
    }
}

fn count(usage: &mut Usage, name: &str, value: f64) {
    *usage.counters.entry(name.to_owned()).or_default() += value;
}

/// The value of a label.
fn label<'a>(labels: &'a str, name: &str) -> Option<&'a str> {
    labels.split(',').find_map(|l| {
        let (key, value) = l.split_once('=')?;
        (key.trim() == name).then(|| value.trim_matches('"'))
    })
}

/// Name, labels and value of a line. Returns `None` if it is not a metric.
fn split_metric(line: &str) -> Option<(&str, &str, f64)> {
    let (name, labels, rest) = match line.split_once('{') {
        Some((name, rest)) => {
            let end = rest.rfind('}')?;
            (name, &rest[..end], &rest[end + 1..])
        }
        None => {
            let (name, rest) = line.split_once(' ')?;
            (name, "", rest)
        }
    };
    let value: f64 = rest.split_ascii_whitespace().next()?.parse().ok()?;
    (value.is_finite() && value >= 0.0).then_some((name, labels, value))
}

/// The timeout of a scrape.
const PATIENCE: Duration = Duration::from_secs(2);
/// The size limit of a page.
const LONGEST: usize = 16 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_endpoint_are_read() {
        let own = "# HELP x\nprocess_cpu_seconds_total 1.5\nprocess_resident_memory_bytes 2e6\n";
        let usage = parse_metrics(own).unwrap().usage;
        assert_eq!(
            (usage.cpu_ns, usage.resident_bytes),
            (1_500_000_000, 2_000_000)
        );
        let node = "node_cpu_seconds_total{cpu=\"0\",mode=\"idle\"} 99\n\
            node_cpu_seconds_total{cpu=\"0\",mode=\"user\"} 2\n\
            node_cpu_seconds_total{cpu=\"1\",mode=\"system\"} 1\n\
            node_network_receive_bytes_total{device=\"lo\"} 7\n\
            node_network_receive_bytes_total{device=\"eth0\"} 5\n";
        let usage = parse_metrics(node).unwrap().usage;
        assert_eq!((usage.cpu_ns, usage.network_in), (3_000_000_000, 5));
        let region = "process_cpu_seconds_total 3\n\
            tupelo_engine_cpu_seconds_total{engine=\"general\"} 1\n\
            tupelo_engine_cpu_seconds_total{engine=\"offload\"} 2\n\
            tupelo_region_wait_seconds_total{kind=\"qr\"} 0.5\n";
        let usage = parse_metrics(region).unwrap().usage;
        assert_eq!(usage.threads["offload engines"], 2_000_000_000);
        assert_eq!(usage.counters["wait: qr, µs"], 500_000.0);
        assert!(matches!(
            parse_metrics("x{ 1\n} y\n"),
            Err(ScrapeError::NoCpu)
        ));
    }

    #[test]
    fn one_process_at_two_ports_has_one_identity_and_a_machine_one_for_all() {
        let endpoint = |text: &str| MetricsEndpoint(Url::parse(text).unwrap());
        let (a, b) = (
            endpoint("http://127.0.0.1:1/m"),
            endpoint("http://[::1]:2/m?x"),
        );
        let plain = parse_metrics("process_cpu_seconds_total 1\n").unwrap();
        assert_ne!(a.identity(Some(&plain)), b.identity(Some(&plain)));
        assert_eq!(
            a.identity(None),
            endpoint("http://127.0.0.2:1/").identity(None)
        );
        let began = "process_cpu_seconds_total 1\nprocess_start_time_seconds 1.7e9\n";
        let began = parse_metrics(began).unwrap();
        assert_eq!(a.identity(Some(&began)), b.identity(Some(&began)));
        let node = parse_metrics("node_cpu_seconds_total{mode=\"user\"} 1\n").unwrap();
        assert_eq!(node.view, CpuView::Machines);
        assert_eq!(a.identity(Some(&node)), b.identity(Some(&node)));
    }
}

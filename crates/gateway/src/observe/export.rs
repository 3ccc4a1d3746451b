//! Sending spans to a collector: OTLP/HTTP with JSON, a batch a request.
//!
//! The collector is near: beside the process or in the same cluster. One that
//! is reached by HTTPS has a collector of its own in front of it. What a
//! collector does not take is dropped and counted; nothing is kept for later.
//!
//! Reference: OTLP specification 1.5, "OTLP/HTTP".

use super::queue::{Batches, Queue};
use super::{Counts, Observed, otlp};
use crate::backend::Command;
use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Requests that may wait to be sent.
const WAITING: usize = 2_048;
/// Requests that are sent at a time, and how long the first of them waits.
const BATCH: (usize, Duration) = (256, Duration::from_millis(500));
/// How long connecting, and each step of the exchange, may take.
const PATIENCE: Duration = Duration::from_secs(3);
/// Where a collector takes traces, below its endpoint.
const PATH: &str = "/v1/traces";

/// Where traces go, and which.
#[derive(Debug, Clone, PartialEq)]
pub struct TracingConfig {
    /// The collector, `http://host:port`, as `OTEL_EXPORTER_OTLP_ENDPOINT`
    /// has it.
    pub endpoint: String,
    /// Share of the requests without a traceparent that are recorded, 0 to 1.
    pub ratio: f64,
    /// `service.name`.
    pub service: String,
}

/// What gives the commands of tasks.
pub(super) type Commands = Box<dyn Fn(&BTreeSet<u64>) -> Vec<Command> + Send>;

/// Host, port and path of a collector.
#[derive(Debug, PartialEq, Eq)]
struct Endpoint {
    host: String,
    port: u16,
    path: String,
}

/// Whether spans can be sent to this endpoint.
///
/// # Errors
/// Why not, in words, with what would do.
pub fn check_endpoint(text: &str) -> Result<(), String> {
    Endpoint::parse(text).map(drop)
}

impl Endpoint {
    fn parse(text: &str) -> Result<Endpoint, String> {
        let wrong = || format!("{text:?} is no http://host:port of a collector");
        let uri: http::Uri = text.parse().map_err(|_| wrong())?;
        match uri.scheme_str() {
            Some("http") => {}
            Some("https") => {
                return Err(format!(
                    "{text}: traces are sent by http alone; have a collector beside this \
                     process send them on by https"
                ));
            }
            _ => return Err(wrong()),
        }
        let host = uri
            .host()
            .filter(|host| !host.is_empty())
            .ok_or_else(wrong)?;
        if uri.authority().is_some_and(|a| a.as_str().contains('@')) || uri.query().is_some() {
            return Err(wrong());
        }
        Ok(Endpoint {
            host: host.trim_matches(['[', ']']).to_owned(),
            port: uri.port_u16().unwrap_or(4318),
            path: format!("{}{PATH}", uri.path().trim_end_matches('/')),
        })
    }

    /// Sends a body; an error is whatever kept the collector from taking it.
    fn post(&self, body: &[u8]) -> io::Result<()> {
        let addresses = (self.host.as_str(), self.port).to_socket_addrs()?;
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        let connected = addresses.into_iter().find_map(|address| {
            let connected = TcpStream::connect_timeout(&address, PATIENCE);
            connected.map_err(|e| last = e).ok()
        });
        let mut stream = connected.ok_or(last)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let host = match self.host.contains(':') {
            true => format!("[{}]", self.host),
            false => self.host.clone(),
        };
        let head = format!(
            "POST {} HTTP/1.1\r\nhost: {host}:{}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n",
            self.path,
            self.port,
            body.len()
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(body)?;
        let mut answer = [0; 12];
        stream.read_exact(&mut answer)?;
        match answer.starts_with(b"HTTP/1.") && answer[8..10] == *b" 2" {
            true => Ok(()),
            false => {
                let status = String::from_utf8_lossy(&answer[9..]).into_owned();
                Err(io::Error::other(format!("it answers {status}")))
            }
        }
    }
}

/// Starts the thread that sends.
pub(super) fn start(
    config: &TracingConfig,
    applid: &str,
    commands: Commands,
    counts: Arc<Counts>,
) -> Result<Queue<Arc<Observed>>, String> {
    let endpoint = Endpoint::parse(&config.endpoint)?;
    let (service, applid) = (config.service.clone(), applid.to_owned());
    let work = move |mut batches: Batches<Arc<Observed>>| {
        let mut failing = false;
        while let Some(batch) = batches.next() {
            if batch.is_empty() {
                continue;
            }
            // At the end nobody waits for a collector that is not there.
            if failing && batches.is_ending() {
                counts.spans_dropped.fetch_add(batch.len() as u64, Relaxed);
                continue;
            }
            let ran = batch.iter().filter_map(|o| o.called.as_ref()?.ran);
            let tasks: BTreeSet<u64> = ran.map(|ran| ran.task).collect();
            let found = match tasks.is_empty() {
                true => Vec::new(),
                false => commands(&tasks),
            };
            let (request, spans) = otlp::export(&service, &applid, &batch, found);
            let sent = endpoint.post(request.to_string().as_bytes());
            let count = match sent {
                Ok(()) => &counts.spans_exported,
                Err(_) => &counts.spans_dropped,
            };
            count.fetch_add(spans, Relaxed);
            match &sent {
                Ok(()) if failing => tracing::warn!("the collector takes traces again"),
                Err(e) if !failing => {
                    let collector = format!("{}:{}", endpoint.host, endpoint.port);
                    tracing::warn!(error = %e, "the collector {collector} takes no traces");
                }
                _ => {}
            }
            failing = sent.is_err();
        }
    };
    Queue::start("gw-traces", WAITING, BATCH, work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_a_host_with_a_port_and_perhaps_a_path() {
        let parsed = |text| Endpoint::parse(text).map(|e| (e.host, e.port, e.path));
        let told = |host: &str, port, path: &str| Ok((host.to_owned(), port, path.to_owned()));
        assert_eq!(
            parsed("http://collector"),
            told("collector", 4318, "/v1/traces")
        );
        assert_eq!(
            parsed("http://[::1]:9/otlp/"),
            told("::1", 9, "/otlp/v1/traces")
        );
        for wrong in ["", "collector:4318", "http://", "http://u:p@h", "ftp://h"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
        assert!(parsed("https://h").unwrap_err().contains("beside this"));
    }
}

//! Sending spans to a collector: OTLP/HTTP with JSON, a batch a request.
//!
//! Spans that a collector does not accept are dropped and counted; none are
//! kept for later. A collector reached by HTTPS is verified by the system's
//! authorities.
//!
//! Reference: OTLP specification 1.5, "OTLP/HTTP".

use super::queue::{BatchReceiver, Queue};
use super::{FinishedRequest, ObserverCounters, otlp};
use fetch::{FetchSettings, HttpFetcher, Request};
use region::TraceRecord;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Requests that may wait to be sent.
const WAITING: usize = 2_048;
/// Requests that are sent at a time, and how long the first of them waits.
const BATCH: (usize, Duration) = (256, Duration::from_millis(500));
/// How long an exchange may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes that a collector's answer may have.
const ANSWER_BYTES: usize = 64 << 10;
/// The path of traces at a collector, below its endpoint.
const PATH: &str = "/v1/traces";
/// The port of OTLP over HTTP.
const PORT: u16 = 4318;

/// The collector of traces, and the share of requests that are traced.
#[derive(Debug, Clone, PartialEq)]
pub struct TracingConfig {
    /// The collector, `http://host:port` or `https://host:port`, as `OTEL_EXPORTER_OTLP_ENDPOINT`
    /// has it.
    pub endpoint: String,
    /// Share of the requests without a traceparent that are recorded, 0 to 1.
    pub ratio: f64,
    /// `service.name`.
    pub service: String,
}

/// Returns the commands of tasks.
pub(super) type CommandSource = Box<dyn Fn(&BTreeSet<u64>) -> Vec<TraceRecord> + Send>;

/// Whether spans can be sent to this endpoint.
///
/// # Errors Why it cannot be used, with what would work.
pub fn check_endpoint(text: &str) -> Result<(), String> {
    Collector::new(text).map(drop)
}

/// The collector of traces.
struct Collector {
    url: String,
    fetcher: HttpFetcher,
}

impl Collector {
    fn new(endpoint: &str) -> Result<Collector, String> {
        let url = traces_url(endpoint)?;
        let settings = FetchSettings {
            allow: vec![url.clone()],
            timeout: PATIENCE,
            most_bytes: ANSWER_BYTES,
            trusted: None,
            shown: None,
        };
        let fetcher = HttpFetcher::new(&settings).map_err(|e| e.to_string())?;
        Ok(Collector { url, fetcher })
    }

    /// Sends a body; the error is the collector's reason for not accepting it.
    fn post(&self, body: String) -> Result<(), String> {
        let fetched = self.fetcher.wait(Request {
            method: "POST".into(),
            url: self.url.clone(),
            headers: vec![("Content-Type".into(), "application/json".into())],
            body: body.into_bytes(),
            timeout: None,
        });
        match fetched.map_err(|e| e.to_string())?.status {
            200..=299 => Ok(()),
            status => Err(format!("the collector returned {status}")),
        }
    }
}

/// The URL for traces of a collector's endpoint.
fn traces_url(endpoint: &str) -> Result<String, String> {
    let wrong = || format!("{endpoint:?} is not the http://host:port of a collector");
    let uri: http::Uri = endpoint.parse().map_err(|_| wrong())?;
    let scheme = uri.scheme_str().ok_or_else(wrong)?;
    let authority = uri.authority().ok_or_else(wrong)?;
    let plain = matches!(scheme, "http" | "https") && !authority.as_str().contains('@');
    if !plain || authority.host().is_empty() || uri.query().is_some() {
        return Err(wrong());
    }
    let port = authority.port_u16().unwrap_or(PORT);
    let path = uri.path().trim_end_matches('/');
    Ok(format!(
        "{scheme}://{}:{port}{path}{PATH}",
        authority.host()
    ))
}

/// Starts the thread that sends.
pub(super) fn start(
    config: &TracingConfig,
    applid: &str,
    commands: CommandSource,
    counts: Arc<ObserverCounters>,
) -> Result<Queue<Arc<FinishedRequest>>, String> {
    let collector = Collector::new(&config.endpoint)?;
    let (service, applid) = (config.service.clone(), applid.to_owned());
    let work = move |mut batches: BatchReceiver<Arc<FinishedRequest>>| {
        let mut failing = false;
        while let Some(batch) = batches.next() {
            if batch.is_empty() {
                continue;
            }
            // At the end there is no wait for an unreachable collector.
            if failing && batches.is_ending() {
                counts.spans_dropped.fetch_add(batch.len() as u64, Relaxed);
                continue;
            }
            let costs = batch.iter().filter_map(|o| o.called.as_ref()?.costs);
            let tasks: BTreeSet<u64> = costs.map(|costs| costs.task).collect();
            let found = if tasks.is_empty() {
                Vec::new()
            } else {
                commands(&tasks)
            };
            let (request, spans) = otlp::export(&service, &applid, &batch, found);
            let sent = collector.post(request.to_string());
            let count = match sent {
                Ok(()) => &counts.spans_exported,
                Err(_) => &counts.spans_dropped,
            };
            count.fetch_add(spans, Relaxed);
            match &sent {
                Ok(()) if failing => tracing::warn!("the collector accepts traces again"),
                Err(e) if !failing => {
                    tracing::warn!(error = %e, "the collector {} accepts no traces", collector.url);
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
        for (endpoint, url) in [
            ("http://collector", "http://collector:4318/v1/traces"),
            ("http://[::1]:9/otlp/", "http://[::1]:9/otlp/v1/traces"),
            ("https://h:443", "https://h:443/v1/traces"),
        ] {
            assert_eq!(traces_url(endpoint).as_deref(), Ok(url));
        }
        for wrong in ["", "collector:4318", "http://", "http://u:p@h", "ftp://h"] {
            assert!(traces_url(wrong).is_err(), "{wrong}");
        }
    }
}

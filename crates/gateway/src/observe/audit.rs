//! Audit records: one JSON line a request, with the fields of z/OS Connect's
//! SMF type 123 subtype 1 version 2 record.
//!
//! The names are those of the record's request data section, preceded by those
//! of the server section. Times are RFC 3339 in UTC, identifiers hexadecimal,
//! lengths in bytes. Tupelo's own fields, in lower case, follow them. The query
//! is recorded without the values of API keys, and of headers only those that
//! settings name; neither credentials nor bodies are ever in a record.
//!
//! Reference: z/OS Connect, "API provider data from SMF type 123 subtype 1
//! version 2 records".

use super::context::shown;
use super::queue::{BatchReceiver, Queue};
use super::rotate::RotatingFile;
use super::{FinishedRequest, ObserverCounters, RequestKind};
use crate::project::operation::OperationHandler;
use cics::time::AbsTime;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Records that may wait to be written.
const WAITING: usize = 16_384;
/// Records that are written at a time, and how long the first of them waits.
const BATCH: (usize, Duration) = (512, Duration::from_millis(200));

/// The file of audit records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditConfig {
    /// The file.
    pub path: PathBuf,
    /// Bytes at which it is put aside.
    pub max_bytes: u64,
    /// Most older files that are kept.
    pub kept: u32,
    /// Headers of requests that records have, at most 4.
    pub request_headers: Vec<String>,
    /// Headers of responses that records have, at most 4.
    pub response_headers: Vec<String>,
}

impl AuditConfig {
    /// Most headers of each kind, as the record has them.
    pub const HEADERS: usize = 4;
    /// Headers that are never in a record.
    pub const SECRET: [&str; 6] = [
        "authorization",
        "cookie",
        "proxy-authorization",
        "set-cookie",
        "x-api-key",
        "www-authenticate",
    ];
}

/// Starts the thread that writes.
pub(super) fn start(
    config: &AuditConfig,
    applid: &str,
    counts: Arc<ObserverCounters>,
) -> Result<Queue<Arc<FinishedRequest>>, String> {
    let file = RotatingFile::open(&config.path, config.max_bytes, config.kept)
        .map_err(|e| format!("the audit file {}: {e}", config.path.display()))?;
    let server = server(applid);
    let work = move |batches| write(file, batches, &server, &counts);
    Queue::start("gw-audit", WAITING, BATCH, work)
}

fn write(
    mut file: RotatingFile,
    mut batches: BatchReceiver<Arc<FinishedRequest>>,
    server: &Map<String, Value>,
    counts: &ObserverCounters,
) {
    let mut failing = false;
    while let Some(batch) = batches.next() {
        if batch.is_empty() {
            continue;
        }
        let mut lines = Vec::with_capacity(batch.len() * 1024);
        for observed in &batch {
            let line = Value::Object(record(server, observed));
            lines.extend_from_slice(line.to_string().as_bytes());
            lines.push(b'\n');
        }
        let written = file.write(&lines);
        let count = match written {
            Ok(()) => &counts.audit_written,
            Err(_) => &counts.audit_dropped,
        };
        count.fetch_add(batch.len() as u64, Relaxed);
        match &written {
            Ok(()) if failing => tracing::warn!("audit records are written again"),
            Err(e) if !failing => tracing::error!(error = %e, "audit records are lost"),
            _ => {}
        }
        failing = written.is_err();
    }
}

/// The attributes of the server in all records.
fn server(applid: &str) -> Map<String, Value> {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let fields = json!({
        "SMF123_REC_TYPE": 123,
        "SMF123_SUBTYPE": 1,
        "SMF123S1_SUBTYPE_VERSION": 2,
        "SMF123_SERVER_SYSTEM": host.trim(),
        "SMF123_SERVER_JOBID": std::process::id().to_string(),
        "SMF123_SERVER_JOBNAME": applid,
        "SMF123_SERVER_VERSION": concat!("tupelo ", env!("CARGO_PKG_VERSION")),
    });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn record(server: &Map<String, Value>, seen: &FinishedRequest) -> Map<String, Value> {
    let mut out = server.clone();
    let mut put = |name: &str, value: Value| {
        out.insert(format!("SMF123S1_{name}"), value);
    };
    let kind = match seen.kind {
        RequestKind::Unknown => 0,
        RequestKind::Api => 1,
        RequestKind::Service => 2,
        RequestKind::Admin => 3,
    };
    put("REQ_TYPE", kind.into());
    put("HTTP_RESP_CODE", seen.status.into());
    let user = seen.user.as_deref();
    put("USER_NAME", user.map_or("", |u| &u.name).into());
    let mapped = user.and_then(|u| u.user_id).unwrap_or_default();
    put("USER_NAME_MAPPED", mapped.as_str().into());
    put("CLIENT_IP_ADDR", seen.client.to_string().into());
    let api = seen.api.as_ref();
    put("API_NAME", api.map_or("", |(api, _)| &api.name).into());
    put(
        "API_VERSION",
        api.map_or("", |(api, _)| &api.version).into(),
    );
    put("SERVICE_NAME", service(seen).into());
    put("REQ_METHOD", seen.method.as_str().into());
    let query = seen.uri.query().unwrap_or_default();
    put("REQ_QUERY_STR", hidden(query, &seen.secrets).into());
    put("REQ_TARGET_URI", seen.uri.path().into());
    put("REQ_PAYLOAD_LEN", seen.request_bytes.into());
    put("RESP_PAYLOAD_LEN", seen.response_bytes.into());
    put("TIME_ZC_ENTRY", time(seen.started_ns));
    put("TIME_ZC_EXIT", time(seen.ended_ns));
    let called = seen.called.as_ref();
    put(
        "TIME_SOR_SENT",
        called.map_or(Value::Null, |c| time(c.sent_ns)),
    );
    put(
        "TIME_SOR_RECV",
        called.map_or(Value::Null, |c| time(c.received_ns)),
    );
    put("SP_NAME", called.map_or("", |_| "CICS-1.0").into());
    let connection = called.and_then(|c| c.connection.as_deref());
    put("SOR_REFERENCE", connection.unwrap_or_default().into());
    let resource = called.map(|c| format!("{},{}", c.transid, c.program));
    put("SOR_RESOURCE", resource.unwrap_or_default().into());
    put("REQ_ID", format!("{:016x}", seen.number).into());
    let span = seen.span.as_ref();
    let token = span.map(|s| format!("{}-{}", shown(&s.trace_id), shown(&s.id)));
    put("TRACKING_TOKEN", token.unwrap_or_default().into());
    for (name, headers) in [
        ("REQ_HDR", &seen.request_headers),
        ("RESP_HDR", &seen.response_headers),
    ] {
        for (number, (header, value)) in headers.iter().enumerate() {
            let secret = seen.secrets.iter().any(|s| s.eq_ignore_ascii_case(header));
            let text = format!("{header}:{}", if secret { "***" } else { value });
            put(&format!("{name}{}", number + 1), text.into());
        }
    }
    if let Some(costs) = called.and_then(|c| c.costs) {
        out.insert("task".into(), costs.task.into());
        out.insert("program_cpu_us".into(), (costs.cpu_ns / 1000).into());
    }
    if let Some(abend) = called.and_then(|c| c.abend.as_deref()) {
        out.insert("abend".into(), abend.into());
    }
    out
}

/// The asset that serves an operation, or the service outside the APIs.
fn service(seen: &FinishedRequest) -> String {
    let asset = seen.api.as_ref().and_then(|(api, operation)| {
        match &api.operations.get(*operation)?.work {
            OperationHandler::Program { asset, .. } => asset.file.parent()?.file_name(),
            OperationHandler::Unsupported(_) => None,
        }
    });
    match asset {
        Some(name) => name.to_string_lossy().into_owned(),
        None => seen.service.as_deref().unwrap_or_default().to_owned(),
    }
}

/// A query without the values of some parameters.
fn hidden(query: &str, secrets: &[String]) -> String {
    if secrets.is_empty() {
        return query.to_owned();
    }
    let one = |part: &str| {
        let name = part.split('=').next().unwrap_or_default();
        let plain = percent_encoding::percent_decode_str(name).decode_utf8_lossy();
        if secrets.iter().any(|s| *s == *plain) {
            format!("{name}=***")
        } else {
            part.to_owned()
        }
    };
    query.split('&').map(one).collect::<Vec<_>>().join("&")
}

/// RFC 3339, to the microsecond; null for none.
fn time(unix_ns: u64) -> Value {
    if unix_ns == 0 {
        return Value::Null;
    }
    let (ms, micros) = (unix_ns / 1_000_000, unix_ns / 1000 % 1000);
    let text = AbsTime::from_unix_ms(ms as i64).civil().rfc3339();
    format!("{}{micros:03}Z", text.trim_end_matches('Z')).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_rfc_3339_in_utc() {
        let reported = time(1_794_000_000_123_456_789);
        assert_eq!(reported, "2026-11-06T21:20:00.123456Z");
        assert_eq!(time(0), Value::Null);
    }

    #[test]
    fn the_values_of_keys_are_not_in_a_query() {
        let secrets = ["key".to_owned()];
        let reported = hidden("a=1&key=abc&k%65y=def&keyed=2", &secrets);
        assert_eq!(reported, "a=1&key=***&k%65y=***&keyed=2");
        assert_eq!(hidden("a=1", &[]), "a=1");
    }
}

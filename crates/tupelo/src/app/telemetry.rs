//! `[audit]` and `[traces]` of `tupelo.toml`: the records that are kept of finished
//! requests.

use std::path::PathBuf;

use gateway::{AuditConfig, ObserveConfig, TracingConfig, check_endpoint};
use miette::{Result, bail, miette};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Application;

/// `[audit]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AuditSection {
    /// File that receives one JSON line a request, with the fields of z/OS
    /// Connect's SMF type 123 record; relative to the state folder. None are
    /// written when absent.
    pub path: Option<PathBuf>,
    /// MiB at which the file is put aside as `NAME.1`, the one before as
    /// `NAME.2`.
    pub max_mib: u32,
    /// Older files that are kept in addition; the oldest is deleted.
    pub files: u32,
    /// Names of request headers that records contain, at most 4. Those that carry
    /// credentials are rejected.
    pub request_headers: Vec<String>,
    /// Names of response headers that records contain, at most 4.
    pub response_headers: Vec<String>,
}

impl Default for AuditSection {
    fn default() -> Self {
        AuditSection {
            path: None,
            max_mib: 64,
            files: 8,
            request_headers: Vec::new(),
            response_headers: Vec::new(),
        }
    }
}

/// `[traces]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TracesSection {
    /// The OpenTelemetry collector that receives traces by OTLP/HTTP, as
    /// `http://host:4318`. No traces are made when absent.
    pub endpoint: Option<String>,
    /// Share of the requests without a `traceparent` that are recorded, 0 to 1. For a
    /// request with a `traceparent` the caller's flag decides.
    pub ratio: f64,
    /// `service.name` of the spans.
    pub service: String,
}

impl Default for TracesSection {
    fn default() -> Self {
        TracesSection {
            endpoint: None,
            ratio: 0.1,
            service: "tupelo".into(),
        }
    }
}

impl Application {
    /// The records of requests that the gateway writes, and their receivers.
    pub fn observed(&self) -> Result<ObserveConfig> {
        let audit = &self.config.audit;
        for (key, names) in [
            ("request_headers", &audit.request_headers),
            ("response_headers", &audit.response_headers),
        ] {
            if names.len() > AuditConfig::HEADERS {
                bail!(
                    "[audit] {key}: a record has at most {}",
                    AuditConfig::HEADERS
                );
            }
            for name in names {
                let lower = name.to_ascii_lowercase();
                if AuditConfig::SECRET.contains(&lower.as_str()) {
                    bail!("[audit] {key}: {name} carries credentials and is not recorded");
                }
                if http::HeaderName::try_from(name.as_str()).is_err() {
                    bail!("[audit] {key}: {name:?} is not the name of a header");
                }
            }
        }
        let traces = &self.config.traces;
        if !(0.0..=1.0).contains(&traces.ratio) {
            bail!("[traces] ratio: {} is not 0 to 1", traces.ratio);
        }
        if let Some(endpoint) = &traces.endpoint {
            check_endpoint(endpoint).map_err(|why| miette!("[traces] endpoint: {why}"))?;
        }
        Ok(ObserveConfig {
            audit: audit.path.as_ref().map(|path| AuditConfig {
                path: self.state.join(path),
                max_bytes: u64::from(audit.max_mib.max(1)) << 20,
                kept: audit.files,
                request_headers: audit.request_headers.clone(),
                response_headers: audit.response_headers.clone(),
            }),
            tracing: traces.endpoint.as_ref().map(|endpoint| TracingConfig {
                endpoint: endpoint.clone(),
                ratio: traces.ratio,
                service: traces.service.clone(),
            }),
            applid: self.config.region.applid.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::config::Config;

    fn observed(text: &str) -> Result<ObserveConfig> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tupelo.toml"), text).unwrap();
        Application::open(folder.path(), None)?.observed()
    }

    #[test]
    fn no_records_are_kept_unless_configured() {
        let config = observed("").unwrap();
        assert!(config.audit.is_none() && config.tracing.is_none());
        assert_eq!(Config::default().traces.ratio, 0.1);
        let config =
            observed("[audit]\npath = \"audit.jsonl\"\n[traces]\nendpoint = \"http://c:4318\"");
        let config = config.unwrap();
        assert!(config.audit.unwrap().path.ends_with(".tupelo/audit.jsonl"));
        assert_eq!(config.tracing.unwrap().service, "tupelo");
    }

    #[test]
    fn settings_that_cannot_be_used_are_reported_with_their_key() {
        for (text, expected) in [
            (
                "[audit]\nrequest_headers = [\"Authorization\"]",
                "carries credentials",
            ),
            (
                "[audit]\nresponse_headers = [\"a b\"]",
                "not the name of a header",
            ),
            (
                "[audit]\nrequest_headers = [\"a\",\"b\",\"c\",\"d\",\"e\"]",
                "at most 4",
            ),
            ("[traces]\nratio = 2.0", "[traces] ratio"),
            ("[traces]\nendpoint = \"ftp://c\"", "[traces] endpoint"),
        ] {
            let error = observed(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}

//! The `[web]` section of `tupelo.toml`.
//!
//! The doc comment of a field is its reference.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[web]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WebConfig {
    /// Folder of the files that HFSFILE names, relative to the application
    /// folder. No file outside of the folder is ever read.
    pub files: PathBuf,
    /// Folder of the templates that MEMBERNAME names, relative to the
    /// application folder.
    pub templates: PathBuf,
    /// Whether a request runs in an attach task (CWXN, or TRANSACTION of the
    /// TCPIPSERVICE) before its alias task. Without it the alias task is attached
    /// directly.
    pub attach_task: bool,
    /// Milliseconds that a task may take to answer before its client gets a
    /// 504; 0 for the transaction's own limit.
    pub response_timeout_ms: u32,
    /// Addresses that WEB OPEN may connect to: an address, with `/BITS` a
    /// network, with `:PORT` one port; `any` for all.
    pub connect: Vec<String>,
    /// Addresses that answers of web services are sent to when a request names
    /// one in ReplyTo or FaultTo (WS-Addressing), in the form of `connect`. With
    /// none such a request is refused with a fault.
    pub reply_to: Vec<String>,
    /// Whether WEB OPEN asks the system's resolver; without it hosts are
    /// addresses and `localhost`.
    pub resolver: bool,
    /// Milliseconds in which a server must accept a connection, and answer.
    pub client_timeout_ms: u32,
    /// Largest answer of a server, in bytes.
    pub client_body_bytes: u64,
    /// Certificates in PEM of the authorities that sign the certificates of
    /// servers; relative to the application folder. Without it a server with
    /// SCHEME(HTTPS) is not trusted.
    pub authorities: Option<PathBuf>,
    /// Most bytes of the documents of one task.
    pub document_bytes: u64,
    /// Certificates that definitions and WEB OPEN name by a label.
    pub certificates: BTreeMap<String, CertificateSection>,
}

/// `[web.certificates.LABEL]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CertificateSection {
    /// Certificate chain in PEM, relative to the application folder.
    pub certificate: PathBuf,
    /// Private key in PEM, relative to the application folder.
    pub key: PathBuf,
    /// Certificates in PEM of the authorities that sign clients' certificates,
    /// for SSL(CLIENTAUTH).
    pub clients: Option<PathBuf>,
}

impl Default for WebConfig {
    fn default() -> Self {
        WebConfig {
            files: "web".into(),
            templates: "templates".into(),
            attach_task: true,
            response_timeout_ms: 60_000,
            connect: vec!["127.0.0.0/8".into(), "::1".into()],
            reply_to: Vec::new(),
            resolver: false,
            client_timeout_ms: 30_000,
            client_body_bytes: 16 << 20,
            authorities: None,
            document_bytes: 16 << 20,
            certificates: BTreeMap::new(),
        }
    }
}

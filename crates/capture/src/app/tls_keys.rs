//! Secrets of TLS connections, as browsers, libraries and `SSLKEYLOGFILE` write
//! them, and as pcapng files carry them.
//!
//! A line is a label, the client's random and a secret, in hexadecimal; lines that
//! begin with `#` and labels that are not known are skipped. Reference:
//! draft-ietf-tls-keylogfile; Decryption Secrets Block of pcapng. Invariant: a
//! secret is never printed.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

/// Secrets of TLS connections. Clones share them.
#[derive(Clone, Default)]
pub struct KeyLog {
    table: Arc<RwLock<HashMap<ClientRandom, TlsSecrets>>>,
}

/// 32 bytes that a client says first in a handshake.
pub(super) type ClientRandom = [u8; 32];

/// The secrets of one connection; empty if unknown.
#[derive(Clone, Default)]
pub(super) struct TlsSecrets {
    /// TLS 1.2 and before.
    pub(super) master: Vec<u8>,
    /// TLS 1.3, by side.
    pub(super) handshake: [Vec<u8>; 2],
    pub(super) application: [Vec<u8>; 2],
}

/// A line of a key log that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "line {line}: {what}; a line is `LABEL CLIENT-RANDOM SECRET`, the random in 64 hexadecimal digits"
)]
pub struct KeyLogError {
    /// The line, from 1.
    pub line: usize,
    /// The mistake.
    pub what: String,
}

impl KeyLog {
    /// Takes the lines of a key log; returns how many secrets they hold. Lines
    /// before one that makes no sense are kept.
    pub fn add(&self, text: &str) -> Result<usize, KeyLogError> {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let mut secrets = 0;
        for (index, line) in text.lines().enumerate() {
            let wrong = |what: String| KeyLogError {
                line: index + 1,
                what,
            };
            let mut words = line.split_ascii_whitespace();
            let Some(label) = words.next().filter(|word| !word.starts_with('#')) else {
                continue;
            };
            if !LABELS.contains(&label) {
                if label
                    .bytes()
                    .any(|b| !b.is_ascii_uppercase() && !b.is_ascii_digit() && b != b'_')
                {
                    return Err(wrong("it begins with no label".to_owned()));
                }
                continue;
            }
            let (Some(random), Some(secret), None) = (words.next(), words.next(), words.next())
            else {
                return Err(wrong(format!("{label} is followed by two numbers")));
            };
            let random = base::hex::bytes(random)
                .and_then(|bytes| ClientRandom::try_from(bytes).ok())
                .ok_or_else(|| wrong("the client's random is not 32 bytes".to_owned()))?;
            let secret = base::hex::bytes(secret)
                .filter(|bytes| (32..=64).contains(&bytes.len()))
                .ok_or_else(|| wrong("the secret is not 32 to 64 bytes".to_owned()))?;
            if table.len() >= MAX_CONNECTIONS && !table.contains_key(&random) {
                return Err(wrong(format!("more than {MAX_CONNECTIONS} connections")));
            }
            let known = table.entry(random).or_default();
            *known.of(label) = secret;
            secrets += 1;
        }
        Ok(secrets)
    }

    /// Returns `true` if nothing is known.
    pub fn is_empty(&self) -> bool {
        self.table
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .is_empty()
    }

    /// The secrets of the connection whose client said `random`.
    pub(super) fn find(&self, random: &ClientRandom) -> Option<TlsSecrets> {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        table.get(random).cloned()
    }
}

impl fmt::Debug for KeyLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        write!(f, "KeyLog of {} connections", table.len())
    }
}

impl TlsSecrets {
    fn of(&mut self, label: &str) -> &mut Vec<u8> {
        match label {
            "CLIENT_HANDSHAKE_TRAFFIC_SECRET" => &mut self.handshake[0],
            "SERVER_HANDSHAKE_TRAFFIC_SECRET" => &mut self.handshake[1],
            "CLIENT_TRAFFIC_SECRET_0" => &mut self.application[0],
            "SERVER_TRAFFIC_SECRET_0" => &mut self.application[1],
            _ => &mut self.master,
        }
    }
}

/// Labels whose secrets open records.
const LABELS: [&str; 5] = [
    "CLIENT_RANDOM",
    "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
    "SERVER_HANDSHAKE_TRAFFIC_SECRET",
    "CLIENT_TRAFFIC_SECRET_0",
    "SERVER_TRAFFIC_SECRET_0",
];

/// Connections of one key log; a million secrets are some 300 MB.
const MAX_CONNECTIONS: usize = 1_000_000;

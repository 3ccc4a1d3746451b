//! The lines of a key: what is known of each capture.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// The kind of a capture in which nothing is slow.
pub const HEALTHY: &str = "healthy";

/// The kinds of evidence that a verdict can name, and words of which a remedy
/// for it must have one, all in small letters.
pub const KINDS: [(&str, &[&str]); 10] = [
    (
        "name-lookup",
        &["name server", "resolver", "dns", "search list", "lookup"],
    ),
    (
        "connect-failed",
        &[
            "listen", "firewall", "port", "backlog", "accept", "address", "reset", "limit",
        ],
    ),
    (
        "slow-path",
        &["path", "route", "nearer", "closer", "round trip", "queue"],
    ),
    (
        "retransmission",
        &["loss", "lost", "lossy", "drop", "link", "path"],
    ),
    ("window-closed", &["read", "receiver", "consume"]),
    (
        "transfer-limited",
        &[
            "window",
            "buffer",
            "rate",
            "bandwidth",
            "slow start",
            "initcwnd",
            "congestion",
            "bytes",
        ],
    ),
    (
        "waited-for-ack",
        &["nodelay", "one write", "write once", "nagle", "delayed"],
    ),
    (
        "chatty",
        &[
            "batch", "pipeline", "fewer", "parallel", "together", "keep", "reuse", "bundle",
            "at once",
        ],
    ),
    (
        "host-wait",
        &[
            "server",
            "client",
            "program",
            "application",
            "100",
            "query",
            "lock",
        ],
    ),
    ("mtu-black-hole", &["mtu", "mss", "icmp", "fragmentation"]),
];

/// One capture of a key.
#[derive(Clone, Debug, Deserialize)]
pub struct KeyCase {
    /// The capture's name in the key's folder.
    pub file: String,
    /// One of [`KINDS`], or [`HEALTHY`].
    pub kind: String,
    /// Kinds that are as right.
    #[serde(default)]
    pub also: Vec<String>,
    /// Who owns the cause: network, server, client, user or none.
    pub owner: String,
    /// Owners that are as right.
    #[serde(default)]
    pub owner_also: Vec<String>,
    /// The cause in one sentence.
    pub cause: String,
    /// What it cost on the client's clock, in milliseconds, where known.
    pub cost_ms: Option<f64>,
    /// Words of which a right remedy has one; none for those of the kind.
    #[serde(default)]
    pub remedy_words: Vec<String>,
    /// The part of the key that it belongs to.
    #[serde(default)]
    pub third: String,
    #[serde(skip)]
    folder: PathBuf,
}

impl KeyCase {
    /// Where the capture is.
    pub fn path(&self) -> PathBuf {
        self.folder.join(&self.file)
    }

    /// Whether nothing is slow in it.
    pub fn healthy(&self) -> bool {
        self.kind == HEALTHY
    }

    /// Whether a verdict of this kind is right.
    pub fn accepts(&self, kind: &str) -> bool {
        self.kind == kind || self.also.iter().any(|also| also == kind)
    }

    /// Whether a verdict for this owner is right.
    pub fn owned_by(&self, owner: &str) -> bool {
        self.owner == owner || self.owner_also.iter().any(|also| also == owner)
    }

    /// Whether a remedy says what helps.
    pub fn helped_by(&self, remedy: &str) -> bool {
        let remedy = remedy.to_lowercase();
        if !self.remedy_words.is_empty() {
            return self.remedy_words.iter().any(|word| remedy.contains(word));
        }
        KINDS
            .iter()
            .filter(|(kind, _)| self.accepts(kind))
            .any(|(_, words)| words.iter().any(|word| remedy.contains(word)))
    }
}

/// The captures of a folder, or of the folders in it, in their order.
pub fn read(folder: &Path) -> Result<Vec<KeyCase>> {
    let own = folder.join("key.jsonl");
    if own.exists() {
        let text = fs::read_to_string(&own).with_context(|| own.display().to_string())?;
        return parse(&text, folder).with_context(|| own.display().to_string());
    }
    let mut folders: Vec<PathBuf> = fs::read_dir(folder)
        .with_context(|| folder.display().to_string())?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("key.jsonl").exists())
        .collect();
    folders.sort();
    let mut cases = Vec::new();
    for folder in &folders {
        cases.extend(read(folder)?);
    }
    Ok(cases)
}

/// The lines of one key.
fn parse(text: &str, folder: &Path) -> Result<Vec<KeyCase>> {
    let mut cases = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let mut case: KeyCase =
            serde_json::from_str(line).with_context(|| format!("line {}", index + 1))?;
        for kind in case.also.iter().chain([&case.kind]) {
            let known = kind == HEALTHY || KINDS.iter().any(|(name, _)| name == kind);
            ensure!(known, "line {}: no kind is called {kind}", index + 1);
        }
        folder.clone_into(&mut case.folder);
        cases.push(case);
    }
    Ok(cases)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A case of this kind that cost so much.
    pub fn case(kind: &str, owner: &str, cost_ms: Option<f64>) -> KeyCase {
        let cost = cost_ms.map_or("null".to_owned(), |ms| ms.to_string());
        let line = format!(
            r#"{{"file":"a.pcap","kind":"{kind}","owner":"{owner}","cause":"c","cost_ms":{cost}}}"#
        );
        parse(&line, Path::new("key")).unwrap().remove(0)
    }

    #[test]
    fn a_line_with_an_unknown_kind_is_refused() {
        let line = r#"{"file":"a.pcap","kind":"slow","owner":"server","cause":"c","cost_ms":null}"#;
        let error = parse(line, Path::new("key")).unwrap_err();
        assert_eq!(error.to_string(), "line 1: no kind is called slow");
    }

    #[test]
    fn a_remedy_needs_a_word_of_the_kind_or_of_the_line() {
        let mut case = case("chatty", "client", None);
        assert!(case.helped_by("Send fewer queries"));
        assert!(!case.helped_by("Raise the MTU"));
        case.remedy_words = vec!["join".into()];
        assert!(case.helped_by("Join the tables"));
        assert!(!case.helped_by("Send fewer queries"));
    }
}

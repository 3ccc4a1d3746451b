//! Kernel settings: the output of `sysctl -a`, or a sysctl.conf.
//!
//! Reference: sysctl.conf(5).

use base::Severity;

use crate::document::{LineColumn, ParsedText};
use crate::kind::DocumentKind;

/// Kernel settings.
#[derive(Debug, Clone, Default)]
pub struct KernelSettings {
    /// In their order; a later one wins.
    pub values: Vec<SysctlValue>,
}

/// One setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SysctlValue {
    /// With dots, as `net.ipv4.tcp_rmem`.
    pub key: String,
    /// With single blanks.
    pub value: String,
    /// Position of the key.
    pub at: LineColumn,
    /// Position of the value.
    pub value_at: LineColumn,
}

impl KernelSettings {
    /// The value that holds.
    pub fn get(&self, key: &str) -> Option<&SysctlValue> {
        self.values.iter().rev().find(|v| v.key == key)
    }
}

impl SysctlValue {
    /// The value's numbers. Returns `None` if one is not a number.
    pub fn numbers(&self) -> Option<Vec<u64>> {
        let words = self.value.split_whitespace();
        words.map(|w| w.parse().ok()).collect()
    }

    /// The value where it is one number.
    pub fn number(&self) -> Option<u64> {
        self.value.parse().ok()
    }

    /// The setting with another value.
    pub fn set(&self, value: &str) -> String {
        format!("{} = {value}", self.key)
    }
}

pub(super) static KIND: DocumentKind = DocumentKind {
    word: "sysctl",
    title: "Linux kernel settings: `sysctl -a` or sysctl.conf",
    recognise,
    parse,
};

const ROOTS: &[&str] = &["abi", "debug", "dev", "fs", "kernel", "net", "user", "vm"];

/// Settings that only the BSDs have among the roots that they share with Linux.
const BSD: &[&str] = &[
    "net.inet.",
    "net.inet6.",
    "net.link.",
    "net.isr.",
    "kern.",
    "hw.",
    "security.",
];

fn recognise(text: &str) -> usize {
    let bare = |line: &str| line.trim_start().trim_start_matches('-').to_owned();
    let ours = |line: &String| {
        let root = line.split(['.', '/']).next().unwrap_or_default();
        line.len() > root.len() && ROOTS.contains(&root) && line.contains('=')
    };
    let said = |line: &String| !line.trim().is_empty() && !line.starts_with(['#', ';']);
    let lines: Vec<String> = text.lines().map(bare).filter(said).collect();
    let settings = lines.iter().filter(|line| ours(line)).count();
    let others = |line: &&String| BSD.iter().any(|root| line.starts_with(root));
    // A guide that shows settings, or another system's.
    if settings * 2 < lines.len() || lines.iter().any(|line| others(&line)) {
        0
    } else {
        2 * settings
    }
}

fn parse(text: &str) -> ParsedText {
    let mut diagnostics = Vec::new();
    let mut values = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        let column = line.chars().count() - trimmed.chars().count();
        let at = LineColumn::from_zero(number, column);
        let bare = trimmed.strip_prefix('-').unwrap_or(trimmed);
        if bare.trim().is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        let Some((key, value)) = bare.split_once('=') else {
            // The message of sysctl for keys that it may not read.
            if !trimmed.starts_with("sysctl:") {
                diagnostics.push(at.diagnostic(Severity::Error, "a setting is KEY = VALUE"));
            }
            continue;
        };
        let before = line.chars().count() - value.trim_start().chars().count();
        values.push(SysctlValue {
            key: dotted(key.trim()),
            value: value.split_whitespace().collect::<Vec<_>>().join(" "),
            at,
            value_at: LineColumn::from_zero(number, before),
        });
    }
    ParsedText {
        content: crate::DocumentContent::Linux(super::LinuxContent::Sysctl(KernelSettings {
            values,
        })),
        diagnostics,
    }
}

/// A key with dots: `net/ipv4/tcp_sack` is the same as `net.ipv4.tcp_sack`.
fn dotted(key: &str) -> String {
    match key.find(['.', '/']) {
        Some(at) if key[at..].starts_with('/') => key.replace('/', "."),
        _ => key.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guide_and_another_systems_settings_are_not_taken() {
        let linux = "# of a host\nnet.ipv4.tcp_sack = 1\nvm.swappiness=10\n";
        assert!(recognise(linux) > 0);
        let guide = format!("# Tuning\n\nFirst, run\n\nthis, then\n\nwrite:\n{linux}and reboot\n");
        assert_eq!(recognise(&guide), 0);
        assert_eq!(
            recognise("kern.ipc.somaxconn=128\nnet.inet.tcp.sack=1\n"),
            0
        );
    }

    #[test]
    fn keys_values_and_faults_are_reported_with_places() {
        let ParsedText {
            content,
            diagnostics,
        } = parse(
            "# comment\n net/ipv4/tcp_sack=1\n-net.ipv4.tcp_rmem = 4096\t131072  6291456\nnonsense\n\
             sysctl: permission denied on key 'x'\nnet.ipv4.tcp_sack = 0\n",
        );
        let crate::DocumentContent::Linux(super::super::LinuxContent::Sysctl(sysctl)) = content
        else {
            panic!("another kind");
        };
        let sack = sysctl.get("net.ipv4.tcp_sack").unwrap();
        assert_eq!(
            (sack.number(), sack.value_at),
            (
                Some(0),
                LineColumn {
                    line: 6,
                    column: 21
                }
            )
        );
        let rmem = sysctl.get("net.ipv4.tcp_rmem").unwrap();
        assert_eq!(rmem.numbers(), Some(vec![4096, 131072, 6291456]));
        assert_eq!(diagnostics.len(), 1);
        assert_eq!(diagnostics[0].line, 4);
    }
}

//! EZACICD macros: the configuration of CICS sockets, TYPE=CICS for a region
//! and TYPE=LISTENER for each listener.
//!
//! Operands are `NAME=value`, separated by commas; a comma at the end of a
//! line and a mark in column 72 continue the macro.
//!
//! Reference: z/OS Communications Server: IP CICS Sockets Guide, EZACICD.

use base::Severity;

use super::{CicsContent, PlacedValue};
use crate::document::{LineColumn, ParsedText};
use crate::kind::DocumentKind;

/// The macros of a configuration.
#[derive(Debug, Clone, Default)]
pub struct EzacicdMacros {
    /// In their order.
    pub entries: Vec<SocketEntry>,
}

/// One macro.
#[derive(Debug, Clone)]
pub struct SocketEntry {
    /// Start of the statement.
    pub at: LineColumn,
    operands: Vec<(String, String, LineColumn)>,
}

impl SocketEntry {
    /// The value of an operand and its place.
    pub fn get(&self, name: &str) -> Option<PlacedValue<&str>> {
        let found = self.operands.iter().find(|(n, ..)| n == name);
        found.map(|(_, value, at)| (value.as_str(), *at))
    }

    /// The value of an operand as a number.
    pub fn number(&self, name: &str) -> Option<PlacedValue<u64>> {
        let (value, at) = self.get(name)?;
        Some((value.parse().ok()?, at))
    }
}

pub(super) static KIND: DocumentKind = DocumentKind {
    word: "ezacicd",
    title: "CICS sockets configuration: EZACICD macros",
    recognise: |text| {
        let ours = |l: &&str| l.split_whitespace().take(2).any(|w| w == "EZACICD");
        10 * text.lines().filter(ours).count()
    },
    parse,
};

fn parse(text: &str) -> ParsedText {
    let mut diagnostics = Vec::new();
    let mut entries: Vec<SocketEntry> = Vec::new();
    let mut open = false;
    for (number, line) in text.lines().enumerate() {
        if line.starts_with(['*', '/']) || line.trim().is_empty() {
            continue;
        }
        let line: String = line.chars().take(71).collect();
        let words: Vec<&str> = line.split_whitespace().collect();
        let macro_at = words.iter().take(2).position(|w| *w == "EZACICD");
        if macro_at.is_some() {
            entries.push(SocketEntry {
                at: LineColumn::from_zero(number, column(&line, "EZACICD")),
                operands: Vec::new(),
            });
        } else if !open {
            continue;
        }
        let first = macro_at.map_or(0, |at| at + 1);
        let operands = words.get(first).copied().unwrap_or_default();
        let Some(entry) = entries.last_mut() else {
            continue;
        };
        let mut place = column(&line, operands);
        for operand in operands.split(',') {
            let at = LineColumn::from_zero(number, place);
            place += operand.chars().count() + 1;
            match operand.split_once('=') {
                Some((name, value)) => {
                    entry
                        .operands
                        .push((name.to_ascii_uppercase(), value.to_owned(), at));
                }
                None if operand.is_empty() => {}
                None => {
                    let message = format!("{operand} is not an operand");
                    diagnostics.push(at.diagnostic(Severity::Error, message));
                }
            }
        }
        open = operands.is_empty() || operands.ends_with(',');
    }
    ParsedText {
        content: crate::DocumentContent::Cics(CicsContent::Sockets(EzacicdMacros { entries })),
        diagnostics,
    }
}

/// Characters before a part of a line.
fn column(line: &str, part: &str) -> usize {
    let at = line.find(part).unwrap_or(0);
    line[..at].chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_go_on_after_a_comma() {
        let first = format!("{:<71}X", "         EZACICD TYPE=LISTENER,       listens");
        let ParsedText {
            content,
            diagnostics,
        } = parse(&format!(
            "{first}\n               PORT=3010,BACKLOG=40\n         END\nL EZACICD TYPE=CICS,NTASKS\n"
        ));
        let crate::DocumentContent::Cics(CicsContent::Sockets(sockets)) = content else {
            panic!("another kind");
        };
        assert_eq!(sockets.entries.len(), 2);
        let listener = &sockets.entries[0];
        assert_eq!(
            listener.number("BACKLOG"),
            Some((
                40,
                LineColumn {
                    line: 2,
                    column: 26
                }
            ))
        );
        assert_eq!(diagnostics.len(), 1);
        assert_eq!((diagnostics[0].line, diagnostics[0].column), (4, 21));
    }
}

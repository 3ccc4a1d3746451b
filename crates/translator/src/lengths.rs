//! Lengths of records that vary and have storage with several descriptions.
//!
//! GnuCOBOL 3.1 counts the storage that REDEFINES describes again, where a group
//! has a table of varying length. Its `LENGTH OF` does so always; `FUNCTION
//! LENGTH` is right, and is written in its place. Where items move with a counter
//! (`-fodoslide`), all uses of the record do so, and fields after the table are
//! looked for too far away: that can only be reported.
//!
//! Reference: GnuCOBOL 3.1.2, `cb_build_length_1`, `out_odoslide_offset` and
//! `out_odoslide_size` of cobc, which go through all members of a group.

use std::collections::HashSet;

use crate::outline::{ProgramUnit, is_period, skip_exec};
use crate::source::SourcePlace;
use crate::token::{Token, TokenKind};
use crate::translate::TranslationState;

/// A data description entry.
#[derive(Debug, Default)]
struct DataEntry {
    level: u8,
    name: String,
    place: SourcePlace,
    redefines: bool,
    /// OCCURS DEPENDING ON.
    varies: bool,
}

impl TranslationState {
    /// Takes the lengths of such groups by a function, and warns of records
    /// that the compiler lays out wrongly.
    pub(crate) fn varying_lengths(&mut self, units: &[ProgramUnit]) {
        for unit in units {
            let Some(data) = unit.data else { continue };
            let end = unit.procedure.unwrap_or(unit.end).min(self.tokens.len());
            let records = records(&self.tokens, data, end);
            let slides = records.iter().any(|record| slides(record));
            let wrong: Vec<&[DataEntry]> = records
                .iter()
                .map(Vec::as_slice)
                .filter(|record| is_counted_twice(record))
                .collect();
            if slides {
                wrong.iter().for_each(|record| self.report_record(record));
            } else {
                let groups = wrong.iter().flat_map(|record| groups(record)).collect();
                self.measure(end, unit.end, &groups);
            }
        }
    }

    fn report_record(&mut self, record: &[DataEntry]) {
        let Some(again) = record.iter().skip(1).find(|e| e.redefines) else {
            return;
        };
        let whole = &record[0].name;
        let and_fields = if slides(record) {
            " and the fields after the table are wrong"
        } else {
            " is wrong"
        };
        let message =
            format!("GnuCOBOL counts this REDEFINES twice: LENGTH OF {whole}{and_fields}");
        let help = "describe this storage in a record of its own in the LINKAGE SECTION, and SET \
                    its ADDRESS";
        self.warn(again.place, message, help);
    }

    /// Writes FUNCTION LENGTH (GROUP) for LENGTH OF GROUP.
    fn measure(&mut self, from: usize, to: usize, groups: &HashSet<String>) {
        for at in from + 1..to.min(self.tokens.len()) {
            let first = &self.tokens[at];
            if groups.is_empty() || !first.is("LENGTH") || self.tokens[at - 1].is("FUNCTION") {
                continue;
            }
            let of = usize::from(self.tokens.get(at + 1).is_some_and(|t| t.is("OF")));
            let name = at + 1 + of;
            let known = |t: &Token| t.kind == TokenKind::Word && groups.contains(&t.upper());
            if !self.tokens.get(name).is_some_and(known) {
                continue;
            }
            let mut last = name;
            while self
                .tokens
                .get(last + 1)
                .is_some_and(|t| t.is_any(&["OF", "IN"]))
                && last + 2 < self.tokens.len()
            {
                last += 2;
            }
            // The number of tokens does not change, so that notes on other tokens stay right.
            let open = match of {
                1 => "LENGTH (".to_owned(),
                _ => format!("LENGTH ({}", self.tokens[name].text),
            };
            self.tokens[at].text = "FUNCTION".to_owned();
            self.tokens[at + 1].text = open;
            self.tokens[last].text.push(')');
        }
    }
}

/// The entries of each record, levels 66, 77 and 88 left out.
fn records(tokens: &[Token], from: usize, to: usize) -> Vec<Vec<DataEntry>> {
    let mut records: Vec<Vec<DataEntry>> = Vec::new();
    let mut at = from;
    while at < to {
        if tokens[at].is_any(&["EXEC", "EXECUTE"]) {
            at = skip_exec(tokens, at);
            continue;
        }
        let end = (at..to).find(|i| is_period(tokens, *i)).unwrap_or(to);
        if let Some(entry) = entry(&tokens[at..end]) {
            match (entry.level, records.last_mut()) {
                (1, _) => records.push(vec![entry]),
                (2..=49, Some(record)) => record.push(entry),
                _ => {}
            }
        }
        at = end + 1;
    }
    records
}

fn entry(tokens: &[Token]) -> Option<DataEntry> {
    let first = tokens.first().filter(|t| t.kind == TokenKind::Word)?;
    let level = first.text.parse().ok()?;
    let has = |word: &str| tokens.iter().any(|t| t.is(word));
    Some(DataEntry {
        level,
        name: tokens.get(1).map(Token::upper).unwrap_or_default(),
        place: first.place,
        redefines: has("REDEFINES"),
        varies: has("OCCURS") && has("DEPENDING"),
    })
}

/// Whether items of a record move with a counter: they follow a table
/// that varies, or are one within another.
fn slides(record: &[DataEntry]) -> bool {
    record.iter().enumerate().any(|(at, table)| {
        let mut following = record[at + 1..].iter();
        let inner = |e: &DataEntry| e.level > table.level;
        table.varies && following.any(|e| !inner(e) || e.varies)
    })
}

/// Whether a record varies and something in it is described again.
fn is_counted_twice(record: &[DataEntry]) -> bool {
    let below = || record.iter().skip(1);
    below().any(|e| e.varies) && below().any(|e| e.redefines)
}

/// The groups of a record in which both are.
fn groups(record: &[DataEntry]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, group) in record.iter().enumerate() {
        let inner = record[at + 1..].iter();
        let inner = inner.take_while(|e| e.level > group.level);
        let (mut varies, mut redefines) = (false, false);
        for entry in inner {
            varies |= entry.varies;
            redefines |= entry.redefines;
        }
        if varies && redefines {
            found.push(group.name.clone());
        }
    }
    found
}

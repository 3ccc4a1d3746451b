//! A POINTER and a number of four bytes in the same storage.
//!
//! `01 P POINTER. 01 PN REDEFINES P PIC S9(9) COMP.` is how programs of z/OS
//! compute with addresses. A POINTER has 8 bytes here, the lowest first, and such
//! a number would see half of them in the wrong order. So it is compiled as
//! `PIC S9(18) COMP-5`, which has the bytes of the pointer: arithmetic with it
//! moves the address. Any other description of four bytes of a pointer is reported,
//! and so is a group or a table over a group that has pointers.
//!
//! Reference: Enterprise COBOL Language Reference, "POINTER phrase" (4 bytes with
//! LP(32)), "REDEFINES clause".

use std::ops::Range;

use crate::outline::ProgramUnit;
use crate::records::entry_ranges;
use crate::source::SourcePlace;
use crate::token::{Token, TokenKind};
use crate::translate::TranslationState;

/// A data description entry.
struct DataEntry {
    level: u8,
    name: String,
    place: SourcePlace,
    redefines: Option<String>,
    kind: ItemKind,
    is_pointer: bool,
    is_table: bool,
    /// From its level number to its period.
    tokens: Range<usize>,
}

/// As much of an item's type as matters here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    Pointer,
    /// A binary number of four bytes, or of eight with the highest first.
    Binary,
    /// A number with the bytes of a pointer.
    Native,
    /// No PICTURE and no USAGE of its own, or a table.
    Group,
    Other,
}

const POINTER: &[&str] = &["POINTER", "POINTER-32"];

const BINARY: &[&str] = &[
    "BINARY",
    "COMP",
    "COMP-4",
    "COMP-5",
    "COMPUTATIONAL",
    "COMPUTATIONAL-4",
    "COMPUTATIONAL-5",
];

impl TranslationState {
    /// Gives numbers of four bytes that share a pointer's storage its size, and
    /// warns of what else describes four of its bytes.
    pub(crate) fn pointer_numbers(&mut self, units: &[ProgramUnit]) {
        for unit in units {
            let Some(data) = unit.data else { continue };
            let end = unit.procedure.unwrap_or(unit.end).min(self.tokens.len());
            let entries = entries(&self.tokens, data, end);
            for at in 0..entries.len() {
                let Some(first) = redefined(&entries, at) else {
                    continue;
                };
                let (old, new) = (&entries[first], &entries[at]);
                match (old.kind, new.kind) {
                    (ItemKind::Pointer, ItemKind::Pointer | ItemKind::Native)
                    | (ItemKind::Native, ItemKind::Pointer) => {}
                    (ItemKind::Pointer, _) => self.describe_pointer(&entries, at, old),
                    (_, ItemKind::Pointer) => self.describe_pointer(&entries, first, new),
                    _ => match (holds_pointer(&entries, first), holds_pointer(&entries, at)) {
                        (true, false) => self.describe_holder(new, old),
                        (false, true) => self.describe_holder(old, new),
                        _ => {}
                    },
                }
            }
        }
    }

    /// `entry` shares the storage of a group or table that holds pointers. An entry that is
    /// one string of characters has nothing after a pointer.
    fn describe_holder(&mut self, entry: &DataEntry, holder: &DataEntry) {
        if entry.kind != ItemKind::Group && !entry.is_table {
            return;
        }
        let message = format!(
            "{} describes storage in which {} has a POINTER, which has 8 bytes here and 4 on z/OS",
            entry.name, holder.name
        );
        let help = "describe the pointer there, too, so that what follows it is in its place";
        self.warn(entry.place, message, help);
    }

    /// `at` is the item that shares the storage of `pointer`.
    fn describe_pointer(&mut self, entries: &[DataEntry], at: usize, pointer: &DataEntry) {
        let below: Vec<&DataEntry> = below(entries, at).collect();
        let number = match (entries[at].kind, below.as_slice()) {
            (ItemKind::Binary, _) => &entries[at],
            (ItemKind::Group, [only]) if only.kind == ItemKind::Binary => only,
            (ItemKind::Group, [only]) if only.kind == ItemKind::Native => return,
            _ => {
                let message = format!(
                    "{} describes the bytes of the POINTER {}, which has 8 bytes here and 4 on z/OS",
                    entries[at].name, pointer.name
                );
                let help = "compute with SET … UP BY, or with a PIC S9(9) COMP in its place alone";
                self.warn(entries[at].place, message, help);
                return;
            }
        };
        let period = number.tokens.end;
        for i in picture_and_usage(&self.tokens, number.tokens.clone()) {
            self.edits.dropped.insert(i);
        }
        let place = number.place;
        self.edits
            .insert(period, "PIC S9(18) COMP-5".to_owned(), place);
        let message = format!(
            "{} is the POINTER {} as a number: it has 8 bytes here and 4 on z/OS",
            number.name, pointer.name
        );
        let help = "it is compiled as PIC S9(18) COMP-5: arithmetic with it moves the address, and \
                    an address does not fit into another item of 4 bytes";
        self.warn(place, message, help);
    }
}

/// The entries of a group.
fn below(entries: &[DataEntry], at: usize) -> impl Iterator<Item = &DataEntry> {
    let level = entries[at].level;
    let after = entries[at + 1..].iter();
    after.take_while(move |e| e.level > level && e.level < 50)
}

fn holds_pointer(entries: &[DataEntry], at: usize) -> bool {
    entries[at].is_pointer || below(entries, at).any(|e| e.is_pointer)
}

/// The entry that another one redefines: the nearest one before it of that name
/// and level.
fn redefined(entries: &[DataEntry], at: usize) -> Option<usize> {
    let name = entries[at].redefines.as_ref()?;
    let level = entries[at].level;
    entries[..at]
        .iter()
        .rposition(|e| e.level == level && e.name == *name)
}

/// The entries of a data division, levels 66 and 88 left out.
fn entries(tokens: &[Token], from: usize, to: usize) -> Vec<DataEntry> {
    let ranges = entry_ranges(tokens, from, to).into_iter();
    ranges.filter_map(|range| entry(tokens, range)).collect()
}

fn entry(tokens: &[Token], range: Range<usize>) -> Option<DataEntry> {
    let own = &tokens[range.clone()];
    let first = own.first().filter(|t| t.kind == TokenKind::Word)?;
    let level = first.text.parse().ok()?;
    if !matches!(level, 1..=49 | 77) {
        return None;
    }
    let target = own.iter().position(|t| t.is("REDEFINES"));
    let redefines = target.and_then(|at| own.get(at + 1)).map(Token::upper);
    Some(DataEntry {
        level,
        name: own.get(1).map(Token::upper).unwrap_or_default(),
        place: first.place,
        redefines,
        kind: kind(tokens, range.clone()),
        is_pointer: own.iter().any(|t| t.is_any(POINTER)),
        is_table: own.iter().any(|t| t.is("OCCURS")),
        tokens: range,
    })
}

fn kind(tokens: &[Token], range: Range<usize>) -> ItemKind {
    let own = &tokens[range.clone()];
    let has = |words: &[&str]| own.iter().any(|t| t.is_any(words));
    let picture = own.iter().position(|t| t.is_any(&["PIC", "PICTURE"]));
    if has(&["OCCURS"]) {
        return ItemKind::Other;
    }
    match picture {
        None if has(POINTER) => ItemKind::Pointer,
        None if has(&["USAGE", "INDEX"]) || has(BINARY) => ItemKind::Other,
        None => ItemKind::Group,
        Some(_) if !has(BINARY) => ItemKind::Other,
        Some(_) => match digits(tokens, range) {
            Some(10..=18) if has(&["COMP-5", "COMPUTATIONAL-5"]) => ItemKind::Native,
            Some(5..=18) => ItemKind::Binary,
            _ => ItemKind::Other,
        },
    }
}

/// The places of an entry's PICTURE and of its USAGE.
fn picture_and_usage(tokens: &[Token], range: Range<usize>) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let next = |n: usize, word: &str| at + n < range.end && tokens[at + n].is(word);
        if tokens[at].is_any(&["PIC", "PICTURE"]) {
            let string = at + 1 + usize::from(next(1, "IS"));
            let end = picture_end(tokens, string, range.end);
            found.extend(at..end);
            at = end;
            continue;
        }
        if tokens[at].is("USAGE") {
            found.push(at);
            if next(1, "IS") {
                found.push(at + 1);
            }
        } else if tokens[at].is_any(BINARY) {
            found.push(at);
        }
        at += 1;
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// A PICTURE's string ends at a blank.
fn picture_end(tokens: &[Token], string: usize, end: usize) -> usize {
    let rest = string + 1..end.max(string + 1);
    rest.clone().find(|&i| tokens[i].spaced).unwrap_or(rest.end)
}

/// The digits of an integer's PICTURE; `None` for everything else.
fn digits(tokens: &[Token], range: Range<usize>) -> Option<u32> {
    let own = range.clone();
    let at = own
        .clone()
        .find(|&i| tokens[i].is_any(&["PIC", "PICTURE"]))?;
    let is = usize::from(tokens.get(at + 1).is_some_and(|t| t.is("IS")));
    let string = at + 1 + is;
    let text: String = tokens[string..picture_end(tokens, string, range.end)]
        .iter()
        .map(Token::upper)
        .collect();
    let mut rest = text.strip_prefix('S').unwrap_or(&text);
    let mut digits = 0u32;
    while let Some(after) = rest.strip_prefix('9') {
        let count = after.strip_prefix('(').and_then(|r| r.split_once(')'));
        let (n, after) = match count {
            Some((n, after)) => (n.parse().ok()?, after),
            None => (1, after),
        };
        digits += n;
        rest = after;
    }
    rest.is_empty().then_some(digits)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::copy::CopyLibrary;
    use crate::translate::translate;
    use copybook::ReferenceFormat;

    /// The data division as it is compiled, and the messages.
    fn compiled(data: &str) -> (String, Vec<String>) {
        let program = format!(
            "IDENTIFICATION DIVISION. PROGRAM-ID. P. DATA DIVISION. WORKING-STORAGE SECTION. \
             {data} PROCEDURE DIVISION. GOBACK."
        );
        let (path, library) = (Path::new("P.cbl"), CopyLibrary::default());
        let done = translate(path, program.as_bytes(), ReferenceFormat::Free, &library);
        let text = String::from_utf8(done.text).expect("text");
        let lines = text.lines().filter(|l| !l.starts_with('#'));
        let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
        let said = done.diagnostics.into_iter().map(|d| d.finding.message);
        (words.join(" "), said.collect())
    }

    #[test]
    fn a_number_that_redefines_a_pointer_gets_its_bytes() {
        for data in [
            "01 P POINTER. 01 PN REDEFINES P PIC S9(9) COMP.",
            "01 P USAGE IS POINTER. 01 PN REDEFINES P USAGE IS BINARY PICTURE IS 9(8).",
            "01 G. 05 P POINTER. 05 PG REDEFINES P. 10 PN PIC S9(8) COMP-5.",
            "01 PN PIC S9(9) COMP. 01 P REDEFINES PN POINTER.",
        ] {
            let (text, said) = compiled(data);
            assert!(text.contains("PIC S9(18) COMP-5"), "{text}");
            assert!(!text.contains("9(9)") && !text.contains("9(8)"), "{text}");
            assert_eq!(
                said,
                ["PN is the POINTER P as a number: it has 8 bytes here and 4 on z/OS"],
                "{data}"
            );
        }
    }

    #[test]
    fn other_bytes_of_a_pointer_are_reported_and_left_alone() {
        let (text, said) = compiled("01 P POINTER. 01 PX REDEFINES P PIC X(4).");
        assert!(text.contains("PX REDEFINES P PIC X(4)"), "{text}");
        assert_eq!(said.len(), 1);
        assert!(said[0].starts_with("PX describes the bytes of the POINTER P"));
    }

    #[test]
    fn groups_and_tables_over_pointers_are_reported() {
        for (data, name) in [
            (
                "01 T. 05 TP POINTER OCCURS 2. 01 N REDEFINES T. 05 NN PIC S9(9) COMP OCCURS 2.",
                "N describes storage in which T has a POINTER",
            ),
            (
                "01 G. 05 A PIC X(4). 05 P POINTER. 05 B PIC X(2). 01 H REDEFINES G. 05 HA PIC X(8). 05 HB PIC X(2).",
                "H describes storage in which G has a POINTER",
            ),
            (
                "01 G. 05 N PIC S9(9) COMP OCCURS 3. 05 P REDEFINES N POINTER OCCURS 3.",
                "N describes storage in which P has a POINTER",
            ),
        ] {
            let (_, said) = compiled(data);
            assert_eq!(said.len(), 1, "{data}: {said:?}");
            assert!(said[0].starts_with(name), "{said:?}");
        }
        for data in [
            "01 G. 05 A PIC X(4). 05 P POINTER. 01 H REDEFINES G. 05 HA PIC X(4). 05 Q POINTER.",
            "01 G. 05 A PIC X(4). 05 P POINTER. 01 H REDEFINES G PIC X(12).",
        ] {
            let (_, said) = compiled(data);
            assert!(said.is_empty(), "{data}: {said:?}");
        }
    }

    #[test]
    fn pointers_and_numbers_apart_are_left_alone() {
        let (text, said) = compiled(
            "01 P POINTER. 01 Q REDEFINES P POINTER. 01 R REDEFINES P PIC S9(18) COMP-5. 01 N PIC S9(9) COMP.",
        );
        assert!(text.contains("PIC S9(9) COMP."), "{text}");
        assert!(said.is_empty(), "{said:?}");
    }
}

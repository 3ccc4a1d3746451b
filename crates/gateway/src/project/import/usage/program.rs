//! A program's words with its COPY members, and the names by which it calls a
//! record.

use copybook::{CopyFolders, FaultKind, PieceKind, RecordLayout, ReferenceFormat, preprocess};
use std::collections::HashSet;
use std::path::PathBuf;

/// The statements of a program that use a record.
pub(super) struct Program {
    /// The words of its procedures: names and keywords in upper case, literals
    /// as they are written, every other mark as its own word.
    pub procedures: Vec<String>,
    /// The record's names: its own, DFHCOMMAREA, and every group of the program
    /// that has the record's fields, or that such a group is in.
    pub names: HashSet<String>,
    /// Whether a group with the record's fields is declared in the program, so
    /// that other groups are not the record.
    pub is_declared: bool,
}

impl Program {
    /// Reads a program. Returns `None` when it has no procedures, or when some of them
    /// are in COPY members that are missing.
    pub fn read(layout: &RecordLayout, text: &str, copies: &[PathBuf]) -> Option<Program> {
        let folders = CopyFolders::new(copies);
        let read = preprocess("program", text, ReferenceFormat::detect(text), &folders);
        let mut words: Vec<String> = Vec::new();
        // The start of the procedures: their first word, and its line.
        let mut start = None;
        let mut adjacent = false;
        for piece in &read.pieces {
            let joins = adjacent && piece.kind == PieceKind::Word;
            adjacent = piece.kind == PieceKind::Word;
            match piece.kind {
                PieceKind::Gap => {}
                PieceKind::Word if joins => {
                    if let Some(word) = words.last_mut() {
                        word.push_str(&piece.text.to_ascii_uppercase());
                    }
                }
                PieceKind::Word => words.push(piece.text.to_ascii_uppercase()),
                _ => words.push(piece.text.clone()),
            }
            let heads = words.ends_with(&["PROCEDURE".to_owned(), "DIVISION".to_owned()]);
            if heads && start.is_none() {
                start = Some((words.len(), piece.at));
            }
        }
        let (start, at) = start?;
        let missing = read.diagnostics.list.iter().any(|fault| {
            matches!(fault.kind, FaultKind::MissingMember(_))
                && (fault.at.file != at.file || fault.at.line > at.line)
                && fault.at.file == 0
        });
        if missing {
            return None;
        }
        let (names, is_declared) = names(layout, &words[..start]);
        // After its heading, which names the parameters.
        let header = words[start..].iter().position(|word| word == ".")?;
        Some(Program {
            procedures: words.split_off(start + header + 1),
            names,
            is_declared,
        })
    }
}

/// An item of a data division: its level and name.
struct Item<'a> {
    level: u8,
    name: &'a str,
}

fn items(words: &[String]) -> Vec<Item<'_>> {
    let heads = words.windows(3).filter(|w| w[0] == ".");
    let items = heads.filter_map(|w| {
        let level = w[1].parse::<u8>().ok();
        let level = level.filter(|n| matches!(n, 1..=49 | 77))?;
        let name = match w[2].as_str() {
            "." | "PIC" | "PICTURE" | "OCCURS" | "REDEFINES" | "USAGE" | "VALUE" => "FILLER",
            name => name,
        };
        Some(Item { level, name })
    });
    items.collect()
}

/// The record's names in a program, and whether it is described there.
fn names(layout: &RecordLayout, words: &[String]) -> (HashSet<String>, bool) {
    let items = items(words);
    let own: Vec<Option<&str>> = layout.iter().map(|(_, f)| f.name.as_deref()).collect();
    let mut names = HashSet::from(["DFHCOMMAREA".to_owned(), layout.name().to_owned()]);
    let mut is_declared = false;
    for (at, item) in items.iter().enumerate() {
        let Some(below) = items[at + 1..].get(..own.len() - 1) else {
            break;
        };
        let same = own.len() > 1
            && below
                .iter()
                .zip(&own[1..])
                .all(|(item, own)| own.is_none_or(|own| own == item.name));
        if !same {
            continue;
        }
        is_declared = true;
        names.insert(item.name.to_owned());
        let mut level = item.level;
        for above in items[..at].iter().rev() {
            if level == 1 || level == 77 {
                break;
            }
            if above.level < level {
                level = above.level;
                names.insert(above.name.to_owned());
            }
        }
    }
    names.remove("FILLER");
    (names, is_declared)
}

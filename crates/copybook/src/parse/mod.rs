//! From tokens to data description entries.
//!
//! Every clause of a data description is read here; what a clause means for the
//! bytes is decided by the layout pass. After a fault the parser continues after
//! the next period, so one run reports them all.
//!
//! Reference: Enterprise COBOL Language Reference, "Data division, data
//! description entry"; GnuCOBOL Programmer's Guide, same chapter.
//!
//! Invariant: no clause is skipped. A word that starts no known clause is an
//! error with its place.

mod clauses;
mod constants;
mod entry;
mod values;

pub use entry::{
    DataEntry, DataReference, RecordEntries, RenamesEntry, SignClause, Usage, WithPosition,
};

use std::collections::HashMap;

use crate::diagnostic::{Diagnostics, SourcePosition};
use crate::model::Condition;
use crate::source::{Cursor, Token};

use constants::Constant;

/// The result of parsing, for the layout pass.
#[derive(Debug, Default)]
pub struct ParsedText {
    /// Records in source order.
    pub records: Vec<RecordEntries>,
    /// Integer constants, for repetitions in pictures.
    pub integers: HashMap<String, u64>,
}

/// Reads all entries of `cursor`. `record_name` names the record of a text
/// that starts below level 01.
pub fn parse(cursor: Cursor<'_>, record_name: &str, diagnostics: &mut Diagnostics) -> ParsedText {
    let mut parser = Parser {
        cursor,
        diagnostics,
        records: Vec::new(),
        constants: HashMap::new(),
        gap_in_source: None,
        record_name,
    };
    while *parser.cursor.peek() != Token::End {
        parser.sentence();
    }
    let integers = parser
        .constants
        .iter()
        .filter_map(|(name, constant)| Some((name.clone(), constant.integer()?)))
        .collect();
    ParsedText {
        records: parser.records,
        integers,
    }
}

/// Reads one text.
struct Parser<'a> {
    cursor: Cursor<'a>,
    diagnostics: &'a mut Diagnostics,
    records: Vec<RecordEntries>,
    /// Level-78 entries and 01 CONSTANT entries so far.
    constants: HashMap<String, Constant>,
    /// Text that a missing EXEC SQL INCLUDE would have brought.
    gap_in_source: Option<SourcePosition>,
    record_name: &'a str,
}

impl Parser<'_> {
    /// Reads one entry, or reports what is in its place.
    fn sentence(&mut self) {
        let at = self.cursor.place();
        match self.cursor.take() {
            Token::Period => {}
            Token::Number(text) => self.entry(&text, at),
            Token::Word(word) if word == "EXEC" => self.exec(at),
            Token::Bad(message) => {
                self.diagnostics.error(at, message);
                self.recover();
            }
            other => {
                self.diagnostics.error_help(
                    at,
                    format!("expected a level number, found {}", shown(&other)),
                    "an entry starts with its level number and ends with a period",
                );
                self.recover();
            }
        }
    }

    /// Reads the entry whose level number was just taken.
    fn entry(&mut self, text: &str, at: SourcePosition) {
        let level = match text.parse::<u8>() {
            Ok(level) if text.len() <= 2 => level,
            _ => 0,
        };
        match level {
            1..=49 | 77 => self.data(level, at),
            66 => self.renames(at),
            78 => self.constant_78(at),
            88 => self.condition(at),
            _ => {
                self.diagnostics.error_help(
                    at,
                    format!("{text} is not a level number"),
                    "level numbers are 01 to 49, 66, 77, 78 and 88",
                );
                self.recover();
            }
        }
    }

    /// Level 01 to 49 and 77.
    fn data(&mut self, level: u8, at: SourcePosition) {
        self.check_gap(level, at);
        let mut entry = DataEntry::new(level, at);
        entry.name = self.data_name();
        if matches!(self.cursor.peek(), Token::Word(w) if w == "CONSTANT") {
            self.constant_01(entry, at);
            return;
        }
        entry.faulty = self.clauses(&mut entry).is_none();
        self.add(entry);
    }

    /// A user-defined word, FILLER, or nothing when a clause follows.
    fn data_name(&mut self) -> Option<String> {
        let name = match self.cursor.peek() {
            Token::Word(word) if word == "FILLER" => None,
            Token::Word(word) if clauses::starts_clause(word) && !self.is_name_too(word) => {
                return None;
            }
            Token::Word(word) => Some(word.clone()),
            _ => return None,
        };
        let at = self.cursor.place();
        self.cursor.take();
        if let Some(name) = &name {
            self.check_name(name, at);
        }
        name
    }

    /// Whether a word that can start a clause is a name here: no PICTURE can
    /// follow it as a clause, and other compilers do not reserve it.
    fn is_name_too(&self, word: &str) -> bool {
        let only_here = ["TYPE", "SAME", "HANDLE", "FLOAT", "DOUBLE", "TYPEDEF"];
        only_here.contains(&word) && self.cursor.second_is(&["PIC", "PICTURE"])
    }

    /// Reports a word that cannot be a name.
    fn check_name(&mut self, name: &str, at: SourcePosition) {
        let letters = name.chars().any(char::is_alphabetic);
        if !letters || name.starts_with('-') || name.ends_with('-') {
            self.diagnostics.error_help(
                at,
                format!("{name} is not a data name"),
                "names have at least one letter and neither start nor end with a hyphen",
            );
        } else if name.chars().count() > MAX_NAME {
            self.diagnostics
                .error(at, format!("a name has at most {MAX_NAME} characters"));
        }
    }

    /// Puts an entry into its record.
    fn add(&mut self, entry: DataEntry) {
        let starts = matches!(entry.level, 1 | 77);
        if starts {
            self.records.push(RecordEntries {
                entries: vec![entry],
                renames: Vec::new(),
            });
            return;
        }
        if self.records.is_empty() {
            // A copybook made to be copied below an 01 level of the program.
            let mut record = DataEntry::new(1, entry.at);
            record.name = Some(self.record_name.to_owned());
            self.records.push(RecordEntries {
                entries: vec![record],
                renames: Vec::new(),
            });
        }
        let Some(record) = self.records.last_mut() else {
            return;
        };
        if record.entries[0].level == 77 {
            self.diagnostics.error_help(
                entry.at,
                "level 77 has no items below it",
                "use level 01 for a record",
            );
        }
        record.entries.push(entry);
    }

    /// Level 66.
    fn renames(&mut self, at: SourcePosition) {
        let name_at = self.cursor.place();
        let name = self.user_word("the name of the level-66 item");
        let renames = name.is_some() && self.expect("RENAMES");
        let from = renames.then(|| self.reference()).flatten();
        let (Some(name), Some(from)) = (name, from) else {
            self.recover();
            return;
        };
        let mut through = None;
        if self.cursor.accept_any(&["THRU", "THROUGH"]) {
            through = self.reference();
            if through.is_none() {
                self.recover();
                return;
            }
        }
        self.period();
        match self.records.last_mut() {
            Some(record) => {
                let after = record.entries.len();
                record.renames.push(RenamesEntry {
                    name: WithPosition {
                        is: name,
                        at: name_at,
                    },
                    from,
                    through,
                    after,
                });
            }
            None => self
                .diagnostics
                .error(at, "level 66 must follow the items it renames"),
        }
    }

    /// Level 88.
    fn condition(&mut self, at: SourcePosition) {
        let name = self.user_word("the name of the condition");
        let values = name.is_some().then(|| self.condition_values()).flatten();
        let (Some(name), Some(values)) = (name, values) else {
            self.recover();
            return;
        };
        self.period();
        match self.records.last_mut().and_then(|r| {
            let renamed = r.renames.last().is_some_and(|e| e.after == r.entries.len());
            r.entries.last_mut().map(|entry| (entry, renamed))
        }) {
            Some((_, true)) => self.diagnostics.warn(
                at,
                format!("condition {name} on a level-66 item is not kept"),
            ),
            Some((entry, false)) => entry.conditions.push(Condition { name, values }),
            None => self.diagnostics.error_help(
                at,
                "level 88 must follow its item",
                "put the item's entry before its conditions",
            ),
        }
    }

    /// EXEC in the data division: declarations for a database are not data; text to
    /// be included that is not there may be.
    fn exec(&mut self, at: SourcePosition) {
        let mut words = Vec::new();
        loop {
            match self.cursor.take() {
                Token::Word(word) if word == "END-EXEC" => break,
                Token::End => {
                    self.diagnostics
                        .error(at, "the END-EXEC of this EXEC is missing");
                    return;
                }
                Token::Word(word) if words.len() < 3 => words.push(word),
                _ => {}
            }
        }
        if *self.cursor.peek() == Token::Period {
            self.cursor.take();
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["SQL", "INCLUDE", member] => {
                self.diagnostics.warn(
                    at,
                    format!(
                        "EXEC SQL INCLUDE {member} is not expanded, its records are not listed"
                    ),
                );
                self.gap_in_source = Some(at);
            }
            ["SQL", "DECLARE" | "BEGIN" | "END" | "WHENEVER", ..] => {}
            _ => self.diagnostics.error(
                at,
                format!("EXEC {} does not describe data", words.join(" ")),
            ),
        }
    }

    /// After text that is not there, only a new record is certain.
    fn check_gap(&mut self, level: u8, at: SourcePosition) {
        if let Some(gap) = self.gap_in_source.take()
            && !matches!(level, 1 | 77)
        {
            let line = gap.line;
            self.diagnostics.error(
                at,
                format!("items follow the text that line {line} would include"),
            );
        }
    }

    /// A word that is a name, or a report of what was expected.
    fn user_word(&mut self, what: &str) -> Option<String> {
        let at = self.cursor.place();
        match self.cursor.peek() {
            Token::Word(word) if !clauses::starts_clause(word) => {
                let word = word.clone();
                self.cursor.take();
                self.check_name(&word, at);
                Some(word)
            }
            other => {
                let message = format!("expected {what}, found {}", shown(other));
                self.diagnostics.error(at, message);
                None
            }
        }
    }

    /// A data name with qualifiers.
    fn reference(&mut self) -> Option<WithPosition<DataReference>> {
        let at = self.cursor.place();
        let name = self.user_word("a data name")?;
        let mut qualifiers = Vec::new();
        while self.cursor.accept_any(&["OF", "IN"]) {
            qualifiers.push(self.user_word("the name of a group")?);
        }
        Some(WithPosition {
            is: DataReference { name, qualifiers },
            at,
        })
    }

    /// Takes the word `word` or reports its absence.
    fn expect(&mut self, word: &str) -> bool {
        let found = self.cursor.accept(word);
        if !found {
            let message = format!("expected {word}, found {}", shown(self.cursor.peek()));
            self.diagnostics.error(self.cursor.place(), message);
        }
        found
    }

    /// Takes the period that ends an entry, or goes to the next entry and returns
    /// `None`.
    fn period(&mut self) -> Option<()> {
        if *self.cursor.peek() == Token::Period {
            self.cursor.take();
            Some(())
        } else {
            self.unexpected();
            None
        }
    }

    /// Reports the token ahead where a clause or the period was expected.
    fn unexpected(&mut self) {
        let at = self.cursor.place();
        let starts_entry = self.cursor.at_line_start()
            && matches!(self.cursor.peek(), Token::Number(n) if n.len() <= 2);
        match self.cursor.peek() {
            Token::Bad(message) => {
                let message = message.clone();
                self.diagnostics.error(at, message);
            }
            Token::End => self.diagnostics.error_help(
                at,
                "the period that ends the last entry is missing",
                "end every entry with a period",
            ),
            _ if starts_entry => {
                let before = self.cursor.before().filter(|b| b.file == at.file);
                let help = match before {
                    Some(b) => format!(
                        "end every entry with a period: put one after the text of line {}",
                        b.line
                    ),
                    None => "end every entry with a period".to_owned(),
                };
                self.diagnostics.error_help(
                    at,
                    "the period that ends the entry before this one is missing",
                    help,
                );
                return;
            }
            Token::Word(word) => {
                let message = format!("{word} is not a clause of a data description");
                let help = base::suggestion(word, CLAUSES.iter().copied());
                match help {
                    Some(help) => self.diagnostics.error_help(at, message, help),
                    None => self.diagnostics.error(at, message),
                }
            }
            other => {
                let message = format!("{} is not expected here", shown(other));
                self.diagnostics.error(at, message);
            }
        }
        self.recover();
    }

    /// Continues after the next period.
    fn recover(&mut self) {
        loop {
            match self.cursor.peek() {
                Token::End => return,
                Token::Period => {
                    self.cursor.take();
                    return;
                }
                _ => {
                    self.cursor.take();
                }
            }
        }
    }
}

/// Characters a name may have, as for `cobc`.
const MAX_NAME: usize = 63;

/// A token for a diagnostic.
fn shown(token: &Token) -> String {
    match token {
        Token::Word(word) => word.clone(),
        Token::Number(number) => number.clone(),
        Token::Literal(_) => "a literal".into(),
        Token::Period => "a period".into(),
        Token::Symbol(c) => format!("'{c}'"),
        Token::Bad(message) => message.clone(),
        Token::End => "the end of the text".into(),
    }
}
/// Words that begin clauses or are usages.
const CLAUSES: &[&str] = &[
    "PIC",
    "PICTURE",
    "USAGE",
    "VALUE",
    "VALUES",
    "OCCURS",
    "REDEFINES",
    "COMP",
    "COMP-1",
    "COMP-2",
    "COMP-3",
    "COMP-4",
    "COMP-5",
    "COMPUTATIONAL",
    "COMPUTATIONAL-3",
    "BINARY",
    "PACKED-DECIMAL",
    "DISPLAY",
    "POINTER",
    "SIGN",
    "JUSTIFIED",
    "SYNCHRONIZED",
    "BLANK",
    "INDEXED",
    "DEPENDING",
    "ASCENDING",
    "DESCENDING",
    "TIMES",
    "EXTERNAL",
    "GLOBAL",
];

//! The clauses of a data description entry.

use crate::source::Token;

use super::entry::{DataEntry, OccursClause, SignClause, Usage, WithPosition};
use super::{Parser, shown};

/// The clauses, by what reads them.
#[derive(Debug, Clone, Copy)]
enum Clause {
    Picture,
    Usage,
    Sign,
    Occurs,
    Redefines,
    Synchronized,
    Justified,
    Blank,
    Value,
    Is,
    External,
    RecordOnly,
    Volatile,
    Typedef,
    Like,
}

/// The words that start each clause.
const CLAUSES: &[(&[&str], Clause)] = &[
    (&["PIC", "PICTURE"], Clause::Picture),
    (&["USAGE"], Clause::Usage),
    (&["SIGN", "LEADING", "TRAILING"], Clause::Sign),
    (&["OCCURS"], Clause::Occurs),
    (&["REDEFINES"], Clause::Redefines),
    (&["SYNC", "SYNCHRONIZED"], Clause::Synchronized),
    (&["JUST", "JUSTIFIED"], Clause::Justified),
    (&["BLANK"], Clause::Blank),
    (&["VALUE", "VALUES"], Clause::Value),
    (&["IS"], Clause::Is),
    (&["EXTERNAL"], Clause::External),
    (&["GLOBAL", "BASED"], Clause::RecordOnly),
    (&["VOLATILE"], Clause::Volatile),
    (&["TYPEDEF"], Clause::Typedef),
    (&["SAME", "TYPE"], Clause::Like),
];

/// Words that name a usage, alone or after USAGE.
const USAGES: &[(&[&str], Usage)] = &[
    (&["DISPLAY"], Usage::Display),
    (
        &[
            "COMP",
            "COMPUTATIONAL",
            "COMP-4",
            "COMPUTATIONAL-4",
            "BINARY",
        ],
        Usage::Binary,
    ),
    (&["COMP-5", "COMPUTATIONAL-5"], Usage::Native),
    (
        &["COMP-X", "COMPUTATIONAL-X", "COMP-N", "COMPUTATIONAL-N"],
        Usage::BinaryFull,
    ),
    (
        &["COMP-1", "COMPUTATIONAL-1", "FLOAT-SHORT", "FLOAT"],
        Usage::Float,
    ),
    (
        &["COMP-2", "COMPUTATIONAL-2", "FLOAT-LONG", "DOUBLE"],
        Usage::Double,
    ),
    (
        &["COMP-3", "COMPUTATIONAL-3", "PACKED-DECIMAL"],
        Usage::Packed,
    ),
    (&["COMP-6", "COMPUTATIONAL-6"], Usage::PackedUnsigned),
    (&["FLOAT-DECIMAL-16"], Usage::DecimalFloat(8)),
    (&["FLOAT-DECIMAL-34"], Usage::DecimalFloat(16)),
    (&["INDEX"], Usage::Index),
    (
        &["POINTER", "POINTER-32", "FUNCTION-POINTER"],
        Usage::Pointer,
    ),
    (
        &["PROCEDURE-POINTER", "PROGRAM-POINTER"],
        Usage::ProcedurePointer,
    ),
    (&["NATIONAL"], Usage::National),
    (&["DISPLAY-1"], Usage::Dbcs),
    (&["BINARY-CHAR"], integer(1, true)),
    (&["BINARY-SHORT", "SIGNED-SHORT"], integer(2, true)),
    (&["BINARY-LONG", "SIGNED-INT", "HANDLE"], integer(4, true)),
    (
        &["BINARY-DOUBLE", "BINARY-C-LONG", "SIGNED-LONG"],
        integer(8, true),
    ),
    (&["UNSIGNED-SHORT"], integer(2, false)),
    (&["UNSIGNED-INT"], integer(4, false)),
    (&["UNSIGNED-LONG"], integer(8, false)),
];

/// Usages that are known words but have no defined storage here.
const REFUSED_USAGES: &[&str] = &[
    "COMP-0",
    "COMPUTATIONAL-0",
    "COMP-7",
    "COMP-9",
    "BIT",
    "OBJECT",
    "FLOAT-EXTENDED",
    "FLOAT-BINARY-32",
    "FLOAT-BINARY-64",
    "FLOAT-BINARY-128",
    "UTF-8",
];

const fn integer(bytes: u32, signed: bool) -> Usage {
    Usage::Integer { bytes, signed }
}

/// Whether an entry without a name may continue with `word`.
pub fn starts_clause(word: &str) -> bool {
    clause(word).is_some() || usage(word).is_some() || REFUSED_USAGES.contains(&word)
}

fn clause(word: &str) -> Option<Clause> {
    let row = CLAUSES.iter().find(|(words, _)| words.contains(&word))?;
    Some(row.1)
}

fn usage(word: &str) -> Option<Usage> {
    let row = USAGES.iter().find(|(words, _)| words.contains(&word))?;
    Some(row.1)
}

impl Parser<'_> {
    /// Reads clauses up to and with the period of the entry; `None` after a
    /// fault.
    pub(super) fn clauses(&mut self, entry: &mut DataEntry) -> Option<()> {
        loop {
            let Token::Word(word) = self.cursor.peek() else {
                return self.period();
            };
            let word = word.clone();
            let read = if usage(&word).is_some() || REFUSED_USAGES.contains(&word.as_str()) {
                self.usage(entry)
            } else if let Some(clause) = clause(&word) {
                self.clause(clause, entry)
            } else {
                self.unexpected();
                return None;
            };
            if read.is_none() {
                self.recover();
                return None;
            }
        }
    }

    /// Reads one clause whose first word is ahead; `None` after a fault.
    fn clause(&mut self, clause: Clause, entry: &mut DataEntry) -> Option<()> {
        match clause {
            Clause::Picture => self.picture(entry),
            Clause::Usage => self.usage_clause(entry),
            Clause::Sign => self.sign(entry),
            Clause::Occurs => self.occurs(entry),
            Clause::Redefines => self.redefines(entry),
            Clause::Synchronized => self.synchronized(entry),
            Clause::Justified => self.justified(entry),
            Clause::Blank => self.blank(entry),
            Clause::Value => self.value(entry),
            Clause::Is => self.is(entry),
            Clause::External => self.external(entry),
            Clause::RecordOnly => self.record_only(entry),
            Clause::Volatile => self.volatile(entry),
            Clause::Typedef => self.typedef(entry),
            Clause::Like => self.like(entry),
        }
    }

    fn duplicate(&mut self, clause: &str) {
        let at = self.cursor.place();
        self.diagnostics
            .error(at, format!("this entry has {clause} twice"));
    }

    fn picture(&mut self, entry: &mut DataEntry) -> Option<()> {
        if entry.picture.is_some() {
            self.duplicate("PICTURE");
        }
        let at = self.cursor.place();
        let read = self.cursor.picture();
        match read {
            Some((is, at)) => {
                entry.picture = Some(WithPosition { is, at });
                Some(())
            }
            None => {
                self.diagnostics.error(at, "the PICTURE string is missing");
                None
            }
        }
    }

    fn usage_clause(&mut self, entry: &mut DataEntry) -> Option<()> {
        self.cursor.take();
        self.cursor.accept("IS");
        self.usage(entry)
    }

    fn usage(&mut self, entry: &mut DataEntry) -> Option<()> {
        let at = self.cursor.place();
        let word = match self.cursor.peek() {
            Token::Word(word) => word.clone(),
            other => {
                let message = format!("expected a usage, found {}", shown(other));
                self.diagnostics.error(at, message);
                return None;
            }
        };
        let Some(mut is) = usage(&word) else {
            let message = if REFUSED_USAGES.contains(&word.as_str()) {
                format!("USAGE {word} is not supported, its storage is not defined")
            } else {
                format!("{word} is not a usage")
            };
            self.diagnostics.error(at, message);
            return None;
        };
        if entry.usage.is_some() {
            self.duplicate("USAGE");
        }
        self.cursor.take();
        self.cursor.accept("NATIVE");
        if let Usage::Integer { bytes, .. } = is
            && word.starts_with("BINARY-")
        {
            if self.cursor.accept("UNSIGNED") {
                is = integer(bytes, false);
            } else {
                self.cursor.accept("SIGNED");
            }
        }
        entry.usage = Some(WithPosition { is, at });
        Some(())
    }

    fn sign(&mut self, entry: &mut DataEntry) -> Option<()> {
        if entry.sign.is_some() {
            self.duplicate("SIGN");
        }
        let at = self.cursor.place();
        if self.cursor.accept("SIGN") {
            self.cursor.accept("IS");
        }
        let leading = self.cursor.accept("LEADING");
        if !leading && !self.expect("TRAILING") {
            return None;
        }
        let separate = self.cursor.accept("SEPARATE");
        if separate {
            self.cursor.accept("CHARACTER");
        }
        let is = SignClause { leading, separate };
        entry.sign = Some(WithPosition { is, at });
        Some(())
    }

    fn occurs(&mut self, entry: &mut DataEntry) -> Option<()> {
        if entry.occurs.is_some() {
            self.duplicate("OCCURS");
        }
        let at = self.cursor.place();
        self.cursor.take();
        if self.cursor.accept("DYNAMIC") {
            self.diagnostics.error_help(
                at,
                "OCCURS DYNAMIC is not supported, its storage is not part of the record",
                "use OCCURS with DEPENDING ON",
            );
            return None;
        }
        let first = self.count()?;
        let mut range = None;
        if self.cursor.accept("TO") {
            if matches!(self.cursor.peek(), Token::Word(w) if w == "UNBOUNDED") {
                self.diagnostics.error_help(
                    self.cursor.place(),
                    "a table without a highest number of occurrences has no length",
                    "give the highest number",
                );
                return None;
            }
            range = Some(self.count()?);
        }
        self.cursor.accept("TIMES");
        let mut clause = OccursClause {
            min: first,
            max: range.unwrap_or(first),
            depending: None,
            keys: Vec::new(),
            indexes: Vec::new(),
        };
        if self.cursor.accept("DEPENDING") {
            self.cursor.accept("ON");
            clause.depending = Some(self.reference()?);
            // Without TO, a table that depends on a counter starts at one.
            if range.is_none() {
                clause.min = 1;
            } else if clause.min >= clause.max {
                self.diagnostics
                    .error(at, "OCCURS must go from a smaller to a larger number");
            }
        } else if range.is_some() {
            self.diagnostics.warn(
                at,
                "OCCURS with TO but without DEPENDING ON: the higher number is used",
            );
            clause.min = clause.max;
        }
        self.table_phrases(&mut clause)?;
        entry.occurs = Some(WithPosition { is: clause, at });
        Some(())
    }

    /// ASCENDING and DESCENDING KEY, INDEXED BY, in either order.
    fn table_phrases(&mut self, clause: &mut OccursClause) -> Option<()> {
        loop {
            if self.cursor.accept_any(&["ASCENDING", "DESCENDING"]) {
                self.cursor.accept("KEY");
                self.cursor.accept("IS");
                clause.keys.push(self.reference()?);
                while self.names_follow() {
                    clause.keys.push(self.reference()?);
                }
            } else if self.cursor.accept("INDEXED") {
                self.cursor.accept("BY");
                clause.indexes.push(self.user_word("the name of an index")?);
                while self.names_follow() {
                    clause.indexes.push(self.user_word("the name of an index")?);
                }
            } else {
                return Some(());
            }
        }
    }

    /// Whether another name of a list follows.
    fn names_follow(&self) -> bool {
        matches!(self.cursor.peek(), Token::Word(word)
            if !starts_clause(word)
                && !matches!(word.as_str(), "ASCENDING" | "DESCENDING" | "INDEXED"))
    }

    /// A number of occurrences, or a constant that represents one.
    fn count(&mut self) -> Option<u32> {
        let at = self.cursor.place();
        let value = match self.cursor.peek() {
            Token::Number(text) => text.parse::<u64>().ok(),
            Token::Word(word) => self.constants.get(word).and_then(|c| c.integer()),
            _ => None,
        };
        let fits = value.and_then(|v| u32::try_from(v).ok());
        match fits.filter(|v| *v <= MAX_OCCURS) {
            Some(value) => {
                self.cursor.take();
                Some(value)
            }
            None => {
                let message = match value {
                    Some(value) => format!("{value} occurrences are too many"),
                    None => format!(
                        "expected a number of occurrences, found {}",
                        shown(self.cursor.peek())
                    ),
                };
                let help = match value {
                    Some(_) => format!("a table has at most {MAX_OCCURS} items"),
                    None => "write it in digits: OCCURS 10 TIMES".to_owned(),
                };
                self.diagnostics.error_help(at, message, help);
                None
            }
        }
    }

    fn redefines(&mut self, entry: &mut DataEntry) -> Option<()> {
        if entry.redefines.is_some() {
            self.duplicate("REDEFINES");
        }
        self.cursor.take();
        let name = self.reference()?;
        entry.redefines = Some(WithPosition {
            is: name.is.name,
            at: name.at,
        });
        Some(())
    }

    fn synchronized(&mut self, entry: &mut DataEntry) -> Option<()> {
        entry.synchronized = Some(self.cursor.place());
        self.cursor.take();
        self.cursor.accept_any(&["LEFT", "RIGHT"]);
        Some(())
    }

    fn justified(&mut self, entry: &mut DataEntry) -> Option<()> {
        entry.justified = Some(self.cursor.place());
        self.cursor.take();
        self.cursor.accept("RIGHT");
        Some(())
    }

    fn blank(&mut self, entry: &mut DataEntry) -> Option<()> {
        entry.blank_when_zero = Some(self.cursor.place());
        self.cursor.take();
        self.cursor.accept("WHEN");
        if self.cursor.accept_any(&["ZERO", "ZEROS", "ZEROES"]) {
            return Some(());
        }
        self.expect("ZERO").then_some(())
    }

    fn value(&mut self, entry: &mut DataEntry) -> Option<()> {
        if entry.value.is_some() {
            self.duplicate("VALUE");
        }
        self.cursor.take();
        self.cursor.accept_any(&["IS", "ARE"]);
        let at = self.cursor.place();
        let is = self.literal()?;
        if matches!(
            self.cursor.peek(),
            Token::Literal(_) | Token::Number(_) if !self.cursor.at_line_start()
        ) {
            self.diagnostics
                .error(self.cursor.place(), "only level 88 may have several values");
            return None;
        }
        entry.value = Some(WithPosition { is, at });
        Some(())
    }

    /// `IS EXTERNAL`, `IS GLOBAL`, `IS TYPEDEF`.
    fn is(&mut self, entry: &mut DataEntry) -> Option<()> {
        self.cursor.take();
        match self.cursor.peek() {
            Token::Word(word) if word == "EXTERNAL" => self.external(entry),
            Token::Word(word) if word == "GLOBAL" => self.record_only(entry),
            Token::Word(word) if word == "TYPEDEF" => self.typedef(entry),
            other => {
                let message = format!(
                    "expected EXTERNAL or GLOBAL after IS, found {}",
                    shown(other)
                );
                self.diagnostics.error(self.cursor.place(), message);
                None
            }
        }
    }

    fn external(&mut self, entry: &mut DataEntry) -> Option<()> {
        entry.external = Some(self.cursor.place());
        self.record_only(entry)?;
        if self.cursor.accept("AS") {
            self.literal()?;
        }
        Some(())
    }

    /// GLOBAL, EXTERNAL and BASED are on records; they change no bytes.
    fn record_only(&mut self, entry: &mut DataEntry) -> Option<()> {
        let at = self.cursor.place();
        let word = shown(&self.cursor.take());
        if !matches!(entry.level, 1 | 77) {
            self.diagnostics
                .error(at, format!("{word} is allowed only on levels 01 and 77"));
        }
        Some(())
    }

    fn volatile(&mut self, _entry: &mut DataEntry) -> Option<()> {
        self.cursor.take();
        Some(())
    }

    fn typedef(&mut self, entry: &mut DataEntry) -> Option<()> {
        self.record_only(entry)?;
        self.cursor.accept("STRONG");
        entry.typedef = true;
        Some(())
    }

    /// `SAME AS item` and `TYPE [TO] type`.
    fn like(&mut self, entry: &mut DataEntry) -> Option<()> {
        if self.cursor.accept("SAME") {
            self.cursor.accept("AS");
        } else {
            self.cursor.take();
            self.cursor.accept("TO");
        }
        entry.like = Some(self.reference()?);
        Some(())
    }
}

/// Occurrences a table may have: no item is larger than this many bytes.
const MAX_OCCURS: u32 = 268_435_456;

//! Cards of an assembler source, joined into statements.
//!
//! A card has its text in columns 1 to 71, a continuation mark in 72 and
//! sequence text in 73 to 80. Any character other than a blank is a mark. A
//! continued statement continues in column 16 of the next card, and a literal that
//! reaches column 71 keeps its blanks. Reference: High Level Assembler Language
//! Reference, "Assembler language source statements".
//!
//! Invariant: columns are counted in characters, so a letter above 127 in a
//! UTF-8 file does not move the mark.

use base::{Diagnostic, Severity};

/// A character of a statement and the place it was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardChar {
    /// The character.
    pub value: char,
    /// Line of the file, from 1.
    pub line: u32,
    /// Column of the card, from 1.
    pub column: u32,
}

/// One statement: its three entries, continued cards joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Line of its first card, from 1.
    pub line: u32,
    /// The name entry, empty if column 1 is blank.
    pub name: String,
    /// The operation, in capitals.
    pub operation: String,
    /// Column of the operation, from 1.
    pub column: u32,
    /// The operand entry; blanks only inside literals.
    pub operands: Vec<CardChar>,
}

/// All statements of a source. Comments and job control are left out.
pub fn statements(text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Statement> {
    let mut reader = CardReader {
        cards: text.lines().map(SourceCard::new).collect(),
        next: 0,
        missing_marks: Vec::new(),
        diagnostics,
    };
    let mut found = Vec::new();
    while let Some(statement) = reader.statement() {
        found.push(statement);
    }
    reader.report_missing_marks();
    reader.report_tabs();
    found
}

/// Last column of a card's text, counted from 1.
const LAST_COLUMN: usize = 71;
/// Column in which a continued statement continues, counted from 1.
const CONTINUE_COLUMN: usize = 16;

/// One line of the file as a card.
struct SourceCard {
    text: Vec<char>,
    mark: Option<char>,
    /// Column 73 has text, which a displaced mark looks like.
    after_mark: bool,
    has_tab: bool,
}

impl SourceCard {
    fn new(line: &str) -> SourceCard {
        let mut columns: Vec<char> = Vec::with_capacity(80);
        let mut has_tab = false;
        for c in line.chars() {
            if columns.len() >= 80 {
                break;
            }
            if c == '\t' {
                has_tab = true;
                let stop = (columns.len() / 8 + 1) * 8;
                columns.resize(stop, ' ');
            } else {
                columns.push(if c.is_control() { ' ' } else { c });
            }
        }
        let mark = columns.get(LAST_COLUMN).copied().filter(|c| *c != ' ');
        let after_mark = columns.get(LAST_COLUMN + 1).is_some_and(|c| *c != ' ');
        columns.resize(LAST_COLUMN, ' ');
        SourceCard {
            text: columns,
            mark,
            after_mark,
            has_tab,
        }
    }

    /// Index of the first character other than a blank, from `start`.
    fn first_text(&self, start: usize) -> Option<usize> {
        (start..LAST_COLUMN).find(|i| self.text[*i] != ' ')
    }

    fn is_blank(&self) -> bool {
        self.first_text(0).is_none()
    }

    fn starts_with(&self, prefix: &str) -> bool {
        prefix.chars().zip(&self.text).all(|(a, b)| a == *b)
    }

    fn is_comment(&self) -> bool {
        self.starts_with("*") || self.starts_with(".*")
    }

    /// Job control and library control around a source.
    fn is_control(&self) -> bool {
        ["//", "/*", "/&", "./"].iter().any(|p| self.starts_with(p))
    }

    /// The text between blanks from `start`, with the index after it.
    fn word(&self, start: usize) -> (String, usize) {
        let end = (start..LAST_COLUMN).find(|i| self.text[*i] == ' ');
        let end = end.unwrap_or(LAST_COLUMN);
        (self.text[start..end].iter().collect(), end)
    }

    /// Whether the card holds operands only: blank to column 9, and a keyword
    /// with an equals sign where an operation would be.
    fn looks_like_operands(&self) -> bool {
        self.first_text(0).is_some_and(|start| {
            let (word, _) = self.word(start);
            start >= 9 && (word.starts_with('(') || word.contains('='))
        })
    }

    /// Whether the card holds a macro of BMS.
    fn looks_like_macro(&self) -> bool {
        let start = if self.text[0] == ' ' {
            0
        } else {
            self.word(0).1
        };
        self.first_text(start).is_some_and(|start| {
            let (word, _) = self.word(start);
            super::Macro::by_name(&word.to_ascii_uppercase()).is_some()
        })
    }
}

/// How far the operand entry of a statement was read.
enum OperandState {
    /// Going on in the next card, if that is marked.
    Open,
    /// A blank ended it: the rest of the statement is a remark.
    Ended,
}

struct CardReader<'a> {
    cards: Vec<SourceCard>,
    next: usize,
    missing_marks: Vec<usize>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl CardReader<'_> {
    fn statement(&mut self) -> Option<Statement> {
        let first = loop {
            let card = self.cards.get(self.next)?;
            self.next += 1;
            if !card.is_blank() && !card.is_comment() && !card.is_control() {
                break self.next - 1;
            }
        };
        let card = &self.cards[first];
        let (name, after) = if card.text[0] == ' ' {
            (String::new(), 0)
        } else {
            card.word(0)
        };
        let mut statement = Statement {
            line: line_number(first),
            name,
            operation: String::new(),
            column: 1,
            operands: Vec::new(),
        };
        // A name alone is a statement without an operation.
        if let Some(start) = card.first_text(after) {
            let (operation, after) = card.word(start);
            statement.operation = operation.to_ascii_uppercase();
            statement.column = column_number(start);
            self.operands(first, after, &mut statement.operands);
        }
        Some(statement)
    }

    /// Reads the operand entry from the index `from` of the first card on.
    fn operands(&mut self, first: usize, from: usize, operands: &mut Vec<CardChar>) {
        let Some(mut start) = self.cards[first].first_text(from) else {
            if self.cards[first].mark.is_some() {
                self.operands_of_next(operands);
            }
            return;
        };
        let mut card = first;
        let mut quoted = false;
        loop {
            let state = self.scan(card, start, &mut quoted, operands);
            let comma = operands.last().is_some_and(|c| c.value == ',');
            match state {
                OperandState::Ended if !comma => {
                    if self.cards[card].mark.is_some() {
                        self.swallow_remarks(card);
                    }
                    return;
                }
                _ if self.cards[card].mark.is_some() => {}
                _ if comma && !quoted && self.goes_on_without_mark() => {
                    self.missing_marks.push(card);
                }
                _ => {
                    if quoted && self.card_has_macro(first) {
                        self.report_open_literal(operands);
                    }
                    return;
                }
            }
            let Some((next, column)) = self.continued_card(quoted) else {
                return;
            };
            card = next;
            start = column;
        }
    }

    /// Goes on with a statement whose first card has no operands.
    fn operands_of_next(&mut self, operands: &mut Vec<CardChar>) {
        if let Some((next, column)) = self.continued_card(false) {
            self.operands(next, column, operands);
        }
    }

    /// Adds the operands of one card and says how the card ends.
    fn scan(
        &self,
        card: usize,
        start: usize,
        quoted: &mut bool,
        operands: &mut Vec<CardChar>,
    ) -> OperandState {
        for index in start..LAST_COLUMN {
            let value = self.cards[card].text[index];
            if value == ' ' && !*quoted {
                return OperandState::Ended;
            }
            if value == '\'' {
                *quoted = !*quoted;
            }
            operands.push(CardChar {
                value,
                line: line_number(card),
                column: column_number(index),
            });
        }
        OperandState::Open
    }

    /// The card that continues the one before it, and the index it goes on at.
    /// Returns `None` if the statement ends with the file or a blank card.
    fn continued_card(&mut self, quoted: bool) -> Option<(usize, usize)> {
        while self
            .cards
            .get(self.next)
            .is_some_and(SourceCard::is_comment)
        {
            self.warn(
                self.next,
                0,
                "a comment between the cards of one statement",
                "an assembler takes the comment as the continuation; move it before the statement",
            );
            self.next += 1;
        }
        let card = self.cards.get(self.next)?;
        let index = self.next;
        let continue_at = CONTINUE_COLUMN - 1;
        if card.is_control() {
            return None;
        }
        let first = card.first_text(0);
        if !quoted && card.looks_like_macro() {
            self.error(
                index,
                first.unwrap_or(0),
                "the card before is continued, but a new statement begins here",
                "take the comma and the mark in column 72 from the card before",
            );
            return None;
        }
        self.next += 1;
        match first {
            None if !quoted => None,
            Some(column) if column < continue_at => {
                self.warn(
                    index,
                    column,
                    "a continued statement has text before column 16",
                    "an assembler rejects this card; begin it in column 16",
                );
                let start = if quoted { continue_at } else { column };
                Some((index, start))
            }
            // A literal continues exactly in column 16, with its blanks.
            _ if quoted => Some((index, continue_at)),
            Some(column) => Some((index, column)),
            None => None,
        }
    }

    /// Whether the next card holds operands that a forgotten mark cut off.
    fn goes_on_without_mark(&self) -> bool {
        let next = self.cards.get(self.next);
        next.is_some_and(|card| !card.is_comment() && card.looks_like_operands())
    }

    /// Skips the cards that a mark after the last operand makes remarks.
    fn swallow_remarks(&mut self, marked: usize) {
        let mut card = marked;
        while self.cards[card].mark.is_some() {
            let Some(next) = self.cards.get(self.next) else {
                return;
            };
            if next.is_control() {
                return;
            }
            card = self.next;
            self.next += 1;
            if next.is_blank() || next.is_comment() {
                continue;
            }
            let column = next.first_text(0).unwrap_or(0);
            let (message, help) = if next.looks_like_macro() {
                let help = format!("blank column 72 of line {}", line_number(marked));
                let message =
                    "this macro is read as a remark: column 72 of the card before is marked";
                (message, help)
            } else {
                let help = format!(
                    "put a comma after the last operand of line {}, or blank its column 72",
                    line_number(marked)
                );
                let message = "this card is read as a remark: no comma ends the operands before it";
                (message, help)
            };
            self.warn(card, column, message, &help);
        }
    }

    /// Literals of other statements are read, but not judged.
    fn card_has_macro(&self, card: usize) -> bool {
        self.cards[card].looks_like_macro()
    }

    fn report_open_literal(&mut self, operands: &[CardChar]) {
        let open = operands.iter().rev().find(|c| c.value == '\'');
        let Some(open) = open else { return };
        self.diagnostics.push(
            Diagnostic::new(
                Severity::Error,
                (open.line, open.column),
                "the literal is not closed",
            )
            .with_help(
                "close it with a quote, or mark column 72 and go on in column 16 of the next card",
            ),
        );
    }

    /// One warning a file: a source with displaced marks has them everywhere.
    fn report_missing_marks(&mut self) {
        let Some(&first) = self.missing_marks.first() else {
            return;
        };
        let card = &self.cards[first];
        let before = card.text[LAST_COLUMN - 1] != ' ' && card.text[LAST_COLUMN - 2] == ' ';
        let displaced = if before {
            "; the mark is in column 71"
        } else if card.after_mark {
            "; the mark is in column 73"
        } else {
            ""
        };
        let count = self.missing_marks.len();
        let message = format!(
            "the operands end in a comma, but column 72 is blank{displaced} ({count} {} in this file)",
            if count == 1 { "card" } else { "cards" }
        );
        self.warn(
            first,
            LAST_COLUMN,
            &message,
            "an assembler ends the statement here; mark column 72",
        );
    }

    fn report_tabs(&mut self) {
        if let Some(first) = self.cards.iter().position(|card| card.has_tab) {
            self.warn(
                first,
                0,
                "the file has tabs, read as blanks to the next multiple of 8 columns",
                "an assembler knows no tabs; replace them by blanks",
            );
        }
    }

    fn warn(&mut self, card: usize, index: usize, message: &str, help: &str) {
        self.push(Severity::Warning, card, index, message, help);
    }

    fn error(&mut self, card: usize, index: usize, message: &str, help: &str) {
        self.push(Severity::Error, card, index, message, help);
    }

    fn push(&mut self, severity: Severity, card: usize, index: usize, message: &str, help: &str) {
        self.diagnostics.push(
            Diagnostic::new(severity, (line_number(card), column_number(index)), message)
                .with_help(help),
        );
    }
}

fn line_number(card: usize) -> u32 {
    u32::try_from(card + 1).unwrap_or(u32::MAX)
}

fn column_number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

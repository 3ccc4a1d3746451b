//! Reads map sets from assembler source.
//!
//! [`parse`] joins cards to statements, splits operands and applies the defaults
//! of the macros. Statements that are not macros of BMS are skipped. Every mistake
//! is reported with line and column. A warning marks what an assembler would
//! reject or ignore although its meaning is plain; an error marks what has none.
//!
//! Invariant: no input makes the reader panic.

mod cards;
mod checks;
mod field;
mod map;
mod operands;
mod set;
mod values;

use std::borrow::Cow;

use base::{Diagnostic, Severity, suggestion};

use crate::model::MapSet;
use cards::Statement;
use operands::{MacroOperand, SourcePlace};

/// What a source holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MapSource {
    /// Its map sets in source order.
    pub sets: Vec<MapSet>,
    /// What is wrong with it, by line and column.
    pub diagnostics: Vec<Diagnostic>,
}

impl MapSource {
    /// Whether a mistake leaves the meaning of the source open.
    pub fn has_errors(&self) -> bool {
        let mut all = self.diagnostics.iter();
        all.any(|d| d.severity == Severity::Error)
    }
}

/// Reads the map sets of a source.
pub fn parse(text: &str) -> MapSource {
    let mut diagnostics = Vec::new();
    let statements = cards::statements(text, &mut diagnostics);
    let mut reader = set::SetReader::new(&mut diagnostics);
    for statement in &statements {
        reader.statement(statement);
    }
    let sets = reader.finish();
    for set in &sets {
        checks::check(set, &mut diagnostics);
    }
    diagnostics.sort_by_key(|d| (d.line, d.column));
    MapSource { sets, diagnostics }
}

/// The text of a source file: UTF-8, else one character a byte (Latin-1).
pub fn source_text(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(
        |_| bytes.iter().map(|b| char::from(*b)).collect(),
        Cow::Borrowed,
    )
}

/// The macros of BMS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Macro {
    Set,
    Map,
    Field,
}

impl Macro {
    /// By operation in capitals. KIKMSD and its like are another monitor's names.
    fn by_name(name: &str) -> Option<Macro> {
        match name {
            "DFHMSD" | "KIKMSD" => Some(Macro::Set),
            "DFHMDI" | "KIKMDI" => Some(Macro::Map),
            "DFHMDF" | "KIKMDF" => Some(Macro::Field),
            _ => None,
        }
    }
}

/// Operands of one macro, and where reports about it go.
struct MacroOperands<'a> {
    statement: &'a Statement,
    operands: Vec<MacroOperand>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl<'a> MacroOperands<'a> {
    /// Splits the operands and reports those that the macro does not have.
    fn new(
        statement: &'a Statement,
        known: &[&str],
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> MacroOperands<'a> {
        let operands = operands::operands(statement, diagnostics);
        let mut all = MacroOperands {
            statement,
            operands,
            diagnostics,
        };
        all.report_unknown(known);
        all
    }

    /// The last operand of a keyword. Returns `None` if it is absent or empty.
    fn get(&self, key: &str) -> Option<MacroOperand> {
        let found = self.operands.iter().rev().find(|o| o.key == key);
        found.filter(|o| !o.value.words().is_empty()).cloned()
    }

    /// Where the macro's operation stands.
    fn place(&self) -> SourcePlace {
        SourcePlace {
            line: self.statement.line,
            column: self.statement.column,
        }
    }

    fn warn(&mut self, at: SourcePlace, message: impl Into<String>, help: Option<String>) {
        self.push(Severity::Warning, at, message.into(), help);
    }

    fn error(&mut self, at: SourcePlace, message: impl Into<String>, help: Option<String>) {
        self.push(Severity::Error, at, message.into(), help);
    }

    fn push(&mut self, severity: Severity, at: SourcePlace, message: String, help: Option<String>) {
        self.diagnostics
            .push(Diagnostic::new(severity, (at.line, at.column), message).maybe_help(help));
    }

    /// Reports positional operands, unknown keywords and repeated ones.
    fn report_unknown(&mut self, known: &[&str]) {
        let macro_name = self.statement.operation.clone();
        let mut found: Vec<(SourcePlace, String, Option<String>)> = Vec::new();
        for (index, operand) in self.operands.iter().enumerate() {
            if operand.key.is_empty() {
                let help = (known.contains(&"ATTRB") && operand.value.single().is_none())
                    .then(|| "an assembler ignores it; is ATTRB= missing?".to_owned());
                found.push((
                    operand.place,
                    "an operand without keyword is ignored".into(),
                    help,
                ));
            } else if !known.contains(&operand.key.as_str()) {
                let help = suggestion(&operand.key, known.iter().copied());
                let message = format!("{macro_name} has no operand {}; it is ignored", operand.key);
                found.push((operand.place, message, help));
            } else if self.operands[..index].iter().any(|o| o.key == operand.key) {
                let message = format!("{} is coded twice; the last one counts", operand.key);
                found.push((operand.place, message, None));
            }
        }
        for (place, message, help) in found {
            self.warn(place, message, help);
        }
    }
}

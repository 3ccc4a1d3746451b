//! The operand entry of a macro: keywords, lists and literals.
//!
//! `KEY=value`, `KEY=(value,value)`, `KEY='text'`. Two quotes in a literal are
//! one, two ampersands are one. Reference: High Level Assembler Language
//! Reference, "Macro instruction operands".

use base::{Diagnostic, Severity};

use super::cards::{CardChar, Statement};

/// A place in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourcePlace {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// One operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MacroOperand {
    /// The keyword in capitals; empty for positional operands.
    pub key: String,
    /// Its value.
    pub value: OperandValue,
    /// Where it begins.
    pub place: SourcePlace,
}

/// The value of an operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperandValue {
    /// A word, or nothing.
    Word(String),
    /// A literal, quotes taken off.
    Text(String),
    /// Words in parentheses.
    List(Vec<String>),
}

impl OperandValue {
    /// The words of a list; a word counts as a list of one.
    pub fn words(&self) -> Vec<&str> {
        match self {
            OperandValue::Word(word) | OperandValue::Text(word) if word.is_empty() => Vec::new(),
            OperandValue::Word(word) | OperandValue::Text(word) => vec![word],
            OperandValue::List(words) => words.iter().map(String::as_str).collect(),
        }
    }

    /// The one word or literal. Returns `None` for lists of several.
    pub fn single(&self) -> Option<&str> {
        match self {
            OperandValue::Word(word) | OperandValue::Text(word) => Some(word),
            OperandValue::List(words) if words.len() == 1 => Some(&words[0]),
            OperandValue::List(_) => None,
        }
    }
}

/// Splits the operand entry of a statement.
pub fn operands(statement: &Statement, diagnostics: &mut Vec<Diagnostic>) -> Vec<MacroOperand> {
    split(&statement.operands)
        .into_iter()
        .filter(|part| !part.is_empty())
        .map(|part| operand(part, diagnostics))
        .collect()
}

/// The parts between commas outside parentheses and literals.
fn split(chars: &[CardChar]) -> Vec<&[CardChar]> {
    let mut parts = Vec::new();
    let (mut start, mut depth, mut quoted) = (0, 0u32, false);
    for (index, c) in chars.iter().enumerate() {
        match c.value {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                parts.push(&chars[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&chars[start..]);
    parts
}

fn operand(chars: &[CardChar], diagnostics: &mut Vec<Diagnostic>) -> MacroOperand {
    let place = place_of(chars[0]);
    let is_key = |c: &CardChar| c.value.is_ascii_alphanumeric();
    let key_end = chars.iter().position(|c| !is_key(c));
    let key_end = key_end.filter(|end| *end > 0 && chars[*end].value == '=');
    let (key, value) = match key_end {
        Some(end) => (&chars[..end], &chars[end + 1..]),
        None => (&chars[..0], chars),
    };
    let key: String = key.iter().map(|c| c.value.to_ascii_uppercase()).collect();
    let value = match value.first().map(|c| c.value) {
        Some('(') => OperandValue::List(list(value, diagnostics)),
        Some('\'') => OperandValue::Text(literal(value, diagnostics)),
        _ => OperandValue::Word(value.iter().map(|c| c.value).collect()),
    };
    MacroOperand { key, value, place }
}

/// The words of a value in parentheses, in capitals unless quoted.
fn list(chars: &[CardChar], diagnostics: &mut Vec<Diagnostic>) -> Vec<String> {
    let inner = match chars.last() {
        Some(last) if chars.len() > 1 && last.value == ')' => &chars[1..chars.len() - 1],
        _ => {
            let help = "close it, and leave no blank inside";
            report(chars[0], "the parenthesis is not closed", help, diagnostics);
            &chars[1..]
        }
    };
    let words = split(inner).into_iter().map(|part| {
        let word: String = part.iter().map(|c| c.value).collect();
        word.trim_matches(['(', ')']).to_owned()
    });
    let mut words: Vec<String> = words.collect();
    if words.len() == 1 && words[0].is_empty() {
        words.clear();
    }
    words
}

/// The text of a literal.
fn literal(chars: &[CardChar], diagnostics: &mut Vec<Diagnostic>) -> String {
    let mut text = String::new();
    let mut rest = chars[1..].iter().peekable();
    let mut closed = false;
    while let Some(c) = rest.next() {
        match c.value {
            '\'' => match rest.next() {
                Some(next) if next.value == '\'' => text.push('\''),
                Some(next) => {
                    report(
                        *next,
                        "text follows the closing quote",
                        "write a quote inside a literal twice, and a comma between operands",
                        diagnostics,
                    );
                    return text;
                }
                None => closed = true,
            },
            '&' => {
                if rest.next_if(|next| next.value == '&').is_none() {
                    diagnostics.push(
                        Diagnostic::new(
                            Severity::Warning,
                            (c.line, c.column),
                            "a single ampersand in a literal",
                        )
                        .with_help("an assembler takes it as a variable; write && for one"),
                    );
                }
                text.push('&');
            }
            other => text.push(other),
        }
    }
    // The reader of cards has reported a literal that is not closed.
    if !closed {
        text.truncate(text.trim_end().len());
    }
    text
}

fn place_of(c: CardChar) -> SourcePlace {
    SourcePlace {
        line: c.line,
        column: c.column,
    }
}

fn report(at: CardChar, message: &str, help: &str, diagnostics: &mut Vec<Diagnostic>) {
    diagnostics
        .push(Diagnostic::new(Severity::Error, (at.line, at.column), message).with_help(help));
}

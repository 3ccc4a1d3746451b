//! System initialization parameters: overrides as SYSIN or PARM give them, or
//! the source of a DFHSIT table.
//!
//! Parameters are `NAME=value`, separated by commas. `*` in column 1 begins a
//! comment. JCL around them is skipped, and columns 72 and beyond belong to the
//! assembler.
//!
//! Reference: CICS TS system initialization parameters.

use base::{Diagnostic, Severity, did_you_mean, nearest};

use super::CicsContent;
use super::sit_names::NAMES;
use crate::document::{LineColumn, ParsedText};
use crate::kind::{DocumentKind, unless_scattered};
use crate::unknown::UnknownNames;

/// The parameters of a region.
#[derive(Debug, Clone, Default)]
pub struct SitParameters {
    /// In their order; a later one wins.
    pub parameters: Vec<SitParameter>,
}

/// One parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitParameter {
    /// The name in upper case.
    pub name: String,
    /// The value, with its parentheses or quotes.
    pub value: String,
    /// Position of the name.
    pub at: LineColumn,
}

impl SitParameters {
    /// The value that holds.
    pub fn get(&self, name: &str) -> Option<&SitParameter> {
        self.parameters.iter().rev().find(|p| p.name == name)
    }
}

impl SitParameter {
    /// The value as a number.
    pub fn number(&self) -> Option<u64> {
        self.value.parse().ok()
    }

    /// Whether the value is a word.
    pub fn is(&self, word: &str) -> bool {
        self.value.eq_ignore_ascii_case(word)
    }

    /// The parameter as written.
    pub fn text(&self) -> String {
        format!("{}={}", self.name, self.value)
    }
}

pub(super) static KIND: DocumentKind = DocumentKind {
    word: "sit",
    title: "CICS system initialization parameters: overrides or DFHSIT source",
    recognise,
    parse,
};

/// Whether the parameter exists. The names of trace levels end in the two letters
/// of a component.
fn known(name: &str) -> bool {
    let component = |prefix: &str| name.strip_prefix(prefix).is_some_and(|c| c.len() == 2);
    NAMES.binary_search(&name).is_ok() || component("SPCTR") || component("STNTR")
}

/// The known parameters of lines that begin with one, or with the macro. Other
/// texts have some of these words within their lines.
fn recognise(text: &str) -> usize {
    let begins = |line: &&str| {
        let line = line.trim_start();
        let name = line.split('=').next().unwrap_or_default().trim_end();
        let stated = name.len() < line.len() && known(&name.to_ascii_uppercase());
        stated || line.split_whitespace().take(2).any(|w| w == "DFHSIT")
    };
    let own: Vec<&str> = text.lines().filter(begins).collect();
    let (parameters, _) = scan(&own.join("\n"));
    let speak = 2 * parameters.iter().filter(|p| known(&p.name)).count();
    unless_scattered(speak, text)
}

fn parse(text: &str) -> ParsedText {
    let (parameters, mut diagnostics) = scan(text);
    let mut unknown = UnknownNames::default();
    for parameter in &parameters {
        if known(&parameter.name) || parameter.name == "TYPE" {
            continue;
        }
        match nearest(&parameter.name, NAMES.iter().copied()) {
            Some(near) if parameter.name.len() > 3 => {
                let message = format!("there is no parameter {}", parameter.name);
                let mut reported = parameter.at.diagnostic(Severity::Warning, message);
                reported.help = Some(did_you_mean(near));
                diagnostics.push(reported);
            }
            _ => unknown.add(&parameter.name, parameter.at),
        }
    }
    unknown.report("parameter", &mut diagnostics);
    ParsedText {
        content: crate::DocumentContent::Cics(CicsContent::Sit(SitParameters { parameters })),
        diagnostics,
    }
}

/// Finds the parameters. A value in parentheses or quotes may continue over
/// lines.
fn scan(text: &str) -> (Vec<SitParameter>, Vec<Diagnostic>) {
    let mut found: Vec<SitParameter> = Vec::new();
    let mut diagnostics = Vec::new();
    let mut depth = 0_usize;
    for (number, line) in text.lines().enumerate() {
        if line.starts_with(['*', '/']) {
            continue;
        }
        let chars: Vec<char> = line.chars().take(71).collect();
        let mut at = 0;
        if depth > 0 {
            let part = value(&chars, &mut at, &mut depth);
            if let Some(last) = found.last_mut() {
                last.value += part.trim();
            }
        }
        while let Some((start, name)) = name(&chars, &mut at) {
            let place = LineColumn::from_zero(number, start);
            if chars.get(at) != Some(&'=') {
                continue;
            }
            at += 1;
            let value = value(&chars, &mut at, &mut depth);
            found.push(SitParameter {
                name: name.to_ascii_uppercase(),
                value: value.trim().to_owned(),
                at: place,
            });
        }
    }
    if let (1.., Some(last)) = (depth, found.last()) {
        let message = format!("the parentheses of {} are not closed", last.name);
        diagnostics.push(last.at.diagnostic(Severity::Error, message));
    }
    (found, diagnostics)
}

/// The next word and where it begins.
fn name(chars: &[char], at: &mut usize) -> Option<(usize, String)> {
    let word = |c: &char| c.is_ascii_alphanumeric();
    *at += chars.get(*at..)?.iter().position(word)?;
    let start = *at;
    let name: String = chars[start..].iter().take_while(|c| word(c)).collect();
    *at += name.len();
    Some((start, name))
}

/// A value: up to a comma or blank outside parentheses and quotes.
fn value(chars: &[char], at: &mut usize, depth: &mut usize) -> String {
    let mut quoted = false;
    let mut value = String::new();
    while let Some(&c) = chars.get(*at) {
        match c {
            '\'' => quoted = !quoted,
            '(' if !quoted => *depth += 1,
            ')' if !quoted && *depth > 0 => *depth -= 1,
            ',' | ' ' | '\t' if !quoted && *depth == 0 => break,
            _ => {}
        }
        value.push(c);
        *at += 1;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overrides_and_tables_are_read_alike() {
        let table = format!("{:<71}X", "         DFHSIT TYPE=CSECT,MXT=120,");
        let (found, diagnostics) = scan(&format!(
            "* comment, MXT=1\n//SYSIN DD *\nMXT=250,FCQRONLY=NO,  REMARK\nGRPLIST=(A,\n  B),\n\
             {table}\nSTART=AUTO\n.END\n"
        ));
        assert_eq!(diagnostics, []);
        let shown: Vec<String> = found.iter().map(SitParameter::text).collect();
        assert_eq!(
            shown,
            [
                "MXT=250",
                "FCQRONLY=NO",
                "GRPLIST=(A,B)",
                "TYPE=CSECT",
                "MXT=120",
                "START=AUTO"
            ]
        );
        assert_eq!(found[1].at, LineColumn { line: 3, column: 9 });
    }

    #[test]
    fn trace_levels_of_a_component_are_parameters() {
        assert_eq!(parse("SPCTRAP=1,SPCTR=(1,2)\nSTNTRDS=1\n").diagnostics, []);
        assert_eq!(recognise("SPCTRAP=1\n"), 2);
        assert_eq!(recognise("LOG1 LOGCHAR APPLID=(APPLICID,A)\n"), 0);
    }

    #[test]
    fn the_names_are_sorted_and_misspellings_are_reported() {
        assert!(NAMES.is_sorted());
        let reported = parse("FCQRONY=NO\nQQQQQQ=1\nGRPLIST=(A\n").diagnostics;
        let lines: Vec<(u32, Severity)> = reported.iter().map(|d| (d.line, d.severity)).collect();
        assert_eq!(
            lines,
            [
                (3, Severity::Error),
                (1, Severity::Warning),
                (2, Severity::Note)
            ]
        );
    }
}

//! What only a whole set shows: names used twice, fields that overlap, run past
//! a line or the map, or are out of order.
//!
//! None of these keeps a map from being used: real sources have them, and the
//! commands address every field.

use std::collections::HashMap;

use base::{Diagnostic, Severity};

use crate::model::{Field, Map, MapLanguage, MapSet};

/// Reports what is wrong with a set that was read.
pub(super) fn check(set: &MapSet, diagnostics: &mut Vec<Diagnostic>) {
    if set.maps.is_empty() {
        let message = format!("the map set {} has no maps", set.name);
        push(Severity::Warning, set.line, &message, None, diagnostics);
    }
    long_name("map set", &set.name, set.line, diagnostics);
    for map in &set.maps {
        long_name("map", &map.name, map.source_line, diagnostics);
        names(map, diagnostics);
        if set.language == MapLanguage::Cobol {
            reserved(map, diagnostics);
        }
        places(map, diagnostics);
    }
}

fn long_name(kind: &str, name: &str, line: u32, diagnostics: &mut Vec<Diagnostic>) {
    if name.chars().count() > 7 {
        let message = format!("the name of the {kind} {name} has more than 7 characters");
        push(Severity::Warning, line, &message, None, diagnostics);
    }
}

/// Names of fields: unique in a map, and names that COBOL can have.
fn names(map: &Map, diagnostics: &mut Vec<Diagnostic>) {
    let mut first_lines: HashMap<&str, u32> = HashMap::new();
    for field in &map.fields {
        let Some(name) = field.name.as_deref() else {
            continue;
        };
        if let Some(first) = first_lines.insert(name, field.source_line) {
            let message = format!("the map has two fields {name}; the first is in line {first}");
            push(
                Severity::Error,
                field.source_line,
                &message,
                None,
                diagnostics,
            );
        }
        if field.length == 0 {
            let message = format!("the field {name} has no positions");
            push(
                Severity::Warning,
                field.source_line,
                &message,
                None,
                diagnostics,
            );
        }
        if name.chars().count() > 29 {
            let message = format!("the name {name} has more than 29 characters");
            push(
                Severity::Warning,
                field.source_line,
                &message,
                None,
                diagnostics,
            );
        }
    }
}

/// Items of the symbolic map whose names are reserved words: SEL gives SELF.
fn reserved(map: &Map, diagnostics: &mut Vec<Diagnostic>) {
    for field in &map.fields {
        let Some(name) = field.group.as_deref().or(field.name.as_deref()) else {
            continue;
        };
        let mut suffixes = vec!['L', 'F', 'A', 'I', 'O'];
        suffixes.extend(field.occurs.is_some().then_some('D'));
        suffixes.extend(map.symbolic_attributes.iter().map(|a| a.suffix()));
        let items = suffixes.iter().map(|suffix| format!("{name}{suffix}"));
        for item in items.filter(|item| RESERVED_WORDS.contains(&item.as_str())) {
            let message =
                format!("the field {name} gives the item {item}, a reserved word of COBOL");
            let help = Some("give the field another name".to_owned());
            push(
                Severity::Warning,
                field.source_line,
                &message,
                help,
                diagnostics,
            );
        }
    }
}

/// Reserved words of Enterprise COBOL that end in a suffix of the symbolic map.
#[rustfmt::skip]
const RESERVED_WORDS: &[&str] = &[
    "ACCEPT", "ADD", "ALL", "ALPHABETIC", "ALSO", "AND", "AREA", "AT", "CALL", "CANCEL", "COMMA",
    "COMP", "COUNT", "DATA", "DROP", "DYNAMIC", "END", "EQUAL", "EXIT", "EXTEND", "EXTERNAL", "FD",
    "FROM", "GLOBAL", "GO", "ID", "IF", "INITIAL", "INPUT", "INSPECT", "INTO", "JUST", "LABEL",
    "LEFT", "LENGTH", "LIMIT", "NATIONAL", "NEXT", "NO", "NOT", "NULL", "NUMERIC", "OBJECT", "OF",
    "OPTIONAL", "OUTPUT", "PARAGRAPH", "PASSWORD", "PROGRAM", "RANDOM", "READ", "RECORD", "REPORT",
    "RIGHT", "SEARCH", "SELECT", "SELF", "SEQUENTIAL", "SET", "SORT", "SQL", "STANDARD", "START",
    "STOP", "SUBTRACT", "SUM", "TEST", "THROUGH", "THRU", "TO", "UNIT", "UNTIL", "UP", "WITH",
    "XML", "ZERO",
];

/// Positions of fields: their order, overlaps, and ends.
fn places(map: &Map, diagnostics: &mut Vec<Diagnostic>) {
    let columns = u32::from(map.columns);
    let positions = u32::from(map.lines) * columns;
    let start = |f: &Field| (u32::from(f.line) - 1) * columns + u32::from(f.column) - 1;
    let mut previous: Option<u32> = None;
    for field in &map.fields {
        let first = start(field);
        if previous.is_some_and(|before| first < before) {
            let message = "the field before has a higher position";
            push(
                Severity::Note,
                field.source_line,
                message,
                None,
                diagnostics,
            );
        }
        previous = Some(first);
        let count = u32::from(field.occurs.unwrap_or(1));
        let end = first + count * (u32::from(field.length) + 1);
        if end > positions {
            let message = format!(
                "the field runs {} positions past the end of the map",
                end - positions
            );
            push(
                Severity::Warning,
                field.source_line,
                &message,
                None,
                diagnostics,
            );
        } else if count == 1 && u32::from(field.column) + u32::from(field.length) > columns {
            let message = "the field runs past the end of its line and goes on in the next one";
            push(
                Severity::Note,
                field.source_line,
                message,
                None,
                diagnostics,
            );
        }
    }
    overlaps(map, start, diagnostics);
}

/// Attribute bytes inside other fields. The field that is later in the source
/// overwrites the other.
fn overlaps(map: &Map, start: impl Fn(&Field) -> u32, diagnostics: &mut Vec<Diagnostic>) {
    let mut in_order: Vec<&Field> = map.fields.iter().collect();
    in_order.sort_by_key(|f| start(f));
    for pair in in_order.windows(2) {
        let [first, second] = pair else { continue };
        if first.group.is_some() && first.group == second.group {
            continue;
        }
        let times = u32::from(first.occurs.unwrap_or(1));
        let end = start(first) + times * (u32::from(first.length) + 1);
        if start(second) < end {
            let later = first.source_line.max(second.source_line);
            let earlier = first.source_line.min(second.source_line);
            let message = format!("the field overlaps the one in line {earlier}");
            push(Severity::Warning, later, &message, None, diagnostics);
        }
    }
}

fn push(
    severity: Severity,
    line: u32,
    message: &str,
    help: Option<String>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    diagnostics.push(Diagnostic::new(severity, (line, 1), message).maybe_help(help));
}

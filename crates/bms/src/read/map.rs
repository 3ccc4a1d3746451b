//! DFHMDI: one map, its size and place, and the defaults of its fields.
//!
//! Reference: CICS application programming reference, "DFHMDI".

use base::Diagnostic;

use super::MacroOperands;
use super::cards::Statement;
use super::set::{EXTATT, ExtendedChoice, SetDefaults};
use crate::attribute::{AttributeSet, AttributeValues};
use crate::model::{Map, MapMode};

/// Most lines and columns of a map.
const MOST_LINES: u16 = 240;

/// Reads a map, and the extended attributes that its fields have by default.
pub(super) fn read(
    statement: &Statement,
    set: &SetDefaults,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Map, AttributeValues) {
    let mut operands = MacroOperands::new(statement, OPERANDS, diagnostics);
    let name = statement.name.to_ascii_uppercase();
    if name.is_empty() {
        let at = operands.place();
        operands.error(
            at,
            "the map has no name",
            Some("write it in column 1".into()),
        );
    }
    let (lines, columns) = size(&mut operands);
    let extended = operands.extended().or(&set.extended);
    let extatt = operands.choice("EXTATT", EXTATT).or(set.extatt);
    let (symbolic, sent) = attribute_sets(&mut operands, set, extatt);
    refuse_layouts(&mut operands);
    let map = Map {
        name,
        lines,
        columns,
        line: start(&mut operands, "LINE"),
        column: start(&mut operands, "COLUMN"),
        mode: operands.mode().or(set.mode).unwrap_or(MapMode::Out),
        control: operands.control().unwrap_or(set.control),
        cursor_location: operands.yes_no("CURSLOC").unwrap_or(set.cursor_location),
        prefix: operands.yes_no("TIOAPFX").unwrap_or(set.prefix),
        symbolic_attributes: symbolic,
        sent_attributes: sent.union(extended.attributes()),
        fields: Vec::new(),
        source_line: statement.line,
    };
    (map, extended)
}

/// SIZE; 24 by 80 if it is missing or wrong.
fn size(operands: &mut MacroOperands) -> (u16, u16) {
    let Some(operand) = operands.get("SIZE") else {
        let at = operands.place();
        operands.warn(
            at,
            "SIZE is missing; 24 lines by 80 columns are assumed",
            None,
        );
        return (24, 80);
    };
    let words = operand.value.words();
    let numbers: Vec<u16> = words.iter().filter_map(|w| w.parse().ok()).collect();
    match numbers[..] {
        [lines @ 1..=MOST_LINES, columns @ 1..=MOST_LINES] if words.len() == 2 => (lines, columns),
        _ => {
            let message = "SIZE: expected (lines,columns), each from 1 to 240";
            operands.error(operand.place, message, None);
            (24, 80)
        }
    }
}

/// LINE or COLUMN: a number, else 1.
fn start(operands: &mut MacroOperands, key: &str) -> u16 {
    let Some(operand) = operands.get(key) else {
        return 1;
    };
    if let Some("NEXT" | "SAME") = operand.value.single() {
        let message = format!("{key}: NEXT and SAME are not supported; 1 is taken");
        operands.warn(operand.place, message, Some("give a number".into()));
        return 1;
    }
    operands.number(key, 1, MOST_LINES).unwrap_or(1)
}

/// Attributes with bytes in the symbolic map, and attributes that are sent.
///
/// EXTATT=YES adds its four in any case: sources that code DSATTS too have
/// copybooks with both.
fn attribute_sets(
    operands: &mut MacroOperands,
    set: &SetDefaults,
    extatt: Option<ExtendedChoice>,
) -> (AttributeSet, AttributeSet) {
    let symbolic = operands.attribute_set("DSATTS").or(set.symbolic);
    let sent = operands.attribute_set("MAPATTS").or(set.sent);
    let mut symbolic = symbolic.unwrap_or_default();
    let mut sent = sent.unwrap_or_default();
    if extatt == Some(ExtendedChoice::Yes) {
        symbolic = symbolic.union(AttributeSet::EXTATT);
    }
    if extatt == Some(ExtendedChoice::MapOnly) {
        sent = sent.union(AttributeSet::EXTATT);
    }
    (symbolic, sent.union(symbolic))
}

/// Reports what changes the symbolic map or the page and is not supported.
fn refuse_layouts(operands: &mut MacroOperands) {
    if let Some(operand) = operands.get("DATA")
        && operand.value.single() == Some("BLOCK")
    {
        operands.error(operand.place, "DATA=BLOCK is not supported", None);
    }
    for key in ["HEADER", "TRAILER", "PARTN", "JUSTIFY"] {
        if let Some(operand) = operands.get(key) {
            let message = format!("{key} is not supported; it is ignored");
            operands.warn(operand.place, message, None);
        }
    }
}

const OPERANDS: &[&str] = &[
    "SIZE", "LINE", "COLUMN", "MODE", "TYPE", "TERM", "CTRL", "EXTATT", "MAPATTS", "DSATTS",
    "TIOAPFX", "CURSLOC", "COLOR", "HILIGHT", "PS", "VALIDN", "OUTLINE", "SOSI", "TRANSP",
    "FIELDS", "JUSTIFY", "PARTN", "OBFMT", "DATA", "FLDSEP", "HEADER", "TRAILER", "SUFFIX", "LANG",
    "STORAGE", "BASE",
];

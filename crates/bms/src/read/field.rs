//! DFHMDF: one field.
//!
//! Reference: CICS application programming reference, "DFHMDF". ATTRB without
//! ASKIP, PROT or UNPROT means UNPROT; no ATTRB means (ASKIP,NORM).

use base::Diagnostic;

use super::MacroOperands;
use super::cards::Statement;
use super::values::shown;
use crate::attribute::{
    AttributeValues, BRIGHT, DETECTABLE, FieldAttribute, HIDDEN, MODIFIED, NUMERIC, PROTECTED,
};
use crate::model::{Field, Initial, Justify, Map};
use crate::picture::picture_length;

/// Most positions of a screen; longer fields and repetitions are errors.
const MOST_POSITIONS: u16 = 16_383;

/// Reads a field and adds it to its map.
pub(super) fn read(
    statement: &Statement,
    map: &mut Map,
    defaults: &AttributeValues,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut operands = MacroOperands::new(statement, OPERANDS, diagnostics);
    let (line, column) = position(&mut operands, map);
    let initial = initial(&mut operands);
    let picture_in = picture(&mut operands, "PICIN");
    let picture_out = picture(&mut operands, "PICOUT");
    let length = length(&mut operands, &initial, [&picture_out, &picture_in]);
    let attributes = attributes(&mut operands);
    let extended = operands.extended();
    report_unsent(&mut operands, map, &extended);
    map.sent_attributes = map.sent_attributes.union(extended.attributes());
    let (occurs, group) = repetition(&mut operands, length);
    if group.is_some() && statement.name.is_empty() {
        let at = operands.place();
        operands.error(at, "a field of a group needs a name", None);
        return;
    }
    let name = (!statement.name.is_empty()).then(|| statement.name.to_ascii_uppercase());
    map.fields.push(Field {
        name,
        line,
        column,
        length,
        attribute: attributes.byte,
        cursor: attributes.cursor,
        extended: extended.or(defaults),
        initial,
        justify: justify(&mut operands, attributes.numeric),
        mixed_case: operands.choice("CASE", &[("MIXED", true)]).unwrap_or(false),
        picture_in,
        picture_out,
        occurs,
        group,
        source_line: statement.line,
    });
}

/// POS as line and column; a plain number counts positions from 0.
fn position(operands: &mut MacroOperands, map: &Map) -> (u16, u16) {
    let Some(operand) = operands.get("POS") else {
        let at = operands.place();
        operands.error(at, "POS is missing", Some("write POS=(line,column)".into()));
        return (1, 1);
    };
    let words = operand.value.words();
    let numbers: Vec<u16> = words.iter().filter_map(|w| w.parse().ok()).collect();
    let (line, column) = match (words.len(), &numbers[..]) {
        (2, &[line, column]) => (line, column),
        (1, &[number]) => (number / map.columns + 1, number % map.columns + 1),
        _ => (0, 0),
    };
    if (1..=map.lines).contains(&line) && (1..=map.columns).contains(&column) {
        return (line, column);
    }
    let place = u32::from(line).saturating_sub(1) * u32::from(map.columns) + u32::from(column);
    let positions = u32::from(map.lines) * u32::from(map.columns);
    if line > 0 && column > 0 && place <= positions {
        // Positions are counted through, so the meaning is plain.
        let place = u16::try_from(place - 1).unwrap_or(0);
        let (line, column) = (place / map.columns + 1, place % map.columns + 1);
        let message = format!(
            "POS={} is past the end of its line; line {line} column {column} is taken",
            shown(&operand)
        );
        operands.warn(operand.place, message, None);
        return (line, column);
    }
    let message = format!("POS={} is not in the map", shown(&operand));
    let help = format!("SIZE=({},{})", map.lines, map.columns);
    operands.error(operand.place, message, Some(help));
    (1, 1)
}

/// INITIAL, XINIT or GINIT; the first coded counts.
fn initial(operands: &mut MacroOperands) -> Initial {
    for key in ["INITIAL", "GINIT"] {
        if let Some(operand) = operands.get(key) {
            return Initial::Text(operand.value.single().unwrap_or_default().to_owned());
        }
    }
    let Some(operand) = operands.get("XINIT") else {
        return Initial::None;
    };
    let hex = operand.value.single().unwrap_or_default();
    let hex = hex.strip_prefix("X'").unwrap_or(hex).trim_matches('\'');
    let digits: Option<Vec<u8>> = hex
        .chars()
        .map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok()))
        .collect();
    match digits {
        Some(digits) if digits.len() % 2 == 0 => {
            Initial::Bytes(digits.chunks(2).map(|d| d[0] << 4 | d[1]).collect())
        }
        _ => {
            let message = "XINIT: expected pairs of hexadecimal digits";
            operands.error(operand.place, message, None);
            Initial::None
        }
    }
}

/// PICIN or PICOUT as written.
fn picture(operands: &mut MacroOperands, key: &str) -> Option<String> {
    let operand = operands.get(key)?;
    let text = operand.value.single().unwrap_or_default().trim().to_owned();
    if picture_length(&text).is_none() {
        let message = format!("{key}={}: expected a picture", shown(&operand));
        operands.error(operand.place, message, None);
        return None;
    }
    Some(text)
}

/// LENGTH, else the length of the picture or of the initial text.
fn length(operands: &mut MacroOperands, initial: &Initial, pictures: [&Option<String>; 2]) -> u16 {
    let by_picture = pictures.map(|p| p.as_deref().and_then(picture_length));
    if let Some(operand) = operands.get("LENGTH") {
        let length = operands.number("LENGTH", 0, MOST_POSITIONS).unwrap_or(0);
        for (key, picture) in ["PICOUT", "PICIN"].iter().zip(by_picture) {
            if let Some(positions) = picture.filter(|p| *p != length) {
                let message = format!("{key} has {positions} positions, LENGTH={length}");
                let help = "items of the copybook and of the screen would be displaced";
                operands.warn(operand.place, message, Some(help.into()));
            }
        }
        report_cut(operands, initial, length);
        return length;
    }
    let by_initial = match initial {
        Initial::None => None,
        Initial::Text(text) => u16::try_from(text.chars().count()).ok(),
        Initial::Bytes(bytes) => u16::try_from(bytes.len()).ok(),
    };
    let at = operands.place();
    let [picture_out, picture_in] = by_picture;
    if let Some(length) = picture_out.or(picture_in) {
        return length.min(MOST_POSITIONS);
    }
    if let Some(length) = by_initial {
        let message = format!("LENGTH is missing; {length} is taken from the initial value");
        operands.warn(at, message, None);
        return length.min(MOST_POSITIONS);
    }
    operands.error(at, "LENGTH is missing", None);
    0
}

/// Reports an initial value that the field cuts off.
fn report_cut(operands: &mut MacroOperands, initial: &Initial, length: u16) {
    let (key, count) = match initial {
        Initial::None => return,
        Initial::Text(text) => ("INITIAL", text.trim_end().chars().count()),
        Initial::Bytes(bytes) => ("XINIT", bytes.len()),
    };
    let place = operands.get(key).map(|o| o.place);
    if let Some(place) = place.filter(|_| count > usize::from(length)) {
        let message = format!("{key} has {count} characters and is cut to {length}");
        operands.warn(place, message, None);
    }
}

/// What ATTRB says.
struct CodedAttributes {
    byte: FieldAttribute,
    cursor: bool,
    numeric: bool,
}

fn attributes(operands: &mut MacroOperands) -> CodedAttributes {
    let Some(operand) = operands.get("ATTRB") else {
        return CodedAttributes {
            byte: FieldAttribute::AUTOSKIP,
            cursor: false,
            numeric: false,
        };
    };
    let words: Vec<String> = operand
        .value
        .words()
        .iter()
        .map(|w| w.to_ascii_uppercase())
        .collect();
    let has = |name: &str| words.iter().any(|w| w == name);
    for word in &words {
        if !ATTRIBUTES.contains(&word.as_str()) && !word.is_empty() {
            operands.unknown_value(&operand, word, ATTRIBUTES.iter().copied());
        }
    }
    let excluding = [
        has("UNPROT") && (has("ASKIP") || has("PROT")),
        has("BRT") && has("DRK"),
        has("NORM") && (has("BRT") || has("DRK")),
        has("NUM") && has("ALPHA"),
    ];
    if excluding.contains(&true) {
        let message = format!("ATTRB={}: values exclude each other", shown(&operand));
        operands.warn(operand.place, message, None);
    }
    let mut bits = 0;
    // ASKIP wins over PROT: the field is protected and numeric.
    if has("ASKIP") {
        bits |= PROTECTED | NUMERIC;
    }
    if has("PROT") {
        bits |= PROTECTED;
    }
    if has("NUM") {
        bits |= NUMERIC;
    }
    bits |= if has("DRK") {
        HIDDEN
    } else if has("BRT") {
        BRIGHT
    } else if has("DET") {
        DETECTABLE
    } else {
        0
    };
    if has("FSET") {
        bits |= MODIFIED;
    }
    CodedAttributes {
        byte: FieldAttribute::from_bits(bits),
        cursor: has("IC"),
        numeric: has("NUM"),
    }
}

/// JUSTIFY. What is not coded follows from what is, else from NUM.
fn justify(operands: &mut MacroOperands, numeric: bool) -> Justify {
    let by_attribute = Justify {
        right: numeric,
        zero: numeric,
    };
    let Some(operand) = operands.get("JUSTIFY") else {
        return by_attribute;
    };
    let (mut right, mut zero) = (None, None);
    for word in operand.value.words() {
        match word.to_ascii_uppercase().as_str() {
            "LEFT" => right = Some(false),
            "RIGHT" => right = Some(true),
            "BLANK" => zero = Some(false),
            "ZERO" => zero = Some(true),
            "" => {}
            other => {
                let names = ["LEFT", "RIGHT", "BLANK", "ZERO"];
                operands.unknown_value(&operand, other, names.into_iter());
            }
        }
    }
    Justify {
        right: right.or(zero).unwrap_or(by_attribute.right),
        zero: zero.or(right).unwrap_or(by_attribute.zero),
    }
}

/// OCCURS and GRPNAME, which exclude each other.
fn repetition(operands: &mut MacroOperands, length: u16) -> (Option<u16>, Option<String>) {
    let most = MOST_POSITIONS / (length + 1);
    let occurs = operands.number("OCCURS", 1, most.max(1));
    let group = operands.get("GRPNAME");
    let name = group.as_ref().and_then(|o| o.value.single());
    let name = name.map(str::to_ascii_uppercase);
    if let (Some(_), Some(operand)) = (occurs, &group) {
        let message = "OCCURS and GRPNAME exclude each other; OCCURS is ignored";
        operands.error(operand.place, message, None);
        return (None, name);
    }
    (occurs, name)
}

/// Reports extended attributes that MAPATTS does not name.
fn report_unsent(operands: &mut MacroOperands, map: &Map, extended: &AttributeValues) {
    let mut missing = extended
        .attributes()
        .iter()
        .filter(|a| !map.sent_attributes.contains(*a));
    if let Some(first) = missing.next() {
        let name = first.name();
        let at = operands.get(name).map_or(operands.place(), |o| o.place);
        let message = format!("{name} is coded, but MAPATTS does not name it; it is sent");
        operands.warn(at, message, Some(format!("code MAPATTS=({name})")));
    }
}

const ATTRIBUTES: &[&str] = &[
    "ASKIP", "PROT", "UNPROT", "NUM", "ALPHA", "BRT", "NORM", "DRK", "DET", "IC", "FSET",
];

const OPERANDS: &[&str] = &[
    "POS", "LENGTH", "ATTRB", "INITIAL", "XINIT", "GINIT", "COLOR", "HILIGHT", "PS", "VALIDN",
    "OUTLINE", "SOSI", "TRANSP", "JUSTIFY", "GRPNAME", "OCCURS", "PICIN", "PICOUT", "CASE",
];

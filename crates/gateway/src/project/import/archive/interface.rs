//! Service interfaces (`.si`): the records of an old service, field by field.
//!
//! An archive has no copybook, so one is written from the fields. The copybook is laid out
//! like every copybook, and each field must have the place that the interface
//! gives: its start and length are another tool's arithmetic over the
//! program's own copybook.

use super::xml::{self, ArchiveElement};
use crate::project::record::Record;
use std::fmt::Write;

/// Most levels of a record.
const MAX_LEVELS: usize = 20;
/// Most bytes of a record.
const MAX_RECORD: usize = 16 << 20;

/// A COMMAREA or a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArchiveArea {
    /// Name of the container, `COMMAREA` for the other.
    pub name: String,
    /// Its record.
    pub record: Field,
}

/// One item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Field {
    /// Its name in JSON.
    pub json: String,
    /// Its name in COBOL.
    pub cobol: String,
    /// Clients see it.
    pub included: bool,
    /// Its value if clients do not send it.
    pub default: Option<String>,
    /// Clause of an elementary item, empty for a group.
    pub clause: String,
    pub is_number: bool,
    /// First byte from 1; none within an array.
    pub start: Option<usize>,
    pub bytes: usize,
    pub redefines: Option<String>,
    pub occurs: Option<Occurs>,
    pub children: Vec<Field>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Occurs {
    pub least: usize,
    pub most: usize,
    /// COBOL name of the counter.
    pub counter: Option<String>,
}

/// Reads an interface.
///
/// # Errors
/// Why it cannot be read or says what has no rule.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<ArchiveArea>, String> {
    let root = xml::parse(bytes)?;
    let message = root
        .children
        .iter()
        .find(|c| c.name == "message")
        .unwrap_or(&root);
    let mut areas = Vec::new();
    for segment in message.children_named("segment") {
        let name = named(segment).unwrap_or("COMMAREA").to_owned();
        let fields = segment
            .children_named("field")
            .map(|f| field(f, 0))
            .collect::<Result<Vec<Field>, String>>()?;
        let record = match <[Field; 1]>::try_from(fields) {
            Ok([record]) if record.clause.is_empty() && record.occurs.is_none() => record,
            Ok([item]) => Field {
                json: String::new(),
                cobol: cobol(&name),
                included: true,
                start: Some(1),
                bytes: item.bytes,
                children: vec![item],
                ..Field::default()
            },
            Err(fields) if fields.is_empty() => return Err(format!("{name} has no fields")),
            Err(fields) => Field {
                json: String::new(),
                cobol: cobol(&name),
                included: true,
                start: Some(1),
                bytes: 0,
                children: fields,
                ..Field::default()
            },
        };
        areas.push(ArchiveArea { name, record });
    }
    if areas.is_empty() {
        Err("it has no segments".into())
    } else {
        Ok(areas)
    }
}

fn named(element: &ArchiveElement) -> Option<&str> {
    let name = |key: &str| {
        element
            .attribute(key)
            .map(str::trim)
            .filter(|n| !n.is_empty())
    };
    name("originalName").or_else(|| name("name"))
}

/// A name as COBOL has it: interfaces write `_` for `-`.
fn cobol(name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_uppercase()
        } else {
            '-'
        }
    };
    let name: String = name.chars().map(plain).take(30).collect();
    name.trim_matches('-').to_owned()
}

fn field(element: &ArchiveElement, depth: usize) -> Result<Field, String> {
    let original = named(element).ok_or("a field has no name")?;
    if depth > MAX_LEVELS {
        return Err(format!("{original} is nested too deeply"));
    }
    let attribute = |key: &str| element.attribute(key).filter(|v| !v.is_empty());
    let number = |key: &str| element.text_of(key).and_then(|t| t.parse::<usize>().ok());
    let bytes = number("bytes").ok_or_else(|| format!("{original} has no number of bytes"))?;
    let kind = element.child("applicationDatatype");
    let kind_name = kind
        .and_then(|k| k.attribute("datatype"))
        .unwrap_or_default();
    let children = element
        .children_named("field")
        .map(|f| field(f, depth + 1))
        .collect::<Result<Vec<Field>, String>>()?;
    let occurs = occurs(element, original)?;
    let most = occurs.as_ref().map_or(1, |o| o.most);
    if bytes > MAX_RECORD || most > MAX_RECORD {
        return Err(format!(
            "{original} is larger than {} MiB",
            MAX_RECORD >> 20
        ));
    }
    let (clause, is_number) = match kind_name {
        "STRUCT" | "ARRAY" if children.is_empty() => {
            return Err(format!("{original} is a group without fields"));
        }
        "STRUCT" | "ARRAY" => (String::new(), false),
        _ => clause(element, kind_name, bytes / most.max(1), original)?,
    };
    let default = attribute("defaultValue");
    if attribute("isHex") == Some("true") && default.is_some() {
        return Err(format!("{original} has a default value in hexadecimal"));
    }
    Ok(Field {
        json: element.attribute("name").unwrap_or(original).to_owned(),
        cobol: cobol(original),
        included: element.attribute("included") != Some("N"),
        default: default.map(str::to_owned),
        clause,
        is_number,
        start: number("startPos"),
        bytes,
        redefines: attribute("redefines").map(cobol),
        occurs,
        children,
    })
}

fn occurs(element: &ArchiveElement, name: &str) -> Result<Option<Occurs>, String> {
    let Some(most) = element.attribute("maxOccurs") else {
        return Ok(None);
    };
    let wrong = || format!("{name} has an array of '{most}' items");
    let most: usize = most.parse().map_err(|_| wrong())?;
    let least = element.attribute("minOccurs").and_then(|n| n.parse().ok());
    Ok(Some(Occurs {
        least: least.unwrap_or(most).min(most),
        most,
        counter: element.attribute("dependsOn").map(cobol),
    }))
}

/// The clause of an elementary item, and whether it is a number.
fn clause(
    element: &ArchiveElement,
    kind: &str,
    bytes: usize,
    name: &str,
) -> Result<(String, bool), String> {
    let marshaller = element.child("marshaller");
    let flag = |key: &str| marshaller.and_then(|m| m.attribute(key));
    let converter = marshaller.and_then(|m| m.text_of("typeConverter"));
    let scale = |key: &str| {
        let kind = element.child("applicationDatatype")?;
        kind.attribute(key)?.parse::<usize>().ok()
    };
    let (precision, fraction) = (scale("precision").unwrap_or(0), scale("scale").unwrap_or(0));
    let picture = |signed: bool, digits: usize| {
        let sign = if signed { "S" } else { "" };
        match (digits.saturating_sub(fraction), fraction) {
            (whole, 0) => format!("PIC {sign}9({whole})"),
            (0, fraction) => format!("PIC {sign}V9({fraction})"),
            (whole, fraction) => format!("PIC {sign}9({whole})V9({fraction})"),
        }
    };
    let number = |clause: String| Ok((clause, true));
    match (kind, converter) {
        ("CHAR", None) => Ok((format!("PIC X({bytes})"), false)),
        ("DECIMAL", _) if !(1..=31).contains(&precision) || fraction > precision => {
            Err(format!("{name} is a number of {precision} digits"))
        }
        ("DECIMAL", Some("ZONEDDECIMAL")) => {
            let mut clause = picture(flag("isSigned") == Some("Y"), precision);
            match (flag("isSignLeading"), flag("isSignSeparate")) {
                (Some("Y"), Some("Y")) => clause += " SIGN LEADING SEPARATE",
                (Some("Y"), _) => clause += " SIGN LEADING",
                (_, Some("Y")) => clause += " SIGN TRAILING SEPARATE",
                _ => {}
            }
            number(clause)
        }
        ("DECIMAL", Some("PACKEDDECIMAL")) => {
            number(picture(flag("isSigned") != Some("N"), precision) + " COMP-3")
        }
        ("INT" | "SHORT" | "LONG" | "DECIMAL", converter) => {
            let known = [
                None,
                Some("BINARY"),
                Some("INT"),
                Some("SHORT"),
                Some("LONG"),
            ];
            if !known.contains(&converter) {
                let converter = converter.unwrap_or_default();
                return Err(format!(
                    "{name} is converted by {converter}, which has no rule"
                ));
            }
            let usual = match bytes {
                2 => 4,
                4 => 9,
                8 => 18,
                other => return Err(format!("{name} is an integer of {other} bytes")),
            };
            let digits = if precision == 0 { usual } else { precision };
            let usage = if flag("isNativeInteger") == Some("Y") {
                "COMP-5"
            } else {
                "COMP"
            };
            number(format!(
                "{} {usage}",
                picture(flag("isSigned") != Some("N"), digits)
            ))
        }
        ("FLOAT", _) => number("COMP-1".into()),
        ("DOUBLE", _) => number("COMP-2".into()),
        (kind, converter) => {
            let converter = converter.map(|c| format!(", converted by {c}"));
            let converter = converter.unwrap_or_default();
            Err(format!(
                "{name} is of the type {kind}{converter}, which has no rule"
            ))
        }
    }
}

impl ArchiveArea {
    /// The copybook of its record.
    pub fn copybook(&self) -> String {
        let mut text = String::new();
        write(&self.record, 1, 1, &mut text);
        text
    }

    /// Lays the copybook out and holds every field against its place.
    ///
    /// # Errors
    /// The first field that is elsewhere, or what the copybook cannot say.
    pub fn checked(&self) -> Result<Record, String> {
        let mut out = crate::diagnostics::ProjectDiagnostics::default();
        let file = std::path::Path::new(&self.name);
        let Some(record) = Record::parse(file, &self.copybook(), &mut out) else {
            let faults: Vec<String> = out.0.iter().map(|d| d.message.clone()).collect();
            return Err(format!(
                "its copybook cannot be laid out: {}",
                faults.join("; ")
            ));
        };
        let items: Vec<&copybook::Field> = record.layout().iter().map(|(_, f)| f).collect();
        let mut next = 0;
        compare(&items, &self.record, &mut next)?;
        Ok(record)
    }
}

fn write(field: &Field, level: usize, at: usize, out: &mut String) {
    let pad = " ".repeat(7 + 2 * (level - 1).min(15));
    let number = if level == 1 { 1 } else { 1 + 2 * (level - 1) };
    let mut line = format!("{pad}{number:02}  {}", field.cobol);
    if let Some(other) = &field.redefines {
        let _ = write!(line, " REDEFINES {other}");
    }
    let mut more = Vec::new();
    if let Some(occurs) = &field.occurs {
        more.push(match &occurs.counter {
            Some(counter) => {
                let (least, most) = (occurs.least, occurs.most);
                format!("OCCURS {least} TO {most} DEPENDING ON {counter}")
            }
            None => format!("OCCURS {}", occurs.most),
        });
    }
    more.extend((!field.clause.is_empty()).then(|| field.clause.clone()));
    for part in more {
        if line.lines().last().map_or(0, str::len) + part.len() > 68 {
            let _ = write!(line, "\n{pad}   ");
        }
        let _ = write!(line, " {part}");
    }
    let _ = writeln!(out, "{line}.");
    // The interface does not describe bytes between two fields.
    let mut next = at;
    for child in &field.children {
        let start = child.start.filter(|_| field.occurs.is_none());
        if child.redefines.is_none()
            && let Some(start) = start
        {
            if start > next {
                let inner = " ".repeat(7 + 2 * level.min(15));
                let number = 1 + 2 * level;
                let _ = writeln!(out, "{inner}{number:02}  FILLER PIC X({}).", start - next);
            }
            next = start + child.bytes;
        }
        write(child, level + 1, start.unwrap_or(next), out);
    }
}

/// Walks the layout and the interface together; both have their items in the
/// same order, fillers apart.
fn compare(items: &[&copybook::Field], field: &Field, next: &mut usize) -> Result<(), String> {
    let whole = *next == 0;
    while !whole && items.get(*next).is_some_and(|item| item.name.is_none()) {
        *next += 1;
    }
    let item = items
        .get(*next)
        .ok_or_else(|| format!("{} is not in the copybook", field.cobol))?;
    *next += 1;
    let is = (item.offset as usize + 1, item.length as usize);
    let most = field.occurs.as_ref().map_or(1, |o| o.most.max(1));
    let says = (field.start.unwrap_or(is.0), field.bytes / most);
    // A record may be described at another number of its table's items.
    let loose = whole || field.bytes == 0;
    if is.0 != says.0 || (!loose && is.1 != says.1) {
        return Err(format!(
            "{} is at {} with {} bytes in the interface; of its type it has {} at {}",
            field.cobol, says.0, says.1, is.1, is.0
        ));
    }
    for child in &field.children {
        compare(items, child, next)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interface(fields: &str) -> Vec<u8> {
        format!(
            "<m><message><segment originalName='COMMAREA'>\
             <field name='Rec' originalName='REC' included='Y'><startPos>1</startPos><bytes>40</bytes>\
             <applicationDatatype datatype='STRUCT'/>{fields}</field></segment></message></m>"
        )
        .into_bytes()
    }

    fn item(name: &str, start: usize, bytes: usize, rest: &str) -> String {
        format!(
            "<field name='{name}' originalName='{name}'><startPos>{start}</startPos>\
             <bytes>{bytes}</bytes>{rest}</field>"
        )
    }

    const TEXT: &str = "<applicationDatatype datatype='CHAR'/>";
    const PACKED: &str = "<marshaller isSigned='Y'><typeConverter>PACKEDDECIMAL</typeConverter>\
        </marshaller><applicationDatatype datatype='DECIMAL' precision='7' scale='2'/>";

    #[test]
    fn a_copybook_is_written_and_every_field_has_the_place_of_the_interface() {
        let fields = item("KEY_NO", 1, 8, TEXT) + &item("AMOUNT", 11, 4, PACKED);
        let areas = read(&interface(&fields)).unwrap();
        let text = areas[0].copybook();
        assert!(text.contains("03  KEY-NO PIC X(8)."), "{text}");
        assert!(text.contains("03  FILLER PIC X(2)."), "{text}");
        assert!(text.contains("03  AMOUNT PIC S9(5)V9(2) COMP-3."), "{text}");
        areas[0].checked().unwrap();
    }

    #[test]
    fn a_field_that_is_elsewhere_is_named() {
        let fields = item("A", 1, 8, TEXT) + &item("B", 5, 4, TEXT);
        let why = read(&interface(&fields)).unwrap()[0].checked().unwrap_err();
        assert!(why.contains("B is at 5 with 4 bytes"), "{why}");
        let fields = item("A", 1, 5, PACKED);
        let why = read(&interface(&fields)).unwrap()[0].checked().unwrap_err();
        assert!(
            why.contains("A is at 1 with 5 bytes in the interface; of its type it has 4"),
            "{why}"
        );
    }

    #[test]
    fn types_without_a_rule_are_refused_by_name() {
        let wide = "<applicationDatatype datatype='WCHAR'/>";
        let why = read(&interface(&item("NAME", 1, 8, wide))).unwrap_err();
        assert!(why.contains("NAME is of the type WCHAR"), "{why}");
    }
}

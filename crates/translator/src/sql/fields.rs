//! The fields that host variables are.
//!
//! Each record of the DATA DIVISION is laid out by the copybook crate, one at a
//! time, so that a record with a clause that it does not know spoils no other.

use copybook::{
    Field, FieldId, FieldKind, NumberStorage, ParseOptions, RecordLayout, ReferenceFormat,
    SignPlace,
};
use sql::block::NumberOrder;
use sql::field::{CobolType, SignPlace as Sign};

use crate::outline::{ProgramUnit, is_period, skip_exec};
use crate::token::{Token, TokenKind};
use crate::writer::inline;

/// The records of a program.
#[derive(Debug, Default)]
pub(super) struct HostRecords {
    layouts: Vec<RecordLayout>,
    /// Records that could not be laid out, and why.
    failed: Vec<(String, String)>,
}

/// The item of a reference.
#[derive(Debug, Clone)]
pub(super) struct ResolvedReference {
    /// The item as COBOL names it, qualified.
    pub item: String,
    /// Its fields: one, or those of a structure.
    pub fields: Vec<HostField>,
}

/// A field of a host variable.
#[derive(Debug, Clone, Copy)]
pub(super) struct HostField {
    /// Bytes from the item's beginning.
    pub offset: u32,
    /// Its type.
    pub cobol: CobolType,
    /// Occurrences.
    pub occurs: u16,
    /// Bytes from one occurrence to the next.
    pub stride: u32,
}

/// Why a reference has no item.
#[derive(Debug, Clone)]
pub(super) struct NotFound {
    pub message: String,
    pub help: Option<String>,
}

impl HostRecords {
    /// The records of a program's DATA DIVISION.
    pub(super) fn of(unit: &ProgramUnit, tokens: &[Token]) -> HostRecords {
        let mut fields = HostRecords::default();
        let Some(data) = unit.data else { return fields };
        let end = unit.procedure.unwrap_or(unit.end).min(tokens.len());
        let mut record = String::new();
        let mut name = String::new();
        let mut at = data;
        while at < end {
            if tokens[at].is_any(&["EXEC", "EXECUTE"]) {
                at = skip_exec(tokens, at);
                at += usize::from(is_period(tokens, at));
                continue;
            }
            let stop = (at..end).find(|i| is_period(tokens, *i)).unwrap_or(end);
            let entry = &tokens[at..stop];
            let level = entry.first().filter(|t| t.kind == TokenKind::Word);
            match level.and_then(|t| t.text.parse::<u8>().ok()) {
                Some(1 | 77) => {
                    fields.record(&name, &record);
                    name = entry.get(1).map(Token::upper).unwrap_or_default();
                    record = entry_text(entry, true);
                }
                Some(_) if !record.is_empty() => record.push_str(&entry_text(entry, false)),
                _ => {
                    // A section's header or a file's description ends a record.
                    fields.record(&name, &record);
                    record.clear();
                }
            }
            at = stop + 1;
        }
        fields.record(&name, &record);
        fields
    }

    /// Adds the records of a text.
    pub(super) fn add(&mut self, text: &str) {
        self.record("", text);
    }

    fn record(&mut self, name: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        let options = ParseOptions {
            format: ReferenceFormat::Free,
            ..ParseOptions::default()
        };
        match copybook::parse(text, &options) {
            Ok(layouts) => self.layouts.extend(layouts),
            Err(why) => self.failed.push((name.to_owned(), why.to_string())),
        }
    }

    /// Whether there is a record of this name.
    pub(super) fn is_record(&self, name: &str) -> bool {
        let named = |l: &RecordLayout| {
            l.fields
                .first()
                .is_some_and(|f| f.name.as_deref() == Some(name))
        };
        self.layouts.iter().any(named) || self.failed.iter().any(|(n, _)| n == name)
    }

    /// The item of a name such as `FIELD` or `GROUP.FIELD`.
    pub(super) fn find(&self, name: &str) -> Result<ResolvedReference, NotFound> {
        let parts: Vec<&str> = name.split('.').collect();
        let Some((last, above)) = parts.split_last() else {
            return Err(self.unknown(name));
        };
        let mut found = Vec::new();
        for layout in &self.layouts {
            for id in (0..layout.fields.len())
                .filter_map(|n| u32::try_from(n).ok())
                .map(FieldId)
            {
                let named = layout[id].name.as_deref() == Some(*last);
                if named && is_within(layout, id, above) {
                    found.push((layout, id));
                }
            }
        }
        match found.as_slice() {
            [] => Err(self.unknown(last)),
            [(layout, id)] => {
                let mut fields = describe(layout, *id, name)?;
                let passed = passed_item(layout, *id);
                let base = layout[*id].offset - layout[passed].offset;
                for field in &mut fields {
                    field.offset += base;
                }
                Ok(ResolvedReference {
                    item: path(layout, passed),
                    fields,
                })
            }
            several => Err(NotFound {
                message: format!("there are {} items called {name}", several.len()),
                help: Some(format!(
                    "qualify it: :{}",
                    dotted(several[0].0, several[0].1)
                )),
            }),
        }
    }

    /// The item of an SQLDA, and how its numbers are stored.
    pub(super) fn descriptor_area(&self, name: &str) -> Result<(String, NumberOrder), NotFound> {
        let parts: Vec<&str> = name.split('.').collect();
        let (last, above) = parts.split_last().ok_or_else(|| self.unknown(name))?;
        for layout in &self.layouts {
            let ids = (0..layout.fields.len()).filter_map(|n| u32::try_from(n).ok());
            for id in ids.map(FieldId) {
                let named = layout[id].name.as_deref() == Some(*last);
                if named && is_within(layout, id, above) {
                    let is_count = |f: &&Field| f.name.as_deref() == Some("SQLN");
                    let count = layout.fields.iter().find(is_count);
                    let order = match count.map(|f| &f.kind) {
                        Some(FieldKind::Numeric(n)) if n.storage == NumberStorage::Binary => {
                            NumberOrder::BigEndian
                        }
                        _ => NumberOrder::Native,
                    };
                    return Ok((path(layout, id), order));
                }
            }
        }
        Err(self.unknown(last))
    }

    fn unknown(&self, name: &str) -> NotFound {
        let names = self
            .layouts
            .iter()
            .flat_map(|l| l.fields.iter().filter_map(|f| f.name.as_deref()));
        let near = base::nearest(name, names).map(|n| base::did_you_mean(format_args!(":{n}")));
        let broken = self.failed.first().map(|(record, why)| {
            let why = why.lines().next().unwrap_or_default();
            format!("the record {record} could not be laid out: {why}")
        });
        NotFound {
            message: format!("the host variable {name} is not declared"),
            help: near.or(broken),
        }
    }
}

fn entry_text(entry: &[Token], is_record: bool) -> String {
    let at = entry.iter().position(|t| t.is("REDEFINES"));
    let text = match at.filter(|_| is_record) {
        // The redefined item is another record, and makes no difference to its own.
        Some(at) => {
            let rest = entry.get(at + 2..).unwrap_or_default();
            format!("{} {}", inline(&entry[..at]), inline(rest))
        }
        None => inline(entry),
    };
    format!("{text}.\n")
}

/// Whether the groups around a field have these names, outermost first.
fn is_within(layout: &RecordLayout, id: FieldId, names: &[&str]) -> bool {
    let mut wanted = names.iter().rev().peekable();
    let mut above = layout[id].parent;
    while let Some(parent) = above {
        if wanted
            .peek()
            .is_some_and(|w| layout[parent].name.as_deref() == Some(**w))
        {
            wanted.next();
        }
        above = layout[parent].parent;
    }
    wanted.peek().is_none()
}

fn names_around(layout: &RecordLayout, id: FieldId) -> Vec<&str> {
    let mut names = Vec::new();
    let mut at = Some(id);
    while let Some(field) = at {
        names.extend(layout[field].name.as_deref());
        at = layout[field].parent;
    }
    names
}

/// The item that is passed for a host variable: of one that occurs several times
/// the record that it is in, for an item of a table is one occurrence.
fn passed_item(layout: &RecordLayout, id: FieldId) -> FieldId {
    if layout[id].occurs.is_none() {
        return id;
    }
    let mut at = id;
    while let Some(parent) = layout[at].parent {
        at = parent;
    }
    if layout[at].name.is_some() { at } else { id }
}

/// `FIELD OF GROUP OF RECORD`.
fn path(layout: &RecordLayout, id: FieldId) -> String {
    let mut text = names_around(layout, id).join(" OF ");
    if layout[id].occurs.is_some() {
        text.push_str(" (1)");
    }
    text
}

/// `RECORD.FIELD`.
fn dotted(layout: &RecordLayout, id: FieldId) -> String {
    let names = names_around(layout, id);
    match (names.first(), names.last()) {
        (Some(first), Some(last)) if names.len() > 1 => format!("{last}.{first}"),
        (Some(first), _) => (*first).to_owned(),
        _ => String::new(),
    }
}

/// The fields that an item passes.
fn describe(layout: &RecordLayout, id: FieldId, name: &str) -> Result<Vec<HostField>, NotFound> {
    let base = layout[id].offset;
    let mut list = Vec::new();
    collect(layout, id, base, name, &mut list)?;
    if list.is_empty() {
        return Err(NotFound {
            message: format!("the structure {name} has no fields"),
            help: None,
        });
    }
    Ok(list)
}

fn collect(
    layout: &RecordLayout,
    id: FieldId,
    base: u32,
    name: &str,
    list: &mut Vec<HostField>,
) -> Result<(), NotFound> {
    let field = &layout[id];
    let is_part = !list.is_empty() || field.offset != base;
    if field.redefines.is_some() && is_part {
        return Ok(());
    }
    let cobol = if field.kind == FieldKind::Group {
        match length_and_text(layout, field) {
            Some(cobol) => cobol,
            None if field.occurs.is_some() => {
                let own = field.name.as_deref().unwrap_or(name);
                return Err(NotFound {
                    message: format!("{own} is a table of structures"),
                    help: Some(
                        "name one occurrence's own structure; tables for rowsets are of elementary items"
                            .to_owned(),
                    ),
                });
            }
            None => {
                for child in &field.children {
                    collect(layout, *child, base, name, list)?;
                }
                return Ok(());
            }
        }
    } else {
        cobol_type(field).ok_or_else(|| NotFound {
            message: format!(
                "{} has a type that SQL does not have",
                field.name.as_deref().unwrap_or(name)
            ),
            help: Some(
                "host variables are X(n), 9(n), COMP, COMP-3, COMP-1, COMP-2 and level-49 groups"
                    .to_owned(),
            ),
        })?
    };
    list.push(HostField {
        offset: field.offset - base,
        cobol,
        occurs: field
            .occurs
            .as_ref()
            .map_or(1, |o| u16::try_from(o.max).unwrap_or(u16::MAX)),
        stride: field.occurs.as_ref().map_or(field.length, |o| o.stride),
    });
    Ok(())
}

/// A group of two items of level 49, a length and a text.
fn length_and_text(layout: &RecordLayout, group: &Field) -> Option<CobolType> {
    let [length, text] = group.children.as_slice() else {
        return None;
    };
    let (length, text) = (&layout[*length], &layout[*text]);
    if length.level != 49 || text.level != 49 || text.kind != FieldKind::Alphanumeric {
        return None;
    }
    let FieldKind::Numeric(number) = &length.kind else {
        return None;
    };
    let big_endian = match number.storage {
        NumberStorage::Binary => true,
        NumberStorage::Native => false,
        _ => return None,
    };
    let most = text.length;
    match length.length {
        2 => Some(CobolType::Varchar { most, big_endian }),
        4 => Some(CobolType::Lob {
            most,
            binary: false,
            big_endian,
        }),
        _ => None,
    }
}

fn cobol_type(field: &Field) -> Option<CobolType> {
    let number = match &field.kind {
        FieldKind::Alphanumeric | FieldKind::AlphanumericEdited | FieldKind::NumericEdited(_) => {
            return Some(CobolType::Char(field.length));
        }
        FieldKind::Float => return Some(CobolType::Float4),
        FieldKind::Double => return Some(CobolType::Float8),
        FieldKind::Numeric(number) => number,
        _ => return None,
    };
    let digits = u8::try_from(number.digits).ok().filter(|d| *d <= 31)?;
    let scale = i8::try_from(number.scale).ok()?;
    let signed = number.signed;
    Some(match number.storage {
        NumberStorage::Zoned { sign } => CobolType::Zoned {
            digits,
            scale,
            sign: match sign {
                SignPlace::None => Sign::Unsigned,
                SignPlace::Trailing => Sign::Trailing,
                SignPlace::Leading => Sign::Leading,
                SignPlace::TrailingSeparate => Sign::TrailingSeparate,
                SignPlace::LeadingSeparate => Sign::LeadingSeparate,
            },
        },
        NumberStorage::Packed => CobolType::Packed {
            digits,
            scale,
            signed,
        },
        NumberStorage::Binary | NumberStorage::BinaryFull | NumberStorage::Native => {
            CobolType::Integer {
                bytes: u8::try_from(field.length)
                    .ok()
                    .filter(|n| matches!(n, 1 | 2 | 4 | 8))?,
                digits,
                scale,
                signed,
                big_endian: number.storage != NumberStorage::Native,
            }
        }
        NumberStorage::PackedUnsigned => return None,
    })
}

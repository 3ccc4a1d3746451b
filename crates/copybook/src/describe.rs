//! A layout in a form to print, as in `record layout --json`.

use serde::Serialize;

use crate::model::{
    Condition, Field, FieldId, FieldKind, Literal, NumberStorage, RecordLayout, SignPlace,
};

/// One record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordDescription {
    /// Name of the record.
    pub record: String,
    /// Length in bytes, tables at maximum.
    pub length: u32,
    /// Length in bytes, tables at minimum, where that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u32>,
    /// Every item in source order, the record first, FILLER included.
    pub fields: Vec<FieldDescription>,
    /// Level-66 items.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub renames: Vec<RenamesDescription>,
}

/// One item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldDescription {
    /// Names from the record down, joined with dots.
    pub path: String,
    /// Level number.
    pub level: u8,
    /// Offset in bytes from the start of the record, first occurrence.
    pub offset: u32,
    /// Length in bytes of one occurrence.
    pub length: u32,
    /// What the bytes are: `group`, `alphanumeric`, `alphanumeric-edited`,
    /// `national`, `dbcs`, `zoned`, `packed`, `binary`, `numeric-edited`,
    /// `float`, `double`, `decimal-float`, `index` or `pointer`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// PICTURE as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
    /// USAGE in its usual spelling. `None` for groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<&'static str>,
    /// Digits of a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digits: Option<u16>,
    /// Digits after the point, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<i16>,
    /// Whether a number can be negative.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signed: Option<bool>,
    /// Where the sign of a zoned number is, unless it is trailing or absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sign: Option<&'static str>,
    /// OCCURS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurs: Option<OccursDescription>,
    /// Path of the item whose storage it redefines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redefines: Option<String>,
    /// Level-88 conditions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<ConditionDescription>,
    /// Whether a table of varying length before it moves it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub slides: bool,
    /// Line of the source.
    pub line: u32,
}

/// OCCURS of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OccursDescription {
    /// Fewest occurrences.
    pub min: u32,
    /// Most occurrences.
    pub max: u32,
    /// Bytes from one occurrence to the next.
    pub stride: u32,
    /// Path of the counter, when it is in the same record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depending_on: Option<String>,
    /// INDEXED BY names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub indexed_by: Vec<String>,
}

/// A level-88 condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConditionDescription {
    /// Its name.
    pub name: String,
    /// Its values as they are written, a range with THRU.
    pub values: Vec<String>,
}

/// A level-66 item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RenamesDescription {
    /// Its name.
    pub name: String,
    /// Offset in bytes.
    pub offset: u32,
    /// Length in bytes.
    pub length: u32,
}

/// Describes a layout.
pub fn describe(layout: &RecordLayout) -> RecordDescription {
    RecordDescription {
        record: layout.name().to_owned(),
        length: layout.length,
        min_length: Some(layout.min_length).filter(|min| *min != layout.length),
        fields: layout
            .iter()
            .map(|(id, field)| describe_field(layout, id, field))
            .collect(),
        renames: layout
            .renames
            .iter()
            .map(|renames| RenamesDescription {
                name: renames.name.clone(),
                offset: renames.offset,
                length: renames.length,
            })
            .collect(),
    }
}

fn describe_field(layout: &RecordLayout, id: FieldId, field: &Field) -> FieldDescription {
    let number = match &field.kind {
        FieldKind::Numeric(n) => Some((n.digits, n.scale, n.signed)),
        FieldKind::NumericEdited(e) => Some((e.digits, e.scale, e.signed)),
        _ => None,
    };
    FieldDescription {
        path: layout.path(id),
        level: field.level,
        offset: field.offset,
        length: field.length,
        kind: kind_name(&field.kind),
        picture: field.picture.clone(),
        usage: usage_name(field),
        digits: number.map(|n| n.0),
        scale: number.map(|n| n.1).filter(|scale| *scale != 0),
        signed: number.map(|n| n.2),
        sign: sign_name(&field.kind),
        occurs: field.occurs.as_ref().map(|occurs| OccursDescription {
            min: occurs.min,
            max: occurs.max,
            stride: occurs.stride,
            depending_on: occurs.depending_on.map(|counter| layout.path(counter)),
            indexed_by: occurs.indexes.clone(),
        }),
        redefines: field.redefines.map(|original| layout.path(original)),
        conditions: field.conditions.iter().map(describe_condition).collect(),
        slides: field.slides,
        line: field.line,
    }
}

fn describe_condition(condition: &Condition) -> ConditionDescription {
    let values = condition.values.iter().map(|(from, to)| match to {
        Some(to) => format!("{} THRU {}", written(from), written(to)),
        None => written(from),
    });
    ConditionDescription {
        name: condition.name.clone(),
        values: values.collect(),
    }
}

/// A literal in the spelling of a program.
fn written(literal: &Literal) -> String {
    match literal {
        Literal::Text(text) => format!("'{}'", text.replace('\'', "''")),
        Literal::Hex(bytes) => {
            let digits: String = base::hex::upper(bytes);
            format!("X'{digits}'")
        }
        Literal::Number(text) | Literal::Figurative(text) => text.clone(),
        Literal::All(inner) => format!("ALL {}", written(inner)),
    }
}

fn kind_name(kind: &FieldKind) -> &'static str {
    match kind {
        FieldKind::Group => "group",
        FieldKind::Alphanumeric => "alphanumeric",
        FieldKind::AlphanumericEdited => "alphanumeric-edited",
        FieldKind::National => "national",
        FieldKind::Dbcs => "dbcs",
        FieldKind::Numeric(number) => match number.storage {
            NumberStorage::Zoned { .. } => "zoned",
            NumberStorage::Packed | NumberStorage::PackedUnsigned => "packed",
            NumberStorage::Binary | NumberStorage::BinaryFull | NumberStorage::Native => "binary",
        },
        FieldKind::NumericEdited(_) => "numeric-edited",
        FieldKind::Float => "float",
        FieldKind::Double => "double",
        FieldKind::DecimalFloat => "decimal-float",
        FieldKind::Index => "index",
        FieldKind::Pointer => "pointer",
    }
}

fn usage_name(field: &Field) -> Option<&'static str> {
    Some(match &field.kind {
        FieldKind::Group => return None,
        FieldKind::Alphanumeric | FieldKind::AlphanumericEdited | FieldKind::NumericEdited(_) => {
            "DISPLAY"
        }
        FieldKind::National => "NATIONAL",
        FieldKind::Dbcs => "DISPLAY-1",
        FieldKind::Numeric(number) => match number.storage {
            NumberStorage::Zoned { .. } => "DISPLAY",
            NumberStorage::Packed => "COMP-3",
            NumberStorage::PackedUnsigned => "COMP-6",
            NumberStorage::Binary => "COMP",
            NumberStorage::BinaryFull => "COMP-X",
            NumberStorage::Native if field.picture.is_some() => "COMP-5",
            NumberStorage::Native => match (field.length, number.signed) {
                (1, true) => "BINARY-CHAR",
                (1, false) => "BINARY-CHAR UNSIGNED",
                (2, true) => "BINARY-SHORT",
                (2, false) => "BINARY-SHORT UNSIGNED",
                (4, true) => "BINARY-LONG",
                (4, false) => "BINARY-LONG UNSIGNED",
                (_, true) => "BINARY-DOUBLE",
                (_, false) => "BINARY-DOUBLE UNSIGNED",
            },
        },
        FieldKind::Float => "COMP-1",
        FieldKind::Double => "COMP-2",
        FieldKind::DecimalFloat if field.length == 8 => "FLOAT-DECIMAL-16",
        FieldKind::DecimalFloat => "FLOAT-DECIMAL-34",
        FieldKind::Index => "INDEX",
        FieldKind::Pointer => "POINTER",
    })
}

fn sign_name(kind: &FieldKind) -> Option<&'static str> {
    let FieldKind::Numeric(number) = kind else {
        return None;
    };
    match number.storage {
        NumberStorage::Zoned { sign } => match sign {
            SignPlace::None | SignPlace::Trailing => None,
            SignPlace::Leading => Some("leading"),
            SignPlace::TrailingSeparate => Some("trailing separate"),
            SignPlace::LeadingSeparate => Some("leading separate"),
        },
        _ => None,
    }
}

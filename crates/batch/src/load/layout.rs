//! Layouts of records that LOAD's statement does not describe: the default one of a table, and
//! that of a copybook, as DCLGEN makes it.

use copybook::{FieldKind as ItemKind, NumberStorage, RecordLayout};
use sql::{SqlType, Table};

use super::{FieldKind, LoadField};

/// Why a layout cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LayoutError(pub String);

fn field(column: &str, kind: FieldKind) -> LoadField {
    LoadField {
        column: column.to_owned(),
        from: None,
        to: None,
        kind,
        null_if: None,
        default_if: None,
    }
}

/// Db2's default layout: the columns one after the other, each as Db2 stores it.
///
/// # Errors
/// A column has a type that has no default field.
pub fn fields_of_table(table: &Table) -> Result<Vec<LoadField>, LayoutError> {
    let fields = table.columns.iter().map(|column| {
        let kind = match column.sql_type {
            SqlType::Smallint => FieldKind::Integer(2),
            SqlType::Integer => FieldKind::Integer(4),
            SqlType::Bigint => FieldKind::Integer(8),
            SqlType::Decimal(..) => FieldKind::Packed(None, None),
            SqlType::Real => FieldKind::Float(4),
            SqlType::Double => FieldKind::Float(8),
            SqlType::Char(n) => FieldKind::Char(Some(n)),
            SqlType::Varchar(_) => FieldKind::Varchar,
            SqlType::Binary(n) => FieldKind::Binary(Some(n)),
            SqlType::Varbinary(_) => FieldKind::Varbinary,
            kind if kind.is_datetime() => FieldKind::Datetime(None),
            other => {
                return Err(LayoutError(format!(
                    "column {} has type {other:?}, which has no default field: list the fields",
                    column.name
                )));
            }
        };
        Ok(field(&column.name, kind))
    });
    fields.collect()
}

/// The fields of a copybook whose items have the names of columns, with underscores for
/// hyphens. Prefixes that all names have, such as `DCL-`, need not be those of columns.
///
/// # Errors
/// No item is one of a column, or one has a form that LOAD does not read.
pub fn fields_of_copybook(
    layout: &RecordLayout,
    table: &Table,
) -> Result<Vec<LoadField>, LayoutError> {
    let mut fields = Vec::new();
    for item in &layout.fields {
        let Some(column) = item.name.as_deref().and_then(|name| column_of(name, table)) else {
            continue;
        };
        let is_text_group = item.children.len() == 2
            && {
                let child = |at: usize| layout.fields.get(item.children[at].0 as usize);
                let (length, text) = (child(0), child(1));
                let is_length = |kind: &ItemKind| matches!(kind, ItemKind::Numeric(n) if n.digits <= 4 && is_binary(n.storage));
                length.is_some_and(|c| is_length(&c.kind))
                    && text.is_some_and(|c| c.kind == ItemKind::Alphanumeric)
            };
        let kind = match &item.kind {
            ItemKind::Group if is_text_group => FieldKind::Varchar,
            ItemKind::Group => continue,
            ItemKind::Alphanumeric => match table.column(&column).map(|c| c.sql_type) {
                Some(kind) if kind.is_datetime() => FieldKind::Datetime(Some(item.length)),
                _ => FieldKind::Char(Some(item.length)),
            },
            ItemKind::Numeric(number) => {
                let scale = u8::try_from(number.scale).ok();
                match number.storage {
                    NumberStorage::Packed | NumberStorage::PackedUnsigned => {
                        FieldKind::Packed(Some(item.length), scale)
                    }
                    NumberStorage::Zoned { .. } => FieldKind::Zoned(Some(item.length), scale),
                    storage if is_binary(storage) && number.scale == 0 => {
                        FieldKind::Integer(item.length)
                    }
                    _ => return Err(unread(&column)),
                }
            }
            ItemKind::Float => FieldKind::Float(4),
            ItemKind::Double => FieldKind::Float(8),
            _ => return Err(unread(&column)),
        };
        fields.push(LoadField {
            from: Some(item.offset + 1),
            to: Some(item.offset + item.length),
            ..field(&column, kind)
        });
    }
    if fields.is_empty() {
        let name = &table.name;
        return Err(LayoutError(format!(
            "no item of the copybook is a column of {name}"
        )));
    }
    Ok(fields)
}

fn unread(column: &str) -> LayoutError {
    LayoutError(format!(
        "LOAD does not read the item of column {column}: list the fields"
    ))
}

fn is_binary(storage: NumberStorage) -> bool {
    matches!(
        storage,
        NumberStorage::Binary | NumberStorage::BinaryFull | NumberStorage::Native
    )
}

/// The column of an item's name.
fn column_of(name: &str, table: &Table) -> Option<String> {
    let name = name.to_ascii_uppercase().replace('-', "_");
    let mut rest = name.as_str();
    loop {
        if table.column(rest).is_some() {
            return Some(rest.to_owned());
        }
        rest = rest.split_once('_')?.1;
    }
}

/// Bytes of a field of a fixed length in a record; `None` if the record has the length.
pub(super) fn length(kind: FieldKind, column: SqlType) -> Option<u32> {
    match kind {
        FieldKind::Char(given) | FieldKind::Binary(given) => {
            given.or_else(|| column.length()).or(match column {
                SqlType::Binary(n) | SqlType::Varbinary(n) => Some(n),
                _ => None,
            })
        }
        FieldKind::Varchar | FieldKind::Varbinary => None,
        FieldKind::Integer(bytes) | FieldKind::Float(bytes) => Some(bytes),
        FieldKind::External(given, _) => given,
        FieldKind::Packed(given, _) => {
            given.or(column.decimal().map(|(p, _)| u32::from(p) / 2 + 1))
        }
        FieldKind::Zoned(given, _) => given.or(column.decimal().map(|(p, _)| u32::from(p))),
        FieldKind::Datetime(given) => given.or(match column {
            SqlType::Date => Some(10),
            SqlType::Time => Some(8),
            SqlType::Timestamp(_) => Some(26),
            _ => None,
        }),
    }
}

/// Whether records of a layout differ in length: a VARCHAR has no place of its own.
pub fn is_variable(fields: &[LoadField]) -> bool {
    let is_loose = |field: &LoadField| field.to.is_none();
    let is_text =
        |field: &LoadField| matches!(field.kind, FieldKind::Varchar | FieldKind::Varbinary);
    fields.iter().any(|field| is_text(field) && is_loose(field))
}

/// Bytes of the records of a layout, if all have one length.
pub fn fixed_bytes(fields: &[LoadField], table: &Table) -> Option<u32> {
    if is_variable(fields) {
        return None;
    }
    let (mut next, mut end) = (1, 0);
    for field in fields {
        let from = field.from.unwrap_or(next);
        let column = table.column(&field.column).map(|column| column.sql_type);
        let own = length(field.kind, column.unwrap_or(SqlType::Unknown));
        let to = field
            .to
            .or_else(|| from.checked_add(own?.checked_sub(1)?))?;
        next = to.saturating_add(1);
        end = end.max(to);
    }
    Some(end)
}

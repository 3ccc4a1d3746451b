//! The values of a record.

use copybook::CodePage;
use sql::temporal::{DateStyle, parse_date, parse_time, parse_timestamp};
use sql::{SqlType, Table, TableColumn};

use super::layout::length;
use super::number::{external, fitted, integer, packed, zoned};
use super::{ConditionPlace, ConditionValue, FieldCondition, FieldKind, LoadField};

/// A value for a column.
#[derive(Debug, Clone, PartialEq)]
pub enum LoadValue {
    /// NULL.
    Null,
    /// The column's default.
    Default,
    /// Characters, a date, a time.
    Text(String),
    /// A number as text.
    Number(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// Why a record is not loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {reason}")]
pub struct BadValue {
    /// The column.
    pub column: String,
    /// Why.
    pub reason: String,
}

/// Bytes of a value that a message shows.
const SHOWN_BYTES: usize = 16;

/// The values of a record, in the order of its fields.
///
/// # Errors
/// The first value that a column cannot have.
pub fn values(
    record: &[u8],
    fields: &[LoadField],
    table: &Table,
    page: CodePage,
) -> Result<Vec<LoadValue>, BadValue> {
    let mut places: Vec<(&str, &[u8])> = Vec::with_capacity(fields.len());
    let mut next = 0;
    for field in fields {
        let bad = |reason: String| BadValue {
            column: field.column.clone(),
            reason,
        };
        let Some(column) = table.column(&field.column) else {
            return Err(bad(format!("table {} has no such column", table.name)));
        };
        let (bytes, after) = place(record, field, column, next).map_err(bad)?;
        places.push((&field.column, bytes));
        next = after;
    }
    let each = fields.iter().zip(&places).map(|(field, (_, bytes))| {
        let bad = |reason: String| BadValue {
            column: field.column.clone(),
            reason,
        };
        let holds = |condition: &Option<FieldCondition>| {
            let condition = condition.as_ref();
            condition.map_or(Ok(false), |c| is_met(c, record, &places, page))
        };
        if holds(&field.null_if).map_err(bad)? {
            return Ok(LoadValue::Null);
        }
        if holds(&field.default_if).map_err(bad)? {
            return Ok(LoadValue::Default);
        }
        let column = table.column(&field.column);
        let sql_type = column.map_or(SqlType::Unknown, |column| column.sql_type);
        value(bytes, field.kind, sql_type, page).map_err(bad)
    });
    each.collect()
}

/// The bytes of a field, and where the next field begins.
fn place<'r>(
    record: &'r [u8],
    field: &LoadField,
    column: &TableColumn,
    next: usize,
) -> Result<(&'r [u8], usize), String> {
    let from = field.from.map_or(next, |from| from as usize - 1);
    let short = || {
        format!(
            "the record has {} bytes, and the field ends after them",
            record.len()
        )
    };
    let (start, bytes) = match (field.to, field.kind) {
        (_, FieldKind::Varchar | FieldKind::Varbinary) => {
            let length = record.get(from..from + 2).ok_or_else(short)?;
            let bytes = usize::from(u16::from_be_bytes([length[0], length[1]]));
            let most = field.to.map(|to| (to as usize).saturating_sub(from + 2));
            if most.is_some_and(|most| bytes > most) {
                return Err(format!("the field has no room for {bytes} characters"));
            }
            (from + 2, bytes)
        }
        (Some(to), _) => (from, (to as usize).saturating_sub(from)),
        (None, kind) => match length(kind, column.sql_type) {
            Some(bytes) => (from, bytes as usize),
            // CHAR without a length to the end of the record.
            None => (from, record.len().saturating_sub(from)),
        },
    };
    let place = record.get(start..start + bytes).ok_or_else(short)?;
    let after = field.to.map_or(start + bytes, |to| to as usize);
    Ok((place, after))
}

/// Whether a condition is met.
fn is_met(
    condition: &FieldCondition,
    record: &[u8],
    places: &[(&str, &[u8])],
    page: CodePage,
) -> Result<bool, String> {
    let mut constant = match &condition.value {
        ConditionValue::Bytes(bytes) => bytes.clone(),
        ConditionValue::Text(text) => page
            .encode(text)
            .map_err(|c| format!("{c:?} of a condition is not in the code page"))?,
    };
    let bytes = match &condition.place {
        ConditionPlace::Bytes(from, to) => {
            let from = *from as usize - 1;
            let to = to.map_or(from + constant.len(), |to| to as usize);
            record.get(from..to)
        }
        ConditionPlace::Field(name) => {
            let named = places.iter().find(|(column, _)| column == name);
            named.map(|(_, bytes)| *bytes)
        }
    };
    // Characters are compared with blanks after the shorter one.
    if let (ConditionValue::Text(_), Some(bytes)) = (&condition.value, bytes)
        && constant.len() < bytes.len()
    {
        constant.resize(bytes.len(), page.space());
    }
    Ok(bytes == Some(&constant[..]))
}

fn value(
    bytes: &[u8],
    kind: FieldKind,
    column: SqlType,
    page: CodePage,
) -> Result<LoadValue, String> {
    let shown = || {
        let digits = base::hex::upper(&bytes[..bytes.len().min(SHOWN_BYTES)]);
        format!("X'{digits}'")
    };
    let scale = |given: Option<u8>| given.or(column.decimal().map(|(_, s)| s)).unwrap_or(0);
    let number = match kind {
        FieldKind::Binary(_) | FieldKind::Varbinary => return Ok(LoadValue::Bytes(bytes.to_vec())),
        FieldKind::Char(_) | FieldKind::Varchar if column.is_bytes() => {
            return Ok(LoadValue::Bytes(bytes.to_vec()));
        }
        FieldKind::Char(_) | FieldKind::Varchar | FieldKind::Datetime(_) => {
            let text = page.decode(bytes);
            let text = text.ok_or_else(|| format!("{} is not in the code page", shown()))?;
            return text_value(text, column);
        }
        FieldKind::External(_, scale) => {
            let text = page.decode(bytes).unwrap_or_default();
            external(&text, scale).ok_or_else(|| format!("{} is not a number", shown()))?
        }
        FieldKind::Integer(_) => integer(bytes)
            .ok_or_else(|| format!("an integer has 1 to 8 bytes, not {}", bytes.len()))?
            .to_string(),
        FieldKind::Packed(_, given) => packed(bytes, scale(given))
            .ok_or_else(|| format!("{} is not packed decimal", shown()))?,
        FieldKind::Zoned(_, given) => zoned(bytes, scale(given), page.is_ebcdic())
            .ok_or_else(|| format!("{} is not zoned decimal", shown()))?,
        FieldKind::Float(_) => {
            float(bytes).ok_or_else(|| format!("{} is not a number", shown()))?
        }
    };
    number_value(number, column)
}

/// A floating-point number of IEEE, big-endian.
fn float(bytes: &[u8]) -> Option<String> {
    let number = match bytes.len() {
        4 => f64::from(f32::from_be_bytes(bytes.try_into().ok()?)),
        _ => f64::from_be_bytes(bytes.try_into().ok()?),
    };
    number.is_finite().then(|| format!("{number}"))
}

fn text_value(text: String, column: SqlType) -> Result<LoadValue, String> {
    let trimmed = text.trim_matches(' ');
    let unread = |what: &str| format!("{trimmed:?} is not a {what}");
    Ok(LoadValue::Text(match column {
        SqlType::Date => parse_date(trimmed)
            .map_err(|_| unread("date"))?
            .format(DateStyle::Iso),
        SqlType::Time => parse_time(trimmed)
            .map_err(|_| unread("time"))?
            .format(DateStyle::Jis),
        SqlType::Timestamp(_) => parse_timestamp(trimmed)
            .map_err(|_| unread("timestamp"))?
            .format(6),
        column if column.is_number() => {
            let number = external(&text, 0).ok_or_else(|| unread("number"))?;
            return number_value(number, column);
        }
        _ => {
            let most = column.length().map_or(usize::MAX, |most| most as usize);
            let cut: String = text.chars().take(most).collect();
            // Blanks beyond the column's length are cut.
            if !text[cut.len()..].trim_end_matches(' ').is_empty() {
                return Err(format!(
                    "{} characters do not fit into {most}",
                    text.chars().count()
                ));
            }
            cut
        }
    }))
}

fn number_value(number: String, column: SqlType) -> Result<LoadValue, String> {
    let unfit = |what: &str| format!("{number} does not fit into {what}");
    if column.is_text() {
        return Ok(LoadValue::Text(number));
    }
    if matches!(
        column,
        SqlType::Real | SqlType::Double | SqlType::Decfloat(_)
    ) {
        return Ok(LoadValue::Number(number));
    }
    let plain = if number.contains('E') {
        let float: f64 = number.parse().map_err(|_| unfit("the column"))?;
        format!("{float}")
    } else {
        number.clone()
    };
    if let Some(range) = match column {
        SqlType::Smallint => Some(i64::from(i16::MIN)..=i64::from(i16::MAX)),
        SqlType::Integer => Some(i64::from(i32::MIN)..=i64::from(i32::MAX)),
        SqlType::Bigint => Some(i64::MIN..=i64::MAX),
        _ => None,
    } {
        let whole = fitted(&plain, 19, 0).and_then(|text| text.parse::<i64>().ok());
        let whole = whole.filter(|whole| range.contains(whole));
        let whole = whole.ok_or_else(|| unfit(&format!("{column:?}").to_uppercase()))?;
        return Ok(LoadValue::Number(whole.to_string()));
    }
    match column {
        SqlType::Decimal(precision, scale) => {
            let whole_digits = usize::from(precision.saturating_sub(scale));
            let fitted = fitted(&plain, whole_digits, usize::from(scale));
            let what = format!("DECIMAL({precision},{scale})");
            fitted.map(LoadValue::Number).ok_or_else(|| unfit(&what))
        }
        _ => Err(format!("a number cannot be loaded into {column:?}")),
    }
}

/// A value as a constant of PostgreSQL.
pub fn sql_literal(value: &LoadValue, out: &mut String) {
    match value {
        LoadValue::Null => out.push_str("NULL"),
        LoadValue::Default => out.push_str("DEFAULT"),
        LoadValue::Number(number) => out.push_str(number),
        LoadValue::Text(text) => {
            out.push('\'');
            for c in text.chars() {
                match c {
                    '\'' => out.push_str("''"),
                    // The server has no character 0; programs see these as X'00' and X'01'.
                    '\0' => out.push('\u{1}'),
                    '\u{1}' => out.push('\u{100}'),
                    c => out.push(c),
                }
            }
            out.push('\'');
        }
        LoadValue::Bytes(bytes) => {
            out.push_str("'\\x");
            out.push_str(&base::hex::lower(bytes));
            out.push('\'');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{LoadItem, fields_of_table, fixed_bytes, is_variable, items};
    use proptest::prelude::*;

    fn table() -> Table {
        let column = |name: &str, sql_type| TableColumn {
            name: name.to_owned(),
            sql_type,
            nullable: true,
            identity: false,
        };
        Table {
            schema: None,
            name: "T".to_owned(),
            columns: vec![
                column("ITEM", SqlType::Char(4)),
                column("PRICE", SqlType::Decimal(5, 2)),
                column("COUNTED", SqlType::Smallint),
                column("SINCE", SqlType::Date),
                column("NOTE", SqlType::Varchar(6)),
            ],
        }
    }

    fn fields(list: &str) -> Vec<LoadField> {
        let text = format!("LOAD DATA INTO TABLE T ({list})");
        match items(&text).unwrap().pop() {
            Some(LoadItem::Load(load)) => load.fields,
            other => panic!("{other:?}"),
        }
    }

    fn row(record: &[u8], fields: &[LoadField], page: CodePage) -> Result<String, String> {
        let values = values(record, fields, &table(), page).map_err(|e| e.to_string())?;
        let mut out = String::new();
        for value in &values {
            sql_literal(value, &mut out);
            out.push(' ');
        }
        Ok(out.trim_end().to_owned())
    }

    #[test]
    fn records_of_both_code_pages_have_the_same_values() {
        let fields = fields(
            "ITEM POSITION(1:4) CHAR(4), PRICE POSITION(5:7) DECIMAL PACKED, \
             COUNTED POSITION(8) SMALLINT, SINCE POSITION(10:19) DATE EXTERNAL \
             NULLIF(20)='?', NOTE POSITION(21) VARCHAR",
        );
        assert!(is_variable(&fields));
        let ebcdic = CodePage::by_ccsid(37).unwrap();
        for page in [ebcdic, CodePage::latin1()] {
            let text = |text: &str| page.encode(text).unwrap();
            let record = |null: &str| {
                [
                    text("NUT "),
                    b"\x01\x23\x4D\xFF\xFE".to_vec(),
                    text("28.02.2026"),
                    text(null),
                    b"\x00\x03".to_vec(),
                    text("O'K"),
                ]
                .concat()
            };
            let expected = "'NUT ' -12.34 -2 '2026-02-28' 'O''K'";
            assert_eq!(row(&record(" "), &fields, page).unwrap(), expected);
            let expected = "'NUT ' -12.34 -2 NULL 'O''K'";
            assert_eq!(row(&record("?"), &fields, page).unwrap(), expected);
        }
    }

    #[test]
    fn the_default_layout_is_that_of_the_table() {
        let fields = fields_of_table(&table()).unwrap();
        let record = b"BOLT\x00\x15\x0C\x00\x282026-02-28\x00\x01x";
        let values = row(record, &fields, CodePage::latin1());
        assert_eq!(values.unwrap(), "'BOLT' 1.50 40 '2026-02-28' 'x'");
        assert_eq!(fixed_bytes(&fields, &table()), None);
        assert_eq!(fixed_bytes(&fields[..4], &table()), Some(4 + 3 + 2 + 10));
    }

    #[test]
    fn a_value_that_a_column_cannot_have_is_named() {
        let page = CodePage::latin1();
        let one = |list: &str, record: &[u8]| row(record, &fields(list), page).unwrap_err();
        let packed = one("PRICE POSITION(1:3) DECIMAL PACKED", b"\x01\x2A\x3C");
        assert_eq!(packed, "column PRICE: X'012A3C' is not packed decimal");
        let large = one("COUNTED POSITION(1:5) INTEGER EXTERNAL", b"40000");
        assert_eq!(large, "column COUNTED: 40000 does not fit into SMALLINT");
        let short = one("ITEM POSITION(1:4) CHAR(4)", b"AB");
        assert!(short.contains("has 2 bytes"), "{short}");
        let wide = one("COUNTED POSITION(1:9) INTEGER", &[0; 9]);
        assert!(wide.contains("1 to 8 bytes, not 9"), "{wide}");
        let date = one("SINCE POSITION(1:10) DATE EXTERNAL(10)", b"2026-02-30");
        assert!(date.contains("is not a date"), "{date}");
        let long = one("NOTE VARCHAR", b"\x00\x08ABCDEFGH");
        assert!(long.contains("do not fit into 6"), "{long}");
        let decimal = one("PRICE DECIMAL EXTERNAL(7)", b"1234.56");
        assert!(decimal.contains("DECIMAL(5,2)"), "{decimal}");
        assert_eq!(
            row(b"1.999", &fields("PRICE DECIMAL EXTERNAL(5)"), page).unwrap(),
            "1.99"
        );
        let absent = one("OTHER CHAR(1)", b"A");
        assert!(absent.contains("no such column"), "{absent}");
    }

    proptest! {
        #[test]
        fn no_record_makes_the_reader_panic(record in prop::collection::vec(any::<u8>(), 0..40)) {
            let table = table();
            let fields = fields_of_table(&table).unwrap();
            for page in [CodePage::latin1(), CodePage::utf8(), CodePage::by_ccsid(37).unwrap()] {
                let _ = values(&record, &fields, &table, page);
            }
        }
    }
}

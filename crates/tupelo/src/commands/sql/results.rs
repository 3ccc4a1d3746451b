//! Query results as aligned tables.

use database::Exchange;
use sql::wire::{ResultColumn, oid};

use crate::table::Table;

/// Types that are aligned right.
const NUMBERS: &[u32] = &[
    oid::INT2,
    oid::INT4,
    oid::INT8,
    oid::NUMERIC,
    oid::FLOAT4,
    oid::FLOAT8,
];

/// The rows of a result; empty for a statement without rows.
pub fn show(answer: &Exchange) -> String {
    if answer.columns.is_empty() {
        return String::new();
    }
    let heading: Vec<String> = answer.columns.iter().map(heading).collect();
    let heading: Vec<&str> = heading.iter().map(String::as_str).collect();
    let mut table = Table::new(&heading);
    for row in &answer.rows {
        table.row(row.iter().map(|value| cell(value.as_deref())));
    }
    let rows = answer.rows.len();
    format!("{table}{rows} {}\n", if rows == 1 { "row" } else { "rows" })
}

fn heading(column: &ResultColumn) -> String {
    format!(
        "{}{}",
        if is_number(column) { ">" } else { "" },
        column.name
    )
}

/// Whether a column's values are numbers.
pub fn is_number(column: &ResultColumn) -> bool {
    NUMBERS.contains(&column.oid)
}

/// A value as it is shown. LOW-VALUES are stored as U+0001 and U+0100.
pub fn cell(value: Option<&[u8]>) -> String {
    let Some(value) = value else {
        return "-".to_owned();
    };
    let text = String::from_utf8_lossy(value);
    let shown = text.trim_end_matches(' ').chars().map(|c| match c {
        '\u{1}' | '\u{100}' => '.',
        c if c.is_control() => '.',
        c => c,
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_and_nulls_and_control_characters_are_shown() {
        let column = |name: &str, oid| ResultColumn {
            name: name.into(),
            table: 0,
            number: 0,
            oid,
            modifier: -1,
        };
        let answer = Exchange {
            columns: vec![column("NAME", oid::BPCHAR), column("AMOUNT", oid::NUMERIC)],
            rows: vec![
                vec![Some(b"ANN\x01   ".to_vec()), Some(b"7.50".to_vec())],
                vec![None, Some(b"1234.00".to_vec())],
            ],
            ..Exchange::default()
        };
        assert_eq!(
            show(&answer),
            "NAME   AMOUNT\nANN.     7.50\n-     1234.00\n2 rows\n"
        );
        assert_eq!(show(&Exchange::default()), "");
    }
}

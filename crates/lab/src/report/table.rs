//! Tables in addition to the figures, as text and as HTML.

use super::model::Table;
use super::text::{columns, wrapped};
use maud::{Markup, html};
use page::{PageTable, TableColumn, note};

/// A table for a terminal. A last column of sentences is folded.
pub(super) fn text(table: &Table) -> String {
    let heading = [table.heading.clone()];
    let rows = [&heading[..], &table.rows[..]].concat();
    let lines = columns(&rows, &[], "  ");
    let last = table.heading.len().saturating_sub(1);
    let body = if is_long(table, last) {
        lines
            .lines()
            .map(|line| folded(line, &rows, last))
            .collect()
    } else {
        lines
    };
    format!("\n{}\n{body}{}", table.title, wrapped(&table.caption, "  "))
}

/// A line of columns whose last cell may continue below itself.
fn folded(line: &str, rows: &[Vec<String>], last: usize) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let before = 2 + (0..last).map(|column| width(column) + 2).sum::<usize>();
    let start: String = line.chars().take(before).collect();
    let cell: String = line.chars().skip(before).collect();
    let indent = " ".repeat(before);
    let below = base::wrapped(&cell, [&indent, &indent], before + FOLD);
    match below.trim_start() {
        "" => format!("{}\n", start.trim_end()),
        text => format!("{start}{text}"),
    }
}

/// A table for a page. Columns of sentences wrap and take the room; columns of
/// numbers end together; others are as wide as their widest cell.
pub(super) fn html(table: &Table) -> Markup {
    let column = |(i, head): (usize, &String)| match (i, is_long(table, i)) {
        (0, true) => TableColumn::name(head),
        (0, false) => TableColumn::numbers(head),
        (_, true) => TableColumn::sentences(head),
        (_, false) if is_numeric(table, i) => TableColumn::numbers(head),
        (_, false) => TableColumn::words(head),
    };
    let columns = table.heading.iter().enumerate().map(column);
    let mut shown = PageTable::new(columns).with_wrapping_heads();
    for row in &table.rows {
        shown.row_of(row);
    }
    html! {
        h2 { (table.title) }
        div.card.scroll {
            (shown)
            (note(&table.caption))
        }
    }
}

/// Whether a column has sentences.
fn is_long(table: &Table, column: usize) -> bool {
    let mut cells = table.rows.iter().filter_map(|row| row.get(column));
    cells.any(|cell| cell.chars().count() > LINE)
}

/// Whether a column has only numbers (including short forms such as "11.3k") and
/// gaps.
fn is_numeric(table: &Table, column: usize) -> bool {
    let cells = table.rows.iter().filter_map(|row| row.get(column));
    let mut filled = cells.filter(|cell| !cell.is_empty() && *cell != "none");
    let is_number = |cell: &String| cell.trim_end_matches(['k', 'M']).parse::<f64>().is_ok();
    filled.clone().count() > 0 && filled.all(is_number)
}

/// Characters of a cell that stay on one line.
const LINE: usize = 44;

/// Characters of a folded cell on one line.
const FOLD: usize = 66;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_numbers() {
        let column = |cells: &[&str]| Table {
            title: String::new(),
            heading: vec!["p99".into()],
            rows: cells.iter().map(|cell| vec![(*cell).into()]).collect(),
            caption: String::new(),
        };
        assert!(is_numeric(
            &column(&["998", "11.3k", "1.2M", "none", ""]),
            0
        ));
        assert!(!is_numeric(&column(&["998", "much"]), 0));
        assert!(!is_numeric(&column(&["none"]), 0));
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let table = Table {
            title: "Costs".into(),
            heading: vec!["what".into(), "ns".into()],
            rows: vec![vec!["a verb".into(), "<5>".into()]],
            caption: String::new(),
        };
        assert_eq!(text(&table), "\nCosts\n  what    ns\n  a verb  <5>\n");
        let shown = |table: &Table| html(table).into_string();
        assert!(shown(&table).contains("<td class=\"words\">&lt;5&gt;"));
        let sentence = Table {
            rows: vec![vec!["a verb".into(), "because ".repeat(19)]],
            ..table.clone()
        };
        assert!(shown(&sentence).contains("<td class=\"words wrap\">because"));
        let folded = text(&sentence);
        assert!(folded.lines().all(|l| l.chars().count() < 80), "{folded}");
        assert!(folded.contains("\n          because because"), "{folded}");
        let numbers = Table {
            rows: vec![vec!["a verb".into(), "-0.5".into()]],
            ..table
        };
        assert!(shown(&numbers).contains("<td>-0.5"));
    }
}

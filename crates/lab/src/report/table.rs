//! Tables beside the figures, as text and as HTML.

use super::model::Table;
use super::text::{columns, wrapped};
use measure::report::escape;

/// A table for a terminal.
pub(super) fn text(table: &Table) -> String {
    let heading = [table.heading.clone()];
    let rows = [&heading[..], &table.rows[..]].concat();
    format!(
        "\n{}\n{}{}",
        table.title,
        columns(&rows, &[], "  "),
        wrapped(&table.caption, "  ")
    )
}

/// A table for a page. Columns of sentences wrap and take the room; others are
/// as wide as their widest cell.
pub(super) fn html(table: &Table) -> String {
    let long = |column: usize| {
        let mut cells = table.rows.iter().filter_map(|row| row.get(column));
        cells.any(|cell| cell.chars().count() > LINE)
    };
    let cells = |tag: &str, row: &[String]| {
        let mut out = String::from("<tr>");
        for (i, cell) in row.iter().enumerate() {
            let class = match (i, long(i)) {
                (0, _) => "",
                (_, true) => " class=\"words wrap\"",
                (_, false) => " class=words",
            };
            out += &format!("<{tag}{class}>{}", escape(cell));
        }
        out + "</tr>"
    };
    let rows: String = table.rows.iter().map(|row| cells("td", row)).collect();
    format!(
        "<h2>{}</h2><div class=\"card scroll\"><table>{}{rows}</table><p class=soft>{}</p></div>",
        escape(&table.title),
        cells("th", &table.heading),
        escape(&table.caption)
    )
}

/// Characters of a cell that stay on one line.
const LINE: usize = 44;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let table = Table {
            title: "Costs".into(),
            heading: vec!["what".into(), "ns".into()],
            rows: vec![vec!["a verb".into(), "<5>".into()]],
            caption: String::new(),
        };
        assert_eq!(text(&table), "\nCosts\n  what    ns\n  a verb  <5>\n");
        assert!(html(&table).contains("<td class=words>&lt;5&gt;"));
        let sentence = Table {
            rows: vec![vec!["a verb".into(), "because ".repeat(9)]],
            ..table
        };
        assert!(html(&sentence).contains("<td class=\"words wrap\">because"));
    }
}

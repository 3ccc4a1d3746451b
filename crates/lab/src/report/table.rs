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

/// A table for a page.
pub(super) fn html(table: &Table) -> String {
    let cells = |tag: &str, row: &[String]| {
        let mut out = String::from("<tr>");
        for (i, cell) in row.iter().enumerate() {
            let class = if i == 0 { "" } else { " class=\"words wrap\"" };
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
        assert!(html(&table).contains("&lt;5&gt;"));
    }
}

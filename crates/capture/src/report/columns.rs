//! Columns with the width of their contents.

/// Lines of cells under a heading; a heading that begins with `>` is aligned right.
pub(super) fn columns(heading: &[&str], rows: &[Vec<String>]) -> String {
    let right: Vec<bool> = heading.iter().map(|h| h.starts_with('>')).collect();
    let first: Vec<String> = heading
        .iter()
        .map(|h| h.trim_start_matches('>').to_owned())
        .collect();
    let width = |column: usize| {
        let cells = std::iter::once(&first)
            .chain(rows)
            .filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heading.len()).map(width).collect();
    let mut out = String::new();
    for row in std::iter::once(&first).chain(rows) {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let room = widths.get(column).copied().unwrap_or(0);
            let pad = " ".repeat(room.saturating_sub(cell.chars().count()));
            match right.get(column) {
                Some(true) => line += &format!("{pad}{cell}  "),
                _ => line += &format!("{cell}{pad}  "),
            }
        }
        out += line.trim_end();
        out.push('\n');
    }
    out
}

//! Tables on the terminal: each column is as wide as its widest cell.

use std::fmt;

/// Rows under a heading.
pub struct Table {
    heading: Vec<String>,
    right: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table. A heading that begins with `>` aligns its column right.
    pub fn new(heading: &[&str]) -> Table {
        Table {
            right: heading.iter().map(|h| h.starts_with('>')).collect(),
            heading: heading
                .iter()
                .map(|h| h.trim_start_matches('>').to_owned())
                .collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |column: usize| {
            std::iter::once(&self.heading)
                .chain(&self.rows)
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.heading.len()).map(width).collect();
        for row in std::iter::once(&self.heading).chain(&self.rows) {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let (width, pad) = (widths[column], widths[column] - cell.chars().count());
                if self.right[column] {
                    line += &format!("{cell:>width$}  ", width = width)
                } else {
                    line += &format!("{cell}{}  ", " ".repeat(pad))
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&["name", ">bytes"]);
        table.row(["A".into(), "7".into()]);
        table.row(["LONGER".into(), "12345".into()]);
        assert_eq!(
            table.to_string(),
            "name    bytes\nA           7\nLONGER  12345\n"
        );
    }
}

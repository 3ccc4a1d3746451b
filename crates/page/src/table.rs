//! Tables of reports. Numbers end together at the right, words begin together at
//! the left, and sentences wrap.
//!
//! On a small screen a table scrolls within its card. A table with many columns
//! folds there: a row becomes a block, each value next to its column's head. The
//! style sheet needs the head at each cell for that, so every cell has it.

use maud::{Markup, Render, html};

/// The kind of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq)]
enum CellKind {
    Numbers,
    Words,
    Sentences,
    Name,
}

impl CellKind {
    /// The classes of a cell; of a head, the first of them.
    fn class(self) -> Option<&'static str> {
        match self {
            CellKind::Numbers => None,
            CellKind::Words => Some("words"),
            CellKind::Sentences => Some("words wrap"),
            CellKind::Name => Some("name"),
        }
    }

    fn head_class(self) -> Option<&'static str> {
        match self {
            CellKind::Words | CellKind::Sentences => Some("words"),
            CellKind::Numbers | CellKind::Name => None,
        }
    }
}

/// A column: its head and the kind of its cells. A text is the head of a column of
/// numbers; the first column is at the left in any case.
#[derive(Clone, Debug)]
pub struct TableColumn {
    head: String,
    kind: CellKind,
}

impl TableColumn {
    fn of(head: impl Into<String>, kind: CellKind) -> TableColumn {
        TableColumn {
            head: head.into(),
            kind,
        }
    }

    /// A column of numbers.
    pub fn numbers(head: impl Into<String>) -> TableColumn {
        TableColumn::of(head, CellKind::Numbers)
    }

    /// A column of words, each cell on one line.
    pub fn words(head: impl Into<String>) -> TableColumn {
        TableColumn::of(head, CellKind::Words)
    }

    /// A column of sentences that wrap.
    pub fn sentences(head: impl Into<String>) -> TableColumn {
        TableColumn::of(head, CellKind::Sentences)
    }

    /// A first column of names that wrap.
    pub fn name(head: impl Into<String>) -> TableColumn {
        TableColumn::of(head, CellKind::Name)
    }
}

impl From<&str> for TableColumn {
    fn from(head: &str) -> TableColumn {
        TableColumn::numbers(head)
    }
}

impl From<String> for TableColumn {
    fn from(head: String) -> TableColumn {
        TableColumn::numbers(head)
    }
}

/// A table. Its rows have as many cells as it has columns.
#[derive(Clone, Debug)]
pub struct PageTable {
    columns: Vec<TableColumn>,
    rows: Vec<TableRow>,
    folds: bool,
    heads_wrap: bool,
}

#[derive(Clone, Debug)]
struct TableRow {
    cells: Vec<Markup>,
    missed: bool,
}

impl PageTable {
    /// A table without rows.
    pub fn new<C: Into<TableColumn>>(columns: impl IntoIterator<Item = C>) -> PageTable {
        let columns: Vec<TableColumn> = columns.into_iter().map(Into::into).collect();
        PageTable {
            folds: columns.len() >= FEWEST_FOLDED,
            columns,
            rows: Vec::new(),
            heads_wrap: false,
        }
    }

    /// Folds on a small screen although it has few columns, because its texts are
    /// long.
    pub fn folding(mut self) -> PageTable {
        self.folds = true;
        self
    }

    /// Heads may take several lines.
    pub fn with_wrapping_heads(mut self) -> PageTable {
        self.heads_wrap = true;
        self
    }

    /// Adds a row.
    pub fn row(&mut self, cells: &[&dyn Render]) {
        self.judged_row(true, cells);
    }

    /// Adds a row that is marked unless it met its objective.
    pub fn judged_row(&mut self, met: bool, cells: &[&dyn Render]) {
        self.rows.push(TableRow {
            cells: cells.iter().map(|cell| cell.render()).collect(),
            missed: !met,
        });
    }

    /// Adds a row of as many cells as there are values.
    pub fn row_of<R: Render>(&mut self, cells: impl IntoIterator<Item = R>) {
        self.rows.push(TableRow {
            cells: cells.into_iter().map(|cell| cell.render()).collect(),
            missed: false,
        });
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table in a box that scrolls if the table is wider than the page.
    pub fn scrolling(&self) -> Markup {
        html! { div.scroll { (self) } }
    }

    /// The table in a card that scrolls if the table is wider than the page.
    pub fn card(&self) -> Markup {
        html! { div.card.scroll { (self) } }
    }
}

impl Render for PageTable {
    fn render(&self) -> Markup {
        let class = self.heads_wrap.then_some("free");
        // Only tables that fold need the heads at their cells.
        let head = |column: usize| {
            let head = self.columns.get(column).map(|column| &column.head);
            head.filter(|head| self.folds && !head.is_empty())
        };
        let kind = |column: usize| self.columns.get(column).and_then(|c| c.kind.class());
        html! {
            table class=[class] data-fold[self.folds] {
                tr data-heads[self.folds] {
                    @for column in &self.columns {
                        th class=[column.kind.head_class()] { (column.head) }
                    }
                }
                @for row in &self.rows {
                    tr class=[row.missed.then_some("missed")] {
                        @for (column, cell) in row.cells.iter().enumerate() {
                            td class=[kind(column)] data-head=[head(column)] { (cell) }
                        }
                    }
                }
            }
        }
    }
}

/// Tables with fewer columns fit a telephone unchanged.
const FEWEST_FOLDED: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_folds_where_it_is_asked_to() {
        let table = || {
            let mut table = PageTable::new(["run", ""]);
            table.row(&[&"a", &"words"]);
            table
        };
        assert_eq!(
            table().folding().render().into_string(),
            "<table data-fold><tr data-heads><th>run</th><th></th></tr>\
             <tr><td data-head=\"run\">a</td><td>words</td></tr></table>"
        );
        assert_eq!(
            table().render().into_string(),
            "<table><tr><th>run</th><th></th></tr><tr><td>a</td><td>words</td></tr></table>"
        );
    }

    #[test]
    fn cells_of_a_wide_table_have_the_head_of_their_column() {
        let mut table = PageTable::new([
            TableColumn::name("name"),
            TableColumn::words("\"µs\" <each>"),
            "MB".into(),
            "s".into(),
            TableColumn::sentences("why"),
        ]);
        table.judged_row(false, &[&"a", &1, &2.5, &"", &"<b>"]);
        let shown = table.render().into_string();
        for part in [
            "<tr class=\"missed\"><td class=\"name\" data-head=\"name\">a</td>",
            "<td class=\"words\" data-head=\"&quot;µs&quot; &lt;each&gt;\">1</td>",
            "<td data-head=\"s\"></td><td class=\"words wrap\" data-head=\"why\">&lt;b&gt;</td>",
            "<th class=\"words\">why</th>",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }

    #[test]
    fn a_row_longer_than_the_heads_is_still_shown() {
        let mut table = PageTable::new(["one"]);
        table.row_of(["1", "2"]);
        assert!(table.render().into_string().contains("<td>2</td>"));
    }
}

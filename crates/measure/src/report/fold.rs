//! Tables that fold: on a small screen a row with many columns becomes a block,
//! each value next to its column's head. The heads are copied into the cells here,
//! once for all reports, so that the style sheet can show them.

/// Copies the heads of wide tables into the cells of a page's body. Tables are in
/// the form that reports write: a first row of `<th`, then rows of `<td`.
pub(super) fn fold(body: &str) -> String {
    let mut out = String::with_capacity(body.len() * 5 / 4);
    let mut rest = body;
    while let Some(at) = rest.find("<table") {
        let end = rest[at..].find("</table>").map_or(rest.len(), |n| at + n);
        out += &rest[..at];
        fold_table(&rest[at..end], &mut out);
        rest = &rest[end..];
    }
    out + rest
}

fn fold_table(table: &str, out: &mut String) {
    let mut rows = table.split("<tr");
    let opening = rows.next().unwrap_or_default();
    let Some(first) = rows.next() else {
        *out += table;
        return;
    };
    let heads: Vec<String> = first.split("<th").skip(1).map(text).collect();
    if heads.len() < FEWEST && !opening.contains("class=fold") {
        *out += table;
        return;
    }
    *out += &opening.replacen("<table", "<table data-fold", 1);
    *out += "<tr data-heads";
    *out += first;
    for row in rows {
        *out += "<tr";
        for (i, cell) in row.split("<td").enumerate() {
            // The text before the first cell contains the row's own
            // attributes.
            let Some(column) = i.checked_sub(1) else {
                *out += cell;
                continue;
            };
            *out += "<td";
            if let Some(head) = heads.get(column).filter(|h| !h.is_empty()) {
                *out += &format!(" data-head=\"{}\"", head.replace('"', "&quot;"));
            }
            *out += cell;
        }
    }
}

/// The text of a cell's source, from its attributes on, without its tags.
fn text(cell: &str) -> String {
    let content = cell.split_once('>').map_or("", |c| c.1);
    let mut out = String::new();
    let mut inside = false;
    for c in content.chars() {
        match c {
            '<' => inside = true,
            '>' => inside = false,
            c if !inside => out.push(c),
            _ => {}
        }
    }
    out.trim().to_owned()
}

/// Tables with fewer columns fit a phone unchanged, except those of class `fold`,
/// whose texts are too long.
const FEWEST: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_folds_where_it_is_asked_to() {
        let narrow = "<table class=fold><tr><th>run<th></tr><tr><td>a<td>words</tr></table>";
        assert_eq!(
            fold(narrow),
            "<table data-fold class=fold><tr data-heads><th>run<th></tr>\
             <tr><td data-head=\"run\">a<td>words</tr></table>"
        );
        let plain = narrow.replace(" class=fold", "");
        assert_eq!(fold(&plain), plain);
    }

    #[test]
    fn cells_of_a_wide_table_have_the_head_of_their_column() {
        let body = "<p>a</p><table><tr><th>who<th class=w>µs <b>each</b><th><th>MB<th>s</tr>\
                    <tr class=x><td>a<td>1<td class=y>2<td>3<td>4</tr></table><p>b</p>";
        assert_eq!(
            fold(body),
            "<p>a</p><table data-fold><tr data-heads><th>who<th class=w>µs <b>each</b><th><th>MB<th>s</tr>\
             <tr class=x><td data-head=\"who\">a<td data-head=\"µs each\">1<td class=y>2<td data-head=\"MB\">3<td data-head=\"s\">4</tr></table><p>b</p>"
        );
    }

    #[test]
    fn narrow_tables_and_broken_text_stay_as_they_are() {
        for body in [
            "",
            "<table>",
            "<table></table>",
            "<table><tr><th>a<th>b</tr><tr><td>1<td>2</tr></table>",
            "<p><table><tr><td>1<td>2<td>3<td>4</tr>",
        ] {
            assert_eq!(fold(body), body);
        }
    }
}

//! Reports as one HTML page without scripts or outside parts, with the look of
//! the load reports.

use super::model::{ExperimentReport, JudgeFinding, Picture};
use super::text::{MARKS, found, off, published};
use maud::{Markup, Render, html};
use page::{PageTable, TableColumn, TileFigure, cards, note, page, short, tiles};

/// One page of one or more reports.
pub fn html(reports: &[ExperimentReport]) -> String {
    let title = match reports {
        [one] => one.title.as_str(),
        _ => "Laboratory",
    };
    let body = html! {
        @for report in reports { (section(report)) }
    };
    page(title, &body)
}

fn section(report: &ExperimentReport) -> Markup {
    let (verdict, conclusions) = match report.conclusions.split_first() {
        Some((verdict, others)) => (Some(verdict), others),
        None => (None, &[][..]),
    };
    html! {
        h1 { (report.title) }
        (note(html! { "tupelo lab " (report.experiment) " · paper: " (report.paper) }))
        @if let Some(verdict) = verdict { p.verdict { (verdict) } }
        (headline(report))
        p { (report.question) }
        @for conclusion in conclusions { p { (conclusion) } }
        @if !report.pictures.is_empty() {
            br;
            (cards(&report.pictures.iter().map(card).collect::<Vec<_>>()))
        }
        @if !report.has_no_comparison() { (figures(report)) }
        @for table in &report.tables { (super::table::html(table)) }
        @if !report.findings.is_empty() { (findings(&report.findings)) }
        @if !report.conditions.is_empty() {
            h2 { "Conditions" }
            div.card {
                dl {
                    @for (name, value) in &report.conditions {
                        dt { (name) }
                        dd { (value) }
                    }
                }
            }
        }
    }
}

/// The three figures that matter, as tiles.
fn headline(report: &ExperimentReport) -> Markup {
    let tile = |(value, what): &(String, String)| TileFigure::new(value, what);
    match &report.headline[..] {
        [a, b, c] => tiles(&[a, b, c].map(tile), &[]),
        _ => html! {},
    }
}

fn figures(report: &ExperimentReport) -> Markup {
    // Conditions that no figure has take no room.
    let with_conditions = report.figures.iter().any(|f| !f.conditions.is_empty());
    let mut columns = vec![TableColumn::name("figure")];
    if with_conditions {
        columns.push(TableColumn::words("conditions"));
    }
    columns.extend(["published", "found"].map(TableColumn::numbers));
    columns.extend([TableColumn::words("unit"), TableColumn::numbers("off")]);
    let mut table = PageTable::new(columns).with_wrapping_heads();
    for f in &report.figures {
        let (published, found, off) = (published(f), html! { b { (found(f)) } }, off(f));
        let mut cells: Vec<&dyn Render> = vec![&f.name];
        if with_conditions {
            cells.push(&f.conditions);
        }
        cells.extend::<[&dyn Render; 4]>([&published, &found, &f.unit, &off]);
        table.row(&cells);
    }
    html! {
        h2 { "Published and found" }
        div.card.scroll {
            (table)
            (note(MARKS))
        }
    }
}

fn findings(findings: &[JudgeFinding]) -> Markup {
    let columns = [
        TableColumn::numbers("run"),
        TableColumn::words("planted"),
        TableColumn::words("named"),
        TableColumn::sentences(""),
    ];
    let mut table = PageTable::new(columns).folding();
    for finding in findings {
        let planted = finding.planted.as_deref().unwrap_or("nothing");
        let named = html! {
            @for (i, n) in finding.named.iter().enumerate() {
                @if i > 0 { br; }
                code { (n.cause) } " " (n.count) " × " (short(n.cost_ms)) " ms"
            }
            @if finding.named.is_empty() { "nothing" }
        };
        table.judged_row(
            finding.holds(),
            &[
                &finding.conditions,
                &html! { code { (planted) } },
                &named,
                &finding.summary,
            ],
        );
    }
    html! {
        h2 { "Causes in the explained captures" }
        (table.card())
    }
}

fn card(picture: &Picture) -> Markup {
    match picture {
        Picture::Plot(plot) => plot.card(""),
        Picture::Captioned { plot, caption } => plot.card(caption),
        Picture::Bars { chart, caption } => chart.card(caption),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_break_out_of_the_page() {
        let mut report = ExperimentReport {
            title: "<script>".into(),
            ..ExperimentReport::default()
        };
        report.measured("<b>", "a & b", None, 1.0, "\"");
        let page = html(&[report]);
        assert!(!page.contains("<script>"));
        assert!(page.contains("&lt;b&gt;"));
        assert!(page.contains("a &amp; b"));
    }

    #[test]
    fn a_page_opens_with_the_verdict_and_the_three_figures_that_matter() {
        let mut report = ExperimentReport {
            question: "Why?".into(),
            conclusions: vec!["It is so.".into(), "More.".into()],
            ..ExperimentReport::default()
        };
        report.matters(43.97, "ms", "two writes");
        report.matters(-99.9, "%", "saved");
        report.matters(3.0, "", "runs <i>");
        let page = html(&[report]);
        let order = [
            "<p class=\"verdict\">It is so.</p>",
            "<b>43.97 ms</b><span>two writes</span>",
            "<b>3</b><span>runs &lt;i&gt;</span>",
            "<p>Why?</p>",
            "<p>More.</p>",
        ];
        let places = order.map(|part| page.find(part).unwrap_or_else(|| panic!("{part}: {page}")));
        assert!(places.is_sorted(), "{places:?}");
    }
}

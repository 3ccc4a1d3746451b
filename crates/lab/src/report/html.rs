//! Reports as one HTML page without scripts or outside parts, with the look of
//! the load reports.

use super::bars;
use super::model::{ExperimentReport, JudgeFinding, Picture};
use super::text::{MARKS, found, off, published};
use measure::report::{escape, page, short, three_and_others};

/// One page of one or more reports.
pub fn html(reports: &[ExperimentReport]) -> String {
    let title = match reports {
        [one] => one.title.clone(),
        _ => "Laboratory".to_owned(),
    };
    let body: String = reports.iter().map(section).collect();
    page(
        &title,
        &format!("<style>{STYLE}{}</style>{body}", bars::STYLE),
    )
}

fn section(report: &ExperimentReport) -> String {
    let mut out = format!(
        "<h1>{}</h1><p class=soft>tupelo lab {} · paper: {}</p>",
        escape(&report.title),
        escape(&report.experiment),
        escape(&report.paper),
    );
    let mut conclusions = report.conclusions.iter();
    if let Some(verdict) = conclusions.next() {
        out += &format!("<p class=verdict>{}</p>", escape(verdict));
    }
    out += &headline(report);
    for paragraph in [&report.question].into_iter().chain(conclusions) {
        out += &format!("<p>{}</p>", escape(paragraph));
    }
    out += &pictures(report);
    if !report.has_no_comparison() {
        out += &figures(report);
    }
    out.extend(report.tables.iter().map(super::table::html));
    if !report.findings.is_empty() {
        out += "<h2>Causes in the explained captures</h2><div class=\"card scroll\"><table class=fold>\
                <tr><th>run<th class=words>planted<th class=words>named<th class=words></tr>";
        out.extend(report.findings.iter().map(finding));
        out += "</table></div>";
    }
    if !report.conditions.is_empty() {
        out += "<h2>Conditions</h2><div class=card><dl>";
        for (name, value) in &report.conditions {
            out += &format!("<dt>{}</dt><dd>{}</dd>", escape(name), escape(value));
        }
        out += "</dl></div>";
    }
    out
}

/// The three figures that matter, as tiles.
fn headline(report: &ExperimentReport) -> String {
    let tile = |(value, what): &(String, String)| (escape(value), escape(what));
    let tiles: Vec<(String, String)> = report.headline.iter().map(tile).collect();
    match &tiles[..] {
        [a, b, c] => three_and_others(
            &[a, b, c].map(|(value, what)| (value.clone(), what.as_str())),
            &[],
        ),
        _ => String::new(),
    }
}

fn figures(report: &ExperimentReport) -> String {
    // Conditions that no figure has take no room.
    let with = report.figures.iter().any(|f| !f.conditions.is_empty());
    let conditions = |tag: &str, text: &str| {
        if with {
            format!("<{tag} class=words>{}", escape(text))
        } else {
            String::new()
        }
    };
    let rows: String = report
        .figures
        .iter()
        .map(|f| {
            format!(
                "<tr><td class=name>{}{}<td>{}<td><b>{}</b><td class=words>{}<td>{}</tr>",
                escape(&f.name),
                conditions("td", &f.conditions),
                escape(&published(f)),
                escape(&found(f)),
                escape(&f.unit),
                escape(&off(f))
            )
        })
        .collect();
    format!(
        "<h2>Published and found</h2><div class=\"card scroll\"><table class=free><tr><th>figure{}\
         <th>published<th>found<th class=words>unit<th>off</tr>{rows}</table>\
         <p class=soft>{}</p></div>",
        conditions("th", "conditions"),
        escape(MARKS)
    )
}

fn finding(finding: &JudgeFinding) -> String {
    let named: Vec<String> = finding
        .named
        .iter()
        .map(|n| {
            format!(
                "<code>{}</code> {} × {} ms",
                escape(&n.cause),
                n.count,
                short(n.cost_ms)
            )
        })
        .collect();
    let class = if finding.holds() { "" } else { " class=missed" };
    format!(
        "<tr{class}><td>{}<td class=words><code>{}</code><td class=words>{}<td class=\"words wrap\">{}</tr>",
        escape(&finding.conditions),
        escape(finding.planted.as_deref().unwrap_or("nothing")),
        if named.is_empty() {
            "nothing".to_owned()
        } else {
            named.join("<br>")
        },
        escape(&finding.summary)
    )
}

fn pictures(report: &ExperimentReport) -> String {
    let cards: String = report
        .pictures
        .iter()
        .map(|picture| match picture {
            Picture::Plot(plot) => card(&plot.title, &(plot.legend() + &plot.svg()), ""),
            Picture::Captioned { plot, caption } => {
                card(&plot.title, &(plot.legend() + &plot.svg()), caption)
            }
            Picture::Svg {
                title,
                svg,
                narrow,
                caption,
            } => card(title, &format!("{svg}{narrow}"), caption),
        })
        .collect();
    if cards.is_empty() {
        String::new()
    } else {
        format!("<br><div class=plots>{cards}</div>")
    }
}

/// A picture with its title and caption.
fn card(title: &str, drawing: &str, caption: &str) -> String {
    let caption = if caption.is_empty() {
        String::new()
    } else {
        format!("<p class=soft>{}</p>", escape(caption))
    };
    format!(
        "<div class=card><h3>{}</h3>{drawing}{caption}</div>",
        escape(title)
    )
}

/// A picture as an SVG file of its own, with its colours inside.
pub fn standalone(picture: &Picture) -> String {
    let svg = match picture {
        Picture::Plot(plot) | Picture::Captioned { plot, .. } => plot.svg_with_legend(),
        Picture::Svg { svg, .. } => svg.clone(),
    };
    let style = format!(
        "<style>{}{}svg{{background:var(--card)}}</style>",
        measure::report::STYLE,
        bars::STYLE
    );
    match svg.find('>') {
        Some(end) => format!("{}{style}{}", &svg[..=end], &svg[end + 1..]),
        None => svg,
    }
}

/// Styles of the tables in addition to the common style.
const STYLE: &str = ".bars text{font-size:13px}.bars.narrow text{font-size:12px}.bars.narrow{display:none}@media(max-width:600px){.bars.wide{display:none}.bars.narrow{display:block}}\
th.words,td.words{text-align:left}td.wrap{white-space:normal;min-width:220px}\
table.free th{white-space:normal;vertical-align:bottom}\
td.name{white-space:normal;min-width:150px;overflow-wrap:break-word}\
table.free td.wrap{min-width:260px}\
@media(max-width:900px){table.free td.words{white-space:normal}table.free td.wrap{min-width:180px}}td{vertical-align:top}\
code{font-size:13px}h1:not(:first-of-type){margin-top:56px}";

#[cfg(test)]
mod tests {
    use super::*;
    use measure::report::{Plot, Series};

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
            "<p class=verdict>It is so.</p>",
            "<b>43.97 ms</b><span>two writes</span>",
            "<b>3</b><span>runs &lt;i&gt;</span>",
            "<p>Why?</p>",
            "<p>More.</p>",
        ];
        let places = order.map(|part| page.find(part).unwrap_or_else(|| panic!("{part}: {page}")));
        assert!(places.is_sorted(), "{places:?}");
    }

    #[test]
    fn a_plot_alone_has_its_legend_and_its_style() {
        let picture = Picture::Plot(Plot {
            series: vec![Series {
                name: "one".into(),
                points: vec![(0.0, 1.0), (1.0, 2.0)],
                ..Series::default()
            }],
            ..Plot::default()
        });
        let svg = standalone(&picture);
        assert!(
            svg.starts_with("<svg class=\"plot\" viewBox=\"0 0 520 297\""),
            "{svg}"
        );
        assert!(svg.ends_with("one</text></svg>"), "{svg}");
        assert!(svg.contains("<style>"));
    }
}

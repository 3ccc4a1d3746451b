//! Advice as one HTML page for readers who do not use a terminal: counts, the rules
//! with findings and their published effects, then each file with what to code. The
//! page has no script and loads nothing.

use std::fmt::Write;

use advise::tcpip::EffectiveSettings;
use advise::{Document, DocumentSet, TuningFinding, FindingSeverity, rule};
use measure::report::{escape, page, three_and_others};

use super::saved;

/// The page.
pub fn html(documents: &DocumentSet, findings: &[TuningFinding], settings: &[EffectiveSettings]) -> String {
    let mut body = format!("<style>{STYLE}</style><h1>Advice</h1>");
    let names: Vec<&str> = documents.all.iter().map(|d| &*d.name).collect();
    let _ = write!(body, "<p class=soft>tupelo advise: {}</p>", escape(&names.join(", ")));
    let _ = write!(body, "<p class=verdict>{}</p>", escape(&verdict(findings)));
    body += &tiles(findings);
    body += &rules(findings);
    for document in &documents.all {
        body += &file(document, findings);
    }
    body += &effective(settings);
    page("Advice", &body)
}

fn count(findings: &[TuningFinding], severity: FindingSeverity) -> usize {
    findings.iter().filter(|f| f.severity == severity).count()
}

/// The result in one sentence.
fn verdict(findings: &[TuningFinding]) -> String {
    let settings = |n: usize| match n {
        1 => "1 setting".to_owned(),
        n => format!("{n} settings"),
    };
    let warnings = count(findings, FindingSeverity::Warning);
    let advice = count(findings, FindingSeverity::Advice);
    match (warnings, advice) {
        (0, 0) => "Nothing to change.".to_owned(),
        (0, n) => format!("No setting costs time on every request; for {} the sources recommend another value.", settings(n)),
        (n, 0) => format!("{} to change.", settings(n)),
        (n, m) => format!("{} to change; for {} the sources recommend another value.", settings(n), settings(m)),
    }
}

fn tiles(findings: &[TuningFinding]) -> String {
    let warnings = "warnings: time on every request or connection, or statements that contradict each other";
    let figures = [
        (count(findings, FindingSeverity::Warning).to_string(), warnings),
        (count(findings, FindingSeverity::Advice).to_string(), "advice: the sources recommend another value"),
        (count(findings, FindingSeverity::Note).to_string(), "notes: depends on the load, measure"),
    ];
    three_and_others(&figures, &[])
}

/// Each rule with findings, the most severe and most frequent first.
fn rules(findings: &[TuningFinding]) -> String {
    let mut found: Vec<(&str, FindingSeverity, usize)> = Vec::new();
    for f in findings {
        match found.iter_mut().find(|(name, ..)| *name == f.rule) {
            Some((_, severity, count)) => {
                *severity = f.severity.max(*severity);
                *count += 1;
            }
            None => found.push((f.rule, f.severity, 1)),
        }
    }
    if found.is_empty() {
        return "<p>No findings.</p>".to_owned();
    }
    found.sort_by_key(|(_, severity, count)| std::cmp::Reverse((*severity, *count)));
    let row = |(name, severity, count): &(&str, FindingSeverity, usize)| {
        let known = rule(name);
        format!(
            "<tr><td>{}<td class=words><code>{name}</code><td>{count}<td class=\"words wrap\">{}\
             <td class=\"words wrap\">{}</tr>",
            chip(*severity),
            escape(known.map_or("", |r| r.summary)),
            escape(known.and_then(|r| r.effect).unwrap_or("–")),
        )
    };
    let rows: String = found.iter().map(row).collect();
    format!(
        "<h2>Findings by rule</h2><div class=\"card scroll\"><table><tr><th><th class=words>rule\
         <th>times<th class=words>what it looks for<th class=words>known effect</tr>{rows}</table></div>"
    )
}

fn file(document: &Document, findings: &[TuningFinding]) -> String {
    let of_file = || findings.iter().filter(|f| f.place.file == document.name);
    let mut out = format!(
        "<h2>{}</h2><p class=soft>{}</p>",
        escape(&document.name),
        escape(document.kind.title)
    );
    if of_file().next().is_none() && document.diagnostics.is_empty() {
        return out + "<p>Nothing to change.</p>";
    }
    for d in &document.diagnostics {
        let _ = write!(
            out,
            "<p class=soft>{}:{} {}: {}{}</p>",
            d.line,
            d.column,
            d.severity,
            escape(&d.message),
            d.help.as_ref().map_or(String::new(), |h| format!(" ({})", escape(h)))
        );
    }
    let mut shown_rules: Vec<&str> = Vec::new();
    for finding in of_file() {
        let first = !shown_rules.contains(&finding.rule);
        shown_rules.push(finding.rule);
        out += &card(finding, first);
    }
    out
}

/// One finding; why and source are shown with the first finding of a rule in a file.
fn card(f: &TuningFinding, first: bool) -> String {
    let place = match f.place.line {
        0 => "not in the file".to_owned(),
        line => format!("line {line}, column {}", f.place.column),
    };
    let mut out = format!(
        "<div class=\"card finding\"><h3>{} {}</h3><p class=soft>{place} · <code>{}</code></p>",
        chip(f.severity),
        escape(&f.value),
        f.rule
    );
    if !f.place.text.trim().is_empty() {
        let _ = write!(out, "<pre class=soft>{}</pre>", escape(f.place.text.trim()));
    }
    if !f.code.is_empty() {
        let _ = write!(out, "<pre class=code>{}</pre>", escape(&f.code.join("\n")));
    }
    let mut list = |name: &str, items: Vec<String>| {
        if !items.is_empty() {
            let items: String = items.iter().map(|i| format!("<li>{}", escape(i))).collect();
            let _ = write!(out, "<p class=soft>{name}</p><ul>{items}</ul>");
        }
    };
    list("Needs", f.needs.clone());
    list("Because", f.because.iter().map(|(place, what)| format!("{place}: {what}")).collect());
    if first {
        let _ = write!(out, "<p>{}</p>", escape(&f.why));
        if let Some(effect) = &f.effect {
            let _ = write!(out, "<p><b>Effect</b> {}</p>{}", escape(effect), saved::picture(effect));
        }
        let _ = write!(out, "<p class=soft>{}</p>", escape(&f.sources.join("; ")));
    }
    out + "</div>"
}

fn effective(settings: &[EffectiveSettings]) -> String {
    if settings.is_empty() {
        return String::new();
    }
    let number = |n: Option<u64>| n.map_or(String::new(), |n| n.to_string());
    let row = |e: &EffectiveSettings| {
        let decided = match &e.decided.place {
            Some(place) => format!("{place}: {}", e.decided.says),
            None => e.decided.says.clone(),
        };
        format!(
            "<tr><td>{}<td class=words>{}<td>{}<td>{}<td class=\"words wrap\">{}</tr>",
            escape(&e.subject),
            e.acknowledgement,
            number(e.mtu),
            number(e.mss),
            escape(&decided)
        )
    };
    let rows: String = settings.iter().map(row).collect();
    format!(
        "<h2>Effective settings of each port and route</h2><div class=\"card scroll\"><table>\
         <tr><th>port or route<th class=words>acknowledges<th>MTU<th>MSS<th class=words>decided by</tr>\
         {rows}</table></div>"
    )
}

fn chip(severity: FindingSeverity) -> String {
    format!("<span class=\"chip {severity}\">{severity}</span>")
}

/// The style of this page in addition to the common style.
const STYLE: &str = "th.words,td.words{text-align:left}td.wrap{white-space:normal;min-width:200px}\
code,pre{font:13px/1.45 ui-monospace,monospace}pre{margin:6px 0;white-space:pre-wrap;overflow-wrap:anywhere}\
pre.code{border-left:3px solid var(--c2);padding-left:10px}.finding{margin:10px 0}\
ul{margin:2px 0 6px;padding-left:20px}h2,p,li{overflow-wrap:anywhere}\
.saved{font-size:13px;margin:6px 0;max-width:560px}.saved i{display:block;height:9px;border-radius:2px;\
background:var(--c1);min-width:2px}.saved i.after{background:var(--c2)}\
.chip{font-size:12px;font-weight:600;border:1px solid;border-radius:9px;padding:1px 8px}\
.chip.warning{color:var(--red)}.chip.advice{color:var(--gold)}.chip.note{color:var(--c0)}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_file_cannot_break_out_of_the_page() {
        let text = "TCPCONFIG NODELAYACKS\nBEGINROUTES\n ROUTE DEFAULT 10.1.1.1 <script> MTU 576\n\
                    ENDROUTES\n";
        let document = Document::read("<b>.tcpip", text, None).expect("a profile");
        let documents = DocumentSet::new([document]);
        let findings = advise::advise(&documents, &[]);
        let page = html(&documents, &findings, &advise::tcpip::effective(&documents));
        assert!(!page.contains("<script>") && !page.contains("<b>.tcpip"));
        assert!(page.contains("ROUTE DEFAULT 10.1.1.1 &lt;SCRIPT&gt; MTU 1500"), "{page}");
        assert!(page.contains("<div class=tile><b>1</b><span>warnings"), "{page}");
    }

    #[test]
    fn a_clean_file_says_so() {
        let document = Document::read("p", "TCPCONFIG NODELAYACKS\n", None).expect("a profile");
        let page = html(&DocumentSet::new([document]), &[], &[]);
        assert!(page.contains("No findings.") && page.contains("Nothing to change."));
    }
}

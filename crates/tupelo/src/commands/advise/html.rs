//! Advice as one HTML page for readers who do not use a terminal: counts, the rules
//! with findings and their published effects, then each file with what to code. The
//! page has no script and loads nothing.

use advise::tcpip::EffectiveSettings;
use advise::{Document, DocumentSet, TuningFinding, FindingSeverity, rule};
use maud::{Markup, html};
use page::{PageTable, TableColumn, TileFigure, note, page, tiles};

use super::saved;

/// The page.
pub fn html(documents: &DocumentSet, findings: &[TuningFinding], settings: &[EffectiveSettings]) -> String {
    let names: Vec<&str> = documents.all.iter().map(|d| &*d.name).collect();
    let body = html! {
        h1 { "Advice" }
        (note(html! { "tupelo advise: " (names.join(", ")) }))
        p.verdict { (verdict(findings)) }
        (figures(findings))
        (rules(findings))
        @for document in &documents.all { (file(document, findings)) }
        (effective(settings))
    };
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

fn figures(findings: &[TuningFinding]) -> Markup {
    let warnings = "warnings: time on every request or connection, or statements that contradict each other";
    let figures = [
        (FindingSeverity::Warning, warnings),
        (FindingSeverity::Advice, "advice: the sources recommend another value"),
        (FindingSeverity::Note, "notes: depends on the load, measure"),
    ];
    let tile = |(severity, name)| TileFigure::new(count(findings, severity).to_string(), name);
    tiles(&figures.map(tile), &[])
}

/// Each rule with findings, the most severe and most frequent first.
fn rules(findings: &[TuningFinding]) -> Markup {
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
        return html! { p { "No findings." } };
    }
    found.sort_by_key(|(_, severity, count)| std::cmp::Reverse((*severity, *count)));
    let mut table = PageTable::new([
        TableColumn::numbers(""),
        TableColumn::words("rule"),
        TableColumn::numbers("times"),
        TableColumn::sentences("what it looks for"),
        TableColumn::sentences("known effect"),
    ]);
    for (name, severity, count) in found {
        let known = rule(name);
        table.row(&[
            &chip(severity),
            &html! { code { (name) } },
            &count,
            &known.map_or("", |r| r.summary),
            &known.and_then(|r| r.effect).unwrap_or("–"),
        ]);
    }
    html! {
        h2 { "Findings by rule" }
        (table.card())
    }
}

fn file(document: &Document, findings: &[TuningFinding]) -> Markup {
    let of_file: Vec<&TuningFinding> = findings.iter().filter(|f| f.place.file == document.name).collect();
    let is_first = |at: usize| !of_file[..at].iter().any(|f| f.rule == of_file[at].rule);
    html! {
        h2 { (document.name) }
        (note(document.kind.title))
        @if of_file.is_empty() && document.diagnostics.is_empty() { p { "Nothing to change." } }
        @for d in &document.diagnostics {
            (note(html! {
                (d.line) ":" (d.column) " " (d.severity.to_string()) ": " (d.message)
                @if let Some(help) = &d.help { " (" (help) ")" }
            }))
        }
        @for (at, finding) in of_file.iter().enumerate() { (card(finding, is_first(at))) }
    }
}

/// One finding; why and source are shown with the first finding of a rule in a file.
fn card(f: &TuningFinding, first: bool) -> Markup {
    let place = match f.place.line {
        0 => "not in the file".to_owned(),
        line => format!("line {line}, column {}", f.place.column),
    };
    let because: Vec<String> = f.because.iter().map(|(place, what)| format!("{place}: {what}")).collect();
    html! {
        div.card.finding {
            h3 { (chip(f.severity)) " " (f.value) }
            (note(html! { (place) " · " code { (f.rule) } }))
            @if !f.place.text.trim().is_empty() { pre.soft { (f.place.text.trim()) } }
            @if !f.code.is_empty() { pre.code { (f.code.join("\n")) } }
            (list("Needs", &f.needs))
            (list("Because", &because))
            @if first {
                p { (f.why) }
                @if let Some(effect) = &f.effect {
                    p { b { "Effect" } " " (effect) }
                    @for bars in saved::bars(effect) { (bars) }
                }
                (note(f.sources.join("; ")))
            }
        }
    }
}

fn list(name: &str, items: &[String]) -> Markup {
    html! {
        @if !items.is_empty() {
            (note(name))
            ul {
                @for item in items { li { (item) } }
            }
        }
    }
}

fn effective(settings: &[EffectiveSettings]) -> Markup {
    let number = |n: Option<u64>| n.map_or(String::new(), |n| n.to_string());
    let mut table = PageTable::new([
        TableColumn::numbers("port or route"),
        TableColumn::words("acknowledges"),
        TableColumn::numbers("MTU"),
        TableColumn::numbers("MSS"),
        TableColumn::sentences("decided by"),
    ]);
    for e in settings {
        let decided = match &e.decided.place {
            Some(place) => format!("{place}: {}", e.decided.says),
            None => e.decided.says.clone(),
        };
        let acknowledgement = e.acknowledgement.to_string();
        table.row(&[&e.subject, &acknowledgement, &number(e.mtu), &number(e.mss), &decided]);
    }
    html! {
        @if !table.is_empty() {
            h2 { "Effective settings of each port and route" }
            (table.card())
        }
    }
}

fn chip(severity: FindingSeverity) -> Markup {
    let name = severity.to_string();
    html! { span class={ "chip " (name) } { (name) } }
}

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
        assert!(page.contains("<div class=\"tile\"><b>1</b><span>warnings"), "{page}");
    }

    #[test]
    fn a_clean_file_says_so() {
        let document = Document::read("p", "TCPCONFIG NODELAYACKS\n", None).expect("a profile");
        let page = html(&DocumentSet::new([document]), &[], &[]);
        assert!(page.contains("No findings.") && page.contains("Nothing to change."));
    }
}

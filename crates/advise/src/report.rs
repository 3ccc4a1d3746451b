//! Findings as text: grouped by file, each with its place, the value to code and
//! the reason. The fixed texts of a rule (why, effect, sources) are printed with
//! its first finding only.

use std::fmt::Write;

use crate::document::{Document, DocumentSet};
use crate::finding::{FindingSeverity, TuningFinding};

/// The style of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportStyle {
    /// Columns to wrap at.
    pub width: usize,
    /// Whether severities and code are coloured.
    pub colour: bool,
}

/// Lines of code shown of one finding; the JSON form has them all.
const CODE_LINES: usize = 12;
/// Columns of the labels.
const LABEL: usize = 12;

/// The report.
pub fn text(documents: &DocumentSet, findings: &[TuningFinding], look: &ReportStyle) -> String {
    let mut out = String::new();
    let mut reported: Vec<&str> = Vec::new();
    for document in &documents.all {
        let of_file = || findings.iter().filter(|f| f.place.file == document.name);
        if of_file().next().is_none() && document.diagnostics.is_empty() {
            continue;
        }
        let heading = look.paint(BOLD, &document.name);
        let _ = writeln!(out, "{heading}  {}", document.kind.title);
        diagnostics(&mut out, document, look);
        for finding in of_file() {
            let first = !reported.contains(&finding.rule);
            reported.push(finding.rule);
            block(&mut out, finding, first, look);
        }
        out.push('\n');
    }
    out + &summary(findings)
}

/// Writes the errors in the text itself.
fn diagnostics(out: &mut String, document: &Document, look: &ReportStyle) {
    for d in &document.diagnostics {
        let help = d.help.as_ref().map_or(String::new(), |h| format!(" ({h})"));
        let place = format!("{}:{}", d.line, d.column);
        let line = format!(
            "  {place:<8}  {:<7}  {}{help}\n",
            d.severity.to_string(),
            d.message
        );
        *out += &match d.severity {
            base::Severity::Note => line,
            _ => look.paint(YELLOW, line.trim_end()) + "\n",
        };
    }
}

fn block(out: &mut String, finding: &TuningFinding, first: bool, look: &ReportStyle) {
    let place = match finding.place.line {
        0 => "absent".to_owned(),
        line => format!("{line}:{}", finding.place.column),
    };
    let severity = format!("{:<7}", finding.severity);
    let severity = look.paint(colour(finding.severity), &severity);
    let _ = writeln!(
        out,
        "\n  {place:<8}  {severity}  {}  {}",
        finding.rule, finding.value
    );
    if !finding.place.text.trim().is_empty() {
        let line = finding.place.text.trim_start();
        let room = look.width.max(40) - LABEL - 3;
        let cut = if line.chars().count() > room {
            "…"
        } else {
            ""
        };
        let line: String = line.chars().take(room).collect();
        let _ = writeln!(out, "{:LABEL$}| {line}{cut}", "");
    }
    for (i, line) in finding.code.iter().take(CODE_LINES).enumerate() {
        let label = if i == 0 { "code" } else { "" };
        let _ = writeln!(out, "    {label:<8}{}", look.paint(GREEN, line));
    }
    if let Some(more @ 1..) = finding.code.len().checked_sub(CODE_LINES) {
        let _ = writeln!(out, "{:LABEL$}and {more} lines more", "");
    }
    for need in &finding.needs {
        labelled(out, "needs", need, look);
    }
    for (place, what) in &finding.because {
        labelled(out, "because", &format!("{place}: {what}"), look);
    }
    let usual = crate::rule(finding.rule);
    if first || usual.is_none_or(|r| r.why != finding.why) {
        labelled(out, "why", &finding.why, look);
    }
    if let Some(effect) = &finding.effect
        && (first || usual.is_none_or(|r| r.effect != Some(effect)))
    {
        labelled(out, "effect", effect, look);
    }
    if first {
        labelled(out, "source", &finding.sources.join("; "), look);
    }
}

/// A label and text, wrapped.
fn labelled(out: &mut String, label: &str, text: &str, look: &ReportStyle) {
    let mut line = format!("    {label:<8}");
    let mut empty = true;
    for word in text.split_whitespace() {
        if !empty && line.chars().count() + 1 + word.chars().count() > look.width.max(40) {
            let _ = writeln!(out, "{line}");
            line = " ".repeat(LABEL);
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line += word;
        empty = false;
    }
    let _ = writeln!(out, "{line}");
}

/// One line of counts.
fn summary(findings: &[TuningFinding]) -> String {
    let count = |severity| findings.iter().filter(|f| f.severity == severity).count();
    let plural = |n: usize, noun: &str| match n {
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    };
    match findings.len() {
        0 => "no findings\n".to_owned(),
        n => format!(
            "{}: {}, {} of advice, {}\n",
            plural(n, "finding"),
            plural(count(FindingSeverity::Warning), "warning"),
            count(FindingSeverity::Advice),
            plural(count(FindingSeverity::Note), "note")
        ),
    }
}

const BOLD: &str = "1";
const RED: &str = "1;31";
const YELLOW: &str = "33";
const GREEN: &str = "32";
const BLUE: &str = "36";

fn colour(severity: FindingSeverity) -> &'static str {
    match severity {
        FindingSeverity::Warning => RED,
        FindingSeverity::Advice => YELLOW,
        FindingSeverity::Note => BLUE,
    }
}

impl ReportStyle {
    fn paint(&self, colour: &str, text: &str) -> String {
        if self.colour {
            format!("\x1b[{colour}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise;

    #[test]
    fn a_report_groups_by_file_and_gives_each_reason_once() {
        let profile = "TCPCONFIG NODELAYACKS\nFOO 1\nBEGINROUTES\n ROUTE 10.1.0.0/16 = A\n \
                       ROUTE DEFAULT 10.1.1.1 A MTU 576\nENDROUTES\n";
        let documents =
            DocumentSet::new([Document::read("p.tcpip", profile, None).expect("a profile")]);
        let findings = advise(&documents, &[]);
        let look = ReportStyle {
            width: 80,
            colour: false,
        };
        let shown = text(&documents, &findings, &look);
        assert!(
            shown.starts_with("p.tcpip  PROFILE.TCPIP of z/OS"),
            "{shown}"
        );
        assert!(
            shown.contains("  2:1       note     statement FOO is skipped\n"),
            "{shown}"
        );
        assert!(
            shown.contains("    code    ROUTE DEFAULT 10.1.1.1 A MTU 1500\n"),
            "{shown}"
        );
        assert_eq!(shown.matches("    why     ").count(), 1, "{shown}");
        assert!(shown.lines().all(|l| l.chars().count() <= 100), "{shown}");
        assert!(
            shown.ends_with("\n2 findings: 2 warnings, 0 of advice, 0 notes\n"),
            "{shown}"
        );
        let coloured = ReportStyle {
            colour: true,
            ..look
        };
        assert!(text(&documents, &findings, &coloured).contains("\x1b[1;31mwarning\x1b[0m"));
        assert_eq!(
            text(&documents, &[], &look).lines().last(),
            Some("no findings")
        );
    }
}

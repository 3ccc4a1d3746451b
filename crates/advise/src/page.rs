//! The reference page, made from the tables of kinds and rules.

use std::fmt::Write;

use crate::kind::kinds;
use crate::rule::rules;

/// `docs/reference/advice.md`.
pub fn reference_page() -> String {
    let mut page = String::from(
        "# Advice\n\nWhat `tupelo advise` reads and every rule it knows. This page is made by \
         `tupelo reference advice`.\n\n## Kinds of file\n\nThe kind is recognised from the \
         content; `--kind` tells it.\n\n| kind | what it is |\n|---|---|\n",
    );
    for kind in kinds() {
        let _ = writeln!(page, "| `{}` | {} |", kind.word, kind.title);
    }
    page += "\n## Rules\n\n| rule | severity | what it looks for |\n|---|---|---|\n";
    for rule in rules() {
        let _ = writeln!(
            page,
            "| [`{0}`](#{1}) | {2} | {3} |",
            rule.name,
            rule.name.replace('.', ""),
            rule.severity,
            rule.summary.replace('|', "\\|")
        );
    }
    for rule in rules() {
        let _ = write!(
            page,
            "\n### {}\n\n{} {}\n",
            rule.name, rule.summary, rule.why
        );
        if let Some(effect) = rule.effect {
            let _ = write!(page, "\nEffect: {effect}\n");
        }
        let _ = write!(page, "\nSources: {}.\n", rule.sources.join("; "));
    }
    page
}

//! The reference page, made from the tables of kinds and rules.

use std::fmt::Write;

use crate::kind::kinds;
use crate::rule::rules;
use crate::sna::values::TABLES;

/// The possible values of SNA texts, from the tables that check them.
fn values(page: &mut String) {
    *page += "\n## Values of SNA texts\n\nA value that is not so is an error of the reader, with its \
              line and keyword. Rules that depend on it are not applied: it is treated neither as missing \
              nor as a default. Keywords that are not listed here are skipped. A value with \
              `&` in it is defined elsewhere; `*SAME` of an AS/400 command leaves the value as it \
              was.\n\n| kind | statement | keyword | value |\n|---|---|---|---|\n";
    for table in TABLES {
        for row in table.rows {
            let code = |words: &[&str]| {
                let words = words.iter().map(|w| match *w {
                    "" => "the first value".to_owned(),
                    w => format!("`{}`", table.style.shown(w)),
                });
                words.collect::<Vec<_>>().join(", ")
            };
            let kinds = table.kinds.iter().map(|k| format!("`{k}`"));
            let on = row.on.iter().map(|v| format!("`{v}`")).collect::<Vec<_>>();
            let _ = writeln!(
                page,
                "| {} | {} | {} | {} |",
                kinds.collect::<Vec<_>>().join(", "),
                if on.is_empty() {
                    "any".to_owned()
                } else {
                    on.join(", ")
                },
                code(row.names),
                row.form.expected().replace('*', "\\*")
            );
        }
    }
}

/// `docs/reference/advice.md`.
pub fn reference_page() -> String {
    let mut page = String::from(
        "# Advice\n\nWhat `tupelo advise` reads and every rule it knows. This page is made by \
         `tupelo reference advice`.\n\n## Kinds of file\n\nThe kind is recognised from the \
         content; `--kind` sets it.\n\n| kind | what it is |\n|---|---|\n",
    );
    for kind in kinds() {
        let _ = writeln!(page, "| `{}` | {} |", kind.word, kind.title);
    }
    page += MEASURED;
    values(&mut page);
    page += "\n## Rules\n\n| rule | severity | what it detects |\n|---|---|---|\n";
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

/// The findings on public texts.
const MEASURED: &str = "\n## Measured on public texts\n\n96 public texts that this project did not make, on \
    2026-11-22: CSD extracts and jobs for DFHCSDUP, VTAM members (start options, configuration \
    list, mode, application, terminal and transport nodes), TCP/IP profiles, router \
    configurations, and READMEs, manuals, panels, \
    scripts and JCL that are none. What was said of each was judged by eye against the text.\n\n\
    | | said | right | wrong |\n|---|---|---|---|\n\
    | taken for a kind | 18 | 18 | 0 |\n\
    | not a kind | 78 | 78 | 0 |\n\
    | errors of the reader | 0 | | |\n\
    | findings | 9 | 9 | 0 |\n\n\
    Before kinds were recognised by content that only they have, 49 of these texts were taken for \
    one, 31 of them wrongly, with 9,515 errors and 22 findings. The findings that remain are of \
    two rules, so this says much about kinds and little about the other rules: those are judged \
    by the guide's own tables in the tests.\n";

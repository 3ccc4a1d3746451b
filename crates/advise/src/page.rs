//! The reference page, made from the tables of kinds and rules.

use std::fmt::Write;

use crate::kind::kinds;
use crate::rule::rules;
use crate::sna::values::TABLES;

/// What the values of SNA texts may be, from the tables that check them.
fn values(page: &mut String) {
    *page += "\n## Values of SNA texts\n\nA value that is not so is an error of the reader, with its \
              line and keyword. What depends on it is not judged: it is neither taken as missing \
              nor as a default. Keywords that are not listed here are passed over. A value with \
              `&` in it stands elsewhere; `*SAME` of an AS/400 command leaves the value as it \
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
         content; `--kind` tells it.\n\n| kind | what it is |\n|---|---|\n",
    );
    for kind in kinds() {
        let _ = writeln!(page, "| `{}` | {} |", kind.word, kind.title);
    }
    values(&mut page);
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

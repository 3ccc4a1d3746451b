//! The messages of `cobc`, as diagnostics.
//!
//! `file:line: error: text`, with the file and line of the original source
//! through `#line`. Lines without that form (which paragraph a message is
//! in) are left out.

use std::collections::BTreeSet;

use base::suggestion;

use crate::diagnostic::{Diagnostic, DiagnosticKind, Severity};

/// The messages of a compilation.
pub(crate) fn parse(said: &str) -> Vec<Diagnostic> {
    let mut list: Vec<Diagnostic> = said.lines().filter_map(message).collect();
    list.dedup();
    list
}

fn message(line: &str) -> Option<Diagnostic> {
    for (word, severity) in [
        (": error: ", Severity::Error),
        (": warning: ", Severity::Warning),
        (": note: ", Severity::Note),
    ] {
        let Some((place, text)) = line.split_once(word) else {
            continue;
        };
        let (file, number) = place.rsplit_once(':')?;
        let number: u32 = number.trim().parse().ok()?;
        // The C compiler's messages about cobc's own output are not about the
        // program.
        if place.contains(".c:") || place.contains(".h:") {
            return None;
        }
        // The calls that replace commands may name an item twice.
        if text.starts_with("duplicate USING") {
            return None;
        }
        let found = |message| base::Diagnostic::new(severity, (number, 0), message).in_file(file);
        if text.contains("[-Wconstant-expression]") {
            return below_all(text).map(|(message, help)| Diagnostic {
                finding: found(message).with_help(help),
                kind: DiagnosticKind::Compiler,
            });
        }
        // Options like [-Wothers] have no meaning for the program's author.
        let text = text.split(" [-W").next().unwrap_or(text).trim();
        return Some(Diagnostic {
            finding: found(text.to_owned()).maybe_help(fix(text).map(str::to_owned)),
            kind: DiagnosticKind::Compiler,
        });
    }
    None
}

/// A field of usage DISPLAY that is compared with a negative literal of more
/// digits: cobc takes the literal for the greater one. Its other messages about
/// expressions that are constant are right, and kept on purpose.
fn below_all(text: &str) -> Option<(String, &'static str)> {
    let (literal, rest) = text.strip_prefix("literal '")?.split_once('\'')?;
    let name = rest.strip_prefix(" has more digits than '")?;
    let name = name.split('\'').next()?;
    literal.starts_with('-').then(|| {
        let message = format!(
            "GnuCOBOL takes {name} for less than {literal}, which has more digits than {name}"
        );
        let help = "compare with the least value that it can have, or give it more digits";
        (message, help)
    })
}

/// Quotation marks and dashes that COBOL does not have.
const TYPOGRAPHIC: [char; 6] = ['‘', '’', '“', '”', '–', '—'];

/// The remedy for a message that a beginner may not understand.
fn fix(text: &str) -> Option<&'static str> {
    let fixes = [
        (
            "PICTURE clause required for",
            "an item without a PICTURE has others of a higher level number below it; a copybook \
             that begins with level 01 is copied next to an 01 level, not below it",
        ),
        (
            "PROGRAM-ID header missing",
            "a program begins with IDENTIFICATION DIVISION and PROGRAM-ID; copybooks belong to \
             another folder",
        ),
    ];
    if text.contains(TYPOGRAPHIC) {
        return Some(
            "a word processor changed the text: write ' or \" for a quotation mark, and -",
        );
    }
    if text.contains("expecting FUNCTION-ID or PROGRAM-ID") {
        return Some("a program begins with IDENTIFICATION DIVISION. and PROGRAM-ID. NAME.");
    }
    if text.starts_with(|c: char| c.is_ascii_digit()) && text.contains(" cannot follow ") {
        return Some("write the length of a PICTURE in parentheses: X(10), not X10");
    }
    let mut known = fixes.iter();
    known
        .find(|(start, _)| text.starts_with(start))
        .map(|(_, fix)| *fix)
}

/// Suggests names for the names that are not defined: data
/// items and paragraphs of the text.
pub(crate) fn suggest(said: &mut [Diagnostic], text: &str) {
    let undefined = |d: &Diagnostic| {
        let name = d.message.strip_prefix('\'')?;
        let name = name.strip_suffix("' is not defined")?;
        Some(name.to_ascii_uppercase())
    };
    let comma = |d: &Diagnostic| d.message.starts_with("syntax error, unexpected ., ");
    if !said.iter().any(|d| undefined(d).is_some() || comma(d)) {
        return;
    }
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let upper = lines.collect::<Vec<_>>().join(" ").to_ascii_uppercase();
    let words: Vec<&str> = upper.split_whitespace().collect();
    let mut special = words.windows(3);
    if special.any(|w| w[0] == "DECIMAL-POINT" && w[2].starts_with("COMMA")) {
        for d in said.iter_mut().filter(|d| comma(d)) {
            let help = "with DECIMAL-POINT IS COMMA a number is written with a comma: 12,50";
            d.help = Some(help.to_owned());
        }
    }
    let level = |word: &str| matches!(word.parse::<u8>(), Ok(1..=49 | 66 | 77 | 78 | 88));
    let pairs = || words.windows(2).map(|pair| (pair[0], pair[1]));
    let items = pairs().filter_map(|(before, name)| level(before).then_some(name));
    let heads = pairs().filter(|(before, name)| before.ends_with('.') && name.ends_with('.'));
    let all = items.chain(heads.map(|(_, name)| name));
    let known: BTreeSet<&str> = all.map(|name| name.trim_end_matches('.')).collect();
    for d in said.iter_mut().filter(|d| d.help.is_none()) {
        if let Some(name) = undefined(d) {
            let others = known.iter().copied().filter(|known| *known != name);
            let has = |names: &[(&str, u8)]| names.iter().any(|(constant, _)| *constant == name);
            d.help = if has(bms::constants::DFHAID) {
                Some("the member DFHAID has it: COPY DFHAID".to_owned())
            } else if has(bms::constants::DFHBMSCA) {
                Some("the member DFHBMSCA has it: COPY DFHBMSCA".to_owned())
            } else {
                suggestion(&name, others)
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotation_marks_of_word_processors_are_named() {
        for text in ["'“X”' is not defined", "'WS–B' is not defined"] {
            let found = parse(&format!("A.cbl:9: error: {text}"));
            let help = found[0].help.as_deref().unwrap_or_default();
            assert!(help.starts_with("a word processor"), "{text}: {help}");
        }
    }

    #[test]
    fn wrong_constant_expressions_are_reported() {
        let list = parse(
            "a.cbl:7: warning: literal '-100' has more digits than 'A' [-Wconstant-expression]\n\
             a.cbl:7: warning: expression is always FALSE [-Wconstant-expression]\n\
             a.cbl:8: warning: literal '100' has more digits than 'A' [-Wconstant-expression]\n\
             a.cbl:9: warning: expression '1' EQUALS '1' is always TRUE [-Wconstant-expression]\n",
        );
        let messages: Vec<&str> = list.iter().map(|d| d.message.as_str()).collect();
        assert_eq!(
            messages,
            ["GnuCOBOL takes A for less than -100, which has more digits than A"]
        );
    }

    #[test]
    fn messages_are_read_and_context_is_left_out() {
        let list = parse(
            "a/b.cbl: in paragraph 'MAIN':\na/b.cbl:22: error: 'X' is not defined\n\
             a/b.cbl:30: warning: value size exceeds data size [-Wothers]\nnonsense\n\
             /tmp/cob1_0.c:25:17: warning: conflicting types for built-in function\n",
        );
        assert_eq!(list.len(), 2);
        assert_eq!((list[0].line, list[0].severity), (22, Severity::Error));
        assert_eq!(list[1].message, "value size exceeds data size");
        let text = "       01 WS-AMT PIC 9.\n       PROCEDURE DIVISION.\n       MAIN-PARA.\n           MOVE 1 TO WS-AMOT.\n";
        let mut list = parse(
            "a.cbl:4: error: 'WS-AMOT' is not defined\na.cbl:9: error: 'MAIN-PRA' is not defined\na.cbl:9: error: 'QQQ' is not defined\na.cbl:9: error: 'DFHPF3' is not defined\na.cbl:9: error: 'DFHBMBRY' is not defined\n",
        );
        suggest(&mut list, text);
        let helps: Vec<Option<&str>> = list.iter().map(|d| d.help.as_deref()).collect();
        assert_eq!(
            helps,
            [
                Some("did you mean WS-AMT?"),
                Some("did you mean MAIN-PARA?"),
                None,
                Some("the member DFHAID has it: COPY DFHAID"),
                Some("the member DFHBMSCA has it: COPY DFHBMSCA"),
            ]
        );
        let list = parse("a.cbl:5: error: PICTURE clause required for 'DFHCOMMAREA'\n");
        assert!(
            list[0]
                .help
                .as_deref()
                .unwrap()
                .contains("next to an 01 level")
        );
    }
}

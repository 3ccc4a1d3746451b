//! What `cobc` says, as diagnostics.
//!
//! `file:line: error: text`, with the file and line of the original source
//! through `#line`. Lines without that form (which paragraph a message is
//! in) are left out.

use crate::diagnostic::{Diagnostic, Kind, Severity};

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
        // What the C compiler says of cobc's own output is not about the
        // program.
        if place.contains(".c:") || place.contains(".h:") {
            return None;
        }
        // The calls that stand for commands may name an item twice.
        if text.starts_with("duplicate USING") {
            return None;
        }
        // Options like [-Wothers] mean nothing to who wrote the program.
        let text = text.split(" [-W").next().unwrap_or(text).trim();
        return Some(Diagnostic {
            severity,
            file: file.into(),
            line: number,
            column: 0,
            kind: Kind::Compiler,
            message: text.to_owned(),
            help: None,
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

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
    }
}

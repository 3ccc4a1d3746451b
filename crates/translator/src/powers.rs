//! Exponents of exponents, from left to right.
//!
//! `2 ** 3 ** 2` is 64 in COBOL, whose operators of one level go from left to
//! right. GnuCOBOL 3.1 goes from right to left and has 512. So the left part is
//! put in parentheses.
//! Reference: Enterprise COBOL Language Reference, "Arithmetic operators".

use crate::outline::ProgramUnit;
use crate::token::{Token, TokenKind};
use crate::translate::TranslationState;

impl TranslationState {
    /// Puts the left part of each chain of exponents in parentheses.
    pub(crate) fn powers(&mut self, units: &[ProgramUnit]) {
        for unit in units {
            let end = unit.end.min(self.tokens.len());
            let Some(body) = unit.procedure_body else {
                continue;
            };
            for at in body..end {
                if !is_power(&self.tokens, at) {
                    continue;
                }
                // Back over the operand: is there another operator before it?
                let mut start = operand_start(&self.tokens, at, body);
                let mut is_chain = false;
                while start >= body + 2 && is_power(&self.tokens, start - 2) {
                    is_chain = true;
                    start = operand_start(&self.tokens, start - 2, body);
                }
                if is_chain {
                    let (first, last) = (self.tokens[start].place, self.tokens[at].place);
                    self.edits.insert(start, "(".to_owned(), first);
                    self.edits.insert(at, ")".to_owned(), last);
                }
            }
        }
    }
}

/// Whether two asterisks are at an index.
fn is_power(tokens: &[Token], at: usize) -> bool {
    let is_star = |at: usize| tokens.get(at).is_some_and(|t| t.is_mark('*'));
    is_star(at) && is_star(at + 1) && !tokens[at + 1].spaced
}

/// The first token of the operand that ends before an index: a number, a name
/// with its qualifiers, subscripts and part, a function, or an expression in
/// parentheses.
fn operand_start(tokens: &[Token], end: usize, body: usize) -> usize {
    let mut at = end;
    while at > body && tokens[at - 1].is_mark(')') {
        let mut depth = 0usize;
        while at > body {
            at -= 1;
            if tokens[at].is_mark(')') {
                depth += 1;
            } else if tokens[at].is_mark('(') {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
        }
    }
    // An expression in parentheses follows an operator or the verb's words.
    let is_name = |t: &Token| t.kind != TokenKind::Mark && !t.is_any(BEFORE_EXPRESSION);
    if at > body && is_name(&tokens[at - 1]) {
        at -= 1;
    }
    while at > body + 1 && tokens[at - 1].is_any(&["OF", "IN"]) {
        at -= 2;
    }
    if at > body && tokens[at - 1].is("FUNCTION") {
        at -= 1;
    }
    at
}

/// Words after which an expression may begin.
const BEFORE_EXPRESSION: &[&str] = &[
    "IF", "AND", "OR", "NOT", "WHEN", "UNTIL", "TO", "THAN", "EQUAL", "EQUALS", "GREATER", "LESS",
    "EVALUATE", "ALSO", "THRU", "THROUGH", "IS",
];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::copy::CopyLibrary;
    use crate::translate::translate;
    use copybook::ReferenceFormat;

    fn computed(expression: &str) -> String {
        let program = format!(
            "IDENTIFICATION DIVISION. PROGRAM-ID. P. PROCEDURE DIVISION. COMPUTE R = {expression} GOBACK."
        );
        let (path, library) = (Path::new("P.cbl"), CopyLibrary::default());
        let done = translate(path, program.as_bytes(), ReferenceFormat::Free, &library);
        let text = String::from_utf8(done.text).expect("text");
        let lines = text.lines().filter(|l| !l.starts_with('#'));
        let words = lines.flat_map(str::split_whitespace).collect::<String>();
        let from = words.find("R=").expect("the statement") + 2;
        words[from..].trim_end_matches("GOBACK.").to_owned()
    }

    #[test]
    fn exponents_go_from_left_to_right() {
        for (written, expected) in [
            ("2 ** 3", "2**3"),
            ("2 ** 3 ** 2", "(2**3)**2"),
            ("A ** B OF C (1) ** D(2) ** 2", "((A**BOFC(1))**D(2))**2"),
            (
                "X + (A + B) ** 2 ** FUNCTION MAX(1 2)",
                "X+((A+B)**2)**FUNCTIONMAX(12)",
            ),
            ("2 ** (3 ** 2)", "2**(3**2)"),
        ] {
            assert_eq!(computed(written), expected, "{written}");
        }
    }
}

//! Intrinsic functions that GnuCOBOL 3.1 does not have.
//!
//! `T(ALL)` among the arguments of a function means all elements of a table:
//! they are written out. HEX-OF, HEX-TO-CHAR, BIT-OF and BIT-TO-CHAR become
//! CONCATENATE with a mark as first argument, which the run time knows
//! (`runtime/c/functions.c`). The functions that nothing serves are errors at their
//! place.
//!
//! Reference: Enterprise COBOL Language Reference, "Intrinsic functions",
//! "Table subscripting with ALL".

use std::collections::HashMap;

use crate::diagnostic::DiagnosticKind as Finding;
use crate::outline::{ProgramUnit, is_period, skip_exec};
use crate::token::{Token, TokenKind};
use crate::translate::TranslationState;

/// Functions that the run time has under another one's name.
const MARKED: &[&str] = &["HEX-OF", "HEX-TO-CHAR", "BIT-OF", "BIT-TO-CHAR"];

/// Functions of Enterprise COBOL that nothing serves.
const ABSENT: &[&str] = &[
    "DISPLAY-OF",
    "NATIONAL-OF",
    "ULENGTH",
    "UPOS",
    "USUBSTR",
    "USUPPLEMENTARY",
    "UUID4",
    "UVALID",
    "UWIDTH",
];

/// Elements that `ALL` is written out for.
const MOST_ELEMENTS: usize = 1000;

/// How often an item occurs in each of the tables around it, outermost first;
/// `None` for a table of varying length.
type TableDimensions = Vec<Option<u32>>;

impl TranslationState {
    /// Rewrites the functions of a program that GnuCOBOL does not have.
    pub(crate) fn functions(&mut self, units: &[ProgramUnit]) {
        for unit in units {
            let end = unit.end.min(self.tokens.len());
            let Some(body) = unit.procedure_body else {
                continue;
            };
            let mut tables = None;
            let mut at = body;
            while at + 1 < end {
                if self.tokens[at].is_any(&["EXEC", "EXECUTE"]) {
                    at = skip_exec(&self.tokens, at);
                    continue;
                }
                if self.tokens[at].is("FUNCTION") {
                    self.named_function(at + 1);
                    if let Some(close) = closing(&self.tokens, at + 2) {
                        let tables = tables.get_or_insert_with(|| dimensions(&self.tokens, unit));
                        self.all_elements(at + 3, close, tables);
                    }
                }
                at += 1;
            }
        }
    }

    fn named_function(&mut self, at: usize) {
        let name = self.tokens[at].upper();
        let place = self.tokens[at].place;
        if ABSENT.contains(&name.as_str()) {
            let message = format!("FUNCTION {name} is not supported");
            let help = "text is in one code page here: the table in docs/guide/programs.md says \
                        what to do instead";
            let kind = Finding::Unsupported(format!("FUNCTION {name}"));
            self.say(place, kind, message, Some(help.to_owned()));
        } else if MARKED.contains(&name.as_str())
            && self.tokens.get(at + 1).is_some_and(|t| t.is_mark('('))
        {
            self.tokens[at].text = "CONCATENATE".to_owned();
            self.edits.insert(at + 2, mark(&name), place);
        }
    }

    /// Writes out the elements that ALL means between two places.
    fn all_elements(&mut self, from: usize, to: usize, tables: &HashMap<String, TableDimensions>) {
        let mut at = from;
        while at < to {
            let open = at + 1;
            let is_item =
                self.tokens[at].kind == TokenKind::Word && !self.tokens[at].is("FUNCTION");
            let close = closing(&self.tokens, open).filter(|_| is_item);
            let subscripts = close.map(|close| subscripts(&self.tokens, open + 1, close));
            match (close, subscripts) {
                (Some(close), Some(list)) if list.iter().any(|s| s == "ALL") => {
                    self.write_elements(at, close, &list, tables);
                    at = close + 1;
                }
                _ => at += 1,
            }
        }
    }

    fn write_elements(
        &mut self,
        at: usize,
        close: usize,
        list: &[String],
        tables: &HashMap<String, TableDimensions>,
    ) {
        let place = self.tokens[at].place;
        // `N OF T (ALL)`: the name is at the beginning of the qualification.
        let mut first = at;
        while first >= 2 && self.tokens[first - 1].is_any(&["OF", "IN"]) {
            first -= 2;
        }
        let name = self.tokens[first].upper();
        let known = tables.get(&name).filter(|d| d.len() == list.len());
        let counts = known.and_then(|d| d.iter().copied().collect::<Option<Vec<u32>>>());
        let Some(elements) = counts.and_then(|counts| elements(list, &counts)) else {
            let message = format!("{name} (ALL): the number of elements is not known or too large");
            let help = "write the elements out, or compute the value in a loop";
            self.say(place, Finding::Source, message, Some(help.to_owned()));
            return;
        };
        let words: Vec<&str> = self.tokens[first..=at]
            .iter()
            .map(|t| t.text.as_str())
            .collect();
        let words = words.join(" ");
        let text: Vec<String> = elements.iter().map(|e| format!("{words} ({e})")).collect();
        for i in first..=close {
            self.edits.dropped.insert(i);
        }
        self.edits.insert(first, text.join(" "), place);
    }
}

/// The literal that names a function of the run time: the first argument of CONCATENATE.
pub(crate) fn mark(name: &str) -> String {
    let bytes = format!("\u{1}TUPELO {name}");
    format!("X\"{}\"", base::hex::upper(bytes.as_bytes()))
}

/// The parenthesis that closes the one at a place.
fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    if !tokens.get(open)?.is_mark('(') {
        return None;
    }
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.is_mark('(') {
            depth += 1;
        } else if token.is_mark(')') {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        } else if is_period(tokens, at) {
            return None;
        }
    }
    None
}

/// The subscripts between two parentheses, as simple words and numbers; anything
/// else makes them one text that is never ALL.
fn subscripts(tokens: &[Token], from: usize, to: usize) -> Vec<String> {
    let own = tokens[from..to].iter().filter(|t| !t.is_mark(','));
    let own: Vec<&Token> = own.collect();
    if own.iter().any(|t| t.kind != TokenKind::Word) {
        return vec![String::new()];
    }
    own.iter().map(|t| t.upper()).collect()
}

/// The subscripts of every element; `None` when there are too many.
fn elements(list: &[String], counts: &[u32]) -> Option<Vec<String>> {
    let mut made = vec![String::new()];
    for (subscript, count) in list.iter().zip(counts) {
        let values: Vec<String> = if subscript == "ALL" {
            (1..=*count).map(|n| n.to_string()).collect()
        } else {
            vec![subscript.clone()]
        };
        if made.len() * values.len() > MOST_ELEMENTS {
            return None;
        }
        let before = std::mem::take(&mut made);
        for head in &before {
            made.extend(
                values
                    .iter()
                    .map(|v| format!("{head} {v}").trim_start().to_owned()),
            );
        }
    }
    Some(made)
}

/// The dimensions of each item of a program's data division.
fn dimensions(tokens: &[Token], unit: &ProgramUnit) -> HashMap<String, TableDimensions> {
    let mut found = HashMap::new();
    let Some(data) = unit.data else {
        return found;
    };
    let to = unit.procedure.unwrap_or(unit.end).min(tokens.len());
    // The levels around an item, with how often each occurs.
    let mut around: Vec<(u8, Option<Option<u32>>)> = Vec::new();
    let mut at = data;
    while at < to {
        if tokens[at].is_any(&["EXEC", "EXECUTE"]) {
            at = skip_exec(tokens, at);
            continue;
        }
        let end = (at..to).find(|i| is_period(tokens, *i)).unwrap_or(to);
        let own = &tokens[at..end];
        at = end + 1;
        let level = own.first().and_then(|t| t.text.parse::<u8>().ok());
        let Some(level @ (1..=49 | 77)) = level else {
            continue;
        };
        around.retain(|(outer, _)| *outer < level && level != 77);
        around.push((level, occurs(own)));
        let dimensions: TableDimensions = around.iter().filter_map(|(_, occurs)| *occurs).collect();
        if let Some(name) = own.get(1) {
            found.entry(name.upper()).or_insert(dimensions);
        }
    }
    found
}

/// How often an entry occurs, if it does: `None` for a varying number.
fn occurs(entry: &[Token]) -> Option<Option<u32>> {
    let at = entry.iter().position(|t| t.is("OCCURS"))?;
    let varies = entry.iter().any(|t| t.is("DEPENDING"));
    let count = entry.get(at + 1).and_then(|t| t.text.parse().ok());
    Some(count.filter(|_| !varies))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::copy::CopyLibrary;
    use crate::translate::translate;
    use copybook::ReferenceFormat;

    /// The statement as it is compiled, and the messages.
    fn compiled(statement: &str) -> (String, Vec<String>) {
        let program = format!(
            "IDENTIFICATION DIVISION. PROGRAM-ID. P. DATA DIVISION. WORKING-STORAGE SECTION. \
             01 T. 05 N PIC 9 OCCURS 3. 05 G OCCURS 2. 10 M PIC 9 OCCURS 2 TIMES. \
             05 V PIC 9 OCCURS 1 TO 9 DEPENDING ON C. \
             PROCEDURE DIVISION. {statement} GOBACK."
        );
        let (path, library) = (Path::new("P.cbl"), CopyLibrary::default());
        let done = translate(path, program.as_bytes(), ReferenceFormat::Free, &library);
        let text = String::from_utf8(done.text).expect("text");
        let lines = text.lines().filter(|l| !l.starts_with('#'));
        let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
        let text = words.join(" ");
        let from = text.find("DIVISION. COMPUTE").expect("the statement") + 10;
        let said = done.diagnostics.into_iter().map(|d| d.finding.message);
        (
            text[from..].trim_end_matches(" GOBACK.").to_owned(),
            said.collect(),
        )
    }

    #[test]
    fn all_is_written_out() {
        for (written, expected) in [
            ("SUM(N(ALL))", "SUM( N (1) N (2) N (3))"),
            (
                "MAX(1 N OF T (ALL) 2)",
                "MAX(1 N OF T (1) N OF T (2) N OF T (3) 2)",
            ),
            ("SUM(M(ALL, ALL))", "SUM( M (1 1) M (1 2) M (2 1) M (2 2))"),
            ("SUM(M(I ALL))", "SUM( M (I 1) M (I 2))"),
            ("SUM(N(1) N(I))", "SUM(N(1) N(I))"),
        ] {
            let (text, said) = compiled(&format!("COMPUTE R = FUNCTION {written}"));
            assert!(said.is_empty(), "{said:?}");
            let plain = |text: &str| text.replace([' ', '('], "");
            assert_eq!(
                plain(&text),
                plain(&format!("COMPUTE R = FUNCTION {expected}"))
            );
        }
    }

    #[test]
    fn a_table_of_varying_length_is_an_error() {
        let (_, said) = compiled("COMPUTE R = FUNCTION SUM(V(ALL))");
        assert_eq!(
            said,
            ["V (ALL): the number of elements is not known or too large"]
        );
    }

    #[test]
    fn functions_of_the_run_time_are_marked_and_absent_ones_are_errors() {
        let (text, said) = compiled("COMPUTE R = FUNCTION NUMVAL(FUNCTION HEX-OF(N(1)))");
        assert!(text.contains("CONCATENATE"), "{text}");
        assert!(text.contains("X\"01545550454C4F204845582D4F46\""), "{text}");
        assert!(said.is_empty(), "{said:?}");
        let (_, said) = compiled("COMPUTE R = FUNCTION ULENGTH(X)");
        assert_eq!(said, ["FUNCTION ULENGTH is not supported"]);
    }
}

//! Lengths of records that vary and have storage with several descriptions.
//!
//! GnuCOBOL 3.1 counts the storage that REDEFINES describes again, where a group
//! has a table of varying length. Its `LENGTH OF` does so always; `FUNCTION
//! LENGTH` is right, and is written in its place. Where items move with a counter
//! (`-fodoslide`), all uses of the record do so, and fields after the table are
//! looked for too far away: that can only be reported.
//!
//! A `LENGTH OF` that a CALL passes is a fullword in the byte order of z/OS, as the
//! LINKAGE SECTION expects it, and RETURN-CODE a halfword. GnuCOBOL passes numbers in
//! the order of this machine.
//!
//! Reference: Enterprise COBOL Language Reference, "LENGTH OF"; GnuCOBOL 3.1.2, `cb_build_length_1`, `out_odoslide_offset` and
//! `out_odoslide_size` of cobc, which go through all members of a group.

use std::collections::HashSet;

use cics::cobol::VERBS;

use crate::outline::{ProgramUnit, is_period, skip_exec};
use crate::records::{DataEntry, records};
use crate::token::{Token, TokenKind};
use crate::translate::TranslationState;

impl TranslationState {
    /// Takes the lengths of such groups by a function, and warns of records
    /// that the compiler lays out wrongly.
    pub(crate) fn varying_lengths(&mut self, units: &[ProgramUnit]) {
        for unit in units {
            let Some(data) = unit.data else { continue };
            let end = unit.procedure.unwrap_or(unit.end).min(self.tokens.len());
            let records = records(&self.tokens, data, end);
            let slides = records.iter().any(|record| slides(record));
            let wrong: Vec<&[DataEntry]> = records
                .iter()
                .map(Vec::as_slice)
                .filter(|record| is_counted_twice(record))
                .collect();
            if slides {
                wrong.iter().for_each(|record| self.report_record(record));
            } else {
                let groups = wrong.iter().flat_map(|record| groups(record)).collect();
                self.measure(end, unit.end, &groups);
            }
        }
    }

    /// Has the run time write each `LENGTH OF` and RETURN-CODE that a CALL passes, except
    /// by value.
    pub(crate) fn passed_lengths(&mut self, units: &[ProgramUnit]) {
        for unit in units {
            let Some(body) = unit.procedure_body else {
                continue;
            };
            let end = unit.end.min(self.tokens.len());
            let mut at = body;
            while at < end {
                if self.tokens[at].is_any(&["EXEC", "EXECUTE"]) {
                    at = skip_exec(&self.tokens, at);
                    continue;
                }
                let is_call = self.tokens[at].is("CALL");
                at += 1;
                if is_call {
                    self.lengths_of_call(at, end);
                }
            }
        }
    }

    fn lengths_of_call(&mut self, from: usize, end: usize) {
        const ENDS: &[&str] = &["END-CALL", "RETURNING", "GIVING", "ON", "NOT", "CALL"];
        let (mut is_using, mut by_value) = (false, false);
        for at in from..end {
            let t = &self.tokens[at];
            if is_period(&self.tokens, at) || t.is_any(ENDS) || t.is_any(VERBS) {
                return;
            }
            if t.is("USING") {
                is_using = true;
            } else if t.is_any(&["VALUE", "REFERENCE", "CONTENT"]) {
                by_value = t.is("VALUE");
            } else if is_using && !by_value {
                if t.is("LENGTH") {
                    self.length_argument(at);
                } else if t.is_any(&["RETURN-CODE", "SORT-RETURN"]) {
                    let mark = crate::functions::mark("HALFWORD");
                    let text = format!("FUNCTION CONCATENATE ({mark} {})", t.text);
                    self.tokens[at].text = text;
                }
            }
        }
    }

    /// Writes the length of an argument as four bytes. The number of tokens does not
    /// change, so that notes on other tokens stay right.
    fn length_argument(&mut self, at: usize) {
        let is_word = |at: usize, word: &str| self.tokens.get(at).is_some_and(|t| t.is(word));
        if is_word(at - 1, "FUNCTION") {
            return;
        }
        let name = at + 1 + usize::from(is_word(at + 1, "OF"));
        let mut last = name;
        while is_word(last + 1, "OF") || is_word(last + 1, "IN") {
            last += 2;
        }
        if self.tokens.get(last + 1).is_some_and(|t| t.is_mark('(')) {
            let close = (last + 1..self.tokens.len()).find(|i| self.tokens[*i].is_mark(')'));
            last = close.unwrap_or(last);
        }
        if last >= self.tokens.len() {
            return;
        }
        let mark = crate::functions::mark("LENGTH-OF");
        self.tokens[at].text = format!("FUNCTION CONCATENATE ({mark} FUNCTION");
        self.tokens[last].text.push_str("))");
        if name == at + 2 {
            self.tokens[at + 1].text = "LENGTH (".to_owned();
        } else {
            self.tokens[name].text.insert_str(0, "LENGTH (");
        }
    }

    fn report_record(&mut self, record: &[DataEntry]) {
        let Some(again) = record.iter().skip(1).find(|e| e.redefines) else {
            return;
        };
        let whole = &record[0].name;
        let and_fields = if slides(record) {
            " and the fields after the table are wrong"
        } else {
            " is wrong"
        };
        let message =
            format!("GnuCOBOL counts this REDEFINES twice: LENGTH OF {whole}{and_fields}");
        let help = "describe this storage in a record of its own in the LINKAGE SECTION, and SET \
                    its ADDRESS";
        self.warn(again.place, message, help);
    }

    /// Writes FUNCTION LENGTH (GROUP) for LENGTH OF GROUP.
    fn measure(&mut self, from: usize, to: usize, groups: &HashSet<String>) {
        for at in from + 1..to.min(self.tokens.len()) {
            let first = &self.tokens[at];
            if groups.is_empty() || !first.is("LENGTH") || self.tokens[at - 1].is("FUNCTION") {
                continue;
            }
            let of = usize::from(self.tokens.get(at + 1).is_some_and(|t| t.is("OF")));
            let name = at + 1 + of;
            let known = |t: &Token| t.kind == TokenKind::Word && groups.contains(&t.upper());
            if !self.tokens.get(name).is_some_and(known) {
                continue;
            }
            let mut last = name;
            while self
                .tokens
                .get(last + 1)
                .is_some_and(|t| t.is_any(&["OF", "IN"]))
                && last + 2 < self.tokens.len()
            {
                last += 2;
            }
            // The number of tokens does not change, so that notes on other tokens stay right.
            let open = match of {
                1 => "LENGTH (".to_owned(),
                _ => format!("LENGTH ({}", self.tokens[name].text),
            };
            self.tokens[at].text = "FUNCTION".to_owned();
            self.tokens[at + 1].text = open;
            self.tokens[last].text.push(')');
        }
    }
}

/// Whether items of a record move with a counter: they follow a table
/// that varies, or are one within another.
fn slides(record: &[DataEntry]) -> bool {
    record.iter().enumerate().any(|(at, table)| {
        let mut following = record[at + 1..].iter();
        let inner = |e: &DataEntry| e.level > table.level;
        table.varies && following.any(|e| !inner(e) || e.varies)
    })
}

/// Whether a record varies and something in it is described again.
fn is_counted_twice(record: &[DataEntry]) -> bool {
    let below = || record.iter().skip(1);
    below().any(|e| e.varies) && below().any(|e| e.redefines)
}

/// The groups of a record in which both are.
fn groups(record: &[DataEntry]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, group) in record.iter().enumerate() {
        let inner = record[at + 1..].iter();
        let inner = inner.take_while(|e| e.level > group.level);
        let (mut varies, mut redefines) = (false, false);
        for entry in inner {
            varies |= entry.varies;
            redefines |= entry.redefines;
        }
        if varies && redefines {
            found.push(group.name.clone());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::copy::CopyLibrary;
    use crate::translate::translate;
    use copybook::ReferenceFormat;

    fn passed(arguments: &str) -> String {
        let program = format!(
            "IDENTIFICATION DIVISION. PROGRAM-ID. P. DATA DIVISION. WORKING-STORAGE SECTION. \
             01 A PIC X(5). 01 T. 05 E PIC X(3) OCCURS 3. PROCEDURE DIVISION. \
             CALL 'X' USING {arguments} MOVE LENGTH OF A TO N GOBACK."
        );
        let (path, library) = (Path::new("P.cbl"), CopyLibrary::default());
        let done = translate(path, program.as_bytes(), ReferenceFormat::Free, &library);
        let text = String::from_utf8(done.text).expect("text");
        let lines = text.lines().filter(|l| !l.starts_with('#'));
        let words = lines.flat_map(str::split_whitespace).collect::<String>();
        let words = words.replace(&crate::functions::mark("LENGTH-OF"), "mark");
        let words = words.replace(&crate::functions::mark("HALFWORD"), "half");
        let from = words.find("USING").expect("the statement") + 5;
        let to = words.find("MOVELENGTHOFATON").expect("the next one");
        words[from..to].to_owned()
    }

    #[test]
    fn lengths_that_a_call_passes_are_fullwords_of_zos() {
        for (written, expected) in [
            (
                "A LENGTH OF A",
                "AFUNCTIONCONCATENATE(markFUNCTIONLENGTH(A))",
            ),
            ("LENGTH A", "FUNCTIONCONCATENATE(markFUNCTIONLENGTH(A))"),
            (
                "BY CONTENT LENGTH OF E OF T (2) A",
                "BYCONTENTFUNCTIONCONCATENATE(markFUNCTIONLENGTH(EOFT(2)))A",
            ),
            ("BY VALUE LENGTH OF A", "BYVALUELENGTHOFA"),
            ("A RETURN-CODE", "AFUNCTIONCONCATENATE(halfRETURN-CODE)"),
            (
                "BY VALUE 1 BY REFERENCE LENGTH OF T END-CALL",
                "BYVALUE1BYREFERENCEFUNCTIONCONCATENATE(markFUNCTIONLENGTH(T))END-CALL",
            ),
        ] {
            assert_eq!(passed(written), expected, "{written}");
        }
    }
}

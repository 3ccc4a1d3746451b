//! Passes that do not concern commands: missing periods, DFHRESP and DFHVALUE,
//! and statements for files.

use std::collections::HashSet;

use base::{did_you_mean, nearest, suggestion};
use cics::cvda;
use cics::resp::Condition;

use crate::diagnostic::{DiagnosticKind as Finding, Severity};
use crate::outline::{ONE_WORD, ProgramUnit};
use crate::token::{Token, TokenKind};
use crate::translate::TranslationState;

const MISSING: &str = "the sentence has no period";

impl TranslationState {
    /// Writes the letters S, U and V of RECORDING MODE out, because GnuCOBOL reserves them
    /// in a program that has the clause. For F there is no other word: FIXED is data.
    pub(crate) fn recording_modes(&mut self) {
        for at in 0..self.tokens.len() {
            if !self.tokens[at].is("RECORDING") {
                continue;
            }
            let mut mode = at + 1;
            let is_filler = |t: &Token| t.is_any(&["MODE", "IS"]);
            while self.tokens.get(mode).is_some_and(is_filler) {
                mode += 1;
            }
            let Some(token) = self.tokens.get_mut(mode) else {
                continue;
            };
            if token.is_any(&["S", "U", "V"]) {
                token.text = "VARIABLE".to_owned();
            }
        }
    }

    /// Ends `PROGRAM-ID. NAME` with the period that other compilers assume.
    pub(crate) fn missing_periods(&mut self) {
        const NEXT: &[&str] = &["ENVIRONMENT", "DATA", "PROCEDURE"];
        let mut at = 0;
        while at + 3 < self.tokens.len() {
            let shape = self.tokens[at].is("PROGRAM-ID")
                && self.tokens[at + 1].is_mark('.')
                && self.tokens[at + 3].is_any(NEXT);
            if shape {
                let name = self.tokens[at + 2].clone();
                self.say(
                    name.place,
                    Finding::Source,
                    "PROGRAM-ID has no period".to_owned(),
                    None,
                );
                if let Some(last) = self.diagnostics.last_mut() {
                    last.severity = Severity::Warning;
                    last.help = Some("one is assumed".to_owned());
                }
                let period = Token {
                    kind: TokenKind::Mark,
                    text: ".".to_owned(),
                    spaced: false,
                    ..name
                };
                self.tokens.insert(at + 3, period);
                self.edits.dropped = self
                    .edits
                    .dropped
                    .iter()
                    .map(|&i| i + usize::from(i > at + 2))
                    .collect();
            }
            at += 1;
        }
    }

    /// Headers of divisions and sections that are misspelt: the compiler would
    /// report everything after one.
    pub(crate) fn headers(&mut self) {
        const DIVISIONS: &[&str] = &["IDENTIFICATION", "ENVIRONMENT", "DATA", "PROCEDURE"];
        const SECTIONS: &[&str] = &["WORKING-STORAGE", "LOCAL-STORAGE", "LINKAGE"];
        let mut found = Vec::new();
        let mut procedure = false;
        for at in 1..self.tokens.len() {
            let (name, head) = (&self.tokens[at - 1], &self.tokens[at]);
            let starts = at < 2 || self.tokens[at - 2].is_mark('.');
            let same_line = name.place.line == head.place.line;
            procedure |= name.is("PROCEDURE") && head.is("DIVISION");
            if !same_line || name.kind != TokenKind::Word {
                continue;
            }
            let upper = name.upper();
            if starts && head.is("DIVISION") && !DIVISIONS.contains(&&*upper) && upper != "ID" {
                let near = nearest(&upper, DIVISIONS.iter().copied());
                found.extend(near.map(|near| (name.place, format!("{upper} DIVISION"), near)));
            }
            // WORKING STORAGE SECTION, and WORKNG-STORAGE SECTION.
            let apart = at >= 2 && head.is("SECTION") && name.is("STORAGE") && !procedure;
            let first = apart.then(|| &self.tokens[at - 2]);
            let first = first.filter(|first| first.is_any(&["WORKING", "LOCAL"]));
            if let Some(first) = first {
                let whole = if first.is("LOCAL") {
                    SECTIONS[1]
                } else {
                    SECTIONS[0]
                };
                let written = format!("{} STORAGE SECTION", first.upper());
                found.push((first.place, written, whole));
            } else if starts && head.is("SECTION") && !procedure && !SECTIONS.contains(&&*upper) {
                let near = nearest(&upper, SECTIONS.iter().copied());
                found.extend(near.map(|near| (name.place, format!("{upper} SECTION"), near)));
            }
        }
        for (place, written, meant) in found {
            let help = Some(did_you_mean(meant));
            self.say(
                place,
                Finding::Source,
                format!("there is no {written}"),
                help,
            );
        }
    }

    /// A program without statements compiles, and does nothing.
    pub(crate) fn no_statements(&mut self, units: &[ProgramUnit]) {
        for unit in units
            .iter()
            .filter(|u| u.parent.is_none() && u.procedure.is_none())
        {
            let Some(start) = self.tokens.get(unit.start) else {
                continue;
            };
            let place = start.place;
            let message = format!(
                "{} has no PROCEDURE DIVISION, so it does nothing",
                unit.name
            );
            self.warn(
                place,
                message,
                "is its header there, in columns 8 to 72, and spelt rightly?",
            );
        }
    }

    /// SERVICE statements, which Enterprise COBOL takes for comments.
    pub(crate) fn service_statements(&mut self) {
        let mut at = 0;
        while at + 2 < self.tokens.len() {
            let shape =
                self.tokens[at].is("SERVICE") && self.tokens[at + 1].is_any(&["RELOAD", "LABEL"]);
            if shape {
                self.tokens[at].text = "CONTINUE".to_owned();
                let mut end = at + 2;
                if self.tokens[at + 1].is("RELOAD") {
                    end += 1;
                    while self
                        .tokens
                        .get(end)
                        .is_some_and(|t| t.is_any(&["OF", "IN"]))
                    {
                        end += 2;
                    }
                }
                self.tokens.drain(at + 1..end.min(self.tokens.len()));
            }
            at += 1;
        }
    }

    /// Ends a paragraph whose last command has no period.
    pub(crate) fn command_periods(&mut self) {
        let mut at = 1;
        while at < self.tokens.len() {
            if self.is_header_after_command(at) {
                let end = self.tokens[at - 1].clone();
                self.warn(end.place, MISSING.to_owned(), "one is assumed");
                let period = Token {
                    kind: TokenKind::Mark,
                    text: ".".to_owned(),
                    spaced: false,
                    ..end
                };
                self.tokens.insert(at, period);
            }
            at += 1;
        }
    }

    /// Ends a program whose last sentence has no period.
    pub(crate) fn last_periods(&mut self, units: &[ProgramUnit]) {
        let mut missing = Vec::new();
        for unit in units {
            let Some(body) = unit.procedure_body else {
                continue;
            };
            let end = if unit.closed {
                (body..unit.end).rev().find(|&i| {
                    let next = self.tokens.get(i + 1);
                    self.tokens[i].is("END") && next.is_some_and(|t| t.is("PROGRAM"))
                })
            } else {
                Some(unit.end.min(self.tokens.len()))
            };
            if let Some(end) = end.filter(|end| *end > body)
                && !self.tokens[end - 1].is_mark('.')
            {
                missing.push(end);
            }
        }
        missing.sort_unstable();
        missing.dedup();
        for at in missing {
            let place = self.tokens[at - 1].place;
            self.warn(place, MISSING.to_owned(), "one is assumed");
            self.edits.insert(at, ".".to_owned(), place);
        }
    }

    /// Whether a paragraph's or section's name in Area A follows END-EXEC.
    fn is_header_after_command(&self, at: usize) -> bool {
        let (before, name) = (&self.tokens[at - 1], &self.tokens[at]);
        let next = |n: usize| self.tokens.get(at + n);
        before.is("END-EXEC")
            && name.kind == TokenKind::Word
            && (8..12).contains(&name.place.column)
            && name.place.line != before.place.line
            && !name.is_any(ONE_WORD)
            && (next(1).is_some_and(|t| t.is_mark('.')) || next(1).is_some_and(|t| t.is("SECTION")))
    }

    /// Writes the names of outermost programs in capitals, as the program table
    /// and the symbols of modules have them.
    pub(crate) fn program_names(&mut self, units: &[ProgramUnit]) {
        let named = |t: &Token| t.kind != TokenKind::Mark;
        for unit in units.iter().filter(|u| u.parent.is_none()) {
            for at in unit.start..unit.end.min(self.tokens.len()) {
                let heads = self.tokens[at].is("PROGRAM-ID")
                    || at > 0 && self.tokens[at].is("PROGRAM") && self.tokens[at - 1].is("END");
                if !heads {
                    continue;
                }
                let name = (at + 1..self.tokens.len()).find(|&i| named(&self.tokens[i]));
                if let Some(token) = name.and_then(|i| self.tokens.get_mut(i))
                    && token.upper().trim_matches(['\'', '"']) == unit.name
                {
                    token.text = token.upper();
                }
            }
        }
    }

    /// Replaces DFHRESP(x) and DFHVALUE(x) by numbers.
    pub(crate) fn values(&mut self) {
        if !self
            .tokens
            .iter()
            .any(|t| t.is_any(&["DFHRESP", "DFHVALUE"]))
        {
            return;
        }
        let old = std::mem::take(&mut self.tokens);
        let mut new = Vec::with_capacity(old.len());
        let mut moved = HashSet::new();
        let mut at = 0;
        while at < old.len() {
            let t = &old[at];
            let shape = |n: usize| old.get(at + n);
            let is_call = t.is_any(&["DFHRESP", "DFHVALUE"])
                && shape(1).is_some_and(|t| t.is_mark('('))
                && shape(2).is_some_and(|t| t.kind == TokenKind::Word)
                && shape(3).is_some_and(|t| t.is_mark(')'));
            if !is_call {
                if self.edits.dropped.contains(&at) {
                    moved.insert(new.len());
                }
                new.push(t.clone());
                at += 1;
                continue;
            }
            let name = &old[at + 2];
            let upper = name.upper();
            let (value, help) = if t.is("DFHRESP") {
                let value = Condition::from_name(&upper).map(|c| u32::from(c.number()));
                (
                    value,
                    suggestion(&upper, Condition::ALL.iter().map(|c| c.name())),
                )
            } else {
                let names = cvda::PUBLISHED.iter().chain(cvda::OWN).map(|&(n, _)| n);
                (cvda::value(&upper), suggestion(&upper, names))
            };
            if value.is_none() {
                let what = if t.is("DFHRESP") {
                    "condition"
                } else {
                    "CVDA value"
                };
                self.say(
                    name.place,
                    Finding::Command,
                    format!("there is no {what} {upper}"),
                    help,
                );
            }
            new.push(t.word(value.unwrap_or(0).to_string()));
            at += 4;
        }
        self.edits.dropped = moved;
        self.tokens = new;
    }

    /// A batch program runs outside of the region: each of its commands is an
    /// error.
    pub(crate) fn no_commands(&mut self) {
        let pairs = self.tokens.windows(2);
        let commands =
            pairs.filter(|pair| pair[0].is_any(&["EXEC", "EXECUTE"]) && pair[1].is("CICS"));
        let places: Vec<_> = commands.map(|pair| pair[0].place).collect();
        for place in places {
            let message = "EXEC CICS: a batch program runs outside of the region".to_owned();
            let help = "programs with commands belong to the folders of [compile] programs";
            self.say(place, Finding::Source, message, Some(help.to_owned()));
        }
    }

    /// Refuses files of the file system in a program with commands: its files
    /// are the region's. Elsewhere says what becomes of them in a region.
    pub(crate) fn file_statements(&mut self, units: &[ProgramUnit], uses_cics: bool) {
        let mut places = Vec::new();
        for unit in units {
            let end = unit.end.min(self.tokens.len());
            let body = unit.procedure_body.unwrap_or(end).min(end);
            let mut control = false;
            for at in unit.start..body {
                let t = &self.tokens[at];
                control |= t.is("FILE-CONTROL");
                control &= !(t.is("DIVISION") || t.is("I-O-CONTROL"));
                if control && t.is("SELECT") {
                    places.push((t.place, "SELECT"));
                }
            }
            let sections = unit.start..body.saturating_sub(1);
            let is_report =
                |at: &usize| self.tokens[*at].is("REPORT") && self.tokens[at + 1].is("SECTION");
            if let Some(at) = sections.clone().find(is_report) {
                let place = self.tokens[at].place;
                let message = "REPORT SECTION: a region's program writes no reports".to_owned();
                let help =
                    "batch programs do: put it into the folder batch and run it with tupelo batch";
                self.say(place, Finding::Source, message, Some(help.to_owned()));
            }
            let modes = &["INPUT", "OUTPUT", "I-O", "EXTEND"];
            for at in body..end {
                let t = &self.tokens[at];
                let opens = self.tokens.get(at + 1).is_some_and(|n| n.is_any(modes));
                if t.is("OPEN") && opens && !self.edits.dropped.contains(&at) {
                    places.push((t.place, "OPEN"));
                }
            }
        }
        for (place, statement) in places {
            let message = if uses_cics {
                format!("{statement}: a program with commands has no files of its own")
            } else {
                format!("{statement}: the task ends when a region's program gets here")
            };
            let help = "EXEC CICS READ, WRITE and their like reach the region's files";
            self.say(place, Finding::Source, message, Some(help.to_owned()));
            if !uses_cics && let Some(last) = self.diagnostics.last_mut() {
                last.severity = Severity::Note;
            }
        }
    }
}

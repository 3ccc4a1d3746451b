//! ENTRY statements: further names that a program is called by.
//!
//! A CALL of such a name finds the module of the program that has it, so it
//! shares the storage of that program, as it does in a load module of z/OS. In a
//! program with commands each entry announces itself as the program's beginning
//! does, so that the EIB has an address.
//!
//! Reference: Enterprise COBOL Language Reference, "ENTRY statement".

use cics::cobol::VERBS;

use crate::calls::start_call;
use crate::outline::{ProgramUnit, is_period, skip_exec};
use crate::token::{Token, TokenKind};
use crate::translate::TranslationState;

impl TranslationState {
    /// The names of all ENTRY statements of outermost programs, in capitals.
    /// The translator writes them in capitals, as names of programs are.
    pub(crate) fn entry_names(&mut self, units: &[ProgramUnit]) -> Vec<String> {
        let mut names = Vec::new();
        for unit in units.iter().filter(|u| u.parent.is_none()) {
            for at in self.entry_statements(unit) {
                let literal = &mut self.tokens[at + 1];
                literal.text = literal.upper();
                names.push(literal.text.trim_matches(['\'', '"']).to_owned());
            }
        }
        names
    }

    /// Has each entry of a program with commands announce itself.
    pub(crate) fn begin_entries(&mut self, unit: &ProgramUnit) {
        for at in self.entry_statements(unit) {
            let is_end = |i: usize| is_period(&self.tokens, i) || self.tokens[i].is_any(VERBS);
            let end = (at + 1..self.tokens.len()).find(|&i| is_end(i));
            let Some(end) = end.map(|i| i + usize::from(is_period(&self.tokens, i))) else {
                continue;
            };
            let place = self.tokens[at].place;
            let file = u8::try_from(place.file).unwrap_or(u8::MAX);
            self.edits
                .insert_first(end, start_call(place.line, file), place);
        }
    }

    /// The places of a program's ENTRY statements. `SET P TO ENTRY 'X'` is not one.
    fn entry_statements(&self, unit: &ProgramUnit) -> Vec<usize> {
        let mut found = Vec::new();
        let mut at = unit.procedure_body.unwrap_or(unit.end);
        while at + 1 < unit.end.min(self.tokens.len()) {
            let t = &self.tokens[at];
            if t.is_any(&["EXEC", "EXECUTE"]) {
                at = skip_exec(&self.tokens, at);
                continue;
            }
            let literal = |t: &Token| t.kind == TokenKind::Literal;
            if t.is("ENTRY") && literal(&self.tokens[at + 1]) && !self.tokens[at - 1].is("TO") {
                found.push(at);
            }
            at += 1;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::copy::CopyLibrary;
    use crate::translate::{TranslatedSource, translate};
    use copybook::ReferenceFormat;

    fn translated(procedure: &str) -> TranslatedSource {
        let program = format!(
            "identification division. program-id. p. data division. linkage section. \
             01 b pic x. procedure division. {procedure}"
        );
        let (path, library) = (Path::new("p.cbl"), CopyLibrary::default());
        translate(path, program.as_bytes(), ReferenceFormat::Free, &library)
    }

    #[test]
    fn entries_are_names_in_capitals_and_set_to_entry_is_none() {
        let done = translated("set x to entry 'q'. goback. entry 'padd' using b. goback.");
        assert_eq!(done.entries, ["PADD"]);
        assert!(String::from_utf8_lossy(&done.text).contains("'PADD'"));
    }

    #[test]
    fn an_entry_of_a_program_with_commands_announces_itself() {
        let done =
            translated("goback. entry 'padd' using b move 'x' to b exec cics return end-exec.");
        let text = String::from_utf8_lossy(&done.text).into_owned();
        let entry = text.find("'PADD'").expect("the entry");
        let start = text[entry..].find("CALL \"DFHEI0\"").expect("a start");
        let body = text[entry..].find("move 'x'").expect("the body");
        assert!(start < body, "{text}");
        assert_eq!(text.matches("CALL \"DFHEI0\"").count(), 2);
    }
}

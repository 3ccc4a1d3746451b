//! Items that may have no address: a COMMAREA that the task does not have.
//!
//! `CALL 'SUB' USING DFHEIBLK DFHCOMMAREA` hands on what the program got,
//! whether there is a COMMAREA or not; CICS gives a null address where there
//! is none. The compiler checks every use of a LINKAGE item, and a CALL is a
//! use to it, so such statements are announced to the worker before. Calls of
//! sockets are, whatever they name: an address that is none gives them EFAULT.
//!
//! The check of a condition is made before the condition is evaluated, also for what
//! `IF EIBCALEN > 0 AND CA-STEP = '1'` never gets to. Such statements are announced too, but not
//! those whose first condition uses the same record: it has an address, or the use is a fault.

use std::collections::{BTreeMap, BTreeSet};

use cics::cobol::VERBS;
use cics::command::commands::{link, ret, xctl};

use crate::argument::ArgumentValue;
use crate::exec::ParsedCommand;
use crate::outline::{ProgramUnit, is_period, skip_exec};
use crate::token::{Token, TokenKind};
use crate::translate::TranslationState;

/// Announces that the next CALL may pass items without an address.
pub(crate) const MARK: &str = "CALL \"DFHEI2\" END-CALL ";

/// Announces that items of the next statement's conditions may have no address. RETURNING
/// NULL leaves RETURN-CODE as it is.
const CONDITION_MARK: &str = "CALL \"DFHEI4\" RETURNING NULL END-CALL";

/// Whether a command passes an item of the LINKAGE SECTION on as a COMMAREA.
pub(crate) fn passes_linkage(command: &ParsedCommand, unit: &ProgramUnit) -> bool {
    let area = match command.row.number {
        link::NUMBER => link::COMMAREA,
        xctl::NUMBER => xctl::COMMAREA,
        ret::NUMBER => ret::COMMAREA,
        _ => return false,
    };
    command.operands.iter().any(|operand| {
        operand.index == area
            && matches!(&operand.value, ArgumentValue::Item(tokens) if tokens.first().is_some_and(|t| is_linkage(t, unit)))
    })
}

/// The records of a LINKAGE SECTION by the names of their items and condition names, at all
/// levels. A name of several records has none.
struct LinkageItems(BTreeMap<String, Option<usize>>);

impl LinkageItems {
    fn of(tokens: &[Token], unit: &ProgramUnit) -> Self {
        let mut items = BTreeMap::new();
        let mut record = 0;
        let end = unit.procedure.unwrap_or(unit.end).min(tokens.len());
        let first = unit.linkage.unwrap_or(end);
        let begins = |at: &usize| *at == first || is_period(tokens, at - 1);
        for at in (first..end).filter(begins) {
            record += usize::from(tokens[at].is_any(RECORD_LEVELS));
            if let Some(name) = tokens.get(at + 1) {
                let known = items.entry(name.upper()).or_insert(Some(record));
                *known = known.filter(|other| *other == record);
            }
        }
        LinkageItems(items)
    }

    /// The records of the items that conditions read. `ADDRESS OF` reads none.
    fn used(&self, conditions: &[Token]) -> impl Iterator<Item = Option<usize>> {
        let is_read = |at: &usize| {
            let before = conditions[..*at].split_last_chunk::<2>();
            !before
                .is_some_and(|(_, [first, of])| first.is_any(&["ADDRESS", "LENGTH"]) && of.is("OF"))
        };
        let words = (0..conditions.len()).filter(|at| conditions[*at].kind == TokenKind::Word);
        let read = words.filter(is_read);
        read.filter_map(|at| self.0.get(&conditions[at].upper()).copied())
    }

    /// Whether conditions may end before they use an item: not if the first of them uses
    /// an item of the only record that they use.
    fn may_be_skipped(&self, conditions: &[Token]) -> bool {
        let used: BTreeSet<Option<usize>> = self.used(conditions).collect();
        let is_one = used.len() == 1 && !used.contains(&None);
        let uses_first = || self.used(first_condition(conditions)).next().is_some();
        !used.is_empty() && (!is_one || !uses_first())
    }
}

/// What is evaluated of conditions in any case.
fn first_condition(conditions: &[Token]) -> &[Token] {
    let mut branches = 0;
    let ends = |token: &Token| {
        branches += usize::from(token.is("WHEN"));
        branches > 1 || token.is_any(&["AND", "OR", "ALSO", "AFTER"])
    };
    let end = conditions.iter().position(ends);
    &conditions[..end.unwrap_or(conditions.len())]
}

/// Levels of records and of items of their own.
const RECORD_LEVELS: &[&str] = &["01", "1", "77"];

fn is_linkage(token: &Token, unit: &ProgramUnit) -> bool {
    token.kind == TokenKind::Word
        && (token.is("DFHCOMMAREA") || unit.linkage_names.contains(&token.upper()))
}

/// Whether a CALL of this is one of EZASOKET or its auxiliary routines, named by
/// a literal or by an item of the same name.
fn is_socket_routine(target: &Token) -> bool {
    let name = target.upper();
    name.trim_start_matches(['\'', '"']).starts_with("EZA")
}

impl TranslationState {
    /// Announces each CALL that passes an item of the LINKAGE SECTION, and each
    /// of sockets that may pass a part of one.
    pub(crate) fn null_arguments(&mut self, units: &[ProgramUnit]) {
        let calls = units.iter().flat_map(|unit| {
            self.statements(unit, |at| {
                self.tokens[at].is("CALL") && self.passes(at, unit)
            })
        });
        self.announce(calls.collect(), MARK.trim_end());
    }

    /// Announces each statement whose conditions may end before they use an item of the
    /// LINKAGE SECTION.
    pub(crate) fn null_conditions(&mut self, units: &[ProgramUnit]) {
        let statements = units.iter().flat_map(|unit| {
            let items = LinkageItems::of(&self.tokens, unit);
            self.statements(unit, |at| items.may_be_skipped(self.conditions(at)))
        });
        self.announce(statements.collect(), CONDITION_MARK);
    }

    /// The places in a unit's procedures that a predicate chooses, commands left out.
    fn statements(&self, unit: &ProgramUnit, is_chosen: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut chosen = Vec::new();
        let end = unit.end.min(self.tokens.len());
        let mut at = unit.procedure_body.unwrap_or(end);
        while at < end {
            if self.tokens[at].is_any(&["EXEC", "EXECUTE"]) {
                at = skip_exec(&self.tokens, at);
                continue;
            }
            if is_chosen(at) {
                chosen.push(at);
            }
            at += 1;
        }
        chosen
    }

    /// Inserts a mark before statements.
    fn announce(&mut self, statements: BTreeSet<usize>, mark: &str) {
        for at in statements {
            let place = self.tokens[at].place;
            self.edits.insert(at, mark.to_owned(), place);
        }
    }

    /// The conditions of an IF, EVALUATE or PERFORM, if it has several or may end before it
    /// comes to the first.
    fn conditions(&self, at: usize) -> &[Token] {
        let rest = &self.tokens[at + 1..];
        let until = |ends: &[&str]| {
            let end = |i: &usize| is_period(rest, *i) || rest[*i].is_any(ends);
            &rest[..(0..rest.len()).find(end).unwrap_or(rest.len())]
        };
        let statement = &self.tokens[at];
        let conditions = match statement.upper().as_str() {
            "PERFORM" if self.tokens[at - 1].is("EXIT") => return &[],
            "IF" | "PERFORM" => until(VERBS),
            "EVALUATE" => return until(&["END-EVALUATE"]),
            _ => return &[],
        };
        let several = conditions.iter().any(|t| t.is_any(&["AND", "OR", "UNTIL"]));
        if several { conditions } else { &[] }
    }

    /// Whether the USING of a CALL names an item of the LINKAGE SECTION.
    fn passes(&self, call: usize, unit: &ProgramUnit) -> bool {
        const ENDS: &[&str] = &["END-CALL", "RETURNING", "GIVING", "ON", "NOT", "CALL"];
        let target = self.tokens.get(call + 1);
        if !unit.linkage_names.is_empty() && target.is_some_and(is_socket_routine) {
            return true;
        }
        let rest = &self.tokens[call + 1..];
        let end = (0..rest.len())
            .find(|&i| is_period(rest, i) || rest[i].is_any(ENDS) || rest[i].is_any(VERBS))
            .unwrap_or(rest.len());
        let using = rest[..end].iter().position(|t| t.is("USING"));
        using.is_some_and(|u| rest[u..end].iter().any(|t| is_linkage(t, unit)))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::{CopyLibrary, ReferenceFormat, translate};

    /// Whether a statement is announced.
    fn is_announced(statement: &str) -> bool {
        let program = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. NULLS.\n       DATA DIVISION.\n\
             \x20      WORKING-STORAGE SECTION.\n       01  N PIC S9(4) COMP.\n       LINKAGE SECTION.\n\
             \x20      01  DFHCOMMAREA.\n           05  CA-STEP PIC X.\n               88  CA-FIRST VALUE '1'.\n\
             \x20          05  CA-NAME PIC X(8).\n       01  OTHER-AREA.\n           05  OTHER-CODE PIC X.\n\
             \x20          05  CA-NAME PIC X(8).\n       PROCEDURE DIVISION.\n       MAIN-PARA.\n\
             \x20          {statement}.\n           GOBACK.\n"
        );
        let library = CopyLibrary::open::<&str>(&[]);
        let name = Path::new("NULLS.cbl");
        let translated = translate(name, program.as_bytes(), ReferenceFormat::Auto, &library);
        String::from_utf8_lossy(&translated.text).contains("DFHEI4")
    }

    #[test]
    fn conditions_are_announced_that_may_end_before_they_use_a_record() {
        for statement in [
            "IF EIBCALEN > 0 AND CA-STEP = '1' CONTINUE",
            "IF EIBCALEN = 0 OR CA-FIRST CONTINUE",
            "IF ADDRESS OF OTHER-AREA = NULL OR OTHER-CODE = 'A' CONTINUE",
            "IF CA-FIRST AND OTHER-CODE = 'A' CONTINUE",
            "IF CA-FIRST AND CA-NAME = 'A' CONTINUE",
            "EVALUATE TRUE WHEN EIBCALEN = 0 CONTINUE WHEN CA-FIRST CONTINUE END-EVALUATE",
            "EVALUATE EIBCALEN ALSO CA-STEP WHEN 0 ALSO ANY CONTINUE END-EVALUATE",
            "PERFORM UNTIL N = EIBCALEN OR CA-FIRST CONTINUE END-PERFORM",
            "PERFORM TEST AFTER UNTIL CA-FIRST CONTINUE END-PERFORM",
        ] {
            assert!(is_announced(statement), "{statement}");
        }
    }

    #[test]
    fn conditions_are_not_announced_that_use_their_record_first_or_none() {
        for statement in [
            "IF EIBCALEN > 0 AND N = 1 CONTINUE",
            "IF CA-STEP = '1' CONTINUE",
            "IF CA-FIRST AND CA-STEP = '1' CONTINUE",
            "IF OTHER-CODE = 'A' OR 'B' CONTINUE",
            "EVALUATE CA-STEP WHEN '1' CONTINUE WHEN '2' CONTINUE END-EVALUATE",
            "EVALUATE TRUE WHEN CA-FIRST CONTINUE WHEN CA-STEP = '2' CONTINUE END-EVALUATE",
            "PERFORM UNTIL CA-FIRST OR N > 3 CONTINUE END-PERFORM",
        ] {
            assert!(!is_announced(statement), "{statement}");
        }
    }
}

//! Items that may have no address: a COMMAREA that the task does not have.
//!
//! `CALL 'SUB' USING DFHEIBLK DFHCOMMAREA` hands on what the program got,
//! whether there is a COMMAREA or not; CICS gives a null address where there
//! is none. The compiler checks every use of a LINKAGE item, and a CALL is a
//! use to it, so such statements are announced to the worker before. Calls of
//! sockets are, whatever they name: an address that is none gives them EFAULT.
//!
//! The check of a condition is made before the condition is evaluated, also for what
//! `IF EIBCALEN > 0 AND CA-STEP = '1'` never gets to. Such statements are announced too.

use std::collections::BTreeSet;

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

/// The names of the entries from `from` on: items of all levels and condition names.
fn entry_names(tokens: &[Token], from: usize) -> BTreeSet<String> {
    let entries = (from..tokens.len()).filter(|at| *at == from || is_period(tokens, at - 1));
    entries
        .filter_map(|at| tokens.get(at + 1).map(Token::upper))
        .collect()
}

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
        let mut calls = Vec::new();
        for unit in units {
            let Some(body) = unit.procedure_body else {
                continue;
            };
            let mut at = body;
            while at < unit.end.min(self.tokens.len()) {
                let t = &self.tokens[at];
                if t.is_any(&["EXEC", "EXECUTE"]) {
                    at = skip_exec(&self.tokens, at);
                    continue;
                }
                if t.is("CALL") && self.passes(at, unit) {
                    calls.push(at);
                }
                at += 1;
            }
        }
        calls.sort_unstable();
        calls.dedup();
        for at in calls {
            let place = self.tokens[at].place;
            self.edits.insert(at, MARK.trim_end().to_owned(), place);
        }
    }

    /// Announces each statement whose conditions may end before they use an item of the
    /// LINKAGE SECTION.
    pub(crate) fn null_conditions(&mut self, units: &[ProgramUnit]) {
        let mut statements = Vec::new();
        for unit in units {
            let (Some(body), Some(linkage)) = (unit.procedure_body, unit.linkage) else {
                continue;
            };
            let end = unit.procedure.unwrap_or(unit.end);
            let items = entry_names(&self.tokens[..end.min(self.tokens.len())], linkage);
            let uses = |tokens: &[Token]| {
                let mut words = tokens.iter().filter(|t| t.kind == TokenKind::Word);
                words.any(|t| items.contains(&t.upper()))
            };
            let mut at = body;
            while at < unit.end.min(self.tokens.len()) {
                let t = &self.tokens[at];
                if t.is_any(&["EXEC", "EXECUTE"]) {
                    at = skip_exec(&self.tokens, at);
                    continue;
                }
                let rest = &self.tokens[at + 1..];
                let until = |ends: &[&str]| {
                    let end = |i: &usize| is_period(rest, *i) || rest[*i].is_any(ends);
                    &rest[..(0..rest.len()).find(end).unwrap_or(rest.len())]
                };
                let conditions = match t.upper().as_str() {
                    "PERFORM" if self.tokens[at - 1].is("EXIT") => &[],
                    "IF" | "PERFORM" => until(VERBS),
                    "EVALUATE" => until(&["END-EVALUATE"]),
                    _ => &[],
                };
                let several = t.is("EVALUATE")
                    || conditions.iter().any(|t| t.is_any(&["AND", "OR", "UNTIL"]));
                if several && uses(conditions) {
                    statements.push(at);
                }
                at += 1;
            }
        }
        statements.sort_unstable();
        statements.dedup();
        for at in statements {
            let place = self.tokens[at].place;
            self.edits.insert(at, CONDITION_MARK.to_owned(), place);
        }
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

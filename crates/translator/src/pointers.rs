//! POINTER items in data that other systems see.
//!
//! A POINTER has 8 bytes here and 4 in 31-bit programs of z/OS. In a program's
//! own storage that makes no difference; in a COMMAREA or container it moves
//! everything after it.

use std::collections::HashMap;

use cics::command::commands::{get_container, link, put_container, ret, xctl};

use crate::argument::ArgumentValue;
use crate::exec::ParsedCommand;
use crate::outline::{ProgramUnit, is_period};
use crate::source::SourcePlace;
use crate::token::{Token, TokenKind};
use crate::translate::TranslationState;

/// The records of a program that hold a pointer.
#[derive(Debug, Default)]
pub(crate) struct PointerRecords {
    /// Record of each name in the data division.
    records: HashMap<String, usize>,
    /// Each record's name and its first pointer.
    list: Vec<(String, Option<SourcePlace>)>,
}

impl PointerRecords {
    /// Looks through the data division.
    pub(crate) fn of(unit: &ProgramUnit, tokens: &[Token]) -> PointerRecords {
        const USAGES: &[&str] = &[
            "POINTER",
            "POINTER-32",
            "PROCEDURE-POINTER",
            "FUNCTION-POINTER",
        ];
        let mut found = PointerRecords::default();
        let (Some(data), Some(end)) = (unit.data, unit.procedure) else {
            return found;
        };
        for at in data..end.min(tokens.len()) {
            let t = &tokens[at];
            if t.kind != TokenKind::Word {
                continue;
            }
            let starts = at == data || is_period(tokens, at - 1);
            if starts && let Ok(level) = t.text.parse::<u8>() {
                let name = tokens.get(at + 1).map(Token::upper).unwrap_or_default();
                if matches!(level, 1 | 77) {
                    found.list.push((name.clone(), None));
                }
                let record = found.list.len().saturating_sub(1);
                found.records.entry(name).or_insert(record);
            } else if t.is_any(USAGES)
                && let Some((_, first)) = found.list.last_mut()
            {
                first.get_or_insert(t.place);
            }
        }
        found
    }

    fn place(&self, name: &str) -> Option<(&str, SourcePlace)> {
        let (record, place) = self.list.get(*self.records.get(name)?)?;
        Some((record, (*place)?))
    }
}

impl TranslationState {
    /// Warns of pointers in the COMMAREA of a program, and in the areas that
    /// its commands pass on.
    pub(crate) fn shared_pointers(&mut self, unit: &ProgramUnit, commands: &[&ParsedCommand]) {
        let pointers = PointerRecords::of(unit, &self.tokens);
        let mut reported: Vec<SourcePlace> = Vec::new();
        let own = std::iter::once("DFHCOMMAREA".to_owned());
        for name in own.chain(commands.iter().filter_map(|c| shared_area(c))) {
            let Some((record, place)) = pointers.place(&name) else {
                continue;
            };
            if reported.contains(&place) {
                continue;
            }
            reported.push(place);
            let message = format!("{record} is passed on and holds a POINTER");
            self.warn(place, message, "it has 8 bytes here and 4 on z/OS");
        }
    }
}

/// The item that a command shares with another program.
fn shared_area(command: &ParsedCommand) -> Option<String> {
    let area = match command.row.number {
        link::NUMBER => link::COMMAREA,
        xctl::NUMBER => xctl::COMMAREA,
        ret::NUMBER => ret::COMMAREA,
        put_container::NUMBER => put_container::FROM,
        get_container::NUMBER => get_container::INTO,
        _ => return None,
    };
    let operand = command.operands.iter().find(|o| o.index == area)?;
    match &operand.value {
        ArgumentValue::Item(tokens) => tokens.first().map(Token::upper),
        _ => None,
    }
}

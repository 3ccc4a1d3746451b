//! The dump table: which codes make dumps, and how many.
//!
//! Reference: CICS system programming reference, SET TRANDUMPCODE.

use cics::command::commands::set_trandumpcode as row;
use cics::cvda;
use cics::resp::Condition;
use link::Operands;

use super::super::Resources;
use super::Dumps;
use crate::kernel::{Cx, Failure, Request, Served, condition, done};

/// MAXIMUM that stands for no limit.
const NO_LIMIT: u32 = 999;

/// A code of the dump table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DumpCode {
    /// Dumps asked for since the start or the last RESET.
    pub current: u32,
    /// Most dumps; 999 for no limit.
    pub maximum: u32,
    /// Dumps are made at all.
    pub dumping: bool,
}

impl Default for DumpCode {
    fn default() -> Self {
        DumpCode {
            current: 0,
            maximum: NO_LIMIT,
            dumping: true,
        }
    }
}

impl DumpCode {
    /// Counts a dump that is asked for; false when it shall not be made.
    pub fn count(&mut self) -> bool {
        self.current = self.current.saturating_add(1);
        self.dumping && (self.maximum == NO_LIMIT || self.current <= self.maximum)
    }
}

impl Dumps {
    /// The codes in their order.
    pub fn codes(&self) -> impl Iterator<Item = (&[u8; 4], &DumpCode)> {
        self.codes.iter()
    }
}

/// SET TRANDUMPCODE.
pub(super) fn set(resources: &mut Resources, _: &mut Cx<'_>, request: &mut Request) -> Served {
    let codes = &mut resources.dump.codes;
    let operands = &request.operands;
    let action = action(operands)?;
    let dumping = dumping(operands)?;
    let maximum = match operands.get_int(row::MAXIMUM) {
        Some(n) if (0..=i64::from(NO_LIMIT)).contains(&n) => Some(n as u32),
        Some(_) => return condition(Condition::InvReq, 7),
        None => None,
    };
    let only = |option, name, resp2| match operands.get_int(option) {
        Some(n) if cvda::value(name).map(i64::from) != Some(n) => {
            condition(Condition::InvReq, resp2)
        }
        _ => Ok(()),
    };
    only(row::SYSDUMPING, "NOSYSDUMP", 5)?;
    only(row::SHUTOPTION, "NOSHUTDOWN", 8)?;
    let code: [u8; 4] = operands.get_name(row::TRANDUMPCODE).unwrap_or([b' '; 4]);
    if code.trim_ascii_end().is_empty() || !code.trim_ascii_end().iter().all(u8::is_ascii_graphic) {
        return condition(Condition::InvReq, 9);
    }
    match (action, codes.contains_key(&code)) {
        (Some(Action::Add), true) => return condition(Condition::DupRec, 10),
        (Some(Action::Add), false) => {}
        (_, false) => return condition(Condition::NotFnd, 1),
        (Some(Action::Remove), true) => {
            codes.remove(&code);
            return done();
        }
        (_, true) => {}
    }
    let entry = codes.entry(code).or_default();
    if action == Some(Action::Reset) {
        entry.current = 0;
    }
    entry.maximum = maximum.unwrap_or(entry.maximum);
    entry.dumping = dumping.unwrap_or(entry.dumping);
    done()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Add,
    Remove,
    Reset,
}

fn action(operands: &Operands) -> Result<Option<Action>, Failure> {
    let all = [
        (row::ADD, "ADD", Action::Add),
        (row::REMOVE, "REMOVE", Action::Remove),
        (row::RESET, "RESET", Action::Reset),
    ];
    let named = operands.get_int(row::ACTION);
    let value = |name| cvda::value(name).map(i64::from);
    let found = all
        .iter()
        .find(|(flag, name, _)| operands.has(*flag) || (named.is_some() && named == value(name)));
    match (found, named) {
        (Some((_, _, action)), _) => Ok(Some(*action)),
        (None, Some(_)) => condition(Condition::InvReq, 2),
        (None, None) => Ok(None),
    }
}

fn dumping(operands: &Operands) -> Result<Option<bool>, Failure> {
    let value = |name| cvda::value(name).map(i64::from);
    match operands.get_int(row::TRANDUMPING) {
        Some(n) if Some(n) == value("TRANDUMP") => Ok(Some(true)),
        Some(n) if Some(n) == value("NOTRANDUMP") => Ok(Some(false)),
        Some(_) => condition(Condition::InvReq, 4),
        None if operands.has(row::TRANDUMP) => Ok(Some(true)),
        None => Ok(operands.has(row::NOTRANDUMP).then_some(false)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_makes_no_more_dumps_than_its_maximum() {
        let mut code = DumpCode {
            maximum: 2,
            ..DumpCode::default()
        };
        let made: Vec<bool> = (0..3).map(|_| code.count()).collect();
        assert_eq!(made, [true, true, false]);
        assert_eq!(code.current, 3);
        let mut none = DumpCode {
            dumping: false,
            ..DumpCode::default()
        };
        assert!(!none.count());
        let mut any = DumpCode::default();
        assert!((0..2000).all(|_| any.count()));
    }
}

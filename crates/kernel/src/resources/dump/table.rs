//! The dump table: which codes make dumps, and how many.
//!
//! Reference: CICS system programming reference, SET TRANDUMPCODE and SET
//! SYSDUMPCODE.

use std::collections::BTreeMap;

use cics::command::commands::{set_sysdumpcode, set_trandumpcode};
use cics::cvda;
use cics::resp::Condition;
use link::CommandOperands;

use super::super::{GrowthAccount, Resources};
use super::DumpControl;
use crate::core::TaskKey;
use crate::kernel::{CallResult, CommandFailure, KernelContext, Request, condition, done};
use crate::types::{AccountKind, CountAndBytes};

/// MAXIMUM that stands for no limit.
const NO_LIMIT: u32 = 999;

/// Bytes that a code takes.
pub(super) const CODE_BYTES: u64 = 64;

/// A code of the dump table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DumpCode {
    /// Dumps requested since the start or the last RESET.
    pub current: u32,
    /// Most dumps; 999 for no limit.
    pub maximum: u32,
    /// Whether dumps are made at all.
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
    /// Counts a requested dump. Returns false if it must not be made.
    pub fn count(&mut self) -> bool {
        self.current = self.current.saturating_add(1);
        self.dumping && (self.maximum == NO_LIMIT || self.current <= self.maximum)
    }
}

/// The entry of a code, which a task may add.
pub(super) fn entry<'t, const N: usize>(
    codes: &'t mut BTreeMap<[u8; N], DumpCode>,
    account: &mut GrowthAccount,
    task: TaskKey,
    code: [u8; N],
) -> Result<&'t mut DumpCode, CommandFailure> {
    if !codes.contains_key(&code) {
        let one = CountAndBytes::one(CODE_BYTES);
        account.check(AccountKind::DumpCodes, task, one)?;
        account.add(task, one);
    }
    Ok(codes.entry(code).or_default())
}

impl DumpControl {
    /// The codes in their order.
    pub fn codes(&self) -> impl Iterator<Item = (&[u8; 4], &DumpCode)> {
        self.codes.iter()
    }

    /// The codes of dumps of the region in their order.
    pub fn system_codes(&self) -> impl Iterator<Item = (&[u8; 8], &DumpCode)> {
        self.system_codes.iter()
    }
}

/// SET TRANDUMPCODE.
pub(super) fn set_transaction_code(
    resources: &mut Resources,
    _: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    use set_trandumpcode as row;
    let operands = &request.operands;
    only(operands, row::SYSDUMPING, "NOSYSDUMP", 5)?;
    only(operands, row::SHUTOPTION, "NOSHUTDOWN", 8)?;
    let change = DumpCodeChange {
        action: action(operands, row::ACTION, [row::ADD, row::REMOVE, row::RESET])?,
        maximum: maximum(operands, row::MAXIMUM)?,
        dumping: either(
            operands,
            row::TRANDUMPING,
            (row::TRANDUMP, "TRANDUMP"),
            (row::NOTRANDUMP, "NOTRANDUMP"),
            4,
        )?,
    };
    let code = operands.get_name(row::TRANDUMPCODE);
    let (task, dumps) = (request.caller.key, &mut resources.dump);
    let tables = (&mut dumps.codes, &mut dumps.codes_account);
    change.apply(tables, task, code.unwrap_or([b' '; 4]))
}

/// SET SYSDUMPCODE.
pub(super) fn set_system_code(
    resources: &mut Resources,
    _: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    use set_sysdumpcode as row;
    let operands = &request.operands;
    only(operands, row::SHUTOPTION, "NOSHUTDOWN", 8)?;
    let change = DumpCodeChange {
        action: action(operands, row::ACTION, [row::ADD, row::REMOVE, row::RESET])?,
        maximum: maximum(operands, row::MAXIMUM)?,
        dumping: either(
            operands,
            row::SYSDUMPING,
            (row::SYSDUMP, "SYSDUMP"),
            (row::NOSYSDUMP, "NOSYSDUMP"),
            5,
        )?,
    };
    let code = operands.get_name(row::SYSDUMPCODE);
    let (task, dumps) = (request.caller.key, &mut resources.dump);
    let tables = (&mut dumps.system_codes, &mut dumps.codes_account);
    change.apply(tables, task, code.unwrap_or([b' '; 8]))
}

/// The changes of a SET.
struct DumpCodeChange {
    action: Option<CodeAction>,
    maximum: Option<u32>,
    dumping: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CodeAction {
    Add,
    Remove,
    Reset,
}

impl DumpCodeChange {
    fn apply<const N: usize>(
        &self,
        (codes, account): (&mut BTreeMap<[u8; N], DumpCode>, &mut GrowthAccount),
        task: TaskKey,
        code: [u8; N],
    ) -> CallResult {
        let name = code.trim_ascii_end();
        if name.is_empty() || !name.iter().all(u8::is_ascii_graphic) {
            return condition(Condition::InvReq, 9);
        }
        match (self.action, codes.contains_key(&code)) {
            (Some(CodeAction::Add), true) => return condition(Condition::DupRec, 10),
            (Some(CodeAction::Add), false) => {}
            (_, false) => return condition(Condition::NotFnd, 1),
            (Some(CodeAction::Remove), true) => {
                codes.remove(&code);
                account.remove(task, CountAndBytes::one(CODE_BYTES));
                return done();
            }
            (_, true) => {}
        }
        let entry = entry(codes, account, task, code)?;
        if self.action == Some(CodeAction::Reset) {
            entry.current = 0;
        }
        entry.maximum = self.maximum.unwrap_or(entry.maximum);
        entry.dumping = self.dumping.unwrap_or(entry.dumping);
        done()
    }
}

/// INVREQ for any value of an option except one.
fn only(
    operands: &CommandOperands,
    option: u8,
    name: &str,
    resp2: u32,
) -> Result<(), CommandFailure> {
    match operands.get_int(option) {
        Some(n) if cvda::value(name).map(i64::from) != Some(n) => {
            condition(Condition::InvReq, resp2)
        }
        _ => Ok(()),
    }
}

fn maximum(operands: &CommandOperands, option: u8) -> Result<Option<u32>, CommandFailure> {
    match operands.get_int(option) {
        Some(n) if (0..=i64::from(NO_LIMIT)).contains(&n) => Ok(Some(n as u32)),
        Some(_) => condition(Condition::InvReq, 7),
        None => Ok(None),
    }
}

/// The action, as the value of an option or as one of its keywords.
fn action(
    operands: &CommandOperands,
    option: u8,
    flags: [u8; 3],
) -> Result<Option<CodeAction>, CommandFailure> {
    let actions = [
        ("ADD", CodeAction::Add),
        ("REMOVE", CodeAction::Remove),
        ("RESET", CodeAction::Reset),
    ];
    let named = operands.get_int(option);
    let value = |name| cvda::value(name).map(i64::from);
    let mut all = flags.into_iter().zip(actions);
    let found = all
        .find(|(flag, (name, _))| operands.has(*flag) || (named.is_some() && named == value(name)));
    match (found, named) {
        (Some((_, (_, action))), _) => Ok(Some(action)),
        (None, Some(_)) => condition(Condition::InvReq, 2),
        (None, None) => Ok(None),
    }
}

/// One of two values, as the value of an option or as a keyword.
fn either(
    operands: &CommandOperands,
    option: u8,
    yes: (u8, &str),
    no: (u8, &str),
    resp2: u32,
) -> Result<Option<bool>, CommandFailure> {
    let value = |name| cvda::value(name).map(i64::from);
    match operands.get_int(option) {
        Some(n) if Some(n) == value(yes.1) => Ok(Some(true)),
        Some(n) if Some(n) == value(no.1) => Ok(Some(false)),
        Some(_) => condition(Condition::InvReq, resp2),
        None if operands.has(yes.0) => Ok(Some(true)),
        None => Ok(operands.has(no.0).then_some(false)),
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

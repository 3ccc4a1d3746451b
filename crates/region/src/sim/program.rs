//! What simulated tasks do: transfers between accounts, locks, waits, starts.

use cics::command::commands::{delay, deq, enq, start};
use link::call::READ_UPDATE;
use link::{Call, Op, Operands};

use super::random::Random;
use crate::kernel::ParticipantId;

/// Accounts in the file.
pub const ACCOUNTS: u64 = 6;
/// Number of the accounts' file.
pub const ACCOUNT_FILE: u64 = 0;
/// Number of the ledger's file: a record for each unit that was committed.
pub const LEDGER_FILE: u64 = 1;
/// The participant beside the store.
pub const REMOTE: ParticipantId = ParticipantId(0);
/// What a START of a simulated task names.
pub const STARTED: &str = "STRT";

/// A step of a task.
#[derive(Debug, Clone)]
pub enum Act {
    /// Asks the region something.
    Ask(Call),
    /// Reads an account for update and changes it by so much.
    Change(u64, i64),
    /// Writes the unit's ledger record.
    Ledger,
    /// The remote participant gets a deposit of the unit.
    Deposit(i64),
    /// SYNCPOINT.
    Syncpoint,
    /// SYNCPOINT ROLLBACK.
    Rollback,
    /// Abends.
    Abend,
}

/// The steps of one task, made by chance.
pub fn script(random: &mut Random, may_start: bool) -> Vec<Act> {
    let mut acts = Vec::new();
    for _ in 0..1 + random.below(3) {
        unit(random, &mut acts);
        if may_start && random.one_in(4) {
            acts.push(Act::Ask(start_call(random)));
        }
        acts.push(match random.below(6) {
            0 => Act::Rollback,
            1 if random.one_in(3) => Act::Abend,
            _ => Act::Syncpoint,
        });
    }
    // What is done after the last syncpoint ends with the task.
    if random.one_in(2) {
        unit(random, &mut acts);
    }
    acts
}

fn unit(random: &mut Random, acts: &mut Vec<Act>) {
    let (from, to) = (random.below(ACCOUNTS), random.below(ACCOUNTS));
    let amount = 1 + random.below(90) as i64;
    if random.one_in(3) {
        acts.push(Act::Ask(named(enq::NUMBER, enq::RESOURCE, random)));
    }
    acts.push(Act::Ledger);
    acts.push(Act::Change(from, -amount));
    if random.one_in(3) {
        acts.push(Act::Ask(wait(random)));
    }
    if random.one_in(3) {
        acts.push(Act::Deposit(amount));
    } else {
        acts.push(Act::Change(to, amount));
    }
    if random.one_in(4) {
        acts.push(Act::Ask(named(deq::NUMBER, deq::RESOURCE, random)));
    }
}

/// READ UPDATE of an account.
pub fn read_update(account: u64) -> Call {
    call(Op::Read, [ACCOUNT_FILE, READ_UPDATE], key(account))
}

/// REWRITE of the account read last.
pub fn rewrite(account: u64, balance: i64) -> Call {
    call(Op::Rewrite, [ACCOUNT_FILE, 0], record(account, balance))
}

/// WRITE of a unit's ledger record.
pub fn write_ledger(unit: u64) -> Call {
    call(Op::Write, [LEDGER_FILE, 0], key(unit))
}

/// The key of an account or of a ledger record.
pub fn key(number: u64) -> Vec<u8> {
    format!("{number:08}").into_bytes()
}

/// An account's record.
pub fn record(account: u64, balance: i64) -> Vec<u8> {
    format!("{account:08}{balance:012}").into_bytes()
}

/// The balance in an account's record.
pub fn balance(record: &[u8]) -> i64 {
    let text = std::str::from_utf8(&record[8..]).expect("digits");
    text.parse().expect("a balance")
}

/// A call of no command.
pub fn call(op: Op, [first, second]: [u64; 2], data: Vec<u8>) -> Call {
    Call {
        op,
        slot: 0,
        args: [first, second, 0, 0, 0, 0, 0, 0],
        data,
    }
}

fn command(number: u16, operands: &Operands) -> Call {
    call(Op::Command, [number.into(), 0], operands.emit())
}

fn named(number: u16, option: u8, random: &mut Random) -> Call {
    let name = [b'A' + random.below(3) as u8];
    command(number, &Operands::new(1 << option).bytes(option, name))
}

fn wait(random: &mut Random) -> Call {
    let options = 1 << delay::FOR | 1 << delay::MILLISECS;
    let ms = random.below(30) as i64;
    let operands = Operands::new(options).int(delay::MILLISECS, ms);
    command(delay::NUMBER, &operands)
}

fn start_call(random: &mut Random) -> Call {
    let options = 1 << start::TRANSID | 1 << start::AFTER | 1 << start::SECONDS;
    let operands = Operands::new(options)
        .bytes(start::TRANSID, STARTED)
        .int(start::SECONDS, random.below(3) as i64);
    command(start::NUMBER, &operands)
}

//! The steps of simulated tasks: transfers between accounts, queues, locks, waits,
//! counters, starts and children.

use cics::command::commands::{
    cancel, define_counter, delay, delete_counter, deleteq_td, deleteq_ts, deq, enq, fetch_any,
    fetch_child, free_child, get_counter, readq_td, readq_ts, run_transid, start, update_counter,
    writeq_td, writeq_ts,
};
use cics::file::FileAccess;
use link::{CallOperation, CommandOperands, FileCall, FileCommand, WorkerCall};
use store::SeekKey;

use super::terminals::{ENTERED, FOR_TERMINAL};
use base::SeededRandom;

/// Accounts in the file.
pub const ACCOUNTS: u64 = 6;
/// Number of the accounts' file.
pub const ACCOUNT_FILE: u32 = 0;
/// Number of the ledger's file: a record for each unit that was committed.
pub const LEDGER_FILE: u32 = 1;
/// Transaction of a START of a simulated task.
pub const STARTED: &str = "STRT";
/// Transaction of the trigger of a queue.
pub const TRIGGERED: &str = "TRGR";
/// Transaction of RUN TRANSID.
pub const CHILD: &str = "CHLD";
/// The recoverable temporary storage queue.
pub const TS_QUEUE: &str = "TSRECOV";
/// The logically recoverable transient data queue, and the physically
/// recoverable one.
pub const TD_QUEUES: [&str; 2] = ["TDLO", "TDPH"];
/// Records in a queue that start a task.
pub const TRIGGER_LEVEL: u32 = 2;
/// A counter for GET only, and a counter for all commands.
pub const COUNTERS: [&str; 2] = ["SEQUENCE", "REGISTER"];
/// A child's token.
pub type Token = Vec<u8>;

/// A transient data queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TdQueueKind {
    /// Part of units of work.
    Logical,
    /// Each command changes the store at once.
    Physical,
}

/// A step of a task.
#[derive(Debug, Clone)]
pub enum TaskStep {
    /// Waits for a while.
    Delay(i64),
    /// ENQ of a name.
    Enqueue(u8),
    /// DEQ of a name.
    Dequeue(u8),
    /// Reads an account for update and changes it by so much.
    Change(u64, i64),
    /// Writes the unit's ledger record.
    Ledger,
    /// Reads the ledger record of a unit for update, so many before the last one.
    LookForUnit(u64),
    /// A remote participant, by its place, gets a deposit of the unit.
    Deposit(usize, i64),
    /// The participant that decides gets a deposit of the unit.
    DepositAtDecider(i64),
    /// The participant that decides joins the unit, and nothing is deposited yet.
    JoinDecider,
    /// Adds the unit's number to the temporary storage queue.
    PutItem,
    /// Reads the first item of the temporary storage queue.
    LookAtItem,
    /// Deletes the temporary storage queue.
    DropItems,
    /// Adds the unit's number to a transient data queue.
    PutRecord(TdQueueKind),
    /// Reads the next record of a transient data queue.
    TakeRecord(TdQueueKind),
    /// Deletes all records of a transient data queue.
    DropRecords(TdQueueKind),
    /// GET COUNTER of the sequence.
    Number,
    /// One of the other commands on a counter.
    Counter(WorkerCall),
    /// START after seconds, with PROTECT or without.
    Start(i64, bool),
    /// START for a terminal, by its place, after seconds, with PROTECT or without.
    StartAt(usize, i64, bool),
    /// CANCEL of a START.
    Cancel,
    /// RECEIVE from the task's terminal.
    Receive,
    /// SEND to the task's terminal.
    Send,
    /// RETURN TRANSID; true if the saved data outlive the region.
    Return(bool),
    /// RUN TRANSID.
    Run,
    /// FETCH ANY.
    FetchAny,
    /// FETCH CHILD of the last child.
    FetchChild,
    /// FREE CHILD of the last child.
    Free,
    /// SYNCPOINT.
    Syncpoint,
    /// SYNCPOINT ROLLBACK.
    Rollback,
    /// Abends.
    Abend,
}

/// Random steps of a task of a transaction.
pub fn script(random: &mut SeededRandom, transid: &str) -> Vec<TaskStep> {
    let mut acts = Vec::new();
    if transid == TRIGGERED {
        acts.push(TaskStep::Ledger);
        for _ in 0..1 + random.below(5) {
            acts.push(TaskStep::TakeRecord(TdQueueKind::Logical));
        }
        return acts;
    }
    if ENTERED.contains(&transid) || transid == FOR_TERMINAL {
        return super::terminals::script(random);
    }
    // A task that no client requested starts no further tasks.
    let outer = transid != STARTED && transid != CHILD;
    if random.one_in(8) {
        acts.push(TaskStep::JoinDecider);
    }
    for _ in 0..1 + random.below(3) {
        unit(random, &mut acts);
        if outer && random.one_in(4) {
            acts.push(TaskStep::Start(random.below(5) as i64, random.one_in(2)));
        }
        if outer && random.one_in(3) {
            let (at, protect) = super::terminals::choose(random);
            acts.push(TaskStep::StartAt(at, random.below(3) as i64, protect));
        }
        if outer && random.one_in(4) {
            acts.push(TaskStep::Start(
                1 + random.below(4) as i64,
                random.one_in(2),
            ));
            acts.push(TaskStep::Syncpoint);
            acts.push(TaskStep::Cancel);
        }
        if outer && random.one_in(5) {
            children(random, &mut acts);
        }
        acts.push(match random.below(6) {
            0 => TaskStep::Rollback,
            1 if random.one_in(3) => TaskStep::Abend,
            _ => TaskStep::Syncpoint,
        });
    }
    // The changes after the last syncpoint end with the task.
    if random.one_in(2) {
        unit(random, &mut acts);
    }
    acts
}

/// Adds the steps of a unit of work.
pub fn unit(random: &mut SeededRandom, acts: &mut Vec<TaskStep>) {
    let (from, to) = (random.below(ACCOUNTS), random.below(ACCOUNTS));
    let amount = 1 + random.below(90) as i64;
    if random.one_in(3) {
        acts.push(TaskStep::Enqueue(b'A' + random.below(3) as u8));
    }
    acts.push(TaskStep::Ledger);
    if random.one_in(2) {
        acts.push(queue(random));
    }
    acts.push(TaskStep::Change(from, -amount));
    if random.one_in(3) {
        acts.push(TaskStep::Delay(random.below(30) as i64));
    }
    if random.one_in(3) {
        acts.push(queue(random));
    }
    if random.one_in(4) {
        acts.push(counter(random));
    }
    match random.below(8) {
        0 => acts.push(TaskStep::Deposit(random.below(2) as usize, amount)),
        1 => {
            acts.push(TaskStep::Deposit(0, amount / 2));
            acts.push(TaskStep::Deposit(1, amount - amount / 2));
        }
        2 => acts.push(TaskStep::DepositAtDecider(amount)),
        3 => {
            acts.push(TaskStep::Deposit(random.below(2) as usize, amount / 2));
            acts.push(TaskStep::DepositAtDecider(amount - amount / 2));
        }
        _ => acts.push(TaskStep::Change(to, amount)),
    }
    if random.one_in(4) {
        acts.push(TaskStep::Dequeue(b'A' + random.below(3) as u8));
    }
    if random.one_in(6) {
        acts.push(TaskStep::LookForUnit(random.below(4)));
    }
}

fn queue(random: &mut SeededRandom) -> TaskStep {
    let td = if random.one_in(3) {
        TdQueueKind::Physical
    } else {
        TdQueueKind::Logical
    };
    match random.below(16) {
        0..=2 => TaskStep::PutItem,
        3 | 4 => TaskStep::LookAtItem,
        5 => TaskStep::DropItems,
        6..=10 => TaskStep::PutRecord(td),
        11..=14 => TaskStep::TakeRecord(td),
        _ => TaskStep::DropRecords(td),
    }
}

fn counter(random: &mut SeededRandom) -> TaskStep {
    let register = COUNTERS[1];
    let on = |number, name: &str, value: i64| {
        let operands = CommandOperands::default()
            .bytes(get_counter::COUNTER, name)
            .int(update_counter::VALUE, value);
        TaskStep::Counter(command(number, &operands))
    };
    match random.below(8) {
        0..=2 => TaskStep::Number,
        // The counter exists already, except the first time.
        3 => on(define_counter::NUMBER, COUNTERS[0], 1),
        4 => on(define_counter::NUMBER, register, 5),
        5 => on(update_counter::NUMBER, register, random.below(100) as i64),
        6 => on(delete_counter::NUMBER, register, 0),
        _ => {
            let operands = CommandOperands::default().bytes(get_counter::COUNTER, register);
            TaskStep::Counter(command(get_counter::NUMBER, &operands))
        }
    }
}

fn children(random: &mut SeededRandom, acts: &mut Vec<TaskStep>) {
    let count = 1 + random.below(3);
    for _ in 0..count {
        acts.push(TaskStep::Run);
    }
    if random.one_in(4) {
        acts.push(TaskStep::Free);
    }
    for _ in 0..count {
        acts.push(if random.one_in(3) {
            TaskStep::FetchChild
        } else {
            TaskStep::FetchAny
        });
    }
}

/// READ UPDATE of an account.
pub fn read_update(account: u64) -> WorkerCall {
    locking(ACCOUNT_FILE, account)
}

/// READ UPDATE of a unit's ledger record.
pub fn read_ledger(unit: u64) -> WorkerCall {
    locking(LEDGER_FILE, unit)
}

fn locking(file: u32, number: u64) -> WorkerCall {
    let command = FileCommand::ReadUpdate {
        seek: SeekKey::Equal(&key(number)),
        access: FileAccess::ReadUpdate,
        nosuspend: false,
    };
    FileCall { file, command }.emit().to_call()
}

/// REWRITE of the account read last.
pub fn rewrite(account: u64, balance: i64) -> WorkerCall {
    let call = FileCall {
        file: ACCOUNT_FILE,
        command: FileCommand::Rewrite {
            token: None,
            record: &record(account, balance),
            nosuspend: false,
        },
    };
    call.emit().to_call()
}

/// WRITE of a unit's ledger record.
pub fn write_ledger(unit: u64) -> WorkerCall {
    let call = FileCall {
        file: LEDGER_FILE,
        command: FileCommand::Write {
            key: &[],
            record: &key(unit),
            nosuspend: false,
        },
    };
    call.emit().to_call()
}

/// WRITEQ TS.
pub fn put_item(unit: u64) -> WorkerCall {
    let operands = CommandOperands::default()
        .bytes(writeq_ts::QUEUE, TS_QUEUE)
        .bytes(writeq_ts::FROM, key(unit));
    command(writeq_ts::NUMBER, &operands)
}

/// READQ TS of the first item.
pub fn look_at_item() -> WorkerCall {
    let operands = CommandOperands::default()
        .bytes(readq_ts::QUEUE, TS_QUEUE)
        .int(readq_ts::ITEM, 1);
    command(readq_ts::NUMBER, &operands)
}

/// DELETEQ TS.
pub fn drop_items() -> WorkerCall {
    let operands = CommandOperands::default().bytes(deleteq_ts::QUEUE, TS_QUEUE);
    command(deleteq_ts::NUMBER, &operands)
}

/// WRITEQ TD.
pub fn put_record(queue: TdQueueKind, unit: u64) -> WorkerCall {
    let operands = CommandOperands::default()
        .bytes(writeq_td::QUEUE, td_name(queue))
        .bytes(writeq_td::FROM, key(unit));
    command(writeq_td::NUMBER, &operands)
}

/// READQ TD.
pub fn take_record(queue: TdQueueKind) -> WorkerCall {
    let operands = CommandOperands::default().bytes(readq_td::QUEUE, td_name(queue));
    command(readq_td::NUMBER, &operands)
}

/// DELETEQ TD.
pub fn drop_records(queue: TdQueueKind) -> WorkerCall {
    let operands = CommandOperands::default().bytes(deleteq_td::QUEUE, td_name(queue));
    command(deleteq_td::NUMBER, &operands)
}

fn td_name(queue: TdQueueKind) -> &'static str {
    match queue {
        TdQueueKind::Logical => TD_QUEUES[0],
        TdQueueKind::Physical => TD_QUEUES[1],
    }
}

/// GET COUNTER of the sequence.
pub fn number() -> WorkerCall {
    let operands = CommandOperands::default().bytes(get_counter::COUNTER, COUNTERS[0]);
    command(get_counter::NUMBER, &operands)
}

/// ENQ of a name.
pub fn enqueue(name: u8) -> WorkerCall {
    named(enq::NUMBER, enq::RESOURCE, name)
}

/// DEQ of a name.
pub fn dequeue(name: u8) -> WorkerCall {
    named(deq::NUMBER, deq::RESOURCE, name)
}

/// DELAY.
pub fn wait(ms: i64) -> WorkerCall {
    let options = 1 << delay::FOR | 1 << delay::MILLISECS;
    let operands = CommandOperands::new(options).int(delay::MILLISECS, ms);
    command(delay::NUMBER, &operands)
}

/// START, with a name and a user that identify the request.
pub fn start_call(number: u64, seconds: i64, protect: bool) -> WorkerCall {
    let mut options = 1 << start::TRANSID | 1 << start::AFTER | 1 << start::SECONDS;
    options |= u128::from(protect) << start::PROTECT;
    let operands = CommandOperands::new(options)
        .bytes(start::TRANSID, STARTED)
        .int(start::SECONDS, seconds)
        .bytes(start::REQID, request_name('R', number))
        .bytes(start::USERID, request_name('U', number));
    command(start::NUMBER, &operands)
}

/// CANCEL of a START.
pub fn cancel_call(number: u64) -> WorkerCall {
    let operands = CommandOperands::default().bytes(cancel::REQID, request_name('R', number));
    command(cancel::NUMBER, &operands)
}

fn request_name(letter: char, number: u64) -> String {
    format!("{letter}{number:07}")
}

/// RUN TRANSID.
pub fn run_child() -> WorkerCall {
    let operands = CommandOperands::default().bytes(run_transid::TRANSID, CHILD);
    command(run_transid::NUMBER, &operands)
}

/// FETCH ANY, sometimes with a timeout.
pub fn fetch_any_call(timeout_ms: i64) -> WorkerCall {
    let operands = CommandOperands::default().int(fetch_any::TIMEOUT, timeout_ms);
    command(fetch_any::NUMBER, &operands)
}

/// FETCH CHILD.
pub fn fetch_child_call(token: &Token) -> WorkerCall {
    let operands = CommandOperands::default().bytes(fetch_child::CHILD, token.as_slice());
    command(fetch_child::NUMBER, &operands)
}

/// FREE CHILD.
pub fn free_child_call(token: &Token) -> WorkerCall {
    let operands = CommandOperands::default().bytes(free_child::CHILD, token.as_slice());
    command(free_child::NUMBER, &operands)
}

/// The bytes of a number: keys of accounts and ledger records, and data in queues.
pub fn key(number: u64) -> Vec<u8> {
    format!("{number:08}").into_bytes()
}

/// The number that [`key`] wrote.
pub fn number_in(bytes: &[u8]) -> u64 {
    let text = std::str::from_utf8(bytes).expect("digits");
    text.parse().expect("a number")
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

/// A call that is not a command.
pub fn call(op: CallOperation, [first, second]: [u64; 2], data: Vec<u8>) -> WorkerCall {
    WorkerCall {
        op,
        slot: 0,
        args: [first, second, 0, 0, 0, 0, 0, 0],
        data,
    }
}

fn command(number: u16, operands: &CommandOperands) -> WorkerCall {
    call(CallOperation::Command, [number.into(), 0], operands.emit())
}

fn named(number: u16, option: u8, name: u8) -> WorkerCall {
    command(
        number,
        &CommandOperands::new(1 << option).bytes(option, [name]),
    )
}

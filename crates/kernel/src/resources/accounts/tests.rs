//! Accounts: their limits, the conditions of commands there, and sums after any history of
//! commands.

use cics::command::commands::{
    cancel, define_counter, delete_counter, deleteq_ts, deq, dump_transaction, enq, fetch_any,
    free_child, retrieve, run_transid, set_trandumpcode, spoolopen_output, start,
    write_journalname, writeq_ts,
};
use link::{CallAnswer, ChannelData, CommandOperands, ContainerData, ContainerType, TransId};
use proptest::prelude::*;

use super::*;
use crate::kernel::StartEnd;
use crate::resources::world::{KernelFixture, Response};
use crate::types::{
    ACCOUNTS, JournalDef, JournalKind, KernelConfig, QueueDefinitions, RegionDefinitions,
    TransactionDef,
};

/// A region with one limit, whose files take anything.
fn world(kind: AccountKind, limit: AccountLimit) -> KernelFixture {
    let mut accounts = AccountLimits::default();
    accounts.set(kind, limit);
    let journal = JournalDef {
        model: link::Name::BLANK,
        name: "AUD*".to_owned(),
        kind: JournalKind::File("journals/&JNAME".into()),
    };
    let transaction = TransactionDef {
        name: TransId::from_bytes(*b"TRNA"),
        ..TransactionDef::default()
    };
    let config = KernelConfig {
        accounts,
        definitions: RegionDefinitions {
            transactions: vec![transaction],
            queues: QueueDefinitions {
                journals: vec![journal],
                ..QueueDefinitions::default()
            },
            ..RegionDefinitions::default()
        },
        ..KernelConfig::default()
    };
    let mut w = KernelFixture::new(config).with_files(|_| CallAnswer::default());
    w.manage(|resources, _| resources.dump.set_folder("dumps".into()));
    w
}

/// At most two things a task, and three in the region.
const FEW: AccountLimit = AccountLimit {
    task: CountAndBytes {
        count: 2,
        ..CountAndBytes::UNLIMITED
    },
    region: CountAndBytes {
        count: 3,
        ..CountAndBytes::UNLIMITED
    },
};

/// Adds one more thing to an account.
fn grow(w: &mut KernelFixture, kind: AccountKind, task: u32, number: u32) -> String {
    let (row, operands) = match kind {
        AccountKind::Starts => {
            let asked = CommandOperands::new(1 << start::REQID | 1 << start::INTERVAL)
                .bytes(start::TRANSID, *b"TRNA")
                .bytes(start::REQID, format!("REQ{number:05}"))
                .int(start::INTERVAL, 100)
                .bytes(start::FROM, vec![7; 10]);
            (start::NUMBER, asked)
        }
        AccountKind::EnqueueNames => {
            let name = format!("NAME{number}");
            let asked = CommandOperands::new(1 << enq::LENGTH)
                .int(enq::LENGTH, name.len() as i64)
                .bytes(enq::RESOURCE, name);
            (enq::NUMBER, asked)
        }
        AccountKind::TemporaryStorage => {
            let asked = CommandOperands::default()
                .bytes(writeq_ts::QUEUE, format!("QUEUE{number:03}"))
                .bytes(writeq_ts::FROM, vec![7; 10]);
            (writeq_ts::NUMBER, asked)
        }
        AccountKind::Reports => {
            let asked = CommandOperands::default()
                .bytes(spoolopen_output::NODE, *b"*       ")
                .bytes(spoolopen_output::USERID, *b"ANYUSER1");
            (spoolopen_output::NUMBER, asked)
        }
        AccountKind::Journals => {
            let asked = CommandOperands::default()
                .bytes(write_journalname::JOURNALNAME, format!("AUD{number:05}"))
                .bytes(write_journalname::JTYPEID, *b"XX")
                .bytes(write_journalname::FROM, vec![7; 10]);
            (write_journalname::NUMBER, asked)
        }
        AccountKind::Counters => {
            let asked = CommandOperands::default().bytes(
                define_counter::COUNTER,
                format!("{:16}", format!("C{number}")),
            );
            (define_counter::NUMBER, asked)
        }
        AccountKind::Children => {
            let asked = CommandOperands::default().bytes(run_transid::TRANSID, *b"TRNA");
            (run_transid::NUMBER, asked)
        }
        AccountKind::Dumps => {
            let asked = CommandOperands::default()
                .bytes(dump_transaction::DUMPCODE, *b"SAME")
                .bytes(dump_transaction::FROM, vec![b'x'; 10]);
            (dump_transaction::NUMBER, asked)
        }
        AccountKind::DumpCodes => {
            let asked = CommandOperands::new(1 << set_trandumpcode::ADD)
                .bytes(set_trandumpcode::TRANDUMPCODE, format!("{number:04}"));
            (set_trandumpcode::NUMBER, asked)
        }
        other => panic!("{other:?} has a setting of its own"),
    };
    outcome(&w.command(task, row, &operands).expect("an answer"))
}

fn outcome(response: &Response) -> String {
    if response.abend.is_empty() {
        response.condition.to_string()
    } else {
        response.abend.clone()
    }
}

#[test]
fn a_command_at_a_limit_gets_the_condition_of_the_table_and_others_go_on() {
    for (kind, at_limit) in [
        (AccountKind::Starts, "IOERR"),
        (AccountKind::EnqueueNames, "AEXZ"),
        (AccountKind::TemporaryStorage, "NOSPACE"),
        (AccountKind::Reports, "NOSTG"),
        (AccountKind::Journals, "NOJBUFSP"),
        (AccountKind::Counters, "INVREQ"),
        (AccountKind::Children, "AEXZ"),
        (AccountKind::Dumps, "NOSPACE"),
        (AccountKind::DumpCodes, "INVREQ"),
    ] {
        let mut w = world(kind, FEW);
        assert_eq!(grow(&mut w, kind, 1, 1), "NORMAL", "{kind:?}");
        assert_eq!(grow(&mut w, kind, 1, 2), "NORMAL", "{kind:?}");
        assert_eq!(grow(&mut w, kind, 1, 3), at_limit, "{kind:?}: the task");
        assert_eq!(grow(&mut w, kind, 2, 4), "NORMAL", "{kind:?}");
        assert_eq!(grow(&mut w, kind, 2, 5), at_limit, "{kind:?}: the region");
        let sums = w.manage(|resources, _| resources.account(kind));
        assert_eq!(sums.region.count, 3, "{kind:?}");
        let counts: Vec<u64> = sums.tasks.iter().map(|(_, own)| own.count).collect();
        assert_eq!(counts, [2, 1], "{kind:?}");
    }
}

#[test]
fn what_ends_with_its_task_makes_room_again() {
    for kind in [
        AccountKind::EnqueueNames,
        AccountKind::Reports,
        AccountKind::Children,
    ] {
        let mut w = world(kind, FEW);
        grow(&mut w, kind, 1, 1);
        grow(&mut w, kind, 1, 2);
        w.end(1, true);
        let sums = w.manage(|resources, _| resources.account(kind));
        assert_eq!(
            (sums.region, sums.tasks.len()),
            (CountAndBytes::default(), 0)
        );
        assert_eq!(grow(&mut w, kind, 2, 3), "NORMAL", "{kind:?}");
    }
}

#[test]
fn a_start_counts_for_the_region_after_its_task_until_it_is_cancelled() {
    let kind = AccountKind::Starts;
    let mut w = world(kind, FEW);
    for number in 1..=2 {
        assert_eq!(grow(&mut w, kind, 1, number), "NORMAL");
    }
    w.end(1, true);
    assert_eq!(grow(&mut w, kind, 2, 3), "NORMAL");
    assert_eq!(grow(&mut w, kind, 2, 4), "IOERR");
    let asked = CommandOperands::new(1 << cancel::REQID).bytes(cancel::REQID, *b"REQ00001");
    let cancelled = w.command(3, cancel::NUMBER, &asked).expect("an answer");
    assert_eq!(outcome(&cancelled), "NORMAL");
    assert_eq!(grow(&mut w, kind, 2, 4), "NORMAL");
}

proptest! {
    #[test]
    fn sums_are_those_of_a_recount_after_any_commands(
        steps in prop::collection::vec((0..15_u8, 1..4_u32, 1..5_u32), 1..80),
    ) {
        let mut w = world(AccountKind::Starts, AccountLimit::default());
        for (step, task, number) in steps {
            let kind = match step {
                0 => AccountKind::Starts,
                1 => AccountKind::EnqueueNames,
                2 | 3 => AccountKind::TemporaryStorage,
                4 => AccountKind::Reports,
                5 => AccountKind::Journals,
                9 => AccountKind::Counters,
                10 => AccountKind::Children,
                11 => AccountKind::Dumps,
                12 => AccountKind::DumpCodes,
                _ => {
                    shrink(&mut w, step, task, number);
                    w.manage(|resources, _| resources.check_accounts());
                    continue;
                }
            };
            if kind == AccountKind::EnqueueNames {
                // No task waits for another one here.
                grow(&mut w, kind, task, 10 * task + number);
            } else {
                grow(&mut w, kind, task, number);
            }
            w.manage(|resources, _| resources.check_accounts());
        }
    }
}

/// Takes something away.
fn shrink(w: &mut KernelFixture, step: u8, task: u32, number: u32) {
    let (row, operands) = match step {
        6 => {
            let asked =
                CommandOperands::default().bytes(deleteq_ts::QUEUE, format!("QUEUE{number:03}"));
            (deleteq_ts::NUMBER, asked)
        }
        7 => {
            let name = format!("NAME{}", 10 * task + number);
            let asked = CommandOperands::new(1 << deq::LENGTH)
                .int(deq::LENGTH, name.len() as i64)
                .bytes(deq::RESOURCE, name);
            (deq::NUMBER, asked)
        }
        13 => {
            let counter = format!("{:16}", format!("C{number}"));
            let asked = CommandOperands::default().bytes(delete_counter::COUNTER, counter);
            (delete_counter::NUMBER, asked)
        }
        14 => return use_child(w, task, number),
        _ if number == 1 => return w.end(task, true),
        _ => (retrieve::NUMBER, CommandOperands::default()),
    };
    let _ = w.command(task, row, &operands);
}

/// A child ends with a channel; its parent fetches that, and may free the child.
fn use_child(w: &mut KernelFixture, task: u32, number: u32) {
    let Some(child) = w.started.pop() else {
        return;
    };
    let channel = ChannelData {
        name: link::Name::from_bytes(*b"RESULT          "),
        containers: vec![ContainerData {
            name: link::Name::from_bytes(*b"DATA            "),
            kind: ContainerType::Bit,
            ccsid: 0,
            bytes: vec![7; number as usize],
        }],
    };
    w.start_ended(child.id, &StartEnd::Ran(None, Some(channel)));
    w.manage(|resources, _| resources.check_accounts());
    let asked = CommandOperands::new(1 << fetch_any::CHANNEL | 1 << fetch_any::NOSUSPEND);
    let fetched = w.command(task, fetch_any::NUMBER, &asked);
    w.manage(|resources, _| resources.check_accounts());
    let token = fetched.and_then(|f| f.operands.get_name::<16>(fetch_any::ANY));
    if let Some(token) = token.filter(|_| number > 2) {
        let asked = CommandOperands::default().bytes(free_child::CHILD, token);
        let _ = w.command(task, free_child::NUMBER, &asked);
    }
}

#[test]
fn a_task_is_refused_at_its_own_limit_and_others_at_the_regions() {
    let mut account = GrowthAccount::default();
    account.set_limit(AccountLimit {
        task: CountAndBytes {
            count: 2,
            bytes: 100,
        },
        region: CountAndBytes {
            count: 3,
            bytes: 1_000,
        },
    });
    let (one, other) = (TaskKey::for_test(1), TaskKey::for_test(2));
    let kind = AccountKind::Reports;
    assert!(account.check(kind, one, CountAndBytes::one(101)).is_err());
    for _ in 0..2 {
        account
            .check(kind, one, CountAndBytes::one(10))
            .expect("room");
        account.add(one, CountAndBytes::one(10));
    }
    assert!(account.check(kind, one, CountAndBytes::one(10)).is_err());
    account
        .check(kind, other, CountAndBytes::one(10))
        .expect("room");
    account.add(other, CountAndBytes::one(10));
    assert!(account.check(kind, other, CountAndBytes::one(10)).is_err());
    // What a task leaves stays in the region's sum until it is removed.
    account.task_ended(one);
    assert!(account.check(kind, other, CountAndBytes::one(10)).is_err());
    account.remove(one, CountAndBytes::one(10));
    account
        .check(kind, other, CountAndBytes::one(10))
        .expect("room");
    assert_eq!(account.sum().count, 2);
}

#[test]
fn every_account_has_a_name_of_its_own_and_a_row() {
    let resources = Resources::default();
    let kinds: Vec<_> = resources.accounts().iter().map(|s| s.kind).collect();
    assert_eq!(kinds, AccountKind::ALL);
    for (at, row) in ACCOUNTS.iter().enumerate() {
        assert!(ACCOUNTS[..at].iter().all(|other| other.name != row.name));
    }
}

#[test]
fn what_a_service_reports_counts_until_the_task_ends() {
    let kind = AccountKind::Documents;
    let mut w = world(kind, FEW);
    let key = TaskKey::for_test(1);
    let documents = |count| CountAndBytes {
        count,
        bytes: 100 * count,
    };
    // Commands of the task make it known to the kernel.
    grow(&mut w, AccountKind::Counters, 1, 1);
    let mut report = |count| {
        let reported = documents(count);
        w.manage(|resources, _| resources.outside.set_documents(key, reported))
    };
    assert!(report(2).is_ok());
    assert!(report(3).is_err());
    assert!(report(1).is_ok());
    let sums = w.manage(|resources, _| resources.account(kind));
    assert_eq!(sums.region, documents(1));
    w.end(1, true);
    let sums = w.manage(|resources, _| resources.account(kind));
    assert_eq!(
        (sums.region, sums.tasks.len()),
        (CountAndBytes::default(), 0)
    );
}

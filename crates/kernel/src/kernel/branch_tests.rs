//! A random history of units with queues and protected STARTs, some of which are prepared,
//! over restarts: the committed state is that of a model.

use std::collections::{BTreeMap, VecDeque};

use cics::command::commands::{readq_td, readq_ts, start, writeq_td, writeq_ts};
use cics::resp::Condition;
use link::{CommandOperands, Name, TransId};
use proptest::prelude::*;

use crate::resources::world::KernelFixture;
use crate::types::{
    KernelConfig, QueueDefinitions, RegionDefinitions, TdKind, TdQueueDef, TdRecovery,
    TransactionDef, TsModelDef,
};

fn config() -> KernelConfig {
    let queues = QueueDefinitions {
        models: vec![TsModelDef {
            prefix: b"R".to_vec(),
            recoverable: true,
            ..TsModelDef::default()
        }],
        transient: vec![TdQueueDef {
            name: Name::from_bytes(*b"QUEU"),
            kind: TdKind::Intrapartition {
                recovery: TdRecovery::Logical,
                trigger: None,
            },
            enabled: true,
        }],
        ..QueueDefinitions::default()
    };
    KernelConfig {
        temporary_storage_bytes: 1 << 20,
        transient_data_bytes: 1 << 20,
        definitions: RegionDefinitions {
            queues,
            transactions: vec![TransactionDef {
                name: TransId::from_bytes(*b"TRNA"),
                ..TransactionDef::default()
            }],
            ..RegionDefinitions::default()
        },
        ..KernelConfig::default()
    }
}

/// What a unit does when it is committed.
#[derive(Debug, Default)]
struct UnitChanges {
    items: Vec<u32>,
    written: VecDeque<u32>,
    taken: usize,
    starts: usize,
}

impl UnitChanges {
    fn is_empty(&self) -> bool {
        // A record that it wrote and took leaves changes.
        self.items.is_empty() && self.written.is_empty() && self.taken == 0 && self.starts == 0
    }
}

#[derive(Debug, Default)]
struct BranchModel {
    items: Vec<u32>,
    records: VecDeque<u32>,
    started: usize,
}

impl BranchModel {
    fn commit(&mut self, unit: UnitChanges) {
        self.items.extend(unit.items);
        self.records.drain(..unit.taken);
        self.records.extend(unit.written);
        self.started += unit.starts;
    }
}

struct BranchHistory {
    w: KernelFixture,
    model: BranchModel,
    units: BTreeMap<u32, UnitChanges>,
    branches: BTreeMap<u32, UnitChanges>,
    last: u32,
    begun: usize,
}

impl BranchHistory {
    /// Runs a command. Returns `None` if it would wait.
    fn command(&mut self, task: u32, number: u16, operands: &CommandOperands) -> Option<Vec<u8>> {
        let Some(answer) = self.w.command(task, number, operands) else {
            assert!(self.w.purge(task));
            self.w.answers();
            return None;
        };
        match answer.condition {
            Condition::QZero => None,
            condition => {
                assert_eq!((condition, answer.abend.as_str()), (Condition::Normal, ""));
                let record = answer.operands.get_bytes(readq_td::INTO);
                Some(record.unwrap_or_default().to_vec())
            }
        }
    }

    fn step(&mut self, what: u8, task: u32) {
        self.last += 1;
        let number = self.last;
        let text = number.to_be_bytes();
        match what {
            0 => {
                let operands = CommandOperands::new(1 << writeq_ts::QUEUE)
                    .bytes(writeq_ts::QUEUE, "RQUEUE")
                    .bytes(writeq_ts::FROM, text);
                if self.command(task, writeq_ts::NUMBER, &operands).is_some() {
                    self.units.entry(task).or_default().items.push(number);
                }
            }
            1 | 2 => {
                let operands = CommandOperands::default()
                    .bytes(writeq_td::QUEUE, "QUEU")
                    .bytes(writeq_td::FROM, text);
                if self.command(task, writeq_td::NUMBER, &operands).is_some() {
                    let unit = self.units.entry(task).or_default();
                    unit.written.push_back(number);
                }
            }
            3 => {
                let operands = CommandOperands::default().bytes(readq_td::QUEUE, "QUEU");
                if let Some(record) = self.command(task, readq_td::NUMBER, &operands) {
                    let unit = self.units.entry(task).or_default();
                    let expected = match self.model.records.get(unit.taken) {
                        Some(record) => {
                            unit.taken += 1;
                            *record
                        }
                        None => unit.written.pop_front().expect("a record"),
                    };
                    assert_eq!(record, expected.to_be_bytes());
                }
            }
            4 => {
                let operands = CommandOperands::new(1 << start::TRANSID | 1 << start::PROTECT)
                    .bytes(start::TRANSID, "TRNA");
                if self.command(task, start::NUMBER, &operands).is_some() {
                    self.units.entry(task).or_default().starts += 1;
                }
            }
            5 => self.end(task, true),
            6 => self.end(task, false),
            7 | 8 => {
                self.w.prepare(task, &number.to_string());
                let answers = self.w.answers();
                assert_eq!(answers, [(task, "NORMAL".to_owned())]);
                self.w.end(task, true);
                let unit = self.units.remove(&task).unwrap_or_default();
                let prepared = self.w.kernel.prepared().count();
                assert!(unit.is_empty() || prepared == self.branches.len() + 1);
                if prepared > self.branches.len() {
                    self.branches.insert(number, unit);
                }
            }
            9 | 10 => {
                let branch = self.branches.keys().next().copied();
                if let Some(branch) = branch {
                    self.settle(branch, what == 9);
                }
            }
            _ => self.restart(),
        }
        self.run_started();
    }

    fn end(&mut self, task: u32, commit: bool) {
        self.w.end(task, commit);
        let unit = self.units.remove(&task).unwrap_or_default();
        if commit {
            self.model.commit(unit);
        }
    }

    fn settle(&mut self, branch: u32, commit: bool) {
        self.w.settle(&branch.to_string(), commit);
        assert_eq!(self.w.settled.pop(), Some((branch.to_string(), true)));
        let unit = self.branches.remove(&branch).expect("a branch");
        if commit {
            self.model.commit(unit);
        }
    }

    fn restart(&mut self) {
        let w = std::mem::replace(&mut self.w, KernelFixture::without_store());
        self.w = w.restart();
        self.units.clear();
        assert_eq!(self.w.kernel.prepared().count(), self.branches.len());
    }

    /// Started tasks run to their end.
    fn run_started(&mut self) {
        for start in std::mem::take(&mut self.w.started) {
            self.begun += 1;
            self.w.starts.insert(90, start.id);
            assert!(self.w.syncpoint(90).is_some());
            self.w.end(90, true);
            self.w.start_over(start.id);
        }
        assert_eq!(self.begun, self.model.started);
    }

    /// Compares the committed state, as a task reads it, with the model.
    fn look(&mut self) {
        for (at, item) in self.model.items.iter().enumerate() {
            let operands = CommandOperands::new(1 << readq_ts::QUEUE)
                .bytes(readq_ts::QUEUE, "RQUEUE")
                .int(readq_ts::ITEM, at as i64 + 1);
            let answer = self.w.command(80, readq_ts::NUMBER, &operands);
            let answer = answer.expect("an answer");
            assert_eq!(
                answer.operands.get_bytes(readq_ts::INTO),
                Some(&item.to_be_bytes()[..])
            );
            let count = answer.operands.get_int(readq_ts::NUMITEMS);
            assert_eq!(count, Some(self.model.items.len() as i64));
        }
        let operands = CommandOperands::default().bytes(readq_td::QUEUE, "QUEU");
        for record in self.model.records.clone() {
            let answer = self.command(80, readq_td::NUMBER, &operands);
            assert_eq!(answer, Some(record.to_be_bytes().to_vec()));
        }
        assert_eq!(self.command(80, readq_td::NUMBER, &operands), None);
        self.w.end(80, false);
    }
}

proptest! {
    #[test]
    fn queues_and_starts_of_prepared_units_are_those_of_a_model(
        steps in prop::collection::vec((0..12_u8, 1..5_u32), 0..80),
    ) {
        let mut history = BranchHistory {
            w: KernelFixture::new(config()),
            model: BranchModel::default(),
            units: BTreeMap::new(),
            branches: BTreeMap::new(),
            last: 0,
            begun: 0,
        };
        for (what, task) in steps {
            history.step(what, task);
        }
        for branch in history.branches.keys().copied().collect::<Vec<_>>() {
            history.settle(branch, branch % 2 == 0);
            history.run_started();
        }
        for task in 1..5 {
            history.end(task, false);
        }
        history.look();
        let resources = &history.w.kernel.resources;
        prop_assert!(resources.temporary_storage.is_idle() && resources.transient_data.is_idle());
        prop_assert!(resources.interval.is_idle());
        prop_assert_eq!(history.w.kernel.locks().each().count(), 0);
        let bytes = |h: &BranchHistory| {
            let mut statistics = crate::types::RegionStatistics::default();
            h.w.kernel.resources.count(&mut statistics);
            (statistics.ts_bytes, statistics.ts_items, statistics.td_bytes, statistics.td_items)
        };
        let before = bytes(&history);
        history.restart();
        history.run_started();
        history.look();
        prop_assert_eq!(bytes(&history), before);
    }
}

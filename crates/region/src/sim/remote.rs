//! A participant beside the store that refuses, vanishes and comes back.
//!
//! What it has prepared outlives its absence and the region's; what is only
//! pending does not. Orders that reach it while it is away are lost, and so
//! are answers.

use std::collections::BTreeMap;

use super::World;
use crate::core::TaskKey;
use crate::kernel::{Order, UnitId};

/// A participant beside the store.
#[derive(Debug, Default)]
pub struct Remote {
    /// Deposits of units that were committed, by the ledger's number.
    pub deposits: BTreeMap<u64, i64>,
    /// Units that are not over.
    pub branches: BTreeMap<UnitId, Branch>,
    /// Orders that wait for its answer.
    pub asked: Vec<(UnitId, Order)>,
    /// It cannot be reached.
    pub away: bool,
}

/// A unit of work of a participant.
#[derive(Debug, Clone, Copy)]
pub struct Branch {
    /// The ledger's number.
    pub unit: u64,
    /// What is deposited.
    pub amount: i64,
    /// How far it is.
    pub stage: Stage,
}

/// How far a participant's unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It can be changed, and is lost when the participant vanishes.
    Active,
    /// It vanished meanwhile: the unit cannot be committed any more.
    Broken,
    /// It waits for the decision.
    Prepared,
}

/// Its name.
const NAME: &str = "remote";

impl Remote {
    fn carry_out(&mut self, id: UnitId, order: Order) {
        match order {
            Order::Prepare => {
                if let Some(branch) = self.branches.get_mut(&id) {
                    branch.stage = Stage::Prepared;
                }
            }
            Order::Commit | Order::CommitOnePhase => {
                if let Some(branch) = self.branches.remove(&id) {
                    let ready = match order {
                        Order::Commit => Stage::Prepared,
                        _ => Stage::Active,
                    };
                    assert_eq!(branch.stage, ready, "unit {id}: {order:?}");
                    let before = self.deposits.insert(branch.unit, branch.amount);
                    assert!(before.is_none(), "deposit {} came twice", branch.unit);
                }
            }
            Order::BackOut => drop(self.branches.remove(&id)),
        }
    }

    /// What it has prepared and not heard of, and what it lost and may not
    /// have heard the end of.
    fn in_doubt(&self) -> Vec<UnitId> {
        let units = self.branches.iter();
        let units = units.filter(|(_, b)| b.stage != Stage::Active);
        units.map(|(id, _)| *id).collect()
    }
}

impl World {
    /// Deposits in a task's unit; false when that cannot be.
    pub(super) fn deposit(&mut self, key: TaskKey, unit: u64, amount: i64) -> bool {
        if self.remote.away {
            return false;
        }
        let id = self.kernel(|k, now, out| {
            let remote = k.participant(NAME);
            k.with(now, out, |_, cx| cx.join(key, remote))
        });
        let branch = self.remote.branches.entry(id).or_insert(Branch {
            unit,
            amount: 0,
            stage: Stage::Active,
        });
        branch.amount += amount;
        branch.stage == Stage::Active
    }

    pub(super) fn tell_remote(&mut self, id: UnitId, order: Order) {
        match order {
            Order::BackOut if self.remote.away => {}
            Order::BackOut => self.remote.carry_out(id, order),
            // Its answer comes later.
            _ => self.remote.asked.push((id, order)),
        }
    }

    /// The remote participant answers one of its orders; or the way to it says
    /// that it does not.
    pub(super) fn remote_answers(&mut self, calm: bool) {
        let Some((id, order)) = self.random.take(&mut self.remote.asked) else {
            return;
        };
        let branch = self.remote.branches.get(&id).map(|b| b.stage);
        let can = match order {
            Order::Prepare | Order::CommitOnePhase => branch == Some(Stage::Active),
            Order::Commit | Order::BackOut => true,
        };
        let reached = !self.remote.away;
        let willing = can && (calm || order == Order::Commit || !self.random.one_in(6));
        if reached && willing {
            self.remote.carry_out(id, order);
        } else if reached && order == Order::CommitOnePhase {
            self.remote.carry_out(id, Order::BackOut);
        }
        // Done, and its answer is lost.
        let lost = !calm && order != Order::CommitOnePhase && self.random.one_in(10);
        let yes = reached && willing && !lost;
        let remote = self.kernel.participant(NAME);
        self.kernel(|k, now, out| k.voted(now, id, remote, yes, out));
    }

    /// It vanishes, or comes back and asks for what it has in doubt.
    pub(super) fn remote_moves(&mut self, here: bool) {
        if !here {
            self.remote.away = true;
            self.report.vanished += 1;
            for branch in self.remote.branches.values_mut() {
                if branch.stage == Stage::Active {
                    branch.stage = Stage::Broken;
                }
            }
            return;
        }
        self.remote.away = false;
        let in_doubt = self.remote.in_doubt();
        self.report.in_doubt += in_doubt.len() as u64;
        let remote = self.kernel.participant(NAME);
        self.kernel(|k, now, out| k.in_doubt(now, remote, &in_doubt, out));
    }

    /// The region died: what was not prepared is backed out, what was under
    /// way reached the participant or did not.
    pub(super) fn region_left_remote(&mut self) {
        for (id, order) in std::mem::take(&mut self.remote.asked) {
            let stage = self.remote.branches.get(&id).map(|b| b.stage);
            let ready = match order {
                Order::Prepare | Order::CommitOnePhase => stage == Some(Stage::Active),
                Order::Commit | Order::BackOut => true,
            };
            if ready && !self.remote.away && self.random.one_in(2) {
                self.remote.carry_out(id, order);
            }
        }
        let prepared = |_: &UnitId, b: &mut Branch| b.stage == Stage::Prepared;
        self.remote.branches.retain(prepared);
        if !self.remote.away {
            self.remote_moves(true);
        }
    }
}

//! Two participants other than the store, which refuse, disconnect and return.
//!
//! Prepared changes of a participant outlive its disconnection and a restart of the region; pending
//! changes do not. Orders and replies are lost while the participant is disconnected.

use std::collections::BTreeMap;

use super::SimWorld;
use crate::core::TaskKey;
use crate::kernel::{Order, ParticipantId, UnitId};
use crate::resources::Kernel;

/// A participant other than the store.
#[derive(Debug, Default)]
pub struct SimParticipant {
    /// Deposits of units that were committed, by the ledger's number.
    pub deposits: BTreeMap<u64, i64>,
    /// Units in progress.
    pub branches: BTreeMap<UnitId, ParticipantUnit>,
    /// Orders without a reply yet.
    pub pending_orders: Vec<(UnitId, Order)>,
    /// The participant cannot be reached.
    pub away: bool,
}

/// A unit of work of a participant.
#[derive(Debug, Clone, Copy)]
pub struct ParticipantUnit {
    /// The ledger's number.
    pub unit: u64,
    /// The deposited amount.
    pub amount: i64,
    /// State of the unit.
    pub stage: ParticipantStage,
}

/// State of a participant's unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParticipantStage {
    /// The unit can be changed, and is lost when the participant disconnects.
    Active,
    /// The participant disconnected meanwhile: the unit cannot be committed any more.
    Broken,
    /// The unit waits for the decision.
    Prepared,
}

/// The names of the participants.
const NAMES: [&str; 2] = ["data base", "partner"];

impl SimParticipant {
    fn carry_out(&mut self, id: UnitId, order: Order) {
        match order {
            Order::Prepare => {
                if let Some(branch) = self.branches.get_mut(&id) {
                    branch.stage = ParticipantStage::Prepared;
                }
            }
            Order::Commit | Order::CommitOnePhase => {
                if let Some(branch) = self.branches.remove(&id) {
                    let ready = match order {
                        Order::Commit => ParticipantStage::Prepared,
                        _ => ParticipantStage::Active,
                    };
                    assert_eq!(branch.stage, ready, "unit {id}: {order:?}");
                    let before = self.deposits.insert(branch.unit, branch.amount);
                    assert!(before.is_none(), "deposit {} came twice", branch.unit);
                }
            }
            Order::BackOut => drop(self.branches.remove(&id)),
        }
    }

    /// The units that are prepared, and lost units whose outcome the participant may not know.
    fn in_doubt(&self) -> Vec<UnitId> {
        let units = self.branches.iter();
        let units = units.filter(|(_, b)| b.stage != ParticipantStage::Active);
        units.map(|(id, _)| *id).collect()
    }
}

impl SimWorld {
    /// Deposits in a task's unit; false when that cannot be.
    pub(super) fn deposit(&mut self, at: usize, key: TaskKey, unit: u64, amount: i64) -> bool {
        if self.remotes[at].away {
            return false;
        }
        let Some(caller) = self.core.task(key).map(|task| task.caller(key)) else {
            return false;
        };
        let id = self.kernel(|k, now, out| {
            let remote = k.participant(NAMES[at]);
            k.join(now, &caller, remote, out)
        });
        let branch = self.remotes[at]
            .branches
            .entry(id)
            .or_insert(ParticipantUnit {
                unit,
                amount: 0,
                stage: ParticipantStage::Active,
            });
        branch.amount += amount;
        branch.stage == ParticipantStage::Active
    }

    pub(super) fn order_remote(&mut self, id: UnitId, participant: ParticipantId, order: Order) {
        // Its number depends on who came first in this life of the region.
        let known = |kernel: &mut Kernel, at: usize| kernel.participant(NAMES[at]) == participant;
        let Some(at) = (0..NAMES.len()).find(|at| known(&mut self.kernel, *at)) else {
            return;
        };
        let remote = &mut self.remotes[at];
        match order {
            Order::BackOut if remote.away => {}
            Order::BackOut => remote.carry_out(id, order),
            // The reply comes later.
            _ => remote.pending_orders.push((id, order)),
        }
    }

    /// A remote participant replies to one of its orders, or the connection reports an error.
    pub(super) fn remote_answers(&mut self, at: usize, calm: bool) {
        let remote = &mut self.remotes[at];
        let Some((id, order)) = self.random.take(&mut remote.pending_orders) else {
            return;
        };
        let branch = remote.branches.get(&id).map(|b| b.stage);
        let can = match order {
            Order::Prepare | Order::CommitOnePhase => branch == Some(ParticipantStage::Active),
            Order::Commit | Order::BackOut => true,
        };
        let reached = !remote.away;
        let willing = can && (calm || order == Order::Commit || !self.random.one_in(6));
        if reached && willing {
            remote.carry_out(id, order);
        } else if reached && order == Order::CommitOnePhase {
            remote.carry_out(id, Order::BackOut);
        }
        // The order is executed, and the reply is lost.
        let lost = !calm && order != Order::CommitOnePhase && self.random.one_in(10);
        let yes = reached && willing && !lost;
        let participant = self.kernel.participant(NAMES[at]);
        self.kernel(|k, now, out| k.voted(now, id, participant, yes, out));
    }

    /// A participant disconnects, or returns and asks for the outcome of its units in doubt.
    pub(super) fn remote_moves(&mut self, at: usize, here: bool) {
        let remote = &mut self.remotes[at];
        remote.away = !here;
        if !here {
            self.report.vanished += 1;
            for branch in remote.branches.values_mut() {
                if branch.stage == ParticipantStage::Active {
                    branch.stage = ParticipantStage::Broken;
                }
            }
            return;
        }
        let in_doubt = remote.in_doubt();
        self.report.in_doubt += in_doubt.len() as u64;
        let participant = self.kernel.participant(NAMES[at]);
        self.kernel(|k, now, out| k.in_doubt(now, participant, &in_doubt, out));
    }

    /// The region died: units that were not prepared are backed out, and orders in transit
    /// arrive or not.
    pub(super) fn region_left_remotes(&mut self) {
        for at in 0..NAMES.len() {
            let remote = &mut self.remotes[at];
            for (id, order) in std::mem::take(&mut remote.pending_orders) {
                let stage = remote.branches.get(&id).map(|b| b.stage);
                let ready = match order {
                    Order::Prepare | Order::CommitOnePhase => {
                        stage == Some(ParticipantStage::Active)
                    }
                    Order::Commit | Order::BackOut => true,
                };
                if ready && !remote.away && self.random.one_in(2) {
                    remote.carry_out(id, order);
                }
            }
            let prepared =
                |_: &UnitId, b: &mut ParticipantUnit| b.stage == ParticipantStage::Prepared;
            remote.branches.retain(prepared);
        }
        // The participants return in any order.
        let first = self.random.below(2) as usize;
        for at in [first, 1 - first] {
            if !self.remotes[at].away {
                self.remote_moves(at, true);
            }
        }
    }
}

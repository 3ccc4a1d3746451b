//! The calibrated costs, found again from the published figures.
//!
//! Each calibrated cost has its own figure ([`MAINFRAME_TARGETS`],
//! [`MICRO_TARGETS`]), one of a published pair. A cost has a strong effect on its
//! own transaction and little on the others. So the costs are determined in
//! sequence, in rounds, until none changes. `sensitivity` repeats this for every
//! other choice.

use super::costs::CostItem;
use super::figures::{APPENDIX_A, micro_seconds};
use super::mainframe::Client;
use super::micro::{MachinePair, TransactionKind};
use super::model::NetworkModel;
use crate::ring::RingError;

/// One published time that a cost is calibrated on.
#[derive(Clone, Copy, Debug)]
pub struct PublishedTime {
    /// The cost.
    pub item: CostItem,
    /// The transaction.
    pub of: PublishedTransaction,
}

/// A transaction whose time is published.
#[derive(Clone, Copy, Debug)]
pub enum PublishedTransaction {
    /// Appendix A before tuning.
    Before(Client),
    /// Appendix A after tuning.
    After(Client),
    /// Appendix B, tuned.
    Tuned(MachinePair, TransactionKind),
}

/// The calibrated costs of Appendix A with their figures.
pub const MAINFRAME_TARGETS: &[PublishedTime] = &[
    PublishedTime {
        item: CostItem::NcpBuffer,
        of: PublishedTransaction::After(Client::Rs6000),
    },
    PublishedTime {
        item: CostItem::NcpPiu,
        of: PublishedTransaction::Before(Client::Os2),
    },
    PublishedTime {
        item: CostItem::DelayDefault,
        of: PublishedTransaction::Before(Client::Dos),
    },
];

/// The calibrated costs of Appendix B.
pub const MICRO_TARGETS: &[PublishedTime] = &[
    PublishedTime {
        item: CostItem::Os2Step,
        of: PublishedTransaction::Tuned(MachinePair::Turbo, TransactionKind::Inquiry),
    },
    PublishedTime {
        item: CostItem::Os2Copy,
        of: PublishedTransaction::Tuned(MachinePair::BusMaster, TransactionKind::File),
    },
    PublishedTime {
        item: CostItem::TurboByte,
        of: PublishedTransaction::Tuned(MachinePair::Turbo, TransactionKind::File),
    },
    PublishedTime {
        item: CostItem::DosStep,
        of: PublishedTransaction::Tuned(MachinePair::DosClient, TransactionKind::Inquiry),
    },
    PublishedTime {
        item: CostItem::DosCopy,
        of: PublishedTransaction::Tuned(MachinePair::DosServer, TransactionKind::File),
    },
];

impl PublishedTransaction {
    /// The published time, in seconds.
    pub fn published_s(self) -> f64 {
        let mainframe = |client| APPENDIX_A.iter().find(|row| row.0 == client);
        match self {
            PublishedTransaction::Before(client) => mainframe(client).map_or(0.0, |row| row.1),
            PublishedTransaction::After(client) => mainframe(client).map_or(0.0, |row| row.2),
            PublishedTransaction::Tuned(pair, kind) => micro_seconds(pair, kind),
        }
    }

    /// The last digit that was printed, in seconds.
    fn digit_s(self) -> f64 {
        match self {
            PublishedTransaction::Before(Client::Dos) => 1.0,
            PublishedTransaction::Before(Client::Os2) => 0.1,
            PublishedTransaction::Before(_) | PublishedTransaction::After(_) => 0.01,
            PublishedTransaction::Tuned(..) => 0.0001,
        }
    }

    /// The simulated time, in seconds.
    pub fn simulated_s(self, model: &NetworkModel) -> Result<f64, RingError> {
        match self {
            PublishedTransaction::Before(client) => {
                model.mainframe_s(client, &client.baseline(), MAINFRAME)
            }
            PublishedTransaction::After(client) => {
                model.mainframe_s(client, &client.tuned(), MAINFRAME)
            }
            PublishedTransaction::Tuned(pair, kind) => {
                let count = match kind {
                    TransactionKind::File => FILES,
                    TransactionKind::Inquiry => INQUIRIES,
                };
                model.micro_s(pair, kind, &pair.tuned(kind), count)
            }
        }
    }
}

/// A model whose costs of `targets` reproduce their figures; its other costs are
/// unchanged. Returns `None` if no cost above zero reproduces one.
pub fn calibrate(model: &NetworkModel, targets: &[PublishedTime]) -> Option<NetworkModel> {
    let mut model = model.clone();
    for _ in 0..MOST_ROUNDS {
        let before = model.costs.clone();
        for target in targets {
            let value = solve(&model, target)?;
            model.costs[target.item] = value;
        }
        let still = |t: &PublishedTime| {
            let (a, b) = (before[t.item] as f64, model.costs[t.item] as f64);
            (a - b).abs() <= STILL * b
        };
        if targets.iter().all(still) {
            break;
        }
    }
    Some(model)
}

/// The value of one cost that meets its figure, all others as they are: found
/// inside an interval, since a run's last digits are not smooth, to a quarter of
/// the last digit that the guide prints.
fn solve(model: &NetworkModel, target: &PublishedTime) -> Option<u64> {
    let published = target.of.published_s();
    let met = target.of.digit_s() / published / 4.0;
    let off = |value: f64| {
        let one = model.with_costs(model.costs.with(target.item, value as u64));
        let seconds = target.of.simulated_s(&one).ok()?;
        Some(seconds / published - 1.0)
    };
    let start = model.costs[target.item].max(1000) as f64;
    let first = off(start)?;
    if first.abs() <= met {
        return Some(start as u64);
    }
    let step = if first > 0.0 { 0.8 } else { 1.25 };
    let (mut a, mut off_a) = (start, first);
    let (mut b, mut off_b) = (start * step, off(start * step)?);
    while off_a.signum() == off_b.signum() {
        if !(1000.0..MOST_NS).contains(&b) {
            return None;
        }
        (a, off_a, b) = (b, off_b, b * step * step);
        off_b = off(b)?;
    }
    // False position; the end that stays put counts half (the Illinois rule).
    for _ in 0..MOST_STEPS {
        let middle = b - off_b * (b - a) / (off_b - off_a);
        let off_middle = off(middle)?;
        if off_middle.abs() <= met {
            return Some(middle as u64);
        }
        if off_middle.signum() == off_b.signum() {
            off_a /= 2.0;
        } else {
            (a, off_a) = (b, off_b);
        }
        (b, off_b) = (middle, off_middle);
    }
    Some(b as u64)
}

/// A cost that changes by less in a round has converged.
const STILL: f64 = 0.002;
const MOST_ROUNDS: usize = 6;
const MOST_STEPS: usize = 12;
/// No cost is a minute.
const MOST_NS: f64 = 60e9;
const MAINFRAME: usize = 20;
const FILES: usize = 50;
const INQUIRIES: usize = 200;

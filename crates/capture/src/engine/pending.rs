//! Claims that are not final while their connection lives: what a sender does
//! later may confirm a habit, or contradict it.
//!
//! The sums of such claims are kept a connection, by rule, sender and phase. When it
//! has ended each rule has its last word: the findings that are kept get the
//! confidence that all of the connection has earned, or everything is taken
//! back and the time is the phase's again.
//! Invariant: what was taken back leaves no trace in any sum.

use super::shard::Shard;
use super::worst::Rank;
use crate::rules::RULES;
use crate::{Confidence, Connection, Exchange, Phase, Side};

/// The sum of the claims of one rule on one sender in one phase.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub(super) rule: usize,
    pub(super) sender: Side,
    pub(super) phase: Phase,
    pub(super) count: u64,
    pub(super) cost_ns: i64,
    pub(super) stalled_ns: i64,
}

impl Pending {
    /// Adds `one` to the sum that it belongs to.
    pub(super) fn push(sums: &mut Vec<Pending>, one: Pending) {
        let same = |sum: &&mut Pending| {
            (sum.rule, sum.sender, sum.phase) == (one.rule, one.sender, one.phase)
        };
        match sums.iter_mut().find(same) {
            Some(sum) => {
                sum.count += one.count;
                sum.cost_ns = sum.cost_ns.saturating_add(one.cost_ns);
                sum.stalled_ns = sum.stalled_ns.saturating_add(one.stalled_ns);
            }
            None => sums.push(one),
        }
    }
}

impl Shard {
    /// Asks every rule with pending claims for its last word on a connection
    /// that has ended, `service` being its row.
    pub(super) fn settle_claims(
        &mut self,
        pending: &[Pending],
        connection: &mut Connection,
        service: usize,
    ) {
        let word = |rule: usize, sender| RULES[rule].last_word(connection, sender);
        let (kept, refuted): (Vec<Pending>, Vec<Pending>) =
            (pending.iter()).partition(|sum| word(sum.rule, sum.sender).is_some());
        for sum in &kept {
            if let Some(confidence) = word(sum.rule, sum.sender) {
                (self.ledger).grade(sum.rule, (connection, sum.sender), confidence);
            }
        }
        for sum in &refuted {
            self.take_back(sum, connection, service);
        }
    }

    fn take_back(&mut self, sum: &Pending, connection: &mut Connection, service: usize) {
        let ns = sum.stalled_ns;
        self.ledger.causes.take_back(sum);
        self.ledger
            .drop_pending(sum.rule, (connection.id, sum.sender));
        self.totals.stalled_ns -= ns;
        self.totals.phases.add(sum.phase, ns);
        connection.stalled_ns -= ns;
        let (row, causes) = self.services.row_mut(service);
        row.stalled_ns -= ns;
        row.phases.add(sum.phase, ns);
        causes.take_back(sum);
        let id = RULES[sum.rule].about().id;
        self.exchanges.revise(
            |exchange| exchange.connection == connection.id && take_out(exchange, id, sum),
            |exchange| {
                let own = (exchange.id, exchange.index);
                Rank::new(exchange.split.stalled_ns(), exchange.total_ns(), own)
            },
        );
    }
}

/// Gives the time of a refuted claim back to its phase in one exchange; whether
/// there was any.
fn take_out(exchange: &mut Exchange, rule: &'static str, sum: &Pending) -> bool {
    if exchange
        .sender(sum.phase)
        .is_some_and(|sender| sender != sum.sender)
    {
        return false;
    }
    let mut any = false;
    for gap in &mut exchange.gaps {
        if gap.rule == Some(rule) && gap.phase == sum.phase {
            if sum.phase != Phase::ClientThink {
                exchange.split.unstall(rule, gap.phase, gap.cost_ns);
            }
            (gap.rule, gap.cost_ns) = (None, 0);
            any = true;
        }
    }
    any
}

impl super::ledger::Ledger {
    /// The confidence of a sender's findings that all of its connection earned.
    fn grade(
        &mut self,
        rule: usize,
        (connection, sender): (&Connection, Side),
        confidence: Confidence,
    ) {
        self.findings[rule].revise(
            |finding| {
                let own =
                    finding.connection == Some(connection.id) && finding.pending == Some(sender);
                if own {
                    let denied = RULES[rule].is_denied(connection, sender, &finding.packets);
                    finding.confidence = match RULES[rule].last_word_lowers() {
                        _ if denied => Confidence::Low,
                        true => confidence.min(finding.confidence),
                        false => confidence,
                    };
                }
                own
            },
            |finding| {
                let id = (connection.id, finding.packets.last().copied().unwrap_or(0));
                Rank::new(finding.cost_ns, finding.confidence as i64, id)
            },
        );
    }

    fn drop_pending(&mut self, rule: usize, (connection, sender): (u64, Side)) {
        self.findings[rule].retain(|finding| {
            finding.connection != Some(connection) || finding.pending != Some(sender)
        });
    }
}

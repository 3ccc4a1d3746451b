//! What the rules found: sums by cause, and the worst findings of each.

use super::pending::Pending;
use super::worst::{Rank, Worst};
use crate::rules::{self, Quiet, RULES, Silence};
use crate::told::Between;
use crate::{Cause, Claim, Confidence, Connection, Finding, Gap, Options};

/// Sums by rule, in the order of [`RULES`].
#[derive(Clone, Debug)]
pub(super) struct Causes(Vec<Cause>);

impl Default for Causes {
    fn default() -> Causes {
        Causes(
            (RULES.iter())
                .map(|rule| Cause {
                    rule: rule.about().id,
                    count: 0,
                    cost_ns: 0,
                    stalled_ns: 0,
                })
                .collect(),
        )
    }
}

impl Causes {
    /// Counts one.
    pub(super) fn add(&mut self, rule: usize, cost_ns: i64, stalled_ns: i64) {
        let cause = &mut self.0[rule];
        cause.count += 1;
        cause.cost_ns = cause.cost_ns.saturating_add(cost_ns);
        cause.stalled_ns = cause.stalled_ns.saturating_add(stalled_ns);
    }

    /// Another exchange lost this time to a gap that was counted already.
    pub(super) fn wait_again(&mut self, rule: usize, stalled_ns: i64) {
        let cause = &mut self.0[rule];
        cause.stalled_ns = cause.stalled_ns.saturating_add(stalled_ns);
    }

    /// Takes claims out of the sums that were refuted.
    pub(super) fn take_back(&mut self, sum: &Pending) {
        let cause = &mut self.0[sum.rule];
        cause.count -= sum.count;
        cause.cost_ns -= sum.cost_ns;
        cause.stalled_ns -= sum.stalled_ns;
    }

    /// Adds the sums of `other`.
    pub(super) fn merge(&mut self, other: &Causes) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            mine.count += theirs.count;
            mine.cost_ns = mine.cost_ns.saturating_add(theirs.cost_ns);
            mine.stalled_ns = mine.stalled_ns.saturating_add(theirs.stalled_ns);
        }
    }

    /// The causes that were found, costliest first.
    pub(super) fn found(&self) -> Vec<Cause> {
        let mut found: Vec<Cause> = (self.0.iter())
            .filter(|cause| cause.count > 0)
            .copied()
            .collect();
        found.sort_by_key(|cause| std::cmp::Reverse((cause.cost_ns, cause.count)));
        found
    }
}

fn between(connection: &Connection) -> Between {
    let (client, server) = (&connection.client, &connection.server);
    Between(client.address, server.address, server.port)
}

/// Sums and findings.
#[derive(Debug)]
pub(super) struct Ledger {
    pub(super) causes: Causes,
    pub(super) findings: Vec<Worst<Finding>>,
    /// By reason, in the order of [`Quiet::ALL`].
    pub(super) silences: [Silence; Quiet::ALL.len()],
}

impl Ledger {
    /// Empty.
    pub(super) fn new(options: &Options) -> Ledger {
        Ledger {
            causes: Causes::default(),
            findings: (RULES.iter())
                .map(|_| Worst::new(options.keep_findings))
                .collect(),
            silences: Quiet::ALL.map(Silence::new),
        }
    }

    /// Notes a gap of which nothing was said.
    pub(super) fn silent(&mut self, gap: &Gap<'_>) {
        if let Some(why) = Quiet::of(gap) {
            self.silences[why as usize].merge(&Silence {
                why,
                count: 1,
                total_ns: gap.length_ns(),
                packet: gap.after().packet,
                longest_ns: gap.length_ns(),
            });
        }
    }

    /// Enters a claim on a gap; its sentence is made only if it is kept.
    pub(super) fn claim(&mut self, rule: usize, gap: &Gap<'_>, claim: &Claim, stalled_ns: i64) {
        self.causes.add(rule, claim.cost_ns, stalled_ns);
        let id = (gap.connection.id, gap.after().packet);
        let rank = Rank::new(claim.cost_ns, claim.confidence as i64, id);
        if !self.findings[rule].qualifies(rank) {
            return;
        }
        let finding = Finding {
            pending: claim.pending,
            between: Some(between(gap.connection)),
            rule: RULES[rule].about().id,
            connection: Some(gap.connection.id),
            exchange: Some(gap.exchange.id),
            at_ns: gap.before().time_ns,
            cost_ns: claim.cost_ns,
            confidence: as_alone(gap.connection, claim.confidence),
            packets: claim.evidence.packets().to_vec(),
            text: RULES[rule].sentence(gap, claim),
        };
        self.findings[rule].insert(rank, Box::new(finding));
    }

    /// Enters what the rule at `rule` found without a gap, also in the sums
    /// of the service it concerns; `of` is the connection and its service.
    pub(super) fn enter(
        &mut self,
        rule: usize,
        findings: &mut Vec<Finding>,
        mut of: Option<(&Connection, &mut Causes)>,
    ) {
        for mut finding in findings.drain(..) {
            self.causes.add(rule, finding.cost_ns, 0);
            if let Some((connection, service)) = &mut of {
                finding.between = Some(between(connection));
                finding.confidence = as_alone(connection, finding.confidence);
                service.add(rule, finding.cost_ns, 0);
            }
            let id = (
                finding.connection.unwrap_or(0),
                finding.exchange.unwrap_or(0),
            );
            let rank = Rank::new(finding.cost_ns, finding.confidence as i64, id);
            self.findings[rule].insert(rank, Box::new(finding));
        }
    }

    /// Takes everything of `other`.
    pub(super) fn merge(&mut self, other: Ledger) {
        self.causes.merge(&other.causes);
        for (mine, theirs) in self.silences.iter_mut().zip(&other.silences) {
            mine.merge(theirs);
        }
        for (mine, theirs) in self.findings.iter_mut().zip(other.findings) {
            mine.merge(theirs);
        }
    }

    /// All findings kept, costliest first; `as_met`: no surer than captures of strangers allow.
    pub(super) fn into_findings(self, as_met: bool) -> Vec<Finding> {
        let mut all: Vec<Finding> = (self.findings.into_iter())
            .flat_map(Worst::into_items)
            .collect();
        for finding in all.iter_mut().filter(|_| as_met) {
            // Only now: among rules that explain one gap the surest has the word.
            finding.confidence = rules::as_met(finding.rule, finding.confidence);
        }
        // Stable: equals keep the order of the rules.
        all.sort_by_key(|finding| std::cmp::Reverse(finding.cost_ns));
        all
    }
}

/// No surer than one of several subflows lets anybody be.
fn as_alone(connection: &Connection, confidence: Confidence) -> Confidence {
    match connection.is_subflow() {
        true => confidence.min(Confidence::Medium),
        false => confidence,
    }
}

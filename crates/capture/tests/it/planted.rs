//! Every rule's capture: the planted cause is found, no other is claimed, and
//! the decomposition adds up.

use std::collections::BTreeSet;

use capture::synth::{PLANTED, Planted};
use capture::{Explanation, Options, Phase, explain};

fn explained(planted: &Planted) -> Explanation {
    let file = (planted.make)();
    explain(file.as_slice(), &Options::default()).expect("a made capture can be read")
}

/// Causes named, without those that name a time that is nobody's fault.
fn named(explanation: &Explanation) -> BTreeSet<&'static str> {
    let natural = ["server.think", "client.think"];
    let causes = explanation.causes.iter().map(|c| c.rule);
    causes.filter(|c| !natural.contains(c)).collect()
}

#[test]
fn the_planted_cause_is_found_and_none_other_is_claimed() {
    let mut wrong = Vec::new();
    for planted in PLANTED {
        let explanation = explained(planted);
        let names = named(&explanation);
        let found = explanation.causes.iter().any(|c| c.rule == planted.cause);
        let others: Vec<_> = names
            .iter()
            .filter(|n| **n != planted.cause && !planted.brings.contains(n))
            .collect();
        if !found || !others.is_empty() {
            wrong.push(format!(
                "{}: found {found}, others {others:?}",
                planted.cause
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_capture() {
    let rules: BTreeSet<_> = capture::rules::RULES.iter().map(|r| r.about().id).collect();
    let planted: BTreeSet<_> = PLANTED.iter().map(|p| p.cause).collect();
    assert_eq!(rules, planted);
}

#[test]
fn phases_and_stalls_add_up_in_every_exchange() {
    for planted in PLANTED {
        let explanation = explained(planted);
        for exchange in &explanation.exchanges {
            // Between the handshake and the first request the client thinks.
            let think = match exchange.index {
                0 => exchange.split.phases.of(Phase::ClientThink),
                _ => 0,
            };
            assert_eq!(
                exchange.total_ns(),
                exchange.end_ns - exchange.start_ns - think,
                "{}: exchange {}",
                planted.cause,
                exchange.id
            );
            let phases = exchange.split.phases.0;
            assert!(
                phases.iter().all(|ns| *ns >= 0),
                "{}: {phases:?}",
                planted.cause
            );
        }
        let stalled: i64 = explanation.causes.iter().map(|c| c.stalled_ns).sum();
        assert_eq!(stalled, explanation.totals.stalled_ns, "{}", planted.cause);
    }
}

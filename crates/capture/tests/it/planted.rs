//! Every rule's capture: the planted cause is found, no other is claimed, and
//! the decomposition adds up.

use std::collections::BTreeSet;

use capture::synth::{PLANTED, Place, Planted, View};
use capture::{Explanation, Options, Phase, explain};

fn explained(planted: &Planted) -> Explanation {
    let file = planted.capture();
    explain(file.as_slice(), &Options::default()).expect("a made capture can be read")
}

/// Causes named, without those that name a time that is nobody's fault.
fn named(explanation: &Explanation) -> BTreeSet<&'static str> {
    let causes = explanation.causes.iter().map(|c| c.rule);
    causes.filter(|c| !capture::rules::is_own_time(c)).collect()
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

/// What else may be seen of a fixture from elsewhere, and what can not.
struct Seen {
    cause: &'static str,
    /// Places at which the cause leaves no sign; its rule's limits say so.
    hidden: &'static [Place],
    /// Causes named there besides, for what is seen only there.
    others: &'static [&'static str],
}

const SEEN: &[Seen] = &[
    // The first copy is lost before the server: only a late segment is seen.
    Seen {
        cause: "tcp.rto",
        hidden: &[Place::Server],
        others: &[],
    },
    Seen {
        cause: "tcp.syn.lost",
        hidden: &[Place::Server],
        others: &[],
    },
    Seen {
        cause: "tcp.reordering",
        hidden: &[Place::Server],
        others: &[],
    },
    // The copy comes first there, and then what it repeats: a pause before, and
    // nobody waits behind it.
    Seen {
        cause: "tcp.retransmit.spurious",
        hidden: &[Place::Server],
        others: &[],
    },
    // Behind the hop the large packets are missing; the end of the message
    // comes, and comes again in smaller pieces.
    Seen {
        cause: "tcp.pmtu.black-hole",
        hidden: &[Place::Server],
        others: &["tcp.rto"],
    },
];

#[test]
fn the_cause_is_found_at_both_ends_and_in_segments_of_any_size() {
    let mut wrong = Vec::new();
    for planted in PLANTED {
        let exception = SEEN.iter().find(|seen| seen.cause == planted.cause);
        for place in [Place::Client, Place::Server] {
            for offload_segments in [1, 4, 44] {
                let view = View {
                    place: Some(place),
                    offload_segments: Some(offload_segments),
                };
                let file = planted.seen(&view);
                let explanation = explain(file.as_slice(), &Options::default()).unwrap();
                let found = explanation.causes.iter().any(|c| c.rule == planted.cause);
                let hidden = exception.is_some_and(|seen| seen.hidden.contains(&place));
                let others: Vec<_> = (named(&explanation).into_iter())
                    .filter(|name| *name != planted.cause && !planted.brings.contains(name))
                    .filter(|name| !exception.is_some_and(|seen| seen.others.contains(name)))
                    .collect();
                if found == hidden || !others.is_empty() {
                    wrong.push(format!(
                        "{} at {place:?}, {offload_segments} segments: found {found}, others {others:?}",
                        planted.cause
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

//! Many round trips in sequence: the application asks repeatedly.
//!
//! No single wait shows it. The round trips of all turns are summed up first;
//! where there are many turns and the path itself is not slow, the sum belongs
//! to the number of turns.

use super::{EvidenceDetector, EvidenceKind};
use crate::verdict::{SliceDescription, SliceFacts, ms};

pub(super) struct ChattyApplication;

impl EvidenceDetector for ChattyApplication {
    fn kind(&self) -> EvidenceKind {
        EvidenceKind::Chatty
    }

    fn describe(&self, facts: &SliceFacts<'_>) -> SliceDescription {
        let turns = facts.context.round_trips;
        let rtt = ms(facts.context.rtt_ns);
        let connections = facts.context.connections;
        let opened = connections * 3 >= facts.context.exchanges && connections > 3;
        let remedy = if opened {
            "keep connections open and use them again (pool, keep-alive): each new one costs its \
             own round trips; resume TLS sessions"
        } else {
            "ask for more at once: batch or join the queries, pipeline the requests, or run them in \
             parallel; a stored procedure or a proxy next to the server saves the round trips"
        };
        SliceDescription {
            sentence: format!(
                "{turns} round trips of {rtt} ms in sequence took {} of {} ms.",
                ms(facts.lost_ns),
                ms(facts.total_ns)
            ),
            seen: format!(
                "{} requests on {connections} connections, {turns} round trips{}",
                facts.context.exchanges,
                facts.at_packets()
            ),
            alternatives: "A server that is as slow as one round trip each time would look the \
                           same from far away; the handshake's round trip, which no program \
                           delays, is as long."
                .to_owned(),
            remedy: Some(remedy.to_owned()),
        }
    }
}

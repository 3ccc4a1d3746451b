//! A name was looked up: DNS and mDNS over UDP, DNS over TCP and TLS.
//!
//! Lookups over UDP are followed by `lookups` apart from the connections. Waits on
//! connections to a resolver's port are lookups as a whole.
//! Reference: RFC 1035, RFC 6762, RFC 7858.

use super::{DelayOwner, EvidenceDetector, EvidenceKind, ExchangeWait, Reason, WaitClaim};
use crate::ExchangePhase;
use crate::verdict::{SliceDescription, SliceFacts, ms};

pub(super) struct NameLookup;

impl EvidenceDetector for NameLookup {
    fn kind(&self) -> EvidenceKind {
        EvidenceKind::NameLookup
    }

    fn claim(&self, wait: &ExchangeWait<'_>) -> Option<WaitClaim> {
        let port = wait.connection.server.port;
        if !matches!(port, 53 | 853) || wait.phase == ExchangePhase::ClientThink {
            return None;
        }
        let reason = if wait.after.is_some() {
            Reason::LookupSlow
        } else {
            Reason::LookupUnanswered
        };
        Some(WaitClaim::whole(wait, reason, DelayOwner::Server))
    }

    fn describe(&self, facts: &SliceFacts<'_>) -> SliceDescription {
        let name = facts.context.lookup_name();
        let what = match facts.reason {
            Reason::LookupRetried => "a query was not answered and had to be sent again",
            Reason::LookupUnanswered => "no answer came",
            Reason::LookupFailed => "the resolver answered with an error",
            _ => "the resolver took its time",
        };
        SliceDescription {
            sentence: format!(
                "The name lookup{name} took {} of {} ms: {what}.",
                ms(facts.lost_ns),
                ms(facts.total_ns)
            ),
            seen: format!("{}{}", facts.reason_list(), facts.at_packets()),
            alternatives: "A lost query, a lost answer and a resolver that is down look the same; \
                           ask it directly several times (`dig @server name`)."
                .to_owned(),
            remedy: Some(facts.advice(
                "correct the resolver list (resolv.conf: order, `options timeout:1 attempts:2`), or \
                 repair the resolver that does not answer; cache names near the client",
                "correct TCPIP.DATA: NSINTERADDR order, RESOLVERTIMEOUT and RESOLVERUDPRETRIES; let \
                 the system resolver cache",
            )),
        }
    }
}

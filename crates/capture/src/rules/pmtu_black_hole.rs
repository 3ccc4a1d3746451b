//! Large packets vanish, small ones arrive: a hop with a smaller MTU whose
//! message about it never reaches the sender.

use super::ack_delayed::side;
use super::rto::{is_beside, is_refused};
use super::{About, Claim, Confidence, Evidence, Gap, Rule};
use crate::{Flags, Marks, Segment};

/// Claims timeouts of a full segment that only a smaller one ended.
pub struct PmtuBlackHole;

static ABOUT: About = About {
    id: "tcp.pmtu.black-hole",
    title: "large packets vanish on the path (Path MTU discovery fails)",
    linux: "let ICMP \"fragmentation needed\" (type 3 code 4; ICMPv6 type 2) pass; else \
            net.ipv4.tcp_mtu_probing = 1, or clamp the MSS (`ip route … advmss`, TCPMSS)",
    zos: "let ICMP pass; else lower the MTU of the ROUTE (BEGINROUTES), or NOPATHMTUDISCOVERY on \
          IPCONFIG",
    limits: "Needs a full segment sent three times or more without an answer while shorter ones \
             were answered, the peer still talks, and none of that size passed before; the same \
             bytes then pass in smaller segments (nothing is told where those vanish too), or were never sent so (a filter of contents looks the same). Never more than medium: a path that was gone for a while looked like it. Taken behind the hop, the large packets are not in the \
             capture.",
    literature: "RFC 2923, RFC 4821 and 8899; Medina, Allman and Floyd 2005",
};

impl Rule for PmtuBlackHole {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        let after = gap.after();
        if !after.marks.any(Marks::RESENT) || after.len == 0 || after.flags.has(Flags::SYN) {
            return None;
        }
        let copies = || {
            gap.timeline
                .iter()
                .filter(|s| s.from == after.from && s.len > 0 && s.seq == after.seq)
        };
        let largest = copies().map(|s| s.len).max()?;
        let tries = copies().filter(|s| s.len == largest).count();
        let segment_bytes = gap.connection.segment_bytes(after.from);
        let passed_before = gap.connection.end(after.from).passed_bytes;
        if passed_before >= largest.min(segment_bytes) || !gap.has_same_bytes(after) {
            return None;
        }
        let arrived = is_beside(gap, after.from.other()) || is_refused(gap, after);
        if gap.connection.is_loopback() || arrived {
            // What is captured beside the receiver has passed the path.
            return None;
        }
        if tries < 3 || largest < LARGE || answered(gap, after, largest) {
            return None;
        }
        let since = copies().map(|s| s.packet).min()?;
        let heard = (gap.earlier().iter())
            .any(|s| s.from != after.from && s.packet > since && s.flags.has(Flags::ACK));
        // A shorter one before them is what the sender wrote first.
        let large = copies().find(|s| s.len == largest)?;
        let smaller = copies().find(|s| s.len < largest && s.packet > large.packet);
        let mut claim = Claim::whole(gap, Confidence::High);
        claim.evidence = Evidence::default();
        for copy in copies().take(3) {
            claim.evidence.push(copy.packet);
        }
        if smaller.is_none() && (!heard || passed(gap, after)) {
            // Nothing comes back at all, so the path or the peer is gone; or the
            // last copy, as large as the others, arrived.
            return None;
        }
        match smaller {
            // What vanishes whatever its size, or comes through though it is large, vanished
            // for another reason.
            Some(smaller) if !arrived_as_such(gap, smaller, largest) => return None,
            Some(smaller) => claim.evidence.push(smaller.packet),
            // A filter that looks at content looks the same.
            None => claim.confidence = Confidence::Medium,
        }
        Some(claim)
    }

    fn sentence(&self, gap: &Gap<'_>, claim: &Claim) -> String {
        format!(
            "{:.1} ms: segments of this size from the {} are never answered, shorter ones are",
            claim.cost_ns as f64 / 1e6,
            side(gap.after().from)
        )
    }
}

/// Whether a segment as long as the lost one was acknowledged before it.
fn answered(gap: &Gap<'_>, lost: &Segment, bytes: u32) -> bool {
    gap.timeline.iter().any(|s| {
        s.from == lost.from
            && s.len >= bytes
            && s.seq != lost.seq
            && lost.seq.wrapping_sub(s.end_seq()) < 1 << 31
    })
}

/// Whether the lost bytes were acknowledged in the end.
fn passed(gap: &Gap<'_>, lost: &Segment) -> bool {
    gap.later().iter().any(|s| {
        s.from != lost.from
            && s.flags.has(Flags::ACK)
            && s.ack.wrapping_sub(lost.seq).wrapping_sub(1) < 1 << 31
    })
}

/// Whether this segment's bytes were acknowledged behind it, before they were sent in one of
/// the larger size again.
fn arrived_as_such(gap: &Gap<'_>, small: &Segment, largest: u32) -> bool {
    let mut behind = gap.timeline.iter().filter(|s| s.packet > small.packet);
    let next = behind.find(|s| match s.from == small.from {
        true => s.seq == small.seq && s.len >= largest,
        false => s.flags.has(Flags::ACK) && s.ack.wrapping_sub(small.end_seq()) < 1 << 31,
    });
    next.is_some_and(|s| s.from != small.from)
}

/// Smaller segments pass every path there is.
const LARGE: u32 = 1000;

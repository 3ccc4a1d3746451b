//! Who waits for whom while TLS is set up.
//!
//! The flights of a handshake take turns: a gap belongs to the end that writes
//! next, less what the path takes from the last data to that end. What a
//! delayed acknowledgement held back within a flight is another rule's.
//! Reference: RFC 8446 section 2, RFC 5246 section 7.3.

use super::ack_delayed::side;
use super::{About, Claim, Confidence, Evidence, Gap, Rule};
use crate::{Flags, Marks, Phase, Rtt, Segment, Side};

/// Names the time that an end takes within a TLS handshake.
pub struct TlsHandshake;

static ABOUT: About = About {
    id: "tls.handshake.wait",
    title: "an end took its time within the TLS handshake",
    linux: "the server's time before its hello is a full accept queue, a slow signature (RSA keys \
            of 4,096 bits; ECDSA costs less) or a look-up of certificates; the client's time before \
            it goes on is the check of the chain, with OCSP or CRL over the network, or its own \
            certificate",
    zos: "see the time that the signature takes (ICSF and the crypto express cards, GSKSRVR); \
          resume sessions (SSLDELAY and SSLCACHE in the SIT), and look at revocation checks over LDAP \
          (CRLPROFILE)",
    limits: "Tells whose turn it was, not what that end did: the processor's part and a wait for a third \
             party look the same. A relay between counts as the end; one that acknowledges beside the capture is as far as the \
             connection's opening took. Medium where the path's time \
             is known, else low; low too where the end's own clock of timestamps went on by less than half, until the end's own acknowledgement came, and where half \
             the path's time is more (below 20 ms). Between two segments of one flight nothing is \
             told unless the capture was taken beside its end.",
    literature: "Coarfa, Druschel and Wallach 2006 (\"Performance analysis of TLS web servers\")",
};

impl Rule for TlsHandshake {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        let turn = Turn::of(gap)?;
        let after = gap.after();
        let lost = after.marks.any(Marks::REPEATED) || after.flags.any(Flags::SYN | Flags::RST);
        if lost || gap.has_unseen(turn.resumed.packet) {
            return None;
        }
        let path = path_ns(&gap.connection.end(turn.side).rtt);
        if turn.was_freed(gap, path.unwrap_or(0)) {
            // It may have waited for that packet.
            return None;
        }
        let own = turn.heard.from == turn.side;
        if own && path.is_none_or(|ns| ns > BESIDE_NS) {
            // Within one flight of a far end: its window, a loss or the path's jitter.
            return None;
        }
        let ready_ns = match own {
            true => turn.heard.time_ns,
            false => turn.heard.time_ns + path.unwrap_or(0),
        };
        let cost_ns = after.time_ns - ready_ns.max(gap.before().time_ns);
        // Less than a tenth is what the path's figure may be wrong by.
        if cost_ns * 10 <= gap.length_ns() {
            return None;
        }
        Some(Claim {
            cost_ns,
            confidence: match path {
                // No later behind what it heard than the opening's answer was: the path.
                Some(_) if turn.is_as_opening(gap) => Confidence::Low,
                // As late as what it wrote, or less than the path may vary by.
                Some(_) if turn.was_acknowledged_late(gap) => Confidence::Low,
                // Its own clock went on by less: the path was slow.
                Some(_) if turn.own_ns(gap).is_some_and(|ns| ns < cost_ns / 2) => Confidence::Low,
                Some(ns) if cost_ns * 2 < ns && cost_ns < JITTER_NS => Confidence::Low,
                Some(_) => Confidence::Medium,
                None => Confidence::Low,
            },
            evidence: Evidence::of(&[gap.before().packet, after.packet]),
            stays: true,
            pending: None,
        })
    }

    fn sentence(&self, gap: &Gap<'_>, claim: &Claim) -> String {
        let turn = Turn::of(gap);
        format!(
            "{:.1} ms: the {} took its time before {}",
            claim.cost_ns as f64 / 1e6,
            side(turn.as_ref().map_or(gap.after().from, |turn| turn.side)),
            match turn.is_some_and(|turn| turn.first) {
                true => "its hello",
                false => "it went on with the handshake",
            }
        )
    }
}

/// What the path to this end takes. Where an acknowledgement comes at once though the
/// handshake took long, a relay beside the capture acknowledges, and the end that answers is
/// as far as the handshake said.
fn path_ns(rtt: &Rtt) -> Option<i64> {
    match (rtt.handshake_ns, rtt.min_ns) {
        (Some(opened), Some(acked)) if acked <= RELAY_NS && acked < opened / RELAYED => {
            Some(opened)
        }
        _ => rtt.best_ns(),
    }
}

/// Whose turn it was in a gap.
struct Turn<'a> {
    /// Who wrote next.
    side: Side,
    /// The last data before the gap.
    heard: &'a Segment,
    /// The data it wrote then.
    resumed: &'a Segment,
    /// It had written nothing before.
    first: bool,
}

impl<'a> Turn<'a> {
    fn of(gap: &Gap<'a>) -> Option<Turn<'a>> {
        if gap.phase != Phase::Tls {
            return None;
        }
        let heard = gap.earlier().iter().rev().find(|s| s.len > 0)?;
        let resumed = gap.later().iter().find(|s| s.is_new_data())?;
        let first = !(gap.earlier().iter()).any(|s| s.from == resumed.from && s.len > 0);
        Some(Turn {
            side: resumed.from,
            heard,
            resumed,
            first,
        })
    }

    /// Whether the gap ends with this end's acknowledgement of what it heard, or of a
    /// part: then the path was slow, or the end's timer for acknowledgements ran, and its
    /// own work shows behind it only. What was sent again had a slow path, too.
    fn was_acknowledged_late(&self, gap: &Gap<'_>) -> bool {
        let after = gap.after();
        let acked = after.is_pure_ack() && after.marks.any(Marks::ADVANCES);
        let again = self.heard.from != self.side && self.heard.marks.any(Marks::REPEATED);
        again || (after.from == self.side && acked)
    }

    /// Whether its answer came hardly later behind what it heard than its end of the
    /// connection's opening: what acknowledged sooner may be a relay.
    fn is_as_opening(&self, gap: &Gap<'_>) -> bool {
        let opened_ns = gap.connection.end(self.side).rtt.handshake_ns;
        let took_ns = self.resumed.time_ns - self.heard.time_ns;
        self.heard.from != self.side
            && opened_ns.is_some_and(|ns| took_ns <= ns.saturating_add(ns / 4))
    }

    /// The time between its last packet before the gap and what it wrote then, by its own
    /// clock of timestamps and with a tick more.
    fn own_ns(&self, gap: &Gap<'_>) -> Option<i64> {
        let before = gap.before();
        let stamped =
            before.from == self.side && before.ts_value != 0 && self.resumed.ts_value != 0;
        let ticks = self.resumed.ts_value.wrapping_sub(before.ts_value) as i32;
        let tick_ns = gap.clock_tick_ns(self.side).filter(|_| stamped)?;
        Some((i64::from(ticks) + 1).saturating_mul(tick_ns))
    }

    /// Whether it was in the middle of its flight, and went on at once when the other
    /// end said something.
    fn was_freed(&self, gap: &Gap<'_>, path_ns: i64) -> bool {
        let turn_ns = self.resumed.time_ns - gap.after().time_ns;
        let same = self.heard.from == self.side;
        same && gap.after().from != self.side && turn_ns <= path_ns * 3 / 2 + TURN_NS
    }
}

/// An end no farther than this is at the place of capture.
const BESIDE_NS: i64 = 1_000_000;

/// A relay acknowledges within this time.
const RELAY_NS: i64 = 10_000_000;

/// An acknowledgement that comes so many times sooner than the handshake's is a relay's.
const RELAYED: i64 = 8;

/// A path's round trip may be longer by so much than the shortest seen.
const JITTER_NS: i64 = 20_000_000;

/// What an end takes to send on, at most, beside the path.
const TURN_NS: i64 = 500_000;

//! Packets overtook each other on the path.

use super::fast_retransmit::sent_again;
use super::{About, Claim, Confidence, Finding, Gap, Rule};
use crate::{Connection, Marks, Side};

/// Claims gaps that a late packet ended, and tells of connections with many.
pub struct Reordering;

static ABOUT: About = About {
    id: "tcp.reordering",
    title: "packets arrived in another order than they were sent",
    linux: "find where a flow is spread over several links (bonding mode, ECMP hash) and keep a \
            flow on one; RACK (net.ipv4.tcp_recovery) tolerates what remains",
    zos: "find where a flow is spread: MULTIPATH PERPACKET on IPCONFIG does it, MULTIPATH \
          PERCONNECTION does not",
    limits: "Only a capture taken behind the place of reordering shows it. A packet that comes \
             less than 3 ms or a quarter of a round trip late counts as reordered, a later one, or \
             one with a later timestamp than its neighbours, as sent again.",
    literature: "RFC 4737; Bennett, Partridge and Shectman 1999; TAPO: packet reordering",
};

impl Rule for Reordering {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        let after = gap.after();
        let late = after.marks.any(Marks::OUT_OF_ORDER) && after.len > 0 && !sent_again(gap, after);
        // One that is in the capture already was delivered, or sent, twice.
        let late = late && gap.first_copy(after).is_none();
        let overtaker = (gap.earlier().iter())
            .find(|s| s.from == after.from && s.len > 0 && s.seq == after.end_seq())?;
        let late_ns = after.time_ns - overtaker.time_ns;
        let round_ns = gap.connection.rtt_ns().unwrap_or(0);
        // The time before the one that overtook it passed in any order.
        (late && late_ns <= LATE_NS.max(round_ns / 4)).then(|| Claim {
            cost_ns: late_ns.min(gap.length_ns()),
            ..Claim::whole(gap, Confidence::Medium)
        })
    }

    fn connection(&self, connection: &Connection, out: &mut Vec<Finding>) {
        for side in [Side::Client, Side::Server] {
            let end = connection.end(side);
            let late = end.marks.of(Marks::OUT_OF_ORDER);
            if late >= 3 && late * 1000 >= end.data_segments {
                out.push(Finding {
                    pending: None,
                    between: None,
                    rule: ABOUT.id,
                    connection: Some(connection.id),
                    exchange: None,
                    at_ns: connection.first_ns,
                    cost_ns: 0,
                    confidence: Confidence::Low,
                    packets: vec![connection.id],
                    text: format!(
                        "{late} of {} segments from {} came out of order",
                        end.data_segments, end.address
                    ),
                });
            }
        }
    }
}

/// A packet that was overtaken is no later than this, or a quarter of a round trip.
const LATE_NS: i64 = 3_000_000;

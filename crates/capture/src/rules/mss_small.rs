//! The agreed segment size is far below what paths carry: 536 bytes from a
//! default route, where 1,460 would do.
//!
//! The trap is a small MSS that harms nothing: messages that fit one segment
//! anyway. Only exchanges that took more packets for it are told.

use super::{About, Confidence, Finding, Rule, as_trusted};
use crate::{Connection, Exchange, Side};

/// Tells of exchanges that took more packets because of a small MSS.
pub struct MssSmall;

static ABOUT: About = About {
    id: "tcp.mss.small",
    title: "a small MSS made more packets and round trips of the same bytes",
    linux: "look at the route to the peer (`ip route get`): remove a low mtu or advmss; the \
            interface's MTU is the limit",
    zos: "code MTU 1500 (or what the path carries) on a ROUTE (ROUTE DEFAULT too) of \
          BEGINROUTES, or on the OMPROUTE interface; DEFAULTSIZE and a route without MTU mean 576, which is an MSS \
          of 536",
    limits: "The MSS is on the SYN; what the path carries is not, and is taken to be Ethernet's. \
             The cost is the round trips that slow start waited for and full segments would not \
             have needed, as arithmetic counts them; other stalls that follow from the smaller \
             segments are told by their own rules.",
    literature: "RFC 6691, RFC 9293 3.7.1; RFC 879 for 536; T-RAT: opportunity limited",
};

impl Rule for MssSmall {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn exchange(&self, connection: &Connection, exchange: &Exchange, out: &mut Vec<Finding>) {
        let told = [connection.client.mss, connection.server.mss];
        let Some(agreed) = told.into_iter().flatten().min() else {
            return;
        };
        // Of one whose SYN was not captured nothing is known.
        let [client, server] = told.map(|mss| mss.unwrap_or(u16::MAX));
        let agreed = u32::from(agreed);
        if agreed > SMALL {
            return;
        }
        // What timestamps take of each segment.
        let stamped = connection.client.timestamps && connection.server.timestamps;
        let stamp = STAMP * u32::from(stamped && agreed > STAMP);
        let mut extra_segments = 0;
        // A captured packet may hold several segments.
        let mut packets = [exchange.request.segments, exchange.response.segments].map(u64::from);
        let mut extra_rounds = 0;
        for (side, part) in [
            (exchange.asked_by, &exchange.request),
            (exchange.asked_by.other(), &exchange.response),
        ] {
            if sends_larger(connection, side, agreed) {
                continue;
            }
            if is_cut_smaller(connection, side, agreed) {
                continue;
            }
            let now = part.bytes.div_ceil(u64::from((agreed - stamp).max(1)));
            let then = part.bytes.div_ceil(u64::from(USUAL - stamp));
            extra_segments += now - then;
            let at = usize::from(side != exchange.asked_by);
            packets[at] = packets[at].max(now);
            let first = u64::from(connection.end(side).flights[0] / agreed.max(1)).clamp(1, 10);
            extra_rounds += rounds(now, first) - rounds(then, first).min(rounds(now, first));
        }
        if extra_segments == 0 {
            return;
        }
        let low = match client <= server {
            true => &connection.client,
            false => &connection.server,
        };
        let both = told.iter().all(Option::is_some);
        let cost_ns = waited_ns(exchange, extra_rounds);
        let sure = both && client.max(server) > USUAL as u16 * 4 / 5 && cost_ns > 0;
        out.push(Finding {
            pending: None,
            between: None,
            rule: ABOUT.id,
            connection: Some(connection.id),
            exchange: Some(exchange.id),
            at_ns: exchange.start_ns,
            cost_ns,
            confidence: match sure {
                true => as_trusted(connection, Confidence::High),
                false => Confidence::Medium,
            },
            packets: vec![
                connection.id,
                exchange.request.first_packet,
                exchange.response.last_packet,
            ],
            text: format!(
                "{} announced an MSS of {agreed}: {} packets of data for the request and {} for \
                 the response, {extra_segments} more than with {USUAL}",
                low.address, packets[0], packets[1]
            ),
        });
    }
}

/// Time of the round trips that this exchange waited for its window, at most
/// `rounds` of them: where nothing was waited for, small segments cost nothing.
fn waited_ns(exchange: &Exchange, rounds: u64) -> i64 {
    let stalls = exchange.split.stalls.iter();
    let waits = stalls.filter(|s| s.rule == "tcp.slow-start" && s.count > 0);
    waits
        .map(|s| s.cost_ns / i64::from(s.count) * (u64::from(s.count).min(rounds) as i64))
        .sum()
}

/// Round trips that slow start waits between the bursts of so many segments.
fn rounds(segments: u64, first: u64) -> u64 {
    let (mut window, mut sent, mut rounds) = (first, first, 0);
    while sent < segments {
        window *= 2;
        sent += window;
        rounds += 1;
    }
    rounds
}

/// Whether an end's segments were larger all the same: the other's announcement
/// binds it, its own does not. Several small ones that the capture joined are
/// a multiple of the small size.
fn sends_larger(connection: &Connection, side: Side, agreed: u32) -> bool {
    let common = connection.end(side).common_bytes;
    common > agreed && common <= USUAL && !common.is_multiple_of(agreed)
}

/// Whether an end's segments are all less than half of what the other announced: something else
/// made them small.
fn is_cut_smaller(connection: &Connection, side: Side, agreed: u32) -> bool {
    let end = connection.end(side);
    end.data_segments > 1 && end.largest_bytes * 2 < agreed
}

/// The option with timestamps takes so many bytes.
const STAMP: u32 = 12;

/// An MSS at or below this is small: no link in use needs it.
const SMALL: u32 = 1000;

/// The MSS of Ethernet with IPv4.
const USUAL: u32 = 1460;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_start_doubles_from_round_to_round() {
        assert_eq!(rounds(1, 1), 0);
        assert_eq!(rounds(2, 1), 1);
        assert_eq!(rounds(7, 1), 2);
        assert_eq!(rounds(8, 1), 3);
        assert_eq!(rounds(10, 10), 0);
        assert_eq!(rounds(31, 10), 2);
    }
}

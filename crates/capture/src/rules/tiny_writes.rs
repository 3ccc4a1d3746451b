//! A message went out in many small packets: the application writes piece by
//! piece.

use super::ack_delayed::side;
use super::{About, Confidence, Finding, Rule, as_trusted};
use crate::{Connection, Exchange, Protocol};

/// Tells of messages in many packets far below the segment size.
pub struct TinyWrites;

static ABOUT: About = About {
    id: "app.tiny-writes",
    title: "a message was written in many small pieces",
    linux: "write through a buffer, or gather the pieces (writev, TCP_CORK)",
    zos: "gather the message before the SEND (EZASOKET WRITEV or SENDMSG, one EXEC CICS SEND)",
    limits: "Eight packets or more of less than a quarter of a segment on average, no further apart \
             than 5 ms, and most of that end's short packets with PSH, which TCP sets where a write ends. Less than high confidence where the protocol does not tell \
             that they are one message. How many writes made a packet is not on the wire; with Nagle's \
             algorithm on, several do.",
    literature: "Minshall et al. 1999; Siekkinen 2008: application limited; silly window syndrome \
                 (RFC 813) has the receiver as its cause and is not this",
};

impl Rule for TinyWrites {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn exchange(&self, connection: &Connection, exchange: &Exchange, out: &mut Vec<Finding>) {
        if matches!(connection.protocol, Protocol::Dlsw | Protocol::Sna) {
            // The size of units is the mode's, not the application's.
            return;
        }
        for (who, part) in [
            (exchange.asked_by, &exchange.request),
            (exchange.asked_by.other(), &exchange.response),
        ] {
            let segments = u64::from(part.segments);
            let segment_bytes = u64::from(connection.segment_bytes(who));
            // Several messages, each in a packet, are no message in pieces.
            let messages = u64::from(part.messages).max(1);
            if segments < MANY * messages || part.bytes * 4 >= segments * segment_bytes.min(USUAL) {
                continue;
            }
            let end = connection.end(who);
            if end.small_pushed * 2 < end.small_segments {
                // The sender's TCP cut them, not its application.
                continue;
            }
            let took_ns = part.end_ns - part.start_ns;
            if took_ns / (segments as i64 - 1) > CLOSE_NS {
                // Messages of their own, each when there was something to say.
                continue;
            }
            // Records of TLS may be of several messages, HTTP/2's most of all.
            let confidence = match connection.protocol {
                Protocol::Tls | Protocol::Http2 => Confidence::Low,
                Protocol::Turns => Confidence::Medium,
                _ => as_trusted(connection, Confidence::High),
            };
            out.push(Finding {
                pending: None,
                between: None,
                rule: ABOUT.id,
                connection: Some(connection.id),
                exchange: Some(exchange.id),
                at_ns: part.start_ns,
                cost_ns: took_ns,
                confidence,
                packets: vec![part.first_packet, part.last_packet],
                text: format!(
                    "the {} sent {} bytes in {segments} packets where {} would do",
                    side(who),
                    part.bytes,
                    part.bytes.div_ceil(segment_bytes.max(1))
                ),
            });
        }
    }
}

/// Pieces of one message are no further apart than this, on average.
const CLOSE_NS: i64 = 5_000_000;

/// Fewer packets are no pattern.
const MANY: u64 = 8;

/// On loopback, segments are so large that every message would count as small.
const USUAL: u64 = 1460;

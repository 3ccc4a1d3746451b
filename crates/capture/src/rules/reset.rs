//! A connection was reset in the middle of an exchange, or refused.
//!
//! The trap is a reset after the last byte, with which many clients close:
//! it harms nothing and is not told.

use super::ack_delayed::side;
use super::connection_per_request::{name, service_finding};
use super::{About, Confidence, Finding, Rule, as_trusted};
use crate::{Connection, Exchange, Explanation, Marks, Protocol, Side};

/// Tells of exchanges that a reset cut off, and of refused connections.
pub struct Reset;

static ABOUT: About = About {
    id: "tcp.reset",
    title: "a connection was reset before the answer was complete",
    linux: "see why the program closed with data unread, died or timed out; a RST to a SYN means \
            that nobody listens on the port",
    zos: "see the task's abend or the service's timeout (TCPIPSERVICE SOCKETCLOSE; for the \
          first receive DTIMOUT of CWXN, 30 s where none is coded); a \
          RST to a SYN means the TCPIPSERVICE is closed or the PORT is reserved otherwise",
    limits: "The packet tells from which direction the reset came, not why. One whose hop limit, number or \
             window is not that end's is `tcp.reset.path`; a firewall at the end itself looks like the end. Silent behind a FIN, and behind an answer whose end the protocol does not tell; medium \
             where the capture misses part of the answer, or has no other packet of that end; low without the opening, too. Without a protocol that tells: only a \
             reset of the answering side, behind more than 64 bytes, and medium. An opening that nothing answered for four seconds was not refused by what ends it then: \
             a relay that translates addresses gives up so (`tcp.syn.lost` counts it). Silent on a subflow of Multipath TCP: the answer may have come on another.",
    literature: "RFC 9293 3.10.7; Arlitt and Williamson 2005 (\"An analysis of TCP reset behaviour\")",
};

impl Rule for Reset {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn exchange(&self, connection: &Connection, exchange: &Exchange, out: &mut Vec<Finding>) {
        let Some(cut) = Cut::of(connection, exchange) else {
            return;
        };
        if connection.foreign_reset().is_some() {
            // Another rule's: that end did not send it.
            return;
        }
        // What was told by turns may have been a farewell, a sign of life, or
        // one of many messages that nobody answers. Without another packet of that end
        // nobody can say that this one looks like its own.
        let known = connection.end(cut.who).hop_limits.is_some();
        let confidence = match (cut.shown, known) {
            (true, true) => as_trusted(connection, Confidence::High),
            // It may never have heard of this connection.
            (_, false) if connection.handshake.syns == 0 => Confidence::Low,
            _ => Confidence::Medium,
        };
        let text = format!(
            "a reset from the {}'s direction ended the connection {}",
            side(cut.who),
            cut.when
        );
        out.push(cut.finding(ABOUT.id, (connection, exchange), confidence, text));
    }

    fn capture(&self, explanation: &Explanation, out: &mut Vec<Finding>) {
        for service in explanation.services.iter().filter(|s| s.refused > 0) {
            out.push(service_finding(
                ABOUT.id,
                explanation,
                0,
                format!(
                    "{} connections to {} were refused with a reset",
                    service.refused,
                    name(service)
                ),
            ));
        }
    }
}

/// An exchange that a reset cut off.
pub(super) struct Cut {
    /// In whose name the reset came.
    pub(super) who: Side,
    at_ns: i64,
    /// What had come of the answer.
    pub(super) when: &'static str,
    /// The protocol tells that more was to come, and the capture has what came.
    shown: bool,
}

impl Cut {
    /// The exchange's end by a reset, where the capture shows that its answer was not
    /// complete.
    pub(super) fn of(connection: &Connection, exchange: &Exchange) -> Option<Cut> {
        let (who, at_ns) = connection.close.reset?;
        if connection.is_subflow() {
            // The answer may have come on another one.
            return None;
        }
        if exchange.complete || exchange.request.bytes == 0 {
            return None;
        }
        if at_ns < exchange.request.start_ns {
            // It ended what was before.
            return None;
        }
        let delimited = matches!(
            connection.protocol,
            Protocol::Http1 | Protocol::Framed2 | Protocol::Framed4
        );
        if exchange.is_answered() && !delimited {
            // Whether more was to come is not known.
            return None;
        }
        let farewell = exchange.request.bytes <= FAREWELL_BYTES;
        if !delimited && (who == exchange.asked_by || farewell) {
            // Its last word and a way to close, not a question.
            return None;
        }
        let answering = connection.end(exchange.asked_by.other());
        let holes = answering.marks.of(Marks::LOST_SEGMENT) > 0;
        // Data behind the request that was no answer the parser knew: a head that
        // the capture cut.
        let unread =
            exchange.response.bytes == 0 && answering.last_data_ns > exchange.request.end_ns;
        // The asking end's acknowledgements tell of what nobody captured.
        let asking = connection.end(exchange.asked_by);
        let acked = exchange.response.bytes == 0 && asking.marks.of(Marks::ACKED_UNSEEN) > 0;
        let unseen = unread || answering.segments == 0 || acked;
        if connection.close.first_fin.is_some() || unseen {
            // A close that was under way, or an answer of which a part was not
            // captured, or all.
            return None;
        }
        Some(Cut {
            who,
            at_ns,
            when: match exchange.response.bytes {
                0 => "before any of the answer",
                _ => "in the middle of the answer",
            },
            shown: delimited && (!holes || exchange.response.bytes == 0),
        })
    }

    /// The finding of `rule` on it.
    pub(super) fn finding(
        &self,
        rule: &'static str,
        (connection, exchange): (&Connection, &Exchange),
        confidence: Confidence,
        text: String,
    ) -> Finding {
        let mut packets = vec![exchange.request.first_packet];
        packets.extend(connection.close.reset_packet.map(|reset| reset.packet));
        Finding {
            pending: None,
            between: None,
            rule,
            connection: Some(connection.id),
            exchange: Some(exchange.id),
            at_ns: self.at_ns,
            cost_ns: (self.at_ns - exchange.request.start_ns).max(0),
            confidence,
            packets,
            text,
        }
    }
}

/// A short message may be a goodbye that nobody answers (an alert of TLS, an
/// unbind, a QUIT).
pub(super) const FAREWELL_BYTES: u64 = 64;

//! A connection was reset in the middle of an exchange, or refused.
//!
//! The trap is a reset after the last byte, with which many clients close:
//! it harms nothing and is not told.

use super::ack_delayed::side;
use super::connection_per_request::{name, service_finding};
use super::{About, Confidence, Finding, Rule, as_trusted};
use crate::{Connection, Exchange, Explanation, Marks, Protocol};

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
    limits: "The packet tells from which direction the reset came, not why, nor whether a firewall between sent it: \
             compare its hop limit with that of the packets before. Silent behind a FIN, and behind an answer whose end the protocol does not tell; medium \
             where the capture misses part of the answer. Without a protocol that tells: only a \
             reset of the answering side, behind more than 64 bytes, and medium.",
    literature: "RFC 9293 3.10.7; Arlitt and Williamson 2005 (\"An analysis of TCP reset behaviour\")",
};

impl Rule for Reset {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn exchange(&self, connection: &Connection, exchange: &Exchange, out: &mut Vec<Finding>) {
        let Some((who, at_ns)) = connection.close.reset else {
            return;
        };
        if exchange.complete || exchange.request.bytes == 0 {
            return;
        }
        let delimited = matches!(
            connection.protocol,
            Protocol::Http1 | Protocol::Framed2 | Protocol::Framed4
        );
        if exchange.is_answered() && !delimited {
            // Whether more was to come is not known.
            return;
        }
        let farewell = exchange.request.bytes <= FAREWELL_BYTES;
        if !delimited && (who == exchange.asked_by || farewell) {
            // Its last word and a way to close, not a question.
            return;
        }
        let holes = connection
            .end(exchange.asked_by.other())
            .marks
            .of(Marks::LOST_SEGMENT)
            > 0;
        let answering = connection.end(exchange.asked_by.other());
        // Data behind the request that was no answer the parser knew: a head that
        // the capture cut.
        let unread =
            exchange.response.bytes == 0 && answering.last_data_ns > exchange.request.end_ns;
        let unseen =
            unread || answering.segments == 0 || answering.marks.of(Marks::ACKED_UNSEEN) > 0;
        if connection.close.first_fin.is_some() || unseen {
            // A close that was under way, or an answer of which a part was not
            // captured, or all.
            return;
        }
        let got = match exchange.response.bytes {
            0 => "before any of the answer".to_owned(),
            _ => "in the middle of the answer".to_owned(),
        };
        out.push(Finding {
            pending: None,
            rule: ABOUT.id,
            connection: Some(connection.id),
            exchange: Some(exchange.id),
            at_ns,
            cost_ns: (at_ns - exchange.request.start_ns).max(0),
            // What was told by turns may have been a farewell, a sign of life, or
            // one of many messages that nobody answers.
            confidence: match delimited && (!holes || exchange.response.bytes == 0) {
                true => as_trusted(connection, Confidence::High),
                false => Confidence::Medium,
            },
            packets: vec![exchange.request.first_packet],
            text: format!(
                "a reset from the {}'s direction ended the connection {got}",
                side(who)
            ),
        });
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

/// A short message may be a goodbye that nobody answers (an alert of TLS, an
/// unbind, a QUIT).
const FAREWELL_BYTES: u64 = 64;

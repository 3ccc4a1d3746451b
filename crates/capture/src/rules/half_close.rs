//! One side closed while the other still had data to send, or never closed.

use super::ack_delayed::side;
use super::{About, Confidence, Finding, Rule, as_trusted};
use crate::{Connection, Protocol, Side};

/// Tells of connections that were closed on one side only, for a while or for good.
pub struct HalfClose;

static ABOUT: About = About {
    id: "tcp.half-close",
    title: "one side closed while the other went on",
    linux: "let the client read the answer before it shuts its side down, unless the protocol \
            wants a half-close; a side that never closes leaves FIN_WAIT2 (net.ipv4.tcp_fin_timeout)",
    zos: "let the program read the answer before SHUTDOWN; a side that never closes leaves \
          FINWAIT2 (TCPCONFIG FINWAIT2TIME) and CLOSWT (NETSTAT CONN) at the other",
    limits: "A half-close costs nothing by itself and some protocols use it; servers and \
             middleboxes that take the FIN for the end of the connection drop the answer, which \
             shows as a reset. An end whose numbers run ahead of what the capture has of it may \
             have closed, too, and is not told; nor is a subflow of Multipath TCP, which ends before \
             what its ends say to each other.",
    literature: "RFC 9293 3.6.1, RFC 1122 4.2.2.13",
};

impl Rule for HalfClose {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn connection(&self, connection: &Connection, out: &mut Vec<Finding>) {
        let close = &connection.close;
        let Some((first, at_ns)) = close.first_fin else {
            return;
        };
        if connection.is_subflow() {
            // What its ends say to each other does not end with it.
            return;
        }
        let talked = connection.client.bytes + connection.server.bytes > 0;
        if !talked && connection.handshake.syns == 0 {
            // The remnant of a connection that had ended before.
            return;
        }
        let other = first.other();
        // Without the opening, an end that says nothing of its own may have closed before, and
        // one whose numbers run ahead of its data may have sent a FIN that nobody captured.
        let heard = connection.handshake.syns > 0 || connection.end(other).data_segments > 0;
        let open = heard && !connection.end(other).sent_unseen;
        let open_ns = connection.last_ns - at_ns;
        // TLS says goodbye in a record of its own.
        let goodbye = match connection.protocol == Protocol::Tls || connection.tls.is_some() {
            true => ALERT_BYTES,
            false => 0,
        };
        let text = if close.bytes_after_fin > goodbye && first == Side::Client {
            format!(
                "the client closed its side and the server, which knew of it, sent {} bytes more",
                close.bytes_after_fin
            )
        } else if open
            && close.fin_arrived
            && close.second_fin_ns.is_none()
            && close.reset.is_none()
            && open_ns > LONG_NS
        {
            format!(
                "the {} closed and the {} had not done so {:.0} s later",
                side(first),
                side(other),
                open_ns as f64 / 1e9
            )
        } else {
            return;
        };
        out.push(Finding {
            pending: None,
            between: None,
            rule: ABOUT.id,
            connection: Some(connection.id),
            exchange: None,
            at_ns,
            cost_ns: 0,
            confidence: as_trusted(connection, Confidence::High),
            packets: vec![connection.id],
            text,
        });
    }
}

/// A TLS record with an alert is no longer, its padding and tag included.
const ALERT_BYTES: u64 = 64;

/// A side that stays open longer has forgotten to close.
const LONG_NS: i64 = 10_000_000_000;

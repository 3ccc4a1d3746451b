//! Both ends acknowledge each other without end: each holds the other's
//! numbers for wrong and says so.

use super::{About, Confidence, Finding, Rule, as_trusted};
use crate::{Connection, Marks};

/// Tells of connections with acknowledgements back and forth and no data.
pub struct AckStorm;

static ABOUT: About = About {
    id: "tcp.ack.storm",
    title: "both ends answered each other's acknowledgements without end",
    linux: "find what changes or injects packets (a proxy, a firewall that rewrites sequence \
            numbers); net.ipv4.tcp_invalid_ratelimit limits the answers",
    zos: "find what changes or injects packets between the ends; NETSTAT STATS counts segments \
          outside the window",
    limits: "Fifty repeated acknowledgements or more from each end, far more than data, and two a \
             second or more. Keep-alives and probes of a closed window are not counted.",
    literature: "RFC 5961 (challenge ACKs); Abramov and Herzberg 2013 (ACK storms)",
};

impl Rule for AckStorm {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn connection(&self, connection: &Connection, out: &mut Vec<Finding>) {
        let repeated = |end: &crate::End| end.marks.of(Marks::DUPLICATE_ACK);
        let (a, b) = (repeated(&connection.client), repeated(&connection.server));
        let data = connection.client.data_segments + connection.server.data_segments;
        if a.min(b) < MANY || a + b < 5 * data {
            return;
        }
        let took_ns = connection.last_ns - connection.first_ns;
        if took_ns / (a + b) as i64 > CLOSE_NS {
            // Signs of life, one now and then.
            return;
        }
        out.push(Finding {
            pending: None,
            between: None,
            rule: ABOUT.id,
            connection: Some(connection.id),
            exchange: None,
            at_ns: connection.first_ns,
            cost_ns: 0,
            confidence: as_trusted(connection, Confidence::High),
            packets: vec![connection.id],
            text: format!(
                "{a} acknowledgements from the client and {b} from the server that say nothing \
                 new, with {data} packets of data"
            ),
        });
    }
}

/// Fewer are ordinary signs of a loss.
const MANY: u64 = 50;

/// Answers without end follow each other as fast as the path allows.
const CLOSE_NS: i64 = 500_000_000;

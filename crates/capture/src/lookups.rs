//! UDP and ICMP: name lookups, and messages that a destination is unreachable.
//!
//! A lookup is followed by its client, name and type, so that a query that is
//! sent again, to another resolver or with another identification, belongs to
//! the same wait. It ends with the first answer; without one, when its client
//! opens a connection, or with the capture.
//! Reference: RFC 1035, RFC 6762, RFC 792, RFC 4443.
//! Invariant: bounded memory; any bytes are a message or nothing.

use crate::decode::SideDatagram;
use crate::evidence::{DelayOwner, Reason};
use crate::ledger::LedgerInterval;
use crate::{Connection, ConnectionEnd};
use std::collections::HashMap;
use std::net::IpAddr;

/// Lookups and ICMP messages of a capture, in the order of the file.
#[derive(Debug, Default)]
pub(crate) struct LookupLog {
    open: HashMap<(u128, Box<[u8]>), PendingQuery>,
    intervals: Vec<LedgerInterval>,
    /// Names by the length of their wait, the longest first.
    names: Vec<(i64, String)>,
    unreachable: Vec<IcmpUnreachable>,
}

/// A query that waits for its answer.
#[derive(Debug)]
struct PendingQuery {
    first_ns: i64,
    last_ns: i64,
    packet: u64,
    sent: u32,
    multicast: bool,
}

/// An ICMP message about a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IcmpUnreachable {
    /// Number of the message's packet.
    pub(crate) packet: u64,
    /// The sender and receiver of the packet that it is about.
    pub(crate) source: (u128, u16),
    pub(crate) destination: (u128, u16),
}

impl IcmpUnreachable {
    /// Returns `true` if the client of this connection sent the packet.
    pub(crate) fn is_about(&self, connection: &Connection) -> bool {
        let mapped = |address: IpAddr| match address {
            IpAddr::V4(v4) => v4.to_ipv6_mapped().to_bits(),
            IpAddr::V6(v6) => v6.to_bits(),
        };
        let end = |end: &ConnectionEnd| (mapped(end.address), end.port);
        self.source == end(&connection.client) && self.destination == end(&connection.server)
    }
}

impl LookupLog {
    /// Takes a datagram.
    pub(crate) fn handle(&mut self, datagram: &SideDatagram<'_>, time_ns: i64, packet: u64) {
        if !datagram.udp {
            self.handle_icmp(datagram, packet);
            return;
        }
        let ports = (datagram.source.1, datagram.destination.1);
        if ![ports.0, ports.1]
            .into_iter()
            .any(|port| RESOLVERS.contains(&port))
        {
            return;
        }
        let Some(message) = DnsMessage::parse(datagram.payload) else {
            return;
        };
        if message.is_response {
            self.answer(datagram, &message, time_ns, packet);
        } else {
            self.query(datagram, &message, time_ns, packet);
        }
    }

    fn query(
        &mut self,
        datagram: &SideDatagram<'_>,
        message: &DnsMessage,
        time_ns: i64,
        packet: u64,
    ) {
        let multicast = datagram.destination.1 != DNS;
        // Services are looked for all the time; only addresses are waited for.
        if multicast && !matches!(message.kind(), A | AAAA) {
            return;
        }
        if self.open.len() >= MOST_OPEN {
            return;
        }
        let key = (datagram.source.0, message.question.clone());
        let query = self.open.entry(key).or_insert(PendingQuery {
            first_ns: time_ns,
            last_ns: time_ns,
            packet,
            sent: 0,
            multicast,
        });
        query.sent += 1;
        query.last_ns = time_ns;
    }

    fn answer(
        &mut self,
        datagram: &SideDatagram<'_>,
        message: &DnsMessage,
        time_ns: i64,
        packet: u64,
    ) {
        let asked = |client: u128| (client, message.question.clone());
        let mut query = self.open.remove(&asked(datagram.destination.0));
        if query.is_none() && datagram.source.1 != DNS {
            // Multicast answers go to a group.
            let key = self
                .open
                .keys()
                .find(|key| key.1 == message.question)
                .cloned();
            query = key.and_then(|key| self.open.remove(&key));
        }
        let Some(query) = query else {
            return;
        };
        let reason = match () {
            () if query.sent > 1 => Reason::LookupRetried,
            () if message.code == 2 || message.code == 5 => Reason::LookupFailed,
            () => Reason::LookupSlow,
        };
        let name = message.name();
        let interval = LedgerInterval {
            after: packet,
            ..interval(&query, time_ns, reason, message)
        };
        self.enter(interval, name);
    }

    fn enter(&mut self, interval: LedgerInterval, name: String) {
        if self.intervals.len() >= MOST_INTERVALS {
            return;
        }
        self.names.push((interval.length_ns(), name));
        if self.names.len() > MOST_NAMES {
            self.names.sort_by(|a, b| b.cmp(a));
            self.names.truncate(MOST_NAMES / 2);
        }
        self.intervals.push(interval);
    }

    /// A client opens a connection, so it no longer waits for an earlier name
    /// lookup.
    pub(crate) fn handle_open(&mut self, client: u128, time_ns: i64) {
        if self.open.is_empty() {
            return;
        }
        let over: Vec<_> = (self.open.iter())
            .filter(|(key, query)| key.0 == client && time_ns - query.last_ns >= MOVES_ON_NS)
            .map(|(key, _)| key.clone())
            .collect();
        for key in over {
            if let Some(query) = self.open.remove(&key) {
                self.give_up(&key.1, &query, time_ns);
            }
        }
    }

    fn give_up(&mut self, question: &[u8], query: &PendingQuery, time_ns: i64) {
        let message = DnsMessage {
            is_response: false,
            code: 0,
            question: question.into(),
        };
        let wait_ns = if query.multicast {
            MULTICAST_NS
        } else {
            GIVES_UP_NS.max(query.last_ns - query.first_ns)
        };
        let until_ns = time_ns.min(query.last_ns.saturating_add(wait_ns));
        let interval = interval(query, until_ns, Reason::LookupUnanswered, &message);
        self.enter(interval, message.name());
    }

    fn handle_icmp(&mut self, datagram: &SideDatagram<'_>, packet: u64) {
        if self.unreachable.len() < MOST_OPEN
            && let Some(found) = unreachable(datagram, packet)
        {
            self.unreachable.push(found);
        }
    }

    /// Ends the lookups that were never answered. Returns all waits, the names
    /// with the longest first, and the ICMP messages.
    pub(crate) fn finish(
        mut self,
        last_ns: i64,
    ) -> (Vec<LedgerInterval>, Vec<String>, Vec<IcmpUnreachable>) {
        let mut open: Vec<_> = std::mem::take(&mut self.open).into_iter().collect();
        open.sort_by_key(|(_, query)| query.packet);
        for (key, query) in open {
            self.give_up(&key.1, &query, last_ns);
        }
        self.names.sort_by(|a, b| b.cmp(a));
        let names = self.names.into_iter().map(|(_, name)| name);
        (self.intervals, names.collect(), self.unreachable)
    }
}

fn interval(
    query: &PendingQuery,
    to_ns: i64,
    reason: Reason,
    message: &DnsMessage,
) -> LedgerInterval {
    LedgerInterval {
        from_ns: query.first_ns,
        to_ns: to_ns.max(query.first_ns),
        reason,
        owner: DelayOwner::Server,
        numbers: [query.sent, 0],
        before: query.packet,
        after: 0,
        connection: 0,
        waits: 1,
        // The recorder itself may ask for names of addresses.
        only_inside: message.kind() == PTR,
    }
}

/// A DNS message as far as its first question.
struct DnsMessage {
    is_response: bool,
    code: u8,
    /// Name in lower case, type and class.
    question: Box<[u8]>,
}

impl DnsMessage {
    fn parse(bytes: &[u8]) -> Option<DnsMessage> {
        let (header, rest) = bytes.split_at_checked(12)?;
        let questions = u16::from_be_bytes([header[4], header[5]]);
        let is_response = header[2] & 0x80 != 0;
        if header[2] & 0x78 != 0 {
            return None;
        }
        let mut length = 0;
        loop {
            let label = usize::from(*rest.get(length)?);
            length += 1;
            if label == 0 {
                break;
            }
            if label > 63 || length > 255 {
                return None;
            }
            length += label;
        }
        // An answer of mDNS repeats no question: its first record has the name.
        if questions == 0 && !is_response {
            return None;
        }
        let mut question: Box<[u8]> = rest.get(..length + 4)?.into();
        question.make_ascii_lowercase();
        // The highest bit of the class has its own meaning in mDNS.
        let class = length + 2;
        question[class] &= 0x7F;
        Some(DnsMessage {
            is_response,
            code: header[3] & 15,
            question,
        })
    }

    /// Type of the question.
    fn kind(&self) -> u16 {
        let at = self.question.len() - 4;
        u16::from_be_bytes([self.question[at], self.question[at + 1]])
    }

    /// The name with dots.
    fn name(&self) -> String {
        let mut name = String::new();
        let mut rest = &self.question[..self.question.len() - 4];
        while let [length, more @ ..] = rest {
            let Some((label, more)) = more.split_at_checked(usize::from(*length)) else {
                break;
            };
            if !name.is_empty() && !label.is_empty() {
                name.push('.');
            }
            name.extend(label.iter().map(|byte| match byte {
                b'!'..=b'~' => char::from(*byte),
                _ => '?',
            }));
            rest = more;
        }
        name
    }
}

/// The packet that an ICMP message is about.
fn unreachable(datagram: &SideDatagram<'_>, packet: u64) -> Option<IcmpUnreachable> {
    let body = datagram.payload;
    let (kind, code) = (*body.first()?, *body.get(1)?);
    // A router that requires smaller packets (3/4) is not the end of the path.
    let ends = match (datagram.v6, kind) {
        (false, 3) => code != 4,
        (false, 11) | (true, 1 | 3) => true,
        _ => false,
    };
    ends.then_some(())?;
    let inner = body.get(8..)?;
    let mapped = |at: usize| -> Option<u128> {
        let four: [u8; 4] = inner.get(at..at + 4)?.try_into().ok()?;
        Some(0xffff_0000_0000 | u128::from(u32::from_be_bytes(four)))
    };
    let whole = |at: usize| -> Option<u128> {
        let sixteen: [u8; 16] = inner.get(at..at + 16)?.try_into().ok()?;
        Some(u128::from_be_bytes(sixteen))
    };
    let (protocol, source, destination, at) = if datagram.v6 {
        (*inner.get(6)?, whole(8)?, whole(24)?, 40)
    } else {
        let header = usize::from(*inner.first()? & 15) * 4;
        (*inner.get(9)?, mapped(12)?, mapped(16)?, header)
    };
    let port = |at: usize| Some(u16::from_be_bytes([*inner.get(at)?, *inner.get(at + 1)?]));
    (protocol == 6).then_some(())?;
    Some(IcmpUnreachable {
        packet,
        source: (source, port(at)?),
        destination: (destination, port(at + 2)?),
    })
}

const DNS: u16 = 53;
const A: u16 = 1;
const PTR: u16 = 12;
const AAAA: u16 = 28;

/// DNS, mDNS, LLMNR.
const RESOLVERS: [u16; 3] = [DNS, 5353, 5355];

/// Queries and messages followed at a time.
const MOST_OPEN: usize = 4096;

/// Lookups that are kept.
const MOST_INTERVALS: usize = 65_536;

/// Names that are kept.
const MOST_NAMES: usize = 64;

/// A client that opens a connection so soon after a query still waits for it.
const MOVES_ON_NS: i64 = 500_000_000;

/// A client waits so long for the answer to its last query.
const GIVES_UP_NS: i64 = 5_000_000_000;

/// The same for queries to all neighbours.
const MULTICAST_NS: i64 = 1_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn message(flags: u16, name: &[&str]) -> Vec<u8> {
        let mut bytes = vec![0, 7];
        bytes.extend(flags.to_be_bytes());
        bytes.extend([0, 1, 0, 0, 0, 0, 0, 0]);
        for label in name {
            bytes.push(label.len() as u8);
            bytes.extend(label.as_bytes());
        }
        bytes.extend([0, 0, 1, 0, 1]);
        bytes
    }

    fn datagram(payload: &[u8], to_resolver: bool) -> SideDatagram<'_> {
        let ends = [(1, 40_000), (2, DNS)];
        SideDatagram {
            source: ends[usize::from(!to_resolver)],
            destination: ends[usize::from(to_resolver)],
            payload,
            udp: true,
            v6: false,
        }
    }

    #[test]
    fn a_query_that_is_sent_again_waits_from_the_first_one() {
        let mut lookups = LookupLog::default();
        let (query, answer) = (
            message(0x100, &["a", "test"]),
            message(0x8180, &["A", "test"]),
        );
        lookups.handle(&datagram(&query, true), 10, 1);
        lookups.handle(&datagram(&query, true), 5_000, 2);
        lookups.handle(&datagram(&answer, false), 5_020, 3);
        let (intervals, names, _) = lookups.finish(9_000);
        assert_eq!(names, ["a.test"]);
        let [one] = intervals[..] else {
            panic!("{intervals:?}");
        };
        assert_eq!((one.from_ns, one.to_ns), (10, 5_020));
        assert_eq!(one.reason, Reason::LookupRetried);
    }

    #[test]
    fn a_lookup_without_an_answer_waits_until_the_capture_ends() {
        let mut lookups = LookupLog::default();
        let query = message(0x100, &["gone"]);
        lookups.handle(&datagram(&query, true), 10, 1);
        let (intervals, ..) = lookups.finish(3_000_000_000);
        assert_eq!(intervals[0].to_ns, 3_000_000_000);
        assert_eq!(intervals[0].reason, Reason::LookupUnanswered);
    }

    #[test]
    fn any_bytes_are_a_message_or_nothing() {
        let whole = message(0x100, &["a", "test"]);
        for length in 0..whole.len() {
            assert!(DnsMessage::parse(&whole[..length]).is_none());
        }
        assert!(DnsMessage::parse(&[0xFF; 64]).is_none());
    }
}

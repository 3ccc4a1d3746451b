//! The frame filter: hosts and ports combined by `and`, `or` and `not`, applied to
//! the addresses of a frame, with any tags or tunnels in between.

use std::net::IpAddr;
use thiserror::Error;

/// A parsed filter, for example `host 10.0.0.1 and port 80 or not tcp`. `and`
/// binds closer than `or`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PacketFilter {
    /// The filter passes if all terms of one list pass. Empty for all frames.
    any: Vec<Vec<FilterTerm>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct FilterTerm {
    not: bool,
    what: TermKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TermKind {
    Host(IpAddr),
    Port(u16),
    Tcp,
}

/// A filter that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("filter: {0}; write `host ADDRESS`, `port NUMBER` or `tcp`, joined by and, or, not")]
pub struct FilterError(String);

/// The parts of a frame that a filter reads.
#[derive(Clone, Copy, Debug, Default)]
struct PacketEnds {
    hosts: [Option<IpAddr>; 2],
    ports: [Option<u16>; 2],
    tcp: bool,
}

impl PacketFilter {
    /// Parses a filter; an empty text keeps everything.
    pub fn parse(text: &str) -> Result<PacketFilter, FilterError> {
        let mut words = text.split_whitespace().peekable();
        let mut any: Vec<Vec<FilterTerm>> = Vec::new();
        if words.peek().is_none() {
            return Ok(PacketFilter::default());
        }
        any.push(Vec::new());
        loop {
            let not = words.next_if(|w| w.eq_ignore_ascii_case("not")).is_some();
            let what = match words.next() {
                Some("host") => TermKind::Host(value(words.next(), "an address")?),
                Some("port") => TermKind::Port(value(words.next(), "a port")?),
                Some("tcp") => TermKind::Tcp,
                Some(word) => return Err(FilterError(format!("`{word}` is not understood"))),
                None => return Err(FilterError("the filter is incomplete".into())),
            };
            if let Some(all) = any.last_mut() {
                all.push(FilterTerm { not, what });
            }
            match words.next() {
                None => return Ok(PacketFilter { any }),
                Some("and") => {}
                Some("or") => any.push(Vec::new()),
                Some(word) => {
                    return Err(FilterError(format!(
                        "`{word}` where `and` or `or` should be"
                    )));
                }
            }
        }
    }

    /// Whether a frame is kept. `ethernet` says whether it begins with an
    /// Ethernet header or with IP.
    pub fn keeps(&self, frame: &[u8], ethernet: bool) -> bool {
        if self.any.is_empty() {
            return true;
        }
        let ends = PacketEnds::of(frame, ethernet).unwrap_or_default();
        let holds = |term: &FilterTerm| {
            let found = match &term.what {
                TermKind::Host(host) => ends.hosts.contains(&Some(*host)),
                TermKind::Port(port) => ends.ports.contains(&Some(*port)),
                TermKind::Tcp => ends.tcp,
            };
            found != term.not
        };
        self.any.iter().any(|all| all.iter().all(holds))
    }
}

impl PacketEnds {
    fn of(frame: &[u8], ethernet: bool) -> Option<PacketEnds> {
        let mut packet = frame;
        if ethernet {
            let mut at = 12;
            // VLAN tags may precede the type of the content.
            while let [0x81, 0x00] | [0x88, 0xa8] = frame.get(at..at + 2)? {
                at += 4;
            }
            if !matches!(frame.get(at..at + 2)?, [0x08, 0x00] | [0x86, 0xdd]) {
                return None;
            }
            packet = frame.get(at + 2..)?;
        }
        match packet.first()? >> 4 {
            4 => {
                let host = |at| {
                    let bytes: [u8; 4] = packet.get(at..at + 4)?.try_into().ok()?;
                    Some(IpAddr::from(bytes))
                };
                let first = packet.get(6..8)? == [0, 0] || packet[6] & 0x1f == 0 && packet[7] == 0;
                let rest = packet.get(usize::from(packet[0] & 15) * 4..)?;
                Some(PacketEnds::with(
                    [host(12), host(16)],
                    *packet.get(9)?,
                    first,
                    rest,
                ))
            }
            6 => {
                let host = |at| {
                    let bytes: [u8; 16] = packet.get(at..at + 16)?.try_into().ok()?;
                    Some(IpAddr::from(bytes))
                };
                let rest = packet.get(40..)?;
                Some(PacketEnds::with(
                    [host(8), host(24)],
                    *packet.get(6)?,
                    true,
                    rest,
                ))
            }
            _ => None,
        }
    }

    fn with(hosts: [Option<IpAddr>; 2], protocol: u8, first: bool, rest: &[u8]) -> PacketEnds {
        let port = |at| match (protocol, first) {
            (6 | 17, true) => Some(u16::from_be_bytes(rest.get(at..at + 2)?.try_into().ok()?)),
            _ => None,
        };
        PacketEnds {
            hosts,
            ports: [port(0), port(2)],
            tcp: protocol == 6,
        }
    }
}

fn value<T: std::str::FromStr>(word: Option<&str>, what: &str) -> Result<T, FilterError> {
    match word {
        Some(word) => word
            .parse()
            .map_err(|_| FilterError(format!("`{word}` is not {what}"))),
        None => Err(FilterError(format!(
            "{what} is missing at the end of the filter"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frame(from: [u8; 4], to: [u8; 4], ports: [u16; 2], protocol: u8) -> Vec<u8> {
        let mut frame = vec![0; 12];
        frame.extend([8, 0, 0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, protocol, 0, 0]);
        frame.extend(from);
        frame.extend(to);
        frame.extend(ports.iter().flat_map(|p| p.to_be_bytes()));
        frame
    }

    #[test]
    fn hosts_and_ports_are_distinguished() {
        let frame = frame([10, 0, 0, 1], [10, 0, 0, 2], [40000, 80], 6);
        for (text, kept) in [
            ("", true),
            ("port 80", true),
            ("port 81", false),
            ("not port 81 and tcp", true),
            ("host 10.0.0.2 and port 40000", true),
            ("host 10.0.0.3 and port 80", false),
            ("host 10.0.0.3 or port 80", true),
            ("host ::1", false),
        ] {
            assert_eq!(
                PacketFilter::parse(text).unwrap().keeps(&frame, true),
                kept,
                "{text}"
            );
        }
        assert!(
            PacketFilter::parse("port 80")
                .unwrap()
                .keeps(&frame[14..], false)
        );
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        for (text, part) in [
            ("port", "missing"),
            ("port x", "`x`"),
            ("hosts 1", "`hosts`"),
            ("port 80 port 81", "where"),
            ("port 80 and", "incomplete"),
        ] {
            let said = PacketFilter::parse(text).unwrap_err().to_string();
            assert!(said.contains(part), "{said}");
        }
    }

    proptest! {
        #[test]
        fn no_frame_and_no_text_panics(text in ".{0,40}", frame in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = PacketFilter::parse(&text);
            let filter = PacketFilter::parse("host 1.2.3.4 and port 5 or not tcp").unwrap();
            filter.keeps(&frame, true);
            filter.keeps(&frame, false);
        }
    }
}

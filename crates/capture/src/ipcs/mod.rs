//! z/OS packet traces as IPCS prints them: text to packets.
//!
//! `CTRACE COMP(SYSTCPDA)` formats a packet trace in several ways. Three are
//! read: SUMMARY (one line and a half a packet), FORMAT (headers field by
//! field) and DUMP (headers and data in hexadecimal, the most faithful). What
//! comes out is a capture with raw IP packets, for the same engine as any
//! other file; payload that was not printed counts as cut off.
//!
//! Times are local or GMT as the trace was formatted; they are taken as UTC.
//!
//! Reference: z/OS Communications Server: IP Diagnosis Guide (GC27-3652),
//! "Formatting packet traces using IPCS", with its examples of the reports
//! SUMMARY, FORMAT and DUMP. The guide shows no grammar: what its examples do
//! not show (other releases' columns, other languages) is reported line by line as
//! unread.

mod build;
mod full;
mod summary;

use std::net::SocketAddr;

use base::calendar::days_from_civil;

pub use build::to_pcap;

use crate::join::UnreadLine;

/// One packet of the text.
#[derive(Debug, Clone, PartialEq)]
pub struct TextPacket {
    /// The line it begins on, from one.
    pub line: usize,
    /// Its time, nanoseconds since 1970.
    pub time_ns: i64,
    /// Its content.
    pub body: Body,
}

/// A packet's content, as far as printed.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// The bytes from the IP header on, and the length it had.
    Bytes(Vec<u8>, u32),
    /// The fields of a TCP segment.
    Tcp(TcpFields),
}

/// A TCP segment's fields.
#[derive(Debug, Clone, PartialEq)]
pub struct TcpFields {
    /// The sender.
    pub source: SocketAddr,
    /// The receiver.
    pub destination: SocketAddr,
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgement number.
    pub ack: u32,
    /// Flags as in the header.
    pub flags: u8,
    /// Window as in the header.
    pub window: u16,
    /// IP identification.
    pub id: u16,
    /// Payload bytes on the wire.
    pub len: u32,
    /// Maximum segment size option.
    pub mss: Option<u16>,
    /// Window scale option.
    pub scale: Option<u8>,
    /// Payload that was printed.
    pub data: Vec<u8>,
}

/// A whole trace.
#[derive(Debug, Clone, Default)]
pub struct PacketTrace {
    /// Its packets in the order of the text.
    pub packets: Vec<TextPacket>,
    /// Records that are not TCP.
    pub others: usize,
    /// Lines that looked like packets and were not understood.
    pub unread: Vec<UnreadLine>,
}

/// Whether a file that begins like this is such a trace.
pub fn is_packet_trace(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&head[..head.len().min(SNIFFED_BYTES)]);
    let named = text.contains("SYSTCPDA") || text.contains("Packet Trace");
    named || text.lines().any(summary::is_heading)
}

/// Reads the text. Forms may be mixed; every line decides for itself.
pub fn parse(text: &str) -> PacketTrace {
    let mut trace = PacketTrace::default();
    let lines: Vec<&str> = text.lines().collect();
    let mut date = None;
    let mut at = 0;
    while at < lines.len() {
        if let Some(day) = heading_date(lines[at]) {
            date = Some(day);
        }
        let used = full::record(&lines[at..], at + 1, &mut trace)
            .or_else(|| summary::record(&lines[at..], at + 1, date.unwrap_or(0), &mut trace));
        at += used.unwrap_or(1).max(1);
    }
    trace
}

/// `**** 2004/01/26`: days since 1970.
fn heading_date(line: &str) -> Option<i64> {
    parse_date(line.trim().strip_prefix("****")?.trim())
}

/// `yyyy/mm/dd` in days since 1970.
fn parse_date(text: &str) -> Option<i64> {
    let mut parts = text.split('/');
    let mut part = |low: u32, high: u32| -> Option<u32> {
        parts
            .next()?
            .parse()
            .ok()
            .filter(|n| (low..=high).contains(n))
    };
    let (year, month, day) = (part(1970, 2200)?, part(1, 12)?, part(1, 31)?);
    Some(days_from_civil(year.into(), month, day))
}

/// `10.7.1.61-3470` or `2001:db8::1-3470`.
fn parse_end(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.rsplit_once('-')?;
    Some(SocketAddr::new(address.parse().ok()?, port.parse().ok()?))
}

/// Flags as text.
fn flags_of(words: &str) -> u8 {
    let word = |w: &str| match w.to_ascii_uppercase().as_str() {
        "FIN" => 0x01,
        "SYN" => 0x02,
        "RST" => 0x04,
        "PSH" => 0x08,
        "ACK" => 0x10,
        "URG" => 0x20,
        _ => 0,
    };
    words.split_whitespace().map(word).fold(0, |a, b| a | b)
}

/// So much of a file is looked at to recognise it.
const SNIFFED_BYTES: usize = 4096;

/// Nanoseconds of a day.
const DAY_NS: i64 = 86_400_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_since_1970() {
        assert_eq!(parse_date("1970/01/01"), Some(0));
        assert_eq!(parse_date("2000/03/01"), Some(11_017));
        assert_eq!(heading_date("**** 2004/01/26   "), Some(12_443));
        assert_eq!(parse_date("2004/13/26"), None);
    }

    #[test]
    fn ends_have_an_address_and_a_port() {
        assert_eq!(parse_end("10.7.1.61-3470").unwrap().port(), 3470);
        assert!(parse_end("fe80::1-21").unwrap().is_ipv6());
        assert_eq!(parse_end("9.42.105.71"), None);
    }
}

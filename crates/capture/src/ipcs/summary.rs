//! The SUMMARY report: one line with the source, one with the destination.
//!
//! ```text
//! DP   Nr hh:mm:ss.mmmmmm IpId    Seq_num    Ack_num  Wndw Flags            DatLn Source/Destination
//! ```
//! The first column is the direction (I, O), the second the protocol (T for
//! TCP). The second line may begin with the first bytes of the data.

use super::{Body, DAY_NS, PacketTrace, TcpFields, TextPacket, flags_of, parse_end};
use crate::join::{UnreadLine, parse_time};

/// Whether the line is the report's heading.
pub(super) fn is_heading(line: &str) -> bool {
    line.contains("hh:mm:ss") && line.contains("Seq_num") && line.contains("Source/Destination")
}

/// Reads a packet at the first of these lines. Returns its number of lines.
pub(super) fn record(
    lines: &[&str],
    line: usize,
    day: i64,
    trace: &mut PacketTrace,
) -> Option<usize> {
    let first = lines.first()?;
    let mut words = first.split_whitespace();
    let kind = words.next()?;
    let mut letters = kind.chars();
    let direction = matches!(letters.next()?, 'I' | 'O');
    let protocol = letters.next()?;
    if !direction || letters.next().is_some() || words.next()?.parse::<u64>().is_err() {
        return None;
    }
    let time = parse_time(words.next()?)?;
    if protocol != 'T' {
        trace.others += 1;
        return Some(1);
    }
    let rest: Vec<&str> = words.collect();
    let fields = fields(&rest, lines.get(1).copied().unwrap_or_default());
    match fields {
        Some(fields) => trace.packets.push(TextPacket {
            line,
            time_ns: day * DAY_NS + time.0 as i64,
            body: Body::Tcp(fields),
        }),
        None => trace.unread.push(UnreadLine {
            line,
            why: "a TCP packet of a summary whose fields cannot be read".to_owned(),
        }),
    }
    Some(2)
}

fn fields(words: &[&str], second: &str) -> Option<TcpFields> {
    let (first, end) = words.split_at(words.len().checked_sub(2)?);
    let [id, seq, ack, window, flags @ ..] = first else {
        return None;
    };
    let source = parse_end(end[1])?;
    let destination = parse_end(second.split_whitespace().next_back()?)?;
    let flags = flags_of(&flags.join(" "));
    let data = printed(second);
    Some(TcpFields {
        source,
        destination,
        seq: seq.parse().ok()?,
        ack: ack.parse().ok()?,
        flags,
        window: window.parse::<u32>().ok()?.min(65_535) as u16,
        id: u16::from_str_radix(id, 16).ok()?,
        len: end[0].parse().ok()?,
        mss: None,
        scale: None,
        data,
    })
}

/// The bytes in hexadecimal before the translated text.
fn printed(line: &str) -> Vec<u8> {
    let words = line
        .split('*')
        .next()
        .unwrap_or_default()
        .split_whitespace();
    let hex = words.take_while(|w| w.len() == 8 && w.bytes().all(|b| b.is_ascii_hexdigit()));
    hex.flat_map(|w| u32::from_str_radix(w, 16).unwrap_or(0).to_be_bytes())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_gives_segments() {
        let text = "\
**** 2004/01/26
DP   Nr hh:mm:ss.mmmmmm IpId    Seq_num    Ack_num  Wndw Flags            DatLn Source/Destination
OT    1 14:18:00.000001 19E6 1000000000          0 32768 SYN                  0 10.0.0.1-3470
                                                                                10.0.0.2-5000
IT    4 14:18:01.500000 4E3D 2000000001 1000000001 32768 ACK PSH             47 10.0.0.2-5000
                        3232302D 2057656C *.......% 220- Wel*                   10.0.0.1-3470
II    5 14:18:02.000000 0000 whatever
OT    6 14:18:03.000000 nonsense
";
        let trace = super::super::parse(text);
        assert_eq!(
            (trace.packets.len(), trace.others, trace.unread.len()),
            (2, 1, 1)
        );
        let Body::Tcp(fields) = &trace.packets[1].body else {
            panic!("fields were printed");
        };
        assert_eq!(
            (fields.len, fields.flags, fields.data.as_slice()),
            (47, 0x18, &b"220- Wel"[..])
        );
        assert_eq!(fields.destination, "10.0.0.1:3470".parse().unwrap());
        assert_eq!(trace.packets[0].time_ns, 1_075_126_680_000_001_000);
    }
}

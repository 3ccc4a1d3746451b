//! The FORMAT and DUMP reports: a record is several lines, headed by one that
//! ends in `Packet Trace`.
//!
//! In a DUMP the headers and the data are in hexadecimal under `IP Header`,
//! `Protocol Header` and `Data`; then the fields are not needed. In a FORMAT the
//! fields are as `Name : value`, several on a line.

use std::net::{IpAddr, SocketAddr};

use super::{Body, DAY_NS, PacketTrace, TcpFields, TextPacket, flags_of, parse_date};
use crate::join::{UnreadLine, parse_time};

/// Reads the record at the first of these lines. Returns its number of lines.
pub(super) fn record(lines: &[&str], line: usize, trace: &mut PacketTrace) -> Option<usize> {
    if !is_head(lines.first()?) {
        return None;
    }
    let end = lines[1..]
        .iter()
        .position(|l| is_head(l))
        .map_or(lines.len(), |n| n + 1);
    let record = &lines[..end];
    match read(record, line) {
        Ok(Some(packet)) => trace.packets.push(packet),
        Ok(None) => trace.others += 1,
        Err(why) => trace.unread.push(UnreadLine {
            line,
            why: why.to_owned(),
        }),
    }
    Some(end)
}

fn is_head(line: &str) -> bool {
    let trimmed = line.trim_end();
    trimmed.ends_with("Packet Trace") && trimmed.split_whitespace().any(|w| parse_time(w).is_some())
}

fn read(lines: &[&str], line: usize) -> Result<Option<TextPacket>, &'static str> {
    let time_ns = time(lines).ok_or("a packet without a time")?;
    let packet = |body| {
        Ok(Some(TextPacket {
            line,
            time_ns,
            body,
        }))
    };
    if let Some((bytes, length)) = dumped(lines) {
        return packet(Body::Bytes(bytes, length));
    }
    if !lines.iter().any(|l| l.trim() == "TCP") {
        return Ok(None);
    }
    let fields = fields(lines).ok_or("a TCP packet whose fields cannot be read")?;
    packet(Body::Tcp(fields))
}

/// The TOD clock where it is printed, the time of the head otherwise.
fn time(lines: &[&str]) -> Option<i64> {
    if let Some(rest) = lines.iter().find_map(|l| after(l, "Tod Clock")) {
        let mut words = rest.split_whitespace();
        let (day, time) = (parse_date(words.next()?)?, parse_time(words.next()?)?);
        return Some(day * DAY_NS + time.0 as i64);
    }
    let time = lines[0].split_whitespace().find_map(parse_time)?;
    Some(time.0 as i64)
}

/// The text after `name` and a colon.
fn after<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let at = line.find(name)?;
    let rest = line[at + name.len()..].trim_start();
    Some(rest.strip_prefix(':')?.trim_start())
}

/// The word after `name` and a colon, in any of the lines.
fn value<'a>(lines: &[&'a str], name: &str) -> Option<&'a str> {
    let word = |l: &&'a str| after(l, name)?.split_whitespace().next();
    lines.iter().find_map(word)
}

fn fields(lines: &[&str]) -> Option<TcpFields> {
    let at = lines.iter().position(|l| l.trim() == "TCP")?;
    let (ip, tcp) = lines.split_at(at);
    let address = |name: &str| -> Option<IpAddr> {
        // "Source Port" is in the trace header and is not it.
        ip.iter()
            .find_map(|l| after(l, name)?.split_whitespace().next()?.parse().ok())
    };
    let port = |name: &str| value(tcp, name)?.parse::<u16>().ok();
    let number = |lines: &[&str], name: &str| value(lines, name)?.parse::<u32>().ok();
    let header = number(tcp, "Header Length")?;
    let total = number(ip, "Packet Length").or_else(|| number(ip, "Payload Length"))?;
    let ip_header = match number(ip, "Payload Length") {
        Some(_) => 0,
        None => number(ip, "Header Length")?,
    };
    let flags = tcp.iter().find_map(|l| after(l, "Flags"))?;
    let hex = |name: &str| u16::from_str_radix(value(ip, name)?, 16).ok();
    Some(TcpFields {
        source: SocketAddr::new(address("Source")?, port("Source Port")?),
        destination: SocketAddr::new(address("Destination")?, port("Destination Port")?),
        seq: number(tcp, "Sequence Number")?,
        ack: number(tcp, "Ack Number").unwrap_or(0),
        flags: flags_of(flags),
        window: number(tcp, "Window Size")?.min(65_535) as u16,
        id: hex("ID Number").unwrap_or(0),
        len: total.saturating_sub(ip_header).saturating_sub(header),
        mss: number(tcp, "MSS").map(|n| n.min(65_535) as u16),
        scale: number(tcp, "Shift").map(|n| n.min(14) as u8),
        data: hex_rows(
            tcp.iter()
                .skip_while(|l| after(l, "Data").is_none())
                .skip(1),
        ),
    })
}

/// The bytes of a DUMP and the packet's length.
fn dumped(lines: &[&str]) -> Option<(Vec<u8>, u32)> {
    let head = |name: &str| {
        lines.iter().position(|l| {
            after(l, name).is_some_and(|v| {
                v.split_whitespace()
                    .next()
                    .is_some_and(|n| n.parse::<u32>().is_ok())
            })
        })
    };
    let ip = head("IP Header")?;
    let mut bytes = hex_rows(lines[ip + 1..].iter());
    if let Some(at) = head("Protocol Header") {
        bytes.extend(hex_rows(lines[at + 1..].iter()));
    }
    let headers = bytes.len() as u32;
    let mut length = headers;
    if let Some(at) = head("Data") {
        let said = value(&lines[at..=at], "Data Length").or_else(|| value(&lines[at..=at], "Data"));
        length = headers.saturating_add(said.and_then(|n| n.parse().ok()).unwrap_or(0));
        bytes.extend(hex_rows(lines[at + 1..].iter()));
    }
    bytes.truncate(length as usize);
    (headers >= 20).then_some((bytes, length))
}

/// Rows of `offset word word word word |text|`, up to the first other row.
fn hex_rows<'a>(lines: impl Iterator<Item = &'a &'a str>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in lines {
        let row = line.split('|').next().unwrap_or_default();
        let mut words = row.split_whitespace();
        let offset = words
            .next()
            .filter(|w| w.len() >= 4)
            .and_then(|w| usize::from_str_radix(w, 16).ok());
        if offset != Some(bytes.len()) {
            break;
        }
        for word in words {
            let (pairs, odd) = word.as_bytes().as_chunks::<2>();
            if !odd.is_empty() || !word.bytes().all(|b| b.is_ascii_hexdigit()) {
                break;
            }
            let byte = |p: &[u8; 2]| {
                u8::from_str_radix(std::str::from_utf8(p).unwrap_or("0"), 16).unwrap_or(0)
            };
            bytes.extend(pairs.iter().map(byte));
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn a_formatted_record_gives_its_fields() {
        let text = "\
    7 MVSJ     PACKET   00000001 19:49:42.112231 Packet Trace
 To Interface     : LOOPBACK         Device: Loopback         Full=60
  Tod Clock       : 2002/02/12 19:49:42.112229
  Sequence #      : 0                Flags: Pkt Ver2 Out
  Source Port     : 1028             Dest Port: 21   Asid: 001E TCB: 007F62C0
 IpHeader: Version : 4               Header Length: 20
  Tos             : 00               QOS: Routine Normal Service
  Packet Length   : 44               ID Number: 00F1
  TTL             : 64               Protocol: TCP            CheckSum: 4A5A FFFF
  Source          : 10.1.1.1
  Destination     : 10.1.1.2
 TCP
  Source Port     : 1028 ()          Destination Port: 21   (ftp)
  Sequence Number : 2635505165       Ack Number: 0
  Header Length   : 24               Flags: Syn
  Window Size     : 32768            CheckSum: 9DA0 FFFF Urgent Data Pointer: 0000
  Option          : Max Seg Size     Len: 4  MSS: 536
    8 MVSJ     PACKET   00000001 19:49:43.000000 Packet Trace
 IpHeader: Version : 4               Header Length: 20
  TTL             : 64               Protocol: UDP            CheckSum: A6FB FFFF
 UDP
";
        let trace = parse(text);
        assert_eq!(
            (trace.packets.len(), trace.others, trace.unread.len()),
            (1, 1, 0)
        );
        let Body::Tcp(fields) = &trace.packets[0].body else {
            panic!("fields were printed");
        };
        assert_eq!(fields.source, "10.1.1.1:1028".parse().unwrap());
        assert_eq!(fields.destination, "10.1.1.2:21".parse().unwrap());
        assert_eq!(
            (fields.seq, fields.flags, fields.window),
            (2_635_505_165, 0x02, 32_768)
        );
        assert_eq!((fields.len, fields.mss, fields.id), (0, Some(536), 0xf1));
    }

    #[test]
    fn a_dumped_record_gives_its_bytes() {
        let text = "\
 4521 MVS118   PACKET   00000004 17:38:32.175560 Packet Trace
 From Link        : ETH1             Device: LCS Ethernet     Full=52
  Tod Clock       : 2002/11/20 17:38:32.175559
 IP Header        : 20
000000 45000034 00004000 3E065914 0A000001 0A000002
 Protocol Header  : 20
000000 1F900015 00000001 00000002 50180400 00000000
 Data             : 12  Data Length: 12
000000 AEBCDB3D 03340A00 00000000 |............ ...=.4......       |
";
        let trace = parse(text);
        let Body::Bytes(bytes, length) = &trace.packets[0].body else {
            panic!("bytes were printed");
        };
        assert_eq!(
            (bytes.len(), *length, bytes[0], bytes[40]),
            (52, 52, 0x45, 0xae)
        );
    }
}

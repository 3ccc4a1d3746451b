//! Files of Microsoft Network Monitor, versions 1 and 2: a header, frames in
//! sequence, and a table of their offsets.
//!
//! The table is not needed: frames follow the header without a hole, and the
//! table begins where they end.
//! Reference: "Network Monitor Capture File Format" in the NetMon 3.4 help.

use base::calendar::days_from_civil;

use super::{Frame, MAX_RECORD_BYTES, ReadStep, u16_at, u32_at};
use crate::{FileProblem, ReadError};

/// The fields of the file header.
pub(super) struct NetmonHeader {
    /// Link type of every frame, as libpcap numbers it.
    pub(super) link: u16,
    /// When the capture began.
    start_ns: i64,
    /// The first version: shorter headers of frames, times in milliseconds.
    first_version: bool,
    /// Bytes after the data of a frame.
    trailer_bytes: usize,
    /// Bytes until the table of offsets.
    left: usize,
}

impl NetmonHeader {
    /// The format and the bytes of its header. Returns `None` if it is another.
    pub(super) fn open(head: &[u8]) -> Result<Option<(NetmonHeader, usize)>, ReadError> {
        let first_version = head.starts_with(b"RTSS");
        if !first_version && !head.starts_with(b"GMBU") {
            return Ok(None);
        }
        let wrong = |what: &str| ReadError::Corrupt {
            offset: 0,
            what: what.into(),
            fix: "convert it with `editcap -F pcap IN OUT`",
        };
        if head.len() < HEADER_BYTES {
            return Err(wrong("the NetMon file ends inside its header"));
        }
        let (minor, major) = (head[4], head[5]);
        let table = u32_at(head, 24, false) as usize;
        let known = if first_version { 1 } else { 2 };
        if major != known || table < HEADER_BYTES {
            return Err(wrong(
                "this version of the NetMon format is not supported (1 and 2 are)",
            ));
        }
        let netmon = NetmonHeader {
            link: link_type(u16_at(head, 6, false)),
            start_ns: system_time(&head[8..24]),
            first_version,
            trailer_bytes: match minor {
                _ if first_version => 0,
                0 => 0,
                1 => 2,
                2 => 6,
                _ => 15,
            },
            left: table - HEADER_BYTES,
        };
        Ok(Some((netmon, HEADER_BYTES)))
    }

    /// The next frame of `rest`; after the last one, the rest of the file.
    pub(super) fn step(&mut self, rest: &[u8]) -> ReadStep {
        if self.left == 0 {
            return ReadStep::Record(rest.len(), None);
        }
        let header = if self.first_version { 8 } else { 16 };
        if rest.len() < header {
            return ReadStep::Need(header);
        }
        let (wire, captured) = if self.first_version {
            (
                u32::from(u16_at(rest, 4, false)),
                usize::from(u16_at(rest, 6, false)),
            )
        } else {
            (u32_at(rest, 8, false), u32_at(rest, 12, false) as usize)
        };
        let total = header + captured + self.trailer_bytes;
        if captured > MAX_RECORD_BYTES || total > self.left {
            return ReadStep::Stop(FileProblem {
                id: "file.corrupt",
                offset: 0,
                text: "a frame is longer than the file says; everything before was read".into(),
            });
        }
        if rest.len() < total {
            return ReadStep::Need(total);
        }
        self.left -= total;
        let low = i64::from(u32_at(rest, 0, false));
        let after_ns = if self.first_version {
            low * 1_000_000
        } else {
            let micros = i64::from(u32_at(rest, 4, false)) << 32 | low;
            micros.saturating_mul(1_000)
        };
        // A frame may be of another type than the file.
        let own = (self.trailer_bytes >= 2).then(|| u16_at(rest, header + captured, false));
        let frame = Frame {
            time_ns: self.start_ns.saturating_add(after_ns),
            offset: header as u32,
            captured: captured as u32,
            wire: wire.max(captured as u32),
            link: own.map_or(self.link, link_type),
        };
        ReadStep::Record(total, Some(frame))
    }
}

/// The link type of a media type, as libpcap numbers it.
fn link_type(medium: u16) -> u16 {
    match medium {
        1 => 1,
        2 => 6,
        3 => FDDI_SWAPPED,
        6 => WIFI,
        // Tunnels, mobile networks, and IP by itself.
        7..=9 => 101,
        0xE000..=0xEFFF => medium & 0x0FFF,
        other => other.saturating_add(UNKNOWN_LINK),
    }
}

/// Nanoseconds since 1970 of a SYSTEMTIME: year, month, weekday, day, hour,
/// minute, second, milliseconds.
fn system_time(bytes: &[u8]) -> i64 {
    let field = |n: usize| i64::from(u16_at(bytes, n * 2, false));
    let days = days_from_civil(field(0), field(1) as u32, field(3) as u32);
    let seconds = days * 86_400 + field(4) * 3_600 + field(5) * 60 + field(6);
    seconds * 1_000_000_000 + field(7) * 1_000_000
}

const HEADER_BYTES: usize = 128;

/// FDDI with addresses in the order of the wire.
const FDDI_SWAPPED: u16 = 60_003;

/// 802.11 after a header of NetMon.
const WIFI: u16 = 60_006;

/// Media types that libpcap has no number for stay unknown.
const UNKNOWN_LINK: u16 = 60_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_the_header_is_that_of_the_calendar() {
        let mut bytes = Vec::new();
        for field in [2024_u16, 2, 4, 29, 12, 30, 1, 500] {
            bytes.extend(field.to_le_bytes());
        }
        assert_eq!(system_time(&bytes), 1_709_209_801_500_000_000);
    }
}

//! Files of Endace cards: records in sequence, without a header of the file.
//!
//! A record is its header, extension headers, and the frame. It is handed on
//! whole, as pcap files of this link type hold it.
//! Invariant: what does not look like a record from its first bytes on is not
//! taken for one, because nothing names the format.
//! Reference: "ERF Record Types", Endace; the link type LINKTYPE_ERF.

use super::{Frame, ReadStep};
use crate::FileProblem;

/// Whether a file that begins like this is one of records.
pub(super) fn recognise(head: &[u8]) -> bool {
    let Some(first) = Record::of(head) else {
        return false;
    };
    // A text may have such numbers by chance.
    let text = head[..HEADER_BYTES]
        .iter()
        .all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
    let next = head.get(first.bytes..).unwrap_or_default();
    let follows = next.len() < HEADER_BYTES || Record::of(next).is_some();
    !text && first.is_likely() && follows
}

/// The next record of `rest`.
pub(super) fn step(rest: &[u8]) -> ReadStep {
    if rest.len() < HEADER_BYTES {
        return ReadStep::Need(HEADER_BYTES);
    }
    let Some(record) = Record::of(rest) else {
        return ReadStep::Stop(FileProblem {
            id: "file.corrupt",
            offset: 0,
            text: "the following bytes are not an ERF record; everything before was read".into(),
        });
    };
    if rest.len() < record.bytes {
        return ReadStep::Need(record.bytes);
    }
    let frame = Frame {
        time_ns: record.time_ns,
        offset: 0,
        captured: record.bytes as u32,
        wire: (record.wire + HEADER_BYTES).max(record.bytes) as u32,
        link: LINK,
    };
    ReadStep::Record(record.bytes, Some(frame))
}

/// The fields of a record's header.
struct Record {
    time_ns: i64,
    kind: u8,
    /// All of it, with its header.
    bytes: usize,
    /// The frame on the wire.
    wire: usize,
}

impl Record {
    /// Returns `None` if the bytes are not a header.
    fn of(bytes: &[u8]) -> Option<Record> {
        let header = bytes.get(..HEADER_BYTES)?;
        let kind = header[8] & 0x7F;
        let record = usize::from(u16::from_be_bytes([header[10], header[11]]));
        let wire = usize::from(u16::from_be_bytes([header[14], header[15]]));
        if !KINDS.contains(&kind) || record < HEADER_BYTES {
            return None;
        }
        let mut stamp = [0; 8];
        stamp.copy_from_slice(&header[..8]);
        // Seconds with a binary fraction.
        let stamp = u64::from_le_bytes(stamp);
        let nanos = ((stamp & 0xFFFF_FFFF) * 1_000_000_000) >> 32;
        Some(Record {
            time_ns: ((stamp >> 32) * 1_000_000_000 + nanos) as i64,
            kind,
            bytes: record,
            wire,
        })
    }

    /// Whether time and lengths fit each other.
    fn is_likely(&self) -> bool {
        if self.kind == META {
            // About the recorder, with or without a time.
            return self.bytes.is_multiple_of(8);
        }
        let possible = EARLIEST_NS..LATEST_NS;
        // Padding, check sequence and extension headers may be added.
        possible.contains(&self.time_ns) && self.bytes <= self.wire + HEADER_BYTES + MOST_ADDED
    }
}

const HEADER_BYTES: usize = 16;

/// The link type of a record.
const LINK: u16 = 197;

/// Types of records that are defined.
const KINDS: std::ops::RangeInclusive<u8> = 1..=48;

/// A record about the recorder.
const META: u8 = 27;

/// The first cards, and the end of a signed 32-bit clock.
const EARLIEST_NS: i64 = 820_000_000_000_000_000;
const LATEST_NS: i64 = 4_200_000_000_000_000_000;

/// Maximum number of bytes of a record in addition to its frame and first header.
const MOST_ADDED: usize = 64;

//! Files of snoop, the recorder of Solaris.
//!
//! A header with the link type, then records that say how long they are.
//! Reference: RFC 1761.

use super::{Frame, MAX_RECORD_BYTES, ReadStep, u32_at};
use crate::{FileProblem, ReadError};

/// The fields of the file header.
pub(super) struct SnoopHeader {
    /// Link type of every frame, as libpcap numbers it.
    pub(super) link: u16,
}

impl SnoopHeader {
    /// The format and the bytes of its header. Returns `None` if it is another.
    pub(super) fn open(head: &[u8]) -> Result<Option<(SnoopHeader, usize)>, ReadError> {
        if !head.starts_with(b"snoop\0\0\0") {
            return Ok(None);
        }
        let wrong = |offset: u64, what: String| ReadError::Corrupt {
            offset,
            what,
            fix: "convert it with `editcap -F pcap IN OUT`",
        };
        if head.len() < HEADER_BYTES {
            let what = "the snoop file ends inside its header".to_owned();
            return Err(wrong(head.len() as u64, what));
        }
        let version = u32_at(head, 8, true);
        if version != 2 {
            let what = format!("version {version} of the snoop format is not supported (2 is)");
            return Err(wrong(8, what));
        }
        let link = match u32_at(head, 12, true) {
            0 | 4 => 1,
            2 => 6,
            8 => 10,
            other => UNKNOWN_LINK.saturating_add(other as u16),
        };
        Ok(Some((SnoopHeader { link }, HEADER_BYTES)))
    }

    /// The next record of `rest`.
    pub(super) fn step(&mut self, rest: &[u8]) -> ReadStep {
        if rest.len() < RECORD_BYTES {
            return ReadStep::Need(RECORD_BYTES);
        }
        let word = |at: usize| u32_at(rest, at, true);
        let (wire, captured, total) = (word(0), word(4) as usize, word(8) as usize);
        if captured > MAX_RECORD_BYTES
            || total > MAX_RECORD_BYTES
            || total < RECORD_BYTES + captured
        {
            return ReadStep::Stop(FileProblem {
                id: "file.corrupt",
                offset: 0,
                text: "a record is shorter than its frame; everything before was read".into(),
            });
        }
        if rest.len() < total {
            return ReadStep::Need(total);
        }
        let frame = Frame {
            time_ns: i64::from(word(16)) * 1_000_000_000 + i64::from(word(20)) * 1_000,
            offset: RECORD_BYTES as u32,
            captured: captured as u32,
            wire: wire.max(captured as u32),
            link: self.link,
        };
        ReadStep::Record(total, Some(frame))
    }
}

const HEADER_BYTES: usize = 16;
const RECORD_BYTES: usize = 24;

/// Link types of snoop that libpcap has no number for stay unknown.
const UNKNOWN_LINK: u16 = 61_000;

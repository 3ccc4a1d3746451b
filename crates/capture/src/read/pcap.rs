//! The classic format: one header, one link type, records.
//!
//! Both byte orders, microseconds and nanoseconds, and the variant with
//! eight more bytes a record that some kernels wrote.

use super::{Frame, MAX_RECORD_BYTES, ReadStep, u16_at, u32_at};
use crate::{FileProblem, ReadError};

/// The fields of the file header.
pub(super) struct PcapHeader {
    /// Link type of every frame.
    pub(super) link: u16,
    swapped: bool,
    /// Nanoseconds in a unit of the fraction.
    unit_ns: i64,
    record_bytes: usize,
}

impl PcapHeader {
    /// The format and the bytes of its header. Returns `None` if it is not pcap.
    pub(super) fn open(head: &[u8]) -> Result<Option<(PcapHeader, usize)>, ReadError> {
        if head.len() < 4 {
            return Ok(None);
        }
        let swapped = matches!(u32_at(head, 0, true), MICROS | NANOS | MODIFIED);
        let (unit_ns, record_bytes) = match u32_at(head, 0, swapped) {
            MICROS => (1_000, 16),
            NANOS => (1, 16),
            MODIFIED => (1_000, 24),
            _ => return Ok(None),
        };
        if head.len() < HEADER_BYTES {
            return Err(ReadError::Corrupt {
                offset: head.len() as u64,
                what: "the file ends inside its header, before any packet".into(),
                fix: "record it again",
            });
        }
        let major = u16_at(head, 4, swapped);
        if major != 2 {
            return Err(ReadError::Corrupt {
                offset: 4,
                what: format!("version {major} of the pcap format is not supported (2 is)"),
                fix: "convert it with `editcap -F pcap IN OUT`",
            });
        }
        // The upper bits hold the length of a frame check sequence.
        let link = (u32_at(head, 20, swapped) & 0xffff) as u16;
        let pcap = PcapHeader {
            link,
            swapped,
            unit_ns,
            record_bytes,
        };
        Ok(Some((pcap, HEADER_BYTES)))
    }

    /// The next record of `rest`.
    #[inline]
    pub(super) fn step(&mut self, rest: &[u8]) -> ReadStep {
        if rest.len() < self.record_bytes {
            return ReadStep::Need(self.record_bytes);
        }
        let captured = u32_at(rest, 8, self.swapped) as usize;
        let wire = u32_at(rest, 12, self.swapped);
        if captured > MAX_RECORD_BYTES {
            return ReadStep::Stop(FileProblem {
                id: "file.corrupt",
                offset: 0,
                text: format!(
                    "a record claims {captured} bytes; the file is damaged here (often by a \
                     transfer in text mode), everything before was read; copy it again in binary"
                ),
            });
        }
        let total = self.record_bytes + captured;
        if rest.len() < total {
            return ReadStep::Need(total);
        }
        let seconds = u32_at(rest, 0, self.swapped) as i64;
        let fraction = u32_at(rest, 4, self.swapped) as i64;
        let frame = Frame {
            time_ns: seconds * 1_000_000_000 + fraction * self.unit_ns,
            offset: self.record_bytes as u32,
            captured: captured as u32,
            wire: wire.max(captured as u32),
            link: self.link,
        };
        ReadStep::Record(total, Some(frame))
    }
}

const MICROS: u32 = 0xa1b2_c3d4;
const NANOS: u32 = 0xa1b2_3c4d;
const MODIFIED: u32 = 0xa1b2_cd34;
const HEADER_BYTES: usize = 24;

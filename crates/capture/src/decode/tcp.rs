//! The TCP header and its options.

use super::{SkipReason, SynOptions, be16, be32};
use crate::TcpFlags;

/// The fields of the header.
pub(super) struct Header {
    pub(super) source: u16,
    pub(super) destination: u16,
    pub(super) seq: u32,
    pub(super) ack: u32,
    /// Length of the header.
    pub(super) bytes: usize,
    pub(super) flags: TcpFlags,
    pub(super) window: u16,
    pub(super) checksum: u16,
    pub(super) ts_value: u32,
    pub(super) ts_echo: u32,
    pub(super) sack: bool,
    pub(super) dsack: Option<u32>,
    pub(super) multipath: bool,
    pub(super) syn: SynOptions,
}

/// Reads a header; options are read as far as captured.
#[inline]
pub(super) fn header(bytes: &[u8]) -> Result<Header, SkipReason> {
    if bytes.len() < 20 {
        return Err(SkipReason::Undecodable);
    }
    let length = (bytes[12] >> 4) as usize * 4;
    if length < 20 {
        return Err(SkipReason::Undecodable);
    }
    let flags = TcpFlags(bytes[13]);
    let mut header = Header {
        source: be16(bytes, 0),
        destination: be16(bytes, 2),
        seq: be32(bytes, 4),
        ack: if flags.has(TcpFlags::ACK) {
            be32(bytes, 8)
        } else {
            0
        },
        bytes: length,
        flags,
        window: be16(bytes, 14),
        checksum: be16(bytes, 16),
        ts_value: 0,
        ts_echo: 0,
        sack: false,
        dsack: None,
        multipath: false,
        syn: SynOptions::default(),
    };
    let options = &bytes[20..length.min(bytes.len())];
    // Nearly every segment of today's systems: NOP, NOP, timestamps.
    if options.len() == 12 && options[..4] == [1, 1, 8, 10] {
        header.ts_value = be32(options, 4);
        header.ts_echo = be32(options, 8);
        header.syn.timestamps = flags.has(TcpFlags::SYN);
    } else if !options.is_empty() {
        header.read_options(options);
    }
    Ok(header)
}

impl Header {
    fn read_options(&mut self, mut options: &[u8]) {
        while let [kind, rest @ ..] = options {
            match kind {
                0 => return,
                1 => {
                    options = rest;
                    continue;
                }
                _ => {}
            }
            let Some(length) = rest.first().map(|length| *length as usize) else {
                return;
            };
            let Some(value) = options.get(2..length) else {
                return;
            };
            match (kind, value.len()) {
                (2, 2) => self.syn.mss = Some(be16(value, 0)),
                (3, 1) => self.syn.window_scale = Some(value[0].min(14)),
                (4, 0) => self.syn.sack_permitted = true,
                (5, 8..) => self.read_sack(value),
                (8, 8) => {
                    self.ts_value = be32(value, 0);
                    self.ts_echo = be32(value, 4);
                    self.syn.timestamps = true;
                }
                (30, _) => self.multipath = true,
                _ => {}
            }
            options = &options[length..];
        }
    }

    /// A first block at or below the acknowledgement, or inside the second
    /// block, reports a duplicate (RFC 2883).
    fn read_sack(&mut self, value: &[u8]) {
        self.sack = true;
        let before = |a: u32, b: u32| (a.wrapping_sub(b) as i32) < 0;
        let (left, right) = (be32(value, 0), be32(value, 4));
        let below = !before(self.ack, right);
        let inside =
            value.len() >= 16 && !before(left, be32(value, 8)) && !before(be32(value, 12), right);
        if below || inside {
            self.dsack = Some(left);
        }
    }
}

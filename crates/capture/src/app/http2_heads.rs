//! Header blocks of HTTP/2: collected from their frames and decoded to the fields
//! of a request or response.
//!
//! Decompression (RFC 7541) has a state that every block changes, so a block
//! that was not captured ends it for its direction: from there on heads are unknown.
//! Padding and priority are of a frame, not of the block (RFC 9113, 6.2, 6.6).
//! Invariant: at most [`MAX_BLOCK_BYTES`] of a block are held a direction.

use super::PacketStamp;
use super::hpack::HpackDecoder;

/// The header blocks of one direction.
#[derive(Debug)]
pub(super) struct HeaderBlocks {
    /// `None` if a block was missed.
    decoder: Option<HpackDecoder>,
    block: Vec<u8>,
    /// Start of the current frame in the block.
    frame_at: usize,
    /// First byte of the block's first frame, header included.
    pub(super) start: PacketStamp,
    /// Bytes of the block's frames, headers included.
    pub(super) bytes: u64,
}

/// The decoded fields of a block; missing ones are empty.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct DecodedHead {
    pub(super) method: Vec<u8>,
    pub(super) path: Vec<u8>,
    pub(super) status: Option<u16>,
    /// Its content is messages of gRPC.
    pub(super) grpc: bool,
    pub(super) grpc_status: Option<u16>,
}

impl Default for HeaderBlocks {
    fn default() -> HeaderBlocks {
        HeaderBlocks {
            decoder: Some(HpackDecoder::default()),
            block: Vec::new(),
            frame_at: 0,
            start: PacketStamp::default(),
            bytes: 0,
        }
    }
}

impl HeaderBlocks {
    /// A block begins with the frame whose header ended at `stamp`.
    pub(super) fn begin(&mut self, stamp: PacketStamp) {
        self.block.clear();
        self.start = stamp;
        self.bytes = 0;
    }

    /// A frame of the block begins.
    pub(super) fn begin_frame(&mut self) {
        self.frame_at = self.block.len();
    }

    /// Bytes of the frame's payload.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        if self.block.len() + bytes.len() > MAX_BLOCK_BYTES {
            self.lose();
        }
        if self.decoder.is_some() {
            self.block.extend_from_slice(bytes);
        }
    }

    /// Bytes that were not captured: the table is out of step from here on.
    pub(super) fn lose(&mut self) {
        self.decoder = None;
        self.block = Vec::new();
    }

    /// Ends a frame: removes bytes that are not of the block, `before` bytes in
    /// front (without the length of the padding) and the padding after them.
    pub(super) fn end_frame(&mut self, padded: bool, before: usize) {
        if self.decoder.is_none() {
            return;
        }
        let frame = &self.block[self.frame_at..];
        let padding = match (padded, frame.first()) {
            (false, _) => 0,
            (true, Some(length)) => usize::from(*length),
            (true, None) => return self.lose(),
        };
        let front = before + usize::from(padded);
        if front + padding > frame.len() {
            return self.lose();
        }
        self.block.truncate(self.block.len() - padding);
        self.block.drain(self.frame_at..self.frame_at + front);
    }

    /// Ends the block and decodes it. Returns `None` if it cannot be read.
    pub(super) fn end(&mut self) -> Option<DecodedHead> {
        let Some(fields) = (self.decoder.as_mut()?).decode(&self.block) else {
            self.lose();
            return None;
        };
        let mut head = DecodedHead::default();
        for (name, value) in fields {
            match &name[..] {
                b":method" => head.method = value,
                b":path" => head.path = value,
                b":status" => head.status = number(&value),
                b"content-type" => head.grpc = value.starts_with(b"application/grpc"),
                b"grpc-status" => head.grpc_status = number(&value),
                _ => {}
            }
        }
        Some(head)
    }
}

fn number(digits: &[u8]) -> Option<u16> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// A header block longer than this is not read; servers refuse it earlier.
const MAX_BLOCK_BYTES: usize = 64 * 1024;

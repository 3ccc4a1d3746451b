//! Messages of gRPC in the bodies of HTTP/2 streams.
//!
//! A message has a byte that says whether it is compressed and four of
//! length in front; one call has one or many of them each way.
//! Reference: the gRPC protocol over HTTP/2, "Length-Prefixed-Message".
//! Invariant: at most [`MAX_CALLS`] calls are followed a connection.

use crate::ConnectionSide;
use std::collections::HashMap;

/// The calls of a connection, by stream.
#[derive(Debug, Default)]
pub(super) struct GrpcCalls {
    open: HashMap<u32, [GrpcDirection; 2], foldhash::fast::FixedState>,
}

#[derive(Clone, Copy, Debug, Default)]
struct GrpcDirection {
    prefix: [u8; PREFIX_BYTES],
    have: usize,
    left: u64,
    /// Bytes of a length field are missing.
    lost: bool,
}

impl GrpcCalls {
    /// A call begins.
    pub(super) fn begin(&mut self, stream: u32) {
        if self.open.len() < MAX_CALLS {
            self.open.insert(stream, Default::default());
        }
    }

    /// The stream is a call that is followed.
    pub(super) fn contains(&self, stream: u32) -> bool {
        self.open.contains_key(&stream)
    }

    /// The call is over.
    pub(super) fn end(&mut self, stream: u32) {
        self.open.remove(&stream);
    }

    /// Bytes of a body; returns the messages that end in them.
    pub(super) fn take(&mut self, stream: u32, side: ConnectionSide, mut bytes: &[u8]) -> u32 {
        let Some(call) = self.open.get_mut(&stream) else {
            return 0;
        };
        let direction = &mut call[side.index()];
        let mut ended = 0;
        while !bytes.is_empty() && !direction.lost {
            if direction.have < PREFIX_BYTES {
                let take = (PREFIX_BYTES - direction.have).min(bytes.len());
                direction.prefix[direction.have..][..take].copy_from_slice(&bytes[..take]);
                direction.have += take;
                bytes = &bytes[take..];
                if direction.have == PREFIX_BYTES {
                    let [compressed, length @ ..] = direction.prefix;
                    direction.left = u64::from(u32::from_be_bytes(length));
                    direction.lost = compressed > 1;
                    ended += direction.end();
                }
            } else {
                let take = direction.left.min(bytes.len() as u64);
                direction.left -= take;
                bytes = &bytes[take as usize..];
                ended += direction.end();
            }
        }
        ended
    }

    /// Bytes of a body that were not captured; returns 1 when a message ends with
    /// them.
    pub(super) fn miss(&mut self, stream: u32, side: ConnectionSide, missing: u64) -> u32 {
        let Some(call) = self.open.get_mut(&stream) else {
            return 0;
        };
        let direction = &mut call[side.index()];
        if direction.have < PREFIX_BYTES || missing > direction.left {
            direction.lost = true;
            return 0;
        }
        direction.left -= missing;
        direction.end()
    }
}

impl GrpcDirection {
    /// 1 when the message is whole; the next begins.
    fn end(&mut self) -> u32 {
        let whole = self.left == 0 && !self.lost;
        if whole {
            self.have = 0;
        }
        u32::from(whole)
    }
}

const PREFIX_BYTES: usize = 5;

/// Calls of one connection; servers allow a hundred or so at one time.
const MAX_CALLS: usize = 1024;

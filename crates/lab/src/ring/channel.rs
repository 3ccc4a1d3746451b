//! The channel between a front end and its host: one program at a time, a write
//! or a read, each with as many PIUs as MAXBFRU allows.
//!
//! A write also transfers data that waits to be read, and an attention data that
//! waits to be written: the next channel program begins at once.

use super::config::{self, AcknowledgePoint, PathControl};
use super::hold::{ChannelBuffer, SUBAREA_BYTES};
use std::collections::VecDeque;

/// A channel, the data waiting on both sides, and the front end's queue to the
/// ring.
#[derive(Debug)]
pub(super) struct Channel {
    config: config::Channel,
    /// The front end's cost of a PIU.
    pub(super) path_control: PathControl,
    /// Whether its frames are acknowledged after that.
    pub(super) acknowledges: AcknowledgePoint,
    /// The host's cost of a channel program.
    pub(super) program_ns: u64,
    /// PIUs waiting in the front end.
    pub(super) inbound: ChannelBuffer,
    /// PIUs waiting in VTAM.
    pub(super) outbound: ChannelBuffer,
    /// The front end's PIUs for the ring.
    pub(super) to_ring: VecDeque<Vec<u8>>,
    busy: bool,
}

/// A channel program that begins.
#[derive(Debug)]
pub(super) struct Program {
    /// Whether the host writes.
    pub(super) write: bool,
    /// The PIUs that move.
    pub(super) batch: Vec<Vec<u8>>,
    /// Its duration.
    pub(super) ns: u64,
}

impl Channel {
    /// An idle channel.
    pub(super) fn new(front_end: &config::FrontEnd) -> Channel {
        let config = front_end.channel;
        let hold = |delay_ns| ChannelBuffer::new(config.unit_bytes, config.max_units, delay_ns);
        Channel {
            config,
            path_control: front_end.path_control,
            acknowledges: front_end.acknowledges,
            program_ns: front_end.host.channel_program_ns,
            inbound: hold(config.inbound_delay_ns),
            outbound: hold(config.outbound_delay_ns),
            to_ring: VecDeque::new(),
            busy: false,
        }
    }

    /// Begins the next program if one is due.
    pub(super) fn begin(&mut self, now: u64) -> Option<Program> {
        if self.busy {
            return None;
        }
        if self.inbound.is_due(now) {
            self.outbound.release(now);
        }
        let write = self.outbound.is_due(now);
        if write {
            self.inbound.release(now);
        } else if !self.inbound.is_due(now) {
            return None;
        }
        let hold = if write {
            &mut self.outbound
        } else {
            &mut self.inbound
        };
        let batch = hold.take(now);
        let bytes: usize = batch.iter().map(|piu| piu.len() + SUBAREA_BYTES).sum();
        self.busy = true;
        Some(Program {
            write,
            batch,
            ns: self.config.ns(bytes),
        })
    }

    /// The program has ended.
    pub(super) fn end(&mut self) {
        self.busy = false;
    }
}

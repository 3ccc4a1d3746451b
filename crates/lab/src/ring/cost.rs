//! The cost of a machine's work: processor time by verb, RU, frame and byte,
//! and the transfer by its adapter.
//!
//! These are the quantities that a paper does not publish and an experiment
//! has to calibrate. All are times of an otherwise idle machine; waiting comes
//! out of the simulation. Per-byte costs are in picoseconds so that all sums
//! stay integers.

/// Processor time of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessorCost {
    /// A verb that a program issues, down to the session and back.
    pub verb_ns: u64,
    /// Dispatching a program whose event has occurred.
    pub dispatch_ns: u64,
    /// A whole RU in transit out: chaining, pacing, header. On a workstation a
    /// response or a pacing message costs as much; in a host both stay in its
    /// access method.
    pub ru_out_ns: u64,
    /// A whole received RU, likewise.
    pub ru_in_ns: u64,
    /// A data frame in transit out: link header, command to the adapter.
    pub frame_out_ns: u64,
    /// A received data frame: interrupt, link header.
    pub frame_in_ns: u64,
    /// A frame without data, either way.
    pub control_ns: u64,
    /// Each byte of a frame in transit out, in picoseconds: into the card's memory,
    /// where the processor does that.
    pub byte_out_ps: u64,
    /// Each byte of a received frame, in picoseconds: out of the card's memory.
    pub byte_in_ps: u64,
    /// Each byte from a program's buffer down to the link layer, in
    /// picoseconds.
    pub copy_out_ps: u64,
    /// Each byte from the link layer up to a program's buffer, in picoseconds.
    pub copy_in_ps: u64,
    /// Each buffer that a frame fills in transit in.
    pub buffer_ns: u64,
    /// The size of those buffers; zero for one that holds any frame.
    pub buffer_bytes: usize,
}

/// An adapter card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterCard {
    /// Memory for received frames that the machine has not read yet.
    pub receive_bytes: usize,
    /// Frames that may wait on the card to be sent.
    pub transmit_frames: usize,
    /// How bytes move between the card and the machine.
    pub transfer: AdapterTransfer,
    /// Whether the processor waits until a frame has left, as a program
    /// without interrupts or tasks does.
    pub waits_for_send: bool,
}

/// How bytes move between an adapter and its machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdapterTransfer {
    /// The processor copies them out of shared memory; [`ProcessorCost`] has the time.
    Processor,
    /// The card writes them to memory while the processor does other things.
    BusMaster {
        /// Setting up the transfer of a frame.
        frame_ns: u64,
        /// Each byte, in picoseconds.
        byte_ps: u64,
    },
}

impl ProcessorCost {
    /// The same time for a verb, a dispatch, an RU and a frame, half of it for
    /// a frame without data, and none for a byte.
    pub fn uniform(step_ns: u64) -> ProcessorCost {
        ProcessorCost {
            verb_ns: step_ns,
            dispatch_ns: step_ns,
            ru_out_ns: step_ns,
            ru_in_ns: step_ns,
            frame_out_ns: step_ns,
            frame_in_ns: step_ns,
            control_ns: step_ns / 2,
            ..ProcessorCost::default()
        }
    }

    /// A PIU going down from its session to the link layer.
    pub fn session_out_ns(&self, bytes: usize, begins: bool) -> u64 {
        let ru = if begins { self.ru_out_ns } else { 0 };
        ru + bytes_ns(bytes, self.copy_out_ps)
    }

    /// A data frame going from the link layer to the card.
    pub fn link_out_ns(&self, bytes: usize) -> u64 {
        self.frame_out_ns + bytes_ns(bytes, self.byte_out_ps)
    }

    /// A data frame coming from the card to the link layer.
    pub fn link_in_ns(&self, bytes: usize) -> u64 {
        let buffers = buffers(bytes, self.buffer_bytes) as u64;
        self.frame_in_ns + buffers * self.buffer_ns + bytes_ns(bytes, self.byte_in_ps)
    }

    /// A PIU going up from the link layer to its session.
    pub fn session_in_ns(&self, bytes: usize, begins: bool) -> u64 {
        let ru = if begins { self.ru_in_ns } else { 0 };
        ru + bytes_ns(bytes, self.copy_in_ps)
    }

    /// All the way down, on a machine that has no card of its own.
    pub fn out_ns(&self, bytes: usize, begins_ru: bool) -> u64 {
        self.session_out_ns(bytes, begins_ru) + self.link_out_ns(bytes)
    }

    /// All the way up.
    pub fn in_ns(&self, bytes: usize, begins_ru: bool) -> u64 {
        self.link_in_ns(bytes) + self.session_in_ns(bytes, begins_ru)
    }
}

impl AdapterTransfer {
    /// How long the card needs for a frame; zero when the processor does it.
    pub fn ns(&self, bytes: usize) -> u64 {
        match self {
            AdapterTransfer::Processor => 0,
            AdapterTransfer::BusMaster { frame_ns, byte_ps } => {
                frame_ns + bytes_ns(bytes, *byte_ps)
            }
        }
    }
}

/// The number of buffers of `size` hold `bytes`; one for a size of zero.
pub fn buffers(bytes: usize, size: usize) -> usize {
    match size {
        0 => 1,
        size => bytes.div_ceil(size).max(1),
    }
}

/// The time of `bytes` at `ps` picoseconds each.
pub(super) fn bytes_ns(bytes: usize, ps: u64) -> u64 {
    (bytes as u64).saturating_mul(ps) / 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_pays_for_its_ru_once_and_for_every_buffer() {
        let cost = ProcessorCost {
            ru_in_ns: 1000,
            frame_in_ns: 100,
            byte_in_ps: 1000,
            buffer_ns: 10,
            buffer_bytes: 256,
            ..ProcessorCost::default()
        };
        assert_eq!(cost.in_ns(512, true), 1000 + 100 + 2 * 10 + 512);
        assert_eq!(cost.in_ns(513, false), 100 + 3 * 10 + 513);
        assert_eq!(buffers(0, 256), 1);
        assert_eq!(buffers(5000, 0), 1);
    }
}

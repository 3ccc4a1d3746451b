//! The configuration of a simulated network and its workload.
//!
//! Names are the products' own: MAXOUT, T2TIMER, MAXTSL, RCVBUFC, MAXBFRU,
//! UNITSZ, DELAY, IOBUF. Times are in nanoseconds, sizes in bytes.

use super::cost::{AdapterCard, AdapterTransfer, ProcessorCost, buffers, bytes_ns};
use super::medium::TokenRing;

/// A network of two ends.
#[derive(Clone, Debug)]
pub struct RingNetwork {
    /// The ring that the client is on.
    pub ring: TokenRing,
    /// The machine whose program allocates and sends first.
    pub client: RingMachine,
    /// The client's partner.
    pub server: Server,
}

/// The other end of the conversation.
#[derive(Clone, Debug)]
pub enum Server {
    /// A machine on the same ring.
    OnRing(RingMachine),
    /// A host connected by a front end and a channel.
    WithFrontEnd(Box<FrontEnd>),
}

/// A machine with a program, a logical unit and a place on the ring.
#[derive(Clone, Debug)]
pub struct RingMachine {
    /// The cost of its work.
    pub cost: ProcessorCost,
    /// Its adapter.
    pub adapter: AdapterCard,
    /// Its link station.
    pub link: Link,
    /// Its mode definition.
    pub session: Session,
}

/// A link station's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// I frames sent before an acknowledgement is needed (MAXOUT), 1 to 127.
    pub send_window: u8,
    /// I frames received before one is given (N3; W of T2TIMER), 1 to 127.
    pub ack_every: u8,
    /// How long an acknowledgement may be delayed (T2); 0 sends it at once.
    pub t2_ns: u64,
    /// How long to wait for one (T1).
    pub t1_ns: u64,
    /// The largest information field it takes: TH, RH and RU (MAXTSL of a
    /// front end, the frame size of a workstation).
    pub max_btu_bytes: usize,
}

/// A logical unit's mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Session {
    /// Largest RU either way, before negotiation with the partner's.
    pub ru_bytes: usize,
    /// The pacing it supports.
    pub pacing: Pacing,
    /// RUs sent before a pacing response, as proposed; 1 to 63.
    pub send_window: u8,
    /// RUs received before one is given; 1 to 63.
    pub receive_window: u8,
    /// The most that adaptive pacing grants the partner.
    pub max_adaptive_window: u16,
}

/// Session-level pacing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pacing {
    /// Windows of one size; the response that grants one is an ordinary PIU.
    Fixed,
    /// The receiver grants each window with its size in an expedited message.
    Adaptive,
}

/// A communication controller with its network control program, and the host
/// on its channel.
#[derive(Clone, Debug)]
pub struct FrontEnd {
    /// The cost of its link work.
    pub cost: ProcessorCost,
    /// The cost of passing on a PIU.
    pub path_control: PathControl,
    /// When a frame is acknowledged.
    pub acknowledges: AcknowledgePoint,
    /// Its ring adapter; `receive_bytes` is RCVBUFC.
    pub adapter: AdapterCard,
    /// Its link station towards the client; `max_btu_bytes` is MAXTSL.
    pub link: Link,
    /// The channel between the two.
    pub channel: Channel,
    /// The host.
    pub host: RingHost,
}

/// When a front end's link station takes a frame in and acknowledges it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcknowledgePoint {
    /// On arrival: link work is done before path control.
    OnArrival,
    /// When path control has finished with it: all work is done in the order of
    /// the frames.
    WhenPassedOn,
}

/// The cost of a PIU in a front end between link and channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathControl {
    /// A PIU in transit to the host.
    pub piu_in_ns: u64,
    /// A PIU in transit to the ring.
    pub piu_out_ns: u64,
    /// Additional cost of a PIU in transit to the host if it is a segment: it is
    /// kept in order with the others of its RU and joined to them.
    pub segment_ns: u64,
    /// Each buffer that a PIU fills.
    pub buffer_ns: u64,
    /// The size of those buffers (BFRS).
    pub buffer_bytes: usize,
}

impl PathControl {
    /// The time for a PIU of this size in transit to the host.
    pub fn in_ns(&self, piu_bytes: usize, segment: bool) -> u64 {
        let buffers = buffers(piu_bytes, self.buffer_bytes) as u64;
        let segment = if segment { self.segment_ns } else { 0 };
        self.piu_in_ns + segment + buffers * self.buffer_ns
    }
}

/// A channel between a front end and a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Bytes of one of the host's read buffers (UNITSZ).
    pub unit_bytes: usize,
    /// Buffers of one read (MAXBFRU): as many are filled before an attention.
    pub max_units: usize,
    /// How long the front end waits for more before the attention (DELAY).
    pub inbound_delay_ns: u64,
    /// How long VTAM holds low-priority PIUs before it writes (DELAY).
    pub outbound_delay_ns: u64,
    /// Starting a channel program.
    pub start_ns: u64,
    /// Each byte, in picoseconds.
    pub byte_ps: u64,
}

/// A host.
#[derive(Clone, Debug)]
pub struct RingHost {
    /// The cost of its work; `buffer_bytes` is the size of IOBUF.
    pub cost: ProcessorCost,
    /// One channel program, in either direction.
    pub channel_program_ns: u64,
    /// Its mode definition.
    pub session: Session,
}

/// The work of the two programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingWorkload {
    /// One transaction.
    pub transaction: Transaction,
    /// Transactions before the clock counts; the conversation and the pacing
    /// windows are then as in a long run.
    pub warm_up: usize,
    /// Transactions that are timed, in sequence.
    pub repetitions: usize,
}

/// A transaction of the benchmark, on a conversation that stays allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transaction {
    /// The client sends `bytes` in buffers of `buffer_bytes` and requests a
    /// confirmation, which ends the transaction.
    FileTransfer {
        /// Bytes of user data.
        bytes: usize,
        /// Bytes of one send.
        buffer_bytes: usize,
    },
    /// The client sends, the server answers.
    Inquiry {
        /// Bytes of the question.
        send_bytes: usize,
        /// Bytes of the answer.
        answer_bytes: usize,
    },
}

impl RingWorkload {
    /// A file of this size in 32,000-byte buffers.
    pub fn file(bytes: usize, warm_up: usize, repetitions: usize) -> RingWorkload {
        RingWorkload {
            transaction: Transaction::FileTransfer {
                bytes,
                buffer_bytes: 32_000,
            },
            warm_up,
            repetitions,
        }
    }

    /// Inquiries of 100 bytes each way.
    pub fn inquiry(warm_up: usize, repetitions: usize) -> RingWorkload {
        RingWorkload {
            transaction: Transaction::Inquiry {
                send_bytes: 100,
                answer_bytes: 100,
            },
            warm_up,
            repetitions,
        }
    }
}

impl Channel {
    /// Duration of a channel program with this many bytes.
    pub fn ns(&self, bytes: usize) -> u64 {
        self.start_ns + bytes_ns(bytes, self.byte_ps)
    }
}

impl Link {
    /// A link station with these windows and frames of `max_btu_bytes`.
    pub fn new(send_window: u8, ack_every: u8, max_btu_bytes: usize) -> Link {
        Link {
            send_window,
            ack_every,
            t2_ns: 80_000_000,
            t1_ns: 2_000_000_000,
            max_btu_bytes,
        }
    }
}

impl Session {
    /// A mode with the same window both ways.
    pub fn new(ru_bytes: usize, pacing: Pacing, window: u8) -> Session {
        Session {
            ru_bytes,
            pacing,
            send_window: window,
            receive_window: window,
            max_adaptive_window: u16::from(window.max(1)),
        }
    }
}

impl AdapterCard {
    /// Shared memory of `receive_bytes` for incoming frames, and for two
    /// outgoing frames.
    pub fn shared_memory(receive_bytes: usize) -> AdapterCard {
        AdapterCard {
            receive_bytes,
            transmit_frames: 2,
            transfer: AdapterTransfer::Processor,
            waits_for_send: false,
        }
    }
}

//! The parts of a conversation: two ends, the path between them, the script, and
//! the faults of the path.
//!
//! Times are in microseconds, sizes in bytes. Every field has a default that
//! causes no stall, so that a fixture names only what it plants.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use capture::ConnectionSide;

/// The position of the capture point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CapturePlace {
    /// At the client.
    Client,
    /// Half-way.
    Middle,
    /// At the server.
    Server,
}

/// The path between the ends, the same in both directions.
#[derive(Debug, Clone)]
pub struct NetworkPath {
    /// Delay from end to end, one way.
    pub one_way_us: u64,
    /// Bytes/s that it carries each way; zero for no limit.
    pub bytes_per_s: u64,
    /// The position of the capture point.
    pub capture: CapturePlace,
    /// The faults.
    pub faults: Vec<Fault>,
    /// One data segment in this many is lost at random; zero for none.
    pub loss_one_in: u64,
    /// Each packet is delayed randomly by up to this much; the order does not
    /// change.
    pub jitter_us: u64,
    /// Every packet appears twice in the capture (a mirror of both directions).
    pub captured_twice_us: Option<u64>,
}

impl Default for NetworkPath {
    fn default() -> Self {
        NetworkPath {
            one_way_us: 100,
            bytes_per_s: 125_000_000,
            capture: CapturePlace::Client,
            faults: Vec::new(),
            loss_one_in: 0,
            jitter_us: 0,
            captured_twice_us: None,
        }
    }
}

/// One fault of the path.
#[derive(Debug, Clone)]
pub struct Fault {
    /// Whose packets it hits.
    pub from: ConnectionSide,
    /// Which packets of that side.
    pub select: PacketSelector,
    /// The effect on the packets.
    pub action: FaultAction,
}

/// Which packets a fault hits; numbers count from zero and include those sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PacketSelector {
    /// The nth SYN.
    Syn(u32),
    /// The nth packet with data.
    Data(u32),
    /// The nth to mth packet with data, the last excluded.
    DataRange(u32, u32),
    /// The nth packet without data.
    Ack(u32),
    /// Every data packet whose payload is longer.
    LongerThan(u32),
}

/// The effect of a fault on a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultAction {
    /// It never arrives.
    Lose,
    /// It arrives later by this much.
    DelayUs(u64),
    /// It arrives twice.
    Duplicate,
}

/// The acknowledgement behaviour of an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DelayedAck {
    /// Every segment at once.
    Off,
    /// Every second full segment at once, otherwise after a fixed time.
    FixedUs(u64),
    /// As above, with a time that follows the gaps between arriving segments,
    /// within these bounds, the first packets at once (Linux).
    AdaptiveUs(u64, u64),
}

/// How the application at an end reads the receive buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// As data arrives.
    AtOnce,
    /// Stops for a time after each so many bytes.
    Pausing {
        /// Bytes between pauses.
        every_bytes: u32,
        /// Length of a pause.
        pause_us: u64,
    },
}

/// One end.
#[derive(Debug, Clone)]
pub struct EndModel {
    /// The MSS it announces.
    pub mss: u16,
    /// Its initial congestion window in segments.
    pub initial_window: u32,
    /// Its receive buffer.
    pub receive_bytes: u32,
    /// Maximum number of bytes in flight, independent of the windows (a send
    /// buffer).
    pub send_limit_bytes: Option<u32>,
    /// Its acknowledgements.
    pub delayed_ack: DelayedAck,
    /// Its acknowledgement timer runs out at multiples of this; zero for at
    /// once.
    pub ack_tick_us: u64,
    /// Whether Nagle's algorithm is on.
    pub nagle: bool,
    /// Number of segments in one captured packet (TSO, GRO).
    pub offload_segments: u32,
    /// Its shortest retransmission timeout.
    pub rto_min_us: u64,
    /// Whether it offers window scaling, SACK and timestamps.
    pub options: bool,
    /// Whether the congestion window starts again after an idle time.
    pub idle_restart: bool,
    /// The reading behaviour of its application.
    pub reader: Reader,
    /// The segment size it falls back to after two timeouts of one segment.
    pub fallback_mss: Option<u16>,
    /// Retransmission timeouts end early by this much (a timer that is too short).
    pub rto_fixed_us: Option<u64>,
}

impl Default for EndModel {
    fn default() -> Self {
        EndModel {
            mss: 1460,
            initial_window: 10,
            receive_bytes: 4 << 20,
            send_limit_bytes: None,
            delayed_ack: DelayedAck::Off,
            ack_tick_us: 0,
            nagle: false,
            offload_segments: 1,
            rto_min_us: 200_000,
            options: true,
            idle_restart: false,
            reader: Reader::AtOnce,
            fallback_mss: None,
            rto_fixed_us: None,
        }
    }
}

/// One write of an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AppWrite {
    /// Time since the write before (or since the message could begin).
    pub after_us: u64,
    /// Bytes written.
    pub bytes: u32,
}

impl AppWrite {
    /// A write that follows at once.
    pub fn of(bytes: u32) -> AppWrite {
        AppWrite { after_us: 0, bytes }
    }
}

/// A request and its response.
#[derive(Debug, Clone, Default)]
pub struct Exchange {
    /// The client's pause before the request.
    pub client_think_us: u64,
    /// The request's writes.
    pub request: Vec<AppWrite>,
    /// From the last byte of the request to the first of the response.
    pub server_think_us: u64,
    /// The response's writes. `None` for a request that is never answered.
    pub response: Vec<AppWrite>,
}

impl Exchange {
    /// A request and a response of one write each, answered after `server_think_us`.
    pub fn new(request_bytes: u32, server_think_us: u64, response_bytes: u32) -> Exchange {
        Exchange {
            client_think_us: 0,
            request: vec![AppWrite::of(request_bytes)],
            server_think_us,
            response: vec![AppWrite::of(response_bytes)],
        }
    }
}

/// The contents of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PayloadKind {
    /// HTTP/1.1 with Content-Length; messages shorter than a head are padded.
    Http,
    /// A four-byte length before each message, big-endian, itself included.
    Framed,
    /// TLS 1.3 records. The handshake's two flights are exchange zero.
    Tls {
        /// Whether the client offers an earlier session.
        resumed: bool,
    },
    /// Bytes without a form.
    Opaque,
}

/// The end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseStyle {
    /// It stays open.
    Open,
    /// The client closes, then the server.
    Client,
    /// The server closes, then the client.
    Server,
    /// The server resets instead of the last response.
    ResetByServer,
    /// Something on the path does so in the server's name.
    ResetOnPath {
        /// The hop limit of its packet; those of the ends have 64.
        hop_limit: u8,
    },
    /// The client shuts its sending side before the last response arrives.
    HalfByClient,
}

/// One connection.
#[derive(Debug, Clone)]
pub struct Conversation {
    /// When its SYN is sent, since the capture began.
    pub start_us: u64,
    /// The client's address.
    pub client: SocketAddr,
    /// The server's address.
    pub server: SocketAddr,
    /// The ends.
    pub ends: [EndModel; 2],
    /// The path.
    pub path: NetworkPath,
    /// The script.
    pub exchanges: Vec<Exchange>,
    /// Its messages' form.
    pub payload: PayloadKind,
    /// Its end.
    pub close: CloseStyle,
    /// The chance of this conversation (initial sequence numbers, losses).
    pub seed: u64,
    /// Leaves out the handshake, as in a capture that starts late.
    pub without_handshake: bool,
}

impl Default for Conversation {
    fn default() -> Self {
        Conversation {
            start_us: 0,
            client: SocketAddr::new(IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)), 40_000),
            server: SocketAddr::new(IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2)), 8080),
            ends: [EndModel::default(), EndModel::default()],
            path: NetworkPath::default(),
            exchanges: Vec::new(),
            payload: PayloadKind::Http,
            close: CloseStyle::Open,
            seed: 1,
            without_handshake: false,
        }
    }
}

impl Conversation {
    /// The client's end.
    pub fn client_end(&mut self) -> &mut EndModel {
        &mut self.ends[0]
    }

    /// The server's end.
    pub fn server_end(&mut self) -> &mut EndModel {
        &mut self.ends[1]
    }
}

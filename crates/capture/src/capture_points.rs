//! The combined result of several captures of one conversation, for reports and
//! JSON.
//!
//! Only data: [`points`](crate::points) fills it.

use serde::Serialize;

/// The combined result of several captures of one conversation.
#[derive(Clone, Debug, Serialize)]
pub struct CapturePoints {
    /// The captures, the one nearest to the client first. The explanation is
    /// that of the first one.
    pub points: Vec<CaptureFile>,
    /// The parts of the path between neighbours.
    pub hops: Vec<PathHop>,
    /// On which part of the way the time passed, from the client to the server.
    pub places: Vec<PlaceTime>,
    /// Data that was sent again although it had passed every point.
    pub repeats: NeedlessRepeats,
    /// Packets that were lost between two points, the earliest first; bounded.
    pub losses: Vec<LostPacket>,
    /// Where the time of the verdict was spent.
    pub sentence: String,
}

/// One capture.
#[derive(Clone, Debug, Serialize)]
pub struct CaptureFile {
    /// The name of the file.
    pub name: String,
    /// Packets of TCP that were read of it.
    pub packets: u64,
    /// Packets beyond the limit of pairing.
    pub left_out: u64,
    /// Its clock compared with the first capture's. `None` for the first one.
    pub clock: Option<PointClock>,
}

/// The path between two neighbouring capture points.
#[derive(Clone, Debug, Serialize)]
pub struct PathHop {
    /// From the client's side to the server's.
    pub out: HopWay,
    /// From the server's side to the client's.
    pub back: HopWay,
}

/// One direction of a hop.
#[derive(Clone, Debug, Default, Serialize)]
pub struct HopWay {
    /// Packets that both points saw.
    pub packets: u64,
    /// Packets with data, SYN or FIN that only the sender's point saw.
    pub lost: u64,
    /// Acknowledgements without data that only the sender's point saw.
    pub lost_acks: u64,
    /// Packets that the receiver acknowledged although the point there does not
    /// have them: its recorder lost them, not the path.
    pub not_recorded: u64,
    /// Packets that only the receiver's point saw.
    pub unseen: u64,
    /// Packets that overtook another one.
    pub overtaken: u64,
    /// Minimum, median, p99 and maximum of the transit time, in milliseconds.
    /// `None` without a pair.
    pub delay_ms: Option<[f64; 4]>,
}

/// The clock of the second of two points, seen from the first.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct PointClock {
    /// The clock difference at the first pair, in milliseconds.
    pub ahead_ms: f64,
    /// The maximum error of `ahead_ms`. `None` if packets of only one direction
    /// were paired; then delays are relative to the shortest one.
    pub error_ms: Option<f64>,
    /// Its clock drift, in parts per million; 0 if the bounds do not require
    /// one.
    pub drift_ppm: f64,
    /// When the pairs begin.
    #[serde(skip)]
    pub(crate) origin_ns: i64,
    /// `ahead_ms` in nanoseconds.
    #[serde(skip)]
    pub(crate) ahead_ns: i64,
}

/// The time that passed on one part of the way.
#[derive(Clone, Debug, Serialize)]
pub struct PlaceTime {
    /// The part: a side of a capture, or between two.
    pub place: String,
    /// Milliseconds of the verdict's kind.
    pub verdict_ms: f64,
    /// Milliseconds of all waits that are listed.
    pub all_ms: f64,
}

/// A packet that is seen at one point and not at the next.
#[derive(Clone, Debug, Serialize)]
pub struct LostPacket {
    /// The part of the path where it was lost: between the captures `hop` and
    /// `hop + 1`, counted from 0 at the client.
    pub hop: usize,
    /// Its number in the capture that saw it.
    pub packet: u64,
    /// Whether its direction is from client to server.
    pub request_way: bool,
    /// Bytes of data; 0 for a SYN or FIN.
    pub bytes: u32,
    /// Its time on the clock of the first capture, nanoseconds since 1970.
    pub time_ns: i64,
    /// Its connection in the first capture's list of flows.
    #[serde(skip)]
    pub(crate) flow: u32,
}

/// Data that was sent again although the farthest capture had seen it.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct NeedlessRepeats {
    /// From the client: lost after the last capture, or acknowledged late.
    pub past_last: u64,
    /// From the server: lost after the first capture (on the client's side), or
    /// acknowledged late.
    pub past_first: u64,
}

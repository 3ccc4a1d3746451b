//! What several captures of one conversation show together, as reports and
//! JSON have it.
//!
//! Only data: [`points`](crate::points) fills it.

use serde::Serialize;

/// What several captures of one conversation show together.
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
    /// Where the time of the verdict passed.
    pub sentence: String,
}

/// One capture.
#[derive(Clone, Debug, Serialize)]
pub struct CaptureFile {
    /// The name of the file.
    pub name: String,
    /// Packets of TCP that were read of it.
    pub packets: u64,
    /// Packets after the limit of what is paired.
    pub left_out: u64,
    /// Its clock against that of the first capture. `None` for that itself.
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
    /// The least, middle, 99th percentile and largest time on the way, in
    /// milliseconds. `None` without a pair.
    pub delay_ms: Option<[f64; 4]>,
}

/// The clock of the second of two points, seen from the first.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct PointClock {
    /// How far it is ahead when the pairs begin, in milliseconds.
    pub ahead_ms: f64,
    /// The most that `ahead_ms` can be wrong by. `None` if packets of one
    /// direction only were paired; delays count from the shortest one then.
    pub error_ms: Option<f64>,
    /// How much faster it runs, in parts per million; 0 where the bounds do
    /// not need it.
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
    /// It went from the client to the server.
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

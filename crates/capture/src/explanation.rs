//! The result of an analysis, from which reports are made.
//!
//! Its size is bounded by [`Options`](crate::Options), not by the capture.
//! Invariant: the same file gives the same explanation, whatever the number
//! of threads.

use crate::capture_points::CapturePoints;
use crate::{
    AppProtocol, Connection, EvidenceSlice, Exchange, Histogram, LedgerInterval, MarkCounts,
    SliceTimes,
};
use serde::Serialize;
use std::net::IpAddr;

/// Everything found in a capture.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CaptureExplanation {
    /// The largest cause of lost time. `None` before an analysis.
    pub verdict: Option<EvidenceSlice>,
    /// The time of all exchanges by kind of evidence, the largest first.
    pub slices: Vec<EvidenceSlice>,
    /// The file itself.
    pub capture: CaptureInfo,
    /// Sums over everything.
    pub totals: CaptureTotals,
    /// Sums by service (server address, port and protocol), busiest first.
    pub services: Vec<ServiceTotals>,
    /// The longest waits, the longest first.
    pub waits: Vec<LedgerInterval>,
    /// Names that were looked up, the longest wait first.
    pub names: Vec<String>,
    /// The connections with the most waiting time, by first packet.
    pub connections: Vec<Connection>,
    /// The exchanges with the most waiting time, the worst first.
    pub exchanges: Vec<Exchange>,
    /// The results of other captures of the same conversations. `None` without
    /// them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<CapturePoints>,
}

/// The data that was read.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CaptureInfo {
    /// `pcap`, `pcapng` or a text format, with the compression if any.
    pub format: String,
    /// Bytes of the (uncompressed) file.
    pub bytes: u64,
    /// Packets.
    pub packets: u64,
    /// Time of the earliest packet; 0 without one.
    pub first_ns: i64,
    /// Time of the latest packet.
    pub last_ns: i64,
    /// Interfaces, over all sections.
    pub interfaces: u32,
    /// Link types that occur, by their registered numbers.
    pub link_types: Vec<u16>,
    /// Errors of the file, each with its offset, and gaps of the capture.
    pub problems: Vec<FileProblem>,
}

/// Something wrong with the file that did not stop the reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileProblem {
    /// Stable dotted name (`file.truncated`).
    pub id: &'static str,
    /// Offset in the uncompressed file; 0 when it concerns the whole.
    pub offset: u64,
    /// The problem and its remedy.
    pub text: String,
}

/// Sums over the whole capture.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CaptureTotals {
    /// TCP segments analysed.
    pub segments: u64,
    /// Frames that are not TCP.
    pub other_frames: u64,
    /// Of these: 802.2 TEST and XID frames with which stations look for each other.
    pub search_frames: u64,
    /// Of these: other 802.2 frames that are not SNA's (spanning tree, NetBIOS).
    pub llc_frames: u64,
    /// Frames whose headers were cut or make no sense.
    pub undecodable_frames: u64,
    /// IPv4 and IPv6 fragments; only a first one can be analysed.
    pub fragments: u64,
    /// Frames that were not captured completely.
    pub cut_frames: u64,
    /// Frames captured twice.
    pub duplicate_frames: u64,
    /// Packets whose time was before their predecessor's on the connection.
    pub backward_times: u64,
    /// Connections.
    pub connections: u64,
    /// Of these: began before the capture.
    pub midway_connections: u64,
    /// Of these: a SYN was never answered.
    pub unanswered_connections: u64,
    /// Of these: dropped early to keep memory bounded.
    pub evicted_connections: u64,
    /// Of these: carried data both ways and not one acknowledgement by itself.
    pub ackless_connections: u64,
    /// Of these: the times of the packets were made up.
    pub made_times: u64,
    /// DLSw links that had two TCP connections, both among the connections.
    pub paired_links: u64,
    /// DLSw connections with data of one direction, whose other half is not
    /// among the connections.
    pub half_links: u64,
    /// Exchanges.
    pub exchanges: u64,
    /// Of these: seen to their end.
    pub complete_exchanges: u64,
    /// Payload bytes.
    pub payload_bytes: u64,
    /// Time of all exchanges by kind of evidence; exchanges that ran at the same
    /// time count each.
    pub slices: SliceTimes,
    /// Number of segments with each mark.
    pub marks: MarkCounts,
}

/// Sums over one service.
#[derive(Clone, Debug, Serialize)]
pub struct ServiceTotals {
    /// Server address. `None` in the row for services beyond the size of the
    /// table.
    #[serde(serialize_with = "crate::station::serialize_some")]
    pub address: Option<IpAddr>,
    /// Server port.
    pub port: u16,
    /// The protocol.
    pub protocol: AppProtocol,
    /// Connections.
    pub connections: u64,
    /// Connections that ended with a RST.
    pub resets: u64,
    /// Connections whose SYN met a RST.
    pub refused: u64,
    /// Connections with a TLS handshake.
    pub tls: u64,
    /// Of these: resumed.
    pub tls_resumed: u64,
    /// Exchanges.
    pub exchanges: u64,
    /// Time of its exchanges by kind of evidence.
    pub slices: SliceTimes,
    /// Packets, both ways.
    pub packets: u64,
    /// Request payload bytes.
    pub request_bytes: u64,
    /// Response payload bytes.
    pub response_bytes: u64,
    /// Data segments of requests.
    pub request_segments: u64,
    /// Data segments of responses.
    pub response_segments: u64,
    /// Total time of its exchanges.
    pub times: Histogram,
}

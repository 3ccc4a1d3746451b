//! The data of one TCP connection, while it is open and after its end.
//!
//! Kinds of evidence read its state at the time of a wait; reports read the final
//! state. It has a bounded size.

use crate::sender_clock::SenderClock;
use crate::{AppProtocol, ConnectionSide, MarkCounts, SegmentMarks, SliceTimes};
use serde::Serialize;
use std::net::{IpAddr, Ipv4Addr};

/// One TCP connection.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Connection {
    /// Number of its first packet in the file: its identity.
    pub id: u64,
    /// Time of its first packet.
    pub first_ns: i64,
    /// Time of its last packet so far.
    pub last_ns: i64,
    /// The end that opened it.
    pub client: ConnectionEnd,
    /// The end that was called.
    pub server: ConnectionEnd,
    /// The protocol, recognised or given.
    pub protocol: AppProtocol,
    /// Times of the three-way handshake.
    pub handshake: TcpHandshake,
    /// The TLS handshake, where there was one.
    pub tls: Option<TlsHandshake>,
    /// How it ended.
    pub close: ConnectionClose,
    /// The position of the capture point.
    pub capture_point: CapturePoint,
    /// Exchanges finished on it.
    pub exchanges: u64,
    /// Exchanges that the client began after a pause of its own.
    #[serde(skip)]
    pub(crate) isolated_exchanges: u64,
    /// Time of its exchanges by kind of evidence.
    pub slices: SliceTimes,
    /// Packets whose distance to the previous packet equals the distance before
    /// it: typical of captures made from text, not of a network.
    pub even_gaps: u64,
    /// `true` if it was dropped to keep memory bounded, with more to come.
    pub evicted: bool,
    /// The other TCP connection of the DLSw link that it is half of. The link's
    /// exchanges are listed with the one that came first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<u64>,
}

impl Connection {
    /// True for a SYN that was answered with a reset.
    pub(crate) fn was_refused(&self) -> bool {
        self.refused_after_ns().is_some_and(|ns| ns <= PROMPT_NS)
    }

    /// Time from the first SYN to the reset that was the only answer.
    fn refused_after_ns(&self) -> Option<i64> {
        let shake = &self.handshake;
        // A client that continued had an answer that is missing in the
        // capture. A client whose only reaction was a reset had no answer.
        let waited = self.client.segments <= u64::from(shake.syns) + self.client.resets;
        // A reset that acknowledges no SYN of this client does not refuse
        // it.
        let waited = waited
            && self
                .close
                .reset_packet
                .is_some_and(|reset| reset.answers_opening);
        let alone = shake.syns > 0 && shake.syn_acks == 0 && waited;
        match self.close.reset {
            Some((ConnectionSide::Server, at_ns)) if alone => {
                Some(at_ns - shake.syn_ns.unwrap_or(at_ns))
            }
            _ => None,
        }
    }

    /// One end.
    pub fn end(&self, side: ConnectionSide) -> &ConnectionEnd {
        match side {
            ConnectionSide::Client => &self.client,
            ConnectionSide::Server => &self.server,
        }
    }

    /// Whether acknowledgements without data are missing from the capture, as a filter or
    /// a reader of sessions leaves them out.
    pub(crate) fn lacks_acks(&self) -> bool {
        let silent = |end: &ConnectionEnd, opening: u64| {
            end.data_segments >= ACKLESS_DATA && end.pure_acks <= opening
        };
        // The third packet of the handshake may be there.
        silent(&self.client, (self.handshake.syn_acks > 0) as u64) && silent(&self.server, 0)
    }

    /// Whether the capture lacks all packets of the server, although the client
    /// acknowledged some.
    pub(crate) fn lacks_answers(&self) -> bool {
        self.server.segments == 0 && self.client.marks.of(SegmentMarks::ADVANCES) > 1
    }

    /// Whether its times were made up: nearly all packets are as far apart.
    pub fn has_made_times(&self) -> bool {
        let packets = self.client.segments + self.server.segments;
        packets >= MADE_PACKETS && self.even_gaps * 4 >= packets * 3
    }

    /// One end, to change it.
    pub(crate) fn end_mut(&mut self, side: ConnectionSide) -> &mut ConnectionEnd {
        match side {
            ConnectionSide::Client => &mut self.client,
            ConnectionSide::Server => &mut self.server,
        }
    }

    /// The payload bytes that one segment of `side` can carry: the smaller of
    /// the two MSS values, less 12 bytes when both use timestamps. When the
    /// handshake was not captured: the size that full segments had.
    pub fn segment_bytes(&self, side: ConnectionSide) -> u32 {
        let agreed = match (self.client.mss, self.server.mss) {
            (Some(a), Some(b)) => a.min(b) as u32,
            (Some(one), None) | (None, Some(one)) => one as u32,
            (None, None) => return self.end(side).common_bytes.max(1),
        };
        if self.client.timestamps && self.server.timestamps {
            agreed.saturating_sub(12).max(1)
        } else {
            agreed.max(1)
        }
    }

    /// Whole round-trip time between the two ends: both parts as seen from the
    /// place of capture. Returns `None` if neither part could be measured.
    pub fn rtt_ns(&self) -> Option<i64> {
        match (self.client.rtt.best_ns(), self.server.rtt.best_ns()) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
        }
    }

    /// Returns `true` if both ends live on one machine: a loopback address or
    /// loopback's MSS.
    pub fn is_loopback(&self) -> bool {
        self.client.address.is_loopback()
            || self.server.address.is_loopback()
            || self.client.mss.is_some_and(|mss| mss > 32_000)
    }
}

/// One end of a connection: address, options, counts.
#[derive(Clone, Debug, Serialize)]
pub struct ConnectionEnd {
    /// Its address.
    #[serde(serialize_with = "crate::station::serialize")]
    pub address: IpAddr,
    /// Its port.
    pub port: u16,
    /// MSS in its SYN: the largest segment that it accepts.
    pub mss: Option<u16>,
    /// Window scale it announced, as a shift; used only when both announced one.
    pub window_scale: Option<u8>,
    /// Announced that it understands SACK.
    pub sack_permitted: bool,
    /// Announced timestamps.
    pub timestamps: bool,
    /// Sent an option of Multipath TCP.
    #[serde(skip)]
    pub(crate) multipath: bool,
    /// Segments it sent.
    pub segments: u64,
    /// Segments with payload it sent.
    pub data_segments: u64,
    /// Payload bytes it sent, repeats included.
    pub bytes: u64,
    /// Largest payload of one segment.
    pub largest_bytes: u32,
    /// Most frequent payload size among large segments (the working segment
    /// size when the handshake was not captured).
    pub common_bytes: u32,
    /// Segments with payload smaller than [`Connection::segment_bytes`].
    pub small_segments: u64,
    /// Pure acknowledgements it sent.
    pub pure_acks: u64,
    /// Resets it sent.
    #[serde(skip)]
    pub(crate) resets: u64,
    /// Number of its segments with each mark.
    pub marks: MarkCounts,
    /// Round-trip time between the place of capture and this end.
    pub rtt: RoundTripTime,
    /// The window of its SYN, bytes; 0 where the handshake was not captured.
    pub window_first_bytes: u32,
    /// Smallest window it advertised after the handshake, bytes.
    pub window_min_bytes: u32,
    /// Largest window it advertised, bytes.
    pub window_max_bytes: u32,
    /// Most bytes it had in flight.
    pub flight_max_bytes: u32,
    /// Largest segment it sent once that was acknowledged, bytes.
    pub passed_bytes: u32,
    /// Short segments that it sent while an earlier short one was not
    /// acknowledged: Nagle's algorithm is off.
    pub unheld_short: u32,
    /// The clock of its timestamps.
    #[serde(skip)]
    pub(crate) clock: SenderClock,
    /// Least and greatest hop limit (TTL) of its packets at the place of capture,
    /// resets left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hop_limits: Option<[u8; 2]>,
}

impl Default for ConnectionEnd {
    fn default() -> ConnectionEnd {
        ConnectionEnd {
            address: IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            port: 0,
            mss: None,
            window_scale: None,
            sack_permitted: false,
            timestamps: false,
            multipath: false,
            segments: 0,
            data_segments: 0,
            bytes: 0,
            largest_bytes: 0,
            common_bytes: 0,
            small_segments: 0,
            pure_acks: 0,
            resets: 0,
            marks: MarkCounts::default(),
            rtt: RoundTripTime::default(),
            window_first_bytes: 0,
            window_min_bytes: u32::MAX,
            window_max_bytes: 0,
            flight_max_bytes: 0,
            passed_bytes: 0,
            unheld_short: 0,
            clock: SenderClock::default(),
            hop_limits: None,
        }
    }
}

/// One SYN may be lost, which old clients send again after three seconds. An end
/// that does not answer the second SYN does not refuse.
const PROMPT_NS: i64 = 4_000_000_000;

/// Among this many data segments of each end there is a pure acknowledgement.
const ACKLESS_DATA: u64 = 10;

/// Fewer packets may be as far apart by chance.
const MADE_PACKETS: u64 = 8;

/// Round-trip time between the place of capture and one end.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct RoundTripTime {
    /// From the handshake: SYN to SYN-ACK for the server, SYN-ACK to ACK for
    /// the client. Free of delayed acknowledgements.
    pub handshake_ns: Option<i64>,
    /// Smallest time from a segment with data to its acknowledgement.
    pub min_ns: Option<i64>,
    /// Smoothed as in RFC 6298, delayed acknowledgements included.
    pub smoothed_ns: i64,
    /// Samples taken.
    pub samples: u32,
}

impl RoundTripTime {
    /// The smallest known figure: the time of the path alone.
    pub fn best_ns(&self) -> Option<i64> {
        match (self.handshake_ns, self.min_ns) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }
}

/// Times of the three-way handshake. `None` if it was not captured.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct TcpHandshake {
    /// First SYN.
    pub syn_ns: Option<i64>,
    /// Last SYN before the SYN-ACK.
    pub last_syn_ns: Option<i64>,
    /// First SYN-ACK.
    pub syn_ack_ns: Option<i64>,
    /// The client's first acknowledgement of it.
    pub ack_ns: Option<i64>,
    /// SYNs seen.
    pub syns: u32,
    /// SYN-ACKs seen.
    pub syn_acks: u32,
}

/// A TLS handshake, from sizes, directions and unencrypted headers.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TlsHandshake {
    /// Time of the first handshake record.
    pub start_ns: i64,
    /// Time of the last record before application data. `None` while it lasts.
    pub end_ns: Option<i64>,
    /// Version chosen by the server (0x0303, 0x0304); 0 when not seen.
    pub version: u16,
    /// The name the client asked for.
    pub server_name: Option<String>,
    /// The client offered to resume an earlier session.
    pub resumption_offered: bool,
    /// The server agreed to resume it.
    pub resumed: bool,
    /// Records that carried handshake messages, both ways.
    pub handshake_records: u32,
    /// Alerts seen in clear.
    pub alerts: u32,
    /// Its records were opened with a key log.
    pub opened: bool,
}

/// How a connection ended.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct ConnectionClose {
    /// The sender of the first FIN, and its time.
    pub first_fin: Option<(ConnectionSide, i64)>,
    /// The sequence number after the first FIN.
    #[serde(skip)]
    pub(crate) fin_end: u32,
    /// The other side has acknowledged it.
    #[serde(skip)]
    pub(crate) fin_arrived: bool,
    /// The other side's FIN.
    pub second_fin_ns: Option<i64>,
    /// That FIN was sent before the first had arrived: the capture does not
    /// show which end closed first.
    #[serde(skip)]
    pub(crate) crossed: bool,
    /// The sender of the first RST, and its time.
    pub reset: Option<(ConnectionSide, i64)>,
    /// The properties of the first RST.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reset_packet: Option<ResetPacket>,
    /// Data bytes that the other side sent after it had the first FIN, those that were not
    /// captured included.
    pub bytes_after_fin: u64,
    /// The sequence number of the first byte after the FIN.
    #[serde(skip)]
    pub(crate) after_fin: Option<u32>,
}

/// Properties of a RST that show whether the end itself has sent it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ResetPacket {
    /// Number of the packet.
    pub packet: u64,
    /// Its hop limit (TTL), 0 if unknown.
    pub hop_limit: u8,
    /// Bytes between the last that its sender was seen to send and its number.
    pub passed_over: u32,
    /// Its window if it acknowledges nothing, otherwise 0, which stacks send.
    pub window: u32,
    /// Its sequence number, relative.
    #[serde(skip)]
    pub(crate) seq: u32,
    /// It acknowledges the client's SYN, or that and the data in it.
    #[serde(skip)]
    pub(crate) answers_opening: bool,
    /// Its sender continued with new data, as no end does that has reset.
    pub spoke_on: bool,
}

impl ConnectionClose {
    /// True after both FINs or a RST.
    pub fn is_closed(&self) -> bool {
        self.reset.is_some() || self.second_fin_ns.is_some()
    }
}

/// The position of the capture point, by the two parts of the round trip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CapturePoint {
    /// Not enough was seen.
    #[default]
    Unknown,
    /// At or near the client.
    Client,
    /// At or near the server.
    Server,
    /// Between them.
    Middle,
    /// Both ends are as near: one machine, or one wire.
    Both,
}

//! What is known of one TCP connection, while it lives and after it ended.
//!
//! Rules read it as it stands at the moment they are asked; reports read the
//! final state. Everything here is a bounded number of bytes a connection.

use crate::{MarkCounts, Marks, Pacing, Protocol, Side};
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
    pub client: End,
    /// The end that was called.
    pub server: End,
    /// What is spoken on it, as recognised or told.
    pub protocol: Protocol,
    /// True when bytes came that are no message of it, or it was changed for another.
    #[serde(skip)]
    pub(crate) strayed: bool,
    /// Times of the three-way handshake.
    pub handshake: Handshake,
    /// The TLS handshake, where there was one.
    pub tls: Option<Tls>,
    /// How it ended.
    pub close: Close,
    /// Where the capture was taken.
    pub vantage: Vantage,
    /// Exchanges finished on it.
    pub exchanges: u64,
    /// Sum of the stalls that rules claimed on it.
    pub stalled_ns: i64,
    /// Sum of the time of its exchanges.
    pub exchange_ns: i64,
    /// Packets that came exactly as long after their predecessor as that after
    /// its own: a habit of captures made from text, not of a network.
    pub even_gaps: u64,
    /// True when it was dropped to keep memory bounded, with more to come.
    pub evicted: bool,
    /// The other TCP connection of the DLSw link that it is half of. The link's
    /// exchanges are told with the one that came first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<u64>,
}

impl Connection {
    /// True for a SYN that was answered with a reset.
    pub(crate) fn was_refused(&self) -> bool {
        self.refused_after_ns().is_some_and(|ns| ns <= PROMPT_NS)
    }

    /// True for one that nothing answered for seconds, until a reset ended it: something on
    /// the way gave up. Nobody refused it.
    pub(crate) fn was_given_up(&self) -> bool {
        self.refused_after_ns().is_some_and(|ns| ns > PROMPT_NS)
    }

    /// Time from the first SYN to the reset that was the only answer.
    fn refused_after_ns(&self) -> Option<i64> {
        let shake = &self.handshake;
        // A client that went on had an answer that the capture lacks; one that has no more to
        // say to a refusal than a reset of its own had not.
        let waited = self.client.segments <= u64::from(shake.syns) + self.client.resets;
        // What acknowledges no SYN of this client's refuses nothing: no end takes it.
        let waited = waited
            && self
                .close
                .reset_packet
                .is_some_and(|reset| reset.answers_opening);
        let alone = shake.syns > 0 && shake.syn_acks == 0 && waited;
        match self.close.reset {
            Some((Side::Server, at_ns)) if alone => Some(at_ns - shake.syn_ns.unwrap_or(at_ns)),
            _ => None,
        }
    }

    /// What speaks against the reset's being that of the end in whose name it came.
    pub(crate) fn foreign_reset(&self) -> Option<Foreign> {
        let (who, _) = self.close.reset?;
        let reset = self.close.reset_packet?;
        let end = self.end(who);
        let away = |own: [u8; 2]| {
            let [least, greatest] = own;
            (least.saturating_sub(reset.hop_limit)).max(reset.hop_limit.saturating_sub(greatest))
        };
        let limits = end
            .hop_limits
            .filter(|own| reset.hop_limit > 0 && away(*own) > 0);
        let limits = limits.map(|own| Foreign::HopLimit {
            own,
            reset: reset.hop_limit,
            // A path that changes does so by a router or two.
            sure: own[0] == own[1] && away(own) > 1 && end.segments > 2,
        });
        match reset {
            _ if matches!(limits, Some(Foreign::HopLimit { sure: true, .. })) => limits,
            ResetPacket { spoke_on: true, .. } => Some(Foreign::SpokeOn),
            _ if limits.is_some() => limits,
            // A FIN that the capture lacks counts one.
            ResetPacket { passed_over, .. } if passed_over > 1 => {
                Some(Foreign::PassedOver(passed_over))
            }
            ResetPacket { window, .. } if window > 0 => Some(Foreign::Window(window)),
            _ => None,
        }
    }

    /// One end.
    pub fn end(&self, side: Side) -> &End {
        match side {
            Side::Client => &self.client,
            Side::Server => &self.server,
        }
    }

    /// Whether acknowledgements without data are missing from the capture, as a filter or
    /// a reader of sessions leaves them out.
    pub(crate) fn lacks_acks(&self) -> bool {
        let silent =
            |end: &End, opening: u64| end.data_segments >= ACKLESS_DATA && end.pure_acks <= opening;
        // The third packet of the handshake may be there.
        silent(&self.client, (self.handshake.syn_acks > 0) as u64) && silent(&self.server, 0)
    }

    /// Whether it is a subflow of Multipath TCP: what is asked on it may be answered on another
    /// one, and its end is not the end of what its ends say to each other.
    pub(crate) fn is_subflow(&self) -> bool {
        self.client.multipath && self.server.multipath
    }

    /// What tells it from every other connection to its server, as long as the capture has its
    /// opening or its first words of TLS: two captures of it, on both sides of something that
    /// translates addresses, have the same.
    pub(crate) fn mark(&self) -> Option<u64> {
        match &self.tls {
            Some(tls) if tls.random != 0 => Some(tls.random),
            _ => {
                let (client, server) = self.handshake.first_seqs?;
                Some((u64::from(client) << 32) | u64::from(server))
            }
        }
    }

    /// Whether its times were made up: nearly all packets are as far apart.
    pub fn has_made_times(&self) -> bool {
        let packets = self.client.segments + self.server.segments;
        packets >= MADE_PACKETS && self.even_gaps * 4 >= packets * 3
    }

    /// The same connection as seen from the other end: who opened it is the server.
    pub(crate) fn turned(&self) -> Connection {
        let mut turned = self.clone();
        std::mem::swap(&mut turned.client, &mut turned.server);
        for said in [&mut turned.close.first_fin, &mut turned.close.reset] {
            *said = said.map(|(side, at_ns)| (side.other(), at_ns));
        }
        turned.vantage = match turned.vantage {
            Vantage::Client => Vantage::Server,
            Vantage::Server => Vantage::Client,
            same => same,
        };
        turned
    }

    /// One end, to change it.
    pub(crate) fn end_mut(&mut self, side: Side) -> &mut End {
        match side {
            Side::Client => &mut self.client,
            Side::Server => &mut self.server,
        }
    }

    /// The payload bytes that one segment of `side` can carry: the smaller of
    /// the two MSS values, less 12 bytes when both use timestamps. When the
    /// handshake was not captured: the size that full segments had.
    pub fn segment_bytes(&self, side: Side) -> u32 {
        let agreed = match (self.client.mss, self.server.mss) {
            (Some(a), Some(b)) => a.min(b) as u32,
            (Some(one), None) | (None, Some(one)) => one as u32,
            (None, None) => return self.end(side).common_bytes.max(1),
        };
        match self.client.timestamps && self.server.timestamps {
            true => agreed.saturating_sub(12).max(1),
            false => agreed.max(1),
        }
    }

    /// Whole round-trip time between the two ends: both parts as seen from
    /// the place of capture. None when neither part could be measured.
    pub fn rtt_ns(&self) -> Option<i64> {
        match (self.client.rtt.best_ns(), self.server.rtt.best_ns()) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0) + b.unwrap_or(0)),
        }
    }

    /// True when both ends live on one machine: a loopback address or
    /// loopback's MSS.
    pub fn is_loopback(&self) -> bool {
        self.client.address.is_loopback()
            || self.server.address.is_loopback()
            || self.client.mss.is_some_and(|mss| mss > 32_000)
    }
}

/// One end of a connection: address, options, counts.
#[derive(Clone, Debug, Serialize)]
pub struct End {
    /// Its address.
    #[serde(serialize_with = "crate::station::serialize")]
    pub address: IpAddr,
    /// Its port.
    pub port: u16,
    /// MSS it announced in its SYN: what it is willing to receive.
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
    /// Those of them with PSH: where a write ends, rather than where TCP cut.
    #[serde(skip)]
    pub(crate) small_pushed: u64,
    /// Pure acknowledgements it sent.
    pub pure_acks: u64,
    /// Resets it sent.
    #[serde(skip)]
    pub(crate) resets: u64,
    /// How often each mark was set on its segments.
    pub marks: MarkCounts,
    /// Round-trip time between the place of capture and this end.
    pub rtt: Rtt,
    /// Smallest window it advertised after the handshake, bytes.
    pub window_min_bytes: u32,
    /// Largest window it advertised, bytes.
    pub window_max_bytes: u32,
    /// Most bytes it had in flight.
    pub flight_max_bytes: u32,
    /// Bytes in flight at the end of each of its first round trips: the
    /// growth of its congestion window as far as the data filled it.
    pub flights: [u32; FLIGHTS],
    /// Most bytes it sent without a pause of half a round trip: what its window
    /// had grown to, also where acknowledgements are seen before their effect.
    pub burst_max_bytes: u32,
    /// How long its pure acknowledgements of new data took, by class.
    pub ack_delays: AckDelays,
    /// Longest time one of its segments with data waited to be sent again.
    pub resend_wait_max_ns: i64,
    /// Largest segment it sent once that was acknowledged, bytes.
    pub passed_bytes: u32,
    /// Whose clock its writes follow.
    pub pacing: Pacing,
    /// Least and greatest hop limit (TTL) of its packets at the place of capture,
    /// resets left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hop_limits: Option<[u8; 2]>,
    /// When it last sent data that was new, nanoseconds since 1970; 0 before.
    #[serde(skip)]
    pub(crate) last_data_ns: i64,
    /// A segment without data was numbered behind more than the capture has of this end:
    /// data, or a FIN.
    #[serde(skip)]
    pub(crate) sent_unseen: bool,
    /// Its copies of which the other end said that it had them, the first ones.
    #[serde(skip)]
    pub(crate) needless: Vec<u64>,
}

/// So many copies that were not needed are remembered of an end.
const NEEDLESS_MOST: usize = 256;

impl End {
    /// Notes a copy of which the other end says that it was not needed.
    pub(crate) fn note_needless(&mut self, packet: u64) {
        self.marks.add(Marks(Marks::PROVEN_SPURIOUS));
        if self.needless.len() < NEEDLESS_MOST {
            self.needless.push(packet);
        }
    }
}

impl Default for End {
    fn default() -> End {
        End {
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
            small_pushed: 0,
            pure_acks: 0,
            resets: 0,
            marks: MarkCounts::default(),
            rtt: Rtt::default(),
            window_min_bytes: u32::MAX,
            window_max_bytes: 0,
            flight_max_bytes: 0,
            flights: [0; FLIGHTS],
            burst_max_bytes: 0,
            ack_delays: AckDelays::default(),
            resend_wait_max_ns: 0,
            passed_bytes: 0,
            pacing: Pacing::default(),
            hop_limits: None,
            last_data_ns: 0,
            sent_unseen: false,
            needless: Vec::new(),
        }
    }
}

/// One SYN may be lost, which old clients send again after three seconds; who does not answer
/// another one either does not refuse.
const PROMPT_NS: i64 = 4_000_000_000;

/// Data segments from each end among which some acknowledgement comes by itself.
const ACKLESS_DATA: u64 = 10;

/// Fewer packets may be as far apart by chance.
const MADE_PACKETS: u64 = 8;

/// Round trips whose flight is remembered.
pub const FLIGHTS: usize = 8;

/// Round-trip time between the place of capture and one end.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Rtt {
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

impl Rtt {
    /// The smallest figure known: what the path alone takes.
    pub fn best_ns(&self) -> Option<i64> {
        match (self.handshake_ns, self.min_ns) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }
}

/// Delays of pure acknowledgements, counted by class.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct AckDelays {
    /// Acknowledgements in each class: below 1 ms, 30 ms, 60 ms (Linux's
    /// 40 ms), 150 ms, 300 ms (z/OS's and others' 200 ms), and above.
    pub classes: [u32; 6],
    /// Longest.
    pub max_ns: i64,
}

/// Upper bounds of the classes of [`AckDelays`], the last being open.
pub const ACK_DELAY_BOUNDS_NS: [i64; 5] =
    [1_000_000, 30_000_000, 60_000_000, 150_000_000, 300_000_000];

impl AckDelays {
    /// Counts one.
    pub(crate) fn add(&mut self, delay_ns: i64) {
        let class = ACK_DELAY_BOUNDS_NS.partition_point(|bound| delay_ns >= *bound);
        self.classes[class] = self.classes[class].saturating_add(1);
        self.max_ns = self.max_ns.max(delay_ns);
    }
}

/// Times of the three-way handshake; none where it was not captured.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Handshake {
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
    /// The raw numbers that the two ends began with, where both SYNs were seen.
    #[serde(skip)]
    pub(crate) first_seqs: Option<(u32, u32)>,
}

/// A TLS handshake as far as sizes, directions and clear headers show it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Tls {
    /// Time of the first handshake record.
    pub start_ns: i64,
    /// Time of the last record before application data; none while it lasts.
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
    /// The first half of the client's random number, 0 where it was not seen.
    #[serde(skip)]
    pub(crate) random: u64,
    /// The client offered HTTP/2, and no hello in clear says that it is not spoken.
    #[serde(skip)]
    pub(crate) http2: bool,
    /// Records of data of the client's that are no goodbye and no receipt.
    #[serde(skip)]
    pub(crate) said_records: u32,
    /// The largest of them.
    #[serde(skip)]
    pub(crate) said_bytes: usize,
}

impl Tls {
    /// Whether the client asked for something, as far as closed records tell: the first words of
    /// HTTP/2 ask for nothing, and each end of a connection that was opened ahead says them.
    pub(crate) fn has_asked(&self) -> bool {
        let preface = self.http2 && !self.opened;
        !preface || self.said_records > 1 || self.said_bytes > PREFACE_BYTES
    }
}

/// The first words of HTTP/2 are no longer, in one record, with all that clients say of themselves.
const PREFACE_BYTES: usize = 256;

/// How a connection ended.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Close {
    /// Who sent the first FIN, and when.
    pub first_fin: Option<(Side, i64)>,
    /// The sequence number behind the first FIN.
    #[serde(skip)]
    pub(crate) fin_end: u32,
    /// The other side has acknowledged it.
    #[serde(skip)]
    pub(crate) fin_arrived: bool,
    /// The other side's FIN.
    pub second_fin_ns: Option<i64>,
    /// That one was sent before the first had come: who closed first the capture does not tell.
    #[serde(skip)]
    pub(crate) crossed: bool,
    /// Who sent the first RST, and when.
    pub reset: Option<(Side, i64)>,
    /// What the first RST looked like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reset_packet: Option<ResetPacket>,
    /// Data bytes that the other side sent after it had the first FIN, those that were not
    /// captured included.
    pub bytes_after_fin: u64,
    /// Where the first of them stood.
    #[serde(skip)]
    pub(crate) after_fin: Option<u32>,
}

/// Why a reset may not be the end's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Foreign {
    /// It has another hop limit than that end's packets.
    HopLimit {
        /// Least and greatest of the end's.
        own: [u8; 2],
        /// The reset's.
        reset: u8,
        /// The end's agree, and the reset's is more than one away.
        sure: bool,
    },
    /// The end sent new data afterwards.
    SpokeOn,
    /// Its number is so many bytes behind what the end had sent.
    PassedOver(u32),
    /// It acknowledges nothing and yet has a window.
    Window(u32),
}

/// A RST, by what tells whether the end in whose name it came has sent it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ResetPacket {
    /// Number of the packet.
    pub packet: u64,
    /// Its hop limit (TTL), 0 where there is none.
    pub hop_limit: u8,
    /// Bytes between the last that its sender was seen to send and its number.
    pub passed_over: u32,
    /// Its window where it acknowledges nothing, else 0: stacks send 0 then.
    pub window: u32,
    /// Its sequence number, relative.
    #[serde(skip)]
    pub(crate) seq: u32,
    /// It acknowledges the client's SYN, or that and the data in it.
    #[serde(skip)]
    pub(crate) answers_opening: bool,
    /// Its sender went on with new data, as no end does that has reset.
    pub spoke_on: bool,
}

impl Close {
    /// True after both FINs or a RST.
    pub fn is_closed(&self) -> bool {
        self.reset.is_some() || self.second_fin_ns.is_some()
    }
}

/// Where the capture was taken, told from the two parts of the round trip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Vantage {
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

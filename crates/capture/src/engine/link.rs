//! A frame of an 802.2 link as a segment of its connection's timeline.
//!
//! LLC2 numbers its frames and retransmits lost ones. It has neither windows in
//! bytes nor a handshake with options, so TCP's tracker is not used. Reference:
//! ISO/IEC 8802-2, section 7.

use super::flow::Flow;
use crate::app::{LlcFrame, PacketStamp};
use crate::decode::Packet;
use crate::{AppProtocol, ConnectionSide, Segment, SegmentMarks, TcpFlags};

/// The frame numbers of each end.
#[derive(Debug, Default)]
pub(super) struct Link {
    next: [Option<u8>; 2],
    /// A frame of each end whose acknowledgement is being timed.
    timed: [Option<(u8, i64)>; 2],
    /// Each end that said it is not ready to receive, and not yet that it is.
    busy: [bool; 2],
}

impl Link {
    /// Marks for a numbered frame of `side`.
    fn judge(&mut self, side: ConnectionSide, number: u8) -> u32 {
        let next = self.next[side.index()].replace(number.wrapping_add(1) & 0x7F);
        let Some(expected) = next else {
            return 0;
        };
        match number.wrapping_sub(expected) & 0x7F {
            0 => 0,
            ahead if ahead < 0x40 => SegmentMarks::LOST_SEGMENT,
            _ => {
                self.next[side.index()] = Some(expected);
                self.timed[side.index()] = None;
                SegmentMarks::RETRANSMISSION
            }
        }
    }

    /// Marks for a supervisory frame of `side`.
    fn supervise(&mut self, side: ConnectionSide, control: u8) -> u32 {
        let said = match control {
            RR | REJ => false,
            RNR => true,
            _ => return 0,
        };
        let was = std::mem::replace(&mut self.busy[side.index()], said);
        match (was, said) {
            (false, true) => SegmentMarks::NOT_READY,
            (true, false) => SegmentMarks::READY_AGAIN,
            _ => 0,
        }
    }

    /// The time since the frame that `side` acknowledges here, if that was timed.
    fn acknowledge(&mut self, side: ConnectionSide, expects: u8, now_ns: i64) -> Option<i64> {
        let timed = &mut self.timed[side.other().index()];
        let (number, sent_ns) = (*timed)?;
        let covered = expects.wrapping_sub(number).wrapping_sub(1) & 0x7F < 0x40;
        covered.then(|| {
            *timed = None;
            now_ns - sent_ns
        })
    }
}

impl Flow {
    /// Takes a frame of the link; returns its segment, which is in the timeline.
    pub(super) fn handle_llc(
        &mut self,
        packet: &Packet,
        side: ConnectionSide,
        info: &[u8],
    ) -> Segment {
        let control = packet.llc.unwrap_or_default();
        let numbered = control & 1 == 0;
        let mut marks = SegmentMarks::default();
        let connection = &mut self.connection;
        connection.protocol = AppProtocol::Sna;
        let late_ns = packet.time_ns.saturating_sub(connection.last_ns);
        if !(0..=LONGEST_NS).contains(&late_ns) {
            marks.set(SegmentMarks::TIME_BACKWARDS);
        } else {
            connection.last_ns = packet.time_ns;
        }
        let now_ns = connection.last_ns;
        if packet.flags.has(TcpFlags::ACK)
            && let Some(took_ns) = self.link.acknowledge(side, packet.ack as u8, now_ns)
        {
            connection.end_mut(side).rtt.sample(took_ns);
        }
        if numbered {
            marks.set(self.link.judge(side, packet.seq as u8));
            if !marks.any(SegmentMarks::RETRANSMISSION) {
                self.link.timed[side.index()].get_or_insert((packet.seq as u8, now_ns));
            }
        } else if control == SABME {
            self.link = Link::default();
        } else {
            marks.set(self.link.supervise(side, control));
        }
        let segment = Segment {
            packet: packet.number,
            time_ns: connection.last_ns,
            seq: packet.seq,
            ack: packet.ack,
            len: packet.len,
            window: 0,
            flight: 0,
            ts_value: 0,
            ts_echo: 0,
            marks,
            flags: TcpFlags(packet.flags.0 & TcpFlags::ACK),
            from: side,
            session: 0,
            head: None,
            ip_id: 0,
            hop_limit: 0,
            via: 0,
        };
        let end = connection.end_mut(side);
        end.segments += 1;
        end.data_segments += u64::from(packet.len > 0);
        end.pure_acks += u64::from(packet.len == 0 && !numbered);
        end.bytes += u64::from(packet.len);
        end.largest_bytes = end.largest_bytes.max(packet.len);
        end.marks.add(marks);
        self.timeline.segments.push(segment);
        let frame = LlcFrame {
            control,
            bytes: u64::from(packet.len),
            info,
            repeated: marks.any(SegmentMarks::RETRANSMISSION),
        };
        let stamp = PacketStamp {
            time_ns: segment.time_ns,
            packet: segment.packet,
        };
        self.app.handle_llc(side, frame, stamp);
        if let Some(note) = self.app.take_note() {
            self.timeline.annotate(note);
        }
        segment
    }
}

/// Supervisory frames: ready to receive, not ready, to be sent again.
const RR: u8 = 0x01;
const RNR: u8 = 0x05;
const REJ: u8 = 0x09;

/// A link that is set up again numbers from 0.
const SABME: u8 = 0x6F;

/// A time this far ahead is damaged.
const LONGEST_NS: i64 = 366 * 86_400 * 1_000_000_000;

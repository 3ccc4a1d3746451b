//! Measurements: round trips, flights, sizes, windows, and the state of opening and
//! closing.

use super::half::{Half, RetransmittedSegment, TimedSegment};
use super::{TcpTracker, before};
use crate::connection::ResetPacket;
use crate::decode::Packet;
use crate::{
    CapturePoint, Connection, ConnectionSide, RoundTripTime, Segment, SegmentMarks, TcpFlags,
};

impl TcpTracker {
    /// Brings `connection` up to date with a segment that was judged.
    pub(super) fn measure(
        &mut self,
        connection: &mut Connection,
        packet: &Packet,
        segment: &mut Segment,
    ) {
        // A SYN that says goodbye as well opens nothing: it probes.
        if segment.flags.has(TcpFlags::SYN) && !segment.flags.any(TcpFlags::FIN | TcpFlags::RST) {
            self.open(connection, packet, segment);
        } else if connection.handshake.ack_ns.is_none()
            && connection.handshake.syn_ack_ns.is_some()
            && segment.from == ConnectionSide::Client
            && segment.flags.has(TcpFlags::ACK)
        {
            self.complete(connection, segment);
        }
        if segment.flags.any(TcpFlags::FIN | TcpFlags::RST) || connection.close.first_fin.is_some()
        {
            close(connection, segment, self.passed_over);
        }
        note_source(connection, segment);
        if segment.flags.has(TcpFlags::ACK) {
            self.time_ack(connection, segment);
        }
        if let Some(raw) = packet.dsack {
            let sender = &mut self.halves[segment.from.other().index()];
            sender.resent = None;
            self.proven = Some(raw.wrapping_sub(sender.base));
        }
        self.count(connection, packet, segment);
    }

    fn open(&mut self, connection: &mut Connection, packet: &Packet, segment: &Segment) {
        let from = segment.from;
        let end = connection.end_mut(from);
        end.mss = packet.syn.mss.or(end.mss);
        end.window_scale = packet.syn.window_scale;
        end.sack_permitted = packet.syn.sack_permitted;
        end.timestamps = packet.syn.timestamps;
        end.window_first_bytes = u32::from(packet.window);
        self.halves[from.index()].shift = Some(packet.syn.window_scale.unwrap_or(0));
        let both = (
            connection.client.window_scale,
            connection.server.window_scale,
        );
        if let (Some(client), Some(server)) = both {
            self.halves[0].shift_in_force = client;
            self.halves[1].shift_in_force = server;
        }
        let shake = &mut connection.handshake;
        let now = segment.time_ns;
        if !segment.flags.has(TcpFlags::ACK) {
            shake.syns += 1;
            shake.syn_ns.get_or_insert(now);
            if shake.syn_ack_ns.is_none() {
                shake.last_syn_ns = Some(now);
            }
            return;
        }
        shake.syn_acks += 1;
        if shake.syn_ack_ns.is_none() {
            shake.syn_ack_ns = Some(now);
            if let (Some(syn), 1) = (shake.last_syn_ns, shake.syns) {
                connection.server.rtt.handshake_ns = Some(now - syn);
            }
        }
    }

    fn complete(&mut self, connection: &mut Connection, segment: &Segment) {
        let shake = &mut connection.handshake;
        shake.ack_ns = Some(segment.time_ns);
        if let (Some(syn_ack), 1) = (shake.syn_ack_ns, shake.syn_acks) {
            connection.client.rtt.handshake_ns = Some(segment.time_ns - syn_ack);
        }
        if let Some(syn) = shake.syn_ns {
            self.first_rtt_ns = Some(segment.time_ns - syn);
        }
        connection.capture_point = capture_point(&connection.client.rtt, &connection.server.rtt);
    }

    /// Ends the timing of the segment that this one acknowledges.
    fn time_ack(&mut self, connection: &mut Connection, segment: &Segment) {
        let (from, ack) = (segment.from, segment.ack);
        let sender = &mut self.halves[from.other().index()];
        if let Some(timed) = sender.timed
            && !before(ack, timed.end_seq)
        {
            sender.timed = None;
            let took_ns = segment.time_ns - timed.sent_ns;
            let end = connection.end_mut(from);
            end.rtt.sample(took_ns);
            if connection.capture_point == CapturePoint::Unknown {
                connection.capture_point =
                    capture_point(&connection.client.rtt, &connection.server.rtt);
            }
        }
        if let Some((end_seq, bytes)) = sender.large
            && !before(ack, end_seq)
        {
            sender.large = None;
            let passed = &mut connection.end_mut(from.other()).passed_bytes;
            *passed = bytes.max(*passed);
        }
        if let Some(resent) = sender.resent
            && !before(ack, resent.end_seq)
        {
            sender.resent = None;
            // Eifel: the echo is of the first copy, so that one
            // arrived.
            if segment.ts_echo != 0 && before(segment.ts_echo, resent.ts_value) {
                self.proven = Some(resent.end_seq.wrapping_sub(1));
            }
        }
    }

    /// Counts the segment for its sender.
    fn count(&mut self, connection: &mut Connection, packet: &Packet, segment: &mut Segment) {
        let from = segment.from;
        let full_bytes = connection.segment_bytes(from);
        let known = connection.client.mss.is_some() || connection.server.mss.is_some();
        let [client, server] = &mut self.halves;
        let (half, other) = match from {
            ConnectionSide::Client => (client, server),
            ConnectionSide::Server => (server, client),
        };
        let end = connection.end_mut(from);
        end.segments += 1;
        end.multipath |= packet.multipath;
        end.clock.observe(segment.ts_value, segment.time_ns);
        end.resets += u64::from(segment.flags.has(TcpFlags::RST));
        if packet.payload_captured < packet.len {
            segment.marks.set(SegmentMarks::CUT);
        }
        if !segment.flags.any(TcpFlags::SYN | TcpFlags::RST) {
            end.window_min_bytes = end.window_min_bytes.min(segment.window);
            end.window_max_bytes = end.window_max_bytes.max(segment.window);
        }
        if segment.len == 0 {
            end.pure_acks += segment.is_pure_ack() as u64;
            end.marks.add(segment.marks);
            return;
        }
        end.data_segments += 1;
        end.bytes += segment.len as u64;
        end.largest_bytes = end.largest_bytes.max(segment.len);
        end.small_segments += u64::from(segment.len < full_bytes);
        if known && segment.len > full_bytes {
            segment.marks.set(SegmentMarks::OFFLOADED);
        }
        if segment.len >= LARGE_BYTES {
            match (end.common_bytes == segment.len, half.votes) {
                (true, _) => half.votes = half.votes.saturating_add(1),
                (false, 0) => (end.common_bytes, half.votes) = (segment.len, 1),
                (false, _) => half.votes -= 1,
            }
        }
        if segment.is_new_data() {
            let mss = if known { full_bytes } else { LEAST_MSS };
            observe_short(&mut end.unheld_short, half, other, segment, mss);
        }
        if segment.marks.any(SegmentMarks::RESENT) {
            half.large = None;
        } else if segment.len.min(full_bytes) > end.passed_bytes && half.large.is_none() {
            half.large = Some((segment.end_seq(), segment.len.min(full_bytes)));
        }
        end.flight_max_bytes = end.flight_max_bytes.max(segment.flight);
        if segment.marks.any(SegmentMarks::REPEATED) {
            if segment.marks.any(SegmentMarks::RESENT) {
                half.resent = Some(RetransmittedSegment {
                    end_seq: segment.end_seq(),
                    ts_value: segment.ts_value,
                });
            }
            // Karn: a retransmitted segment cannot be timed.
            half.timed = None;
        } else if half.timed.is_none() && !segment.marks.any(SegmentMarks::KEEP_ALIVE) {
            half.timed = Some(TimedSegment {
                end_seq: segment.end_seq(),
                sent_ns: segment.time_ns,
            });
        }
        end.marks.add(segment.marks);
    }
}

impl RoundTripTime {
    /// Takes one sample, smoothing as in RFC 6298.
    pub(crate) fn sample(&mut self, took_ns: i64) {
        self.min_ns = Some(self.min_ns.map_or(took_ns, |min| min.min(took_ns)));
        self.smoothed_ns = match self.samples {
            0 => took_ns,
            _ => self.smoothed_ns + (took_ns - self.smoothed_ns) / 8,
        };
        self.samples = self.samples.saturating_add(1);
    }
}

/// Counts short segments that were sent while an earlier short one was not
/// acknowledged: their sender has Nagle's algorithm off.
fn observe_short(unheld: &mut u32, half: &mut Half, other: &Half, segment: &Segment, mss: u32) {
    let tail = half.last_len >= mss;
    half.last_len = segment.len;
    if !segment.is_short(mss) {
        return;
    }
    let acked = other.ack.unwrap_or(0);
    // On many systems the tail of a large write is sent with it.
    if !tail && half.short_end.is_some_and(|end| before(acked, end)) {
        *unheld = unheld.saturating_add(1);
    }
    half.short_end = Some(segment.end_seq());
}

/// Notes evidence of a packet's real sender: the hop limits of each end's packets,
/// and data that an end sends after a reset in its name.
fn note_source(connection: &mut Connection, segment: &Segment) {
    if segment.flags.has(TcpFlags::RST) {
        return;
    }
    if segment.hop_limit > 0 {
        let limits = &mut connection.end_mut(segment.from).hop_limits;
        let [least, greatest] = limits.unwrap_or([segment.hop_limit; 2]);
        *limits = Some([
            least.min(segment.hop_limit),
            greatest.max(segment.hop_limit),
        ]);
    }
    if let Some(reset) = &mut connection.close.reset_packet
        && connection
            .close
            .reset
            .is_some_and(|(who, _)| who == segment.from)
        && segment.is_new_data()
        && !segment.flags.has(TcpFlags::SYN)
        && !before(segment.seq, reset.seq)
    {
        reset.spoke_on = true;
    }
}

/// Follows FIN and RST; `passed_over` are the bytes that the segment leaves out.
fn close(connection: &mut Connection, segment: &Segment, passed_over: u32) {
    let opening = 1..=connection.client.bytes.saturating_add(1);
    let close = &mut connection.close;
    let (from, now) = (segment.from, segment.time_ns);
    if segment.flags.has(TcpFlags::RST) {
        if close.reset.is_none() {
            close.reset = Some((from, now));
            close.reset_packet = Some(ResetPacket {
                packet: segment.packet,
                hop_limit: segment.hop_limit,
                passed_over,
                window: if segment.flags.has(TcpFlags::ACK) {
                    0
                } else {
                    segment.window
                },
                seq: segment.seq,
                answers_opening: segment.flags.has(TcpFlags::ACK)
                    && opening.contains(&u64::from(segment.ack)),
                spoke_on: false,
            });
        }
        return;
    }
    if let Some((first, _)) = close.first_fin
        && first != from
        && segment.flags.has(TcpFlags::ACK)
        && !before(segment.ack, close.fin_end)
    {
        close.fin_arrived = true;
        if segment.is_new_data() {
            close.after_fin.get_or_insert(segment.seq);
        }
        // Lost data shows in the numbers. After its own FIN, which has a
        // number too, an end sends no new data.
        let bytes = (close.after_fin).map_or(0, |start| {
            segment.seq.wrapping_add(segment.len).wrapping_sub(start)
        });
        if bytes < 1 << 31 && close.second_fin_ns.is_none() {
            close.bytes_after_fin = close.bytes_after_fin.max(u64::from(bytes));
        }
    }
    if segment.flags.has(TcpFlags::FIN) {
        match close.first_fin {
            None => {
                close.first_fin = Some((from, now));
                close.fin_end = segment.end_seq();
            }
            Some((first, _)) if first != from => {
                if close.second_fin_ns.is_none() {
                    close.crossed =
                        segment.flags.has(TcpFlags::ACK) && before(segment.ack, close.fin_end);
                }
                close.second_fin_ns.get_or_insert(now);
            }
            Some(_) => {}
        }
    }
}

/// Finds the place of capture from the two parts of the round trip. The
/// nearer end answers at least eight times as fast as the other.
fn capture_point(client: &RoundTripTime, server: &RoundTripTime) -> CapturePoint {
    let (Some(to_client), Some(to_server)) = (client.best_ns(), server.best_ns()) else {
        return CapturePoint::Unknown;
    };
    match (to_client, to_server) {
        (c, s) if c < NEAR_NS && s < NEAR_NS => CapturePoint::Both,
        (c, s) if c.saturating_mul(8) <= s => CapturePoint::Client,
        (c, s) if s.saturating_mul(8) <= c => CapturePoint::Server,
        _ => CapturePoint::Middle,
    }
}

/// The segment size that every end must accept (RFC 9293 3.7.1), used without a
/// captured handshake.
const LEAST_MSS: u32 = 536;

/// Segments below this say nothing about the segment size.
const LARGE_BYTES: u32 = 400;

/// Below this an end answers as a process on the same machine does.
const NEAR_NS: i64 = 200_000;

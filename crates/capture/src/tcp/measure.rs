//! What is measured on the way: round trips, flights, sizes, windows, and
//! the state of opening and closing.

use super::half::{Resent, Timed};
use super::{Tracker, before};
use crate::decode::Packet;
use crate::{Connection, FLIGHTS, Flags, Marks, Rtt, Segment, Side, Vantage};

impl Tracker {
    /// Brings `connection` up to date with a segment that was judged.
    pub(super) fn measure(
        &mut self,
        connection: &mut Connection,
        packet: &Packet,
        segment: &mut Segment,
    ) {
        if segment.flags.any(Flags::SYN) {
            self.open(connection, packet, segment);
        } else if connection.handshake.ack_ns.is_none()
            && connection.handshake.syn_ack_ns.is_some()
            && segment.from == Side::Client
            && segment.flags.has(Flags::ACK)
        {
            self.complete(connection, segment);
        }
        if segment.flags.any(Flags::FIN | Flags::RST) || connection.close.first_fin.is_some() {
            close(connection, segment);
        }
        if segment.flags.has(Flags::ACK) {
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
        if !segment.flags.has(Flags::ACK) {
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
        connection.vantage = vantage(&connection.client.rtt, &connection.server.rtt);
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
            if timed.alone && segment.is_pure_ack() {
                end.ack_delays.add(took_ns);
            }
            if connection.vantage == Vantage::Unknown {
                connection.vantage = vantage(&connection.client.rtt, &connection.server.rtt);
            }
        }
        if let Some(resent) = sender.resent
            && !before(ack, resent.end_seq)
        {
            sender.resent = None;
            // Eifel: the echo is of the first copy, so that one arrived.
            if segment.ts_echo != 0 && before(segment.ts_echo, resent.ts_value) {
                self.proven = Some(resent.end_seq.wrapping_sub(1));
            }
        }
        if sender.rounds < FLIGHTS as u8
            && segment.marks.any(Marks::ADVANCES)
            && before(sender.round_end, ack)
        {
            // The acknowledgement of the round's first data ends it.
            if sender.round_flight > 0 {
                let index = sender.rounds as usize;
                connection.end_mut(from.other()).flights[index] = sender.round_flight;
                sender.rounds += 1;
            }
            sender.round_flight = 0;
            sender.round_end = sender.next_seq.wrapping_sub(1);
        }
    }

    /// Counts the segment for its sender.
    fn count(&mut self, connection: &mut Connection, packet: &Packet, segment: &mut Segment) {
        let from = segment.from;
        let full_bytes = connection.segment_bytes(from);
        let known = connection.client.mss.is_some() || connection.server.mss.is_some();
        let apart_ns = (connection.rtt_ns().unwrap_or(0) / 2).max(BURST_NS);
        let half = &mut self.halves[from.index()];
        let end = connection.end_mut(from);
        end.segments += 1;
        if packet.payload_captured < packet.len {
            segment.marks.set(Marks::CUT);
        }
        if !segment.flags.any(Flags::SYN | Flags::RST) {
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
        end.small_segments += (segment.len < full_bytes) as u64;
        if known && segment.len > full_bytes {
            segment.marks.set(Marks::OFFLOADED);
        }
        if segment.len >= LARGE_BYTES {
            match (end.common_bytes == segment.len, half.votes) {
                (true, _) => half.votes = half.votes.saturating_add(1),
                (false, 0) => (end.common_bytes, half.votes) = (segment.len, 1),
                (false, _) => half.votes -= 1,
            }
        }
        let paused = segment.time_ns - half.data_ns >= apart_ns;
        half.burst_bytes = match paused {
            true => segment.len,
            false => half.burst_bytes.saturating_add(segment.len),
        };
        half.data_ns = segment.time_ns;
        end.burst_max_bytes = end.burst_max_bytes.max(half.burst_bytes);
        end.flight_max_bytes = end.flight_max_bytes.max(segment.flight);
        half.round_flight = half.round_flight.max(segment.flight);
        if segment.marks.any(Marks::REPEATED) {
            if segment.marks.any(Marks::RESENT) {
                let waited_ns = segment.time_ns - half.next_seq_ns;
                end.resend_wait_max_ns = end.resend_wait_max_ns.max(waited_ns);
                half.resent = Some(Resent {
                    end_seq: segment.end_seq(),
                    ts_value: segment.ts_value,
                });
            }
            // Karn: what was sent twice cannot be timed.
            half.timed = None;
        } else if half.timed.is_none() && !segment.marks.any(Marks::KEEP_ALIVE) {
            half.timed = Some(Timed {
                end_seq: segment.end_seq(),
                sent_ns: segment.time_ns,
                alone: segment.flight == segment.len,
            });
        }
        end.marks.add(segment.marks);
    }
}

impl Rtt {
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

/// Follows FIN and RST.
fn close(connection: &mut Connection, segment: &Segment) {
    let close = &mut connection.close;
    let (from, now) = (segment.from, segment.time_ns);
    if segment.flags.has(Flags::RST) {
        close.reset.get_or_insert((from, now));
        return;
    }
    if let Some((first, _)) = close.first_fin
        && first != from
        && segment.is_new_data()
    {
        close.bytes_after_fin += segment.len as u64;
    }
    if segment.flags.has(Flags::FIN) {
        match close.first_fin {
            None => close.first_fin = Some((from, now)),
            Some((first, _)) if first != from => {
                close.second_fin_ns.get_or_insert(now);
            }
            Some(_) => {}
        }
    }
}

/// Tells the place of capture from the two parts of the round trip. The
/// nearer end answers at least eight times as fast as the other.
fn vantage(client: &Rtt, server: &Rtt) -> Vantage {
    let (Some(to_client), Some(to_server)) = (client.best_ns(), server.best_ns()) else {
        return Vantage::Unknown;
    };
    match (to_client, to_server) {
        (c, s) if c < NEAR_NS && s < NEAR_NS => Vantage::Both,
        (c, s) if c.saturating_mul(8) <= s => Vantage::Client,
        (c, s) if s.saturating_mul(8) <= c => Vantage::Server,
        _ => Vantage::Middle,
    }
}

/// Data closer together than this is one burst, on any path.
const BURST_NS: i64 = 500_000;

/// Segments below this say nothing about the segment size.
const LARGE_BYTES: u32 = 400;

/// Below this an end answers as a process on the same machine does.
const NEAR_NS: i64 = 200_000;

//! The tracker alone, fed with hand-made packets.

use super::*;
use crate::decode::{FlowKey, SynOptions};
use crate::{CapturePoint, RoundTripTime};

/// A connection and the packets it has seen.
struct ConnectionCase {
    tracker: TcpTracker,
    connection: Connection,
    number: u64,
}

/// Times are microseconds; sequence numbers are relative to 1,000 and 5,000.
const BASE: [u32; 2] = [1_000, 5_000];

impl ConnectionCase {
    /// A handshake that takes `client_us` on the client's part of the path
    /// and `server_us` on the server's.
    fn open(client_us: i64, server_us: i64) -> ConnectionCase {
        let mut case = ConnectionCase {
            tracker: TcpTracker::default(),
            connection: Connection::default(),
            number: 0,
        };
        case.put(ConnectionSide::Client, 0, TcpFlags::SYN, (0, 0), 0);
        case.put(
            ConnectionSide::Server,
            server_us,
            TcpFlags::SYN | TcpFlags::ACK,
            (0, 1),
            0,
        );
        let now = server_us + client_us;
        case.put(ConnectionSide::Client, now, TcpFlags::ACK, (1, 1), 0);
        case
    }

    fn put(
        &mut self,
        from: ConnectionSide,
        at_us: i64,
        flags: u8,
        (seq, ack): (u32, u32),
        len: u32,
    ) -> Segment {
        self.send(from, at_us, flags, (seq, ack), len, |_| {})
    }

    fn send(
        &mut self,
        from: ConnectionSide,
        at_us: i64,
        flags: u8,
        (seq, ack): (u32, u32),
        len: u32,
        change: impl FnOnce(&mut Packet),
    ) -> Segment {
        self.number += 1;
        let acks = flags & TcpFlags::ACK != 0;
        let mut packet = Packet {
            number: self.number,
            time_ns: at_us * 1_000,
            key: FlowKey {
                addresses: [0; 2],
                ports: [0; 2],
            },
            forward: from == ConnectionSide::Client,
            seq: BASE[from.index()].wrapping_add(seq),
            ack: if acks {
                BASE[from.other().index()].wrapping_add(ack)
            } else {
                0
            },
            len,
            payload_offset: 0,
            payload_captured: len,
            ts_value: 0,
            ts_echo: 0,
            window: 30_000,
            checksum: self.number as u16,
            ip_id: self.number as u16,
            hop_limit: 64,
            flags: TcpFlags(flags),
            sack: false,
            dsack: None,
            multipath: false,
            syn: SynOptions {
                mss: (flags & TcpFlags::SYN != 0).then_some(1_460),
                ..SynOptions::default()
            },
            llc: None,
            shard: 0,
            dlsw: false,
        };
        change(&mut packet);
        self.tracker
            .handle_packet(&mut self.connection, &packet, from)
    }
}

const DATA: u8 = TcpFlags::ACK | TcpFlags::PSH;

#[test]
fn the_handshake_shows_the_place_of_capture() {
    for (client_us, server_us, point) in [
        (50, 20_000, CapturePoint::Client),
        (20_000, 50, CapturePoint::Server),
        (9_000, 11_000, CapturePoint::Middle),
        (30, 40, CapturePoint::Both),
    ] {
        let case = ConnectionCase::open(client_us, server_us);
        assert_eq!(case.connection.capture_point, point);
        assert_eq!(
            case.connection.rtt_ns(),
            Some((client_us + server_us) * 1_000)
        );
    }
}

#[test]
fn a_timer_is_distinguished_from_duplicate_acknowledgements() {
    let mut case = ConnectionCase::open(50, 10_000);
    case.put(ConnectionSide::Client, 20_000, DATA, (1, 1), 1_460);
    let again = case.put(ConnectionSide::Client, 260_000, DATA, (1, 1), 1_460);
    assert!(
        again.marks.any(SegmentMarks::RETRANSMISSION) && again.marks.any(SegmentMarks::TIMEOUT)
    );

    let mut case = ConnectionCase::open(50, 10_000);
    for n in 0..4 {
        case.put(
            ConnectionSide::Client,
            20_000 + n,
            DATA,
            (1 + 1_460 * n as u32, 1),
            1_460,
        );
    }
    for n in 0..3 {
        case.put(ConnectionSide::Server, 30_100 + n, TcpFlags::ACK, (1, 1), 0);
    }
    let again = case.put(ConnectionSide::Client, 30_200, DATA, (1, 1), 1_460);
    assert!(
        again.marks.any(SegmentMarks::FAST_RETRANSMISSION)
            && !again.marks.any(SegmentMarks::TIMEOUT)
    );
}

#[test]
fn a_receiver_proves_a_needless_copy() {
    let mut case = ConnectionCase::open(50, 10_000);
    case.send(ConnectionSide::Client, 20_000, DATA, (1, 1), 500, |p| {
        p.ts_value = 100
    });
    case.send(ConnectionSide::Client, 240_000, DATA, (1, 1), 500, |p| {
        p.ts_value = 320
    });
    case.send(
        ConnectionSide::Server,
        250_000,
        TcpFlags::ACK,
        (1, 501),
        0,
        |p| p.ts_echo = 100,
    );
    assert_eq!(case.tracker.proven, Some(500));

    let mut case = ConnectionCase::open(50, 10_000);
    case.put(ConnectionSide::Client, 20_000, DATA, (1, 1), 500);
    case.put(ConnectionSide::Client, 240_000, DATA, (1, 1), 500);
    let report = |p: &mut Packet| (p.sack, p.dsack) = (true, Some(BASE[0] + 1));
    let ack = case.send(
        ConnectionSide::Server,
        250_000,
        TcpFlags::ACK,
        (1, 501),
        0,
        report,
    );
    assert!(ack.marks.any(SegmentMarks::DSACK));
    assert_eq!(case.tracker.proven, Some(1));
}

#[test]
fn a_frame_captured_twice_is_not_a_retransmission() {
    let mut case = ConnectionCase::open(50, 10_000);
    let same = |p: &mut Packet| (p.checksum, p.ip_id) = (77, 88);
    case.send(ConnectionSide::Client, 20_000, DATA, (1, 1), 500, same);
    let copy = case.send(ConnectionSide::Client, 20_040, DATA, (1, 1), 500, same);
    assert_eq!(copy.marks, SegmentMarks(SegmentMarks::DUPLICATE_FRAME));
    let other = |p: &mut Packet| (p.checksum, p.ip_id) = (77, 89);
    let again = case.send(ConnectionSide::Client, 20_080, DATA, (1, 1), 500, other);
    assert!(again.marks.any(SegmentMarks::RESENT), "{:?}", again.marks);
    assert_eq!(case.connection.client.data_segments, 2);
}

#[test]
fn flights_show_the_growth_of_the_window() {
    let mut case = ConnectionCase::open(50, 50_000);
    let mut seq = 1;
    for round in 0..3 {
        let count = 2 << round;
        let start = seq;
        for n in 0..count {
            let at = 100_000 + 50_000 * round + n;
            case.put(ConnectionSide::Client, at, DATA, (seq, 1), 1_460);
            seq += 1_460;
        }
        for n in 1..=count as u32 {
            let at = 149_000 + 50_000 * round + n as i64;
            case.put(
                ConnectionSide::Server,
                at,
                TcpFlags::ACK,
                (1, start + n * 1_460),
                0,
            );
        }
    }
    assert_eq!(case.connection.client.flight_max_bytes, 11_680);
}

#[test]
fn offloaded_segments_are_full_and_not_many_small_ones() {
    let mut case = ConnectionCase::open(50, 10_000);
    let large = case.put(ConnectionSide::Client, 20_000, DATA, (1, 1), 14_600);
    let small = case.put(ConnectionSide::Client, 20_010, DATA, (14_601, 1), 100);
    assert!(large.marks.any(SegmentMarks::OFFLOADED) && !small.marks.any(SegmentMarks::OFFLOADED));
    assert_eq!(case.connection.client.small_segments, 1);
}

#[test]
fn delayed_acknowledgements_do_not_count_as_the_path() {
    let mut case = ConnectionCase::open(50, 10_000);
    case.put(ConnectionSide::Client, 20_000, DATA, (1, 1), 100);
    case.put(ConnectionSide::Server, 230_000, TcpFlags::ACK, (1, 101), 0);
    case.put(ConnectionSide::Client, 240_000, DATA, (101, 1), 100);
    case.put(ConnectionSide::Server, 285_000, TcpFlags::ACK, (1, 201), 0);
    let server = &case.connection.server;
    let RoundTripTime { samples, .. } = server.rtt;
    assert_eq!((samples, server.rtt.best_ns()), (2, Some(10_000_000)));
}

//! Captures of one conversation at several places, joined.

use crate::build::{RAW, pcap, segment};
use capture::points::{CapturePoints, JoinError, JoinedPoints, PointPackets};
use capture::{AnalysisOptions, CaptureExplanation, DelayOwner};

/// How far the server's clock is ahead, in microseconds.
const AHEAD_US: u32 = 2_500_000;

/// The time of a packet from one capture to the other.
const PATH_US: u32 = 10_000;

const CLIENT: (u16, u16) = (50_000, 80);
const SERVER: (u16, u16) = (80, 50_000);

/// A conversation captured at both ends. Times are those of the client's clock.
#[derive(Default)]
struct TwoCaptures {
    client: Vec<(u32, Vec<u8>)>,
    server: Vec<(u32, Vec<u8>)>,
}

impl TwoCaptures {
    /// A connection that was set up at 0.
    fn open() -> TwoCaptures {
        TwoCaptures::default()
            .up(0, segment(CLIENT, 0, 0, 0x02, b""), true)
            .down(PATH_US, segment(SERVER, 0, 1, 0x12, b""), true)
            .up(2 * PATH_US, segment(CLIENT, 1, 1, 0x10, b""), true)
    }

    /// A packet that passes the client's capture at `at`.
    fn up(mut self, at: u32, frame: Vec<u8>, arrives: bool) -> TwoCaptures {
        self.client.push((at, frame.clone()));
        if arrives {
            self.server.push((at + PATH_US + AHEAD_US, frame));
        }
        self
    }

    /// A packet that passes the server's capture at `at`.
    fn down(mut self, at: u32, frame: Vec<u8>, arrives: bool) -> TwoCaptures {
        self.server.push((at + AHEAD_US, frame.clone()));
        if arrives {
            self.client.push((at + PATH_US, frame));
        }
        self
    }

    /// Both captures as files, each in the order of its times.
    fn files(&self) -> [Vec<u8>; 2] {
        [&self.client, &self.server].map(|frames| {
            let mut frames = frames.clone();
            frames.sort_by_key(|(at, _)| *at);
            pcap(RAW, &frames)
        })
    }

    fn join(&self) -> (CaptureExplanation, CapturePoints) {
        let [client, server] = self.files();
        join(&[("server", &server), ("client", &client)], &client)
    }
}

fn read(name: &str, bytes: &[u8]) -> PointPackets {
    PointPackets::read(bytes, name, &AnalysisOptions::default()).expect("a capture")
}

fn join(files: &[(&str, &Vec<u8>)], client: &[u8]) -> (CaptureExplanation, CapturePoints) {
    let points = files
        .iter()
        .map(|(name, bytes)| read(name, bytes))
        .collect();
    let joined = JoinedPoints::new(points).expect("they belong together");
    assert_eq!(joined.first_name(), "client");
    let mut explanation = capture::explain(client, &AnalysisOptions::default()).expect("a capture");
    joined.describe(&mut explanation);
    let points = explanation.points.clone().expect("they were joined");
    (explanation, points)
}

/// Milliseconds of the verdict by place: client's side, the path, server's side,
/// not known.
fn verdict_ms(points: &CapturePoints) -> Vec<f64> {
    points
        .places
        .iter()
        .map(|place| place.verdict_ms.round())
        .collect()
}

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\n\r\n";
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

fn request() -> Vec<u8> {
    segment(CLIENT, 1, 1, 0x18, REQUEST)
}

fn answer() -> Vec<u8> {
    segment(SERVER, 1, 1 + REQUEST.len() as u32, 0x18, ANSWER)
}

#[test]
fn the_files_order_does_not_matter_and_the_clocks_difference_is_found() {
    let both = TwoCaptures::open()
        .up(30_000, request(), true)
        .down(1_040_000, answer(), true);
    let (_, points) = both.join();
    let names: Vec<&str> = points.points.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["client", "server"]);
    let clock = points.points[1].clock.expect("it has another clock");
    assert_eq!((clock.ahead_ms, clock.error_ms), (2_500.0, Some(10.0)));
    let out = &points.hops[0].out;
    assert_eq!((out.packets, out.lost), (3, 0));
    assert_eq!(out.delay_ms, Some([10.0; 4]));
}

#[test]
fn a_server_that_is_slow_is_so_beyond_the_last_capture() {
    let both = TwoCaptures::open()
        .up(30_000, request(), true)
        .down(1_040_000, answer(), true);
    let (explanation, points) = both.join();
    assert_eq!(
        explanation.verdict.expect("a verdict").owner,
        DelayOwner::Server
    );
    // The client waited, too, before it asked.
    assert_eq!(verdict_ms(&points), [10.0, 0.0, 1_000.0, 0.0]);
}

#[test]
fn a_request_that_was_lost_is_so_on_the_path() {
    let both = TwoCaptures::open()
        .up(30_000, request(), false)
        .up(330_000, request(), true)
        .down(341_000, answer(), true);
    let (_, points) = both.join();
    assert_eq!(points.hops[0].out.lost, 1);
    assert_eq!(points.losses[0].packet, 4);
    assert_eq!(verdict_ms(&points)[1], 300.0);
}

#[test]
fn a_request_that_arrived_and_was_sent_again_was_lost_after_the_last_capture() {
    let both = TwoCaptures::open()
        .up(30_000, request(), true)
        .up(330_000, request(), true)
        .down(341_000, answer(), true);
    let (_, points) = both.join();
    assert_eq!((points.hops[0].out.lost, points.repeats.past_last), (0, 1));
    assert_eq!(verdict_ms(&points)[2], 300.0);
}

#[test]
fn an_answer_that_never_arrives_is_no_server_that_is_slow() {
    let late = 5_000_000;
    let both = TwoCaptures::open()
        .up(30_000, request(), true)
        .down(50_000, answer(), false)
        .down(350_000, answer(), false)
        .down(950_000, answer(), false)
        .up(
            late,
            segment(CLIENT, 1 + REQUEST.len() as u32, 1, 0x11, b""),
            true,
        );
    let [client, _] = both.files();
    let alone = capture::explain(&client[..], &AnalysisOptions::default()).expect("a capture");
    assert_eq!(alone.verdict.expect("a verdict").owner, DelayOwner::Server);
    let (explanation, points) = both.join();
    let verdict = explanation.verdict.expect("a verdict");
    assert_eq!(verdict.owner, DelayOwner::Network);
    assert!(verdict.sentence.starts_with("The answer was sent and lost"));
    assert_eq!(points.hops[0].back.lost, 3);
    let total: f64 = explanation.slices.iter().map(|slice| slice.share).sum();
    assert!((total - 1.0).abs() < 1e-6, "{total}");
}

#[test]
fn a_packet_that_was_acknowledged_was_not_lost_but_not_recorded() {
    let acked = segment(
        CLIENT,
        1 + REQUEST.len() as u32,
        1 + ANSWER.len() as u32,
        0x10,
        b"",
    );
    let both = TwoCaptures::open()
        .up(30_000, request(), false)
        .down(41_000, answer(), true)
        .up(52_000, acked, true);
    let (_, points) = both.join();
    let out = &points.hops[0].out;
    assert_eq!((out.lost, out.not_recorded), (0, 1));
}

#[test]
fn segments_that_the_sender_joined_are_paired_by_their_bytes() {
    // Above segmentation offload the client's capture has one large segment.
    let large = vec![b'x'; 3_000];
    let mut both = TwoCaptures::open();
    both.client
        .push((30_000, segment(CLIENT, 1, 1, 0x18, &large)));
    for part in 0..3_u32 {
        let at = 40_000 + AHEAD_US + part * 100;
        let frame = segment(CLIENT, 1 + part * 1_000, 1, 0x10, &large[..1_000]);
        both.server.push((at, frame));
    }
    let both = both.down(241_000, segment(SERVER, 1, 3_001, 0x18, b"ok"), true);
    let (_, points) = both.join();
    let out = &points.hops[0].out;
    assert_eq!((out.packets, out.lost, out.unseen), (3, 0, 0));
    assert_eq!(verdict_ms(&points)[2], 201.0);
}

#[test]
fn connections_are_found_when_addresses_are_translated_between_the_points() {
    let both = TwoCaptures::open()
        .up(30_000, request(), true)
        .down(1_040_000, answer(), true);
    let [client, mut server] = both.files();
    // The client's address, 10.0.0.1, is another one at the server.
    for at in 0..server.len() - 4 {
        if server[at..at + 4] == [10, 0, 0, 1] {
            server[at..at + 4].copy_from_slice(&[192, 0, 2, 77]);
        }
    }
    let (_, points) = join(&[("client", &client), ("server", &server)], &client);
    assert_eq!(points.hops[0].back.packets, 2);
}

#[test]
fn captures_of_different_conversations_are_refused() {
    let [client, _] = TwoCaptures::open().up(30_000, request(), true).files();
    let other = pcap(RAW, &[(1, segment((50_001, 81), 7, 9, 0x18, b"x"))]);
    let refused = JoinedPoints::new(vec![read("a", &client), read("b", &other)]);
    assert!(matches!(refused, Err(JoinError::NothingShared(..))));
    let alone = JoinedPoints::new(vec![read("a", &client)]);
    assert!(matches!(alone, Err(JoinError::Count(1))));
}

//! What must be seen before a cause is named, and what takes a claim back.

use std::collections::BTreeSet;

use capture::synth::{
    Close, Conversation, DelayedAck, Exchange, Format, Payload, Place, Write, capture_file,
};
use capture::{Confidence, Explanation, Options, Phase, Quiet, explain};

use crate::build::{RAW, pcap, segment};

fn talk(exchanges: Vec<Exchange>) -> Conversation {
    Conversation {
        exchanges,
        close: Close::Client,
        ..Conversation::default()
    }
}

fn explained(conversation: &Conversation) -> Explanation {
    let file = capture_file(std::slice::from_ref(conversation), Format::Pcap);
    explain(file.as_slice(), &Options::default()).expect("a made capture")
}

fn named(explanation: &Explanation) -> BTreeSet<&'static str> {
    let causes = explanation.causes.iter().map(|c| c.rule);
    causes.filter(|c| !c.ends_with(".think")).collect()
}

/// Requests in two writes against an acknowledgement timer of 200 ms.
fn two_writes(requests: usize) -> Conversation {
    let request = Exchange {
        request: vec![Write::of(200), Write::of(100)],
        ..Exchange::new(0, 2_000, 500)
    };
    let mut c = talk(vec![request; requests]);
    c.client_end().nagle = true;
    c.client_end().rto_min_us = 400_000;
    c.server_end().delayed_ack = DelayedAck::FixedUs(200_000);
    c
}

#[test]
fn confidence_is_earned_by_repetition() {
    for (requests, confidence) in [
        (2, Confidence::Low),
        (4, Confidence::Medium),
        (9, Confidence::High),
    ] {
        let explanation = explained(&two_writes(requests));
        let sure: BTreeSet<Confidence> = (explanation.findings.iter())
            .filter(|f| f.rule == "tcp.nagle.write-write-read")
            .map(|f| f.confidence)
            .collect();
        assert_eq!(sure, BTreeSet::from([confidence]), "{requests} requests");
    }
}

#[test]
fn a_short_segment_behind_a_short_one_takes_every_claim_on_nagle_back() {
    let frames = contradicted();
    let explanation = explain(&pcap(RAW, &frames)[..], &Options::default()).expect("a capture");
    assert_eq!(named(&explanation), BTreeSet::new());
    assert_eq!(explanation.totals.stalled_ns, 0);
    let stalls = |e: &Explanation| {
        e.exchanges
            .iter()
            .map(|e| e.split.stalls.len())
            .sum::<usize>()
    };
    assert_eq!(stalls(&explanation), 0);
    let services: i64 = explanation.services.iter().map(|s| s.stalled_ns).sum();
    assert_eq!(services, 0);
    // Without the last two segments it would have been said.
    let before = explain(
        &pcap(RAW, &frames[..frames.len() - 2])[..],
        &Options::default(),
    );
    assert_eq!(
        named(&before.expect("a capture")),
        BTreeSet::from(["tcp.nagle.write-write-read"])
    );
}

/// Eight requests in two pieces, the second behind an acknowledgement of 200 ms;
/// then two short segments one behind the other.
fn contradicted() -> Vec<(u32, Vec<u8>)> {
    let (client, server) = ((50_000, 80), (80, 50_000));
    let mut frames = vec![
        (1_000, segment(client, 0, 0, 0x02, b"")),
        (1_050, segment(server, 0, 1, 0x12, b"")),
        (1_100, segment(client, 1, 1, 0x10, b"")),
    ];
    let (mut at, mut sent, mut answered) = (2_000, 1, 1);
    for n in 0..8_u32 {
        frames.push((at, segment(client, sent, answered, 0x18, &[b'a'; 50])));
        at += 200_000 + n * 700;
        frames.push((at, segment(server, answered, sent + 50, 0x10, b"")));
        at += 30;
        frames.push((at, segment(client, sent + 50, answered, 0x18, &[b'b'; 40])));
        sent += 90;
        at += 3_000;
        frames.push((at, segment(server, answered, sent, 0x18, &[b'c'; 70])));
        answered += 70;
        at += 40;
        frames.push((at, segment(client, sent, answered, 0x10, b"")));
        at += 900;
    }
    frames.push((at, segment(client, sent, answered, 0x18, &[b'd'; 30])));
    frames.push((
        at + 400,
        segment(client, sent + 30, answered, 0x18, &[b'e'; 30]),
    ));
    frames
}

#[test]
fn a_pause_within_the_response_is_the_servers_own_wherever_it_was_seen() {
    let piece = Write {
        after_us: 50_000,
        bytes: 700,
    };
    let mut c = talk(vec![
        Exchange {
            response: vec![Write::of(800), piece],
            ..Exchange::new(300, 1_000, 0)
        };
        4
    ]);
    c.client_end().delayed_ack = DelayedAck::FixedUs(40_000);
    for place in [Place::Client, Place::Server] {
        c.path.capture = place;
        let explanation = explained(&c);
        assert_eq!(named(&explanation), BTreeSet::new(), "{place:?}");
        let own_ns = explanation.totals.phases.of(Phase::ServerThink);
        let expected = 4 * 50_000_000..4 * 52_000_000;
        assert!(expected.contains(&own_ns), "{place:?}: {own_ns}");
    }
}

#[test]
fn a_long_round_trip_is_not_the_servers_time() {
    let mut c = talk(vec![Exchange::new(300, 20_000, 500); 3]);
    c.path.one_way_us = 447_500;
    for end in &mut c.ends {
        end.rto_min_us = 2_000_000;
    }
    let explanation = explained(&c);
    let phases = &explanation.totals.phases;
    assert_eq!(phases.of(Phase::ServerThink) / 1_000_000, 3 * 20);
    assert_eq!(phases.of(Phase::RoundTrip) / 1_000_000, 3 * 895);
}

#[test]
fn without_the_handshake_no_window_is_called_full() {
    let mut c = talk(vec![Exchange::new(300, 2_000, 150_000)]);
    c.path.one_way_us = 20_000;
    c.path.capture = Place::Server;
    c.client_end().receive_bytes = 14_000;
    assert!(named(&explained(&c)).contains("tcp.window.full"));
    c.without_handshake = true;
    let explanation = explained(&c);
    assert!(!named(&explanation).contains("tcp.window.full"));
    let why: Vec<Quiet> = explanation.silences.iter().map(|s| s.why).collect();
    assert!(why.contains(&Quiet::Midway), "{why:?}");
    let missing = (explanation.capture.problems.iter()).any(|p| p.id == "capture.midway");
    assert!(missing);
}

#[test]
fn other_bytes_at_the_same_place_are_no_retransmission() {
    let (client, server) = ((50_000, 80), (80, 50_000));
    let make = |second: &[u8]| {
        let frames = [
            (1_000, segment(client, 0, 0, 0x02, b"")),
            (1_100, segment(server, 0, 1, 0x12, b"")),
            (1_200, segment(client, 1, 1, 0x10, b"")),
            (2_000, segment(client, 1, 1, 0x18, b"first of all")),
            (302_000, segment(client, 1, 1, 0x18, second)),
            (303_000, segment(server, 1, 13, 0x18, b"answered")),
        ];
        let explanation = explain(&pcap(RAW, &frames)[..], &Options::default());
        named(&explanation.expect("a capture"))
    };
    assert_eq!(make(b"first of all"), BTreeSet::from(["tcp.rto"]));
    assert_eq!(make(b"\0\0\0\0\0\0\0\0\0\0\0\0"), BTreeSet::new());
}

/// Packets 200 ms apart, with so many steps more between each request and the next.
fn made_times(skipped: u32) -> u64 {
    let (client, server) = ((50_000, 80), (80, 50_000));
    let mut frames = vec![
        (200_000, segment(client, 0, 0, 0x02, b"")),
        (400_000, segment(server, 0, 1, 0x12, b"")),
        (600_000, segment(client, 1, 1, 0x10, b"")),
    ];
    for n in 0..10 {
        let at = 800_000 + (400_000 + 200_000 * skipped) * n;
        frames.push((at, segment(client, 1 + 50 * n, 1, 0x18, &[b'a'; 50])));
        frames.push((at + 200_000, segment(server, 1, 51 + 50 * n, 0x10, b"")));
    }
    let explanation = explain(&pcap(RAW, &frames)[..], &Options::default()).expect("a capture");
    assert_eq!(named(&explanation), BTreeSet::new());
    explanation.totals.made_times
}

#[test]
fn packets_that_are_all_as_far_apart_have_made_times() {
    assert_eq!(made_times(0), 1);
    // The packets of other connections stand between.
    assert_eq!(made_times(3), 1);
}

#[test]
fn a_report_a_minute_is_no_message_in_small_pieces() {
    let minute = Write {
        after_us: 60_000_000,
        bytes: 310,
    };
    let mut c = talk(vec![Exchange {
        response: vec![minute; 12],
        ..Exchange::new(80, 500, 0)
    }]);
    c.payload = Payload::Opaque;
    assert_eq!(named(&explained(&c)), BTreeSet::new());
}

#[test]
fn a_search_of_stations_is_told_when_there_is_nothing_else() {
    // TEST to a station's null access point, and the answer.
    let mut frame = vec![
        0x02, 0, 0, 0, 0, 2, 0x02, 0, 0, 0, 0, 1, 0, 3, 0x00, 0x04, 0xF3,
    ];
    frame.resize(60, 0);
    let file = pcap(1, &[(1_000, frame.clone()), (2_000, frame)]);
    let explanation = explain(&file[..], &Options::default()).expect("a capture");
    assert_eq!(explanation.totals.search_frames, 2);
    let [_, worst, _] = capture::report::summary(&explanation);
    assert!(worst.contains("TEST or XID"), "{worst}");
}

#[test]
fn what_is_no_capture_is_told_with_a_hint_that_fits() {
    let hint = |bytes: &[u8]| explain(bytes, &Options::default()).unwrap_err().to_string();
    assert!(hint(b"PK\x03\x04........").contains("unpack"));
    assert!(hint(b"version https://git-lfs.github.com").contains("git lfs pull"));
    assert!(hint(b"10.0.0.1 said hello").contains("text2pcap"));
    assert!(hint(b"snoop\0\0\0......").contains("editcap"));
}

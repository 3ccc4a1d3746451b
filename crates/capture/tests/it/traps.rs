//! Captures that look like a cause and are none.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use capture::synth::{
    Action, Close, Conversation, DelayedAck, Exchange, Fault, Format, PLANTED, Place, Reader,
    Select, Write, capture_file, simulate,
};
use capture::{Marks, Options, Phase, Side, explain};
use proptest::prelude::*;

fn talk(exchanges: Vec<Exchange>) -> Conversation {
    Conversation {
        exchanges,
        close: Close::Client,
        ..Conversation::default()
    }
}

/// Causes named, without the two that are nobody's fault.
fn named(conversations: &[Conversation]) -> BTreeSet<&'static str> {
    let file = capture_file(conversations, Format::Pcapng);
    let explanation = explain(file.as_slice(), &Options::default()).expect("a made capture");
    let causes = explanation.causes.iter().map(|c| c.rule);
    causes
        .filter(|c| !["server.think", "client.think"].contains(c))
        .collect()
}

#[test]
fn segments_larger_than_the_mss_are_offload_and_no_cause() {
    let mut c = talk(vec![Exchange::new(20_000, 3_000, 200_000); 3]);
    for end in &mut c.ends {
        end.offload_segments = 40;
        end.initial_window = 200;
        end.delayed_ack = DelayedAck::FixedUs(40_000);
    }
    assert_eq!(named(&[c]), BTreeSet::new());
}

#[test]
fn a_small_mss_that_makes_no_more_packets_harms_nothing() {
    let mut c = talk(vec![Exchange::new(200, 3_000, 400); 5]);
    c.server_end().mss = 536;
    assert_eq!(named(&[c]), BTreeSet::new());
}

#[test]
fn loopbacks_mss_is_no_finding() {
    let mut c = talk(vec![Exchange::new(300, 3_000, 200_000); 3]);
    c.client = SocketAddr::from(([127, 0, 0, 1], 40_000));
    c.server = SocketAddr::from(([127, 0, 0, 1], 8080));
    c.path.one_way_us = 10;
    for end in &mut c.ends {
        end.mss = 65_495;
        end.receive_bytes = 65_535 * 16;
    }
    assert_eq!(named(&[c]), BTreeSet::new());
}

#[test]
fn a_transfer_limited_by_the_receive_window_is_not_nagles() {
    // A window that is no multiple of the segment size leaves less than a
    // segment of room in each burst; Nagle's algorithm is on, and innocent.
    let mut c = talk(vec![Exchange::new(300, 3_000, 13 * 6 * 1_448)]);
    c.path.one_way_us = 10_000;
    c.server_end().nagle = true;
    c.client_end().receive_bytes = 10_000;
    for place in [Place::Client, Place::Server] {
        c.path.capture = place;
        assert_eq!(
            named(&[c.clone()]),
            BTreeSet::from(["tcp.window.full"]),
            "{place:?}"
        );
    }
}

#[test]
fn the_short_end_of_a_long_message_is_nagles_when_the_window_had_room() {
    let mut c = talk(vec![Exchange::new(300, 3_000, 6 * 6 * 1_448 + 5_000)]);
    c.path.one_way_us = 10_000;
    c.server_end().nagle = true;
    c.client_end().receive_bytes = 10_000;
    let causes = BTreeSet::from(["tcp.window.full", "tcp.nagle"]);
    assert_eq!(named(&[c]), causes);
}

#[test]
fn a_delayed_acknowledgement_that_nobody_waits_for_costs_nothing() {
    // The server thinks for 300 ms; its acknowledgement of the request comes
    // after 40 ms, and nothing follows from it.
    let mut c = talk(vec![Exchange::new(300, 300_000, 500); 3]);
    for end in &mut c.ends {
        end.delayed_ack = DelayedAck::FixedUs(40_000);
    }
    assert_eq!(named(&[c]), BTreeSet::new());
}

#[test]
fn a_server_that_writes_a_response_in_pieces_with_pauses_is_thinking() {
    let piece = Write {
        after_us: 50_000,
        bytes: 1_000,
    };
    let c = talk(vec![Exchange {
        response: vec![Write::of(1_000), piece, piece],
        ..Exchange::new(300, 3_000, 0)
    }]);
    for place in [Place::Client, Place::Server] {
        let mut c = c.clone();
        c.path.one_way_us = 5_000;
        c.path.capture = place;
        assert_eq!(named(&[c]), BTreeSet::new(), "{place:?}");
    }
}

#[test]
fn the_place_of_capture_does_not_change_the_cause() {
    let mut nagle = talk(vec![Exchange {
        request: vec![Write::of(200), Write::of(100)],
        ..Exchange::new(0, 2_000, 500)
    }]);
    nagle.path.one_way_us = 10_000;
    nagle.client_end().nagle = true;
    nagle.client_end().rto_min_us = 400_000;
    let mut delayed = nagle.clone();
    delayed.server_end().delayed_ack = DelayedAck::FixedUs(200_000);
    let mut adaptive = nagle.clone();
    adaptive.server_end().delayed_ack = DelayedAck::AdaptiveUs(40_000, 200_000);
    adaptive.exchanges = vec![adaptive.exchanges[0].clone(); 4];
    let mut start = talk(vec![Exchange::new(300, 2_000, 100_000)]);
    start.path.one_way_us = 25_000;
    start.server_end().initial_window = 2;
    let mut limited = start.clone();
    limited.server_end().initial_window = 10;
    limited.server_end().send_limit_bytes = Some(14_480);
    let mut zero = talk(vec![Exchange::new(300, 2_000, 60_000)]);
    zero.client_end().receive_bytes = 20_000;
    zero.client_end().reader = Reader::Pausing {
        every_bytes: 20_000,
        pause_us: 300_000,
    };
    let cases = [
        (nagle, "tcp.nagle"),
        (delayed, "tcp.nagle.write-write-read"),
        (start, "tcp.slow-start"),
        (limited, "tcp.sender.limited"),
        (zero, "tcp.window.zero"),
    ];
    for (conversation, cause) in cases {
        for place in [Place::Client, Place::Middle, Place::Server] {
            let mut conversation = conversation.clone();
            conversation.path.capture = place;
            assert_eq!(
                named(&[conversation]),
                BTreeSet::from([cause]),
                "{cause} at {place:?}"
            );
        }
    }
    assert!(named(&[adaptive]).contains("tcp.nagle.write-write-read"));
}

#[test]
fn a_lost_end_of_a_response_shows_at_the_server() {
    let mut c = talk(vec![Exchange::new(300, 2_000, 10_000); 2]);
    c.path.capture = Place::Server;
    c.path.faults = vec![Fault {
        from: Side::Server,
        select: Select::Data(6),
        action: Action::Lose,
    }];
    assert_eq!(named(&[c]), BTreeSet::from(["tcp.rto"]));
}

#[test]
fn ipv6_makes_no_difference() {
    let mut c = talk(vec![Exchange {
        request: vec![Write::of(200), Write::of(100)],
        ..Exchange::new(0, 2_000, 500)
    }]);
    c.client = "[2001:db8::1]:40000".parse().expect("an address");
    c.server = "[2001:db8::2]:8080".parse().expect("an address");
    c.client_end().nagle = true;
    c.client_end().rto_min_us = 400_000;
    c.server_end().delayed_ack = DelayedAck::FixedUs(200_000);
    assert_eq!(named(&[c]), BTreeSet::from(["tcp.nagle.write-write-read"]));
}

#[test]
fn a_made_capture_holds_every_byte_of_both_streams() {
    let mut c = talk(vec![Exchange::new(5_000, 500, 70_000); 2]);
    c.path.loss_one_in = 20;
    let (segments, streams) = simulate(&c);
    for side in [Side::Client, Side::Server] {
        let stream = &streams[side.index()];
        let mut seen = vec![false; stream.len()];
        for s in segments.iter().filter(|s| s.from == side) {
            seen[s.offset as usize..(s.offset + s.len) as usize].fill(true);
        }
        assert!(seen.iter().all(|s| *s));
    }
    assert!(PLANTED.len() > 20);
}

#[test]
fn a_probe_of_the_tail_while_the_server_thinks_took_no_time() {
    // The server has the request, delays its acknowledgement and thinks; the
    // client's timer is shorter than either and its copy is not needed.
    let mut c = talk(vec![Exchange::new(300, 300_000, 500); 2]);
    c.client_end().rto_fixed_us = Some(20_000);
    c.server_end().delayed_ack = DelayedAck::FixedUs(100_000);
    for place in [Place::Client, Place::Server] {
        c.path.capture = place;
        let file = capture_file(&[c.clone()], Format::Pcap);
        let explanation = explain(file.as_slice(), &Options::default()).expect("a capture");
        assert!(explanation.totals.marks.of(Marks::RESENT) > 0, "{place:?}");
        assert_eq!(named(&[c.clone()]), BTreeSet::new(), "{place:?}");
        let think_ns = explanation.totals.phases.of(Phase::ServerThink);
        assert!(
            (600_000_000..610_000_000).contains(&think_ns),
            "{place:?}: {think_ns}"
        );
    }
}

#[test]
fn a_loss_repaired_at_once_is_named_wherever_it_was_seen() {
    for lost in 1..7 {
        for place in [Place::Client, Place::Server] {
            let mut c = talk(vec![Exchange::new(300, 2_000, 10 * 1_448)]);
            c.path.one_way_us = 10_000;
            c.path.capture = place;
            c.path.faults = vec![Fault {
                from: Side::Server,
                select: Select::Data(lost),
                action: Action::Lose,
            }];
            let causes = named(&[c.clone()]);
            assert!(
                causes.contains("tcp.retransmit.fast"),
                "{lost} {place:?}: {causes:?}"
            );
            let file = capture_file(&[c], Format::Pcap);
            let explanation = explain(file.as_slice(), &Options::default()).expect("a capture");
            // A round trip was lost, and no more is told than that and a little.
            let stalled_ns = explanation.totals.stalled_ns;
            assert!(
                (18_000_000..45_000_000).contains(&stalled_ns),
                "{lost} {place:?}: {stalled_ns}"
            );
            assert_eq!(explanation.totals.phases.of(Phase::Response) / 1_000_000, 0);
        }
    }
}

#[test]
fn a_loss_with_too_few_duplicate_acknowledgements_is_the_timers_wherever_it_was_seen() {
    for lost in [7, 8] {
        for place in [Place::Client, Place::Server] {
            let mut c = talk(vec![Exchange::new(300, 2_000, 10 * 1_448)]);
            c.path.one_way_us = 10_000;
            c.path.capture = place;
            c.path.faults = vec![Fault {
                from: Side::Server,
                select: Select::Data(lost),
                action: Action::Lose,
            }];
            assert_eq!(named(&[c]), BTreeSet::from(["tcp.rto"]), "{lost} {place:?}");
        }
    }
}

#[test]
fn data_that_no_acknowledgement_can_have_set_free_is_the_applications() {
    // Two pieces 15 ms apart over 150 ms of round trip, and the client has not
    // acknowledged the first when the second comes.
    let piece = Write {
        after_us: 15_000,
        bytes: 65,
    };
    let mut c = talk(vec![Exchange {
        response: vec![Write::of(200), piece],
        ..Exchange::new(300, 3_000, 0)
    }]);
    c.path.one_way_us = 75_000;
    c.client_end().delayed_ack = DelayedAck::FixedUs(200_000);
    c.server_end().rto_min_us = 500_000;
    for place in [Place::Client, Place::Server] {
        c.path.capture = place;
        assert_eq!(named(&[c.clone()]), BTreeSet::new(), "{place:?}");
    }
}

/// Two causes in one conversation: both are named and nothing else.
#[test]
fn two_causes_together_are_both_named_and_no_third() {
    let two_writes = Exchange {
        request: vec![Write::of(200), Write::of(100)],
        ..Exchange::new(0, 2_000, 500)
    };
    // Nagle's algorithm against a delayed acknowledgement, and a lost request.
    let mut lossy = talk(vec![two_writes.clone(); 3]);
    lossy.client_end().nagle = true;
    lossy.client_end().rto_min_us = 400_000;
    lossy.server_end().delayed_ack = DelayedAck::FixedUs(200_000);
    lossy.path.faults = vec![Fault {
        from: Side::Client,
        select: Select::Syn(0),
        action: Action::Lose,
    }];
    // A small MSS and a receiver that does not read.
    let mut small = talk(vec![Exchange::new(300, 2_000, 60_000)]);
    small.server_end().mss = 536;
    small.client_end().receive_bytes = 20_000;
    small.client_end().reader = Reader::Pausing {
        every_bytes: 20_000,
        pause_us: 300_000,
    };
    // A slow start and a half-open end.
    let mut half = talk(vec![Exchange::new(300, 2_000, 100_000)]);
    half.path.one_way_us = 25_000;
    half.server_end().initial_window = 2;
    half.close = Close::HalfByClient;
    let cases = [
        (lossy, vec!["tcp.syn.lost", "tcp.nagle.write-write-read"]),
        (small, vec!["tcp.mss.small", "tcp.window.zero"]),
        (half, vec!["tcp.slow-start", "tcp.half-close"]),
    ];
    for (conversation, causes) in cases {
        for place in [Place::Client, Place::Server] {
            let mut conversation = conversation.clone();
            conversation.path.capture = place;
            let mut expected: BTreeSet<_> = causes.iter().copied().collect();
            if place == Place::Server {
                // It was lost before the server.
                expected.remove("tcp.syn.lost");
            }
            assert_eq!(named(&[conversation]), expected, "{causes:?} at {place:?}");
        }
    }
}

#[test]
fn a_connection_asked_for_when_the_capture_ends_was_not_lost() {
    let first = talk(vec![Exchange::new(300, 2_000, 500); 2]);
    let mut late = talk(vec![Exchange::new(300, 2_000, 500)]);
    late.client.set_port(40_001);
    late.start_us = 5_000;
    late.path.one_way_us = 60_000_000;
    late.path.faults = vec![Fault {
        from: Side::Client,
        select: Select::Syn(0),
        action: Action::Lose,
    }];
    let file = capture_file(&[first, late], Format::Pcap);
    // The capture ends before the SYN is sent again.
    let options = Options {
        to_ns: Some(1_529_020_800_000_000_000 + 900_000_000),
        ..Options::default()
    };
    let explanation = explain(file.as_slice(), &options).expect("a capture");
    assert_eq!(explanation.totals.connections, 2);
    assert!(explanation.causes.iter().all(|c| c.rule != "tcp.syn.lost"));
    let all = explain(file.as_slice(), &Options::default()).expect("a capture");
    assert!(all.causes.iter().any(|c| c.rule == "tcp.syn.lost"));
}

prop_compose! {
    /// A conversation in which nothing is wrong: a short path, windows with room,
    /// messages of one write each, receivers that delay acknowledgements.
    fn calm()(
        exchanges in prop::collection::vec(
            (0u64..400_000, 1u32..3_000, 0u64..300_000, 1u32..60_000).prop_map(
                |(client_think_us, asked, think_us, answered)| Exchange {
                    client_think_us,
                    ..Exchange::new(asked, think_us, answered)
                },
            ),
            1..6,
        ),
        one_way_us in prop::sample::select(vec![20u64, 100, 200]),
        place in prop::sample::select(vec![Place::Client, Place::Middle, Place::Server]),
        offload_segments in prop::sample::select(vec![1u32, 4, 44]),
        mss in prop::sample::select(vec![1_400u16, 1_460, 8_960]),
        delayed in prop::sample::select(vec![
            DelayedAck::Off, DelayedAck::FixedUs(40_000), DelayedAck::AdaptiveUs(40_000, 200_000),
        ]),
        close in prop::sample::select(vec![Close::Open, Close::Client, Close::Server]),
        without_handshake in any::<bool>(),
        seed in any::<u64>(),
    ) -> Conversation {
        let mut c = Conversation {
            exchanges, close, without_handshake, seed, ..Conversation::default()
        };
        (c.path.one_way_us, c.path.capture) = (one_way_us, place);
        for end in &mut c.ends {
            (end.offload_segments, end.mss, end.delayed_ack) = (offload_segments, mss, delayed);
            end.initial_window = 50;
            end.rto_min_us = 400_000;
        }
        c
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_conversation_in_which_nothing_is_wrong_has_no_cause(c in calm()) {
        prop_assert_eq!(named(&[c]), BTreeSet::new());
    }
}

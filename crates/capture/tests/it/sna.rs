//! SNA sessions: exchanges by turns of conversations, over every kind of link.

use std::collections::BTreeSet;

use capture::{
    AnalysisOptions, AppProtocol, CaptureExplanation, ConnectionSide, EvidenceKind, Exchange,
    explain,
};
use proptest::prelude::*;
use synth::{CapturePlace, LinkWord, SnaLink, SnaUnit, paced, sna_capture, stopped};

use crate::build::{TestConversation, pcap};

fn explained(
    link: SnaLink,
    place: CapturePlace,
    one_way_us: u64,
    script: &[SnaUnit],
) -> CaptureExplanation {
    let file = sna_capture(link, place, one_way_us, script);
    let mut explanation =
        explain(file.as_slice(), &AnalysisOptions::default()).expect("a made capture");
    explanation.exchanges.sort_by_key(|e| e.index);
    explanation
}

/// The exchanges of sessions, without those that set up the link.
fn turns(explanation: &CaptureExplanation) -> Vec<&Exchange> {
    let set_up = ["DLSw capabilities", "DLSw CANUREACH", "LLC2 mode"];
    let all = explanation.exchanges.iter();
    all.filter(|e| !set_up.contains(&e.label.as_str()))
        .collect()
}

const EVERY: [SnaLink; 4] = [
    SnaLink::Dlsw,
    SnaLink::DlswTwo,
    SnaLink::DlswTwoThenOne,
    SnaLink::Ethernet,
];

fn adds_up(explanation: &CaptureExplanation) {
    for exchange in &explanation.exchanges {
        let whole = exchange.end_ns - exchange.start_ns;
        assert_eq!(exchange.total_ns(), whole, "{exchange:#?}");
        assert!(exchange.slices.0.iter().all(|ns| *ns >= 0));
    }
}

/// Time of an exchange in which a window was closed.
fn closed_ns(exchange: &Exchange) -> i64 {
    exchange.slices.of(EvidenceKind::WindowClosed)
}

/// Reasons of the waits of a millisecond or more for a closed window.
fn reasons(explanation: &CaptureExplanation) -> BTreeSet<&'static str> {
    let waits = explanation.exchanges.iter().flat_map(|e| &e.waits);
    let closed = waits.filter(|w| w.reason.kind() == EvidenceKind::WindowClosed);
    closed.map(|w| w.reason.name()).collect()
}

#[test]
fn a_turn_of_a_conversation_is_an_exchange_with_its_program_and_exact_times() {
    for link in EVERY {
        let explanation = explained(link, CapturePlace::Client, 0, &paced(1_500));
        adds_up(&explanation);
        let protocol = match link {
            SnaLink::Ethernet => AppProtocol::Sna,
            _ => AppProtocol::Dlsw,
        };
        assert_eq!(explanation.connections[0].protocol, protocol);
        let turns = turns(&explanation);
        let reported: Vec<_> = turns
            .iter()
            .map(|e| {
                (
                    &e.label[..],
                    e.asked_by,
                    e.request.messages,
                    e.response.messages,
                )
            })
            .collect();
        let expected = [
            ("FILETRAN", ConnectionSide::Client, 6, 2),
            ("FILETRAN", ConnectionSide::Client, 1, 0),
        ];
        assert_eq!(reported, expected, "{link:?}");
        assert!(turns.iter().all(|e| e.complete && e.is_answered()));
        // 200 units of time as scripted: the pacing response of 1.5 ms is in the
        // request, 4 ms and 3 ms are the partner's.
        let think: Vec<_> = (turns.iter())
            .map(|e| e.slices.of(EvidenceKind::HostWait) / 1_000_000)
            .collect();
        assert_eq!(think, [4, 3], "{link:?}");
        let request_ns = turns[0].request.end_ns - turns[0].request.start_ns;
        assert_eq!(request_ns, 1_000 * (20 + 20 + 1_500 + 50 + 20 + 30 + 20));
    }
}

#[test]
fn a_late_pacing_response_is_named_at_both_ends_and_nothing_else_is() {
    for link in EVERY {
        for place in [CapturePlace::Client, CapturePlace::Server] {
            for one_way_us in [0, 200, 5_000] {
                let explanation = explained(link, place, one_way_us, &paced(120_000));
                adds_up(&explanation);
                let at = format!("{link:?} {place:?} {one_way_us}");
                assert_eq!(
                    reasons(&explanation),
                    BTreeSet::from(["sna.pacing"]),
                    "{at}"
                );
                let turns = turns(&explanation);
                let stalled_ns = closed_ns(turns[0]);
                let most_ns = 121_000_000 + 6_000 * one_way_us as i64;
                assert!(
                    (119_000_000..most_ns).contains(&stalled_ns),
                    "{at}: {stalled_ns}"
                );
            }
        }
    }
}

#[test]
fn a_late_pacing_response_is_named_while_other_sessions_send() {
    use ConnectionSide::{Client, Server};
    // Another session sends every 800 µs during the wait: the link is never silent.
    let mut script = paced(0);
    let at = script
        .iter()
        .position(|u| u.header.is_isolated_pacing())
        .unwrap();
    script.splice(at..at, {
        let begin = SnaUnit::attach(Client, 100, "OTHER", 100).in_session(2);
        let more = |n: usize| SnaUnit::data(Client, 800, 100 + n % 7).in_session(2);
        std::iter::once(begin).chain((0..100).map(more))
    });
    let last = SnaUnit::data(Server, 10, 100).in_session(2).ends();
    script.push(SnaUnit::data(Client, 10, 100).in_session(2).turns());
    script.push(last);
    for link in EVERY {
        let explanation = explained(link, CapturePlace::Client, 0, &script);
        adds_up(&explanation);
        let turns = turns(&explanation);
        let held = turns.iter().find(|e| e.label == "FILETRAN").unwrap();
        let stalled_ns = closed_ns(held);
        assert!(
            (79_000_000..81_000_000).contains(&stalled_ns),
            "{link:?}: {stalled_ns}"
        );
        let others = turns.iter().filter(|e| e.label == "OTHER");
        assert!(others.map(|e| closed_ns(e)).all(|ns| ns == 0), "{link:?}");
    }
}

#[test]
fn a_wait_that_was_another_sessions_server_time_first_is_named_all_the_same() {
    use ConnectionSide::{Client, Server};
    let script = [
        SnaUnit::attach(Client, 1_000, "FIRST", 100).turns(),
        SnaUnit::attach(Client, 20, "HELD", 100)
            .paced()
            .in_session(2),
        SnaUnit::data(Client, 20, 100).in_session(2),
        SnaUnit::pacing_response(Server, 50_000, 7).in_session(2),
        SnaUnit::data(Client, 50, 100).turns().in_session(2),
        SnaUnit::data(Server, 10, 100).ends(),
        SnaUnit::data(Client, 10, 100).in_session(3),
        SnaUnit::data(Server, 4_000, 100).ends().in_session(2),
    ];
    for link in EVERY {
        let explanation = explained(link, CapturePlace::Client, 0, &script);
        adds_up(&explanation);
        let held = turns(&explanation);
        let held = held.iter().find(|e| e.label == "HELD").unwrap();
        let ns = closed_ns(held);
        assert!((49_900_000..50_100_000).contains(&ns), "{link:?}: {ns}");
    }
}

#[test]
fn a_pacing_response_that_no_sender_waits_for_costs_nothing() {
    use ConnectionSide::{Client, Server};
    // The window is larger than what is sent, and the next one comes late.
    let script = [
        SnaUnit::attach(Client, 1_000, "INQUIRY", 100).paced(),
        SnaUnit::data(Client, 20, 300).turns(),
        SnaUnit::pacing_response(Server, 80_000, 7),
        SnaUnit::data(Server, 40_000, 500).ends(),
    ];
    for link in EVERY {
        let explanation = explained(link, CapturePlace::Client, 100, &script);
        adds_up(&explanation);
        assert!(!reasons(&explanation).contains("sna.pacing"), "{link:?}");
        let think_ns = turns(&explanation)[0].slices.of(EvidenceKind::HostWait);
        assert!(think_ns > 120_000_000, "{link:?}: {think_ns}");
    }
}

#[test]
fn a_sender_that_takes_its_time_after_the_response_was_not_held() {
    use ConnectionSide::{Client, Server};
    let script = [
        SnaUnit::attach(Client, 1_000, "FILETRAN", 100).paced(),
        SnaUnit::pacing_response(Server, 100, 7),
        SnaUnit::data(Client, 1_900, 500).turns(),
        SnaUnit::data(Server, 500, 500).ends(),
    ];
    for link in EVERY {
        let explanation = explained(link, CapturePlace::Client, 50, &script);
        assert!(!reasons(&explanation).contains("sna.pacing"), "{link:?}");
    }
}

#[test]
fn a_closed_link_is_named_with_its_cost_and_no_other_wait_is() {
    for (link, cause) in [
        (SnaLink::Dlsw, "dlsw.window"),
        (SnaLink::DlswTwo, "dlsw.window"),
        (SnaLink::DlswTwoThenOne, "dlsw.window"),
        (SnaLink::Ethernet, "llc.not-ready"),
    ] {
        for place in [CapturePlace::Client, CapturePlace::Server] {
            for one_way_us in [0, 200, 5_000] {
                let explanation = explained(link, place, one_way_us, &stopped(150_000));
                adds_up(&explanation);
                let turns = turns(&explanation);
                let stalled_ns = closed_ns(turns[0]);
                let most_ns = 151_000_000 + 4_000 * one_way_us as i64;
                let at = format!("{link:?} {place:?} {one_way_us}: {stalled_ns}");
                assert!((149_000_000..most_ns).contains(&stalled_ns), "{at}");
                assert_eq!(reasons(&explanation), BTreeSet::from([cause]), "{at}");
            }
        }
    }
}

#[test]
fn a_station_that_is_not_ready_while_nothing_is_sent_costs_nothing() {
    use ConnectionSide::{Client, Server};
    let script = [
        SnaUnit::attach(Client, 1_000, "INQUIRY", 100).turns(),
        SnaUnit::link(Server, 30, LinkWord::Stop),
        SnaUnit::link(Server, 80_000, LinkWord::Go),
        SnaUnit::data(Server, 20_000, 500).ends(),
    ];
    for link in EVERY {
        let explanation = explained(link, CapturePlace::Client, 100, &script);
        assert!(reasons(&explanation).is_empty(), "{link:?}");
    }
}

#[test]
fn the_messages_that_a_dlsw_window_allows_are_counted() {
    use ConnectionSide::{Client, Server};
    let script = [
        SnaUnit::attach(Client, 1_000, "FILETRAN", 200),
        SnaUnit::link(Server, 30, LinkWord::Stop),
        // A window of one, then of two messages.
        SnaUnit::link(Server, 300, LinkWord::Go),
        SnaUnit::data(Client, 20, 1_000),
        SnaUnit::link(Server, 60_000, LinkWord::Go),
        SnaUnit::data(Client, 20, 1_000),
        // One is left: this is the program's own time.
        SnaUnit::data(Client, 40_000, 1_000).turns(),
        SnaUnit::data(Server, 4_000, 300).ends(),
    ];
    let explanation = explained(SnaLink::Dlsw, CapturePlace::Client, 0, &script);
    adds_up(&explanation);
    let waits = explanation.exchanges.iter().flat_map(|e| &e.waits);
    let found: Vec<_> = waits
        .filter(|w| w.reason.name() == "dlsw.window")
        .map(|w| w.length_ns())
        .collect();
    let [one] = found[..] else {
        panic!("{found:?}");
    };
    assert!((59_900_000..60_100_000).contains(&one), "{one}");
}

#[test]
fn missing_parts_of_a_capture_are_reported_in_a_line_of_their_own() {
    let file = sna_capture(SnaLink::Ethernet, CapturePlace::Client, 0, &paced(1_000));
    let few = AnalysisOptions {
        max_connections: 1,
        ..AnalysisOptions::default()
    };
    let calm = explain(file.as_slice(), &few).expect("a made capture");
    assert!(calm.capture.problems.is_empty());
    let syn = |n: u16| {
        (
            u32::from(n),
            crate::build::segment((2_000 + n, 80), 0, 0, 2, b""),
        )
    };
    let frames: Vec<_> = (0..40).map(syn).collect();
    let many = explain(&pcap(crate::build::RAW, &frames)[..], &few).expect("a capture");
    let ids: Vec<_> = many.capture.problems.iter().map(|p| p.id).collect();
    assert_eq!(ids, ["capture.connections-dropped"]);
    let mut cut = pcap(crate::build::RAW, &frames[..1]);
    // The record's length on the wire.
    cut[36] += 9;
    let cut = explain(&cut[..], &few).expect("a capture");
    assert_eq!(cut.capture.problems[0].id, "capture.cut");
    let frames = [frames[1].clone(), (0, frames[1].1.clone())];
    let back = explain(&pcap(crate::build::RAW, &frames)[..], &few).expect("a capture");
    assert_eq!(back.capture.problems[0].id, "capture.time-backwards");
}

#[test]
fn either_end_may_send_requests_and_sessions_do_not_mix() {
    use ConnectionSide::{Client, Server};
    let script = [
        SnaUnit::attach(Client, 1_000, "PAYROLL", 100).turns(),
        SnaUnit::attach(Server, 2_000, "ORDERS", 50)
            .turns()
            .in_session(2),
        SnaUnit::data(Client, 5_000, 700).ends().in_session(2),
        SnaUnit::data(Server, 9_000, 900).ends(),
    ];
    for link in EVERY {
        let explanation = explained(link, CapturePlace::Client, 0, &script);
        adds_up(&explanation);
        let turns = turns(&explanation);
        let reported: Vec<_> = turns
            .iter()
            .map(|e| {
                (
                    &e.label[..],
                    e.asked_by,
                    e.slices.of(EvidenceKind::HostWait),
                )
            })
            .collect();
        let expected = [
            ("PAYROLL", ConnectionSide::Client, 16_000_000),
            ("ORDERS", ConnectionSide::Server, 5_000_000),
        ];
        assert_eq!(reported, expected, "{link:?}");
        assert!(turns[0].session != turns[1].session);
    }
}

#[test]
fn a_conversation_that_only_sends_ends_with_its_last_unit() {
    use ConnectionSide::Client;
    let script = [
        SnaUnit::attach(Client, 1_000, "LOG", 100).ends(),
        SnaUnit::attach(Client, 50_000, "LOG", 100).ends(),
    ];
    for link in EVERY {
        let explanation = explained(link, CapturePlace::Server, 300, &script);
        let turns = turns(&explanation);
        assert_eq!(turns.len(), 2);
        assert!(
            turns.iter().all(|e| e.complete && e.total_ns() == 0),
            "{link:?}"
        );
    }
}

/// A unit's bytes: likely headers, then anything.
fn unit() -> impl Strategy<Value = Vec<u8>> {
    let first = prop::sample::select(vec![0x2C_u8, 0x28, 0x20, 0x24, 0x2D, 0x4C, 0x00]);
    let rh = prop::sample::select(vec![
        [0x0B_u8, 0x91, 0x80],
        [0x03, 0x90, 0x20],
        [0x83, 0x01, 0x00],
        [0x6B, 0x80, 0x00],
        [0xEB, 0x80, 0x00],
        [0x03, 0x20, 0x01],
        [0x4B, 0x90, 0x20],
    ]);
    let rest = prop::collection::vec(any::<u8>(), 0..40);
    (first, 0u8..3, 0u8..3, rh, rest, 0usize..50).prop_map(|(first, daf, oaf, rh, rest, cut)| {
        let mut bytes = vec![first, 0, daf, oaf, 0, 1];
        bytes.extend(rh);
        bytes.extend(rest);
        bytes.truncate(cut);
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_units_on_any_link_are_followed_and_add_up(
        units in prop::collection::vec((any::<bool>(), unit(), 0u8..24, 0u32..4_000), 1..60),
    ) {
        let mut talk = TestConversation::to(2_065);
        let mut frames = Vec::new();
        let mut time_us = 0;
        for (n, (client, unit, kind, pause_us)) in units.iter().enumerate() {
            time_us += pause_us;
            let header: u8 = if kind % 3 == 0 { 72 } else { 16 };
            let mut message = vec![0; usize::from(header)];
            (message[0], message[1], message[3]) = (0x31, header, unit.len() as u8);
            (message[7], message[14]) = (kind % 4, if kind % 2 == 0 { 0x0A } else { *kind });
            message.extend(unit);
            talk = if *client { talk.client(&message) } else { talk.server(&message) };
            let stations = if *client { [1, 2] } else { [2, 1] };
            let mut frame = vec![2, 0, 0, 0, 0, stations[1], 2, 0, 0, 0, 0, stations[0]];
            let control = if kind % 5 == 0 { [*kind, 0] } else { [n as u8 * 2, 0] };
            frame.extend(((4 + unit.len()) as u16).to_be_bytes());
            frame.extend([4, 4]);
            frame.extend(control);
            frame.extend(unit);
            frames.push((time_us, frame));
        }
        for file in [talk.bytes(), pcap(1, &frames)] {
            let explanation = explain(&file[..], &AnalysisOptions::default()).expect("a capture");
            adds_up(&explanation);
        }
    }
}

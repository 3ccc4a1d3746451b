//! Two TCP connections of a DLSw link are read as one.

use capture::{
    AnalysisOptions, CaptureExplanation, ConnectionSide, EvidenceKind, Exchange, explain,
};
use proptest::prelude::*;
use synth::{CapturePlace, SnaLink, SnaUnit, paced, sna_capture, sna_captures, stopped};

use crate::build::{RAW, pcap, segment};

fn explained(file: &[u8], options: &AnalysisOptions) -> CaptureExplanation {
    let mut explanation = explain(file, options).expect("a made capture");
    explanation.exchanges.sort_by_key(|e| (e.id, e.index));
    explanation
}

/// The exchanges of sessions.
fn turns(explanation: &CaptureExplanation) -> Vec<&Exchange> {
    let all = explanation.exchanges.iter();
    all.filter(|e| !e.label.starts_with("DLSw")).collect()
}

/// An inquiry and its answer, some times over.
fn inquiries(program: &str, count: usize, server_us: u64) -> Vec<SnaUnit> {
    use ConnectionSide::{Client, Server};
    let mut script = vec![
        SnaUnit::attach(Client, 500, program, 100).turns(),
        SnaUnit::data(Server, server_us, 100).turns(),
    ];
    for _ in 1..count {
        script.push(SnaUnit::data(Client, 40, 100).turns());
        script.push(SnaUnit::data(Server, server_us, 100).turns());
    }
    script
}

#[test]
fn a_link_of_two_connections_has_the_answer_times_of_one() {
    let scripts = [
        paced(120_000),
        stopped(90_000),
        inquiries("INQUIRY", 20, 700),
    ];
    for (place, one_way_us) in [
        (CapturePlace::Client, 0),
        (CapturePlace::Client, 300),
        (CapturePlace::Server, 300),
    ] {
        for script in &scripts {
            let found = |link: SnaLink| {
                let file = sna_capture(link, place, one_way_us, script);
                let explanation = explained(&file, &AnalysisOptions::default());
                let pairs = u64::from(link != SnaLink::Dlsw);
                assert_eq!(explanation.totals.paired_links, pairs, "{link:?}");
                let all = turns(&explanation).into_iter();
                all.map(|e| (e.label.clone(), e.asked_by, e.complete, e.slices))
                    .collect::<Vec<_>>()
            };
            let one = found(SnaLink::Dlsw);
            assert!(one.len() > 1);
            assert_eq!(found(SnaLink::DlswTwo), one);
            assert_eq!(found(SnaLink::DlswTwoThenOne), one);
        }
    }
}

#[test]
fn a_pair_names_each_other_and_its_exchanges_belong_to_the_first() {
    let file = sna_capture(
        SnaLink::DlswTwo,
        CapturePlace::Client,
        0,
        &inquiries("ASK", 3, 900),
    );
    let explanation = explained(&file, &AnalysisOptions::default());
    let [first, second] = &explanation.connections[..] else {
        panic!("{:?}", explanation.connections);
    };
    assert_eq!((first.link, second.link), (Some(second.id), Some(first.id)));
    assert!(
        explanation
            .exchanges
            .iter()
            .all(|e| e.connection == first.id)
    );
    let asked = turns(&explanation)[0];
    let ways: Vec<_> = asked
        .segments
        .iter()
        .map(|s| (s.from, s.len > 0, s.via))
        .collect();
    assert!(
        ways.contains(&(ConnectionSide::Client, true, 0)),
        "{ways:?}"
    );
    assert!(
        ways.contains(&(ConnectionSide::Server, true, 1)),
        "{ways:?}"
    );
    let text = capture::report::detail(&explanation, asked.id).expect("it is kept");
    assert!(
        text.contains("second TCP connection of the link: 10.0.0.2:41000"),
        "{text}"
    );
    assert!(text.contains("(second)"), "{text}");
    let html = capture::report::html(&explanation, "pair", 5);
    assert!(html.contains("10.0.0.1:40000, :2065"), "{html}");
}

#[test]
fn links_set_up_at_once_between_the_same_hosts_are_distinguished() {
    for link in [SnaLink::DlswTwo, SnaLink::DlswTwoThenOne] {
        let scripts: Vec<_> = (0..5)
            .map(|n| inquiries(&format!("ASK{n}"), 12, 1_000 * (n + 1)))
            .collect();
        let links: Vec<_> = (scripts.iter().enumerate())
            .map(|(n, script)| (link, 7 * n as u64, &script[..]))
            .collect();
        let file = sna_captures(CapturePlace::Server, 100, &links);
        let explanation = explained(
            &file,
            &AnalysisOptions {
                keep_exchanges: 500,
                ..AnalysisOptions::default()
            },
        );
        assert_eq!(explanation.totals.paired_links, 5, "{link:?}");
        for n in 0..5 {
            let program = format!("ASK{n}");
            let own: Vec<_> = (turns(&explanation).into_iter())
                .filter(|e| e.label == program)
                .collect();
            assert_eq!(own.len(), 12, "{link:?} {program}");
            for exchange in own {
                let think_ns = exchange.slices.of(EvidenceKind::HostWait);
                assert_eq!(think_ns, 1_000_000 * (n + 1), "{link:?} {program}");
            }
        }
    }
}

#[test]
fn other_ports_are_recognised_and_threads_change_nothing() {
    let scripts: Vec<_> = (0..4)
        .map(|n| inquiries(&format!("ASK{n}"), 9, 300 * (n + 1)))
        .collect();
    let links: Vec<_> = (scripts.iter().enumerate())
        .map(|(n, script)| (SnaLink::DlswTwo, 90_000 * n as u64, &script[..]))
        .collect();
    let file = sna_captures(CapturePlace::Client, 200, &links);
    let mut other = file.clone();
    for at in 0..other.len() - 1 {
        if other[at..at + 2] == 2065_u16.to_be_bytes() {
            other[at..at + 2].copy_from_slice(&3065_u16.to_be_bytes());
        }
    }
    for file in [file, other] {
        let found = |threads: usize| {
            let options = AnalysisOptions {
                threads,
                ..AnalysisOptions::default()
            };
            let explanation = explain(&file[..], &options).expect("a made capture");
            assert_eq!(explanation.totals.paired_links, 4);
            serde_json::to_string(&explanation).expect("it is plain data")
        };
        let alone = found(1);
        for threads in [2, 3, 16] {
            assert_eq!(found(threads), alone, "{threads} threads");
        }
    }
}

#[test]
fn a_link_that_was_there_before_the_capture_is_paired_by_what_goes_each_way() {
    let script = inquiries("INQUIRY", 30, 700);
    let file = sna_capture(SnaLink::DlswTwo, CapturePlace::Client, 100, &script);
    let whole = explained(&file, &AnalysisOptions::default());
    let from_ns = turns(&whole)[3].start_ns;
    let options = AnalysisOptions {
        from_ns: Some(from_ns),
        ..AnalysisOptions::default()
    };
    let midway = explained(&file, &options);
    assert_eq!(midway.totals.paired_links, 1);
    let times = |explanation: &CaptureExplanation| -> Vec<_> {
        let all = turns(explanation).into_iter();
        all.map(|e| (e.id, e.slices.of(EvidenceKind::HostWait)))
            .collect()
    };
    assert_eq!(times(&midway), times(&whole)[3..]);
    // For two such links the bytes do not show which halves belong together.
    let two = [
        (SnaLink::DlswTwo, 0, &script[..]),
        (SnaLink::DlswTwo, 333, &script[..]),
    ];
    let two = explained(&sna_captures(CapturePlace::Client, 100, &two), &options);
    assert_eq!(two.totals.paired_links, 0);
    // Each half is reported to be one, and no request has a time of the server.
    assert_eq!(two.totals.half_links, 4);
    let found = two.capture.problems.iter();
    assert!(found.map(|p| p.id).any(|id| id == "capture.half-link"));
    assert!(!two.exchanges.is_empty());
    for exchange in &two.exchanges {
        assert_eq!(exchange.slices.of(EvidenceKind::HostWait), 0);
    }
    assert_eq!((whole.totals.half_links, midway.totals.half_links), (0, 0));
}

#[test]
fn a_link_outlives_its_first_connection_and_the_reuse_of_that_ones_ports() {
    use ConnectionSide::{Client, Server};
    let script = [
        SnaUnit::attach(Client, 5_000_000, "SLOW", 100).turns(),
        SnaUnit::data(Server, 2_000_000, 100).turns(),
        SnaUnit::data(Client, 70_000_000, 100).turns(),
        SnaUnit::data(Server, 3_000_000, 100).ends(),
    ];
    // Another link's first connection takes that one's port meanwhile.
    let later = [SnaUnit::attach(Client, 50, "LOG", 100).ends()];
    let links: [(SnaLink, u64, &[SnaUnit]); 2] = [
        (SnaLink::DlswTwoThenOne, 0, &script),
        (SnaLink::DlswTwo, 40_000_000, &later),
    ];
    let mut file = sna_captures(CapturePlace::Client, 0, &links);
    for at in 0..file.len() - 1 {
        if file[at..at + 2] == 40_001_u16.to_be_bytes() {
            file[at..at + 2].copy_from_slice(&40_000_u16.to_be_bytes());
        }
    }
    let explanation = explained(&file, &AnalysisOptions::default());
    let slow: Vec<_> = (turns(&explanation).into_iter())
        .filter(|e| e.label == "SLOW")
        .map(|e| (e.complete, e.slices.of(EvidenceKind::HostWait)))
        .collect();
    assert_eq!(slow, [(true, 2_000_000_000), (true, 3_000_000_000)]);
    assert_eq!(explanation.totals.paired_links, 2);
    assert_eq!(explanation.totals.connections, 4);
}

/// A pcapng file without the packets of these numbers.
fn without(file: &[u8], lost: std::ops::RangeInclusive<u64>) -> Vec<u8> {
    let (mut out, mut rest, mut packet) = (Vec::new(), file, 0);
    while let Some(length) = rest.get(4..8) {
        let length = u32::from_le_bytes(length.try_into().expect("four bytes")) as usize;
        let (block, after) = rest.split_at(length);
        packet += u64::from(block[0] == 6);
        if block[0] != 6 || !lost.contains(&packet) {
            out.extend(block);
        }
        rest = after;
    }
    out
}

#[test]
fn a_link_is_followed_after_packets_that_the_capture_lost() {
    for link in [SnaLink::Dlsw, SnaLink::DlswTwo, SnaLink::DlswTwoThenOne] {
        let whole = sna_capture(
            link,
            CapturePlace::Client,
            0,
            &inquiries("INQUIRY", 40, 900),
        );
        for (first, count) in (60..70).flat_map(|first| (1..9).map(move |n| (first, n))) {
            let file = without(&whole, first..=first + count - 1);
            let explanation = explained(&file, &AnalysisOptions::default());
            let all = turns(&explanation);
            let at = format!("{link:?} without {count} from {first}");
            assert!(all.len() > 35, "{at}: {}", all.len());
            assert!(all.iter().all(|e| e.label == "INQUIRY"), "{at}");
            let late: Vec<_> = (all.iter().rev().take(15))
                .map(|e| (e.complete, e.slices.of(EvidenceKind::HostWait) / 100_000))
                .collect();
            assert_eq!(late, [(true, 9); 15], "{at}");
        }
    }
}

#[test]
fn a_capture_that_begins_inside_a_message_finds_the_next_one() {
    use crate::build::TestConversation;
    let frame = |to: u8, bytes: usize| {
        let mut message = vec![0x31, 16, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0x0A, 0];
        message.extend([0x2C, 0, to, 3 - to, 0, 1, 0x03, 0x90, 0x20]);
        message.extend(vec![0x40; bytes]);
        message[3] = (message.len() - 16) as u8;
        message
    };
    let (asks, answers) = (frame(1, 90), frame(2, 120));
    let explanation = TestConversation::to(2065)
        .client(&asks[40..])
        .server(&answers[70..])
        .client(&asks)
        .server(&answers)
        .client(&asks)
        .server(&answers)
        .explain();
    let found: Vec<_> = (turns(&explanation).iter())
        .filter(|e| !e.label.is_empty())
        .map(|e| (&e.label[..], e.complete, e.request.bytes, e.response.bytes))
        .collect();
    assert_eq!(found, [("SNA conversation", true, 115, 145); 2]);
}

/// Capabilities that are sent, or accepted.
fn capabilities(accepted: bool) -> Vec<u8> {
    use sna::dlc::caps::{self, Exchange, SwitchCapabilities};
    let mut out = Vec::new();
    let exchange = if accepted {
        Exchange::Accepted
    } else {
        Exchange::Request(SwitchCapabilities::default())
    };
    caps::message(&exchange, &mut out);
    out
}

#[test]
fn two_links_of_one_connection_each_that_cross_are_no_pair() {
    let [sent, accepts] = [false, true].map(capabilities);
    // `segment` gives the higher port to 10.0.0.1; the second calls from the other host.
    let [near, far] = [(50_000, 2_065), (2_065, 2_064)];
    let turned = |(a, b): (u16, u16)| (b, a);
    let frames: Vec<_> = [
        (near, 1, 1, &sent),
        (turned(far), 1, 1, &sent),
        (turned(near), 1, 1 + sent.len() as u32, &sent),
        (far, 1, 1 + sent.len() as u32, &sent),
        (near, 1 + sent.len() as u32, 1, &accepts),
    ]
    .into_iter()
    .zip(1_000..)
    .map(|((ports, seq, ack, bytes), at_us)| (at_us, segment(ports, seq, ack, 0x18, bytes)))
    .collect();
    let explanation = explained(&pcap(RAW, &frames), &AnalysisOptions::default());
    assert_eq!(explanation.totals.paired_links, 0);
    assert_eq!(explanation.totals.connections, 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn whatever_goes_over_several_connections_adds_up_on_any_number_of_threads(
        packets in prop::collection::vec((0u16..3, any::<bool>(), 0u8..12, 0u8..8, 0u32..4_000), 1..120),
        port in prop::sample::select(vec![2_065_u16, 3_065]),
    ) {
        let mut sent = [[1_u32; 2]; 3];
        let mut time_us = 0;
        let mut frames = Vec::new();
        for (n, opener, kind, circuit, pause_us) in packets {
            time_us += pause_us;
            // Odd connections are opened by the other host.
            let ports = match n % 2 {
                0 => (50_000 + n, port),
                _ => (port, 1_000 + n),
            };
            let from = usize::from(!opener);
            let ports = if opener { ports } else { (ports.1, ports.0) };
            let (flags, payload) = match kind {
                0 => (0x02, Vec::new()),
                1 => (0x11, Vec::new()),
                2 => (0x04, Vec::new()),
                3 => (0x18, capabilities(false)),
                4 => (0x18, capabilities(true)),
                5 => (0x18, vec![0x31, 16, 0, 3, 9, 9]),
                6 | 7 => {
                    let mut message = vec![0; 72];
                    (message[0], message[1], message[14]) = (0x31, 72, kind - 3);
                    (message[29], message[51], message[38]) = (circuit, circuit, kind - 5);
                    (0x18, message)
                }
                _ => {
                    let mut message = vec![0x31, 16, 0, 12, 0, 0, 0, circuit, 0, 0, 0, 0, 0, 0, 0x0A, 0];
                    message.extend([0x2C, 0, 1, 1, 0, circuit]);
                    message.extend([[0x0B, 0x91, 0x80], [0x03, 0x90, 0x20], [0x83, 1, 0]][usize::from(circuit % 3)]);
                    message.extend([1, 2, 3]);
                    (0x18, message)
                }
            };
            let own = &mut sent[usize::from(n)];
            frames.push((time_us, segment(ports, own[from], own[1 - from], flags, &payload)));
            own[from] += payload.len() as u32;
        }
        let file = pcap(RAW, &frames);
        let found = |threads: usize| {
            let options = AnalysisOptions { threads, ..AnalysisOptions::default() };
            explain(&file[..], &options).expect("a capture")
        };
        let alone = found(1);
        for exchange in &alone.exchanges {
            prop_assert!(exchange.total_ns() <= exchange.end_ns - exchange.start_ns);
        }
        let json = |e: &CaptureExplanation| serde_json::to_string(e).expect("it is plain data");
        prop_assert_eq!(json(&found(3)), json(&alone));
    }
}

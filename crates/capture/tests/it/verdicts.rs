//! One made capture for each kind of evidence: the verdict is that kind, owned
//! by the right end, and its cost is the time that was planted.

use capture::{AnalysisOptions, CaptureExplanation, ConnectionSide, explain};
use synth::{
    AppWrite, CloseStyle, Conversation, DelayedAck, Exchange, Fault, FaultAction, FileFormat,
    PacketSelector, Reader, capture_file,
};

use crate::build::{RAW, pcap, segment};

fn explained(conversation: Conversation) -> CaptureExplanation {
    let file = capture_file(&[conversation], FileFormat::Pcap);
    explain(file.as_slice(), &AnalysisOptions::default()).expect("a made capture can be read")
}

/// Checks kind, owner and cost in milliseconds of the verdict.
fn check(explanation: &CaptureExplanation, kind: &str, owner: &str, cost_ms: std::ops::Range<f64>) {
    let verdict = explanation.verdict.as_ref().expect("there is always one");
    let got = (verdict.kind.name(), verdict.owner.name());
    assert_eq!(got, (kind, owner), "{verdict:#?} {:#?}", explanation.slices);
    assert!(cost_ms.contains(&verdict.lost_ms), "{verdict:#?}");
    assert!(!verdict.sentence.is_empty() && !verdict.alternatives.is_empty());
}

/// Requests of 300 bytes over a path of 10 ms each way.
fn requests(count: usize, think_us: u64, response_bytes: u32) -> Conversation {
    let mut conversation = Conversation {
        exchanges: vec![Exchange::new(300, think_us, response_bytes); count],
        close: CloseStyle::Client,
        ..Conversation::default()
    };
    conversation.path.one_way_us = 10_000;
    conversation
}

#[test]
fn a_healthy_capture_has_no_remedy() {
    let explanation = explained(requests(3, 2_000, 3_000));
    let verdict = explanation.verdict.as_ref().unwrap();
    assert_eq!(verdict.kind.name(), "none");
    assert_eq!(verdict.remedy, None);
    assert!(verdict.sentence.contains("No wait stands out"));
}

#[test]
fn a_slow_server_owns_its_waits() {
    let explanation = explained(requests(2, 900_000, 3_000));
    check(&explanation, "host-wait", "server", 1_790.0..1_830.0);
}

#[test]
fn many_turns_belong_to_the_application() {
    let explanation = explained(requests(60, 200, 300));
    check(&explanation, "chatty", "client", 1_180.0..1_300.0);
}

#[test]
fn a_long_path_is_slow_at_both_ends() {
    for place in [synth::CapturePlace::Client, synth::CapturePlace::Server] {
        let mut conversation = requests(2, 200, 300);
        conversation.path.one_way_us = 350_000;
        conversation.path.capture = place;
        let explanation = explained(conversation);
        check(&explanation, "slow-path", "network", 2_000.0..2_200.0);
    }
}

#[test]
fn small_writes_wait_for_delayed_acknowledgements() {
    let mut conversation = requests(5, 1_000, 300);
    for exchange in &mut conversation.exchanges {
        exchange.request = vec![AppWrite::of(200), AppWrite::of(100)];
    }
    conversation.client_end().nagle = true;
    conversation.client_end().rto_min_us = 400_000;
    conversation.server_end().delayed_ack = DelayedAck::FixedUs(100_000);
    let explanation = explained(conversation);
    check(&explanation, "waited-for-ack", "client", 480.0..700.0);
}

#[test]
fn a_lost_syn_explains_no_wait_of_a_later_request() {
    let mut conversation = requests(5, 1_000, 300);
    for exchange in &mut conversation.exchanges {
        exchange.request = vec![AppWrite::of(200), AppWrite::of(100)];
    }
    conversation.client_end().nagle = true;
    conversation.client_end().rto_min_us = 400_000;
    conversation.server_end().delayed_ack = DelayedAck::FixedUs(100_000);
    conversation.path.faults = vec![Fault {
        from: ConnectionSide::Client,
        select: PacketSelector::Syn(0),
        action: FaultAction::Lose,
    }];
    let explanation = explained(conversation);
    let kinds: Vec<&str> = explanation.slices.iter().map(|s| s.kind.name()).collect();
    assert!(kinds.contains(&"waited-for-ack"), "{kinds:?}");
    assert!(kinds.contains(&"connect-failed"), "{kinds:?}");
    assert!(!kinds.contains(&"retransmission"), "{kinds:?}");
}

#[test]
fn records_from_zos_next_to_a_capture_add_its_advice() {
    let mut conversation = requests(5, 1_000, 300);
    for exchange in &mut conversation.exchanges {
        exchange.request = vec![AppWrite::of(200), AppWrite::of(100)];
    }
    conversation.client_end().nagle = true;
    conversation.server_end().delayed_ack = DelayedAck::FixedUs(100_000);
    let file = capture_file(&[conversation], FileFormat::Pcap);
    let remedy = |from_zos: bool| {
        let options = AnalysisOptions {
            from_zos,
            ..AnalysisOptions::default()
        };
        let explanation = explain(file.as_slice(), &options).expect("a made capture can be read");
        let verdict = explanation.verdict.expect("there is always one");
        verdict.remedy.expect("it has a remedy")
    };
    let (without, with) = (remedy(false), remedy(true));
    assert!(!without.contains("z/OS"), "{without}");
    assert!(with.starts_with(&without), "{with}");
    assert!(with.contains("on z/OS"), "{with}");
}

#[test]
fn a_lost_answer_waits_for_its_timer() {
    let mut conversation = requests(2, 1_000, 300);
    conversation.path.capture = synth::CapturePlace::Server;
    conversation.path.faults = vec![Fault {
        from: ConnectionSide::Server,
        select: PacketSelector::Data(0),
        action: FaultAction::Lose,
    }];
    let explanation = explained(conversation);
    let slice = explanation
        .slices
        .iter()
        .find(|s| s.kind.name() == "retransmission");
    assert!(
        slice.is_some_and(|slice| slice.lost_ms > 100.0),
        "{:#?}",
        explanation.slices
    );
}

#[test]
fn a_reader_that_does_not_read_closes_its_window() {
    let mut conversation = requests(1, 1_000, 400_000);
    let client = conversation.client_end();
    client.receive_bytes = 32_768;
    client.reader = Reader::Pausing {
        every_bytes: 16_384,
        pause_us: 80_000,
    };
    let explanation = explained(conversation);
    check(&explanation, "window-closed", "client", 1_000.0..3_000.0);
}

#[test]
fn a_syn_without_an_answer_waits_to_the_end() {
    let (client, server) = ((50_000, 80), (80, 50_000));
    let mut frames = vec![];
    for at_us in [0, 1_000_000, 3_000_000, 7_000_000] {
        frames.push((at_us, segment(client, 1, 0, 0x02, b"")));
    }
    // Another conversation shows that the capture continued.
    frames.push((9_000_000, segment(server, 1, 0, 0x10, b"")));
    let explanation = explain(&pcap(RAW, &frames)[..], &AnalysisOptions::default()).unwrap();
    let verdict = explanation.verdict.unwrap();
    assert_eq!(verdict.kind.name(), "connect-failed");
    assert!(verdict.lost_ms >= 7_000.0, "{verdict:#?}");
}

#[test]
fn a_refused_connection_fails_at_once() {
    let (client, server) = ((50_000, 80), (80, 50_000));
    let frames = [
        (0, segment(client, 1, 0, 0x02, b"")),
        (300, segment(server, 0, 2, 0x14, b"")),
    ];
    let explanation = explain(&pcap(RAW, &frames)[..], &AnalysisOptions::default()).unwrap();
    check(&explanation, "connect-failed", "server", 0.2..0.4);
}

#[test]
fn data_that_is_never_acknowledged_waits_to_the_end() {
    let (client, server) = ((50_000, 80), (80, 50_000));
    let mut frames = vec![
        (0, segment(client, 1, 0, 0x02, b"")),
        (20_000, segment(server, 1, 2, 0x12, b"")),
        (20_100, segment(client, 2, 2, 0x10, b"")),
    ];
    for at_us in [20_200, 300_000, 900_000, 2_100_000, 4_500_000] {
        frames.push((
            at_us,
            segment(client, 2, 2, 0x18, b"GET / HTTP/1.1\r\n\r\n"),
        ));
    }
    let explanation = explain(&pcap(RAW, &frames)[..], &AnalysisOptions::default()).unwrap();
    check(&explanation, "retransmission", "network", 4_400.0..4_500.0);
}

#[test]
fn masking_leaves_no_address() {
    let mut explanation = explained(requests(2, 900_000, 3_000));
    let address = explanation.connections[0].server.address.to_string();
    capture::report::mask(&mut explanation);
    let json = serde_json::to_string(&explanation).unwrap();
    assert!(!json.contains(&format!("\"{address}\"")), "{address}");
}

#[test]
fn a_full_listen_queue_belongs_to_the_server() {
    let (client, server) = ((50_000, 80), (80, 50_000));
    let request = b"GET / HTTP/1.1\r\n\r\n";
    let mut frames = vec![
        (0, segment(client, 1, 0, 0x02, b"")),
        (5_000, segment(server, 1, 2, 0x12, b"")),
        (5_100, segment(client, 2, 2, 0x10, b"")),
    ];
    for at_us in [5_200, 210_000, 620_000, 1_450_000] {
        frames.push((at_us, segment(client, 2, 2, 0x18, request)));
    }
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    frames.push((1_455_000, segment(server, 2, 20, 0x10, b"")));
    frames.push((1_456_000, segment(server, 2, 20, 0x18, answer)));
    let explanation = explain(&pcap(RAW, &frames)[..], &AnalysisOptions::default()).unwrap();
    check(&explanation, "connect-failed", "server", 1_440.0..1_450.0);
    let verdict = explanation.verdict.unwrap();
    assert!(verdict.sentence.contains("did not take"), "{verdict:#?}");
}

#[test]
fn one_loss_of_the_first_request_is_no_full_listen_queue() {
    let mut conversation = requests(3, 1_000, 300);
    conversation.path.faults = vec![Fault {
        from: ConnectionSide::Client,
        select: PacketSelector::Data(0),
        action: FaultAction::Lose,
    }];
    let explanation = explained(conversation);
    check(&explanation, "retransmission", "network", 190.0..300.0);
}

#[test]
fn a_syn_without_an_answer_near_the_server_is_the_servers() {
    let mut conversation = requests(1, 1_000, 300);
    conversation.path.capture = synth::CapturePlace::Server;
    conversation.path.faults = vec![Fault {
        from: ConnectionSide::Server,
        select: PacketSelector::Syn(0),
        action: FaultAction::Lose,
    }];
    // The lost SYN-ACK is in the capture: the server had answered.
    let explanation = explained(conversation);
    let verdict = explanation.verdict.as_ref().unwrap();
    assert_eq!(verdict.owner.name(), "network", "{verdict:#?}");

    let (client, server) = ((50_000, 80), (80, 50_000));
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let frames = [
        (0, segment(client, 1, 0, 0x02, b"")),
        (1_000_000, segment(client, 1, 0, 0x02, b"")),
        (1_000_030, segment(server, 1, 2, 0x12, b"")),
        (1_020_000, segment(client, 2, 2, 0x10, b"")),
        (
            1_020_100,
            segment(client, 2, 2, 0x18, b"GET / HTTP/1.1\r\n\r\n"),
        ),
        (1_020_150, segment(server, 2, 20, 0x10, b"")),
        (1_020_200, segment(server, 2, 20, 0x18, answer)),
    ];
    let explanation = explain(&pcap(RAW, &frames)[..], &AnalysisOptions::default()).unwrap();
    check(&explanation, "connect-failed", "server", 999.0..1_001.0);
}

#[test]
fn a_request_lost_before_the_capture_shows_in_the_identifications() {
    let (client, server) = ((50_000, 80), (80, 50_000));
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    for (id, kind, owner) in [
        (4_u16, "retransmission", "network"),
        (3, "host-wait", "client"),
    ] {
        let mut frames = vec![
            (0, segment(client, 1, 0, 0x02, b"")),
            (30, segment(server, 1, 2, 0x12, b"")),
            (20_000, segment(client, 2, 2, 0x10, b"")),
            (
                645_000,
                segment(client, 2, 2, 0x18, b"GET / HTTP/1.1\r\n\r\n"),
            ),
            (646_000, segment(server, 2, 20, 0x18, answer)),
        ];
        for (at, id) in [(0, 1), (2, 2), (3, id)] {
            frames[at].1[4..6].copy_from_slice(&id.to_be_bytes());
        }
        let explanation = explain(&pcap(RAW, &frames)[..], &AnalysisOptions::default()).unwrap();
        check(&explanation, kind, owner, 600.0..650.0);
    }
}

#[test]
fn an_answer_that_stops_because_the_path_dies_is_no_pause_of_the_server() {
    let (client, server) = ((50_000, 80), (80, 50_000));
    let mut body = b"HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n".to_vec();
    body.resize(1_400, b'x');
    for dead in [true, false] {
        let mut frames = vec![
            (0, segment(client, 1, 0, 0x02, b"")),
            (20_000, segment(server, 1, 2, 0x12, b"")),
            (20_100, segment(client, 2, 2, 0x10, b"")),
            (
                20_200,
                segment(client, 2, 2, 0x18, b"GET / HTTP/1.1\r\n\r\n"),
            ),
            (41_000, segment(server, 2, 20, 0x18, &body)),
            (41_100, segment(client, 20, 1_402, 0x10, b"")),
            (8_000_000, segment(client, 20, 1_402, 0x11, b"")),
        ];
        if dead {
            frames.push((8_220_000, segment(client, 20, 1_402, 0x11, b"")));
            frames.push((8_660_000, segment(client, 20, 1_402, 0x11, b"")));
        } else {
            frames.push((8_020_000, segment(server, 1_402, 21, 0x10, b"")));
        }
        let explanation = explain(&pcap(RAW, &frames)[..], &AnalysisOptions::default()).unwrap();
        let (kind, owner) = if dead {
            ("retransmission", "network")
        } else {
            ("host-wait", "server")
        };
        check(&explanation, kind, owner, 7_900.0..8_700.0);
    }
}

#[test]
fn a_capture_of_both_ends_in_one_file_has_no_second_syn() {
    let mut conversation = requests(3, 2_000, 3_000);
    conversation.path.captured_twice_us = Some(40_000);
    let explanation = explained(conversation);
    let verdict = explanation.verdict.as_ref().unwrap();
    assert_eq!(verdict.kind.name(), "none", "{:#?}", explanation.slices);
}

#[test]
fn a_transfer_that_pauses_is_not_limited_by_the_rate_of_the_path() {
    let mut conversation = requests(1, 1_000, 700_000);
    conversation.path.one_way_us = 40_000;
    // A window takes almost half of the round trip to arrive.
    conversation.path.bytes_per_s = 1_300_000;
    conversation.server_end().send_limit_bytes = Some(46_000);
    let explanation = explained(conversation);
    let verdict = explanation.verdict.as_ref().unwrap();
    assert_eq!(verdict.kind.name(), "transfer-limited");
    let reason = verdict.reason.map(|reason| reason.name());
    assert_ne!(
        reason,
        Some("transfer.path-rate"),
        "{:#?}",
        explanation.slices
    );
}

#[test]
fn a_capture_without_the_servers_packets_blames_no_client() {
    let conversation = requests(4, 400_000, 300);
    let file = capture_file(&[conversation], FileFormat::Pcap);
    let (head, mut rest) = file.split_at(24);
    let mut half = head.to_vec();
    while !rest.is_empty() {
        let length = u32::from_le_bytes(rest[8..12].try_into().unwrap()) as usize;
        let (record, next) = rest.split_at(16 + length);
        // The source address of IPv4 in Ethernet ends in 1.
        if record[16 + 29] == 1 {
            half.extend(record);
        }
        rest = next;
    }
    let explanation = explain(half.as_slice(), &AnalysisOptions::default()).unwrap();
    let kinds = explanation.slices.iter().map(|s| s.kind.name());
    assert!(
        !kinds.clone().any(|kind| kind == "host-wait"),
        "{:#?}",
        explanation.slices
    );
    assert!(explanation.totals.exchanges > 0);
}

#[test]
fn one_slow_request_of_many_is_named_as_one() {
    let mut conversation = requests(50, 1_000, 300);
    conversation.path.one_way_us = 200;
    conversation.exchanges[20].server_think_us = 1_500_000;
    let verdict = explained(conversation).verdict.unwrap();
    assert!(verdict.sentence.contains("in one request"), "{verdict:#?}");
    let verdict = explained(requests(4, 600_000, 300)).verdict.unwrap();
    assert!(
        verdict.sentence.contains("600.0 ms a request"),
        "{verdict:#?}"
    );
}

#[test]
fn requests_at_intervals_are_no_sequence() {
    let mut conversation = requests(60, 200, 300);
    for exchange in &mut conversation.exchanges[1..] {
        exchange.client_think_us = 1_000_000;
    }
    let verdict = explained(conversation).verdict.unwrap();
    assert_eq!((verdict.kind.name(), verdict.remedy), ("none", None));
}

#[test]
fn a_sender_that_missed_an_acknowledgement_waited_for_its_timer() {
    let (client, server) = ((50_000, 80), (80, 50_000));
    let mut body = b"HTTP/1.1 200 OK\r\nContent-Length: 4200\r\n\r\n".to_vec();
    let head = body.len();
    body.resize(4_200 + head, b'x');
    let part = |at: usize| &body[at * 1_400..(at * 1_400 + 1_400).min(body.len())];
    let seq = |at: usize| 2 + at as u32 * 1_400;
    let frames = [
        (0, segment(client, 1, 0, 0x02, b"")),
        (20_000, segment(server, 1, 2, 0x12, b"")),
        (20_100, segment(client, 2, 2, 0x10, b"")),
        (
            20_200,
            segment(client, 2, 2, 0x18, b"GET / HTTP/1.1\r\n\r\n"),
        ),
        (41_000, segment(server, seq(0), 20, 0x18, part(0))),
        (41_100, segment(client, 20, seq(1), 0x10, b"")),
        // The acknowledgement was lost.
        (941_000, segment(server, seq(0), 20, 0x18, part(0))),
        (941_100, segment(client, 20, seq(1), 0x10, b"")),
        (962_000, segment(server, seq(1), 20, 0x18, part(1))),
        (962_100, segment(server, seq(2), 20, 0x18, part(2))),
        (962_200, segment(server, seq(3), 20, 0x18, part(3))),
        (
            962_300,
            segment(client, 20, seq(3) + head as u32, 0x10, b""),
        ),
    ];
    let explanation = explain(&pcap(RAW, &frames)[..], &AnalysisOptions::default()).unwrap();
    check(&explanation, "retransmission", "network", 890.0..930.0);
}

#[test]
fn a_download_that_began_before_the_capture_blames_no_server_for_round_trips() {
    let mut conversation = requests(1, 1_000, 600_000);
    conversation.path.one_way_us = 40_000;
    conversation.client_end().receive_bytes = 16_384;
    let file = capture_file(&[conversation], FileFormat::Pcap);
    let (head, mut rest) = file.split_at(24);
    let mut half = head.to_vec();
    for number in 0.. {
        if rest.is_empty() {
            break;
        }
        let length = u32::from_le_bytes(rest[8..12].try_into().unwrap()) as usize;
        let (record, next) = rest.split_at(16 + length);
        if number >= 12 {
            half.extend(record);
        }
        rest = next;
    }
    let explanation = explain(half.as_slice(), &AnalysisOptions::default()).unwrap();
    let server = (explanation.slices.iter()).find(|s| s.kind.name() == "host-wait");
    let lost_ms = server.map_or(0.0, |slice| slice.lost_ms);
    assert!(lost_ms < 300.0, "{:#?}", explanation.slices);
}

#[test]
fn a_reader_that_frees_its_window_in_lumps_is_no_queue() {
    let (client, server) = ((50_000, 80), (80, 50_000));
    let mut frames = vec![
        (0, segment(client, 1, 0, 0x02, b"")),
        (10_000, segment(server, 1, 2, 0x12, b"")),
        (10_100, segment(client, 2, 2, 0x10, b"")),
    ];
    let mut seq = 2;
    for period in 1..=40 {
        // The sender paces pairs; the reader takes twelve segments at once.
        for nth in 0..12 {
            let at_us = period * 30_000 + nth / 2 * 4_800 + nth % 2 * 5;
            let flags = if nth % 2 == 0 { 0x10 } else { 0x18 };
            frames.push((at_us, segment(client, seq, 2, flags, &[b'u'; 1_400])));
            seq += 1_400;
        }
        let at_us = period * 30_000 + 29_000;
        frames.push((at_us, segment(server, 2, seq - 2_800, 0x10, b"")));
    }
    frames.push((1_250_000, segment(server, 2, seq, 0x18, b"done")));
    for (_, frame) in frames.iter_mut().filter(|(_, frame)| frame[15] == 2) {
        frame[34..36].copy_from_slice(&20_000_u16.to_be_bytes());
    }
    let explanation = explain(&pcap(RAW, &frames)[..], &AnalysisOptions::default()).unwrap();
    check(&explanation, "window-closed", "server", 700.0..1_240.0);
}

#[test]
fn answers_that_wait_in_a_queue_are_no_slow_server() {
    let mut conversation = requests(12, 1_000, 300);
    for exchange in &mut conversation.exchanges {
        exchange.client_think_us = 300_000;
    }
    conversation.exchanges[0].client_think_us = 0;
    conversation.path.faults = (6..10)
        .map(|number| Fault {
            from: ConnectionSide::Server,
            select: PacketSelector::Data(number),
            action: FaultAction::DelayUs(160_000),
        })
        .collect();
    let explanation = explained(conversation.clone());
    check(&explanation, "slow-path", "network", 600.0..950.0);
    // Without timestamps it cannot be known.
    conversation.client_end().options = false;
    let verdict = explained(conversation).verdict.unwrap();
    assert_eq!(verdict.kind.name(), "host-wait");
}

#[test]
fn a_large_request_that_never_arrives_is_a_request_that_waits() {
    let (client, server) = ((50_000, 80), (80, 50_000));
    let request = b"GET / HTTP/1.1\r\n\r\n";
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let end = 2 + answer.len() as u32;
    let mut open = vec![
        (0, segment(client, 1, 0, 0x02, b"")),
        (30, segment(server, 1, 2, 0x12, b"")),
    ];
    for (_, frame) in &mut open {
        // With an MSS of 1460.
        frame.extend([2, 4, 5, 0xb4]);
        frame[3] += 4;
        frame[32] = 0x60;
    }
    let mut frames = open;
    frames.extend([
        (20_000, segment(client, 2, 2, 0x10, b"")),
        (20_100, segment(client, 2, 2, 0x18, request)),
        (20_200, segment(server, 2, 20, 0x18, answer)),
        (40_000, segment(client, 20, end, 0x10, b"")),
        // Six full segments are missing; the end of the request arrives.
        (40_100, segment(client, 20 + 8_760, end, 0x18, &[b'u'; 240])),
        (40_200, segment(server, end, 20, 0x10, b"")),
        (9_000_000, segment(client, 20 + 9_000, end, 0x11, b"")),
        (9_000_100, segment(server, end, 20, 0x10, b"")),
    ]);
    let explanation = explain(&pcap(RAW, &frames)[..], &AnalysisOptions::default()).unwrap();
    check(&explanation, "mtu-black-hole", "network", 8_900.0..9_000.0);
}

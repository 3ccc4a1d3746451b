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

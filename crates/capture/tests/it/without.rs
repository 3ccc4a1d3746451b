//! The time of the requests without a stall: the verdict's figure, and the time
//! of a simulation with the same conversation and no stall.

use capture::{AnalysisOptions, CaptureExplanation, ConnectionSide, explain};
use synth::{
    AppWrite, CapturePlace, Conversation, DelayedAck, Exchange, Fault, FaultAction, FileFormat,
    PacketSelector, Reader, capture_file,
};

fn explained(conversation: &Conversation) -> CaptureExplanation {
    let file = capture_file(std::slice::from_ref(conversation), FileFormat::Pcap);
    explain(file.as_slice(), &AnalysisOptions::default()).expect("a made capture can be read")
}

/// Requests of 300 bytes over a path of 10 ms each way.
fn requests(count: usize, think_us: u64, response_bytes: u32) -> Conversation {
    let mut conversation = Conversation {
        exchanges: vec![Exchange::new(300, think_us, response_bytes); count],
        ..Conversation::default()
    };
    conversation.path.one_way_us = 10_000;
    conversation
}

/// Checks that the verdict of `with` is of this kind, and that its time without
/// the stall equals that of the simulation of `without`, within a fifth.
fn agrees(kind: &str, with: &Conversation, without: &Conversation) {
    let verdict = explained(with).verdict.expect("there is always one");
    assert_eq!(verdict.kind.name(), kind, "{verdict:#?}");
    let said_ms = verdict.without_ms.expect("it can be computed");
    let slices = explained(without).slices;
    let simulated_ms: f64 = slices.iter().map(|slice| slice.lost_ms).sum();
    let apart_ms = (said_ms - simulated_ms).abs();
    assert!(
        apart_ms <= simulated_ms * 0.2,
        "{kind}: said {said_ms} ms, simulated {simulated_ms} ms"
    );
}

fn lose(from: ConnectionSide, select: PacketSelector) -> Fault {
    Fault {
        from,
        select,
        action: FaultAction::Lose,
    }
}

#[test]
fn without_a_servers_wait_requests_take_what_the_simulation_takes() {
    agrees(
        "host-wait",
        &requests(3, 700_000, 3_000),
        &requests(3, 0, 3_000),
    );
}

#[test]
fn without_a_loss_requests_take_what_the_simulation_takes() {
    let mut with = requests(4, 2_000, 800);
    // Near the receiver nothing would show that they were sent.
    with.path.capture = CapturePlace::Client;
    with.path.faults = vec![
        lose(ConnectionSide::Client, PacketSelector::Data(1)),
        lose(ConnectionSide::Client, PacketSelector::Data(3)),
    ];
    agrees("retransmission", &with, &requests(4, 2_000, 800));
}

#[test]
fn without_lost_syns_a_connection_takes_what_the_simulation_takes() {
    let mut with = requests(2, 2_000, 800);
    with.path.faults = vec![lose(ConnectionSide::Client, PacketSelector::Syn(0))];
    agrees("connect-failed", &with, &requests(2, 2_000, 800));
}

#[test]
fn without_a_delayed_acknowledgement_requests_take_what_the_simulation_takes() {
    let two_writes = Exchange {
        request: vec![AppWrite::of(200), AppWrite::of(300)],
        ..Exchange::new(300, 2_000, 500)
    };
    let mut with = requests(0, 0, 0);
    with.exchanges = vec![two_writes; 5];
    let mut without = with.clone();
    with.client_end().nagle = true;
    with.client_end().rto_min_us = 400_000;
    with.server_end().delayed_ack = DelayedAck::FixedUs(200_000);
    without.client_end().nagle = false;
    agrees("waited-for-ack", &with, &without);
}

#[test]
fn without_a_reader_that_pauses_a_transfer_takes_what_the_simulation_takes() {
    let mut with = requests(1, 2_000, 180_000);
    with.client_end().receive_bytes = 64_000;
    let without = with.clone();
    with.client_end().reader = Reader::Pausing {
        every_bytes: 64_000,
        pause_us: 600_000,
    };
    agrees("window-closed", &with, &without);
}

#[test]
fn with_a_larger_window_a_transfer_takes_what_the_simulation_takes() {
    let mut with = requests(1, 2_000, 400_000);
    let without = with.clone();
    with.client_end().receive_bytes = 14_000;
    agrees("transfer-limited", &with, &without);
}

#[test]
fn requests_that_are_sent_together_take_what_the_simulation_takes() {
    // 6,000 bytes are one round, from a new connection too.
    let batch = requests(1, 60 * 200, 60 * 100);
    agrees("chatty", &requests(60, 200, 100), &batch);
}

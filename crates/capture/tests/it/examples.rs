//! The captures that the guide explains: `examples/capture/before.pcapng` and
//! `after.pcapng`, generated like every other fixture.

use std::path::Path;

use capture::{AnalysisOptions, explain};
use synth::{AppWrite, CloseStyle, Conversation, DelayedAck, Exchange, FileFormat, capture_file};

/// Twenty requests, each written as a head and a body, on one connection.
fn requests() -> Conversation {
    Conversation {
        exchanges: vec![
            Exchange {
                request: vec![AppWrite::of(200), AppWrite::of(400)],
                ..Exchange::new(0, 12_000, 3_000)
            };
            20
        ],
        close: CloseStyle::Client,
        ..Conversation::default()
    }
}

/// A mainframe's defaults: segments of 536 bytes, acknowledgements after 200 ms.
fn before() -> Vec<u8> {
    let mut conversation = requests();
    conversation.client_end().nagle = true;
    conversation.client_end().rto_min_us = 400_000;
    conversation.server_end().mss = 536;
    conversation.server_end().delayed_ack = DelayedAck::FixedUs(200_000);
    capture_file(&[conversation], FileFormat::Pcapng)
}

/// The same with MTU 1500 and acknowledgements at once.
fn after() -> Vec<u8> {
    let mut conversation = requests();
    conversation.client_end().nagle = true;
    capture_file(&[conversation], FileFormat::Pcapng)
}

fn verdict(capture: &[u8]) -> capture::EvidenceSlice {
    let explanation =
        explain(capture, &AnalysisOptions::default()).expect("a made capture can be read");
    explanation.verdict.expect("there is always one")
}

/// `UPDATE_GOLDENS=1` writes the files again.
#[test]
fn the_example_captures_are_the_described_ones() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/capture");
    for (name, made) in [("before.pcapng", before()), ("after.pcapng", after())] {
        let path = folder.join(name);
        if std::env::var_os("UPDATE_GOLDENS").is_some() {
            std::fs::write(&path, &made).expect("the examples can be written");
        }
        let there = std::fs::read(&path).expect("the example is there");
        assert!(there == made, "{} is another capture", path.display());
    }
}

#[test]
fn the_remedy_of_the_example_leaves_nothing_to_change() {
    let (before, after) = (verdict(&before()), verdict(&after()));
    assert_eq!(before.kind.name(), "waited-for-ack");
    assert!(before.share > 0.9 && before.remedy.is_some());
    assert_eq!((after.kind.name(), after.remedy), ("none", None));
}

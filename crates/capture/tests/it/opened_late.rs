//! SYNs that are sent again: a lost one, and one whose answer was late.

use std::net::SocketAddr;

use capture::synth::{Format, Segment, Writer};
use capture::{Confidence, Options, Side, explain};

const SYN: u8 = 0x02;
const SYN_ACK: u8 = 0x12;
const ACK: u8 = 0x10;

/// A request, and its answer.
const TEXT: &[u8] = b"anything";

/// A segment with a timestamp of its own time and this echo.
fn segment(at_ms: u64, from: Side, flags: u8, echo_ms: u32) -> Segment {
    Segment {
        at_ns: at_ms * 1_000_000,
        from,
        seq: if flags == ACK { 78 } else { 77 },
        ack: if flags == SYN { 0 } else { 78 },
        id: 1 + at_ms as u16,
        hop_limit: 64,
        flags,
        window: 8192,
        len: 0,
        offset: 0,
        mss: 1460,
        scale: Some(7),
        sack: Vec::new(),
        stamp: Some((5_000 + at_ms as u32, echo_ms)),
        multipath: None,
    }
}

/// How sure it is that the first SYN was lost, and the sentence: sent at 0 and again
/// after a second, answered 50 ms later with an echo of `echo`.
fn told(echo: u32) -> (Confidence, String) {
    let ends = [
        SocketAddr::from(([10, 0, 0, 1], 40_000)),
        SocketAddr::from(([10, 0, 0, 2], 443)),
    ];
    let all = [
        segment(0, Side::Client, SYN, 0),
        segment(1_000, Side::Client, SYN, 0),
        segment(1_050, Side::Server, SYN_ACK, echo),
        segment(1_051, Side::Client, ACK, 6_050),
        Segment {
            len: TEXT.len() as u32,
            ..segment(1_052, Side::Client, ACK, 6_050)
        },
        Segment {
            len: TEXT.len() as u32,
            ack: 78 + TEXT.len() as u32,
            ..segment(1_103, Side::Server, ACK, 6_052)
        },
    ];
    let mut writer = Writer::new(Vec::new(), Format::Pcap).expect("memory");
    for one in &all {
        let payload = &TEXT[..one.len as usize];
        writer.segment(one, ends, payload).expect("memory");
    }
    let file = writer.finish().expect("memory");
    let explanation = explain(file.as_slice(), &Options::default()).expect("a made capture");
    let mut lost = (explanation.findings.into_iter()).filter(|f| f.rule == "tcp.syn.lost");
    let finding = lost.next().expect("the SYN that was sent again");
    (finding.confidence, finding.text)
}

#[test]
fn a_syn_whose_copy_is_answered_was_lost() {
    let (confidence, text) = told(6_000);
    assert_eq!(confidence, Confidence::High);
    assert!(!text.contains("had arrived"), "{text}");
}

#[test]
fn a_syn_whose_timestamp_comes_back_had_arrived() {
    let (confidence, text) = told(5_000);
    assert_eq!(confidence, Confidence::Low);
    assert!(text.contains("had arrived"), "{text}");
}

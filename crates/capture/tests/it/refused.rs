//! Connections that are refused and asked for again.

use std::net::SocketAddr;

use capture::synth::{Format, Segment, Writer};
use capture::{Explanation, Options, Side, explain};

const SYN: u8 = 0x02;
const RST_ACK: u8 = 0x14;

fn segment(at_ms: u64, from: Side, seq: u32, flags: u8) -> Segment {
    Segment {
        at_ns: at_ms * 1_000_000,
        from,
        seq,
        ack: if flags == SYN { 0 } else { seq + 1 },
        id: at_ms as u16,
        hop_limit: 64,
        flags,
        window: 8192,
        len: 0,
        offset: 0,
        mss: 0,
        scale: None,
        sack: Vec::new(),
        stamp: None,
        multipath: None,
    }
}

/// SYNs with these numbers at these times, each refused a millisecond later.
fn refused(syns: &[(u64, u32)]) -> Explanation {
    let ends = [
        SocketAddr::from(([10, 0, 0, 1], 40_000)),
        SocketAddr::from(([10, 0, 0, 2], 6346)),
    ];
    let mut writer = Writer::new(Vec::new(), Format::Pcap).expect("memory");
    for (at_ms, seq) in syns {
        let mut answer = segment(at_ms + 1, Side::Server, 0, RST_ACK);
        answer.ack = seq + 1;
        for one in [segment(*at_ms, Side::Client, *seq, SYN), answer] {
            writer.segment(&one, ends, &[]).expect("memory");
        }
    }
    let file = writer.finish().expect("memory");
    explain(file.as_slice(), &Options::default()).expect("a made capture")
}

fn counts(explanation: &Explanation) -> (u64, u64) {
    let sum = |of: fn(&capture::Service) -> u64| explanation.services.iter().map(of).sum();
    (sum(|s| s.refused), sum(|s| s.ports_reused))
}

#[test]
fn a_client_that_asks_again_with_the_same_number_was_refused_once() {
    let windows = [(0, 77), (500, 77), (1_100, 77), (1_800, 77), (3_900, 77)];
    assert_eq!(counts(&refused(&windows)), (1, 0));
}

#[test]
fn a_new_number_is_a_new_connection_that_was_refused_too() {
    let again = [(0, 77), (1_500, 900_000), (3_000, 5_000_000)];
    assert_eq!(counts(&refused(&again)), (3, 2));
}

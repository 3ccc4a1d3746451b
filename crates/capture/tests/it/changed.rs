//! Conversations whose packets are changed before they are explained.

use capture::synth::{Close, Conversation, Exchange, Format, Place, Segment, Writer, simulate};
use capture::{Confidence, Explanation, Options, explain};

/// The conversations' capture, their packets changed.
pub fn played(all: &[Conversation], mut change: impl FnMut(&mut Vec<Segment>)) -> Explanation {
    let mut packets = Vec::new();
    for c in all {
        let (mut segments, streams) = simulate(c);
        change(&mut segments);
        for s in segments {
            let stream = &streams[s.from.index()];
            let payload = stream[s.offset as usize..(s.offset + s.len) as usize].to_vec();
            packets.push((s, [c.client, c.server], payload));
        }
    }
    packets.sort_by_key(|(s, ..)| s.at_ns);
    let mut writer = Writer::new(Vec::new(), Format::Pcap).expect("memory");
    for (s, ends, payload) in &packets {
        writer.segment(s, *ends, payload).expect("memory");
    }
    let file = writer.finish().expect("memory");
    explain(file.as_slice(), &Options::default()).expect("a made capture")
}

/// The most that a rule says.
pub fn said(explanation: &Explanation, rule: &str) -> Option<Confidence> {
    let mine = explanation.findings.iter().filter(|f| f.rule == rule);
    mine.map(|f| f.confidence).max()
}

/// Captured beside the client, 25 ms from the server.
pub fn far(exchanges: Vec<Exchange>) -> Conversation {
    let mut c = Conversation {
        exchanges,
        close: Close::Client,
        ..Conversation::default()
    };
    c.path.one_way_us = 25_000;
    c.path.capture = Place::Client;
    c
}

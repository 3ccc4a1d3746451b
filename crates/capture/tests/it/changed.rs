//! Conversations whose packets are changed before they are explained.

use capture::synth::{
    Action, Close, Conversation, Exchange, Fault, Format, Place, Segment, Select, Writer, simulate,
};
use capture::{Confidence, Explanation, Options, Side, explain};

const ACK: u8 = 0x10;

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
    explain(file.as_slice(), &by_packets()).expect("a made capture")
}

/// Each rule is as sure as the packets make it, whatever captures of strangers showed of it.
pub fn by_packets() -> Options {
    Options {
        as_met: false,
        ..Options::default()
    }
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

/// The same; the sixth segment of a long answer is lost.
pub fn sixth_lost() -> Conversation {
    let mut c = far(vec![Exchange::new(300, 2_000, 43_000)]);
    c.server_end().initial_window = 40;
    c.path.faults = vec![Fault {
        from: Side::Server,
        select: Select::Data(5),
        action: Action::Lose,
    }];
    c
}

/// Something near acknowledges the client's first words at once, in the server's name, and no
/// timestamps tell of it.
pub fn relayed(segments: &mut Vec<Segment>) {
    let said = (segments.iter())
        .find(|s| s.from == Side::Client && s.len > 0)
        .expect("a client's words")
        .clone();
    let opened = (segments.iter())
        .find(|s| s.from == Side::Server)
        .expect("an opening")
        .clone();
    for s in segments.iter_mut() {
        s.stamp = None;
    }
    segments.push(Segment {
        at_ns: said.at_ns + 200_000,
        seq: opened.seq.wrapping_add(1),
        ack: said.seq.wrapping_add(said.len),
        flags: ACK,
        id: opened.id.wrapping_add(700),
        stamp: None,
        ..opened
    });
}

/// What this rule says, in the order of its findings.
pub fn texts(explanation: &Explanation, rule: &str) -> Vec<String> {
    let mine = explanation.findings.iter().filter(|f| f.rule == rule);
    mine.map(|f| f.text.clone()).collect()
}

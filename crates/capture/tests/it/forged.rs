//! Resets that are not the end's own: by the hop limit, by what the end does afterwards,
//! by number and by window.

use std::net::SocketAddr;

use capture::synth::{Format, Segment, Writer};
use capture::{Confidence, Explanation, Side, explain};

use crate::changed::by_packets;

const FIN_ACK: u8 = 0x11;
const SYN: u8 = 0x02;
const RST: u8 = 0x04;
const ACK: u8 = 0x10;
const RST_ACK: u8 = 0x14;
const PUSH_ACK: u8 = 0x18;

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n0123456789";

/// A reset in the server's name.
#[derive(Clone, Copy)]
struct Reset {
    flags: u8,
    hop_limit: u8,
    window: u16,
    /// Behind what the server had sent.
    passed_over: u32,
}

const OWN: Reset = Reset {
    flags: RST_ACK,
    hop_limit: 57,
    window: 0,
    passed_over: 0,
};

/// An opening, a request, a part of its answer, the reset and, it may be, what the
/// server sends after it.
fn cut(reset: Reset, goes_on: Option<u8>, server_limits: [u8; 2]) -> Explanation {
    let ends = [
        SocketAddr::from(([10, 0, 0, 1], 40_000)),
        SocketAddr::from(([10, 0, 0, 2], 80)),
    ];
    let mut writer = Writer::new(Vec::new(), Format::Pcap).expect("memory");
    let mut at_ns = 0;
    let mut write = |from: Side, (seq, ack): (u32, u32), flags: u8, limit: u8, data: &[u8]| {
        let segment = Segment {
            at_ns,
            from,
            seq,
            ack,
            id: (at_ns / 1_000_000) as u16 + 1,
            hop_limit: limit,
            flags,
            window: match flags & RST {
                0 => 8192,
                _ => reset.window,
            },
            len: data.len() as u32,
            offset: 0,
            mss: if flags & SYN != 0 { 1460 } else { 0 },
            scale: None,
            sack: Vec::new(),
            stamp: None,
            multipath: None,
        };
        writer.segment(&segment, ends, data).expect("memory");
        at_ns += 5_000_000;
    };
    let asked = 101 + REQUEST.len() as u32;
    let answered = 901 + ANSWER.len() as u32;
    let [first, second] = server_limits;
    write(Side::Client, (100, 0), SYN, 64, b"");
    write(Side::Server, (900, 101), SYN | ACK, first, b"");
    write(Side::Client, (101, 901), ACK, 64, b"");
    write(Side::Client, (101, 901), PUSH_ACK, 64, REQUEST);
    write(Side::Server, (901, asked), ACK, second, b"");
    write(Side::Server, (901, asked), PUSH_ACK, second, ANSWER);
    write(Side::Client, (asked, answered), ACK, 64, b"");
    let seq = answered.wrapping_add(reset.passed_over);
    write(
        Side::Server,
        (seq, asked),
        reset.flags,
        reset.hop_limit,
        b"",
    );
    if let Some(flags) = goes_on {
        write(
            Side::Server,
            (answered, asked),
            flags,
            second,
            b"0123456789",
        );
    }
    let file = writer.finish().expect("memory");
    explain(file.as_slice(), &by_packets()).expect("a made capture")
}

/// Which rule tells of the reset, and how sure it is.
fn told(explanation: &Explanation) -> Vec<(&'static str, Confidence)> {
    (explanation.findings.iter())
        .filter(|f| f.rule.starts_with("tcp.reset"))
        .map(|f| (f.rule, f.confidence))
        .collect()
}

#[test]
fn a_reset_like_the_servers_other_packets_is_from_its_direction() {
    let own = cut(OWN, None, [57, 57]);
    assert_eq!(told(&own), [("tcp.reset", Confidence::High)]);
    let close = own.connections[0].close;
    assert_eq!(
        close.reset_packet.map(|r| (r.packet, r.hop_limit)),
        Some((8, 57))
    );
    // Its path changed before: the reset has a limit that was seen.
    let changed = cut(
        Reset {
            hop_limit: 55,
            ..OWN
        },
        None,
        [55, 57],
    );
    assert_eq!(told(&changed), [("tcp.reset", Confidence::High)]);
    // A bare reset without a window, as a stack answers what it does not know.
    let bare = cut(Reset { flags: RST, ..OWN }, None, [57, 57]);
    assert_eq!(told(&bare), [("tcp.reset", Confidence::High)]);
}

#[test]
fn a_reset_with_another_hop_limit_is_not_the_servers() {
    for hop_limit in [44, 55, 59, 255] {
        let cut = cut(Reset { hop_limit, ..OWN }, None, [57, 57]);
        assert_eq!(
            told(&cut),
            [("tcp.reset.path", Confidence::Medium)],
            "{hop_limit}"
        );
        let text = &cut
            .findings
            .iter()
            .find(|f| f.rule == "tcp.reset.path")
            .unwrap()
            .text;
        let limits = format!("hop limit {hop_limit}, the server's other packets 57");
        assert!(text.contains(&limits), "{text}");
    }
    let near = cut(
        Reset {
            hop_limit: 56,
            ..OWN
        },
        None,
        [57, 57],
    );
    assert_eq!(told(&near), [("tcp.reset.path", Confidence::Low)]);
    let restless = cut(
        Reset {
            hop_limit: 44,
            ..OWN
        },
        None,
        [55, 57],
    );
    assert_eq!(told(&restless), [("tcp.reset.path", Confidence::Low)]);
}

#[test]
fn a_server_that_goes_on_has_not_reset() {
    for flags in [PUSH_ACK, FIN_ACK] {
        let on = cut(OWN, Some(flags), [57, 57]);
        let told = told(&on);
        let foreign = [("tcp.reset.path", Confidence::Medium)];
        // Behind a close that was under way nothing is told.
        assert!(
            told == foreign || (flags == FIN_ACK && told.is_empty()),
            "{told:?}"
        );
    }
}

#[test]
fn a_number_or_a_window_that_no_stack_sends_is_low() {
    let ahead = Reset {
        passed_over: 2_920,
        ..OWN
    };
    let window = Reset {
        flags: RST,
        window: 8192,
        ..OWN
    };
    let strange = Reset {
        passed_over: 0x9000_0000,
        ..OWN
    };
    for reset in [ahead, strange, window] {
        let cut = cut(reset, None, [57, 57]);
        assert_eq!(told(&cut), [("tcp.reset.path", Confidence::Low)]);
    }
}

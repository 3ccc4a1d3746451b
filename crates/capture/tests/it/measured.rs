//! What captures of strangers showed to be said wrongly: played, and then changed as it was
//! there.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use crate::changed::{self, far, said, sixth_lost};
use capture::synth::{Close, Conversation, Exchange, Format, Payload, Place, Segment, Writer};
use capture::{Confidence, Explanation, Options, Side, explain};

const FIN: u8 = 0x01;
const SYN: u8 = 0x02;
const ACK: u8 = 0x10;

/// The conversation's capture, its packets changed.
fn played(c: &Conversation, change: impl FnMut(&mut Vec<Segment>)) -> Explanation {
    changed::played(std::slice::from_ref(c), change)
}

#[test]
fn data_that_echo_what_was_said_before_the_burst_waited_for_no_window() {
    let mut c = far(vec![Exchange::new(300, 2_000, 100_000)]);
    c.server_end().initial_window = 2;
    let rule = "tcp.slow-start";
    assert_eq!(said(&played(&c, |_| {}), rule), Some(Confidence::High));
    let jitter = played(&c, |segments| {
        let mut data = segments
            .iter_mut()
            .filter(|s| s.from == Side::Server && s.len > 0);
        let echo = data.next().and_then(|s| s.stamp).expect("a stamp").1;
        for (_, old) in data.filter_map(|s| s.stamp.as_mut()) {
            *old = echo;
        }
    });
    assert_eq!(said(&jitter, rule), None);
}

#[test]
fn a_server_whose_clock_hardly_went_on_did_not_wait() {
    let mut c = far(vec![
        Exchange::new(512, 120_000, 400),
        Exchange::new(300, 2_000, 500),
        Exchange::new(300, 2_000, 500),
    ]);
    c.payload = Payload::Tls { resumed: true };
    c.server.set_port(443);
    let rule = "tls.handshake.wait";
    let busy = said(&played(&c, |_| {}), rule);
    assert_eq!(busy, Some(Confidence::Medium));
    let slow_path = played(&c, |segments| {
        let hello = (segments.iter())
            .position(|s| s.from == Side::Server && s.len > 0)
            .expect("a hello");
        let first = (segments[..hello].iter())
            .rfind(|s| s.from == Side::Server)
            .and_then(|s| s.stamp)
            .expect("a stamp");
        // All that the server sends from its hello on left 118 ms sooner.
        let server = segments[hello..].iter_mut();
        for (value, _) in server
            .filter(|s| s.from == Side::Server)
            .filter_map(|s| s.stamp.as_mut())
        {
            *value = first.0.max(value.wrapping_sub(118));
        }
    });
    assert!(said(&slow_path, rule) < busy, "{:?}", slow_path.findings);
}

#[test]
fn a_copy_of_what_is_acknowledged_repairs_nothing() {
    let c = sixth_lost();
    let rule = "tcp.retransmit.fast";
    assert_eq!(said(&played(&c, |_| {}), rule), Some(Confidence::High));
    let too_far = played(&c, |segments| {
        let mut highest = 0;
        let mut copy = None;
        for s in segments
            .iter()
            .filter(|s| s.from == Side::Server && s.len > 0)
        {
            let behind = s.seq.wrapping_sub(segments[1].seq);
            if behind < highest {
                copy = Some(s.at_ns);
                break;
            }
            highest = behind + s.len;
        }
        let copy_ns = copy.expect("a copy");
        let told = (segments.iter())
            .rfind(|s| s.from == Side::Client && s.at_ns < copy_ns)
            .expect("a word")
            .clone();
        segments.push(Segment {
            at_ns: told.at_ns + 1_000,
            ack: segments[1].seq.wrapping_add(highest),
            id: told.id.wrapping_add(7_000),
            sack: Vec::new(),
            ..told
        });
    });
    assert_ne!(said(&too_far, rule), Some(Confidence::High));
}

#[test]
fn a_remnant_does_not_tell_who_never_closed() {
    let mut c = far(vec![Exchange::new(300, 2_000, 500)]);
    c.close = Close::Server;
    let rest = |goes_on: bool| {
        played(&c, |segments| {
            let fin = (segments.iter())
                .find(|s| s.from == Side::Client && s.flags & FIN != 0)
                .expect("a goodbye")
                .clone();
            let server = (segments.iter().rev())
                .find(|s| s.from == Side::Server)
                .expect("an end")
                .clone();
            let alive = Segment {
                at_ns: fin.at_ns + 14_000_000_000,
                seq: fin.seq.wrapping_sub(1),
                flags: ACK,
                len: 1,
                offset: 0,
                ..fin.clone()
            };
            let heard = Segment {
                at_ns: alive.at_ns + 1_000_000,
                seq: server.seq,
                ack: fin.seq.wrapping_add(1),
                flags: ACK,
                len: u32::from(goes_on),
                offset: 0,
                ..server.clone()
            };
            let first = Segment {
                at_ns: fin.at_ns + 1_000_000,
                len: u32::from(goes_on),
                seq: heard.seq.wrapping_sub(u32::from(goes_on)),
                ..heard.clone()
            };
            *segments = vec![fin, first, alive, heard];
        })
    };
    assert_eq!(said(&rest(false), "tcp.half-close"), None);
    assert_eq!(said(&rest(true), "tcp.half-close"), Some(Confidence::High));
}

#[test]
fn every_connection_that_nobody_answered_is_counted() {
    let mut writer = Writer::new(Vec::new(), Format::Pcap).expect("memory");
    for n in 0..40_u16 {
        let segment = Segment {
            at_ns: u64::from(n) * 3_000_000_000,
            from: Side::Client,
            seq: 7 + u32::from(n),
            ack: 0,
            id: n + 1,
            hop_limit: 64,
            flags: SYN,
            window: 8192,
            len: 0,
            offset: 0,
            mss: 1460,
            scale: None,
            sack: Vec::new(),
            stamp: None,
            multipath: None,
        };
        let ends = [40_000 + n, 80].map(|port| {
            let address = Ipv4Addr::new(10, 0, 0, if port == 80 { 2 } else { 1 });
            SocketAddr::new(IpAddr::V4(address), port)
        });
        writer.segment(&segment, ends, &[]).expect("memory");
    }
    let file = writer.finish().expect("memory");
    let explanation = explain(file.as_slice(), &Options::default()).expect("a made capture");
    // The last was asked for when the capture ended.
    assert_eq!(explanation.totals.unanswered_connections, 39);
}

#[test]
fn segments_behind_offload_are_copies_of_the_large_one_before_it() {
    let mut c = far(vec![Exchange::new(300, 2_000, 60_000)]);
    c.path.capture = Place::Server;
    c.server_end().offload_segments = 4;
    let mut pieces = 0;
    let both = played(&c, |segments| {
        let large: Vec<Segment> = (segments.iter())
            .filter(|s| s.from == Side::Server && s.len > 1_448)
            .cloned()
            .collect();
        for s in segments.iter_mut().filter(|s| s.from == Side::Server) {
            // Each segment on the wire takes one.
            s.id = s.id.wrapping_mul(64);
        }
        for one in large {
            for nth in 0..one.len.div_ceil(1_448) {
                let before = nth * 1_448;
                pieces += 1;
                segments.push(Segment {
                    at_ns: one.at_ns + 20_000 + u64::from(nth) * 1_000,
                    seq: one.seq.wrapping_add(before),
                    id: one.id.wrapping_mul(64).wrapping_add(nth as u16),
                    len: (one.len - before).min(1_448),
                    offset: one.offset + before,
                    ..one.clone()
                });
            }
        }
    });
    assert!(pieces > 20, "{pieces}");
    assert_eq!(both.totals.duplicate_frames, pieces);
    for rule in [
        "tcp.congestion-window",
        "tcp.retransmit.spurious",
        "tcp.rto",
    ] {
        assert_eq!(said(&both, rule), None, "{rule}");
    }
}

#[test]
fn what_a_capture_beside_the_receiver_holds_was_not_lost() {
    let rto = |place: Place| {
        let mut c = far(vec![Exchange::new(300, 2_000, 500); 2]);
        c.path.capture = place;
        played(&c, |segments| {
            let asked = (segments.iter())
                .rposition(|s| s.from == Side::Client && s.len > 0)
                .expect("a request");
            segments.truncate(asked + 1);
            let request = segments[asked].clone();
            for (nth, after_ms) in [1_000, 3_000, 7_000].into_iter().enumerate() {
                segments.push(Segment {
                    at_ns: request.at_ns + after_ms * 1_000_000,
                    id: request.id.wrapping_add(1 + nth as u16),
                    stamp: (request.stamp).map(|(value, echo)| (value + after_ms as u32, echo)),
                    ..request.clone()
                });
            }
        })
    };
    let seen = said(&rto(Place::Client), "tcp.rto");
    assert!(seen >= Some(Confidence::Medium), "{seen:?}");
    assert_eq!(said(&rto(Place::Server), "tcp.rto"), None);
}

/// The opening of a connection with its answer sent again a second later.
fn answered_again(echoes_first: bool, stamped: bool) -> Explanation {
    let c = far(vec![Exchange::new(300, 2_000, 500)]);
    played(&c, |segments| {
        let again = Segment {
            at_ns: segments[1].at_ns + 1_000_000_000,
            id: segments[1].id.wrapping_add(500),
            stamp: (segments[1].stamp).map(|(value, echo)| (value + 1_000, echo)),
            ..segments[1].clone()
        };
        for s in &mut segments[2..] {
            s.at_ns += 1_050_000_000;
            if let (Some((value, echo)), Some((copy, _))) = (&mut s.stamp, again.stamp) {
                *value += 1_050;
                if s.from == Side::Client && !echoes_first {
                    *echo = copy.max(*echo);
                }
            }
        }
        segments.push(again);
        if !stamped {
            segments.iter_mut().for_each(|s| s.stamp = None);
        }
    })
}

#[test]
fn an_answer_that_is_echoed_had_arrived() {
    let said = |echoes_first, stamped| said(&answered_again(echoes_first, stamped), "tcp.syn.lost");
    assert_eq!(said(false, true), Some(Confidence::High));
    assert_eq!(said(true, true), Some(Confidence::Low));
    // Without stamps nobody can tell which of the two was answered.
    assert_eq!(said(false, false), Some(Confidence::Medium));
}

#[test]
fn minutes_later_a_syn_is_another_attempt() {
    let waited = |ms: u64| {
        let c = far(vec![Exchange::new(300, 2_000, 500)]);
        played(&c, |segments| {
            let mut first = segments[0].clone();
            first.id = first.id.wrapping_sub(1);
            first.stamp = first
                .stamp
                .map(|(value, echo)| (value.wrapping_sub(ms as u32), echo));
            for s in segments.iter_mut() {
                s.at_ns += ms * 1_000_000;
            }
            segments.push(first);
        })
    };
    assert_eq!(said(&waited(3_000), "tcp.syn.lost"), Some(Confidence::High));
    assert_eq!(said(&waited(265_000), "tcp.syn.lost"), None);
}

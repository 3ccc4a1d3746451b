//! What a capture does not show: who had closed before it began, who refused what nobody
//! answered, and that anybody waited for a repair longer than for any other packet.

use crate::changed::{far, played, said, sixth_lost, texts};
use capture::synth::{
    Action, Close, Conversation, DelayedAck, Exchange, Fault, Payload, Place, Segment, Select,
};
use capture::{Confidence, Explanation, Side};

const SYN: u8 = 0x02;
const FIN: u8 = 0x01;
const ACK: u8 = 0x10;
const RST_ACK: u8 = 0x14;

/// A connection from before the capture: the server closes, and the client, which says nothing of
/// the end itself, sends its data again for a while. `hidden`: bytes that its last number is ahead
/// of its data.
fn closed_before(hidden: u32) -> Explanation {
    let mut c = far(vec![Exchange::new(300, 2_000, 2_000)]);
    c.close = Close::Server;
    played(&[c], |segments| {
        segments.retain(|s| s.flags & SYN == 0);
        let fin = (segments.iter())
            .position(|s| s.from == Side::Server && s.flags & FIN != 0)
            .expect("the server's FIN");
        segments.truncate(fin + 1);
        let said = (segments.iter())
            .find(|s| s.from == Side::Client && s.len > 0)
            .expect("a request")
            .clone();
        let bye = segments[fin].clone();
        let ack = bye.seq.wrapping_add(bye.len).wrapping_add(1);
        let end = said.seq.wrapping_add(said.len);
        segments.push(Segment {
            at_ns: bye.at_ns + 500_000,
            seq: end.wrapping_add(hidden),
            ack,
            flags: ACK,
            len: 0,
            id: said.id.wrapping_add(90),
            ..said.clone()
        });
        segments.push(Segment {
            at_ns: bye.at_ns + 20_000_000_000,
            ack,
            id: said.id.wrapping_add(91),
            ..said
        });
    })
}

#[test]
fn an_end_whose_numbers_run_ahead_may_have_closed() {
    let rule = "tcp.half-close";
    let told = texts(&closed_before(0), rule);
    assert_eq!(
        told,
        ["the server closed and the client had not done so 20 s later"]
    );
    assert_eq!(texts(&closed_before(1), rule), Vec::<String>::new());
}

/// A SYN, copies of it after these times, and a reset as the only answer.
fn reset_after(copies_ms: &[u64], reset_ms: u64) -> Explanation {
    let c = far(vec![Exchange::new(300, 2_000, 500)]);
    played(&[c], |segments| {
        let syn = segments[0].clone();
        let answer = (segments.iter())
            .find(|s| s.from == Side::Server)
            .expect("an answer")
            .clone();
        *segments = vec![syn.clone()];
        for (n, ms) in (1_u16..).zip(copies_ms) {
            segments.push(Segment {
                at_ns: syn.at_ns + ms * 1_000_000,
                id: syn.id.wrapping_add(n),
                stamp: syn.stamp.map(|(value, echo)| (value + *ms as u32, echo)),
                ..syn.clone()
            });
        }
        segments.push(Segment {
            at_ns: syn.at_ns + reset_ms * 1_000_000,
            seq: 0,
            ack: syn.seq.wrapping_add(1),
            flags: RST_ACK,
            window: 0,
            mss: 0,
            scale: None,
            stamp: None,
            ..answer
        });
    })
}

#[test]
fn what_nobody_answered_for_long_was_not_refused() {
    let refused = ["1 connections to 10.0.0.2:80 were refused with a reset"];
    let rule = "tcp.reset";
    let port = |told: Vec<String>| {
        let (before, _) = told.first()?.split_once(" to ")?;
        Some(before.to_owned())
    };
    let wanted = port(refused.map(str::to_owned).to_vec());
    assert_eq!(port(texts(&reset_after(&[], 50), rule)), wanted);
    // One was lost.
    assert_eq!(port(texts(&reset_after(&[1_000], 1_050), rule)), wanted);
    let given_up = reset_after(&[1_000, 3_000, 7_000, 15_000], 21_000);
    assert_eq!(texts(&given_up, rule), Vec::<String>::new());
    let silent = texts(&given_up, "tcp.syn.lost");
    assert!(
        silent.iter().any(|text| text.ends_with(
            "1 of them ended with a reset after seconds of silence: something on the way gave up"
        )),
        "{silent:?}"
    );
}

#[test]
fn a_client_that_closes_had_an_answer_that_the_capture_lacks() {
    let rule = "tcp.syn.lost";
    let asked = |closes: bool| {
        let c = far(vec![Exchange::new(300, 2_000, 500)]);
        played(&[c], |segments| {
            let fin = (segments.iter())
                .find(|s| s.from == Side::Client && s.flags & FIN != 0)
                .expect("a FIN")
                .clone();
            segments.truncate(1);
            let again = Segment {
                at_ns: segments[0].at_ns + 1_000_000_000,
                id: segments[0].id.wrapping_add(1),
                ..segments[0].clone()
            };
            segments.push(again);
            segments.extend(closes.then(|| Segment {
                at_ns: segments[0].at_ns + 2_000_000_000,
                ..fin
            }));
        })
    };
    let never = "1 connections were asked for and never answered";
    let told = |closes| texts(&asked(closes), rule).iter().any(|text| text == never);
    assert!(told(false));
    assert!(!told(true));
}

/// Thirteen connections with a request each, so many of them TLS.
fn with_tls(tls: u16) -> Explanation {
    let all: Vec<Conversation> = (0..13_u16)
        .map(|n| {
            let mut c = far(vec![Exchange::new(300, 2_000, 500)]);
            if n < tls {
                c.payload = Payload::Tls { resumed: false };
                c.exchanges.push(Exchange::new(300, 2_000, 500));
            }
            c.start_us = u64::from(n) * 400_000;
            c.client.set_port(40_000 + n);
            c
        })
        .collect();
    played(&all, |_| {})
}

#[test]
fn a_few_with_tls_among_many_in_clear_are_no_habit_of_handshakes() {
    let handshakes = "tls.handshake-per-connection";
    let requests = "tcp.connection-per-request";
    let all = with_tls(13);
    assert_eq!(texts(&all, handshakes).len(), 1);
    assert_eq!(texts(&all, requests).len(), 0);
    let one = with_tls(1);
    assert_eq!(texts(&one, handshakes).len(), 0);
    assert_eq!(texts(&one, requests).len(), 1);
}

/// The sixth segment of a long answer is lost. Before its copy come as many silences, so long
/// each; `along`: the answer's last segment comes with the copy.
fn repaired(silences: u64, silence_ms: u64, along: bool) -> Explanation {
    played(&[sixth_lost()], |segments| {
        let data = |s: &Segment| s.from == Side::Server && s.len > 0;
        let copy = segments.iter().rposition(data).expect("a copy");
        let (copied, copy_ns) = (segments[copy].seq, segments[copy].at_ns);
        if along {
            let last = (segments.iter())
                .rposition(|s| data(s) && s.seq != copied)
                .expect("a last segment");
            let end = segments[last].seq.wrapping_add(segments[last].len);
            segments[last].at_ns = copy_ns + 5_000;
            // Nobody has told of it before.
            let told = |s: &Segment| s.sack.iter().any(|(_, to)| *to == end);
            segments.retain(|s| s.at_ns >= copy_ns || !told(s));
            for s in segments.iter_mut() {
                let behind = s.from == Side::Client && s.at_ns >= copy_ns;
                s.at_ns += 10_000 * u64::from(behind);
            }
        }
        let (mut nth, mut later_ns) = (0, 0);
        for s in segments.iter_mut() {
            if s.from == Side::Server && s.len > 0 && s.at_ns < copy_ns {
                nth += 1;
                later_ns = (nth / 6).min(silences) * silence_ms * 1_000_000;
            }
            s.at_ns += later_ns;
        }
        segments.sort_by_key(|s| s.at_ns);
    })
}

#[test]
fn a_repair_that_came_as_late_as_other_packets_was_not_waited_for() {
    let rule = "tcp.retransmit.fast";
    let high = Some(Confidence::High);
    assert_eq!(said(&repaired(0, 0, false), rule), high);
    // The wait stands out.
    assert_eq!(said(&repaired(4, 15, false), rule), high);
    assert_eq!(said(&repaired(2, 45, false), rule), high);
    assert!(said(&repaired(4, 45, false), rule) <= Some(Confidence::Low));
}

#[test]
fn a_repair_that_came_with_the_next_window_was_not_waited_for() {
    let rule = "tcp.retransmit.fast";
    assert_eq!(said(&repaired(0, 0, true), rule), Some(Confidence::High));
    assert!(said(&repaired(1, 48, true), rule) <= Some(Confidence::Low));
}

#[test]
fn an_opening_that_came_twice_was_no_loss_of_data() {
    let rule = "tcp.congestion-window";
    let mut c = far(vec![Exchange::new(300, 2_000, 90_000)]);
    c.server_end().initial_window = 4;
    let told = played(&[c], |segments| {
        let opened = (segments.iter())
            .find(|s| s.from == Side::Server)
            .expect("an opening")
            .clone();
        segments.push(Segment {
            at_ns: opened.at_ns + 1_700_000,
            id: opened.id.wrapping_add(500),
            ..opened
        });
        segments.sort_by_key(|s| s.at_ns);
    });
    assert_eq!(said(&told, rule), None);
    assert!(said(&told, "tcp.slow-start") >= Some(Confidence::Medium));
}

#[test]
fn what_was_overtaken_made_no_window_small() {
    let rule = "tcp.congestion-window";
    let mut c = far(vec![Exchange::new(300, 2_000, 350_000)]);
    c.path.capture = Place::Server;
    c.server_end().initial_window = 40;
    c.path.faults = vec![Fault {
        from: Side::Server,
        select: Select::Data(5),
        action: Action::Lose,
    }];
    let told = |counted: bool| {
        played(&[c.clone()], |segments| {
            let data = |s: &Segment| s.from == Side::Server && s.len > 0;
            let again = |segments: &[Segment], at: usize| {
                let s = &segments[at];
                let mut before = segments[..at].iter().filter(|s| data(s));
                data(s) && before.any(|t| t.seq == s.seq)
            };
            let copy = (0..segments.len()).find(|at| again(segments, *at));
            let copy = copy.expect("a copy");
            let seq = segments[copy].seq;
            let first = segments.iter().find(|s| data(s) && s.seq == seq);
            let id = first.expect("a first copy").id;
            if counted {
                segments[copy].id = id;
            }
        })
    };
    assert_eq!(said(&told(false), rule), Some(Confidence::Medium));
    assert!(said(&told(true), rule) <= Some(Confidence::Low));
}

#[test]
fn offload_cuts_into_what_the_receiver_takes() {
    let mut c = far(vec![Exchange::new(300, 2_000, 90_000)]);
    c.server_end().offload_segments = 2;
    let told = played(&[c], |segments| {
        // The server would take less itself than it sends.
        for s in segments.iter_mut().filter(|s| s.from == Side::Server) {
            s.mss = s.mss.min(1_440);
        }
    });
    let first = texts(&told, "tcp.slow-start");
    assert!(
        first
            .iter()
            .any(|text| text.contains("14480 bytes in 10 segments")),
        "{first:?}"
    );
}

/// A sender with room for one segment, whose receiver delays each acknowledgement; `soon`: the
/// data come sooner behind it than the path allows.
fn late_acknowledgements(soon: bool) -> Explanation {
    let mut c = far(vec![Exchange::new(300, 2_000, 20_000)]);
    c.server_end().send_limit_bytes = Some(1_448);
    c.server_end().rto_min_us = 600_000;
    c.client_end().delayed_ack = DelayedAck::FixedUs(200_000);
    played(&[c], |segments| {
        for at in (1..segments.len()).filter(|_| soon) {
            let before = segments[at - 1].clone();
            let data = &mut segments[at];
            let acknowledged = before.from == Side::Client && before.len == 0;
            if data.from == Side::Server && data.len > 0 && acknowledged {
                data.at_ns = before.at_ns + 5_000_000;
            }
        }
        segments.sort_by_key(|s| s.at_ns);
    })
}

#[test]
fn what_comes_sooner_than_the_path_allows_was_set_free_by_no_late_acknowledgement() {
    let rule = "tcp.ack.delayed";
    assert!(said(&late_acknowledgements(false), rule) >= Some(Confidence::Medium));
    assert!(said(&late_acknowledgements(true), rule) <= Some(Confidence::Low));
}

/// Acknowledgements are so late that data are sent again without need, and then the message goes
/// on for one segment, a full one or not.
fn needless(short: bool) -> Explanation {
    let mut c = far(vec![Exchange::new(300, 2_000, 60_000)]);
    c.path.one_way_us = 10_000;
    c.path.capture = Place::Server;
    let late = |nth| Fault {
        from: Side::Client,
        select: Select::Ack(nth),
        action: Action::DelayUs(350_000),
    };
    c.path.faults = (4..24).map(late).collect();
    played(&[c], |segments| {
        let data = |s: &Segment| s.from == Side::Server && s.len > 0;
        let is_new = |segments: &[Segment], at: usize| {
            data(&segments[at])
                && !segments[..at]
                    .iter()
                    .any(|s| data(s) && s.seq == segments[at].seq)
        };
        let copy = (0..segments.len())
            .find(|at| data(&segments[*at]) && !is_new(segments, *at))
            .expect("a copy");
        let end = segments[copy].seq.wrapping_add(segments[copy].len);
        let heard = (copy..segments.len())
            .find(|at| {
                let s = &segments[*at];
                s.from == Side::Client && s.ack.wrapping_sub(end) < 1 << 31
            })
            .expect("an acknowledgement");
        let next = (heard..segments.len())
            .find(|at| is_new(segments, *at))
            .expect("new data");
        // It goes on at once, and repeats nothing more.
        let mut next = segments[next].clone();
        next.at_ns = segments[heard].at_ns + 500_000;
        if short {
            next.len = 100;
        }
        segments.truncate(heard + 1);
        let copies = segments.split_off(copy + 1);
        segments.extend(copies.into_iter().filter(|s| !data(s)));
        segments.push(next);
    })
}

#[test]
fn a_short_segment_behind_a_needless_copy_may_have_been_written_then() {
    let rule = "tcp.retransmit.spurious";
    assert_eq!(said(&needless(false), rule), Some(Confidence::Medium));
    assert_eq!(said(&needless(true), rule), Some(Confidence::Low));
}

//! Bursts are told with all that was in them, and windows by what stopped the sender; a loss by
//! the copy that repaired it.

use capture::synth::{Action, Conversation, Exchange, Fault, Segment, Select};
use capture::{Confidence, Explanation, Side};

use crate::changed::{far, played, said, sixth_lost};
use crate::talk::{ACK, Talk, heard};

/// An answer of several windows, captured beside the client.
fn grown() -> Conversation {
    far(vec![Exchange::new(300, 2_000, 150_000)])
}

/// What is told of the pause before the third window.
fn third(explanation: &Explanation) -> Option<String> {
    let mut told = (explanation.findings.iter())
        .filter(|f| f.rule == "tcp.slow-start")
        .collect::<Vec<_>>();
    told.sort_by_key(|f| f.at_ns);
    told.get(1).map(|f| f.text.clone())
}

/// Only what was sent, not how long it took.
fn sent(text: Option<String>) -> String {
    let text = text.expect("a second pause");
    text.split_once(": ").expect("a time").1.to_owned()
}

#[test]
fn an_overtaken_segment_is_part_of_its_burst() {
    let whole = sent(third(&played(&[grown()], |_| {})));
    for nth in [15, 35] {
        let mut c = grown();
        c.path.faults = vec![Fault {
            from: Side::Server,
            select: Select::Data(nth),
            action: Action::DelayUs(15),
        }];
        assert_eq!(sent(third(&played(&[c], |_| {}))), whole, "{nth}");
    }
}

/// The server's data behind this number of its stream, and what acknowledges it, come later.
fn delay(segments: &mut [Segment], from: u32, to: u32, by_us: u64) {
    let first = |segments: &[Segment], side: Side| {
        let mine = segments.iter().find(|s| s.from == side).expect("a SYN");
        mine.seq.wrapping_add(1)
    };
    let base = first(segments, Side::Server);
    for s in segments.iter_mut() {
        let at = match s.from {
            Side::Server if s.len > 0 => s.seq.wrapping_sub(base),
            Side::Client if s.ack != 0 => s.ack.wrapping_sub(base).wrapping_sub(1),
            _ => continue,
        };
        if (from..to).contains(&at) {
            s.at_ns += by_us * 1_000;
        }
    }
}

#[test]
fn what_comes_a_round_trip_later_is_another_window() {
    let explanation = played(&[grown()], |segments| {
        let piece = segments.iter().map(|s| s.len).max().expect("data");
        // The second window, of twenty segments, trickles in up to the third.
        delay(segments, 15 * piece, 20 * piece, 12_000);
        delay(segments, 20 * piece, 25 * piece, 24_000);
        delay(segments, 25 * piece, 30 * piece, 36_000);
        segments.sort_by_key(|s| s.at_ns);
    });
    let told = explanation
        .findings
        .iter()
        .find(|f| f.rule == "tcp.slow-start");
    let text = &told.expect("the first pause").text;
    assert!(
        text.ends_with("waited a round trip, then sent 28960"),
        "{text}"
    );
}

#[test]
fn a_window_that_was_full_is_no_growth() {
    // Away from the sender, and without timestamps, the window that it had heard of counts, not
    // the larger one that is on its way.
    let told = |left: u16| {
        let mut c = grown();
        c.client_end().options = false;
        c.server_end().options = false;
        let explanation = played(&[c], |segments| {
            let piece = segments.iter().map(|s| s.len).max().expect("data");
            let first = segments.iter().find(|s| s.from == Side::Server);
            let base = first.expect("a SYN-ACK").seq.wrapping_add(1);
            for s in segments.iter_mut().filter(|s| s.from == Side::Client) {
                let acked = s.ack.wrapping_sub(base);
                s.window = match (1..=10 * piece).contains(&acked) {
                    true => (20 * piece) as u16 + left,
                    false => 65_535,
                };
            }
        });
        let slow = (explanation.findings.iter()).filter(|f| f.rule == "tcp.slow-start");
        (slow.count(), said(&explanation, "tcp.window.full"))
    };
    let (grew, full) = told(700);
    assert_eq!(full, Some(Confidence::Medium));
    assert_eq!(told(4_000), (grew + 1, None));
}

#[test]
fn a_repair_of_a_lost_repair_is_the_timers() {
    let mut c = sixth_lost();
    c.path.one_way_us = 100_000;
    c.client_end().options = false;
    c.server_end().options = false;
    let mut repaired = 0;
    let explanation = played(&[c], |segments| {
        let highest = segments
            .iter()
            .filter(|s| s.from == Side::Server && s.len > 0);
        let mut to = 0;
        let mut repair = None;
        for s in highest {
            if repair.is_none() && to != 0 && s.seq.wrapping_sub(to) > 1 << 31 {
                repair = Some(s.clone());
            }
            to = s.seq.wrapping_add(s.len);
        }
        let repair = repair.expect("the sixth segment");
        repaired += 1;
        for s in segments.iter_mut().filter(|s| s.at_ns >= repair.at_ns) {
            s.at_ns += 420_000_000;
            s.id = s.id.wrapping_add(1);
        }
        segments.push(repair);
    });
    assert_eq!(repaired, 1);
    let fast = explanation
        .findings
        .iter()
        .filter(|f| f.rule == "tcp.retransmit.fast");
    let late: Vec<_> = fast.filter(|f| f.cost_ns > 300_000_000).collect();
    assert!(late.is_empty(), "{late:?}");
}

/// Captured beside the client, 20 ms from the server: four pieces of 59,860 bytes, the next a round
/// trip behind the end of the last, their segments so far apart, each acknowledged at once.
fn pieces(apart_us: u64) -> Option<Confidence> {
    let mut talk = Talk::opened(40_000, 80, 0);
    talk.say(21_000, Side::Client, ACK, &[1; 200]);
    let mut at = 41_000;
    for _ in 0..4 {
        for _ in 0..41 {
            talk.say(at, Side::Server, ACK, &[2; 1_460]);
            talk.say(at + 20, Side::Client, ACK, b"");
            at += apart_us;
        }
        at += 20_000;
    }
    talk.close(at);
    said(&heard(&[talk]), "tcp.window.full")
}

#[test]
fn who_had_heard_of_room_was_not_stopped_by_the_window() {
    assert_eq!(pieces(100), Some(Confidence::High));
    // What the receiver had acknowledged came back long before the piece was sent.
    assert_eq!(pieces(1_100), None);
    // A path somewhat longer than the shortest round trip would have made it full.
    assert_eq!(pieces(700), Some(Confidence::Medium));
}

#[test]
fn what_was_sent_before_what_overtook_it_is_no_copy() {
    // The eighth of ten segments comes when the sender's timer has run.
    let late = |sent_before: bool| {
        let mut c = far(vec![Exchange::new(300, 2_000, 14_480)]);
        c.path.faults = vec![Fault {
            from: Side::Server,
            select: Select::Data(7),
            action: Action::Lose,
        }];
        let explanation = played(&[c], |segments| {
            let mut data: Vec<&mut Segment> = (segments.iter_mut())
                .filter(|s| s.from == Side::Server && s.len > 0)
                .collect();
            let first = data[0].stamp.expect("a stamp");
            let copy = data.last_mut().expect("the copy");
            if sent_before {
                copy.stamp = Some((first.0.wrapping_sub(1), first.1));
            }
        });
        said(&explanation, "tcp.rto")
    };
    assert!(late(false) >= Some(Confidence::Medium));
    assert_eq!(late(true), None);
}

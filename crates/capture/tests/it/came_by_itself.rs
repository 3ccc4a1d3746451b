//! What looks like a cause and was something else: overtaken segments, answers from before,
//! floods, the rest of connections that are over.

use crate::changed::{by_packets, far, played, relayed, said, sixth_lost};
use capture::synth::corpus::cases;
use capture::synth::{
    Action, Close, Conversation, Exchange, Fault, Payload, Segment, Select, Write,
};
use capture::{Confidence, Explanation, Side, explain};

/// The sixth segment of a long answer is lost, and neither timestamps nor identifications tell
/// of copies; `sooner`: the copy, the only one captured, comes so long behind the first asking.
fn copy_behind_the_asking(sooner_ns: Option<u64>) -> Explanation {
    let c = sixth_lost();
    played(&[c], |segments| {
        for s in segments.iter_mut() {
            (s.stamp, s.id) = (None, 0);
        }
        let sent: Vec<(u32, u32)> = (segments.iter())
            .filter(|s| s.from == Side::Server && s.len > 0)
            .map(|s| (s.seq, s.seq.wrapping_add(s.len)))
            .collect();
        let hole = (sent.windows(2))
            .find(|two| two[1].0 != two[0].1)
            .map(|two| two[0].1);
        let Some((hole, wait_ns)) = hole.zip(sooner_ns) else {
            return;
        };
        // What passed it is known from the first asking on.
        let asked = (segments.iter())
            .filter(|s| s.from == Side::Client && s.ack == hole)
            .nth(3)
            .expect("three askings")
            .at_ns;
        let copy = (segments.iter_mut())
            .find(|s| s.from == Side::Server && s.len > 0 && s.seq == hole)
            .expect("a copy");
        copy.at_ns = asked + wait_ns;
        segments.sort_by_key(|s| s.at_ns);
    })
}

#[test]
fn what_comes_sooner_than_its_sender_can_be_asked_was_overtaken() {
    let rule = "tcp.retransmit.fast";
    let told = said(&copy_behind_the_asking(None), rule);
    assert!(told >= Some(Confidence::Medium), "{told:?}");
    assert_eq!(said(&copy_behind_the_asking(Some(1_300_000)), rule), None);
}

/// SACK tells of several holes at once, so copies come behind each other; and what was sent
/// behind a copy did not pass it.
#[test]
fn repairs_behind_each_other_were_not_overtaken() {
    let all = cases(1, 19);
    let told = |name: &str| {
        let case = all.iter().find(|c| c.name == name).expect("a case");
        explain(&case.capture[..], &by_packets()).expect("a made capture")
    };
    let lost = told("random losses #10");
    assert_eq!(
        said(&lost, "tcp.congestion-window"),
        Some(Confidence::Medium)
    );
    let swallowed = told("a path that swallows large packets #18");
    let repairs = (swallowed.findings.iter()).filter(|f| f.rule == "tcp.retransmit.fast");
    assert_eq!(repairs.count(), 4);
    // The news of its losses came when acknowledgements would have.
    let mut in_time = (told("random losses #16").findings.into_iter())
        .filter(|f| f.rule == "tcp.retransmit.fast" && f.confidence == Confidence::Medium);
    assert!(in_time.next().is_none());
}

/// Twelve connections with one request each, the packets changed.
fn twelve(mut change: impl FnMut(&mut Vec<Segment>)) -> Explanation {
    let all: Vec<Conversation> = (0..12_u16)
        .map(|n| {
            let mut c = far(vec![Exchange::new(300, 2_000, 500)]);
            c.start_us = u64::from(n) * 400_000;
            c.client.set_port(40_000 + n);
            c.close = Close::Client;
            c
        })
        .collect();
    played(&all, |segments| change(segments))
}

/// What is said of connections for one request each.
fn each(explanation: &Explanation) -> Option<String> {
    let mut mine = (explanation.findings.iter()).filter(|f| f.rule == "tcp.connection-per-request");
    mine.next().map(|f| f.text.clone())
}

#[test]
fn requests_that_nobody_answers_are_no_habit_of_one_each() {
    let answered = each(&twelve(|_| {})).expect("a finding");
    assert!(answered.starts_with("12 of 12 "), "{answered}");
    let held_open = twelve(|segments| {
        segments.retain(|s| s.from == Side::Client || s.len == 0);
    });
    assert_eq!(each(&held_open), None);
}

#[test]
fn the_end_of_what_was_open_before_the_capture_is_no_connection_for_a_request() {
    let mut nth = 0;
    let told = twelve(|segments| {
        nth += 1;
        if nth == 1 {
            // A sign of life of one byte to an end that is gone.
            segments.retain(|s| s.from == Side::Client && s.len > 0);
        }
    });
    let text = each(&told).expect("a finding");
    assert!(text.starts_with("11 of 11 "), "{text}");
}

#[test]
fn a_relay_that_acknowledges_hides_the_path_from_the_answers() {
    let parts = |pause_us: u64| {
        let mut c = far(vec![Exchange {
            response: vec![
                Write::of(300),
                Write {
                    after_us: pause_us,
                    bytes: 300,
                },
            ],
            ..Exchange::new(300, 2_000, 0)
        }]);
        c.payload = Payload::Http;
        c.path.one_way_us = 140_000;
        played(&[c], relayed)
    };
    let rule = "server.think";
    assert_eq!(said(&parts(1_500_000), rule), Some(Confidence::Medium));
    assert!(said(&parts(300_000), rule) <= Some(Confidence::Low));
}

#[test]
fn a_flood_of_one_packet_is_no_second_capture() {
    let flood = |copies: u64| {
        let all: Vec<Conversation> = (0..20_u16)
            .map(|n| {
                let mut c = far(vec![Exchange::new(300, 2_000, 500)]);
                c.start_us = u64::from(n) * 400_000;
                c.client.set_port(40_000 + n);
                c
            })
            .collect();
        played(&all, |segments| {
            let syn = segments[0].clone();
            segments.extend((1..=copies).map(|n| Segment {
                at_ns: syn.at_ns + n * 20_000,
                ..syn.clone()
            }));
            segments.sort_by_key(|s| s.at_ns);
        })
    };
    let rule = "capture.duplicates";
    assert_eq!(said(&flood(1), rule), Some(Confidence::High));
    assert_eq!(said(&flood(12), rule), Some(Confidence::Low));
}

#[test]
fn short_segments_of_a_burst_count_as_segments() {
    let mut c = far(vec![Exchange {
        response: vec![
            Write::of(270),
            Write::of(70),
            Write::of(40),
            Write::of(60_000),
        ],
        ..Exchange::new(300, 2_000, 0)
    }]);
    c.server_end().initial_window = 10;
    let told = played(&[c], |_| {});
    let mut mine = (told.findings.iter()).filter(|f| f.rule == "tcp.slow-start");
    let first = &mine.next().expect("slow start").text;
    let sent: Vec<&str> = first.split_whitespace().collect();
    let at = (sent.iter().position(|word| word.starts_with("segment"))).expect("segments");
    let segments: u32 = sent[at - 1].parse().expect("a number");
    let bytes: u32 = sent[at - 4].parse().expect("a number");
    assert!(segments > bytes.div_ceil(1448), "{first}");
}

/// The last segment but one is lost, and its copy comes when a timer would have run. The client's
/// last news before it is 8 ms younger than the word before: the copy echoes that news, or was
/// sent when its sender had heard the word before and nothing else.
fn copy_that_echoes(news: bool) -> Explanation {
    let mut c = far(vec![Exchange::new(300, 2_000, 10_136)]);
    c.server_end().initial_window = 20;
    c.path.faults = vec![Fault {
        from: Side::Server,
        select: Select::Data(5),
        action: Action::Lose,
    }];
    played(&[c], |segments| {
        let copy = (segments.iter())
            .rposition(|s| s.from == Side::Server && s.len > 0)
            .expect("a copy");
        // The acknowledgement of what came before the hole, and the asking behind it.
        let hole = segments[copy].seq;
        let last = (segments.iter())
            .position(|s| s.from == Side::Client && s.ack == hole)
            .expect("an acknowledgement");
        for s in &mut segments[last..copy] {
            s.at_ns += 8_000_000;
            let ours = s.from == Side::Client;
            s.stamp = (s.stamp).map(|(value, echo)| (value + 8 * u32::from(ours), echo));
        }
        let (heard, echo) = segments[last].stamp.expect("timestamps");
        let (value, _) = segments[copy].stamp.expect("timestamps");
        segments[copy].stamp = Some(match news {
            true => (value, heard),
            // A round trip behind what was acknowledged.
            false => (echo + 51, heard - 8),
        });
    })
}

#[test]
fn what_an_acknowledgement_set_free_waited_for_no_timer() {
    let rule = "tcp.rto";
    assert_eq!(
        said(&copy_that_echoes(true), rule),
        Some(Confidence::Medium)
    );
    assert_eq!(said(&copy_that_echoes(false), rule), None);
}

/// A server that writes so much each round trip, and the more each time.
fn written(more: u32) -> Explanation {
    let response = (0..12)
        .map(|n| Write {
            after_us: if n == 0 { 0 } else { 51_000 },
            bytes: 14_480 + n * more,
        })
        .collect();
    let mut c = far(vec![Exchange {
        response,
        ..Exchange::new(300, 2_000, 0)
    }]);
    c.server_end().initial_window = 60;
    played(&[c], |_| {})
}

#[test]
fn bursts_that_grow_a_little_each_time_are_a_windows() {
    let rule = "tcp.sender.limited";
    assert_eq!(said(&written(0), rule), Some(Confidence::Medium));
    assert!(said(&written(1_448), rule) <= Some(Confidence::Low));
}

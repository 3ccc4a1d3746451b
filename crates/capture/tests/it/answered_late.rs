//! What an answer, a clock or the line shows of a wait: whether a copy was needed, a timer ran, or
//! an end had heard of the other.

use capture::{Confidence, Side};

use crate::changed::{said, texts};
use crate::talk::{ACK, SYN, Talk, heard, twelve};

const REQUEST: &[u8] = b"GET /a HTTP/1.1\r\nHost: b\r\n\r\n";
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A request of two segments whose first is sent again at growing distances, until both are
/// acknowledged; what the receiver says of the second when it comes, if it says it.
fn taken_at_last(with_the_second: bool, told: bool) -> Option<Confidence> {
    let mut talk = Talk::opened(40_000, 9_000, 0);
    for (segment, ..) in talk.packets.iter_mut().take(2) {
        segment.scale = Some(0);
    }
    talk.say(21_000, Side::Client, ACK, &[1; 1_380]);
    let first = talk.packets.last().expect("a request").clone();
    talk.say(21_100, Side::Client, ACK, &[2; 340]);
    let second = &talk.packets.last().expect("its end").0;
    let range = (second.seq, second.seq.wrapping_add(340));
    if told {
        talk.say(41_100, Side::Server, ACK, b"");
        let word = &mut talk.packets.last_mut().expect("a word").0;
        (word.ack, word.sack) = (first.0.seq, vec![range]);
    }
    for (nth, at_ms) in [400, 1_200, 2_800].into_iter().enumerate() {
        let mut copy = first.clone();
        copy.0.at_ns = at_ms * 1_000_000;
        copy.0.id += 50 + nth as u16;
        talk.packets.push(copy);
    }
    talk.say(2_820_000, Side::Server, ACK, b"");
    if !with_the_second {
        talk.packets.last_mut().expect("an answer").0.ack = range.0;
        talk.say(2_821_000, Side::Client, ACK, b"");
        let again = &mut talk.packets.last_mut().expect("the end").0;
        (again.seq, again.len) = (range.0, 340);
        talk.packets.last_mut().expect("the end").2 = vec![2; 340];
        talk.say(2_841_000, Side::Server, ACK, b"");
    }
    talk.say(2_860_000, Side::Server, ACK, &[3; 300]);
    talk.close(2_880_000);
    said(&heard(&[talk]), "tcp.rto")
}

#[test]
fn who_takes_later_bytes_without_a_word_had_no_hole() {
    assert_eq!(taken_at_last(false, false), Some(Confidence::High));
    assert_eq!(taken_at_last(true, true), Some(Confidence::High));
    assert_eq!(taken_at_last(true, false), Some(Confidence::Low));
}

/// A connection on a path of this round trip.
fn opened_over(port: u16, path_us: u64) -> Talk {
    let mut talk = Talk::new(40_000, port);
    talk.say(0, Side::Client, SYN, b"");
    talk.say(path_us, Side::Server, SYN | ACK, b"");
    talk.say(path_us + 50, Side::Client, ACK, b"");
    talk
}

#[test]
fn no_timer_runs_shorter_than_the_path() {
    let timers = |again_us: u64| {
        let mut talk = opened_over(9_000, 300_000);
        talk.say(301_000, Side::Client, ACK, &[1; 1_000]);
        let first = talk.packets.last().expect("a request").clone();
        for (nth, at_us) in [1_000_000, again_us].into_iter().enumerate() {
            let mut copy = first.clone();
            copy.0.at_ns = at_us * 1_000;
            copy.0.id += 50 + nth as u16;
            talk.packets.push(copy);
        }
        talk.say(again_us + 300_000, Side::Server, ACK, &[2; 300]);
        talk.close(again_us + 301_000);
        texts(&heard(&[talk]), "tcp.rto").len()
    };
    assert_eq!(timers(1_400_000), 2);
    assert_eq!(timers(1_200_000), 1);
}

#[test]
fn a_clock_that_begins_with_zero_is_echoed_as_zero() {
    let asked_again = |echo: u32| {
        let mut talk = Talk::new(40_000, 9_000);
        talk.say(0, Side::Client, SYN, b"");
        let mut again = talk.packets[0].clone();
        talk.packets[0].0.stamp = Some((0, 0));
        (again.0.at_ns, again.0.id, again.0.stamp) = (3_000_000_000, 90, Some((4, 0)));
        talk.packets.push(again);
        talk.say(3_020_000, Side::Server, SYN | ACK, b"");
        talk.packets[2].0.stamp = Some((700, echo));
        talk.say(3_020_050, Side::Client, ACK, b"");
        talk.say(3_021_000, Side::Client, ACK, REQUEST);
        talk.say(3_041_000, Side::Server, ACK, ANSWER);
        for (packet, _, _) in &mut talk.packets[3..] {
            packet.stamp = Some((704, 704));
        }
        talk.close(3_042_000);
        said(&heard(&[talk]), "tcp.syn.lost")
    };
    assert_eq!(asked_again(4), Some(Confidence::High));
    assert_eq!(asked_again(0), Some(Confidence::Low));
}

#[test]
fn who_closed_first_is_not_told_where_both_did() {
    let closed = |heard_of: bool| {
        let talks = twelve(80, |talk, at, _| {
            talk.say(at + 21_000, Side::Client, ACK, REQUEST);
            talk.say(at + 41_000, Side::Server, ACK, ANSWER);
            talk.close(at + 42_000);
            if !heard_of {
                let last = talk.packets.len() - 2;
                talk.packets[last].0.ack -= 1;
            }
        });
        texts(&heard(&talks), "tcp.connection-per-request")
    };
    let each = "12 of 12 connections to 10.0.0.2:80 carried one request each";
    assert_eq!(closed(true), [format!("{each}; the client closes them")]);
    assert_eq!(closed(false), [each]);
}

/// Rounds of five full segments and a shorter one over a line that takes 5 ms for each: every
/// second one is acknowledged at once, or the last pair when a timer of 40 ms has run; the client
/// goes on when all is acknowledged.
fn rounds(timer_us: u64) -> Option<Confidence> {
    let mut talk = opened_over(9_000, 120_000);
    for (segment, ..) in talk.packets.iter_mut().take(2) {
        segment.mss = 1_380;
    }
    talk.packets[2].0.at_ns += 700_000;
    let mut at = 122_000;
    for _ in 0..8 {
        for nth in 0..6 {
            let bytes = if nth == 5 { 1_292 } else { 1_380 };
            talk.say(at + nth * 20, Side::Client, ACK, &vec![1; bytes]);
        }
        let end = talk.packets.last().expect("data").0.clone();
        for pair in 0..3_u64 {
            let late = if pair == 2 { timer_us } else { 0 };
            talk.say(at + 130_000 + pair * 10_000 + late, Side::Server, ACK, b"");
            let word = &mut talk.packets.last_mut().expect("a word").0;
            word.ack = end.seq.wrapping_add(1_292) - (2 - pair as u32) * 2_760;
            if pair == 1 {
                word.ack = end.seq.wrapping_sub(1_380);
            }
        }
        at += 151_010 + timer_us;
    }
    talk.say(at, Side::Server, ACK, &[2; 300]);
    talk.close(at + 1_000);
    said(&heard(&[talk]), "tcp.ack.delayed")
}

#[test]
fn a_pair_on_a_slow_line_waited_for_no_timer() {
    assert_eq!(rounds(15_000), None);
}

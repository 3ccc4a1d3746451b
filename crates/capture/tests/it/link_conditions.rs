//! The conditions of the rules whose captures are no conversations of bytes: units of
//! SNA, and two ends that answer each other without end.

use std::net::SocketAddr;

use capture::synth::{
    Format, LinkWord, Place, Segment, SnaLink, SnaUnit, Writer, paced, sna_capture, stopped,
};
use capture::{Confidence, Side, explain};

use crate::changed::by_packets;

/// What a rule says of a capture at most.
fn said(rule: &str, file: &[u8]) -> Option<Confidence> {
    let explanation = explain(file, &by_packets()).expect("a made capture");
    let mine = explanation.findings.iter().filter(|f| f.rule == rule);
    mine.map(|f| f.confidence).max()
}

/// Asserts that the rule is sure of the whole script and silent on each of the others.
fn needs(rule: &str, link: SnaLink, whole: &[SnaUnit], lacking: &[(&str, Vec<SnaUnit>)]) {
    let of = |script: &[SnaUnit]| said(rule, &sna_capture(link, Place::Client, 200, script));
    assert_eq!(of(whole), Some(Confidence::High), "{rule}: the whole");
    for (what, script) in lacking {
        assert_eq!(of(script), None, "{rule}: {what}");
    }
}

fn without(script: &[SnaUnit], out: impl Fn(&SnaUnit) -> bool) -> Vec<SnaUnit> {
    script.iter().filter(|unit| !out(unit)).cloned().collect()
}

/// The script with its `nth` unit sent so much later.
fn later(script: &[SnaUnit], nth: usize, us: u64) -> Vec<SnaUnit> {
    let mut script = script.to_vec();
    script[nth].after_us += us;
    script
}

#[test]
fn a_wait_for_a_pacing_response() {
    let whole = paced(120_000);
    let unasked = (whole.iter().cloned()).map(|mut unit| {
        unit.header = match unit.header.is_isolated_pacing() {
            true => unit.header,
            false => unit.header.with_pacing(false),
        };
        unit
    });
    let mut sent_on = whole.clone();
    sent_on.insert(3, SnaUnit::data(Side::Client, 119_000, 1_000));
    sent_on[4].after_us = 500;
    needs(
        "sna.pacing",
        SnaLink::Dlsw,
        &whole,
        &[
            ("without the request", unasked.collect()),
            (
                "without the response",
                without(&whole, |unit| unit.header.is_isolated_pacing()),
            ),
            ("answered at once", paced(200)),
            (
                "and data long behind the response",
                later(&paced(200), 4, 120_000),
            ),
            ("while the sender sent on", sent_on),
        ],
    );
}

#[test]
fn a_wait_for_a_window_and_for_a_station() {
    let whole = stopped(150_000);
    let word = |wanted: LinkWord| without(&whole, move |unit| unit.word == Some(wanted));
    let mut of_another = whole.clone();
    for unit in of_another.iter_mut().filter(|unit| unit.word.is_some()) {
        // The end that has nothing to send is told to wait.
        unit.from = Side::Client;
    }
    for (rule, link, other) in [
        ("dlsw.window", SnaLink::Dlsw, SnaLink::Ethernet),
        ("llc.not-ready", SnaLink::Ethernet, SnaLink::Dlsw),
    ] {
        needs(
            rule,
            link,
            &whole,
            &[
                ("without the word that stops", word(LinkWord::Stop)),
                ("without the word to go on", word(LinkWord::Go)),
                ("that was over at once", stopped(200)),
                (
                    "and data long behind the word",
                    later(&stopped(200), 4, 150_000),
                ),
                ("that the other end was told", of_another.clone()),
            ],
        );
        let elsewhere = sna_capture(other, Place::Client, 200, &whole);
        assert_eq!(said(rule, &elsewhere), None, "{rule} on {other:?}");
    }
}

const SYN: u8 = 0x02;
const ACK: u8 = 0x10;
const PUSH_ACK: u8 = 0x18;

/// An opening, `data` packets of the client, and so many acknowledgements from each end, the
/// packets as far apart; `below` is taken off their numbers, as signs of life have it.
fn storm(each: u32, apart_us: u64, data: u32, below: u32) -> Vec<u8> {
    let ends = [
        SocketAddr::from(([10, 0, 0, 1], 40_000)),
        SocketAddr::from(([10, 0, 0, 2], 8080)),
    ];
    let mut writer = Writer::new(Vec::new(), Format::Pcap).expect("memory");
    let mut at_ns = 0;
    let mut write = |from: Side, seq: u32, ack: u32, flags: u8, payload: &[u8]| {
        let segment = Segment {
            at_ns,
            from,
            seq,
            ack,
            id: (at_ns / 1_000) as u16,
            hop_limit: 64,
            flags,
            window: 8192,
            len: payload.len() as u32,
            offset: 0,
            mss: if flags & SYN != 0 { 1460 } else { 0 },
            scale: None,
            sack: Vec::new(),
            stamp: None,
            multipath: None,
        };
        writer.segment(&segment, ends, payload).expect("memory");
        at_ns += apart_us * 1_000;
    };
    write(Side::Client, 100, 0, SYN, b"");
    write(Side::Server, 900, 101, SYN | ACK, b"");
    write(Side::Client, 101, 901, ACK, b"");
    let mut next = 101;
    for _ in 0..data {
        write(Side::Client, next, 901, PUSH_ACK, b"0123456789");
        next += 10;
    }
    write(Side::Server, 901, next, ACK, b"");
    for _ in 0..each {
        write(Side::Client, next - below, 901, ACK, b"");
        write(Side::Server, 901 - below, next, ACK, b"");
    }
    writer.finish().expect("memory")
}

#[test]
fn acknowledgements_without_end() {
    let sure = |file: Vec<u8>| said("tcp.ack.storm", &file);
    assert_eq!(sure(storm(120, 300, 4, 0)), Some(Confidence::High));
    for (what, file) in [
        ("forty from each end", storm(40, 300, 4, 0)),
        ("one in a second", storm(120, 1_000_000, 4, 0)),
        ("with as much data", storm(120, 300, 100, 0)),
        ("signs of life", storm(120, 300, 4, 1)),
    ] {
        assert_eq!(sure(file), None, "{what}");
    }
}

//! Every condition counts: with one of them missing, a claim is less sure or is
//! not made.

use crate::changed::by_packets;
use capture::synth::{
    Action, Close, Conversation, DelayedAck, Exchange, Fault, Format, Payload, Place, Reader,
    Select, Write, capture_file,
};
use capture::{Confidence, Side, explain};

/// What a rule says of the conversations at most.
fn said(rule: &str, conversations: &[Conversation]) -> Option<Confidence> {
    let file = capture_file(conversations, Format::Pcap);
    let explanation = explain(file.as_slice(), &by_packets()).expect("a made capture");
    let mine = explanation.findings.iter().filter(|f| f.rule == rule);
    mine.map(|f| f.confidence).max()
}

/// Asserts that the rule is as sure as told of `whole`, and less of each of the others.
fn lowers(
    rule: &str,
    sure: Confidence,
    whole: &[Conversation],
    lacking: &[(&str, Vec<Conversation>)],
) {
    let mut wrong = Vec::new();
    let found = said(rule, whole);
    if found != Some(sure) {
        wrong.push(format!("{rule}: {found:?} of the whole"));
    }
    for (what, conversations) in lacking {
        let found = said(rule, conversations);
        if found >= Some(sure) {
            wrong.push(format!("{rule}: {found:?} {what}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

pub fn talk(exchanges: Vec<Exchange>) -> Conversation {
    Conversation {
        exchanges,
        close: Close::Client,
        ..Conversation::default()
    }
}

pub fn far(one_way_us: u64, exchanges: Vec<Exchange>) -> Conversation {
    let mut c = talk(exchanges);
    c.path.one_way_us = one_way_us;
    c.path.capture = Place::Server;
    c
}

pub fn with(c: &Conversation, change: impl FnOnce(&mut Conversation)) -> Vec<Conversation> {
    let mut c = c.clone();
    change(&mut c);
    vec![c]
}

pub fn lose(from: Side, select: Select) -> Fault {
    Fault {
        from,
        select,
        action: Action::Lose,
    }
}

fn several(count: u16, c: &Conversation) -> Vec<Conversation> {
    (0..count)
        .map(|n| Conversation {
            client: std::net::SocketAddr::new(c.client.ip(), c.client.port() + n),
            start_us: u64::from(n) * 50_000,
            seed: u64::from(n) + 1,
            ..c.clone()
        })
        .collect()
}

/// Two segments, four, eight; a second of silence, and again.
fn restarted() -> Conversation {
    let mut exchanges = vec![Exchange::new(300, 2_000, 20_000); 3];
    exchanges.push(Exchange {
        client_think_us: 1_000_000,
        ..Exchange::new(300, 2_000, 20_000)
    });
    let mut c = far(25_000, exchanges);
    c.server_end().initial_window = 2;
    c.server_end().idle_restart = true;
    c
}

#[test]
fn a_window_that_began_again() {
    let whole = restarted();
    let pieces = |first: u32, wait_us: u64| {
        with(&whole, |c| {
            c.server_end().idle_restart = false;
            let later = |bytes| Write {
                after_us: wait_us,
                bytes,
            };
            c.exchanges[3].response = vec![Write::of(first), later(2 * first), later(4 * first)];
        })
    };
    lowers(
        "tcp.idle-restart",
        Confidence::Medium,
        std::slice::from_ref(&whole),
        &[
            (
                "without restart",
                with(&whole, |c| c.server_end().idle_restart = false),
            ),
            (
                "though it was idle for less long than a timer",
                with(&whole, |c| c.exchanges[3].client_think_us = 120_000),
            ),
            (
                "where the application's pieces are no full segments",
                pieces(2_000, 54_000),
            ),
            ("where the rounds are not the path's", pieces(2_896, 90_000)),
            (
                "where the first burst is no first window",
                with(&whole, |c| c.server_end().initial_window = 14),
            ),
            (
                "without the handshake",
                with(&whole, |c| c.without_handshake = true),
            ),
        ],
    );
}

#[test]
fn slow_start() {
    let mut whole = far(25_000, vec![Exchange::new(300, 2_000, 100_000)]);
    whole.server_end().initial_window = 2;
    lowers(
        "tcp.slow-start",
        Confidence::High,
        std::slice::from_ref(&whole),
        &[
            (
                "after one step",
                with(&whole, |c| {
                    c.exchanges[0] = Exchange::new(300, 2_000, 8_000)
                }),
            ),
            (
                "without the handshake",
                with(&whole, |c| c.without_handshake = true),
            ),
            (
                "where a short segment is all that follows",
                with(&whole, |c| {
                    c.exchanges[0] = Exchange::new(300, 2_000, 3_300)
                }),
            ),
            (
                "where the sender keeps to its buffer",
                with(&whole, |c| c.server_end().send_limit_bytes = Some(2_896)),
            ),
        ],
    );
}

#[test]
fn a_full_window() {
    let mut whole = far(20_000, vec![Exchange::new(300, 2_000, 150_000)]);
    whole.client_end().receive_bytes = 14_000;
    lowers(
        "tcp.window.full",
        Confidence::High,
        std::slice::from_ref(&whole),
        &[
            (
                "filled twice",
                with(&whole, |c| {
                    c.exchanges[0] = Exchange::new(300, 2_000, 30_000)
                }),
            ),
            (
                "without the unit of the window",
                with(&whole, |c| c.without_handshake = true),
            ),
            (
                "with room for more",
                with(&whole, |c| c.client_end().receive_bytes = 4 << 20),
            ),
        ],
    );
}

#[test]
fn a_closed_window() {
    let mut whole = talk(vec![Exchange::new(300, 2_000, 90_000)]);
    whole.client_end().receive_bytes = 20_000;
    whole.client_end().reader = Reader::Pausing {
        every_bytes: 20_000,
        pause_us: 300_000,
    };
    lowers(
        "tcp.window.zero",
        Confidence::High,
        std::slice::from_ref(&whole),
        &[
            (
                "where nothing waits behind it",
                with(&whole, |c| {
                    c.exchanges[0] = Exchange::new(300, 2_000, 15_000);
                }),
            ),
            (
                "with a window that stays open",
                with(&whole, |c| c.client_end().receive_bytes = 4 << 20),
            ),
        ],
    );
}

#[test]
fn a_timer_ran_out() {
    let mut whole = talk(vec![Exchange::new(10_000, 2_000, 500)]);
    whole.path.faults = vec![lose(Side::Client, Select::Data(5))];
    lowers(
        "tcp.rto",
        Confidence::High,
        std::slice::from_ref(&whole),
        &[
            (
                "where the receiver asked for nothing",
                with(&whole, |c| c.path.faults[0].select = Select::Data(6)),
            ),
            (
                "seen beside the receiver",
                with(&whole, |c| c.path.capture = Place::Server),
            ),
            (
                "where the acknowledgement was lost",
                with(&whole, |c| {
                    c.path.faults = vec![lose(Side::Server, Select::Ack(3))]
                }),
            ),
            (
                "to a receiver that cannot tell",
                with(&whole, |c| c.server_end().options = false),
            ),
            (
                "of a goodbye",
                with(&whole, |c| {
                    c.exchanges.push(Exchange {
                        response: Vec::new(),
                        ..Exchange::new(300, 0, 0)
                    });
                    c.path.faults = vec![lose(Side::Client, Select::DataRange(7, 9))];
                }),
            ),
        ],
    );
}

#[test]
fn a_loss_that_was_repaired_at_once() {
    let mut whole = far(20_000, vec![Exchange::new(300, 2_000, 43_000)]);
    whole.path.capture = Place::Client;
    whole.server_end().initial_window = 40;
    whole.path.faults = vec![lose(Side::Server, Select::Data(5))];
    lowers(
        "tcp.retransmit.fast",
        Confidence::High,
        std::slice::from_ref(&whole),
        &[
            (
                "where a segment was late, not lost",
                with(&whole, |c| {
                    c.path.faults[0].action = Action::DelayUs(3_000);
                }),
            ),
            (
                "with two segments behind the lost one",
                with(&whole, |c| c.path.faults[0].select = Select::Data(27)),
            ),
        ],
    );
}

#[test]
fn a_lost_opening() {
    let mut whole = talk(vec![Exchange::new(300, 2_000, 500); 2]);
    whole.path.faults = vec![lose(Side::Client, Select::Syn(0))];
    lowers(
        "tcp.syn.lost",
        Confidence::High,
        std::slice::from_ref(&whole),
        &[
            (
                "on a path longer than the timer",
                with(&whole, |c| {
                    c.path.faults.clear();
                    c.path.one_way_us = 700_000;
                }),
            ),
            (
                "on a path of more than half the timer",
                with(&whole, |c| c.path.one_way_us = 300_000),
            ),
            (
                "behind the loss",
                with(&whole, |c| c.path.capture = Place::Server),
            ),
        ],
    );
}

#[test]
fn large_packets_vanish() {
    let mut whole = talk(vec![Exchange::new(5_000, 2_000, 500)]);
    whole.path.faults = vec![lose(Side::Client, Select::LongerThan(1_200))];
    whole.client_end().fallback_mss = Some(536);
    lowers(
        "tcp.pmtu.black-hole",
        Confidence::High,
        std::slice::from_ref(&whole),
        &[
            (
                "once only",
                with(&whole, |c| {
                    c.path.faults = vec![lose(Side::Client, Select::Data(0))]
                }),
            ),
            (
                "as smaller ones do",
                with(&whole, |c| {
                    c.path.faults = vec![lose(Side::Client, Select::LongerThan(400))]
                }),
            ),
            (
                "though as large a one had arrived",
                with(&whole, |c| {
                    c.exchanges.insert(0, Exchange::new(5_000, 2_000, 500));
                    c.path.faults = vec![lose(Side::Client, Select::DataRange(4, 8))];
                }),
            ),
        ],
    );
}

#[test]
fn a_held_back_write() {
    let request = Exchange {
        request: vec![Write::of(200), Write::of(100)],
        ..Exchange::new(0, 2_000, 500)
    };
    let mut whole = talk(vec![request; 9]);
    whole.client_end().nagle = true;
    whole.client_end().rto_min_us = 400_000;
    whole.server_end().delayed_ack = DelayedAck::FixedUs(200_000);
    lowers(
        "tcp.nagle.write-write-read",
        Confidence::High,
        std::slice::from_ref(&whole),
        &[
            ("four times", with(&whole, |c| c.exchanges.truncate(4))),
            (
                "by the application itself",
                with(&whole, |c| {
                    c.client_end().nagle = false;
                    for exchange in &mut c.exchanges {
                        exchange.request[1].after_us = 200_000;
                    }
                }),
            ),
            (
                "without the handshake",
                with(&whole, |c| c.without_handshake = true),
            ),
        ],
    );
}

#[test]
fn an_acknowledgement_that_was_waited_for() {
    let mut whole = talk(vec![Exchange::new(300, 2_000, 20_000)]);
    whole.server_end().send_limit_bytes = Some(1_448);
    whole.server_end().rto_min_us = 400_000;
    whole.client_end().delayed_ack = DelayedAck::FixedUs(200_000);
    lowers(
        "tcp.ack.delayed",
        Confidence::High,
        std::slice::from_ref(&whole),
        &[
            (
                "twice",
                with(&whole, |c| {
                    c.exchanges[0] = Exchange::new(300, 2_000, 4_000)
                }),
            ),
            (
                "at once",
                with(&whole, |c| c.client_end().delayed_ack = DelayedAck::Off),
            ),
            (
                "without the handshake",
                with(&whole, |c| c.without_handshake = true),
            ),
        ],
    );
}

#[test]
fn a_connection_for_each_request() {
    let one = talk(vec![Exchange::new(300, 2_000, 500)]);
    lowers(
        "tcp.connection-per-request",
        Confidence::High,
        &several(12, &one),
        &[
            ("four times", several(4, &one)),
            (
                "with two requests each",
                several(
                    12,
                    &with(&one, |c| c.exchanges.push(c.exchanges[0].clone()))[0],
                ),
            ),
            (
                "the openings unseen",
                several(12, &with(&one, |c| c.without_handshake = true)[0]),
            ),
        ],
    );
}

#[test]
fn an_answer_that_was_cut_off() {
    let mut whole = talk(vec![Exchange::new(300, 5_000, 500); 2]);
    whole.close = Close::ResetByServer;
    lowers(
        "tcp.reset",
        Confidence::High,
        std::slice::from_ref(&whole),
        &[
            (
                "by an ordinary end",
                with(&whole, |c| c.close = Close::Server),
            ),
            (
                "by something on the path",
                with(&whole, |c| c.close = Close::ResetOnPath { hop_limit: 52 }),
            ),
            (
                "of bytes without a form",
                with(&whole, |c| c.payload = Payload::Opaque),
            ),
        ],
    );
}

#[test]
fn a_reset_with_another_hop_limit() {
    let mut whole = talk(vec![Exchange::new(300, 5_000, 500); 2]);
    whole.close = Close::ResetOnPath { hop_limit: 52 };
    let hop_limit = |hop_limit: u8| with(&whole, |c| c.close = Close::ResetOnPath { hop_limit });
    lowers_most(
        "tcp.reset.path",
        std::slice::from_ref(&whole),
        &[
            ("with the same", hop_limit(64)),
            ("with one less", hop_limit(63)),
            (
                "behind an answer",
                with(&whole, |c| c.close = Close::Server),
            ),
        ],
    );
}

#[test]
fn a_side_that_closed_before_the_answer() {
    let mut whole = talk(vec![Exchange::new(300, 5_000, 500)]);
    whole.close = Close::HalfByClient;
    lowers(
        "tcp.half-close",
        Confidence::High,
        std::slice::from_ref(&whole),
        &[("behind it", with(&whole, |c| c.close = Close::Client))],
    );
}

#[test]
fn many_small_writes() {
    let exchange = Exchange {
        response: vec![Write::of(50); 20],
        ..Exchange::new(300, 2_000, 0)
    };
    let whole = talk(vec![exchange; 2]);
    let slow = Write {
        after_us: 500_000,
        bytes: 50,
    };
    lowers(
        "app.tiny-writes",
        Confidence::High,
        std::slice::from_ref(&whole),
        &[
            (
                "of a protocol of bytes",
                with(&whole, |c| c.payload = Payload::Opaque),
            ),
            (
                "each as large as a segment",
                with(&whole, |c| {
                    for exchange in &mut c.exchanges {
                        exchange.response = vec![Write::of(1_448); 20];
                    }
                }),
            ),
            (
                "half a second apart",
                with(&whole, |c| {
                    for exchange in &mut c.exchanges {
                        exchange.response = vec![slow; 20];
                    }
                }),
            ),
        ],
    );
}

#[test]
fn packets_seen_twice() {
    let mut whole = talk(vec![Exchange::new(300, 2_000, 5_000); 2]);
    whole.path.captured_twice_us = Some(4);
    lowers(
        "capture.duplicates",
        Confidence::High,
        std::slice::from_ref(&whole),
        &[
            ("never", with(&whole, |c| c.path.captured_twice_us = None)),
            (
                "by fewer than ten",
                with(&whole, |c| {
                    c.path.captured_twice_us = None;
                    c.path.faults = vec![Fault {
                        from: Side::Server,
                        select: Select::Data(1),
                        action: Action::Duplicate,
                    }];
                }),
            ),
        ],
    );
}

#[test]
fn a_small_segment_size() {
    let mut whole = talk(vec![Exchange::new(1_400, 2_000, 2_500); 2]);
    whole.server_end().mss = 536;
    lowers(
        "tcp.mss.small",
        said("tcp.mss.small", &[whole.clone()]).expect("a word"),
        std::slice::from_ref(&whole),
        &[
            (
                "nobody announced",
                with(&whole, |c| c.without_handshake = true),
            ),
            (
                "for messages of one segment",
                with(&whole, |c| {
                    c.exchanges = vec![Exchange::new(300, 2_000, 400); 2]
                }),
            ),
        ],
    );
}

#[test]
fn ports_that_come_again() {
    let first = talk(vec![Exchange::new(300, 2_000, 500); 2]);
    let again = |start_us: u64| {
        let again = Conversation {
            start_us,
            seed: 99,
            ..first.clone()
        };
        vec![first.clone(), again]
    };
    lowers(
        "tcp.ports.exhausted",
        said("tcp.ports.exhausted", &again(1_000_000)).expect("a word"),
        &again(1_000_000),
        &[("an hour later", again(3_600_000_000))],
    );
}

#[test]
fn a_handshake_that_waited() {
    let mut whole = talk(vec![
        Exchange::new(512, 120_000, 400),
        Exchange::new(300, 2_000, 500),
        Exchange::new(300, 2_000, 500),
    ]);
    whole.payload = Payload::Tls { resumed: true };
    whole.server.set_port(443);
    lowers(
        "tls.handshake.wait",
        Confidence::Medium,
        std::slice::from_ref(&whole),
        &[
            (
                "for the path alone",
                with(&whole, |c| {
                    c.exchanges[0] = Exchange::new(512, 0, 400);
                    c.path.one_way_us = 60_000;
                }),
            ),
            (
                "without the opening",
                with(&whole, |c| c.without_handshake = true),
            ),
        ],
    );
}

/// As [`lowers`], where the rule is as sure of the whole as it ever is.
pub fn lowers_most(rule: &str, whole: &[Conversation], lacking: &[(&str, Vec<Conversation>)]) {
    let sure = said(rule, whole).expect("a word on the whole");
    assert!(sure >= Confidence::Medium, "{rule}: {sure:?}");
    lowers(rule, sure, whole, lacking);
}

#[test]
fn a_write_held_back_for_a_round_trip() {
    let request = Exchange {
        request: vec![Write::of(200), Write::of(100)],
        ..Exchange::new(0, 2_000, 500)
    };
    let mut whole = far(10_000, vec![request; 9]);
    whole.client_end().nagle = true;
    lowers_most(
        "tcp.nagle",
        std::slice::from_ref(&whole),
        &[
            ("twice", with(&whole, |c| c.exchanges.truncate(2))),
            (
                "without the algorithm",
                with(&whole, |c| c.client_end().nagle = false),
            ),
        ],
    );
}

#[test]
fn a_segment_that_was_overtaken() {
    let mut whole = far(5_000, vec![Exchange::new(300, 2_000, 13_000)]);
    whole.path.capture = Place::Client;
    whole.path.faults = vec![Fault {
        from: Side::Server,
        select: Select::Data(7),
        action: Action::DelayUs(2_500),
    }];
    lowers_most(
        "tcp.reordering",
        std::slice::from_ref(&whole),
        &[(
            "and lost",
            with(&whole, |c| c.path.faults[0].action = Action::Lose),
        )],
    );
}

#[test]
fn a_window_made_small_by_a_loss() {
    let mut whole = far(25_000, vec![Exchange::new(300, 2_000, 350_000)]);
    whole.server_end().initial_window = 40;
    whole.path.faults = vec![lose(Side::Server, Select::Data(5))];
    lowers_most(
        "tcp.congestion-window",
        std::slice::from_ref(&whole),
        &[("without the loss", with(&whole, |c| c.path.faults.clear()))],
    );
}

#[test]
fn a_sender_that_keeps_to_an_amount() {
    let mut whole = far(25_000, vec![Exchange::new(300, 2_000, 150_000)]);
    whole.server_end().send_limit_bytes = Some(14_480);
    lowers_most(
        "tcp.sender.limited",
        std::slice::from_ref(&whole),
        &[
            (
                "for one round",
                with(&whole, |c| {
                    c.exchanges[0] = Exchange::new(300, 2_000, 20_000)
                }),
            ),
            (
                "that grows",
                with(&whole, |c| c.server_end().send_limit_bytes = None),
            ),
        ],
    );
}

#[test]
fn handshakes_that_could_be_saved() {
    let secure = |requests: usize, resumed: bool| {
        let mut exchanges = vec![Exchange::new(512, 2_000, 3_000)];
        exchanges.extend(vec![Exchange::new(300, 2_000, 500); requests]);
        let mut c = talk(exchanges);
        c.payload = Payload::Tls { resumed };
        c.server.set_port(443);
        several(12, &c)
    };
    lowers_most(
        "tls.handshake-per-connection",
        &secure(1, true),
        &[("with five requests each", secure(5, true))],
    );
    lowers_most(
        "tls.no-resumption",
        &secure(5, false),
        &[("resumed", secure(5, true))],
    );
}

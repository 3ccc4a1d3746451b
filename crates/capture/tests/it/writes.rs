//! Messages of several writes, nothing wrong with the path: what an application
//! does in its own time must not be taken for the network's doing.

use std::collections::BTreeSet;

use capture::synth::{
    Close, Conversation, DelayedAck, Exchange, Format, Place, Rng, Write, capture_file,
};
use capture::{Options, explain};

/// Causes named, without the two that are nobody's fault.
fn named(conversation: &Conversation) -> BTreeSet<&'static str> {
    let file = capture_file(std::slice::from_ref(conversation), Format::Pcapng);
    let explanation = explain(file.as_slice(), &Options::default()).expect("a made capture");
    let causes = explanation.causes.iter().map(|c| c.rule);
    causes
        .filter(|c| !["server.think", "client.think"].contains(c))
        .collect()
}

/// A conversation in which nothing is wrong, its messages written in up to four
/// parts with pauses from none to 400 ms.
fn drawn(seed: u64) -> Conversation {
    let mut rng = Rng::new(seed);
    let mut below = move |n: u64| rng.below(n);
    let mut c = Conversation {
        seed,
        ..Conversation::default()
    };
    for _ in 0..1 + below(5) {
        let mut message = |most: u64| -> Vec<Write> {
            let pause = |n: u64, below: &mut dyn FnMut(u64) -> u64| match (n, below(4)) {
                (0, _) | (_, 0) => 0,
                (_, 1) => below(2_000),
                (_, 2) => below(60_000),
                _ => below(400_000),
            };
            (0..1 + below(4))
                .map(|n| Write {
                    after_us: pause(n, &mut below),
                    bytes: 1 + below(most) as u32,
                })
                .collect()
        };
        let (request, response) = (message(3_000), message(30_000));
        c.exchanges.push(Exchange {
            client_think_us: below(400_000),
            request,
            server_think_us: below(300_000),
            response,
        });
    }
    c.path.one_way_us = [20, 100, 200][below(3) as usize];
    c.path.capture = [Place::Client, Place::Middle, Place::Server][below(3) as usize];
    let offload_segments = [1, 4, 44][below(3) as usize];
    let mss = [1_400, 1_460, 8_960][below(3) as usize];
    let delayed_ack = [
        DelayedAck::Off,
        DelayedAck::FixedUs(40_000),
        DelayedAck::AdaptiveUs(40_000, 200_000),
    ][below(3) as usize];
    c.close = [Close::Open, Close::Client, Close::Server][below(3) as usize];
    c.without_handshake = below(2) == 0;
    for end in &mut c.ends {
        end.offload_segments = offload_segments;
        end.mss = mss;
        end.delayed_ack = delayed_ack;
        end.initial_window = 50;
        end.rto_min_us = 400_000;
    }
    c
}

#[test]
fn of_a_thousand_conversations_of_many_writes_few_are_given_a_cause() {
    // An application that writes just when an acknowledgement has come looks
    // like one that was set free by it: what is left are such moments.
    let wrong: Vec<_> = (0..1_000)
        .map(|seed| (seed, named(&drawn(seed))))
        .filter(|(_, causes)| !causes.is_empty())
        .collect();
    assert!(wrong.len() <= 15, "{}: {wrong:?}", wrong.len());
}

/// Requests in two writes over a path of 10 ms, seen without the handshake.
fn two_writes(place: Place) -> Conversation {
    let exchange = Exchange {
        request: vec![Write::of(200), Write::of(100)],
        ..Exchange::new(0, 2_000, 500)
    };
    let mut c = Conversation {
        exchanges: vec![exchange; 4],
        without_handshake: true,
        ..Conversation::default()
    };
    (c.path.one_way_us, c.path.capture) = (10_000, place);
    c
}

#[test]
fn without_the_handshake_a_timer_is_not_taken_for_a_path() {
    // All that is known of the path to the server is one answer of its timer;
    // the server writes on 3 ms after the client's timer.
    for place in [Place::Client, Place::Middle] {
        let later = Write {
            after_us: 43_000,
            bytes: 1_800,
        };
        let mut c = Conversation {
            exchanges: vec![Exchange {
                response: vec![Write::of(23_800), later, Write::of(12_000)],
                ..Exchange::new(1_800, 250_000, 0)
            }],
            without_handshake: true,
            ..Conversation::default()
        };
        (c.path.one_way_us, c.path.capture) = (20, place);
        for end in &mut c.ends {
            end.delayed_ack = DelayedAck::FixedUs(40_000);
            end.rto_min_us = 400_000;
            end.initial_window = 50;
        }
        assert_eq!(named(&c), BTreeSet::new(), "{place:?}");
    }
}

#[test]
fn without_the_handshake_a_long_path_is_still_known_by_its_round_trips() {
    for place in [Place::Client, Place::Middle, Place::Server] {
        let mut nagle = two_writes(place);
        nagle.client_end().nagle = true;
        assert_eq!(named(&nagle), BTreeSet::from(["tcp.nagle"]), "{place:?}");
        nagle.client_end().rto_min_us = 400_000;
        nagle.server_end().delayed_ack = DelayedAck::FixedUs(200_000);
        let both = BTreeSet::from(["tcp.nagle.write-write-read"]);
        assert_eq!(named(&nagle), both, "{place:?}");
    }
}

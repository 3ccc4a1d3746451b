//! Conditions of the rules on pauses of an end, and on copies that nobody needed.

use capture::Side;
use capture::synth::{Action, DelayedAck, Exchange, Fault, Place, Select, Write};

use crate::conditions::{far, lose, lowers_most, talk, with};

#[test]
fn a_server_that_paused_within_its_answer() {
    let pause = |us: u64, bytes: u32| Exchange {
        response: vec![
            Write::of(bytes),
            Write {
                after_us: us,
                bytes,
            },
        ],
        ..Exchange::new(300, 2_000, 0)
    };
    let whole = far(2_000, vec![pause(60_000, 700); 3]);
    lowers_most(
        "server.think",
        std::slice::from_ref(&whole),
        &[
            (
                "between request and answer",
                with(&whole, |c| {
                    c.exchanges = vec![Exchange::new(300, 60_000, 1_400); 3]
                }),
            ),
            (
                "for less than ten milliseconds",
                with(&whole, |c| c.exchanges = vec![pause(6_000, 700); 3]),
            ),
            (
                "without the opening",
                with(&whole, |c| c.without_handshake = true),
            ),
            (
                "between full segments within a round trip",
                with(&whole, |c| {
                    c.path.one_way_us = 20_000;
                    c.exchanges = vec![pause(15_000, 1_448); 3];
                }),
            ),
            (
                "for an acknowledgement",
                with(&whole, |c| {
                    c.exchanges = vec![pause(0, 700); 3];
                    c.server_end().nagle = true;
                    c.client_end().delayed_ack = DelayedAck::FixedUs(60_000);
                }),
            ),
            (
                "while a loss was repaired",
                with(&whole, |c| {
                    c.exchanges = vec![pause(60_000, 1_448 * 6)];
                    c.path.faults = vec![lose(Side::Server, Select::Data(2))];
                }),
            ),
        ],
    );
}

#[test]
fn a_client_that_paused_within_its_request() {
    let pause = |us: u64, bytes: u32| Exchange {
        request: vec![
            Write::of(bytes),
            Write {
                after_us: us,
                bytes,
            },
        ],
        ..Exchange::new(0, 2_000, 500)
    };
    let mut whole = talk(vec![pause(60_000, 700); 3]);
    whole.path.one_way_us = 2_000;
    lowers_most(
        "client.think",
        std::slice::from_ref(&whole),
        &[
            (
                "between exchanges",
                with(&whole, |c| {
                    let exchange = Exchange {
                        client_think_us: 60_000,
                        ..Exchange::new(700, 2_000, 500)
                    };
                    c.exchanges = vec![exchange; 3];
                }),
            ),
            (
                "for less than ten milliseconds",
                with(&whole, |c| c.exchanges = vec![pause(6_000, 700); 3]),
            ),
            (
                "without the opening",
                with(&whole, |c| c.without_handshake = true),
            ),
            (
                "between full segments within a round trip",
                with(&whole, |c| {
                    c.path.one_way_us = 20_000;
                    c.exchanges = vec![pause(15_000, 1_448); 3];
                }),
            ),
            (
                "for an acknowledgement",
                with(&whole, |c| {
                    c.exchanges = vec![pause(0, 700); 3];
                    c.client_end().nagle = true;
                    c.server_end().delayed_ack = DelayedAck::FixedUs(60_000);
                }),
            ),
            (
                "while a loss was repaired",
                with(&whole, |c| {
                    c.exchanges = vec![pause(60_000, 1_448 * 6)];
                    c.path.faults = vec![lose(Side::Client, Select::Data(2))];
                }),
            ),
        ],
    );
}

#[test]
fn a_copy_that_nobody_needed() {
    let late = |from: u32| {
        (from..from + 20).map(|nth| Fault {
            from: Side::Client,
            select: Select::Ack(nth),
            action: Action::DelayUs(350_000),
        })
    };
    let mut whole = talk(vec![Exchange::new(300, 2_000, 60_000)]);
    whole.path.one_way_us = 10_000;
    whole.path.capture = Place::Server;
    whole.path.faults = late(4).collect();
    lowers_most(
        "tcp.retransmit.spurious",
        std::slice::from_ref(&whole),
        &[
            (
                "without the receiver's word",
                with(&whole, |c| c.client_end().options = false),
            ),
            (
                "where acknowledgements came in time",
                with(&whole, |c| c.path.faults.clear()),
            ),
            (
                "where the copy was needed",
                with(&whole, |c| {
                    c.path.faults = vec![lose(Side::Server, Select::DataRange(8, 14))]
                }),
            ),
            (
                "behind the end of the message",
                with(&whole, |c| {
                    c.exchanges[0] = Exchange::new(300, 2_000, 1_000);
                    c.path.faults = late(1).collect();
                }),
            ),
            (
                "that the path delivered twice",
                with(&whole, |c| {
                    c.path.faults = vec![Fault {
                        from: Side::Server,
                        select: Select::Data(8),
                        action: Action::Duplicate,
                    }];
                }),
            ),
        ],
    );
}

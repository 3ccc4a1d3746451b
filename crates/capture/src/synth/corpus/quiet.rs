//! Conversations that look like a cause and are none: applications with a
//! clock of their own, servers that pause, people who think, long paths.

use super::{Damage, Kind, Made, Truth, between, ends, made, nagle, one_of, path, talk, writes};
use crate::Side;
use crate::synth::{DelayedAck, Exchange, Payload, Place, Rng, Write};

/// The kinds of this file.
pub(super) const KINDS: &[Kind] = &[
    ("quiet: two writes and a pause between", paced_writes),
    (
        "quiet: two writes and a pause, no Nagle",
        paced_without_nagle,
    ),
    ("quiet: keystrokes and their echo", keystrokes),
    ("quiet: screen updates every 100 ms", screen),
    ("quiet: measurements every 20 ms", synchrophasors),
    ("quiet: a report a minute", reports),
    ("quiet: a poll every 30 s", polls),
    ("quiet: a person who reads", reader),
    ("quiet: a server that pauses in its response", pauses),
    ("quiet: a round trip of half a second and more", satellite),
    ("quiet: a file server's second line", second_line),
    ("quiet: single writes of any size", single),
    ("quiet: short frames with padding", padding),
    ("quiet: heartbeats of both sides", heartbeats),
    ("quiet: a slow link", slow_link),
    ("quiet: a timer shorter than the receiver's", short_timer),
    (
        "quiet: a mirror of two ports, bursts between a packet and its twin",
        twins,
    ),
];

/// A client that takes nearly as long as the receiver's timer, or longer, between
/// the two halves of its request. What Nagle's algorithm adds is little.
fn paced_writes(rng: &mut Rng) -> Made {
    let sleep_us = between(rng, 30_000, 120_000);
    let exchanges = (0..between(rng, 4, 20)).map(|_| Exchange {
        client_think_us: between(rng, 0, 3_000),
        request: vec![
            Write::of(200),
            Write {
                after_us: sleep_us + between(rng, 50, 150),
                bytes: 100,
            },
        ],
        ..Exchange::new(0, between(rng, 500, 4_000), 500)
    });
    let mut c = talk(exchanges.collect());
    path(rng, &mut c, (50, 2_000));
    ends(rng, &mut c);
    let timer_us = (sleep_us / 4_000 * 4_000).min(40_000);
    let timers = [
        (DelayedAck::Off, 0),
        (DelayedAck::FixedUs(timer_us), 4_000),
        (DelayedAck::AdaptiveUs(timer_us, sleep_us), 4_000),
    ];
    (c.ends[1].delayed_ack, c.ends[1].ack_tick_us) = one_of(rng, &timers);
    nagle(&mut c, Side::Client, true);
    made(c, Truth::none())
}

fn paced_without_nagle(rng: &mut Rng) -> Made {
    let sleep_us = between(rng, 2_000, 250_000);
    let exchanges = (0..between(rng, 4, 20)).map(|_| Exchange {
        request: writes(rng, 2, (50, 400), (sleep_us, sleep_us + 120)),
        ..Exchange::new(0, between(rng, 500, 4_000), 500)
    });
    let mut c = talk(exchanges.collect());
    path(rng, &mut c, (50, 30_000));
    ends(rng, &mut c);
    made(c, Truth::none())
}

fn keystrokes(rng: &mut Rng) -> Made {
    let exchanges = (0..between(rng, 20, 60)).map(|_| Exchange {
        client_think_us: between(rng, 60_000, 400_000),
        ..Exchange::new(
            36,
            between(rng, 200, 3_000),
            36 + between(rng, 0, 80) as u32,
        )
    });
    let mut c = talk(exchanges.collect());
    c.payload = Payload::Opaque;
    c.server.set_port(22);
    path(rng, &mut c, (100, 60_000));
    ends(rng, &mut c);
    made(c, Truth::none())
}

/// One long answer: the screen as it changes.
fn screen(rng: &mut Rng) -> Made {
    let updates = between(rng, 20, 80);
    let c = pushes(rng, updates, (60, 1_300), (100_000, 100_400));
    made(c, Truth::none())
}

fn synchrophasors(rng: &mut Rng) -> Made {
    let frames = between(rng, 60, 200);
    let c = pushes(rng, frames, (60, 128), (20_000, 20_100));
    made(c, Truth::none())
}

fn reports(rng: &mut Rng) -> Made {
    let reports = between(rng, 9, 20);
    let c = pushes(rng, reports, (300, 320), (59_000_000, 61_000_000));
    made(c, Truth::none())
}

/// A server that writes on and on, each time it has something to say.
fn pushes(
    rng: &mut Rng,
    count: u64,
    bytes: (u64, u64),
    every_us: (u64, u64),
) -> crate::synth::Conversation {
    let mut c = talk(vec![Exchange {
        response: writes(rng, count, bytes, every_us),
        ..Exchange::new(80, 500, 0)
    }]);
    c.payload = Payload::Opaque;
    c.server.set_port(5000);
    path(rng, &mut c, (100, 20_000));
    ends(rng, &mut c);
    c
}

fn polls(rng: &mut Rng) -> Made {
    let exchanges = (0..between(rng, 4, 12)).map(|_| Exchange {
        client_think_us: between(rng, 29_900_000, 30_100_000),
        ..Exchange::new(90, between(rng, 200, 3_000), 120)
    });
    let mut c = talk(exchanges.collect());
    c.payload = one_of(rng, &[Payload::Opaque, Payload::Http, Payload::Framed]);
    path(rng, &mut c, (100, 40_000));
    ends(rng, &mut c);
    let on = rng.one_in(2);
    nagle(&mut c, Side::Client, on);
    made(c, Truth::none())
}

fn reader(rng: &mut Rng) -> Made {
    let exchanges = (0..between(rng, 3, 8)).map(|_| Exchange {
        client_think_us: between(rng, 300_000, 40_000_000),
        ..Exchange::new(
            between(rng, 80, 900) as u32,
            30_000,
            between(rng, 200, 9_000) as u32,
        )
    });
    let mut c = talk(exchanges.collect());
    path(rng, &mut c, (100, 40_000));
    ends(rng, &mut c);
    made(c, Truth::none())
}

/// The client's acknowledgement of the first piece comes within the pause.
fn pauses(rng: &mut Rng) -> Made {
    let pause_us = between(rng, 25_000, 400_000);
    let pieces = between(rng, 2, 4);
    let exchanges = (0..between(rng, 3, 10)).map(|_| Exchange {
        response: writes(rng, pieces, (200, 1_400), (pause_us, pause_us + 3_000)),
        ..Exchange::new(300, 2_000, 0)
    });
    let mut c = talk(exchanges.collect());
    path(rng, &mut c, (50, 15_000));
    ends(rng, &mut c);
    made(c, Truth::none())
}

fn satellite(rng: &mut Rng) -> Made {
    let exchanges = (0..between(rng, 3, 8)).map(|_| {
        Exchange::new(
            300,
            between(rng, 1_000, 20_000),
            between(rng, 200, 9_000) as u32,
        )
    });
    let mut c = talk(exchanges.collect());
    path(rng, &mut c, (250_000, 450_000));
    ends(rng, &mut c);
    for end in &mut c.ends {
        end.rto_min_us = 2_000_000;
    }
    made(c, Truth::none())
}

/// "150 opening", and "226 complete" when the other connection has carried the file.
fn second_line(rng: &mut Rng) -> Made {
    let exchanges = (0..between(rng, 2, 8)).map(|_| Exchange {
        client_think_us: between(rng, 1_000, 90_000),
        response: vec![
            Write::of(60),
            Write {
                after_us: between(rng, 20_000, 900_000),
                bytes: 40,
            },
        ],
        ..Exchange::new(25, 800, 0)
    });
    let mut c = talk(exchanges.collect());
    c.payload = Payload::Opaque;
    c.server.set_port(21);
    path(rng, &mut c, (100, 20_000));
    ends(rng, &mut c);
    c.server_end().delayed_ack = DelayedAck::Off;
    made(c, Truth::none())
}

fn single(rng: &mut Rng) -> Made {
    let exchanges = (0..between(rng, 2, 8)).map(|_| Exchange {
        client_think_us: between(rng, 0, 200_000),
        ..Exchange::new(
            between(rng, 20, 3_000) as u32,
            between(rng, 0, 200_000),
            between(rng, 20, 40_000) as u32,
        )
    });
    let mut c = talk(exchanges.collect());
    path(rng, &mut c, (20, 400));
    ends(rng, &mut c);
    for end in &mut c.ends {
        end.initial_window = 50;
        end.offload_segments = one_of(rng, &[1, 4, 44]);
    }
    c.without_handshake = rng.one_in(5);
    made(c, Truth::none())
}

fn padding(rng: &mut Rng) -> Made {
    let mut made = single(rng);
    for end in &mut made.conversations[0].ends {
        end.options = false;
        end.receive_bytes = 60_000;
        // Offloaded frames hold more than a window without scaling allows.
        end.offload_segments = 1;
    }
    made.damage = Damage::Padding;
    made
}

/// Small messages both ways, at their own time.
fn heartbeats(rng: &mut Rng) -> Made {
    let every_us = between(rng, 50_000, 5_000_000);
    let exchanges = (0..between(rng, 8, 30)).map(|_| Exchange {
        client_think_us: every_us + between(rng, 0, 2_000),
        request: writes(rng, 2, (20, 90), (every_us, every_us + 2_000)),
        ..Exchange::new(0, every_us, 30)
    });
    let mut c = talk(exchanges.collect());
    c.payload = Payload::Opaque;
    path(rng, &mut c, (100, 30_000));
    ends(rng, &mut c);
    made(c, Truth::none())
}

/// Segments that a link carries one after the other, some of them late: the
/// window is never used up, and no time between two of them is a round trip's.
fn slow_link(rng: &mut Rng) -> Made {
    let segments = between(rng, 12, 58) as u32;
    let mut c = talk(vec![Exchange::new(300, 2_000, 1_448 * segments); 2]);
    path(rng, &mut c, (10_000, 50_000));
    c.path.bytes_per_s = between(rng, 60_000, 500_000);
    c.path.jitter_us = between(rng, 0, 1_448_000_000 / c.path.bytes_per_s);
    ends(rng, &mut c);
    for end in &mut c.ends {
        end.initial_window = 60;
        end.rto_min_us = 3_000_000;
    }
    made(c, Truth::none())
}

/// The last segment of an answer is sent again while the client still delays its
/// acknowledgement: nothing was lost, and nobody waits for either.
fn short_timer(rng: &mut Rng) -> Made {
    let exchanges = (0..between(rng, 2, 8)).map(|_| Exchange {
        client_think_us: between(rng, 300_000, 2_000_000),
        ..Exchange::new(
            300,
            between(rng, 1_000, 9_000),
            between(rng, 40, 1_200) as u32,
        )
    });
    let mut c = talk(exchanges.collect());
    path(rng, &mut c, (2_000, 20_000));
    c.path.capture = Place::Client;
    c.client_end().delayed_ack = DelayedAck::FixedUs(200_000);
    c.server_end().rto_fixed_us = Some(between(rng, 90_000, 150_000));
    let options = rng.one_in(2);
    for end in &mut c.ends {
        end.options = options;
    }
    made(c, Truth::none())
}

/// Each packet is captured again behind others, as by a switch that mirrors two of
/// its ports: what comes again was not sent again.
fn twins(rng: &mut Rng) -> Made {
    let size = between(rng, 3_000, 30_000) as u32;
    let exchanges = (0..between(rng, 3, 10)).map(|_| Exchange {
        client_think_us: between(rng, 0, 80_000),
        ..Exchange::new(
            between(rng, 50, 4_000) as u32,
            between(rng, 500, 20_000),
            size,
        )
    });
    let mut c = talk(exchanges.collect());
    path(rng, &mut c, (50, 20_000));
    ends(rng, &mut c);
    c.path.captured_twice_us = Some(between(rng, 20, 80));
    made(c, Truth::of(&["capture.duplicates"], &["tcp.slow-start"]))
}

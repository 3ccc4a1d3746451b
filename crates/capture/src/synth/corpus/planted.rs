//! Conversations with a cause in them, each in many sizes.

use super::{Kind, Made, Truth, between, ends, made, nagle, one_of, path, talk, timer, writes};
use crate::Side;
use crate::synth::{
    Action, Close, Conversation, DelayedAck, Exchange, Fault, Payload, Place, Reader, Rng, Select,
    Write,
};

/// The kinds of this file.
pub(super) const KINDS: &[Kind] = &[
    ("write-write-read", write_write_read),
    ("Nagle over a round trip", nagle_round_trip),
    (
        "one segment under way and a delayed acknowledgement",
        one_under_way,
    ),
    ("a receiver that does not read", closed_window),
    ("a small receive window", full_window),
    ("slow start", slow_start),
    ("a small send buffer", send_buffer),
    ("a lost tail", lost_tail),
    ("a loss in the middle", lost_middle),
    ("random losses", losses),
    ("an outage of an interactive session", outage),
    ("a late segment", late),
    ("late acknowledgements", late_acknowledgements),
    ("a lost SYN", lost_syn),
    ("segments of 512 or 536 bytes", small_segments),
    ("a path that swallows large packets", black_hole),
    ("a message in small pieces", pieces),
    ("idle, then slow start", idle),
    ("a server that resets", reset_by_server),
    ("something on the path that resets", reset_on_path),
];

fn write_write_read(rng: &mut Rng) -> Made {
    let (first, second) = (between(rng, 60, 600) as u32, between(rng, 20, 700) as u32);
    let exchanges = (0..between(rng, 3, 20)).map(|_| Exchange {
        client_think_us: between(rng, 0, 20_000),
        request: vec![Write::of(first), Write::of(second)],
        ..Exchange::new(0, between(rng, 500, 20_000), 700)
    });
    let mut c = talk(exchanges.collect());
    path(rng, &mut c, (50, 15_000));
    ends(rng, &mut c);
    let timers = [
        (DelayedAck::FixedUs(40_000), 4_000),
        (DelayedAck::FixedUs(200_000), 0),
        (DelayedAck::FixedUs(100_000), 0),
    ];
    (c.ends[1].delayed_ack, c.ends[1].ack_tick_us) = one_of(rng, &timers);
    nagle(&mut c, Side::Client, true);
    // Without the handshake a timer may be a path; then it may be kept quiet.
    c.without_handshake = rng.one_in(6);
    let name = "tcp.nagle.write-write-read";
    let truth = match c.without_handshake {
        true => Truth::of(&[], &[name]),
        false => Truth::of(&[name], &["tcp.nagle"]),
    };
    made(c, truth)
}

fn nagle_round_trip(rng: &mut Rng) -> Made {
    let exchanges = (0..between(rng, 3, 15)).map(|_| Exchange {
        client_think_us: between(rng, 0, 20_000),
        request: vec![Write::of(200), Write::of(100)],
        ..Exchange::new(0, between(rng, 500, 20_000), 700)
    });
    let mut c = talk(exchanges.collect());
    path(rng, &mut c, (4_000, 60_000));
    nagle(&mut c, Side::Client, true);
    made(c, Truth::of(&["tcp.nagle"], &[]))
}

fn one_under_way(rng: &mut Rng) -> Made {
    let mut c = talk(vec![Exchange::new(
        300,
        2_000,
        1_448 * between(rng, 4, 14) as u32,
    )]);
    path(rng, &mut c, (50, 5_000));
    c.server_end().send_limit_bytes = Some(1_448);
    c.server_end().rto_min_us = 400_000;
    let us = one_of(rng, &[40_000, 200_000]);
    c.client_end().delayed_ack = DelayedAck::FixedUs(us);
    made(c, Truth::of(&["tcp.ack.delayed"], &[]))
}

fn closed_window(rng: &mut Rng) -> Made {
    let window = between(rng, 8_000, 60_000) as u32;
    let mut c = talk(vec![Exchange::new(300, 2_000, window * 4)]);
    path(rng, &mut c, (50, 8_000));
    c.client_end().receive_bytes = window;
    c.client_end().reader = Reader::Pausing {
        every_bytes: window,
        pause_us: between(rng, 60_000, 900_000),
    };
    c.without_handshake = rng.one_in(4);
    made(
        c,
        Truth::of(&["tcp.window.zero"], &["tcp.window.full", "tcp.slow-start"]),
    )
}

fn full_window(rng: &mut Rng) -> Made {
    let window = between(rng, 5_000, 30_000) as u32;
    let mut c = talk(vec![Exchange::new(300, 2_000, window * 8)]);
    path(rng, &mut c, (8_000, 40_000));
    c.client_end().receive_bytes = window;
    c.server_end().initial_window = 40;
    c.client_end().options = rng.one_in(2);
    made(c, Truth::of(&["tcp.window.full"], &["tcp.slow-start"]))
}

fn slow_start(rng: &mut Rng) -> Made {
    let mut c = talk(vec![Exchange::new(
        300,
        2_000,
        between(rng, 60_000, 300_000) as u32,
    )]);
    path(rng, &mut c, (8_000, 80_000));
    c.server_end().initial_window = one_of(rng, &[2, 4, 10]);
    c.server_end().rto_min_us = 400_000;
    if rng.one_in(2) {
        timer(rng, c.client_end());
    }
    let delayed = ["tcp.ack.delayed"];
    made(c, Truth::of(&["tcp.slow-start"], &delayed))
}

fn send_buffer(rng: &mut Rng) -> Made {
    let segments = between(rng, 4, 12) as u32;
    let mut c = talk(vec![Exchange::new(300, 2_000, 1_448 * segments * 10)]);
    path(rng, &mut c, (8_000, 60_000));
    c.server_end().send_limit_bytes = Some(1_448 * segments);
    c.server_end().initial_window = 20;
    made(c, Truth::of(&["tcp.sender.limited"], &["tcp.slow-start"]))
}

fn lose(from: Side, select: Select) -> Fault {
    Fault {
        from,
        select,
        action: Action::Lose,
    }
}

fn lost_tail(rng: &mut Rng) -> Made {
    let segments = between(rng, 2, 7) as u32;
    let mut c = talk(vec![Exchange::new(1_448 * segments, 2_000, 500); 2]);
    path(rng, &mut c, (100, 30_000));
    c.path.faults = vec![lose(Side::Client, Select::Data(segments - 1))];
    c.client_end().initial_window = 10;
    let follows = ["tcp.congestion-window", "tcp.slow-start"];
    let truth = match c.path.capture {
        Place::Server => Truth::of(&[], &["tcp.rto", follows[0], follows[1]]),
        _ => Truth::of(&["tcp.rto"], &follows),
    };
    made(c, truth)
}

fn lost_middle(rng: &mut Rng) -> Made {
    let mut c = talk(vec![Exchange::new(300, 2_000, 1_448 * 30)]);
    path(rng, &mut c, (5_000, 40_000));
    c.server_end().initial_window = 40;
    c.path.faults = vec![lose(Side::Server, Select::Data(between(rng, 2, 25) as u32))];
    made(
        c,
        Truth::of(&["tcp.retransmit.fast"], &["tcp.congestion-window"]),
    )
}

fn losses(rng: &mut Rng) -> Made {
    let mut c = talk(vec![Exchange::new(300, 2_000, 500_000); 2]);
    path(rng, &mut c, (2_000, 30_000));
    c.path.loss_one_in = between(rng, 30, 150);
    let all = [
        "tcp.retransmit.fast",
        "tcp.rto",
        "tcp.retransmit.spurious",
        "tcp.congestion-window",
        "tcp.slow-start",
        "tcp.reordering",
    ];
    made(c, Truth::of(&[], &all))
}

/// Keystrokes without Nagle's algorithm; then nothing arrives for a while.
fn outage(rng: &mut Rng) -> Made {
    let exchanges = (0..30).map(|_| Exchange {
        client_think_us: between(rng, 5_000, 60_000),
        request: writes(rng, 3, (30, 90), (5_000, 40_000)),
        ..Exchange::new(0, 1_000, 60)
    });
    let mut c = talk(exchanges.collect());
    c.payload = Payload::Opaque;
    path(rng, &mut c, (500, 20_000));
    ends(rng, &mut c);
    let from = between(rng, 12, 30) as u32;
    let lost = Select::DataRange(from, from + between(rng, 2, 8) as u32);
    c.path.faults = vec![lose(Side::Client, lost)];
    let allowed = [
        "tcp.rto",
        "tcp.retransmit.fast",
        "tcp.retransmit.spurious",
        "tcp.congestion-window",
    ];
    made(c, Truth::of(&[], &allowed))
}

fn late(rng: &mut Rng) -> Made {
    let mut c = talk(vec![Exchange::new(300, 2_000, 1_448 * 9)]);
    path(rng, &mut c, (5_000, 20_000));
    c.path.jitter_us = 0;
    c.path.capture = Place::Client;
    c.path.faults = vec![Fault {
        from: Side::Server,
        select: Select::Data(7),
        action: Action::DelayUs(between(rng, 1_200, 2_800)),
    }];
    made(c, Truth::of(&["tcp.reordering"], &["tcp.slow-start"]))
}

fn lost_syn(rng: &mut Rng) -> Made {
    let mut c = talk(vec![Exchange::new(300, 2_000, 500); 2]);
    path(rng, &mut c, (50, 30_000));
    c.path.capture = one_of(rng, &[Place::Client, Place::Middle]);
    c.path.faults = vec![lose(Side::Client, Select::Syn(0))];
    made(c, Truth::of(&["tcp.syn.lost"], &[]))
}

fn small_segments(rng: &mut Rng) -> Made {
    let mut c = talk(vec![
        Exchange::new(
            1_400,
            2_000,
            between(rng, 1_500, 20_000) as u32
        );
        2
    ]);
    path(rng, &mut c, (50, 20_000));
    c.server_end().mss = one_of(rng, &[512, 536]);
    c.server_end().options = rng.one_in(2);
    let truth = Truth::of(&["tcp.mss.small"], &["tcp.slow-start"]);
    made(c, truth)
}

fn black_hole(rng: &mut Rng) -> Made {
    let mut c = talk(vec![Exchange::new(
        between(rng, 3_000, 9_000) as u32,
        2_000,
        500,
    )]);
    path(rng, &mut c, (50, 10_000));
    c.path.capture = Place::Client;
    c.path.faults = vec![lose(Side::Client, Select::LongerThan(1_200))];
    c.client_end().fallback_mss = Some(536);
    made(
        c,
        Truth::of(
            &["tcp.pmtu.black-hole"],
            &["tcp.rto", "tcp.congestion-window"],
        ),
    )
}

fn pieces(rng: &mut Rng) -> Made {
    let count = between(rng, 12, 40);
    let exchange = Exchange {
        response: writes(rng, count, (30, 120), (0, 400)),
        ..Exchange::new(300, 2_000, 0)
    };
    let mut c = talk(vec![exchange; 2]);
    path(rng, &mut c, (50, 5_000));
    made(c, Truth::of(&["app.tiny-writes"], &[]))
}

fn idle(rng: &mut Rng) -> Made {
    let sizes = [14_000, 20_000, 27_000];
    let mut exchanges: Vec<Exchange> = sizes.map(|n| Exchange::new(300, 2_000, n)).into();
    exchanges.push(Exchange {
        client_think_us: between(rng, 900_000, 5_000_000),
        ..Exchange::new(300, 2_000, 27_000)
    });
    let mut c: Conversation = talk(exchanges);
    path(rng, &mut c, (10_000, 40_000));
    c.server_end().idle_restart = true;
    made(c, Truth::of(&["tcp.idle-restart"], &["tcp.slow-start"]))
}

fn reset(rng: &mut Rng, close: Close) -> Conversation {
    let exchanges = (0..between(rng, 2, 6)).map(|_| {
        let request = between(rng, 100, 2_000) as u32;
        Exchange::new(request, between(rng, 1_000, 60_000), 500)
    });
    let mut c = talk(exchanges.collect());
    path(rng, &mut c, (50, 30_000));
    c.close = close;
    c
}

fn reset_by_server(rng: &mut Rng) -> Made {
    made(
        reset(rng, Close::ResetByServer),
        Truth::of(&["tcp.reset"], &[]),
    )
}

/// A firewall some routers nearer or farther than the server, or one that writes
/// packets with a limit of its own.
fn reset_on_path(rng: &mut Rng) -> Made {
    let hop_limit = one_of(rng, &[40, 52, 58, 61, 62, 66, 70, 118, 128, 243, 255]);
    made(
        reset(rng, Close::ResetOnPath { hop_limit }),
        Truth::of(&["tcp.reset.path"], &[]),
    )
}

/// Acknowledgements are held up for longer than the sender's timer while it has
/// more to send; the receiver tells of the copies.
fn late_acknowledgements(rng: &mut Rng) -> Made {
    let mut c = talk(vec![Exchange::new(300, 2_000, 60_000)]);
    path(rng, &mut c, (5_000, 20_000));
    c.path.jitter_us = 0;
    c.path.capture = one_of(rng, &[Place::Server, Place::Middle]);
    c.server_end().rto_min_us = 200_000;
    let by_us = between(rng, 300_000, 420_000);
    let from = between(rng, 3, 6) as u32;
    let late = (from..from + 20).map(|nth| Fault {
        from: Side::Client,
        select: Select::Ack(nth),
        action: Action::DelayUs(by_us),
    });
    c.path.faults = late.collect();
    let brings = ["tcp.slow-start", "tcp.congestion-window"];
    made(c, Truth::of(&["tcp.retransmit.spurious"], &brings))
}

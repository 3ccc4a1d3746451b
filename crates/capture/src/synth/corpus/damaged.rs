//! Captures that miss packets: no verdict can be given across what nobody has.

use super::{Damage, Kind, Made, Truth, between, ends, made, nagle, path, talk, writes};
use crate::Side;
use crate::synth::{DelayedAck, Exchange, Place, Rng};

/// The kinds of this file.
pub(super) const KINDS: &[Kind] = &[
    ("damaged: packets dropped while recording", drops),
    ("damaged: the middle is missing", stitched),
    ("damaged: no acknowledgements by themselves", no_acks),
    ("damaged: no handshake, so no window scale", midway),
    ("damaged: one direction, with losses", one_way),
    (
        "damaged: no acknowledgements, requests sent again",
        no_acks_again,
    ),
    ("damaged: packets played into the file again", replayed),
    ("damaged: the path delivers packets twice", twice),
];

/// Single writes and answers of some segments over any path.
fn plain(rng: &mut Rng, damage: Damage) -> Made {
    let exchanges = (0..between(rng, 5, 20)).map(|_| Exchange {
        client_think_us: between(rng, 0, 80_000),
        ..Exchange::new(
            between(rng, 50, 2_000) as u32,
            between(rng, 500, 60_000),
            between(rng, 50, 14_000) as u32,
        )
    });
    let mut c = talk(exchanges.collect());
    path(rng, &mut c, (50, 30_000));
    ends(rng, &mut c);
    Made {
        damage,
        ..made(c, Truth::none())
    }
}

fn drops(rng: &mut Rng) -> Made {
    let one_in = between(rng, 5, 40);
    plain(rng, Damage::Drops(one_in))
}

fn stitched(rng: &mut Rng) -> Made {
    plain(rng, Damage::Middle)
}

/// Nagle's algorithm is there; without the acknowledgements nobody can know.
fn no_acks(rng: &mut Rng) -> Made {
    let exchanges = (0..between(rng, 5, 15)).map(|_| Exchange {
        request: writes(rng, 2, (60, 300), (0, 100_000)),
        ..Exchange::new(0, between(rng, 500, 20_000), 700)
    });
    let mut c = talk(exchanges.collect());
    path(rng, &mut c, (50, 10_000));
    ends(rng, &mut c);
    nagle(&mut c, Side::Client, true);
    c.server_end().delayed_ack = DelayedAck::FixedUs(200_000);
    Made {
        damage: Damage::NoAcks,
        ..made(c, Truth::none())
    }
}

/// A client whose timer is shorter than the receiver's: its requests are sent again, and
/// whether the first ones were acknowledged nobody recorded.
fn no_acks_again(rng: &mut Rng) -> Made {
    let exchanges = (0..between(rng, 12, 20)).map(|_| Exchange {
        client_think_us: between(rng, 0, 50_000),
        ..Exchange::new(between(rng, 50, 900) as u32, 600_000, 700)
    });
    let mut c = talk(exchanges.collect());
    path(rng, &mut c, (50, 10_000));
    ends(rng, &mut c);
    c.client_end().rto_fixed_us = Some(between(rng, 90_000, 150_000));
    c.server_end().delayed_ack = DelayedAck::FixedUs(200_000);
    Made {
        damage: Damage::NoAcks,
        ..made(c, Truth::none())
    }
}

/// The opening and some of what follows stand in the file twice, the second time
/// seconds later.
fn replayed(rng: &mut Rng) -> Made {
    let packets = between(rng, 1, 30) as usize;
    plain(rng, Damage::Replayed(packets))
}

/// A link layer that sends again what had arrived.
fn twice(rng: &mut Rng) -> Made {
    let one_in = between(rng, 2, 10);
    Made {
        // Within a few milliseconds it looks as if it had been captured twice.
        truth: Truth::of(&[], &["capture.duplicates"]),
        ..plain(rng, Damage::Twice(one_in))
    }
}

fn midway(rng: &mut Rng) -> Made {
    let mut c = talk(vec![Exchange::new(
        300,
        2_000,
        between(rng, 100_000, 400_000) as u32,
    )]);
    path(rng, &mut c, (5_000, 40_000));
    c.client_end().receive_bytes = between(rng, 400_000, 900_000) as u32;
    c.server_end().initial_window = 10;
    c.without_handshake = true;
    made(c, Truth::of(&[], &["tcp.slow-start", "tcp.sender.limited"]))
}

/// What was sent again is there; whether the first copy arrived is not.
fn one_way(rng: &mut Rng) -> Made {
    let mut c = talk(vec![Exchange::new(300, 2_000, 200_000); 2]);
    path(rng, &mut c, (2_000, 30_000));
    c.path.capture = Place::Server;
    c.path.loss_one_in = between(rng, 20, 80);
    Made {
        damage: Damage::OneWay,
        ..made(c, Truth::none())
    }
}

//! Generated conversations of every kind that a rule must name or must not
//! name, each with the truth that its generator wrote.
//!
//! [`cases`] draws the parameters (place of capture, round trip, jitter, timers,
//! sizes, offload, counts) from a seed. `quiet` has what looks like a cause and
//! is none, `planted` has what is one, and `damaged` has captures that miss
//! packets. [`judge`](crate::judge) compares them with what the rules say.
//! Adding a kind means adding a function and its row in a table.

mod damaged;
mod planted;
mod quiet;

use super::conversation::simulate;
use super::model::{Close, Conversation, DelayedAck, End, Exchange, Place, Write};
use super::rng::Rng;
use super::writer::{Format, Writer};
use super::{PLANTED, View, frame};
use crate::Side;

/// One capture and what is true of it.
#[derive(Debug, Clone)]
pub struct Case {
    /// What was made, and the number of the round.
    pub name: String,
    /// The capture file.
    pub capture: Vec<u8>,
    /// What is true.
    pub truth: Truth,
}

/// What a generator planted.
#[derive(Debug, Clone, Default)]
pub struct Truth {
    /// Causes that are there and can be seen from the place of capture.
    pub planted: Vec<&'static str>,
    /// Causes that follow from those, or that only a better place shows: right
    /// when named, and not missed when not.
    pub allowed: Vec<&'static str>,
}

/// What a kind's function gives: conversations, what happens to their capture,
/// and the truth.
struct Made {
    conversations: Vec<Conversation>,
    damage: Damage,
    truth: Truth,
}

/// What a capture misses, or holds too much of.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Damage {
    None,
    /// One packet in so many was not recorded.
    Drops(u64),
    /// The middle third was not recorded.
    Middle,
    /// Acknowledgements by themselves were filtered out.
    NoAcks,
    /// Only what the server sent was recorded.
    OneWay,
    /// So many of the first packets were played into the file again 5 s later.
    Replayed(usize),
    /// The path delivered one packet with data in so many twice.
    Twice(u64),
    /// Short frames were filled with zeros that the IP length counts.
    Padding,
}

/// One kind: its name and its function.
type Kind = (&'static str, fn(&mut Rng) -> Made);

/// `rounds` captures of every kind, and all planted captures from every place;
/// the same for the same seed.
pub fn cases(seed: u64, rounds: u32) -> Vec<Case> {
    let kinds = [quiet::KINDS, planted::KINDS, damaged::KINDS].concat();
    let mut all = fixtures();
    for (nth, (name, make)) in kinds.iter().enumerate() {
        for round in 0..rounds {
            let mut rng = Rng::new(seed.wrapping_mul(1_000_003) + nth as u64 * 7_919);
            let mut rng = Rng::new(rng.next_u64() ^ u64::from(round) << 32);
            let made = make(&mut rng);
            all.push(Case {
                name: format!("{name} #{round}"),
                capture: file(&made, &mut rng),
                truth: made.truth,
            });
        }
    }
    all
}

/// The rules' own captures, from both ends.
fn fixtures() -> Vec<Case> {
    let places = [Place::Client, Place::Server];
    let all = PLANTED
        .iter()
        .flat_map(|one| places.map(|place| (one, place)));
    all.map(|(one, place)| {
        let view = View {
            place: Some(place),
            offload_segments: None,
        };
        let lost = [
            "tcp.rto",
            "tcp.syn.lost",
            "tcp.reordering",
            "tcp.pmtu.black-hole",
            "tcp.retransmit.spurious",
        ];
        let hidden = place == Place::Server && lost.contains(&one.cause);
        let mut allowed = one.brings.to_vec();
        allowed.extend(
            ["tcp.rto"]
                .iter()
                .filter(|_| one.cause == "tcp.pmtu.black-hole"),
        );
        let planted = if hidden {
            &mut allowed
        } else {
            &mut Vec::new()
        };
        planted.push(one.cause);
        let planted = if hidden { Vec::new() } else { planted.clone() };
        Case {
            name: format!("{} at {place:?}", one.cause),
            capture: one.seen(&view),
            truth: Truth { planted, allowed },
        }
    })
    .collect()
}

/// Writes the capture of the conversations, damage done.
fn file(made: &Made, rng: &mut Rng) -> Vec<u8> {
    let mut all = Vec::new();
    for (nth, conversation) in made.conversations.iter().enumerate() {
        let (segments, streams) = simulate(conversation);
        let own = segments.into_iter().map(|segment| {
            let stream = &streams[segment.from.index()];
            let from = segment.offset as usize;
            let payload = stream[from..from + segment.len as usize].to_vec();
            (segment.at_ns, nth, segment, payload)
        });
        all.extend(own);
    }
    all.sort_by_key(|(at_ns, nth, ..)| (*at_ns, *nth));
    match made.damage {
        Damage::Replayed(packets) => {
            let mut again = all[..packets.min(all.len())].to_vec();
            for (at_ns, _, segment, _) in &mut again {
                *at_ns += REPLAY_NS;
                segment.at_ns = *at_ns;
            }
            all.extend(again);
        }
        Damage::Twice(one_in) => {
            let mut again = all.clone();
            again.retain(|(_, _, segment, _)| segment.len > 0 && rng.one_in(one_in));
            for (at_ns, _, segment, _) in &mut again {
                *at_ns += between(rng, 1_000_000, 40_000_000);
                segment.at_ns = *at_ns;
            }
            all.extend(again);
        }
        _ => {}
    }
    all.sort_by_key(|(at_ns, nth, ..)| (*at_ns, *nth));
    let third = all.len() / 3;
    let mut at = 0;
    all.retain(|(_, _, segment, _)| {
        at += 1;
        let pure = segment.len == 0 && segment.flags == frame::ACK;
        match made.damage {
            Damage::Drops(one_in) => !rng.one_in(one_in),
            Damage::Middle => at <= third || at > 2 * third,
            Damage::NoAcks => !pure || at <= 3,
            Damage::OneWay => segment.from == Side::Server,
            Damage::None | Damage::Padding | Damage::Replayed(_) | Damage::Twice(_) => true,
        }
    });
    let write = || -> std::io::Result<Vec<u8>> {
        let mut writer = Writer::new(Vec::new(), Format::Pcapng)?;
        for (_, nth, segment, payload) in &all {
            let ends = [
                made.conversations[*nth].client,
                made.conversations[*nth].server,
            ];
            let padded = made.damage == Damage::Padding && segment.flags == frame::ACK;
            match padded && payload.is_empty() {
                true => writer.segment(segment, ends, &[0; 6])?,
                false => writer.segment(segment, ends, payload)?,
            }
        }
        writer.finish()
    };
    write().expect("writing to memory does not fail")
}

/// How much later a replayed packet stands in the file.
const REPLAY_NS: u64 = 5_000_000_000;

impl Truth {
    fn none() -> Truth {
        Truth::default()
    }

    fn of(planted: &[&'static str], allowed: &[&'static str]) -> Truth {
        Truth {
            planted: planted.to_vec(),
            allowed: allowed.to_vec(),
        }
    }
}

fn made(conversation: Conversation, truth: Truth) -> Made {
    Made {
        conversations: vec![conversation],
        damage: Damage::None,
        truth,
    }
}

/// A number between two others, both included.
fn between(rng: &mut Rng, low: u64, high: u64) -> u64 {
    low + rng.below(high - low + 1)
}

fn one_of<T: Copy>(rng: &mut Rng, all: &[T]) -> T {
    all[rng.below(all.len() as u64) as usize]
}

/// A path that is drawn: near or far, with a jitter of a twentieth, captured
/// anywhere.
fn path(rng: &mut Rng, conversation: &mut Conversation, one_way_us: (u64, u64)) {
    let path = &mut conversation.path;
    path.one_way_us = between(rng, one_way_us.0, one_way_us.1);
    path.jitter_us = path.one_way_us / 20;
    path.capture = one_of(rng, &[Place::Client, Place::Middle, Place::Server]);
    conversation.seed = rng.next_u64();
}

/// The acknowledgement timers in use: Linux's with its tick, others'.
fn timer(rng: &mut Rng, end: &mut End) {
    (end.delayed_ack, end.ack_tick_us) = match rng.below(5) {
        0 => (DelayedAck::Off, 0),
        1 => (DelayedAck::FixedUs(40_000), 4_000),
        2 => (DelayedAck::AdaptiveUs(40_000, 200_000), 4_000),
        3 => (DelayedAck::FixedUs(200_000), 0),
        _ => (DelayedAck::FixedUs(100_000), 50_000),
    };
}

/// Both ends with timers of their own, and a retransmission timer beyond them.
fn ends(rng: &mut Rng, conversation: &mut Conversation) {
    for end in &mut conversation.ends {
        timer(rng, end);
        end.rto_min_us = 400_000;
        end.initial_window = 10;
    }
}

fn talk(exchanges: Vec<Exchange>) -> Conversation {
    Conversation {
        exchanges,
        close: Close::Client,
        ..Conversation::default()
    }
}

/// `count` writes of the same size, each a drawn time behind the one before.
fn writes(rng: &mut Rng, count: u64, bytes: (u64, u64), after_us: (u64, u64)) -> Vec<Write> {
    (0..count)
        .map(|_| Write {
            after_us: between(rng, after_us.0, after_us.1),
            bytes: between(rng, bytes.0, bytes.1) as u32,
        })
        .collect()
}

/// An end whose application writes without Nagle's algorithm, or with it.
fn nagle(conversation: &mut Conversation, side: Side, on: bool) {
    conversation.ends[side.index()].nagle = on;
}

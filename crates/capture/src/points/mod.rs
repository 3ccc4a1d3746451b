//! Several captures of one conversation, joined: one file a capture point.
//!
//! The points are put in their order from the client to the server, the
//! packets of neighbours are paired, and the pairs show how far the clocks are
//! apart, which packets were lost between which points, and on which part of
//! the way each wait of the explanation passed. A wait is divided by the times
//! between two packets at each point, each by its own clock, so that an error
//! of the clocks' difference moves no time from one part to another.
//!
//! Invariant: the parts of a wait add up to the wait.

mod clock;
mod losses;
mod packets;
mod pair;
mod place;
mod share;
mod verdict;

pub use crate::capture_points::{
    CaptureFile, CapturePoints, HopWay, LostPacket, NeedlessRepeats, PathHop, PlaceTime, PointClock,
};
pub use packets::PointPackets;

use crate::{CaptureExplanation, VerdictKind};
use clock::ClockPair;
use pair::PacketPairing;
use thiserror::Error;

/// Why captures could not be joined.
#[derive(Debug, Error)]
pub enum JoinError {
    /// There are fewer than two or more than eight.
    #[error("expected two to {MOST_POINTS} captures of one conversation, found {0}")]
    Count(usize),
    /// Two of them have no packet in common.
    #[error(
        "{0} and {1} have no packet in common: expected captures of the same connections at the \
         same time; for captures before and after a change use --compare"
    )]
    NothingShared(String, String),
}

/// Captures in their order from the client to the server, paired.
pub struct JoinedPoints {
    points: Vec<PointPackets>,
    /// Between neighbours.
    pairings: Vec<PacketPairing>,
    /// Of each but the first against its left neighbour.
    clocks: Vec<PointClock>,
}

impl JoinedPoints {
    /// Puts captures in order and pairs their packets.
    pub fn new(points: Vec<PointPackets>) -> Result<JoinedPoints, JoinError> {
        if !(2..=MOST_POINTS).contains(&points.len()) {
            return Err(JoinError::Count(points.len()));
        }
        let points = in_order(points)?;
        let mut pairings = Vec::new();
        let mut clocks = Vec::new();
        for pair in points.windows(2) {
            let pairing = PacketPairing::of(&pair[0], &pair[1]);
            let pairs = clock_pairs(&pair[0], &pair[1], &pairing);
            let clock = PointClock::of(&pairs).ok_or_else(|| nothing_shared(&pair[0], &pair[1]))?;
            clocks.push(clock);
            pairings.push(pairing);
        }
        Ok(JoinedPoints {
            points,
            pairings,
            clocks,
        })
    }

    /// The name of the capture nearest to the client: the one to explain.
    pub fn first_name(&self) -> &str {
        &self.points[0].name
    }

    /// Adds to the explanation of the first capture where its time passed.
    pub fn describe(&self, explanation: &mut CaptureExplanation) {
        let losses = losses::find(self);
        let named = matches!(&explanation.verdict, Some(one) if one.kind != VerdictKind::None);
        let placed = place::places(self, explanation, &losses);
        verdict::correct(self, explanation, &placed, &losses);
        let mut points = Vec::new();
        for (at, point) in self.points.iter().enumerate() {
            points.push(CaptureFile {
                name: point.name.clone(),
                packets: point.packets.len() as u64 + point.left_out,
                left_out: point.left_out,
                clock: self.clock_to_first(at),
            });
        }
        let sentence = place::sentence(&placed.places, named);
        let mut kept = losses.packets;
        kept.truncate(MOST_LOSSES);
        explanation.points = Some(CapturePoints {
            points,
            hops: losses.hops,
            places: placed.places,
            repeats: losses.repeats,
            losses: kept,
            sentence,
        });
    }

    /// The clock of a point against the first: the differences on the way added
    /// up, and their errors.
    fn clock_to_first(&self, at: usize) -> Option<PointClock> {
        let mut clocks = self.clocks[..at].iter();
        let mut sum = *clocks.next()?;
        for clock in clocks {
            sum.ahead_ms += clock.ahead_ms;
            sum.drift_ppm += clock.drift_ppm;
            sum.error_ms = sum.error_ms.zip(clock.error_ms).map(|(a, b)| a + b);
        }
        Some(sum)
    }

    /// A time of point `at` on the clock of the first one.
    fn on_first_clock(&self, at: usize, time_ns: i64) -> i64 {
        let clocks = self.clocks[..at].iter().rev();
        clocks.fold(time_ns, |time_ns, clock| time_ns - clock.ahead_ns(time_ns))
    }

    /// The names of a part of the path: 0 is the client's side, then the hops,
    /// then the server's side.
    fn part_name(&self, part: usize) -> String {
        let last = self.points.len() - 1;
        match part {
            0 => format!("client's side of {}", self.points[0].name),
            part if part > last => format!("server's side of {}", self.points[last].name),
            part => format!(
                "{} to {}",
                self.points[part - 1].name,
                self.points[part].name
            ),
        }
    }
}

/// The pairs of two points, for their clocks.
fn clock_pairs(
    one: &PointPackets,
    other: &PointPackets,
    pairing: &PacketPairing,
) -> Vec<ClockPair> {
    let mut pairs = Vec::new();
    for flow in &pairing.flows {
        for at in &one.flows[flow.at[0] as usize].packets {
            let packet = &one.packets[*at as usize];
            let Some(partner) = pairing.forth[*at as usize] else {
                continue;
            };
            pairs.push(ClockPair {
                out: flow.is_request_way(0, packet),
                time_ns: packet.time_ns,
                later_ns: other.packets[partner as usize].time_ns - packet.time_ns,
            });
        }
    }
    pairs
}

/// The points from the client to the server: by the time that a request and its
/// answer take beyond each, seen from the first file.
fn in_order(mut points: Vec<PointPackets>) -> Result<Vec<PointPackets>, JoinError> {
    let mut places = vec![0];
    for other in &points[1..] {
        let pairing = PacketPairing::of(&points[0], other);
        let pairs = clock_pairs(&points[0], other, &pairing);
        let place = place_of(&pairs)
            .or_else(|| place_by_hops(&points[0], other, &pairing))
            .ok_or_else(|| nothing_shared(&points[0], other))?;
        places.push(place);
    }
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|at| places[*at]);
    let mut slots: Vec<Option<PointPackets>> = points.drain(..).map(Some).collect();
    Ok(order
        .into_iter()
        .filter_map(|at| slots[at].take())
        .collect())
}

/// The mean of the later time of requests and the earlier time of answers, in which
/// the clock difference cancels. Returns `None` without both directions.
fn place_of(pairs: &[ClockPair]) -> Option<i64> {
    let middle = |out: bool| {
        let one_way = pairs.iter().filter(|pair| pair.out == out);
        let mut later: Vec<i64> = one_way.map(|pair| pair.later_ns).collect();
        later.sort_unstable();
        later.get(later.len() / 2).copied()
    };
    Some(middle(true)?.saturating_sub(middle(false)?))
}

/// Which point is nearer to the sender, by the hop limits of a packet that both
/// saw: for captures of one direction.
fn place_by_hops(one: &PointPackets, other: &PointPackets, pairing: &PacketPairing) -> Option<i64> {
    pairing.flows.iter().find_map(|flow| {
        let packets = &one.flows[flow.at[0] as usize].packets;
        let pair = |at: &u32| Some((*at, pairing.forth[*at as usize]?));
        let (at, partner) = packets.iter().find_map(pair)?;
        let packet = &one.packets[at as usize];
        let fewer =
            i64::from(packet.hop_limit) - i64::from(other.packets[partner as usize].hop_limit);
        let request_way = flow.is_request_way(0, packet);
        Some(if request_way { fewer } else { -fewer })
    })
}

fn nothing_shared(one: &PointPackets, other: &PointPackets) -> JoinError {
    JoinError::NothingShared(one.name.clone(), other.name.clone())
}

/// Captures that are joined at one time.
const MOST_POINTS: usize = 8;

/// Lost packets that are listed.
const MOST_LOSSES: usize = 200;

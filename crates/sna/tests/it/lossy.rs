//! A link that loses, repeats and reorders frames, with an LLC2 station at
//! either end to repair it.

use crate::harness::{Pair, Side};
use base::SeededRandom;
use bytes::Bytes;
use sna::MonotonicTime;
use sna::dlc::llc2::{Config, LinkStation, StationEvent};
use std::collections::BTreeMap;
use std::time::Duration;

/// The faults of the link.
#[derive(Clone, Copy, Debug)]
pub struct Faults {
    /// Frames in a thousand that are lost.
    pub lose: u64,
    /// Frames in a thousand that come twice.
    pub repeat: u64,
    /// The longest delay of a frame, in microseconds. Every frame draws its own,
    /// so frames overtake each other.
    pub delay_us: u64,
    /// The stations' send window.
    pub window: u8,
    /// Frames before an acknowledgement.
    pub ack_every: u8,
}

/// The link.
pub struct Lossy {
    stations: [LinkStation; 2],
    /// Frames in transit: arrival time, sequence number, receiver.
    frames: BTreeMap<(MonotonicTime, u64), (Side, Vec<u8>)>,
    serial: u64,
    rng: SeededRandom,
    faults: Faults,
    /// Frames that were lost, repeated and overtaken so far.
    pub counts: [u64; 3],
    last_arrival: [u64; 2],
}

impl Lossy {
    /// A link that is up.
    pub fn new(faults: Faults, seed: u64) -> Lossy {
        let config = Config {
            window: faults.window,
            ack_every: faults.ack_every,
            t1_ns: 200_000_000,
            t2_ns: 10_000_000,
            retries: 100,
            ..Config::default()
        };
        let mut stations = [0, 1].map(|_| LinkStation::new(config.clone()));
        stations[1].set_listening(true);
        stations[0].connect(0);
        let mut frame = Vec::new();
        for (from, to) in [(0, 1), (1, 0)] {
            while stations[from].poll_transmit(0, &mut frame) {
                stations[to].handle_pdu(0, &std::mem::take(&mut frame));
            }
        }
        for station in &mut stations {
            assert_eq!(station.poll_event(), Some(StationEvent::Connected));
        }
        Lossy {
            stations,
            frames: BTreeMap::new(),
            serial: 0,
            rng: SeededRandom::new(seed),
            faults,
            counts: [0; 3],
            last_arrival: [0; 2],
        }
    }

    /// Sends a PIU from a side.
    pub fn send(&mut self, side: Side, piu: Vec<u8>, now: MonotonicTime) {
        self.stations[side].send(piu).expect("the link is up");
        self.pump(side, now);
    }

    /// Lets the next frame arrive. Returns `false` if none is in transit.
    pub fn step(&mut self, pair: &mut Pair) -> bool {
        let Some(((at, serial), (to, frame))) = self.frames.pop_first() else {
            return false;
        };
        self.counts[2] += u64::from(serial < self.last_arrival[to]);
        self.last_arrival[to] = self.last_arrival[to].max(serial);
        pair.now = pair.now.max(at);
        self.stations[to].handle_pdu(pair.now.as_nanos(), &frame);
        while let Some(event) = self.stations[to].poll_event() {
            let StationEvent::Data(piu) = event else {
                panic!("the link failed: {event:?}");
            };
            let link = pair.links[to].unwrap();
            pair.nodes[to].handle_piu(link, Bytes::from(piu), pair.now);
        }
        self.pump(to, pair.now);
        true
    }

    /// Whether everything that was sent has arrived.
    pub fn is_idle(&self) -> bool {
        let idle = |s: &LinkStation| s.outstanding() + s.waiting() == 0;
        self.stations.iter().all(idle)
    }

    /// When a station wants to be called.
    pub fn next_timeout(&self) -> Option<MonotonicTime> {
        let next = self
            .stations
            .iter()
            .filter_map(LinkStation::next_timeout)
            .min();
        next.map(MonotonicTime::from_nanos)
    }

    /// Time has passed.
    pub fn handle_timeout(&mut self, now: MonotonicTime) {
        for side in 0..2 {
            self.stations[side].handle_timeout(now.as_nanos());
            self.pump(side, now);
        }
    }

    fn pump(&mut self, from: Side, now: MonotonicTime) {
        let mut frame = Vec::new();
        while self.stations[from].poll_transmit(now.as_nanos(), &mut frame) {
            let frame = std::mem::take(&mut frame);
            let outstanding = self.stations[from].outstanding();
            assert!(outstanding <= usize::from(self.faults.window));
            let copies = match self.rng.below(1000) {
                n if n < self.faults.lose => 0,
                n if n < self.faults.lose + self.faults.repeat => 2,
                _ => 1,
            };
            self.counts[0] += u64::from(copies == 0);
            self.counts[1] += u64::from(copies == 2);
            for _ in 0..copies {
                self.serial += 1;
                let delay = self.rng.below(self.faults.delay_us);
                let at = now + Duration::from_micros(delay);
                self.frames
                    .insert((at, self.serial), (1 - from, frame.clone()));
            }
        }
    }
}

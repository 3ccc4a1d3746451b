//! Stations joined by a virtual link that loses and reorders frames.

use super::*;
use base::SeededRandom;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Two stations and the frames in transit, by time of arrival.
struct Pair {
    now: u64,
    stations: [LinkStation; 2],
    /// (arrival, serial) → (to, bytes).
    air: BTreeMap<(u64, u64), (usize, Vec<u8>)>,
    serial: u64,
    random: SeededRandom,
    /// Frames lost, in 1/256.
    loss: u8,
    /// How much later than its time a frame may arrive.
    jitter_ns: u64,
    events: [Vec<StationEvent>; 2],
    most_outstanding: usize,
}

const LATENCY_NS: u64 = 1_000_000;

impl Pair {
    fn new(a: Config, b: Config) -> Pair {
        Pair {
            now: 0,
            stations: [LinkStation::new(a), LinkStation::new(b)],
            air: BTreeMap::new(),
            serial: 0,
            random: SeededRandom::new(1),
            loss: 0,
            jitter_ns: 0,
            events: [Vec::new(), Vec::new()],
            most_outstanding: 0,
        }
    }

    fn connected(a: Config, b: Config) -> Pair {
        let mut pair = Pair::new(a, b);
        pair.stations[1].set_listening(true);
        pair.stations[0].connect(0);
        pair.run(10_000_000);
        assert_eq!(pair.stations[0].state(), StationState::Connected);
        assert_eq!(pair.stations[1].state(), StationState::Connected);
        pair.events = [Vec::new(), Vec::new()];
        pair
    }

    fn flush(&mut self) {
        for side in 0..2 {
            let mut out = Vec::new();
            while self.stations[side].poll_transmit(self.now, &mut out) {
                let bytes = std::mem::take(&mut out);
                self.most_outstanding =
                    self.most_outstanding.max(self.stations[side].outstanding());
                if self.random.below(256) < u64::from(self.loss) {
                    continue;
                }
                let jitter = self.random.below(self.jitter_ns);
                let key = (self.now + LATENCY_NS + jitter, self.serial);
                self.serial += 1;
                self.air.insert(key, (1 - side, bytes));
            }
            while let Some(event) = self.stations[side].poll_event() {
                self.events[side].push(event);
            }
        }
    }

    /// Runs until `until` or until nothing is left to happen.
    fn run(&mut self, until: u64) {
        loop {
            self.flush();
            let arrival = self.air.keys().next().map(|key| key.0);
            let timer = self
                .stations
                .iter()
                .filter_map(LinkStation::next_timeout)
                .min();
            let Some(next) = arrival.into_iter().chain(timer).min() else {
                return;
            };
            if next > until {
                self.now = until;
                return;
            }
            self.now = self.now.max(next);
            match self.air.first_entry().filter(|entry| entry.key().0 <= next) {
                Some(entry) => {
                    let (to, bytes) = entry.remove();
                    self.stations[to].handle_pdu(self.now, &bytes);
                }
                None => {
                    for station in &mut self.stations {
                        station.handle_timeout(self.now);
                    }
                }
            }
        }
    }

    fn data(&self, side: usize) -> Vec<Vec<u8>> {
        let data = self.events[side].iter().filter_map(|event| match event {
            StationEvent::Data(info) => Some(info.clone()),
            _ => None,
        });
        data.collect()
    }
}

fn numbered(count: u32) -> Vec<Vec<u8>> {
    (0..count).map(|i| i.to_be_bytes().to_vec()).collect()
}

#[test]
fn a_station_answers_a_poll() {
    let mut pair = Pair::connected(Config::default(), Config::default());
    let before = pair.stations[1].counts().supervisory;
    let now = pair.now;
    pair.stations[0].enquire(now);
    // A poll that is outstanding is not sent twice.
    pair.stations[0].enquire(now);
    pair.flush();
    pair.run(now + 10_000_000);
    assert_eq!(pair.stations[1].counts().supervisory, before + 1);
    assert_eq!(pair.stations[0].counts().supervisory, before + 1);
    assert_eq!(pair.stations[0].state(), StationState::Connected);
}

#[test]
fn data_flows_both_ways_at_once() {
    let mut pair = Pair::connected(Config::default(), Config::default());
    for info in numbered(300) {
        pair.stations[0].send(info.clone()).unwrap();
        pair.stations[1].send(info).unwrap();
    }
    pair.run(10_000_000_000);
    assert_eq!(pair.data(0), numbered(300));
    assert_eq!(pair.data(1), numbered(300));
    assert_eq!(pair.stations[0].counts().resent, 0);
}

#[test]
fn an_acknowledgement_rides_on_an_answer() {
    let mut pair = Pair::connected(Config::default(), Config::default());
    let before = pair.stations[1].counts();
    for info in numbered(100) {
        for side in 0..2 {
            pair.stations[side].send(info.clone()).unwrap();
            let arrived = pair.now + LATENCY_NS;
            pair.run(arrived);
        }
    }
    assert_eq!(pair.data(0), numbered(100));
    assert_eq!(pair.stations[1].counts().supervisory, before.supervisory);
}

#[test]
fn n3_frames_or_t2_bring_the_acknowledgement() {
    let patient = Config {
        ack_every: 4,
        ..Config::default()
    };
    let mut pair = Pair::connected(Config::default(), patient);
    for info in numbered(5) {
        pair.stations[0].send(info).unwrap();
    }
    let begin = pair.now;
    pair.run(begin + 5_000_000);
    assert_eq!(pair.stations[0].outstanding(), 1, "four of five by N3");
    pair.run(begin + 200_000_000);
    assert_eq!(pair.stations[0].outstanding(), 0, "the fifth by T2");
    assert_eq!(pair.stations[0].counts().timeouts, 0);
}

#[test]
fn a_window_below_n3_waits_for_t2_in_every_cycle() {
    let narrow = Config {
        window: 2,
        ..Config::default()
    };
    let lazy = Config {
        ack_every: 8,
        ..Config::default()
    };
    let t2_ns = lazy.t2_ns;
    let mut pair = Pair::connected(narrow, lazy);
    let begin = pair.now;
    for info in numbered(20) {
        pair.stations[0].send(info).unwrap();
    }
    pair.run(begin + 9 * t2_ns);
    assert!(pair.data(1).len() < 20);
    pair.run(begin + 12 * t2_ns);
    assert_eq!(pair.data(1), numbered(20));
}

#[test]
fn a_busy_receiver_stops_the_sender_and_loses_nothing() {
    let mut pair = Pair::connected(Config::default(), Config::default());
    pair.stations[1].set_busy(true);
    pair.run(20_000_000);
    for info in numbered(30) {
        pair.stations[0].send(info).unwrap();
    }
    let begin = pair.now;
    pair.run(begin + 5_000_000_000);
    assert!(pair.data(1).is_empty());
    pair.stations[1].set_busy(false);
    pair.run(begin + 10_000_000_000);
    assert_eq!(pair.data(1), numbered(30));
}

#[test]
fn a_silent_peer_is_given_up_after_n2_tries() {
    let mut pair = Pair::connected(Config::default(), Config::default());
    pair.loss = 255;
    pair.random = SeededRandom::new(4);
    pair.stations[0].send(vec![1]).unwrap();
    pair.run(300_000_000_000);
    assert!(pair.events[0].contains(&StationEvent::Closed(DisconnectReason::Timeout)));
    assert_eq!(pair.stations[0].counts().timeouts, 9);
}

#[test]
fn inactivity_polls_the_other_side() {
    let mut pair = Pair::connected(Config::default(), Config::default());
    let before = pair.stations[0].counts().supervisory;
    pair.run(100_000_000_000);
    assert!(pair.stations[0].counts().supervisory > before);
    assert_eq!(pair.stations[0].state(), StationState::Connected);
}

#[test]
fn a_station_that_does_not_listen_refuses_and_disc_is_acknowledged() {
    let mut pair = Pair::new(Config::default(), Config::default());
    pair.stations[0].connect(0);
    pair.run(10_000_000);
    assert_eq!(
        pair.events[0],
        [StationEvent::Closed(DisconnectReason::Refused)]
    );

    let mut pair = Pair::connected(Config::default(), Config::default());
    let now = pair.now;
    pair.stations[0].disconnect(now);
    pair.run(now + 10_000_000);
    assert_eq!(
        pair.events[0],
        [StationEvent::Closed(DisconnectReason::Local)]
    );
    assert_eq!(
        pair.events[1],
        [StationEvent::Closed(DisconnectReason::Peer)]
    );
}

#[test]
fn a_test_is_echoed_whole_before_a_link_exists() {
    let mut pair = Pair::new(Config::default(), Config::default());
    pair.stations[0].send_test(vec![7; 100]).unwrap();
    pair.run(10_000_000);
    assert_eq!(pair.events[0], [StationEvent::Tested(vec![7; 100])]);
}

#[test]
fn a_number_never_sent_is_answered_by_frame_reject() {
    let mut pair = Pair::connected(Config::default(), Config::default());
    let now = pair.now;
    // RR with N(R) = 40, and nothing was sent.
    pair.stations[0].handle_pdu(now, &[4, 5, 0x01, 80]);
    let mut out = Vec::new();
    assert!(pair.stations[0].poll_transmit(now, &mut out));
    assert_eq!(out, [4, 5, 0x87, 0x01, 80, 0, 1, 0x08]);
    assert_eq!(pair.stations[0].state(), StationState::Rejecting);
    // The other side sets the link up again.
    pair.stations[0].handle_pdu(now, &[4, 4, 0x7F]);
    assert_eq!(pair.stations[0].state(), StationState::Connected);
    assert_eq!(pair.stations[0].poll_event(), Some(StationEvent::Reset));
}

#[test]
fn a_lost_ua_is_sent_again() {
    let mut pair = Pair::new(Config::default(), Config::default());
    pair.stations[1].set_listening(true);
    let (mut sabme, mut lost) = (Vec::new(), Vec::new());
    pair.stations[0].connect(0);
    assert!(pair.stations[0].poll_transmit(0, &mut sabme));
    pair.stations[1].handle_pdu(0, &sabme);
    pair.stations[1].send(vec![1]).unwrap();
    while pair.stations[1].poll_transmit(0, &mut lost) {}
    pair.run(5_000_000_000);
    assert_eq!(pair.stations[0].state(), StationState::Connected);
    assert_eq!(pair.data(0), vec![vec![1]]);
    assert!(!pair.events[1].contains(&StationEvent::Reset));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_lossy_reordering_link_loses_repeats_and_overruns_nothing(
        seed: u64,
        loss in 0u8..60,
        jitter_us in 0u64..3_000,
        windows in prop::array::uniform2(1u8..=32),
        ack_every in prop::array::uniform2(1u8..=12),
        counts in prop::array::uniform2(0u32..200),
        busy in any::<bool>(),
    ) {
        let config = |side: usize| Config {
            window: windows[side],
            receive_window: windows[1 - side],
            ack_every: ack_every[side],
            t1_ns: 100_000_000,
            t2_ns: 5_000_000,
            retries: 100,
            ..Config::default()
        };
        let mut pair = Pair::connected(config(0), config(1));
        pair.random = SeededRandom::new(seed);
        (pair.loss, pair.jitter_ns) = (loss, jitter_us * 1_000);
        for (side, &count) in counts.iter().enumerate() {
            for info in numbered(count) {
                pair.stations[side].send(info).unwrap();
            }
        }
        if busy {
            let soon = pair.now + 3_000_000;
            pair.run(soon);
            pair.stations[1].set_busy(true);
            pair.run(soon + 50_000_000);
            pair.stations[1].set_busy(false);
        }
        let begin = pair.now;
        pair.run(begin + 600_000_000_000);
        for (side, &count) in counts.iter().enumerate() {
            prop_assert_eq!(pair.stations[side].state(), StationState::Connected);
            prop_assert_eq!(pair.data(1 - side), numbered(count));
            prop_assert_eq!(pair.stations[side].outstanding(), 0);
        }
        prop_assert!(pair.most_outstanding <= usize::from(windows[0].max(windows[1])));
    }

    #[test]
    fn no_bytes_make_a_station_panic(
        connected in any::<bool>(),
        frames in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..12), 0..60),
    ) {
        let mut station = LinkStation::new(Config::default());
        station.set_listening(true);
        if connected {
            station.handle_pdu(0, &[4, 4, 0x7F]);
            station.send(vec![1, 2, 3]).unwrap();
        }
        let mut out = Vec::new();
        for (at, mut frame) in frames.into_iter().enumerate() {
            if let [dsap, ssap, ..] = &mut frame[..] {
                (*dsap, *ssap) = (4, 4 | (*ssap & 1));
            }
            station.handle_pdu(at as u64 * 1_000_000, &frame);
            station.handle_timeout(at as u64 * 50_000_000);
            while station.poll_transmit(at as u64 * 1_000_000, &mut out) {}
        }
    }
}

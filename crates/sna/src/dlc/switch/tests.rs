//! Switches joined by streams that are cut anywhere.

use super::super::ssp;
use super::*;
use proptest::prelude::*;

fn config(last: u8) -> SwitchConfig {
    SwitchConfig {
        capabilities: SwitchCapabilities {
            initial_window: 4,
            ..SwitchCapabilities::default()
        },
        mac: [0x40, 0, 0, 0, 0, last],
        saps: vec![4],
        largest_frame: ssp::largest_frame_code(4472),
        widest_window: 8,
        max_circuits: 4,
        setup_ns: 1_000,
    }
}

fn stations() -> StationPair {
    StationPair {
        target_mac: [0x40, 0, 0, 0, 0, 2],
        origin_mac: [0x40, 0, 0, 0, 0, 1],
        origin_sap: 4,
        target_sap: 4,
    }
}

/// Moves everything both ways until nothing is left, cutting the streams into
/// pieces of `piece` bytes. Returns the PIUs each side received.
fn settle(
    pair: &mut [DlswSwitch; 2],
    streams: &mut [Vec<u8>; 2],
    piece: usize,
) -> [Vec<Vec<u8>>; 2] {
    let mut pius = [Vec::new(), Vec::new()];
    loop {
        let mut moved = false;
        for side in 0..2 {
            let mut out = std::mem::take(&mut streams[side]);
            pair[side].poll_transmit(&mut out);
            let mut held: Vec<u8> = Vec::new();
            for bytes in out.chunks(piece) {
                held.extend(bytes);
                while let Some((message, used)) = SspMessage::parse(&held).unwrap() {
                    if pair[1 - side].handle(0, &message).unwrap().is_some() {
                        pius[1 - side].push(message.data.to_vec());
                    }
                    held.drain(..used);
                    moved = true;
                }
            }
            assert!(held.is_empty());
        }
        if !moved {
            return pius;
        }
    }
}

fn connected() -> ([DlswSwitch; 2], [Vec<u8>; 2], CircuitId, CircuitId) {
    let mut pair = [DlswSwitch::new(config(1)), DlswSwitch::new(config(2))];
    let mut streams = [Vec::new(), Vec::new()];
    settle(&mut pair, &mut streams, 7);
    assert!(pair[0].ready() && pair[1].ready());
    let here = pair[0].originate(0, stations());
    settle(&mut pair, &mut streams, 100);
    let there = CircuitId(1);
    pair[0].circuit(here).unwrap().send_xid(vec![0x32, 1]);
    settle(&mut pair, &mut streams, 100);
    pair[0].circuit(here).unwrap().contact();
    settle(&mut pair, &mut streams, 100);
    pair[1].circuit(there).unwrap().contacted();
    settle(&mut pair, &mut streams, 100);
    assert_eq!(
        pair[0].circuit(here).unwrap().state(),
        circuit::CircuitState::Connected
    );
    let events: Vec<_> = std::iter::from_fn(|| pair[1].poll_event())
        .skip(1)
        .collect();
    assert_eq!(
        events,
        [
            SwitchEvent::Established(there),
            SwitchEvent::Xid(there, vec![0x32, 1]),
            SwitchEvent::Contact(there),
        ]
    );
    (pair, streams, here, there)
}

#[test]
fn a_circuit_comes_up_carries_data_within_its_window_and_goes() {
    let (mut pair, mut streams, here, there) = connected();
    assert_eq!(pair[0].circuit(here).unwrap().room(), 4);
    let mut got = Vec::new();
    for number in 0..100u8 {
        let header = pair[0].circuit(here).unwrap().info_header(2).unwrap();
        streams[0].extend(header);
        streams[0].extend([0x2C, number]);
        if pair[0].circuit(here).unwrap().room() == 0 {
            got.extend(
                settle(&mut pair, &mut streams, 11)
                    .into_iter()
                    .nth(1)
                    .unwrap(),
            );
        }
    }
    got.extend(
        settle(&mut pair, &mut streams, 11)
            .into_iter()
            .nth(1)
            .unwrap(),
    );
    assert_eq!(got, (0..100u8).map(|n| vec![0x2C, n]).collect::<Vec<_>>());
    pair[1].halt(0, there);
    settle(&mut pair, &mut streams, 100);
    assert_eq!((pair[0].circuits(), pair[1].circuits()), (0, 0));
    let last = std::iter::from_fn(|| pair[0].poll_event()).last();
    assert_eq!(last, Some(SwitchEvent::Closed(here, CircuitFailure::Peer)));
}

#[test]
fn an_overrun_ends_the_circuit_and_not_the_transport() {
    let (mut pair, mut streams, here, _) = connected();
    let header = pair[0].circuit(here).unwrap().info_header(1).unwrap();
    for _ in 0..40 {
        streams[0].extend(header);
        streams[0].push(0);
    }
    settle(&mut pair, &mut streams, 64);
    let ends: Vec<_> = std::iter::from_fn(|| pair[1].poll_event())
        .filter(|event| matches!(event, SwitchEvent::Closed(_, CircuitFailure::Fault(_))))
        .collect();
    assert_eq!(ends.len(), 1);
    let again = pair[0].originate(0, stations());
    settle(&mut pair, &mut streams, 64);
    assert_eq!(
        pair[0].circuit(again).unwrap().state(),
        circuit::CircuitState::Established
    );
}

#[test]
fn an_unknown_station_is_given_up() {
    let (mut pair, mut streams, _, _) = connected();
    let elsewhere = StationPair {
        target_mac: [9; 6],
        ..stations()
    };
    let id = pair[0].originate(0, elsewhere);
    settle(&mut pair, &mut streams, 64);
    pair[0].handle_timeout(1_000);
    settle(&mut pair, &mut streams, 64);
    let last = std::iter::from_fn(|| pair[0].poll_event()).last();
    assert_eq!(last, Some(SwitchEvent::Closed(id, CircuitFailure::Timeout)));
    assert_eq!(pair[0].circuits(), 1);
}

proptest! {
    #[test]
    fn no_messages_make_a_switch_panic(
        messages in prop::collection::vec((0u8..0x80, any::<u8>(), 0u32..4, any::<bool>(), any::<bool>()), 0..60)
    ) {
        let (mut pair, _, _, _) = connected();
        for (kind, flow, correlator, explorer, long) in messages {
            let mut bytes = vec![0x31, if long { 72 } else { 16 }, 0, 0];
            bytes.resize(bytes[1] as usize, 0);
            (bytes[7], bytes[14], bytes[15]) = (correlator as u8, kind, flow);
            if long {
                bytes[21] = if explorer { 0x80 } else { 0 };
                bytes[51] = correlator as u8;
                bytes[24..30].copy_from_slice(&[0x40, 0, 0, 0, 0, 2]);
            }
            if let Ok(Some((message, _))) = SspMessage::parse(&bytes) {
                let _ = pair[1].handle(5, &message);
            }
            let mut out = Vec::new();
            pair[1].poll_transmit(&mut out);
            pair[1].handle_timeout(2_000);
        }
    }
}

//! Client and servers on a wire, and what is recorded of them.

use crate::permitted;
use lab::net::{Impairment, Route, WirePlan};
use lab::traffic::{
    ClientPlan, PeerPlan, ServerPlan, TrafficTrial, TrialEndpoint, TrialMeasurement,
};

fn take(wire: WirePlan, server: TrialEndpoint, client: ClientPlan) -> TrialMeasurement {
    let trial = TrafficTrial {
        conditions: String::new(),
        wire,
        server,
        client,
    };
    trial.take(1).unwrap()
}

/// Lengths on the wire of the packets in a pcapng file.
fn lengths(file: &[u8]) -> Vec<u32> {
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
    let (mut at, mut lengths) = (0, Vec::new());
    while at < file.len() {
        if word(at) == 6 {
            lengths.push(word(at + 24));
        }
        at += word(at + 4) as usize;
    }
    lengths
}

#[test]
fn segments_are_as_long_as_on_a_wire() {
    if !permitted("traffic::segments_are_as_long_as_on_a_wire") {
        return;
    }
    let server = TrialEndpoint::Kernel(ServerPlan {
        response_bytes: 60_000,
        ..ServerPlan::default()
    });
    let taken = take(WirePlan::default(), server, ClientPlan::default());
    assert_eq!(taken.timing.answered, 10);
    assert!(taken.path.is_none());
    let lengths = lengths(&taken.capture);
    assert_eq!(lengths.iter().max(), Some(&1514));
    // The handshake, ten requests, and 42 segments for each answer.
    assert!(lengths.len() > 430, "{}", lengths.len());
}

#[test]
fn a_route_of_576_bytes_makes_segments_of_536() {
    if !permitted("traffic::a_route_of_576_bytes_makes_segments_of_536") {
        return;
    }
    let wire = WirePlan {
        server: Route {
            mtu: Some(576),
            ..Route::default()
        },
        ..WirePlan::default()
    };
    let server = TrialEndpoint::Kernel(ServerPlan {
        response_bytes: 3000,
        head_apart: true,
        quick_ack: true,
        ..ServerPlan::default()
    });
    let client = ClientPlan {
        request_bytes: 1400,
        ..ClientPlan::default()
    };
    let taken = take(wire, server, client);
    assert_eq!(lengths(&taken.capture).iter().max(), Some(&590));
}

#[test]
fn the_peer_in_user_space_serves_one_connection_after_the_other() {
    if !permitted("traffic::the_peer_in_user_space_serves_one_connection_after_the_other") {
        return;
    }
    let wire = WirePlan {
        to_server: Impairment::delay(200),
        to_client: Impairment::delay(200),
        ..WirePlan::default()
    };
    let peer = TrialEndpoint::User(PeerPlan {
        ack_delay_ms: Some(20),
        mtu: 576,
        nagle: true,
        response_bytes: 3000,
        think_ms: 1,
    });
    let client = ClientPlan {
        requests: 20,
        keep_alive: false,
        head_apart: true,
        no_delay: false,
        ..ClientPlan::default()
    };
    let taken = take(wire, peer, client);
    assert_eq!(taken.timing.answered, 20);
    assert_eq!(lengths(&taken.capture).iter().max(), Some(&590));
}

#[test]
fn answers_come_through_a_path_that_loses_segments() {
    if !permitted("traffic::answers_come_through_a_path_that_loses_segments") {
        return;
    }
    let wire = WirePlan {
        to_client: Impairment {
            // The first segments of the first answer's second window.
            lose: vec![12, 13],
            ..Impairment::delay(300)
        },
        ..WirePlan::default()
    };
    let server = TrialEndpoint::Kernel(ServerPlan {
        response_bytes: 40_000,
        ..ServerPlan::default()
    });
    let taken = take(wire, server, ClientPlan::default());
    assert_eq!(taken.timing.answered, 10);
    assert_eq!(taken.path.unwrap().lost, 2);
}

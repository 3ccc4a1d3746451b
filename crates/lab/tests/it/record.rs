//! Recording packets of an interface.

use crate::permitted;
use lab::net::Namespace;
use lab::record::{Filter, Limits, Recorder, Recording, Setup};
use std::net::UdpSocket;

/// Sends datagrams with these lengths over the loopback of a new namespace
/// and records what the filter wants.
fn record(filter: &str, limits: Limits, sizes: &[usize]) -> Recording<Vec<u8>> {
    let namespace = Namespace::new().unwrap();
    let setup = Setup {
        interface: "lo".into(),
        filter: Filter::parse(filter).unwrap(),
        snap_bytes: 60,
        limits,
    };
    namespace
        .run(|| {
            let recorder = Recorder::start(setup, Vec::new()).unwrap();
            let to = UdpSocket::bind("127.0.0.1:3010").unwrap();
            let from = UdpSocket::bind("127.0.0.1:3011").unwrap();
            for size in sizes {
                from.send_to(&vec![0; *size], to.local_addr().unwrap())
                    .unwrap();
            }
            match limits.packets {
                Some(_) => recorder.wait().unwrap(),
                None => recorder.stop().unwrap(),
            }
        })
        .unwrap()
}

#[test]
fn a_frame_of_the_loopback_is_recorded_once() {
    if !permitted("record::a_frame_of_the_loopback_is_recorded_once") {
        return;
    }
    let recording = record("port 3010", Limits::default(), &[10, 200, 3000]);
    assert_eq!((recording.packets, recording.dropped), (3, 0));
    // Three packets, none kept beyond the snap length.
    assert!(recording.file.len() < 500, "{}", recording.file.len());
    let none = record("port 4000 or tcp", Limits::default(), &[10, 10]);
    assert_eq!(none.packets, 0);
}

#[test]
fn a_limit_of_packets_ends_the_recording() {
    if !permitted("record::a_limit_of_packets_ends_the_recording") {
        return;
    }
    let limits = Limits {
        packets: Some(2),
        duration: None,
    };
    assert_eq!(record("", limits, &[1, 2, 3, 4]).packets, 2);
}

#[test]
fn an_interface_that_is_not_there_is_an_error() {
    if !permitted("record::an_interface_that_is_not_there_is_an_error") {
        return;
    }
    let setup = Setup {
        interface: "nowhere0".into(),
        filter: Filter::default(),
        snap_bytes: 60,
        limits: Limits::default(),
    };
    let Err(error) = Recorder::start(setup, Vec::new()) else {
        panic!("there is no such interface");
    };
    assert!(error.to_string().contains("nowhere0"), "{error}");
}

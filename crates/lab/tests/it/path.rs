//! Namespaces and the path between them.

use crate::permitted;
use lab::net::{EmulatedPath, Impairment, PORT, SERVER, WirePlan};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// Sends `bytes` from the client to the server and back, and gives how long
/// each of `times` rounds took.
fn rounds(wire: &EmulatedPath, bytes: usize, times: usize) -> Vec<Duration> {
    let listener = wire
        .server
        .run(|| TcpListener::bind((SERVER, PORT)).unwrap())
        .unwrap();
    let stream = wire
        .client
        .run(|| TcpStream::connect((SERVER, PORT)).unwrap())
        .unwrap();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut buffer = vec![0; bytes];
        while stream.read_exact(&mut buffer).is_ok() {
            stream.write_all(&buffer).unwrap();
        }
    });
    let mut stream = stream;
    let mut buffer = vec![7; bytes];
    let taken = (0..times)
        .map(|_| {
            let begun = Instant::now();
            stream.write_all(&buffer).unwrap();
            stream.read_exact(&mut buffer).unwrap();
            begun.elapsed()
        })
        .collect();
    drop(stream);
    server.join().unwrap();
    assert!(buffer.iter().all(|b| *b == 7));
    taken
}

#[test]
fn a_path_takes_no_less_time_than_planned_and_tells_how_late_it_was() {
    if !permitted("path::a_path_takes_no_less_time_than_planned_and_tells_how_late_it_was") {
        return;
    }
    let plan = WirePlan {
        to_server: Impairment::delay(3_000),
        to_client: Impairment::delay(5_000),
        ..WirePlan::default()
    };
    let wire = EmulatedPath::new(&plan, 1).unwrap();
    let taken = rounds(&wire, 100, 20);
    let shortest = taken.iter().min().unwrap();
    assert!(*shortest >= Duration::from_millis(8), "{taken:?}");
    let traffic = wire.close().unwrap();
    assert!(traffic.forwarded >= 40);
    assert_eq!((traffic.lost, traffic.refused), (0, 0));
    assert_eq!(traffic.lateness.count(), traffic.forwarded);
    println!(
        "lateness: half {} ns, 99 % {} ns",
        traffic.lateness.quantile(0.5),
        traffic.lateness.quantile(0.99)
    );
}

#[test]
fn data_survive_a_path_that_loses_and_reorders() {
    if !permitted("path::data_survive_a_path_that_loses_and_reorders") {
        return;
    }
    let bad = Impairment {
        reorder: 0.05,
        reorder_us: 2_000,
        lose: vec![5],
        ..Impairment::delay(500)
    };
    let plan = WirePlan {
        to_server: bad.clone(),
        to_client: bad,
        ..WirePlan::default()
    };
    let wire = EmulatedPath::new(&plan, 3).unwrap();
    rounds(&wire, 60_000, 2);
    let traffic = wire.close().unwrap();
    assert_eq!(traffic.lost, 2);
    assert!(traffic.late > 0);
}

#[test]
fn two_wires_do_not_meet() {
    if !permitted("path::two_wires_do_not_meet") {
        return;
    }
    let wires = [(); 2].map(|()| EmulatedPath::new(&WirePlan::default(), 1).unwrap());
    for wire in &wires {
        rounds(wire, 10, 1);
    }
    assert!(wires.map(EmulatedPath::close).iter().all(Option::is_none));
}

//! Recording packets of an interface.

use crate::permitted;
use lab::net::NetworkNamespace;
use lab::record::{self, CaptureSetup, FinishedCapture, Limits, PacketFilter, PacketRecorder};
use std::net::UdpSocket;
use std::process::ExitCode;
use std::time::Duration;

/// Sends datagrams with these lengths over the loopback of a new namespace
/// and records what the filter wants.
fn taken(filter: &str, limits: Limits, sizes: &[usize]) -> FinishedCapture<Vec<u8>> {
    let namespace = NetworkNamespace::new().unwrap();
    let setup = CaptureSetup {
        interface: "lo".into(),
        filter: PacketFilter::parse(filter).unwrap(),
        snap_bytes: 60,
        limits,
    };
    namespace
        .run(|| {
            let recorder = PacketRecorder::start(setup, Vec::new()).unwrap();
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
    let recording = taken("port 3010", Limits::default(), &[10, 200, 3000]);
    assert_eq!((recording.packets, recording.dropped), (3, 0));
    // Three packets, none kept beyond the snap length.
    assert!(recording.file.len() < 500, "{}", recording.file.len());
    let none = taken("port 4000 or tcp", Limits::default(), &[10, 10]);
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
    assert_eq!(taken("", limits, &[1, 2, 3, 4]).packets, 2);
}

#[test]
fn an_interface_that_is_not_there_is_an_error() {
    if !permitted("record::an_interface_that_is_not_there_is_an_error") {
        return;
    }
    let setup = CaptureSetup {
        interface: "nowhere0".into(),
        filter: PacketFilter::default(),
        snap_bytes: 60,
        limits: Limits::default(),
    };
    let Err(error) = PacketRecorder::start(setup, Vec::new()) else {
        panic!("there is no such interface");
    };
    assert!(error.to_string().contains("nowhere0"), "{error}");
}

#[test]
fn the_command_ends_by_its_limit_and_leaves_a_whole_file() {
    if !permitted("record::the_command_ends_by_its_limit_and_leaves_a_whole_file") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut args = record::Args {
        interface: "lo".into(),
        output: folder.path().join("lo.pcapng"),
        netns: None,
        filter: String::new(),
        duration: Some(Duration::from_millis(20)),
        packets: None,
        snaplen: 100,
    };
    let namespace = NetworkNamespace::new().unwrap();
    let status = namespace.run(|| record::run(&args)).unwrap();
    assert_eq!(status, ExitCode::SUCCESS);
    let file = std::fs::read(&args.output).unwrap();
    assert_eq!(file[..4], 0x0a0d_0d0au32.to_le_bytes());
    // From outside, a namespace is named by a path or by a process in it.
    args.netns = Some(namespace.path().display().to_string());
    let status = std::thread::scope(|s| s.spawn(|| record::run(&args)).join().unwrap());
    assert_eq!(status, ExitCode::SUCCESS);
    args.netns = Some("no-such-namespace".into());
    assert_eq!(record::run(&args), ExitCode::from(2));
    args.filter = "ports 80".into();
    assert_eq!(record::run(&args), ExitCode::from(64));
}

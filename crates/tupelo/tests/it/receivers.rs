//! Receivers: connections whose messages the region itself reads and answers.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::program::{run, text, until};
use crate::server::{Server, application};
use crate::sockets::{ask, connect, refused, rest, serve_by, talk};

/// A program that gets a container and puts another; it ends abnormally on request.
const UPPER: &str = include_str!("../../testdata/programs/receivers/UPPER.cbl");

/// A receiver whose messages fill the read buffer, with little memory.
const FULL: &str = "
[sockets.native]
memory_mib = 1

[sockets.receivers.FULL]
program = \"SHOUT\"
frame = { fixed = 4096 }
area_bytes = 4098
area_length = 2

[sockets.receivers.LONG]
program = \"QUIET\"
container = \"MESSAGE\"
frame = { length = 4 }
";

/// A program that changes nothing.
const QUIET: &str = include_str!("../../testdata/programs/receivers/QUIET.cbl");

/// Receivers of this test: lengths and containers, one with an impatient
/// sender, one that reads little.
const MORE: &str = "
[sockets.receivers.UPPR]
program = \"UPPER\"
container = \"QUESTION\"
answer_container = \"ANSWER\"
frame = { length = 2, inclusive = true, endian = \"little\", max_bytes = 100 }
message_timeout_s = 1
characters = \"client\"

[sockets.receivers.PAIR]
program = \"SHOUT\"
answers = \"RIAP\"
frame = { delimiter = \"\\n\" }
area_bytes = 1002
area_length = 2
pair_timeout_s = 5
write_timeout_s = 1
";

fn serve() -> (Server, tempfile::TempDir) {
    serve_with(MORE)
}

fn serve_with(receivers: &str) -> (Server, tempfile::TempDir) {
    serve_by("native", |folder| {
        add(&folder.join("tupelo.toml"), receivers);
        let transactions = ["UPPR", "PAIR", "RIAP", "FULL", "LONG"];
        let defined = transactions.map(|transid| {
            format!("\nDEFINE TRANSACTION({transid}) GROUP(SOCKETS) PROGRAM(UPPER)\n")
        });
        let program = "DEFINE PROGRAM(UPPER) GROUP(SOCKETS) CONCURRENCY(THREADSAFE)\n\
             DEFINE PROGRAM(QUIET) GROUP(SOCKETS) CONCURRENCY(THREADSAFE)\n";
        add(&folder.join("resources.csd"), &(defined.concat() + program));
        fs::write(folder.join("cobol/UPPER.cbl"), UPPER).unwrap();
        fs::write(folder.join("cobol/QUIET.cbl"), QUIET).unwrap();
    })
}

fn add(path: &Path, text: &str) {
    let before = fs::read_to_string(path).unwrap();
    fs::write(path, before + text).unwrap();
}

/// The operator's data about a receiver.
fn receiver(server: &Server, name: &str) -> Value {
    let overview = ask(server, &["list"]);
    let all = overview["receivers"].as_array().unwrap().clone();
    all.into_iter().find(|l| l["receiver"] == name).unwrap()
}

/// A connection for this transaction.
fn open(server: &Server, said: &str) -> TcpStream {
    let mut stream = connect(server, "CSKL");
    stream.write_all(said.as_bytes()).unwrap();
    stream
}

#[test]
fn messages_with_a_length_come_in_a_container_however_they_are_cut() {
    let (server, _folder) = serve();
    let mut stream = open(&server, "UPPR\n");
    stream.set_nodelay(true).unwrap();
    for piece in [&b"\x07\0he"[..], b"llo\x05\0you\x04\0", b"ab"] {
        stream.write_all(piece).unwrap();
    }
    let mut answers = [0; 16];
    stream.read_exact(&mut answers).unwrap();
    assert_eq!(&answers, b"\x07\0HELLO\x05\0YOU\x04\0AB");
    stream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(rest(&mut stream), "");
    let counters = receiver(&server, "UPPR");
    assert_eq!(
        (&counters["messages"], &counters["failed"]),
        (&3.into(), &0.into())
    );
    assert_eq!(
        (&counters["bytes_in"], &counters["bytes_out"]),
        (&16.into(), &16.into())
    );
}

#[test]
fn a_client_that_speaks_ebcdic_is_answered_in_ebcdic() {
    let (server, _folder) = serve();
    let mut stream = connect(&server, "CSKL");
    // UPPR and NL, then a length and "hello".
    let header = [0xE4, 0xD7, 0xD7, 0xD9, 0x15];
    let message = [7, 0, 0x88, 0x85, 0x93, 0x93, 0x96];
    stream.write_all(&[&header[..], &message].concat()).unwrap();
    let mut answer = [0; 7];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(answer, [7, 0, 0xC8, 0xC5, 0xD3, 0xD3, 0xD6]);
}

#[test]
fn a_wrong_length_half_a_message_and_an_abend_end_only_their_connection() {
    let (server, _folder) = serve();
    let mut honest = open(&server, "UPPR\n");
    for wrong in [&b"\xFF\xFF"[..], b"\x01\0", b"\x07\0abend", b"\x68\0"] {
        let mut stream = open(&server, "UPPR\n");
        stream.write_all(wrong).unwrap();
        assert_eq!(rest(&mut stream), "", "{wrong:?}");
    }
    let mut half = open(&server, "UPPR\n");
    half.write_all(b"\x07\0he").unwrap();
    half.shutdown(Shutdown::Write).unwrap();
    assert_eq!(rest(&mut half), "");
    // The same, but the client keeps the connection open until its time limit.
    let mut slow = open(&server, "UPPR\n");
    slow.write_all(b"\x07\0he").unwrap();
    assert_eq!(rest(&mut slow), "");
    talk(&mut honest, "\x04\0ok", "\x04\0OK");
    until("the end of all others", || {
        receiver(&server, "UPPR")["connections"] == 1
    });
    let counters = receiver(&server, "UPPR");
    assert_eq!(
        (&counters["failed"], &counters["timed_out"]),
        (&6.into(), &1.into())
    );
}

#[test]
fn waiting_connections_hold_no_memory_after_a_message_filled_their_buffer() {
    let (server, _folder) = serve_with(FULL);
    let message = [b'x'; 4096];
    // 256 such connections would fill the limit of 1 MiB.
    let clients: Vec<TcpStream> = (0..270)
        .map(|_| {
            let mut client = open(&server, "FULL\n");
            client.write_all(&message).unwrap();
            let mut answer = [0; 4096];
            client.read_exact(&mut answer).unwrap();
            assert!(answer.starts_with(b"XXX"));
            client
        })
        .collect();
    assert_eq!(receiver(&server, "FULL")["connections"], 270);
    drop(clients);
}

#[test]
fn long_messages_without_room_for_both_come_one_after_the_other() {
    let (server, _folder) = serve_with(FULL);
    let message = [&900_000u32.to_be_bytes()[..], &[b'x'; 900_000]].concat();
    let half = message.len() * 2 / 3;
    let mut clients: Vec<TcpStream> = (0..4)
        .map(|_| {
            let mut client = open(&server, "LONG\n");
            client.write_all(&message[..half]).unwrap();
            client
        })
        .collect();
    // Each has a part of a message, and no whole message fits.
    let clients: Vec<_> = clients
        .drain(..)
        .map(|mut client| {
            let rest = message[half..].to_vec();
            std::thread::spawn(move || {
                client.write_all(&rest).unwrap();
                let mut answer = vec![0; 900_004];
                client.read_exact(&mut answer).unwrap();
                answer
            })
        })
        .collect();
    for client in clients {
        assert!(client.join().unwrap() == message);
    }
}

#[test]
fn a_session_has_two_connections_and_no_third() {
    let (server, _folder) = serve();
    let mut from = open(&server, "SEND,S001\n");
    let mut to = open(&server, "RECV,S001\n");
    to.write_all(b"first\n").unwrap();
    talk(&mut from, "", "FIRST\n");
    for third in ["RECV,S001\n", "SEND,S001\n"] {
        let refusal = refused(&server, "CSKL", third);
        assert!(
            refusal.contains("THE SESSION IS IN USE TRANID=RECV"),
            "{refusal}"
        );
    }
    drop(to);
    assert_eq!(rest(&mut from), "");
    // Its name is free again.
    let mut from = open(&server, "SEND,S001\n");
    let mut to = open(&server, "RECV,S001\n");
    to.write_all(b"again\n").unwrap();
    talk(&mut from, "", "AGAIN\n");
}

#[test]
fn a_client_that_waits_too_long_for_its_other_connection_is_notified_or_closed() {
    let (server, _folder) = serve();
    let refusal = refused(&server, "CSKL", "RIAP,S001\n");
    assert!(
        refusal.contains("THE OTHER CONNECTION IS MISSING TRANID=PAIR"),
        "{refusal}"
    );
    let mut alone = open(&server, "PAIR,S002\nnobody answers\n");
    assert_eq!(rest(&mut alone), "");
    assert_eq!(receiver(&server, "PAIR")["timed_out"], 1);
}

#[test]
fn a_client_that_was_reset_while_it_waited_for_its_other_connection_may_come_again() {
    let (server, _folder) = serve();
    let first = open(&server, "RECV,S001\n");
    until("the first", || {
        receiver(&server, "RECV")["connections"] == 1
    });
    reset(first);
    // Its place in the session is free at once, not after pair_timeout_s.
    until("its end", || receiver(&server, "RECV")["connections"] == 0);
    let mut answers = open(&server, "SEND,S001\n");
    let half = open(&server, "RECV,S001\nagain\n");
    half.shutdown(Shutdown::Write).unwrap();
    assert_eq!(rest(&mut answers), "AGAIN\n");
}

/// Resets a connection, without waiting for data in transit.
fn reset(stream: TcpStream) {
    let linger = libc::linger {
        l_onoff: 1,
        l_linger: 0,
    };
    let size = size_of::<libc::linger>() as libc::socklen_t;
    // SAFETY: an open socket and the option's own structure.
    let rc = unsafe {
        let value = (&raw const linger).cast();
        libc::setsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_LINGER,
            value,
            size,
        )
    };
    assert_eq!(rc, 0);
}

#[test]
fn a_client_that_does_not_read_is_not_read_either_and_closed_in_the_end() {
    let (server, _folder) = serve();
    let from = open(&server, "RIAP,S001\n");
    let mut to = open(&server, "PAIR,S001\n");
    to.set_write_timeout(Some(Duration::from_secs(60))).unwrap();
    let line = [&[b'x'; 999][..], b"\n"].concat();
    let mut sent = 0u64;
    while to.write_all(&line).is_ok() {
        sent += 1;
        assert!(sent < 1_000_000, "it is read for ever");
    }
    until("its end", || receiver(&server, "PAIR")["connections"] == 0);
    assert_eq!(receiver(&server, "PAIR")["timed_out"], 1);
    drop(from);
}

#[test]
fn an_answer_to_a_disconnected_client_is_counted() {
    let (server, _folder) = serve();
    let mut gone = open(&server, "UPPR\n");
    gone.write_all(b"\x06\0hold").unwrap();
    until("its message", || receiver(&server, "UPPR")["bytes_in"] == 6);
    reset(gone);
    let mut other = open(&server, "UPPR\n");
    assert_eq!(receiver(&server, "UPPR")["unanswered"], 0);
    talk(&mut other, "\x06\0free", "\x06\0FREE");
    until("the answer that does not go", || {
        receiver(&server, "UPPR")["unanswered"] == 1
    });
    until("its end", || receiver(&server, "UPPR")["connections"] == 1);
    let counters = receiver(&server, "UPPR");
    assert_eq!(
        (&counters["messages"], &counters["failed"]),
        (&2.into(), &0.into())
    );
}

#[test]
fn a_receiver_stops_with_its_connections_and_starts_again() {
    let (server, _folder) = serve();
    let mut stream = open(&server, "LINE\n");
    talk(&mut stream, "up\n", "UP\n");
    let other = open(&server, "UPPR\n");
    until("the other", || {
        receiver(&server, "UPPR")["connections"] == 1
    });
    ask(&server, &["stop", "line"]);
    assert_eq!(rest(&mut stream), "");
    let refusal = refused(&server, "CSKL", "LINE\n");
    assert!(refusal.contains("LINE IS STOPPED"), "{refusal}");
    assert_eq!(receiver(&server, "UPPR")["connections"], 1);
    ask(&server, &["start", "LINE"]);
    let mut stream = open(&server, "LINE\n");
    talk(&mut stream, "again\n", "AGAIN\n");
    drop(other);
}

#[test]
fn what_is_at_work_is_answered_when_the_region_ends() {
    let (server, _folder) = serve();
    let mut busy = open(&server, "UPPR\n");
    busy.write_all(b"\x06\0wait\x04\0no").unwrap();
    let mut idle = open(&server, "LINE\n");
    until("both", || {
        receiver(&server, "UPPR")["bytes_in"] == 10 && receiver(&server, "LINE")["connections"] == 1
    });
    drop(server);
    assert_eq!(rest(&mut idle), "");
    assert_eq!(rest(&mut busy), "\x06\0WAIT");
}

#[test]
fn messages_are_traced_counted_and_accounted_to_offload_engines() {
    let (server, _folder) = serve();
    ask(&server, &["trace", "--on"]);
    let mut stream = open(&server, "LINE\n");
    talk(&mut stream, "hello\n", "HELLO\n");
    // A message is traced after its answer.
    let trace = || ask(&server, &["trace"]).to_string();
    until("the message", || trace().contains("MESSAGE 5 BYTES"));
    let trace = trace();
    assert!(trace.contains("GIVEN TO RECEIVER LINE"), "{trace}");
    let metrics = crate::http::send(&server.admin, "GET", "/metrics", None);
    let metrics = String::from_utf8_lossy(&metrics.body).into_owned();
    for series in [
        "tupelo_receiver_messages_total{receiver=\"LINE\"} 1",
        "tupelo_receiver_connections{receiver=\"LINE\"} 1",
        "tupelo_receiver_unanswered_total{receiver=\"LINE\"} 0",
        "tupelo_service_cpu_seconds_total{service=\"receivers\"}",
    ] {
        assert!(metrics.contains(series), "{series}: {metrics}");
    }
}

#[test]
fn check_warns_of_missing_transactions_and_programs_that_sockets_name() {
    let settings = "[sockets]\nserved = \"native\"\n\n[sockets.listeners.CSKE]\nformat = \"enhanced\"\ncstran = \"NONE\"\nsecexit = \"POLITE\"\n\n[sockets.receivers.RECV]\nprogram = \"SHOUT\"\nframe = { delimiter = \"\\n\" }\n";
    let folder = application(&[("tupelo.toml", settings)]);
    let path = folder.path().to_str().unwrap();
    let check_output = text(&run(&["check", path]).stdout);
    for line in [
        "tupelo.toml:9: warning: receiver RECV: its clients are rejected, since transaction RECV is not defined",
        "write DEFINE TRANSACTION(RECV) GROUP(SOCKETS) PROGRAM(SHOUT) into resources.csd",
        "tupelo.toml:9: warning: receiver RECV: there is no program SHOUT",
        "tupelo.toml:4: warning: listener CSKE: there is no security exit POLITE",
        "tupelo.toml:4: warning: listener CSKE: it starts transaction NONE, which is not defined",
    ] {
        assert!(check_output.contains(line), "{line}\n{check_output}");
    }
    // Without served = "native" the listener starts what is defined.
    write(folder.path(), &settings.replace("native", "worker"));
    let check_output = text(&run(&["check", path]).stdout);
    assert!(!check_output.contains("receiver RECV"), "{check_output}");
}

#[test]
fn check_reports_what_is_wrong_with_sockets_and_the_definitions_that_it_names() {
    let settings = "[region]\napplid = \"A\"\n[sockets]\ndefinitions = \"ez.txt\"\nlisten = [\"here\"]\n\n[sockets.listeners.CSKL]\nnumsock = 1\n";
    let statements = "         EZACICD TYPE=LISTENER,APPLID=A,TRANID=CSKM,PORT=99999\n         EZACICD TYPE=LISTENER,APPLID=A,TRANID=CSKL\n         EZACICD TYPE=LISTENER,APPLID=A,TRANID=CSKE,FORMAT=ENHANCED,\n               CSTRAN=NONE\n";
    let folder = application(&[("tupelo.toml", settings), ("ez.txt", statements)]);
    let output = run(&["check", folder.path().to_str().unwrap()]);
    let check_output = text(&output.stdout);
    for line in [
        "ez.txt:1: error: PORT=99999: expected 0 to 65535",
        "ez.txt: error: listener CSKL is also in [sockets.listeners] of tupelo.toml: remove one of the two",
        "tupelo.toml:5:10: error: [sockets] listen: \"here\"",
        "tupelo.toml:8:11: error: [sockets] listeners.CSKL.numsock: 2 to 2000",
        "ez.txt: warning: listener CSKE: it starts transaction NONE, which is not defined",
    ] {
        assert!(check_output.contains(line), "{line}\n{check_output}");
    }
    assert_eq!(output.status.code(), Some(1));
}

fn write(folder: &Path, settings: &str) {
    fs::write(folder.join("tupelo.toml"), settings).unwrap();
}

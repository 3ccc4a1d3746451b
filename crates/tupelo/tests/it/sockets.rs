//! Listeners of CICS sockets: `examples/sockets`, served, and its clients.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use serde_json::Value;

use crate::program::{run, text, until};
use crate::server::{Server, example};

/// A program that takes its socket and ends without closing it.
const LEAK: &str = include_str!("../../testdata/programs/sockets/LEAK.cbl");

/// The example, at ports that the system picks.
pub fn serve() -> (Server, tempfile::TempDir) {
    serve_by("region", |_| ())
}

/// The same with sockets served in one of the ways, and changed further. Why a
/// connection ended is in the log, which a test that fails shows.
pub fn serve_by(served: &str, change: impl Fn(&std::path::Path)) -> (Server, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    for part in ["", "cobol", "copybooks"] {
        let from = example("sockets").join(part);
        fs::create_dir_all(folder.path().join(part)).unwrap();
        for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_file() {
                let to = folder.path().join(part).join(entry.file_name());
                fs::copy(entry.path(), to).unwrap();
            }
        }
    }
    let edit = |name: &str, change: &dyn Fn(String) -> String| {
        let path = folder.path().join(name);
        fs::write(&path, change(fs::read_to_string(&path).unwrap())).unwrap();
    };
    edit("ezacicd.txt", &|text| {
        // A task may begin late on a machine that is busy.
        let text = text.replace("GIVTIME=10", "GIVTIME=60");
        let ports = ["3010", "3011", "3012"];
        ports
            .iter()
            .fold(text, |text, port| text.replace(port, "0"))
    });
    edit("resources.csd", &|text| {
        format!(
            "{text}\nDEFINE TRANSACTION(LEAK) GROUP(SOCKETS) PROGRAM(LEAK)\n\
             DEFINE PROGRAM(LEAK) GROUP(SOCKETS)\n"
        )
    });
    fs::write(folder.path().join("cobol/LEAK.cbl"), LEAK).unwrap();
    edit("tupelo.toml", &|text| {
        text.replace("served = \"region\"", &format!("served = \"{served}\""))
    });
    change(folder.path());
    (Server::start_verbose(folder.path()), folder)
}

pub fn ask(server: &Server, args: &[&str]) -> Value {
    let mut all = vec!["sockets"];
    all.extend_from_slice(args);
    all.extend(["--json", "--admin", &server.admin]);
    let output = run(&all);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The operator's data about a listener.
pub fn listener(server: &Server, name: &str) -> Value {
    let overview = ask(server, &["list"]);
    let all = overview["listeners"].as_array().unwrap().clone();
    all.into_iter().find(|l| l["listener"] == name).unwrap()
}

pub fn connect(server: &Server, name: &str) -> TcpStream {
    let listener = listener(server, name);
    let stream = TcpStream::connect(listener["address"].as_str().unwrap()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    stream
}

/// Sends something and reads as many bytes as the answer has.
pub fn talk(stream: &mut TcpStream, sent: &str, answer: &str) {
    stream.write_all(sent.as_bytes()).unwrap();
    let mut got = vec![0; answer.len()];
    if let Err(error) = stream.read_exact(&mut got) {
        panic!("{sent:?} is answered with {error}, not {answer:?}");
    }
    assert_eq!(text(&got), answer, "to {sent:?}");
}

/// Reads to the end of the connection.
pub fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("the connection does not end: {error}"),
    }
    text(&bytes)
}

/// The answer to a client that sends only this.
pub fn refused(server: &Server, name: &str, said: &str) -> String {
    let mut stream = connect(server, name);
    stream.write_all(said.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    // A reset could take the text from a client that is slow to read.
    if let Err(error) = stream.read_to_end(&mut bytes) {
        panic!("{said:?} is refused, and then: {error}");
    }
    text(&bytes)
}

#[test]
fn a_client_names_a_transaction_and_talks_with_it() {
    let (server, _folder) = serve();
    let mut stream = connect(&server, "CSKL");
    talk(&mut stream, "ECHO,hello\n", "hello\n");
    talk(&mut stream, "one", "one");
    talk(&mut stream, "two", "two");
    stream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(rest(&mut stream), "");
    // In two parts, after a pause, in lower case; data directly after it.
    let mut parts = connect(&server, "CSKL");
    parts.set_nodelay(true).unwrap();
    parts.write_all(b"ec").unwrap();
    talk(&mut parts, "ho,later,ic,000001\nbehind", "later\nbehind");
    until("the end of both", || ask(&server, &["list"])["tasks"] == 1);
    let counters = listener(&server, "CSKL");
    assert_eq!(
        (&counters["accepted"], &counters["started"]),
        (&2.into(), &2.into())
    );
}

#[test]
fn a_refused_client_gets_the_reason() {
    // One socket is not taken in time.
    let (server, _folder) = serve_by("region", |folder| {
        let path = folder.join("ezacicd.txt");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, text.replace("GIVTIME=60", "GIVTIME=5")).unwrap();
    });
    let refusal = refused(&server, "CSKL", "NONE,x\n");
    assert!(
        refusal.starts_with("EZY1315E ") && refusal.contains("INVALID TRANID=NONE"),
        "{refusal}"
    );
    let refusal = refused(&server, "CSKL", "GET / HTTP/1.1\r\n\r\n");
    assert!(refusal.contains("INVALID TRANID="), "{refusal}");
    let refusal = refused(&server, "CSKL", &"garbage ".repeat(5000));
    assert!(refusal.contains("INVALID TRANID="), "{refusal}");
    let refusal = refused(&server, "CSKL", "OFF1\n");
    assert!(
        refusal.contains("TRANSACTION IS DISABLED TRANID=OFF1"),
        "{refusal}"
    );
    let refusal = refused(&server, "CSKL", "ECHO,x,IC000010\n");
    assert!(
        refusal.starts_with("EZY1353E ") && refusal.contains("COMMA MISSING AFTER IC"),
        "{refusal}"
    );
    // Unread bytes do not keep the text from the client.
    let refusal = refused(&server, "CSKL", "NOTD,x,TD\nand more");
    assert!(refusal.contains("QUEUE NOTD ANSWERS QIDERR"), "{refusal}");
    let refusal = refused(&server, "CSKL", "LAZY\nand more");
    assert!(
        refusal.contains("THE SOCKET WAS NOT TAKEN TRANID=LAZY"),
        "{refusal}"
    );
    let counters = listener(&server, "CSKL");
    assert_eq!(
        (&counters["refused"], &counters["expired"]),
        (&7.into(), &1.into())
    );
}

#[test]
fn an_exit_decides_and_an_enhanced_listener_needs_no_header() {
    let (server, _folder) = serve();
    let refusal = refused(&server, "CSKS", "ECHO,now\n");
    assert!(
        refusal.contains("THE SECURITY EXIT REJECTED TRANID=ECHO"),
        "{refusal}"
    );
    let mut stream = connect(&server, "CSKS");
    talk(&mut stream, "NONE,please\n", "please\n");
    talk(&mut stream, "x", "x");
    let mut enhanced = connect(&server, "CSKE");
    talk(&mut enhanced, "no header", "no header");
}

#[test]
fn a_queue_starts_a_transaction_that_serves_several_clients() {
    let (server, _folder) = serve();
    for round in ["first", "second"] {
        let mut stream = connect(&server, "CSKL");
        stream.write_all(b"ECHT,,TD\n").unwrap();
        talk(&mut stream, round, round);
        stream.shutdown(Shutdown::Write).unwrap();
        assert_eq!(rest(&mut stream), "");
    }
}

#[test]
fn a_receiver_and_a_sender_share_a_session_however_sockets_are_served() {
    for served in ["region", "worker", "native"] {
        let (server, _folder) = serve_by(served, |_| ());
        let mut to = connect(&server, "CSKL");
        let mut from = connect(&server, "CSKL");
        from.write_all(b"SEND,S001\n").unwrap();
        to.write_all(b"RECV,S001\nsplit ").unwrap();
        to.write_all(b"line\nand\n\nglued\n").unwrap();
        to.shutdown(Shutdown::Write).unwrap();
        assert_eq!(rest(&mut from), "SPLIT LINE\nAND\nGLUED\n", "{served}");
        let mut both = connect(&server, "CSKL");
        talk(&mut both, "LINE\none ", "");
        talk(
            &mut both,
            "connection\nfor\nboth\n",
            "ONE CONNECTION\nFOR\nBOTH\n",
        );
        both.shutdown(Shutdown::Write).unwrap();
        assert_eq!(rest(&mut both), "", "{served}");
    }
}

#[test]
fn the_inner_injector_drives_the_others_from_within() {
    for served in ["region", "worker", "native"] {
        let (server, _folder) = serve_by(served, |_| ());
        let address = listener(&server, "CSKL")["address"]
            .as_str()
            .unwrap()
            .to_owned();
        let port = address.rsplit(':').next().unwrap();
        let refusal = refused(&server, "CSKL", &format!("INJ1,20 {port} X001\n"));
        assert_eq!(refusal, "00000020 of 00000020 answered\n", "{served}");
    }
}

#[test]
fn a_listener_stops_and_starts_while_its_transactions_run() {
    let (server, _folder) = serve();
    let mut stream = connect(&server, "CSKL");
    talk(&mut stream, "ECHO,up\n", "up\n");
    let address = listener(&server, "CSKL")["address"]
        .as_str()
        .unwrap()
        .to_owned();
    ask(&server, &["stop", "CSKL"]);
    assert!(TcpStream::connect(&address).is_err());
    talk(&mut stream, "still here", "still here");
    ask(&server, &["start", "CSKL"]);
    let mut again = connect(&server, "CSKL");
    talk(&mut again, "ECHO,again\n", "again\n");
    let wrong = run(&["sockets", "start", "CSKL", "--admin", &server.admin]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("is started already"));
}

#[test]
fn a_listener_starts_again_while_a_socket_that_it_gave_waits_to_be_taken() {
    let (server, _folder) = serve();
    let mut late = connect(&server, "CSKL");
    late.write_all(b"ECHO,late,IC,000006\n").unwrap();
    until("the gift", || listener(&server, "CSKL")["waiting"] == 1);
    ask(&server, &["stop", "CSKL"]);
    ask(&server, &["start", "CSKL"]);
    let mut soon = connect(&server, "CSKL");
    talk(&mut soon, "ECHO,soon\n", "soon\n");
    talk(&mut late, "", "late\n");
}

#[test]
fn silent_clients_do_not_lock_others_out_of_a_listener() {
    let (server, _folder) = serve_by("region", |folder| {
        let path = folder.join("ezacicd.txt");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, text.replace("NUMSOCK=50", "NUMSOCK=4")).unwrap();
    });
    let silent: Vec<TcpStream> = (0..3).map(|_| connect(&server, "CSKL")).collect();
    until("their sockets", || {
        listener(&server, "CSKL")["accepted"] == 3
    });
    // Each takes the socket of the one that has been silent for longest.
    for n in 0..5 {
        let mut stream = connect(&server, "CSKL");
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        stream.write_all(format!("ECHO,{n}\n").as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        assert_eq!(rest(&mut stream), format!("{n}\n"));
    }
    drop(silent);
}

#[test]
fn clients_that_come_at_once_wait_until_a_listener_has_a_socket_for_them() {
    let (server, _folder) = serve_by("region", |folder| {
        let path = folder.join("ezacicd.txt");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, text.replace("NUMSOCK=50", "NUMSOCK=2")).unwrap();
    });
    // This client has the only connection, and sends nothing.
    let first = connect(&server, "CSKL");
    until("its socket", || listener(&server, "CSKL")["accepted"] == 1);
    let address = first.peer_addr().unwrap();
    let client = |n| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(format!("ECHO,{n}\n").as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        stream
    };
    let others: Vec<TcpStream> = (0..100).map(client).collect();
    drop(first);
    for (n, mut stream) in others.into_iter().enumerate() {
        assert_eq!(rest(&mut stream), format!("{n}\n"));
    }
}

#[test]
fn a_program_with_the_name_of_its_listener_takes_nothing_from_it() {
    let (server, _folder) = serve_by("region", |folder| {
        let program = LEAK.replace("LEAK", "MIMIC").replace(
            "           PERFORM TAKE-SOCKET",
            "           MOVE 'INITAPI' TO SOC-FUNCTION
           MOVE 50 TO SOC-S
           CALL 'EZASOKET' USING SOC-FUNCTION SOC-S SOC-CLIENT
               TIM-SUBTASK SOC-NBYTE SOC-ERRNO SOC-RETCODE
           PERFORM TAKE-SOCKET",
        );
        fs::write(folder.join("cobol/MIMIC.cbl"), program).unwrap();
        let path = folder.join("resources.csd");
        let defined = "\nDEFINE TRANSACTION(MIMI) GROUP(SOCKETS) PROGRAM(MIMIC)\n\
             DEFINE PROGRAM(MIMIC) GROUP(SOCKETS)\n";
        let text = fs::read_to_string(&path).unwrap() + defined;
        fs::write(path, text).unwrap();
    });
    let mut late = connect(&server, "CSKL");
    late.write_all(b"ECHO,late,IC,000006\n").unwrap();
    until("the gift", || listener(&server, "CSKL")["waiting"] == 1);
    let mut mimic = connect(&server, "CSKL");
    mimic.write_all(b"MIMI\n").unwrap();
    assert_eq!(rest(&mut mimic), "");
    talk(&mut late, "", "late\n");
    let mut stream = connect(&server, "CSKL");
    talk(&mut stream, "ECHO,after\n", "after\n");
}

#[test]
fn what_a_task_leaves_open_is_closed_at_its_end() {
    let (server, _folder) = serve();
    let mut leak = connect(&server, "CSKL");
    leak.write_all(b"LEAK\n").unwrap();
    assert_eq!(rest(&mut leak), "");
    // Purged while it waits for its client.
    let mut stream = connect(&server, "CSKL");
    ask(&server, &["trace", "--on"]);
    talk(&mut stream, "ECHO,waits\n", "waits\n");
    let echo = || {
        let tasks = run(&["task", "list", "--json", "--admin", &server.admin]);
        let tasks: Value = serde_json::from_slice(&tasks.stdout).unwrap();
        let tasks = tasks.as_array().unwrap();
        tasks.iter().find(|t| t["transid"] == "ECHO").cloned()
    };
    // The task has sent, and waits again: three observations in a row show it.
    let mut waits = 0;
    until("its wait", || {
        let suspended = echo().is_some_and(|t| t["status"] == "SUSPENDED");
        waits = if suspended { waits + 1 } else { 0 };
        waits == 3
    });
    let number = echo().unwrap()["task"].to_string();
    // The wait and its task end; the worker continues.
    let purged = run(&["task", "forcepurge", &number, "--admin", &server.admin]);
    assert!(text(&purged.stdout).contains("purged"), "{purged:?}");
    assert_eq!(rest(&mut stream), "");
    let metrics = crate::http::send(&server.admin, "GET", "/metrics", None);
    let lost = "tupelo_region_workers_lost_total 0";
    assert!(text(&metrics.body).contains(lost), "a worker is lost");
    until("its helper thread", || {
        ask(&server, &["list"])["tasks"] == 0
    });
    let trace = ask(&server, &["trace"]).to_string();
    assert!(
        trace.contains("TAKESOCKET") && trace.contains("GIVESOCKET TO ECHO"),
        "{trace}"
    );
}

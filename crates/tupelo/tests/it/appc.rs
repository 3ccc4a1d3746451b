//! Region programs and APPC partners, over DLSw on loopback.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use appc::{AllocateRequest, AppcConfig, IncomingAttach, NodeHost};
use sna::TpDefinition;
use sna::conversation::code::{DeallocateType, PrepareToReceiveType, ReturnCode, StatusReceived};

use crate::ports::ClosedPort;
use crate::program::until;
use crate::server::{Server, application, example};

/// How long a test waits for what must happen.
const LIMIT: Duration = Duration::from_secs(60);

/// A node of the test's own, with this configuration's partner.
pub fn node() -> NodeHost {
    let config = AppcConfig {
        listen: Some(([127, 0, 0, 1], 0).into()),
        ..AppcConfig::named("NET.PEER").unwrap()
    };
    NodeHost::start(config).unwrap()
}

/// The example, on a port of its own.
pub fn echo() -> (tempfile::TempDir, Server, NodeHost) {
    let folder = tempfile::tempdir().unwrap();
    copy(&example("appc-echo"), folder.path());
    let settings = folder.path().join("tupelo.toml");
    let text = std::fs::read_to_string(&settings).unwrap();
    std::fs::write(&settings, text.replace(":2065", ":0")).unwrap();
    let server = Server::start(folder.path());
    let node = node();
    node.define_partner("NET.REGION", &server.appc).unwrap();
    (folder, server, node)
}

pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target)
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn a_partner_attaches_a_transaction_by_either_name() {
    let (_folder, _server, node) = echo();
    for name in ["ECHO", "ECHOSERVER"] {
        let mut conversation = node
            .allocate(&AllocateRequest::new("NET.REGION", name))
            .unwrap();
        let mut buffer = vec![0; 32_767];
        for record in [&b"hello"[..], &[0xA5; 20_000]] {
            conversation.send(record).unwrap();
            conversation
                .prepare_to_receive(PrepareToReceiveType::Flush)
                .unwrap();
            let got = conversation.receive(&mut buffer).unwrap();
            assert_eq!(&buffer[..got.len], record);
            if got.status != StatusReceived::Send {
                let turn = conversation.receive(&mut buffer).unwrap();
                assert_eq!(turn.status, StatusReceived::Send);
            }
        }
        conversation.confirm().unwrap();
        conversation.deallocate(DeallocateType::Confirm).unwrap();
    }
}

#[test]
fn a_hundred_conversations_at_once_are_all_answered() {
    let (_folder, _server, node) = echo();
    let call = AllocateRequest::new("NET.REGION", "ECHO");
    std::thread::scope(|scope| {
        for number in 0..100u8 {
            let (node, call) = (&node, &call);
            scope.spawn(move || {
                // As many as there are sessions run, and the others wait.
                let mut conversation = node.allocate(call).unwrap();
                let record = [number; 3000];
                let mut buffer = [0; 4000];
                for _ in 0..3 {
                    conversation.send(&record).unwrap();
                    conversation
                        .prepare_to_receive(PrepareToReceiveType::Flush)
                        .unwrap();
                    let got = conversation.receive(&mut buffer).unwrap();
                    assert_eq!(buffer[..got.len], record);
                    if got.status != StatusReceived::Send {
                        let turn = conversation.receive(&mut buffer).unwrap();
                        assert_eq!(turn.status, StatusReceived::Send);
                    }
                }
                conversation.deallocate(DeallocateType::Confirm).unwrap();
            });
        }
    });
}

#[test]
fn a_name_that_is_no_transaction_is_refused() {
    let (_folder, _server, node) = echo();
    let mut conversation = node
        .allocate(&AllocateRequest::new("NET.REGION", "NOSUCH"))
        .unwrap();
    conversation.send(b"hello").unwrap();
    let error = conversation.confirm().unwrap_err();
    assert_eq!(error.code(), Some(ReturnCode::TpnNotRecognized));
}

#[test]
fn a_partner_that_vanishes_ends_the_task_and_not_the_region() {
    let (_folder, server, node) = echo();
    let mut conversation = node
        .allocate(&AllocateRequest::new("NET.REGION", "ECHO"))
        .unwrap();
    conversation.send(b"hello").unwrap();
    conversation.confirm().unwrap();
    node.stop();
    let next = self::node();
    next.define_partner("NET.REGION", &server.appc).unwrap();
    let mut conversation = next
        .allocate(&AllocateRequest::new("NET.REGION", "ECHO"))
        .unwrap();
    conversation.confirm().unwrap();
    conversation.deallocate(DeallocateType::Flush).unwrap();
}

#[test]
fn a_connection_demands_users_of_its_partner() {
    let user =
        |name: &str, password: Option<&str>| Some((name.to_owned(), password.map(str::to_owned)));
    let (no_user, alice) = (None, user("ALICE", Some("SECRET")));
    let (wrong, believed) = (user("ALICE", Some("WRONG")), user("ALICE", None));
    let ok = None;
    let refused = Some(ReturnCode::SecurityNotValid);
    for (level, expected) in [
        // A verified user is sent to partners that accept it.
        ("LOCAL", [ok, ok, refused, ok]),
        ("IDENTIFY", [refused, ok, refused, ok]),
        ("VERIFY", [refused, ok, refused, refused]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        copy(&example("appc-echo"), folder.path());
        let settings = folder.path().join("tupelo.toml");
        let text = std::fs::read_to_string(&settings).unwrap();
        let text = text.replace(":2065", ":0") + "[appc.users]\nALICE = \"SECRET\"\n";
        std::fs::write(&settings, text).unwrap();
        let resources = folder.path().join("resources.csd");
        let text = std::fs::read_to_string(&resources).unwrap();
        std::fs::write(
            &resources,
            format!("{} ATTACHSEC({level})\n", text.trim_end()),
        )
        .unwrap();
        let server = Server::start(folder.path());
        let node = node();
        node.define_partner("NET.REGION", &server.appc).unwrap();
        for (user, expected) in [&no_user, &alice, &wrong, &believed]
            .into_iter()
            .zip(expected)
        {
            let mut call = AllocateRequest::new("NET.REGION", "ECHO");
            call.user = user.clone();
            let mut conversation = node.allocate(&call).unwrap();
            let answer = conversation.confirm();
            let code = answer.err().and_then(|error| error.code());
            assert_eq!(code, expected, "{level}: {user:?}");
        }
        // A LINK is an Attach, too.
        let mut mirror = node
            .allocate(&AllocateRequest::new("NET.REGION", "CSMI"))
            .unwrap();
        mirror.send(b"no program link").unwrap();
        let code = mirror.confirm().unwrap_err().code();
        assert_eq!(code == refused, level != "LOCAL", "{level}: {code:?}");
    }
}

/// A program that converses with SYSID(PEER) and returns the answer as its greeting.
pub const REMOTE_LINK_PROGRAM: &str = include_str!("../../testdata/programs/appc/REMOTE.cbl");

/// A server whose program asks the node at `address`.
fn remote_link_server(address: &str) -> (tempfile::TempDir, Server) {
    running(REMOTE_LINK_PROGRAM, address)
}

/// A server whose partner is the node at `address`, with this program.
fn running(program: &str, address: &str) -> (tempfile::TempDir, Server) {
    let settings = format!(
        "[appc]\nlu = \"NET.REGION\"\nlisten = \"127.0.0.1:0\"\nactivation-timeout-s = 5\n\
         [appc.partners.\"NET.PEER\"]\naddress = \"{address}\"\n"
    );
    let app = application(&[("cobol/HELLO.cbl", program), ("tupelo.toml", &settings)]);
    let server = Server::start(app.path());
    (app, server)
}

/// Lets partners attach SHOUT.
pub fn shout(node: &NodeHost, run: impl Fn(IncomingAttach) + Send + Sync + 'static) {
    let tp = TpDefinition::new("SHOUT".parse().unwrap());
    node.define_program(tp, Arc::new(run));
}

pub fn upper(mut incoming: IncomingAttach, done: &Sender<bool>) {
    let conversation = &mut incoming.conversation;
    conversation.accept().unwrap();
    let mut buffer = [0; 100];
    let mut record = Vec::new();
    loop {
        let got = conversation.receive(&mut buffer).unwrap();
        record.extend_from_slice(&buffer[..got.len]);
        if got.status == StatusReceived::Send {
            break;
        }
    }
    record.make_ascii_uppercase();
    conversation.send(&record).unwrap();
    conversation
        .prepare_to_receive(PrepareToReceiveType::Flush)
        .unwrap();
    let end = conversation.receive(&mut buffer).unwrap();
    let _ = done.send(end.ended);
}

#[test]
fn a_program_converses_with_a_partner() {
    let node = node();
    let (done, ended) = channel();
    shout(&node, move |incoming| upper(incoming, &done));
    let (_app, server) = remote_link_server(&node.listening().unwrap().to_string());
    for _ in 0..3 {
        let answer = server.get("/hello/ada");
        assert_eq!(answer.json()["greeting"], "0000 ADA", "{answer:?}");
        assert!(ended.recv_timeout(LIMIT).unwrap(), "FREE ends it normally");
    }
}

#[test]
fn a_task_without_a_facility_names_a_conversation_by_session_too() {
    let node = node();
    let (done, ended) = channel();
    shout(&node, move |incoming| upper(incoming, &done));
    let address = node.listening().unwrap().to_string();
    let converse = REMOTE_LINK_PROGRAM.replace(" CONVID(WS-CONVID)", " SESSION(WS-CONVID)");
    assert_eq!(converse.matches("SESSION(").count(), 3);
    let apart = converse
        .replace(
            "EXEC CICS CONVERSE SESSION(WS-CONVID)",
            "EXEC CICS SEND SESSION(WS-CONVID) INVITE",
        )
        .replace(
            "FROMLENGTH(LENGTH OF HELLO-NAME)",
            "LENGTH(LENGTH OF HELLO-NAME)
               END-EXEC
               EXEC CICS RECEIVE SESSION(WS-CONVID)",
        )
        .replace("TOLENGTH(WS-LENGTH)", "LENGTH(WS-LENGTH)");
    for program in [&converse, &apart] {
        let (_app, server) = running(program, &address);
        let answer = server.get("/hello/ada");
        assert_eq!(answer.json()["greeting"], "0000 ADA", "{answer:?}");
        assert!(ended.recv_timeout(LIMIT).unwrap(), "FREE ends it normally");
    }
}

#[test]
fn a_partner_may_end_with_its_last_record() {
    let node = node();
    let (_app, server) = remote_link_server(&node.listening().unwrap().to_string());
    shout(&node, |incoming: IncomingAttach| {
        let mut conversation = incoming.conversation;
        conversation.accept().unwrap();
        let mut buffer = [0; 100];
        while conversation.receive(&mut buffer).unwrap().status != StatusReceived::Send {}
        conversation.send(b"last words").unwrap();
        conversation.deallocate(DeallocateType::Flush).unwrap();
    });
    // CONVERSE raises EOC with the record, and FREE is allowed.
    let answer = server.get("/hello/ada");
    assert_eq!(answer.json()["greeting"], "0000 last words", "{answer:?}");
}

#[test]
fn a_program_learns_why_its_partner_failed() {
    let node = node();
    let (_app, server) = remote_link_server(&node.listening().unwrap().to_string());
    let greeting = || server.get("/hello/ada").json()["greeting"].clone();
    assert_eq!(greeting(), "0081 NAME");
    shout(&node, |mut incoming: IncomingAttach| {
        incoming.conversation.accept().unwrap();
    });
    assert_eq!(greeting(), "0081 ABEND");
    let whole = node.clone();
    shout(&node, move |mut incoming: IncomingAttach| {
        incoming.conversation.accept().unwrap();
        whole.stop();
    });
    assert_eq!(greeting(), "0081 SESSION");
}

#[test]
fn a_partner_that_cannot_be_reached_is_sysiderr() {
    let closed = ClosedPort::new();
    let (_app, server) = remote_link_server(&closed.address());
    let answer = server.get("/hello/ada");
    assert_eq!(answer.json()["greeting"], "0053 ALLOCATE", "{answer:?}");
}

/// A transaction that takes one record and abends.
const FAILING: &str = include_str!("../../testdata/programs/appc/FAIL.cbl");

#[test]
fn a_task_that_fails_ends_its_conversation_as_failed() {
    let settings = "[appc]\nlu = \"NET.REGION\"\nlisten = \"127.0.0.1:0\"\n";
    let app = application(&[
        ("cobol/FAIL.cbl", FAILING),
        ("tupelo.toml", settings),
        (
            "resources.csd",
            "DEFINE TRANSACTION(FAIL) GROUP(A) PROGRAM(FAIL)\n\
             DEFINE TRANSACTION(HELO) GROUP(A) PROGRAM(HELLO)\n",
        ),
    ]);
    let server = Server::start(app.path());
    let node = node();
    node.define_partner("NET.REGION", &server.appc).unwrap();
    let mut buffer = [0; 100];
    let mut failed = |send: &[u8]| {
        let mut conversation = node
            .allocate(&AllocateRequest::new("NET.REGION", "FAIL"))
            .unwrap();
        if send.is_empty() {
            conversation.flush().unwrap();
            kill_workers_that_wait(&server);
        } else {
            conversation.send(send).unwrap();
            conversation
                .prepare_to_receive(PrepareToReceiveType::Flush)
                .unwrap();
        }
        let error = conversation.receive(&mut buffer).unwrap_err();
        assert_eq!(error.code(), Some(ReturnCode::DeallocatedAbend));
    };
    failed(b"hello");
    failed(b"");
}

/// Kills the workers once a task is active.
fn kill_workers_that_wait(server: &Server) {
    until("an active task", || {
        let metrics = crate::http::send(&server.admin, "GET", "/metrics", None);
        let text = String::from_utf8(metrics.body).unwrap();
        text.lines()
            .any(|line| line == "tupelo_region_tasks_active 1")
    });
    for pid in server.workers() {
        // SAFETY: kill(2) takes any pid; these are the server's children.
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }
}

#[test]
fn a_server_stops_though_a_conversation_waits() {
    let (_folder, server, node) = echo();
    let mut conversation = node
        .allocate(&AllocateRequest::new("NET.REGION", "ECHO"))
        .unwrap();
    conversation.send(b"hello").unwrap();
    conversation.flush().unwrap();
    drop(server);
    conversation.confirm().unwrap_err();
}

/// A program of another region: turns its COMMAREA round, or fails when it is
/// asked to.
pub const ROUND: &str = include_str!("../../testdata/programs/appc/ROUND.cbl");

/// LINKs to that program: by SYSID, or by the definition of FAR if the name is `far`.
pub const LINKING: &str = include_str!("../../testdata/programs/appc/LINKING.cbl");

/// Programs that are defined in ROUND's region and cannot run.
pub const NOT_RUN: &str = "DEFINE TRANSACTION(HELO) GROUP(A) PROGRAM(HELLO)\n\
                           DEFINE PROGRAM(STOPPED) GROUP(A) STATUS(DISABLED)\n\
                           DEFINE PROGRAM(MISSING) GROUP(A)\n";

#[test]
fn a_program_links_to_a_program_of_another_region() {
    let far = application(&[
        ("cobol/ROUND.cbl", ROUND),
        ("cobol/STOPPED.cbl", &ROUND.replace("ROUND", "STOPPED")),
        ("resources.csd", NOT_RUN),
        (
            "tupelo.toml",
            "[appc]\nlu = \"NET.PEER\"\nlisten = \"127.0.0.1:0\"\n",
        ),
    ]);
    let far = Server::start(far.path());
    let settings = format!(
        "[appc]\nlu = \"NET.REGION\"\nlisten = \"127.0.0.1:0\"\nactivation-timeout-s = 5\n\
         [appc.partners.\"NET.PEER\"]\naddress = \"{}\"\n",
        far.appc
    );
    let near = application(&[
        ("cobol/HELLO.cbl", LINKING),
        ("tupelo.toml", &settings),
        (
            "resources.csd",
            "DEFINE TRANSACTION(HELO) GROUP(A) PROGRAM(HELLO)\n\
             DEFINE PROGRAM(ROUND) GROUP(A) REMOTESYSTEM(PEER)\n",
        ),
    ]);
    let near = Server::start(near.path());
    let greeting = |name: &str| {
        let answer = near.get(&format!("/hello/{name}"));
        let text = answer.json()["greeting"].as_str().map(str::to_owned);
        text.unwrap_or_else(|| format!("{answer:?}"))
    };
    assert_eq!(greeting("olleh"), "0000 0000 hello");
    assert_eq!(greeting("defined"), "0000 0000 denifed");
    assert_eq!(greeting("none"), "0027 0001");
    assert_eq!(greeting("stopped"), "0027 0002");
    assert_eq!(greeting("missing"), "0027 0003");
    assert_eq!(greeting("fail"), "OOPS");
    drop(far);
    assert!(
        ["0053 0018", "0081 0017"].contains(&greeting("olleh").as_str()),
        "the LINK reports the loss of the region"
    );
}

/// A transaction that sends its partner the EIB fields after each RECEIVE: EIBRECV,
/// EIBFREE, EIBCONF, EIBCOMPL, EIBNODAT, EIBERR, EIBEOC, whether EOC was raised, and
/// EIBERRCD's first two bytes after an error.
const EIB_PROGRAM: &str = include_str!("../../testdata/programs/appc/EIBS.cbl");

#[test]
fn the_eib_shows_an_attached_program_what_its_partner_did() {
    let app = application(&[
        ("cobol/EIBS.cbl", EIB_PROGRAM),
        (
            "tupelo.toml",
            "[appc]\nlu = \"NET.REGION\"\nlisten = \"127.0.0.1:0\"\n",
        ),
        (
            "resources.csd",
            "DEFINE TRANSACTION(EIBS) GROUP(A) PROGRAM(EIBS)\n\
             DEFINE TRANSACTION(HELO) GROUP(A) PROGRAM(HELLO)\n",
        ),
    ]);
    let server = Server::start(app.path());
    let node = node();
    node.define_partner("NET.REGION", &server.appc).unwrap();
    let mut conversation = node
        .allocate(&AllocateRequest::new("NET.REGION", "EIBS"))
        .unwrap();
    let eib_fields = |conversation: &mut appc::Conversation| {
        conversation
            .prepare_to_receive(PrepareToReceiveType::Flush)
            .unwrap();
        let mut buffer = [0; 100];
        let mut record = Vec::new();
        loop {
            let got = conversation.receive(&mut buffer).unwrap();
            record.extend_from_slice(&buffer[..got.len]);
            if got.status == StatusReceived::Send {
                return String::from_utf8(record).unwrap().trim_end().to_owned();
            }
        }
    };
    // A record with a request to confirm, and one with the turn.
    conversation.send(b"one").unwrap();
    conversation.confirm().unwrap();
    conversation.send(b"two").unwrap();
    assert_eq!(eib_fields(&mut conversation), "10110011 00010011");
    // An error report, and the turn alone.
    conversation.send_error().unwrap();
    assert_eq!(eib_fields(&mut conversation), "10000100 0889 00001011");
    // The end, to be confirmed.
    conversation.deallocate(DeallocateType::Confirm).unwrap();
}

//! Definitions of partners that change while a region serves.

use std::path::Path;
use std::sync::mpsc::channel;

use appc::{AllocateRequest, NodeHost};
use sna::conversation::code::{DeallocateType, PrepareToReceiveType, ReturnCode, StatusReceived};

use crate::appc::{REMOTE_LINK_PROGRAM, copy, node, shout, upper};
use crate::ports::ClosedPort;
use crate::server::{Server, application, example};

/// Repeats `look` until it returns the wanted value.
fn until<T: PartialEq + std::fmt::Debug>(wanted: T, look: impl Fn() -> T) {
    let begin = std::time::Instant::now();
    while begin.elapsed().as_secs() < 60 {
        if look() == wanted {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    assert_eq!(look(), wanted, "the change does not hold");
}

fn settings(address: &str) -> String {
    format!(
        "[appc]\nlu = \"NET.REGION\"\nlisten = \"127.0.0.1:0\"\nactivation-timeout-s = 5\n\
         [appc.partners.\"NET.PEER\"]\naddress = \"{address}\"\n"
    )
}

#[test]
fn partners_and_connections_change_under_a_running_region() {
    let nodes = [node(), node()];
    let (done, _ended) = channel();
    for node in &nodes {
        let done = done.clone();
        shout(node, move |incoming| upper(incoming, &done));
    }
    let address = |node: &NodeHost| node.listening().unwrap().to_string();
    let closed = ClosedPort::new();
    let app = application(&[
        ("cobol/HELLO.cbl", REMOTE_LINK_PROGRAM),
        ("tupelo.toml", &settings(&closed.address())),
    ]);
    let server = Server::start(app.path());
    let greeting = || server.get("/hello/ada").json()["greeting"].clone();
    assert_eq!(greeting(), "0053 ALLOCATE");
    let toml = app.path().join("tupelo.toml");
    let write = |path: &Path, text: &str| std::fs::write(path, text).unwrap();
    // An address, then another one while the link to the first is up.
    write(&toml, &settings(&address(&nodes[0])));
    until("0000 ADA".into(), greeting);
    let sessions = |node: &NodeHost| node.status().sessions.len();
    assert!(sessions(&nodes[0]) > 0 && sessions(&nodes[1]) == 0);
    write(&toml, &settings(&address(&nodes[1])));
    until((true, "0000 ADA".into()), || {
        let answer = greeting();
        (sessions(&nodes[1]) > 0, answer)
    });
    until((0, 0), || {
        let status = nodes[0].status();
        (status.sessions.len(), status.links.len())
    });
    // A connection with that name takes precedence over the partner's own name.
    let csd = app.path().join("resources.csd");
    let before = std::fs::read_to_string(&csd).unwrap();
    let connection = |net_name: &str| {
        format!("{before}\nDEFINE CONNECTION(PEER) GROUP(A) NETNAME({net_name})\n")
    };
    write(&csd, &connection("ABSENT"));
    until("0053 ALLOCATE".into(), greeting);
    write(&csd, &connection("PEER"));
    until("0000 ADA".into(), greeting);
    // A partner that is taken away cannot be reached.
    write(
        &toml,
        "[appc]\nlu = \"NET.REGION\"\nlisten = \"127.0.0.1:0\"\n",
    );
    until("0053 ALLOCATE".into(), greeting);
}

/// Sends a record to ECHO and has it back.
fn echo(conversation: &mut appc::Conversation) {
    let mut buffer = [0; 100];
    conversation.send(b"hello").unwrap();
    conversation
        .prepare_to_receive(PrepareToReceiveType::Flush)
        .unwrap();
    let got = conversation.receive(&mut buffer).unwrap();
    assert_eq!(&buffer[..got.len], b"hello");
    if got.status != StatusReceived::Send {
        conversation.receive(&mut buffer).unwrap();
    }
}

#[test]
fn a_conversation_continues_while_its_sessions_are_defined_again() {
    let folder = tempfile::tempdir().unwrap();
    copy(&example("appc-echo"), folder.path());
    let toml = folder.path().join("tupelo.toml");
    let text = std::fs::read_to_string(&toml).unwrap();
    std::fs::write(&toml, text.replace(":2065", ":0")).unwrap();
    let server = Server::start(folder.path());
    let node = node();
    node.define_partner("NET.REGION", &server.appc).unwrap();
    let call = AllocateRequest::new("NET.REGION", "ECHO");
    let mut conversation = node.allocate(&call).unwrap();
    echo(&mut conversation);
    let received = || -> Vec<usize> {
        let sessions = node.status().sessions.into_iter();
        let user = sessions.filter(|s| s.mode == "#INTER");
        user.map(|s| s.ru_bytes.0).collect()
    };
    let before = received();
    let csd = folder.path().join("resources.csd");
    let text = std::fs::read_to_string(&csd).unwrap();
    let with = |more: &str| std::fs::write(&csd, format!("{text}\n{more}\n")).unwrap();
    // Invalid definitions change nothing, and are reported.
    with("DEFINE SESSIONS(S) GROUP(ECHO) MODENAME(#INTER) RECEIVESIZE(1)");
    echo(&mut conversation);
    // A user is now required: running conversations continue, new ones need one.
    with(
        "DEFINE SESSIONS(S) GROUP(ECHO) CONNECTION(PEER) MODENAME(#INTER) RECEIVESIZE(512)\n\
         ALTER CONNECTION(PEER) GROUP(ECHO) ATTACHSEC(VERIFY)",
    );
    until(Some(ReturnCode::SecurityNotValid), || {
        let mut other = node.allocate(&call).unwrap();
        let code = other.confirm().err().and_then(|error| error.code());
        if code.is_none() {
            let _ = other.deallocate(DeallocateType::Flush);
        }
        code
    });
    assert!(received().contains(&before[0]));
    echo(&mut conversation);
    conversation.deallocate(DeallocateType::Confirm).unwrap();
    with("DEFINE SESSIONS(S) GROUP(ECHO) CONNECTION(PEER) MODENAME(#INTER) RECEIVESIZE(512)");
    until(None, || {
        let mut other = node.allocate(&call).unwrap();
        let code = other.confirm().err().and_then(|error| error.code());
        if code.is_none() {
            let _ = other.deallocate(DeallocateType::Flush);
        }
        code
    });
    until(true, || received().iter().all(|bytes| *bytes == 512));
}

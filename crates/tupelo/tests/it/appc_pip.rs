//! Initialisation parameters of region programs, both ways.

use std::sync::Arc;
use std::sync::mpsc::channel;

use appc::AllocateRequest;
use sna::TpDefinition;
use sna::conversation::code::{PrepareToReceiveType, ReturnCode};

use crate::appc::node;
use crate::server::{Server, application};

/// A transaction that sends back the list it was attached with.
const PIPS: &str = include_str!("../../testdata/programs/appc_pip/PIPS.cbl");

#[test]
fn an_attached_program_has_the_parameters_of_its_attach() {
    let app = application(&[
        ("cobol/PIPS.cbl", PIPS),
        (
            "tupelo.toml",
            "[appc]\nlu = \"NET.REGION\"\nlisten = \"127.0.0.1:0\"\n",
        ),
        (
            "resources.csd",
            "DEFINE TRANSACTION(PIPS) GROUP(A) PROGRAM(PIPS)\n\
             DEFINE TRANSACTION(HELO) GROUP(A) PROGRAM(HELLO)\n",
        ),
    ]);
    let server = Server::start(app.path());
    let node = node();
    node.define_partner("NET.REGION", &server.appc).unwrap();
    let list = |pip: &[Vec<u8>]| {
        let mut call = AllocateRequest::new("NET.REGION", "PIPS");
        call.pip = pip.to_vec();
        let mut conversation = node.allocate(&call).unwrap();
        conversation.send(b"go").unwrap();
        conversation
            .prepare_to_receive(PrepareToReceiveType::Flush)
            .unwrap();
        let mut buffer = vec![0; 32_767];
        let got = conversation.receive(&mut buffer).unwrap();
        buffer.truncate(got.len);
        buffer
    };
    assert_eq!(list(&[]), b"NONE");
    let two = [b"ONE".to_vec(), b"".to_vec()];
    assert_eq!(list(&two), b"\0\x07\0\0ONE\0\x04\0\0");
    // As many as there may be, over many RUs.
    let most = list(&[vec![0xC1; 30_000], vec![0xC2; 2_755]]);
    assert_eq!(most.len(), 32_763);
    assert_eq!(most[..4], [0x75, 0x34, 0, 0]);
    assert!(most[4..30_004].iter().all(|b| *b == 0xC1));
    // The mirror of program links takes those of its callers alone.
    let mut call = AllocateRequest::new("NET.REGION", "CSMI");
    call.pip = two.to_vec();
    let mut conversation = node.allocate(&call).unwrap();
    let error = conversation.confirm().unwrap_err();
    assert_eq!(error.code(), Some(ReturnCode::PipNotSpecifiedCorrectly));
    assert_eq!(error.sense().map(|s| s.0), Some(0x1008_6032));
}

/// A program that attaches SHOUT with a list, which the name in the request
/// chooses; it shows RESP, EIBERRCD and EIBRESP of the first wait.
const CALLING: &str = include_str!("../../testdata/programs/appc_pip/HELLO.cbl");

#[test]
fn a_program_attaches_its_partner_with_parameters() {
    let node = node();
    let settings = format!(
        "[appc]\nlu = \"NET.REGION\"\nlisten = \"127.0.0.1:0\"\n\
         [appc.partners.\"NET.PEER\"]\naddress = \"{}\"\n",
        node.listening().unwrap()
    );
    let app = application(&[("cobol/HELLO.cbl", CALLING), ("tupelo.toml", &settings)]);
    let server = Server::start(app.path());
    let ask = |name: &str| {
        let answer = server.get(&format!("/hello/{name}"));
        answer.json()["greeting"].as_str().unwrap().to_owned()
    };
    let (sender, received) = channel();
    let define = |pip: bool| {
        let sender = sender.clone();
        let tp = TpDefinition {
            pip,
            ..TpDefinition::new("SHOUT".parse().unwrap())
        };
        let run = move |mut incoming: appc::IncomingAttach| {
            let _ = sender.send(incoming.attached.pip.clone());
            incoming.conversation.accept().unwrap();
            let mut buffer = [0; 10];
            incoming.conversation.receive(&mut buffer).unwrap();
            incoming.conversation.confirmed().unwrap();
            let _ = incoming.conversation.receive(&mut buffer);
        };
        node.define_program(tp, Arc::new(run));
    };
    define(true);
    // EXTRACT PROCESS is not for a conversation that the program allocated itself.
    assert_eq!(ask("right"), "0000 OWN");
    assert_eq!(received.recv().unwrap(), [b"ABCD".to_vec(), vec![]]);
    assert_eq!(ask("empty"), "0000 OWN");
    assert!(received.recv().unwrap().is_empty());
    for lie in ["short", "long", "rest", "negative"] {
        assert_eq!(ask(lie), "0022", "{lie}");
    }
    define(false);
    assert_eq!(ask("right"), "0081 NOT ALLOWED OWN");
}

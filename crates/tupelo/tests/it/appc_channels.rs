//! LINK with a channel to a program of another region.

use std::sync::Arc;

use appc::IncomingAttach;
use sna::TpDefinition;

use crate::appc::node;
use crate::server::{Server, application};

/// A program of another region: changes TEXT, leaves KEPT, deletes GONE, adds
/// MADE, and does what MODE says.
pub const FAR: &str = include_str!("../../testdata/programs/appc_channels/FAR.cbl");

/// LINKs to it, and returns the state of the containers.
pub const NEAR: &str = include_str!("../../testdata/programs/appc_channels/HELLO.cbl");

/// A region whose SYSID PEER is at `address`.
fn near(address: &str) -> (tempfile::TempDir, Server) {
    let settings = format!(
        "[appc]\nlu = \"NET.REGION\"\nlisten = \"127.0.0.1:0\"\nactivation-timeout-s = 5\n\
         [appc.partners.\"NET.PEER\"]\naddress = \"{address}\"\n"
    );
    let app = application(&[
        ("cobol/HELLO.cbl", NEAR),
        ("tupelo.toml", &settings),
        (
            "resources.csd",
            "DEFINE TRANSACTION(HELO) GROUP(A) PROGRAM(HELLO)\n\
             DEFINE PROGRAM(ALIAS) GROUP(A) REMOTESYSTEM(PEER) REMOTENAME(FAR)\n",
        ),
    ]);
    let server = Server::start(app.path());
    (app, server)
}

fn greeting(server: &Server, name: &str) -> String {
    let answer = server.get(&format!("/hello/{name}"));
    let text = answer.json()["greeting"].as_str().map(str::to_owned);
    text.unwrap_or_else(|| format!("{answer:?}"))
}

#[test]
fn a_channel_is_sent_to_a_program_of_another_region_and_returned_changed() {
    let far = application(&[
        ("cobol/FAR.cbl", FAR),
        (
            "tupelo.toml",
            "[appc]\nlu = \"NET.PEER\"\nlisten = \"127.0.0.1:0\"\n",
        ),
    ]);
    let far = Server::start(far.path());
    let (_app, near) = near(&far.appc);
    // KEPT, MADE, GONE and WHERE are as they should be; TEXT is in the page
    // that the remote program put it in.
    assert_eq!(greeting(&near, "plain"), "0000/00 0819 05 KMGW");
    assert_eq!(greeting(&near, "defined"), "0000/00 0819 05 KMGW");
    // 20 MiB are sent there; the reply leaves them out, because the program did not change them.
    assert_eq!(greeting(&near, "many"), "0000/00 0819 06 KMGW");
    // A failed LINK changes nothing.
    assert_eq!(greeting(&near, "none"), "0027/01 1140 04 K");
    assert_eq!(greeting(&near, "abend"), "9999/00 1140 04 K");
    assert_eq!(greeting(&near, "toomany"), "0022/11 1140 05 K");
    assert_eq!(greeting(&near, "grow"), "0022/11 1140 04 K");
    drop(far);
    let gone = greeting(&near, "plain");
    assert!(
        gone.starts_with("0053/18") || gone.starts_with("0081/17"),
        "{gone}"
    );
}

#[test]
fn a_region_without_channels_is_distinguished_from_one_that_fails() {
    let node = node();
    // A mirror of an earlier version takes no parameters.
    let run = |_: IncomingAttach| panic!("it is not started");
    node.define_program(TpDefinition::new("CSMI".parse().unwrap()), Arc::new(run));
    let (_app, near) = near(&node.listening().unwrap().to_string());
    assert_eq!(greeting(&near, "plain"), "0053/20 1140 04 K");
    // A mirror that accepts them and sends an invalid answer, or none.
    for nonsense in [&b"TXDL\x02nonsense"[..], b""] {
        let tp = TpDefinition {
            pip: true,
            ..TpDefinition::new("CSMI".parse().unwrap())
        };
        let run = move |mut incoming: IncomingAttach| {
            let conversation = &mut incoming.conversation;
            conversation.accept().unwrap();
            let mut buffer = vec![0; 32_767];
            while conversation.receive(&mut buffer).unwrap().status
                != sna::conversation::code::StatusReceived::Send
            {}
            if !nonsense.is_empty() {
                conversation.send(nonsense).unwrap();
                let flush = sna::conversation::code::DeallocateType::Flush;
                incoming.conversation.deallocate(flush).unwrap();
            }
        };
        node.define_program(tp, Arc::new(run));
        assert_eq!(greeting(&near, "plain"), "0081/17 1140 04 K");
    }
}

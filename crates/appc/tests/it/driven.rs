//! A node without threads, driven by the test.

use crate::support::server;
use appc::config::PartnerConfig;
use appc::{AppcConfig, DrivenNode};
use sna::conversation::code::{Fill, PrepareToReceiveType, ReturnCode, StatusReceived};
use sna::{AllocateParameters, Node};
use std::net::TcpStream;
use std::task::Poll;

/// Turns the node until `verb` is done.
fn until<T>(node: &DrivenNode, mut verb: impl FnMut(&DrivenNode) -> Poll<T>) -> T {
    loop {
        if let Poll::Ready(value) = verb(node) {
            return value;
        }
        node.turn().unwrap();
        std::thread::yield_now();
    }
}

fn verb<T>(node: &DrivenNode, mut verb: impl FnMut(&mut Node) -> Poll<T>) -> T {
    until(node, |node| node.verb(|node, _| verb(node)))
}

#[test]
fn its_owner_brings_the_connection_and_converses() {
    let server = server("NET.SERVER");
    let at = server.listening().unwrap();
    let mut config = AppcConfig::named("NET.OWNER").unwrap();
    let partner = PartnerConfig::at(&at.to_string());
    config.partners.insert("NET.SERVER".into(), partner);
    let node = DrivenNode::start(config).unwrap();
    assert!(!node.leads_to("NET.SERVER").unwrap());
    let stream = TcpStream::connect(at).unwrap();
    let call = node.call("NET.SERVER", at, stream).unwrap();
    until(&node, |node| node.called(call, "NET.SERVER")).unwrap();
    assert!(node.leads_to("NET.SERVER").unwrap());
    let [local, partner] = ["NET.OWNER", "NET.SERVER"].map(|lu| lu.parse().unwrap());
    let (mode, tp) = ("#INTER".parse().unwrap(), "INQUIRY".parse().unwrap());
    let wish = AllocateParameters::new(local, partner, mode, tp);
    let id = node.verb(|node, now| node.allocate(wish, now));
    assert_eq!(verb(&node, |node| node.allocated(id)), ReturnCode::Ok);
    let sent = verb(&node, |node| node.send(id, &[0, 0, 0, 9, 1, 2]));
    assert_eq!(sent.code, ReturnCode::Ok);
    let kind = PrepareToReceiveType::Flush;
    verb(&node, |node| node.prepare_to_receive(id, kind));
    let (mut buffer, mut bytes) = ([0; 100], 0);
    loop {
        let got = until(&node, |node| {
            node.receiving(|node, _| node.receive(id, &mut buffer, Fill::Ll))
        });
        assert_eq!(got.code, ReturnCode::Ok);
        bytes += got.len;
        if got.status == StatusReceived::Send {
            break;
        }
    }
    assert_eq!(bytes, 9);
}

#[test]
fn the_failure_of_a_call_is_reported() {
    let server = server("NET.SERVER");
    let at = server.listening().unwrap();
    let mut config = AppcConfig::named("NET.OWNER").unwrap();
    config.activation_timeout_s = 1;
    let partner = PartnerConfig::at(&at.to_string());
    config.partners.insert("NET.OTHER".into(), partner);
    let node = DrivenNode::start(config).unwrap();
    let stream = TcpStream::connect(at).unwrap();
    let call = node.call("NET.OTHER", at, stream).unwrap();
    let reported = until(&node, |node| node.called(call, "NET.OTHER"));
    assert!(reported.unwrap_err().to_string().contains("NET.OTHER"));
    let stream = TcpStream::connect(at).unwrap();
    assert!(node.call("NET.ABSENT", at, stream).is_err());
}

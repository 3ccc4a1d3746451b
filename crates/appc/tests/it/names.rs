//! Several nodes at one server: of many names, and of one.

use crate::support::{client, server};
use appc::aping::{self, ApingOptions};
use appc::config::PartnerConfig;
use appc::transactions::INQUIRY;
use appc::{AllocateRequest, AppcConfig, DrivenNode, NodeHost};
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::task::Poll;

fn ping(client: &NodeHost) -> Result<(), appc::Error> {
    aping::run(client, &ApingOptions::new("NET.SERVER"), |_| true).map(drop)
}

/// Waits until the server has no link any more.
fn until_no_link(server: &NodeHost) {
    while !server.status().links.is_empty() {
        std::thread::yield_now();
    }
}

#[test]
fn fifty_nodes_are_served_at_once() {
    let server = server("NET.SERVER");
    let clients: Vec<NodeHost> = (0..50)
        .map(|number| client(&format!("NET.C{number}"), &server))
        .collect();
    std::thread::scope(|scope| {
        for client in &clients {
            scope.spawn(|| ping(client).unwrap());
        }
    });
    assert_eq!(server.status().attached, 50);
}

#[test]
fn a_second_node_of_one_name_is_refused_and_the_first_goes_on() {
    let server = server("NET.SERVER");
    let first = client("NET.TWIN", &server);
    let mut conversation = first
        .allocate(&AllocateRequest::new("NET.SERVER", INQUIRY))
        .unwrap();
    conversation.send(&[0, 0, 0, 100]).unwrap();
    let second = client("NET.TWIN", &server);
    let reported = ping(&second).unwrap_err().to_string();
    for part in ["another node called NET.TWIN", "--lu"] {
        assert!(reported.contains(part), "{reported}");
    }
    // The first one's conversation and its sessions are as they were.
    let mut reply = 0;
    while reply < 100 {
        reply += conversation.receive(&mut [0; 200]).unwrap().len;
    }
    ping(&first).unwrap();
    let status = server.status();
    assert_eq!(status.links.len(), 1, "{status:?}");
    assert!(status.links[0].up);
    // When it has left, its name is free.
    drop(conversation);
    first.stop();
    until_no_link(&server);
    ping(&second).unwrap();
}

#[test]
fn of_many_nodes_of_one_name_one_is_served() {
    let server = server("NET.SERVER");
    let clients: Vec<NodeHost> = (0..10).map(|_| client("NET.TWIN", &server)).collect();
    let served = std::thread::scope(|scope| {
        let connect = |client: &'_ NodeHost| client.connect("NET.SERVER").is_ok();
        let calls = clients
            .iter()
            .map(|client| scope.spawn(move || connect(client)));
        let calls: Vec<_> = calls.collect();
        calls
            .into_iter()
            .filter_map(|call| call.join().ok())
            .filter(|ok| *ok)
            .count()
    });
    assert_eq!(served, 1);
    let up = server.status().links.iter().filter(|link| link.up).count();
    assert_eq!(up, 1);
}

#[test]
fn a_node_takes_the_place_of_one_that_vanished_without_a_word() {
    let server = server("NET.SERVER");
    let at = server.listening().unwrap();
    let mut config = AppcConfig::named("NET.TWIN").unwrap();
    let partner = PartnerConfig::at(&at.to_string());
    config.partners.insert("NET.SERVER".into(), partner);
    let vanished = DrivenNode::start(config).unwrap();
    let stream = TcpStream::connect(at).unwrap();
    let socket = stream.try_clone().unwrap();
    let call = vanished.call("NET.SERVER", at, stream).unwrap();
    while vanished.called(call, "NET.SERVER").is_pending() {
        vanished.turn().unwrap();
    }
    while !server.status().links[0].up {
        std::thread::yield_now();
    }
    deaf(&socket);
    let second = client("NET.TWIN", &server);
    ping(&second).unwrap();
    let status = server.status();
    assert_eq!(status.links.len(), 1, "{status:?}");
}

#[test]
fn a_node_that_is_busy_elsewhere_keeps_its_name() {
    let server = server("NET.SERVER");
    let at = server.listening().unwrap();
    let mut config = AppcConfig::named("NET.TWIN").unwrap();
    let partner = PartnerConfig::at(&at.to_string());
    config.partners.insert("NET.SERVER".into(), partner);
    let busy = DrivenNode::start(config).unwrap();
    let stream = TcpStream::connect(at).unwrap();
    let call = busy.call("NET.SERVER", at, stream).unwrap();
    let up = loop {
        match busy.called(call, "NET.SERVER") {
            Poll::Ready(up) => break up,
            Poll::Pending => busy.turn().unwrap(),
        }
    };
    up.unwrap();
    // The node is no longer driven; its system still accepts data.
    let second = client("NET.TWIN", &server);
    assert!(ping(&second).is_err());
    assert!(busy.leads_to("NET.SERVER").unwrap());
}

#[test]
fn two_nodes_may_call_each_other_at_once() {
    let (one, two) = (server("NET.ONE"), server("NET.TWO"));
    for (from, to) in [(&one, &two), (&two, &one)] {
        let at = to.listening().unwrap().to_string();
        from.define_partner(to.lu(), &at).unwrap();
    }
    std::thread::scope(|scope| {
        for (from, to) in [(&one, "NET.TWO"), (&two, "NET.ONE")] {
            scope.spawn(move || {
                for _ in 0..5 {
                    aping::run(from, &ApingOptions::new(to), |_| true).unwrap();
                }
            });
        }
    });
}

/// Lets the system discard all data of a connection: its other end receives
/// nothing any more, as if the machine were lost.
fn deaf(stream: &TcpStream) {
    // BPF_RET with 0: no byte of any segment is taken.
    let mut nothing = [libc::sock_filter {
        code: 0x06,
        jt: 0,
        jf: 0,
        k: 0,
    }];
    let program = libc::sock_fprog {
        len: 1,
        filter: nothing.as_mut_ptr(),
    };
    // SAFETY: the pointer and length name `program`, whose filter lives as long.
    let set = unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_ATTACH_FILTER,
            (&raw const program).cast(),
            size_of::<libc::sock_fprog>() as u32,
        )
    };
    assert_eq!(set, 0, "{}", std::io::Error::last_os_error());
}

#[test]
fn a_partners_new_address_holds_while_a_conversation_keeps_the_former_link() {
    let servers = [server("NET.SERVER"), server("NET.SERVER")];
    let client = client("NET.CLIENT", &servers[0]);
    let call = AllocateRequest::new("NET.SERVER", INQUIRY);
    let mut held = client.allocate(&call).unwrap();
    held.send(&[0, 0, 0, 100]).unwrap();
    held.flush().unwrap();
    while servers[0].status().attached == 0 {
        std::thread::yield_now();
    }
    let address = servers[1].listening().unwrap().to_string();
    let changed = client
        .change_partner("NET.SERVER", PartnerConfig::at(&address))
        .unwrap();
    assert_eq!(changed.busy, 1);
    // Each session from now on is one with the new address.
    for number in 1..=3 {
        ping(&client).unwrap();
        let attached = [0, 1].map(|at: usize| servers[at].status().attached);
        assert_eq!(attached, [1, number], "{number}");
    }
    let mut reply = 0;
    while reply < 100 {
        reply += held.receive(&mut [0; 200]).unwrap().len;
    }
    drop(held);
    until_no_link(&servers[0]);
    // And back, with nothing to wait for.
    let address = servers[0].listening().unwrap().to_string();
    client
        .change_partner("NET.SERVER", PartnerConfig::at(&address))
        .unwrap();
    ping(&client).unwrap();
    assert_eq!(servers[0].status().attached, 2);
    until_no_link(&servers[1]);
}

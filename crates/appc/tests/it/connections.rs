//! DLSw over one and over two TCP connections, and partners whose capabilities
//! are wrong.

use appc::aping::{self, ApingOptions};
use appc::config::DlswConnections::{One, Two, TwoThenOne};
use appc::config::{AppcConfig, DlswConnections, PartnerConfig};
use appc::{Error, NodeHost};
use sna::dlc::caps::{self, Exchange, SwitchCapabilities};
use sna::dlc::ssp::{Kind, SspMessage};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Runs a test on its own thread and fails it when nothing comes of it: a partner
/// that waits forever must not hold up all others.
fn bounded(test: fn()) {
    let (ended, reported) = channel();
    let thread = std::thread::spawn(move || {
        test();
        // The listener is closed only after the limit.
        let _ = ended.send(());
    });
    match reported.recv_timeout(LIMIT) {
        Ok(()) => {}
        Err(RecvTimeoutError::Timeout) => panic!("it still runs after {LIMIT:?}"),
        Err(RecvTimeoutError::Disconnected) => {
            let panic = thread.join().expect_err("it ended without a word");
            std::panic::resume_unwind(panic);
        }
    }
}

/// Far longer than any of them takes.
const LIMIT: Duration = Duration::from_secs(120);

fn node(lu: &str, connections: DlswConnections) -> NodeHost {
    let host = NodeHost::start(AppcConfig {
        listen: Some(([127, 0, 0, 1], 0).into()),
        tcp_connections: connections,
        ..AppcConfig::named(lu).unwrap()
    })
    .unwrap();
    aping::define(&host).unwrap();
    host
}

fn at(host: &NodeHost) -> String {
    host.listening().unwrap().to_string()
}

fn kinds(host: &NodeHost) -> Vec<String> {
    host.status()
        .links
        .into_iter()
        .map(|link| link.kind)
        .collect()
}

#[test]
fn nodes_of_every_manner_find_each_other() {
    bounded(|| {
        for caller in [One, Two, TwoThenOne] {
            for called in [One, Two, TwoThenOne] {
                let (client, server) = (node("NET.CLIENT", caller), node("NET.SERVER", called));
                client.define_partner("NET.SERVER", &at(&server)).unwrap();
                server.define_partner("NET.CLIENT", &at(&client)).unwrap();
                let mut options = ApingOptions::new("NET.SERVER");
                options.size = 20_000;
                let report = aping::run(&client, &options, |_| true);
                let report =
                    report.unwrap_or_else(|why| panic!("{caller:?} calls {called:?}: {why}"));
                assert_eq!(report.total().bytes, 80_000);
                let expected = match (caller, called) {
                    (One, _) | (TwoThenOne, One | TwoThenOne) => "dlsw",
                    (Two, _) | (TwoThenOne, Two) => "dlsw, 2 TCP",
                };
                assert_eq!(kinds(&client), [expected], "{caller:?} calls {called:?}");
                assert_eq!(kinds(&server), [expected], "{caller:?} calls {called:?}");
            }
        }
    });
}

#[test]
fn a_partner_that_is_called_first_calls_back_over_the_same_transport() {
    bounded(|| {
        let (client, server) = (node("NET.CLIENT", Two), node("NET.SERVER", Two));
        client.define_partner("NET.SERVER", &at(&server)).unwrap();
        server.define_partner("NET.CLIENT", &at(&client)).unwrap();
        aping::run(&client, &ApingOptions::new("NET.SERVER"), |_| true).unwrap();
        aping::run(&server, &ApingOptions::new("NET.CLIENT"), |_| true).unwrap();
        assert_eq!(kinds(&server), ["dlsw, 2 TCP"]);
    });
}

#[test]
fn a_caller_that_cannot_be_connected_back_to_is_served_on_its_own_connection() {
    bounded(|| {
        let server = node("NET.SERVER", Two);
        // It does not listen, and its address has an unused port.
        let client = NodeHost::start(AppcConfig {
            tcp_connections: One,
            ..AppcConfig::named("NET.CLIENT").unwrap()
        })
        .unwrap();
        let unused = TcpListener::bind("127.0.0.1:0").unwrap();
        let unused = unused.local_addr().unwrap().to_string();
        server.define_partner("NET.CLIENT", &unused).unwrap();
        client.define_partner("NET.SERVER", &at(&server)).unwrap();
        aping::run(&client, &ApingOptions::new("NET.SERVER"), |_| true).unwrap();
        assert_eq!(kinds(&client), ["dlsw"]);
    });
}

#[test]
fn the_end_of_one_of_two_connections_ends_the_link() {
    bounded(|| {
        let partner = TcpListener::bind("127.0.0.1:0").unwrap();
        let node = NodeHost::start(AppcConfig {
            listen: Some(([127, 0, 0, 1], 0).into()),
            tcp_connections: Two,
            ..AppcConfig::named("NET.CLIENT").unwrap()
        })
        .unwrap();
        let address = partner.local_addr().unwrap().to_string();
        node.define_partner_as("NET.SERVER", PartnerConfig::at(&address))
            .unwrap();
        let listens = node.listening().unwrap();
        let other = std::thread::spawn(move || {
            let (mut reads, _) = partner.accept().unwrap();
            let mut writes = TcpStream::connect(listens).unwrap();
            let reported = next(&mut reads).unwrap();
            assert!(
                matches!(reported, Exchange::Request(ref caps) if caps.tcp_connections == 2),
                "{reported:?}"
            );
            send_exchange(&mut writes, &Exchange::Accepted);
            writes.shutdown(Shutdown::Both).unwrap();
            // The node closes its own then.
            let mut rest = Vec::new();
            let _ = reads.read_to_end(&mut rest);
        });
        let error = node.connect("NET.SERVER").unwrap_err();
        assert!(matches!(error, Error::Link { .. }), "{error}");
        assert!(error.to_string().contains("closed"), "{error}");
        other.join().unwrap();
    });
}

fn send_exchange(stream: &mut TcpStream, exchange: &Exchange) {
    let mut out = Vec::new();
    caps::message(exchange, &mut out);
    stream.write_all(&out).unwrap();
}

/// The next capabilities message; `None` at the end of the stream.
fn next(stream: &mut TcpStream) -> Option<Exchange> {
    let mut bytes = Vec::new();
    loop {
        if let Some((message, _)) = SspMessage::parse(&bytes).unwrap() {
            assert_eq!(message.kind, Kind::CapExchange);
            return Some(Exchange::parse(message.data).unwrap());
        }
        let mut byte = [0];
        if stream.read(&mut byte).unwrap() == 0 {
            return None;
        }
        bytes.push(byte[0]);
    }
}

/// A CAP_EXCHANGE message with these vectors.
fn request(vectors: &[&[u8]]) -> Vec<u8> {
    let body = vectors.concat();
    let mut data = (body.len() as u16 + 4).to_be_bytes().to_vec();
    data.extend([0x15, 0x20]);
    data.extend(body);
    let mut out = Vec::new();
    SspMessage {
        data: &data,
        ..SspMessage::new(Kind::CapExchange)
    }
    .emit(&mut out);
    out
}

fn silent_server() -> (NodeHost, SocketAddr) {
    let server = node("NET.SERVER", One);
    let address = server.listening().unwrap();
    (server, address)
}

#[test]
fn wrong_capabilities_are_refused_by_offset_and_the_connection_ends() {
    bounded(|| {
        let (_server, address) = silent_server();
        const VENDOR: &[u8] = &[5, 0x81, 0, 0, 0];
        const VERSION: &[u8] = &[4, 0x82, 1, 0];
        const WINDOW: &[u8] = &[4, 0x83, 0, 20];
        let saps: &[u8] = &[&[18, 0x86][..], &[0xFF; 16]].concat();
        for (vectors, offset, reason) in [
            (&[][..], 4, 3),
            (&[VENDOR, VERSION, WINDOW][..], 17, 3),
            (&[VENDOR, VERSION, &[4, 0x83, 0, 0], saps][..], 13, 5),
            (&[VENDOR, &[3, 0x82, 1], WINDOW, saps][..], 9, 4),
            (&[VENDOR, VERSION, WINDOW, &[200, 0x84, b'x']][..], 17, 4),
            (&[VENDOR, VERSION, WINDOW, saps, &[1, 0x99]][..], 35, 4),
            (&[VENDOR, VERSION, WINDOW, saps, &[9]][..], 35, 4),
        ] {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(&request(vectors)).unwrap();
            let mut answers = Vec::new();
            while let Some(answer) = next(&mut stream) {
                answers.push(answer);
            }
            assert!(
                answers.contains(&Exchange::Refused(offset, reason)),
                "{vectors:02x?}: {answers:?}"
            );
        }
    });
}

#[test]
fn bytes_that_are_no_messages_end_the_connection_and_nothing_else() {
    bounded(|| {
        let (server, address) = silent_server();
        let mut early = Vec::new();
        SspMessage::new(Kind::XidFrame).emit(&mut early);
        for bytes in [
            &[0xFF; 16][..],
            b"GET / HTTP/1.1\r\n\r\n",
            &early,
            &[0x31, 0x10, 0xFF],
        ] {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(bytes).unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
            // Closed in good order, or reset since bytes were left unread.
            let _ = stream.read_to_end(&mut Vec::new());
        }
        let client = node("NET.CLIENT", One);
        client.define_partner("NET.SERVER", &at(&server)).unwrap();
        aping::run(&client, &ApingOptions::new("NET.SERVER"), |_| true).unwrap();
    });
}

#[test]
fn a_partner_that_sends_nothing_first_receives_capabilities() {
    bounded(|| {
        let (_server, address) = silent_server();
        let mut stream = TcpStream::connect(address).unwrap();
        let reported = next(&mut stream).unwrap();
        assert!(matches!(reported, Exchange::Request(_)), "{reported:?}");
        send_exchange(
            &mut stream,
            &Exchange::Request(SwitchCapabilities::default()),
        );
        send_exchange(&mut stream, &Exchange::Accepted);
        assert_eq!(next(&mut stream), Some(Exchange::Accepted));
    });
}

#[test]
fn a_silent_partner_that_this_node_knows_is_connected_back_to() {
    bounded(|| {
        let switch = TcpListener::bind("127.0.0.1:0").unwrap();
        let (server, address) = silent_server();
        let listens = switch.local_addr().unwrap().to_string();
        server.define_partner("NET.CLIENT", &listens).unwrap();
        // The partner opens its own connection and waits for the node's.
        let mut writes = TcpStream::connect(address).unwrap();
        let (mut reads, _) = switch.accept().unwrap();
        let reported = next(&mut reads).unwrap();
        assert!(matches!(reported, Exchange::Request(_)), "{reported:?}");
        let two = SwitchCapabilities {
            tcp_connections: 2,
            ..SwitchCapabilities::default()
        };
        send_exchange(&mut writes, &Exchange::Request(two));
        send_exchange(&mut writes, &Exchange::Accepted);
        assert_eq!(next(&mut reads), Some(Exchange::Accepted));
    });
}

#[test]
fn a_partner_that_sends_requests_and_never_reads_is_disconnected() {
    bounded(|| {
        let (_server, address) = silent_server();
        let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None);
        let socket = socket.unwrap();
        // Little fits between the node and this side.
        socket.set_recv_buffer_size(4096).unwrap();
        socket.connect(&address.into()).unwrap();
        let mut stream = TcpStream::from(socket);
        let mut asked = Vec::new();
        for _ in 0..100 {
            caps::message(
                &Exchange::Request(SwitchCapabilities::default()),
                &mut asked,
            );
        }
        // It ends: the node does not keep answers without bound.
        while stream.write_all(&asked).is_ok() {}
    });
}

#[test]
fn a_partner_that_sends_requests_without_a_pause_keeps_no_other_out() {
    bounded(|| {
        let (server, address) = silent_server();
        let mut stream = TcpStream::connect(address).unwrap();
        let mut reads = stream.try_clone().unwrap();
        let reader = std::thread::spawn(move || {
            let mut answers = vec![0; 1 << 16];
            while reads.read(&mut answers).is_ok_and(|bytes| bytes > 0) {}
        });
        send_exchange(&mut stream, &Exchange::Accepted);
        let mut request = Vec::new();
        for _ in 0..1000 {
            let capabilities = SwitchCapabilities::default();
            caps::message(&Exchange::Request(capabilities), &mut request);
        }
        let writer = std::thread::spawn(move || while stream.write_all(&request).is_ok() {});
        let client = node("NET.CLIENT", One);
        client.define_partner("NET.SERVER", &at(&server)).unwrap();
        let mut options = ApingOptions::new("NET.SERVER");
        options.iterations = 1;
        aping::run(&client, &options, |_| true).unwrap();
        drop(server);
        writer.join().unwrap();
        reader.join().unwrap();
    });
}

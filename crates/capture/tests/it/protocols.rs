//! Exchanges distinguished, protocol by protocol.

use crate::build::TestConversation;
use capture::{AppProtocol, CaptureExplanation, EvidenceKind};

/// Label, request bytes, response bytes, complete.
fn exchanges(explanation: &CaptureExplanation) -> Vec<(&str, u64, u64, bool)> {
    (explanation.exchanges.iter())
        .map(|e| (&e.label[..], e.request.bytes, e.response.bytes, e.complete))
        .collect()
}

#[test]
fn http_requests_in_one_segment_are_exchanges_of_their_own() {
    let explanation = TestConversation::to(80)
        .client(b"GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n")
        .server(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
        .server(b"HTTP/1.1 404 Not Found\r\ncontent-length:0\r\n\r\n")
        .explain();
    assert_eq!(
        exchanges(&explanation),
        [
            ("GET /a → 200", 19, 41, true),
            ("GET /b → 404", 19, 44, true)
        ]
    );
    assert_eq!(explanation.exchanges[1].total_ns(), 2_000_000);
}

#[test]
fn http_chunks_may_be_cut_anywhere() {
    let response: &[u8] =
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nabcde\r\n3\r\nfgh\r\n0\r\nEnd: 1\r\n\r\n";
    for cut in 1..response.len() {
        let explanation = TestConversation::to(8080)
            .client(b"GET / HTTP/1.1\r\n\r\n")
            .server(&response[..cut])
            .server(&response[cut..])
            .client(b"GET /next HTTP/1.1\r\n\r\n")
            .explain();
        assert_eq!(
            exchanges(&explanation),
            [
                ("GET / → 200", 18, response.len() as u64, true),
                ("GET /next", 22, 0, false)
            ],
            "cut at {cut}"
        );
    }
}

#[test]
fn an_interim_response_is_not_the_response() {
    let explanation = TestConversation::to(80)
        .client(b"PUT /x HTTP/1.1\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        .server(b"HTTP/1.1 100 Continue\r\n\r\n")
        .client(b"body")
        .server(b"HTTP/1.1 204 No Content\r\n\r\n")
        .explain();
    assert_eq!(exchanges(&explanation), [("PUT /x → 204", 64, 27, true)]);
}

#[test]
fn heads_without_bodies_and_bodies_to_the_end_are_known() {
    let explanation = TestConversation::to(80)
        .client(b"HEAD / HTTP/1.1\r\n\r\n")
        .server(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n")
        .client(b"GET / HTTP/1.0\r\n\r\n")
        .server(b"HTTP/1.0 200 OK\r\n\r\nto the")
        .server(b" end")
        .server_closes()
        .explain();
    assert_eq!(
        exchanges(&explanation),
        [
            ("HEAD / → 200", 19, 39, true),
            ("GET / → 200", 18, 29, true)
        ]
    );
}

#[test]
fn bodies_that_were_not_captured_are_stepped_over() {
    let explanation = TestConversation::to(80)
        .client(b"GET /a HTTP/1.1\r\n\r\n")
        .server(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        .server(&[b'x'; 1000])
        .unseen()
        .client(b"GET /b HTTP/1.1\r\n\r\n")
        .server(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        .explain();
    assert_eq!(
        exchanges(&explanation),
        [
            ("GET /a → 200", 19, 1041, true),
            ("GET /b → 200", 19, 38, true)
        ]
    );
}

#[test]
fn an_upgrade_leaves_to_turns() {
    let explanation = TestConversation::to(80)
        .client(b"GET /ws HTTP/1.1\r\nUpgrade: websocket\r\n\r\n")
        .server(b"HTTP/1.1 101 Switching Protocols\r\n\r\n")
        .client(b"\x81\x05hello")
        .server(b"\x81\x05world")
        .explain();
    assert_eq!(explanation.connections[0].protocol, AppProtocol::Turns);
    assert_eq!(explanation.totals.exchanges, 2);
}

#[test]
fn a_length_in_front_is_recognised_and_messages_are_counted() {
    let message = |bytes: &[u8]| [&(bytes.len() as u32).to_be_bytes()[..], bytes].concat();
    let explanation = TestConversation::to(9_000)
        .client(&message(b"first question"))
        .server(&[message(b"one"), message(b"two")].concat())
        .client(&message(b"second")[..4])
        .client(b"second")
        .server(&message(b"three"))
        .explain();
    assert_eq!(explanation.connections[0].protocol, AppProtocol::Framed4);
    let parts: Vec<_> = (explanation.exchanges.iter())
        .map(|e| (e.request.messages, e.request.segments, e.response.messages))
        .collect();
    assert_eq!(parts, [(1, 1, 2), (1, 2, 1)]);
}

#[test]
fn dlsw_requests_and_answers_are_exchanges_of_their_circuit() {
    let control = |kind: u8| {
        let mut message = vec![0; 72];
        (message[0], message[1], message[14]) = (0x31, 72, kind);
        message
    };
    let explanation = TestConversation::to(2_065)
        .client(&control(3))
        .server(&control(4))
        .client(&control(5))
        .client(&[0x31, 16, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 7, 7])
        .server(&control(8))
        .client(&control(9))
        .explain();
    assert_eq!(explanation.connections[0].protocol, AppProtocol::Dlsw);
    let reported: Vec<_> = (explanation.exchanges.iter())
        .map(|e| (&e.label[..], e.asked_by, e.complete))
        .collect();
    let expected = [
        ("DLSw CANUREACH", capture::ConnectionSide::Client, true),
        ("DLSw CONTACT", capture::ConnectionSide::Server, true),
    ];
    assert_eq!(reported, expected);
}

#[test]
fn switches_are_recognised_on_any_port_by_their_capabilities() {
    let mut capabilities = vec![0; 72];
    (capabilities[0], capabilities[1]) = (0x31, 72);
    (capabilities[14], capabilities[23]) = (0x20, 0x20);
    let explanation = TestConversation::to(9_000)
        .client(&capabilities)
        .server(&capabilities)
        .explain();
    assert_eq!(explanation.connections[0].protocol, AppProtocol::Dlsw);
    assert_eq!(
        exchanges(&explanation),
        [("DLSw capabilities", 72, 72, true)]
    );
}

#[test]
fn tls_is_split_into_set_up_and_turns_of_application_data() {
    let record = |kind: u8, body: &[u8]| {
        let mut bytes = vec![kind, 3, 3];
        bytes.extend((body.len() as u16).to_be_bytes());
        bytes.extend(body);
        bytes
    };
    let server_hello = |version: u8, key: bool| {
        let mut extensions = vec![0, 43, 0, 2, 3, version];
        if key {
            extensions.extend([0, 41, 0, 2, 0, 0]);
        }
        let mut body = vec![3, 3];
        body.extend([9; 32]);
        body.extend([0, 0x13, 1, 0]);
        body.extend((extensions.len() as u16).to_be_bytes());
        body.extend(extensions);
        let mut message = vec![2, 0, 0, body.len() as u8];
        message.extend(body);
        message
    };
    for resumed in [false, true] {
        let explanation = TestConversation::to(443)
            .client(&record(22, &[1, 0, 0, 0]))
            .server(&[record(22, &server_hello(4, resumed)), record(23, &[0; 60])].concat())
            .client(&record(23, &[0; 53]))
            .server(&record(23, &[0; 200]))
            .client(&record(23, &[0; 90]))
            .server(&record(23, &[0; 700]))
            .explain();
        let connection = &explanation.connections[0];
        let tls = connection.tls.as_ref().unwrap();
        assert_eq!((tls.version, tls.resumed), (0x0304, resumed));
        assert_eq!(connection.protocol, AppProtocol::Tls);
        assert_eq!(exchanges(&explanation), [("", 90, 700, true)]);
        // Set-up, hello and request each take the handshake's round trip.
        let slices = &explanation.exchanges[0].slices;
        assert!(slices.total_ns() - slices.of(EvidenceKind::SlowPath) <= 1_000_000);
    }
}

#[test]
fn a_sealed_goodbye_of_tls_1_3_is_no_request_and_no_part_of_a_response() {
    let record = |kind: u8, bytes: usize| {
        let mut record = vec![kind, 3, 3];
        record.extend((bytes as u16).to_be_bytes());
        record.extend(vec![0; bytes]);
        record
    };
    let mut hello = vec![2, 0, 0, 46, 3, 3];
    hello.extend([9; 32]);
    hello.extend([0, 0x13, 1, 0, 0, 6, 0, 43, 0, 2, 3, 4]);
    let mut server_hello = vec![22, 3, 3, 0, hello.len() as u8];
    server_hello.extend(hello);
    let reported = |talk: TestConversation| {
        let explanation = talk.explain();
        let sizes: Vec<_> = (explanation.exchanges.iter())
            .map(|e| (e.request.bytes, e.response.bytes))
            .collect();
        sizes
    };
    let talk = || {
        TestConversation::to(443)
            .client(&record(22, 40))
            .server(&[server_hello.clone(), record(23, 60)].concat())
            .client(&record(23, 53))
            .client(&record(23, 90))
            .server(&record(23, 700))
    };
    assert_eq!(reported(talk()), vec![(90, 700)]);
    assert_eq!(reported(talk().client(&record(23, 19))), vec![(90, 700)]);
    assert_eq!(reported(talk().server(&record(23, 19))), vec![(90, 700)]);
    let asked = talk().client(&record(23, 19)).server(&record(23, 30));
    assert_eq!(reported(asked), [(90, 730)]);
}

#[test]
fn http_2_is_recognised_also_after_an_upgrade_and_settings_are_no_request() {
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00";
    let talk = TestConversation::to(80)
        .client(preface)
        .server(b"\x00\x00\x00\x04\x00\x00\x00\x00\x00");
    let explanation = talk.explain();
    assert_eq!(explanation.connections[0].protocol, AppProtocol::Http2);
    assert_eq!(exchanges(&explanation), []);
    assert_eq!(AppProtocol::named("http2"), None);
    let upgraded = TestConversation::to(80)
        .client(b"GET / HTTP/1.1\r\nUpgrade: h2c\r\n\r\n")
        .server(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n")
        .client(preface)
        .server(b"\x00\x00\x00\x04\x00\x00\x00\x00\x00");
    let explanation = upgraded.explain();
    assert_eq!(explanation.connections[0].protocol, AppProtocol::Http2);
    assert_eq!(explanation.totals.exchanges, 1);
}

#[test]
fn a_protocol_can_be_set_by_port() {
    let mut options = capture::AnalysisOptions::default();
    options.protocols.push((80, AppProtocol::Turns));
    let talk = TestConversation::to(80)
        .client(b"GET / HTTP/1.1\r\n\r\n")
        .server(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(talk.explain().connections[0].protocol, AppProtocol::Http1);
    let reported = capture::explain(&talk.bytes()[..], &options).unwrap();
    assert_eq!(reported.connections[0].protocol, AppProtocol::Turns);
}

#[test]
fn an_answer_that_acknowledges_the_end_of_the_request_begins_no_request() {
    use crate::build::{RAW, pcap, segment};
    // The client ends its side after the second request; both answers come later.
    let (near, far) = ((50_000, 4_000), (4_000, 50_000));
    let frames = [
        (near, 0, 0, 0x02, &b""[..]),
        (far, 0, 1, 0x12, b""),
        (near, 1, 1, 0x18, b"first"),
        (far, 1, 6, 0x18, b"one"),
        (near, 6, 4, 0x18, b"second"),
        (near, 12, 4, 0x11, b""),
        (far, 4, 13, 0x18, b"two"),
        (far, 7, 13, 0x18, b"more"),
    ];
    let frames: Vec<_> = (frames.into_iter().zip(0..))
        .map(|((ports, seq, ack, flags, data), at_us)| {
            (at_us * 100, segment(ports, seq, ack, flags, data))
        })
        .collect();
    let mut explanation = capture::explain(&pcap(RAW, &frames)[..], &Default::default()).unwrap();
    explanation.exchanges.sort_by_key(|e| e.index);
    let reported: Vec<_> = (explanation.exchanges.iter())
        .map(|e| (e.request.bytes, e.response.bytes))
        .collect();
    assert_eq!(reported, [(5, 3), (6, 7)]);
}

/// A frame of HTTP/2.
fn http2_frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

#[test]
fn streams_of_http2_are_exchanges_in_whatever_order_they_are_answered() {
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    let (data, headers, settings, reset) = (0, 1, 4, 3);
    let asked = [
        preface,
        http2_frame(settings, 0, 0, b""),
        http2_frame(headers, 5, 1, &[0x82, 0x84].repeat(10)),
        http2_frame(headers, 5, 3, &[0x82, 0x84].repeat(10)),
        http2_frame(headers, 4, 5, &[0x82, 0x84].repeat(10)),
        http2_frame(data, 1, 5, &[b'x'; 100]),
    ]
    .concat();
    let third = [
        http2_frame(settings, 0, 0, b""),
        http2_frame(headers, 4, 3, &[0x88; 11]),
        http2_frame(data, 1, 3, &[b'y'; 40]),
    ]
    .concat();
    let first = [
        http2_frame(headers, 4, 1, &[0x88; 11]),
        http2_frame(data, 0, 1, &[b'y'; 300]),
        http2_frame(data, 1, 1, b""),
    ]
    .concat();
    let explanation = TestConversation::to(8080)
        .client(&asked)
        .server(&third)
        // Cut where no frame ends.
        .server(&first[..50])
        .server(&first[50..])
        .server(&http2_frame(reset, 0, 5, &[0; 4]))
        .explain();
    assert_eq!(explanation.connections[0].protocol, AppProtocol::Http2);
    let mut found = exchanges(&explanation);
    found.sort_unstable();
    assert_eq!(
        found,
        [
            ("GET /", 138, 0, false),
            ("GET / → 200", 29, 69, true),
            ("GET / → 200", 29, 338, true),
        ]
    );
    let times: Vec<i64> = (explanation.exchanges.iter())
        .filter(|e| e.complete)
        .map(|e| e.end_ns - e.start_ns)
        .collect();
    assert!(times.iter().all(|ns| *ns >= 1_000_000), "{times:?}");
}

//! TLS opened with its key log, and HTTP/2 with its heads read.
//!
//! The sealed side is rustls, which knows nothing of the code here: its own
//! records, its own key log.

use crate::build::Talk;
use capture::{Explanation, KeyLog, Options, Phase, Protocol};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use rustls::version::{TLS12, TLS13};
use rustls::{CipherSuite, SupportedProtocolVersion, crypto::CryptoProvider};
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection};
use std::io::Write;
use std::sync::{Arc, Mutex};

/// Gathers what a client writes to its key log.
#[derive(Debug, Default)]
struct Written(Mutex<String>);

impl rustls::KeyLog for Written {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
        let line = format!("{label} {} {}\n", hex(client_random), hex(secret));
        self.0.lock().unwrap().push_str(&line);
    }
}

/// Two ends of TLS and the packets between them.
struct Sealed {
    client: ClientConnection,
    server: ServerConnection,
    talk: Option<Talk>,
    log: Arc<Written>,
}

impl Sealed {
    fn new(version: &'static SupportedProtocolVersion, suite: CipherSuite) -> Sealed {
        let provider = CryptoProvider {
            cipher_suites: (rustls::crypto::ring::ALL_CIPHER_SUITES.iter().copied())
                .filter(|s| s.suite() == suite)
                .collect(),
            ..rustls::crypto::ring::default_provider()
        };
        let provider = Arc::new(provider);
        let made = rcgen::generate_simple_self_signed(["host.test".to_owned()]).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        let server = ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[version])
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(made.cert.der().clone()).unwrap();
        let mut client = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[version])
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let log = Arc::new(Written::default());
        client.key_log = log.clone();
        let name = ServerName::try_from("host.test").unwrap();
        let mut sealed = Sealed {
            client: ClientConnection::new(Arc::new(client), name).unwrap(),
            server: ServerConnection::new(Arc::new(server)).unwrap(),
            talk: Some(Talk::to(443)),
            log,
        };
        while sealed.client.is_handshaking() || sealed.server.is_handshaking() {
            sealed.client_packets(usize::MAX);
            sealed.server_packets(usize::MAX);
        }
        sealed
    }

    /// What the client has to send goes in packets of `size` bytes.
    fn client_packets(&mut self, size: usize) {
        let mut bytes = Vec::new();
        while self.client.wants_write() {
            self.client.write_tls(&mut bytes).unwrap();
        }
        for packet in bytes.chunks(size.min(bytes.len().max(1))) {
            self.talk = self.talk.take().map(|talk| talk.client(packet));
        }
        let mut left = &bytes[..];
        while !left.is_empty() {
            self.server.read_tls(&mut left).unwrap();
            self.server.process_new_packets().unwrap();
        }
    }

    fn server_packets(&mut self, size: usize) {
        let mut bytes = Vec::new();
        while self.server.wants_write() {
            self.server.write_tls(&mut bytes).unwrap();
        }
        for packet in bytes.chunks(size.min(bytes.len().max(1))) {
            self.talk = self.talk.take().map(|talk| talk.server(packet));
        }
        let mut left = &bytes[..];
        while !left.is_empty() {
            self.client.read_tls(&mut left).unwrap();
            self.client.process_new_packets().unwrap();
        }
    }

    fn ask(&mut self, bytes: &[u8], size: usize) {
        self.client.writer().write_all(bytes).unwrap();
        self.client_packets(size);
    }

    fn answer(&mut self, bytes: &[u8], size: usize) {
        self.server.writer().write_all(bytes).unwrap();
        self.server_packets(size);
    }

    fn explain(&self, key_log: &str) -> Explanation {
        let options = Options::default();
        options.key_log.add(key_log).unwrap();
        let talk = self.talk.as_ref().unwrap();
        capture::explain(&talk.bytes()[..], &options).unwrap()
    }

    fn explain_opened(&self) -> Explanation {
        let log = self.log.0.lock().unwrap().clone();
        self.explain(&log)
    }
}

fn labels(explanation: &Explanation) -> Vec<(&str, bool)> {
    let mut exchanges: Vec<_> = explanation.exchanges.iter().collect();
    exchanges.sort_by_key(|e| (e.id, e.index));
    exchanges
        .iter()
        .map(|e| (&e.label[..], e.complete))
        .collect()
}

const SUITES: [(&SupportedProtocolVersion, CipherSuite); 6] = [
    (&TLS13, CipherSuite::TLS13_AES_128_GCM_SHA256),
    (&TLS13, CipherSuite::TLS13_AES_256_GCM_SHA384),
    (&TLS13, CipherSuite::TLS13_CHACHA20_POLY1305_SHA256),
    (&TLS12, CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256),
    (&TLS12, CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384),
    (
        &TLS12,
        CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    ),
];

#[test]
fn a_key_log_opens_every_cipher_of_today() {
    for (version, suite) in SUITES {
        let mut sealed = Sealed::new(version, suite);
        sealed.ask(b"GET /one HTTP/1.1\r\n\r\n", usize::MAX);
        sealed.answer(
            b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
            usize::MAX,
        );
        sealed.ask(b"GET /two HTTP/1.1\r\n\r\n", usize::MAX);
        sealed.answer(
            b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
            usize::MAX,
        );
        let opened = sealed.explain_opened();
        assert_eq!(
            labels(&opened),
            [("GET /one → 200", true), ("GET /two → 404", true)],
            "{suite:?}"
        );
        let connection = &opened.connections[0];
        assert_eq!(connection.protocol, Protocol::Http1);
        assert!(connection.tls.as_ref().unwrap().opened);
        assert!(opened.exchanges.iter().all(|e| e.request.bytes == 21));
        let closed = sealed.explain("");
        assert_eq!(labels(&closed), [("", true), ("", true)]);
        assert_eq!(closed.connections[0].protocol, Protocol::Tls);
    }
}

#[test]
fn the_time_of_a_message_is_that_of_its_packets_and_not_of_its_record() {
    let (version, suite) = SUITES[0];
    let mut sealed = Sealed::new(version, suite);
    let body = vec![b'x'; 5_000];
    let head = b"POST /long HTTP/1.1\r\nContent-Length: 5000\r\n\r\n";
    sealed.ask(&[&head[..], &body].concat(), 1_000);
    sealed.answer(b"HTTP/1.1 204 No Content\r\n\r\n", usize::MAX);
    let opened = sealed.explain_opened();
    assert_eq!(labels(&opened), [("POST /long → 204", true)]);
    // Six packets, a millisecond apart.
    let phases = &opened.exchanges[0].split.phases;
    assert_eq!(phases.of(Phase::Request), 5_000_000);
    assert_eq!(opened.exchanges[0].request.segments, 6);
}

#[test]
fn changed_keys_are_followed() {
    let (version, suite) = SUITES[0];
    let mut sealed = Sealed::new(version, suite);
    sealed.ask(b"GET /one HTTP/1.1\r\n\r\n", usize::MAX);
    sealed.answer(b"HTTP/1.1 204 No Content\r\n\r\n", usize::MAX);
    sealed.client.refresh_traffic_keys().unwrap();
    sealed.ask(b"GET /two HTTP/1.1\r\n\r\n", usize::MAX);
    sealed.answer(b"HTTP/1.1 204 No Content\r\n\r\n", usize::MAX);
    let opened = sealed.explain_opened();
    assert_eq!(
        labels(&opened),
        [("GET /one → 204", true), ("GET /two → 204", true)]
    );
}

#[test]
fn secrets_of_others_and_wrong_secrets_leave_turns() {
    let (version, suite) = SUITES[0];
    let mut sealed = Sealed::new(version, suite);
    let other = Sealed::new(version, suite);
    sealed.ask(b"GET /one HTTP/1.1\r\n\r\n", usize::MAX);
    sealed.answer(b"HTTP/1.1 204 No Content\r\n\r\n", usize::MAX);
    let of_other = other.log.0.lock().unwrap().clone();
    assert_eq!(labels(&sealed.explain(&of_other)), [("", true)]);
    // The client's random is right and the secrets are not.
    let own = sealed.log.0.lock().unwrap().clone();
    let wrong: String = (own.lines())
        .map(|line| {
            let (front, secret) = line.rsplit_once(' ').unwrap();
            format!("{front} {}\n", "0".repeat(secret.len()))
        })
        .collect();
    let explanation = sealed.explain(&wrong);
    assert_eq!(labels(&explanation), [("", true)]);
    assert_eq!(explanation.connections[0].protocol, Protocol::Tls);
}

#[test]
fn secrets_in_a_pcapng_file_are_used() {
    let (version, suite) = SUITES[1];
    let mut sealed = Sealed::new(version, suite);
    sealed.ask(b"GET /one HTTP/1.1\r\n\r\n", usize::MAX);
    sealed.answer(b"HTTP/1.1 204 No Content\r\n\r\n", usize::MAX);
    let block = |kind: u32, body: &[u8]| {
        let mut block = kind.to_le_bytes().to_vec();
        let padded = body.len().next_multiple_of(4);
        let total = (12 + padded as u32).to_le_bytes();
        block.extend(total);
        block.extend(body);
        block.resize(8 + padded, 0);
        block.extend(total);
        block
    };
    let log = sealed.log.0.lock().unwrap().clone();
    let mut file = block(
        0x0a0d_0d0a,
        &[
            &0x1a2b_3c4d_u32.to_le_bytes()[..],
            &[1, 0, 0, 0],
            &[0xff; 8],
        ]
        .concat(),
    );
    let secrets = |log: &str| {
        let length = (log.len() as u32).to_le_bytes();
        block(
            10,
            &[&0x544c_534b_u32.to_le_bytes()[..], &length, log.as_bytes()].concat(),
        )
    };
    file.extend(secrets(&log));
    file.extend(block(1, &[101, 0, 0, 0, 0, 0, 4, 0]));
    let pcap = sealed.talk.as_ref().unwrap().bytes();
    let mut rest = &pcap[24..];
    while !rest.is_empty() {
        let word = |at: usize| u32::from_le_bytes(rest[at..at + 4].try_into().unwrap());
        let (us, length) = (u64::from(word(0)) * 1_000_000 + u64::from(word(4)), word(8));
        let frame = &rest[16..][..length as usize];
        let mut body = vec![0; 4];
        body.extend(((us >> 32) as u32).to_le_bytes());
        body.extend((us as u32).to_le_bytes());
        body.extend([length.to_le_bytes(), length.to_le_bytes()].concat());
        body.extend(frame);
        file.extend(block(6, &body));
        rest = &rest[16 + length as usize..];
    }
    let explanation = capture::explain(&file[..], &Options::default()).unwrap();
    assert_eq!(labels(&explanation), [("GET /one → 204", true)]);
    // Secrets that make no sense are told, with their line.
    file.extend(secrets("CLIENT_RANDOM 00 11\n"));
    let explanation = capture::explain(&file[..], &Options::default()).unwrap();
    let problem = &explanation.capture.problems[0];
    assert_eq!(problem.id, "file.secrets");
    assert!(
        problem
            .text
            .contains("line 1: the client's random is not 32 bytes"),
        "{}",
        problem.text
    );
}

#[test]
fn a_key_log_says_which_line_is_wrong() {
    let keys = KeyLog::default();
    let random = "ab".repeat(32);
    let good = format!(
        "# a comment\n\nCLIENT_RANDOM {random} {}\nEXPORTER_SECRET x y\n",
        "cd".repeat(48)
    );
    assert_eq!(keys.add(&good), Ok(1));
    assert_eq!(format!("{keys:?}"), "KeyLog of 1 connections");
    for (line, what) in [
        (
            format!("CLIENT_RANDOM {random}"),
            "CLIENT_RANDOM has two numbers behind it",
        ),
        (
            format!("CLIENT_RANDOM {random} zz"),
            "the secret is not 32 to 64 bytes",
        ),
        (
            format!("CLIENT_RANDOM {random}00 {random}"),
            "the client's random is not 32 bytes",
        ),
        ("<html>".to_owned(), "it begins with no label"),
    ] {
        let error = keys.add(&format!("#\n{line}")).unwrap_err();
        assert_eq!((error.line, &error.what[..]), (2, what));
    }
}

/// A frame of HTTP/2.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const PUSH_PROMISE: u8 = 5;
const CONTINUATION: u8 = 9;

/// RFC 7541 C.4.1 to C.4.3: three requests, each with what the one before
/// left in the table.
const REQUESTS: [&[u8]; 3] = [
    b"\x82\x86\x84\x41\x8c\xf1\xe3\xc2\xe5\xf2\x3a\x6b\xa0\xab\x90\xf4\xff",
    b"\x82\x86\x84\xbe\x58\x86\xa8\xeb\x10\x64\x9c\xbf",
    b"\x82\x87\x85\xbf\x40\x88\x25\xa8\x49\xe9\x5b\xa9\x7d\x7f\x89\x25\xa8\x49\xe9\x5b\xb8\xe8\xb4\xbf",
];

#[test]
fn heads_of_http_2_name_its_exchanges() {
    let begin = [PREFACE, &frame(4, 0, 0, b"")].concat();
    let talk = Talk::to(80)
        .client(&[begin, frame(HEADERS, 5, 1, REQUESTS[0])].concat())
        // An interim response, then the response and its body.
        .server(&frame(HEADERS, 4, 1, b"\x08\x03103"))
        .server(&[frame(HEADERS, 4, 1, b"\x88"), frame(DATA, 1, 1, b"abc")].concat())
        .client(&frame(HEADERS, 5, 3, REQUESTS[1]))
        .server(&frame(HEADERS, 5, 3, b"\x8d"));
    let explanation = talk.explain();
    assert_eq!(
        labels(&explanation),
        [("GET / → 200", true), ("GET / → 404", true)]
    );
    let first = &explanation.exchanges[0];
    let phases = &first.split.phases;
    // The interim response is no answer: it took the server another packet.
    assert_eq!(
        phases.of(Phase::RoundTrip) + phases.of(Phase::ServerThink),
        2_000_000
    );
    assert_eq!(first.response.bytes, 10 + 12);
    let third = talk
        .client(&frame(HEADERS, 1, 5, &REQUESTS[2][..7]))
        .client(&frame(CONTINUATION, 4, 5, &REQUESTS[2][7..]))
        .server(&frame(HEADERS, 5, 5, b"\x88"));
    assert_eq!(labels(&third.explain())[2], ("GET /index.html → 200", true));
}

#[test]
fn padding_priority_and_promises_do_not_disturb_the_heads() {
    let padded = [&[3, 0, 0, 0, 0, 9][..], REQUESTS[0], &[0; 3]].concat();
    let promise = [&[0, 0, 0, 2][..], REQUESTS[0]].concat();
    let begin = [PREFACE, &frame(HEADERS, 5 | 8 | 0x20, 1, &padded)].concat();
    let explanation = Talk::to(80)
        .client(&begin)
        // The promise leaves a name in the server's table.
        .server(&frame(PUSH_PROMISE, 4, 1, &promise))
        .server(&frame(HEADERS, 5, 1, b"\x88"))
        .client(&frame(HEADERS, 5, 3, REQUESTS[1]))
        .server(&frame(HEADERS, 5, 3, b"\x88\xbe"))
        .explain();
    assert_eq!(
        labels(&explanation),
        [("GET / → 200", true), ("GET / → 200", true)]
    );
}

#[test]
fn a_head_that_was_not_captured_takes_the_names_and_not_the_exchanges() {
    let explanation = Talk::to(80)
        .client(&[PREFACE, &frame(HEADERS, 5, 1, REQUESTS[0])[..9]].concat())
        .client(REQUESTS[0])
        .unseen()
        .server(&frame(HEADERS, 5, 1, b"\x88"))
        .client(&frame(HEADERS, 5, 3, REQUESTS[1]))
        .server(&frame(HEADERS, 5, 3, b"\x88"))
        .explain();
    assert_eq!(
        labels(&explanation),
        [("stream 1 → 200", true), ("stream 3 → 200", true)]
    );
}

/// A call of gRPC: `POST /s.S/M` with its content type.
fn call(stream: u32) -> Vec<u8> {
    let mut block = vec![0x83, 0x86, 0x04, 6];
    block.extend(b"/s.S/M");
    block.extend([0x0f, 0x10, 16]);
    block.extend(b"application/grpc");
    frame(HEADERS, 4, stream, &block)
}

#[test]
fn messages_of_grpc_are_counted_wherever_frames_cut_them() {
    let message =
        |bytes: usize| [&[0][..], &(bytes as u32).to_be_bytes(), &vec![7; bytes]].concat();
    let sent = [message(10), message(0), message(300)].concat();
    for cut in 0..sent.len() {
        let trailers = b"\x00\x0bgrpc-status\x015";
        let explanation = Talk::to(50_051)
            .client(&[PREFACE, &call(1), &frame(DATA, 0, 1, &sent[..cut])].concat())
            .client(&frame(
                DATA,
                1 | 8,
                1,
                &[&[2], &sent[cut..], &[0; 2]].concat(),
            ))
            .server(
                &[
                    frame(HEADERS, 4, 1, b"\x88"),
                    frame(DATA, 0, 1, &message(3)),
                ]
                .concat(),
            )
            .server(&frame(HEADERS, 5, 1, trailers))
            .explain();
        assert_eq!(
            labels(&explanation),
            [("POST /s.S/M → 200, gRPC status 5", true)]
        );
        let exchange = &explanation.exchanges[0];
        let messages = (exchange.request.messages, exchange.response.messages);
        assert_eq!(messages, (3, 1), "cut at {cut}");
    }
}

#[test]
fn grpc_inside_tls_is_read_like_grpc_in_clear() {
    let (version, suite) = SUITES[0];
    let mut sealed = Sealed::new(version, suite);
    sealed.answer(&frame(4, 0, 0, b""), usize::MAX);
    sealed.ask(
        &[PREFACE, &call(1), &frame(DATA, 1, 1, b"\0\0\0\0\x02ab")].concat(),
        usize::MAX,
    );
    sealed.answer(
        &frame(HEADERS, 5, 1, b"\x88\x00\x0bgrpc-status\x010"),
        usize::MAX,
    );
    let opened = sealed.explain_opened();
    assert_eq!(
        labels(&opened),
        [("POST /s.S/M → 200, gRPC status 0", true)]
    );
    assert_eq!(opened.connections[0].protocol, Protocol::Http2);
}

proptest::proptest! {
    #[test]
    fn header_blocks_of_any_bytes_do_no_harm(
        blocks in proptest::collection::vec(
            (proptest::sample::select(vec![HEADERS, PUSH_PROMISE, CONTINUATION, DATA]),
             proptest::prelude::any::<u8>(), 0u32..6, proptest::collection::vec(proptest::prelude::any::<u8>(), 0..60)),
            1..12,
        )
    ) {
        let mut talk = Talk::to(80).client(&[PREFACE, &call(1)].concat());
        for (index, (kind, flags, stream, payload)) in blocks.iter().enumerate() {
            let bytes = frame(*kind, *flags, *stream, payload);
            talk = match index % 2 {
                0 => talk.client(&bytes),
                _ => talk.server(&bytes),
            };
        }
        talk.explain();
    }
}

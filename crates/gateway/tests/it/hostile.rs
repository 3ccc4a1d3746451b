//! Clients that use more than their share, and others that are still
//! served.

use crate::client::{Answer, connect, read, send};
use crate::fake::{Data, Fake};
use crate::{config, example};
use gateway::{Gateway, GatewayConfig, LoadedApi};
use std::io::{Read, Write};
use std::net::TcpStream;

/// Answers with as many letters as are asked for.
pub fn letters(data: &mut Data) {
    let request = &data.containers["LEN-TO-RETURN"];
    let length = i32::from_be_bytes(request.as_slice().try_into().unwrap());
    let put = |data: &mut Data, name: &str, bytes| data.containers.insert(name.into(), bytes);
    put(data, "RESPONSE-DATA", vec![b'A'; length as usize]);
    let digits = format!("{length:08}").into_bytes();
    put(data, "RESPONSE-LENGTH", digits);
}

pub fn start_with(config: GatewayConfig) -> Gateway<Fake> {
    let apis = LoadedApi::load_all(&example("perfchannel/apis")).unwrap();
    let fake = Fake::default().program("PFPADCON", letters);
    Gateway::start(config, apis, fake).unwrap()
}

fn send_letters(gateway: &Gateway<Fake>, letters: usize) -> Answer {
    let path = format!("/perfchannel/response/{letters}");
    send(gateway.address(), "PUT", &path, "", "")
}

pub fn metric(gateway: &Gateway<Fake>, name: &str) -> u64 {
    let text = send(gateway.admin_address().unwrap(), "GET", "/metrics", "", "").text();
    let name = format!("tupelo_gateway_{name} ");
    let value = text.lines().find_map(|line| line.strip_prefix(&name));
    value.unwrap().trim().parse().unwrap()
}

/// Repeats a check until it is true; fails after half a minute.
fn until(what: &str, mut so: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !so() {
        assert!(begun.elapsed().as_secs() < 60, "waited for {what}");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// Reads until the server closes.
fn rest(stream: &mut TcpStream) -> Vec<u8> {
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all);
    all
}

#[test]
fn headers_that_are_too_long_are_431() {
    let gateway = start_with(config());
    for (name, value) in [("x", 200_000), ("x", 70_000), ("cookie", 3_000_000)] {
        let mut stream = connect(gateway.address());
        let head = format!(
            "GET / HTTP/1.1\r\nhost: x\r\n{name}: {}\r\n\r\n",
            "a".repeat(value)
        );
        let _ = stream.write_all(head.as_bytes());
        assert_eq!(
            read(&mut stream, false).map(|a| a.status),
            Some(431),
            "{value}"
        );
    }
    let value = format!("x: {}\r\n", "a".repeat(40_000));
    assert_eq!(
        send(gateway.address(), "GET", "/apis", &value, "").status,
        200
    );
}

#[test]
fn headers_and_depth_have_the_limits_that_are_set() {
    let gateway = start_with(GatewayConfig {
        max_header_bytes: 8 << 10,
        max_headers: 8,
        max_json_depth: 2,
        ..config()
    });
    let ask = |headers: &str| send(gateway.address(), "GET", "/apis", headers, "").status;
    let long = |bytes: usize| format!("x: {}\r\n", "a".repeat(bytes));
    assert_eq!((ask(&long(7_000)), ask(&long(9_000))), (200, 431));
    let many = |headers: usize| "x: a\r\n".repeat(headers);
    // Host is one of them.
    assert_eq!((ask(&many(7)), ask(&many(8))), (200, 431));
    let put = |body: &str| {
        let path = "/perfchannel/response/5";
        let answer = send(gateway.address(), "PUT", path, "", body);
        (answer.status, answer.text().contains("nested too deep"))
    };
    assert_eq!(put(r#"{"a": {}}"#), (200, false));
    assert_eq!(put(r#"{"a": {"b": []}}"#), (400, true));
    let gateway = start_with(GatewayConfig {
        max_header_bytes: 256 << 10,
        max_headers: 500,
        ..config()
    });
    let ask = |headers: &str| send(gateway.address(), "GET", "/apis", headers, "").status;
    assert_eq!((ask(&long(200_000)), ask(&many(400))), (200, 200));
    assert_eq!((ask(&long(300_000)), ask(&many(600))), (431, 431));
}

#[test]
fn a_crowd_of_idle_connections_gives_way_to_a_new_one() {
    let gateway = start_with(GatewayConfig {
        max_connections: 20,
        ..config()
    });
    let mut idle: Vec<TcpStream> = (0..20).map(|_| connect(gateway.address())).collect();
    for stream in &mut idle {
        stream
            .write_all(b"GET /apis HTTP/1.1\r\nhost: x\r\n\r\n")
            .unwrap();
        assert_eq!(read(stream, false).unwrap().status, 200);
    }
    for _ in 0..10 {
        assert_eq!(send_letters(&gateway, 5).status, 200);
    }
    assert!(metric(&gateway, "connections_open") <= 21);
    assert!(metric(&gateway, "connections_gave_way_total") >= 1);
    let mut crowd: Vec<TcpStream> = (0..200).map(|_| connect(gateway.address())).collect();
    for stream in &mut crowd {
        let _ = stream.write_all(b"GET /ap");
    }
    assert_eq!(send_letters(&gateway, 5).status, 200);
    assert!(rest(&mut idle[0]).is_empty());
}

#[test]
fn idle_connections_do_not_lock_operators_out_of_the_administration_port() {
    let gateway = start_with(config());
    let admin = gateway.admin_address().unwrap();
    let mut idle: Vec<TcpStream> = (0..260).map(|_| connect(admin)).collect();
    for stream in idle.iter_mut().take(100) {
        let asked = stream.write_all(b"GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n");
        if asked.is_ok() {
            let _ = read(stream, false);
        }
    }
    for _ in 0..20 {
        assert_eq!(send(admin, "GET", "/health", "", "").status, 200);
    }
    assert_eq!(send(admin, "GET", "/apis", "", "").status, 200);
}

#[test]
fn a_newcomer_is_served_while_all_others_are_at_work() {
    let gateway = start_with(GatewayConfig {
        max_connections: 20,
        threads: 1,
        ..config()
    });
    let unfinished = "PUT /perfchannel/response/5 HTTP/1.1\r\nhost: x\r\n\
                      expect: 100-continue\r\ncontent-length: 1000\r\n\r\n";
    let mut crowd: Vec<TcpStream> = (0..20).map(|_| connect(gateway.address())).collect();
    for stream in &mut crowd {
        stream.write_all(unfinished.as_bytes()).unwrap();
        // From here on the server waits for its body.
        let mut reported = [0; 25];
        stream.read_exact(&mut reported).unwrap();
        assert_eq!(&reported, b"HTTP/1.1 100 Continue\r\n\r\n");
    }
    for _ in 0..5 {
        assert_eq!(send_letters(&gateway, 5).status, 200);
    }
    assert_eq!(metric(&gateway, "connections_gave_way_total"), 0);
}

#[test]
fn health_is_answered_while_more_are_at_work_than_the_limit() {
    let gateway = start_with(GatewayConfig {
        max_connections: 20,
        threads: 1,
        ..config()
    });
    let unfinished = "PUT /perfchannel/response/5 HTTP/1.1\r\nhost: x\r\n\
                      expect: 100-continue\r\ncontent-length: 1000\r\n\r\n";
    let mut crowd: Vec<TcpStream> = Vec::new();
    for _ in 0..21 {
        let mut stream = connect(gateway.address());
        stream.write_all(unfinished.as_bytes()).unwrap();
        let mut reported = [0; 25];
        stream.read_exact(&mut reported).unwrap();
        crowd.push(stream);
    }
    let ask = |path: &str| send(gateway.address(), "GET", path, "", "").status;
    for _ in 0..5 {
        assert_eq!(ask("/health/live"), 200);
    }
    // A connection that sends nothing for a second is closed.
    let mut silent = connect(gateway.address());
    assert!(rest(&mut silent).is_empty());
    // A client that is served by then keeps its connection for health requests only. The next
    // is accepted only after that was decided.
    let mut beyond = connect(gateway.address());
    beyond.write_all(unfinished.as_bytes()).unwrap();
    beyond.read_exact(&mut [0; 25]).unwrap();
    assert_eq!(ask("/health/live"), 200);
    let body = format!("{:1000}", "{\"request_data\": \"x\"}");
    beyond.write_all(body.as_bytes()).unwrap();
    assert_eq!(read(&mut beyond, false).unwrap().status, 200);
    for (path, status) in [("/health/live", 200), ("/apis", 503)] {
        let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n");
        beyond.write_all(request.as_bytes()).unwrap();
        assert_eq!(read(&mut beyond, false).unwrap().status, status, "{path}");
    }
    // When places are free again it is a connection like all others.
    crowd.clear();
    until("all places are free", || {
        metric(&gateway, "connections_open") <= 2
    });
    let request = b"GET /apis HTTP/1.1\r\nhost: x\r\n\r\n";
    let freed = beyond.write_all(request).ok();
    let answer = freed.and_then(|()| read(&mut beyond, false));
    assert!(answer.is_none_or(|answer| answer.status == 200));
}

#[test]
fn bodies_that_never_end_leave_room_for_small_requests() {
    let gateway = start_with(GatewayConfig {
        memory_bytes: 4 << 20,
        ..config()
    });
    let head = "PUT /perfchannel/response/5 HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n";
    let mut hostile: Vec<TcpStream> = Vec::new();
    for _ in 0..12 {
        let mut stream = connect(gateway.address());
        let _ = stream.write_all(head.as_bytes());
        let _ = stream.write_all(&[b' '; 900_000]);
        hostile.push(stream);
        assert!(metric(&gateway, "memory_bytes") <= 4 << 20);
        assert_eq!(send_letters(&gateway, 50_000).status, 200);
    }
    // The slow ones give way to the later ones, or those are refused.
    let reported = || {
        metric(&gateway, "connections_gave_way_total") + metric(&gateway, "memory_refused_total")
    };
    until("room for other bodies", || {
        assert_eq!(send_letters(&gateway, 50_000).status, 200);
        reported() >= 9
    });
    let first = read(&mut hostile[0], false).map(|answer| answer.status);
    assert!(matches!(first, None | Some(408)), "{first:?}");
    drop(hostile);
    let large = format!("{{\"request_data\": \"{}\"}}", "x".repeat(3_000_000));
    let path = "/perfchannel/response/5";
    until("room for a large body", || {
        send(gateway.address(), "PUT", path, "", &large).status != 503
    });
    until("memory back", || metric(&gateway, "memory_bytes") == 0);
}

#[test]
fn a_body_without_length_is_admitted_as_it_grows() {
    let gateway = start_with(GatewayConfig {
        memory_bytes: 1 << 20,
        ..config()
    });
    let mut stream = connect(gateway.address());
    let head =
        "PUT /perfchannel/response/5 HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    for _ in 0..16 {
        if stream.write_all(chunk.as_bytes()).is_err() {
            break;
        }
    }
    assert_eq!(read(&mut stream, false).unwrap().status, 503);
}

#[test]
fn answers_that_no_client_reads_give_way_to_others() {
    let gateway = start_with(GatewayConfig {
        memory_bytes: 24 << 20,
        ..config()
    });
    let mut unread = Vec::new();
    for _ in 0..8 {
        let mut stream = connect(gateway.address());
        let head = "PUT /perfchannel/response/8000000 HTTP/1.1\r\nhost: x\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        unread.push(stream);
    }
    assert_eq!(send_letters(&gateway, 5).status, 200);
    assert!(metric(&gateway, "memory_bytes") <= 24 << 20);
    // Large answers that are read come through between them.
    until("a large answer", || {
        let large = send_letters(&gateway, 8_000_000);
        large.status == 200 && large.body.len() > 8_000_000
    });
    assert!(metric(&gateway, "connections_gave_way_total") >= 1);
}

#[test]
fn an_answer_that_is_not_read_is_cut() {
    let gateway = start_with(GatewayConfig {
        rate_window_ms: 100,
        ..config()
    });
    let mut stream = connect(gateway.address());
    let head = "PUT /perfchannel/response/8000000 HTTP/1.1\r\nhost: x\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    until("the cut", || {
        assert_eq!(send_letters(&gateway, 5).status, 200);
        metric(&gateway, "connections_timed_out_total") > 0
    });
    assert!(rest(&mut stream).len() < 8_000_000);
    until("memory back", || metric(&gateway, "memory_bytes") == 0);
}

/// An HTTP/2 frame.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

#[test]
fn floods_of_control_frames_and_resets_are_cut() {
    let gateway = start_with(config());
    // HPACK: GET, http, /, authority x.
    let get = [0x82, 0x86, 0x84, 0x01, 0x01, b'x'];
    let reset = |n: u32| {
        let begun = frame(1, 5, n * 2 + 1, &get);
        [begun, frame(3, 0, n * 2 + 1, &8u32.to_be_bytes())].concat()
    };
    type Flood<'f> = &'f dyn Fn(u32) -> Vec<u8>;
    let floods: [(&str, Flood<'_>); 4] = [
        ("PING", &|_| frame(6, 0, 0, &[0; 8])),
        ("SETTINGS", &|_| frame(4, 0, 0, &[])),
        ("PRIORITY", &|n| frame(2, 0, n * 2 + 1, &[0, 0, 0, 0, 9])),
        ("RST_STREAM", &reset),
    ];
    for (name, flood) in floods {
        let mut stream = connect(gateway.address());
        let mut reader = stream.try_clone().unwrap();
        let answered = std::thread::spawn(move || rest(&mut reader));
        let hello = [
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
            frame(4, 0, 0, &[]),
        ]
        .concat();
        stream.write_all(&hello).unwrap();
        let sent = (0..1_000_000).take_while(|n| stream.write_all(&flood(*n)).is_ok());
        assert!(sent.count() < 1_000_000, "{name}");
        answered.join().unwrap();
        assert_eq!(send_letters(&gateway, 5).status, 200);
    }
}

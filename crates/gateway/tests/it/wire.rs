//! Unusual uses of a connection by clients.

use crate::client::{connect, read, send, send_on};
use crate::fake::{Data, Fake};
use crate::{config, example, start};
use gateway::{CorsConfig, Gateway, GatewayConfig, LoadedApi};
use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

fn answer_at_once(data: &mut Data) {
    data.commarea[8..11].copy_from_slice(b"404");
}

fn programs() -> Fake {
    Fake::default().program("ACCTINQ", answer_at_once)
}

fn start_with(config: GatewayConfig) -> Gateway<Fake> {
    let apis = LoadedApi::load_all(&example("bank/apis")).unwrap();
    Gateway::start(config, apis, programs()).unwrap()
}

#[test]
fn a_connection_serves_one_request_after_the_other() {
    let gateway = start("bank/apis", programs());
    let mut stream = connect(gateway.address());
    for _ in 0..3 {
        assert_eq!(
            send_on(&mut stream, "GET", "/bank/accounts/1", "", "").status,
            404
        );
    }
    // Two at once, answered in their order.
    let one = "GET /bank/accounts/1 HTTP/1.1\r\nhost: x\r\n\r\n";
    stream
        .write_all(format!("{one}GET /none HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes())
        .unwrap();
    assert_eq!(read(&mut stream, false).unwrap().json()["status"], 404);
    assert!(read(&mut stream, false).unwrap().text().contains("/none"));
}

#[test]
fn a_client_that_closes_its_side_still_gets_its_answer() {
    let gateway = start("bank/apis", programs());
    let mut stream = connect(gateway.address());
    stream
        .write_all(b"GET /bank/accounts/1 HTTP/1.1\r\nhost: x\r\n\r\n")
        .unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 404"), "{text}");
}

#[test]
fn slow_clients_are_ended_and_others_served() {
    let gateway = start_with(GatewayConfig {
        request_timeout_ms: 100,
        rate_window_ms: 100,
        idle_timeout_ms: 100,
        ..config()
    });
    let mut headers = connect(gateway.address());
    headers.write_all(b"GET /bank/acc").unwrap();
    let mut silent = connect(gateway.address());
    let mut body = connect(gateway.address());
    let head = "POST /bank/accounts HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n";
    body.write_all(format!("{head}content-length: 500\r\n\r\n{{").as_bytes())
        .unwrap();
    assert_eq!(
        send(gateway.address(), "GET", "/bank/accounts/1", "", "").status,
        404
    );
    assert_eq!(read(&mut body, false).unwrap().status, 408);
    let late = read(&mut headers, false).unwrap();
    assert_eq!(
        (late.status, late.json()["status"].as_u64()),
        (408, Some(408))
    );
    assert!(read(&mut headers, false).is_none());
    assert!(read(&mut silent, false).is_none());
}

#[test]
fn a_large_body_is_refused_before_it_is_read() {
    let gateway = start_with(GatewayConfig {
        max_body_bytes: 100,
        ..config()
    });
    let body = format!("{{\"holder\": \"{}\"}}", "x".repeat(200));
    assert_eq!(
        send(gateway.address(), "POST", "/bank/accounts", "", &body).status,
        413
    );
    let mut stream = connect(gateway.address());
    let head = "POST /bank/accounts HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";
    stream
        .write_all(format!("{head}c8\r\n{}\r\n0\r\n\r\n", "x".repeat(200)).as_bytes())
        .unwrap();
    assert_eq!(read(&mut stream, false).unwrap().status, 413);
}

#[test]
fn garbage_harms_no_other_client() {
    let gateway = start("bank/apis", programs());
    for bytes in [
        &b"\x16\x03\x01\x02\x00garbage\r\n\r\n"[..],
        b"\0\0\0",
        b"GET / HTTP/9\r\n\r\n",
    ] {
        let mut stream = connect(gateway.address());
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let answer = read(&mut stream, false);
        assert!(answer.is_none_or(|a| (400..600).contains(&a.status)));
    }
    for path in [
        "/bank/accounts/%ff",
        "/bank/accounts/%zz",
        "/bank/accounts/%2e%2e?limit=%ff",
    ] {
        let answer = send(gateway.address(), "GET", path, "", "");
        assert_eq!(answer.status, 400, "{path}: {}", answer.text());
    }
}

#[test]
fn a_program_that_takes_too_long_is_a_gateway_timeout() {
    let mut fake = programs();
    fake.gate = Some(Arc::new(Semaphore::new(0)));
    let apis = LoadedApi::load_all(&example("bank/apis")).unwrap();
    let config = GatewayConfig {
        response_timeout_ms: 10,
        ..config()
    };
    let gateway = Gateway::start(config, apis, fake).unwrap();
    assert_eq!(
        send(gateway.address(), "GET", "/bank/accounts/1", "", "").status,
        504
    );
}

#[test]
fn a_request_under_way_survives_reload_and_shutdown() {
    let gate = Arc::new(Semaphore::new(0));
    let mut fake = programs();
    fake.gate = Some(gate.clone());
    let gateway = start("bank/apis", fake);
    let mut waiting = connect(gateway.address());
    waiting
        .write_all(b"GET /bank/accounts/1 HTTP/1.1\r\nhost: x\r\n\r\n")
        .unwrap();
    // The next answer on another connection shows that the first was read.
    assert_eq!(
        send(gateway.address(), "GET", "/health", "", "").status,
        200
    );
    gateway.reload(Vec::<LoadedApi>::new());
    assert_eq!(
        send(gateway.address(), "GET", "/bank/accounts/1", "", "").status,
        404
    );
    let ending = std::thread::spawn(move || gateway.shutdown(Duration::from_secs(30)));
    gate.add_permits(1);
    let answer = read(&mut waiting, false).unwrap();
    assert_eq!(answer.json()["status"], 404, "{}", answer.text());
    ending.join().unwrap();
    assert!(read(&mut waiting, false).is_none());
}

#[test]
fn browsers_of_allowed_origins_may_read() {
    let origins = vec!["https://a.example".into()];
    let gateway = start_with(with_cors(CorsConfig {
        origins,
        ..CorsConfig::default()
    }));
    let ask = |origin: &str| {
        let headers = format!("origin: {origin}\r\naccess-control-request-method: POST\r\n");
        send(gateway.address(), "OPTIONS", "/bank/accounts", &headers, "")
    };
    let good = ask("https://a.example");
    assert_eq!(
        good.header("access-control-allow-origin"),
        Some("https://a.example")
    );
    assert!(
        good.header("access-control-allow-methods")
            .unwrap()
            .contains("POST")
    );
    assert_eq!(
        good.header("access-control-allow-headers"),
        None,
        "none were asked for"
    );
    assert_eq!(good.header("access-control-max-age"), Some("600"));
    assert_eq!(good.header("vary"), Some("origin"));
    // Another origin's preflight is an OPTIONS like any other.
    let strange = ask("https://b.example");
    assert_eq!(
        (strange.status, strange.header("vary")),
        (204, Some("origin"))
    );
    assert!(!strange.head.contains("access-control"), "{}", strange.head);
    assert!(strange.header("allow").is_some());
    // So may a cache not give one page's answer to another.
    let plain = send(gateway.address(), "GET", "/bank/accounts/1", "", "");
    assert_eq!(plain.header("vary"), Some("origin"));
    assert!(!plain.head.contains("access-control"), "{}", plain.head);
    let read = |path: &str| {
        let headers = "origin: https://a.example\r\n";
        let answer = send(gateway.address(), "GET", path, headers, "");
        (
            answer.status,
            answer
                .head
                .contains("access-control-allow-origin: https://a.example"),
        )
    };
    assert_eq!(read("/bank/accounts/1"), (404, true));
    assert_eq!(read("/none"), (404, true));
}

fn with_cors(cors: CorsConfig) -> GatewayConfig {
    GatewayConfig { cors, ..config() }
}

#[test]
fn pages_send_and_read_the_headers_that_are_named() {
    let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect();
    let gateway = start_with(with_cors(CorsConfig {
        origins: names(&["https://a.example", "null"]),
        allow_headers: names(&["Content-Type", "X-Shop"]),
        expose_headers: names(&["Retry-After", "X-Total"]),
        credentials: true,
        max_age_s: 5,
    }));
    let asks = "access-control-request-method: PUT\r\naccess-control-request-headers: x-evil\r\n";
    for origin in ["https://a.example", "null"] {
        let headers = format!("origin: {origin}\r\n{asks}");
        let reported = send(gateway.address(), "OPTIONS", "/bank/accounts", &headers, "");
        let header = |name: &str| reported.header(&format!("access-control-{name}"));
        assert_eq!(header("allow-origin"), Some(origin));
        assert_eq!(header("allow-headers"), Some("Content-Type, X-Shop"));
        assert_eq!(header("allow-credentials"), Some("true"));
        assert_eq!(header("max-age"), Some("5"));
        assert_eq!(header("expose-headers"), None);
        let headers = format!("origin: {origin}\r\n");
        let read = send(gateway.address(), "GET", "/bank/accounts/1", &headers, "");
        let header = |name: &str| read.header(&format!("access-control-{name}"));
        assert_eq!(header("expose-headers"), Some("Retry-After, X-Total"));
        assert_eq!(header("allow-credentials"), Some("true"));
        assert_eq!((header("allow-methods"), header("max-age")), (None, None));
    }
    // For an unknown path no page is allowed to send a request.
    let headers = format!("origin: null\r\n{asks}");
    let reported = send(gateway.address(), "OPTIONS", "/none", &headers, "");
    assert_eq!(reported.status, 404);
    assert!(
        !reported.head.contains("allow-methods"),
        "{}",
        reported.head
    );
}

#[test]
fn pages_of_any_origin_get_no_credentials() {
    let gateway = start_with(with_cors(CorsConfig {
        origins: vec!["*".into()],
        credentials: true,
        ..CorsConfig::default()
    }));
    let headers = "origin: https://b.example\r\naccess-control-request-method: PUT\r\n\
                   access-control-request-headers: x-one, x-two\r\n";
    let reported = send(gateway.address(), "OPTIONS", "/bank/accounts", headers, "");
    assert_eq!(reported.header("access-control-allow-origin"), Some("*"));
    assert_eq!(
        reported.header("access-control-allow-headers"),
        Some("x-one, x-two")
    );
    assert!(!reported.head.contains("credentials"), "{}", reported.head);
    assert_eq!(reported.header("vary"), None);
    // Without permitted origins, no CORS header is sent.
    let gateway = start_with(config());
    let reported = send(gateway.address(), "OPTIONS", "/bank/accounts", headers, "");
    assert_eq!(reported.status, 204);
    assert!(
        !reported.head.contains("access-control"),
        "{}",
        reported.head
    );
}

#[test]
fn a_request_that_contradicts_itself_is_rejected() {
    let gateway = start("bank/apis", programs());
    let status = |head: &str, body: &str| {
        let mut stream = connect(gateway.address());
        let length = format!("content-length: {}\r\n", body.len());
        let length = if body.is_empty() { "" } else { &length };
        let text = format!("{head}\r\n{length}\r\n{body}");
        stream.write_all(text.as_bytes()).unwrap();
        read(&mut stream, false).unwrap().status
    };
    let get = "GET /bank/accounts/1 HTTP/1.1";
    assert_eq!(status(get, ""), 400);
    assert_eq!(status(&format!("{get}\r\nhost: x\r\nhost: y"), ""), 400);
    assert_eq!(status(&format!("{get}\r\nhost: x"), ""), 404);
    for host in [
        "a@b", "a b", "a/b", "x:80:80", "x:99999", "x:y", "[::1", "\u{e4}",
    ] {
        assert_eq!(status(&format!("{get}\r\nhost: {host}"), ""), 400, "{host}");
    }
    for host in ["", "x.example:80", "[::1]:80", "127.0.0.1"] {
        assert_eq!(status(&format!("{get}\r\nhost: {host}"), ""), 404, "{host}");
    }
    let twice = "\r\nhost: x\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked";
    let mut stream = connect(gateway.address());
    let text = format!("{get}{twice}\r\n\r\n0\r\n\r\n");
    stream.write_all(text.as_bytes()).unwrap();
    assert_eq!(read(&mut stream, false).unwrap().status, 400);
    let chunks = format!("{get}\r\nhost: x\r\ntransfer-encoding: gzip, chunked");
    let mut stream = connect(gateway.address());
    let text = format!("{chunks}\r\n\r\n0\r\n\r\n");
    stream.write_all(text.as_bytes()).unwrap();
    assert_eq!(read(&mut stream, false).unwrap().status, 501);
}

#[test]
fn a_body_that_is_not_plain_json_in_utf8_is_refused() {
    let gateway = start("bank/apis", programs());
    let post = |headers: &str, body: &str| {
        let mut stream = connect(gateway.address());
        let text = format!(
            "POST /bank/accounts HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n{headers}\r\n{body}",
            body.len()
        );
        stream.write_all(text.as_bytes()).unwrap();
        read(&mut stream, false).unwrap()
    };
    let json = "content-type: application/json\r\n";
    let gzip = format!("{json}content-encoding: gzip\r\n");
    assert_eq!(post(&gzip, "{}").status, 415);
    let latin = "content-type: application/json; charset=iso-8859-1\r\n";
    assert_eq!(post(latin, "{}").status, 415);
    let utf8 = "content-type: application/json; Charset=\"UTF-8\"\r\n";
    assert_eq!(post(utf8, "{}").status, 400);
    let twice = post(json, r#"{"a":1,"\u0061":2}"#);
    assert!(twice.status == 400 && twice.text().contains("more than once"));
}

#[test]
fn a_connection_that_rested_goes_on_where_it_was() {
    let bank = start("bank/apis", Fake::default());
    let request = "GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n";
    let (front, rest) = request.split_at(14);
    let mut streams: Vec<_> = (0..3).map(|_| connect(bank.address())).collect();
    // The first begins its next request with the one before, the second later.
    write!(streams[0], "{request}{front}").unwrap();
    write!(streams[1], "{request}").unwrap();
    write!(streams[2], "{request}").unwrap();
    for stream in &mut streams {
        assert_eq!(read(stream, false).unwrap().status, 200);
    }
    // Longer than the second after which a silent connection frees its buffers. The
    // requests of another connection make the server check.
    let other = |_| send(bank.address(), "GET", "/health/live", "", "").status;
    let begun = std::time::Instant::now();
    while begun.elapsed().as_millis() < 2_200 {
        assert_eq!(other(()), 200);
    }
    write!(streams[0], "{rest}").unwrap();
    write!(streams[1], "{front}").unwrap();
    assert_eq!(read(&mut streams[0], false).unwrap().status, 200);
    write!(streams[1], "{rest}{request}").unwrap();
    for _ in 0..2 {
        assert_eq!(read(&mut streams[1], false).unwrap().status, 200);
    }
    // A silent connection ends with the server.
    drop(bank);
    assert!(read(&mut streams[2], false).is_none());
}

//! HTTP/2 against the library's own server side.

use bytes::Bytes;
use drive::engine::LoadOutcome;
use drive::load::HttpLoad;
use std::net::SocketAddr;
use std::sync::mpsc;
use std::time::Duration;

/// A server that answers every request with 1,000 bytes.
fn server() -> SocketAddr {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            sender.send(listener.local_addr().unwrap()).unwrap();
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let mut connection = h2::server::handshake(stream).await.unwrap();
                    while let Some(Ok((_, mut respond))) = connection.accept().await {
                        let response = http::Response::new(());
                        let mut stream = respond.send_response(response, false).unwrap();
                        stream
                            .send_data(Bytes::from(vec![b'x'; 1000]), true)
                            .unwrap();
                    }
                });
            }
        });
    });
    receiver.recv().unwrap()
}

fn drive(change: impl Fn(&mut HttpLoad)) -> LoadOutcome {
    let mut load = HttpLoad::new(format!("http://{}/a", server()));
    load.http2 = true;
    load.clients = 3;
    change(&mut load);
    load.run().unwrap()
}

#[test]
fn exactly_the_iterations_asked_for_are_answered() {
    let outcome = drive(|load| {
        load.iterations = Some(100);
        load.body = b"hello".to_vec();
        load.method = "POST".into();
    });
    let sum = outcome.sum();
    assert_eq!(sum.measured.answered, 100, "{:?}", outcome.messages());
    // Bodies, and frames with their headers around them.
    let (received, sent) = (sum.measured.bytes_in, sum.measured.bytes_out);
    assert!((100_000..120_000).contains(&received), "{received}");
    assert!((2_500..20_000).contains(&sent), "{sent}");
    assert_eq!(sum.whole.connects, 3);
    assert_eq!(sum.response.count(), 100);
}

#[test]
fn requests_without_a_body_have_bytes_too_and_so_have_those_without_an_answer() {
    let outcome = drive(|load| load.iterations = Some(30));
    let sum = outcome.sum().measured;
    // A HEADERS frame is 9 bytes and a field at least.
    assert!(sum.bytes_out >= 30 * 10, "{}", sum.bytes_out);
    let silent = crate::peers::serve(|mut stream| {
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    });
    let outcome = drive(|load| {
        load.url = format!("http://{silent}/");
        load.iterations = Some(1);
        load.clients = 1;
        load.timeout = Duration::from_millis(100);
    });
    let sum = outcome.sum().measured;
    assert_eq!((sum.answered, sum.failures()), (0, 1));
    assert!(sum.bytes_out > 24, "{}", sum.bytes_out);
}

#[test]
fn a_rate_presents_as_many_requests_as_arithmetic_says() {
    let outcome = drive(|load| {
        load.rate = Some(500.0);
        load.warmup = Duration::from_millis(100);
        load.duration = Duration::from_millis(400);
    });
    assert_eq!(outcome.sum().measured.sent, 200, "{:?}", outcome.messages());
}

#[test]
fn a_server_that_is_not_there_is_reported() {
    let unused = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let outcome = drive(|load| {
        load.url = format!("http://{unused}/");
        load.iterations = Some(3);
    });
    assert_eq!(outcome.sum().measured.failures(), 3);
}

#[test]
fn values_in_the_path_are_encoded_in_http2_too() {
    let address = server();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("u.csv"), "user\n\"a b\"\n\u{fc}\n").unwrap();
    let scenario = format!(
        r#"
base = "http://{address}"
[feeders.u]
csv = "u.csv"
[[population]]
name = "p"
http2 = true
clients = 1
iterations = 2
[[population.step]]
request = "GET /{{{{u.user}}}}"
capture = {{ all = {{ regex = "(x+)" }} }}
[[population.step]]
request = "GET /second"
headers = {{ X-A = "{{{{all}}}}" }}
"#
    );
    let scenario = drive::scenario::read(&scenario, folder.path()).unwrap();
    let outcome = crate::peers::carry_out(&scenario.variants[0].plan);
    assert_eq!(outcome.sum().measured.answered, 4);
}

//! HTTP/2 without TLS, by prior knowledge.

use crate::client::send;
use crate::fake::Fake;
use crate::hostile::{letters, metric, start_with};
use crate::{config, start};
use bytes::Bytes;
use gateway::GatewayConfig;
use http_body::{Body, Frame};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll};
use tokio::task::JoinHandle;

/// A request body of one piece.
struct Once(Option<Bytes>);

impl Body for Once {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|b| Ok(Frame::data(b))))
    }
}

#[test]
fn many_requests_share_an_http2_connection() {
    let fake = Fake::default().program("ACCTINQ", |data| {
        data.commarea[8..11].copy_from_slice(b"404");
    });
    let gateway = start("bank/apis", fake);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let stream = tokio::net::TcpStream::connect(gateway.address())
            .await
            .unwrap();
        let handshake =
            hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
        let (sender, connection) = handshake.await.unwrap();
        tokio::spawn(connection);
        let mut answers = Vec::new();
        for i in 1..20 {
            let mut sender = sender.clone();
            answers.push(tokio::spawn(async move {
                let request = http::Request::get(format!("http://x/bank/accounts/{i}"));
                let response = sender
                    .send_request(request.body(Once(None)).unwrap())
                    .await
                    .unwrap();
                response.status().as_u16()
            }));
        }
        for answer in answers {
            assert_eq!(answer.await.unwrap(), 404);
        }
        let mut sender = sender.clone();
        let request = http::Request::post("http://x/bank/accounts");
        let body = Once(Some(Bytes::from_static(b"{\"number\":")));
        let response = sender
            .send_request(request.body(body).unwrap())
            .await
            .unwrap();
        assert_eq!(response.status().as_u16(), 400);
    });
}

#[test]
fn the_limits_of_headers_are_those_of_http2_too() {
    let gateway = start_with(GatewayConfig {
        max_header_bytes: 8 << 10,
        max_headers: 8,
        ..config()
    });
    let address = gateway.address();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let handshake =
            hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
        let (mut sender, connection) = handshake.await.unwrap();
        tokio::spawn(connection);
        for (headers, bytes, status) in [(8, 1, 200), (9, 1, 431), (1, 9_000, 431)] {
            let mut request = http::Request::get("http://x/apis");
            for i in 0..headers {
                request = request.header(format!("x-{i}"), "a".repeat(bytes));
            }
            let response = sender.send_request(request.body(Once(None)).unwrap());
            let reported = response.await.unwrap().status().as_u16();
            assert_eq!(reported, status, "{headers} headers of {bytes} bytes");
        }
    });
}

/// Asks over one connection for a hundred answers of so many bytes, whose
/// first 64 KiB alone are taken until they are read; they come one by one.
async fn request_large_answers(
    address: SocketAddr,
    bytes: usize,
) -> Vec<JoinHandle<http::Response<Incoming>>> {
    let stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let mut builder = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
    builder.initial_stream_window_size(65_535);
    let (sender, connection) = builder.handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let one = |_| {
        let mut sender = sender.clone();
        let request = http::Request::put(format!("http://x/perfchannel/response/{bytes}"));
        let request = request.body(Once(None)).unwrap();
        tokio::spawn(async move { sender.send_request(request).await.unwrap() })
    };
    (0..100).map(one).collect()
}

/// Asks for a small answer many times, over other connections.
async fn request_small_answers(address: SocketAddr) {
    let ask = move || {
        for _ in 0..50 {
            let answer = send(address, "PUT", "/perfchannel/response/10", "", "");
            assert_eq!(answer.status, 200);
        }
    };
    tokio::task::spawn_blocking(ask).await.unwrap();
}

#[test]
fn one_connection_has_its_share_of_programs_and_no_more() {
    let begun = Arc::new(AtomicUsize::new(0));
    let count = begun.clone();
    let gateway = start(
        "perfchannel/apis",
        Fake::default().program("PFPADCON", move |data| {
            letters(data);
            let long = data.containers["RESPONSE-DATA"].len() > 10;
            count.fetch_add(usize::from(long), Relaxed);
        }),
    );
    let address = gateway.address();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let answers = request_large_answers(address, 1_000_000).await;
        // Others are served meanwhile, and what could begin has begun.
        request_small_answers(address).await;
        let unread = begun.load(Relaxed);
        assert!((8..=9).contains(&unread), "{unread}");
        for answer in answers {
            let mut body = answer.await.unwrap().into_body();
            let mut length = 0;
            while let Some(piece) =
                std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await
            {
                length += piece.unwrap().into_data().map_or(0, |data| data.len());
            }
            assert!(length > 1_000_000, "{length}");
        }
        assert_eq!(begun.load(Relaxed), 100);
    });
    // For a client that disconnects few requests are begun: no more than
    // those of its first streams, before its last ones are reset.
    let answers = runtime.block_on(request_large_answers(address, 1_000_000));
    runtime.block_on(request_small_answers(address));
    let unread = begun.load(Relaxed);
    assert!((101..=109).contains(&unread), "{unread}");
    drop((answers, runtime));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(request_small_answers(address));
    let begun = begun.load(Relaxed) - unread;
    assert!(begun <= 10, "{begun}");
}

#[test]
fn connections_that_read_slowly_do_not_take_the_memory_of_others() {
    let gateway = start_with(GatewayConfig {
        memory_bytes: 24 << 20,
        ..config()
    });
    let address = gateway.address();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    // Four clients with 25 MB each that they do not read yet.
    let unread = runtime.block_on(async {
        let mut unread = Vec::new();
        for _ in 0..4 {
            unread.extend(request_large_answers(address, 250_000).await);
        }
        unread
    });
    for _ in 0..100 {
        let answer = send(address, "PUT", "/perfchannel/response/250000", "", "");
        assert_eq!(answer.status, 200);
    }
    for name in ["memory_refused_total", "connections_gave_way_total"] {
        assert_eq!(metric(&gateway, name), 0, "{name}");
    }
    drop(unread);
}

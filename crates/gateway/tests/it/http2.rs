//! HTTP/2 without TLS, by prior knowledge.

use crate::fake::Fake;
use crate::start;
use bytes::Bytes;
use http_body::{Body, Frame};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

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

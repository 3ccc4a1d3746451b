//! Answers before the answer, `100 Continue` and others of 1xx: few are good,
//! and a server that sends them without end keeps a thread busy with reading.
//!
//! hyper skips them wherever they come. So it reports each one, and the stream
//! that it reads from ends when there were too many.
//!
//! Reference: RFC 9110, section 15.2.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::task::{Context, Poll};

use http::{Request, Response};
use hyper::body::{Body, Incoming};
use hyper::client::conn::{TrySendError, http1};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Most of them before an answer.
const MOST: u32 = 32;
/// Bytes of answers' heads that are read before they are looked at: so much of a
/// flood comes in, at most, before it is seen to be one.
const HEAD_BYTES: usize = 64 << 10;

/// A connection to a server, for requests one after the other.
#[derive(Debug)]
pub struct HttpSender<B> {
    send: http1::SendRequest<B>,
    interim: InterimCount,
}

/// How many came on a connection since its last request.
#[derive(Debug, Clone, Default)]
struct InterimCount(Arc<AtomicU32>);

/// A stream that ends with an error when too many came over it.
#[derive(Debug)]
pub struct CountedStream<S> {
    stream: S,
    interim: InterimCount,
}

/// Begins HTTP on a stream; the connection must be polled together with its
/// requests.
pub async fn handshake<S, B>(
    stream: S,
) -> hyper::Result<(
    HttpSender<B>,
    http1::Connection<TokioIo<CountedStream<S>>, B>,
)>
where
    S: AsyncRead + AsyncWrite + Unpin,
    B: Body + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let interim = InterimCount::default();
    let counted = CountedStream {
        stream,
        interim: interim.clone(),
    };
    let mut builder = http1::Builder::new();
    builder.max_buf_size(HEAD_BYTES);
    let (send, connection) = builder.handshake(TokioIo::new(counted)).await?;
    Ok((HttpSender { send, interim }, connection))
}

impl<B: Body + 'static> HttpSender<B> {
    /// As hyper's.
    pub async fn ready(&mut self) -> hyper::Result<()> {
        self.send.ready().await
    }

    /// As hyper's.
    pub fn is_closed(&self) -> bool {
        self.send.is_closed()
    }

    /// As hyper's, where at most 32 answers of 1xx come before the answer.
    pub async fn send_request(
        &mut self,
        mut request: Request<B>,
    ) -> hyper::Result<Response<Incoming>> {
        self.interim.count_for(&mut request);
        self.send.send_request(request).await
    }

    /// As above; returns the request if it was not sent.
    pub async fn try_send_request(
        &mut self,
        mut request: Request<B>,
    ) -> Result<Response<Incoming>, TrySendError<Request<B>>> {
        self.interim.count_for(&mut request);
        self.send.try_send_request(request).await
    }

    /// The message if too many came for the last request.
    pub fn excess(&self) -> Option<String> {
        self.interim.excess()
    }
}

impl InterimCount {
    fn count_for<B>(&self, request: &mut Request<B>) {
        self.0.store(0, Relaxed);
        let count = self.0.clone();
        hyper::ext::on_informational(request, move |_| {
            count.fetch_add(1, Relaxed);
        });
    }

    fn excess(&self) -> Option<String> {
        let excess = self.0.load(Relaxed) > MOST;
        excess.then(|| format!("the server sent more than {MOST} answers of status 1xx"))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for CountedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(why) = self.interim.excess() {
            return Poll::Ready(Err(io::Error::other(why)));
        }
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for CountedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use crate::{FetchSettings, HttpFetcher, Request};
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::time::Duration;

    /// The result for a server that sends this many bytes before its answer.
    fn fetched(before: &'static str, times: usize) -> Result<u16, String> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut head = [0; 4096];
            let _ = stream.read(&mut head).unwrap();
            for _ in 0..times {
                if stream.write_all(before.as_bytes()).is_err() {
                    return;
                }
            }
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
        });
        let fetcher = HttpFetcher::new(&FetchSettings {
            allow: vec![url.clone()],
            timeout: Duration::from_secs(60),
            most_bytes: 1_000,
            ..FetchSettings::default()
        });
        let answer = fetcher.unwrap().wait(Request {
            method: "GET".into(),
            url,
            ..Request::default()
        });
        server.join().unwrap();
        answer
            .map(|answer| answer.status)
            .map_err(|e| e.to_string())
    }

    #[test]
    fn a_few_are_skipped_and_a_flood_is_an_error_that_says_so() {
        for before in [
            "HTTP/1.1 100 Continue\r\n\r\n",
            "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n",
        ] {
            assert_eq!(fetched(before, 8), Ok(200));
            let reported = fetched(before, 10_000_000).unwrap_err();
            assert!(
                reported.contains("more than 32 answers of status 1xx"),
                "{reported}"
            );
        }
    }
}

//! A client of hyper alone: requests over one connection, for the benchmark of
//! WEB CONVERSE. `client PORT REQUESTS BYTES` prints the microseconds of all; a
//! hundred requests go before those that are timed.

use std::time::Instant;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;

/// Requests that are not timed.
const WARM_UP: usize = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or("client PORT REQUESTS BYTES");
    let (port, requests, bytes) = (
        next()?,
        next()?.parse::<usize>()?,
        next()?.parse::<usize>()?,
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let body = Bytes::from(vec![b'x'; bytes]);
    let us = runtime.block_on(async move {
        let stream = tokio::net::TcpStream::connect(format!("127.0.0.1:{port}")).await?;
        stream.set_nodelay(true)?;
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let mut begin = Instant::now();
        for n in 0..WARM_UP + requests {
            if n == WARM_UP {
                begin = Instant::now();
            }
            let request = http::Request::post("/echo")
                .header("host", "localhost")
                .header("content-type", "text/plain")
                .body(Full::new(body.clone()))?;
            let answer = sender.send_request(request).await?;
            answer.into_body().collect().await?;
        }
        Ok::<u128, Box<dyn std::error::Error>>(begin.elapsed().as_micros())
    })?;
    println!("{us}");
    Ok(())
}

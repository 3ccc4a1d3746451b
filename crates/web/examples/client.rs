//! A client of hyper alone: requests over one connection, for the benchmark of
//! WEB CONVERSE. `client PORT REQUESTS BYTES` prints the microseconds of all.

use std::time::Instant;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;

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
        let begin = Instant::now();
        for _ in 0..requests {
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

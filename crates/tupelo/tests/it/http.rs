//! A plain HTTP/1.1 client: the bytes of a test are sent unchanged.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// An answer.
#[derive(Debug, Clone)]
pub struct HttpAnswer {
    /// The status code.
    pub status: u16,
    /// The header block, unchanged.
    pub head: String,
    /// The body, without chunks.
    pub body: Vec<u8>,
}

impl HttpAnswer {
    /// The body as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&self.body)))
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// Sends one request on a connection of its own.
pub fn send(address: &str, method: &str, path: &str, body: Option<&str>) -> HttpAnswer {
    let mut request =
        format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
    if let Some(body) = body {
        request += &format!(
            "content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
    } else {
        request += "\r\n";
    }
    raw(address, request.as_bytes()).expect("an answer")
}

/// Sends bytes and reads until the server closes.
pub fn raw(address: &str, bytes: &[u8]) -> Option<HttpAnswer> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .ok()?;
    stream.write_all(bytes).ok()?;
    let mut all = Vec::new();
    stream.read_to_end(&mut all).ok()?;
    parse(&all)
}

fn parse(all: &[u8]) -> Option<HttpAnswer> {
    let split = all.windows(4).position(|w| w == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&all[..split]).into_owned();
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let mut body = all[split + 4..].to_vec();
    let answer = HttpAnswer {
        status,
        head,
        body: Vec::new(),
    };
    if answer.header("transfer-encoding").is_some() {
        body = unchunk(&body)?;
    }
    Some(HttpAnswer { body, ..answer })
}

fn unchunk(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    loop {
        let line = rest.windows(2).position(|w| w == b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..line]).ok()?, 16).ok()?;
        if size == 0 {
            return Some(out);
        }
        out.extend_from_slice(rest.get(line + 2..line + 2 + size)?);
        rest = rest.get(line + 4 + size..)?;
    }
}

/// Sends a text to a path and returns the status and the answer's text.
pub fn post_text(address: &str, path: &str, body: &str) -> (u16, String) {
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: test.example\r\nConnection: close\r\n\
         Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = raw(address, request.as_bytes()).expect("an answer");
    (
        answer.status,
        String::from_utf8_lossy(&answer.body).into_owned(),
    )
}

//! A small HTTP/1.1 client that controls every byte on the wire.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }

    pub fn text(&self) -> String {
        format!("{}\n{}", self.head, String::from_utf8_lossy(&self.body))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }
}

pub fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("the gateway accepts");
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .expect("a socket takes a timeout");
    stream
}

/// Reads one response; `None` if the connection ends first.
pub fn read(stream: &mut TcpStream, head_only: bool) -> Option<Answer> {
    let mut reader = BufReader::with_capacity(1, stream);
    let mut head = String::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        head.push_str(&line);
    }
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let mut answer = Answer {
        status,
        head,
        body: Vec::new(),
    };
    let length = answer
        .header("content-length")
        .and_then(|v| v.parse().ok())
        .unwrap_or(0);
    if !head_only {
        answer.body.resize(length, 0);
        reader.read_exact(&mut answer.body).ok()?;
    }
    Some(answer)
}

pub fn send(address: SocketAddr, method: &str, path: &str, headers: &str, body: &str) -> Answer {
    let mut stream = connect(address);
    send_on(&mut stream, method, path, headers, body)
}

pub fn send_on(
    stream: &mut TcpStream,
    method: &str,
    path: &str,
    headers: &str,
    body: &str,
) -> Answer {
    let length = match body {
        "" => String::new(),
        body => format!(
            "content-length: {}\r\ncontent-type: application/json\r\n",
            body.len()
        ),
    };
    let text = format!("{method} {path} HTTP/1.1\r\nhost: x\r\n{length}{headers}\r\n{body}");
    stream
        .write_all(text.as_bytes())
        .expect("the gateway reads");
    read(stream, method == "HEAD").expect("an answer")
}

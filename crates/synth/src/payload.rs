//! The bytes of messages: HTTP heads with bodies, length-framed messages, TLS
//! records.
//!
//! A message is made in its full length; a script that asks for fewer bytes
//! than a head needs gets the head. Bodies are text that compresses badly
//! enough to keep readers honest.

use super::model::{Exchange, PayloadKind};
use capture::ConnectionSide;

/// The bytes of one message, at least one.
pub(super) fn message(
    form: PayloadKind,
    from: ConnectionSide,
    exchange: &Exchange,
    nth: usize,
) -> Vec<u8> {
    let writes = match from {
        ConnectionSide::Client => &exchange.request,
        ConnectionSide::Server => &exchange.response,
    };
    let wanted: usize = writes.iter().map(|w| w.bytes as usize).sum();
    match form {
        PayloadKind::Http => http(from, wanted, nth),
        PayloadKind::Framed => framed(wanted),
        PayloadKind::Tls { resumed } => tls(from, wanted, nth, resumed),
        PayloadKind::Opaque => body(wanted.max(1)),
    }
}

fn body(bytes: usize) -> Vec<u8> {
    (0..bytes)
        .map(|i| b'a' + ((i * 7 + i / 26) % 26) as u8)
        .collect()
}

fn http(from: ConnectionSide, wanted: usize, nth: usize) -> Vec<u8> {
    let head = |length: usize| match from {
        ConnectionSide::Client => format!(
            "POST /accounts/{nth} HTTP/1.1\r\nHost: bank\r\nContent-Length: {length}\r\n\r\n"
        ),
        ConnectionSide::Server => format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n"),
    };
    // The length's own digits count too: take the longest body that fits.
    let mut length = wanted.saturating_sub(head(0).len());
    while length > 0 && head(length).len() + length > wanted {
        length -= 1;
    }
    let mut bytes = head(length).into_bytes();
    bytes.extend(body(length));
    bytes
}

fn framed(wanted: usize) -> Vec<u8> {
    let total = wanted.max(4);
    let mut bytes = (total as u32).to_be_bytes().to_vec();
    bytes.extend(body(total - 4));
    bytes
}

/// Exchange zero is the handshake, everything later application data.
fn tls(from: ConnectionSide, wanted: usize, nth: usize, resumed: bool) -> Vec<u8> {
    match (nth, from) {
        (0, ConnectionSide::Client) => record(22, &client_hello(wanted, resumed)),
        (0, ConnectionSide::Server) => {
            let mut bytes = record(22, &server_hello(resumed));
            bytes.extend(record(20, &[1]));
            let rest = wanted.saturating_sub(bytes.len() + 5).max(32);
            bytes.extend(record(23, &body(rest)));
            bytes
        }
        _ => {
            let mut bytes = Vec::new();
            if (nth, from) == (1, ConnectionSide::Client) {
                // The client's Finished is sent with its first
                // request.
                bytes.extend(record(20, &[1]));
                bytes.extend(record(23, &body(53)));
            }
            let mut left = wanted.saturating_sub(5).max(24);
            while left > 0 {
                let part = left.min(16_384);
                bytes.extend(record(23, &body(part)));
                left = (left - part).saturating_sub(5);
            }
            bytes
        }
    }
}

fn record(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![kind, 3, 3];
    bytes.extend((body.len() as u16).to_be_bytes());
    bytes.extend(body);
    bytes
}

fn handshake(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![kind];
    bytes.extend(&(body.len() as u32).to_be_bytes()[1..]);
    bytes.extend(body);
    bytes
}

fn extension(kind: u16, body: &[u8]) -> Vec<u8> {
    let mut bytes = kind.to_be_bytes().to_vec();
    bytes.extend((body.len() as u16).to_be_bytes());
    bytes.extend(body);
    bytes
}

fn client_hello(wanted: usize, resumed: bool) -> Vec<u8> {
    let mut hello = vec![3, 3];
    hello.extend([7; 32]);
    hello.push(0);
    hello.extend([0, 2, 0x13, 0x01, 1, 0]);
    let mut extensions = extension(43, &[2, 3, 4]);
    // Padding before the pre-shared key, which must come last.
    let padding = wanted.saturating_sub(hello.len() + extensions.len() + 70);
    extensions.extend(extension(21, &vec![0; padding]));
    if resumed {
        let mut key = vec![0, 38, 0, 32];
        key.extend([9; 32]);
        key.extend([0, 0, 0, 0, 0, 33, 32]);
        key.extend([5; 32]);
        extensions.extend(extension(41, &key));
    }
    hello.extend((extensions.len() as u16).to_be_bytes());
    hello.extend(extensions);
    handshake(1, &hello)
}

fn server_hello(resumed: bool) -> Vec<u8> {
    let mut hello = vec![3, 3];
    hello.extend([8; 32]);
    hello.push(0);
    hello.extend([0x13, 0x01, 0]);
    let mut extensions = extension(43, &[3, 4]);
    if resumed {
        extensions.extend(extension(41, &[0, 0]));
    }
    hello.extend((extensions.len() as u16).to_be_bytes());
    hello.extend(extensions);
    handshake(2, &hello)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_as_long_as_requested_or_as_its_head() {
        let exchange = Exchange::new(300, 0, 5000);
        for form in [PayloadKind::Http, PayloadKind::Framed, PayloadKind::Opaque] {
            assert_eq!(
                message(form, ConnectionSide::Client, &exchange, 0).len(),
                300
            );
            assert_eq!(
                message(form, ConnectionSide::Server, &exchange, 0).len(),
                5000
            );
        }
        let short = Exchange::new(1, 0, 1);
        assert!(
            message(PayloadKind::Http, ConnectionSide::Client, &short, 0).ends_with(b"\r\n\r\n")
        );
    }

    #[test]
    fn tls_messages_are_whole_records() {
        let exchange = Exchange::new(512, 0, 40_000);
        for (from, nth) in [
            (ConnectionSide::Client, 0),
            (ConnectionSide::Server, 0),
            (ConnectionSide::Client, 1),
            (ConnectionSide::Server, 1),
        ] {
            let bytes = message(PayloadKind::Tls { resumed: true }, from, &exchange, nth);
            let mut rest = bytes.as_slice();
            while !rest.is_empty() {
                let length = usize::from(u16::from_be_bytes([rest[3], rest[4]]));
                rest = &rest[5 + length..];
            }
        }
    }
}

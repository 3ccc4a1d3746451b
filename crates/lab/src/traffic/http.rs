//! The minimum of HTTP/1.1 for the laboratory's servers: the end of a request, and
//! an answer of a given size.

/// Received bytes of a connection.
#[derive(Debug, Default)]
pub(super) struct RequestBuffer {
    held: Vec<u8>,
}

impl RequestBuffer {
    /// Handles received bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
    }

    /// Removes a complete request. Returns whether there was one.
    pub(super) fn take(&mut self) -> bool {
        let Some(head) = self.held.windows(4).position(|w| w == b"\r\n\r\n") else {
            return false;
        };
        let head = head + 4;
        let length = content_length(&self.held[..head]);
        match head.checked_add(length) {
            Some(whole) if whole <= self.held.len() => {
                self.held.drain(..whole);
                true
            }
            _ => false,
        }
    }

    /// Whether more is held than any experiment sends.
    pub(super) fn too_long(&self) -> bool {
        self.held.len() > LONGEST_BYTES
    }
}

/// The head and the body of an answer that is `bytes` long in all (or as long
/// as its head, if that is more).
pub(super) fn response(bytes: usize) -> (Vec<u8>, Vec<u8>) {
    let head = |length: usize| {
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {length:08}\r\n\r\n"
        )
        .into_bytes()
    };
    let length = bytes.saturating_sub(head(0).len());
    (head(length), vec![b'x'; length])
}

fn content_length(head: &[u8]) -> usize {
    let text = String::from_utf8_lossy(head);
    let value = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().ok())?
    });
    value.unwrap_or(0)
}

const LONGEST_BYTES: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_whole_when_its_body_is() {
        let mut requests = RequestBuffer::default();
        requests.feed(b"PUT / HTTP/1.1\r\ncontent-length: 3\r\n\r\nab");
        assert!(!requests.take());
        requests.feed(b"cGET / HTTP/1.1\r\n\r\n");
        assert!(requests.take());
        assert!(requests.take());
        assert!(!requests.take());
        assert!(!requests.too_long());
    }

    #[test]
    fn an_answer_has_the_size_that_was_asked_for() {
        let (head, body) = response(3000);
        assert_eq!(head.len() + body.len(), 3000);
        assert!(response(0).1.is_empty());
    }
}

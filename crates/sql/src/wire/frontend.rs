//! Messages that a client sends, each appended to a buffer.
//!
//! Several are written one after the other and sent at once: that is what
//! pipelining is. Lengths are filled in when a message is whole.

/// Version 3.0 of the protocol.
const VERSION: i32 = 196_608;
/// Request code of a CancelRequest.
const CANCEL: i32 = 80_877_102;
/// Request code of an SSLRequest.
const TLS: i32 = 80_877_103;

fn message(out: &mut Vec<u8>, tag: u8, body: impl FnOnce(&mut Vec<u8>)) {
    out.push(tag);
    sized(out, body);
}

/// Four bytes of length, which count themselves, and what follows.
fn sized(out: &mut Vec<u8>, body: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    out.extend_from_slice(&[0; 4]);
    body(out);
    let length = i32::try_from(out.len() - at).unwrap_or(i32::MAX);
    out[at..at + 4].copy_from_slice(&length.to_be_bytes());
}

/// Text and the zero after it; a zero within would end it early and is left out.
fn text(out: &mut Vec<u8>, text: &str) {
    out.extend(text.bytes().filter(|b| *b != 0));
    out.push(0);
}

fn short(out: &mut Vec<u8>, value: usize) {
    out.extend_from_slice(&u16::try_from(value).unwrap_or(u16::MAX).to_be_bytes());
}

/// StartupMessage with its parameters.
pub fn startup(out: &mut Vec<u8>, parameters: &[(&str, &str)]) {
    sized(out, |out| {
        out.extend_from_slice(&VERSION.to_be_bytes());
        for (name, value) in parameters {
            text(out, name);
            text(out, value);
        }
        out.push(0);
    });
}

/// SSLRequest; the server answers with one byte, S or N.
pub fn tls_request(out: &mut Vec<u8>) {
    sized(out, |out| out.extend_from_slice(&TLS.to_be_bytes()));
}

/// CancelRequest, on a connection of its own.
pub fn cancel(out: &mut Vec<u8>, process: i32, secret: i32) {
    sized(out, |out| {
        out.extend_from_slice(&CANCEL.to_be_bytes());
        out.extend_from_slice(&process.to_be_bytes());
        out.extend_from_slice(&secret.to_be_bytes());
    });
}

/// PasswordMessage.
pub fn password(out: &mut Vec<u8>, value: &str) {
    message(out, b'p', |out| text(out, value));
}

/// SASLInitialResponse.
pub fn sasl_initial(out: &mut Vec<u8>, mechanism: &str, data: &[u8]) {
    message(out, b'p', |out| {
        text(out, mechanism);
        let length = i32::try_from(data.len()).unwrap_or(i32::MAX);
        out.extend_from_slice(&length.to_be_bytes());
        out.extend_from_slice(data);
    });
}

/// SASLResponse.
pub fn sasl(out: &mut Vec<u8>, data: &[u8]) {
    message(out, b'p', |out| out.extend_from_slice(data));
}

/// Query: simple protocol, several statements allowed.
pub fn query(out: &mut Vec<u8>, sql: &str) {
    message(out, b'Q', |out| text(out, sql));
}

/// Parse; parameters of type 0 are the server's choice.
pub fn parse(out: &mut Vec<u8>, name: &str, sql: &str, parameters: &[u32]) {
    message(out, b'P', |out| {
        text(out, name);
        text(out, sql);
        short(out, parameters.len());
        for oid in parameters {
            out.extend_from_slice(&oid.to_be_bytes());
        }
    });
}

/// DescribeStatement, which gives types of parameters and columns.
pub fn describe_statement(out: &mut Vec<u8>, name: &str) {
    message(out, b'D', |out| {
        out.push(b'S');
        text(out, name);
    });
}

/// A Bind message that is being written, so that values go straight in.
#[derive(Debug)]
pub struct Bind<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
    values: usize,
    written: usize,
}

impl<'a> Bind<'a> {
    /// Begins the bind for a number of values, all of them binary.
    pub fn new(out: &'a mut Vec<u8>, portal: &str, statement: &str, values: usize) -> Self {
        out.push(b'B');
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        text(out, portal);
        text(out, statement);
        short(out, 1);
        short(out, 1);
        short(out, values);
        Bind {
            out,
            start,
            values,
            written: 0,
        }
    }

    /// Writes a value by a function that appends it; takes it back on an error.
    pub fn value<E>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>) -> Result<(), E> {
        let at = self.out.len();
        self.out.extend_from_slice(&[0; 4]);
        if let Err(error) = write(self.out) {
            self.out.truncate(at);
            return Err(error);
        }
        let length = i32::try_from(self.out.len() - at - 4).unwrap_or(i32::MAX);
        self.out[at..at + 4].copy_from_slice(&length.to_be_bytes());
        self.written += 1;
        Ok(())
    }

    /// NULL.
    pub fn null(&mut self) {
        self.out.extend_from_slice(&(-1i32).to_be_bytes());
        self.written += 1;
    }

    /// Gives the message up.
    pub fn abandon(self) {
        self.out.truncate(self.start - 1);
    }

    /// Ends the bind; results are binary.
    ///
    /// # Panics
    /// If another number of values was written than was said.
    pub fn finish(self) {
        assert_eq!(
            self.values, self.written,
            "a Bind has another number of values"
        );
        short(self.out, 1);
        short(self.out, 1);
        let length = i32::try_from(self.out.len() - self.start).unwrap_or(i32::MAX);
        self.out[self.start..self.start + 4].copy_from_slice(&length.to_be_bytes());
    }
}

/// Execute, at most this many rows; 0 for all.
pub fn execute(out: &mut Vec<u8>, portal: &str, rows: u32) {
    message(out, b'E', |out| {
        text(out, portal);
        out.extend_from_slice(&rows.to_be_bytes());
    });
}

/// Close of a prepared statement.
pub fn close_statement(out: &mut Vec<u8>, name: &str) {
    message(out, b'C', |out| {
        out.push(b'S');
        text(out, name);
    });
}

/// Close of a portal.
pub fn close_portal(out: &mut Vec<u8>, name: &str) {
    message(out, b'C', |out| {
        out.push(b'P');
        text(out, name);
    });
}

/// CopyFail: no COPY is served.
pub fn copy_fail(out: &mut Vec<u8>) {
    message(out, b'f', |out| text(out, "COPY is not served"));
}

/// Sync, which the server answers with ReadyForQuery.
pub fn sync(out: &mut Vec<u8>) {
    message(out, b'S', |_| ());
}

/// Flush.
pub fn flush(out: &mut Vec<u8>) {
    message(out, b'H', |_| ());
}

/// Terminate.
pub fn terminate(out: &mut Vec<u8>) {
    message(out, b'X', |_| ());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_count_themselves_and_not_the_tag() {
        let mut out = Vec::new();
        sync(&mut out);
        assert_eq!(out, [b'S', 0, 0, 0, 4]);
        out.clear();
        startup(&mut out, &[("user", "a")]);
        assert_eq!(out, b"\0\0\0\x10\0\x03\0\0user\0a\0\0");
    }

    #[test]
    fn a_bind_has_its_values_or_is_taken_back() {
        let mut out = Vec::new();
        let mut bind = Bind::new(&mut out, "", "s", 2);
        bind.value::<()>(|out| {
            out.extend_from_slice(b"AB");
            Ok(())
        })
        .unwrap();
        bind.null();
        bind.finish();
        assert_eq!(
            out,
            b"B\0\0\0\x1b\0s\0\0\x01\0\x01\0\x02\0\0\0\x02AB\xff\xff\xff\xff\0\x01\0\x01"
        );
        let mut bind = Bind::new(&mut out, "", "s", 1);
        assert_eq!(bind.value(|_| Err(())), Err(()));
        bind.abandon();
        assert_eq!(out.len(), 28);
    }
}

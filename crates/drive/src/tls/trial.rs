//! One TLS handshake before the run, so that an invalid certificate is one error
//! instead of a thousand failed requests.

use super::TlsTarget;
use super::words::{OTHER_HTTP, words};
use rustls::ClientConnection;
use std::io;
use std::net::TcpStream;
use std::time::{Duration, Instant};

impl TlsTarget {
    /// Performs one handshake and closes the connection. The error is a message for
    /// the user.
    pub fn try_out(&self, mut stream: TcpStream, patience: Duration) -> Result<(), String> {
        let mut tls =
            ClientConnection::new(self.config.clone(), self.name.clone()).map_err(|e| words(&e))?;
        let deadline = Instant::now() + patience;
        let broken = |error: io::Error| match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => late(patience),
            _ => format!("the TLS handshake failed: {error}"),
        };
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(late(patience));
            }
            stream.set_read_timeout(Some(left)).map_err(broken)?;
            stream.set_write_timeout(Some(left)).map_err(broken)?;
            while tls.wants_write() {
                tls.write_tls(&mut stream).map_err(broken)?;
            }
            if !tls.is_handshaking() {
                break;
            }
            if tls.read_tls(&mut stream).map_err(broken)? == 0 {
                return Err("the server closed the connection during the TLS handshake".into());
            }
            if let Err(error) = tls.process_new_packets() {
                // Sends the alert; a failure to send it does not matter.
                let _ = tls.write_tls(&mut stream);
                return Err(words(&error));
            }
        }
        if self.speaks_http2() && tls.alpn_protocol() != Some(b"h2") {
            return Err(OTHER_HTTP.into());
        }
        tls.send_close_notify();
        let _ = tls.write_tls(&mut stream);
        Ok(())
    }

    fn speaks_http2(&self) -> bool {
        self.config.alpn_protocols.iter().any(|p| p == b"h2")
    }
}

fn late(patience: Duration) -> String {
    let seconds = patience.as_secs_f64();
    format!(
        "the server accepts connections, but did not complete the TLS handshake within {seconds} s"
    )
}

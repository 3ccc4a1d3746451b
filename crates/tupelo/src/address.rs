//! Addresses with a port, as arguments have them.
//!
//! The commands that start a server and those that ask one use this reader:
//! `--listen 8102` and `--admin localhost:9080`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};

/// Reads `8102`, `:8102`, `localhost:8102` or `0.0.0.0:8102`. A port alone is
/// an address of the loopback interface.
///
/// # Errors
/// The text is not a port or an address with a port; the message says which.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix(':').unwrap_or(text);
    if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) {
        let port = port
            .parse()
            .map_err(|_| format!("{port} is not a port: expected 0 to 65535"))?;
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let found = text.to_socket_addrs().ok().and_then(|mut all| all.next());
    found.ok_or_else(|| "write a port (8102), or an address with a port (0.0.0.0:8102)".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_alone_is_an_address_of_this_machine() {
        for text in ["8102", ":8102", "127.0.0.1:8102"] {
            assert_eq!(
                address(text).unwrap().to_string(),
                "127.0.0.1:8102",
                "{text}"
            );
        }
        assert_eq!(address("0.0.0.0:1").unwrap().to_string(), "0.0.0.0:1");
        assert!(address("99999").unwrap_err().contains("0 to 65535"));
        assert!(address("what").unwrap_err().contains("write a port"));
    }
}

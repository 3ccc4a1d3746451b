//! URLs of targets: `http://host:port/path`, `https://…`, `tcp://host:port` for raw
//! sockets.

use std::fmt;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;
use thiserror::Error;

/// A parsed URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// The protocol.
    pub scheme: Scheme,
    /// Host name or address, without brackets.
    pub host: String,
    /// The port, given or the scheme's default.
    pub port: u16,
    /// Path and query, beginning with `/`.
    pub path: String,
}

/// The protocol of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// HTTP in clear.
    Http,
    /// HTTP over TLS.
    Https,
    /// A raw socket.
    Tcp,
    /// An LU 6.2 node, reached through a DLSw switch.
    Appc,
}

/// Why text is not a URL that the driver can use.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UrlError {
    /// The scheme is missing or unsupported.
    #[error("the address must begin with http://, https://, tcp:// or appc://")]
    Scheme,
    /// The host is missing.
    #[error("the address names no host")]
    Host,
    /// The port is missing where it is required, or is not a number from 1 to
    /// 65535.
    #[error("the port must be a number from 1 to 65535")]
    Port,
    /// The URL contains a user name, which is not supported.
    #[error("user names in an address are not supported; send an Authorization header")]
    User,
    /// The host name has no address.
    #[error("`{0}` cannot be resolved: {1}")]
    Resolve(String, String),
}

impl Url {
    /// Parses an address.
    pub fn parse(text: &str) -> Result<Url, UrlError> {
        let (scheme, rest) = [
            ("http://", Scheme::Http),
            ("https://", Scheme::Https),
            ("tcp://", Scheme::Tcp),
            ("appc://", Scheme::Appc),
        ]
        .iter()
        .find_map(|(prefix, scheme)| Some((*scheme, text.strip_prefix(prefix)?)))
        .ok_or(UrlError::Scheme)?;
        // Names of modes begin with `#`, so it is not a fragment here.
        let ends: &[char] = match scheme {
            Scheme::Appc => &['/', '?'],
            _ => &['/', '?', '#'],
        };
        let end = rest.find(ends).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        if authority.contains('@') {
            return Err(UrlError::User);
        }
        let (host, port) = match authority.strip_prefix('[') {
            Some(v6) => {
                let (host, tail) = v6.split_once(']').ok_or(UrlError::Host)?;
                match tail {
                    "" => (host, None),
                    _ => (host, Some(tail.strip_prefix(':').ok_or(UrlError::Port)?)),
                }
            }
            None => match authority.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            },
        };
        if host.is_empty() || host.contains(char::is_whitespace) {
            return Err(UrlError::Host);
        }
        let port = match (port, scheme) {
            (Some(port), _) => port.parse().ok().filter(|p| *p > 0),
            (None, Scheme::Http) => Some(80),
            (None, Scheme::Https) => Some(443),
            (None, Scheme::Appc) => Some(sna::dlc::ssp::PORT),
            (None, Scheme::Tcp) => None,
        };
        let path = match scheme {
            Scheme::Appc => path,
            _ => path.split('#').next().unwrap_or_default(),
        };
        Ok(Url {
            scheme,
            host: host.to_owned(),
            port: port.ok_or(UrlError::Port)?,
            path: if path.starts_with('/') {
                path.to_owned()
            } else {
                format!("/{path}")
            },
        })
    }

    /// The Host header. The port is omitted if it is the scheme's default.
    pub fn authority(&self) -> String {
        let host = if self.host.contains(':') {
            format!("[{}]", self.host)
        } else {
            self.host.clone()
        };
        match (self.scheme, self.port) {
            (Scheme::Http, 80) | (Scheme::Https, 443) => host,
            (_, port) => format!("{host}:{port}"),
        }
    }

    /// Resolves the host with the system's resolver. Of several addresses it
    /// returns the first that accepts a connection: `localhost` may be
    /// 127.0.0.1 and ::1 while the server listens on one of them.
    pub fn resolve(&self) -> Result<SocketAddr, UrlError> {
        let failed = |why: String| UrlError::Resolve(self.host.clone(), why);
        let found = (self.host.as_str(), self.port).to_socket_addrs();
        let found: Vec<SocketAddr> = found.map_err(|e| failed(e.to_string()))?.collect();
        answering(&found).ok_or_else(|| failed("no address".into()))
    }
}

/// The first address that accepts a connection, or the first of all.
fn answering(addresses: &[SocketAddr]) -> Option<SocketAddr> {
    let first = addresses.first().copied();
    if addresses.iter().all(|a| Some(*a) == first) {
        return first;
    }
    let takes = |a: &&SocketAddr| TcpStream::connect_timeout(a, PATIENCE).is_ok();
    addresses.iter().find(takes).copied().or(first)
}

/// The timeout for one of several addresses to accept a connection.
const PATIENCE: Duration = Duration::from_secs(1);

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
            Scheme::Appc => "appc",
            Scheme::Tcp => return write!(f, "tcp://{}", self.authority()),
        };
        write!(f, "{scheme}://{}{}", self.authority(), self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_apart_and_put_together() {
        for (text, authority, path) in [
            ("http://a", "a", "/"),
            ("http://a:80/x?y=1#z", "a", "/x?y=1"),
            ("http://a:8080?q", "a:8080", "/?q"),
            ("https://[::1]:443/", "[::1]", "/"),
            ("tcp://h:3010", "h:3010", "/"),
            ("appc://h/N.S?mode=#INTER", "h:2065", "/N.S?mode=#INTER"),
        ] {
            let url = Url::parse(text).unwrap();
            assert_eq!(
                (url.authority().as_str(), url.path.as_str()),
                (authority, path)
            );
        }
    }

    #[test]
    fn of_several_addresses_the_one_with_a_server_is_taken() {
        // A loopback address that no other test uses, so its port stays closed.
        let deaf: SocketAddr = "127.77.4.1:9".parse().unwrap();
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        assert_eq!(answering(&[deaf, address]), Some(address));
        assert_eq!(answering(&[deaf, deaf]), Some(deaf));
        let other = "127.77.4.2:9".parse().unwrap();
        assert_eq!(answering(&[deaf, other]), Some(deaf));
        assert_eq!(answering(&[]), None);
    }

    #[test]
    fn what_is_not_an_address_is_reported() {
        for (text, why) in [
            ("a/b", UrlError::Scheme),
            ("http:///x", UrlError::Host),
            ("http://a:0/", UrlError::Port),
            ("http://a:99999/", UrlError::Port),
            ("tcp://a", UrlError::Port),
            ("http://u:p@a/", UrlError::User),
            ("http://[::1/", UrlError::Host),
        ] {
            assert_eq!(Url::parse(text).unwrap_err(), why, "{text}");
        }
    }
}

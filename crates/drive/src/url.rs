//! Addresses as people write them: `http://host:port/path`, `https://…`,
//! `tcp://host:port` for raw sockets.

use std::fmt;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;
use thiserror::Error;

/// A parsed address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// What is spoken at the address.
    pub scheme: Scheme,
    /// Host name or address, without brackets.
    pub host: String,
    /// The port, given or the scheme's own.
    pub port: u16,
    /// Path and query, beginning with `/`.
    pub path: String,
}

/// What is spoken at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// HTTP in clear.
    Http,
    /// HTTP over TLS.
    Https,
    /// A raw socket.
    Tcp,
    /// An LU 6.2 node behind a DLSw switch.
    Appc,
}

/// Why text is not an address the driver can use.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UrlError {
    /// No scheme, or one that is not spoken here.
    #[error("the address must begin with http://, https://, tcp:// or appc://")]
    Scheme,
    /// No host.
    #[error("the address names no host")]
    Host,
    /// The port is missing where it must be given, or is no number from 1 to 65535.
    #[error("the port must be a number from 1 to 65535")]
    Port,
    /// User names do not belong into an address.
    #[error("user names in an address are not supported; send an Authorization header")]
    User,
    /// The host's name has no address.
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
        // Names of modes begin with #.
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
            path: match path.starts_with('/') {
                true => path.to_owned(),
                false => format!("/{path}"),
            },
        })
    }

    /// The Host header: the port is named only where it is not the scheme's own.
    pub fn authority(&self) -> String {
        let host = match self.host.contains(':') {
            true => format!("[{}]", self.host),
            false => self.host.clone(),
        };
        match (self.scheme, self.port) {
            (Scheme::Http, 80) | (Scheme::Https, 443) => host,
            (_, port) => format!("{host}:{port}"),
        }
    }

    /// An address of the host; asks the system's resolver. Of several it is the
    /// first that takes a connection, as with `localhost` where the server
    /// listens on one of 127.0.0.1 and ::1.
    pub fn resolve(&self) -> Result<SocketAddr, UrlError> {
        let failed = |why: String| UrlError::Resolve(self.host.clone(), why);
        let found = (self.host.as_str(), self.port).to_socket_addrs();
        let found: Vec<SocketAddr> = found.map_err(|e| failed(e.to_string()))?.collect();
        answering(&found).ok_or_else(|| failed("no address".into()))
    }
}

/// The first address where a server is; the first of all when there is none.
fn answering(addresses: &[SocketAddr]) -> Option<SocketAddr> {
    let first = addresses.first().copied();
    if addresses.iter().all(|a| Some(*a) == first) {
        return first;
    }
    let takes = |a: &&SocketAddr| TcpStream::connect_timeout(a, PATIENCE).is_ok();
    addresses.iter().find(takes).copied().or(first)
}

/// How long one of several addresses may take to accept a connection.
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
        // Nobody listens where nobody else is given a port meanwhile.
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

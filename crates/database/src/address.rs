//! Where a server is: `postgresql://` addresses, as libpq has them.
//!
//! `postgresql://host:5432/database`, or with a folder of Unix sockets as
//! `postgresql:///database?host=/run/postgresql`. A user and a password in the
//! address are refused: passwords are in files of their own.
//!
//! Reference: PostgreSQL 15, "Connection URIs".

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Instant;

use percent_encoding::percent_decode_str;

use crate::socket::DeadlineSocket;

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerAddress {
    /// A Unix socket's path.
    Unix(PathBuf),
    /// Host and port.
    Tcp(String, u16),
}

/// A server and a database on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerUrl {
    /// Where it listens.
    pub address: ServerAddress,
    /// Database.
    pub database: String,
}

/// What is wrong with an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Another scheme.
    #[error("the address must begin with postgresql://")]
    Scheme,
    /// A user or password.
    #[error("the address must not name a user or a password: use `owner` and `password_file`")]
    Credentials,
    /// A port that is no number from 1 to 65535.
    #[error("{0:?} is not a port")]
    Port(String),
    /// No host and no socket.
    #[error("the address names neither a host nor a folder of sockets (?host=/…)")]
    Host,
    /// A parameter that is not served.
    #[error("the parameter {0} is not supported; only host and port are")]
    Parameter(String),
    /// TLS.
    #[error("sslmode={0} is not supported yet: connections to the server have no TLS")]
    Tls(String),
    /// Bytes that are no UTF-8.
    #[error("the address is not UTF-8 when it is decoded")]
    Encoding,
}

const DEFAULT_PORT: u16 = 5432;

impl ServerAddress {
    /// Connects.
    ///
    /// # Errors
    /// Of the sockets.
    pub fn connect(&self, deadline: Instant) -> io::Result<DeadlineSocket> {
        match self {
            ServerAddress::Unix(path) => DeadlineSocket::unix(path),
            ServerAddress::Tcp(host, port) => DeadlineSocket::tcp(host, *port, deadline),
        }
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServerAddress::Unix(path) => path.display().fmt(f),
            ServerAddress::Tcp(host, port) if host.contains(':') => write!(f, "[{host}]:{port}"),
            ServerAddress::Tcp(host, port) => write!(f, "{host}:{port}"),
        }
    }
}

impl std::str::FromStr for ServerUrl {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<ServerUrl, AddressError> {
        let rest = ["postgresql://", "postgres://"]
            .iter()
            .find_map(|scheme| text.strip_prefix(scheme))
            .ok_or(AddressError::Scheme)?;
        let (rest, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        if authority.contains('@') {
            return Err(AddressError::Credentials);
        }
        let (mut host, mut port) = host_and_port(authority)?;
        for pair in parameters.split('&').filter(|p| !p.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match name {
                "host" => host = decode(value)?,
                "port" => port = parse_port(value)?,
                "sslmode" if matches!(value, "disable" | "allow" | "prefer") => {}
                "sslmode" => return Err(AddressError::Tls(value.to_owned())),
                "user" | "password" => return Err(AddressError::Credentials),
                _ => return Err(AddressError::Parameter(name.to_owned())),
            }
        }
        let database = match database {
            "" => "postgres".to_owned(),
            name => decode(name)?,
        };
        let address = if host.is_empty() {
            return Err(AddressError::Host);
        } else if host.starts_with('/') {
            ServerAddress::Unix(PathBuf::from(host).join(format!(".s.PGSQL.{port}")))
        } else {
            ServerAddress::Tcp(host, port)
        };
        Ok(ServerUrl { address, database })
    }
}

fn host_and_port(authority: &str) -> Result<(String, u16), AddressError> {
    let (host, port) = match authority.strip_prefix('[').and_then(|a| a.split_once(']')) {
        Some((host, rest)) => (host, rest.strip_prefix(':').unwrap_or("")),
        None => authority.split_once(':').unwrap_or((authority, "")),
    };
    let port = if port.is_empty() {
        DEFAULT_PORT
    } else {
        parse_port(port)?
    };
    Ok((decode(host)?, port))
}

fn parse_port(text: &str) -> Result<u16, AddressError> {
    let port = text.parse::<u16>().ok().filter(|port| *port > 0);
    port.ok_or_else(|| AddressError::Port(text.to_owned()))
}

fn decode(text: &str) -> Result<String, AddressError> {
    let decoded = percent_decode_str(text).decode_utf8();
    Ok(decoded.map_err(|_| AddressError::Encoding)?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> String {
        match text.parse::<ServerUrl>() {
            Ok(url) => format!("{} {}", url.address, url.database),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn hosts_ports_and_folders_of_sockets_are_read() {
        assert_eq!(
            parsed("postgresql://db.example/bank"),
            "db.example:5432 bank"
        );
        assert_eq!(parsed("postgres://[::1]:5433"), "[::1]:5433 postgres");
        assert_eq!(
            parsed("postgresql:///bank?host=/run/my%20sql&port=6000"),
            "/run/my sql/.s.PGSQL.6000 bank"
        );
    }

    #[test]
    fn a_password_in_the_address_is_refused_and_not_repeated() {
        let message = parsed("postgresql://me:hunter2@db/bank");
        assert!(
            message.contains("password_file") && !message.contains("hunter2"),
            "{message}"
        );
        assert!(parsed("postgresql://db/?password=hunter2").contains("password_file"));
    }

    #[test]
    fn what_is_not_supported_is_named() {
        assert!(parsed("mysql://db/bank").contains("postgresql://"));
        assert!(parsed("postgresql://db/?sslmode=require").contains("TLS"));
        assert!(parsed("postgresql://db:0/").contains("\"0\" is not a port"));
        assert!(parsed("postgresql:///bank").contains("neither a host"));
        assert!(parsed("postgresql://db/?options=-c").contains("options"));
    }
}

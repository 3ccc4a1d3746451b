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
use tls::ClientIdentity;

use crate::relay::{self, TlsCheck, TlsOptions};
use crate::socket::DeadlineSocket;

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerAddress {
    /// A Unix socket's path.
    Unix(PathBuf),
    /// Host and port.
    Tcp(String, u16),
    /// Host and port, and how TLS is used.
    Tls(String, u16, TlsOptions),
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
    /// A port that is not a number from 1 to 65535.
    #[error("{0:?} is not a port")]
    Port(String),
    /// No host and no socket.
    #[error("the address names neither a host nor a folder of sockets (?host=/…)")]
    Host,
    /// A parameter that is not served.
    #[error(
        "the parameter {0} is not supported; host, port, sslmode, sslrootcert, sslcert and sslkey are"
    )]
    Parameter(String),
    /// An unknown mode, or one that does not go together with the rest.
    #[error("sslmode={0}: {1}")]
    Tls(String, &'static str),
    /// Bytes that are not UTF-8.
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
            ServerAddress::Tls(host, port, options) => {
                relay::connect(host, *port, options, deadline)
            }
        }
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServerAddress::Unix(path) => path.display().fmt(f),
            ServerAddress::Tcp(host, port) | ServerAddress::Tls(host, port, _)
                if host.contains(':') =>
            {
                write!(f, "[{host}]:{port}")
            }
            ServerAddress::Tcp(host, port) | ServerAddress::Tls(host, port, _) => {
                write!(f, "{host}:{port}")
            }
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
        let mut mode = String::new();
        let mut authorities = None;
        let (mut certificate, mut key) = (None, None);
        for pair in parameters.split('&').filter(|p| !p.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match name {
                "host" => host = decode(value)?,
                "port" => port = parse_port(value)?,
                "sslmode" => value.clone_into(&mut mode),
                "sslrootcert" => authorities = Some(PathBuf::from(decode(value)?)),
                "sslcert" => certificate = Some(PathBuf::from(decode(value)?)),
                "sslkey" => key = Some(PathBuf::from(decode(value)?)),
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
            let identity = identity(&mode, certificate, key)?;
            match tls_check(&mode, authorities)? {
                Some(check) => ServerAddress::Tls(host, port, TlsOptions { check, identity }),
                None if identity.is_some() => {
                    let why = "sslcert needs sslmode=require, verify-ca or verify-full";
                    return Err(AddressError::Tls(mode, why));
                }
                None => ServerAddress::Tcp(host, port),
            }
        };
        Ok(ServerUrl { address, database })
    }
}

/// What `sslmode` and `sslrootcert` ask for; `None` for a connection without TLS.
fn tls_check(mode: &str, authorities: Option<PathBuf>) -> Result<Option<TlsCheck>, AddressError> {
    let wrong = |why| Err(AddressError::Tls(mode.to_owned(), why));
    match (mode, authorities) {
        ("" | "disable" | "allow" | "prefer", None) => Ok(None),
        ("" | "disable" | "allow" | "prefer", Some(_)) => {
            wrong("sslrootcert needs sslmode=verify-ca or verify-full")
        }
        ("require", None) => Ok(Some(TlsCheck::Nothing)),
        // As libpq has it: a file of authorities is used where there is one.
        ("require" | "verify-ca", authorities) => Ok(Some(TlsCheck::Chain(authorities))),
        ("verify-full", authorities) => Ok(Some(TlsCheck::Name(authorities))),
        _ => wrong("it is disable, require, verify-ca or verify-full"),
    }
}

/// The certificate and key that the server is shown.
fn identity(
    mode: &str,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
) -> Result<Option<ClientIdentity>, AddressError> {
    match (certificate, key) {
        (None, None) => Ok(None),
        (Some(certificate), Some(key)) => Ok(Some(ClientIdentity { certificate, key })),
        _ => {
            let why = "sslcert and sslkey belong together";
            Err(AddressError::Tls(mode.to_owned(), why))
        }
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
    fn modes_of_tls_are_those_of_libpq() {
        let address = |text: &str| text.parse::<ServerUrl>().unwrap().address;
        let options = |check| TlsOptions {
            check,
            identity: None,
        };
        let tls = |check| ServerAddress::Tls("db".to_owned(), 5432, options(check));
        assert_eq!(
            address("postgresql://db/bank?sslmode=require"),
            tls(TlsCheck::Nothing)
        );
        let file = Some(PathBuf::from("/etc/ca.pem"));
        assert_eq!(
            address("postgresql://db/bank?sslmode=require&sslrootcert=/etc/ca.pem"),
            tls(TlsCheck::Chain(file.clone()))
        );
        assert_eq!(
            address("postgresql://db/bank?sslmode=verify-full&sslrootcert=/etc/ca.pem"),
            tls(TlsCheck::Name(file))
        );
        let plain = "postgresql://db/bank?sslmode=prefer";
        assert_eq!(address(plain), ServerAddress::Tcp("db".to_owned(), 5432));
        let message = parsed("postgresql://db/bank?sslrootcert=/etc/ca.pem");
        assert!(message.contains("verify-full"), "{message}");
        let ServerAddress::Tls(_, _, options) =
            address("postgresql://db/bank?sslmode=require&sslcert=/c.pem&sslkey=/k.pem")
        else {
            panic!("no TLS");
        };
        let identity = options.identity.unwrap();
        assert_eq!(
            (identity.certificate, identity.key),
            ("/c.pem".into(), "/k.pem".into())
        );
        let message = parsed("postgresql://db/bank?sslmode=require&sslcert=/c.pem");
        assert!(message.contains("belong together"), "{message}");
        let message = parsed("postgresql://db/bank?sslcert=/c.pem&sslkey=/k.pem");
        assert!(message.contains("sslcert needs sslmode"), "{message}");
    }

    #[test]
    fn what_is_not_supported_is_named() {
        assert!(parsed("mysql://db/bank").contains("postgresql://"));
        assert!(parsed("postgresql://db/?sslmode=yes").contains("verify-full"));
        assert!(parsed("postgresql://db:0/").contains("\"0\" is not a port"));
        assert!(parsed("postgresql:///bank").contains("neither a host"));
        assert!(parsed("postgresql://db/?options=-c").contains("options"));
    }
}

//! Connections to servers: which may be had, TCP, TLS, HTTP, and those that
//! are kept for the next session.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use ezasoket::{AddressRule, is_own_port};
use rustls_pki_types::ServerName;
use tls::ReloadingSettings;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;

use super::{ClientError, RequestBody};
use crate::config::{CertificateSection, WebConfig};
use crate::service::lock;

/// A connection on which requests can be sent.
pub type RequestSender = fetch::HttpSender<RequestBody>;

/// Connections to one server that are kept.
const MOST_KEPT: usize = 32;

/// The server of a session.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ServerTarget {
    /// SCHEME(HTTPS).
    pub secure: bool,
    /// The host as the program named it.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Label of the certificate that the server is shown.
    pub certificate: Option<String>,
}

impl ServerTarget {
    /// The Host header: the port where it is not the scheme's own.
    pub fn authority(&self) -> String {
        let own = if self.secure { 443 } else { 80 };
        let host = if self.host.contains(':') {
            format!("[{}]", self.host)
        } else {
            self.host.clone()
        };
        if self.port == own {
            host
        } else {
            format!("{host}:{}", self.port)
        }
    }
}

/// The settings of connections.
#[derive(Debug)]
pub struct ClientConnector {
    rules: Vec<AddressRule>,
    resolver: bool,
    /// Trust in servers, or the reason why HTTPS is unavailable.
    tls: Result<TlsConnectorOf, String>,
    /// The TLS configurations with client certificates, by their labels.
    certificates: HashMap<String, Result<ReloadingSettings<ClientConfig>, String>>,
    kept: Mutex<HashMap<ServerTarget, IdleConnections>>,
}

/// Connections to one server that wait for their next session.
#[derive(Debug, Default)]
struct IdleConnections {
    /// Each with the end of its time.
    list: Vec<(RequestSender, Instant)>,
    /// A sweeper task closes them.
    swept: bool,
}

/// A connector that shows nothing of itself.
#[derive(Clone)]
struct TlsConnectorOf(TlsConnector);

impl std::fmt::Debug for TlsConnectorOf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TlsConnector")
    }
}

impl ClientConnector {
    /// Connections as the settings allow them.
    pub fn new(config: &WebConfig) -> ClientConnector {
        let rules = config.connect.iter();
        let labels = config.certificates.iter();
        ClientConnector {
            rules: rules.filter_map(|text| text.parse().ok()).collect(),
            resolver: config.resolver,
            tls: trust(config.authorities.as_deref()),
            certificates: labels
                .map(|(label, section)| (label.clone(), shown(config, section)))
                .collect(),
            kept: Mutex::default(),
        }
    }

    /// A connection that was kept for this server and is still open.
    pub fn kept(&self, target: &ServerTarget) -> Option<RequestSender> {
        let mut kept = lock(&self.kept);
        let kept = kept.get_mut(target)?;
        kept.close_old(Instant::now());
        kept.list.pop().map(|(sender, _)| sender)
    }

    /// Keeps a connection for so long. True when [`ClientConnector::sweep`] is to run for
    /// this server from now on.
    #[must_use]
    pub fn keep(&self, target: &ServerTarget, sender: RequestSender, time: Duration) -> bool {
        let mut all = lock(&self.kept);
        let kept = all.entry(target.clone()).or_default();
        if kept.list.len() < MOST_KEPT && !sender.is_closed() {
            kept.list.push((sender, Instant::now() + time));
        }
        !std::mem::replace(&mut kept.swept, true)
    }

    /// Closes the idle connections to a server whose time has passed, until no
    /// connection is left.
    pub async fn sweep(&self, target: ServerTarget) {
        loop {
            let next = {
                let mut all = lock(&self.kept);
                let kept = all.entry(target.clone()).or_default();
                kept.close_old(Instant::now());
                match kept.list.iter().map(|(_, until)| *until).min() {
                    Some(next) => next,
                    None => {
                        all.remove(&target);
                        return;
                    }
                }
            };
            tokio::time::sleep_until(next.into()).await;
        }
    }

    /// Connects to a server.
    pub async fn connect(&self, target: &ServerTarget) -> Result<RequestSender, ClientError> {
        let stream = self.stream(target).await?;
        let _ = stream.set_nodelay(true);
        if target.secure {
            let tls = self.tls(target)?;
            let name = ServerName::try_from(target.host.clone());
            let name = name.map_err(|_| ClientError::Host)?;
            let stream = tls.connect(name, stream).await.map_err(|error| {
                tracing::info!(host = target.host, %error, "a server's TLS was refused");
                ClientError::Trust
            })?;
            begin(stream).await
        } else {
            begin(stream).await
        }
    }

    /// The TLS connector for a server.
    fn tls(&self, target: &ServerTarget) -> Result<TlsConnector, ClientError> {
        let Some(label) = &target.certificate else {
            return match &self.tls {
                Ok(TlsConnectorOf(tls)) => Ok(tls.clone()),
                Err(why) => {
                    tracing::warn!(host = target.host, "no HTTPS: {why}");
                    Err(ClientError::Trust)
                }
            };
        };
        match self.certificates.get(label) {
            Some(Ok(config)) => Ok(TlsConnector::from(config.config())),
            Some(Err(why)) => {
                tracing::warn!(host = target.host, label, "no certificate: {why}");
                Err(ClientError::Certificate)
            }
            None => {
                tracing::warn!(
                    host = target.host,
                    label,
                    "no [web.certificates] entry with this label"
                );
                Err(ClientError::Certificate)
            }
        }
    }

    /// Whether a connection to a server can be allowed, as far as that is known
    /// without asking for its address.
    pub fn may_allow(&self, target: &ServerTarget) -> bool {
        let ip = match target.host.as_str() {
            host if host.eq_ignore_ascii_case("localhost") => Some(Ipv4Addr::LOCALHOST.into()),
            host => host.parse().ok(),
        };
        match ip {
            Some(ip) => self.allows(SocketAddr::new(ip, target.port)),
            None => self.resolver && !self.rules.is_empty(),
        }
    }

    /// Whether programs may connect to an address: never to where this region is
    /// administered.
    fn allows(&self, address: SocketAddr) -> bool {
        self.rules.iter().any(|rule| rule.allows(address)) && !is_own_port(address)
    }

    async fn stream(&self, target: &ServerTarget) -> Result<TcpStream, ClientError> {
        let addresses = self.addresses(target).await?;
        let allowed = |address: &SocketAddr| self.allows(*address);
        let mut allowed = addresses.into_iter().filter(allowed).peekable();
        if allowed.peek().is_none() {
            return Err(ClientError::NotAllowed);
        }
        for address in allowed {
            if let Ok(stream) = TcpStream::connect(address).await {
                return Ok(stream);
            }
        }
        Err(ClientError::Socket)
    }

    async fn addresses(&self, target: &ServerTarget) -> Result<Vec<SocketAddr>, ClientError> {
        let at = |ip: IpAddr| vec![SocketAddr::new(ip, target.port)];
        if let Ok(ip) = target.host.parse() {
            return Ok(at(ip));
        }
        if target.host.eq_ignore_ascii_case("localhost") {
            return Ok(at(Ipv4Addr::LOCALHOST.into()));
        }
        if !self.resolver {
            return Err(ClientError::Host);
        }
        let found = tokio::net::lookup_host((target.host.as_str(), target.port)).await;
        found.map(Iterator::collect).map_err(|_| ClientError::Host)
    }
}

impl IdleConnections {
    fn close_old(&mut self, now: Instant) {
        self.list
            .retain(|(sender, until)| *until > now && !sender.is_closed());
    }
}

/// Begins HTTP on a stream; a task of its own drives the connection.
async fn begin<S>(stream: S) -> Result<RequestSender, ClientError>
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + 'static,
{
    let made = fetch::handshake(stream).await;
    let (sender, connection) = made.map_err(|_| ClientError::Socket)?;
    tokio::task::spawn_local(async move {
        // An error reaches the connection's requests.
        let _ = connection.await;
    });
    Ok(sender)
}

fn trust(authorities: Option<&std::path::Path>) -> Result<TlsConnectorOf, String> {
    let file = authorities.ok_or("[web] authorities is not set")?;
    let roots = tls::authorities(file).map_err(|e| e.to_string())?;
    let client = tls::client(roots).map_err(|e| e.to_string())?;
    Ok(TlsConnectorOf(TlsConnector::from(client)))
}

/// The client certificate that is shown to a server.
fn shown(
    config: &WebConfig,
    section: &CertificateSection,
) -> Result<ReloadingSettings<ClientConfig>, String> {
    let authorities = config.authorities.clone();
    let files = tls::ClientFiles {
        certificate: section.certificate.clone(),
        key: section.key.clone(),
        authorities: authorities.ok_or("[web] authorities is not set")?,
    };
    tls::client_with_certificate(files).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_is_written_where_it_is_not_the_schemes_default() {
        let target = |secure, host: &str, port| ServerTarget {
            secure,
            host: host.to_owned(),
            port,
            certificate: None,
        };
        assert_eq!(target(false, "h", 80).authority(), "h");
        assert_eq!(target(true, "h", 80).authority(), "h:80");
        assert_eq!(target(true, "::1", 443).authority(), "[::1]");
    }
}

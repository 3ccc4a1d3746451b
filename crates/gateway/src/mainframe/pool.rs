//! A thread's sessions of a connection: how they are opened, kept and counted.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use region::{CallFailure, NotStarted};
use rustls_pki_types::ServerName;
use std::rc::Rc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_rustls::TlsConnector;

use super::{Connection, TlsTrust};

/// Bytes both ways, with TLS or without.
pub(super) trait Stream: AsyncRead + AsyncWrite + Unpin {}
impl<T: AsyncRead + AsyncWrite + Unpin> Stream for T {}

/// How a server is connected to.
pub(super) struct DialSettings {
    host: String,
    port: u16,
    tls: Option<(TlsClientSource, ServerName<'static>)>,
    limit: Duration,
}

enum TlsClientSource {
    Fixed(Arc<rustls::ClientConfig>),
    /// With a certificate that is read again when it is written.
    Shown(tls::ReloadingSettings<rustls::ClientConfig>),
}

impl DialSettings {
    pub fn new(
        host: &str,
        port: u16,
        tls: Option<&TlsTrust>,
        timeout_ms: u32,
    ) -> Result<DialSettings, String> {
        let tls = tls.map(|tls| {
            let name = tls.name.as_deref().unwrap_or(host).to_owned();
            let wrong = format!("{name} is not a name that a certificate can contain");
            let name = ServerName::try_from(name).map_err(|_| wrong)?;
            Ok::<_, String>((TlsClientSource::new(tls)?, name))
        });
        Ok(DialSettings {
            host: host.to_owned(),
            port,
            tls: tls.transpose()?,
            limit: Duration::from_millis(timeout_ms.into()),
        })
    }

    pub fn shown(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    async fn open(&self) -> Result<Box<dyn Stream>, String> {
        let opening = async {
            let stream = TcpStream::connect((self.host.as_str(), self.port)).await;
            let stream = stream.map_err(|e| e.to_string())?;
            let _ = stream.set_nodelay(true);
            let Some((trust, name)) = &self.tls else {
                return Ok(Box::new(stream) as Box<dyn Stream>);
            };
            let connector = TlsConnector::from(trust.config());
            let stream = connector.connect(name.clone(), stream).await;
            let stream = stream.map_err(|e| format!("TLS: {e}"))?;
            Ok(Box::new(stream) as Box<dyn Stream>)
        };
        let opened = tokio::time::timeout(self.limit, opening).await;
        opened.unwrap_or_else(|_| {
            let ms = self.limit.as_millis();
            Err(format!("no connection was established within {ms} ms"))
        })
    }
}

impl TlsClientSource {
    fn new(tls: &TlsTrust) -> Result<TlsClientSource, String> {
        match (&tls.certificate, &tls.authorities) {
            (Some((certificate, key)), Some(authorities)) => {
                let files = tls::ClientFiles {
                    certificate: certificate.clone(),
                    key: key.clone(),
                    authorities: authorities.clone(),
                };
                let made = tls::client_with_certificate(files);
                made.map(TlsClientSource::Shown).map_err(|e| e.to_string())
            }
            (Some(_), None) => {
                Err("a client certificate needs `trusted`, the authorities of the server".into())
            }
            (None, authorities) => {
                let roots = tls::trusted(authorities.as_deref())?;
                let config = tls::client(roots).map_err(|e| e.to_string())?;
                Ok(TlsClientSource::Fixed(config))
            }
        }
    }

    fn config(&self) -> Arc<rustls::ClientConfig> {
        match self {
            TlsClientSource::Fixed(config) => config.clone(),
            TlsClientSource::Shown(reloading) => reloading.config(),
        }
    }
}

impl Connection {
    /// Opens a stream; what happened is noted.
    pub async fn open(&self) -> Result<Box<dyn Stream>, CallFailure> {
        let opened = self.dial.open().await;
        self.health.tried(opened.as_ref().err().map(String::as_str));
        opened.map_err(|why| {
            let (name, address) = (&self.name, self.dial.shown());
            CallFailure::NotStarted(NotStarted::Unreachable(format!(
                "the connection {name} ({address}): {why}"
            )))
        })
    }
}

/// Sessions of a thread.
pub(super) struct SessionPool {
    room: Arc<Semaphore>,
    idle: Rc<RefCell<Vec<Session>>>,
}

/// One that is open.
pub(super) struct Session {
    /// The first message on it: other connections cannot use it.
    pub key: String,
    pub wire: SessionStream,
}

/// The transport.
pub(super) enum SessionStream {
    Http(fetch::HttpSender<http_body_util::Full<bytes::Bytes>>),
    Raw(Box<dyn Stream>),
}

impl SessionPool {
    pub fn new(sessions: usize) -> SessionPool {
        SessionPool {
            room: Arc::new(Semaphore::new(sessions)),
            idle: Rc::default(),
        }
    }

    /// The right to one session, once there is one free.
    pub async fn room(
        &self,
        wait: Duration,
        name: &str,
    ) -> Result<OwnedSemaphorePermit, CallFailure> {
        let asked = self.room.clone().acquire_owned();
        match tokio::time::timeout(wait, asked).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => {
                let ms = wait.as_millis();
                let why = format!("the connection {name} had no free session within {ms} ms");
                Err(CallFailure::NotStarted(NotStarted::Busy(why)))
            }
        }
    }

    /// A session that was kept, if there is one. A session of another kind is closed
    /// if otherwise more sessions would be open than are allowed.
    pub fn kept(&self, key: &str) -> Option<Session> {
        let mut idle = self.idle.borrow_mut();
        match idle.iter().rposition(|session| session.key == key) {
            Some(at) => Some(idle.remove(at)),
            None => {
                if !idle.is_empty() && idle.len() > self.room.available_permits() {
                    idle.remove(0);
                }
                None
            }
        }
    }

    pub fn keep(&self, session: Session) {
        self.idle.borrow_mut().push(session);
    }
}

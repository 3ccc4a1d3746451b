//! Making requests: who may be called, TCP, TLS, one exchange.
//!
//! Invariant: nothing is resolved or connected to before the address was found
//! among those that are allowed.

use std::future::{Future, poll_fn};
use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use rustls_pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;

use crate::interim::handshake;
use crate::target::UrlTarget;
use crate::{Error, Request};

/// The allowed addresses and the limits.
#[derive(Debug, Clone, Default)]
pub struct FetchSettings {
    /// Addresses that may be called, with all that is below them.
    pub allow: Vec<String>,
    /// Time that a request may take, its connection and its answer together.
    pub timeout: Duration,
    /// Bytes that an answer's body may have.
    pub most_bytes: usize,
    /// File of the certificates in PEM that servers are trusted by; the
    /// system's without it.
    pub trusted: Option<PathBuf>,
    /// Files of a certificate chain and its key in PEM, which are shown to
    /// servers that ask for one.
    pub shown: Option<(PathBuf, PathBuf)>,
}

/// Which setting is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// An address that is allowed.
    #[error("{url:?}: {why}")]
    Address {
        /// The address.
        url: String,
        /// The problem.
        why: String,
    },
    /// The certificates that servers are trusted by.
    #[error("{0}")]
    Trusted(String),
    /// The certificate that servers are shown.
    #[error("{0}")]
    Shown(String),
}

/// The TLS configuration of connections.
#[derive(Clone)]
enum TlsSource {
    Fixed(TlsConnector),
    /// With a certificate that is read again when it is written.
    Shown(Arc<tls::ReloadingSettings<ClientConfig>>),
}

impl TlsSource {
    fn new(settings: &FetchSettings) -> Result<TlsSource, SettingsError> {
        let roots = tls::trusted(settings.trusted.as_deref()).map_err(SettingsError::Trusted)?;
        let Some(files) = settings.shown.clone() else {
            let client = tls::client(roots).map_err(|e| SettingsError::Trusted(e.to_string()))?;
            return Ok(TlsSource::Fixed(TlsConnector::from(client)));
        };
        let made = tls::client_that_shows(files, roots);
        let made = made.map_err(|e| SettingsError::Shown(e.to_string()))?;
        Ok(TlsSource::Shown(Arc::new(made)))
    }

    fn connector(&self) -> TlsConnector {
        match self {
            TlsSource::Fixed(connector) => connector.clone(),
            TlsSource::Shown(reloading) => TlsConnector::from(reloading.config()),
        }
    }
}

/// Makes requests by its settings.
#[derive(Clone, Default)]
pub struct HttpFetcher {
    allowed: Arc<[UrlTarget]>,
    timeout: Duration,
    most_bytes: usize,
    tls: Option<TlsSource>,
}

/// An answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FetchedResponse {
    /// Status.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Vec<u8>,
}

impl std::fmt::Debug for HttpFetcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fetcher")
            .field("allowed", &self.allowed)
            .finish_non_exhaustive()
    }
}

impl HttpFetcher {
    /// A fetcher by these settings.
    ///
    /// # Errors
    /// Which setting is wrong.
    pub fn new(settings: &FetchSettings) -> Result<HttpFetcher, SettingsError> {
        let allowed = settings.allow.iter().map(|url| {
            let target = UrlTarget::parse(url).and_then(|target| {
                if target.path.contains('?') {
                    Err("an allowed address must not have a query".to_owned())
                } else {
                    Ok(target)
                }
            });
            target.map_err(|why| SettingsError::Address {
                url: url.clone(),
                why,
            })
        });
        let allowed = allowed.collect::<Result<Arc<[_]>, _>>()?;
        let secure = allowed.iter().any(|t| t.secure);
        Ok(HttpFetcher {
            tls: secure.then(|| TlsSource::new(settings)).transpose()?,
            allowed,
            timeout: settings.timeout,
            most_bytes: settings.most_bytes,
        })
    }

    /// A request, with its answer under way. It runs on a runtime with time
    /// and I/O, and needs no other task there.
    ///
    /// # Errors
    /// At once why it is not made; later why it has no answer.
    pub fn fetch(
        &self,
        request: Request,
    ) -> Result<impl Future<Output = Result<FetchedResponse, Error>> + 'static, Error> {
        let target = UrlTarget::parse(&request.url).map_err(Error::Request)?;
        if !self.allowed.iter().any(|a| a.covers(&target)) {
            return Err(Error::NotAllowed(request.url));
        }
        let limit = request.timeout.unwrap_or(self.timeout).min(self.timeout);
        let sent = target.request(request).map_err(Error::Request)?;
        let own = self.clone();
        Ok(async move {
            let fetched = tokio::time::timeout(limit, own.exchange(&target, sent)).await;
            let fetched = fetched.unwrap_or_else(|_| {
                let ms = limit.as_millis();
                Err(format!("{} did not answer within {ms} ms", target.host))
            });
            fetched.map_err(Error::Exchange)
        })
    }

    /// A request whose answer is waited for on this thread.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn wait(&self, request: Request) -> Result<FetchedResponse, Error> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let runtime = runtime.map_err(|e| Error::Exchange(e.to_string()))?;
        runtime.block_on(self.fetch(request)?)
    }

    async fn exchange(
        &self,
        target: &UrlTarget,
        request: http::Request<Full<Bytes>>,
    ) -> Result<FetchedResponse, String> {
        let host = &target.host;
        let failed = |e: std::io::Error| format!("cannot connect to {host}: {e}");
        let found = tokio::net::lookup_host((host.as_str(), target.port)).await;
        let found: Vec<_> = found.map_err(failed)?.collect();
        if found.iter().any(|address| ezasoket::is_own_port(*address)) {
            return Err(format!(
                "{host}:{} is a port of this region itself",
                target.port
            ));
        }
        let stream = TcpStream::connect(found.as_slice()).await.map_err(failed)?;
        let _ = stream.set_nodelay(true);
        let Some(tls) = self.tls.as_ref().filter(|_| target.secure) else {
            return self.over(stream, request).await;
        };
        let name = ServerName::try_from(host.clone());
        let name = name.map_err(|_| format!("{host} is not a valid server name"))?;
        let stream = tls.connector().connect(name, stream).await;
        self.over(
            stream.map_err(|e| format!("TLS with {host}: {e}"))?,
            request,
        )
        .await
    }

    /// One exchange over a connection.
    async fn over<S>(
        &self,
        stream: S,
        request: http::Request<Full<Bytes>>,
    ) -> Result<FetchedResponse, String>
    where
        S: AsyncRead + AsyncWrite + Unpin + 'static,
    {
        let failed = |e: hyper::Error| format!("the exchange failed: {}", whole(&e));
        let (mut sender, connection) = handshake(stream).await.map_err(failed)?;
        let mut connection = pin!(connection);
        let sent = with_connection(connection.as_mut(), sender.send_request(request)).await;
        let sent = sent.map_err(|e| sender.excess().unwrap_or_else(|| failed(e)));
        let (parts, body) = sent?.into_parts();
        let body = Limited::new(body, self.most_bytes).collect();
        let body = with_connection(connection.as_mut(), body).await;
        let body =
            body.map_err(
                |e| match e.downcast_ref::<http_body_util::LengthLimitError>() {
                    Some(_) => format!("the answer is larger than {} KiB", self.most_bytes >> 10),
                    None => format!("the exchange failed: {}", whole(&*e)),
                },
            )?;
        let headers = parts.headers.iter().map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.as_str().to_owned(), value)
        });
        Ok(FetchedResponse {
            status: parts.status.as_u16(),
            headers: headers.collect(),
            body: body.to_bytes().to_vec(),
        })
    }
}

/// An error with its sources, which its own text does not include.
fn whole(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {}", whole(cause)),
        None => error.to_string(),
    }
}

/// Runs a future together with the connection that it needs.
async fn with_connection<F: Future, C: Future>(mut connection: Pin<&mut C>, main: F) -> F::Output {
    let mut main = pin!(main);
    let mut open = true;
    poll_fn(|cx| {
        if let Poll::Ready(done) = main.as_mut().poll(cx) {
            return Poll::Ready(done);
        }
        if open && connection.as_mut().poll(cx).is_ready() {
            open = false;
            return main.as_mut().poll(cx);
        }
        Poll::Pending
    })
    .await
}

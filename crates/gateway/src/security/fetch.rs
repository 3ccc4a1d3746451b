//! Fetching a small document over HTTPS: an issuer's keys.

use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use rustls_pki_types::ServerName;
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// Longest document.
const MAX_BYTES: usize = 1 << 20;
/// Time that everything may take together.
const LIMIT: Duration = Duration::from_secs(10);

/// GET of a URL, without redirections.
///
/// # Errors
/// Why not, in words.
pub(super) fn get(url: &str, trusted: Option<&Path>) -> Result<Vec<u8>, String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(|e| e.to_string())?;
    runtime.block_on(async {
        let fetched = tokio::time::timeout(LIMIT, fetch(url, trusted)).await;
        fetched.unwrap_or_else(|_| Err("it takes too long".into()))
    })
}

/// Whether a URL can be fetched at all.
///
/// # Errors
/// Why not, in words.
pub(super) fn check(url: &str) -> Result<(), String> {
    parts(url).map(drop)
}

/// Whether it is TLS, the host, the port, and the URL itself.
fn parts(url: &str) -> Result<(bool, String, u16, http::Uri), String> {
    let uri: http::Uri = url.parse().map_err(|_| "it is no URL")?;
    let host = uri.host().ok_or("the URL has no host")?.to_owned();
    let bare = host.trim_matches(['[', ']']);
    let loopback = bare == "localhost"
        || bare
            .parse()
            .is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
    let secure = match uri.scheme_str() {
        Some("https") => true,
        Some("http") if loopback => false,
        _ => return Err("the URL must begin with https://".into()),
    };
    let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
    Ok((secure, bare.to_owned(), port, uri))
}

async fn fetch(url: &str, trusted: Option<&Path>) -> Result<Vec<u8>, String> {
    let (secure, host, port, uri) = parts(url)?;
    let stream = TcpStream::connect((host.as_str(), port)).await;
    let stream = stream.map_err(|e| format!("cannot connect: {e}"))?;
    if !secure {
        return exchange(stream, &uri).await;
    }
    let name = ServerName::try_from(host).map_err(|_| "the host's name is no name")?;
    let client = tls::client(tls::trusted(trusted)?).map_err(|e| e.to_string())?;
    let connector = tokio_rustls::TlsConnector::from(client);
    let stream = connector.connect(name, stream).await;
    exchange(stream.map_err(|e| format!("TLS: {e}"))?, &uri).await
}

async fn exchange<S>(stream: S, uri: &http::Uri) -> Result<Vec<u8>, String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let say = |e: hyper::Error| e.to_string();
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(say)?;
    let connection = tokio::spawn(connection);
    let path = uri.path_and_query().map_or("/", |p| p.as_str());
    let request = http::Request::get(path)
        .header(
            http::header::HOST,
            uri.authority().map_or("", |a| a.as_str()),
        )
        .header(http::header::ACCEPT, "application/json")
        .header(http::header::CONNECTION, "close")
        .body(Empty::<Bytes>::new())
        .map_err(|e| e.to_string())?;
    let response = sender.send_request(request).await.map_err(say)?;
    let status = response.status();
    let body = Limited::new(response.into_body(), MAX_BYTES)
        .collect()
        .await;
    connection.abort();
    if !status.is_success() {
        return Err(format!("the answer is {status}"));
    }
    let body = body.map_err(|e| e.to_string())?;
    Ok(body.to_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_over_tls_or_from_this_machine() {
        assert!(check("https://issuer.example/keys").is_ok());
        assert!(check("http://127.0.0.1:8080/keys").is_ok());
        assert!(check("http://[::1]/keys").is_ok());
        for wrong in [
            "http://issuer.example/keys",
            "ftp://localhost/",
            "/keys",
            "",
        ] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
    }
}

//! A CICS over its own HTTP: a POST to an address that names the program.
//!
//! ```text
//! POST /tupelo/ACCTINQ?tran=BINQ      200 OK
//! content-type: application/octet-stream   content-type: application/octet-stream
//! cics-container: ACCOUNT-IN          cics-container: ACCOUNT-OUT
//! <bytes of the container>            <bytes of the container>
//! ```
//!
//! Without the header `cics-container` the body is the COMMAREA. For a program
//! that ended abnormally the header `cics-abend` has the abend code and the
//! program's name. The URIMAP names a program of the site that LINKs to the
//! others; the guide has one.
//!
//! Reference: CICS Internet Guide, "Writing CICS as an HTTP server".

use bytes::Bytes;
use http::header::{self, HeaderName, HeaderValue};
use http::{StatusCode, Uri};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use region::{Abend, CallFailure, ContainerName, NotStarted, ProgramName};

use super::pool::{Session, SessionStream};
use super::{ConnectionSessions, MainframeReply, MainframeTask};

/// A CICS that is called over HTTP.
#[derive(Clone)]
pub struct WebConnection {
    /// Address of a program: `{program}` and `{transid}` in it are put in.
    pub url: String,
    /// User and password of basic authentication.
    pub basic: Option<(String, String)>,
    /// Header with the user id of the caller, where the server takes it from
    /// there.
    pub user_header: Option<String>,
}

/// The container that a body is.
const CONTAINER: HeaderName = HeaderName::from_static("cics-container");
/// How a program ended abnormally: `ASRA ACCTINQ`.
const ABEND: HeaderName = HeaderName::from_static("cics-abend");
/// Most bytes of an error's text that are reported.
const MAX_ERROR_TEXT_BYTES: usize = 200;

type Request = http::Request<Full<Bytes>>;

impl WebConnection {
    /// Host, port, and whether it is TLS.
    pub(super) fn target(&self) -> Result<(String, u16, bool), String> {
        if !self.url.contains("{program}") {
            return Err("url: it must contain {program}".into());
        }
        if let Some(name) = &self.user_header
            && name.parse::<HeaderName>().is_err()
        {
            return Err(format!("user_header: {name:?} is not a valid header name"));
        }
        let uri = self.uri("P", "T")?;
        let secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err("url: it must begin with http:// or https://".into()),
        };
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
        let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
        if !secure
            && !fetch::is_this_machine(host)
            && (self.basic.is_some() || self.user_header.is_some())
        {
            return Err("basic and user_header need https://, except to this machine".into());
        }
        Ok((host.to_owned(), port, secure))
    }

    fn uri(&self, program: &str, transid: &str) -> Result<Uri, String> {
        let put = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let url = self.url.replace("{program}", &put(program));
        let url = url.replace("{transid}", &put(transid));
        let uri: Uri = url
            .parse()
            .map_err(|_| format!("url: {url:?} is not a valid URL"))?;
        match uri.authority() {
            None => Err(format!("url: {url:?} has no host")),
            Some(a) if a.as_str().contains('@') => {
                Err("url: give the user with `basic`, not in the address".into())
            }
            Some(_) => Ok(uri),
        }
    }

    fn request(&self, task: &MainframeTask, body: &Bytes) -> Result<Request, String> {
        let uri = self.uri(task.request.program.as_str(), task.transid().as_str())?;
        let host = uri.authority().map_or("", |a| a.as_str()).to_owned();
        let path = uri.path_and_query().map_or("/", |p| p.as_str());
        let mut request = http::Request::post(path)
            .header(header::HOST, host)
            .header(header::CONTENT_TYPE, "application/octet-stream");
        if let Some(container) = &task.input.container {
            request = request.header(CONTAINER, container.as_str());
        }
        if let Some((user, password)) = &self.basic {
            let value = HeaderValue::try_from(fetch::basic(user, password));
            let mut value = value
                .map_err(|_| "basic: it contains characters that cannot be sent".to_owned())?;
            value.set_sensitive(true);
            request = request.header(header::AUTHORIZATION, value);
        }
        let user = task.request.userid;
        if let Some(name) = self.user_header.as_ref().filter(|_| !user.is_blank()) {
            request = request.header(name, user.as_str());
        }
        let request = request.body(Full::new(body.clone()));
        request.map_err(|e| e.to_string())
    }

    pub(super) async fn call(
        &self,
        way: &ConnectionSessions,
        task: &MainframeTask,
    ) -> Result<MainframeReply, CallFailure> {
        let body = Bytes::copy_from_slice(&task.input.bytes);
        let name = &way.connection.name;
        let _room = way.pool.room(way.wait(), name).await?;
        while let Some(session) = way.pool.kept("") {
            let SessionStream::Http(sender) = session.wire else {
                continue;
            };
            if sender.is_closed() {
                continue;
            }
            let request = self.request(task, &body);
            let request = request.map_err(|why| way.impossible(why))?;
            match self.exchange(way, sender, request).await {
                // The server had closed it; nothing ran, or may run again.
                Err(WebReplyFailure::Unsent(_)) => {}
                Err(WebReplyFailure::Unanswered(_)) if task.idempotent => {}
                other => return other.map_err(WebReplyFailure::failed),
            }
        }
        let request = self.request(task, &body);
        let request = request.map_err(|why| way.impossible(why))?;
        let stream = way.connection.open().await?;
        let made = fetch::handshake(stream).await;
        let (sender, connection) = made.map_err(|e| way.lost(e))?;
        tokio::task::spawn_local(connection);
        let answered = self.exchange(way, sender, request).await;
        answered.map_err(WebReplyFailure::failed)
    }

    /// One exchange.
    async fn exchange(
        &self,
        way: &ConnectionSessions,
        mut sender: fetch::HttpSender<Full<Bytes>>,
        request: Request,
    ) -> Result<MainframeReply, WebReplyFailure> {
        let ready = sender.ready().await;
        ready.map_err(|e| WebReplyFailure::Unsent(way.lost(e)))?;
        let sent = sender.send_request(request).await;
        let sent = sent.map_err(|e| match (e.is_canceled(), sender.excess()) {
            (_, Some(why)) => WebReplyFailure::Answered(way.lost(why)),
            (true, None) => WebReplyFailure::Unsent(way.lost(e)),
            (false, None) => WebReplyFailure::Unanswered(way.lost(e)),
        });
        let (parts, body) = sent?.into_parts();
        let most = way.connection.common.max_bytes;
        // An answer has begun: nothing is made again from here on.
        let body = Limited::new(body, most).collect().await.map_err(|e| {
            WebReplyFailure::Answered(match e.downcast_ref::<LengthLimitError>() {
                Some(_) => way.lost(format!("the answer is larger than {most} bytes")),
                None => way.lost(e),
            })
        });
        let bytes = body?.to_bytes();
        way.pool.keep(Session {
            key: String::new(),
            wire: SessionStream::Http(sender),
        });
        answered(way, &parts, &bytes).map_err(WebReplyFailure::Answered)
    }
}

/// Why there is no reply, by how far the exchange came.
enum WebReplyFailure {
    /// No byte of the request was sent.
    Unsent(CallFailure),
    /// No answer had begun.
    Unanswered(CallFailure),
    /// The exchange has this answer.
    Answered(CallFailure),
}

impl WebReplyFailure {
    fn failed(self) -> CallFailure {
        match self {
            WebReplyFailure::Unsent(failed)
            | WebReplyFailure::Unanswered(failed)
            | WebReplyFailure::Answered(failed) => failed,
        }
    }
}

/// Converts an answer.
fn answered(
    way: &ConnectionSessions,
    parts: &http::response::Parts,
    bytes: &Bytes,
) -> Result<MainframeReply, CallFailure> {
    let text = |name: &HeaderName| {
        let value = parts.headers.get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()).trim().to_owned())
    };
    if let Some(abend) = text(&ABEND) {
        let mut words = abend.split_whitespace();
        let code = field(words.next());
        let program = ProgramName::from_bytes(field(words.next()));
        return Ok(MainframeReply {
            abend: Some(Abend {
                message: "it ended abnormally in the called region".into(),
                code,
                program,
                line: 0,
            }),
            ..MainframeReply::default()
        });
    }
    let status = parts.status;
    let name = &way.connection.name;
    match status {
        status if status.is_success() => match foreign(&parts.headers) {
            Some(what) => Err(way.lost(format!("the server sent {what} instead of a record"))),
            None => Ok(MainframeReply {
                bytes: bytes.to_vec(),
                container: text(&CONTAINER).and_then(|name| ContainerName::new(&name).ok()),
                abend: None,
            }),
        },
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            let why = format!("the connection {name}: the server returned status {status}");
            Err(CallFailure::NotStarted(NotStarted::Busy(why)))
        }
        StatusCode::PAYLOAD_TOO_LARGE => Err(CallFailure::TooLarge(format!(
            "the connection {name}: the server returned status {status}"
        ))),
        // The request was refused before a program ran.
        StatusCode::NOT_FOUND | StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(way
            .impossible(format!(
                "the server returned status {status}{}",
                error_text(bytes)
            ))),
        _ => Err(way.lost(format!(
            "the server returned status {status}{}",
            error_text(bytes)
        ))),
    }
}

/// A word in a field of blanks, cut where it is longer.
fn field<const N: usize>(word: Option<&str>) -> [u8; N] {
    let mut field = [b' '; N];
    let bytes = word.unwrap_or_default().bytes();
    field
        .iter_mut()
        .zip(bytes)
        .for_each(|(to, byte)| *to = byte);
    field
}

/// Why a body is not from a program: it is a page, perhaps for users who have to
/// log in, or compressed bytes.
fn foreign(headers: &http::HeaderMap) -> Option<String> {
    let text = |name| {
        headers
            .get(name)
            .and_then(|v: &HeaderValue| v.to_str().ok())
    };
    let kind = text(header::CONTENT_TYPE).unwrap_or_default().trim();
    let page = ["text/html", "application/xhtml+xml"].iter().find(|page| {
        kind.get(..page.len())
            .is_some_and(|k| k.eq_ignore_ascii_case(page))
    });
    if let Some(page) = page {
        return Some((*page).to_owned());
    }
    let coding = text(header::CONTENT_ENCODING)?.trim();
    let plain = coding.is_empty() || coding.eq_ignore_ascii_case("identity");
    (!plain).then(|| format!("Content-Encoding {coding}"))
}

/// The beginning of an error's text, if it is one.
fn error_text(bytes: &Bytes) -> String {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let text: String = text.chars().take(MAX_ERROR_TEXT_BYTES).collect();
    match text.trim() {
        text if text.is_empty() || text.chars().any(|c| c.is_control()) => String::new(),
        text => format!(": {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn web(url: &str) -> WebConnection {
        WebConnection {
            url: url.into(),
            basic: None,
            user_header: None,
        }
    }

    #[test]
    fn an_address_names_program_and_transaction() {
        let web = web("https://cics.example/run/{program}?tran={transid}");
        assert_eq!(web.target(), Ok(("cics.example".into(), 443, true)));
        let uri = web.uri("AB#1", "T?&1").unwrap();
        assert_eq!(uri.path_and_query().unwrap(), "/run/AB%231?tran=T%3F%261");
    }

    #[test]
    fn an_impossible_address_is_reported() {
        for (url, why) in [
            ("http://cics.example/run", "it must contain {program}"),
            ("ftp://cics.example/{program}", "http:// or https://"),
            ("/run/{program}", "has no host"),
            ("http://me:pw@cics.example/{program}", "with `basic`"),
        ] {
            let reported = web(url).target().unwrap_err();
            assert!(reported.contains(why), "{url}: {reported}");
        }
    }

    #[test]
    fn a_password_goes_over_tls_or_stays_on_this_machine() {
        for (url, good) in [
            ("http://127.0.0.1:80/{program}", true),
            ("http://[::1]/{program}", true),
            ("https://cics.example/{program}", true),
            ("http://cics.example/{program}", false),
        ] {
            let web = WebConnection {
                basic: Some(("u".into(), "p".into())),
                ..web(url)
            };
            assert_eq!(web.target().is_ok(), good, "{url}");
        }
    }
}

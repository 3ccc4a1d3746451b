//! The credentials of callers of an API: their own headers, and tokens that another
//! server issues.
//!
//! Invariant: no credential is passed to the program or written to a log.
//!
//! Reference: RFC 7617 (basic), RFC 6749 sections 4.3 and 4.4 (OAuth 2.0); z/OS
//! Connect, "Host API parameters" for what programs give themselves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use fetch::{HttpFetcher, Request, basic};
use http::{HeaderName, HeaderValue, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::result::CallResult;
use crate::app::config::{RequesterApi, RequesterOauth, RequesterToken};
use crate::app::secret::secret;

/// A token is not used any more this long before it expires.
const MARGIN: Duration = Duration::from_secs(10);
/// Lifetime in seconds of a token that does not state it.
const SECONDS: u64 = 300;
/// Most seconds that a token is kept.
const MOST_SECONDS: u64 = 24 * 60 * 60;
/// Characters of a form's values that are not escaped, after RFC 3986.
const FORM: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// One credential.
enum ApiCredential {
    Basic(String, String),
    Key(String, String),
    Oauth(RequesterOauth, String),
    Token(RequesterToken, String),
}

/// All credentials of an API.
pub struct ApiCredentials {
    all: Vec<ApiCredential>,
    /// Tokens in use, by the user they were issued for.
    tokens: Mutex<BTreeMap<String, (String, Instant)>>,
}

/// Headers of a call.
pub struct IdentityHeaders {
    /// The headers.
    pub headers: Vec<(String, String)>,
    /// Whether one of them is a token, which may have expired.
    pub by_token: bool,
}

/// Credential parameters that the program gives.
pub struct CallerParameters(pub Vec<(String, Vec<u8>)>);

impl CallerParameters {
    /// The program's value, or the configured one if the program gives none.
    fn or(&self, name: &str, usual: &str) -> String {
        let known = |(known, _): &&(String, _)| known.eq_ignore_ascii_case(name);
        let value = self.0.iter().find(known).map(|(_, value)| value);
        let value = value.map(|value| String::from_utf8_lossy(value).trim().to_owned());
        value
            .filter(|v| !v.is_empty())
            .unwrap_or_else(|| usual.to_owned())
    }
}

impl ApiCredentials {
    /// The credentials of an API; files are in `folder`.
    ///
    /// # Errors
    /// A file cannot be read; the message names it.
    pub fn read(config: &RequesterApi, folder: &Path) -> Result<ApiCredentials, String> {
        let secret = |file: &Path| secret(folder, file);
        let perhaps = |file: &Option<PathBuf>| match file {
            Some(file) => secret(file),
            None => Ok(String::new()),
        };
        let mut all = Vec::new();
        if let Some(basic) = &config.basic {
            let password = secret(&basic.password_file)?;
            all.push(ApiCredential::Basic(basic.user.clone(), password));
        }
        if let Some(key) = &config.api_key {
            all.push(ApiCredential::Key(key.header.clone(), secret(&key.file)?));
        }
        if let Some(oauth) = &config.oauth {
            let secret = perhaps(&oauth.client_secret_file)?;
            all.push(ApiCredential::Oauth(oauth.clone(), secret));
        }
        if let Some(token) = &config.token {
            let password = perhaps(&token.password_file)?;
            all.push(ApiCredential::Token(token.clone(), password));
        }
        clash(&all)?;
        Ok(ApiCredentials {
            all,
            tokens: Mutex::default(),
        })
    }

    /// Whether there are no credentials.
    pub fn are_none(&self) -> bool {
        self.all.is_empty()
    }

    /// Addresses of the token servers.
    pub fn urls(&self) -> impl Iterator<Item = &str> {
        self.all.iter().filter_map(|credential| match credential {
            ApiCredential::Oauth(oauth, _) => Some(oauth.token_url.as_str()),
            ApiCredential::Token(token, _) => Some(token.url.as_str()),
            ApiCredential::Basic(..) | ApiCredential::Key(..) => None,
        })
    }

    /// The headers of a call. Cached tokens are used unless `renew`.
    pub async fn identity(
        &self,
        fetcher: &HttpFetcher,
        own: &CallerParameters,
        renew: bool,
    ) -> Result<IdentityHeaders, CallResult> {
        let mut headers = Vec::new();
        let mut by_token = false;
        for credential in &self.all {
            let asking = match credential {
                ApiCredential::Basic(user, password) => {
                    headers.push(authorization(basic(user, password)));
                    continue;
                }
                ApiCredential::Key(header, key) => {
                    headers.push((header.clone(), key.clone()));
                    continue;
                }
                ApiCredential::Oauth(oauth, secret) => TokenRequest::oauth(oauth, secret, own),
                ApiCredential::Token(token, password) => TokenRequest::token(token, password, own),
            };
            by_token = true;
            let kept = self.kept(&asking.key).filter(|_| !renew);
            let token = match kept {
                Some(token) => token,
                None => self.ask(fetcher, asking).await?,
            };
            headers.push(authorization(format!("Bearer {token}")));
        }
        Ok(IdentityHeaders { headers, by_token })
    }

    fn kept(&self, key: &str) -> Option<String> {
        let tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        let (token, until) = tokens.get(key)?;
        (*until > Instant::now()).then(|| token.clone())
    }

    /// Requests a token and caches it.
    async fn ask(&self, fetcher: &HttpFetcher, asking: TokenRequest) -> Result<String, CallResult> {
        let fetched = super::api::fetched(fetcher, asking.request).await;
        let fetched = fetched.map_err(|why| why.of("the token server"))?;
        let wrong = |why: String| CallResult::refused(format!("the token server {why}"));
        if !(200..300).contains(&fetched.status) {
            return Err(wrong(format!("answers with status {}", fetched.status)));
        }
        let json: serde_json::Value = serde_json::from_slice(&fetched.body)
            .map_err(|_| wrong("does not answer with JSON".into()))?;
        let member = &asking.member;
        let token = json.get(member).and_then(|t| t.as_str());
        let token = token.ok_or_else(|| wrong(format!("gives no {member}")))?;
        // If it were cached, each call until it expires would fail for an unclear reason.
        if token.is_empty() || !token.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(wrong(format!("gives a {member} that is not a token")));
        }
        let seconds = json.get("expires_in").and_then(|s| s.as_u64());
        let lasts = Duration::from_secs(seconds.unwrap_or(SECONDS).min(MOST_SECONDS));
        let now = Instant::now();
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.retain(|_, (_, until)| *until > now);
        let until = now + lasts.saturating_sub(MARGIN);
        tokens.insert(asking.key, (token.to_owned(), until));
        Ok(token.to_owned())
    }
}

/// Reports two credentials in one header, of which a server accepts one or none, and
/// a key that cannot be in a header.
fn clash(all: &[ApiCredential]) -> Result<(), String> {
    let mut headers: Vec<(HeaderName, &str)> = Vec::new();
    for credential in all {
        let (header, kind) = match credential {
            ApiCredential::Basic(..) => (header::AUTHORIZATION, "basic"),
            ApiCredential::Oauth(..) => (header::AUTHORIZATION, "oauth"),
            ApiCredential::Token(..) => (header::AUTHORIZATION, "token"),
            ApiCredential::Key(name, key) => (key_header(name, key)?, "api_key"),
        };
        if let Some((_, other)) = headers.iter().find(|(known, _)| *known == header) {
            return Err(format!(
                "{other} and {kind} are both sent in the header {header}: remove one of them"
            ));
        }
        headers.push((header, kind));
    }
    Ok(())
}

/// The header of an API key.
fn key_header(name: &str, key: &str) -> Result<HeaderName, String> {
    let connection = [
        header::HOST,
        header::CONNECTION,
        header::CONTENT_LENGTH,
        header::TRANSFER_ENCODING,
        header::UPGRADE,
        header::TE,
        header::TRAILER,
        header::EXPECT,
        header::ACCEPT,
        header::CONTENT_TYPE,
    ];
    let header = HeaderName::from_bytes(name.as_bytes()).ok();
    let header = header.filter(|header| !connection.contains(header));
    let header = header.ok_or_else(|| format!("api_key: no key can be in a header {name:?}"))?;
    if key.is_empty() || HeaderValue::from_str(key).is_err() {
        Err("api_key: its file is empty, or has more than one line".into())
    } else {
        Ok(header)
    }
}

/// A request for a token.
struct TokenRequest {
    request: Request,
    /// Member of the answer that holds the token.
    member: String,
    /// The user of the token, and the credentials it was requested with.
    key: String,
}

impl TokenRequest {
    /// The client's own token, or that of a user whom the program names.
    fn oauth(oauth: &RequesterOauth, secret: &str, own: &CallerParameters) -> TokenRequest {
        let client = own.or("BAQHAPI-oAuth-ClientId", &oauth.client_id);
        let secret = own.or("BAQHAPI-oAuth-ClientSecret", secret);
        let user = own.or("BAQHAPI-oAuth-Username", "");
        let password = own.or("BAQHAPI-oAuth-Password", "");
        let grant = if user.is_empty() {
            "client_credentials"
        } else {
            "password"
        };
        let form = [
            ("grant_type", grant.to_owned()),
            ("username", user),
            ("password", password),
            ("scope", own.or("BAQHAPI-oAuth-Scope", &oauth.scope)),
            ("resource", own.or("BAQHAPI-oAuth-Resource", "")),
            ("audience", own.or("BAQHAPI-oAuth-Audience", "")),
        ];
        let given = form.iter().filter(|(_, value)| !value.is_empty());
        let form: Vec<String> = given
            .map(|(name, value)| format!("{name}={}", encoded(value)))
            .collect();
        let body = form.join("&");
        let urlencoded = "application/x-www-form-urlencoded";
        let request = Request {
            method: "POST".into(),
            url: oauth.token_url.clone(),
            headers: vec![
                authorization(basic(&encoded(&client), &encoded(&secret))),
                ("Content-Type".into(), urlencoded.into()),
                ("Accept".into(), "application/json".into()),
            ],
            body: body.clone().into_bytes(),
            timeout: None,
        };
        TokenRequest {
            request,
            member: "access_token".into(),
            key: format!("{client}\n{secret}\n{body}"),
        }
    }

    /// A token for a user and a password.
    fn token(token: &RequesterToken, password: &str, own: &CallerParameters) -> TokenRequest {
        let user = own.or("BAQHAPI-Token-Username", &token.user);
        let password = own.or("BAQHAPI-Token-Password", password);
        TokenRequest {
            request: Request {
                method: "GET".into(),
                url: token.url.clone(),
                headers: vec![authorization(basic(&user, &password))],
                ..Request::default()
            },
            member: token.member.clone(),
            key: format!("{user}\n{password}"),
        }
    }
}

fn authorization(value: String) -> (String, String) {
    ("Authorization".to_owned(), value)
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, FORM).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oauth() -> RequesterOauth {
        RequesterOauth {
            token_url: "http://t/".into(),
            client_id: "me&you".into(),
            client_secret_file: None,
            scope: "read write".into(),
        }
    }

    #[test]
    fn a_client_asks_for_itself_or_for_the_programs_user() {
        let form = |own| {
            let asking = TokenRequest::oauth(&oauth(), "s", &CallerParameters(own));
            String::from_utf8(asking.request.body).expect("text")
        };
        assert_eq!(
            form(Vec::new()),
            "grant_type=client_credentials&scope=read%20write"
        );
        let own = vec![
            ("BAQHAPI-oAuth-Username".to_owned(), b"ANN ".to_vec()),
            ("baqhapi-oauth-password".to_owned(), b"a=b".to_vec()),
        ];
        assert_eq!(
            form(own),
            "grant_type=password&username=ANN&password=a%3Db&scope=read%20write"
        );
    }

    #[test]
    fn two_credentials_of_one_header_and_keys_of_none_are_refused() {
        let basic = || ApiCredential::Basic("ann".into(), "pw".into());
        let key = |name: &str, key: &str| ApiCredential::Key(name.into(), key.into());
        assert_eq!(clash(&[basic(), key("X-Key", "k")]), Ok(()));
        for (all, message) in [
            (
                vec![basic(), ApiCredential::Oauth(oauth(), "s".into())],
                "basic and oauth",
            ),
            (
                vec![basic(), key("authorization", "k")],
                "basic and api_key",
            ),
            (vec![key("X KEY", "k")], "no key can be"),
            (vec![key("Host", "k")], "no key can be"),
            (vec![key("X-Key", "")], "is empty"),
            (vec![key("X-Key", "a\nb")], "more than one line"),
        ] {
            let why = clash(&all).unwrap_err();
            assert!(why.contains(message), "{why}");
        }
    }

    /// The number of token requests in three calls, the last of which had its token
    /// rejected.
    fn token_requests(answer: &str) -> usize {
        use std::io::{Read, Write};
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/", listener.local_addr().expect("bound"));
        let body = format!("{{\"access_token\":\"t\",\"expires_in\":{answer}}}");
        let count = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let seen = count.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                seen.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let mut piece = [0; 4096];
                let _ = stream.read(&mut piece);
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
                let _ = stream.write_all((head + &body).as_bytes());
            }
        });
        let fetcher = HttpFetcher::new(&fetch::FetchSettings {
            allow: vec![url.clone()],
            timeout: Duration::from_secs(30),
            most_bytes: 1 << 16,
            ..fetch::FetchSettings::default()
        });
        let fetcher = fetcher.expect("an address");
        let credentials = ApiCredentials {
            all: vec![ApiCredential::Oauth(
                RequesterOauth {
                    token_url: url,
                    ..oauth()
                },
                "s".into(),
            )],
            tokens: Mutex::default(),
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.expect("a runtime").block_on(async {
            for renew in [false, false, true] {
                let own = CallerParameters(Vec::new());
                let identity = credentials.identity(&fetcher, &own, renew).await;
                let identity = identity.unwrap_or_else(|failed| panic!("{}", failed.message));
                assert_eq!(identity.headers, [authorization("Bearer t".into())]);
            }
        });
        count.load(std::sync::atomic::Ordering::Relaxed)
    }

    #[test]
    fn a_token_is_requested_again_before_it_expires_and_when_it_is_rejected() {
        assert_eq!(token_requests("3600"), 2);
        assert_eq!(token_requests("0"), 3, "it has expired");
        assert_eq!(token_requests("10"), 3, "it expires within the margin");
        assert_eq!(token_requests("\"soon\""), 2, "no lifetime is given");
    }

    #[test]
    fn a_token_is_reused_only_by_callers_who_could_request_it() {
        let key = |password: &str| {
            let given = CallerParameters(vec![
                ("BAQHAPI-oAuth-Username".into(), b"ANN".to_vec()),
                ("BAQHAPI-oAuth-Password".into(), password.into()),
            ]);
            TokenRequest::oauth(&oauth(), "s", &given).key
        };
        assert_eq!(key("a"), key("a"));
        assert_ne!(key("a"), key("b"));
    }
}

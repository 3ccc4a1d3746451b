//! The API requester: what programs call by BAQEXEC and BAQCSTUB.
//!
//! The gateway's crate knows what an API's structures mean, the scripts' crate
//! makes requests; here is who is called, with which credentials, and the
//! thread on which calls wait.
//!
//! Invariant: no credential is told: not to the program, not in a log.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use gateway::{Calling, Outbound, Requester};
use link::{Answer, Operands};
use region::{CommandService, ServiceCommand};
use script::{FetchConfig, FetchRequest, Fetched, Fetcher};
use tokio::sync::mpsc;
use worker::baq::{REQUESTER_CALL, emit_pairs, operand, outcome, pairs};

use super::Application;
use super::config::{RequesterApi, RequesterBasic};
use super::finding::Findings;

/// Seconds before its end that a token is no longer used.
const TOKEN_MARGIN: Duration = Duration::from_secs(10);
/// Seconds that a token lasts that does not say it.
const TOKEN_SECONDS: u64 = 300;
/// Bytes of a message that a program is told.
const MESSAGE_BYTES: usize = 1024;

/// The APIs that programs call.
#[derive(Debug, Default)]
pub struct Requesters {
    apis: RwLock<Arc<BTreeMap<String, Arc<Api>>>>,
    way: Mutex<Option<mpsc::UnboundedSender<Job>>>,
}

type Job = (ServiceCommand, Arc<BTreeMap<String, Arc<Api>>>);

/// One of them.
pub struct Api {
    requester: Requester,
    url: String,
    fetcher: Arc<Fetcher>,
    authority: Vec<Credential>,
    /// Tokens in use, by whom they are for.
    tokens: Mutex<BTreeMap<String, (String, Instant)>>,
}

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Api")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// How callers say who they are.
enum Credential {
    Basic(String, String),
    Key(String, String),
    Oauth {
        url: String,
        client: String,
        secret: String,
        scope: String,
    },
    Token {
        url: String,
        user: String,
        password: String,
        member: String,
    },
}

/// Reads what an application calls; what is wrong goes to `findings`.
pub fn read(app: &Application, findings: &mut Findings) -> BTreeMap<String, Arc<Api>> {
    let section = &app.config.requester;
    let mut all = BTreeMap::new();
    for (name, config) in &section.apis {
        let folder = app.folder.join(&section.folder).join(name);
        let requester = match Requester::load(&folder) {
            Ok((requester, notes)) => {
                findings.extend(notes.0);
                requester
            }
            Err(faults) => {
                findings.extend(faults.0);
                continue;
            }
        };
        match Api::new(requester, config, &app.folder) {
            Ok(api) => {
                all.insert(api.requester.name().to_owned(), Arc::new(api));
            }
            Err(why) => findings.warn(format!("[requester.apis.{name}] is not called: {why}")),
        }
    }
    all
}

impl Api {
    fn new(requester: Requester, config: &RequesterApi, folder: &Path) -> Result<Api, String> {
        let secret = |file: &Path| {
            let path = folder.join(file);
            let text = std::fs::read_to_string(&path);
            let text = text.map_err(|e| format!("{}: {e}", file.display()))?;
            Ok::<String, String>(text.trim().to_owned())
        };
        let mut allow = vec![config.url.clone()];
        let mut authority = Vec::new();
        if let Some(RequesterBasic {
            user,
            password_file,
        }) = &config.basic
        {
            authority.push(Credential::Basic(user.clone(), secret(password_file)?));
        }
        if let Some(key) = &config.api_key {
            authority.push(Credential::Key(key.header.clone(), secret(&key.file)?));
        }
        if let Some(oauth) = &config.oauth {
            allow.push(oauth.token_url.clone());
            let file = oauth.client_secret_file.as_deref();
            authority.push(Credential::Oauth {
                url: oauth.token_url.clone(),
                client: oauth.client_id.clone(),
                secret: file.map_or(Ok(String::new()), secret)?,
                scope: oauth.scope.clone(),
            });
        }
        if let Some(token) = &config.token {
            allow.push(token.url.clone());
            let file = token.password_file.as_deref();
            authority.push(Credential::Token {
                url: token.url.clone(),
                user: token.user.clone(),
                password: file.map_or(Ok(String::new()), secret)?,
                member: token.member.clone(),
            });
        }
        let fetch = FetchConfig {
            allow,
            timeout_ms: config.timeout_ms,
            max_kib: config.max_kib,
            trusted: config.trusted.clone(),
        };
        let fetcher = Fetcher::new(&fetch, folder)
            .map_err(|why| why.replace("[script.fetch] allow", "url"))?;
        Ok(Api {
            requester,
            url: config.url.trim_end_matches('/').to_owned(),
            fetcher: Arc::new(fetcher),
            authority,
            tokens: Mutex::default(),
        })
    }

    /// Makes a call.
    async fn call(&self, given: &Operands) -> Told {
        let calling = match given.get_int(operand::STUB) {
            Some(1) => Calling::Stub,
            _ => Calling::HostApi,
        };
        let text = |index| String::from_utf8_lossy(given.get_bytes(index).unwrap_or_default());
        let (path, method) = (text(operand::PATH), text(operand::METHOD));
        let areas: Vec<(String, Vec<u8>)> = named(given, operand::AREAS);
        let base = given.get_bytes(operand::BASE).unwrap_or_default();
        let outbound = self
            .requester
            .request(calling, (&*path, &*method), base, &areas);
        let outbound = match outbound {
            Ok(outbound) => outbound,
            Err(fault) => return Told::refused(fault.0),
        };
        let mut own = Given(named(given, operand::PARAMETERS));
        let fetched = match self.send(outbound, &mut own).await {
            Ok(fetched) => fetched,
            Err(told) => return told,
        };
        let status = fetched.status;
        let made = self
            .requester
            .response(calling, (&*path, &*method), status, &fetched.body);
        let good = calling == Calling::Stub && (200..300).contains(&status);
        match made {
            Ok(returned) => Told {
                outcome: match returned.mapped || good {
                    true => outcome::MAPPED,
                    false => outcome::UNMAPPED,
                },
                status,
                message: match returned.mapped || good {
                    true => String::new(),
                    false => shown(&fetched),
                },
                base: returned.base,
                areas: returned.areas,
            },
            Err(fault) => Told {
                status,
                ..Told::refused(fault.0)
            },
        }
    }

    /// Sends a request with its credentials; once more with a new token where
    /// the old one was refused.
    async fn send(&self, outbound: Outbound, own: &mut Given) -> Result<Fetched, Told> {
        for again in [false, true] {
            let mut headers = outbound.headers.clone();
            headers.push(("Accept".into(), "application/json".into()));
            if outbound.body.is_some() {
                headers.push(("Content-Type".into(), outbound.media.clone()));
            }
            let mut by_token = false;
            for credential in &self.authority {
                let (header, token) = self.header(credential, own, again).await?;
                by_token |= token;
                headers.push(header);
            }
            let request = FetchRequest {
                method: outbound.method.clone(),
                url: format!("{}{}", self.url, outbound.path),
                headers,
                body: outbound.body.clone().unwrap_or_default(),
                timeout_ms: None,
            };
            let fetched = self.fetch(request).await?;
            if fetched.status != 401 || !by_token || again {
                return Ok(fetched);
            }
        }
        Err(Told::refused("the server refuses the token".into()))
    }

    async fn fetch(&self, request: FetchRequest) -> Result<Fetched, Told> {
        let fetching = self.fetcher.fetch(request).map_err(Told::refused)?;
        fetching.await.map_err(|why| Told {
            outcome: outcome::NO_RESPONSE,
            ..Told::refused(why)
        })
    }

    /// The header of a credential, and whether it is a token that may be old.
    async fn header(
        &self,
        credential: &Credential,
        own: &Given,
        renew: bool,
    ) -> Result<((String, String), bool), Told> {
        let authorization = |value: String| ("Authorization".to_owned(), value);
        match credential {
            Credential::Basic(user, password) => Ok((authorization(basic(user, password)), false)),
            Credential::Key(header, key) => Ok(((header.clone(), key.clone()), false)),
            Credential::Oauth {
                url,
                client,
                secret,
                scope,
            } => {
                let client = own.or("BAQHAPI-oAuth-ClientId", client);
                let secret = own.or("BAQHAPI-oAuth-ClientSecret", secret);
                let scope = own.or("BAQHAPI-oAuth-Scope", scope);
                let user = own.or("BAQHAPI-oAuth-Username", "");
                let key = format!("{client}\n{user}\n{scope}");
                if let Some(token) = self.kept(&key).filter(|_| !renew) {
                    return Ok((authorization(format!("Bearer {token}")), true));
                }
                let mut form = vec![("grant_type", "client_credentials".to_owned())];
                if !user.is_empty() {
                    form[0].1 = "password".into();
                    form.push(("username", user.clone()));
                    form.push(("password", own.or("BAQHAPI-oAuth-Password", "")));
                }
                if !scope.is_empty() {
                    form.push(("scope", scope));
                }
                for (name, parameter) in [
                    ("resource", "BAQHAPI-oAuth-Resource"),
                    ("audience", "BAQHAPI-oAuth-Audience"),
                ] {
                    let value = own.or(parameter, "");
                    form.extend((!value.is_empty()).then_some((name, value)));
                }
                let pairs = form
                    .iter()
                    .map(|(name, value)| format!("{name}={}", encoded(value)));
                let request = FetchRequest {
                    method: "POST".into(),
                    url: url.clone(),
                    headers: vec![
                        authorization(basic(&encoded(&client), &encoded(&secret))),
                        (
                            "Content-Type".into(),
                            "application/x-www-form-urlencoded".into(),
                        ),
                        ("Accept".into(), "application/json".into()),
                    ],
                    body: pairs.collect::<Vec<_>>().join("&").into_bytes(),
                    timeout_ms: None,
                };
                let token = self.token(request, &key, "access_token").await?;
                Ok((authorization(format!("Bearer {token}")), true))
            }
            Credential::Token {
                url,
                user,
                password,
                member,
            } => {
                let user = own.or("BAQHAPI-Token-Username", user);
                let password = own.or("BAQHAPI-Token-Password", password);
                if let Some(token) = self.kept(&user).filter(|_| !renew) {
                    return Ok((authorization(format!("Bearer {token}")), true));
                }
                let request = FetchRequest {
                    method: "GET".into(),
                    url: url.clone(),
                    headers: vec![authorization(basic(&user, &password))],
                    ..FetchRequest::default()
                };
                let token = self.token(request, &user, member).await?;
                Ok((authorization(format!("Bearer {token}")), true))
            }
        }
    }

    fn kept(&self, key: &str) -> Option<String> {
        let tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        let (token, until) = tokens.get(key)?;
        (*until > Instant::now()).then(|| token.clone())
    }

    /// Asks for a token and keeps it.
    async fn token(&self, request: FetchRequest, key: &str, member: &str) -> Result<String, Told> {
        let fetched = self.fetch(request).await?;
        let status = fetched.status;
        let wrong = |why: String| Told::refused(format!("the token server {why}"));
        if !(200..300).contains(&status) {
            return Err(wrong(format!("answers with status {status}")));
        }
        let json: serde_json::Value = serde_json::from_slice(&fetched.body)
            .map_err(|_| wrong("does not answer with JSON".into()))?;
        let token = json.get(member).and_then(|t| t.as_str());
        let token = token
            .ok_or_else(|| wrong(format!("gives no {member}")))?
            .to_owned();
        let seconds = json.get("expires_in").and_then(|s| s.as_u64());
        let lasts = Duration::from_secs(seconds.unwrap_or(TOKEN_SECONDS).min(86_400));
        let until = Instant::now() + lasts.saturating_sub(TOKEN_MARGIN);
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.retain(|_, (_, until)| *until > Instant::now());
        tokens.insert(key.to_owned(), (token.clone(), until));
        Ok(token)
    }
}

/// Parameters that the program gives.
struct Given(Vec<(String, Vec<u8>)>);

impl Given {
    fn or(&self, name: &str, usual: &str) -> String {
        let found = self
            .0
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        let found = found.map(|(_, value)| String::from_utf8_lossy(value).trim().to_owned());
        found
            .filter(|v| !v.is_empty())
            .unwrap_or_else(|| usual.to_owned())
    }
}

fn named(given: &Operands, index: u8) -> Vec<(String, Vec<u8>)> {
    let all = pairs(given.get_bytes(index).unwrap_or_default()).into_iter();
    let name = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    all.map(|(n, value)| (name(n), value.to_vec())).collect()
}

fn encoded(text: &str) -> String {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-._~".contains(b);
    let each = text.bytes().map(|b| match plain(&b) {
        true => char::from(b).to_string(),
        false => format!("%{b:02X}"),
    });
    each.collect()
}

/// The value of basic authentication.
fn basic(user: &str, password: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::from("Basic ");
    for chunk in format!("{user}:{password}").as_bytes().chunks(3) {
        let mut bits = [0; 3];
        bits[..chunk.len()].copy_from_slice(chunk);
        let word = u32::from_be_bytes([0, bits[0], bits[1], bits[2]]);
        for place in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * place)) as usize & 63];
            out.push(if place <= chunk.len() {
                char::from(letter)
            } else {
                '='
            });
        }
    }
    out
}

/// What a program hears.
struct Told {
    outcome: i64,
    status: u16,
    message: String,
    base: Vec<u8>,
    areas: Vec<(String, usize, Vec<u8>)>,
}

impl Told {
    fn refused(message: String) -> Told {
        Told {
            outcome: outcome::REFUSED,
            status: 0,
            message,
            base: Vec::new(),
            areas: Vec::new(),
        }
    }

    fn answer(self) -> Answer {
        let sizes: Vec<[u8; 4]> = self
            .areas
            .iter()
            .map(|(_, size, _)| (*size as u32).to_ne_bytes())
            .collect();
        let areas = emit_pairs(
            self.areas
                .iter()
                .map(|(n, _, b)| (n.as_bytes(), b.as_slice())),
        );
        let each = self.areas.iter().zip(&sizes);
        let elements = emit_pairs(each.map(|((name, ..), size)| (name.as_bytes(), &size[..])));
        let operands = Operands::default()
            .bytes(operand::BASE, self.base)
            .bytes(operand::AREAS, areas)
            .int(operand::OUTCOME, self.outcome)
            .int(operand::STATUS, self.status.into())
            .bytes(operand::MESSAGE, self.message)
            .bytes(operand::ELEMENTS, elements);
        Answer {
            data: operands.emit(),
            ..Answer::default()
        }
    }
}

/// What a server says of an error.
fn shown(fetched: &Fetched) -> String {
    let text = String::from_utf8_lossy(&fetched.body);
    let mut end = text.len().min(MESSAGE_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    match text[..end].trim() {
        "" => format!("the server answers with status {}", fetched.status),
        text => text.to_owned(),
    }
}

impl Requesters {
    /// Those that were read.
    pub fn new(apis: BTreeMap<String, Arc<Api>>) -> Requesters {
        let requesters = Requesters::default();
        requesters.take_over(apis);
        requesters
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.now().len()
    }

    /// Takes over others; calls under way end as they began.
    pub fn take_over(&self, apis: BTreeMap<String, Arc<Api>>) {
        *self.apis.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(apis);
    }

    /// Lets its thread end when it has done what it has.
    pub fn stop(&self) {
        self.way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
    }

    fn now(&self) -> Arc<BTreeMap<String, Arc<Api>>> {
        self.apis
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn spawn(&self, job: Job) {
        let mut way = self.way.lock().unwrap_or_else(PoisonError::into_inner);
        if way.is_none() {
            let (send, receive) = mpsc::unbounded_channel();
            let thread = std::thread::Builder::new().name("tupelo-requester".into());
            match thread.spawn(move || run(receive)) {
                Ok(_) => *way = Some(send),
                Err(error) => return tracing::error!(%error, "no thread for the API requester"),
            }
        }
        // Dropped with its command, the task hears of it.
        let _ = way.as_ref().map(|way| way.send(job));
    }
}

fn run(mut jobs: mpsc::UnboundedReceiver<Job>) {
    region::engine::enter("requester", region::engine::EngineClass::Offload);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return tracing::error!(%error, "the API requester's thread cannot run"),
    };
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, async move {
        while let Some((command, apis)) = jobs.recv().await {
            tokio::task::spawn_local(async move {
                let given = &command.operands;
                let name = given.get_bytes(operand::API).unwrap_or_default();
                let name = String::from_utf8_lossy(name);
                let told = match apis.get(&*name) {
                    Some(api) => api.call(given).await,
                    None => Told::refused(format!(
                        "the API {name} is not among those of [requester.apis] in tupelo.toml"
                    )),
                };
                if told.outcome >= outcome::REFUSED {
                    let task = command.task;
                    tracing::info!(task, api = %name, "a call of the API requester: {}", told.message);
                }
                command.answer(&told.answer());
            });
        }
    });
}

impl CommandService for Requesters {
    fn commands(&self) -> &'static [u16] {
        &[REQUESTER_CALL]
    }

    fn serve(&self, mut command: ServiceCommand) {
        command.later();
        self.spawn((command, self.now()));
    }

    fn task_ended(&self, _: u64) {}

    fn metrics(&self, _: &mut String) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basic_authentication_is_encoded_as_the_standard_shows() {
        let value = basic("Aladdin", "open sesame");
        assert_eq!(value, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
        assert_eq!(basic("a", "b"), "Basic YTpi");
        assert_eq!(basic("a", "bc"), "Basic YTpiYw==");
    }
}

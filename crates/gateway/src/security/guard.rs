//! The guard: credentials in, identity out.
//!
//! Users and keys are read when the gateway starts, and again when their files
//! have changed: requests trigger this check, once a second at most. Errors are
//! logged then, and the last good state is still used. A key set at a URL is
//! fetched by a thread of its own.

use super::access::AdminAction;
use super::cache::{CredentialCache, KEPT};
use super::config::{SecurityConfig, SecurityError};
use super::credentials::{RequestCredentials, authorization, in_cookies, in_query, single};
use super::files::{FileStamp, load_keys, load_users, stamps};
use super::jwt::{self, TokenClaims, TokenError};
use super::keys::{KeySet, KeySource, REFRESH, SOONEST};
use super::passwords::{PasswordQueue, QueueFull, VerificationJob};
use super::users::{StoredUser, UserStore};
use super::{
    AuthenticationScheme, CallerIdentity, KeyPlace, SchemeDemand, SecurityRequirement, fetch, users,
};
use base64::Engine as _;
use http::HeaderMap;
use region::UserId;
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::{oneshot, watch};

/// How long a request waits for keys that are being fetched.
const PATIENCE: Duration = Duration::from_secs(5);
/// Kinds of credentials, for the cache.
const BASIC: u8 = 1;
const BEARER: u8 = 2;

/// Checks credentials. Shared by all doors.
pub struct CredentialGuard {
    config: SecurityConfig,
    users: RwLock<Arc<UserStore>>,
    keys: RwLock<Arc<KeySet>>,
    /// Moves on with every change of users and keys.
    generation: AtomicU64,
    cache: Arc<CredentialCache>,
    passwords: Option<PasswordQueue>,
    started: Instant,
    /// Milliseconds after the start at which the files were last looked at.
    checked_ms: AtomicU64,
    stamps: RwLock<[FileStamp; 2]>,
    fetcher: Option<Fetcher>,
}

/// The thread that fetches keys, for requests that wait for them.
struct Fetcher {
    trigger: SyncSender<()>,
    /// Counts the fetches that were made, and those that were not due.
    done: watch::Receiver<u64>,
}

/// Why a request is rejected.
#[derive(Debug, PartialEq)]
pub(crate) enum AccessDenied {
    /// The request has no credentials, or wrong ones.
    Unknown {
        /// The reason; `None` without credentials.
        why: Option<String>,
        /// The credential is a wrong bearer token.
        token: bool,
        /// The schemes that would do.
        schemes: Vec<AuthenticationScheme>,
    },
    /// The caller is authenticated, but not authorised.
    Forbidden {
        /// Scopes or roles, one of which or all of which are missing.
        needed: Vec<String>,
        /// The caller sent a token.
        bearer: bool,
        /// The caller.
        who: Arc<CallerIdentity>,
    },
    /// Too many passwords wait to be checked.
    Busy,
    /// The keys for tokens could not be fetched yet.
    NoKeys,
    /// The request came without TLS.
    Insecure,
    /// The client sent too many requests; wait so long.
    TooMany(Duration),
}

/// Why one scheme did not admit the request.
pub(super) enum SchemeFailure {
    Absent,
    Wrong(String),
    /// The same for a bearer token; its challenge includes the reason.
    Token(String),
    Lacks(Vec<String>, bool, Arc<CallerIdentity>),
    Not(AccessDenied),
}

impl std::fmt::Debug for CredentialGuard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guard")
            .field("means", &self.config.means())
            .finish()
    }
}

impl CredentialGuard {
    /// Reads users and keys.
    ///
    /// # Errors
    /// Their errors.
    pub fn start(config: SecurityConfig) -> Result<Arc<CredentialGuard>, SecurityError> {
        if let Some(fault) = config.faults().into_iter().next() {
            return Err(fault);
        }
        let system = |e: &dyn std::fmt::Display| SecurityError::System(e.to_string());
        let cache = Arc::new(CredentialCache::new().map_err(|e| system(&e))?);
        let (mut known, mut keys) = (UserStore::default(), KeySet::default());
        let mut passwords = None;
        if let Some(file) = &config.users {
            known = load_users(file)?;
            passwords = Some(PasswordQueue::start(&cache).map_err(|e| system(&e))?);
        }
        let mut url = None;
        match config.tokens.as_ref().map(|tokens| &tokens.keys) {
            Some(source @ KeySource::File(file)) => keys = load_keys(file, source)?,
            Some(KeySource::Url(address, trusted)) => {
                url = Some((address.clone(), trusted.clone()))
            }
            None => {}
        }
        let stamps = stamps(&config);
        let mut fetcher = None;
        let mut work = None;
        if let Some(url) = url {
            let (ask, asked) = sync_channel(1);
            let (done_sender, done) = watch::channel(0);
            fetcher = Some(Fetcher { trigger: ask, done });
            work = Some((url, asked, done_sender));
        }
        let guard = Arc::new(CredentialGuard {
            config,
            users: RwLock::new(Arc::new(known)),
            keys: RwLock::new(Arc::new(keys)),
            generation: AtomicU64::new(0),
            cache,
            passwords,
            started: Instant::now(),
            checked_ms: AtomicU64::new(0),
            stamps: RwLock::new(stamps),
            fetcher,
        });
        if let Some((url, asked, done_sender)) = work {
            let weak = Arc::downgrade(&guard);
            std::thread::Builder::new()
                .name("gw-keys".into())
                .spawn(move || fetch_keys(&weak, &url, &asked, &done_sender))
                .map_err(|e| system(&e))?;
        }
        Ok(guard)
    }

    /// Its configuration.
    pub fn config(&self) -> &SecurityConfig {
        &self.config
    }

    /// Authorizes an action on the administration port: some identity with a
    /// role for it.
    pub(crate) async fn admin(
        &self,
        act: AdminAction,
        credentials: RequestCredentials<'_>,
    ) -> Result<Arc<CallerIdentity>, AccessDenied> {
        let requirement = self.config.means().any();
        let roles = [self.config.access.roles(act)];
        let found = self.check(&requirement, &roles, credentials).await?;
        found.ok_or_else(|| missing(&requirement))
    }

    /// The caller of a request, if it is permitted; `None` if the operation
    /// needs no authentication. The caller must have one role of each list.
    pub(crate) async fn check(
        &self,
        requirement: &SecurityRequirement,
        roles: &[Vec<String>],
        credentials: RequestCredentials<'_>,
    ) -> Result<Option<Arc<CallerIdentity>>, AccessDenied> {
        self.reload_changed_files();
        let (mut wrong, mut lacks, mut open) = (None, None, false);
        let mut token = false;
        for alternative in &requirement.alternatives {
            if alternative.is_empty() {
                open = true;
                continue;
            }
            match self.all(alternative, credentials).await {
                Ok(identity) => match roles.iter().find(|one| !identity.has_any(one)) {
                    Some(one) => drop(lacks.get_or_insert((one.clone(), false, identity))),
                    None => return Ok(Some(identity)),
                },
                Err(SchemeFailure::Absent) => {}
                Err(SchemeFailure::Wrong(why)) => drop(wrong.get_or_insert(why)),
                Err(SchemeFailure::Token(why)) => {
                    token |= wrong.is_none();
                    wrong.get_or_insert(why);
                }
                Err(SchemeFailure::Lacks(needed, bearer, who)) => {
                    lacks.get_or_insert((needed, bearer, who));
                }
                Err(SchemeFailure::Not(denied)) => return Err(denied),
            }
        }
        if let Some((needed, bearer, who)) = lacks {
            return Err(AccessDenied::Forbidden {
                needed,
                bearer,
                who,
            });
        }
        if wrong.is_none() && open && roles.is_empty() {
            return Ok(None);
        }
        match (missing(requirement), wrong) {
            (AccessDenied::Unknown { schemes, .. }, why) => Err(AccessDenied::Unknown {
                why,
                token,
                schemes,
            }),
            (other, _) => Err(other),
        }
    }

    /// Checks all demands of an alternative; the first one names the caller.
    async fn all(
        &self,
        demands: &[SchemeDemand],
        credentials: RequestCredentials<'_>,
    ) -> Result<Arc<CallerIdentity>, SchemeFailure> {
        let mut who: Option<Arc<CallerIdentity>> = None;
        for demand in demands {
            let found = match &demand.scheme {
                AuthenticationScheme::Basic => self.basic(credentials.headers).await?,
                AuthenticationScheme::Bearer => self.bearer(credentials.headers).await?,
                AuthenticationScheme::ApiKey(place, name) => {
                    self.api_key(*place, name, credentials)?
                }
                AuthenticationScheme::Certificate => self.certificate(credentials.certificate)?,
            };
            if demand
                .scopes
                .iter()
                .any(|scope| !found.roles.contains(scope))
            {
                let bearer = demand.scheme == AuthenticationScheme::Bearer;
                return Err(SchemeFailure::Lacks(demand.scopes.clone(), bearer, found));
            }
            who = Some(match who {
                None => found,
                Some(first) => {
                    let mut both = (*first).clone();
                    both.roles.extend(found.roles.iter().cloned());
                    Arc::new(both)
                }
            });
        }
        who.ok_or(SchemeFailure::Absent)
    }

    async fn basic(&self, headers: &HeaderMap) -> Result<Arc<CallerIdentity>, SchemeFailure> {
        let wrong = || SchemeFailure::Wrong("the user name or the password is wrong".into());
        let given = authorization(headers, "basic")?;
        let Some(passwords) = &self.passwords else {
            return Err(wrong());
        };
        let decoded = base64::engine::general_purpose::STANDARD.decode(given);
        let text = decoded.ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let text = text.ok_or_else(wrong)?;
        let (name, password) = text.split_once(':').ok_or_else(wrong)?;
        if password.len() > users::MAX_PASSWORD {
            return Err(wrong());
        }
        let generation = self.generation.load(Ordering::Acquire);
        let digest = self.cache.digest(BASIC, text.as_bytes());
        if let Some(known) = self.cache.get(&digest, generation, Instant::now()) {
            return Ok(known);
        }
        let user = self.users().get(name).cloned();
        let user = user.filter(|user| !user.password.is_empty());
        let (answer, verified) = oneshot::channel();
        let submitted = passwords.submit(VerificationJob {
            password: password.to_owned(),
            hash: user.as_ref().map(|user| user.password.clone()),
            identity: user.as_deref().map(identity_of),
            digest,
            generation,
            answer,
        });
        submitted.map_err(|QueueFull| SchemeFailure::Not(AccessDenied::Busy))?;
        verified.await.ok().flatten().ok_or_else(wrong)
    }

    async fn bearer(&self, headers: &HeaderMap) -> Result<Arc<CallerIdentity>, SchemeFailure> {
        let token = authorization(headers, "bearer")?;
        let Some(config) = &self.config.tokens else {
            return Err(SchemeFailure::Token("tokens are not accepted here".into()));
        };
        let generation = self.generation.load(Ordering::Acquire);
        let digest = self.cache.digest(BEARER, token.as_bytes());
        let now = Instant::now();
        if let Some(known) = self.cache.get(&digest, generation, now) {
            return Ok(known);
        }
        let mut verified = jwt::verify(token, &self.keys(), config);
        if verified == Err(TokenError::UnknownKey) && self.fetched_anew().await {
            verified = jwt::verify(token, &self.keys(), config);
        }
        let claims = match verified {
            Ok(claims) => claims,
            Err(TokenError::UnknownKey) if self.keys().len() == 0 => {
                return Err(SchemeFailure::Not(AccessDenied::NoKeys));
            }
            Err(why) => return Err(SchemeFailure::Token(why.to_string())),
        };
        let TokenClaims {
            name,
            roles,
            expires_s,
        } = claims;
        let identity = Arc::new(CallerIdentity {
            user_id: user_id_of(&name),
            name,
            roles,
        });
        let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let ends = expires_s.saturating_add(config.leeway_s);
        let left = Duration::from_secs(ends).saturating_sub(clock.unwrap_or_default());
        let until = now + left.min(KEPT);
        self.cache.put(digest, identity.clone(), generation, until);
        Ok(identity)
    }

    fn api_key(
        &self,
        place: KeyPlace,
        name: &str,
        credentials: RequestCredentials<'_>,
    ) -> Result<Arc<CallerIdentity>, SchemeFailure> {
        let key = match place {
            KeyPlace::Header => single(credentials.headers, name)?.map(Cow::Borrowed),
            KeyPlace::Query => in_query(credentials.query.unwrap_or_default(), name),
            KeyPlace::Cookie => in_cookies(credentials.headers, name).map(Cow::Borrowed),
        };
        let key = key
            .filter(|key| !key.is_empty())
            .ok_or(SchemeFailure::Absent)?;
        let users = self.users();
        let user = users.by_key(&key);
        let wrong = || SchemeFailure::Wrong("unknown API key".into());
        user.map(|user| identity_of(user)).ok_or_else(wrong)
    }

    fn certificate(&self, name: Option<&str>) -> Result<Arc<CallerIdentity>, SchemeFailure> {
        let name = name.ok_or(SchemeFailure::Absent)?;
        if name.contains(char::is_control) {
            let why = "the certificate's name has characters that a user name cannot have";
            return Err(SchemeFailure::Wrong(why.into()));
        }
        Ok(match self.users().get(name) {
            Some(user) => identity_of(user),
            None => Arc::new(CallerIdentity {
                name: name.to_owned(),
                user_id: user_id_of(name),
                roles: Vec::new(),
            }),
        })
    }

    fn users(&self) -> Arc<UserStore> {
        self.users
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn keys(&self) -> Arc<KeySet> {
        self.keys
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn set_keys(&self, keys: KeySet) {
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
        self.generation.fetch_add(1, Ordering::AcqRel);
    }

    /// Reads files again that were written, at most once a second.
    fn reload_changed_files(&self) {
        let now = self.started.elapsed().as_millis() as u64;
        let before = self.checked_ms.load(Ordering::Relaxed);
        let due = now.saturating_sub(before) >= 1000;
        let (set, get) = (Ordering::Relaxed, Ordering::Relaxed);
        if !due
            || self
                .checked_ms
                .compare_exchange(before, now, set, get)
                .is_err()
        {
            return;
        }
        let (now, before) = (stamps(&self.config), &self.stamps);
        let before = std::mem::replace(
            &mut *before.write().unwrap_or_else(PoisonError::into_inner),
            now,
        );
        if let Some(file) = &self.config.users
            && now[0] != before[0]
        {
            match load_users(file) {
                Ok(users) => {
                    *self.users.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(users);
                    self.generation.fetch_add(1, Ordering::AcqRel);
                    tracing::info!("the user store was read again");
                }
                Err(e) => tracing::error!("{e}; the previous users are still used"),
            }
        }
        let source = self.config.tokens.as_ref().map(|tokens| &tokens.keys);
        if let Some(source @ KeySource::File(file)) = source
            && now[1] != before[1]
        {
            match load_keys(file, source) {
                Ok(keys) => {
                    tracing::info!(keys = keys.len(), "the keys for tokens were read again");
                    self.set_keys(keys);
                }
                Err(e) => tracing::error!("{e}; the previous keys are still used"),
            }
        }
    }

    /// Has the keys fetched and waits for it; false where there is no URL.
    async fn fetched_anew(&self) -> bool {
        let Some(fetcher) = &self.fetcher else {
            return false;
        };
        let mut done = fetcher.done.clone();
        let seen = *done.borrow_and_update();
        // A question that waits already is ours too.
        let _ = fetcher.trigger.try_send(());
        let reported = done.wait_for(|count| *count > seen);
        tokio::time::timeout(PATIENCE, reported).await.is_ok()
    }
}

/// Fetches keys at once, after a while, and when asked; ends with its guard.
fn fetch_keys(
    guard: &Weak<CredentialGuard>,
    (url, trusted): &(String, Option<PathBuf>),
    asked: &Receiver<()>,
    done_sender: &watch::Sender<u64>,
) {
    let mut last: Option<Instant> = None;
    loop {
        if last.is_none_or(|last| last.elapsed() >= SOONEST) {
            last = Some(Instant::now());
            let fetched = fetch::get(url, trusted.as_deref());
            let Some(guard) = guard.upgrade() else { return };
            match fetched.and_then(|bytes| KeySet::parse(&bytes)) {
                Ok(keys) => guard.set_keys(keys),
                Err(why) => tracing::error!("the keys for tokens, {url}: {why}"),
            }
        }
        done_sender.send_modify(|count| *count += 1);
        let due = match guard.upgrade().map(|guard| guard.keys().len()) {
            // No keys yet: retry soon.
            Some(0) => SOONEST,
            Some(_) => REFRESH,
            None => return,
        };
        let left = due.saturating_sub(last.map_or(Duration::ZERO, |last| last.elapsed()));
        if asked.recv_timeout(left) == Err(RecvTimeoutError::Disconnected) {
            return;
        }
    }
}

fn missing(requirement: &SecurityRequirement) -> AccessDenied {
    let mut schemes: Vec<AuthenticationScheme> = Vec::new();
    for demand in requirement.alternatives.iter().flatten() {
        if !schemes.contains(&demand.scheme) {
            schemes.push(demand.scheme.clone());
        }
    }
    AccessDenied::Unknown {
        why: None,
        token: false,
        schemes,
    }
}

fn identity_of(user: &StoredUser) -> Arc<CallerIdentity> {
    let own = UserId::new(&user.user_id).ok();
    Arc::new(CallerIdentity {
        name: user.name.clone(),
        user_id: own.or_else(|| user_id_of(&user.name)),
        roles: user.roles.clone(),
    })
}

/// The CICS user id that a name is, in capitals, if it is one.
fn user_id_of(name: &str) -> Option<UserId> {
    let capital = name.to_ascii_uppercase();
    let name = UserId::new(&capital).ok();
    name.filter(|_| users::is_user_id(&capital))
}

//! The settings of security, and why they cannot be used.

use super::access::RoleAccess;
use super::files::load_keys;
use super::jwt::{self, JwtConfig};
use super::keys::KeySource;
use super::limit::RateConfig;
use super::{AvailableSchemes, fetch};
use std::path::PathBuf;

/// Most seconds that clocks may be said to differ.
const MOST_LEEWAY_S: u64 = 3_600;

/// The authentication of clients, and their permissions.
#[derive(Debug, Clone)]
pub struct SecurityConfig {
    /// File of the user store.
    pub users: Option<PathBuf>,
    /// Which tokens are taken.
    pub tokens: Option<JwtConfig>,
    /// Whether TLS clients are asked for certificates.
    pub certificates: bool,
    /// Whether callers of every operation must authenticate.
    pub require_auth: bool,
    /// Whether callers of every operation must use HTTPS.
    pub require_secure: bool,
    /// Which roles may do what.
    pub access: RoleAccess,
    /// The realm that clients are shown.
    pub realm: String,
    /// Requests that one client may send.
    pub rate: Option<RateConfig>,
}

impl Default for SecurityConfig {
    fn default() -> Self {
        SecurityConfig {
            users: None,
            tokens: None,
            certificates: false,
            require_auth: false,
            require_secure: false,
            access: RoleAccess::default(),
            realm: "tupelo".into(),
            rate: None,
        }
    }
}

impl SecurityConfig {
    /// How operations can be protected.
    pub fn means(&self) -> AvailableSchemes {
        AvailableSchemes {
            users: self.users.is_some(),
            tokens: self.tokens.is_some(),
            certificates: self.certificates,
        }
    }
}

/// Why there is no guard.
#[derive(Debug, thiserror::Error)]
pub enum SecurityError {
    /// The user store cannot be used.
    #[error("the user store {file} cannot be used: {reason}")]
    Users {
        /// Its file.
        file: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The keys for tokens cannot be used.
    #[error("the keys for tokens, {source_name}: {reason}")]
    Keys {
        /// File or URL.
        source_name: String,
        /// Why not.
        reason: String,
    },
    /// A setting makes no sense.
    #[error("{text}")]
    Setting {
        /// Its name in the settings of security.
        key: &'static str,
        /// Why not.
        text: String,
    },
    /// Threads or random bytes could not be had.
    #[error("the system does not provide what security needs: {0}")]
    System(String),
}

impl SecurityConfig {
    /// Every setting that would admit a caller who must not be admitted, or no
    /// caller at all, except faults of the user store.
    pub fn faults(&self) -> Vec<SecurityError> {
        let mut faults = Vec::new();
        if let Some(fault) = self.unchecked() {
            faults.push(fault);
        }
        if let Some(tokens) = &self.tokens {
            faults.extend(settings_of(tokens));
            match &tokens.keys {
                KeySource::Url(url, trusted) => {
                    let wrong = fetch::check(url, trusted.as_deref()).err();
                    faults.extend(wrong.map(|reason| SecurityError::Keys {
                        source_name: url.clone(),
                        reason,
                    }));
                }
                KeySource::File(file) if file.as_os_str().is_empty() => {}
                source @ KeySource::File(file) => faults.extend(load_keys(file, source).err()),
            }
        }
        faults
    }

    /// Callers must authenticate, but no way to do so is configured.
    fn unchecked(&self) -> Option<SecurityError> {
        let apis = || self.access.apis.values();
        let required = self.require_auth || apis().any(|a| a.require_auth == Some(true));
        let roles = self.access.invoke.is_some()
            || apis().any(|a| a.invoke.is_some() || !a.operations.is_empty());
        let closed = required || roles;
        (closed && self.means() == AvailableSchemes::default()).then(|| SecurityError::Setting {
            key: "require_auth",
            text: "callers must be authenticated, but no method is set: give a user store, keys \
                for tokens or an authority for client certificates"
                .into(),
        })
    }
}

/// Settings by which a token of another issuer would be accepted, or no token.
fn settings_of(tokens: &JwtConfig) -> Vec<SecurityError> {
    let mut faults = Vec::new();
    let mut wrong = |key: &'static str, text: String| {
        faults.push(SecurityError::Setting { key, text });
    };
    if matches!(&tokens.keys, KeySource::File(file) if file.as_os_str().is_empty()) {
        let text = "tokens need the keys of their issuer: a URL, or a file";
        wrong("jwt.jwks", text.into());
    }
    for (key, names, what) in [
        ("jwt.issuer", &tokens.issuers, "an issuer"),
        ("jwt.audience", &tokens.audiences, "an audience"),
    ] {
        if names.is_empty() || names.iter().any(String::is_empty) {
            let text = format!(
                "tokens need an issuer and an audience: without {what} a token for another \
                 service would be accepted"
            );
            wrong(key, text);
        }
    }
    for name in &tokens.algorithms {
        if !jwt::known_algorithm(name) {
            let text = format!("'{name}' is not a supported signature algorithm");
            wrong("jwt.algorithms", text);
        }
    }
    if tokens.algorithms.is_empty() {
        let text = "no algorithm for the signatures of tokens is allowed";
        wrong("jwt.algorithms", text.into());
    }
    if tokens.user_claim.is_empty() {
        let text = "no claim names the user of a token, so every token would be rejected";
        wrong("jwt.user_claim", text.into());
    }
    if tokens.leeway_s > MOST_LEEWAY_S {
        let text = format!(
            "a leeway of {} seconds is too large: tokens would be accepted that long after their \
             end; use at most {MOST_LEEWAY_S}",
            tokens.leeway_s
        );
        wrong("jwt.leeway_s", text);
    }
    faults
}

//! What security is told: settings, and why they cannot be used.

use super::access::Access;
use super::jwt::{self, JwtConfig};
use super::keys::KeySource;
use super::limit::RateConfig;
use super::{Means, fetch};
use std::path::PathBuf;

/// What clients are checked against, and what they may do.
#[derive(Debug, Clone)]
pub struct SecurityConfig {
    /// File of the user store.
    pub users: Option<PathBuf>,
    /// Which tokens are taken.
    pub tokens: Option<JwtConfig>,
    /// Whether TLS clients are asked for certificates.
    pub certificates: bool,
    /// Whether callers of every operation must say who they are.
    pub require_auth: bool,
    /// Whether callers of every operation must come by HTTPS.
    pub require_secure: bool,
    /// Which roles may do what.
    pub access: Access,
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
            access: Access::default(),
            realm: "tupelo".into(),
            rate: None,
        }
    }
}

impl SecurityConfig {
    /// How operations can be protected.
    pub fn means(&self) -> Means {
        Means {
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
    #[error("{0}")]
    Setting(String),
    /// Threads or random bytes could not be had.
    #[error("the system does not give what security needs: {0}")]
    System(String),
}

/// Settings that would let somebody in who should not be.
pub(super) fn check(config: &SecurityConfig) -> Result<(), SecurityError> {
    let wrong = |text: String| Err(SecurityError::Setting(text));
    let means = config.means();
    let apis = config.access.apis.values();
    let required = config.require_auth || apis.clone().any(|a| a.require_auth == Some(true));
    let roles = config.access.invoke.is_some()
        || apis
            .clone()
            .any(|a| a.invoke.is_some() || !a.operations.is_empty());
    if (required || roles) && means == Means::default() {
        return wrong(
            "callers must say who they are, and there is nothing to check it by: name a user \
             store, keys for tokens or an authority for client certificates"
                .into(),
        );
    }
    let Some(tokens) = &config.tokens else {
        return Ok(());
    };
    if tokens.audiences.is_empty() || tokens.issuers.is_empty() {
        return wrong(
            "tokens need an issuer and an audience: without them a token that was made for \
             another service would be taken"
                .into(),
        );
    }
    let unknown = tokens
        .algorithms
        .iter()
        .find(|name| !jwt::known_algorithm(name));
    if let Some(name) = unknown {
        return wrong(format!(
            "'{name}' is no algorithm for signatures that is known here"
        ));
    }
    if tokens.algorithms.is_empty() {
        return wrong("no algorithm for the signatures of tokens is allowed".into());
    }
    if let KeySource::Url(url, _) = &tokens.keys {
        return fetch::check(url).map_err(|reason| SecurityError::Keys {
            source_name: url.clone(),
            reason,
        });
    }
    Ok(())
}

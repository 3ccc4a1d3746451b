//! Authentication and authorization of clients.
//!
//! ```text
//! request ─▶ credentials ─▶ scheme (basic, bearer, API key, certificate) ─▶ identity ─▶ roles
//! ```
//!
//! A [`CredentialGuard`] has the data for authentication: the user store, the keys that
//! sign tokens, and a short memory of verified credentials. The guard does not depend
//! on connections or routes, so that every door can use it.
//!
//! Invariant: no secret is in a message, a log line or a `Debug` output.

mod access;
mod cache;
mod challenge;
mod config;
mod credentials;
mod fetch;
mod files;
mod guard;
mod jwt;
mod keys;
mod limit;
mod passwords;
pub mod users;

use region::UserId;

pub use access::{AccessRule, AdminAction, RoleAccess};
pub(crate) use challenge::problem;
pub use config::{SecurityConfig, SecurityError};
pub(crate) use credentials::RequestCredentials;
pub(crate) use guard::AccessDenied;
pub use guard::CredentialGuard;
pub use jwt::JwtConfig;
pub use keys::KeySource;
pub use limit::RateConfig;
pub(crate) use limit::{RateLimiter, client_of};

/// Never panics on any bytes: for the fuzz target.
#[doc(hidden)]
pub fn fuzz_token(keys: &[u8], token: &str) {
    let keys = keys::KeySet::parse(keys).unwrap_or_default();
    let _ = jwt::verify(token, &keys, &JwtConfig::default());
}

/// An authenticated caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallerIdentity {
    /// The name in the user store, the token or the certificate.
    pub name: String,
    /// The CICS user id, 1 to 8 characters; `None` when the name gives none.
    pub user_id: Option<UserId>,
    /// Roles of the user, the token's claims and scopes.
    pub roles: Vec<String>,
}

impl CallerIdentity {
    /// Whether the caller has one of these roles; `*` is everybody's.
    pub fn has_any(&self, roles: &[String]) -> bool {
        roles.iter().any(|r| r == "*" || self.roles.contains(r))
    }
}

/// How operations can be protected as the gateway is configured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AvailableSchemes {
    /// There is a user store: passwords and API keys can be checked.
    pub users: bool,
    /// There are keys for tokens.
    pub tokens: bool,
    /// Clients are asked for certificates.
    pub certificates: bool,
}

/// How a client may authenticate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AuthenticationScheme {
    /// Name and password in `Authorization`.
    Basic,
    /// A JSON Web Token in `Authorization`.
    Bearer,
    /// A key in a header, the query or a cookie.
    ApiKey(KeyPlace, String),
    /// The certificate of its TLS connection.
    Certificate,
}

/// The place of an API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyPlace {
    Header,
    Query,
    Cookie,
}

/// One scheme, and the scopes that it must grant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SchemeDemand {
    pub scheme: AuthenticationScheme,
    /// Scopes of the token, or roles of the user.
    pub scopes: Vec<String>,
}

/// The demands of an operation on its callers: one of these alternatives, with
/// all of its demands. An alternative without demands admits every caller.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SecurityRequirement {
    pub alternatives: Vec<Vec<SchemeDemand>>,
}

impl AvailableSchemes {
    /// Any way in that is configured.
    pub(crate) fn any(self) -> SecurityRequirement {
        let header = || AuthenticationScheme::ApiKey(KeyPlace::Header, "x-api-key".into());
        let all = [
            (self.users, AuthenticationScheme::Basic),
            (self.tokens, AuthenticationScheme::Bearer),
            (self.users, header()),
            (self.certificates, AuthenticationScheme::Certificate),
        ];
        let there = all.into_iter().filter(|(there, _)| *there);
        let alone = |(_, scheme)| {
            let scopes = Vec::new();
            vec![SchemeDemand { scheme, scopes }]
        };
        SecurityRequirement {
            alternatives: there.map(alone).collect(),
        }
    }
}

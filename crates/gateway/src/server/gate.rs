//! The requirements of an operation on its callers: its document and the
//! settings together, made once when the APIs come into force.

use super::GatewayShared;
use super::serve::Server;
use super::service::ServiceConnection;
use crate::backend::ProgramBackend;
use crate::problem::ProblemDocument;
use crate::project::operation::{ApiOperation, LoadedApi};
use crate::security::{
    AccessDenied, AuthenticationScheme, CallerIdentity, KeyPlace, RequestCredentials, SchemeDemand,
    SecurityConfig, SecurityRequirement, client_of, problem,
};
use crate::service::CallerAuthentication;
use crate::web::OUTSIDE_APIS;
use bytes::Bytes;
use http::request::Parts;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

/// The requirements on a caller.
#[derive(Debug, Default)]
pub(crate) struct AccessGate {
    requirement: Option<SecurityRequirement>,
    /// Roles: of each of these lists one.
    roles: Vec<Vec<String>>,
    /// HTTPS.
    secure: bool,
}

/// The peer of a connection.
#[derive(Debug, Clone)]
pub(super) struct PeerAddress {
    pub address: IpAddr,
    pub port: u16,
    /// The local address of the connection.
    pub local: Option<SocketAddr>,
    pub secure: bool,
    /// Its certificate as it was shown.
    pub shown: Option<Bytes>,
    /// The service whose address it connected to.
    pub service: Option<Arc<ServiceConnection>>,
    /// The name in its certificate.
    pub certificate: Option<String>,
}

impl Default for PeerAddress {
    fn default() -> Self {
        PeerAddress {
            address: Ipv4Addr::UNSPECIFIED.into(),
            port: 0,
            local: None,
            secure: false,
            shown: None,
            service: None,
            certificate: None,
        }
    }
}

impl AccessGate {
    /// The gate of an operation.
    pub fn new(config: &SecurityConfig, api: &LoadedApi, operation: &ApiOperation) -> AccessGate {
        let rule = config.access.apis.get(&api.name);
        let called = format!("{} {}", operation.method, operation.path);
        let roles = config.access.invoke(&api.name, [&called, &operation.id]);
        let authenticated = rule.and_then(|rule| rule.require_auth);
        // The document's requirement is independent of that in the settings.
        let roles: Vec<Vec<String>> = [operation.roles.as_ref(), roles]
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        let authenticated = authenticated.unwrap_or(config.require_auth) || !roles.is_empty();
        let mut requirement = operation.security.clone();
        if authenticated {
            let mut closed = requirement.unwrap_or_default();
            closed.alternatives.retain(|demands| !demands.is_empty());
            requirement = Some(if closed.alternatives.is_empty() {
                config.means().any()
            } else {
                closed
            });
        }
        // An alternative without demands admits every caller.
        let asks =
            |r: &SecurityRequirement| r.alternatives.iter().any(|demands| !demands.is_empty());
        AccessGate {
            requirement: requirement.filter(|r| authenticated || asks(r)),
            roles,
            secure: rule
                .and_then(|rule| rule.require_secure)
                .unwrap_or(config.require_secure),
        }
    }

    /// Whether the access gate admits every caller.
    pub fn is_open(&self) -> bool {
        self.requirement.is_none() && !self.secure
    }

    /// The parameters of a query and the headers in which it takes keys.
    pub fn names_of_keys(&self) -> Vec<String> {
        let alternatives = self.requirement.iter().flat_map(|r| &r.alternatives);
        let key = |demand: &SchemeDemand| match &demand.scheme {
            AuthenticationScheme::ApiKey(KeyPlace::Query | KeyPlace::Header, name) => {
                Some(name.clone())
            }
            _ => None,
        };
        alternatives.flatten().filter_map(key).collect()
    }

    /// The gate of a service with an address of its own.
    pub fn of_service(authentication: CallerAuthentication) -> AccessGate {
        let schemes: &[AuthenticationScheme] = match authentication {
            CallerAuthentication::None => return AccessGate::default(),
            CallerAuthentication::Basic => &[AuthenticationScheme::Basic],
            CallerAuthentication::Certificate => &[AuthenticationScheme::Certificate],
            CallerAuthentication::Either => &[
                AuthenticationScheme::Certificate,
                AuthenticationScheme::Basic,
            ],
        };
        let alone = |scheme: &AuthenticationScheme| {
            let scopes = Vec::new();
            let scheme = scheme.clone();
            vec![SchemeDemand { scheme, scopes }]
        };
        let alternatives = schemes.iter().map(alone).collect();
        AccessGate {
            requirement: Some(SecurityRequirement { alternatives }),
            ..AccessGate::default()
        }
    }

    /// The gate of services outside the APIs: settings name it as the API
    /// [`OUTSIDE_APIS`]. `called` is its method and path.
    pub fn outside_apis(config: &SecurityConfig, called: &str) -> AccessGate {
        let rule = config.access.apis.get(OUTSIDE_APIS);
        let roles = config.access.invoke(OUTSIDE_APIS, [called, called]);
        let authenticated = rule.and_then(|rule| rule.require_auth);
        let authenticated = authenticated.unwrap_or(config.require_auth) || roles.is_some();
        AccessGate {
            requirement: authenticated.then(|| config.means().any()),
            roles: roles.into_iter().cloned().collect(),
            secure: rule
                .and_then(|rule| rule.require_secure)
                .unwrap_or(config.require_secure),
        }
    }
}

impl<B: ProgramBackend> GatewayShared<B> {
    /// A problem document for a caller that is not admitted, counted.
    #[cold]
    pub(super) fn denied(&self, denied: AccessDenied) -> ProblemDocument {
        let counter = match &denied {
            AccessDenied::Unknown { .. } | AccessDenied::NoKeys | AccessDenied::Busy => {
                &self.metrics.unauthenticated
            }
            AccessDenied::Forbidden { .. } | AccessDenied::Insecure => &self.metrics.forbidden,
            AccessDenied::TooMany(_) => &self.metrics.rate_limited,
        };
        counter.fetch_add(1, Relaxed);
        problem(denied, &self.guard.config().realm)
    }

    /// Takes one request of a client's allowance.
    pub(super) fn within_rate(&self, peer: &PeerAddress) -> Result<(), AccessDenied> {
        let Some(limiter) = &self.limiter else {
            return Ok(());
        };
        let taken = limiter.take(client_of(peer.address), Instant::now());
        taken.map_err(AccessDenied::TooMany)
    }
}

impl<B: ProgramBackend> Server<B> {
    /// Whether a request may go to an operation; returns the caller, if it is
    /// known, in either case.
    pub(super) async fn admit(
        &self,
        gate: &AccessGate,
        parts: &Parts,
        peer: &PeerAddress,
        user: &mut Option<Arc<CallerIdentity>>,
    ) -> Result<(), ProblemDocument> {
        let shared = &*self.shared;
        if gate.secure && !peer.secure {
            return Err(shared.denied(AccessDenied::Insecure));
        }
        let Some(requirement) = &gate.requirement else {
            return Ok(());
        };
        let credentials = credentials(parts, peer);
        let guard = &shared.guard;
        let found = guard.check(requirement, &gate.roles, credentials).await;
        *user = found.map_err(|denied| {
            if let AccessDenied::Forbidden { who, .. } = &denied {
                *user = Some(who.clone());
            }
            shared.denied(denied)
        })?;
        if let (Some(limiter), Some(identity)) = (&shared.limiter, &*user) {
            // A user has one allowance, from however many addresses.
            let taken = limiter.take(("user", &identity.name), Instant::now());
            taken.map_err(|wait| shared.denied(AccessDenied::TooMany(wait)))?;
        }
        Ok(())
    }

    /// Whether a caller may read the gateway's descriptions of its APIs.
    pub(super) async fn may_read(
        &self,
        parts: &Parts,
        peer: &PeerAddress,
    ) -> Result<(), ProblemDocument> {
        let guard = &self.shared.guard;
        let health = parts
            .uri
            .path()
            .trim_start_matches('/')
            .starts_with("health");
        if !guard.config().require_auth || health {
            return Ok(());
        }
        let requirement = guard.config().means().any();
        let found = guard
            .check(&requirement, &[], credentials(parts, peer))
            .await;
        found.map(drop).map_err(|denied| self.shared.denied(denied))
    }
}

pub(super) fn credentials<'a>(parts: &'a Parts, peer: &'a PeerAddress) -> RequestCredentials<'a> {
    RequestCredentials {
        headers: &parts.headers,
        query: parts.uri.query(),
        certificate: peer.certificate.as_deref(),
    }
}

//! The requirements of an operation on its callers: its document and the
//! settings together, made once when the APIs come into force.

use super::Shared;
use super::serve::Server;
use super::service::Persistent;
use crate::backend::Backend;
use crate::problem::Problem;
use crate::project::operation::{Api, Operation};
use crate::security::{
    Credentials, Demand, Denied, Identity, KeyPlace, Requirement, Scheme, SecurityConfig,
    client_of, problem,
};
use crate::service::Authentication;
use crate::web::BESIDE;
use bytes::Bytes;
use http::request::Parts;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

/// The requirements on a caller.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    requirement: Option<Requirement>,
    /// Roles: of each of these lists one.
    roles: Vec<Vec<String>>,
    /// HTTPS.
    secure: bool,
}

/// The peer of a connection.
#[derive(Debug, Clone)]
pub(super) struct Peer {
    pub address: IpAddr,
    pub port: u16,
    /// Where it connected to.
    pub local: Option<SocketAddr>,
    pub secure: bool,
    /// Its certificate as it was shown.
    pub shown: Option<Bytes>,
    /// The service whose address it connected to.
    pub service: Option<Arc<Persistent>>,
    /// The name in its certificate.
    pub certificate: Option<String>,
}

impl Default for Peer {
    fn default() -> Self {
        Peer {
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

impl Gate {
    /// The gate of an operation.
    pub fn new(config: &SecurityConfig, api: &Api, operation: &Operation) -> Gate {
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
            requirement = Some(match closed.alternatives.is_empty() {
                true => config.means().any(),
                false => closed,
            });
        }
        // An alternative without demands admits every caller.
        let asks = |r: &Requirement| r.alternatives.iter().any(|demands| !demands.is_empty());
        Gate {
            requirement: requirement.filter(|r| authenticated || asks(r)),
            roles,
            secure: rule
                .and_then(|rule| rule.require_secure)
                .unwrap_or(config.require_secure),
        }
    }

    /// Whether it admits every caller.
    pub fn is_open(&self) -> bool {
        self.requirement.is_none() && !self.secure
    }

    /// The parameters of a query and the headers in which it takes keys.
    pub fn names_of_keys(&self) -> Vec<String> {
        let alternatives = self.requirement.iter().flat_map(|r| &r.alternatives);
        let key = |demand: &Demand| match &demand.scheme {
            Scheme::ApiKey(KeyPlace::Query | KeyPlace::Header, name) => Some(name.clone()),
            _ => None,
        };
        alternatives.flatten().filter_map(key).collect()
    }

    /// The gate of a service with an address of its own.
    pub fn of_service(authentication: Authentication) -> Gate {
        let schemes: &[Scheme] = match authentication {
            Authentication::None => return Gate::default(),
            Authentication::Basic => &[Scheme::Basic],
            Authentication::Certificate => &[Scheme::Certificate],
            Authentication::Either => &[Scheme::Certificate, Scheme::Basic],
        };
        let alone = |scheme: &Scheme| {
            let scopes = Vec::new();
            let scheme = scheme.clone();
            vec![Demand { scheme, scopes }]
        };
        let alternatives = schemes.iter().map(alone).collect();
        Gate {
            requirement: Some(Requirement { alternatives }),
            ..Gate::default()
        }
    }

    /// The gate of services outside the APIs: settings name it as the API
    /// [`BESIDE`]. `called` is its method and path.
    pub fn beside(config: &SecurityConfig, called: &str) -> Gate {
        let rule = config.access.apis.get(BESIDE);
        let roles = config.access.invoke(BESIDE, [called, called]);
        let authenticated = rule.and_then(|rule| rule.require_auth);
        let authenticated = authenticated.unwrap_or(config.require_auth) || roles.is_some();
        Gate {
            requirement: authenticated.then(|| config.means().any()),
            roles: roles.into_iter().cloned().collect(),
            secure: rule
                .and_then(|rule| rule.require_secure)
                .unwrap_or(config.require_secure),
        }
    }
}

impl<B: Backend> Shared<B> {
    /// A problem document for a caller that is not admitted, counted.
    #[cold]
    pub(super) fn denied(&self, denied: Denied) -> Problem {
        let counter = match &denied {
            Denied::Unknown { .. } | Denied::NoKeys | Denied::Busy => &self.metrics.unauthenticated,
            Denied::Forbidden { .. } | Denied::Insecure => &self.metrics.forbidden,
            Denied::TooMany(_) => &self.metrics.rate_limited,
        };
        counter.fetch_add(1, Relaxed);
        problem(denied, &self.guard.config().realm)
    }

    /// Takes one request of a client's allowance.
    pub(super) fn within_rate(&self, peer: &Peer) -> Result<(), Denied> {
        let Some(limiter) = &self.limiter else {
            return Ok(());
        };
        let taken = limiter.take(client_of(peer.address), Instant::now());
        taken.map_err(Denied::TooMany)
    }
}

impl<B: Backend> Server<B> {
    /// Whether a request may go to an operation; says who sends it, if that is
    /// known, in either case.
    pub(super) async fn admit(
        &self,
        gate: &Gate,
        parts: &Parts,
        peer: &Peer,
        user: &mut Option<Arc<Identity>>,
    ) -> Result<(), Problem> {
        let shared = &*self.shared;
        if gate.secure && !peer.secure {
            return Err(shared.denied(Denied::Insecure));
        }
        let Some(requirement) = &gate.requirement else {
            return Ok(());
        };
        let credentials = credentials(parts, peer);
        let guard = &shared.guard;
        let found = guard.check(requirement, &gate.roles, credentials).await;
        *user = found.map_err(|denied| {
            if let Denied::Forbidden { who, .. } = &denied {
                *user = Some(who.clone());
            }
            shared.denied(denied)
        })?;
        if let (Some(limiter), Some(identity)) = (&shared.limiter, &*user) {
            // A user has one allowance, from however many addresses.
            let taken = limiter.take(("user", &identity.name), Instant::now());
            taken.map_err(|wait| shared.denied(Denied::TooMany(wait)))?;
        }
        Ok(())
    }

    /// Whether a caller may read the gateway's descriptions of its APIs.
    pub(super) async fn may_read(&self, parts: &Parts, peer: &Peer) -> Result<(), Problem> {
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

pub(super) fn credentials<'a>(parts: &'a Parts, peer: &'a Peer) -> Credentials<'a> {
    Credentials {
        headers: &parts.headers,
        query: parts.uri.query(),
        certificate: peer.certificate.as_deref(),
    }
}

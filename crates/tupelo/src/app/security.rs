//! `[security]` of `tupelo.toml`, as the gateway and the administration port use it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gateway::UnservedApi;
use gateway::security::users::{UserStore, UsersError};
use gateway::security::{
    AccessRule, AvailableSchemes, JwtConfig, KeySource, RateConfig, RoleAccess, SecurityConfig,
    SecurityError,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Application;
use super::apis::LoadedApis;
use super::finding::{Finding, Severity};
use super::settings::at;

/// The default name of the user store.
const USERS: &str = "users";

/// `[security]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SecuritySection {
    /// The user store, relative to the application folder, as `tupelo user` writes it.
    /// When absent, the file `users` if it exists.
    pub users: Option<PathBuf>,
    /// The realm that unauthenticated clients get in the challenge.
    pub realm: String,
    /// Callers of every operation must authenticate, whatever its document demands, and
    /// so must readers of the APIs' documents.
    pub require_auth: bool,
    /// Callers of every operation must use HTTPS.
    pub require_secure: bool,
    /// Requests a second that one client may send, by address and by user; 0 for no
    /// limit.
    pub rate_per_s: u32,
    /// Requests that one client may send at once; 0 is twice `rate_per_s`.
    pub rate_burst: u32,
    /// JSON Web Tokens that are accepted as bearer tokens.
    pub jwt: Option<JwtSection>,
    /// The roles for each kind of access.
    pub roles: RolesSection,
    /// Settings for single APIs, by the name of the API's folder.
    pub apis: BTreeMap<String, ApiSection>,
}

impl Default for SecuritySection {
    fn default() -> Self {
        SecuritySection {
            users: None,
            realm: "tupelo".into(),
            require_auth: false,
            require_secure: false,
            rate_per_s: 0,
            rate_burst: 0,
            jwt: None,
            roles: RolesSection::default(),
            apis: BTreeMap::new(),
        }
    }
}

/// `[security.jwt]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JwtSection {
    /// The issuer's JSON Web Key Set: an https URL, or a file relative to the
    /// application folder.
    pub jwks: String,
    /// Certificates in PEM that are trusted for the URL, relative to the
    /// application folder; the system's when absent.
    pub jwks_ca: Option<PathBuf>,
    /// Issuers (`iss`): a token must name one of them.
    pub issuer: Vec<String>,
    /// Audiences (`aud`): a token must be for one of them.
    pub audience: Vec<String>,
    /// Signature algorithms that are accepted.
    pub algorithms: Vec<String>,
    /// Seconds that clocks may differ, at most 3600.
    pub leeway_s: u64,
    /// The claim that names the user.
    pub user_claim: String,
    /// Claims that contain roles; a nested claim is written with a dot, as
    /// `realm_access.roles`.
    pub role_claims: Vec<String>,
}

impl Default for JwtSection {
    fn default() -> Self {
        let usual = JwtConfig::default();
        JwtSection {
            jwks: String::new(),
            jwks_ca: None,
            issuer: usual.issuers,
            audience: usual.audiences,
            algorithms: usual.algorithms,
            leeway_s: usual.leeway_s,
            user_claim: usual.user_claim,
            role_claims: usual.role_claims,
        }
    }
}

/// `[security.roles]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RolesSection {
    /// Roles that may call operations; absent for every caller that an API's document
    /// admits, `*` for every authenticated caller.
    pub invoke: Option<Vec<String>>,
    /// Roles with read access to the administration port.
    pub read: Vec<String>,
    /// Roles that may also change running resources through the administration port.
    pub operations: Vec<String>,
    /// Roles that may do everything through the administration port.
    pub admin: Vec<String>,
}

impl Default for RolesSection {
    fn default() -> Self {
        let usual = RoleAccess::default();
        RolesSection {
            invoke: usual.invoke,
            read: usual.read,
            operations: usual.operations,
            admin: usual.admin,
        }
    }
}

/// `[security.apis.NAME]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ApiSection {
    /// Roles that may call its operations.
    pub invoke: Option<Vec<String>>,
    /// Whether its callers must authenticate.
    pub require_auth: Option<bool>,
    /// Whether its callers must use HTTPS.
    pub require_secure: Option<bool>,
    /// Roles that may call one operation, by `"METHOD /path"` as its document
    /// has it, or by operationId.
    pub operations: BTreeMap<String, Vec<String>>,
}

impl SecuritySection {
    /// The path of the application's user store, whether the file exists or not.
    pub fn users_file(&self, folder: &Path) -> PathBuf {
        folder.join(self.users.as_deref().unwrap_or(Path::new(USERS)))
    }
}

impl Application {
    /// The configuration of the gateway's access checks.
    pub fn security(&self) -> SecurityConfig {
        let section = &self.config.security;
        let users = section.users_file(&self.folder);
        let given = section.users.is_some() || users.is_file();
        let rate = (section.rate_per_s > 0).then(|| RateConfig {
            per_s: section.rate_per_s,
            burst: match section.rate_burst {
                0 => section.rate_per_s.saturating_mul(2),
                burst => burst,
            },
        });
        SecurityConfig {
            users: given.then_some(users),
            tokens: section.jwt.as_ref().map(|jwt| self.tokens(jwt)),
            certificates: self.config.gateway.tls_client_ca.is_some(),
            require_auth: section.require_auth,
            require_secure: section.require_secure,
            access: access(section),
            realm: section.realm.replace(['"', '\\'], "'"),
            rate,
        }
    }

    /// Errors of the user store, which stop a server from starting. They have no place,
    /// since the line that would be shown has a password or its hash.
    pub fn user_store(&self) -> Vec<Finding> {
        let Some(file) = self.security().users else {
            return Vec::new();
        };
        let wrong = UserStore::load(&file).err().unwrap_or_default();
        let shown = file.strip_prefix(&self.folder).unwrap_or(&file);
        let finding = |wrong: UsersError| {
            Finding::new(
                Severity::Error,
                (0, 0),
                format!("the user store {}: {wrong}", shown.display()),
            )
        };
        wrong.into_iter().map(finding).collect()
    }

    /// Other errors that stop a server from starting: settings of tokens and their keys,
    /// and operations whose callers no scheme could distinguish.
    pub fn security_faults(&self) -> Vec<Finding> {
        let faults = self.security().faults().into_iter();
        let finding = |fault: SecurityError| {
            let key = match &fault {
                SecurityError::Setting { key, .. } => key,
                _ => "jwt.jwks",
            };
            let help = "a server does not start with it";
            at(
                &self.folder,
                "security",
                key,
                Severity::Error,
                fault.to_string(),
                help,
            )
        };
        faults.map(finding).collect()
    }

    fn tokens(&self, jwt: &JwtSection) -> JwtConfig {
        let trusted = jwt.jwks_ca.as_ref().map(|file| self.folder.join(file));
        let keys = match jwt.jwks.as_str() {
            "" => KeySource::File(PathBuf::new()),
            url if url.contains("://") => KeySource::Url(url.to_owned(), trusted),
            file => KeySource::File(self.folder.join(file)),
        };
        JwtConfig {
            keys,
            issuers: jwt.issuer.clone(),
            audiences: jwt.audience.clone(),
            algorithms: jwt.algorithms.clone(),
            leeway_s: jwt.leeway_s,
            user_claim: jwt.user_claim.clone(),
            role_claims: jwt.role_claims.clone(),
        }
    }

    /// The authentication schemes that the APIs' operations can use.
    pub fn means(&self) -> AvailableSchemes {
        self.security().means()
    }

    /// Rules of `[security.apis]` and policies of `[gateway.policies]` that match no API or
    /// operation: what they were meant to protect or change stays as it is.
    pub fn stray_rules(&self, apis: &LoadedApis) -> Vec<String> {
        let named = |name: &String| apis.good.iter().any(|api| api.name() == name);
        let policies = self.config.gateway.policies.keys();
        let mut stray: Vec<String> = policies
            .filter(|name| !named(name) && !apis.bad.contains(*name))
            .map(|name| {
                format!("tupelo.toml: [gateway.policies] {name}: there is no API with this name")
            })
            .collect();
        // Rules of scripts are checked with the scripts.
        let rules = self.config.security.apis.iter();
        for (name, section) in rules.filter(|(name, _)| *name != gateway::OUTSIDE_APIS) {
            let Some(api) = apis.good.iter().find(|api| api.name() == name) else {
                if !apis.bad.contains(name) {
                    stray.push(format!(
                        "tupelo.toml: [security.apis.{name}]: there is no API with this name"
                    ));
                }
                continue;
            };
            for key in section
                .operations
                .keys()
                .filter(|key| !api.has_operation(key))
            {
                stray.push(format!(
                    "tupelo.toml: [security.apis.{name}.operations] \"{key}\": there is no such operation; \
                     write METHOD /path as the API's document has it, or the operationId"
                ));
            }
        }
        stray
    }
}

fn access(section: &SecuritySection) -> RoleAccess {
    let rule = |api: &ApiSection| AccessRule {
        invoke: api.invoke.clone(),
        require_auth: api.require_auth,
        require_secure: api.require_secure,
        operations: api.operations.clone(),
    };
    let apis = section.apis.iter();
    RoleAccess {
        invoke: section.roles.invoke.clone(),
        read: section.roles.read.clone(),
        operations: section.roles.operations.clone(),
        admin: section.roles.admin.clone(),
        apis: apis.map(|(name, api)| (name.clone(), rule(api))).collect(),
    }
}

/// The projects that `/health` reports as not served: those with errors, and those
/// of which no program compiles.
pub fn unserved(apis: &LoadedApis, uncompiled: &[String]) -> Vec<UnservedApi> {
    // For some of them an older version without errors is in force.
    let served = |name: &String| apis.good.iter().any(|api| api.name() == name);
    let one = |(api, reason): (&String, &String)| UnservedApi {
        api: api.clone(),
        reason: reason.clone(),
        is_partial: false,
    };
    let bad = apis.bad.iter().zip(&apis.reasons);
    let wrong = bad.filter(|(name, _)| !served(name)).map(one);
    let without = apis.good.iter().filter_map(|api| {
        let (program, is_partial) = first_uncompiled(api.operations(), uncompiled)?;
        Some(UnservedApi {
            api: api.name().to_owned(),
            reason: format!("its program {program} does not compile"),
            is_partial,
        })
    });
    wrong.chain(without).collect()
}

/// The first program of an API that does not compile, and whether other programs of
/// the API do.
fn first_uncompiled<'a, P>(
    operations: impl Iterator<Item = (&'a str, P, &'a str)>,
    uncompiled: &[String],
) -> Option<(&'a str, bool)> {
    let (mut first, mut is_partial) = (None, false);
    for (_, _, program) in operations {
        if uncompiled.iter().any(|name| name == program) {
            first = first.or(Some(program));
        } else {
            is_partial = true;
        }
    }
    Some((first?, is_partial))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_api_is_served_in_part_while_one_of_its_programs_compiles() {
        let found = |programs: &[&'static str], uncompiled: &[&str]| {
            let operations = programs.iter().map(|program| ("get", (), *program));
            let uncompiled: Vec<String> = uncompiled.iter().map(|n| (*n).to_owned()).collect();
            first_uncompiled(operations, &uncompiled)
        };
        assert_eq!(found(&["HELLO"], &["HELLO"]), Some(("HELLO", false)));
        assert_eq!(found(&["HELLO", "LOAN"], &["LOAN"]), Some(("LOAN", true)));
        assert_eq!(found(&["HELLO"], &["LOAN"]), None);
    }
}

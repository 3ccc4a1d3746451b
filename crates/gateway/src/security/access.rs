//! The roles that may read, operate, administrate and invoke.
//!
//! Three lists, each for the whole gateway, control reading, operating and
//! administrating. The roles for invoking are set for all APIs, for one, or for one of
//! its operations, and the most specific setting counts.

use std::collections::BTreeMap;

/// A caller's action on the gateway itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdminAction {
    /// Look: documents, metrics, tasks, locks.
    Read,
    /// Change what runs: purge a task, take a dump.
    Operate,
}

/// Roles and their permissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleAccess {
    /// The roles that may call operations; `None` means every caller that the
    /// API admits.
    pub invoke: Option<Vec<String>>,
    /// The roles that may read.
    pub read: Vec<String>,
    /// The roles that may change running things, and read.
    pub operations: Vec<String>,
    /// The roles that may do everything on this port.
    pub admin: Vec<String>,
    /// Rules of single APIs, by name.
    pub apis: BTreeMap<String, AccessRule>,
}

/// The rule of one API.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccessRule {
    /// The roles that may call its operations.
    pub invoke: Option<Vec<String>>,
    /// Whether callers must authenticate, in addition to the document's
    /// requirements.
    pub require_auth: Option<bool>,
    /// Whether callers must use HTTPS.
    pub require_secure: Option<bool>,
    /// The roles that may call one operation, by `METHOD /path` or operationId.
    pub operations: BTreeMap<String, Vec<String>>,
}

impl Default for RoleAccess {
    fn default() -> Self {
        let one = |role: &str| vec![role.to_owned()];
        RoleAccess {
            invoke: None,
            read: one("read"),
            operations: one("operations"),
            admin: one("admin"),
            apis: BTreeMap::new(),
        }
    }
}

impl RoleAccess {
    /// The roles that may do this on the administration port.
    pub fn roles(&self, act: AdminAction) -> Vec<String> {
        let lists: &[&Vec<String>] = match act {
            AdminAction::Read => &[&self.read, &self.operations, &self.admin],
            AdminAction::Operate => &[&self.operations, &self.admin],
        };
        lists.iter().flat_map(|list| list.iter().cloned()).collect()
    }

    /// The roles that may call an operation; `None` if every admitted caller
    /// may.
    pub(crate) fn invoke(&self, api: &str, keys: [&str; 2]) -> Option<&Vec<String>> {
        let rule = self.apis.get(api);
        rule.and_then(|rule| keys.iter().find_map(|key| rule.operations.get(*key)))
            .or_else(|| rule.and_then(|rule| rule.invoke.as_ref()))
            .or(self.invoke.as_ref())
    }
}

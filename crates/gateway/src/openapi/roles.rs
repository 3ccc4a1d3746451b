//! Roles that a document names itself: `x-ibm-zcon-roles-allowed`.
//!
//! z/OS Connect has the roles that may call an operation in the document, at
//! its root for all operations and at an operation for this one. The gateway
//! enforces them in addition to the settings' own roles: a caller needs one of each.
//!
//! Reference: the z/OS Connect documentation, "How to define authorization roles
//! for z/OS Connect zosConnect-3.0".
//!
//! Invariant: roles that cannot be enforced keep the API from being served.

use super::keywords::ObjectKind;
use super::security::{report_once, texts};
use super::{Document, OperationObject};
use crate::diagnostics::ProjectDiagnostics;
use crate::security::AvailableSchemes;
use base::nearest;

/// The keyword.
pub(crate) const KEYWORD: &str = "x-ibm-zcon-roles-allowed";

/// The roles, one of which callers of an operation must have; `None` if the
/// document names none.
pub(crate) fn of_operation(
    document: &Document,
    operation: &OperationObject<'_>,
    means: AvailableSchemes,
    out: &mut ProjectDiagnostics,
) -> Option<Vec<String>> {
    let own = operation.object.get(KEYWORD);
    let (value, at) = match own {
        Some(value) => {
            let path = ["paths", operation.path, operation.method, KEYWORD];
            (value, document.key(path))
        }
        None => (document.json.get(KEYWORD)?, document.key([KEYWORD])),
    };
    let roles = texts(value).filter(|roles| !roles.is_empty());
    let Some(roles) = roles else {
        let message =
            format!("{KEYWORD}: expected a list of roles; the API is not served like this");
        report_once(
            document,
            at,
            message,
            "write them as [clerk, manager]".into(),
            out,
        );
        return None;
    };
    if means == AvailableSchemes::default() {
        let message = format!(
            "{KEYWORD}: callers must have a role, but no authentication is configured: the API \
             is not served like this"
        );
        let help = "set a user store, keys for tokens or an authority for client certificates in \
            tupelo.toml; `tupelo user add NAME --roles ROLE` creates the first user";
        report_once(document, at, message, help.into(), out);
        return None;
    }
    Some(roles)
}

/// The error of a key that begins with `x-` and concerns roles without listing
/// them.
pub(super) fn misplaced(kind: ObjectKind, keyword: &str) -> Option<String> {
    let meant = nearest(keyword, [KEYWORD])?;
    let has_roles = matches!(kind, ObjectKind::Document | ObjectKind::Operation);
    match (keyword == meant, has_roles) {
        (true, true) => None,
        (true, false) => Some(format!(
            "{KEYWORD} belongs at the root of the document or in an operation: here it has no effect"
        )),
        (false, _) => Some(format!(
            "unknown extension {keyword}; {}",
            base::did_you_mean(meant)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misplaced_or_misspelt_roles_are_reported() {
        assert_eq!(misplaced(ObjectKind::Operation, KEYWORD), None);
        assert_eq!(misplaced(ObjectKind::Operation, "x-internal"), None);
        let reported = |kind, keyword| misplaced(kind, keyword).unwrap_or_default();
        assert!(reported(ObjectKind::PathItem, KEYWORD).contains("has no effect"));
        let near = reported(ObjectKind::Document, "x-ibm-zcon-role-allowed");
        assert!(
            near.contains("did you mean x-ibm-zcon-roles-allowed?"),
            "{near}"
        );
    }
}

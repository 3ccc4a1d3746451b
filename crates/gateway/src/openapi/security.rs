//! Security requirements of a document, as the guard checks them.
//!
//! A requirement that cannot be enforced is an error: the API is not served,
//! rather than served to every client.
//!
//! Reference: OpenAPI 3.0.3, "Security Requirement Object" and "Security Scheme
//! Object"; 3.1.0 for `mutualTLS` and for roles of schemes without scopes.

use super::{Document, OperationObject};
use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use crate::security::{
    AuthenticationScheme, AvailableSchemes, KeyPlace, SchemeDemand, SecurityRequirement,
};
use base::suggestion;
use serde_json::Value;

/// The requirements of an operation; `None` if neither it nor the document has
/// one.
pub(crate) fn of_operation(
    document: &Document,
    operation: &OperationObject<'_>,
    means: AvailableSchemes,
    out: &mut ProjectDiagnostics,
) -> Option<SecurityRequirement> {
    let own = operation.object.get("security");
    let (value, at) = match own {
        Some(value) => {
            let path = ["paths", operation.path, operation.method, "security"];
            (value, document.key(path))
        }
        None => (document.json.get("security")?, document.key(["security"])),
    };
    let Some(list) = value.as_array() else {
        let message = "security: expected a list of requirements".to_owned();
        report_once(
            document,
            at,
            message,
            "write - NAME: [] below it".into(),
            out,
        );
        return None;
    };
    let mut alternatives = Vec::new();
    let mut refused = Vec::new();
    for one in list {
        match alternative(document, one, means) {
            Ok(demands) => alternatives.push(demands),
            Err(why) => refused.push(why),
        }
    }
    // An alternative that cannot be checked is no way in; the others are.
    if alternatives.iter().all(Vec::is_empty) && !refused.is_empty() {
        for RejectedScheme { name, why, help } in refused {
            let message = format!(
                "security: {name} is required of callers, but {why}: the API is not served like this"
            );
            report_once(document, at, message, help, out);
        }
        return None;
    }
    for RejectedScheme { name, why, help } in refused {
        let message =
            format!("security: {name} cannot be used here, because {why}; the others can");
        let reported = out
            .0
            .iter()
            .any(|d| d.position() == at && d.message == message);
        if !reported {
            out.warn_help(&document.file, at, message, Some(help));
        }
    }
    Some(SecurityRequirement { alternatives })
}

/// The same finding of several operations is reported once.
pub(super) fn report_once(
    document: &Document,
    at: FilePosition,
    message: String,
    help: String,
    out: &mut ProjectDiagnostics,
) {
    let reported = out
        .0
        .iter()
        .any(|d| d.position() == at && d.message == message);
    if !reported {
        out.unguarded(&document.file, at, message, help);
    }
}

/// A scheme that cannot be checked.
struct RejectedScheme {
    name: String,
    why: String,
    help: String,
}

fn alternative(
    document: &Document,
    one: &Value,
    means: AvailableSchemes,
) -> Result<Vec<SchemeDemand>, RejectedScheme> {
    let Some(schemes) = one.as_object() else {
        let name = one.as_str().map_or_else(|| one.to_string(), str::to_owned);
        return Err(RejectedScheme {
            help: format!("write - {name}: []"),
            why: "a requirement must be a map from names of schemes to their scopes".to_owned(),
            name,
        });
    };
    let mut demands = Vec::new();
    for (name, scopes) in schemes {
        let scopes = texts(scopes).ok_or_else(|| RejectedScheme {
            name: name.clone(),
            why: "its scopes are not a list of names".to_owned(),
            help: format!("write {name}: [], or the scopes between the brackets"),
        })?;
        let scheme = scheme(document, name, means)?;
        demands.push(SchemeDemand { scheme, scopes });
    }
    Ok(demands)
}

/// A list of names; an empty one where there is nothing.
pub(super) fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Null => Some(Vec::new()),
        Value::Array(list) => {
            let texts = list.iter().map(|text| text.as_str().map(str::to_owned));
            texts.collect()
        }
        _ => None,
    }
}

/// The scheme of that name, if the gateway can check it.
fn scheme(
    document: &Document,
    name: &str,
    means: AvailableSchemes,
) -> Result<AuthenticationScheme, RejectedScheme> {
    let known = document.json.pointer("/components/securitySchemes");
    let known = known.and_then(Value::as_object);
    let Some(object) = known.and_then(|known| known.get(name)) else {
        let names = known.into_iter().flatten().map(|(name, _)| name.as_str());
        let help = suggestion(name, names)
            .unwrap_or_else(|| "describe it in components.securitySchemes".to_owned());
        return Err(RejectedScheme {
            name: name.to_owned(),
            why: "it is not a scheme of components.securitySchemes".to_owned(),
            help,
        });
    };
    let object = document.resolve(object);
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let refused = |why: &str, help: &str| {
        Err(RejectedScheme {
            name: name.to_owned(),
            why: why.to_owned(),
            help: help.to_owned(),
        })
    };
    let kind = (text("type"), text("scheme").to_ascii_lowercase());
    match (kind.0, kind.1.as_str()) {
        ("http", "basic") if means.users => Ok(AuthenticationScheme::Basic),
        ("http", "bearer") | ("oauth2" | "openIdConnect", _) if means.tokens => {
            Ok(AuthenticationScheme::Bearer)
        }
        ("mutualTLS", _) if means.certificates => Ok(AuthenticationScheme::Certificate),
        ("apiKey", _) if means.users => {
            let place = match text("in") {
                "header" => KeyPlace::Header,
                "query" => KeyPlace::Query,
                "cookie" => KeyPlace::Cookie,
                _ => return refused("`in`, the key's place, is missing", "in: header"),
            };
            match text("name") {
                "" => refused("`name`, the key's name, is missing", "name: X-API-Key"),
                key => Ok(AuthenticationScheme::ApiKey(place, key.to_owned())),
            }
        }
        ("http", "basic") | ("apiKey", _) => refused(
            "no user store is set",
            "create one with `tupelo user add NAME`, and name it with [security] users in tupelo.toml",
        ),
        ("http", "bearer") | ("oauth2" | "openIdConnect", _) => refused(
            "no keys to check tokens are set",
            "set jwks, issuer and audience in [security.jwt] of tupelo.toml",
        ),
        ("mutualTLS", _) => refused(
            "client certificates are not requested",
            "set [gateway] tls_client_ca in tupelo.toml, the authority of client certificates",
        ),
        ("http", other) => refused(
            &format!("the HTTP scheme '{other}' is not supported"),
            "use basic or bearer",
        ),
        (other, _) => refused(
            &format!("schemes of the type '{other}' are not supported"),
            "use http, apiKey, oauth2, openIdConnect or mutualTLS",
        ),
    }
}

//! References of a document without a target.
//!
//! A `$ref` is looked up in the document itself. A reference without a target removes
//! a schema: a body is not checked, a response not described. So it is an error,
//! with the nearest name; a reference of an unsupported form is a warning.

use super::pointer;
use base::nearest;
use serde_json::Value;
use std::collections::HashSet;

/// Most names that a help lists.
const LISTED: usize = 8;

/// An error of a reference.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DanglingReference {
    /// The document cannot be served with it.
    pub is_error: bool,
    pub message: String,
    pub help: String,
}

/// Checks a reference of the document; returns its error.
pub(super) fn check_reference(document: &Value, reference: &str) -> Option<DanglingReference> {
    let pointer = pointer(reference);
    if let Some(target) = pointer.as_deref().and_then(|p| document.pointer(p)) {
        return circle(document, reference, target);
    }
    let Some(pointer) = pointer.as_deref().filter(|p| p.starts_with('/')) else {
        return Some(DanglingReference {
            is_error: false,
            message: format!("$ref: {reference} is not followed, and its target is ignored"),
            help: "references are followed within the document, as '#/components/schemas/NAME'"
                .into(),
        });
    };
    Some(DanglingReference {
        is_error: true,
        message: format!("$ref: no {reference} in this document"),
        help: help(document, pointer),
    })
}

/// A reference to a reference that leads back to where it was.
fn circle<'a>(
    document: &'a Value,
    reference: &'a str,
    mut target: &'a Value,
) -> Option<DanglingReference> {
    let mut seen = HashSet::from([reference]);
    while let Some(next) = target.get("$ref").and_then(Value::as_str) {
        if !seen.insert(next) {
            return Some(DanglingReference {
                is_error: true,
                message: format!("$ref: {reference} refers only to itself"),
                help: "describe its target there".into(),
            });
        }
        target = super::target(document, next)?;
    }
    None
}

/// A suggestion for the target of the reference.
fn help(document: &Value, pointer: &str) -> String {
    let (mut above, mut name) = pointer.rsplit_once('/').unwrap_or(("", pointer));
    // The longest part that is there.
    while document.pointer(above).is_none() {
        (above, name) = above.rsplit_once('/').unwrap_or(("", above));
    }
    let members = document.pointer(above).and_then(Value::as_object);
    let names: Vec<&str> = members
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect();
    match nearest(name, names.iter().copied()) {
        Some(near) => {
            let rest = &pointer[above.len() + 1 + name.len()..];
            let near = near.replace('~', "~0").replace('/', "~1");
            base::did_you_mean(format_args!("#{above}/{near}{rest}"))
        }
        None if names.is_empty() => format!("#{above} is empty: describe {name} there"),
        None => {
            let more = if names.len() > LISTED { ", …" } else { "" };
            let listed = names[..names.len().min(LISTED)].join(", ");
            let above = if above.is_empty() {
                "the document"
            } else {
                &format!("#{above}")
            };
            format!("{above} has {listed}{more}; describe {name} there, or name one of these")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn document() -> Value {
        json!({"openapi": "3.0.3", "components": {"schemas": {"Account": {"type": "object"}}}})
    }

    #[test]
    fn a_reference_that_leads_somewhere_is_right() {
        assert_eq!(
            check_reference(&document(), "#/components/schemas/Account"),
            None
        );
        assert_eq!(check_reference(&document(), "#"), None);
    }

    #[test]
    fn a_misspelt_name_is_an_error_that_names_the_nearest_one() {
        let reported = |reference: &str| check_reference(&document(), reference).unwrap();
        let near = reported("#/components/schemas/Acount");
        assert!(near.is_error);
        assert_eq!(near.help, "did you mean #/components/schemas/Account?");
        let above = reported("#/componets/schemas/Account");
        assert_eq!(above.help, "did you mean #/components/schemas/Account?");
        let far = reported("#/components/schemas/Transfer");
        assert!(far.help.contains("has Account;"), "{}", far.help);
    }

    #[test]
    fn a_percent_encoded_reference_is_followed() {
        let document = json!({"paths": {"/a/{b}": {"get": {}}}, "components": {"schemas": {
            "My Amount": {"type": "number"}, "50%": {}}}});
        for reference in [
            "#/paths/~1a~1%7Bb%7D/get",
            "#/components/schemas/My%20Amount",
            "#/components/schemas/My Amount",
            "#/components/schemas/50%25",
        ] {
            assert_eq!(check_reference(&document, reference), None, "{reference}");
        }
        let reported = check_reference(&document, "#/components/schemas/My%20Amuont").unwrap();
        assert!(reported.is_error);
        assert_eq!(
            reported.help,
            "did you mean #/components/schemas/My Amount?"
        );
    }

    #[test]
    fn a_reference_that_leads_back_to_itself_is_an_error() {
        let document = json!({"a": {"$ref": "#/b"}, "b": {"$ref": "#/a"}, "c": {"$ref": "#/a"},
            "d": {"$ref": "#/e"}, "e": {"type": "object"}});
        for reference in ["#/a", "#/b", "#/c"] {
            let reported = check_reference(&document, reference).unwrap();
            assert!(
                reported.is_error && reported.message.contains("refers only to itself"),
                "{reported:?}"
            );
        }
        assert_eq!(check_reference(&document, "#/d"), None);
    }

    #[test]
    fn a_reference_into_another_file_is_a_warning() {
        let reported = check_reference(&document(), "common.yaml#/Account").unwrap();
        assert!(!reported.is_error);
        assert!(
            reported
                .message
                .contains("common.yaml#/Account is not followed")
        );
    }

    proptest! {
        #[test]
        fn no_reference_panics(reference in "[#/a-zé%~0-9 ]{0,40}") {
            let _ = check_reference(&document(), &reference);
        }
    }
}

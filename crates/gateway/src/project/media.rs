//! Media types, compared as HTTP compares them.
//!
//! Reference: RFC 9110, 8.3.1.

use super::asset::same_name;

/// A media type without its parameters, in lower case.
pub(crate) fn media_type(text: &str) -> String {
    without_parameters(text).to_ascii_lowercase()
}

fn without_parameters(text: &str) -> &str {
    text.split(';').next().unwrap_or_default().trim()
}

/// Whether a request's media type is one of those taken.
pub(crate) fn takes(types: &[String], given: &str) -> bool {
    // As most clients write it.
    if types.iter().any(|t| t == given) {
        return true;
    }
    let given = without_parameters(given);
    let ends = |end: &str| {
        let from = given.len().checked_sub(end.len());
        from.and_then(|i| given.get(i..))
            .is_some_and(|text| text.eq_ignore_ascii_case(end))
    };
    let starts = |start: &str| {
        let head = given.get(..start.len());
        head.is_some_and(|text| text.eq_ignore_ascii_case(start))
    };
    let json = given.eq_ignore_ascii_case("application/json") || ends("+json");
    types.iter().any(|t| {
        same_name(t, given)
            || t == "*/*"
            || t == "application/*" && starts("application/")
            || json && t == "application/json"
    }) || types.is_empty() && json
}

#[cfg(test)]
mod tests {
    use super::takes;

    #[test]
    fn media_types_are_compared_without_case_and_parameters() {
        let json = ["application/json".to_string()];
        for given in [
            "Application/JSON; charset=utf-8",
            "application/merge-patch+json",
        ] {
            assert!(takes(&json, given), "{given}");
        }
        for given in ["text/plain", "json", "", "+jso\u{f1}"] {
            assert!(!takes(&json, given), "{given}");
        }
        assert!(takes(&["application/*".into()], "APPLICATION/xml"));
        assert!(takes(&[], "a/b+json") && !takes(&[], "text/html"));
    }
}

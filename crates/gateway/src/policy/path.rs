//! Paths of requests, and what rules say of them.
//!
//! A request must not avoid an operation's rules by another spelling of its
//! path, and another operation's path must not match them. So both are compared
//! in one form: percent signs are resolved once, as the router does it, except
//! those for a slash or a percent sign in a name.

use percent_encoding::percent_decode_str;
use std::borrow::Cow;

/// A path of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathPattern {
    /// In the form that is compared.
    path: String,
    /// The path may continue: `*` at the end.
    rest: bool,
}

/// A request's path in the form that is compared.
pub(super) struct NormalizedPath<'p>(Cow<'p, str>);

impl<'p> NormalizedPath<'p> {
    pub fn new(path: &'p str) -> NormalizedPath<'p> {
        if !path.contains('%') {
            return NormalizedPath(Cow::Borrowed(path));
        }
        let segments = path.split('/').map(|segment| {
            let decoded = percent_decode_str(segment).decode_utf8_lossy();
            decoded.replace('%', "%25").replace('/', "%2F")
        });
        NormalizedPath(Cow::Owned(segments.collect::<Vec<_>>().join("/")))
    }
}

impl PathPattern {
    pub fn new(text: &str) -> PathPattern {
        let front = text.strip_suffix('*');
        PathPattern {
            path: NormalizedPath::new(front.unwrap_or(text)).0.into_owned(),
            rest: front.is_some(),
        }
    }

    /// Whether a path is one of these. Slashes at its end reach the same
    /// operation.
    pub fn holds(&self, path: &NormalizedPath<'_>) -> bool {
        if self.rest {
            path.0.starts_with(&self.path)
        } else {
            path.0.trim_end_matches('/') == self.path.trim_end_matches('/')
        }
    }

    /// Whether the path pattern holds for some request of an operation with this path, in
    /// which `{name}` matches any segment.
    pub fn may_hold(&self, template: &str) -> bool {
        let template = NormalizedPath::new(template.trim_end_matches('/'));
        let mut segments = template.0.split('/');
        let own: Vec<&str> = if self.rest {
            // A path that ends with a slash also selects the operation without it.
            self.path.split('/').collect()
        } else {
            self.path.trim_end_matches('/').split('/').collect()
        };
        for (at, wanted) in own.iter().enumerate() {
            let begins = self.rest && at + 1 == own.len();
            let fits = match segments.next() {
                Some(variable) if variable.starts_with('{') => !wanted.is_empty() || begins,
                Some(segment) if begins => segment.starts_with(wanted),
                Some(segment) => segment == *wanted,
                None => begins && wanted.is_empty(),
            };
            if !fits {
                return false;
            }
        }
        self.rest || segments.next().is_none()
    }
}

impl std::fmt::Display for PathPattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rest = if self.rest { "*" } else { "" };
        write!(f, "{}{rest}", self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(pattern: &str, path: &str) -> bool {
        PathPattern::new(pattern).holds(&NormalizedPath::new(path))
    }

    #[test]
    fn a_path_is_the_same_in_every_spelling_that_reaches_its_operation() {
        for (pattern, path) in [
            ("/bank/accounts/*", "/bank/%61ccounts/1"),
            ("/bank/accounts", "/bank/accounts/"),
            ("/bank/accounts", "/bank/acc%6Funts"),
            ("/bank/é", "/bank/%C3%A9"),
            ("/bank/a%20b", "/bank/a%20b"),
            ("/bank/a%2fb", "/bank/%61%2Fb"),
            ("/bank/a%252Fb", "/bank/%61%252Fb"),
            ("/bank/100%25", "/bank/100%25"),
            ("/bank/%2A", "/bank/*"),
        ] {
            assert!(holds(pattern, path), "{pattern} {path}");
        }
    }

    #[test]
    fn another_path_is_not_taken_for_it() {
        for (pattern, path) in [
            ("/bank/accounts/*", "/bank/accounts%2F1"),
            ("/bank/accounts", "/bank/accounts/1"),
            // The name has a percent sign, and no slash.
            ("/bank/a%2Fb", "/bank/a%252Fb"),
            ("/bank/a%252Fb", "/bank/a%2Fb"),
            ("/bank/%2561", "/bank/a"),
            ("/bank/a", "/bank/%2561"),
            // The star is part of the name.
            ("/bank/%2A", "/bank/anything"),
        ] {
            assert!(!holds(pattern, path), "{pattern} {path}");
        }
    }

    #[test]
    fn a_pattern_fits_the_operations_that_it_may_hold_for() {
        let may = |pattern: &str, template: &str| PathPattern::new(pattern).may_hold(template);
        for (pattern, template) in [
            ("/bank/accounts", "/bank/accounts"),
            ("/bank/accounts/", "/bank/accounts"),
            ("/bank/accounts/7", "/bank/accounts/{id}"),
            ("/bank/accounts/*", "/bank/accounts/{id}/lines"),
            ("/bank/acc*", "/bank/accounts"),
            ("/bank/accounts/1*", "/bank/accounts/{id}"),
            ("/bank/accounts/*", "/bank/accounts"),
            ("/*", "/bank"),
            ("/*", "/"),
            ("/", "/"),
        ] {
            assert!(may(pattern, template), "{pattern} {template}");
        }
        for (pattern, template) in [
            ("/bank/accounts", "/bank/accounts/{id}"),
            ("/bank/accounts/1/lines/*", "/bank/accounts/{id}"),
            ("/accounts/*", "/bank/accounts/{id}"),
            ("/bank/account/*", "/bank/accounts/{id}"),
            ("/bank/accounts/1/2", "/bank/accounts/{id}"),
        ] {
            assert!(!may(pattern, template), "{pattern} {template}");
        }
    }
}

//! The paths of scripts.
//!
//! A route is a path of segments; one in braces is a variable, and `*` at the
//! end matches any rest. The first matching route in the order of their weight
//! is taken: names before variables before the rest.
//!
//! Reference: CICS resource definition, URIMAP: PATH with a trailing asterisk.

use std::sync::Arc;

/// A path and its script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The path as it was written.
    pub path: String,
    /// The script's file.
    pub script: Arc<str>,
    /// The transaction that it runs under.
    pub transaction: String,
    segments: Vec<Segment>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Segment {
    Name(String),
    Variable(String),
    Rest,
}

/// Every route, those that say most first.
#[derive(Debug, Default, Clone)]
pub struct ScriptRoutes {
    list: Vec<Route>,
}

/// A path that cannot be a route.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {why}")]
pub struct RouteError {
    /// The path.
    pub path: String,
    /// The reason.
    pub why: &'static str,
}

/// A route that fits, and its variables, decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedRoute<'r> {
    /// The route.
    pub route: &'r Route,
    /// Its variables by name.
    pub variables: Vec<(String, String)>,
}

impl Route {
    /// Reads a path.
    pub fn new(path: &str, script: &str, transaction: &str) -> Result<Route, RouteError> {
        let wrong = |why| RouteError {
            path: path.to_owned(),
            why,
        };
        let rest = path
            .strip_prefix('/')
            .ok_or_else(|| wrong("a path must begin with /"))?;
        let mut segments = Vec::new();
        let parts: Vec<&str> = match rest.trim_end_matches('/') {
            "" => Vec::new(),
            rest => rest.split('/').collect(),
        };
        for (i, part) in parts.iter().enumerate() {
            let variable = part.strip_prefix('{').and_then(|p| p.strip_suffix('}'));
            segments.push(match (*part, variable) {
                ("*", _) if i + 1 == parts.len() => Segment::Rest,
                ("*", _) => return Err(wrong("* must be the last segment, alone")),
                ("", _) => return Err(wrong("a path has an empty segment")),
                (_, Some("")) => return Err(wrong("a variable needs a name")),
                (_, Some(name)) => Segment::Variable(name.to_owned()),
                (part, None) if part.contains(['{', '}', '*']) => {
                    return Err(wrong("a variable must be a whole segment in braces"));
                }
                (part, None) => Segment::Name(part.to_owned()),
            });
        }
        Ok(Route {
            path: path.to_owned(),
            script: script.into(),
            transaction: transaction.to_owned(),
            segments,
        })
    }

    /// Whether every path of the other is one of this route as well.
    pub fn covers(&self, other: &Route) -> bool {
        let rest = |route: &Route| route.segments.last() == Some(&Segment::Rest);
        let covers = |own: &Segment, others: &Segment| match (own, others) {
            (Segment::Variable(_), Segment::Name(_) | Segment::Variable(_)) => true,
            (Segment::Name(own), Segment::Name(other)) => own == other,
            (Segment::Rest, _) => true,
            _ => false,
        };
        let (own, others) = (self.segments.len(), other.segments.len());
        let long_enough = if rest(self) {
            others + 1 >= own
        } else {
            others == own
        };
        let pairs = self.segments.iter().zip(&other.segments);
        long_enough && pairs.into_iter().all(|(own, other)| covers(own, other))
    }

    fn fits(&self, path: &[&str]) -> Option<Vec<(String, String)>> {
        let mut variables = Vec::new();
        for (i, segment) in self.segments.iter().enumerate() {
            match (segment, path.get(i)) {
                (Segment::Rest, _) => {
                    variables.push((
                        "*".to_owned(),
                        decoded(&path[i.min(path.len())..].join("/")),
                    ));
                    return Some(variables);
                }
                (Segment::Name(name), Some(part)) if *name == decoded(part) => {}
                (Segment::Variable(name), Some(part)) if !part.is_empty() => {
                    variables.push((name.clone(), decoded(part)));
                }
                _ => return None,
            }
        }
        (path.len() == self.segments.len()).then_some(variables)
    }
}

impl ScriptRoutes {
    /// Puts routes in their order.
    pub fn new(mut list: Vec<Route>) -> ScriptRoutes {
        list.sort_by(|a, b| a.segments.cmp(&b.segments));
        ScriptRoutes { list }
    }

    /// Every route.
    pub fn iter(&self) -> impl Iterator<Item = &Route> {
        self.list.iter()
    }

    /// Whether it has no route.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The route that a path takes.
    pub fn find(&self, path: &str) -> Option<MatchedRoute<'_>> {
        let path = path.strip_prefix('/')?;
        let path = path.strip_suffix('/').unwrap_or(path);
        let parts: Vec<&str> = if path.is_empty() {
            Vec::new()
        } else {
            path.split('/').collect()
        };
        self.list.iter().find_map(|route| {
            let variables = route.fits(&parts)?;
            Some(MatchedRoute { route, variables })
        })
    }
}

/// A part of a path without percent-encoding; unchanged when the encoding is wrong.
fn decoded(part: &str) -> String {
    if !part.contains('%') {
        return part.to_owned();
    }
    let mut out = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = |b: u8| (b as char).to_digit(16);
        match (byte, after) {
            (b'%', [high, low, after @ ..]) if hex(*high).is_some() && hex(*low).is_some() => {
                out.push((hex(*high).unwrap_or(0) * 16 + hex(*low).unwrap_or(0)) as u8);
                rest = after;
            }
            _ => {
                out.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| part.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routes() -> ScriptRoutes {
        let paths = ["/a/{id}", "/a/new", "/a/{id}/b", "/files/*", "/", "/a/*"];
        ScriptRoutes::new(
            paths
                .iter()
                .map(|p| Route::new(p, p, "T").unwrap())
                .collect(),
        )
    }

    fn find(path: &str) -> Option<(String, String)> {
        let routes = routes();
        let found = routes.find(path)?;
        let reported: Vec<String> = found
            .variables
            .iter()
            .map(|(n, v)| format!("{n}={v}"))
            .collect();
        Some((found.route.path.clone(), reported.join("&")))
    }

    #[test]
    fn names_win_over_variables_and_those_over_the_rest() {
        let some = |path: &str, reported: &str| Some((path.to_owned(), reported.to_owned()));
        assert_eq!(find("/a/new"), some("/a/new", ""));
        assert_eq!(find("/a/7%2F8"), some("/a/{id}", "id=7/8"));
        assert_eq!(find("/a/7/"), some("/a/{id}", "id=7"));
        assert_eq!(find("/a/7/b"), some("/a/{id}/b", "id=7"));
        assert_eq!(find("/a/7/c/d"), some("/a/*", "*=7/c/d"));
        assert_eq!(find("/files"), some("/files/*", "*="));
        assert_eq!(find("/"), some("/", ""));
        assert_eq!(find("/b"), None);
        assert_eq!(find("a"), None);
    }

    #[test]
    fn a_route_covers_another_whose_paths_are_all_its_own() {
        let covers = |one: &str, other: &str| {
            let [one, other] = [one, other].map(|path| Route::new(path, "s", "T").unwrap());
            one.covers(&other)
        };
        for (one, other) in [
            ("/a/{x}", "/a/{id}"),
            ("/a/{x}", "/a/new/"),
            ("/a/*", "/a/{id}/b"),
            ("/a/*", "/a/*"),
            ("/*", "/"),
            ("/", "/"),
        ] {
            assert!(covers(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("/a/new", "/a/{id}"),
            ("/a/{id}", "/a/{id}/b"),
            ("/a/{id}", "/a/*"),
            ("/a/b/*", "/a/*"),
            ("/a", "/b"),
        ] {
            assert!(!covers(one, other), "{one} {other}");
        }
    }

    #[test]
    fn an_invalid_path_is_reported_with_the_reason() {
        for wrong in ["a", "/a//b", "/{}", "/a{b}", "/*/b", "/a*"] {
            assert!(Route::new(wrong, "s", "T").is_err(), "{wrong}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_path_panics(path in "[/a%é{}.*]{0,30}") {
            let _ = routes().find(&path);
            let _ = Route::new(&path, "s", "T");
        }
    }
}

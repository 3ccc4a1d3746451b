//! Which URIMAP a request has.
//!
//! A named host takes precedence over `*`, a complete path over one with `*`,
//! and of those the longest. A map of a service takes precedence over one of
//! all. SCHEME(HTTP) takes requests of either scheme, HTTPS only its own.
//!
//! Reference: CICS resource definition, URIMAP attributes HOST, PATH, SCHEME.

use std::collections::{BTreeMap, HashMap};

use cics::csd::{UriMapAnswer, UriMapDef, UriMapUsage};

/// All maps for requests that come in.
#[derive(Debug, Clone, Default)]
pub struct UriMaps {
    hosts: HashMap<String, Paths>,
    any: Paths,
    /// All, by name.
    names: BTreeMap<String, InstalledUriMap>,
}

/// A map, with the changes of SET URIMAP.
#[derive(Debug, Clone)]
pub struct InstalledUriMap {
    /// As it is defined.
    pub defined: UriMapDef,
    /// The changes.
    pub change: UriMapChange,
    /// As it is in force.
    pub def: UriMapDef,
}

/// The changes by SET URIMAP to a map.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UriMapChange {
    /// ENABLESTATUS.
    pub enabled: Option<bool>,
    /// REDIRECTTYPE: nowhere, or permanently or not.
    pub redirect: Option<Option<bool>>,
    /// LOCATION.
    pub location: Option<String>,
}

impl InstalledUriMap {
    fn new(defined: UriMapDef, change: UriMapChange) -> InstalledUriMap {
        let def = change.applied(&defined);
        InstalledUriMap {
            defined,
            change,
            def,
        }
    }
}

impl UriMapChange {
    /// Takes over the attributes of a later one.
    fn merge(&mut self, later: UriMapChange) {
        self.enabled = later.enabled.or(self.enabled);
        self.redirect = later.redirect.or(self.redirect);
        self.location = later.location.or(self.location.take());
    }

    /// A definition with the change.
    fn applied(&self, defined: &UriMapDef) -> UriMapDef {
        let mut def = defined.clone();
        def.enabled = self.enabled.unwrap_or(def.enabled);
        let (service, own) = match &defined.usage {
            UriMapUsage::Client => return def,
            UriMapUsage::Pipeline { service, .. } => (service, None),
            UriMapUsage::Server { service, answer } => match answer {
                UriMapAnswer::Redirect {
                    permanent,
                    location,
                } => (service, Some((*permanent, location))),
                _ => (service, None),
            },
        };
        let permanent = self.redirect.unwrap_or(own.map(|(permanent, _)| permanent));
        let location = self.location.as_ref().or(own.map(|(_, location)| location));
        let answer = match (permanent, own) {
            (Some(permanent), _) => UriMapAnswer::Redirect {
                permanent,
                location: location.cloned().unwrap_or_default(),
            },
            // The map redirects its requests, and has no other answer.
            (None, Some(_)) => UriMapAnswer::Program {
                program: None,
                transaction: None,
                converter: None,
                analyzer: false,
            },
            (None, None) => return def,
        };
        def.usage = UriMapUsage::Server {
            service: service.clone(),
            answer,
        };
        def
    }
}

#[derive(Debug, Clone, Default)]
struct Paths {
    exact: HashMap<String, Vec<UriMapDef>>,
    /// The longest prefix first.
    prefixes: Vec<(String, UriMapDef)>,
}

impl UriMaps {
    /// Sorts definitions.
    pub fn new<'d>(definitions: impl IntoIterator<Item = &'d UriMapDef>) -> UriMaps {
        let named = |def: &UriMapDef| InstalledUriMap::new(def.clone(), UriMapChange::default());
        UriMaps::sorted(definitions.into_iter().map(named))
    }

    /// A copy with one map changed. Returns `None` if no map has this name.
    pub fn changed(&self, name: &str, change: UriMapChange) -> Option<UriMaps> {
        let mut names = self.names.clone();
        let named = names.get_mut(name)?;
        let mut all = named.change.clone();
        all.merge(change);
        *named = InstalledUriMap::new(named.defined.clone(), all);
        Some(UriMaps::sorted(names.into_values()))
    }

    /// A copy with one map more; `None` if a map of its name is enabled.
    pub fn installed(&self, def: UriMapDef) -> Option<UriMaps> {
        let mut names = self.names.clone();
        let named = InstalledUriMap::new(def, UriMapChange::default());
        match names.insert(named.defined.name.clone(), named) {
            Some(old) if old.def.enabled => None,
            _ => Some(UriMaps::sorted(names.into_values())),
        }
    }

    /// A copy without the map of a name.
    #[must_use]
    pub fn without(&self, name: &str) -> UriMaps {
        let mut names = self.names.clone();
        names.remove(name);
        UriMaps::sorted(names.into_values())
    }

    /// All maps, in the order of their names.
    pub fn each(&self) -> impl Iterator<Item = &InstalledUriMap> {
        self.names.values()
    }

    /// A copy with the changes in `before` to maps whose definitions are the
    /// same.
    #[must_use]
    pub fn with_changes_of(self, before: &UriMaps) -> UriMaps {
        if before
            .names
            .values()
            .all(|n| n.change == UriMapChange::default())
        {
            return self;
        }
        let kept = |named: InstalledUriMap| match before.names.get(&named.defined.name) {
            Some(old) if same(&old.defined, &named.defined) => {
                InstalledUriMap::new(named.defined, old.change.clone())
            }
            _ => named,
        };
        UriMaps::sorted(self.names.into_values().map(kept))
    }

    fn sorted(all: impl Iterator<Item = InstalledUriMap>) -> UriMaps {
        let mut maps = UriMaps::default();
        for named in all {
            let def = named.def.clone();
            maps.names.insert(def.name.clone(), named);
            if def.usage == UriMapUsage::Client {
                continue;
            }
            let paths = match def.host.as_str() {
                "*" => &mut maps.any,
                host => maps.hosts.entry(host.to_owned()).or_default(),
            };
            match def.path.strip_suffix('*') {
                Some(prefix) => paths.prefixes.push((prefix.to_owned(), def.clone())),
                None => {
                    let same = paths.exact.entry(def.path.clone()).or_default();
                    same.push(def.clone());
                }
            }
        }
        maps.any.sort();
        maps.hosts.values_mut().for_each(Paths::sort);
        maps
    }

    /// The map of a request; `host` is its Host header.
    pub fn find(&self, service: &str, secure: bool, host: &str, path: &str) -> Option<&UriMapDef> {
        let fits = |def: &UriMapDef| fits(def, service, secure);
        let host = host.to_ascii_lowercase();
        let named = self.hosts.get(host.as_str()).or_else(|| {
            let (name, port) = host.rsplit_once(':')?;
            let is_port = port.bytes().all(|b| b.is_ascii_digit());
            is_port.then(|| self.hosts.get(name)).flatten()
        });
        let found = named.and_then(|paths| paths.find(path, &fits));
        found.or_else(|| self.any.find(path, &fits))
    }

    /// The map of requests that go out, by its name.
    pub fn client(&self, name: &str) -> Option<&UriMapDef> {
        let def = &self.names.get(name)?.def;
        (def.usage == UriMapUsage::Client).then_some(def)
    }

    /// The map of a name, of any usage.
    pub fn named(&self, name: &str) -> Option<&InstalledUriMap> {
        self.names.get(name)
    }
}

/// Whether two definitions are equal except for their source place.
fn same(one: &UriMapDef, other: &UriMapDef) -> bool {
    let line = other.line;
    UriMapDef {
        line,
        ..one.clone()
    } == *other
}

impl Paths {
    fn sort(&mut self) {
        let service = |def: &UriMapDef| u8::from(of_service(def).is_none());
        self.prefixes.sort_by_key(|(prefix, def)| {
            (usize::MAX - prefix.len(), service(def), def.name.clone())
        });
        for same in self.exact.values_mut() {
            same.sort_by_key(|def| (service(def), def.name.clone()));
        }
    }

    fn find(&self, path: &str, fits: &dyn Fn(&UriMapDef) -> bool) -> Option<&UriMapDef> {
        let mut exact = self.exact.get(path).into_iter().flatten();
        exact.find(|def| fits(def)).or_else(|| {
            let mut prefixes = self.prefixes.iter();
            let (_, def) = prefixes.find(|(prefix, def)| path.starts_with(prefix) && fits(def))?;
            Some(def)
        })
    }
}

fn of_service(def: &UriMapDef) -> Option<&str> {
    match &def.usage {
        UriMapUsage::Server { service, .. } | UriMapUsage::Pipeline { service, .. } => {
            service.as_deref()
        }
        UriMapUsage::Client => None,
    }
}

fn fits(def: &UriMapDef, service: &str, secure: bool) -> bool {
    (secure || !def.secure) && of_service(def).is_none_or(|own| own == service)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn maps(text: &str) -> UriMaps {
        let csd = cics::csd::parse(text);
        assert!(!csd.has_errors(), "{:?}", csd.diagnostics);
        UriMaps::new(&csd.urimaps)
    }

    const MAPS: &str = "\
DEFINE URIMAP(ALL) GROUP(G) PATH(/*) PROGRAM(P)
DEFINE URIMAP(SHOP) GROUP(G) PATH(/shop/*) PROGRAM(P)
DEFINE URIMAP(CART) GROUP(G) PATH(/shop/cart) PROGRAM(P)
DEFINE URIMAP(CARTX) GROUP(G) PATH(/shop/cart) PROGRAM(P) TCPIPSERVICE(X)
DEFINE URIMAP(HOST) GROUP(G) HOST(www.example.com) PATH(/shop/*) PROGRAM(P)
DEFINE URIMAP(SAFE) GROUP(G) PATH(/shop/pay) SCHEME(HTTPS) PROGRAM(P)
DEFINE URIMAP(OUT) GROUP(G) USAGE(CLIENT) HOST(there) PATH(/)
";

    #[test]
    fn the_closest_map_is_found() {
        let maps = maps(MAPS);
        let find = |service, secure, host, path| {
            maps.find(service, secure, host, path)
                .map(|d| d.name.as_str())
        };
        assert_eq!(find("A", false, "h", "/"), Some("ALL"));
        assert_eq!(find("A", false, "h", "/shop/x"), Some("SHOP"));
        assert_eq!(find("A", false, "h", "/shop/cart"), Some("CART"));
        assert_eq!(find("X", false, "h", "/shop/cart"), Some("CARTX"));
        let host = find("A", false, "WWW.example.com:8080", "/shop/cart");
        assert_eq!(host, Some("HOST"));
        assert_eq!(find("A", false, "www.example.com", "/x"), Some("ALL"));
        assert_eq!(find("A", false, "h", "/shop/pay"), Some("SHOP"));
        assert_eq!(find("A", true, "h", "/shop/pay"), Some("SAFE"));
        assert!(maps.client("OUT").is_some() && maps.client("ALL").is_none());
    }

    proptest! {
        #[test]
        fn no_request_makes_the_search_panic(host in ".{0,20}", path in ".{0,30}") {
            let _ = maps(MAPS).find("A", true, &host, &path);
        }
    }
}

//! Routes: the output of `ip route`.
//!
//! Reference: iproute2, ip-route(8).

use base::Severity;

use crate::document::{LineColumn, ParsedText};
use crate::kind::DocumentKind;
use crate::tcpip::PlacedWord;

/// Routes of a system.
#[derive(Debug, Clone, Default)]
pub struct IpRoutes {
    /// In their order.
    pub routes: Vec<IpRoute>,
}

/// One route.
#[derive(Debug, Clone)]
pub struct IpRoute {
    /// The destination, as `default` or `10.0.0.0/8`.
    pub destination: String,
    /// All words of the route, the destination first.
    pub words: Vec<PlacedWord>,
    /// Start of the statement.
    pub at: LineColumn,
}

impl IpRoute {
    /// The word after a keyword; `lock` is passed over.
    pub fn get(&self, key: &str) -> Option<&PlacedWord> {
        let at = self.words.iter().position(|w| w.text == key)?;
        self.words[at + 1..].iter().find(|w| w.text != "lock")
    }

    /// The number after a keyword, and its place.
    pub fn number(&self, key: &str) -> Option<(u64, LineColumn)> {
        let word = self.get(key)?;
        Some((word.text.parse().ok()?, word.at))
    }

    /// The command that changes the route: a keyword with another value, or
    /// without the keyword.
    pub fn change(&self, key: &str, value: Option<&str>) -> String {
        let mut text = if self.v6() {
            String::from("ip -6 route change")
        } else {
            String::from("ip route change")
        };
        let mut value = value.map(|value| format!(" {key} {value}"));
        let mut words = self.words.iter();
        while let Some(word) = words.next() {
            // Attributes of the whole route are before its next hops.
            if word.text == "nexthop" {
                text += &value.take().unwrap_or_default();
            }
            if word.text == key {
                let locked = words.clone().next().is_some_and(|w| w.text == "lock");
                words.nth(usize::from(locked));
            } else if word.text != "linkdown" && word.text != "dead" {
                text += " ";
                text += &word.text;
            }
        }
        text + &value.unwrap_or_default()
    }

    /// Whether its destination is IPv6, as far as the route shows.
    pub fn v6(&self) -> bool {
        self.destination.contains(':') || self.get("via").is_some_and(|w| w.text.contains(':'))
    }
}

const TYPES: &[&str] = &[
    "anycast",
    "blackhole",
    "broadcast",
    "local",
    "multicast",
    "nat",
    "prohibit",
    "throw",
    "unicast",
    "unreachable",
];

pub(super) static KIND: DocumentKind = DocumentKind {
    word: "ip-route",
    title: "Linux routes: `ip route`",
    recognise,
    parse,
};

/// Lines that are routes, where half of the lines or more are: settings of other programs have
/// routes in them.
fn recognise(text: &str) -> usize {
    let said = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let lines = || text.lines().filter(said);
    let hop = |line: &&str| line.trim_start().starts_with("nexthop");
    let routes = lines().filter(|l| destination(l, false)).count();
    let speak = routes + lines().filter(hop).count();
    if speak * 2 < lines().count() {
        0
    } else {
        2 * routes
    }
}

/// Whether a line is a route. One that is divided over next hops may name its
/// destination alone.
fn destination(line: &str, divided: bool) -> bool {
    let mut words = line.split_whitespace();
    let Some(first) = words.next() else {
        return false;
    };
    let address = first == "default"
        || TYPES.contains(&first)
        || first
            .split('/')
            .next()
            .unwrap_or_default()
            .parse::<std::net::IpAddr>()
            .is_ok();
    address && (divided || words.any(|w| ["dev", "via", "proto", "scope", "nhid"].contains(&w)))
}

fn parse(text: &str) -> ParsedText {
    let mut diagnostics = Vec::new();
    let mut routes: Vec<IpRoute> = Vec::new();
    let words = crate::tcpip::words(text, &['#'], &[]);
    let mut lines = words.chunk_by(|a, b| a.at.line == b.at.line).peekable();
    while let Some(line) = lines.next() {
        let head = &line[0];
        // A route with several next hops has them on separate lines.
        if head.text == "nexthop" {
            if let Some(route) = routes.last_mut() {
                route.words.extend(line.iter().cloned());
            }
            continue;
        }
        let typed = TYPES.contains(&head.text.as_str());
        let Some(target) = line.get(usize::from(typed)) else {
            continue;
        };
        let shown: Vec<&str> = line.iter().map(|w| w.text.as_str()).collect();
        let divided = lines.peek().is_some_and(|next| next[0].text == "nexthop");
        if !destination(&shown.join(" "), divided) && !typed {
            diagnostics.push(head.at.diagnostic(Severity::Error, "this is not a route"));
            continue;
        }
        routes.push(IpRoute {
            destination: target.text.clone(),
            words: line.to_vec(),
            at: head.at,
        });
    }
    ParsedText {
        content: crate::DocumentContent::Linux(super::LinuxContent::Routes(IpRoutes { routes })),
        diagnostics,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_is_read_and_changed() {
        let ParsedText {
            content,
            diagnostics,
        } = parse(
            "default via 10.0.0.1 dev eth0 proto dhcp mtu lock 1400 advmss 536 linkdown\nhello\n\
             unreachable 10.9.0.0/16\n10.8.0.0/16\n\tnexthop via 10.0.0.2 dev eth0 weight 1\n",
        );
        let crate::DocumentContent::Linux(super::super::LinuxContent::Routes(found)) = content
        else {
            panic!("another kind");
        };
        let route = &found.routes[0];
        assert_eq!(
            route.number("mtu"),
            Some((
                1400,
                LineColumn {
                    line: 1,
                    column: 51
                }
            ))
        );
        assert_eq!(
            route.change("mtu", Some("1500")),
            "ip route change default via 10.0.0.1 dev eth0 proto dhcp advmss 536 mtu 1500"
        );
        assert_eq!(
            route.change("advmss", None),
            "ip route change default via 10.0.0.1 dev eth0 proto dhcp mtu lock 1400"
        );
        assert_eq!(diagnostics.len(), 1);
        let destinations: Vec<&str> = found.routes.iter().map(|r| &*r.destination).collect();
        assert_eq!(destinations, ["default", "10.9.0.0/16", "10.8.0.0/16"]);
        assert_eq!(
            found.routes[2].change("mtu", None),
            "ip route change 10.8.0.0/16 nexthop via 10.0.0.2 dev eth0 weight 1"
        );
        assert_eq!(
            found.routes[2].change("mtu", Some("1500")),
            "ip route change 10.8.0.0/16 mtu 1500 nexthop via 10.0.0.2 dev eth0 weight 1"
        );
    }
}

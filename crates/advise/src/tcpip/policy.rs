//! Policy Agent: the route tables of a routing policy.
//!
//! A statement is a line of words; braces hold the lines of a statement that
//! has attributes. `#` begins a comment. Only RouteTable matters here; other
//! policies are passed over.
//!
//! Reference: z/OS Communications Server: IP Configuration Reference, Policy
//! Agent, RouteTable statement.

use base::Severity;

use super::profile::Route;
use super::words::{PlacedWord, words};
use crate::document::{LineColumn, ParsedText};
use crate::kind::{DocumentKind, lines_beginning};
use crate::unknown::UnknownNames;

/// A policy file.
#[derive(Debug, Clone, Default)]
pub struct PolicyFile {
    /// The route tables.
    pub tables: Vec<RouteTable>,
}

/// A RouteTable statement.
#[derive(Debug, Clone)]
pub struct RouteTable {
    /// Its name.
    pub name: String,
    /// Its static routes.
    pub routes: Vec<Route>,
    /// Start of the statement.
    pub at: LineColumn,
}

const KNOWN: &[&str] = &[
    "CommonRoutingConfig",
    "IpAddr",
    "IpAddrGroup",
    "IpAddrSet",
    "PolicyAction",
    "PolicyRule",
    "PortGroup",
    "PortRange",
    "RouteTable",
    "RoutingAction",
    "RoutingConfig",
    "RoutingRule",
    "TcpImage",
    "TrafficDescriptor",
    "TrafficDescriptorGroup",
    "TTLSConfig",
    "TTLSConnectionAction",
    "TTLSEnvironmentAction",
    "TTLSGroupAction",
    "TTLSRule",
];

/// Statements that no other kind of document has.
const DISTINCTIVE_STATEMENTS: &[&str] = &[
    "CommonRoutingConfig",
    "PolicyRule",
    "RouteTable",
    "RoutingAction",
    "RoutingConfig",
    "RoutingRule",
    "TcpImage",
    "TTLSRule",
];

pub(super) static KIND: DocumentKind = DocumentKind {
    word: "policy",
    title: "Policy Agent's routing policy: RouteTable, RoutingRule, RoutingAction",
    recognise: |text| 3 * lines_beginning(text, DISTINCTIVE_STATEMENTS),
    parse,
};

fn parse(text: &str) -> ParsedText {
    let all = words(text, &['#'], &['{', '}']);
    let mut diagnostics = Vec::new();
    let mut unknown = UnknownNames::default();
    let mut policy = PolicyFile::default();
    let mut depth = 0_usize;
    // The depth inside the table that is open.
    let mut open: Option<usize> = None;
    for line in all.chunk_by(|a, b| a.at.line == b.at.line) {
        let head = &line[0];
        if depth == 0 && head.text != "{" && head.text != "}" {
            if head.text.eq_ignore_ascii_case("RouteTable") {
                let name = line.get(1).filter(|w| w.text != "{");
                policy.tables.push(RouteTable {
                    name: name.map_or(String::new(), |w| w.text.clone()),
                    routes: Vec::new(),
                    at: head.at,
                });
                open = Some(1);
            } else {
                open = None;
                if !KNOWN.iter().any(|k| k.eq_ignore_ascii_case(&head.text)) {
                    unknown.add(&head.text, head.at);
                }
            }
        } else if open == Some(depth) && head.text.eq_ignore_ascii_case("Route") {
            let words: Vec<PlacedWord> = line[1..]
                .iter()
                .filter(|w| w.text != "}")
                .cloned()
                .collect();
            match (
                super::profile::route(head, &words),
                policy.tables.last_mut(),
            ) {
                (Some(route), Some(table)) => table.routes.push(route),
                _ => diagnostics.push(head.at.diagnostic(
                    Severity::Error,
                    "Route takes a destination, a first hop, an interface and MTU",
                )),
            }
        }
        for word in line {
            match word.text.as_str() {
                "{" => depth += 1,
                "}" if depth == 0 => {
                    diagnostics.push(word.at.diagnostic(Severity::Error, "no brace is open"));
                }
                "}" => depth -= 1,
                _ => {}
            }
        }
    }
    if let (1.., Some(last)) = (depth, all.last()) {
        diagnostics.push(last.at.diagnostic(Severity::Error, "a brace is not closed"));
    }
    unknown.report("statement", &mut diagnostics);
    ParsedText {
        content: crate::DocumentContent::Tcpip(super::TcpipContent::Policy(policy)),
        diagnostics,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_read_and_braces_counted() {
        let text = "RouteTable T1\n{\n  Multipath Disable\n  Route 10.1.0.0/16 = OSA1 MTU 1500 # x\n  \
                    Route Default 10.1.1.1 OSA1 MTU DefaultSize NoDelayAcks\n}\nGadget a\n{\n Route x\n}\n";
        let ParsedText {
            content,
            diagnostics,
        } = parse(text);
        let crate::DocumentContent::Tcpip(super::super::TcpipContent::Policy(policy)) = content
        else {
            panic!("another kind");
        };
        let routes = &policy.tables[0].routes;
        assert_eq!(routes.len(), 2);
        assert_eq!((routes[0].mtu, routes[1].mtu), (Some(1500), None));
        assert_eq!(routes[1].delay().map(|(d, _)| d), Some(false));
        assert_eq!(diagnostics.len(), 1);
        assert!(diagnostics[0].message.contains("Gadget"));
        assert_eq!(parse("RouteTable A\n{\n").diagnostics.len(), 1);
        assert_eq!(parse("}\n").diagnostics.len(), 1);
    }
}

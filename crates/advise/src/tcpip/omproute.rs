//! The configuration of OMPROUTE: the interfaces whose MTU and Delay_Acks go
//! into the dynamic routes that it adds to the stack.
//!
//! A statement is a name and `Keyword=value` pairs. `;` ends it, and the rest of
//! the line is a comment.
//!
//! Reference: z/OS Communications Server: IP Configuration Reference, OMPROUTE
//! configuration statements.

use base::{Diagnostic, Severity};

use super::words::{PlacedWord, words};
use crate::document::{LineColumn, ParsedText};
use crate::kind::DocumentKind;
use crate::unknown::UnknownNames;

/// The configuration.
#[derive(Debug, Clone, Default)]
pub struct OmpRoute {
    /// INTERFACE, OSPF_INTERFACE and RIP_INTERFACE statements.
    pub interfaces: Vec<RoutedInterface>,
}

/// One interface statement.
#[derive(Debug, Clone)]
pub struct RoutedInterface {
    /// The statement's name in upper case.
    pub statement: String,
    /// Name.
    pub name: String,
    /// IP_address.
    pub address: String,
    /// MTU, where it is coded as a number.
    pub mtu: Option<(u64, LineColumn)>,
    /// Whether the MTU is a system symbol.
    pub symbolic: bool,
    /// Delay_Acks (true for YES), where it is coded.
    pub delay: Option<(bool, LineColumn)>,
    /// Start of the statement.
    pub at: LineColumn,
}

impl RoutedInterface {
    /// Whether the routed interface is for IPv6.
    pub fn v6(&self) -> bool {
        self.statement.starts_with("IPV6")
    }
}

const INTERFACES: &[&str] = &[
    "INTERFACE",
    "OSPF_INTERFACE",
    "RIP_INTERFACE",
    "IPV6_INTERFACE",
    "IPV6_OSPF_INTERFACE",
    "IPV6_RIP_INTERFACE",
];

const OTHERS: &[&str] = &[
    "ACCEPT_RIP_ROUTE",
    "AREA",
    "AS_BOUNDARY_ROUTING",
    "COMPARISON",
    "DEFAULT_ROUTE",
    "DEMAND_CIRCUIT",
    "FILTER",
    "GLOBAL_OPTIONS",
    "IGNORE_RIP_NEIGHBOR",
    "INCLUDE",
    "IPV6_ACCEPT_RIP_ROUTE",
    "IPV6_AREA",
    "IPV6_AS_BOUNDARY_ROUTING",
    "IPV6_IGNORE_RIP_NEIGHBOR",
    "IPV6_ORIGINATE_RIP_DEFAULT",
    "IPV6_OSPF",
    "IPV6_RANGE",
    "IPV6_RIP_FILTER",
    "IPV6_RIP_SEND_ONLY",
    "IPV6_VIRTUAL_LINK",
    "ORIGINATE_RIP_DEFAULT",
    "OSPF",
    "RANGE",
    "RIP_FILTER",
    "ROUTERID",
    "ROUTESA_CONFIG",
    "SEND_ONLY",
    "VIRTUAL_LINK",
];

pub(super) static KIND: DocumentKind = DocumentKind {
    word: "omproute",
    title: "Configuration of OMPROUTE, the dynamic routing daemon of z/OS",
    recognise,
    parse,
};

fn known(word: &str, list: &[&str]) -> bool {
    list.iter().any(|name| name.eq_ignore_ascii_case(word))
}

/// Statements that only OMPROUTE has count three, its keywords with `=` one.
fn recognise(text: &str) -> usize {
    let all = words(text, &[';'], &['=']);
    let first = |w: &&PlacedWord| w.first;
    let reported = |w: &PlacedWord| {
        let ours = w.text.contains('_') || w.text.eq_ignore_ascii_case("ROUTERID");
        (known(&w.text, INTERFACES) || known(&w.text, OTHERS)) && ours
    };
    let keys = all.windows(2).filter(|pair| {
        pair[1].text == "=" && known(&pair[0].text, &["IP_ADDRESS", "SUBNET_MASK", "DELAY_ACKS"])
    });
    3 * all.iter().filter(first).filter(|w| reported(w)).count() + keys.count()
}

fn parse(text: &str) -> ParsedText {
    let mut diagnostics = Vec::new();
    let mut unknown = UnknownNames::default();
    let mut config = OmpRoute::default();
    for statement in statements(text, &mut diagnostics) {
        let Some(head) = statement.first() else {
            continue;
        };
        if known(&head.text, INTERFACES) {
            config
                .interfaces
                .push(interface(head, &statement[1..], &mut diagnostics));
        } else if !known(&head.text, OTHERS) {
            unknown.add(&head.text.to_ascii_uppercase(), head.at);
        }
    }
    unknown.report("statement", &mut diagnostics);
    ParsedText {
        content: crate::DocumentContent::Tcpip(super::TcpipContent::OmpRoute(config)),
        diagnostics,
    }
}

/// Splits at `;`. A statement that lacks it ends where the next one begins.
fn statements(text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Vec<PlacedWord>> {
    let mut found: Vec<Vec<PlacedWord>> = Vec::new();
    let mut open: Vec<PlacedWord> = Vec::new();
    let mut comment = 0;
    for word in words(text, &[], &['=', ';']) {
        if word.at.line == comment {
            continue;
        }
        if word.text == ";" {
            comment = word.at.line;
            found.push(std::mem::take(&mut open));
            continue;
        }
        if word.first && !open.is_empty() && known(&word.text, INTERFACES) {
            let at = open[0].at;
            let message = format!("{} does not end with a semicolon", open[0].text);
            diagnostics.push(at.diagnostic(Severity::Error, message));
            found.push(std::mem::take(&mut open));
        }
        open.push(word);
    }
    found.push(open);
    found
}

fn interface(
    head: &PlacedWord,
    words: &[PlacedWord],
    diagnostics: &mut Vec<Diagnostic>,
) -> RoutedInterface {
    let mut found = RoutedInterface {
        statement: head.text.to_ascii_uppercase(),
        name: String::new(),
        address: String::new(),
        mtu: None,
        symbolic: false,
        delay: None,
        at: head.at,
    };
    for triple in words.windows(3) {
        let [key, equals, value] = triple else {
            continue;
        };
        if equals.text != "=" {
            continue;
        }
        match key.text.to_ascii_uppercase().as_str() {
            "NAME" => found.name = value.text.to_ascii_uppercase(),
            "IP_ADDRESS" => found.address.clone_from(&value.text),
            "MTU" => match value.number() {
                Some(mtu) => found.mtu = Some((mtu, value.at)),
                None if value.is_symbolic() => found.symbolic = true,
                None => {
                    diagnostics.push(value.at.diagnostic(Severity::Error, "MTU takes a number"))
                }
            },
            "DELAY_ACKS" => {
                found.delay = Some((!value.text.eq_ignore_ascii_case("NO"), value.at));
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interfaces_keep_mtu_and_delay_with_their_places() {
        let text = "; comment\nOSPF_Interface IP_Address = 10.1.1.1 ; first\n";
        let full = "Interface IP_address=10.1.2.1 Name=OSA2\n  MTU = 1500\n  Delay_Acks=NO;\n";
        let ParsedText {
            content,
            diagnostics,
        } = parse(&format!("{text}{full}"));
        assert_eq!(diagnostics, []);
        let crate::DocumentContent::Tcpip(super::super::TcpipContent::OmpRoute(config)) = content
        else {
            panic!("another kind");
        };
        assert_eq!(config.interfaces.len(), 2);
        assert_eq!(config.interfaces[0].mtu, None);
        let second = &config.interfaces[1];
        assert_eq!(second.name, "OSA2");
        assert_eq!(second.mtu, Some((1500, LineColumn { line: 4, column: 9 })));
        assert_eq!(
            second.delay,
            Some((
                false,
                LineColumn {
                    line: 5,
                    column: 14
                }
            ))
        );
    }

    #[test]
    fn a_missing_semicolon_is_reported_and_both_statements_are_read() {
        let ParsedText { diagnostics, .. } = parse("INTERFACE NAME=A\nINTERFACE NAME=B;\nFOO=1;\n");
        let shown: Vec<(u32, Severity)> =
            diagnostics.iter().map(|d| (d.line, d.severity)).collect();
        assert_eq!(shown, [(1, Severity::Error), (3, Severity::Note)]);
    }
}

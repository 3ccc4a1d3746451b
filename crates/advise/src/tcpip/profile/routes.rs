//! Static routes: ROUTE in a BEGINROUTES block, the same in Policy Agent's
//! route tables, and entries of GATEWAY.

use base::{Diagnostic, Severity};

use super::super::words::PlacedWord;
use super::Route;

/// ROUTE statements of a block: destination, first hop, link, MTU, options. An
/// address mask may follow the destination, or HOST in place of a mask.
pub(super) fn route_block(body: &[PlacedWord], diagnostics: &mut Vec<Diagnostic>) -> Vec<Route> {
    let starts: Vec<usize> = (0..body.len()).filter(|at| body[*at].is("ROUTE")).collect();
    let ends = starts.iter().skip(1).copied().chain([body.len()]);
    let mut routes = Vec::new();
    for (start, end) in starts.iter().zip(ends) {
        match route(&body[*start], &body[*start + 1..end]) {
            Some(route) => routes.push(route),
            None => diagnostics.push(body[*start].at.diagnostic(
                Severity::Error,
                "ROUTE takes a destination, a first hop, a link and MTU",
            )),
        }
    }
    routes
}

/// One ROUTE statement without its keyword.
pub(crate) fn route(head: &PlacedWord, words: &[PlacedWord]) -> Option<Route> {
    let (destination, rest) = words.split_first()?;
    let (mask, rest) = match rest.first() {
        Some(word) if word.is("HOST") || is_mask(&word.text) => (Some(&word.text), &rest[1..]),
        _ => (None, rest),
    };
    let [first_hop, link, rest @ ..] = rest else {
        return None;
    };
    let coded = rest.iter().position(|w| w.is("MTU"));
    let size = coded.and_then(|at| rest.get(at + 1));
    let (mtu, mtu_at, options) = match coded {
        Some(at) => {
            let options = [&rest[..at], rest.get(at + 2..).unwrap_or_default()].concat();
            (
                size.and_then(PlacedWord::number).filter(|n| *n > 0),
                size.map_or(rest[at].at, |w| w.at),
                options,
            )
        }
        None => (None, head.at, rest.to_vec()),
    };
    Some(Route {
        gateway: false,
        destination: match mask {
            Some(mask) => format!("{} {mask}", destination.text),
            None => destination.text.clone(),
        },
        first_hop: first_hop.text.clone(),
        link: link.text.to_ascii_uppercase(),
        mtu,
        symbol: size.filter(|w| w.is_symbolic()).map(|w| w.text.clone()),
        mtu_at,
        options,
        at: head.at,
    })
}

/// Whether a word is an address mask such as 255.255.255.0.
fn is_mask(word: &str) -> bool {
    word.starts_with("255.") && word.split('.').count() == 4
}

/// Entries of GATEWAY, one a line: network, first hop, link, packet size,
/// subnet mask, subnet value, options. A network is written as its address,
/// or DEFAULTNET, which has no subnet value.
pub(super) fn gateway_routes(body: &[PlacedWord], diagnostics: &mut Vec<Diagnostic>) -> Vec<Route> {
    let mut routes = Vec::new();
    for line in body.chunk_by(|a, b| a.at.line == b.at.line) {
        let [network, first_hop, link, size, rest @ ..] = line else {
            let word = &line[0];
            if !word.text.eq_ignore_ascii_case("ENDGATEWAY") {
                diagnostics.push(word.at.diagnostic(
                    Severity::Error,
                    "GATEWAY takes a network, a first hop, a link and a packet size",
                ));
            }
            continue;
        };
        let options = rest
            .iter()
            .skip_while(|w| w.text == "HOST" || w.text.starts_with(|c: char| c.is_ascii_digit()));
        let destination = match network.text.to_ascii_uppercase().as_str() {
            "DEFAULTNET" => "DEFAULT".to_owned(),
            _ => gateway_destination(&network.text, rest),
        };
        routes.push(Route {
            gateway: true,
            destination,
            first_hop: first_hop.text.clone(),
            link: link.text.to_ascii_uppercase(),
            mtu: size.number().filter(|n| *n > 0),
            symbol: size.is_symbolic().then(|| size.text.clone()),
            mtu_at: size.at,
            options: options.cloned().collect(),
            at: network.at,
        });
    }
    routes
}

/// The destination in the form of ROUTE: network and subnet value combined,
/// with the network's and the subnet's mask.
fn gateway_destination(network: &str, rest: &[PlacedWord]) -> String {
    let address = |text: &str| text.parse::<std::net::Ipv4Addr>().ok();
    let padded = |text: &str| {
        let missing = 4_usize.saturating_sub(text.split('.').count());
        address(&format!("{text}{}", ".0".repeat(missing)))
    };
    let Some(base) = padded(network) else {
        return network.to_owned();
    };
    let class = match base.octets()[0] {
        0..=127 => 8,
        128..=191 => 16,
        _ => 24,
    };
    let class_mask = u32::MAX << (32 - class);
    match rest {
        [mask, ..] if mask.is("HOST") => format!("{network} HOST"),
        [mask, value, ..] => match (address(&mask.text), address(&value.text)) {
            (Some(mask), Some(value)) => {
                let mask = u32::from(mask) | class_mask;
                let net = std::net::Ipv4Addr::from(u32::from(base) | u32::from(value));
                format!("{net}/{}", mask.leading_ones())
            }
            _ => format!("{base}/{class}"),
        },
        _ => format!("{base}/{class}"),
    }
}

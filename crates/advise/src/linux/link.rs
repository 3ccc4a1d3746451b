//! Links: the output of `ip link` or `ip -d link`.
//!
//! Reference: iproute2, ip-link(8).

use crate::document::{LineColumn, ParsedText};
use crate::kind::DocumentKind;
use crate::tcpip::PlacedWord;

/// Links of a system.
#[derive(Debug, Clone, Default)]
pub struct IpLinks {
    /// In their order.
    pub links: Vec<IpLink>,
}

/// One link.
#[derive(Debug, Clone)]
pub struct IpLink {
    /// The name, without the peer that follows `@`.
    pub name: String,
    /// MTU in bytes.
    pub mtu: Option<(u64, LineColumn)>,
    /// The queueing discipline.
    pub qdisc: Option<(String, LineColumn)>,
    /// The hardware, as `ether` of `link/ether`.
    pub hardware: String,
    /// Every word of its further lines.
    pub details: Vec<PlacedWord>,
    /// Start of the statement.
    pub at: LineColumn,
}

impl IpLink {
    /// Whether the link is Ethernet or looks like it, and no tunnel.
    pub fn is_ethernet(&self) -> bool {
        let tunnel = |w: &PlacedWord| TUNNELS.contains(&w.text.as_str());
        self.hardware == "ether" && !self.details.iter().any(tunnel)
    }
}

/// Kinds of link in the output of `-d` that add headers of their own.
const TUNNELS: &[&str] = &[
    "amt",
    "bareudp",
    "geneve",
    "gre",
    "gretap",
    "ip6gre",
    "ip6gretap",
    "ip6tnl",
    "ipip",
    "macsec",
    "sit",
    "tap",
    "tun",
    "vti",
    "vxlan",
    "wireguard",
    "xfrm",
];

pub(super) static KIND: DocumentKind = DocumentKind {
    word: "ip-link",
    title: "Linux links: `ip link` or `ip -d link`",
    recognise: |text| 3 * text.lines().filter(|l| heading(l).is_some()).count(),
    parse,
};

/// The name in a line such as `2: eth0@if3: <UP> mtu 1500`.
fn heading(line: &str) -> Option<&str> {
    let (index, rest) = line.split_once(": ")?;
    index.parse::<u32>().ok()?;
    let (name, rest) = rest.split_once(": ")?;
    rest.starts_with('<')
        .then(|| name.split('@').next().unwrap_or(name))
}

fn parse(text: &str) -> ParsedText {
    let mut links: Vec<IpLink> = Vec::new();
    let words = crate::tcpip::words(text, &[], &[]);
    let lines: Vec<&str> = text.lines().collect();
    for line in words.chunk_by(|a, b| a.at.line == b.at.line) {
        let at = line[0].at;
        let after = |key: &str| {
            let found = line.iter().position(|w| w.text == key)?;
            line.get(found + 1)
        };
        let whole = lines.get(at.line as usize - 1).copied().unwrap_or_default();
        if let Some(name) = heading(whole) {
            links.push(IpLink {
                name: name.to_owned(),
                mtu: after("mtu").and_then(|w| Some((w.text.parse().ok()?, w.at))),
                qdisc: after("qdisc").map(|w| (w.text.clone(), w.at)),
                hardware: String::new(),
                details: Vec::new(),
                at,
            });
        } else if let Some(link) = links.last_mut() {
            if let Some(hardware) = line[0].text.strip_prefix("link/") {
                hardware.clone_into(&mut link.hardware);
            }
            link.details.extend(line.iter().cloned());
        }
    }
    ParsedText {
        content: crate::DocumentContent::Linux(super::LinuxContent::Links(IpLinks { links })),
        diagnostics: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_know_their_mtu_and_whether_they_are_tunnels() {
        let ParsedText { content, .. } = parse(
            "1: lo: <LOOPBACK,UP> mtu 65536 qdisc noqueue state UNKNOWN\n    link/loopback 00:00\n\
             2: eth0@if7: <BROADCAST> mtu 1400 qdisc pfifo_fast state UP\n    link/ether 02:42 brd ff\n\
             3: vx0: <UP> mtu 1450\n    link/ether 02:43 brd ff\n    vxlan id 42 dstport 4789\n",
        );
        let crate::DocumentContent::Linux(super::super::LinuxContent::Links(found)) = content
        else {
            panic!("another kind");
        };
        let shown: Vec<(&str, Option<u64>, bool)> = found
            .links
            .iter()
            .map(|l| (l.name.as_str(), l.mtu.map(|(n, _)| n), l.is_ethernet()))
            .collect();
        assert_eq!(
            shown,
            [
                ("lo", Some(65536), false),
                ("eth0", Some(1400), true),
                ("vx0", Some(1450), false)
            ]
        );
    }
}

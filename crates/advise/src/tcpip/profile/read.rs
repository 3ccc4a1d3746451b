//! From words to statements of the profile.

use base::{Diagnostic, Severity, suggestion};

use super::super::words::{PlacedWord, abbreviates, words};
use super::routes::{gateway_routes, route_block};
use super::table::{IPCONFIG, STATEMENTS, TCPCONFIG, UDPCONFIG};
use super::{
    InterfaceStatement, Link, Port, PortProtocol, StatementSetting, StatementSettings, TcpipProfile,
};
use crate::document::LineColumn;
use crate::unknown::UnknownNames;

/// Lines that begin with a keyword of the profile. Keywords that no other kind
/// uses count more. A text with far more unknown statements is not a profile: a
/// router's configuration has interfaces as well.
pub(super) fn recognise(text: &str) -> usize {
    let all = words(text, &[';'], &[]);
    let known = |w: &PlacedWord| w.first && statement(&w.text).is_some();
    let own = all.iter().filter(|w| known(w)).count();
    let heads = || (all.iter().enumerate()).filter(|(_, w)| known(w));
    let ours = heads().any(|(i, w)| is_profile_statement(w, &all[i + 1..]));
    let alone = heads().any(|(i, w)| is_zos_profile_statement(w, &all[i + 1..]));
    if !ours {
        return 0;
    }
    let reader = reader(&all);
    let unknown = reader.unknown.total();
    let foreign = unknown > 0 && (!alone || reader.foreign_operands > 0);
    if unknown >= FOREIGN * own || foreign {
        // A router's, or a profile of another TCP/IP with statements and
        // operands of its own.
        return 0;
    }
    all.iter()
        .filter(|w| w.first)
        .map(|w| match statement(&w.text) {
            Some((name, _)) if DISTINCTIVE_STATEMENTS.contains(&name) => 3,
            Some(("INTERFACE" | "DELETE" | "START" | "LINK" | "PORT", _)) => 1,
            Some(_) => 2,
            None => 0,
        })
        .sum()
}

/// Whether a statement is a profile's: routers have interfaces, and emulators
/// devices.
fn is_profile_statement(head: &PlacedWord, tail: &[PlacedWord]) -> bool {
    match statement(&head.text) {
        Some(("INTERFACE" | "DEVice", _)) => is_zos_profile_statement(head, tail),
        Some(("START" | "DELETE", _)) | None => false,
        // Many files include others; this one a data set or a path.
        Some(("INCLUDE", _)) => {
            (tail.first()).is_some_and(|w| !w.first && w.text.contains(['.', '(', '\'', '/']))
        }
        Some(_) => true,
    }
}

/// Whether a statement is that of the profile of z/OS: others have homes, ports
/// and links as well.
fn is_zos_profile_statement(head: &PlacedWord, tail: &[PlacedWord]) -> bool {
    let mut line = tail.iter().take_while(|w| !w.first);
    match statement(&head.text) {
        Some(("INTERFACE", _)) => line.any(|w| w.is("DEFINE")),
        Some(("DEVice", _)) => line.any(|w| DEVICES.iter().any(|d| w.is(d))),
        Some((name, _)) => OWN.contains(&name) || DISTINCTIVE_STATEMENTS.contains(&name),
        None => false,
    }
}

/// Statements that no TCP/IP of another system has, in addition to [`DISTINCTIVE_STATEMENTS`].
const OWN: &[&str] = &[
    "BEGINVTAM",
    "IPCONFIG6",
    "IPSEC",
    "NETACCESS",
    "NETMONitor",
    "OSAENTA",
    "SACONFig",
    "SMFCONFig",
    "SRCIP",
    "TELNETGLOBALS",
    "TELNETPARMS",
    "VIPADYNAMIC",
    "VIPASMPARMS",
];

/// Types of devices.
const DEVICES: &[&str] = &[
    "ATM",
    "CDLC",
    "CLAW",
    "CTC",
    "HCH",
    "HYPERCHANNEL",
    "LCS",
    "MPCIPA",
    "MPCOSA",
    "MPCPTP",
    "SNALINK",
    "SNAIUCV",
    "VIRTUAL",
    "XCF",
];

/// So many unknown statements a known one may be of later releases.
const FOREIGN: usize = 3;

/// Statements of no other kind of document.
const DISTINCTIVE_STATEMENTS: &[&str] = &[
    "TCPCONFig",
    "IPCONFig",
    "UDPCONFig",
    "GLOBALCONFig",
    "BEGINRoutes",
    "SOMAXCONN",
    "AUTOLog",
    "PORTRange",
    "GATEWAY",
];

fn statement(word: &str) -> Option<(&'static str, Option<&'static str>)> {
    STATEMENTS
        .iter()
        .find(|(name, _)| abbreviates(word, name))
        .copied()
}

/// Reads a profile.
pub(super) fn read(text: &str) -> (TcpipProfile, Vec<Diagnostic>) {
    reader(&words(text, &[';'], &[])).finish()
}

fn reader(all: &[PlacedWord]) -> Reader {
    let mut reader = Reader::default();
    let mut rest = all;
    while let Some((head, tail)) = rest.split_first() {
        let Some((name, end)) = statement(&head.text) else {
            // A word in place of a statement: skip its line.
            reader.unknown.add(&head.text.to_ascii_uppercase(), head.at);
            let line = tail.iter().take_while(|w| !w.first).count();
            rest = &tail[line..];
            continue;
        };
        let length = match end {
            Some(end) => match tail.iter().position(|w| w.is(end)) {
                Some(at) => at,
                None => {
                    reader.error(head.at, format!("{} has no {}", upper(name), upper(end)));
                    free_length(head, name, tail)
                }
            },
            None => free_length(head, name, tail),
        };
        let body = &tail[..length];
        reader.take(head, name, body);
        let closed = end.is_some_and(|end| tail.get(length).is_some_and(|w| w.is(end)));
        rest = &tail[length + usize::from(closed)..];
    }
    reader
}

/// The number of words of a statement without an end word. It ends before the next
/// line that begins with a statement, or with an unknown word that is not further
/// right than this statement's keyword.
fn free_length(head: &PlacedWord, name: &str, tail: &[PlacedWord]) -> usize {
    let ends = |word: &PlacedWord| {
        if !word.first || word.at.line == head.at.line {
            return false;
        }
        if parameters(name).iter().any(|(p, _)| word.is(p)) {
            return false;
        }
        let named = word.text.starts_with(|c: char| c.is_ascii_alphabetic());
        let entry =
            matches!(name, "PORT" | "GATEWAY") && (word.is("UNRSV") || word.is("DEFAULTNET"));
        statement(&word.text).is_some() || (named && !entry && word.at.column <= head.at.column)
    };
    tail.iter().position(ends).unwrap_or(tail.len())
}

/// Known parameters of a statement.
fn parameters(name: &str) -> &'static [(&'static str, usize)] {
    match name {
        "TCPCONFig" => TCPCONFIG,
        "UDPCONFig" => UDPCONFIG,
        "IPCONFig" => IPCONFIG,
        _ => &[],
    }
}

/// The keyword in full.
fn upper(keyword: &str) -> String {
    keyword.to_ascii_uppercase()
}

#[derive(Default)]
struct Reader {
    profile: TcpipProfile,
    unknown: UnknownNames,
    diagnostics: Vec<Diagnostic>,
    /// Operands of TCPCONFIG that it does not have.
    foreign_operands: usize,
}

impl Reader {
    fn finish(self) -> (TcpipProfile, Vec<Diagnostic>) {
        let mut diagnostics = self.diagnostics;
        self.unknown.report("statement", &mut diagnostics);
        (self.profile, diagnostics)
    }

    fn error(&mut self, at: LineColumn, message: impl Into<String>) {
        self.diagnostics
            .push(at.diagnostic(Severity::Error, message));
    }

    fn take(&mut self, head: &PlacedWord, name: &'static str, body: &[PlacedWord]) {
        match name {
            "TCPCONFig" | "UDPCONFig" | "IPCONFig" | "GLOBALCONFig" => {
                self.settings(head, name, body);
            }
            "SOMAXCONN" => match body.first().map(|w| (w.number(), w)) {
                Some((Some(n), word)) => self.profile.somaxconn = Some((n, word.at)),
                Some((None, word)) if word.is_symbolic() => {}
                Some((None, word)) => self.error(word.at, "SOMAXCONN takes a number"),
                None => self.error(head.at, "SOMAXCONN takes a number"),
            },
            "PORT" => self.ports(body),
            "PORTRange" => self.port_ranges(body),
            "BEGINRoutes" => {
                let routes = route_block(body, &mut self.diagnostics);
                self.profile.routes.extend(routes);
            }
            "GATEWAY" => {
                let routes = gateway_routes(body, &mut self.diagnostics);
                self.profile.routes.extend(routes);
            }
            "INTERFACE" => self.interface(head, body),
            "LINK" => {
                if let [link, kind, words @ ..] = body {
                    self.profile.links.push(Link {
                        name: link.text.to_ascii_uppercase(),
                        kind: kind.text.to_ascii_uppercase(),
                        words: words.to_vec(),
                        at: head.at,
                    });
                }
            }
            "HOME" => {
                let pairs = body.as_chunks::<2>().0.iter().map(|pair| {
                    let link = pair[1].text.to_ascii_uppercase();
                    (pair[0].text.clone(), link, pair[0].at)
                });
                self.profile.home.extend(pairs);
            }
            "AUTOLog" => self
                .profile
                .autolog
                .extend(body.iter().filter(|w| w.first).cloned()),
            "INCLUDE" => {
                if let Some(file) = body.first() {
                    self.profile.includes.push(file.clone());
                    let message =
                        format!("INCLUDE {} is not followed; give that file too", file.text);
                    self.diagnostics
                        .push(head.at.diagnostic(Severity::Note, message));
                }
            }
            _ => {}
        }
    }

    fn settings(&mut self, head: &PlacedWord, name: &str, body: &[PlacedWord]) {
        let known = parameters(name);
        let mut all = Vec::new();
        let mut rest = body;
        while let Some((word, tail)) = rest.split_first() {
            let found = known.iter().find(|(p, _)| word.is(p));
            if found.is_none() && name == "TCPCONFig" {
                let names = known.iter().map(|(p, _)| upper(p)).collect::<Vec<_>>();
                let typed = upper(&word.text);
                let mut reported = word
                    .at
                    .diagnostic(Severity::Warning, format!("TCPCONFIG has no {typed}"));
                self.foreign_operands += 1;
                reported.help = suggestion(&typed, names.iter().map(String::as_str));
                self.diagnostics.push(reported);
            }
            let (full, count) =
                found.map_or_else(|| (upper(&word.text), 0), |(p, n)| (upper(p), *n));
            let count = count.min(tail.len());
            let value = tail[..count]
                .iter()
                .map(|w| w.text.as_str())
                .collect::<Vec<_>>();
            rest = &tail[count..];
            if name == "TCPCONFig"
                && count == 1
                && full != "SENDGARBAGE"
                && tail[0].number().is_none()
                && !tail[0].is_symbolic()
            {
                self.error(tail[0].at, format!("{full} takes a number"));
            }
            all.push(StatementSetting {
                name: full,
                value: (count > 0).then(|| value.join(" ")),
                at: word.at,
            });
        }
        let settings: &mut StatementSettings = match name {
            "TCPCONFig" => &mut self.profile.tcp,
            "UDPCONFig" => &mut self.profile.udp,
            "IPCONFig" => &mut self.profile.ip,
            _ => &mut self.profile.global,
        };
        settings.at = Some(head.at);
        settings.all.extend(all);
    }

    /// Entries of PORT: a number, TCP or UDP, a user, options.
    fn ports(&mut self, body: &[PlacedWord]) {
        for entry in entries(body, 1) {
            let Some((first, rest)) = entry.split_first() else {
                continue;
            };
            if first.is("UNRSV") || first.is_symbolic() {
                continue;
            }
            let number = first.number().and_then(|n| u16::try_from(n).ok());
            match (number.filter(|n| *n > 0), rest) {
                (Some(port), [protocol, user, options @ ..]) => {
                    self.port(first.at, port, 1, false, protocol, user, options);
                }
                (None, _) => self.error(first.at, "a port is 1 to 65535"),
                (Some(_), _) => self.error(first.at, "PORT takes a number, TCP or UDP, and a user"),
            }
        }
    }

    fn port_ranges(&mut self, body: &[PlacedWord]) {
        for entry in entries(body, 2) {
            let [first, count, protocol, user, options @ ..] = entry else {
                let at = entry.first().map_or(LineColumn::default(), |w| w.at);
                self.error(
                    at,
                    "PORTRANGE takes a first port, a count, TCP or UDP, and a user",
                );
                continue;
            };
            if first.is_symbolic() || count.is_symbolic() {
                continue;
            }
            let number = first.number().and_then(|n| u16::try_from(n).ok());
            let count = count.number().and_then(|n| u32::try_from(n).ok());
            match (number.filter(|n| *n > 0), count) {
                (Some(port), Some(count)) => {
                    self.port(first.at, port, count, true, protocol, user, options);
                }
                _ => self.error(first.at, "a port is 1 to 65535"),
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the columns of one entry")]
    fn port(
        &mut self,
        at: LineColumn,
        first: u16,
        count: u32,
        range: bool,
        protocol: &PlacedWord,
        user: &PlacedWord,
        options: &[PlacedWord],
    ) {
        let protocol = match protocol.text.to_ascii_uppercase().as_str() {
            "TCP" => PortProtocol::Tcp,
            "UDP" => PortProtocol::Udp,
            other => {
                self.error(protocol.at, format!("{other} is neither TCP nor UDP"));
                return;
            }
        };
        self.profile.ports.push(Port {
            first,
            count,
            range,
            protocol,
            user: user.text.clone(),
            options: options.to_vec(),
            at,
        });
    }

    fn interface(&mut self, head: &PlacedWord, body: &[PlacedWord]) {
        let Some((name, rest)) = body.split_first() else {
            self.error(head.at, "INTERFACE needs a name");
            return;
        };
        let rest = match rest.first() {
            Some(word) if word.is("DEFINE") => &rest[1..],
            Some(word) if word.is("DELETE") || word.is("ADDADDR") || word.is("DELADDR") => return,
            _ => rest,
        };
        let kind = rest.first().map_or(String::new(), |w| upper(&w.text));
        let words = rest.get(1..).unwrap_or_default();
        let mtu = words.windows(2).find(|pair| pair[0].is("MTU"));
        self.profile.interfaces.push(InterfaceStatement {
            name: upper(&name.text),
            kind,
            mtu: mtu.and_then(|pair| Some((pair[1].number()?, pair[1].at))),
            words: words.to_vec(),
            at: head.at,
        });
    }
}

/// Entries that begin with `numbers` numbers: at the beginning of a line, or
/// after the entry before on the same line.
fn entries(body: &[PlacedWord], numbers: usize) -> Vec<&[PlacedWord]> {
    let begins = |at: usize| {
        let word = &body[at];
        if at == 0 || (word.first && (word.is("UNRSV") || word.is_symbolic())) {
            return true;
        }
        let counted = body[at..]
            .iter()
            .take(numbers)
            .all(|w| w.number().is_some());
        let protocol = body
            .get(at + numbers)
            .is_some_and(|w| w.is("TCP") || w.is("UDP"));
        counted && (word.first || protocol)
    };
    let starts: Vec<usize> = (0..body.len()).filter(|at| begins(*at)).collect();
    let ends = starts.iter().skip(1).copied().chain([body.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| &body[*start..end])
        .collect()
}

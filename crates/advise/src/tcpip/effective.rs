//! The settings in effect for each port and each route, and the statement that
//! decided each.
//!
//! NODELAYACKS on TCPCONFIG is global and final. Otherwise NODELAYACKS on the port
//! or on the route of a connection applies. AUTODELAYACKS on TCPCONFIG applies
//! unless DELAYACKS is coded on one of them. DELAYACKS is the default. Routes are
//! those of BEGINROUTES and GATEWAY, of Policy Agent's route tables, and the
//! dynamic ones that OMPROUTE adds with the settings of its interfaces.
//!
//! All profiles of a set are taken as one, in their order, as INCLUDE would.
//!
//! Reference: z/OS Communications Server: IP Configuration Reference,
//! TCPCONFIG statement.

use serde::Serialize;

use super::profile::{Port, PortProtocol, TcpipProfile};
use super::{DEFAULT_MTU, mss};
use crate::document::{Document, DocumentSet, FilePlace, LineColumn};

/// When the stack acknowledges data with the PUSH bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AckPolicy {
    /// Up to 200 ms later, unless data is sent in the same direction before.
    Delayed,
    /// At once.
    Immediate,
    /// As the stack sees fit for the connection.
    Automatic,
}

impl std::fmt::Display for AckPolicy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            AckPolicy::Delayed => "delayed",
            AckPolicy::Immediate => "immediate",
            AckPolicy::Automatic => "automatic",
        })
    }
}

/// The statement that decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DecidingStatement {
    /// Its position. `None` for a default.
    pub place: Option<FilePlace>,
    /// Its text.
    pub says: String,
}

/// The setting in effect for a port or a route.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EffectiveSettings {
    /// The port or route, as `PORT 3010 TCP CICSA`.
    pub subject: String,
    /// The position of its definition.
    pub place: FilePlace,
    /// When data is acknowledged.
    pub acknowledgement: AckPolicy,
    /// Which statement decided that.
    pub decided: DecidingStatement,
    /// MTU of a route.
    pub mtu: Option<u64>,
    /// The MSS that follows from it.
    pub mss: Option<u64>,
}

/// The settings in effect for each TCP port and each route of a set with a
/// TCP/IP profile.
pub fn effective(documents: &DocumentSet) -> Vec<EffectiveSettings> {
    let Some(stack) = TcpStack::of(documents) else {
        return Vec::new();
    };
    let ports = stack.ports().map(|(document, port)| {
        let (acknowledgement, decided) = stack.port(document, port);
        EffectiveSettings {
            subject: port.statement(std::iter::empty()),
            place: document.place(port.at),
            acknowledgement,
            decided,
            mtu: None,
            mss: None,
        }
    });
    let ways = stack.ways.iter().map(|way| {
        let (acknowledgement, decided) = stack.way(way);
        EffectiveSettings {
            subject: way.subject.clone(),
            place: way.document.place(way.at),
            acknowledgement,
            decided,
            mtu: way.mtu,
            mss: way.mtu.map(|mtu| mss(mtu, way.v6)),
        }
    });
    ports.chain(ways).collect()
}

/// The stack that the documents of a set describe together.
pub(crate) struct TcpStack<'a> {
    pub(crate) profiles: Vec<(&'a Document, &'a TcpipProfile)>,
    pub(crate) ways: Vec<PacketRoute<'a>>,
}

/// A way for packets: a static route, a policy route, or an interface of
/// OMPROUTE.
pub(crate) struct PacketRoute<'a> {
    pub(crate) document: &'a Document,
    /// As `ROUTE DEFAULT 10.1.1.1 OSA1`.
    pub(crate) subject: String,
    /// DELAYACKS (true) or NODELAYACKS where it is coded.
    pub(crate) delay: Option<(bool, LineColumn)>,
    /// The keywords of its statement for no and yes.
    words: [&'static str; 2],
    /// The code that replaces DELAYACKS.
    pub(crate) mended: String,
    /// The MTU in effect. `None` if it is a symbol.
    pub(crate) mtu: Option<u64>,
    pub(crate) v6: bool,
    pub(crate) at: LineColumn,
}

impl<'a> TcpStack<'a> {
    /// Returns `None` if there is no profile.
    pub(crate) fn of(documents: &'a DocumentSet) -> Option<TcpStack<'a>> {
        let profiles: Vec<_> = documents.profiles().collect();
        if profiles.is_empty() {
            return None;
        }
        let mut ways = Vec::new();
        for (document, profile) in &profiles {
            ways.extend(profile.routes.iter().map(|r| way(document, r)));
        }
        for (document, policy) in documents.policies() {
            let routes = policy.tables.iter().flat_map(|t| &t.routes);
            ways.extend(routes.map(|r| way(document, r)));
        }
        for (document, config) in documents.omproutes() {
            ways.extend(config.interfaces.iter().map(|i| PacketRoute {
                document,
                subject: format!("{} {}", i.statement, name_or(&i.name, &i.address)),
                delay: i.delay,
                words: ["Delay_Acks=NO", "Delay_Acks=YES"],
                mended: "Delay_Acks=NO".into(),
                mtu: match i.mtu {
                    Some((mtu, _)) => Some(mtu),
                    None => (!i.symbolic).then_some(DEFAULT_MTU),
                },
                v6: i.v6(),
                at: i.at,
            }));
        }
        Some(TcpStack { profiles, ways })
    }

    /// The TCP entries of PORT and PORTRANGE that name a user.
    pub(crate) fn ports(&self) -> impl Iterator<Item = (&'a Document, &'a Port)> {
        self.profiles
            .iter()
            .flat_map(|(d, p)| p.ports.iter().map(move |port| (*d, port)))
            .filter(|(_, p)| {
                p.protocol == PortProtocol::Tcp && !p.user.eq_ignore_ascii_case("RESERVED")
            })
    }

    /// The setting of TCPCONFIG, and its place.
    pub(crate) fn global(&self) -> (AckPolicy, DecidingStatement) {
        let names = ["DELAYACKS", "NODELAYACKS", "AUTODELAYACKS"];
        let mut profiles = self.profiles.iter().rev();
        let coded = profiles.find_map(|(d, p)| Some((d, p.tcp.last(&names)?)));
        let Some((document, setting)) = coded else {
            let decision = DecidingStatement {
                place: None,
                says: "TCPCONFIG defaults to DELAYACKS".into(),
            };
            return (AckPolicy::Delayed, decision);
        };
        let acknowledgement = match setting.name.as_str() {
            "NODELAYACKS" => AckPolicy::Immediate,
            "AUTODELAYACKS" => AckPolicy::Automatic,
            _ => AckPolicy::Delayed,
        };
        let decision = DecidingStatement {
            place: Some(document.place(setting.at)),
            says: format!("TCPCONFIG {}", setting.name),
        };
        (acknowledgement, decision)
    }

    /// The setting of a port, before the route of a connection is known.
    pub(crate) fn port(&self, document: &Document, port: &Port) -> (AckPolicy, DecidingStatement) {
        self.overridden(
            document,
            port.delay(),
            PROFILE_WORDS,
            if port.range { "PORTRANGE" } else { "PORT" },
        )
    }

    /// The setting of a route, before the port of a connection is known.
    pub(crate) fn way(&self, way: &PacketRoute) -> (AckPolicy, DecidingStatement) {
        self.overridden(way.document, way.delay, way.words, &way.subject)
    }

    fn overridden(
        &self,
        document: &Document,
        coded: Option<(bool, LineColumn)>,
        words: [&str; 2],
        statement: &str,
    ) -> (AckPolicy, DecidingStatement) {
        let (global, decision) = self.global();
        let local = |at, word: &str| DecidingStatement {
            place: Some(document.place(at)),
            says: format!("{word} on {statement}"),
        };
        match (global, coded) {
            (AckPolicy::Immediate, _) | (_, None) => (global, decision),
            (_, Some((false, at))) => (AckPolicy::Immediate, local(at, words[0])),
            (_, Some((true, at))) => (AckPolicy::Delayed, local(at, words[1])),
        }
    }

    /// Whether every way is known to acknowledge at once.
    pub(crate) fn every_way_is_immediate(&self) -> bool {
        let immediate = |w: &PacketRoute| self.way(w).0 == AckPolicy::Immediate;
        !self.ways.is_empty() && self.ways.iter().all(immediate)
    }

    /// The included files of a profile that were not given: a parameter may be
    /// there.
    pub(crate) fn unread(&self) -> Option<String> {
        let names: Vec<&str> = self
            .profiles
            .iter()
            .flat_map(|(_, p)| &p.includes)
            .map(|w| w.text.as_str())
            .collect();
        if names.is_empty() {
            None
        } else {
            Some(format!(
                "that no included file codes it: {}",
                names.join(", ")
            ))
        }
    }
}

/// The keywords of the profile and of Policy Agent for no and yes.
const PROFILE_WORDS: [&str; 2] = ["NODELAYACKS", "DELAYACKS"];

fn way<'a>(document: &'a Document, route: &super::Route) -> PacketRoute<'a> {
    let word = if route.gateway { "GATEWAY" } else { "ROUTE" };
    let kept = route.options.iter().filter(|w| !w.is("DELAYAcks"));
    PacketRoute {
        document,
        subject: format!(
            "{word} {} {} {}",
            route.destination, route.first_hop, route.link
        ),
        delay: route.delay(),
        words: PROFILE_WORDS,
        mended: route.statement(route.mtu_text(), kept.map(|w| w.text.as_str())),
        mtu: route.effective_mtu(),
        v6: route.v6(),
        at: route.at,
    }
}

fn name_or<'a>(name: &'a str, address: &'a str) -> &'a str {
    if name.is_empty() { address } else { name }
}

//! PROFILE.TCPIP: the statements that rules look at, typed, each with its
//! place.
//!
//! Statements are free-form: one begins with its keyword at the beginning of a line
//! and continues until the next. Blocks (BEGINROUTES, AUTOLOG, VIPADYNAMIC …)
//! continue until their END statement. `;` begins a comment. System symbols are
//! kept as written. A file that INCLUDE names is not read: the caller adds it as a
//! further document.
//!
//! Reference: z/OS Communications Server: IP Configuration Reference, TCP/IP
//! profile and configuration statements.

mod read;
mod routes;
mod table;

pub(crate) use routes::route;
pub(crate) use table::PORT_OPTIONS;

use super::words::PlacedWord;
use crate::document::{LineColumn, ParsedText};
use crate::kind::DocumentKind;

/// A profile.
#[derive(Debug, Clone, Default)]
pub struct TcpipProfile {
    /// TCPCONFIG.
    pub tcp: StatementSettings,
    /// UDPCONFIG.
    pub udp: StatementSettings,
    /// IPCONFIG.
    pub ip: StatementSettings,
    /// GLOBALCONFIG.
    pub global: StatementSettings,
    /// SOMAXCONN.
    pub somaxconn: Option<(u64, LineColumn)>,
    /// PORT and PORTRANGE entries.
    pub ports: Vec<Port>,
    /// ROUTE entries of BEGINROUTES, and GATEWAY entries.
    pub routes: Vec<Route>,
    /// INTERFACE statements.
    pub interfaces: Vec<InterfaceStatement>,
    /// LINK statements.
    pub links: Vec<Link>,
    /// HOME: address and link.
    pub home: Vec<(String, String, LineColumn)>,
    /// Procedures that AUTOLOG starts.
    pub autolog: Vec<PlacedWord>,
    /// The names in INCLUDE statements.
    pub includes: Vec<PlacedWord>,
}

/// The parameters of a statement such as TCPCONFIG. A later one wins.
#[derive(Debug, Clone, Default)]
pub struct StatementSettings {
    /// Start of the last statement, if there is one.
    pub at: Option<LineColumn>,
    /// Parameters in their order, names in full and in upper case.
    pub all: Vec<StatementSetting>,
}

/// One parameter.
#[derive(Debug, Clone)]
pub struct StatementSetting {
    /// The name in full.
    pub name: String,
    /// Its value, where it takes one.
    pub value: Option<String>,
    /// Position of the name.
    pub at: LineColumn,
}

impl StatementSettings {
    /// The last of one or several exclusive parameters.
    pub fn last(&self, names: &[&str]) -> Option<&StatementSetting> {
        let mut found = self.all.iter().rev();
        found.find(|s| names.contains(&s.name.as_str()))
    }

    /// The number of a parameter, and its place.
    pub fn number(&self, name: &str) -> Option<(u64, LineColumn)> {
        let setting = self.last(&[name])?;
        Some((super::words::number(setting.value.as_deref()?)?, setting.at))
    }
}

/// TCP or UDP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortProtocol {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
}

/// An entry of PORT or PORTRANGE.
#[derive(Debug, Clone)]
pub struct Port {
    /// First port.
    pub first: u16,
    /// Number of ports; 1 for PORT.
    pub count: u32,
    /// Whether it is an entry of PORTRANGE.
    pub range: bool,
    /// TCP or UDP.
    pub protocol: PortProtocol,
    /// Its user: a job name, `OMVS`, `RESERVED`.
    pub user: String,
    /// The words after the user, in order.
    pub options: Vec<PlacedWord>,
    /// Position of the number.
    pub at: LineColumn,
}

impl Port {
    /// Whether the entry covers a port.
    pub fn covers(&self, port: u16) -> bool {
        let first = u32::from(self.first);
        (first..first.saturating_add(self.count)).contains(&u32::from(port))
    }

    /// DELAYACKS (true) or NODELAYACKS (false), where one is coded.
    pub fn delay(&self) -> Option<(bool, LineColumn)> {
        delay(&self.options)
    }

    /// The entry as a statement, with other options.
    pub fn statement<'a>(&self, options: impl Iterator<Item = &'a str>) -> String {
        let mut text = if self.range {
            format!("PORTRANGE {} {}", self.first, self.count)
        } else {
            format!("PORT {}", self.first)
        };
        text += match self.protocol {
            PortProtocol::Tcp => " TCP ",
            PortProtocol::Udp => " UDP ",
        };
        text += &self.user;
        for option in options {
            text += " ";
            text += option;
        }
        text
    }
}

/// A static route.
#[derive(Debug, Clone)]
pub struct Route {
    /// Whether it is an entry of GATEWAY.
    pub gateway: bool,
    /// The network, or DEFAULT.
    pub destination: String,
    /// The next router, or `=`.
    pub first_hop: String,
    /// The link or interface.
    pub link: String,
    /// MTU as coded. `None` if it is omitted, DEFAULTSIZE or a symbol.
    pub mtu: Option<u64>,
    /// The system symbol of the MTU.
    pub symbol: Option<String>,
    /// Position of the MTU, or of the route if it is omitted.
    pub mtu_at: LineColumn,
    /// The following words, in order.
    pub options: Vec<PlacedWord>,
    /// Start of the route.
    pub at: LineColumn,
}

impl Route {
    /// Whether its destination is IPv6.
    pub fn v6(&self) -> bool {
        self.destination.contains(':') || self.destination.eq_ignore_ascii_case("DEFAULT6")
    }

    /// DELAYACKS (true) or NODELAYACKS (false), where one is coded.
    pub fn delay(&self) -> Option<(bool, LineColumn)> {
        delay(&self.options)
    }

    /// The MTU in effect. Returns `None` if it is a symbol.
    pub fn effective_mtu(&self) -> Option<u64> {
        match (self.mtu, self.v6()) {
            (Some(mtu), _) => Some(mtu),
            (None, _) if self.symbol.is_some() => None,
            (None, true) => Some(super::DEFAULT_MTU_V6),
            (None, false) => Some(super::DEFAULT_MTU),
        }
    }

    /// The MTU as text for a statement; a symbol as written.
    pub fn mtu_text(&self) -> String {
        match (&self.symbol, self.effective_mtu()) {
            (Some(symbol), _) => symbol.clone(),
            (None, mtu) => mtu.unwrap_or(super::DEFAULT_MTU).to_string(),
        }
    }

    /// The route as a ROUTE statement with another MTU and other options.
    pub fn statement<'a>(
        &self,
        mtu: impl std::fmt::Display,
        options: impl Iterator<Item = &'a str>,
    ) -> String {
        let Route {
            destination,
            first_hop,
            link,
            ..
        } = self;
        let mut text = format!("ROUTE {destination} {first_hop} {link} MTU {mtu}");
        for option in options {
            text += " ";
            text += option;
        }
        text
    }
}

/// An INTERFACE statement.
#[derive(Debug, Clone)]
pub struct InterfaceStatement {
    /// Its name.
    pub name: String,
    /// Its type, as `IPAQENET`.
    pub kind: String,
    /// MTU, where it is coded.
    pub mtu: Option<(u64, LineColumn)>,
    /// Every word after the type.
    pub words: Vec<PlacedWord>,
    /// Start of the statement.
    pub at: LineColumn,
}

/// A LINK statement.
#[derive(Debug, Clone)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// Its type, as `IPAQENET`.
    pub kind: String,
    /// Every word after the type.
    pub words: Vec<PlacedWord>,
    /// Start of the statement.
    pub at: LineColumn,
}

/// The last DELAYACKS or NODELAYACKS of some words.
pub(super) fn delay(options: &[PlacedWord]) -> Option<(bool, LineColumn)> {
    options.iter().rev().find_map(|word| {
        if word.is("DELAYAcks") {
            Some((true, word.at))
        } else if word.is("NODELAYAcks") {
            Some((false, word.at))
        } else {
            None
        }
    })
}

pub(super) static KIND: DocumentKind = DocumentKind {
    word: "profile",
    title: "PROFILE.TCPIP of z/OS Communications Server",
    recognise: read::recognise,
    parse,
};

fn parse(text: &str) -> ParsedText {
    let (profile, diagnostics) = read::read(text);
    ParsedText {
        content: crate::DocumentContent::Tcpip(super::TcpipContent::Profile(Box::new(profile))),
        diagnostics,
    }
}

//! PROFILE.TCPIP: the statements that rules look at, typed, each with its
//! place.
//!
//! Statements are free in form: one begins with its keyword at the beginning
//! of a line and goes on until the next. Blocks (BEGINROUTES, AUTOLOG,
//! VIPADYNAMIC …) go on until their own end. `;` begins a comment. System
//! symbols stay as they are written. A file that INCLUDE names is not read:
//! the caller gives it as a further document.
//!
//! Reference: z/OS Communications Server: IP Configuration Reference, TCP/IP
//! profile and configuration statements.

mod read;
mod routes;
mod table;

pub(crate) use routes::route;
pub(crate) use table::PORT_OPTIONS;

use super::words::Word;
use crate::document::{At, Parsed};
use crate::kind::Kind;

/// A profile.
#[derive(Debug, Clone, Default)]
pub struct Profile {
    /// TCPCONFIG.
    pub tcp: Settings,
    /// UDPCONFIG.
    pub udp: Settings,
    /// IPCONFIG.
    pub ip: Settings,
    /// GLOBALCONFIG.
    pub global: Settings,
    /// SOMAXCONN.
    pub somaxconn: Option<(u64, At)>,
    /// PORT and PORTRANGE entries.
    pub ports: Vec<Port>,
    /// ROUTE entries of BEGINROUTES, and GATEWAY entries.
    pub routes: Vec<Route>,
    /// INTERFACE statements.
    pub interfaces: Vec<Interface>,
    /// LINK statements.
    pub links: Vec<Link>,
    /// HOME: address and link.
    pub home: Vec<(String, String, At)>,
    /// Procedures that AUTOLOG starts.
    pub autolog: Vec<Word>,
    /// The names in INCLUDE statements.
    pub includes: Vec<Word>,
}

/// The parameters of a statement such as TCPCONFIG. A later one wins.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Where the last statement begins, if there is one.
    pub at: Option<At>,
    /// Parameters in their order, names in full and in upper case.
    pub all: Vec<Setting>,
}

/// One parameter.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The name in full.
    pub name: String,
    /// Its value, where it takes one.
    pub value: Option<String>,
    /// Where the name stands.
    pub at: At,
}

impl Settings {
    /// The last of one or several exclusive parameters.
    pub fn last(&self, names: &[&str]) -> Option<&Setting> {
        let mut found = self.all.iter().rev();
        found.find(|s| names.contains(&s.name.as_str()))
    }

    /// The number of a parameter, and its place.
    pub fn number(&self, name: &str) -> Option<(u64, At)> {
        let setting = self.last(&[name])?;
        Some((super::words::number(setting.value.as_deref()?)?, setting.at))
    }
}

/// TCP or UDP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
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
    /// How many ports; 1 for PORT.
    pub count: u32,
    /// Whether it stands on PORTRANGE.
    pub range: bool,
    /// TCP or UDP.
    pub protocol: Protocol,
    /// Its user: a job name, `OMVS`, `RESERVED`.
    pub user: String,
    /// The words after the user, in order.
    pub options: Vec<Word>,
    /// Where the number stands.
    pub at: At,
}

impl Port {
    /// Whether the entry covers a port.
    pub fn covers(&self, port: u16) -> bool {
        let first = u32::from(self.first);
        (first..first.saturating_add(self.count)).contains(&u32::from(port))
    }

    /// DELAYACKS (true) or NODELAYACKS (false), where one is coded.
    pub fn delay(&self) -> Option<(bool, At)> {
        delay(&self.options)
    }

    /// The entry as a statement, with other options.
    pub fn statement<'a>(&self, options: impl Iterator<Item = &'a str>) -> String {
        let mut text = match self.range {
            true => format!("PORTRANGE {} {}", self.first, self.count),
            false => format!("PORT {}", self.first),
        };
        text += match self.protocol {
            Protocol::Tcp => " TCP ",
            Protocol::Udp => " UDP ",
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
    /// Whether it stands in GATEWAY.
    pub gateway: bool,
    /// The network, or DEFAULT.
    pub destination: String,
    /// The next router, or `=`.
    pub first_hop: String,
    /// The link or interface.
    pub link: String,
    /// MTU as coded: `None` where it is left out, DEFAULTSIZE or a symbol.
    pub mtu: Option<u64>,
    /// The system symbol of the MTU.
    pub symbol: Option<String>,
    /// Where the MTU stands; the route where it is left out.
    pub mtu_at: At,
    /// The following words, in order.
    pub options: Vec<Word>,
    /// Where the route begins.
    pub at: At,
}

impl Route {
    /// Whether it leads to IPv6 addresses.
    pub fn v6(&self) -> bool {
        self.destination.contains(':') || self.destination.eq_ignore_ascii_case("DEFAULT6")
    }

    /// DELAYACKS (true) or NODELAYACKS (false), where one is coded.
    pub fn delay(&self) -> Option<(bool, At)> {
        delay(&self.options)
    }

    /// The MTU in effect; `None` if it is a symbol.
    pub fn effective_mtu(&self) -> Option<u64> {
        match (self.mtu, self.v6()) {
            (Some(mtu), _) => Some(mtu),
            (None, _) if self.symbol.is_some() => None,
            (None, true) => Some(super::DEFAULT_MTU_V6),
            (None, false) => Some(super::DEFAULT_MTU),
        }
    }

    /// The MTU as text for a statement: a symbol as it is written.
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
pub struct Interface {
    /// Its name.
    pub name: String,
    /// Its type, as `IPAQENET`.
    pub kind: String,
    /// MTU, where it is coded.
    pub mtu: Option<(u64, At)>,
    /// Every word after the type.
    pub words: Vec<Word>,
    /// Where it begins.
    pub at: At,
}

/// A LINK statement.
#[derive(Debug, Clone)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// Its type, as `IPAQENET`.
    pub kind: String,
    /// Every word after the type.
    pub words: Vec<Word>,
    /// Where it begins.
    pub at: At,
}

/// The last DELAYACKS or NODELAYACKS of some words.
pub(super) fn delay(options: &[Word]) -> Option<(bool, At)> {
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

pub(super) static KIND: Kind = Kind {
    word: "profile",
    title: "PROFILE.TCPIP of z/OS Communications Server",
    recognise: read::recognise,
    parse,
};

fn parse(text: &str) -> Parsed {
    let (profile, diagnostics) = read::read(text);
    Parsed {
        content: crate::Content::Tcpip(super::Content::Profile(Box::new(profile))),
        diagnostics,
    }
}

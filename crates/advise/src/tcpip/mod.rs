//! The TCP/IP stack of z/OS: its profile, OMPROUTE and Policy Agent, and how
//! their statements override each other ([`effective`]).

mod effective;
mod omproute;
mod policy;
mod profile;
pub mod rules;
mod words;

pub(crate) use effective::TcpStack;
pub use effective::{AckPolicy, DecidingStatement, EffectiveSettings, effective};
pub use omproute::{OmpRoute, RoutedInterface};
pub use policy::{PolicyFile, RouteTable};
pub(crate) use profile::PORT_OPTIONS;
pub use profile::{
    InterfaceStatement, Link, Port, PortProtocol, Route, StatementSetting, StatementSettings,
    TcpipProfile,
};
pub use words::PlacedWord;
pub(crate) use words::words;

use crate::document::{Document, DocumentSet};
use crate::kind::DocumentKind;

/// The content of a document of this area.
#[derive(Debug, Clone)]
pub enum TcpipContent {
    /// PROFILE.TCPIP.
    Profile(Box<TcpipProfile>),
    /// The configuration of OMPROUTE.
    OmpRoute(OmpRoute),
    /// The routing policy of Policy Agent.
    Policy(PolicyFile),
}

/// The kinds of this area.
pub(crate) static KINDS: &[&DocumentKind] = &[&profile::KIND, &omproute::KIND, &policy::KIND];

impl DocumentSet {
    /// Each TCP/IP profile.
    pub fn profiles(&self) -> impl Iterator<Item = (&Document, &TcpipProfile)> {
        self.all.iter().filter_map(|d| match &d.content {
            crate::DocumentContent::Tcpip(TcpipContent::Profile(p)) => Some((d, &**p)),
            _ => None,
        })
    }

    /// Each OMPROUTE configuration.
    pub fn omproutes(&self) -> impl Iterator<Item = (&Document, &OmpRoute)> {
        self.all.iter().filter_map(|d| match &d.content {
            crate::DocumentContent::Tcpip(TcpipContent::OmpRoute(o)) => Some((d, o)),
            _ => None,
        })
    }

    /// Each Policy Agent file with route tables.
    pub fn policies(&self) -> impl Iterator<Item = (&Document, &PolicyFile)> {
        self.all.iter().filter_map(|d| match &d.content {
            crate::DocumentContent::Tcpip(TcpipContent::Policy(p)) => Some((d, p)),
            _ => None,
        })
    }
}

/// The MTU of a route that does not code one.
pub(crate) const DEFAULT_MTU: u64 = 576;
/// The default for IPv6.
pub(crate) const DEFAULT_MTU_V6: u64 = 1280;
/// The MTU of Ethernet.
pub(crate) const ETHERNET_MTU: u64 = 1500;

/// The largest segment that an MTU carries: 20 bytes of TCP header and the IP
/// header less.
pub(crate) fn mss(mtu: u64, v6: bool) -> u64 {
    mtu.saturating_sub(if v6 { 60 } else { 40 })
}

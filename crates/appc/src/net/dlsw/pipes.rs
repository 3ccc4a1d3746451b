//! The TCP connections of one DLSw transport: which one is read and which one is
//! written.
//!
//! By the standard each switch opens a connection to the other's port and
//! writes on the one it opened. If both announce in their capabilities that
//! they use one connection, the switch with the higher address then closes the
//! one that it accepted, and the other carries both directions. Later switches
//! open a single connection from the start. This side adapts to a partner that
//! opens one: if it sends at once and announces one, that connection is used;
//! if it announces two or waits, this side connects back.
//!
//! Reference: RFC 1795, section 7.6.7; RFC 2166, section 6.2.
//! Invariant: nothing is read or written here; there is no clock.

use crate::config::DlswConnections;
use mio::net::TcpStream;
use std::net::SocketAddr;

/// How long a partner that connected may be silent before this side connects back.
const SILENCE_NS: u64 = 500_000_000;
/// How long this side waits for the partner's connection or for its own before it
/// uses the existing one for both directions.
const PATIENCE_NS: u64 = 3_000_000_000;

/// One of at most two connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PipeId {
    /// The transport began with it.
    First,
    /// The second one.
    Second,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PipeUse {
    /// One connection carries both directions.
    Both(PipeId),
    /// This side opened the first and waits for the partner's.
    Awaited { until: u64 },
    /// The partner opened the first and has sent nothing yet.
    Silent { until: u64, calls_back: bool },
    /// This side wants to connect back.
    Wanted,
    /// It connects back.
    Back { until: u64 },
    /// Each side writes on the connection that it opened.
    Double,
    /// Each side still writes on the connection that it opened, until the
    /// partner has closed the one that this side opened.
    Dropping { until: u64 },
}

/// The connections of a transport.
pub(crate) struct PipePair {
    first: Option<TcpStream>,
    second: Option<TcpStream>,
    /// Whether this side opened the first.
    opened: bool,
    manner: PipeUse,
}

impl PipePair {
    /// Begins with a connection that this side opened.
    pub fn opened(stream: TcpStream, connections: DlswConnections, now: u64) -> PipePair {
        let until = now + PATIENCE_NS;
        PipePair {
            first: Some(stream),
            second: None,
            opened: true,
            manner: match connections {
                DlswConnections::One => PipeUse::Both(PipeId::First),
                DlswConnections::Two | DlswConnections::TwoThenOne => PipeUse::Awaited { until },
            },
        }
    }

    /// Begins with a connection that the partner opened. A partner of one
    /// connection sends at once; `calls_back` says whether to connect back to a
    /// silent one.
    pub fn accepted(stream: TcpStream, calls_back: bool, now: u64) -> PipePair {
        PipePair {
            first: Some(stream),
            second: None,
            opened: false,
            manner: PipeUse::Silent {
                until: now + SILENCE_NS,
                calls_back,
            },
        }
    }

    /// One of the connections.
    pub fn stream(&mut self, which: PipeId) -> Option<&mut TcpStream> {
        match which {
            PipeId::First => self.first.as_mut(),
            PipeId::Second => self.second.as_mut(),
        }
    }

    /// The two ends of one of the connections, this side's first.
    pub fn ends(&self, which: PipeId) -> Option<[SocketAddr; 2]> {
        let stream = match which {
            PipeId::First => self.first.as_ref(),
            PipeId::Second => self.second.as_ref(),
        }?;
        Some([stream.local_addr().ok()?, stream.peer_addr().ok()?])
    }

    /// Whether this side opened the first.
    pub fn calls(&self) -> bool {
        self.opened
    }

    /// The connection that is read.
    pub fn reads(&self) -> PipeId {
        match self.manner {
            PipeUse::Both(which) => which,
            PipeUse::Double | PipeUse::Dropping { .. } if self.opened => PipeId::Second,
            _ => PipeId::First,
        }
    }

    /// The connection that is written. Returns `None` if it does not exist yet.
    pub fn writes(&self) -> Option<PipeId> {
        match self.manner {
            PipeUse::Both(which) => Some(which),
            PipeUse::Double | PipeUse::Dropping { .. } => Some(if self.opened {
                PipeId::First
            } else {
                PipeId::Second
            }),
            _ => None,
        }
    }

    /// Whether circuits may be used: no connection is about to be dropped.
    pub fn settled(&self) -> bool {
        matches!(self.manner, PipeUse::Both(_) | PipeUse::Double)
    }

    /// Whether a connection that the partner opens now belongs here.
    pub fn awaits_partner(&self) -> bool {
        matches!(self.manner, PipeUse::Awaited { .. })
    }

    /// Takes the connection that the partner opened.
    pub fn take_partner(&mut self, stream: TcpStream) {
        self.second = Some(stream);
        self.manner = PipeUse::Double;
    }

    /// Whether this side is to connect back now.
    pub fn wants_back(&self) -> bool {
        self.manner == PipeUse::Wanted
    }

    /// Takes the way back, which is not connected yet.
    pub fn take_back(&mut self, stream: TcpStream, now: u64) {
        self.second = Some(stream);
        let until = now + PATIENCE_NS;
        self.manner = PipeUse::Back { until };
    }

    /// The second connection's socket is ready: is the way back there?
    pub fn check_back(&mut self) {
        if let (PipeUse::Back { .. }, Some(stream)) = (self.manner, &self.second) {
            match stream.take_error() {
                Ok(None) if stream.peer_addr().is_ok() => self.manner = PipeUse::Double,
                Ok(None) => {}
                _ => self.no_way_back(),
            }
        }
    }

    /// The partner cannot be reached: the first connection has to do.
    pub fn no_way_back(&mut self) {
        self.second = None;
        self.manner = PipeUse::Both(PipeId::First);
    }

    /// The transport is about to end: pending messages are moved to the
    /// connection that the partner reads.
    pub fn last_words(&mut self) {
        if self.writes().is_none() {
            self.no_way_back();
        }
    }

    /// The partner's capabilities arrived on the connection that is read.
    pub fn capabilities_received(&mut self, partner_uses: u8) {
        // The connection back may be there without a readiness event yet.
        self.check_back();
        self.manner = match self.manner {
            PipeUse::Silent { .. } if partner_uses > 1 => PipeUse::Wanted,
            PipeUse::Silent { .. } => PipeUse::Both(PipeId::First),
            // It replies on this side's connection, or sends before
            // this side's own connection is open: it uses a single
            // connection.
            PipeUse::Awaited { .. } => PipeUse::Both(PipeId::First),
            PipeUse::Wanted | PipeUse::Back { .. } if partner_uses == 1 => {
                self.second = None;
                PipeUse::Both(PipeId::First)
            }
            other => other,
        };
    }

    /// Both sides announced one connection: one of two has to be closed.
    pub fn agreed_on_one(&mut self, now: u64) {
        if self.manner != PipeUse::Double {
            return;
        }
        if !self.is_higher() {
            let until = now + PATIENCE_NS;
            self.manner = PipeUse::Dropping { until };
            return;
        }
        // The accepted connection is closed.
        self.manner = if self.opened {
            self.second = None;
            PipeUse::Both(PipeId::First)
        } else {
            self.first = None;
            PipeUse::Both(PipeId::Second)
        };
    }

    /// Whether this side's address is the higher one. The ports the switches
    /// listen on decide between two on one machine.
    fn is_higher(&self) -> bool {
        let (opened, accepted) = if self.opened {
            (&self.first, &self.second)
        } else {
            (&self.second, &self.first)
        };
        let (Some(opened), Some(accepted)) = (opened, accepted) else {
            return false;
        };
        let own = opened.local_addr().map(|at| at.ip());
        let listens = accepted.local_addr().map(|at| at.port());
        let (Ok(own), Ok(listens), Ok(peer)) = (own, listens, opened.peer_addr()) else {
            return false;
        };
        (own, listens) > (peer.ip(), peer.port())
    }

    /// The partner closed a connection; returns false if the transport has
    /// ended. `on_one` says whether both sides agreed on one.
    pub fn lost(&mut self, which: PipeId, on_one: bool) -> bool {
        let way_out = self.writes() == Some(which) && self.reads() != which;
        let may_go = matches!(self.manner, PipeUse::Dropping { .. })
            || (self.manner == PipeUse::Double && on_one);
        if !(way_out && may_go) {
            if let (PipeId::Second, PipeUse::Back { .. }) = (which, self.manner) {
                self.no_way_back();
                return true;
            }
            return false;
        }
        self.manner = PipeUse::Both(self.reads());
        match which {
            PipeId::First => self.first = None,
            PipeId::Second => self.second = None,
        }
        true
    }

    /// When something is due.
    pub fn next_timeout(&self) -> Option<u64> {
        match self.manner {
            PipeUse::Silent { until, .. }
            | PipeUse::Awaited { until }
            | PipeUse::Back { until }
            | PipeUse::Dropping { until } => Some(until),
            PipeUse::Both(_) | PipeUse::Wanted | PipeUse::Double => None,
        }
    }

    /// Runs expired timers.
    pub fn handle_timeout(&mut self, now: u64) {
        if self.next_timeout().is_none_or(|at| at > now) {
            return;
        }
        match self.manner {
            PipeUse::Silent {
                calls_back: true, ..
            } => self.manner = PipeUse::Wanted,
            PipeUse::Silent { .. } | PipeUse::Awaited { .. } => {
                self.manner = PipeUse::Both(PipeId::First)
            }
            PipeUse::Back { .. } => self.no_way_back(),
            // The partner keeps both: so does this side.
            _ => self.manner = PipeUse::Double,
        }
    }

    /// The number of connections, for status displays.
    pub fn count(&self) -> usize {
        usize::from(self.first.is_some()) + usize::from(self.second.is_some())
    }
}

/// The listening address of the switch of a partner at `peer`: with the port that
/// the configuration has for that address, otherwise the standard port.
pub(crate) fn way_back(peer: SocketAddr, switches: &[SocketAddr]) -> SocketAddr {
    let named = switches.iter().find(|switch| switch.ip() == peer.ip());
    named
        .copied()
        .unwrap_or_else(|| SocketAddr::new(peer.ip(), sna::dlc::ssp::PORT))
}

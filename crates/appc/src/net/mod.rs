//! Transports of PIUs to partners: one a TCP connection or an Ethernet
//! interface, each with any number of links.
//!
//! The host's pump drives a transport: it calls it when its socket is ready and
//! at its deadline. The transport passes PIUs to the node and takes the node's
//! PIUs when its links have room.

mod agree;
mod dlsw;
mod ether;
mod names;
mod txqueue;

pub(crate) use agree::LocalNode;
pub(crate) use dlsw::{DlswTransport, PendingCircuit, PipeId, way_back};
pub(crate) use ether::EthernetTransport;
pub(crate) use names::{NameClaims, NameConflict, PATIENCE};

use crate::host::PeerFaultLog;
use crate::trace::CaptureWriter;
use sna::{LinkId, LuName, MonotonicTime, Node};

/// The surroundings of a transport in addition to its sockets.
pub(crate) struct TransportContext<'a> {
    pub node: &'a mut Node,
    pub now: MonotonicTime,
    pub trace: Option<&'a mut CaptureWriter>,
    pub link_events: &'a mut Vec<LinkEvent>,
    pub peer_faults: &'a mut PeerFaultLog,
    pub names: &'a mut NameClaims,
}

/// Events of a transport for the host.
#[derive(Debug)]
pub(crate) enum LinkEvent {
    /// A link is active. `call` is the number of the host's request for it.
    Up {
        call: Option<u64>,
        partners: Vec<LuName>,
    },
    /// A link could not be activated, or has ended. `partners` are the names
    /// that it had while active.
    Down {
        call: Option<u64>,
        partners: Vec<LuName>,
        why: String,
    },
}

/// A transport has ended: its socket is unusable.
#[derive(Debug)]
pub(crate) struct TransportFailure {
    /// The reason.
    pub why: String,
    /// Whether the partner violated the protocol.
    pub fault: bool,
}

impl TransportFailure {
    /// The network or the partner ended it.
    pub(crate) fn ended(why: impl ToString) -> TransportFailure {
        let (why, fault) = (why.to_string(), false);
        TransportFailure { why, fault }
    }

    /// The partner violated the protocol.
    pub(crate) fn fault(why: impl ToString) -> TransportFailure {
        let (why, fault) = (why.to_string(), true);
        TransportFailure { why, fault }
    }
}

impl TransportContext<'_> {
    pub(crate) fn trace(&mut self, write: impl FnOnce(&mut CaptureWriter) -> std::io::Result<()>) {
        if let Some(trace) = self.trace.as_deref_mut() {
            trace.add(write);
        }
    }

    /// Logs an error of a peer.
    pub(crate) fn complain(&mut self, peer: &dyn std::fmt::Display, why: &dyn std::fmt::Display) {
        self.peer_faults.log_fault(self.now, peer, why);
    }
}

/// One transport: a partner's DLSw switch, or an Ethernet interface.
pub(crate) enum LinkTransport {
    Dlsw(Box<DlswTransport>),
    Ether(Box<EthernetTransport>),
}

impl LinkTransport {
    /// Reads and writes a ready socket.
    pub fn handle_ready(
        &mut self,
        around: &mut TransportContext<'_>,
        which: PipeId,
        readable: bool,
        closing: bool,
    ) -> Result<(), TransportFailure> {
        match self {
            LinkTransport::Dlsw(dlsw) => dlsw.handle_ready(around, which, readable, closing),
            LinkTransport::Ether(ether) if readable => ether.handle_readable(around),
            _ => Ok(()),
        }
    }

    /// Takes as many PIUs from the node as fit, and writes.
    pub fn transmit(&mut self, around: &mut TransportContext<'_>) -> Result<(), TransportFailure> {
        match self {
            LinkTransport::Dlsw(dlsw) => dlsw.transmit(around),
            LinkTransport::Ether(ether) => ether.transmit(around),
        }
    }

    /// Runs expired timers.
    pub fn handle_timeout(
        &mut self,
        around: &mut TransportContext<'_>,
    ) -> Result<(), TransportFailure> {
        match self {
            LinkTransport::Dlsw(dlsw) => dlsw.handle_timeout(around),
            LinkTransport::Ether(ether) => {
                ether.handle_timeout(around);
                Ok(())
            }
        }
    }

    /// When something is due next, in nanoseconds of the host's clock.
    pub fn next_timeout(&self) -> Option<u64> {
        match self {
            LinkTransport::Dlsw(dlsw) => dlsw.next_timeout(),
            LinkTransport::Ether(ether) => ether.next_timeout(),
        }
    }

    /// The transport ended by itself: takes every link down with the reason,
    /// and logs it if the partner is at fault.
    pub fn broken(&mut self, around: &mut TransportContext<'_>, broken: &TransportFailure) {
        match self {
            LinkTransport::Dlsw(dlsw) => dlsw.broken(around, broken),
            LinkTransport::Ether(ether) => {
                tracing::warn!("{}: {}", ether.interface, broken.why);
                ether.close(around, &broken.why);
            }
        }
    }

    /// The partner's address of a link, if the link belongs to this transport.
    pub fn peer_of(&self, link: LinkId) -> Option<String> {
        match self {
            LinkTransport::Dlsw(dlsw) => dlsw.peer_of(link),
            LinkTransport::Ether(ether) => ether.peer_of(link),
        }
    }

    /// Takes every link down; the transport has ended.
    pub fn close(&mut self, around: &mut TransportContext<'_>, why: &str) {
        match self {
            LinkTransport::Dlsw(dlsw) => dlsw.close(around, why),
            LinkTransport::Ether(ether) => ether.close(around, why),
        }
    }

    /// Whether a link of it that is up and that `may_use` accepts leads to
    /// `partner`.
    pub fn leads_to(&self, partner: &LuName, may_use: &dyn Fn(LinkId) -> bool) -> bool {
        match self {
            LinkTransport::Dlsw(dlsw) => dlsw.leads_to(partner, may_use),
            LinkTransport::Ether(ether) => ether.leads_to(partner, may_use),
        }
    }

    /// Ends one link; its connection ends with it if it is the link's alone.
    pub fn disconnect(&mut self, around: &mut TransportContext<'_>, link: LinkId, why: &str) {
        match self {
            LinkTransport::Dlsw(dlsw) => dlsw.close(around, why),
            LinkTransport::Ether(ether) => {
                if let Some(place) = ether.peer_of(link) {
                    ether.disconnect(around, &place, why);
                }
            }
        }
    }

    /// Asks the partner at `place` to respond. Returns `false` if no partner
    /// has this address.
    pub fn probe_partner(&mut self, place: &str, now: MonotonicTime) -> bool {
        match self {
            LinkTransport::Dlsw(dlsw) => dlsw.probe_partner(place),
            LinkTransport::Ether(ether) => ether.probe_partner(place, now),
        }
    }

    /// Whether the partner at `place` has given a sign of life after `since`. Returns
    /// `None` if no link has this place.
    pub fn answered(
        &mut self,
        place: &str,
        since: MonotonicTime,
        now: MonotonicTime,
    ) -> Option<bool> {
        match self {
            LinkTransport::Dlsw(dlsw) => dlsw.answered(place, since, now),
            LinkTransport::Ether(ether) => ether.answered(place, since),
        }
    }

    /// Treats the partner at `place` as gone. Returns `true` if the whole
    /// transport is closed.
    pub fn give_up(&mut self, around: &mut TransportContext<'_>, place: &str, why: &str) -> bool {
        match self {
            LinkTransport::Dlsw(_) => true,
            LinkTransport::Ether(ether) => {
                ether.give_up(around, place, why);
                false
            }
        }
    }

    /// Lines for `tupelo appc status`.
    pub fn describe(&self, out: &mut Vec<crate::admin::LinkStatus>) {
        match self {
            LinkTransport::Dlsw(dlsw) => dlsw.describe(out),
            LinkTransport::Ether(ether) => ether.describe(out),
        }
    }
}

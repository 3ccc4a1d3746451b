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

pub(crate) use agree::Local;
pub(crate) use dlsw::{Dlsw, Which, Wish, way_back};
pub(crate) use ether::Ether;
pub(crate) use names::{Contest, Names, PATIENCE};

use crate::host::PeerFaultLog;
use crate::trace::Trace;
use sna::{Instant, LinkId, LuName, Node};

/// The surroundings of a transport in addition to its sockets.
pub(crate) struct TransportContext<'a> {
    pub node: &'a mut Node,
    pub now: Instant,
    pub trace: Option<&'a mut Trace>,
    pub told: &'a mut Vec<LinkEvent>,
    pub peer_faults: &'a mut PeerFaultLog,
    pub names: &'a mut Names,
}

/// Events of a transport for the host.
#[derive(Debug)]
pub(crate) enum LinkEvent {
    /// A link is up. `call` is the number of the host's wish it fulfils.
    Up {
        call: Option<u64>,
        partners: Vec<LuName>,
    },
    /// A link did not come up, or is gone. `partners` are the names under which
    /// it was known while it was up.
    Down {
        call: Option<u64>,
        partners: Vec<LuName>,
        why: String,
    },
}

/// A transport has ended: its socket is unusable.
#[derive(Debug)]
pub(crate) struct Broken {
    /// The reason.
    pub why: String,
    /// Whether the partner did what it must not.
    pub fault: bool,
}

impl Broken {
    /// The network or the partner ended it.
    pub(crate) fn ended(why: impl ToString) -> Broken {
        let (why, fault) = (why.to_string(), false);
        Broken { why, fault }
    }

    /// The partner did what it must not.
    pub(crate) fn fault(why: impl ToString) -> Broken {
        let (why, fault) = (why.to_string(), true);
        Broken { why, fault }
    }
}

impl TransportContext<'_> {
    pub(crate) fn trace(&mut self, write: impl FnOnce(&mut Trace) -> std::io::Result<()>) {
        if let Some(trace) = self.trace.as_deref_mut() {
            trace.add(write);
        }
    }

    /// Logs what a peer did wrong.
    pub(crate) fn complain(&mut self, peer: &dyn std::fmt::Display, why: &dyn std::fmt::Display) {
        self.peer_faults.tell(self.now, peer, why);
    }
}

/// One transport: a partner's DLSw switch, or an Ethernet interface.
pub(crate) enum Transport {
    Dlsw(Box<Dlsw>),
    Ether(Box<Ether>),
}

impl Transport {
    /// Reads and writes what the socket is ready for.
    pub fn handle_ready(
        &mut self,
        around: &mut TransportContext<'_>,
        which: Which,
        readable: bool,
        closing: bool,
    ) -> Result<(), Broken> {
        match self {
            Transport::Dlsw(dlsw) => dlsw.handle_ready(around, which, readable, closing),
            Transport::Ether(ether) if readable => ether.handle_readable(around),
            _ => Ok(()),
        }
    }

    /// Takes the node's PIUs as far as there is room, and writes.
    pub fn transmit(&mut self, around: &mut TransportContext<'_>) -> Result<(), Broken> {
        match self {
            Transport::Dlsw(dlsw) => dlsw.transmit(around),
            Transport::Ether(ether) => ether.transmit(around),
        }
    }

    /// Does what is due.
    pub fn handle_timeout(&mut self, around: &mut TransportContext<'_>) -> Result<(), Broken> {
        match self {
            Transport::Dlsw(dlsw) => dlsw.handle_timeout(around),
            Transport::Ether(ether) => {
                ether.handle_timeout(around);
                Ok(())
            }
        }
    }

    /// When something is due next, in nanoseconds of the host's clock.
    pub fn next_timeout(&self) -> Option<u64> {
        match self {
            Transport::Dlsw(dlsw) => dlsw.next_timeout(),
            Transport::Ether(ether) => ether.next_timeout(),
        }
    }

    /// The transport ended by itself: takes every link down with the reason,
    /// and logs it if the partner is at fault.
    pub fn broken(&mut self, around: &mut TransportContext<'_>, broken: &Broken) {
        match self {
            Transport::Dlsw(dlsw) => dlsw.broken(around, broken),
            Transport::Ether(ether) => {
                tracing::warn!("{}: {}", ether.interface, broken.why);
                ether.close(around, &broken.why);
            }
        }
    }

    /// Where the partner of a link is seen, when the link is one of its own.
    pub fn peer_of(&self, link: LinkId) -> Option<String> {
        match self {
            Transport::Dlsw(dlsw) => dlsw.peer_of(link),
            Transport::Ether(ether) => ether.peer_of(link),
        }
    }

    /// Takes every link down; the transport has ended.
    pub fn close(&mut self, around: &mut TransportContext<'_>, why: &str) {
        match self {
            Transport::Dlsw(dlsw) => dlsw.close(around, why),
            Transport::Ether(ether) => ether.close(around, why),
        }
    }

    /// Whether a link of it that is up leads to `partner`.
    pub fn leads_to(&self, partner: &LuName) -> bool {
        match self {
            Transport::Dlsw(dlsw) => dlsw.leads_to(partner),
            Transport::Ether(ether) => ether.leads_to(partner),
        }
    }

    /// Asks the partner at `place` to respond; returns false if there is none
    /// at that place.
    pub fn ask(&mut self, place: &str, now: Instant) -> bool {
        match self {
            Transport::Dlsw(dlsw) => dlsw.ask(place),
            Transport::Ether(ether) => ether.ask(place, now),
        }
    }

    /// Whether it has given one since then; `None` when there is no such place.
    pub fn answered(&mut self, place: &str, since: Instant, now: Instant) -> Option<bool> {
        match self {
            Transport::Dlsw(dlsw) => dlsw.answered(place, since, now),
            Transport::Ether(ether) => ether.answered(place, since),
        }
    }

    /// Takes a partner at `place` for gone. True when the whole transport is.
    pub fn give_up(&mut self, around: &mut TransportContext<'_>, place: &str, why: &str) -> bool {
        match self {
            Transport::Dlsw(_) => true,
            Transport::Ether(ether) => {
                ether.give_up(around, place, why);
                false
            }
        }
    }

    /// Lines for `tupelo appc status`.
    pub fn describe(&self, out: &mut Vec<crate::admin::LinkStatus>) {
        match self {
            Transport::Dlsw(dlsw) => dlsw.describe(out),
            Transport::Ether(ether) => ether.describe(out),
        }
    }
}

//! What carries PIUs to partners: one transport a TCP connection or an Ethernet
//! interface, each with any number of links.
//!
//! A transport is driven by the host's pump: it is told when its socket is
//! ready and when its time has come, and it hands PIUs to the node and takes
//! the node's PIUs when its links have room.

mod agree;
mod dlsw;
mod ether;
mod txqueue;

pub(crate) use agree::Local;
pub(crate) use dlsw::{Dlsw, Which, Wish, way_back};
pub(crate) use ether::Ether;

use crate::trace::Trace;
use sna::{Instant, LuName, Node};

/// What a transport works on beside its sockets.
pub(crate) struct Surroundings<'a> {
    pub node: &'a mut Node,
    pub now: Instant,
    pub trace: Option<&'a mut Trace>,
    pub told: &'a mut Vec<Told>,
}

/// What a transport tells the host.
#[derive(Debug)]
pub(crate) enum Told {
    /// A link is up. `call` is the number of the host's wish it fulfils.
    Up { call: Option<u64> },
    /// A link did not come up, or is gone.
    Down { call: Option<u64>, why: String },
}

/// A transport is over: its socket is of no use any more.
#[derive(Debug)]
pub(crate) struct Broken(pub String);

impl Surroundings<'_> {
    pub(crate) fn trace(&mut self, write: impl FnOnce(&mut Trace) -> std::io::Result<()>) {
        if let Some(trace) = self.trace.as_deref_mut()
            && let Err(error) = write(trace)
        {
            tracing::warn!("the trace cannot be written: {error}");
        }
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
        around: &mut Surroundings<'_>,
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
    pub fn transmit(&mut self, around: &mut Surroundings<'_>) -> Result<(), Broken> {
        match self {
            Transport::Dlsw(dlsw) => dlsw.transmit(around),
            Transport::Ether(ether) => ether.transmit(around),
        }
    }

    /// Does what is due.
    pub fn handle_timeout(&mut self, around: &mut Surroundings<'_>) -> Result<(), Broken> {
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

    /// Takes every link down: the transport is over.
    pub fn close(&mut self, around: &mut Surroundings<'_>, why: &str) {
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

    /// Lines for `tupelo appc status`.
    pub fn describe(&self, out: &mut Vec<crate::admin::LinkStatus>) {
        match self {
            Transport::Dlsw(dlsw) => dlsw.describe(out),
            Transport::Ether(ether) => ether.describe(out),
        }
    }
}

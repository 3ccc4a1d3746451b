//! The TCP conversations of a transport in a trace: each connection with its
//! own ports, and the bytes written in each direction.

use super::pipes::{PipeId, PipePair};
use crate::trace::Flow;
use std::collections::HashMap;
use std::net::SocketAddr;

/// The addresses and progress of the connections in use.
#[derive(Debug)]
pub(super) struct TraceFlows {
    /// Placeholder for an address that the system no longer returns.
    peer: SocketAddr,
    known: HashMap<PipeId, Flow>,
}

impl TraceFlows {
    /// With a partner that is seen at `peer`.
    pub fn new(peer: SocketAddr) -> TraceFlows {
        TraceFlows {
            peer,
            known: HashMap::new(),
        }
    }

    /// One connection's.
    pub fn of(&mut self, which: PipeId, pipes: &PipePair) -> &mut Flow {
        let peer = self.peer;
        self.known.entry(which).or_insert_with(|| {
            let [local, peer] = pipes.ends(which).unwrap_or([peer, peer]);
            Flow::new(local, peer)
        })
    }
}

//! Which shard a packet belongs to.
//!
//! Connections are spread by a hash of their two ends. Those of DLSw are spread
//! by their hosts alone, so that the two connections of a link meet. Most of them are
//! known by their ports from the first packet on, the others by the exchange of
//! capabilities; what was seen of the connection before moves.
//! Invariant: decided from the packets in the order of the file, so the same
//! for any number of threads.

use super::SHARDS;
use crate::app::is_capabilities;
use crate::decode::{FlowKey, Packet};
use crate::{AnalysisOptions, AppProtocol};
use std::collections::HashSet;

/// Where connections are.
pub(super) struct ConnectionPlaces {
    /// Ports of DLSw.
    ports: Vec<u16>,
    /// Connections on other ports that showed to be DLSw.
    moved: HashSet<FlowKey, foldhash::fast::RandomState>,
}

impl ConnectionPlaces {
    /// Nothing was seen.
    pub(super) fn new(options: &AnalysisOptions) -> ConnectionPlaces {
        let given = options.protocols.iter();
        let given = given.filter(|(_, protocol)| *protocol == AppProtocol::Dlsw);
        ConnectionPlaces {
            ports: [2065, 2067]
                .into_iter()
                .chain(given.map(|(port, _)| *port))
                .collect(),
            moved: HashSet::default(),
        }
    }

    /// Sets the shard of a packet with this payload; returns the shard where its
    /// connection was until now, when it moves.
    #[inline]
    pub(super) fn place(&mut self, packet: &mut Packet, payload: &[u8]) -> Option<usize> {
        let spread = packet.key.shard_hash() as usize % SHARDS;
        packet.shard = spread as u8;
        let ports = packet.key.ports;
        let by_port = self.ports.iter().any(|port| ports.contains(port));
        let shows = !by_port && is_capabilities(payload);
        if packet.llc.is_some() || !(by_port || shows || !self.moved.is_empty()) {
            return None;
        }
        let known = by_port || self.moved.contains(&packet.key);
        let new = !known && shows && self.moved.len() < MAX_MOVED;
        if !(known || new) {
            return None;
        }
        packet.dlsw = true;
        packet.shard = (packet.key.hosts_hash() as usize % SHARDS) as u8;
        if new {
            self.moved.insert(packet.key);
        }
        (new && usize::from(packet.shard) != spread).then_some(spread)
    }
}

/// Connections on other ports that are remembered.
const MAX_MOVED: usize = 4096;

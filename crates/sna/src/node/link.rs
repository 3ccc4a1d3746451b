//! Links of a node: addresses of sessions on them, and whose turn it is to
//! send.
//!
//! A session's address is assigned by the node that sends the BIND, out of the
//! half of the space that its link station has: ODAI 0 for the primary, 1 for
//! the secondary. `X'00'` and `X'01'` as high byte belong to control points
//! and dependent logical units, so assignment starts at `X'02'`.

use super::config::{LinkConfig, LinkRole};
use crate::mode::TransmissionPriority;
use crate::session::SessionId;
use crate::session::segment::Reassembler;
use crate::wire::th::Address;
use std::collections::{HashMap, VecDeque};

/// One link.
#[derive(Debug)]
pub(super) struct Link {
    pub config: LinkConfig,
    /// Sessions by the address their PIUs carry on the way in.
    pub sessions: HashMap<Address, SessionId>,
    /// PIUs that no half-session queues: BIND, UNBIND and their responses.
    pub control: VecDeque<Vec<u8>>,
    /// A request outside any session that arrives in segments.
    pub unclaimed: (Option<Address>, Reassembler),
    ready: [VecDeque<SessionId>; 4],
    next: u16,
}

impl Link {
    pub fn new(config: LinkConfig) -> Link {
        Link {
            config,
            sessions: HashMap::new(),
            control: VecDeque::new(),
            unclaimed: (None, Reassembler::default()),
            ready: Default::default(),
            next: 0,
        }
    }

    /// A free address, in the form of outgoing PIUs.
    pub fn assign(&mut self) -> Option<Address> {
        for _ in 0..HIGHS * LOWS {
            let (high, low) = (self.next / LOWS, self.next % LOWS);
            self.next = (self.next + 1) % (HIGHS * LOWS);
            let address = Address {
                odai: self.config.role == LinkRole::Secondary,
                oaf: (high + FIRST_HIGH) as u8,
                daf: (low + 1) as u8,
            };
            if !self.sessions.contains_key(&address.swapped()) {
                return Some(address);
            }
        }
        None
    }

    /// Puts a session in line.
    pub fn enqueue(&mut self, session: SessionId, priority: TransmissionPriority) {
        self.ready[priority as usize].push_back(session);
    }

    /// Takes the next session that has the network's own priority. It goes
    /// before session control, so that a BIND does not overtake the limits
    /// that allow it.
    pub fn dequeue_network(&mut self) -> Option<SessionId> {
        self.ready[TransmissionPriority::Network as usize].pop_front()
    }

    /// Takes the session whose turn it is.
    pub fn dequeue(&mut self) -> Option<SessionId> {
        self.ready.iter_mut().rev().find_map(VecDeque::pop_front)
    }
}

const FIRST_HIGH: u16 = 2;
const HIGHS: u16 = 253;
const LOWS: u16 = 254;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Key;

    #[test]
    fn addresses_are_assigned_from_the_stations_own_half() {
        let mut link = Link::new(LinkConfig::new(LinkRole::Secondary, 265));
        let a = link.assign().unwrap();
        assert_eq!((a.odai, a.oaf, a.daf), (true, 2, 1));
        link.sessions.insert(a.swapped(), SessionId::from_raw(1));
        link.next = 0;
        assert_ne!(link.assign().unwrap(), a);
    }

    #[test]
    fn higher_priorities_go_first() {
        let mut link = Link::new(LinkConfig::new(LinkRole::Primary, 265));
        let id = SessionId::from_raw;
        link.enqueue(id(1), TransmissionPriority::Low);
        link.enqueue(id(2), TransmissionPriority::Network);
        link.enqueue(id(3), TransmissionPriority::High);
        let order: Vec<_> = std::iter::from_fn(|| link.dequeue()).collect();
        assert_eq!(order, [id(2), id(3), id(1)]);
    }
}

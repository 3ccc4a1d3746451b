//! Connections that the capture has on both sides of something that translates
//! addresses: each counts once.
//!
//! Both have the same numbers, or the same first words of TLS, began at nearly
//! the same time and have different clients. Invariant: a bounded number is
//! remembered a share; what comes later counts as it stands.

use crate::{Connection, Service, Side};
use std::collections::HashMap;
use std::net::IpAddr;

/// What one connection adds to the counts of its service.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counted {
    opened: bool,
    single_exchange: bool,
    closed_by_server: bool,
    crossed: bool,
    closed: bool,
    reset: bool,
    refused: bool,
    port_reused: bool,
    tls: bool,
    tls_answered: bool,
    tls_resumed: bool,
    syn_retries: u32,
}

impl Counted {
    /// `reused`: its addresses were those of an earlier one; `asks_again`: it is the
    /// earlier one, refused then and asked for once more.
    pub(super) fn of(connection: &Connection, reused: bool, asks_again: bool) -> Counted {
        let (shake, close) = (&connection.handshake, &connection.close);
        let tls = connection.tls.as_ref();
        // What came on a connection from before the capture may be its rest, and what
        // nobody answered is no habit of asking.
        let opened = shake.syns > 0 && shake.syn_acks > 0;
        let said = connection.client.bytes > 0 && connection.server.bytes > 0;
        // Behind bytes that are no message of its protocol nobody knows how much was asked.
        let answered = connection.exchanges == 1 && said && !connection.strayed;
        Counted {
            opened,
            single_exchange: opened && answered && tls.is_none_or(crate::Tls::has_asked),
            closed_by_server: matches!(close.first_fin, Some((Side::Server, _))) && !close.crossed,
            crossed: close.crossed,
            closed: close.is_closed(),
            reset: close.reset.is_some(),
            refused: connection.was_refused() && !asks_again,
            port_reused: reused,
            tls: tls.is_some(),
            tls_answered: tls.is_some_and(|tls| tls.version != 0),
            tls_resumed: tls.is_some_and(|tls| tls.resumed),
            syn_retries: shake.syns.saturating_sub(1),
        }
    }

    /// Adds it to the service's counts.
    pub(super) fn add_to(&self, service: &mut Service) {
        self.change(service, |count, by| *count += by);
    }

    /// Takes it out of them again.
    fn take_from(&self, service: &mut Service) {
        self.change(service, |count, by| *count -= by);
    }

    fn change(&self, service: &mut Service, change: impl Fn(&mut u64, u64)) {
        change(&mut service.connections, 1);
        change(&mut service.opened, self.opened.into());
        change(&mut service.single_exchange, self.single_exchange.into());
        change(&mut service.closed_by_server, self.closed_by_server.into());
        change(&mut service.closed_at_once, self.crossed.into());
        change(&mut service.closed, self.closed.into());
        change(&mut service.resets, self.reset.into());
        change(&mut service.refused, self.refused.into());
        change(&mut service.ports_reused, self.port_reused.into());
        change(&mut service.tls, self.tls.into());
        change(&mut service.tls_answered, self.tls_answered.into());
        change(&mut service.tls_resumed, self.tls_resumed.into());
        change(&mut service.syn_retries, self.syn_retries.into());
    }
}

/// The connections of one service that are remembered, by what tells them apart.
#[derive(Debug, Default)]
pub(super) struct Twins(HashMap<u64, Seen>);

#[derive(Clone, Copy, Debug)]
struct Seen {
    client: IpAddr,
    first_ns: i64,
    counted: Counted,
}

impl Seen {
    /// Whether two of one mark are one connection at two places.
    fn is_twin_of(&self, other: &Seen) -> bool {
        self.client != other.client && (self.first_ns - other.first_ns).abs() <= APART_NS
    }
}

impl Twins {
    /// Whether this connection is another one's other side; remembers it else, while there is
    /// `room`.
    pub(super) fn is_known(
        &mut self,
        connection: &Connection,
        counted: Counted,
        room: &mut usize,
    ) -> bool {
        let Some(mark) = connection.mark() else {
            return false;
        };
        let seen = Seen {
            client: connection.client.address,
            first_ns: connection.first_ns,
            counted,
        };
        if let Some(first) = self.0.get(&mark) {
            return first.is_twin_of(&seen);
        }
        if *room > 0 {
            *room -= 1;
            self.0.insert(mark, seen);
        }
        false
    }

    /// Takes what `theirs` has of the same connections out of their counts, and remembers the
    /// rest.
    pub(super) fn merge(&mut self, theirs: Twins, counts: &mut Service) {
        for (mark, seen) in theirs.0 {
            match self.0.get(&mark) {
                Some(first) if first.is_twin_of(&seen) => seen.counted.take_from(counts),
                Some(_) => {}
                None => {
                    self.0.insert(mark, seen);
                }
            }
        }
    }
}

/// Connections that are remembered, a share.
pub(super) const MOST: usize = 1 << 13;

/// What translates addresses takes no longer to pass a packet on.
const APART_NS: i64 = 100_000_000;

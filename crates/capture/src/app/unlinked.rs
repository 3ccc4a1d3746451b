//! The messages of a DLSw connection before its link is known.
//!
//! Each of two switches may open a connection and write on the one it opened.
//! A connection that carries both directions is a link by itself. One that
//! carries one direction is half of a link; its other half shows by the circuits
//! that both name, or because no other connection between the two hosts fits.
//! Reference: RFC 1795, sections 3 (transport connection) and 7 (capabilities
//! exchange).
//! Invariant: at most [`MAX_CIRCUITS`] circuits are remembered.

use super::dlsw::header;
use crate::ConnectionSide;
use sna::dlc::caps::Exchange;
use sna::dlc::ssp::{CircuitEnd, Kind, StationPair};

/// The messages of a connection before its link is known.
#[derive(Debug, Default)]
pub(crate) struct UnlinkedMessages {
    /// The end that sent first.
    pub(crate) speaker: Option<ConnectionSide>,
    /// Both ends have sent.
    pub(crate) both: bool,
    /// The sender has answered a message of another connection, so this is half
    /// of a link that began with two connections.
    pub(crate) half: bool,
    /// Messages.
    messages: usize,
    /// It began with the capabilities of its sender.
    begun: bool,
    /// Something that no end sends before the other one has answered.
    answered: bool,
    circuits: Vec<NamedCircuit>,
}

/// A circuit as both switches name it, and whether the origin's switch wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NamedCircuit {
    stations: StationPair,
    origin: CircuitEnd,
    from_origin: bool,
}

impl UnlinkedMessages {
    /// Takes a message of `side`.
    pub(super) fn add(&mut self, side: ConnectionSide, head: &[u8]) {
        if !self.both && self.speaker.is_some_and(|speaker| speaker != side) {
            (self.both, self.half) = (true, self.begun && self.answered);
        }
        self.speaker.get_or_insert(side);
        self.messages += 1;
        let Some((message, data)) = header(head) else {
            return;
        };
        let requests = message.kind == Kind::CapExchange
            && matches!(Exchange::parse(data), Ok(Exchange::Request(_)));
        self.begun |= requests && self.messages == 1;
        self.answered |= !requests;
        let named = matches!(message.kind, Kind::CanYouReach | Kind::ICanReach);
        if let Some(control) = message.control.filter(|c| named && !c.explorer)
            && self.circuits.len() < MAX_CIRCUITS
        {
            self.circuits.push(NamedCircuit {
                stations: control.stations,
                origin: CircuitEnd {
                    transport: 0,
                    ..control.origin
                },
                from_origin: control.from_origin,
            });
        }
    }

    /// So much was said that the link must be known now.
    pub(crate) fn is_long(&self) -> bool {
        self.messages >= MAX_MESSAGES
    }

    /// Both were followed from their capabilities on.
    pub(crate) fn both_begun(&self, other: &UnlinkedMessages) -> bool {
        self.begun && other.begun
    }

    /// Whether one of the two answers messages of the other, so that they are
    /// one link.
    pub(crate) fn shares_circuit(&self, other: &UnlinkedMessages) -> bool {
        self.circuits.iter().any(|own| {
            let answer = NamedCircuit {
                from_origin: !own.from_origin,
                ..*own
            };
            other.circuits.contains(&answer)
        })
    }

    /// Nothing says that they are not one link.
    pub(crate) fn may_belong(&self, other: &UnlinkedMessages) -> bool {
        let strange = !self.circuits.is_empty() && !other.circuits.is_empty();
        !strange || self.shares_circuit(other)
    }

    /// Enough was said in one direction each to take two connections for one
    /// link when no third one fits; with `last` there will not be more.
    pub(crate) fn suffices(&self, other: &UnlinkedMessages, last: bool) -> bool {
        if self.both_begun(other) {
            self.answered || other.answered
        } else {
            last || (self.messages >= ONE_WAY && other.messages >= ONE_WAY)
        }
    }
}

/// Circuits remembered of one connection.
const MAX_CIRCUITS: usize = 64;

/// Messages that wait for their link.
const MAX_MESSAGES: usize = 256;

/// Without the beginning, so many messages each without an answer on the same
/// connection show that answers go another way.
const ONE_WAY: usize = 8;

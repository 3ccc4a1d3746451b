//! Which connection a full listener closes for a new one.
//!
//! Every listener has a limit on its connections, and connections cost a client
//! next to nothing. A listener that turned newcomers away at its limit could be
//! closed to all by a few silent clients. So each listener here follows one rule:
//! it accepts, and then makes a place. Half-open connections go first, such as
//! those within a handshake or a greeting; then the one that has been idle for
//! longest; none that is at work. One that has just come is spared for a moment,
//! for its request may be on its way. While all are at work, newcomers wait in the
//! system's queue, except for a few places that are kept for health and
//! administration.
//!
//! [`rule`] is that rule over any kind of connection, without a socket. [`ListenerSeats`]
//! is the list of connections of a listener that keeps no list of its own.
//!
//! Invariant: nothing here reads or writes a connection.

pub mod rule;
mod seats;

pub use rule::{ClosableConnection, ConnectionHost, IdleKind, IdleQueue, SeatLimits, make_place};
pub use seats::{ConnectionSeat, ListenerSeats, SeatHandle, SeatPhase, SeatWork};

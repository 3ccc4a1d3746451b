//! Half-sessions: everything between PIUs and the requests of one session.
//!
//! [`pacing`] counts windows, [`segment`] splits and joins BIUs, [`checks`] finds
//! wrong headers, [`half`] combines them with sequence numbers, chains, brackets
//! and turns. They do not depend on conversations. Reference: IBM *SNA LU 6.2
//! Reference: Peer Protocols* (SC31-6808), half-session.

pub mod checks;
pub mod half;
pub mod pacing;
pub mod segment;

crate::arena::key!(
    /// One session of a node.
    SessionId
);

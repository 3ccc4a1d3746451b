//! Events of a node for its driver.
//!
//! Events never contain the result of a verb; they name the verb to call again.
//! Each is returned once.

use super::LinkId;
use crate::conversation::ConversationId;
use crate::conversation::code::ConversationType;
use crate::mode::SyncLevel;
use crate::name::{LuName, ModeName, TpName};
use crate::session::SessionId;
use crate::wire::Sense;
use std::fmt;

/// Something happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeEvent {
    /// A verb of this conversation that gave `Pending` can continue.
    Ready(ConversationId),
    /// A partner attached a program; the conversation waits to be accepted.
    Attached(CheckedAttach),
    /// A session is active.
    SessionUp {
        /// The session.
        session: SessionId,
        /// The partner.
        partner: LuName,
        /// The mode.
        mode: ModeName,
        /// Whether this side won contention.
        winner: bool,
    },
    /// A session has ended.
    SessionDown {
        /// The session.
        session: SessionId,
        /// The partner.
        partner: LuName,
        /// The mode.
        mode: ModeName,
        /// Why.
        cause: SessionOutage,
    },
    /// Session limits with a partner changed, or could not be changed.
    Limits {
        /// The partner.
        partner: LuName,
        /// The mode.
        mode: ModeName,
        /// The limits now in force.
        limits: Limits,
        /// Whether a request of this side was granted, and if not, why.
        outcome: CnosOutcome,
    },
    /// A PIU arrived that belongs to no session, or that violates the protocol.
    PeerFault {
        /// The link.
        link: LinkId,
        /// The sense code it earned.
        sense: Sense,
        /// The Attach, when it is one that was refused.
        attach: Option<RefusedAttach>,
    },
}

/// An Attach that started nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedAttach {
    /// The sender.
    pub partner: LuName,
    /// The requested program. `None` if it could not be read.
    pub tp: Option<TpName>,
}

/// An attach that passed all checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedAttach {
    /// The conversation, in receive state after it is accepted.
    pub conversation: ConversationId,
    /// The local logical unit it was attached to.
    pub local: LuName,
    /// The partner.
    pub partner: LuName,
    /// The mode.
    pub mode: ModeName,
    /// The program.
    pub tp: TpName,
    /// Basic or mapped.
    pub kind: ConversationType,
    /// Sync level.
    pub sync: SyncLevel,
    /// The user, checked here or by a trusted partner.
    pub user: Option<String>,
    /// Program initialisation parameters.
    pub pip: Vec<Vec<u8>>,
}

/// Why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionOutage {
    /// Both sides wanted it.
    Normal,
    /// The link failed.
    Link,
    /// The partner ended it with this UNBIND type.
    Unbound(u8),
    /// The partner did not answer in time.
    Timeout,
    /// The BIND was refused.
    Refused(Sense),
    /// The partner broke the protocol.
    PeerFault(Sense),
}

impl fmt::Display for SessionOutage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SessionOutage::Normal => f.write_str("the session was ended normally"),
            SessionOutage::Link => f.write_str("the link went down"),
            SessionOutage::Unbound(kind) => write!(f, "the partner sent UNBIND of type {kind:02X}"),
            SessionOutage::Timeout => f.write_str("the partner did not answer the BIND in time"),
            SessionOutage::Refused(sense) => write!(f, "the BIND was rejected with sense {sense}"),
            SessionOutage::PeerFault(sense) => {
                write!(f, "the partner violated the protocol: {sense}")
            }
        }
    }
}

/// Why a conversation got no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionDenial {
    /// This node's definition of the mode allows no session.
    ModeClosed,
    /// Session limits were not set, and this node does not set them by itself.
    LimitsNotSet,
    /// The exchange of session limits ended like this.
    Limits(CnosOutcome),
    /// The exchange of session limits had no session of its own, for this
    /// reason.
    NoServiceSession(SessionOutage),
    /// A session was lost or refused.
    Session(SessionOutage),
    /// No link leads to the partner, or nothing more fits on it.
    NoRoute,
}

impl fmt::Display for SessionDenial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SessionDenial::ModeClosed => f.write_str("this node's mode allows no session"),
            SessionDenial::LimitsNotSet => {
                f.write_str("the mode's session limits are not initialised")
            }
            SessionDenial::Limits(outcome) => write!(f, "session limits: {outcome}"),
            SessionDenial::NoServiceSession(outage) => {
                write!(f, "no session of SNASVCMG to agree on limits: {outage}")
            }
            SessionDenial::Session(outage) => outage.fmt(f),
            SessionDenial::NoRoute => {
                f.write_str("no link leads to the partner, or its links are full")
            }
        }
    }
}

/// Session limits of a partner and mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Sessions in all.
    pub sessions: u16,
    /// Sessions this side is promised to win.
    pub local_winners: u16,
    /// Sessions the partner is promised to win.
    pub remote_winners: u16,
}

/// The outcome of an exchange of session limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CnosOutcome {
    /// As asked.
    Accepted,
    /// The partner lowered the requested limits.
    Negotiated,
    /// The partner changed them.
    ByPartner,
    /// Both sides sent a request at once, and the partner's has precedence.
    CommandRace,
    /// The partner does not have the mode.
    ModeNotRecognized,
    /// The partner keeps the limit at zero.
    LimitClosed,
    /// No session, or an invalid answer.
    Failed,
}

impl fmt::Display for CnosOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CnosOutcome::Accepted => "accepted as requested",
            CnosOutcome::Negotiated => "lowered by the partner",
            CnosOutcome::ByPartner => "changed by the partner",
            CnosOutcome::CommandRace => "both sides requested at once",
            CnosOutcome::ModeNotRecognized => "the mode is not defined at the partner",
            CnosOutcome::LimitClosed => "the partner keeps the mode's limit at zero",
            CnosOutcome::Failed => "the partner's answer is not valid",
        })
    }
}

//! LU 6.2 as pure state machines: wire formats, sessions, pacing, conversations,
//! CPI-C, and the link layers.
//!
//! Layer 0: no socket, no clock, no thread. Input and the time are passed to
//! `handle_*`; output is taken from `poll_*`.

#![forbid(unsafe_code)]

mod arena;
pub mod conversation;
pub mod cpic;
pub mod dlc;
pub mod ebcdic;
pub mod mode;
pub mod name;
pub mod node;
pub mod secret;
pub mod session;
pub mod time;
pub mod wire;

pub use conversation::ConversationId;
pub use conversation::code::{
    ConversationType, DataReceived, DeallocateType, ErrorDirection, Fill, PrepareToReceiveType,
    ReceiveType, ReturnCode, ReturnControl, SendType, State, StatusReceived,
};
pub use conversation::{ConversationAttributes, ReceiveStatus, SendResult};
pub use mode::{Mode, ModeTable, PacingMode, SyncLevel, TransmissionPriority};
pub use name::{LuName, ModeName, TpName};
pub use node::config::{
    LinkConfig, LinkRole, LocalUser, NodeConfig, PartnerLu, ProgramAvailability, TpDefinition,
    TpSecurity,
};
pub use node::event::{
    CheckedAttach, CnosOutcome, Limits, NodeEvent, RefusedAttach, SessionDenial, SessionOutage,
};
pub use node::{
    AllocateParameters, AllocateSecurity, AttachRefusal, ChangedSessions, LinkId, Node, SessionInfo,
};
pub use secret::PasswordBytes;
pub use session::SessionId;
pub use time::MonotonicTime;

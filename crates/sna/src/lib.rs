//! LU 6.2 as pure state machines: wire formats, sessions, pacing, conversations, CPI-C, and a token-ring link in virtual time.
//!
//! Layer 0: no socket, no clock, no thread. Bytes and the time come in through `handle_*`,
//! what is to be sent comes out of `poll_*`.

#![forbid(unsafe_code)]

mod arena;
pub mod conversation;
pub mod cpic;
pub mod dlc;
pub mod ebcdic;
pub mod mode;
pub mod name;
pub mod node;
pub mod ring;
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
pub use mode::{Mode, ModeTable, PacingMode, TransmissionPriority, SyncLevel};
pub use name::{LuName, ModeName, TpName};
pub use node::config::{
    ProgramAvailability, LinkConfig, LinkRole, NodeConfig, PartnerLu, TpDefinition, TpSecurity, LocalUser,
};
pub use node::event::{CheckedAttach, CnosOutcome, SessionDenial, NodeEvent, Limits, SessionOutage, RefusedAttach};
pub use node::{AllocateParameters, LinkId, Node, AttachRefusal, ChangedSessions, AllocateSecurity, SessionInfo};
pub use secret::PasswordBytes;
pub use session::SessionId;
pub use time::MonotonicTime;

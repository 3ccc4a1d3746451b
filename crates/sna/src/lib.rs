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
pub use conversation::{Attributes, Received, Sent};
pub use mode::{Mode, ModeTable, PacingMode, Priority, SyncLevel};
pub use name::{LuName, ModeName, TpName};
pub use node::config::{
    Availability, LinkConfig, LinkRole, NodeConfig, Partner, TpDefinition, TpSecurity, User,
};
pub use node::event::{Attached, CnosOutcome, Denial, Event, Limits, Outage, RefusedAttach};
pub use node::{Allocate, LinkId, Node, Refusal, Renewed, Security, SessionInfo};
pub use secret::Secret;
pub use session::SessionId;
pub use time::Instant;

//! The interface of an APPC stack for a region.
//!
//! The region implements states and commands; the APPC stack has the sessions
//! and the bytes. Every method may wait: the region calls them on a thread that
//! serves one conversation only.
//!
//! Reference: CICS distributed transaction programming guide.

use std::fmt::Debug;

use super::TaskUnit;

/// Sense data that EIBERRCD shows.
pub mod sense {
    /// The partner issued an error.
    pub const PROGRAM_ERROR: u32 = 0x0889_0000;
    /// The partner ended the conversation as failed.
    pub const ABEND: u32 = 0x0864_0000;
    /// The session failed.
    pub const SESSION: u32 = 0xA000_0000;
    /// The partner does not know the process.
    pub const NAME_UNKNOWN: u32 = 0x1008_6021;
    /// The process cannot be started now.
    pub const NOT_NOW: u32 = 0x084B_6031;
    /// The process cannot be started.
    pub const NOT_AVAILABLE: u32 = 0x084C_0000;
    /// The partner refused the user.
    pub const SECURITY: u32 = 0x080F_6051;
    /// The process takes no initialisation parameters.
    pub const PIP_NOT_ALLOWED: u32 = 0x1008_6031;
    /// The initialisation parameters are not as they must be.
    pub const PIP_WRONG: u32 = 0x1008_6032;
    /// The process wants another type of conversation.
    pub const TYPE: u32 = 0x1008_6034;
    /// The process wants another sync level.
    pub const SYNC_LEVEL: u32 = 0x1008_6041;
}

/// Partners, and conversations with them.
pub trait ConversationService: Debug + Send + Sync {
    /// The partner that a SYSID names.
    fn system(&self, sysid: &str) -> Option<ConversationTarget>;
    /// The partner that PARTNER names.
    fn partner(&self, name: &str) -> Option<ConversationTarget>;
    /// The mode that PROFILE names.
    fn profile(&self, name: &str) -> Option<String>;
    /// The partners that have a SYSID.
    fn connections(&self) -> Vec<ConnectionInfo> {
        Vec::new()
    }
    /// Makes sure that a partner can be reached; false when it cannot.
    fn reach(&self, destination: &ConversationTarget) -> bool;
    /// Starts a process in a partner, with initialisation parameters.
    fn connect(
        &self,
        destination: &ConversationTarget,
        process: &str,
        confirm: bool,
        parameters: Vec<Vec<u8>>,
    ) -> Result<Box<dyn Conversation>, Fault>;
    /// The same for a task, in whose unit of work the process may take part.
    fn connect_in_unit(
        &self,
        _unit: Option<&TaskUnit>,
        destination: &ConversationTarget,
        process: &str,
        confirm: bool,
        parameters: Vec<Vec<u8>>,
    ) -> Result<Box<dyn Conversation>, Fault> {
        self.connect(destination, process, confirm, parameters)
    }
}

/// A partner as INQUIRE CONNECTION reports it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConnectionInfo {
    /// The SYSID.
    pub sysid: link::Name<4>,
    /// Its logical unit, without the network's name.
    pub net_name: String,
    /// Active sessions with it.
    pub sessions: usize,
}

/// The partner, mode and transaction of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConversationTarget {
    /// The partner's logical unit.
    pub partner: String,
    /// The mode.
    pub mode: String,
    /// The process, when the definition names one.
    pub process: Option<String>,
}

/// A mapped conversation.
pub trait Conversation: Send {
    /// The process's name and the sync level, 0 or 1.
    fn process(&self) -> (String, u8);
    /// The initialisation parameters it was attached with.
    fn parameters(&self) -> &[Vec<u8>] {
        &[]
    }
    /// Sends a record; true when the partner asked to send.
    fn send(&mut self, record: &[u8]) -> Result<bool, Fault>;
    /// Sends the buffered data.
    fn flush(&mut self) -> Result<(), Fault>;
    /// Asks for a confirmation and waits for it; true when the partner asked
    /// to send.
    fn confirm(&mut self) -> Result<bool, Fault>;
    /// Answers the partner's request for confirmation positively (ISSUE CONFIRMATION).
    fn confirmed(&mut self) -> Result<(), Fault>;
    /// Gives the partner the turn, with a confirmation if asked for.
    fn invite(&mut self, confirm: bool) -> Result<(), Fault>;
    /// Waits for a record or a part of one, for the turn, or for the end.
    fn receive(&mut self, buffer: &mut [u8]) -> Result<ReceiveOutcome, Fault>;
    /// Reports an error; this side has the turn then.
    fn error(&mut self) -> Result<(), Fault>;
    /// Asks for the turn.
    fn signal(&mut self) -> Result<(), Fault>;
    /// Ends the conversation, with a confirmation if asked for.
    fn end(self: Box<Self>, confirm: bool) -> Result<(), Fault>;
    /// Returns a function that ends the conversation as failed from another
    /// thread, so that a thread that waits in it returns.
    fn interrupter(&self) -> Box<dyn Fn() + Send + Sync>;
}

/// The kind of received data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReceiveOutcome {
    /// Bytes in the buffer; `None` when no data came.
    pub bytes: Option<usize>,
    /// The record ends with them.
    pub complete: bool,
    /// The partner wants a confirmation.
    pub confirm: bool,
    /// The partner gave the turn.
    pub turn: bool,
    /// The partner ended the conversation, or will when it is confirmed.
    pub end: bool,
    /// The partner asks to send.
    pub signal: bool,
}

/// Why a verb failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The partner reports an error and has the turn; sense data.
    Error(u32),
    /// The conversation is over; sense data.
    Over(u32),
    /// The verb is not allowed now. Nothing happened.
    State,
}

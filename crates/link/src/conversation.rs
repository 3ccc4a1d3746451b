//! APPC conversations as a mid-task call: [`crate::Op::Converse`].
//!
//! The worker names the verb and the conversation; the region holds the
//! conversation, its state and its thread, and answers when the verb is done.
//!
//! Call `args`: verb, conversation (0: the principal facility), `VERB_*` flags,
//! then what the verb says. Answer `args`: conversation, state, `INDICATOR_*`
//! indicators, error code, then what the verb says. An answer has them with a
//! condition too.

/// A command on the task's conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Verb {
    /// ALLOCATE. Data: SYSID (4), PROFILE (8), PARTNER (8), blank for none.
    Allocate = 1,
    /// CONNECT PROCESS. `args[2]`: bytes of PROCNAME, `args[3]`: sync level.
    /// Data: PARTNER (8), PROCNAME, PIPLIST.
    Connect = 2,
    /// SEND. Data: the record, when [`VERB_DATA`] is set.
    Send = 3,
    /// RECEIVE. `args[3]`: most bytes wanted. Answer: `args[4]` bytes that were
    /// there; data: those given.
    Receive = 4,
    /// CONVERSE: SEND INVITE WAIT, then RECEIVE.
    Converse = 5,
    /// WAIT CONVID.
    Wait = 6,
    /// FREE.
    Free = 7,
    /// ISSUE CONFIRMATION.
    Confirmation = 8,
    /// ISSUE ERROR.
    Error = 9,
    /// ISSUE ABEND.
    Abend = 10,
    /// ISSUE SIGNAL.
    Signal = 11,
    /// EXTRACT PROCESS. Answer: `args[4]` sync level, `args[5]` bytes of the
    /// process name; data: the name, then the PIP list.
    Process = 12,
    /// EXTRACT ATTRIBUTES.
    Attributes = 13,
}

/// SEND: INVITE.
pub const VERB_INVITE: u64 = 1;
/// SEND: LAST.
pub const VERB_LAST: u64 = 2;
/// SEND: CONFIRM.
pub const VERB_CONFIRM: u64 = 4;
/// SEND: WAIT.
pub const VERB_WAIT: u64 = 8;
/// RECEIVE: what does not fit stays for the next one.
pub const VERB_NOTRUNCATE: u64 = 16;
/// SEND: there is a record, if an empty one.
pub const VERB_DATA: u64 = 32;

/// EIBRECV: receive again.
pub const INDICATOR_RECEIVE: u64 = 1;
/// EIBFREE: free the conversation.
pub const INDICATOR_FREE: u64 = 2;
/// EIBCONF: the partner wants a confirmation.
pub const INDICATOR_CONFIRM: u64 = 4;
/// EIBCOMPL: the record was given to its end.
pub const INDICATOR_COMPLETE: u64 = 8;
/// EIBNODAT: no data came.
pub const INDICATOR_NO_DATA: u64 = 16;
/// EIBSIG: the partner asks to send.
pub const INDICATOR_SIGNAL: u64 = 32;
/// EIBERR: the partner reports an error; the error code says which.
pub const INDICATOR_ERROR: u64 = 64;
/// EIBEOC: the partner's chain ended with what was given.
pub const INDICATOR_CHAIN_END: u64 = 128;

/// State of a conversation, numbered as the CVDA of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum ConversationState {
    /// A session is there, no process yet.
    Allocated = 81,
    /// Confirm, then free.
    ConfFree = 82,
    /// Confirm, then receive.
    ConfReceive = 83,
    /// Confirm, then send.
    ConfSend = 84,
    /// Free it.
    Free = 85,
    /// The end waits for WAIT or FREE.
    PendFree = 86,
    /// The turn waits for WAIT or RECEIVE.
    PendReceive = 87,
    /// The partner sends.
    Receive = 88,
    /// This side sends.
    Send = 90,
}

impl Verb {
    /// The verb of a number.
    pub fn from_number(number: u64) -> Option<Self> {
        const ALL: [Verb; 13] = [
            Verb::Allocate,
            Verb::Connect,
            Verb::Send,
            Verb::Receive,
            Verb::Converse,
            Verb::Wait,
            Verb::Free,
            Verb::Confirmation,
            Verb::Error,
            Verb::Abend,
            Verb::Signal,
            Verb::Process,
            Verb::Attributes,
        ];
        ALL.into_iter().find(|verb| *verb as u64 == number)
    }
}

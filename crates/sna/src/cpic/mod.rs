//! CPI-C: its calls over a [`Node`].
//!
//! [`CpicInterface`] has the parts that the interface adds to conversations:
//! eight-byte conversation identifiers, side information, and characteristics that
//! are set before use. Every call has its pseudonym as name, takes its parameters
//! in order and returns its out parameters. A call that must wait returns
//! `Poll::Pending`; it is called again after [`Event::Ready`](crate::Event::Ready)
//! with the same parameters. Reference: IBM *Common Programming Interface
//! Communications* (SC26-4399).

mod calls;
mod characteristics;
mod side;

#[cfg(test)]
mod tests;

use crate::conversation::ConversationId;
use crate::conversation::code::{ReturnCode, State};
use crate::name::LuName;
use crate::node::event::CheckedAttach;
use characteristics::ConversationCharacteristics;
use std::collections::{BTreeMap, VecDeque};
use std::task::Poll;

pub use calls::{ReceivedData, RequestToSend};
pub use characteristics::SecurityType;
pub use side::{SideInfo, SideTable};

/// A conversation identifier as programs see it: eight characters.
pub type ConversationIdentifier = [u8; 8];

/// One program's, or one system's, view of conversations.
#[derive(Debug)]
pub struct CpicInterface {
    local: LuName,
    side: SideTable,
    entries: BTreeMap<ConversationIdentifier, Entry>,
    incoming: VecDeque<CheckedAttach>,
    next: u32,
}

/// The state of one conversation.
#[derive(Debug)]
struct Entry {
    set: ConversationCharacteristics,
    phase: Phase,
    /// A send whose data is taken and whose second half is not done.
    sent: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Characteristics are being set.
    Initialize,
    /// It waits for a partner to attach it.
    Incoming,
    /// The session is in transit.
    Allocating(ConversationId),
    /// There is a conversation.
    Open(ConversationId),
}

impl CpicInterface {
    /// An interface for programs of this logical unit.
    pub fn new(local: LuName, side: SideTable) -> CpicInterface {
        CpicInterface {
            local,
            side,
            entries: BTreeMap::new(),
            incoming: VecDeque::new(),
            next: 1,
        }
    }

    /// Offers an Attach to [`CpicInterface::cmaccp`]. The node's driver decides
    /// which interface gets an Attach.
    pub fn offer(&mut self, attached: CheckedAttach) {
        self.incoming.push_back(attached);
    }

    /// The node's conversation of an identifier.
    pub fn conversation(&self, cid: &ConversationIdentifier) -> Option<ConversationId> {
        match self.entries.get(cid)?.phase {
            Phase::Initialize | Phase::Incoming => None,
            Phase::Allocating(id) | Phase::Open(id) => Some(id),
        }
    }

    /// The identifier of a node's conversation.
    pub fn cid(&self, id: ConversationId) -> Option<ConversationIdentifier> {
        let found = self.entries.keys();
        found
            .copied()
            .find(|cid| self.conversation(cid) == Some(id))
    }

    /// The side information, to add to.
    pub fn side_mut(&mut self) -> &mut SideTable {
        &mut self.side
    }

    fn add(&mut self, set: ConversationCharacteristics, phase: Phase) -> ConversationIdentifier {
        let mut cid = *b"C0000000";
        let mut number = self.next;
        self.next = self.next.wrapping_add(1) % 0x1000_0000;
        for digit in cid[1..].iter_mut().rev() {
            *digit = b"0123456789ABCDEF"[(number & 15) as usize];
            number >>= 4;
        }
        let entry = Entry {
            set,
            phase,
            sent: false,
        };
        self.entries.insert(cid, entry);
        cid
    }

    fn open(&self, cid: &ConversationIdentifier) -> Result<ConversationId, ReturnCode> {
        match self.entries.get(cid).map(|e| e.phase) {
            None => Err(ReturnCode::ProgramParameterCheck),
            Some(Phase::Open(id)) => Ok(id),
            Some(_) => Err(ReturnCode::ProgramStateCheck),
        }
    }

    /// Removes a conversation that has ended.
    fn settle<T>(&mut self, cid: &ConversationIdentifier, state: State, out: Poll<T>) -> Poll<T> {
        if out.is_ready() && state == State::Reset {
            self.entries.remove(cid);
        }
        out
    }
}

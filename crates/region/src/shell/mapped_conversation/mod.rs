//! Conversations of tasks: what CICS makes of an APPC conversation.
//!
//! A [`MappedConversation`] is one conversation with its state. Each verb of a program is
//! answered with a condition, the new state and the indicators of the EIB.
//!
//! Reference: CICS distributed transaction programming guide, state tables of
//! mapped conversations at sync levels 0 and 1.
//! Invariant: syncpoint flows (sync level 2) are absent.

mod pip;
mod receive;
mod verbs;

use std::sync::Arc;

use cics::resp::Condition;
use link::CallAnswer;
use link::conversation::{
    ConversationState, INDICATOR_CHAIN_END, INDICATOR_ERROR, INDICATOR_FREE, INDICATOR_RECEIVE,
    INDICATOR_SIGNAL,
};

use crate::api::{Conversation, ConversationService, ConversationTarget, Fault, TaskUnit, sense};

/// One conversation of a task.
pub struct MappedConversation {
    partners: Option<Arc<dyn ConversationService>>,
    /// The unit of work of the task that allocates it.
    unit: Option<TaskUnit>,
    conversation: Option<Box<dyn Conversation>>,
    destination: ConversationTarget,
    state: ConversationState,
    /// Received and not given to the program yet, from `given` on.
    record: Vec<u8>,
    given: usize,
    /// The data after a record whose end the program has not received yet.
    next_record: Option<crate::api::ReceiveOutcome>,
}

/// The result of a verb, without the state.
#[derive(Debug, Default)]
struct VerbResult {
    condition: Condition,
    indicators: u64,
    error: u32,
    figure: u64,
    more: u64,
    data: Vec<u8>,
}

impl VerbResult {
    fn condition(condition: Condition) -> VerbResult {
        VerbResult {
            condition,
            ..VerbResult::default()
        }
    }

    /// Notes that the partner asks to send.
    fn note_signal(&mut self, signal: bool) {
        if signal {
            self.indicators |= INDICATOR_SIGNAL;
            if self.condition == Condition::Normal {
                self.condition = Condition::Signal;
            }
        }
    }

    /// Notes that the partner's chain ended. The condition is the weakest one:
    /// its default action is to continue.
    fn note_chain_end(&mut self) {
        self.indicators |= INDICATOR_CHAIN_END;
        if self.condition == Condition::Normal {
            self.condition = Condition::Eoc;
        }
    }

    fn into_answer(self, id: u32, state: ConversationState) -> CallAnswer {
        let mut args = [0; 8];
        args[0] = u64::from(id);
        args[1] = state as u64;
        args[2] = self.indicators;
        args[3] = u64::from(self.error);
        args[4] = self.figure;
        args[5] = self.more;
        CallAnswer {
            condition: self.condition,
            args,
            data: self.data,
            ..CallAnswer::default()
        }
    }
}

/// The answer to a verb of a conversation that the task does not have.
pub fn not_allocated() -> CallAnswer {
    CallAnswer {
        condition: Condition::NotAlloc,
        ..CallAnswer::default()
    }
}

/// The answer to ALLOCATE in a region without partners.
pub fn no_partners() -> CallAnswer {
    CallAnswer {
        condition: Condition::SysIdErr,
        ..CallAnswer::default()
    }
}

impl MappedConversation {
    /// A conversation to be allocated.
    pub fn new(
        partners: Arc<dyn ConversationService>,
        unit: Option<TaskUnit>,
    ) -> MappedConversation {
        MappedConversation {
            partners: Some(partners),
            unit,
            conversation: None,
            destination: ConversationTarget::default(),
            state: ConversationState::Allocated,
            record: Vec::new(),
            given: 0,
            next_record: None,
        }
    }

    /// A conversation with which a partner attached the task.
    pub fn attached(conversation: Box<dyn Conversation>) -> MappedConversation {
        MappedConversation {
            partners: None,
            unit: None,
            conversation: Some(conversation),
            destination: ConversationTarget::default(),
            state: ConversationState::Receive,
            record: Vec::new(),
            given: 0,
            next_record: None,
        }
    }

    /// Something that ends the conversation from another thread.
    pub fn interrupter(&self) -> Option<Box<dyn Fn() + Send + Sync>> {
        self.conversation.as_ref().map(|c| c.interrupter())
    }

    /// The task is over. A conversation in which it has the turn ends
    /// normally, unless the task failed; any other as failed.
    pub fn close(mut self, failed: bool) {
        let Some(conversation) = self.conversation.take() else {
            return;
        };
        match self.state {
            ConversationState::Send | ConversationState::PendFree if !failed => {
                // A fault here is the partner's affair: the task has ended.
                let _ = conversation.end(false);
            }
            ConversationState::Free => {}
            _ => conversation.interrupter()(),
        }
    }

    /// The condition that a fault of a verb raises, and the state after it.
    fn fault(&mut self, fault: Fault) -> VerbResult {
        match fault {
            Fault::State => VerbResult::condition(Condition::InvReq),
            Fault::Error(code) => {
                self.state = ConversationState::Receive;
                VerbResult {
                    indicators: INDICATOR_ERROR | INDICATOR_RECEIVE,
                    error: code,
                    ..VerbResult::default()
                }
            }
            Fault::Over(code) => {
                self.state = ConversationState::Free;
                self.conversation = None;
                VerbResult {
                    condition: Condition::TermErr,
                    indicators: INDICATOR_ERROR | INDICATOR_FREE,
                    error: if code == 0 { sense::SESSION } else { code },
                    ..VerbResult::default()
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;

//! Conversations of tasks: what CICS makes of an APPC conversation.
//!
//! A [`Talk`] is one conversation with its state. Each verb of a program is
//! answered with a condition, the new state and the indicators of the EIB.
//!
//! Reference: CICS distributed transaction programming guide, state tables of
//! mapped conversations at sync levels 0 and 1.
//! Invariant: syncpoint flows (sync level 2) are absent.

mod pip;
mod receive;
mod verbs;

use std::sync::Arc;

use link::Answer;
use link::conversation::{
    TOLD_CHAIN_END, TOLD_ERROR, TOLD_FREE, TOLD_RECEIVE, TOLD_SIGNAL, TalkState,
};

use crate::api::{Conversation, Conversations, Destination, Fault, sense};

/// Condition numbers; 0 is NORMAL.
const EOC: u32 = 6;
const INVREQ: u32 = 16;
const LENGERR: u32 = 22;
const SIGNAL: u32 = 24;
const SYSIDERR: u32 = 53;
const NOTALLOC: u32 = 61;
const CBIDERR: u32 = 62;
const TERMERR: u32 = 81;
const PARTNERIDERR: u32 = 97;

/// One conversation of a task.
pub struct Talk {
    partners: Option<Arc<dyn Conversations>>,
    conversation: Option<Box<dyn Conversation>>,
    destination: Destination,
    state: TalkState,
    /// Received and not given to the program yet, from `given` on.
    record: Vec<u8>,
    given: usize,
    /// What came behind a record that the program has not seen the end of.
    behind: Option<crate::api::Heard>,
}

/// What a verb came to, beside the state.
#[derive(Debug, Default)]
struct Told {
    condition: u32,
    indicators: u64,
    error: u32,
    figure: u64,
    more: u64,
    data: Vec<u8>,
}

impl Told {
    fn condition(condition: u32) -> Told {
        Told {
            condition,
            ..Told::default()
        }
    }

    /// Notes that the partner asks to send.
    fn note_signal(&mut self, signal: bool) {
        if signal {
            self.indicators |= TOLD_SIGNAL;
            if self.condition == 0 {
                self.condition = SIGNAL;
            }
        }
    }

    /// Notes that the partner's chain ended. The condition is the weakest one:
    /// its default action is to go on.
    fn note_chain_end(&mut self) {
        self.indicators |= TOLD_CHAIN_END;
        if self.condition == 0 {
            self.condition = EOC;
        }
    }

    fn into_answer(self, id: u32, state: TalkState) -> Answer {
        let mut args = [0; 8];
        args[0] = u64::from(id);
        args[1] = state as u64;
        args[2] = self.indicators;
        args[3] = u64::from(self.error);
        args[4] = self.figure;
        args[5] = self.more;
        Answer {
            resp: self.condition,
            args,
            data: self.data,
            ..Answer::default()
        }
    }
}

/// The answer to a verb of a conversation that the task does not have.
pub fn not_allocated() -> Answer {
    Answer {
        resp: NOTALLOC,
        ..Answer::default()
    }
}

/// The answer to ALLOCATE in a region without partners.
pub fn no_partners() -> Answer {
    Answer {
        resp: SYSIDERR,
        ..Answer::default()
    }
}

impl Talk {
    /// A conversation to be allocated.
    pub fn new(partners: Arc<dyn Conversations>) -> Talk {
        Talk {
            partners: Some(partners),
            conversation: None,
            destination: Destination::default(),
            state: TalkState::Allocated,
            record: Vec::new(),
            given: 0,
            behind: None,
        }
    }

    /// A conversation with which a partner attached the task.
    pub fn attached(conversation: Box<dyn Conversation>) -> Talk {
        Talk {
            partners: None,
            conversation: Some(conversation),
            destination: Destination::default(),
            state: TalkState::Receive,
            record: Vec::new(),
            given: 0,
            behind: None,
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
            TalkState::Send | TalkState::PendFree if !failed => {
                // A fault here is the partner's affair: the task has ended.
                let _ = conversation.end(false);
            }
            TalkState::Free => {}
            _ => conversation.interrupter()(),
        }
    }

    /// What a fault of a verb tells the program, and the state after it.
    fn fault(&mut self, fault: Fault) -> Told {
        match fault {
            Fault::State => Told::condition(INVREQ),
            Fault::Error(code) => {
                self.state = TalkState::Receive;
                Told {
                    indicators: TOLD_ERROR | TOLD_RECEIVE,
                    error: code,
                    ..Told::default()
                }
            }
            Fault::Over(code) => {
                self.state = TalkState::Free;
                self.conversation = None;
                Told {
                    condition: TERMERR,
                    indicators: TOLD_ERROR | TOLD_FREE,
                    error: if code == 0 { sense::SESSION } else { code },
                    ..Told::default()
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;

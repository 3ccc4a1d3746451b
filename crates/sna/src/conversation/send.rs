//! The verbs of the side that may send.

use super::code::{ConversationType, DeallocateType, PrepareToReceiveType, ReturnCode, State};
use super::outbox::ChainEnd;
use super::{Conversation, ErrorJob, Operation};
use crate::mode::SyncLevel;
use crate::session::half::HalfSession;
use crate::wire::{Sense, gds};
use std::task::Poll;

/// The result of a sending verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendResult {
    /// The outcome.
    pub code: ReturnCode,
    /// Whether the partner asked for the right to send.
    pub request_to_send: bool,
}

impl Conversation {
    /// Takes data to send: one record of a mapped conversation, or any piece
    /// of the records of a basic one.
    pub fn send(&mut self, half: Option<&mut HalfSession>, data: &[u8]) -> Poll<SendResult> {
        let half = match self.enter_sending(half, None) {
            Ok(half) => half,
            Err(done) => return done.map(|code| self.sent(code)),
        };
        if half.queued_bytes() > self.send_limit {
            self.wants_room = true;
            return self.wait_for();
        }
        match self.attributes.kind {
            ConversationType::Mapped => self.outbox.push_mapped(half, gds::APPLICATION, data),
            ConversationType::Basic => {
                if !self.outbox.accept_records(data) {
                    return Poll::Ready(self.sent(ReturnCode::ProgramParameterCheck));
                }
                self.outbox.push(half, data);
            }
        }
        self.state = State::Send;
        Poll::Ready(self.sent(ReturnCode::Ok))
    }

    /// Sends all buffered data.
    pub fn flush(&mut self, half: Option<&mut HalfSession>) -> ReturnCode {
        match self.enter_sending(half, None) {
            Ok(half) => {
                self.outbox.flush(half);
                self.state = State::Send;
                ReturnCode::Ok
            }
            Err(Poll::Ready(code)) => self.sent(code).code,
            // The error description is outstanding; the next verb
            // returns it.
            Err(Poll::Pending) => ReturnCode::Ok,
        }
    }

    /// Asks the partner to confirm.
    pub fn confirm(&mut self, half: Option<&mut HalfSession>) -> Poll<SendResult> {
        let operation = Operation::Confirm;
        let half = match self.enter_sending(half, Some(operation)) {
            Ok(half) => half,
            Err(done) => return done.map(|code| self.sent(code)),
        };
        if self.pending.is_none() {
            if self.attributes.sync == SyncLevel::None || self.outbox.mid_record() {
                return Poll::Ready(self.sent(ReturnCode::ProgramStateCheck));
            }
            self.start(half, operation, ChainEnd::Confirm);
        }
        if !self.finish() {
            return self.wait_for();
        }
        self.state = State::Send;
        Poll::Ready(self.sent(ReturnCode::Ok))
    }

    /// Passes the right to send.
    pub fn prepare_to_receive(
        &mut self,
        half: Option<&mut HalfSession>,
        kind: PrepareToReceiveType,
    ) -> Poll<ReturnCode> {
        let operation = Operation::PrepareToReceive;
        let half = match self.enter_sending(half, Some(operation)) {
            Ok(half) => half,
            Err(done) => return done.map(|code| self.sent(code).code),
        };
        if self.pending.is_none() {
            let confirms = match kind {
                PrepareToReceiveType::SyncLevel => self.attributes.sync == SyncLevel::Confirm,
                PrepareToReceiveType::Flush => false,
                PrepareToReceiveType::Confirm => true,
            };
            let allowed = !confirms || self.attributes.sync == SyncLevel::Confirm;
            if self.outbox.mid_record() || !allowed {
                return Poll::Ready(ReturnCode::ProgramStateCheck);
            }
            if !confirms {
                self.outbox.end(half, ChainEnd::Turn);
                self.state = State::Receive;
                return Poll::Ready(ReturnCode::Ok);
            }
            self.start(half, operation, ChainEnd::ConfirmTurn);
        }
        if !self.finish() {
            return self.wait_for();
        }
        self.state = State::Receive;
        Poll::Ready(ReturnCode::Ok)
    }

    /// Ends the conversation.
    pub fn deallocate(
        &mut self,
        half: Option<&mut HalfSession>,
        kind: DeallocateType,
    ) -> Poll<ReturnCode> {
        if kind == DeallocateType::Abend {
            return self.abend(half, Sense::DEALLOCATED_ABEND);
        }
        if self.end_is_confirmed() {
            // The session may serve another conversation by now.
            self.finish();
            self.state = State::Reset;
            return Poll::Ready(ReturnCode::Ok);
        }
        let operation = Operation::Deallocate;
        let half = match self.enter_sending(half, Some(operation)) {
            Ok(half) => half,
            Err(done) => return done.map(|code| self.sent(code).code),
        };
        if self.pending.is_none() {
            let confirms = match kind {
                DeallocateType::SyncLevel => self.attributes.sync == SyncLevel::Confirm,
                DeallocateType::Confirm => true,
                _ => false,
            };
            let allowed = !confirms || self.attributes.sync == SyncLevel::Confirm;
            if self.outbox.mid_record() || !allowed {
                return Poll::Ready(ReturnCode::ProgramStateCheck);
            }
            if !confirms {
                self.outbox.end(half, ChainEnd::Over);
                self.state = State::Reset;
                return Poll::Ready(ReturnCode::Ok);
            }
            self.start(half, operation, ChainEnd::ConfirmOver);
        }
        if !self.finish() {
            return self.wait_for();
        }
        self.state = State::Reset;
        Poll::Ready(ReturnCode::Ok)
    }

    /// Whether the partner has confirmed the end, even if the program has not
    /// received this yet.
    pub fn end_is_confirmed(&self) -> bool {
        self.pending == Some(Operation::Deallocate) && self.answered
    }

    /// Ends the conversation as failed. A pending error is sent to the partner
    /// without the program.
    pub fn abend(&mut self, half: Option<&mut HalfSession>, sense: Sense) -> Poll<ReturnCode> {
        let Some(half) = half else {
            self.state = State::Reset;
            return Poll::Ready(ReturnCode::Ok);
        };
        if matches!(self.state, State::Reset | State::Initialize) {
            return Poll::Ready(ReturnCode::ProgramStateCheck);
        }
        self.pending = None;
        let done = self.end_with_error(half, ErrorJob { sense, close: true });
        if done.is_ready() {
            self.state = State::Reset;
        }
        Poll::Ready(ReturnCode::Ok)
    }

    /// Checks that a sending verb may continue: state, another verb under way,
    /// failures and errors from the partner. The error is the verb's result.
    fn enter_sending<'h>(
        &mut self,
        half: Option<&'h mut HalfSession>,
        operation: Option<Operation>,
    ) -> Result<&'h mut HalfSession, Poll<ReturnCode>> {
        if !matches!(self.state, State::Send | State::SendPending) {
            return Err(Poll::Ready(ReturnCode::ProgramStateCheck));
        }
        if self.pending.is_some() && self.pending != operation {
            return Err(Poll::Ready(ReturnCode::OperationNotAccepted));
        }
        if let Some(reported) = self.partner_error() {
            return Err(reported);
        }
        match half {
            Some(half) => Ok(half),
            None => Err(Poll::Ready(ReturnCode::ResourceFailureNoRetry)),
        }
    }

    fn start(&mut self, half: &mut HalfSession, operation: Operation, end: ChainEnd) {
        self.outbox.end(half, end);
        self.pending = Some(operation);
        self.answered = false;
    }

    fn finish(&mut self) -> bool {
        if self.answered {
            self.pending = None;
        }
        std::mem::take(&mut self.answered)
    }
}

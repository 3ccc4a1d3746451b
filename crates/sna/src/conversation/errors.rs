//! Errors reported to the partner and by the partner.
//!
//! If this side finds an error while the partner sends, it rejects the chain
//! with sense 0846, waits for its end, and then describes the error with an
//! FMH-7 in the turn that is then its own.
//! Reference: IBM *SNA LU 6.2 Reference: Peer Protocols* (SC31-6808),
//! SEND_ERROR and DEALLOCATE.

use super::code::{ErrorDirection, ReturnCode, State};
use super::inbox::{ChainEndMeaning, ReceivedItem};
use super::outbox::ChainEnd;
use super::receive::RecordProgress;
use super::{Conversation, ErrorJob, Operation, SendResult};
use crate::session::half::HalfSession;
use crate::wire::{Sense, fmh7, gds};
use std::task::Poll;

impl Conversation {
    /// Reports an error to the partner program.
    pub fn send_error(
        &mut self,
        half: Option<&mut HalfSession>,
        direction: ErrorDirection,
    ) -> Poll<SendResult> {
        if matches!(
            self.state,
            State::Reset | State::Initialize | State::InitializeIncoming
        ) {
            return Poll::Ready(self.sent(ReturnCode::ProgramStateCheck));
        }
        if let Some(Operation::Error(_)) = self.pending {
            return self.finish_error();
        }
        if self.pending.is_some() {
            return Poll::Ready(self.sent(ReturnCode::OperationNotAccepted));
        }
        let sending = matches!(self.state, State::Send | State::SendPending);
        let reported = if sending { self.partner_error() } else { None };
        if let Some(reported) = reported {
            return reported.map(|code| self.sent(code));
        }
        if self.state == State::Receive && self.inbox.turn() == Some(ChainEndMeaning::Over) {
            self.inbox.clear();
            return Poll::Ready(self.sent(ReturnCode::DeallocatedNormal));
        }
        let Some(half) = half else {
            let code = self.failure.unwrap_or(ReturnCode::ResourceFailureNoRetry);
            return Poll::Ready(self.sent(code));
        };
        let sense = if self.outbox.mid_record() {
            Sense::PROGRAM_ERROR_TRUNC
        } else {
            Sense::PROGRAM_ERROR
        };
        if self.state == State::SendPending && direction == ErrorDirection::Receive {
            // The received data is rejected, although this side has the turn.
            half.reject(Sense::PROGRAM_ERROR_PURGE);
        }
        let job = ErrorJob {
            sense,
            close: false,
        };
        if self.end_with_error(half, job).is_pending() {
            return self.wait_for();
        }
        Poll::Ready(self.sent(ReturnCode::Ok))
    }

    /// Ends an attach or a conversation with this error, as soon as the turn
    /// is here; ready when all is said.
    pub fn end_with_error(&mut self, half: &mut HalfSession, job: ErrorJob) -> Poll<()> {
        let sending = matches!(self.state, State::Send | State::SendPending);
        // An Attach that was not sent yet is sent with the description.
        let to_begin = !job.close && !half.in_bracket();
        if sending && !self.peer_error && (half.my_turn() || to_begin) {
            self.describe(half, job);
            return Poll::Ready(());
        }
        let received = half.receiving_chain() || self.inbox.turn().is_some() || half.owes_answer();
        let over = self.inbox.turn() == Some(ChainEndMeaning::Over);
        self.inbox.clear();
        self.incoming = RecordProgress::default();
        if over || !half.in_bracket() {
            self.state = State::Reset;
            return Poll::Ready(());
        }
        if received && half.reject(Sense::PROGRAM_ERROR_PURGE) {
            self.describe(half, job);
            return Poll::Ready(());
        }
        // Either the end of the chain or its beginning is waited for.
        self.pending = Some(Operation::Error(job));
        self.answered = false;
        Poll::Pending
    }

    /// The chain that was refused has ended; `over` says that the partner
    /// ended the conversation with it.
    pub fn handle_purged(&mut self, half: &mut HalfSession, over: bool) {
        self.answered = true;
        if over {
            self.inbox.push_turn(ChainEndMeaning::Over);
            if self.owner == super::VerbOwner::NoProgram {
                self.state = State::Reset;
            }
            return;
        }
        if let Some(Operation::Error(job)) = self.pending {
            self.describe(half, job);
        }
    }

    /// The partner rejected data of this side; an error description follows.
    pub fn handle_rejected(&mut self, half: &mut HalfSession) {
        self.outbox.clear();
        half.abandon_chain();
        self.peer_error = true;
    }

    /// The partner's error, for a verb of the sending side. Returns `None` if
    /// the verb may continue.
    pub(super) fn partner_error(&mut self) -> Option<Poll<ReturnCode>> {
        if !self.peer_error {
            return self.failure.map(Poll::Ready);
        }
        let (data, _) = self.inbox.run();
        self.inbox.skip(data);
        match self.inbox.pop_mark() {
            Some(ReceivedItem::Error { sense, log }) => {
                let code = self.note_error(sense, log);
                self.pending = None;
                self.answered = false;
                if !code.ends_conversation() {
                    self.state = State::Receive;
                }
                Some(Poll::Ready(code))
            }
            Some(ReceivedItem::Gone(code)) => Some(Poll::Ready(code)),
            Some(ReceivedItem::Turn(ChainEndMeaning::Over)) => {
                Some(Poll::Ready(ReturnCode::DeallocatedNormal))
            }
            // A turn without a description: not what the rejection
            // announced.
            Some(_) => Some(Poll::Ready(ReturnCode::ResourceFailureNoRetry)),
            None => {
                self.wait();
                Some(Poll::Pending)
            }
        }
    }

    /// The code of an error the partner described.
    pub(super) fn note_error(&mut self, sense: Sense, log: bool) -> ReturnCode {
        let purging = std::mem::take(&mut self.peer_error);
        self.incoming = RecordProgress::expecting(log);
        self.error_sense = Some(sense);
        code_of(sense, purging)
    }

    fn finish_error(&mut self) -> Poll<SendResult> {
        if let Some(code) = self.failure {
            return Poll::Ready(self.sent(code));
        }
        if !self.answered {
            return self.wait_for();
        }
        self.pending = None;
        self.answered = false;
        let over = self.inbox.turn() == Some(ChainEndMeaning::Over) || self.state == State::Reset;
        Poll::Ready(self.sent(if over {
            ReturnCode::DeallocatedNormal
        } else {
            ReturnCode::Ok
        }))
    }

    /// Sends the error description; the turn is here.
    fn describe(&mut self, half: &mut HalfSession, job: ErrorJob) {
        let log = std::mem::take(&mut self.log_data);
        let fmh = fmh7::Repr {
            sense: job.sense,
            log_data: !log.is_empty(),
        };
        self.outbox.push_header(half, &fmh.emit());
        if !log.is_empty() {
            self.outbox.push_mapped(half, gds::ERROR_LOG, &log);
        }
        if job.close {
            self.outbox.end(half, ChainEnd::Over);
            self.pending = None;
            self.state = State::Reset;
            return;
        }
        self.outbox.flush(half);
        self.state = State::Send;
    }
}

/// The return code of an error description. `purging` says that data of this
/// side was dropped because of it.
pub fn code_of(sense: Sense, purging: bool) -> ReturnCode {
    use ReturnCode as C;
    match sense {
        Sense::TPN_UNKNOWN => C::TpnNotRecognized,
        Sense::PIP_NOT_ALLOWED | Sense::PIP_WRONG => C::PipNotSpecifiedCorrectly,
        Sense::TYPE_MISMATCH => C::ConversationTypeMismatch,
        Sense::SYNC_LEVEL => C::SyncLevelNotSupportedPgm,
        Sense::SECURITY => C::SecurityNotValid,
        Sense::TP_RETRY => C::TpNotAvailableRetry,
        Sense::TP_NO_RETRY => C::TpNotAvailableNoRetry,
        Sense::DEALLOCATED_ABEND => C::DeallocatedAbend,
        Sense::DEALLOCATED_ABEND_SVC => C::DeallocatedAbendSvc,
        Sense::DEALLOCATED_ABEND_TIMER => C::DeallocatedAbendTimer,
        Sense::PROGRAM_ERROR if purging => C::ProgramErrorPurging,
        Sense::PROGRAM_ERROR => C::ProgramErrorNoTrunc,
        Sense::PROGRAM_ERROR_TRUNC => C::ProgramErrorTrunc,
        Sense::SERVICE_ERROR if purging => C::SvcErrorPurging,
        Sense::SERVICE_ERROR => C::SvcErrorNoTrunc,
        Sense::SERVICE_ERROR_TRUNC => C::SvcErrorTrunc,
        other => match other.code() {
            0x080F => C::SecurityNotValid,
            0x084B => C::TpNotAvailableRetry,
            0x084C => C::TpNotAvailableNoRetry,
            0x1008 => C::AllocateFailureNoRetry,
            _ => C::ResourceFailureNoRetry,
        },
    }
}

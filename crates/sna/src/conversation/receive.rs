//! The verbs of the receiving side, and the handling of the partner's requests.

use super::code::{ConversationType, DataReceived, Fill, ReturnCode, State, StatusReceived};
use super::inbox::{ChainEndMeaning, ReceivedItem};
use super::{Conversation, Operation};
use crate::session::half::HalfSession;
use crate::wire::gds::{self, LogicalLength};
use crate::wire::rh::{RequestedResponse, Rh};
use crate::wire::{Sense, fmh7};
use bytes::Bytes;
use std::task::Poll;

/// The result of a receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiveStatus {
    /// The outcome.
    pub code: ReturnCode,
    /// Bytes put into the buffer.
    pub len: usize,
    /// Whether the bytes complete their record.
    pub data: DataReceived,
    /// The status received in addition to data.
    pub status: StatusReceived,
    /// Whether the partner asked for the right to send.
    pub request_to_send: bool,
}

/// The position of a program in a received record.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecordProgress {
    /// Remaining bytes of this logical record. `None` between records.
    left: Option<usize>,
    /// The record continues in the next one.
    continued: bool,
    /// The logical record is the continuation of another.
    continuation: bool,
    /// An error description announced a log record, which is dropped.
    log: bool,
    /// Data of a record in several logical records.
    joined: Vec<u8>,
}

/// The partner's data do not make records.
struct MalformedRecord;

impl RecordProgress {
    /// Between records; `log` says that a log record follows first.
    pub fn expecting(log: bool) -> RecordProgress {
        RecordProgress {
            log,
            ..RecordProgress::default()
        }
    }
}

impl Conversation {
    /// A program takes the conversation that a partner attached.
    pub fn accept(&mut self) -> ReturnCode {
        if self.state != State::InitializeIncoming {
            return ReturnCode::ProgramStateCheck;
        }
        self.state = State::Receive;
        ReturnCode::Ok
    }

    /// Receives data, a status, or both. In send state the right to send is
    /// passed first.
    pub fn receive(
        &mut self,
        half: Option<&mut HalfSession>,
        buffer: &mut [u8],
        fill: Fill,
    ) -> Poll<ReceiveStatus> {
        let mut half = half;
        if matches!(self.state, State::Send | State::SendPending) {
            let flush = super::code::PrepareToReceiveType::Flush;
            match self.prepare_to_receive(half.as_deref_mut(), flush) {
                Poll::Ready(ReturnCode::Ok) => {}
                Poll::Ready(code) => return Poll::Ready(self.received_code(code)),
                Poll::Pending => return Poll::Pending,
            }
        }
        if self.state != State::Receive || self.pending.is_some() {
            return Poll::Ready(self.received_code(ReturnCode::ProgramStateCheck));
        }
        self.starving = false;
        let taken = match self.attributes.kind {
            ConversationType::Mapped => self.take_mapped(buffer),
            ConversationType::Basic => self.take_basic(buffer, fill),
        };
        match taken {
            Ok(Some((len, data))) => Poll::Ready(self.with_status(len, data)),
            Ok(None) => match self.inbox.pop_mark() {
                Some(mark) => Poll::Ready(self.take_mark(mark)),
                None => {
                    self.starving = true;
                    self.wait_for()
                }
            },
            Err(MalformedRecord) => {
                // The partner's data has no valid records: the partner receives
                // an abend by services.
                let reported = self.abend(half, Sense::DEALLOCATED_ABEND_SVC);
                debug_assert!(reported.is_ready());
                Poll::Ready(self.received_code(ReturnCode::ResourceFailureNoRetry))
            }
        }
    }

    /// Confirms.
    pub fn confirmed(&mut self, half: Option<&mut HalfSession>) -> ReturnCode {
        let next = match self.state {
            State::Confirm => State::Receive,
            State::ConfirmSend => State::Send,
            State::ConfirmDeallocate => State::Reset,
            _ => return ReturnCode::ProgramStateCheck,
        };
        let Some(half) = half else {
            let code = self.failure.unwrap_or(ReturnCode::ResourceFailureNoRetry);
            self.state = State::Reset;
            return code;
        };
        half.answer(None);
        self.state = next;
        ReturnCode::Ok
    }

    /// Asks the partner for the right to send.
    pub fn request_to_send(&mut self, half: Option<&mut HalfSession>) -> ReturnCode {
        if matches!(
            self.state,
            State::Reset | State::Initialize | State::InitializeIncoming
        ) {
            return ReturnCode::ProgramStateCheck;
        }
        if let Some(half) = half {
            half.signal(crate::wire::dfc::REQUEST_TO_SEND);
        }
        ReturnCode::Ok
    }

    /// Handles the contents of a partner's request.
    pub fn handle_request(
        &mut self,
        half: &mut HalfSession,
        header: Rh,
        answer: RequestedResponse,
        ru: Bytes,
    ) -> Result<(), Sense> {
        let mut ru = ru;
        if header.format() && !ru.is_empty() {
            let (fmh, len) = fmh7::Repr::parse(&ru).map_err(|_| Sense::FMH_TYPE)?;
            self.inbox.push_error(fmh.sense, fmh.log_data);
            bytes::Buf::advance(&mut ru, len);
        }
        self.inbox.push_data(ru);
        self.handle_end(header, answer);
        if let Some(Operation::Error(job)) = self.pending {
            // An error waited for something to refuse.
            self.pending = None;
            if self.end_with_error(half, job).is_ready() && !job.close {
                self.answered = true;
                self.pending = Some(Operation::Error(job));
            }
        }
        Ok(())
    }

    /// The part of an Attach's request that follows the header.
    pub fn handle_first(&mut self, header: Rh, answer: RequestedResponse, data: Bytes) {
        self.inbox.push_data(data);
        self.handle_end(header, answer);
    }

    /// The partner confirmed.
    pub fn handle_confirmed(&mut self) {
        self.answered = true;
    }

    fn handle_end(&mut self, header: Rh, answer: RequestedResponse) {
        if !header.end_chain() {
            return;
        }
        let confirm = !matches!(
            answer,
            RequestedResponse::Exception1 | RequestedResponse::Definite1
        );
        let turn = match (header.conditional_end(), header.change_direction()) {
            (true, _) if confirm => ChainEndMeaning::ConfirmOver,
            (true, _) => ChainEndMeaning::Over,
            (_, true) if confirm => ChainEndMeaning::ConfirmSend,
            (_, true) => ChainEndMeaning::Send,
            _ => ChainEndMeaning::Confirm,
        };
        self.inbox.push_turn(turn);
    }

    /// Whether the partner has ended the bracket, even if the program has not
    /// read everything.
    pub fn partner_is_done(&self) -> bool {
        self.inbox.turn() == Some(ChainEndMeaning::Over)
    }

    /// Whether the next receive only returns the end of the conversation, which
    /// arrived with the record before.
    pub fn at_end(&self) -> bool {
        self.incoming.left.is_none() && self.inbox.ends()
    }

    fn received_code(&mut self, code: ReturnCode) -> ReceiveStatus {
        if code.ends_conversation() {
            self.state = State::Reset;
        }
        ReceiveStatus {
            code,
            len: 0,
            data: DataReceived::None,
            status: StatusReceived::None,
            request_to_send: self.take_request_to_send(),
        }
    }

    /// Data, with the status that follows it immediately.
    fn with_status(&mut self, len: usize, data: DataReceived) -> ReceiveStatus {
        let mut out = self.received_code(ReturnCode::Ok);
        out.len = len;
        out.data = data;
        let may_follow = data != DataReceived::Incomplete && self.inbox.run().0 == 0;
        let over = self.inbox.turn() == Some(ChainEndMeaning::Over);
        let turn = if may_follow && !over {
            self.inbox.pop_turn()
        } else {
            None
        };
        if let Some(turn) = turn {
            out.status = status_of(turn);
            self.enter(out.status, true);
        }
        out
    }

    fn take_mark(&mut self, mark: ReceivedItem) -> ReceiveStatus {
        match mark {
            ReceivedItem::Turn(ChainEndMeaning::Over) => {
                self.received_code(ReturnCode::DeallocatedNormal)
            }
            ReceivedItem::Turn(turn) => {
                let mut out = self.received_code(ReturnCode::Ok);
                out.status = status_of(turn);
                self.enter(out.status, false);
                out
            }
            ReceivedItem::Error { sense, log } => {
                let code = self.note_error(sense, log);
                self.received_code(code)
            }
            ReceivedItem::Gone(code) => self.received_code(code),
            // Marks are entries that are not data.
            ReceivedItem::Data(_) => self.received_code(ReturnCode::ProductSpecificError),
        }
    }

    /// The next piece of a mapped record, or nothing before a mark.
    fn take_mapped(
        &mut self,
        buffer: &mut [u8],
    ) -> Result<Option<(usize, DataReceived)>, MalformedRecord> {
        loop {
            let (run, mark) = self.inbox.run();
            let Some(left) = self.incoming.left else {
                if !self.open_record(run, mark)? {
                    return Ok(None);
                }
                continue;
            };
            if self.incoming.log {
                let skipped = self.inbox.skip(left);
                if skipped == left {
                    self.incoming = RecordProgress::default();
                    continue;
                }
                self.incoming.left = Some(left - skipped);
                return if mark { Err(MalformedRecord) } else { Ok(None) };
            }
            if self.incoming.continued || self.incoming.continuation {
                match self.join_record(left, run, mark, buffer)? {
                    Some(done) => return Ok(done),
                    None => continue,
                }
            }
            let want = left.min(buffer.len());
            if run < want {
                return if mark { Err(MalformedRecord) } else { Ok(None) };
            }
            let len = self.inbox.read(&mut buffer[..want]);
            if len == left {
                self.incoming = RecordProgress::default();
                return Ok(Some((len, DataReceived::Complete)));
            }
            self.incoming.left = Some(left - len);
            return Ok(Some((len, DataReceived::Incomplete)));
        }
    }

    /// Reads the length and identifier of the next logical record. Returns `false`
    /// if they are not all there or a mark is before them.
    fn open_record(&mut self, run: usize, mark: bool) -> Result<bool, MalformedRecord> {
        let need = if self.incoming.continuation {
            2
        } else {
            gds::HEADER
        };
        if run < need {
            let cut = mark && (run > 0 || self.incoming.continuation);
            return if cut { Err(MalformedRecord) } else { Ok(false) };
        }
        let ll = self
            .inbox
            .peek::<2>()
            .map(LogicalLength::parse)
            .ok_or(MalformedRecord)?;
        if ll.len < need {
            return Err(MalformedRecord);
        }
        if need == gds::HEADER {
            let [.., high, low] = self.inbox.peek::<4>().ok_or(MalformedRecord)?;
            match u16::from_be_bytes([high, low]) {
                gds::ERROR_LOG => self.incoming.log = true,
                gds::APPLICATION | gds::NULL => self.incoming.log = false,
                _ => return Err(MalformedRecord),
            }
        }
        self.inbox.skip(need);
        self.incoming.continued = ll.continued;
        self.incoming.left = Some(ll.len - need);
        Ok(true)
    }

    /// Gathers a record that is spread over several logical records. Some
    /// value ends the receive.
    #[allow(clippy::type_complexity)]
    fn join_record(
        &mut self,
        left: usize,
        run: usize,
        mark: bool,
        buffer: &mut [u8],
    ) -> Result<Option<Option<(usize, DataReceived)>>, MalformedRecord> {
        let mut scratch = std::mem::take(&mut self.incoming.joined);
        let start = scratch.len();
        scratch.resize(start + left.min(run), 0);
        let got = self.inbox.read(&mut scratch[start..]);
        scratch.truncate(start + got);
        let left = left - got;
        let complete = left == 0 && !self.incoming.continued;
        if !complete && scratch.len() < buffer.len().max(1) {
            self.incoming.joined = scratch;
            self.incoming.continuation = true;
            self.incoming.left = (left > 0).then_some(left);
            if left == 0 {
                return Ok(None);
            }
            return if mark {
                Err(MalformedRecord)
            } else {
                Ok(Some(None))
            };
        }
        let len = scratch.len().min(buffer.len());
        buffer[..len].copy_from_slice(&scratch[..len]);
        scratch.drain(..len);
        if complete && scratch.is_empty() {
            self.incoming = RecordProgress::default();
            return Ok(Some(Some((len, DataReceived::Complete))));
        }
        self.incoming.joined = scratch;
        self.incoming.continuation = true;
        self.incoming.left = (left > 0 || complete).then_some(left);
        Ok(Some(Some((len, DataReceived::Incomplete))))
    }

    /// The next piece of a basic conversation's data, or nothing before a
    /// mark.
    fn take_basic(
        &mut self,
        buffer: &mut [u8],
        fill: Fill,
    ) -> Result<Option<(usize, DataReceived)>, MalformedRecord> {
        if self.incoming.log && !self.skip_log()? {
            return Ok(None);
        }
        let (run, mark) = self.inbox.run();
        if fill == Fill::Buffer {
            let want = buffer.len();
            if run == 0 || (run < want && !mark) {
                return Ok(None);
            }
            let len = self.inbox.read(buffer);
            return Ok(Some((len, DataReceived::Data)));
        }
        let left = match self.incoming.left {
            Some(left) => left,
            None => {
                let Some(ll) = self.inbox.peek::<2>().map(LogicalLength::parse) else {
                    return if mark && run > 0 {
                        Err(MalformedRecord)
                    } else {
                        Ok(None)
                    };
                };
                if ll.len < 2 {
                    return Err(MalformedRecord);
                }
                ll.len
            }
        };
        let want = left.min(buffer.len());
        if run < want {
            // The partner may end a record early with a reason; its
            // received part is returned.
            if !mark {
                return Ok(None);
            }
            let len = self.inbox.read(&mut buffer[..run]);
            self.incoming.left = None;
            return Ok(Some((len, DataReceived::Incomplete)));
        }
        let len = self.inbox.read(&mut buffer[..want]);
        if len == left {
            self.incoming.left = None;
            return Ok(Some((len, DataReceived::Complete)));
        }
        self.incoming.left = Some(left - len);
        Ok(Some((len, DataReceived::Incomplete)))
    }

    /// Drops the log record of an error description; false while it is not all
    /// there.
    fn skip_log(&mut self) -> Result<bool, MalformedRecord> {
        let (run, mark) = self.inbox.run();
        let left = match self.incoming.left {
            Some(left) => left,
            None => match self.inbox.peek::<2>().map(LogicalLength::parse) {
                Some(ll) if ll.len >= 2 => ll.len,
                Some(_) => return Err(MalformedRecord),
                None if mark && run == 0 => {
                    self.incoming.log = false;
                    return Ok(true);
                }
                None => return Ok(false),
            },
        };
        let skipped = self.inbox.skip(left);
        self.incoming.left = (skipped < left).then_some(left - skipped);
        self.incoming.log = skipped < left;
        Ok(skipped == left)
    }
}

fn status_of(turn: ChainEndMeaning) -> StatusReceived {
    match turn {
        ChainEndMeaning::Send => StatusReceived::Send,
        ChainEndMeaning::Confirm => StatusReceived::Confirm,
        ChainEndMeaning::ConfirmSend => StatusReceived::ConfirmSend,
        ChainEndMeaning::ConfirmOver => StatusReceived::ConfirmDeallocate,
        ChainEndMeaning::Over => StatusReceived::None,
    }
}

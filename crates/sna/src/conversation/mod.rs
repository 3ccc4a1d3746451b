//! Conversations: the communication of two programs over a session.
//!
//! A [`Conversation`] converts verbs to requests of its half-session, and requests
//! to the results of verbs. It has the states of CPI-C. A verb that must wait
//! returns `Poll::Pending` and is called again. Reference: IBM *SNA LU 6.2
//! Reference: Peer Protocols* (SC31-6808), presentation services; IBM *Common
//! Programming Interface Communications* (SC26-4399).

pub mod code;
mod errors;
mod inbox;
mod outbox;
mod receive;
mod send;

use crate::mode::SyncLevel;
use crate::name::{LuName, ModeName, TpName};
use crate::node::event::SessionOutage;
use crate::session::SessionId;
use crate::session::half::HalfSession;
use crate::wire::security::AccessSecurity;
use crate::wire::{Sense, fmh5, gds};
use code::{ConversationType, ReturnCode, State, StatusReceived};
use inbox::ReceiveQueue;
use outbox::SendBuffer;
use std::task::Poll;

pub use errors::code_of;
pub use receive::ReceiveStatus;
pub use send::SendResult;

crate::arena::key!(
    /// One conversation of a node.
    ConversationId
);

/// The attributes of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationAttributes {
    /// This side.
    pub local: LuName,
    /// The partner.
    pub partner: LuName,
    /// The mode of its session.
    pub mode: ModeName,
    /// The program at the far end, or the one attached here.
    pub tp: TpName,
    /// Basic or mapped.
    pub kind: ConversationType,
    /// Sync level.
    pub sync: SyncLevel,
    /// The user it runs for, where one was named.
    pub user: Option<String>,
}

/// The interface that calls the verbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VerbOwner {
    /// A program.
    Program,
    /// The node itself, exchanging session limits of this group.
    LimitsSource(usize),
    /// The node itself, answering an exchange of session limits.
    LimitsTarget,
    /// The program has ended: an error must still be sent to the partner.
    NoProgram,
}

/// One conversation.
#[derive(Debug)]
pub(crate) struct Conversation {
    pub attributes: ConversationAttributes,
    pub owner: VerbOwner,
    pub session: Option<SessionId>,
    pub state: State,
    /// The Attach, until a session takes it.
    pub attach: Option<Box<AttachPlan>>,
    pub send_limit: usize,
    outbox: SendBuffer,
    inbox: ReceiveQueue,
    incoming: receive::RecordProgress,
    pending: Option<Operation>,
    answered: bool,
    /// The partner rejected data; an error description follows.
    peer_error: bool,
    failure: Option<ReturnCode>,
    /// The outage of its session.
    outage: Option<SessionOutage>,
    /// Sense data of the error description that a verb received, until it is
    /// taken.
    error_sense: Option<Sense>,
    request_to_send: bool,
    log_data: Vec<u8>,
    /// Its Attach was sent without its user.
    withheld: Option<WithheldSecurity>,
    wants_event: bool,
    /// A send waits for room in the session's queue.
    wants_room: bool,
    /// A receive waits for more than is there.
    starving: bool,
}

/// An Attach to be sent.
#[derive(Debug)]
pub(crate) struct AttachPlan {
    /// The header.
    pub header: fmh5::Repr,
    /// Program initialisation parameters.
    pub pip: Vec<Vec<u8>>,
}

/// A verb that waits for the partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Confirm,
    PrepareToReceive,
    Deallocate,
    Error(ErrorJob),
}

/// The access security that a partner accepts, as its BIND says.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AcceptedSecurity {
    /// Users with passwords.
    pub passwords: bool,
    /// Users that this side has verified.
    pub verified: bool,
}

/// Access security that was asked for and not sent, because the partner did not
/// say in its BIND or response that it takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithheldSecurity {
    /// A user that this side has verified.
    VerifiedUser,
    /// A user with a password.
    UserAndPassword,
}

/// An error to be sent to the partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ErrorJob {
    /// The sense data to send.
    pub sense: Sense,
    /// Whether the conversation ends with it.
    pub close: bool,
}

impl Conversation {
    /// A conversation in the state it starts in.
    pub fn new(attributes: ConversationAttributes, owner: VerbOwner, state: State) -> Conversation {
        Conversation {
            attributes,
            owner,
            session: None,
            state,
            attach: None,
            send_limit: usize::MAX,
            outbox: SendBuffer::default(),
            inbox: ReceiveQueue::default(),
            incoming: receive::RecordProgress::default(),
            pending: None,
            answered: false,
            peer_error: false,
            failure: None,
            outage: None,
            error_sense: None,
            request_to_send: false,
            log_data: Vec::new(),
            withheld: None,
            wants_event: false,
            wants_room: false,
            starving: false,
        }
    }

    /// Puts the Attach before the program's data. `bracket` says whether its RU
    /// begins the bracket, `accepts` which access security the partner accepts.
    pub fn begin(
        &mut self,
        session: SessionId,
        half: &mut HalfSession,
        bracket: bool,
        accepts: AcceptedSecurity,
    ) {
        self.join(session, half);
        self.state = State::Send;
        let Some(mut plan) = self.attach.take() else {
            return;
        };
        let wanted = if plan.header.already_verified {
            accepts.verified
        } else {
            accepts.passwords
        };
        if !wanted {
            self.withheld = if plan.header.already_verified {
                Some(WithheldSecurity::VerifiedUser)
            } else {
                plan.header
                    .access
                    .password
                    .as_ref()
                    .map(|_| WithheldSecurity::UserAndPassword)
            };
            plan.header.access = AccessSecurity::default();
            plan.header.already_verified = false;
        }
        self.outbox.begin(&plan.header.emit(), bracket);
        if !plan.pip.is_empty() {
            self.outbox.push(half, &gds::emit_pip(&plan.pip));
        }
    }

    /// The requested security that its Attach did not contain.
    pub fn withheld(&self) -> Option<WithheldSecurity> {
        self.withheld
    }

    /// Joins a conversation that a partner attached.
    pub fn join(&mut self, session: SessionId, half: &HalfSession) {
        self.session = Some(session);
        self.outbox = SendBuffer::new(half.parameters().send_ru);
    }

    /// Ends the conversation with a failure. Data received before can still be
    /// read.
    pub fn fail(&mut self, code: ReturnCode) {
        self.session = None;
        self.failure.get_or_insert(code);
        self.inbox.push_gone(code);
        self.outbox.clear();
    }

    /// Stores the outage of its session, before it fails.
    pub fn note_outage(&mut self, outage: SessionOutage) {
        self.outage = Some(outage);
    }

    /// The outage of its session, once the program has received the failure.
    pub fn reported_outage(&self) -> Option<SessionOutage> {
        self.outage.filter(|_| self.state == State::Reset)
    }

    /// Bytes received that the program has not taken.
    pub fn unread(&self) -> usize {
        self.inbox.bytes()
    }

    /// Whether a verb waits for data that is not all there.
    pub fn is_starving(&self) -> bool {
        self.starving
    }

    /// Whether a verb waits; true is returned once.
    pub fn take_wants_event(&mut self) -> bool {
        std::mem::take(&mut self.wants_event)
    }

    /// Notes that a program waits for a change.
    pub fn wait(&mut self) {
        self.wants_event = true;
    }

    /// Whether all that is left is to take the session away.
    pub fn is_over(&self) -> bool {
        self.state == State::Reset && !self.owes_error()
    }

    /// Whether the partner has not yet received the error that ended it.
    pub fn owes_error(&self) -> bool {
        matches!(self.pending, Some(Operation::Error(job)) if job.close)
    }

    /// Why it no longer has a session.
    pub fn failure(&self) -> Option<ReturnCode> {
        self.failure
    }

    /// Whether a send waits for room; true is returned once.
    pub fn take_wants_room(&mut self) -> bool {
        std::mem::take(&mut self.wants_room)
    }

    /// The log data to go with the next error.
    pub fn set_log_data(&mut self, data: &[u8]) {
        self.log_data = data[..data.len().min(LOG_DATA)].to_vec();
    }

    /// Sense data of the error description that a verb received; returned once.
    pub fn take_error_sense(&mut self) -> Option<Sense> {
        self.error_sense.take()
    }

    /// Whether the partner asked for the right to send. The call clears the indication.
    pub fn take_request_to_send(&mut self) -> bool {
        std::mem::take(&mut self.request_to_send)
    }

    /// The partner asked for the right to send.
    pub fn note_request_to_send(&mut self) {
        self.request_to_send = true;
    }

    fn wait_for<T>(&mut self) -> Poll<T> {
        self.wants_event = true;
        Poll::Pending
    }

    fn sent(&mut self, code: ReturnCode) -> SendResult {
        if code.ends_conversation() {
            self.state = State::Reset;
        }
        SendResult {
            code,
            request_to_send: self.take_request_to_send(),
        }
    }

    fn enter(&mut self, status: StatusReceived, with_data: bool) {
        self.state = match status {
            StatusReceived::None => State::Receive,
            StatusReceived::Send if with_data => State::SendPending,
            StatusReceived::Send => State::Send,
            StatusReceived::Confirm => State::Confirm,
            StatusReceived::ConfirmSend => State::ConfirmSend,
            StatusReceived::ConfirmDeallocate => State::ConfirmDeallocate,
        };
    }
}

/// The most log data an error carries, as CPI-C has it.
const LOG_DATA: usize = 512;

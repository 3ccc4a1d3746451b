//! The verbs of programs, on conversations of this node.
//!
//! Those that may have to wait give `Poll::Pending`; [`Event::Ready`] says when
//! to call the same verb again.
//!
//! [`Event::Ready`]: super::event::Event::Ready

use super::event::SessionOutage;
use super::{LinkId, Node};
use crate::conversation::code::{
    ConversationType, DeallocateType, ErrorDirection, Fill, PrepareToReceiveType, ReturnCode,
    ReturnControl, State,
};
use crate::conversation::{
    AttachPlan, Conversation, ConversationAttributes, ConversationId, ReceiveStatus, SendResult,
    VerbOwner, WithheldSecurity,
};
use crate::mode::SyncLevel;
use crate::name::{LuName, ModeName, TpName};
use crate::secret::PasswordBytes;
use crate::session::half::HalfSession;
use crate::time::MonotonicTime;
use crate::wire::{Sense, fmh5, gds};
use std::task::Poll;

/// The parameters of a new conversation.
#[derive(Clone, Debug)]
pub struct AllocateParameters {
    /// The local logical unit.
    pub local: LuName,
    /// The partner.
    pub partner: LuName,
    /// The mode.
    pub mode: ModeName,
    /// The program to start at the partner.
    pub tp: TpName,
    /// Basic or mapped.
    pub kind: ConversationType,
    /// Sync level.
    pub sync: SyncLevel,
    /// The security fields of the Attach.
    pub security: AllocateSecurity,
    /// Whether to wait for a session.
    pub return_control: ReturnControl,
    /// Program initialisation parameters, at most 32,763 bytes with four for
    /// each.
    pub pip: Vec<Vec<u8>>,
}

impl AllocateParameters {
    /// A mapped conversation with confirmation, no security and no parameters,
    /// that waits for its session.
    pub fn new(local: LuName, partner: LuName, mode: ModeName, tp: TpName) -> AllocateParameters {
        AllocateParameters {
            local,
            partner,
            mode,
            tp,
            kind: ConversationType::Mapped,
            sync: SyncLevel::Confirm,
            security: AllocateSecurity::None,
            return_control: ReturnControl::WhenSessionAllocated,
            pip: Vec::new(),
        }
    }
}

/// The access security information of an allocate.
#[derive(Clone, Debug)]
pub enum AllocateSecurity {
    /// No security.
    None,
    /// A user that this side has verified; sent where the partner takes that.
    Same {
        /// The user.
        user: String,
    },
    /// A user with a password; sent where the partner takes that.
    Program {
        /// The user.
        user: String,
        /// The password.
        password: PasswordBytes,
    },
}

/// Why a program does not take a conversation that was attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttachRefusal {
    /// The program is not defined.
    Unknown,
    /// The program cannot be started now.
    Later,
    /// The program cannot be started.
    Never,
    /// The user may not.
    Security,
    /// The program needs the other conversation type.
    Type,
    /// The program needs another sync level.
    SyncLevel,
    /// The initialisation parameters do not match the program.
    Parameters,
}

impl Node {
    /// Begins a conversation. [`Node::allocated`] says when it has a session.
    pub fn allocate(&mut self, wish: AllocateParameters, now: MonotonicTime) -> ConversationId {
        self.advance(now);
        let mut header = fmh5::Repr::new(
            wish.tp.as_ebcdic(),
            wish.kind == ConversationType::Mapped,
            match wish.sync {
                SyncLevel::None => 0,
                SyncLevel::Confirm => 1,
            },
        );
        header.pip = !wish.pip.is_empty();
        let user = match &wish.security {
            AllocateSecurity::None => None,
            AllocateSecurity::Same { user } => {
                header.already_verified = true;
                Some(user.clone())
            }
            AllocateSecurity::Program { user, password } => {
                header.access.password = Some(password.clone());
                Some(user.clone())
            }
        };
        header.access.user.clone_from(&user);
        let attributes = ConversationAttributes {
            local: wish.local.clone(),
            partner: wish.partner.clone(),
            mode: wish.mode.clone(),
            tp: wish.tp,
            kind: wish.kind,
            sync: wish.sync,
            user,
        };
        let mut conversation = Conversation::new(attributes, VerbOwner::Program, State::Initialize);
        let pip = wish.pip;
        let pip_bytes: usize = pip.iter().map(|field| field.len() + gds::HEADER).sum();
        let pip_fits = pip_bytes <= gds::MAX_PIP;
        conversation.attach = Some(Box::new(AttachPlan { header, pip }));
        let known = self.locals.contains(&wish.local) && pip_fits;
        let at = if known {
            self.group(&wish.local, &wish.partner, &wish.mode, None)
        } else {
            None
        };
        let at = at.filter(|at| {
            // The mode of the node itself is not for programs.
            !self.groups[*at].mode.is_service()
        });
        let id = self.conversations.insert(conversation);
        let Some(at) = at else {
            self.fail_conversation(id, ReturnCode::ParameterError);
            return id;
        };
        self.groups[at].waiting.push_back(id);
        self.groups[at].exhausted = false;
        self.serve(at);
        if wish.return_control == ReturnControl::Immediate && !self.has_session(id) {
            self.groups[at].waiting.retain(|w| *w != id);
            self.fail_conversation(id, ReturnCode::Unsuccessful);
        }
        self.settle();
        id
    }

    fn has_session(&self, id: ConversationId) -> bool {
        let conversation = self.conversations.get(id);
        conversation.is_some_and(|c| c.session.is_some())
    }

    /// Whether a conversation that was allocated has its session. A code other
    /// than OK ends it.
    pub fn allocated(&mut self, id: ConversationId) -> Poll<ReturnCode> {
        let Some(conversation) = self.conversations.get_mut(id) else {
            return Poll::Ready(ReturnCode::ProgramParameterCheck);
        };
        if conversation.state != State::Initialize {
            return Poll::Ready(ReturnCode::Ok);
        }
        if let Some(code) = conversation.failure() {
            let code = match code {
                ReturnCode::ResourceFailureRetry => ReturnCode::AllocateFailureRetry,
                ReturnCode::ResourceFailureNoRetry => ReturnCode::AllocateFailureNoRetry,
                other => other,
            };
            self.conversations.remove(id);
            return Poll::Ready(code);
        }
        conversation.wait();
        Poll::Pending
    }

    /// Gives up a conversation that waits for its session.
    pub fn cancel_allocate(&mut self, id: ConversationId) {
        let waits = self
            .conversations
            .get(id)
            .is_some_and(|c| c.state == State::Initialize && c.session.is_none());
        if waits {
            self.conversations.remove(id);
            for group in &mut self.groups {
                group.waiting.retain(|w| *w != id);
            }
        }
    }

    /// Takes a conversation that a partner attached.
    pub fn accept(&mut self, id: ConversationId) -> ReturnCode {
        let Some(conversation) = self.conversations.get_mut(id) else {
            return ReturnCode::ProgramParameterCheck;
        };
        let code = conversation.accept();
        if code == ReturnCode::Ok {
            self.waiting_attaches = self.waiting_attaches.saturating_sub(1);
        }
        code
    }

    /// The link whose session this conversation has.
    pub fn link_of(&self, id: ConversationId) -> Option<LinkId> {
        let session = self.conversations.get(id)?.session?;
        self.sessions.get(session).map(|session| session.link)
    }

    /// Refuses a conversation that a partner attached.
    pub fn refuse(&mut self, id: ConversationId, why: AttachRefusal) -> ReturnCode {
        let sense = match why {
            AttachRefusal::Unknown => Sense::TPN_UNKNOWN,
            AttachRefusal::Later => Sense::TP_RETRY,
            AttachRefusal::Never => Sense::TP_NO_RETRY,
            AttachRefusal::Security => Sense::SECURITY,
            AttachRefusal::Type => Sense::TYPE_MISMATCH,
            AttachRefusal::SyncLevel => Sense::SYNC_LEVEL,
            AttachRefusal::Parameters => Sense::PIP_WRONG,
        };
        let waits = self
            .conversations
            .get(id)
            .is_some_and(|c| c.state == State::InitializeIncoming);
        if !waits {
            return ReturnCode::ProgramStateCheck;
        }
        self.waiting_attaches = self.waiting_attaches.saturating_sub(1);
        self.poll_verb(id, |c, half| c.abend(half, sense));
        ReturnCode::Ok
    }

    /// Takes data to send: one record of a mapped conversation, any piece of
    /// the logical records of a basic one.
    pub fn send(&mut self, id: ConversationId, data: &[u8]) -> Poll<SendResult> {
        self.poll_verb(id, |c, half| c.send(half, data))
            .unwrap_or(Poll::Ready(UNKNOWN))
    }

    /// Sends all buffered data.
    pub fn flush(&mut self, id: ConversationId) -> ReturnCode {
        self.poll_verb(id, |c, half| Poll::Ready(c.flush(half)))
            .map_or(ReturnCode::ProgramParameterCheck, ready)
    }

    /// Asks the partner to confirm.
    pub fn confirm(&mut self, id: ConversationId) -> Poll<SendResult> {
        self.poll_verb(id, |c, half| c.confirm(half))
            .unwrap_or(Poll::Ready(UNKNOWN))
    }

    /// Confirms.
    pub fn confirmed(&mut self, id: ConversationId) -> ReturnCode {
        self.poll_verb(id, |c, half| Poll::Ready(c.confirmed(half)))
            .map_or(ReturnCode::ProgramParameterCheck, ready)
    }

    /// Passes the right to send.
    pub fn prepare_to_receive(
        &mut self,
        id: ConversationId,
        kind: PrepareToReceiveType,
    ) -> Poll<ReturnCode> {
        self.poll_verb(id, |c, half| c.prepare_to_receive(half, kind))
            .unwrap_or(Poll::Ready(ReturnCode::ProgramParameterCheck))
    }

    /// Receives into `buffer`: data, a status, or both.
    pub fn receive(
        &mut self,
        id: ConversationId,
        buffer: &mut [u8],
        fill: Fill,
    ) -> Poll<ReceiveStatus> {
        let received = self.poll_verb(id, |c, half| c.receive(half, buffer, fill));
        let session = self.conversations.get(id).and_then(|c| c.session);
        if let Some(session) = session {
            self.grant(session);
        }
        received.unwrap_or(Poll::Ready(ReceiveStatus {
            code: ReturnCode::ProgramParameterCheck,
            len: 0,
            data: crate::conversation::code::DataReceived::None,
            status: crate::conversation::code::StatusReceived::None,
            request_to_send: false,
        }))
    }

    /// Reports an error to the partner program.
    pub fn send_error(
        &mut self,
        id: ConversationId,
        direction: ErrorDirection,
    ) -> Poll<SendResult> {
        self.poll_verb(id, |c, half| c.send_error(half, direction))
            .unwrap_or(Poll::Ready(UNKNOWN))
    }

    /// Asks the partner for the right to send.
    pub fn request_to_send(&mut self, id: ConversationId) -> ReturnCode {
        self.poll_verb(id, |c, half| Poll::Ready(c.request_to_send(half)))
            .map_or(ReturnCode::ProgramParameterCheck, ready)
    }

    /// Whether the partner asked for the right to send; asking clears it.
    pub fn test_request_to_send(&mut self, id: ConversationId) -> bool {
        let conversation = self.conversations.get_mut(id);
        conversation.is_some_and(Conversation::take_request_to_send)
    }

    /// Ends the conversation.
    pub fn deallocate(&mut self, id: ConversationId, kind: DeallocateType) -> Poll<ReturnCode> {
        let waits = self
            .conversations
            .get(id)
            .is_some_and(|c| c.state == State::InitializeIncoming);
        if waits && kind == DeallocateType::Abend {
            self.waiting_attaches = self.waiting_attaches.saturating_sub(1);
        }
        self.poll_verb(id, |c, half| c.deallocate(half, kind))
            .unwrap_or(Poll::Ready(ReturnCode::ProgramParameterCheck))
    }

    /// The log data to go with the next error or abnormal end, at most 512
    /// bytes.
    pub fn set_log_data(&mut self, id: ConversationId, data: &[u8]) {
        if let Some(conversation) = self.conversations.get_mut(id) {
            conversation.set_log_data(data);
        }
    }

    /// The state of a conversation; Reset if it does not exist.
    pub fn state(&self, id: ConversationId) -> State {
        let conversation = self.conversations.get(id);
        let conversation = conversation.filter(|c| c.owner != VerbOwner::NoProgram);
        conversation.map_or(State::Reset, |c| c.state)
    }

    /// The sense data of the error description that the last verb of this
    /// conversation received, if any. It distinguishes causes with the same
    /// return code. Call this before the next verb.
    pub fn error_sense(&self, id: ConversationId) -> Option<Sense> {
        self.error_sense
            .and_then(|(of, sense)| (of == id).then_some(sense))
    }

    /// Why this conversation's session failed, if the last verb failed with it.
    /// Call this before the next verb.
    pub fn outage(&self, id: ConversationId) -> Option<SessionOutage> {
        self.outage
            .and_then(|(of, outage)| (of == id).then_some(outage))
    }

    /// The access security that this conversation's Attach did not contain,
    /// because the partner does not accept it.
    pub fn access_withheld(&self, id: ConversationId) -> Option<WithheldSecurity> {
        self.conversations.get(id)?.withheld()
    }

    /// Whether a conversation's next receive only returns its end. CPI-C returns
    /// the end by its own call; other interfaces return it with the last record.
    pub fn at_end(&self, id: ConversationId) -> bool {
        self.conversations.get(id).is_some_and(|c| c.at_end())
    }

    /// The attributes of a conversation.
    pub fn attributes(&self, id: ConversationId) -> Option<&ConversationAttributes> {
        self.conversations.get(id).map(|c| &c.attributes)
    }

    /// The number of conversations.
    pub fn conversation_count(&self) -> usize {
        self.conversations.len()
    }

    /// Runs a verb of a program and queues its output.
    fn poll_verb<R>(
        &mut self,
        id: ConversationId,
        f: impl FnOnce(&mut Conversation, Option<&mut HalfSession>) -> Poll<R>,
    ) -> Option<Poll<R>> {
        self.error_sense = None;
        self.outage = None;
        // A conversation that only sends its error has no owner.
        let owner = self.conversations.get(id)?.owner;
        if owner != VerbOwner::Program {
            return None;
        }
        let out = self.verb(id, f)?;
        if let Some(reported) = self.conversations.get_mut(id) {
            self.error_sense = reported.take_error_sense().map(|sense| (id, sense));
            self.outage = reported.reported_outage().map(|outage| (id, outage));
        }
        self.finish_verb(id);
        self.settle();
        Some(out)
    }

    /// Runs a verb and puts its session in line.
    pub(super) fn verb<R>(
        &mut self,
        id: ConversationId,
        f: impl FnOnce(&mut Conversation, Option<&mut HalfSession>) -> R,
    ) -> Option<R> {
        let out = self.with_half(id, f)?;
        let session = self.conversations.get(id).and_then(|c| c.session);
        if let Some(session) = session {
            self.kick(session);
        }
        Some(out)
    }

    /// After a verb: detaches a conversation that has ended from its session.
    pub(super) fn finish_verb(&mut self, id: ConversationId) {
        let Some(conversation) = self.conversations.get_mut(id) else {
            return;
        };
        let session = conversation.session;
        if conversation.owes_error() {
            conversation.owner = VerbOwner::NoProgram;
            return;
        }
        if !conversation.is_over() {
            return;
        }
        self.conversations.remove(id);
        if let Some(session) = session {
            self.grant(session);
            self.after(session);
        }
    }
}

fn ready<T>(poll: Poll<T>) -> T
where
    T: From<ReturnCode>,
{
    match poll {
        Poll::Ready(value) => value,
        Poll::Pending => T::from(ReturnCode::OperationIncomplete),
    }
}

const UNKNOWN: SendResult = SendResult {
    code: ReturnCode::ProgramParameterCheck,
    request_to_send: false,
};

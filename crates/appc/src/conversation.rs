//! Conversations as programs see them: every verb waits until it is done.
//!
//! A verb that ends with a code other than OK is an error with this code. The
//! end of a conversation by the partner is in [`ReceiveResult::ended`], because most
//! conversations end that way.

use crate::Error;
use crate::config::lu_name;
use crate::host::{HostState, SharedHost, WakeEvent};
use sna::conversation::code::{
    ConversationType, DataReceived, DeallocateType, ErrorDirection, Fill, PrepareToReceiveType,
    ReturnCode, StatusReceived,
};
use sna::conversation::{ConversationId, WithheldSecurity};
use sna::mode::SyncLevel;
use sna::wire::Sense;
use sna::{AllocateParameters, AllocateSecurity, CheckedAttach, LuName, Node, PasswordBytes};
use std::sync::Arc;
use std::task::Poll;

/// The parameters of an allocate.
#[derive(Debug, Clone)]
pub struct AllocateRequest {
    /// The partner logical unit.
    pub partner: String,
    /// The transaction program to attach.
    pub tp: String,
    /// The mode.
    pub mode: String,
    /// Basic or mapped.
    pub kind: ConversationType,
    /// Sync level.
    pub sync: SyncLevel,
    /// A user and a password, or a user alone that this side has verified.
    pub user: Option<(String, Option<String>)>,
    /// Program initialisation parameters.
    pub pip: Vec<Vec<u8>>,
}

impl AllocateRequest {
    /// A mapped conversation of mode `#INTER`, sync level confirm, without
    /// security.
    pub fn new(partner: &str, tp: &str) -> AllocateRequest {
        AllocateRequest {
            partner: partner.to_owned(),
            tp: tp.to_owned(),
            mode: "#INTER".into(),
            kind: ConversationType::Mapped,
            sync: SyncLevel::Confirm,
            user: None,
            pip: Vec::new(),
        }
    }

    /// The node's verb for this call, from the logical unit `local`. The error
    /// names the first invalid name.
    pub fn to_node_parameters(&self, local: &str) -> Result<AllocateParameters, Error> {
        Ok(AllocateParameters {
            kind: self.kind,
            sync: self.sync,
            security: match &self.user {
                None => AllocateSecurity::None,
                Some((user, Some(password))) => AllocateSecurity::Program {
                    user: user.clone(),
                    password: PasswordBytes::new(password),
                },
                Some((user, None)) => AllocateSecurity::Same { user: user.clone() },
            },
            pip: self.pip.clone(),
            ..AllocateParameters::new(
                lu_name("lu", local)?,
                lu_name("partner", &self.partner)?,
                self.mode
                    .parse()
                    .map_err(|why| Error::config("mode", &self.mode, why))?,
                self.tp
                    .parse()
                    .map_err(|why| Error::config("tp", &self.tp, why))?,
            )
        })
    }

    /// A copy with another mode.
    pub fn with_mode(mut self, mode: &str) -> AllocateRequest {
        self.mode = mode.to_owned();
        self
    }
}

/// The message that a partner does not accept security subfields, so that the user
/// was not sent. `local` is this node's logical unit.
pub fn withheld(what: WithheldSecurity, user: &str, local: &str) -> String {
    match what {
        WithheldSecurity::VerifiedUser => format!(
            "it does not accept users that this node has verified, so the Attach goes without \
             {user} and without security: give a password, or let the partner trust this node \
             (Tupelo: `trusted = true` under [appc.partners.\"{local}\"] there)"
        ),
        WithheldSecurity::UserAndPassword => format!(
            "it accepts no users with passwords, so the Attach goes without {user} and without \
             security"
        ),
    }
}

/// The result of a receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceiveResult {
    /// Bytes now in the buffer.
    pub len: usize,
    /// Whether the data complete a record.
    pub data: DataReceived,
    /// What the partner expects next.
    pub status: StatusReceived,
    /// Whether the partner asked to send.
    pub request_to_send: bool,
    /// Whether the partner deallocated the conversation normally.
    pub ended: bool,
    /// Whether the partner's normal end arrived with this record: the next
    /// receive returns only that end.
    pub last: bool,
}

/// A record of up to this many bytes may wait for the program's next verb.
const SMALL_BYTES: usize = 1024;

/// One conversation. Dropped before its end, it is deallocated abnormally.
pub struct Conversation {
    shared: Arc<SharedHost>,
    id: ConversationId,
    over: bool,
    partner: LuName,
    met: VerbDetails,
}

/// Details of the last verb in addition to its return code.
#[derive(Debug, Default)]
struct VerbDetails {
    /// Of an error description.
    sense: Option<Sense>,
    /// The reason of the session's loss.
    outage: Option<String>,
}

impl VerbDetails {
    fn of(inner: &HostState, id: ConversationId, partner: &LuName) -> VerbDetails {
        VerbDetails {
            sense: inner.node.error_sense(id),
            outage: inner.outage(id, partner),
        }
    }
}

impl Conversation {
    pub(crate) fn allocate(
        shared: Arc<SharedHost>,
        local: &str,
        call: &AllocateRequest,
    ) -> Result<Self, Error> {
        let wish = call.to_node_parameters(local)?;
        let (local, partner, mode) = (wish.local.clone(), wish.partner.clone(), wish.mode.clone());
        let id = {
            let now = shared.now();
            let mut inner = shared.lock();
            let why = match inner.node.config().modes.get(&wish.mode) {
                None => Some("the mode is not defined"),
                Some(mode) if mode.is_service() => {
                    Some("the mode is reserved for the node; use another mode")
                }
                Some(_) => None,
            };
            if let Some(why) = why {
                return Err(Error::config("mode", &call.mode, why));
            }
            inner.node.allocate(wish, now)
        };
        let mut conversation = Conversation {
            shared,
            id,
            over: false,
            partner: partner.clone(),
            met: VerbDetails::default(),
        };
        let (code, denial, unsent) = conversation.wait(|node| {
            node.allocated(id).map(|code| {
                let denial = node.denial(&local, &partner, &mode);
                (code, denial, node.access_withheld(id))
            })
        })?;
        let no_session = matches!(
            code,
            ReturnCode::AllocateFailureNoRetry | ReturnCode::AllocateFailureRetry
        );
        let why = denial.filter(|_| no_session);
        conversation
            .check("ALLOCATE", code)
            .map_err(|error| match why {
                Some(denial) => error.because(denial),
                None => error,
            })?;
        if let (Some(what), Some((user, _))) = (unsent, &call.user) {
            let why = withheld(what, user, local.as_str());
            let shared = &conversation.shared;
            let now = shared.now();
            shared.lock().complain(&partner, &why, now);
        }
        Ok(conversation)
    }

    pub(crate) fn incoming(shared: Arc<SharedHost>, attached: &CheckedAttach) -> Conversation {
        Conversation {
            shared,
            id: attached.conversation,
            over: false,
            partner: attached.partner.clone(),
            met: VerbDetails::default(),
        }
    }

    /// Its number within the node.
    pub fn id(&self) -> ConversationId {
        self.id
    }

    /// Accepts an attach; the first verb of a program that was attached.
    pub fn accept(&mut self) -> Result<(), Error> {
        let id = self.id;
        let code = self.now(|node| node.accept(id))?;
        self.check("ACCEPT", code)
    }

    /// Sends a record (mapped) or a piece of the logical-record stream (basic).
    /// Returns `true` if the partner asked to send.
    pub fn send(&mut self, data: &[u8]) -> Result<bool, Error> {
        let id = self.id;
        let wake = WakeEvent::Conversation(id);
        let sent = if data.len() <= SMALL_BYTES {
            self.shared.sending(wake, |inner| {
                let sent = inner.node.send(id, data);
                self.met = VerbDetails::of(inner, id, &self.partner);
                sent
            })?
        } else {
            self.wait(|node| node.send(id, data))?
        };
        self.check("SEND_DATA", sent.code)?;
        Ok(sent.request_to_send)
    }

    /// Sends the buffered data.
    pub fn flush(&mut self) -> Result<(), Error> {
        let id = self.id;
        let code = self.now(|node| node.flush(id))?;
        self.check("FLUSH", code)
    }

    /// Asks the partner to confirm, and waits until it has.
    pub fn confirm(&mut self) -> Result<bool, Error> {
        let id = self.id;
        let sent = self.wait(|node| node.confirm(id))?;
        self.check("CONFIRM", sent.code)?;
        Ok(sent.request_to_send)
    }

    /// Confirms.
    pub fn confirmed(&mut self) -> Result<(), Error> {
        let id = self.id;
        let code = self.now(|node| node.confirmed(id))?;
        self.check("CONFIRMED", code)
    }

    /// Gives the partner the right to send.
    pub fn prepare_to_receive(&mut self, kind: PrepareToReceiveType) -> Result<(), Error> {
        let id = self.id;
        let code = self.wait(|node| node.prepare_to_receive(id, kind))?;
        self.check("PREPARE_TO_RECEIVE", code)
    }

    /// Waits for data or a status.
    pub fn receive(&mut self, buffer: &mut [u8]) -> Result<ReceiveResult, Error> {
        let id = self.id;
        let mut last = false;
        let got = self
            .shared
            .receiving(WakeEvent::Conversation(id), |inner| {
                let got = inner.node.receive(id, buffer, Fill::Ll);
                self.met = VerbDetails::of(inner, id, &self.partner);
                last = inner.node.at_end(id);
                got
            })?;
        let ended = got.code == ReturnCode::DeallocatedNormal;
        self.over |= ended;
        if !ended {
            self.check("RECEIVE", got.code)?;
        }
        Ok(ReceiveResult {
            len: got.len,
            data: got.data,
            status: got.status,
            request_to_send: got.request_to_send,
            ended,
            last,
        })
    }

    /// Reports an error to the partner; this side sends afterwards.
    pub fn send_error(&mut self) -> Result<(), Error> {
        let id = self.id;
        let sent = self.wait(|node| node.send_error(id, ErrorDirection::Receive))?;
        self.check("SEND_ERROR", sent.code)
    }

    /// Asks for the right to send.
    pub fn request_to_send(&mut self) -> Result<(), Error> {
        let id = self.id;
        let code = self.now(|node| node.request_to_send(id))?;
        self.check("REQUEST_TO_SEND", code)
    }

    /// Ends the conversation.
    pub fn deallocate(mut self, kind: DeallocateType) -> Result<(), Error> {
        let id = self.id;
        let code = self.wait(|node| node.deallocate(id, kind))?;
        self.over |= code == ReturnCode::Ok;
        self.check("DEALLOCATE", code)
    }

    /// Releases the conversation to a caller that uses the node's verbs.
    pub fn leave(mut self) {
        self.over = true;
    }

    /// A verb that never waits.
    fn now<T>(&mut self, verb: impl FnOnce(&mut Node) -> T) -> Result<T, Error> {
        let mut inner = self.shared.lock();
        let value = verb(&mut inner.node);
        self.met = VerbDetails::of(&inner, self.id, &self.partner);
        self.shared.drain(&mut inner, false);
        Ok(value)
    }

    /// A verb that may wait.
    fn wait<T>(&mut self, mut verb: impl FnMut(&mut Node) -> Poll<T>) -> Result<T, Error> {
        let (id, partner, met) = (self.id, &self.partner, &mut self.met);
        self.shared.blocking(WakeEvent::Conversation(id), |inner| {
            let value = verb(&mut inner.node);
            *met = VerbDetails::of(inner, id, partner);
            value
        })
    }

    fn check(&mut self, verb: &'static str, code: ReturnCode) -> Result<(), Error> {
        self.over |= code.ends_conversation();
        match code {
            ReturnCode::Ok => Ok(()),
            // A host that stops takes its links down itself.
            ReturnCode::ResourceFailureRetry | ReturnCode::ResourceFailureNoRetry
                if self.shared.stopped() =>
            {
                Err(Error::Stopped)
            }
            code => {
                let error = Error::verb(verb, code, self.met.sense);
                Err(match self.met.outage.take() {
                    Some(outage) => error.because(outage),
                    None => error,
                })
            }
        }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        let mut inner = self.shared.lock();
        if !self.over {
            // Never waits: an abend needs no answer.
            let _ = inner.node.deallocate(self.id, DeallocateType::Abend);
        }
        if !self.over || inner.owes {
            self.shared.drain(&mut inner, false);
        }
        inner.ready.remove(&WakeEvent::Conversation(self.id));
    }
}

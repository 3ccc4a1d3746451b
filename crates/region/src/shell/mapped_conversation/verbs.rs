//! The verbs and the states they are allowed in, except for receiving.

use cics::resp::Condition;
use link::conversation::{
    ConversationState, INDICATOR_FREE, INDICATOR_RECEIVE, VERB_CONFIRM, VERB_DATA, VERB_INVITE,
    VERB_LAST, VERB_WAIT, Verb,
};
use link::{CallAnswer, WorkerCall};

use super::{MappedConversation, VerbResult, pip};
use crate::api::{Conversation, ConversationTarget, Fault};

impl MappedConversation {
    /// Serves a verb. Returns false when the verb ended the conversation.
    pub fn serve(&mut self, id: u32, call: &WorkerCall) -> (CallAnswer, bool) {
        let [_, _, flags, limit, ..] = call.args;
        let data = &call.data;
        let mut lives = true;
        let result = match Verb::from_number(call.args[0]) {
            None => VerbResult::condition(Condition::InvReq),
            Some(Verb::Allocate) => {
                let result = self.allocate(data);
                lives = result.condition == Condition::Normal;
                result
            }
            Some(Verb::Connect) => self.connect(data, flags, limit == 1),
            Some(Verb::Send) => self.send(data, flags),
            Some(Verb::Receive) => self.receive(flags, limit),
            Some(Verb::Converse) => {
                let sent = self.send(data, flags & VERB_DATA | VERB_INVITE | VERB_WAIT);
                if sent.error == 0 && self.state == ConversationState::Receive {
                    self.receive(flags, limit)
                } else {
                    sent
                }
            }
            Some(Verb::Wait) => self.wait(),
            Some(Verb::Free) => {
                let result = self.free();
                lives = result.condition != Condition::Normal;
                result
            }
            Some(Verb::Confirmation) => self.confirmation(),
            Some(Verb::Error) => self.error(),
            Some(Verb::Abend) => self.abend(),
            Some(Verb::Signal) => self.signal(),
            Some(Verb::Process) => self.process(),
            Some(Verb::Attributes) => VerbResult::default(),
        };
        let mut answer = result.into_answer(id, self.state);
        if self.destination == ConversationTarget::default()
            && self.conversation.is_none()
            && !lives
        {
            // A conversation that was not allocated has neither a name nor a state.
            answer.args[..2].fill(0);
        }
        (answer, lives)
    }

    fn allocate(&mut self, data: &[u8]) -> VerbResult {
        let Some(partners) = &self.partners else {
            return VerbResult::condition(Condition::SysIdErr);
        };
        let text = |from: usize, to: usize| {
            let part = data.get(from..to).unwrap_or_default();
            String::from_utf8_lossy(part).trim_end().to_owned()
        };
        let (system, profile, partner) = (text(0, 4), text(4, 12), text(12, 20));
        let found = if partner.is_empty() {
            partners.system(&system).ok_or(Condition::SysIdErr)
        } else {
            partners.partner(&partner).ok_or(Condition::PartnerIdErr)
        };
        let mut destination = match found {
            Ok(destination) => destination,
            Err(condition) => return VerbResult::condition(condition),
        };
        if !profile.is_empty() {
            match partners.profile(&profile) {
                Some(mode) => destination.mode = mode,
                None => return VerbResult::condition(Condition::CbIdErr),
            }
        }
        if !partners.reach(&destination) {
            return VerbResult::condition(Condition::SysIdErr);
        }
        self.destination = destination;
        VerbResult::default()
    }

    fn connect(&mut self, data: &[u8], name_bytes: u64, confirm: bool) -> VerbResult {
        let Some(partners) = self.partners.clone() else {
            return VerbResult::condition(Condition::InvReq);
        };
        if self.state != ConversationState::Allocated {
            return VerbResult::condition(Condition::InvReq);
        }
        let (partner, rest) = data.split_at(data.len().min(8));
        let (name, list) = rest.split_at(rest.len().min(name_bytes as usize));
        let Some(parameters) = pip::parse(list) else {
            return VerbResult::condition(Condition::LengErr);
        };
        let partner = String::from_utf8_lossy(partner).trim_end().to_owned();
        let mut process = String::from_utf8_lossy(name).trim_end().to_owned();
        if !partner.is_empty() {
            let named = partners.partner(&partner).and_then(|found| found.process);
            match named {
                Some(named) => process = named,
                None => return VerbResult::condition(Condition::PartnerIdErr),
            }
        }
        let (to, unit) = (&self.destination, self.unit.as_ref());
        match partners.connect_in_unit(unit, to, &process, confirm, parameters) {
            Ok(conversation) => {
                self.conversation = Some(conversation);
                self.state = ConversationState::Send;
                VerbResult::default()
            }
            Err(fault) => self.fault(fault),
        }
    }

    /// The transaction that the partner attached. Only the principal facility has one: a
    /// conversation that the task allocated was attached by itself.
    fn process(&self) -> VerbResult {
        let conversation = match (&self.partners, &self.conversation) {
            (None, Some(conversation)) => conversation,
            _ => return VerbResult::condition(Condition::InvReq),
        };
        let (name, level) = conversation.process();
        let list = pip::emit(conversation.parameters());
        VerbResult {
            figure: u64::from(level),
            more: name.len() as u64,
            data: [name.as_bytes(), &list].concat(),
            ..VerbResult::default()
        }
    }

    pub(super) fn send(&mut self, data: &[u8], flags: u64) -> VerbResult {
        let alone = VERB_DATA | VERB_INVITE | VERB_LAST;
        let announced = matches!(
            self.state,
            ConversationState::PendReceive | ConversationState::PendFree
        );
        let completes = announced && flags & VERB_CONFIRM != 0 && flags & alone == 0;
        if self.state != ConversationState::Send && !completes {
            return VerbResult::condition(Condition::InvReq);
        }
        // CONFIRM by itself completes INVITE or LAST. Whether the
        // state tables allow that could not be read again in a public copy.
        let flags = match self.state {
            ConversationState::PendReceive => flags | VERB_INVITE,
            ConversationState::PendFree => flags | VERB_LAST,
            _ => flags,
        };
        let confirm = flags & VERB_CONFIRM != 0;
        let level = self.conversation.as_ref().map_or(0, |c| c.process().1);
        if confirm && level == 0 {
            return VerbResult::condition(Condition::InvReq);
        }
        let mut signal = false;
        if flags & VERB_DATA != 0 {
            match self.with(|c| c.send(data)) {
                Ok(asked) => signal = asked,
                Err(fault) => return self.fault(fault),
            }
        }
        let at_once = confirm || flags & VERB_WAIT != 0;
        let done = if flags & VERB_LAST != 0 {
            self.state = ConversationState::PendFree;
            if at_once { self.end(confirm) } else { Ok(()) }
        } else if flags & VERB_INVITE != 0 {
            self.state = ConversationState::PendReceive;
            if at_once {
                self.invite(confirm)
            } else {
                Ok(())
            }
        } else if confirm {
            self.with(|c| c.confirm()).map(|asked| signal |= asked)
        } else if at_once {
            self.with(|c| c.flush())
        } else {
            Ok(())
        };
        let mut result = match done {
            Ok(()) => self.where_it_is(),
            Err(fault) => self.fault(fault),
        };
        result.note_signal(signal);
        result
    }

    fn wait(&mut self) -> VerbResult {
        let done = match self.state {
            ConversationState::Send => self.with(|c| c.flush()),
            ConversationState::PendReceive => self.invite(false),
            ConversationState::PendFree => self.end(false),
            _ => return VerbResult::condition(Condition::InvReq),
        };
        match done {
            Ok(()) => self.where_it_is(),
            Err(fault) => self.fault(fault),
        }
    }

    fn free(&mut self) -> VerbResult {
        let done = match self.state {
            ConversationState::Allocated | ConversationState::Free => Ok(()),
            ConversationState::Send | ConversationState::PendFree => self.end(false),
            _ => return VerbResult::condition(Condition::InvReq),
        };
        match done {
            Ok(()) => VerbResult::default(),
            Err(fault) => self.fault(fault),
        }
    }

    fn confirmation(&mut self) -> VerbResult {
        let next = match self.state {
            ConversationState::ConfReceive => ConversationState::Receive,
            ConversationState::ConfSend => ConversationState::Send,
            ConversationState::ConfFree => ConversationState::Free,
            _ => return VerbResult::condition(Condition::InvReq),
        };
        match self.with(|c| c.confirmed()) {
            Ok(()) => {
                self.state = next;
                self.where_it_is()
            }
            Err(fault) => self.fault(fault),
        }
    }

    fn error(&mut self) -> VerbResult {
        if matches!(
            self.state,
            ConversationState::Allocated | ConversationState::Free
        ) {
            return VerbResult::condition(Condition::InvReq);
        }
        match self.with(|c| c.error()) {
            Ok(()) => {
                self.forget_record();
                self.state = ConversationState::Send;
                VerbResult::default()
            }
            Err(fault) => self.fault(fault),
        }
    }

    fn abend(&mut self) -> VerbResult {
        if matches!(
            self.state,
            ConversationState::Allocated | ConversationState::Free
        ) {
            return VerbResult::condition(Condition::InvReq);
        }
        if let Some(conversation) = self.conversation.take() {
            conversation.interrupter()();
        }
        self.state = ConversationState::Free;
        self.where_it_is()
    }

    fn signal(&mut self) -> VerbResult {
        if matches!(
            self.state,
            ConversationState::Allocated | ConversationState::Free
        ) {
            return VerbResult::condition(Condition::InvReq);
        }
        match self.with(|c| c.signal()) {
            Ok(()) => self.where_it_is(),
            Err(fault) => self.fault(fault),
        }
    }

    /// Gives the turn away.
    pub(super) fn invite(&mut self, confirm: bool) -> Result<(), Fault> {
        self.with(|c| c.invite(confirm))?;
        self.state = ConversationState::Receive;
        Ok(())
    }

    fn end(&mut self, confirm: bool) -> Result<(), Fault> {
        if let Some(conversation) = self.conversation.take() {
            conversation.end(confirm)?;
        }
        self.state = ConversationState::Free;
        Ok(())
    }

    pub(super) fn with<R>(
        &mut self,
        verb: impl FnOnce(&mut dyn Conversation) -> Result<R, Fault>,
    ) -> Result<R, Fault> {
        match &mut self.conversation {
            Some(conversation) => verb(&mut **conversation),
            None => Err(Fault::State),
        }
    }

    /// The indicators of the state.
    fn where_it_is(&self) -> VerbResult {
        VerbResult {
            indicators: match self.state {
                ConversationState::Receive => INDICATOR_RECEIVE,
                ConversationState::Free => INDICATOR_FREE,
                _ => 0,
            },
            ..VerbResult::default()
        }
    }
}

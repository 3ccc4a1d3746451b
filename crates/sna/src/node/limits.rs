//! Session limits: groups of sessions and the exchange that sets how many
//! there may be (change number of sessions).
//!
//! The exchange is a conversation of the node itself under the mode SNASVCMG:
//! an Attach of X'06F1' and the wish with the turn, then the reply and the end.
//! Reference: IBM *SNA LU 6.2 Reference: Peer Protocols* (SC31-6808), change
//! number of sessions.

use super::attach::LIMITS_TP;
use super::config::PartnerLu;
use super::event::{CnosOutcome, Limits, NodeEvent, SessionDenial};
use super::group::{Exchange, SessionGroup};
use super::sessions::SessionPhase;
use super::{Node, Timer};
use crate::conversation::code::{
    ConversationType, DataReceived, DeallocateType, Fill, PrepareToReceiveType, ReturnCode, State,
};
use crate::conversation::{
    AttachPlan, Conversation, ConversationAttributes, ConversationId, VerbOwner,
};
use crate::mode::{self, SyncLevel};
use crate::name::{LuName, ModeName, TpName};
use crate::time::MonotonicTime;
use crate::wire::cnos::{CnosService, ReplyModifier, Repr as Cnos};
use crate::wire::fmh5;
use std::task::Poll;

impl Node {
    /// Asks a partner for these session limits. The outcome is an event.
    /// Gives false when the mode is not known or the pair has one session.
    pub fn initialize_limits(
        &mut self,
        local: &LuName,
        partner: &LuName,
        mode: &ModeName,
        limits: Limits,
        now: MonotonicTime,
    ) -> bool {
        self.advance(now);
        let at = self.group(local, partner, mode, None);
        let Some(at) = at.filter(|at| !self.groups[*at].single) else {
            return false;
        };
        if self.groups[at].mode.is_service() || self.groups[at].exchange.is_some() {
            return false;
        }
        self.start_exchange(at, limits);
        self.settle();
        true
    }

    /// Asks a partner to take session limits back to zero; sessions end as
    /// their conversations do.
    pub fn reset_limits(
        &mut self,
        local: &LuName,
        partner: &LuName,
        mode: &ModeName,
        now: MonotonicTime,
    ) -> bool {
        self.initialize_limits(local, partner, mode, Limits::default(), now)
    }

    /// The session limits now in force.
    pub fn limits(&self, local: &LuName, partner: &LuName, mode: &ModeName) -> Option<Limits> {
        let key = (local.clone(), partner.clone(), mode.clone());
        self.group_of.get(&key).map(|at| self.groups[*at].limits)
    }

    /// The group of this pair and mode, created if the mode is known.
    /// `parallel` comes from a partner's BIND, for an undefined partner.
    pub(super) fn group(
        &mut self,
        local: &LuName,
        partner: &LuName,
        mode: &ModeName,
        parallel: Option<bool>,
    ) -> Option<usize> {
        let key = (local.clone(), partner.clone(), mode.clone());
        if let Some(at) = self.group_of.get(&key) {
            return Some(*at);
        }
        let known = self.config.modes.get(mode)?;
        let free = self.unused_group();
        if free.is_none() && self.groups.len() >= GROUPS {
            return None;
        }
        if !self.partners.contains_key(partner) {
            let mut new = PartnerLu::new(partner.clone());
            new.parallel = parallel.unwrap_or(true);
            self.partners.insert(partner.clone(), new);
        }
        let single = self.partners.get(partner).is_some_and(|p| !p.parallel);
        let group = SessionGroup::new(local.clone(), partner.clone(), known, single);
        let at = if let Some(at) = free {
            self.groups[at] = group;
            at
        } else {
            self.groups.push(group);
            self.groups.len() - 1
        };
        self.group_of.insert(key, at);
        Some(at)
    }

    /// Takes a retired group whose last session has ended.
    fn unused_group(&mut self) -> Option<usize> {
        let unused = |at: &usize| self.groups[*at].is_unused();
        let found = self.retired.iter().position(unused)?;
        Some(self.retired.swap_remove(found))
    }

    /// Conversations wait in a group whose limits were never set.
    pub(super) fn open_limits(&mut self, at: usize) {
        let group = &self.groups[at];
        if group.exchange.is_some() {
            return;
        }
        if !self.config.auto_initialize {
            let code = ReturnCode::AllocateFailureRetry;
            self.fail_waiters(at, code, SessionDenial::LimitsNotSet);
            return;
        }
        let mode = &group.mode;
        let wish = Limits {
            sessions: mode.session_limit,
            local_winners: mode.min_winners.min(mode.session_limit),
            remote_winners: mode.session_limit.saturating_sub(mode.min_winners),
        };
        if wish.sessions == 0 {
            let code = ReturnCode::AllocateFailureNoRetry;
            self.fail_waiters(at, code, SessionDenial::ModeClosed);
            return;
        }
        self.start_exchange(at, wish);
    }

    pub(super) fn start_exchange(&mut self, at: usize, wish: Limits) {
        let group = &self.groups[at];
        let (local, partner) = (group.local.clone(), group.partner.clone());
        let service = mode::SERVICE_MODE.parse::<ModeName>().unwrap_or_default();
        let Some(service_group) = self.group(&local, &partner, &service, None) else {
            self.end_exchange(at, CnosOutcome::Failed);
            return;
        };
        let Ok(tp) = TpName::from_ebcdic(&LIMITS_TP) else {
            return;
        };
        let attributes = ConversationAttributes {
            local,
            partner,
            mode: service,
            tp,
            kind: ConversationType::Basic,
            sync: SyncLevel::None,
            user: None,
        };
        let owner = VerbOwner::LimitsSource(at);
        let mut conversation = Conversation::new(attributes, owner, State::Initialize);
        conversation.attach = Some(Box::new(AttachPlan {
            header: fmh5::Repr::new(&LIMITS_TP, false, 0),
            pip: Vec::new(),
        }));
        conversation.wait();
        let id = self.conversations.insert(conversation);
        let deadline = self.now + self.config.activation_timeout;
        self.timers.insert((deadline, Timer::Exchange(at)));
        self.groups[at].exchange = Some(Exchange {
            proposal: wish,
            conversation: id,
            deadline,
            sent: false,
        });
        self.groups[service_group].denial = None;
        self.groups[service_group].waiting.push_back(id);
        self.serve(service_group);
    }

    /// A conversation of the node itself can continue.
    pub(super) fn run_service(&mut self, id: ConversationId) {
        let Some(conversation) = self.conversations.get(id) else {
            return;
        };
        match conversation.owner {
            VerbOwner::LimitsSource(at) => self.run_source(id, at),
            VerbOwner::LimitsTarget => self.run_target(id),
            VerbOwner::Program | VerbOwner::NoProgram => {}
        }
    }

    fn run_source(&mut self, id: ConversationId, at: usize) {
        let exchange = self.groups[at].exchange.as_mut();
        let Some(exchange) = exchange.filter(|e| e.conversation == id) else {
            return;
        };
        let wish = exchange.proposal;
        let failed = self
            .conversations
            .get(id)
            .is_some_and(|c| c.session.is_none() && c.failure().is_some());
        if failed {
            self.conversations.remove(id);
            self.end_exchange(at, CnosOutcome::Failed);
            return;
        }
        if !exchange.sent {
            let started = self
                .conversations
                .get(id)
                .is_some_and(|c| c.session.is_some());
            if !started {
                return;
            }
            exchange.sent = true;
            let request = Cnos {
                service: CnosService::Request,
                modifier: ReplyModifier::NORMAL,
                action: 0,
                drain_source: false,
                drain_target: false,
                target_responsible: false,
                limit: wish.sessions,
                min_winners_source: wish.local_winners,
                min_winners_target: wish.remote_winners,
                all_modes: false,
                mode: self.groups[at].mode.name.to_ebcdic(),
            };
            let sent = self.verb(id, |c, mut half| {
                if c.send(half.as_deref_mut(), &request.emit()).is_pending() {
                    return Poll::Pending;
                }
                c.prepare_to_receive(half, PrepareToReceiveType::Flush)
            });
            if sent != Some(Poll::Ready(ReturnCode::Ok)) {
                self.end_exchange(at, CnosOutcome::Failed);
                return;
            }
        }
        let mut buffer = [0; RECORD];
        let received = self.verb(id, |c, half| c.receive(half, &mut buffer, Fill::Ll));
        let Some(Poll::Ready(received)) = received else {
            return;
        };
        let reply = (received.data == DataReceived::Complete)
            .then(|| Cnos::parse(&buffer[..received.len]).ok())
            .flatten();
        let outcome = match reply {
            Some(reply) => self.take_reply(at, wish, &reply),
            None => CnosOutcome::Failed,
        };
        self.drop_service(id);
        self.end_exchange(at, outcome);
    }

    fn take_reply(&mut self, at: usize, wish: Limits, reply: &Cnos) -> CnosOutcome {
        match reply.modifier {
            ReplyModifier::COMMAND_RACE => return CnosOutcome::CommandRace,
            ReplyModifier::MODE_NOT_RECOGNIZED => return CnosOutcome::ModeNotRecognized,
            ReplyModifier::LIMIT_CLOSED => return CnosOutcome::LimitClosed,
            _ if reply.service != CnosService::Accepted => return CnosOutcome::Failed,
            _ => {}
        }
        let got = Limits {
            sessions: reply.limit,
            local_winners: reply.min_winners_source,
            remote_winners: reply.min_winners_target,
        };
        let winners = u32::from(got.local_winners) + u32::from(got.remote_winners);
        if got.sessions > wish.sessions || winners > u32::from(got.sessions) {
            return CnosOutcome::Failed;
        }
        self.set_limits(at, got, true);
        if got == wish {
            CnosOutcome::Accepted
        } else {
            CnosOutcome::Negotiated
        }
    }

    fn run_target(&mut self, id: ConversationId) {
        if let Some(c) = self.conversations.get_mut(id) {
            if c.state == State::InitializeIncoming {
                c.accept();
            }
            if c.failure().is_some() {
                self.conversations.remove(id);
                return;
            }
        }
        // A node that the partner's name led to before sets no limits for the
        // one that it leads to now.
        let session = self.conversations.get(id).and_then(|c| c.session);
        let session = session.and_then(|session| self.sessions.get(session));
        if session.is_some_and(|session| self.groups[session.group].retired) {
            self.drop_service(id);
            return;
        }
        let mut buffer = [0; RECORD];
        let received = self.verb(id, |c, half| c.receive(half, &mut buffer, Fill::Ll));
        let received = match received {
            Some(Poll::Ready(received)) => received,
            _ => return,
        };
        let request = (received.data == DataReceived::Complete)
            .then(|| Cnos::parse(&buffer[..received.len]).ok())
            .flatten()
            .filter(|request| request.service == CnosService::Request);
        let Some(mut reply) = request else {
            self.drop_service(id);
            return;
        };
        self.answer_request(id, &mut reply);
        let record = reply.emit();
        let answered = self.verb(id, |c, mut half| {
            if c.state == State::Receive {
                // The turn is in its own unit; it must be here by now.
                let turn = c.receive(half.as_deref_mut(), &mut [], Fill::Ll);
                if turn.is_pending() {
                    return Poll::Pending;
                }
            }
            if c.send(half.as_deref_mut(), &record).is_pending() {
                return Poll::Pending;
            }
            c.deallocate(half, DeallocateType::Flush)
        });
        if answered != Some(Poll::Ready(ReturnCode::Ok)) {
            self.drop_service(id);
        } else {
            self.finish_verb(id);
        }
    }

    /// Converts the request to a reply, and applies the resulting limits.
    fn answer_request(&mut self, id: ConversationId, cnos: &mut Cnos) {
        let refuse = |cnos: &mut Cnos, modifier| {
            cnos.service = CnosService::Refused;
            cnos.modifier = modifier;
        };
        let Some(conversation) = self.conversations.get(id) else {
            return;
        };
        let (local, partner) = (
            conversation.attributes.local.clone(),
            conversation.attributes.partner.clone(),
        );
        let name = ModeName::from_ebcdic(&cnos.mode).ok();
        let at = name.and_then(|name| self.group(&local, &partner, &name, None));
        let at = at.filter(|at| !self.groups[*at].mode.is_service());
        let Some(at) = at else {
            refuse(cnos, ReplyModifier::MODE_NOT_RECOGNIZED);
            return;
        };
        let group = &self.groups[at];
        let racing = group.exchange.as_ref().is_some_and(|e| e.sent);
        if racing && local.to_ebcdic() > partner.to_ebcdic() {
            refuse(cnos, ReplyModifier::COMMAND_RACE);
            return;
        }
        let limit = cnos.limit.min(group.mode.session_limit).min(0x7FFF);
        if limit == 0 && cnos.limit > 0 {
            refuse(cnos, ReplyModifier::LIMIT_CLOSED);
            return;
        }
        let target = cnos.min_winners_target.min(limit);
        let source = cnos.min_winners_source.min(limit - target);
        let as_asked = limit == cnos.limit
            && source == cnos.min_winners_source
            && target == cnos.min_winners_target;
        cnos.service = CnosService::Accepted;
        cnos.modifier = if as_asked {
            ReplyModifier::NORMAL
        } else {
            ReplyModifier::NEGOTIATED
        };
        cnos.limit = limit;
        cnos.min_winners_source = source;
        cnos.min_winners_target = target;
        let limits = Limits {
            sessions: limit,
            local_winners: target,
            remote_winners: source,
        };
        let responsible = cnos.target_responsible;
        self.set_limits(at, limits, responsible);
        self.report_limits(at, CnosOutcome::ByPartner);
    }

    /// Sets new limits. Sessions above them end when they become idle, if this
    /// side is responsible for ending them.
    fn set_limits(&mut self, at: usize, limits: Limits, responsible: bool) {
        let group = &mut self.groups[at];
        group.limits = limits;
        group.exhausted = false;
        let excess = group
            .sessions
            .len()
            .saturating_sub(usize::from(limits.sessions));
        if !responsible || excess == 0 {
            return;
        }
        let ids = group.sessions.clone();
        let idle_first = |id: &crate::session::SessionId| {
            let session = self.sessions.get(*id);
            session.is_some_and(|s| s.conversation.is_some())
        };
        let mut ids: Vec<_> = ids
            .into_iter()
            .filter(|id| {
                let session = self.sessions.get(*id);
                session.is_some_and(|s| matches!(s.phase, SessionPhase::Active))
            })
            .collect();
        ids.sort_by_key(idle_first);
        for id in ids.into_iter().take(excess) {
            if let Some(session) = self.sessions.get_mut(id) {
                session.closing = true;
            }
            self.release(id);
        }
    }

    pub(super) fn exchange_timed_out(&mut self, at: usize) {
        let conversation = self.groups[at].exchange.as_ref().map(|e| e.conversation);
        if let Some(id) = conversation {
            self.drop_service(id);
            self.end_exchange(at, CnosOutcome::Failed);
        }
    }

    fn end_exchange(&mut self, at: usize, outcome: CnosOutcome) {
        if let Some(exchange) = self.groups[at].exchange.take() {
            self.timers
                .remove(&(exchange.deadline, Timer::Exchange(at)));
        }
        let group = &mut self.groups[at];
        group.races = match outcome {
            CnosOutcome::CommandRace => group.races + 1,
            _ => 0,
        };
        // The partner's wish goes first and is in transit; if it is not, those who
        // wait ask again.
        let again = (1..=RACES).contains(&group.races);
        if group.limits.sessions == 0 && !again {
            let code = match outcome {
                CnosOutcome::ModeNotRecognized | CnosOutcome::LimitClosed => {
                    ReturnCode::AllocateFailureNoRetry
                }
                _ => ReturnCode::AllocateFailureRetry,
            };
            group.races = 0;
            let why = match outcome {
                CnosOutcome::Failed => self.service_denial(at),
                outcome => SessionDenial::Limits(outcome),
            };
            self.fail_waiters(at, code, why);
        }
        self.report_limits(at, outcome);
    }

    /// Why an exchange of limits of this group failed.
    fn service_denial(&self, at: usize) -> SessionDenial {
        let group = &self.groups[at];
        let service = mode::SERVICE_MODE.parse().unwrap_or_default();
        match self.denial(&group.local, &group.partner, &service) {
            Some(SessionDenial::Session(outage)) => SessionDenial::NoServiceSession(outage),
            Some(other) => other,
            None => SessionDenial::Limits(CnosOutcome::Failed),
        }
    }

    /// Why the last conversation without a session with this partner and mode
    /// got none.
    pub fn denial(
        &self,
        local: &LuName,
        partner: &LuName,
        mode: &ModeName,
    ) -> Option<SessionDenial> {
        let key = (local.clone(), partner.clone(), mode.clone());
        self.groups[*self.group_of.get(&key)?].denial
    }

    fn report_limits(&mut self, at: usize, outcome: CnosOutcome) {
        let group = &self.groups[at];
        let event = NodeEvent::Limits {
            partner: group.partner.clone(),
            mode: group.mode.name.clone(),
            limits: group.limits,
            outcome,
        };
        self.event(event);
        self.serve(at);
    }

    /// Ends a conversation of the node itself in any state.
    fn drop_service(&mut self, id: ConversationId) {
        let over = self.verb(id, |c, half| {
            c.state == State::Reset || {
                let sense = crate::wire::Sense::DEALLOCATED_ABEND_SVC;
                c.abend(half, sense).is_ready()
            }
        });
        if over.is_some() {
            self.finish_verb(id);
        }
    }
}

/// The number of lost races of a request before its waiting verbs fail.
const RACES: u8 = 8;
/// The longest record of an exchange that has a meaning.
const RECORD: usize = 64;
/// Pairs and modes a node keeps; a partner cannot make more by inventing
/// names.
const GROUPS: usize = 16_384;

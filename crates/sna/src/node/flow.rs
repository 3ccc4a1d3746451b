//! The flow on sessions: PIUs in, conversations attached and detached, the
//! right to begin a bracket.

use super::event::{NodeEvent, SessionDenial, SessionOutage};
use super::sessions::SessionPhase;
use super::{LinkId, Node};
use crate::conversation::code::ReturnCode;
use crate::conversation::{Conversation, ConversationId, VerbOwner};
use crate::session::SessionId;
use crate::session::half::{HalfSession, SessionInput};
use crate::time::MonotonicTime;
use crate::wire::rh::{RequestedResponse, Rh, RuCategory};
use crate::wire::{Sense, piu, unbind};
use bytes::Bytes;

impl Node {
    /// Takes a PIU from a link.
    pub fn handle_piu(&mut self, link: LinkId, bytes: Bytes, now: MonotonicTime) {
        self.advance(now);
        let packet = match piu::Packet::parse(&bytes) {
            Ok(packet) => packet,
            Err(_) => {
                let sense = Sense::INCOMPLETE_TH;
                self.event(NodeEvent::PeerFault {
                    link,
                    sense,
                    attach: None,
                });
                return;
            }
        };
        let address = packet.th.address;
        let session = match self.links.get(&link) {
            Some(link) => link.sessions.get(&address).copied(),
            None => return,
        };
        let control = packet.rh.is_some_and(|h| h.category() == RuCategory::Sc);
        match session {
            Some(session) if !control && self.is_active(session) => {
                self.handle_session_piu(session, &packet, &bytes);
            }
            // Between BIND and response, or UNBIND and response, nothing but
            // session control has a meaning.
            Some(_) if !control && packet.rh.is_some() => {}
            _ => self.handle_unclaimed(link, &packet, &bytes),
        }
        self.settle();
    }

    fn is_active(&self, id: SessionId) -> bool {
        let session = self.sessions.get(id);
        session.is_some_and(|s| matches!(s.phase, SessionPhase::Active))
    }

    fn handle_unclaimed(&mut self, link: LinkId, packet: &piu::Packet<'_>, bytes: &Bytes) {
        let Some(state) = self.links.get_mut(&link) else {
            return;
        };
        let address = packet.th.address;
        if state.unclaimed.0.is_some_and(|a| a != address) {
            state.unclaimed = Default::default();
        }
        state.unclaimed.0 = Some(address);
        match state.unclaimed.1.handle(packet, bytes, BIND_RU) {
            Ok(None) => {}
            Ok(Some(biu)) => {
                state.unclaimed = Default::default();
                self.handle_session_control(link, address, &biu);
            }
            Err(sense) => {
                state.unclaimed = Default::default();
                self.event(NodeEvent::PeerFault {
                    link,
                    sense,
                    attach: None,
                });
            }
        }
    }

    fn handle_session_piu(&mut self, id: SessionId, packet: &piu::Packet<'_>, bytes: &Bytes) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let Some(half) = session.half.as_mut() else {
            return;
        };
        let outcome = half.handle(packet, bytes);
        if half.urgent_len() > URGENT {
            self.fail_session(id, Sense::PACING_EXHAUSTED);
            return;
        }
        let outcome = match outcome {
            Ok(Some(input)) => self.handle_input(id, input),
            Ok(None) => Ok(()),
            Err(sense) => Err(sense),
        };
        match outcome {
            Ok(()) => {
                self.grant(id);
                self.after(id);
            }
            Err(sense) => self.fail_session(id, sense),
        }
    }

    fn handle_input(&mut self, id: SessionId, input: SessionInput) -> Result<(), Sense> {
        let Some(session) = self.sessions.get_mut(id) else {
            return Ok(());
        };
        let conversation = session.conversation;
        match input {
            SessionInput::Window => {}
            SessionInput::Request { header, answer, ru } => match conversation {
                Some(at) => {
                    let handled = self.with_half(at, |c, half| match half {
                        Some(half) => c.handle_request(half, header, answer, ru),
                        None => Ok(()),
                    });
                    handled.unwrap_or(Ok(()))?;
                }
                None if session.attaching.is_some() => {
                    self.handle_more_of_attach(id, header, answer, ru)?;
                }
                None if header.format() && ru.get(1).is_some_and(|b| b & 0x7F == 5) => {
                    self.handle_attach(id, header, answer, ru)?;
                }
                None => {
                    // This side's conversation has ended; further data of the
                    // partner is discarded.
                    if let Some(half) = session.half.as_mut() {
                        half.answer(None);
                    }
                }
            },
            SessionInput::Purged { over } => {
                self.in_conversation(conversation, |c, half| c.handle_purged(half, over));
            }
            SessionInput::Confirmed => {
                self.in_conversation(conversation, |c, _| c.handle_confirmed());
            }
            SessionInput::Rejected(sense) => match sense.code() {
                0x0846 => {
                    self.in_conversation(conversation, |c, half| c.handle_rejected(half));
                }
                _ => return Err(sense),
            },
            SessionInput::Signal(_) => {
                if let Some(c) = conversation.and_then(|at| self.conversations.get_mut(at)) {
                    c.note_request_to_send();
                }
            }
            SessionInput::Bid => self.handle_bid(id),
            SessionInput::BidAnswered(None) => self.begin_waiting(id, false),
            SessionInput::BidAnswered(Some(sense)) => self.handle_bid_refused(id, sense),
            SessionInput::ReadyToReceive => self.handle_offer(id),
            SessionInput::RtrAnswered(_) => {}
            SessionInput::BracketStopped => {
                session.bis_received = true;
            }
        }
        if let Some(at) = conversation {
            self.notify(at);
        }
        Ok(())
    }

    /// Runs `f` on a conversation and its half-session, and queues the output.
    pub(super) fn with_half<R>(
        &mut self,
        id: ConversationId,
        f: impl FnOnce(&mut Conversation, Option<&mut HalfSession>) -> R,
    ) -> Option<R> {
        let conversation = self.conversations.get_mut(id)?;
        let session_id = conversation.session;
        let session = session_id.and_then(|s| self.sessions.get_mut(s));
        let half = session.and_then(|s| s.half.as_deref_mut());
        Some(f(conversation, half))
    }

    fn in_conversation(
        &mut self,
        id: Option<ConversationId>,
        f: impl FnOnce(&mut Conversation, &mut HalfSession),
    ) {
        if let Some(id) = id {
            self.with_half(id, |c, half| half.map(|half| f(c, half)));
        }
    }

    /// Updates a session after an event: detaches a conversation that has ended
    /// and sends queued data.
    pub(super) fn after(&mut self, id: SessionId) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        if let Some(at) = session.conversation {
            let done = match self.conversations.get_mut(at) {
                None => true,
                Some(c) if c.is_over() && c.owner != VerbOwner::Program => {
                    self.conversations.remove(at);
                    true
                }
                Some(c) => {
                    (c.partner_is_done() || c.end_is_confirmed()) && {
                        // Received data is kept for the program; the session is
                        // free.
                        c.session = None;
                        true
                    }
                }
            };
            if done {
                session.conversation = None;
            }
        }
        self.release(id);
        self.kick(id);
    }

    /// A session without a conversation: ends the rest of the bracket, and
    /// returns it to the idle ones.
    pub(super) fn release(&mut self, id: SessionId) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let Some(half) = session.half.as_mut() else {
            return;
        };
        if session.conversation.is_some() {
            return;
        }
        if half.my_turn() && !half.owes_answer() {
            // The turn is with this side, but no conversation uses it.
            let header = Rh::request(RuCategory::Fmd)
                .with_answer(RequestedResponse::Exception1)
                .with_conditional_end(true);
            half.send_status(header);
        }
        half.offer_bracket();
        if !half.is_idle() {
            return;
        }
        if session.closing || session.bis_received {
            if !session.bis_sent {
                session.bis_sent = true;
                half.stop_brackets();
                self.kick(id);
            } else if session.bis_received && session.closing {
                let normal = unbind::Repr::of(unbind::NORMAL);
                self.end_session(id, normal, SessionOutage::Normal);
            }
            return;
        }
        let at = session.group;
        if !session.listed {
            session.listed = true;
            let group = &mut self.groups[at];
            if session.winner {
                group.idle_winners.push_back(id)
            } else {
                group.idle_losers.push_back(id)
            }
        }
        self.serve(at);
    }

    /// Gives sessions to conversations that wait, and makes sessions where
    /// they are too few.
    pub(super) fn serve(&mut self, at: usize) {
        while !self.groups[at].waiting.is_empty() {
            if let Some(session) = self.pop_idle(at, true) {
                self.begin_waiting(session, true);
                continue;
            }
            let group = &self.groups[at];
            if group.coming >= group.waiting.len() {
                return;
            }
            if group.limits.sessions == 0 {
                self.open_limits(at);
                return;
            }
            let wins = group.may_win(true);
            let may_bind = group.has_room() && !group.exhausted && (wins || group.may_win(false));
            if may_bind && self.start_bind(at, wins).is_ok() {
                self.groups[at].coming += 1;
                continue;
            }
            let Some(session) = self.pop_idle(at, false) else {
                if self.groups[at].sessions.is_empty() {
                    self.fail_waiters(at, ReturnCode::AllocateFailureRetry, SessionDenial::NoRoute);
                }
                return;
            };
            if let Some(s) = self.sessions.get_mut(session) {
                s.coming = true;
                if let Some(half) = s.half.as_mut() {
                    half.bid();
                }
            }
            self.groups[at].coming += 1;
            self.kick(session);
        }
    }

    /// Serves every group, after something that concerns all.
    pub(super) fn serve_all(&mut self) {
        for at in 0..self.groups.len() {
            self.groups[at].exhausted = false;
            self.serve(at);
        }
    }

    fn pop_idle(&mut self, at: usize, winners: bool) -> Option<SessionId> {
        loop {
            let group = &mut self.groups[at];
            let id = if winners {
                group.idle_winners.pop_front()?
            } else {
                group.idle_losers.pop_front()?
            };
            let Some(session) = self.sessions.get_mut(id) else {
                continue;
            };
            session.listed = false;
            let free = session.conversation.is_none() && !session.bis_sent && !session.bis_received;
            let idle = session.half.as_ref().is_some_and(|h| h.is_idle());
            if free && idle {
                return Some(id);
            }
        }
    }

    /// Begins the conversation that waits longest on this session, whose
    /// bracket is this side's to begin; without one, ends the bracket.
    fn begin_waiting(&mut self, id: SessionId, bracket: bool) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let group = &mut self.groups[session.group];
        if std::mem::take(&mut session.coming) {
            group.coming = group.coming.saturating_sub(1);
        }
        let limit = self.config.send_backlog_bytes;
        while let Some(next) = group.waiting.pop_front() {
            let Some(conversation) = self.conversations.get_mut(next) else {
                continue;
            };
            if let Some(half) = session.half.as_mut() {
                conversation.send_limit = limit;
                conversation.begin(id, half, bracket, session.accepts);
                session.conversation = Some(next);
            }
            self.notify(next);
            return;
        }
        self.after(id);
    }

    fn handle_bid(&mut self, id: SessionId) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let take = session.conversation.is_none() && !session.bis_sent;
        if let Some(half) = session.half.as_mut() {
            half.answer_bid(take);
        }
    }

    fn handle_bid_refused(&mut self, id: SessionId, sense: Sense) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let group = &mut self.groups[session.group];
        if std::mem::take(&mut session.coming) {
            group.coming = group.coming.saturating_sub(1);
        }
        if sense.code() == Sense::BIS_REQUESTED.code() {
            session.bis_received = true;
        }
        // With 0814 an offer follows. With 0813 none does, and the session is
        // free again when the partner's bracket ends.
    }

    fn handle_offer(&mut self, id: SessionId) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let waits = !self.groups[session.group].waiting.is_empty();
        let take = waits && session.conversation.is_none() && !session.bis_sent;
        let idle = session.half.as_ref().is_some_and(|h| h.is_idle());
        if let Some(half) = session.half.as_mut() {
            half.answer_rtr(take && idle);
        }
        if take && idle {
            self.begin_waiting(id, true);
        }
    }

    /// Grants the partner of a session the window it waits for, if the unread
    /// data leaves space.
    pub(super) fn grant(&mut self, id: SessionId) {
        let limit = self.config.receive_backlog_bytes;
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let Some(half) = session.half.as_mut() else {
            return;
        };
        if !half.owes_grant() {
            return;
        }
        let conversation = session
            .conversation
            .and_then(|at| self.conversations.get(at));
        let (unread, starving) = conversation.map_or((0, true), |c| (c.unread(), c.is_starving()));
        if unread > limit / 2 && !starving {
            return;
        }
        let room = limit.saturating_sub(unread) / half.parameters().receive_ru.max(1);
        half.grant(room);
        self.kick(id);
    }

    pub(super) fn fail_conversation(&mut self, id: ConversationId, code: ReturnCode) {
        let Some(conversation) = self.conversations.get_mut(id) else {
            return;
        };
        conversation.fail(code);
        if conversation.owner == VerbOwner::NoProgram {
            self.conversations.remove(id);
            return;
        }
        self.notify(id);
    }

    pub(super) fn fail_waiters(&mut self, at: usize, code: ReturnCode, why: SessionDenial) {
        let waiting = std::mem::take(&mut self.groups[at].waiting);
        if !waiting.is_empty() {
            self.groups[at].denial = Some(why);
        }
        for id in waiting {
            self.fail_conversation(id, code);
        }
    }
}

/// The longest request outside a session, which is a BIND.
const BIND_RU: usize = 1024;
/// Answers of one session that may wait for the link; a partner that provokes
/// more does not listen.
const URGENT: usize = 256;

//! Sessions of a node: how they begin, end and fail.

use super::event::{NodeEvent, SessionDenial, SessionOutage};
use super::group::SessionGroup;
use super::negotiate::{self, BindProposal};
use super::{LinkId, Node, Timer};
use crate::conversation::code::ReturnCode;
use crate::conversation::{AcceptedSecurity, ConversationId};
use crate::mode::TransmissionPriority;
use crate::name::{LuName, ModeName};
use crate::session::SessionId;
use crate::session::half::HalfSession;
use crate::session::segment::{Biu, Segmenter};
use crate::time::MonotonicTime;
use crate::wire::bind::{self, Repr as Bind};
use crate::wire::rh::{RequestedResponse, Rh, RuCategory};
use crate::wire::th::{self, Address, Segment};
use crate::wire::{Sense, piu, unbind};

/// One session of a node.
#[derive(Debug)]
pub(super) struct Session {
    pub group: usize,
    pub link: LinkId,
    /// Address of the PIUs it sends.
    pub address: Address,
    pub phase: SessionPhase,
    pub primary: bool,
    pub winner: bool,
    pub half: Option<Box<HalfSession>>,
    pub conversation: Option<ConversationId>,
    /// An Attach whose initialisation parameters are incomplete.
    pub attaching: Option<Vec<u8>>,
    pub accepts: AcceptedSecurity,
    pub deadline: Option<MonotonicTime>,
    /// Begun on behalf of a conversation that waits.
    pub coming: bool,
    /// It is in a list of idle sessions.
    pub listed: bool,
    pub in_line: bool,
    pub line: TransmissionPriority,
    /// This side wants it to end.
    pub closing: bool,
    pub bis_sent: bool,
    pub bis_received: bool,
}

#[derive(Debug)]
pub(super) enum SessionPhase {
    /// The BIND is in transit.
    Binding(Box<Bind>),
    /// It carries conversations.
    Active,
    /// The UNBIND is in transit.
    Unbinding,
}

/// The attributes of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionInfo {
    /// The session.
    pub session: SessionId,
    /// Its link.
    pub link: LinkId,
    /// This side.
    pub local: LuName,
    /// The partner.
    pub partner: LuName,
    /// The mode.
    pub mode: ModeName,
    /// Whether it is active: neither being activated nor being ended.
    pub active: bool,
    /// Whether this side sent the BIND.
    pub primary: bool,
    /// Whether this side is contention winner.
    pub winner: bool,
    /// Its conversation.
    pub conversation: Option<ConversationId>,
    /// The largest RU this side sends, in bytes.
    pub send_ru_bytes: usize,
    /// The largest RU this side receives, in bytes.
    pub receive_ru_bytes: usize,
    /// The number of RUs that may be sent before another grant.
    pub credit: u32,
}

impl Session {
    /// Its priority in the queue: data outside the window is sent first.
    pub fn line_priority(&self, groups: &[SessionGroup]) -> TransmissionPriority {
        match &self.half {
            Some(half) if half.urgent_len() > 0 => TransmissionPriority::Network,
            _ => groups[self.group].mode.priority,
        }
    }
}

impl Node {
    /// All sessions.
    pub fn sessions(&self) -> impl Iterator<Item = SessionInfo> {
        self.sessions.iter().map(|(id, s)| {
            let group = &self.groups[s.group];
            let half = s.half.as_deref();
            SessionInfo {
                session: id,
                link: s.link,
                local: group.local.clone(),
                partner: group.partner.clone(),
                mode: group.mode.name.clone(),
                active: matches!(s.phase, SessionPhase::Active),
                primary: s.primary,
                winner: s.winner,
                conversation: s.conversation,
                send_ru_bytes: half.map_or(0, |h| h.parameters().send_ru),
                receive_ru_bytes: half.map_or(0, |h| h.parameters().receive_ru),
                credit: half.map_or(0, |h| h.credit()),
            }
        })
    }

    /// Ends a session at once; its conversation fails.
    pub fn unbind(&mut self, session: SessionId, now: MonotonicTime) {
        self.advance(now);
        let cleanup = unbind::Repr::of(unbind::CLEANUP);
        self.end_session(session, cleanup, SessionOutage::Normal);
        self.settle();
    }

    /// Shrinks the window of an adaptively paced session's partner at once, to
    /// 0 to close it. Returns whether that can be done now.
    pub fn shrink_window(&mut self, session: SessionId, window: u16) -> bool {
        let half = self.sessions.get_mut(session).and_then(|s| s.half.as_mut());
        let done = half.is_some_and(|h| h.shrink_window(window));
        self.kick(session);
        done
    }

    /// Sends a BIND in this group, if link and limits allow; `winner` is the
    /// contention this side wants.
    pub(super) fn start_bind(&mut self, at: usize, winner: bool) -> Result<SessionId, ()> {
        let (local, partner) = (&self.groups[at].local, &self.groups[at].partner);
        let trusts = self.trusts(partner);
        let link_id = *self
            .routes
            .get(partner)
            .and_then(|links| links.last())
            .ok_or(())?;
        let group = &self.groups[at];
        let link = self.links.get_mut(&link_id).ok_or(())?;
        if self.sessions.len() >= self.config.max_sessions {
            return Err(());
        }
        let address = link.assign().ok_or(())?;
        self.next_instance = self.next_instance.wrapping_add(1);
        let bind = negotiate::request(&BindProposal {
            mode: &group.mode,
            local,
            partner,
            link: &link.config,
            parallel: !group.single,
            winner,
            trusts,
            instance: self.next_instance,
        });
        let ru = bind.emit();
        let id = self.sessions.insert(Session {
            group: at,
            link: link_id,
            address,
            phase: SessionPhase::Binding(Box::new(bind)),
            primary: true,
            winner,
            half: None,
            conversation: None,
            attaching: None,
            accepts: AcceptedSecurity::default(),
            deadline: None,
            coming: true,
            listed: false,
            in_line: false,
            line: TransmissionPriority::Low,
            closing: false,
            bis_sent: false,
            bis_received: false,
        });
        link.sessions.insert(address.swapped(), id);
        let group = &mut self.groups[at];
        group.sessions.push(id);
        group.local_winners += u16::from(winner);
        let header = Rh::request(RuCategory::Sc).with_answer(RequestedResponse::Definite1);
        self.send_control(link_id, address, 1, header, &ru);
        self.set_deadline(id);
        Ok(id)
    }

    /// A session-control unit or one outside any session.
    pub(super) fn handle_session_control(&mut self, link: LinkId, address: Address, biu: &Biu) {
        let session = self
            .links
            .get(&link)
            .and_then(|l| l.sessions.get(&address).copied());
        let code = biu.ru.first().copied();
        if biu.header.is_response() {
            if let Some(session) = session {
                self.handle_control_response(session, biu);
            }
            return;
        }
        let sense = match (code, session) {
            (Some(bind::CODE), None) => self.handle_bind(link, address, biu),
            (Some(bind::CODE), Some(_)) => Err(Sense::SESSION_ACTIVE),
            (Some(unbind::CODE), Some(session)) => self.handle_unbind(session, biu),
            (Some(unbind::CODE), None) => Err(Sense::NO_SESSION),
            _ if biu.header.category() == RuCategory::Sc => Err(Sense::FUNCTION_UNSUPPORTED),
            _ => Err(Sense::NO_SESSION),
        };
        let Err(sense) = sense else { return };
        self.event(NodeEvent::PeerFault {
            link,
            sense,
            attach: None,
        });
        let mut ru = sense.to_bytes().to_vec();
        if biu.header.category() != RuCategory::Fmd {
            ru.extend(code);
        }
        let header = biu.header.respond(true);
        let expedited = biu.expedited;
        self.send_unit(
            link,
            address.swapped(),
            expedited,
            biu.sequence,
            header,
            &ru,
        );
    }

    fn handle_bind(&mut self, link_id: LinkId, address: Address, biu: &Biu) -> Result<(), Sense> {
        let bind = Bind::parse(&biu.ru).map_err(|e| Sense::bind(e.offset()))?;
        let Some(link) = self.links.get(&link_id) else {
            return Ok(());
        };
        let config = link.config.clone();
        let assigned_here = match config.role {
            super::config::LinkRole::Primary => !address.odai,
            super::config::LinkRole::Secondary => address.odai,
        };
        if assigned_here {
            // The address is this node's to assign: both stations think they
            // have the same role, or the partner has the indicator wrong.
            return Err(Sense::ODAI);
        }
        if self.sessions.len() >= self.config.max_sessions {
            return Err(Sense::SESSION_LIMIT);
        }
        let local = LuName::from_ebcdic(&bind.slu)
            .ok()
            .and_then(|name| self.local_named(&name))
            .ok_or(Sense::bind(bind.slu_offset))?;
        let partner = bind.user.plu.as_ref().unwrap_or(&bind.plu);
        let partner = LuName::from_ebcdic(partner).map_err(|_| Sense::bind(bind::FIXED))?;
        if self.withdrawn.contains(&(partner.clone(), link_id)) {
            return Err(Sense::SESSION_LIMIT);
        }
        let mode = ModeName::from_ebcdic(negotiate::mode_name(&bind))
            .map_err(|_| Sense::bind(negotiate::mode_offset(&bind)))?;
        let at = self
            .group(&local, &partner, &mode, Some(bind.parallel && bind.cnos))
            .ok_or(Sense::bind(negotiate::mode_offset(&bind)))?;
        let trusts = self.trusts(&partner);
        let group = &self.groups[at];
        let parallel = !group.single;
        let response = negotiate::respond(&bind, &group.mode, &local, &config, parallel, trusts)?;
        self.admit(at, &bind, &partner, &local)?;
        self.routes.entry(partner).or_insert_with(|| vec![link_id]);
        let group = &mut self.groups[at];
        let address = address.swapped();
        let parameters = negotiate::parameters(
            false,
            &response,
            bind.whole_bius,
            &group.mode,
            &config,
            address,
        );
        let winner = parameters.first_speaker;
        let id = self.sessions.insert(Session {
            group: at,
            link: link_id,
            address,
            phase: SessionPhase::Active,
            primary: false,
            winner,
            half: Some(Box::new(HalfSession::new(parameters))),
            conversation: None,
            attaching: None,
            accepts: accepts(&bind),
            deadline: None,
            coming: false,
            listed: false,
            in_line: false,
            line: TransmissionPriority::Low,
            closing: false,
            bis_sent: false,
            bis_received: false,
        });
        group.sessions.push(id);
        group.local_winners += u16::from(winner);
        if let Some(link) = self.links.get_mut(&link_id) {
            link.sessions.insert(address.swapped(), id);
        }
        let header = biu.header.respond(false);
        self.send_control(link_id, address, biu.sequence, header, &response.emit());
        self.session_up(id);
        Ok(())
    }

    /// Whether limits let a partner's BIND in. Where two BINDs cross on the
    /// last session, the one of the partner with the greater name goes first.
    fn admit(&self, at: usize, bind: &Bind, partner: &LuName, local: &LuName) -> Result<(), Sense> {
        let group = &self.groups[at];
        if group.admits(!bind.primary_wins) {
            return Ok(());
        }
        let crossing = group.sessions.iter().copied().find(|id| {
            let session = self.sessions.get(*id);
            session.is_some_and(|s| matches!(s.phase, SessionPhase::Binding(_)))
        });
        match crossing {
            // The partner rejects this node's BIND by the same rule.
            Some(_) if partner.to_ebcdic() > local.to_ebcdic() => Ok(()),
            _ => Err(Sense::SESSION_LIMIT),
        }
    }

    fn handle_control_response(&mut self, id: SessionId, biu: &Biu) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        match &session.phase {
            SessionPhase::Unbinding => self.remove_session(id),
            SessionPhase::Active => {}
            SessionPhase::Binding(sent) => {
                if biu.header.exception() {
                    let sense = biu.ru.first_chunk::<4>();
                    let sense = sense.map_or(Sense::RU_LENGTH, |four| Sense::from_bytes(*four));
                    self.bind_failed(id, SessionOutage::Refused(sense));
                    return;
                }
                let sent = sent.clone();
                let group = &self.groups[session.group];
                let got = Bind::parse(&biu.ru).map_err(|e| Sense::bind(e.offset()));
                let checked = got.and_then(|got| {
                    negotiate::check_response(&sent, &got, &group.mode)?;
                    Ok(got)
                });
                match checked {
                    Ok(got) => self.bind_done(id, &got),
                    Err(sense) => self.fail_session(id, sense),
                }
            }
        }
    }

    fn bind_done(&mut self, id: SessionId, got: &Bind) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let Some(link) = self.links.get(&session.link) else {
            return;
        };
        let group = &mut self.groups[session.group];
        let parameters = negotiate::parameters(
            true,
            got,
            got.whole_bius,
            &group.mode,
            &link.config,
            session.address,
        );
        let winner = parameters.first_speaker;
        group.local_winners = group.local_winners + u16::from(winner) - u16::from(session.winner);
        session.winner = winner;
        session.accepts = accepts(got);
        session.half = Some(Box::new(HalfSession::new(parameters)));
        session.phase = SessionPhase::Active;
        self.clear_deadline(id);
        self.session_up(id);
    }

    fn session_up(&mut self, id: SessionId) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let at = session.group;
        let group = &mut self.groups[at];
        if std::mem::take(&mut session.coming) {
            group.coming = group.coming.saturating_sub(1);
        }
        group.exhausted = false;
        let event = NodeEvent::SessionUp {
            session: id,
            partner: group.partner.clone(),
            mode: group.mode.name.clone(),
            winner: session.winner,
        };
        self.event(event);
        self.release(id);
    }

    fn handle_unbind(&mut self, id: SessionId, biu: &Biu) -> Result<(), Sense> {
        let unbind = unbind::Repr::parse(&biu.ru).map_err(|e| e.sense())?;
        let Some(session) = self.sessions.get(id) else {
            return Ok(());
        };
        let header = biu.header.respond(false);
        let (link, address) = (session.link, session.address);
        self.send_control(link, address, biu.sequence, header, &[unbind::CODE]);
        let cause = match (unbind.kind, unbind.sense) {
            (unbind::NORMAL, _) => SessionOutage::Normal,
            (_, Some(sense)) => SessionOutage::PeerFault(sense),
            (kind, None) => SessionOutage::Unbound(kind),
        };
        self.drop_session(id, cause);
        Ok(())
    }

    /// The partner broke the protocol: the session ends with this sense.
    pub(super) fn fail_session(&mut self, id: SessionId, sense: Sense) {
        let Some(session) = self.sessions.get(id) else {
            return;
        };
        let link = session.link;
        self.event(NodeEvent::PeerFault {
            link,
            sense,
            attach: None,
        });
        self.end_session(
            id,
            unbind::Repr::fault(sense),
            SessionOutage::PeerFault(sense),
        );
    }

    /// Sends an UNBIND. The session's conversations fail from now on.
    pub(super) fn end_session(
        &mut self,
        id: SessionId,
        unbind: unbind::Repr,
        cause: SessionOutage,
    ) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        if matches!(session.phase, SessionPhase::Unbinding) {
            return;
        }
        let (link, address) = (session.link, session.address);
        let at = session.group;
        let was_binding = matches!(session.phase, SessionPhase::Binding(_));
        let header = Rh::request(RuCategory::Sc).with_answer(RequestedResponse::Definite1);
        self.send_control(link, address, 2, header, &unbind.emit());
        self.detach(id, cause);
        if let Some(session) = self.sessions.get_mut(id) {
            session.phase = SessionPhase::Unbinding;
            session.half = None;
        }
        self.set_deadline(id);
        if was_binding {
            self.no_session(at, cause);
        } else {
            self.groups[at].exhausted = false;
            self.serve(at);
        }
    }

    /// A session has ended without a message of this side.
    pub(super) fn drop_session(&mut self, id: SessionId, cause: SessionOutage) {
        let phase = self.sessions.get(id).map(|s| &s.phase);
        match phase {
            None => {}
            Some(SessionPhase::Unbinding) => self.remove_session(id),
            Some(SessionPhase::Binding(_)) => self.bind_failed(id, cause),
            Some(SessionPhase::Active) => {
                let at = self.sessions.get(id).map(|s| s.group);
                self.detach(id, cause);
                self.remove_session(id);
                if let Some(at) = at {
                    self.groups[at].exhausted = false;
                    self.serve(at);
                }
            }
        }
    }

    fn bind_failed(&mut self, id: SessionId, cause: SessionOutage) {
        let Some(session) = self.sessions.get(id) else {
            return;
        };
        let at = session.group;
        self.detach(id, cause);
        self.remove_session(id);
        self.no_session(at, cause);
    }

    /// A session could not be bound. Other sessions may serve the waiting
    /// conversations. Without others, or with a silent partner, they would wait
    /// forever, so they fail.
    fn no_session(&mut self, at: usize, cause: SessionOutage) {
        self.groups[at].exhausted = true;
        if self.groups[at].sessions.is_empty() || cause == SessionOutage::Timeout {
            let code = match cause {
                SessionOutage::Refused(sense) if sense.code() != 0x0805 => {
                    ReturnCode::AllocateFailureNoRetry
                }
                _ => ReturnCode::AllocateFailureRetry,
            };
            self.fail_waiters(at, code, SessionDenial::Session(cause));
        }
        self.serve(at);
    }

    /// Takes a session out of its group; its conversation fails.
    fn detach(&mut self, id: SessionId, cause: SessionOutage) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        if matches!(session.phase, SessionPhase::Unbinding) {
            return;
        }
        let conversation = session.conversation.take();
        let at = session.group;
        let group = &mut self.groups[at];
        group.sessions.retain(|s| *s != id);
        group.local_winners -= u16::from(session.winner);
        if std::mem::take(&mut session.coming) {
            group.coming = group.coming.saturating_sub(1);
        }
        let event = NodeEvent::SessionDown {
            session: id,
            partner: group.partner.clone(),
            mode: group.mode.name.clone(),
            cause,
        };
        self.event(event);
        self.clear_deadline(id);
        if let Some(conversation) = conversation {
            let code = match cause {
                SessionOutage::PeerFault(_) => ReturnCode::ResourceFailureNoRetry,
                _ => ReturnCode::ResourceFailureRetry,
            };
            if let Some(conversation) = self.conversations.get_mut(conversation) {
                conversation.note_outage(cause);
            }
            self.fail_conversation(conversation, code);
        }
    }

    fn remove_session(&mut self, id: SessionId) {
        self.clear_deadline(id);
        let Some(session) = self.sessions.remove(id) else {
            return;
        };
        if let Some(link) = self.links.get_mut(&session.link) {
            link.sessions.remove(&session.address.swapped());
        }
    }

    pub(super) fn session_timed_out(&mut self, id: SessionId) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        session.deadline = None;
        match session.phase {
            SessionPhase::Active => {}
            SessionPhase::Unbinding => self.remove_session(id),
            SessionPhase::Binding(_) => {
                let cleanup = unbind::Repr::of(unbind::CLEANUP);
                self.end_session(id, cleanup, SessionOutage::Timeout);
            }
        }
    }

    fn set_deadline(&mut self, id: SessionId) {
        self.clear_deadline(id);
        let at = self.now + self.config.activation_timeout;
        if let Some(session) = self.sessions.get_mut(id) {
            session.deadline = Some(at);
            self.timers.insert((at, Timer::Session(id)));
        }
    }

    fn clear_deadline(&mut self, id: SessionId) {
        let deadline = self.sessions.get_mut(id).and_then(|s| s.deadline.take());
        if let Some(at) = deadline {
            self.timers.remove(&(at, Timer::Session(id)));
        }
    }

    fn send_control(&mut self, link: LinkId, to: Address, sequence: u16, header: Rh, ru: &[u8]) {
        self.send_unit(link, to, true, sequence, header, ru);
    }

    fn send_unit(
        &mut self,
        link: LinkId,
        address: Address,
        expedited: bool,
        sequence: u16,
        header: Rh,
        ru: &[u8],
    ) {
        let limit = self.config.max_link_backlog;
        let Some(link) = self.links.get_mut(&link) else {
            return;
        };
        if link.control.len() >= limit {
            // A peer that sends requests faster than it reads gets no
            // more answers.
            return;
        }
        let mut biu = vec![0; piu::HEADERS];
        biu.extend_from_slice(ru);
        let th = th::Repr {
            segment: Segment::Whole,
            address,
            expedited,
            sequence,
        };
        let mut segments = Segmenter::new(th, header, biu, link.config.max_btu_bytes);
        loop {
            let (piu, last) = segments.cut();
            link.control.push_back(piu);
            if last {
                return;
            }
        }
    }

    /// This node's logical unit of that name, spelt with or without network.
    fn local_named(&self, name: &LuName) -> Option<LuName> {
        let exact = self.locals.iter().find(|l| *l == name);
        let loose = || {
            let partial = |l: &&LuName| {
                l.lu() == name.lu() && (l.network().is_none() || name.network().is_none())
            };
            self.locals.iter().find(partial)
        };
        exact.or_else(loose).cloned()
    }

    pub(super) fn trusts(&self, partner: &LuName) -> bool {
        self.partners.get(partner).is_some_and(|p| p.trusted)
    }
}

fn accepts(bind: &Bind) -> AcceptedSecurity {
    AcceptedSecurity {
        passwords: bind.security[1] & bind::SECURITY_CONVERSATION != 0,
        verified: bind.security[1] & bind::SECURITY_VERIFIED != 0,
    }
}

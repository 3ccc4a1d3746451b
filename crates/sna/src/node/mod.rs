//! A type 2.1 node: its logical units with their sessions and conversations.
//!
//! The node is driven from outside: `handle_*` takes PIUs and the time,
//! `poll_*` returns PIUs, events and the next deadline, and verbs in between
//! act for programs. It has no control point: partners are reached over
//! configured links (a low-entry networking node).
//! Reference: IBM *SNA Type 2.1 Node Reference* (SC30-3422).
//!
//! Invariant: bytes of a peer end in an answer, an event or silence, never in
//! a panic and never in memory that grows without bound.

mod attach;
mod change;
pub mod config;
pub mod event;
mod flow;
mod group;
mod limits;
mod link;
pub mod negotiate;
mod sessions;
mod verbs;

use crate::arena::Arena;
use crate::conversation::{Conversation, ConversationId};
use crate::mode::ModeTable;
use crate::name::{LuName, ModeName, TpName};
use crate::secret::PasswordBytes;
use crate::session::SessionId;
use crate::time::MonotonicTime;
use crate::wire::Sense;
use config::{LinkConfig, LocalUser, NodeConfig, PartnerLu, TpDefinition};
use event::{NodeEvent, SessionOutage};
use group::SessionGroup;
use link::Link;
use sessions::Session;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ops::Bound;

pub use change::ChangedSessions;
pub use sessions::SessionInfo;
pub use verbs::{AllocateParameters, AllocateSecurity, AttachRefusal};

/// One link of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(u32);

impl std::fmt::Display for LinkId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A type 2.1 node.
#[derive(Debug)]
pub struct Node {
    config: NodeConfig,
    now: MonotonicTime,
    locals: Vec<LuName>,
    partners: BTreeMap<LuName, PartnerLu>,
    /// The links that lead to each partner; the last one is used.
    routes: BTreeMap<LuName, Vec<LinkId>>,
    /// Links over which no session with the partner may be begun any more.
    withdrawn: BTreeSet<(LuName, LinkId)>,
    programs: BTreeMap<TpName, TpDefinition>,
    any_program: Option<TpDefinition>,
    users: BTreeMap<String, PasswordBytes>,
    links: BTreeMap<LinkId, Link>,
    next_link: u32,
    groups: Vec<SessionGroup>,
    /// Groups of withdrawn routes; an empty one is used again.
    retired: Vec<usize>,
    group_of: HashMap<(LuName, LuName, ModeName), usize>,
    sessions: Arena<SessionId, Session>,
    conversations: Arena<ConversationId, Conversation>,
    timers: BTreeSet<(MonotonicTime, Timer)>,
    events: VecDeque<NodeEvent>,
    /// Conversations of the node itself that can continue.
    services: VecDeque<ConversationId>,
    waiting_attaches: usize,
    next_instance: u64,
    /// The error description that the last verb met, and whose it was.
    error_sense: Option<(ConversationId, Sense)>,
    /// The reason for the loss of the session that the last verb reported, and
    /// its conversation.
    outage: Option<(ConversationId, SessionOutage)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
    Session(SessionId),
    Exchange(usize),
}

impl Node {
    /// A node with these properties and nothing defined.
    pub fn new(config: NodeConfig) -> Node {
        Node {
            error_sense: None,
            outage: None,
            next_instance: config.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 8,
            config,
            now: MonotonicTime::ZERO,
            locals: Vec::new(),
            partners: BTreeMap::new(),
            routes: BTreeMap::new(),
            withdrawn: BTreeSet::new(),
            programs: BTreeMap::new(),
            any_program: None,
            users: BTreeMap::new(),
            links: BTreeMap::new(),
            next_link: 1,
            groups: Vec::new(),
            retired: Vec::new(),
            group_of: HashMap::new(),
            sessions: Arena::new(),
            conversations: Arena::new(),
            timers: BTreeSet::new(),
            events: VecDeque::new(),
            services: VecDeque::new(),
            waiting_attaches: 0,
        }
    }

    /// Its properties.
    pub fn config(&self) -> &NodeConfig {
        &self.config
    }

    /// Its modes, to add to. Groups of sessions that exist keep the mode they
    /// began with.
    pub fn modes_mut(&mut self) -> &mut ModeTable {
        &mut self.config.modes
    }

    /// Defines a logical unit of this node.
    pub fn define_lu(&mut self, name: LuName) {
        if !self.locals.contains(&name) {
            self.locals.push(name);
        }
    }

    /// The logical units of this node.
    pub fn local_lus(&self) -> &[LuName] {
        &self.locals
    }

    /// Defines a partner, or changes its definition.
    pub fn define_partner(&mut self, partner: PartnerLu) {
        self.partners.insert(partner.name.clone(), partner);
    }

    /// Sets the link to a partner. When that link fails, the previous one is
    /// used again.
    pub fn define_route(&mut self, partner: LuName, link: LinkId) {
        self.withdrawn.remove(&(partner.clone(), link));
        let links = self.routes.entry(partner).or_default();
        links.retain(|before| *before != link);
        links.push(link);
        self.serve_all();
    }

    /// Defines a transaction program that partners may attach.
    pub fn define_tp(&mut self, program: TpDefinition) {
        self.programs.insert(program.name.clone(), program);
    }

    /// Takes a transaction program away.
    pub fn remove_tp(&mut self, name: &TpName) {
        self.programs.remove(name);
    }

    /// The definition for program names that are not defined; its own name is
    /// ignored. Without it such an attach is rejected.
    pub fn set_default_tp(&mut self, program: Option<TpDefinition>) {
        self.any_program = program;
    }

    /// Defines a user whose password attaches may carry.
    pub fn define_user(&mut self, user: LocalUser) {
        self.users.insert(user.name, user.password);
    }

    /// A link was activated.
    pub fn link_up(&mut self, config: LinkConfig, now: MonotonicTime) -> LinkId {
        self.advance(now);
        let id = LinkId(self.next_link);
        self.next_link += 1;
        let config = LinkConfig {
            max_btu_bytes: config.max_btu_bytes.max(MIN_BTU),
            ..config
        };
        self.links.insert(id, Link::new(config));
        id
    }

    /// A link failed: its sessions fail.
    pub fn link_down(&mut self, link: LinkId, now: MonotonicTime) {
        self.advance(now);
        let Some(link_state) = self.links.remove(&link) else {
            return;
        };
        self.routes.retain(|_, links| {
            links.retain(|to| *to != link);
            !links.is_empty()
        });
        self.withdrawn.retain(|(_, over)| *over != link);
        let mut sessions: Vec<SessionId> = link_state.sessions.into_values().collect();
        sessions.sort_unstable();
        let groups = sessions.iter().filter_map(|id| self.sessions.get(*id));
        let partners: BTreeSet<LuName> = groups
            .map(|s| self.groups[s.group].partner.clone())
            .collect();
        for session in sessions {
            self.drop_session(session, SessionOutage::Link);
        }
        // A partner that connects again may have been restarted. It would
        // reject every BIND under limits that it has not negotiated.
        for partner in partners {
            if !self.has_sessions(&partner) {
                self.forget_limits(&partner);
            }
        }
        self.settle();
    }

    /// The links that are up.
    pub fn links(&self) -> impl Iterator<Item = LinkId> {
        self.links.keys().copied()
    }

    /// When [`Node::handle_timeout`] must be called next.
    pub fn poll_timeout(&self) -> Option<MonotonicTime> {
        self.timers.first().map(|(at, _)| *at)
    }

    /// Time has passed.
    pub fn handle_timeout(&mut self, now: MonotonicTime) {
        self.advance(now);
        while let Some((at, timer)) = self.timers.first().copied() {
            if at > self.now {
                break;
            }
            self.timers.remove(&(at, timer));
            match timer {
                Timer::Session(session) => self.session_timed_out(session),
                Timer::Exchange(group) => self.exchange_timed_out(group),
            }
        }
        self.settle();
    }

    /// The next event.
    pub fn poll_event(&mut self) -> Option<NodeEvent> {
        self.events.pop_front()
    }

    /// The next PIU for any link.
    pub fn poll_transmit(&mut self) -> Option<(LinkId, Vec<u8>)> {
        let mut next = self.links.keys().next().copied();
        while let Some(id) = next {
            if let Some(piu) = self.poll_transmit_on(id) {
                return Some((id, piu));
            }
            let after = (Bound::Excluded(id), Bound::Unbounded);
            next = self.links.range(after).next().map(|(id, _)| *id);
        }
        None
    }

    /// The next PIU for this link: windows and session limits first, then
    /// session control, then sessions by transmission priority and in turn.
    pub fn poll_transmit_on(&mut self, id: LinkId) -> Option<Vec<u8>> {
        loop {
            let link = self.links.get_mut(&id)?;
            let session_id = match link.dequeue_network() {
                Some(session) => session,
                None => {
                    if let Some(piu) = link.control.pop_front() {
                        return Some(piu);
                    }
                    link.dequeue()?
                }
            };
            let Some(session) = self.sessions.get_mut(session_id) else {
                continue;
            };
            let Some(half) = session.half.as_mut() else {
                session.in_line = false;
                continue;
            };
            let Some(piu) = half.poll() else {
                session.in_line = false;
                continue;
            };
            let priority = session.line_priority(&self.groups);
            let room = session.half.as_ref().map_or(0, |h| h.queued_bytes());
            let conversation = session.conversation;
            link.enqueue(session_id, priority);
            if room <= self.config.send_backlog_bytes / 2 {
                self.notify_room(conversation);
            }
            return Some(piu);
        }
    }

    fn notify_room(&mut self, conversation: Option<ConversationId>) {
        let Some(id) = conversation else { return };
        let waits = self
            .conversations
            .get_mut(id)
            .is_some_and(|c| c.take_wants_room());
        if waits {
            self.notify(id);
        }
    }

    /// Puts a session in line on its link, if it may have something to send.
    fn kick(&mut self, id: SessionId) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let priority = session.line_priority(&self.groups);
        let rush = priority > session.line;
        if session.in_line && !rush {
            return;
        }
        if let Some(link) = self.links.get_mut(&session.link) {
            session.in_line = true;
            session.line = priority;
            link.enqueue(id, priority);
        }
    }

    fn advance(&mut self, now: MonotonicTime) {
        self.now = self.now.max(now);
    }

    fn event(&mut self, event: NodeEvent) {
        self.events.push_back(event);
    }

    /// Notifies a conversation that its verb can continue, if one waits.
    fn notify(&mut self, id: ConversationId) {
        let Some(conversation) = self.conversations.get_mut(id) else {
            return;
        };
        if !conversation.take_wants_event() {
            return;
        }
        match conversation.owner {
            crate::conversation::VerbOwner::Program => self.event(NodeEvent::Ready(id)),
            _ => self.services.push_back(id),
        }
    }

    /// Lets the node's own conversations continue until all of them wait.
    fn settle(&mut self) {
        while let Some(id) = self.services.pop_front() {
            self.run_service(id);
        }
    }
}

/// A link whose units are smaller than this cannot carry a BIND in segments.
const MIN_BTU: usize = 64;

//! Sessions of one pair of logical units under one mode.
//!
//! Session limits apply to such a group, and conversations wait in it for a
//! session.

use super::event::{Limits, SessionDenial};
use crate::conversation::ConversationId;
use crate::mode::Mode;
use crate::name::LuName;
use crate::session::SessionId;
use crate::time::MonotonicTime;
use std::collections::VecDeque;

/// The sessions of a pair of logical units under one mode.
#[derive(Debug)]
pub(super) struct SessionGroup {
    pub local: LuName,
    pub partner: LuName,
    pub mode: Mode,
    pub limits: Limits,
    /// All sessions that are active or becoming so.
    pub sessions: Vec<SessionId>,
    pub idle_winners: VecDeque<SessionId>,
    pub idle_losers: VecDeque<SessionId>,
    /// Conversations that wait for a session.
    pub waiting: VecDeque<ConversationId>,
    /// Sessions being bound or bid for on behalf of those that wait.
    pub coming: usize,
    /// Active and pending sessions of which this side is contention winner.
    pub local_winners: u16,
    pub exchange: Option<Exchange>,
    /// One session, and no exchange of limits.
    pub single: bool,
    /// Its routes were withdrawn: its sessions end, and another group has taken
    /// its place for new ones.
    pub retired: bool,
    /// The last BIND failed; another is sent when something has changed.
    pub exhausted: bool,
    /// Number of consecutive races that this side's limits request has lost.
    pub races: u8,
    /// Why the last waiting conversations got no session.
    pub denial: Option<SessionDenial>,
}

/// An exchange of session limits that this side asked for.
#[derive(Debug)]
pub(super) struct Exchange {
    pub proposal: Limits,
    pub conversation: ConversationId,
    pub deadline: MonotonicTime,
    pub sent: bool,
}

impl SessionGroup {
    pub fn new(local: LuName, partner: LuName, mode: Mode, single: bool) -> SessionGroup {
        let limits = if mode.is_service() {
            Limits {
                sessions: 2,
                local_winners: 1,
                remote_winners: 1,
            }
        } else if single {
            Limits {
                sessions: 1,
                local_winners: 0,
                remote_winners: 0,
            }
        } else {
            Limits::default()
        };
        SessionGroup {
            local,
            partner,
            mode,
            limits,
            sessions: Vec::new(),
            idle_winners: VecDeque::new(),
            idle_losers: VecDeque::new(),
            waiting: VecDeque::new(),
            coming: 0,
            local_winners: 0,
            exchange: None,
            single,
            retired: false,
            exhausted: false,
            races: 0,
            denial: None,
        }
    }

    /// Whether nothing refers to it any more.
    pub fn is_unused(&self) -> bool {
        let idle = self.sessions.is_empty() && self.waiting.is_empty();
        idle && self.coming == 0 && self.exchange.is_none()
    }

    fn count(&self) -> u16 {
        u16::try_from(self.sessions.len()).unwrap_or(u16::MAX)
    }

    /// Whether there is room for another session.
    pub fn has_room(&self) -> bool {
        self.count() < self.limits.sessions
    }

    /// Whether a partner's BIND fits the limits, or those that this side has
    /// asked for and whose reply the BIND may have overtaken.
    pub fn admits(&self, local_wins: bool) -> bool {
        if self.has_room() && (self.single || self.may_win(local_wins)) {
            return true;
        }
        let asked = self.exchange.as_ref().filter(|e| e.sent);
        asked.is_some_and(|e| self.count() < e.proposal.sessions)
    }

    /// Whether a new session may have this side as contention winner, or the
    /// partner.
    pub fn may_win(&self, local: bool) -> bool {
        let limits = &self.limits;
        let remote = self.count().saturating_sub(self.local_winners);
        if local {
            self.local_winners < limits.sessions.saturating_sub(limits.remote_winners)
        } else {
            remote < limits.sessions.saturating_sub(limits.local_winners)
        }
    }
}

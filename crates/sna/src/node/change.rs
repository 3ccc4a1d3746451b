//! Changes to a node that runs: modes, partners and users.
//!
//! A session keeps the parameters of its BIND. Sessions that a change affects end
//! with their conversations, and new ones are bound with the new parameters.
//! Reference: IBM *SNA LU 6.2 Reference: Peer Protocols* (SC31-6808), session
//! shutdown with BIS.

use super::Node;
use super::event::Limits;
use crate::mode::Mode;
use crate::name::{LuName, ModeName};
use crate::session::SessionId;
use crate::time::MonotonicTime;

/// Sessions that a change concerns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangedSessions {
    /// Sessions that were idle and end at once.
    pub idle: usize,
    /// Sessions that end with their conversation.
    pub busy: usize,
}

impl Node {
    /// Changes or adds a mode. Its sessions are renewed, and their limits are
    /// agreed on anew where they differ.
    pub fn change_mode(&mut self, mode: Mode, now: MonotonicTime) -> ChangedSessions {
        self.advance(now);
        let mut renewed = ChangedSessions::default();
        let same = |other: &Mode| *other == mode;
        for at in 0..self.groups.len() {
            let group = &mut self.groups[at];
            if group.mode.name != mode.name || same(&group.mode) {
                continue;
            }
            group.mode = mode.clone();
            group.exhausted = false;
            let wish = Limits {
                sessions: mode.session_limit,
                local_winners: mode.min_winners.min(mode.session_limit),
                remote_winners: mode.session_limit.saturating_sub(mode.min_winners),
            };
            let open = !group.single && !mode.is_service() && group.limits != Limits::default();
            let sessions = group.sessions.clone();
            if open && group.limits != wish && group.exchange.is_none() {
                self.start_exchange(at, wish);
            }
            self.renew(sessions, &mut renewed);
        }
        self.config.modes.define(mode);
        self.settle();
        renewed
    }

    /// Removes a mode: no new sessions are begun under it, and partners receive
    /// limits of zero.
    pub fn remove_mode(&mut self, name: &ModeName, now: MonotonicTime) -> ChangedSessions {
        self.advance(now);
        self.config.modes.remove(name);
        let mut renewed = ChangedSessions::default();
        for at in 0..self.groups.len() {
            let group = &mut self.groups[at];
            if group.mode.name != *name {
                continue;
            }
            group.mode.session_limit = 0;
            let sessions = group.sessions.clone();
            let open = !group.single && group.limits != Limits::default();
            if open && group.exchange.is_none() {
                self.start_exchange(at, Limits::default());
            }
            self.renew(sessions, &mut renewed);
        }
        self.settle();
        renewed
    }

    /// Ends the sessions with a partner as their conversations do.
    pub fn renew_sessions(&mut self, partner: &LuName, now: MonotonicTime) -> ChangedSessions {
        self.advance(now);
        let mut renewed = ChangedSessions::default();
        let with = self.groups.iter().filter(|g| g.partner == *partner);
        let sessions = with.flat_map(|g| g.sessions.clone()).collect();
        self.renew(sessions, &mut renewed);
        self.settle();
        renewed
    }

    /// Whether any session with a partner is up, or in transit.
    pub fn has_sessions(&self, partner: &LuName) -> bool {
        let mut groups = self.groups.iter();
        groups.any(|g| g.partner == *partner && !g.sessions.is_empty())
    }

    /// Removes the negotiated session limits with a partner, which may be
    /// another node now. They are negotiated again when needed.
    pub fn forget_limits(&mut self, partner: &LuName) {
        let groups = self.groups.iter_mut();
        for group in groups.filter(|g| g.partner == *partner && g.sessions.is_empty()) {
            group.exhausted = false;
            if !group.single && !group.mode.is_service() {
                group.limits = Limits::default();
            }
        }
    }

    /// Removes a user.
    pub fn remove_user(&mut self, name: &str) {
        self.users.remove(name);
    }

    fn renew(&mut self, sessions: Vec<SessionId>, renewed: &mut ChangedSessions) {
        for id in sessions {
            let Some(session) = self.sessions.get_mut(id) else {
                continue;
            };
            if session.closing {
                continue;
            }
            session.closing = true;
            match session.conversation {
                Some(_) => renewed.busy += 1,
                None => renewed.idle += 1,
            }
            self.release(id);
        }
    }
}

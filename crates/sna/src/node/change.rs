//! Changes to a node that runs: modes, partners and users.
//!
//! A session keeps the parameters of its BIND. Sessions that a change affects end
//! with their conversations, and new ones are bound with the new parameters.
//! Reference: IBM *SNA LU 6.2 Reference: Peer Protocols* (SC31-6808), session
//! shutdown with BIS.

use super::event::{Limits, SessionDenial};
use super::{LinkId, Node};
use crate::conversation::code::ReturnCode;
use crate::mode::Mode;
use crate::name::{LuName, ModeName};
use crate::session::SessionId;
use crate::time::MonotonicTime;
use std::collections::BTreeSet;

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
    /// agreed on again where they differ.
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
            let parallel = !group.single && !mode.is_service() && !group.retired;
            let open = parallel && group.limits != Limits::default();
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
            let parallel = !group.single && !group.retired;
            let open = parallel && group.limits != Limits::default();
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

    /// Withdraws the routes to a partner that is reached elsewhere from now on.
    /// Returns the links that led to it.
    ///
    /// Sessions over these links end as their conversations do, and no other is
    /// begun over them, by either side. Verbs that wait for a session fail with
    /// ALLOCATE_FAILURE_RETRY. The next session waits for
    /// [`Node::define_route`], and its limits are agreed on again: at the other
    /// end is another node, or may be.
    pub fn withdraw_routes(
        &mut self,
        partner: &LuName,
        now: MonotonicTime,
    ) -> (ChangedSessions, Vec<LinkId>) {
        self.advance(now);
        let routes = self.routes.remove(partner).unwrap_or_default();
        let mut links: BTreeSet<LinkId> = routes.into_iter().collect();
        let mut sessions = Vec::new();
        for at in 0..self.groups.len() {
            if self.groups[at].partner != *partner || self.groups[at].retired {
                continue;
            }
            let code = ReturnCode::AllocateFailureRetry;
            self.fail_waiters(at, code, SessionDenial::NoRoute);
            sessions.extend(self.groups[at].sessions.iter().copied());
            self.retire(at);
        }
        let used = sessions.iter().filter_map(|id| self.sessions.get(*id));
        links.extend(used.map(|session| session.link));
        let over = links.iter().map(|link| (partner.clone(), *link));
        self.withdrawn.extend(over);
        let mut renewed = ChangedSessions::default();
        self.renew(sessions, &mut renewed);
        self.forget_limits(partner);
        self.settle();
        (renewed, links.into_iter().collect())
    }

    /// Lets another group take the place of one that still has sessions: their
    /// number and limits are those of another node.
    fn retire(&mut self, at: usize) {
        let group = &mut self.groups[at];
        if group.is_unused() {
            return;
        }
        group.retired = true;
        let key = (
            group.local.clone(),
            group.partner.clone(),
            group.mode.name.clone(),
        );
        self.group_of.remove(&key);
        self.retired.push(at);
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

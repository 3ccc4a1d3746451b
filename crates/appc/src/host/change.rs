//! Changes to a node that runs: its partners, modes and users.
//!
//! Running links and sessions keep their settings. Sessions that a change
//! concerns end when their conversations do. No session is begun over a link to
//! a partner's former address, and the link ends with the last one over it.

use super::inner::HostState;
use super::{NodeHost, SharedHost};
use crate::Error;
use crate::config::{PartnerConfig, lu_name};
use crate::net::LinkTransport;
use sna::{
    ChangedSessions, LinkId, LocalUser, LuName, Mode, MonotonicTime, PartnerLu, PasswordBytes,
};
use std::collections::BTreeSet;

impl NodeHost {
    /// Changes or adds a partner. Sessions are ended and bound again if the
    /// change affects what they negotiated.
    pub fn change_partner(
        &self,
        name: &str,
        partner: PartnerConfig,
    ) -> Result<ChangedSessions, Error> {
        let before = self.shared.partners().get(name).cloned();
        if before.as_ref() == Some(&partner) {
            return Ok(ChangedSessions::default());
        }
        let lu = lu_name("partner", name)?;
        self.define_partner_as(name, partner.clone())?;
        let Some(before) = before else {
            return Ok(ChangedSessions::default());
        };
        let moved = PartnerConfig {
            trusted: before.trusted,
            single_session: before.single_session,
            ..partner
        } != before;
        Ok(self.renew(&lu, moved))
    }

    /// Removes a partner: this node no longer calls it, and active sessions end
    /// with their conversations. The partner may still call this node.
    pub fn remove_partner(&self, name: &str) -> Result<ChangedSessions, Error> {
        let lu = lu_name("partner", name)?;
        if self.shared.partners().remove(name).is_none() {
            return Ok(ChangedSessions::default());
        }
        // An unknown partner's claims are not trusted.
        let stranger = PartnerLu {
            trusted: false,
            ..PartnerLu::new(lu.clone())
        };
        self.shared.lock().node.define_partner(stranger);
        Ok(self.renew(&lu, true))
    }

    fn renew(&self, partner: &LuName, moved: bool) -> ChangedSessions {
        let mut inner = self.shared.lock();
        let now = self.shared.now();
        let renewed = if moved {
            inner.withdraw(partner, now)
        } else {
            inner.node.renew_sessions(partner, now)
        };
        self.shared.drain(&mut inner, false);
        renewed
    }

    /// Whether a partner's definition is no longer the one that a call began
    /// with. The link that came of the call is not used then.
    pub(super) fn moved_meanwhile(&self, name: &str, lu: &LuName, before: &PartnerConfig) -> bool {
        if self.shared.partners().get(name) == Some(before) {
            return false;
        }
        self.renew(lu, true);
        true
    }

    /// Changes or adds a mode; its sessions are renewed.
    pub fn change_mode(&self, mode: Mode) -> ChangedSessions {
        self.once(|node, now| node.change_mode(mode, now))
    }

    /// Takes a mode away: no new sessions are begun under it.
    pub fn remove_mode(&self, name: &str) -> Result<ChangedSessions, Error> {
        let mode = name
            .parse()
            .map_err(|why| Error::config("modes", name, why))?;
        Ok(self.once(|node, now| node.remove_mode(&mode, now)))
    }

    /// Gives a user a password, from the next Attach on.
    pub fn define_user(&self, name: &str, password: &str) {
        self.shared.lock().node.define_user(LocalUser {
            name: name.to_owned(),
            password: PasswordBytes::new(password),
        });
    }

    /// Removes a user.
    pub fn remove_user(&self, name: &str) {
        self.shared.lock().node.remove_user(name);
    }
}

impl HostState {
    /// No session is begun any more over the links that lead to `partner`.
    fn withdraw(&mut self, partner: &LuName, now: MonotonicTime) -> ChangedSessions {
        let (renewed, links) = self.node.withdraw_routes(partner, now);
        let links = links.into_iter().map(|link| (partner.clone(), link));
        self.leaving.extend(links);
        self.moves += 1;
        renewed
    }
}

impl SharedHost {
    /// Ends the links to partners' former addresses that have no sessions left.
    /// Returns `true` if there was one.
    pub(super) fn leave(&self, inner: &mut HostState) -> bool {
        let links: BTreeSet<LinkId> = inner.leaving.iter().map(|(_, link)| *link).collect();
        let mut left = false;
        for link in links {
            let mut transports = inner.transports.iter();
            let found = transports.find(|(_, transport)| transport.peer_of(link).is_some());
            let Some((&token, transport)) = found else {
                inner.leaving.retain(|(_, over)| *over != link);
                continue;
            };
            // The circuits of one DLSw connection end together.
            let ends_with_it = |other: LinkId| match transport {
                LinkTransport::Dlsw(_) => transport.peer_of(other).is_some(),
                LinkTransport::Ether(_) => other == link,
            };
            if !inner.node.sessions().any(|s| ends_with_it(s.link)) {
                inner.leaving.retain(|(_, over)| *over != link);
                self.end_link(inner, token, link);
                left = true;
            }
        }
        left
    }

    fn end_link(&self, inner: &mut HostState, token: usize, link: LinkId) {
        let why = "the partner has another address now";
        match inner.transports.get(&token) {
            Some(LinkTransport::Ether(_)) => inner.with(token, self.now(), |transport, around| {
                transport.disconnect(around, link, why);
                transport.transmit(around)
            }),
            _ => inner.close(token, self.now(), why),
        }
    }
}

//! Changes to a node that runs: its partners, modes and users.
//!
//! Running links and sessions keep their settings. Sessions that a change
//! concerns end when their conversations do; a link to a partner's former
//! address ends with the last session over it.

use super::inner::HostState;
use super::{NodeHost, SharedHost};
use crate::Error;
use crate::config::{PartnerConfig, lu_name};
use crate::net::LinkTransport;
use sna::{ChangedSessions, LocalUser, LuName, Mode, PartnerLu, PasswordBytes};

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
        Ok(self.renew(lu, moved))
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
        Ok(self.renew(lu, true))
    }

    fn renew(&self, partner: LuName, moved: bool) -> ChangedSessions {
        let mut inner = self.shared.lock();
        let renewed = inner.node.renew_sessions(&partner, self.shared.now());
        if moved && inner.leads_to(&partner) {
            inner.leaving.insert(partner);
        }
        self.shared.drain(&mut inner, false);
        renewed
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

impl SharedHost {
    /// Ends the links to partners that have moved and have no sessions left.
    /// Returns `true` if there was one.
    pub(super) fn leave(&self, inner: &mut HostState) -> bool {
        if inner.leaving.is_empty() {
            return false;
        }
        let mut left = false;
        let gone: Vec<LuName> = inner
            .leaving
            .iter()
            .filter(|partner| !inner.node.has_sessions(partner))
            .cloned()
            .collect();
        for partner in gone {
            inner.leaving.remove(&partner);
            inner.node.forget_limits(&partner);
            let others = |inner: &HostState, token: &usize| {
                let transport = &inner.transports[token];
                let known = inner.node.sessions().map(|s| s.partner);
                let mut known = known;
                known.any(|other| other != partner && transport.leads_to(&other))
            };
            let tokens: Vec<usize> = inner
                .transports
                .iter()
                .filter(|(_, t)| matches!(t, LinkTransport::Dlsw(_)) && t.leads_to(&partner))
                .map(|(token, _)| *token)
                .filter(|token| !others(inner, token))
                .collect();
            for token in tokens {
                inner.close(token, self.now(), "the partner has another address now");
                left = true;
            }
        }
        left
    }
}

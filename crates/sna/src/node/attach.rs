//! Attaches: the checks before a partner's conversation starts a program.
//! Reference: IBM *SNA LU 6.2 Reference: Peer Protocols* (SC31-6808), attach
//! processing.

use super::Node;
use super::config::{ProgramAvailability, TpDefinition, TpSecurity};
use super::event::{CheckedAttach, NodeEvent, RefusedAttach};
use crate::conversation::code::{ConversationType, State};
use crate::conversation::{Conversation, ConversationAttributes, ErrorJob, VerbOwner};
use crate::mode::SyncLevel;
use crate::name::TpName;
use crate::session::SessionId;
use crate::wire::rh::{RequestedResponse, Rh};
use crate::wire::{Sense, fmh5, gds};
use bytes::{Buf, Bytes};

/// The service program that exchanges session limits.
pub(super) const LIMITS_TP: [u8; 2] = [0x06, 0xF1];

impl Node {
    /// A request arrived on a session whose Attach lacks a part of its
    /// parameters.
    pub(super) fn handle_more_of_attach(
        &mut self,
        id: SessionId,
        header: Rh,
        answer: RequestedResponse,
        ru: Bytes,
    ) -> Result<(), Sense> {
        let session = self.sessions.get_mut(id);
        let Some(waiting) = session.map(|s| &mut s.attaching) else {
            return Ok(());
        };
        let Some(mut whole) = waiting.take() else {
            return Ok(());
        };
        whole.extend_from_slice(&ru);
        let pip = whole.get(whole.first().map_or(0, |len| usize::from(*len))..);
        if !header.end_chain() && !pip.is_none_or(gds::pip_is_here) {
            // Collected in place, so that many small RUs cost no more
            // than few large ones.
            *waiting = Some(whole);
            return Ok(());
        }
        self.handle_attach(id, header, answer, whole.into())
    }

    /// A request with an Attach at its start arrived on a session without a
    /// conversation.
    pub(super) fn handle_attach(
        &mut self,
        id: SessionId,
        header: Rh,
        answer: RequestedResponse,
        ru: Bytes,
    ) -> Result<(), Sense> {
        let (attach, len) = match fmh5::Repr::parse(&ru) {
            Ok((attach, len)) => (Some(attach), Ok(len)),
            Err(sense) => (None, Err(sense)),
        };
        let whole = ru.clone();
        let mut data = ru;
        data.advance(*len.as_ref().unwrap_or(&data.len()));
        let asked = attach
            .as_ref()
            .and_then(|a| TpName::from_ebcdic(&a.tpn).ok());
        let fallback = || fmh5::Repr::new(&[crate::ebcdic::SPACE], true, 0);
        let attach = attach.unwrap_or_else(fallback);
        let mut pip = Vec::new();
        let verdict = len.and_then(|_| {
            self.judge(id, &attach)?;
            if attach.pip && !(header.end_chain() || gds::pip_is_here(&data)) {
                return Ok(false);
            }
            if attach.pip {
                let (fields, len) = gds::parse_pip(&data).map_err(|_| Sense::PIP_WRONG)?;
                data.advance(len);
                pip = fields;
            }
            Ok(true)
        });
        if verdict == Ok(false) {
            if let Some(session) = self.sessions.get_mut(id) {
                session.attaching = Some(whole.into());
            }
            return Ok(());
        }
        let verdict = verdict.map(|_| ());
        let Some(session) = self.sessions.get_mut(id) else {
            return Ok(());
        };
        let group = &self.groups[session.group];
        let attributes = ConversationAttributes {
            local: group.local.clone(),
            partner: group.partner.clone(),
            mode: group.mode.name.clone(),
            tp: TpName::from_ebcdic(&attach.tpn).unwrap_or_else(|_| blank_tp()),
            kind: if attach.mapped {
                ConversationType::Mapped
            } else {
                ConversationType::Basic
            },
            sync: match attach.sync {
                0 => SyncLevel::None,
                _ => SyncLevel::Confirm,
            },
            user: attach.access.user.clone(),
        };
        let owner = match (&verdict, attach.tpn.as_slice() == LIMITS_TP) {
            (Err(_), _) => VerbOwner::NoProgram,
            (Ok(()), true) => VerbOwner::LimitsTarget,
            (Ok(()), false) => VerbOwner::Program,
        };
        let state = State::InitializeIncoming;
        let mut conversation = Conversation::new(attributes.clone(), owner, state);
        conversation.send_limit = self.config.send_backlog_bytes;
        let Some(half) = session.half.as_mut() else {
            return Ok(());
        };
        conversation.join(id, half);
        conversation.handle_first(header, answer, data);
        if let Err(sense) = verdict {
            let over = conversation.end_with_error(half, ErrorJob { sense, close: true });
            if over.is_pending() || !conversation.is_over() {
                session.conversation = Some(self.conversations.insert(conversation));
            }
            let link = session.link;
            let refused = RefusedAttach {
                partner: attributes.partner,
                tp: asked,
            };
            self.event(NodeEvent::PeerFault {
                link,
                sense,
                attach: Some(refused),
            });
            return Ok(());
        }
        let at = self.conversations.insert(conversation);
        session.conversation = Some(at);
        if owner == VerbOwner::LimitsTarget {
            self.services.push_back(at);
            return Ok(());
        }
        self.waiting_attaches += 1;
        self.event(NodeEvent::Attached(CheckedAttach {
            conversation: at,
            local: attributes.local,
            partner: attributes.partner,
            mode: attributes.mode,
            tp: attributes.tp,
            kind: attributes.kind,
            sync: attributes.sync,
            user: attributes.user,
            pip,
        }));
        Ok(())
    }

    /// Whether an Attach may start its program.
    fn judge(&self, id: SessionId, attach: &fmh5::Repr) -> Result<(), Sense> {
        let session = self.sessions.get(id);
        let group = session.map(|s| &self.groups[s.group]);
        let Some(group) = group else {
            return Err(Sense::TP_RETRY);
        };
        if attach.tpn == LIMITS_TP {
            return match (group.mode.is_service(), attach.mapped) {
                (true, false) => Ok(()),
                (true, true) => Err(Sense::TYPE_MISMATCH),
                (false, _) => Err(Sense::TPN_UNKNOWN),
            };
        }
        let name = TpName::from_ebcdic(&attach.tpn).map_err(|_| Sense::TPN_UNKNOWN)?;
        let program = self.programs.get(&name).or(self.any_program.as_ref());
        let program = program.ok_or(Sense::TPN_UNKNOWN)?;
        if group.mode.is_service() {
            return Err(Sense::TPN_UNKNOWN);
        }
        self.judge_access(group.partner.as_str(), attach, program)?;
        suits(attach, program)?;
        match program.available {
            ProgramAvailability::Never => Err(Sense::TP_NO_RETRY),
            ProgramAvailability::Later => Err(Sense::TP_RETRY),
            ProgramAvailability::Now
                if self.waiting_attaches >= self.config.max_waiting_attaches =>
            {
                Err(Sense::TP_RETRY)
            }
            ProgramAvailability::Now => Ok(()),
        }
    }

    fn judge_access(
        &self,
        partner: &str,
        attach: &fmh5::Repr,
        program: &TpDefinition,
    ) -> Result<(), Sense> {
        let access = &attach.access;
        let trusted = || {
            let found = self.partners.values().find(|p| p.name.as_str() == partner);
            found.is_some_and(|p| p.trusted)
        };
        match (&access.user, &access.password) {
            (None, None) => match program.security {
                TpSecurity::None => Ok(()),
                TpSecurity::User => Err(Sense::SECURITY),
            },
            (Some(_), None) if attach.already_verified && trusted() => Ok(()),
            (Some(user), Some(password)) if !attach.password_substitute => {
                let known = self.users.get(user);
                if known.is_some_and(|known| known.matches(password)) {
                    Ok(())
                } else {
                    Err(Sense::SECURITY)
                }
            }
            _ => Err(Sense::SECURITY),
        }
    }
}

/// Whether a program accepts the parameters of an Attach.
fn suits(attach: &fmh5::Repr, program: &TpDefinition) -> Result<(), Sense> {
    let kind = if attach.mapped {
        ConversationType::Mapped
    } else {
        ConversationType::Basic
    };
    if attach.full_duplex || !(program.types.is_empty() || program.types.contains(&kind)) {
        return Err(Sense::TYPE_MISMATCH);
    }
    let sync = match attach.sync {
        0 => SyncLevel::None,
        1 => SyncLevel::Confirm,
        _ => return Err(Sense::SYNC_LEVEL),
    };
    if !(program.sync_levels.is_empty() || program.sync_levels.contains(&sync)) {
        return Err(Sense::SYNC_LEVEL);
    }
    if attach.pip && !program.pip {
        return Err(Sense::PIP_NOT_ALLOWED);
    }
    Ok(())
}

/// The name in an Attach without a name.
fn blank_tp() -> TpName {
    match TpName::from_ebcdic(&[crate::ebcdic::SPACE]) {
        Ok(name) => name,
        Err(_) => unreachable!("one blank is a name"),
    }
}

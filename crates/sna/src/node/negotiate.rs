//! What two nodes make of a BIND: the request, the response, and the session
//! that comes of both.
//!
//! Pure functions of modes, links and BINDs, so that whoever wants to know
//! what a pair of definitions will give can ask without a node.
//! Reference: IBM *SNA Formats* (GA27-3136), "BIND", negotiation rules.

use super::config::LinkConfig;
use crate::mode::{Mode, PacingMode};
use crate::name::LuName;
use crate::session::half::Parameters;
use crate::session::pacing::{Receiver, Scheme, Sender};
use crate::wire::bind::{self, Pacing, Repr as Bind, SyncLevels};
use crate::wire::user_data::{self, UserData};
use crate::wire::{Sense, piu, ru_size, th};

/// What a BIND request is made of.
#[derive(Clone, Debug)]
pub struct Wish<'a> {
    /// This node's mode.
    pub mode: &'a Mode,
    /// This side.
    pub local: &'a LuName,
    /// The partner.
    pub partner: &'a LuName,
    /// The link.
    pub link: &'a LinkConfig,
    /// Parallel sessions, with session-limit exchanges.
    pub parallel: bool,
    /// Whether this side wants to be contention winner.
    pub winner: bool,
    /// Whether users that the partner has verified are taken.
    pub trusts: bool,
    /// A number that no other session has.
    pub instance: u64,
}

/// The request for this wish.
pub fn request(wish: &Wish<'_>) -> Bind {
    let mode = wish.mode;
    let (local, partner) = (wish.local.to_ebcdic(), wish.partner.to_ebcdic());
    let two_stage = mode.pacing == PacingMode::FixedTwoStage;
    let mut instance = vec![if local < partner { 0x00 } else { 0xF0 }];
    instance.extend_from_slice(&wish.instance.to_be_bytes()[1..]);
    Bind {
        whole_bius: !wish.link.reassembles,
        primary_wins: wish.winner,
        pacing: Pacing {
            adaptive: mode.pacing == PacingMode::Adaptive,
            two_stage_to_primary: two_stage,
            two_stage_to_secondary: two_stage,
            secondary_send: mode.receive_window,
            secondary_receive: mode.send_window,
            primary_send: mode.send_window,
            primary_receive: mode.receive_window,
        },
        secondary_ru: ru_size::emit(mode.receive_ru_bytes),
        primary_ru: ru_size::emit(mode.send_ru_bytes),
        security: security(wish.trusts),
        parallel: wish.parallel,
        cnos: wish.parallel,
        plu: local.clone(),
        user: UserData {
            mode: Some(mode.name.to_ebcdic()),
            instance: Some(instance),
            plu: Some(local),
            ..UserData::default()
        },
        slu: partner,
        ..Bind::default()
    }
}

/// Checks the parts of a BIND that say what kind of session it is for.
pub fn check(bind: &Bind) -> Result<(), Sense> {
    let crypto = bind.cryptography.0 & 0x30 != 0 || !bind.cryptography.1.is_empty();
    let faults = [
        (bind.format & 0x0F != 0, 1),
        (bind.fm_profile != 0x13, 2),
        (bind.ts_profile != 0x07, 3),
        (bind.half_duplex & 0xC0 != 0x80, 7),
        (bind.lu_type != 6, 14),
        (bind.lu_level != 2, 15),
        (matches!(bind.sync, SyncLevels::Other(_)), 24),
        (crypto, 26),
    ];
    match faults.iter().find(|(wrong, _)| *wrong) {
        Some((_, offset)) => Err(Sense::bind(*offset)),
        None => Ok(()),
    }
}

/// The response of this side, its mode being `mode`, to a request.
pub fn respond(
    bind: &Bind,
    mode: &Mode,
    local: &LuName,
    link: &LinkConfig,
    parallel: bool,
    trusts: bool,
) -> Result<Bind, Sense> {
    check(bind)?;
    let lower = |asked: u8, ours: usize, offset: usize| {
        let asked = ru_size::parse(asked).unwrap_or(ru_size::MAX);
        let agreed = asked.min(ours);
        match agreed < mode.min_ru_bytes.min(ours) {
            true => Err(Sense::bind(offset)),
            false => Ok(ru_size::emit(agreed)),
        }
    };
    let both = parallel && bind.parallel && bind.cnos;
    Ok(Bind {
        whole_bius: !link.reassembles,
        pacing: agree(&bind.pacing, mode),
        secondary_ru: lower(bind.secondary_ru, mode.send_ru_bytes, 10)?,
        primary_ru: lower(bind.primary_ru, mode.receive_ru_bytes, 11)?,
        security: security(trusts),
        sync: SyncLevels::Confirm,
        compression: 0,
        parallel: both,
        cnos: both,
        plu: Vec::new(),
        slu: Vec::new(),
        vectors: Vec::new(),
        user: UserData {
            mode: bind.user.mode.clone(),
            instance: bind.user.instance.clone(),
            slu: Some(local.to_ebcdic()),
            ..UserData::default()
        },
        ..bind.clone()
    })
}

/// The pacing of the response: adaptive pacing may be turned off, and of the
/// fixed windows the secondary may lower those towards itself.
fn agree(asked: &Pacing, mode: &Mode) -> Pacing {
    let adaptive = asked.adaptive && mode.pacing == PacingMode::Adaptive;
    if adaptive {
        return *asked;
    }
    Pacing {
        adaptive,
        secondary_receive: lesser(asked.secondary_receive, mode.receive_window),
        primary_send: lesser(asked.primary_send, mode.receive_window),
        ..*asked
    }
}

/// The lesser of two windows, where 0 is without end.
fn lesser(a: u8, b: u8) -> u8 {
    match (a, b) {
        (0, other) | (other, 0) => other,
        _ => a.min(b),
    }
}

fn above(window: u8, limit: u8) -> bool {
    limit != 0 && (window == 0 || window > limit)
}

/// Checks a response against its request. A fault names its offset.
pub fn check_response(sent: &Bind, got: &Bind, mode: &Mode) -> Result<(), Sense> {
    check(got)?;
    let size = |byte: u8| ru_size::parse(byte).unwrap_or(0);
    let wrong_ru = |got: u8, sent: u8, own: usize| {
        size(got) > size(sent) || size(got) < mode.min_ru_bytes.min(own)
    };
    let (p, q) = (&sent.pacing, &got.pacing);
    let fixed = !q.adaptive;
    let single = !(got.parallel && sent.parallel);
    let echoes = got.user.mode.as_ref().is_none_or(|m| {
        let blank = crate::ebcdic::SPACE;
        let trimmed: Vec<u8> = m.iter().copied().filter(|b| *b != blank).collect();
        sent.user.mode.as_ref() == Some(&trimmed)
    });
    let faults = [
        (got.primary_wins != sent.primary_wins && !single, 7),
        (fixed && p.secondary_send != q.secondary_send, 8),
        (p.two_stage_to_primary != q.two_stage_to_primary, 8),
        (q.adaptive && !p.adaptive, 9),
        (fixed && above(q.secondary_receive, p.secondary_receive), 9),
        (
            wrong_ru(got.secondary_ru, sent.secondary_ru, mode.receive_ru_bytes),
            10,
        ),
        (
            wrong_ru(got.primary_ru, sent.primary_ru, mode.send_ru_bytes),
            11,
        ),
        (fixed && above(q.primary_send, p.primary_send), 12),
        (p.two_stage_to_secondary != q.two_stage_to_secondary, 12),
        (fixed && p.primary_receive != q.primary_receive, 13),
        (got.parallel && !sent.parallel, 24),
        (!echoes, got.user_offset),
    ];
    match faults.iter().find(|(wrong, _)| *wrong) {
        Some((_, offset)) => Err(Sense::bind(*offset)),
        None => Ok(()),
    }
}

/// What one half-session is told once request and response are known.
/// `peer_whole` says that the partner takes whole BIUs only.
pub fn parameters(
    primary: bool,
    agreed: &Bind,
    peer_whole: bool,
    mode: &Mode,
    link: &LinkConfig,
    address: th::Address,
) -> Parameters {
    let p = &agreed.pacing;
    let scheme = |window: u8| match (p.adaptive, window) {
        (true, _) => Scheme::Adaptive,
        (false, 0) => Scheme::None,
        (false, n) => Scheme::Fixed(u16::from(n)),
    };
    let (send_window, receive_window) = if primary {
        (
            p.primary_send,
            if p.two_stage_to_primary {
                p.primary_receive
            } else {
                p.secondary_send
            },
        )
    } else {
        (
            p.secondary_send,
            if p.two_stage_to_secondary {
                p.secondary_receive
            } else {
                p.primary_send
            },
        )
    };
    let (send_ru, receive_ru) = match primary {
        true => (agreed.primary_ru, agreed.secondary_ru),
        false => (agreed.secondary_ru, agreed.primary_ru),
    };
    let size = |byte: u8| ru_size::parse(byte).unwrap_or(256);
    let whole = peer_whole || !link.peer_reassembles;
    let send_ru = match whole {
        true => size(send_ru).min(link.max_btu_bytes.saturating_sub(piu::HEADERS)),
        false => size(send_ru),
    };
    let first_window = u16::from(mode.receive_window.max(1));
    Parameters {
        address,
        max_btu: link.max_btu_bytes,
        send_ru,
        receive_ru: size(receive_ru),
        first_speaker: agreed.primary_wins == primary,
        sender: Sender::new(scheme(send_window)),
        receiver: Receiver::new(
            scheme(receive_window),
            first_window,
            mode.max_adaptive_window,
        ),
    }
}

/// The mode name of a request, in EBCDIC; blank when it has none.
pub fn mode_name(bind: &Bind) -> &[u8] {
    bind.user.mode.as_deref().unwrap_or(&[])
}

/// Where the mode name is, or where it would be.
pub fn mode_offset(bind: &Bind) -> usize {
    let keys = [user_data::MODE, user_data::INSTANCE];
    let found = keys.iter().find_map(|key| bind.user.offset_of(*key));
    bind.user_offset + found.unwrap_or(0)
}

fn security(trusts: bool) -> [u8; 2] {
    let verified = if trusts { bind::SECURITY_VERIFIED } else { 0 };
    [0, bind::SECURITY_CONVERSATION | verified]
}

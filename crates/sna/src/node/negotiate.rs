//! The negotiation of a BIND: the request, the response, and the resulting
//! session.
//!
//! Pure functions of modes, links and BINDs, so that the result of a pair of
//! definitions can be computed without a node.
//! Reference: IBM *SNA Formats* (GA27-3136), "BIND", negotiation rules.

use super::config::LinkConfig;
use crate::mode::{Mode, PacingMode};
use crate::name::LuName;
use crate::session::half::SessionParameters;
use crate::session::pacing::{PacingReceiver, PacingScheme, PacingSender};
use crate::wire::bind::MOST_WINDOW;
use crate::wire::bind::{self, Pacing, Repr as Bind, SyncLevels};
use crate::wire::user_data::{self, UserData};
use crate::wire::{Sense, piu, ru_size, th};

/// The input of a BIND request.
#[derive(Clone, Debug)]
pub struct BindProposal<'a> {
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

/// The BIND for this proposal.
pub fn request(wish: &BindProposal<'_>) -> Bind {
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
            // Adaptive pacing begins with less where its window has no room.
            secondary_send: mode.receive_window.min(MOST_WINDOW),
            secondary_receive: mode.send_window.min(MOST_WINDOW),
            primary_send: mode.send_window.min(MOST_WINDOW),
            primary_receive: mode.receive_window.min(MOST_WINDOW),
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

/// Checks the parts of a BIND that define the kind of session.
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
        if agreed < mode.min_ru_bytes.min(ours) {
            Err(Sense::bind(offset))
        } else {
            Ok(ru_size::emit(agreed))
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

/// The parameters of one half-session once request and response are known.
/// `peer_whole` means that the partner takes whole BIUs only.
pub fn parameters(
    primary: bool,
    agreed: &Bind,
    peer_whole: bool,
    mode: &Mode,
    link: &LinkConfig,
    address: th::Address,
) -> SessionParameters {
    let p = &agreed.pacing;
    let scheme = |window: u8| match (p.adaptive, window) {
        (true, _) => PacingScheme::Adaptive,
        (false, 0) => PacingScheme::None,
        (false, n) => PacingScheme::Fixed(u16::from(n)),
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
    let (send_ru, receive_ru) = if primary {
        (agreed.primary_ru, agreed.secondary_ru)
    } else {
        (agreed.secondary_ru, agreed.primary_ru)
    };
    let size = |byte: u8| ru_size::parse(byte).unwrap_or(256);
    let whole = peer_whole || !link.peer_reassembles;
    let send_ru = if whole {
        size(send_ru).min(link.max_btu_bytes.saturating_sub(piu::HEADERS))
    } else {
        size(send_ru)
    };
    let first_window = u16::from(mode.receive_window.max(1));
    SessionParameters {
        address,
        max_btu: link.max_btu_bytes,
        send_ru,
        receive_ru: size(receive_ru),
        first_speaker: agreed.primary_wins == primary,
        sender: PacingSender::new(scheme(send_window)),
        receiver: PacingReceiver::new(
            scheme(receive_window),
            first_window,
            mode.max_adaptive_window,
        ),
    }
}

/// The mode name of a request, in EBCDIC; blank without one.
pub fn mode_name(bind: &Bind) -> &[u8] {
    bind.user.mode.as_deref().unwrap_or(&[])
}

/// Offset of the mode name, or of its place.
pub fn mode_offset(bind: &Bind) -> usize {
    let keys = [user_data::MODE, user_data::INSTANCE];
    let found = keys.iter().find_map(|key| bind.user.offset_of(*key));
    bind.user_offset + found.unwrap_or(0)
}

fn security(trusts: bool) -> [u8; 2] {
    let verified = if trusts { bind::SECURITY_VERIFIED } else { 0 };
    [0, bind::SECURITY_CONVERSATION | verified]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::config::LinkRole;

    fn mode(ru: usize, pacing: PacingMode, window: u8) -> Mode {
        Mode::new("TEST".parse().unwrap())
            .with_ru_bytes(ru)
            .with_pacing(pacing, window)
    }

    fn link() -> LinkConfig {
        LinkConfig::new(LinkRole::Primary, 1033)
    }

    fn names() -> (LuName, LuName) {
        ("NET.A".parse().unwrap(), "NET.B".parse().unwrap())
    }

    /// Request and response of two modes.
    fn exchange(ours: &Mode, theirs: &Mode) -> (Bind, Result<Bind, Sense>) {
        let (local, partner) = names();
        let sent = request(&BindProposal {
            mode: ours,
            local: &local,
            partner: &partner,
            link: &link(),
            parallel: true,
            winner: true,
            trusts: false,
            instance: 7,
        });
        let sent = Bind::parse(&sent.emit()).unwrap();
        let got = respond(&sent, theirs, &partner, &link(), true, false);
        let got = got.map(|got| Bind::parse(&got.emit()).unwrap());
        (sent, got)
    }

    #[test]
    fn sizes_and_windows_go_down_to_the_lesser() {
        let ours = mode(4096, PacingMode::FixedOneStage, 8);
        let theirs = mode(1024, PacingMode::FixedOneStage, 3);
        let (sent, got) = exchange(&ours, &theirs);
        let got = got.unwrap();
        assert_eq!(check_response(&sent, &got, &ours), Ok(()));
        assert_eq!((got.primary_ru, got.secondary_ru), (0x87, 0x87));
        // The secondary can only lower the primary's values.
        let p = got.pacing;
        assert_eq!((p.primary_send, p.secondary_receive), (3, 3));
        assert_eq!((p.secondary_send, p.primary_receive), (8, 8));
        assert_eq!(got.user.instance, sent.user.instance);
        assert_eq!(got.user.instance.unwrap()[0], 0x00, "the lesser name asked");
    }

    #[test]
    fn adaptive_pacing_may_be_turned_off_but_not_on() {
        let ours = mode(1024, PacingMode::Adaptive, 7);
        let theirs = mode(1024, PacingMode::FixedOneStage, 7);
        let (sent, got) = exchange(&ours, &theirs);
        let got = got.unwrap();
        assert!(sent.pacing.adaptive && !got.pacing.adaptive);
        assert_eq!(check_response(&sent, &got, &ours), Ok(()));
        let (sent, got) = exchange(&theirs, &ours);
        let mut got = got.unwrap();
        assert!(!got.pacing.adaptive);
        got.pacing.adaptive = true;
        assert_eq!(check_response(&sent, &got, &theirs), Err(Sense::bind(9)));
    }

    #[test]
    fn faults_name_their_offset() {
        let ours = mode(1024, PacingMode::FixedOneStage, 4);
        let (sent, got) = exchange(&ours, &ours);
        let got = got.unwrap();
        type Change = fn(&mut Bind);
        let changes: [(Change, usize); 6] = [
            (|b| b.fm_profile = 0x12, 2),
            (|b| b.pacing.secondary_send = 3, 8),
            (|b| b.secondary_ru = 0x88, 10),
            (|b| b.primary_ru = 0x88, 11),
            (|b| b.pacing.primary_send = 5, 12),
            (|b| b.lu_level = 1, 15),
        ];
        for (change, offset) in changes {
            let mut wrong = got.clone();
            change(&mut wrong);
            let found = check_response(&sent, &wrong, &ours);
            assert_eq!(found, Err(Sense::bind(offset)));
        }
        let mut small = sent;
        small.secondary_ru = 0x84;
        let (_, partner) = names();
        let refused = respond(&small, &ours, &partner, &link(), true, false);
        assert_eq!(refused.unwrap_err(), Sense::bind(10));
    }

    #[test]
    fn whole_biu_partners_get_what_fits_the_link() {
        let ours = mode(4096, PacingMode::Adaptive, 7);
        let (_, got) = exchange(&ours, &ours);
        let address = th::Address {
            odai: false,
            daf: 1,
            oaf: 2,
        };
        let got = got.unwrap();
        let whole = parameters(true, &got, true, &ours, &link(), address);
        assert_eq!((whole.send_ru, whole.receive_ru), (1024, 4096));
        let cut = parameters(true, &got, false, &ours, &link(), address);
        assert_eq!(cut.send_ru, 4096);
    }
}

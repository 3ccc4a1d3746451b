//! Two peers that are not set up alike: each kind of difference is settled by
//! negotiation, or refused with the sense that names it.

use crate::harness::{Pair, lu, show};
use bytes::Bytes;
use sna::wire::Sense;
use sna::wire::bind::Repr as Bind;
use sna::wire::piu::Packet;
use sna::{
    AllocateParameters, AllocateSecurity, CnosOutcome, ConversationType, LinkConfig, LinkRole,
    LocalUser, Mode, NodeConfig, NodeEvent, PacingMode, PartnerLu, PasswordBytes,
    PrepareToReceiveType, ProgramAvailability, ReturnCode, SessionOutage, SyncLevel, TpDefinition,
    TpSecurity,
};
use std::task::Poll;

/// Bytes in front of a BIND's RU.
const RU: usize = 9;

/// The first BIND of a pair, taken off the wire before side 1 sees it.
fn first_bind(pair: &mut Pair) -> Vec<u8> {
    let wish = pair.allocate_parameters(0, "#INTER");
    let now = pair.now;
    pair.nodes[0].allocate(wish, now);
    pair.drain();
    pair.wire[1].pop_front().unwrap().1
}

/// Side 1's answer to a PIU: the sense of its negative response.
fn refusal(pair: &mut Pair, piu: Vec<u8>) -> Option<Sense> {
    let (link, now) = (pair.links[1].unwrap(), pair.now);
    pair.nodes[1].handle_piu(link, Bytes::from(piu), now);
    pair.drain();
    let (_, answer) = pair.wire[0].pop_front()?;
    let answer = Packet::parse(&answer).unwrap();
    let header = answer.rh.unwrap();
    assert!(header.is_response());
    let four = answer.ru.first_chunk::<4>().copied();
    four.filter(|_| header.exception()).map(Sense::from_bytes)
}

#[test]
fn a_bind_that_cannot_be_is_refused_at_its_offset() {
    type Change = fn(&mut Vec<u8>);
    let cases: [(&str, Change, u32); 15] = [
        ("format 1", |b| b[RU + 1] = 1, 0x0835_0001),
        ("FM profile 18", |b| b[RU + 2] = 0x12, 0x0835_0002),
        ("TS profile 4", |b| b[RU + 3] = 4, 0x0835_0003),
        ("half-duplex contention", |b| b[RU + 7] &= 0x3F, 0x0835_0007),
        (
            "RU of the secondary below 256",
            |b| b[RU + 10] = 0x84,
            0x0835_000A,
        ),
        (
            "RU of the primary below 256",
            |b| b[RU + 11] = 0x84,
            0x0835_000B,
        ),
        ("LU type 2", |b| b[RU + 14] = 2, 0x0835_000E),
        ("LU level 1", |b| b[RU + 15] = 1, 0x0835_000F),
        ("no sync level", |b| b[RU + 24] &= !0x60, 0x0835_0018),
        ("cryptography", |b| b[RU + 26] = 0x10, 0x0835_001A),
        ("a partner of no name", |b| b[RU + 27] = 0xFF, 0x0835_001B),
        (
            "cut in the fixed part",
            |b| b.truncate(RU + 20),
            0x0835_0014,
        ),
        ("cut in a name", |b| b.truncate(RU + 30), 0x0835_001B),
        ("another request code", |b| b[RU] = 0x30, 0x1003_0000),
        ("ODAI of this side's half", |b| b[0] |= 0x02, 0x800F_0001),
    ];
    for (what, change, sense) in cases {
        let mut pair = Pair::new(265);
        let mut bind = first_bind(&mut pair);
        change(&mut bind);
        let found = refusal(&mut pair, bind);
        assert_eq!(found, Some(Sense(sense)), "{what}");
        assert_eq!(pair.nodes[1].sessions().count(), 0, "{what}");
    }
}

#[test]
fn unknown_names_are_rejected_where_they_are_used() {
    let mut pair = Pair::new(265);
    let piu = first_bind(&mut pair);
    let good = Bind::parse(&piu[RU..]).unwrap();
    let with = |change: &dyn Fn(&mut Bind)| {
        let mut bind = good.clone();
        change(&mut bind);
        let mut out = piu[..RU].to_vec();
        out.extend(bind.emit());
        out
    };
    let name = |text: &str| sna::ebcdic::from_str(text);
    let other_lu = with(&|b| b.slu = name("APPN.GAMMA"));
    let at = Bind::parse(&other_lu[RU..]).unwrap().slu_offset;
    assert_eq!(refusal(&mut pair, other_lu), Some(Sense::bind(at)));
    let other_mode = with(&|b| b.user.mode = Some(name("NOSUCH")));
    let offset = sna::node::negotiate::mode_offset(&good);
    assert_eq!(refusal(&mut pair, other_mode), Some(Sense::bind(offset)));
    assert_eq!(
        refusal(&mut pair, piu.clone()),
        None,
        "the good one is taken"
    );
    assert_eq!(refusal(&mut pair, piu), Some(Sense::SESSION_ACTIVE));
}

#[test]
fn two_primary_stations_find_out_with_the_first_bind() {
    let mut pair = Pair::new(265);
    let now = pair.now;
    let old = pair.links[1].take().unwrap();
    pair.nodes[1].link_down(old, now);
    let config = LinkConfig::new(LinkRole::Primary, 265);
    pair.links[1] = Some(pair.nodes[1].link_up(config, now));
    let wish = pair.allocate_parameters(0, "#INTER");
    let id = pair.nodes[0].allocate(wish, now);
    let code = pair.until("allocate", |p| p.nodes[0].allocated(id));
    assert_eq!(code, ReturnCode::AllocateFailureRetry);
    let refused = SessionOutage::Refused(Sense(0x800F_0001));
    let reported = pair.events[0]
        .iter()
        .any(|e| matches!(e, NodeEvent::SessionDown { cause, .. } if *cause == refused));
    assert!(reported, "{:?}", pair.events[0]);
}

/// One mode name with two definitions, and the result of an allocate from side
/// 0.
fn with_modes(ours: Mode, theirs: Mode) -> (Pair, ReturnCode) {
    let modes = [ours, theirs];
    let mut pair = Pair::with(265, |side, config: &mut NodeConfig| {
        config.modes.define(modes[side].clone());
    });
    let wish = pair.allocate_parameters(0, "TEST");
    let now = pair.now;
    let id = pair.nodes[0].allocate(wish, now);
    let code = pair.until("allocate", |p| p.nodes[0].allocated(id));
    (pair, code)
}

fn test_mode() -> Mode {
    Mode::new("TEST".parse().unwrap())
}

#[test]
fn sizes_windows_and_pacing_that_differ_are_negotiated() {
    use PacingMode::{Adaptive, FixedOneStage, FixedTwoStage};
    let settings = [
        (256, Adaptive, 7),
        (4096, Adaptive, 1),
        (1024, FixedOneStage, 3),
        (2048, FixedTwoStage, 63),
        (512, FixedOneStage, 0),
    ];
    for ours in settings {
        for theirs in settings {
            let mode =
                |(ru, pacing, window)| test_mode().with_ru_bytes(ru).with_pacing(pacing, window);
            let (mut pair, code) = with_modes(mode(ours), mode(theirs));
            assert_eq!(code, ReturnCode::Ok, "{ours:?} {theirs:?}");
            pair.run();
            for node in &pair.nodes {
                let session = node.sessions().find(|s| s.mode.as_str() == "TEST").unwrap();
                let least = ours.0.min(theirs.0);
                assert_eq!(session.send_ru_bytes, least);
                assert_eq!(session.receive_ru_bytes, least);
            }
            assert_eq!(pair.nodes[1].sessions().filter(|s| s.active).count(), 2);
        }
    }
}

#[test]
fn an_ru_below_the_partners_least_is_refused() {
    let mut least = test_mode().with_ru_bytes(4096);
    least.min_ru_bytes = 2048;
    let (pair, code) = with_modes(test_mode().with_ru_bytes(1024), least);
    assert_eq!(code, ReturnCode::AllocateFailureNoRetry);
    let refused = SessionOutage::Refused(Sense::bind(10));
    let reported = pair.events[0]
        .iter()
        .any(|e| matches!(e, NodeEvent::SessionDown { cause, .. } if *cause == refused));
    assert!(reported, "{:?}", pair.events[0]);
}

#[test]
fn a_mode_that_the_partner_does_not_have_is_named_in_the_exchange_of_limits() {
    let mut pair = Pair::with(265, |side, config| {
        if side == 0 {
            config.modes.define(test_mode());
        }
    });
    let wish = pair.allocate_parameters(0, "TEST");
    let now = pair.now;
    let id = pair.nodes[0].allocate(wish, now);
    let code = pair.until("allocate", |p| p.nodes[0].allocated(id));
    assert_eq!(code, ReturnCode::AllocateFailureNoRetry);
    let outcome = pair.events[0].iter().find_map(|e| match e {
        NodeEvent::Limits { outcome, .. } => Some(*outcome),
        _ => None,
    });
    assert_eq!(outcome, Some(CnosOutcome::ModeNotRecognized));
}

#[test]
fn a_partner_without_parallel_sessions_gets_one() {
    let mut pair = Pair::new(265);
    let single = PartnerLu {
        parallel: false,
        ..PartnerLu::new(lu(0))
    };
    pair.nodes[1].define_partner(single);
    let wish = pair.allocate_parameters(0, "#INTER");
    let now = pair.now;
    let id = pair.nodes[0].allocate(wish, now);
    let outcome = pair.until("allocate", |p| p.nodes[0].allocated(id));
    let last: Vec<String> = pair.trace.iter().map(show).collect();
    let fits = [ReturnCode::Ok, ReturnCode::AllocateFailureNoRetry];
    assert!(fits.contains(&outcome), "{outcome:?} {last:#?}");
}

/// An Attach that the partner rejects, and the result on both sides.
#[test]
fn an_attach_that_does_not_suit_its_program_has_its_sense() {
    type Define = fn(&mut TpDefinition);
    type AllocateChange = fn(&mut AllocateParameters);
    let fine: AllocateChange = |_| {};
    let user: AllocateChange = |w| {
        w.security = AllocateSecurity::Program {
            user: "ANN".into(),
            password: PasswordBytes::new("WRONG"),
        }
    };
    let cases: [(&str, Define, AllocateChange, u32, ReturnCode); 10] = [
        (
            "no such program",
            |_| {},
            |w| w.tp = "NOSUCH".parse().unwrap(),
            0x1008_6021,
            ReturnCode::TpnNotRecognized,
        ),
        (
            "parameters that the program does not take",
            |_| {},
            |w| w.pip = vec![b"X".to_vec()],
            0x1008_6031,
            ReturnCode::PipNotSpecifiedCorrectly,
        ),
        (
            "basic only",
            |tp| tp.types = vec![ConversationType::Basic],
            fine,
            0x1008_6034,
            ReturnCode::ConversationTypeMismatch,
        ),
        (
            "mapped only",
            |tp| tp.types = vec![ConversationType::Mapped],
            |w| w.kind = ConversationType::Basic,
            0x1008_6034,
            ReturnCode::ConversationTypeMismatch,
        ),
        (
            "sync level none only",
            |tp| tp.sync_levels = vec![SyncLevel::None],
            fine,
            0x1008_6041,
            ReturnCode::SyncLevelNotSupportedPgm,
        ),
        (
            "sync level confirm only",
            |tp| tp.sync_levels = vec![SyncLevel::Confirm],
            |w| w.sync = SyncLevel::None,
            0x1008_6041,
            ReturnCode::SyncLevelNotSupportedPgm,
        ),
        (
            "no user",
            |tp| tp.security = TpSecurity::User,
            fine,
            0x080F_6051,
            ReturnCode::SecurityNotValid,
        ),
        (
            "wrong password",
            |_| {},
            user,
            0x080F_6051,
            ReturnCode::SecurityNotValid,
        ),
        (
            "later",
            |tp| tp.available = ProgramAvailability::Later,
            fine,
            0x084B_6031,
            ReturnCode::TpNotAvailableRetry,
        ),
        (
            "never",
            |tp| tp.available = ProgramAvailability::Never,
            fine,
            0x084C_0000,
            ReturnCode::TpNotAvailableNoRetry,
        ),
    ];
    for (what, define, ask, sense, code) in cases {
        let mut pair = Pair::new(1033);
        let mut tp = TpDefinition::new("SERVER".parse().unwrap());
        define(&mut tp);
        pair.nodes[1].define_tp(tp);
        pair.nodes[1].define_user(LocalUser {
            name: "ANN".into(),
            password: PasswordBytes::new("RIGHT"),
        });
        let mut wish = pair.allocate_parameters(0, "#INTER");
        ask(&mut wish);
        let id = pair.allocate(0, wish);
        pair.until("turn", |p| {
            p.nodes[0].prepare_to_receive(id, PrepareToReceiveType::Flush)
        });
        let mut buffer = [0; 10];
        let got = pair.until("receive", |p| {
            p.nodes[0].receive(id, &mut buffer, sna::Fill::Ll)
        });
        assert_eq!(got.code, code, "{what}");
        let found: Vec<u32> = pair.events[1]
            .iter()
            .filter_map(|e| match e {
                NodeEvent::PeerFault { sense, .. } => Some(sense.0),
                _ => None,
            })
            .collect();
        assert_eq!(found, [sense], "{what}");
        // The session remains usable.
        pair.run();
        pair.nodes[1].define_tp(TpDefinition::new("SERVER".parse().unwrap()));
        let sessions = pair.nodes[0].sessions().count();
        let wish = pair.allocate_parameters(0, "#INTER");
        let again = pair.allocate(0, wish);
        assert_eq!(pair.nodes[0].flush(again), ReturnCode::Ok);
        pair.accept(1);
        assert_eq!(pair.nodes[0].sessions().count(), sessions, "{what}");
    }
}

#[test]
fn a_link_that_takes_less_than_the_partner_thinks_ends_at_the_length() {
    // Side 1 has units of 265, side 0 sends RUs of 4,096 whole.
    let mut pair = Pair::with(4105, |side, config| {
        let ru = [4096, 256][side];
        config.modes.define(test_mode().with_ru_bytes(ru));
    });
    let wish = pair.allocate_parameters(0, "TEST");
    let id = pair.allocate(0, wish);
    // The RUs that were agreed on are the lesser.
    pair.until("send", |p| p.nodes[0].send(id, &[7; 2000]));
    assert_eq!(pair.nodes[0].flush(id), ReturnCode::Ok);
    pair.drain();
    let mut piu = pair.wire[1]
        .iter()
        .rev()
        .find(|(_, p)| p.len() > 200)
        .map(|(_, p)| p.clone())
        .unwrap();
    pair.wire[1].clear();
    piu.resize(9 + 300, 0);
    let (link, now) = (pair.links[1].unwrap(), pair.now);
    pair.nodes[1].handle_piu(link, Bytes::from(piu), now);
    pair.drain();
    let named = pair.events[1].iter().any(|e| match e {
        NodeEvent::PeerFault { sense, .. } => *sense == Sense::RU_LENGTH,
        _ => false,
    });
    assert!(named, "{:?}", pair.events[1]);
}

#[test]
fn session_limits_that_are_used_up_make_an_allocate_wait_or_fail() {
    let (mut pair, code) = with_modes(
        test_mode().with_sessions(1, 1),
        test_mode().with_sessions(8, 4),
    );
    assert_eq!(code, ReturnCode::Ok);
    let mut wish = pair.allocate_parameters(0, "TEST");
    wish.return_control = sna::ReturnControl::Immediate;
    let now = pair.now;
    let second = pair.nodes[0].allocate(wish, now);
    let code = pair.nodes[0].allocated(second);
    assert_eq!(code, Poll::Ready(ReturnCode::Unsuccessful));
}

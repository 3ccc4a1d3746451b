//! The stack's output, read by tshark: every named field has the intended
//! value, and nothing is malformed.

use crate::harness::Pair;
use sna::wire::piu::Packet;
use sna::wire::rh::{Rh, RuCategory};
use sna::wire::th::Segment;
use sna::wire::{fmh5, ipm};
use sna::{
    AllocateSecurity, DeallocateType, Fill, LocalUser, Mode, PacingMode, PasswordBytes,
    PrepareToReceiveType, ReturnCode,
};
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// A PIU's expected value in a field.
type Meaning = fn(&Packet<'_>) -> Option<u32>;

/// Fields of tshark, and what a PIU should show in them; nothing where the
/// PIU has no such field.
const FIELDS: &[(&str, Meaning)] = &[
    ("sna.th.fid", |_| Some(2)),
    ("sna.th.mpf", |p| {
        Some(match p.th.segment {
            Segment::Whole => 3,
            Segment::First => 2,
            Segment::Middle => 0,
            Segment::Last => 1,
        })
    }),
    ("sna.th.odai", |p| Some(p.th.address.odai.into())),
    ("sna.th.efi", |p| Some(p.th.expedited.into())),
    ("sna.th.daf", |p| Some(p.th.address.daf.into())),
    ("sna.th.oaf", |p| Some(p.th.address.oaf.into())),
    ("sna.th.snf", |p| Some(p.th.sequence.into())),
    ("sna.rh.rri", |p| any(p, Rh::is_response)),
    ("sna.rh.ru_category", |p| {
        p.rh.map(|h| match h.category() {
            RuCategory::Fmd => 0,
            RuCategory::Nc => 1,
            RuCategory::Dfc => 2,
            RuCategory::Sc => 3,
        })
    }),
    ("sna.rh.fi", |p| any(p, Rh::format)),
    ("sna.rh.sdi", |p| any(p, Rh::sense_included)),
    ("sna.rh.bci", |p| any(p, Rh::begin_chain)),
    ("sna.rh.eci", |p| any(p, Rh::end_chain)),
    ("sna.rh.dr1", |p| p.rh.map(|h| u32::from(h.0[1] >> 7))),
    ("sna.rh.dr2", |p| p.rh.map(|h| u32::from(h.0[1] >> 5 & 1))),
    ("sna.rh.qri", |p| any(p, Rh::queued_response)),
    ("sna.rh.pi", |p| any(p, Rh::pacing)),
    ("sna.rh.eri", |p| request(p, Rh::exception)),
    ("sna.rh.rlwi", |p| request(p, Rh::larger_window)),
    ("sna.rh.bbi", |p| request(p, Rh::begin_bracket)),
    ("sna.rh.cdi", |p| request(p, Rh::change_direction)),
    ("sna.rh.cebi", |p| request(p, Rh::conditional_end)),
    ("sna.rh.rti", |p| {
        p.rh.filter(|h| h.is_response())
            .map(|h| h.exception().into())
    }),
];

fn any(p: &Packet<'_>, of: impl Fn(Rh) -> bool) -> Option<u32> {
    p.rh.map(|h| of(h).into())
}

fn request(p: &Packet<'_>, of: impl Fn(Rh) -> bool) -> Option<u32> {
    p.rh.filter(|h| !h.is_response()).map(|h| of(h).into())
}

/// Whether a PIU is of a kind.
type Kind = fn(&Packet<'_>) -> bool;

/// Every kind of PIU that the stack sends; each must be in the trace.
const KINDS: &[(&str, Kind)] = &[
    ("BIND", |p| is_request(p, RuCategory::Sc, 0x31)),
    ("response to BIND", |p| answers(p, false, 0x31)),
    ("UNBIND", |p| is_request(p, RuCategory::Sc, 0x32)),
    ("response to UNBIND", |p| answers(p, false, 0x32)),
    ("LUSTAT", |p| is_request(p, RuCategory::Dfc, 0x04)),
    ("response to LUSTAT", |p| answers(p, false, 0x04)),
    ("refused bid", |p| {
        answers(p, true, 0x08) && p.ru == [0x08, 0x14, 0, 0, 0x04]
    }),
    ("RTR", |p| is_request(p, RuCategory::Dfc, 0x05)),
    ("BIS", |p| is_request(p, RuCategory::Dfc, 0x70)),
    ("SIGNAL", |p| {
        is_request(p, RuCategory::Dfc, 0xC9) && p.th.expedited
    }),
    ("response to SIGNAL", |p| answers(p, false, 0xC9)),
    ("Attach", |p| attach(p).is_some()),
    ("Attach with user and password", |p| {
        attach(p).is_some_and(|a| a.access.password.is_some())
    }),
    ("FMH-7 with log data", |p| {
        p.rh.is_some_and(|h| h.format() && h.category() == RuCategory::Fmd)
            && p.ru.starts_with(&[7, 7, 0x08, 0x64, 0, 0, 0x80])
    }),
    ("FMH-7 that refuses an Attach", |p| {
        p.ru.starts_with(&[7, 7, 0x10, 0x08, 0x60, 0x21])
    }),
    ("negative response 0846", |p| {
        answers(p, true, 0x08) && p.ru == [0x08, 0x46, 0, 0]
    }),
    ("CNOS request", |p| cnos(p) == Some(0x02)),
    ("CNOS reply", |p| cnos(p) == Some(0x0A)),
    ("first segment", |p| p.th.segment == Segment::First),
    ("middle segment", |p| p.th.segment == Segment::Middle),
    ("last segment", |p| p.th.segment == Segment::Last),
    ("isolated pacing response", |p| window(p) && !p.th.expedited),
    ("solicited pacing message", |p| {
        message(p) == Some(ipm::PacingMessageKind::Solicited)
    }),
    ("unsolicited pacing message", |p| {
        message(p) == Some(ipm::PacingMessageKind::Unsolicited { reset: true })
    }),
    ("reset acknowledgement", |p| {
        message(p) == Some(ipm::PacingMessageKind::ResetAck)
    }),
    ("confirmation asked for", |p| {
        p.rh.is_some_and(|h| !h.is_response() && h.0[1] & 0xB0 == 0x20)
    }),
    ("confirmation", |p| {
        p.rh.is_some_and(|h| h.is_response() && h.0[1] & 0xB0 == 0x20)
    }),
    ("change of direction", |p| {
        p.rh.is_some_and(|h| !h.is_response() && h.change_direction())
    }),
    ("conditional end of bracket", |p| {
        p.rh.is_some_and(|h| !h.is_response() && h.conditional_end())
    }),
    ("larger window asked for", |p| {
        p.rh.is_some_and(|h| !h.is_response() && h.larger_window())
    }),
];

fn is_request(p: &Packet<'_>, category: RuCategory, code: u8) -> bool {
    let fits = |h: Rh| !h.is_response() && h.category() == category;
    p.rh.is_some_and(fits) && p.ru.first() == Some(&code)
}

fn answers(p: &Packet<'_>, negative: bool, first: u8) -> bool {
    let fits = |h: Rh| h.is_response() && h.exception() == negative && !h.pacing();
    p.rh.is_some_and(fits) && p.ru.first() == Some(&first)
}

fn window(p: &Packet<'_>) -> bool {
    p.rh.is_some_and(Rh::is_isolated_pacing)
}

fn message(p: &Packet<'_>) -> Option<ipm::PacingMessageKind> {
    let found = window(p) && p.th.expedited;
    found.then(|| ipm::Repr::parse(p.ru).unwrap().kind)
}

fn attach(p: &Packet<'_>) -> Option<fmh5::Repr> {
    let header = p.rh.filter(|h| !h.is_response() && h.format())?;
    let found = header.category() == RuCategory::Fmd && p.ru.get(1) == Some(&fmh5::TYPE);
    found.then(|| fmh5::Repr::parse(p.ru).unwrap().0)
}

/// The service flag of an exchange of limits.
fn cnos(p: &Packet<'_>) -> Option<u8> {
    let at = p.ru.windows(2).position(|w| w == [0x12, 0x10])?;
    p.ru.get(at + 2).copied()
}

/// Everything that the stack sends.
fn trace() -> Vec<Vec<u8>> {
    let mut all = dialogue();
    all.extend(contention());
    all.extend(windows(PacingMode::FixedOneStage));
    all.extend(windows(PacingMode::Adaptive));
    all
}

/// The loser of contention asks for a session that the winner uses: it is
/// refused, offered the bracket later, and begins. The Attach has a password.
fn contention() -> Vec<Vec<u8>> {
    let mut pair = Pair::with(265, |side, config| {
        let mode = Mode::new("ONE".parse().unwrap());
        config.modes.define(mode.with_sessions(1, [1, 0][side]));
    });
    pair.nodes[0].define_user(LocalUser {
        name: "ANN".into(),
        password: PasswordBytes::new("RIGHT"),
    });
    let wish = pair.allocate_parameters(0, "ONE");
    let first = pair.allocate(0, wish.clone());
    pair.until("end", |p| {
        p.nodes[0].deallocate(first, DeallocateType::Flush)
    });
    pair.accept(1);
    pair.run();
    // Both begin at once on the one session that is idle.
    let now = pair.now;
    let a = pair.nodes[0].allocate(wish, now);
    assert_eq!(pair.nodes[0].flush(a), ReturnCode::Ok);
    let mut wish = pair.allocate_parameters(1, "ONE");
    wish.security = AllocateSecurity::Program {
        user: "ANN".into(),
        password: PasswordBytes::new("RIGHT"),
    };
    let b = pair.nodes[1].allocate(wish.clone(), now);
    pair.run();
    assert!(pair.nodes[1].allocated(b).is_pending());
    pair.accept(1);
    pair.until("end", |p| p.nodes[0].deallocate(a, DeallocateType::Flush));
    let code = pair.until("allocate", |p| p.nodes[1].allocated(b));
    assert_eq!(code, ReturnCode::Ok);
    pair.until("end", |p| p.nodes[1].deallocate(b, DeallocateType::Flush));
    pair.accept(0);
    // Now the session is free, and the bid is taken.
    let c = pair.allocate(1, wish);
    pair.until("end", |p| p.nodes[1].deallocate(c, DeallocateType::Flush));
    pair.run();
    pair.trace.into_iter().map(|(_, piu)| piu).collect()
}

/// Many RUs in small windows; an adaptive one is shrunk on the way.
fn windows(pacing: PacingMode) -> Vec<Vec<u8>> {
    let mut pair = Pair::with(1033, |_, config| {
        let mode = Mode::new("PACED".parse().unwrap());
        config
            .modes
            .define(mode.with_ru_bytes(256).with_pacing(pacing, 2));
    });
    let wish = pair.allocate_parameters(0, "PACED");
    let a = pair.allocate(0, wish);
    pair.until("send", |p| p.nodes[0].send(a, &[9; 5000]));
    pair.run();
    if pacing == PacingMode::Adaptive {
        let session = pair.nodes[1]
            .sessions()
            .find(|s| s.mode.as_str() == "PACED")
            .unwrap();
        assert!(pair.nodes[1].shrink_window(session.session, 1));
    }
    pair.until("end", |p| p.nodes[0].deallocate(a, DeallocateType::Flush));
    let b = pair.accept(1).conversation;
    let mut buffer = vec![0; 6000];
    let got = pair.until("receive", |p| p.nodes[1].receive(b, &mut buffer, Fill::Ll));
    assert_eq!(got.len, 5000);
    pair.run();
    pair.trace.into_iter().map(|(_, piu)| piu).collect()
}

/// A dialogue that uses most features: session limits, segments,
/// confirmation, errors, a refused program, the end of sessions.
fn dialogue() -> Vec<Vec<u8>> {
    let mut pair = Pair::new(265);
    let wish = pair.allocate_parameters(0, "#INTER");
    let a = pair.allocate(0, wish.clone());
    pair.until("send", |p| p.nodes[0].send(a, &[3; 3000]));
    assert!(pair.nodes[0].confirm(a).is_pending());
    let b = pair.accept(1).conversation;
    let mut buffer = vec![0; 4000];
    pair.until("receive", |p| p.nodes[1].receive(b, &mut buffer, Fill::Ll));
    pair.nodes[1].request_to_send(b);
    pair.nodes[1].confirmed(b);
    pair.until("confirm", |p| p.nodes[0].confirm(a));
    pair.until("turn", |p| {
        p.nodes[0].prepare_to_receive(a, PrepareToReceiveType::Flush)
    });
    pair.until("receive", |p| p.nodes[1].receive(b, &mut buffer, Fill::Ll));
    pair.nodes[1].set_log_data(b, b"no more");
    let code = pair.until("abend", |p| p.nodes[1].deallocate(b, DeallocateType::Abend));
    assert_eq!(code, ReturnCode::Ok);
    let got = pair.until("receive", |p| p.nodes[0].receive(a, &mut buffer, Fill::Ll));
    assert_eq!(got.code, ReturnCode::DeallocatedAbend);
    let d = pair.allocate(0, wish.clone());
    pair.until("send", |p| p.nodes[0].send(d, &[4; 3000]));
    assert_eq!(pair.nodes[0].flush(d), ReturnCode::Ok);
    let e = pair.accept(1).conversation;
    pair.until("error", |p| {
        p.nodes[1].send_error(e, sna::ErrorDirection::Receive)
    });
    pair.until("end", |p| p.nodes[1].deallocate(e, DeallocateType::Flush));
    for expected in [
        ReturnCode::ProgramErrorPurging,
        ReturnCode::DeallocatedNormal,
    ] {
        let got = pair.until("receive", |p| p.nodes[0].receive(d, &mut buffer, Fill::Ll));
        assert_eq!(got.code, expected);
    }
    let mut unknown = wish;
    unknown.tp = "NOSUCH".parse().unwrap();
    let c = pair.allocate(0, unknown);
    pair.until("send", |p| p.nodes[0].send(c, b"anyone?"));
    let code = pair.until("confirm", |p| p.nodes[0].confirm(c)).code;
    assert_eq!(code, ReturnCode::TpnNotRecognized);
    let info = pair.nodes[0]
        .sessions()
        .find(|s| s.mode.as_str() == "#INTER");
    let info = info.unwrap();
    let now = pair.now;
    let asked = pair.nodes[0].reset_limits(&info.local, &info.partner, &info.mode, now);
    assert!(asked);
    pair.run();
    let left = pair.nodes[0]
        .sessions()
        .filter(|s| s.mode == info.mode)
        .count();
    assert_eq!(left, 0, "sessions end when their limit is zero");
    pair.trace.into_iter().map(|(_, piu)| piu).collect()
}

fn write_pcap(path: &Path, pius: &[Vec<u8>]) {
    const EXPORTED_PDU: u32 = 252;
    let mut out = Vec::new();
    for word in [0xA1B2_C3D4, 0x0004_0002, 0, 0, 262_144, EXPORTED_PDU] {
        out.extend_from_slice(&u32::to_le_bytes(word));
    }
    for (i, piu) in pius.iter().enumerate() {
        // Tag 12, the dissector's name, and the end of tags.
        let mut frame = vec![0, 12, 0, 4];
        frame.extend_from_slice(b"sna\0\0\0\0\0");
        frame.extend_from_slice(piu);
        let len = frame.len() as u32;
        for word in [1000 + i as u32 / 1000, i as u32 % 1000 * 1000, len, len] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.extend_from_slice(&frame);
    }
    std::fs::File::create(path)
        .unwrap()
        .write_all(&out)
        .unwrap();
}

fn tshark(path: &Path, args: &[&str]) -> String {
    let run = Command::new("tshark")
        .arg("-r")
        .arg(path)
        .args(args)
        .output()
        .expect("tshark is needed: scripts/setup test installs it");
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{errors}");
    String::from_utf8_lossy(&run.stdout).into_owned()
}

fn number(text: &str) -> Option<u32> {
    match text {
        "" => None,
        "True" => Some(1),
        "False" => Some(0),
        _ => match text.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => text.parse().ok(),
        },
    }
}

#[test]
fn tshark_reads_what_was_meant() {
    let pius = trace();
    for (name, kind) in KINDS {
        let found = pius
            .iter()
            .any(|bytes| kind(&Packet::parse(bytes).unwrap()));
        assert!(found, "no {name} in the trace");
    }
    let dir = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = dir.join(format!("sna-{}.pcap", std::process::id()));
    write_pcap(&path, &pius);
    let mut args = vec!["-o", "sna.defragment:FALSE", "-T", "fields"];
    FIELDS
        .iter()
        .for_each(|(name, _)| args.extend(["-e", name]));
    let rows = tshark(&path, &args);
    let rows: Vec<&str> = rows.lines().collect();
    assert_eq!(rows.len(), pius.len());
    let mut checked = 0;
    for (row, bytes) in rows.iter().zip(&pius) {
        let piu = Packet::parse(bytes).unwrap();
        for (cell, (name, meant)) in row.split('\t').zip(FIELDS) {
            let meant = meant(&piu);
            assert_eq!(number(cell), meant, "{name} of {bytes:02X?}");
            checked += usize::from(meant.is_some());
        }
    }
    let filter = "_ws.malformed || _ws.expert.severity >= 6291456";
    let malformed = tshark(&path, &["-Y", filter]);
    assert_eq!(malformed.trim(), "");
    assert!(
        checked > 15 * pius.len(),
        "{checked} of {} PIUs",
        pius.len()
    );
    let _ = std::fs::remove_file(&path);
}

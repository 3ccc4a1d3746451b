//! What the stack sends, read by tshark: every named field is what we meant,
//! and nothing is malformed.

use crate::harness::Pair;
use sna::wire::piu::Packet;
use sna::wire::rh::{Category, Rh};
use sna::wire::th::Segment;
use sna::{DeallocateType, Fill, PrepareToReceiveType, ReturnCode};
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// What a PIU should show in a field.
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
            Category::Fmd => 0,
            Category::Nc => 1,
            Category::Dfc => 2,
            Category::Sc => 3,
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

/// A dialogue that uses most of what there is: session limits, segments,
/// confirmation, an error, a refused program, the end of sessions.
fn trace() -> Vec<Vec<u8>> {
    let mut pair = Pair::new(265);
    let wish = pair.wish(0, "#INTER");
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
    println!("{} PIUs, {checked} fields as meant", pius.len());
    let _ = std::fs::remove_file(&path);
}

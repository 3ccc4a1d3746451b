//! Published line traces parse to their exact lengths, and the bytes that are emitted from
//! their meaning are the same.
//!
//! The traces are those of Microsoft Knowledge Base articles; each test names
//! its article.

use bytes::Bytes;
use sna::ebcdic;
use sna::session::segment::{Biu, Reassembler};
use sna::wire::bind::{Repr as Bind, SyncLevels};
use sna::wire::cnos::{CnosService, Repr as Cnos};
use sna::wire::piu::Packet;
use sna::wire::rh::{RequestedResponse, RuCategory};
use sna::wire::{Sense, dfc, fmh5, fmh7, gds, ipm, ru_size, unbind, user_data, vectors};

fn hex(text: &str) -> Vec<u8> {
    base::hex::bytes(&text.split_whitespace().collect::<String>()).unwrap()
}

fn name(bytes: &[u8]) -> String {
    ebcdic::to_string(bytes)
}

/// Q194324, a BIND with control vectors: fully qualified PCID and compression.
const EXTENDED: &str = "001307B0 B050B300 008B8B80 00060200 00000000 00001643 00000FE2
    C7D7C8D3 F14BD3F1 F1F6F0F5 F0F03100 0902D7C1 F6F2E3D2 D5E40903 00000000
    00000016 1004E2C7 D7C8D3F1 4BD3F1F1 F6F0F5F0 F00A1300 A0634006 2B37394B
    000FE2C7 D7C8D3F1 4BE6D5E6 C3C9F5F1 C4601707 CE08030D 112D370E E2C7D7C8
    D3F14BD5 C5E3C3D6 D4F16605 0581C022 22";
/// Its response.
const EXTENDED_RESPONSE: &str = "001307B0 B050B300 00868680 00060200 00000000 00000043 00000026
    000902D7 C1F6F2E3 D2D5E409 03000000 00000000 161005E2 C7D7C8D3 F14BE6D5
    E6C3C9F5 F1C40000 601707CE 08030D11 2D370EE2 C7D7C8D3 F14BD5C5 E3C3D6D4
    F1660404 828022";
/// Q194324, a BIND without a PCID, and its response.
const PLAIN: &str = "001307B0 B050B307 07878787 07060200 00000000 00001643 00000DD6
    C8E2E34B E3F0F3F9 F7C9F0F1 2F000902 C1D7D7C3 D4D6C4F3 0903F000 00000000
    00030E04 D6C8E2E3 4BE3F0F3 F9F7C9F0 F10A1300 35678221 293A7E2F 000DD6C8
    E2E34BC4 C5E5D7C3 C9C3E266 050581C0 2222";
const PLAIN_RESPONSE: &str = "001307B0 B050B107 07878787 07060200 00000000 00000043 00000024
    000902C1 D7D7C3D4 D6C4F309 03F00000 00000000 030E05D6 C8E2E34B C4C5E5D7
    C3C9C3E2 0000";
/// Q157328, a dependent logical unit's BIND without a mode name.
const DEPENDENT: &str = "001307B0 B050B100 00858500 00060200 00000000 0000002C 000006D2
    F7C3C9C3 E21E0001 02090300 7E5BD122 2F770010 04E4C3C3 C3E5E3C1 D44BD2F7
    C3C9C3E2 0008E4F9 F4F0F4F5 F0F2";

fn bind(text: &str) -> (Vec<u8>, Bind) {
    let mut bytes = vec![0x31];
    bytes.extend(hex(text));
    let repr = Bind::parse(&bytes).unwrap();
    (bytes, repr)
}

#[test]
fn five_published_binds_come_out_as_they_went_in() {
    let cases = [
        (EXTENDED, 142),
        (EXTENDED_RESPONSE, 100),
        (PLAIN, 111),
        (PLAIN_RESPONSE, 67),
        (DEPENDENT, 75),
    ];
    for (text, len) in cases {
        let (bytes, repr) = bind(text);
        assert_eq!(
            bytes.len(),
            len,
            "the trace's element less its request header"
        );
        assert_eq!(repr.emit(), bytes);
    }
}

#[test]
fn a_published_bind_reads_as_in_the_article() {
    let (_, request) = bind(EXTENDED);
    assert_eq!(name(&request.plu), "SGPHL1.L1160500");
    assert_eq!(name(request.user.mode.as_ref().unwrap()), "PA62TKNU");
    assert_eq!(ru_size::parse(request.primary_ru), Some(16384));
    assert_eq!(request.sync, SyncLevels::SyncPoint);
    assert!(request.parallel && request.cnos && request.primary_wins);
    let keys: Vec<u8> = request.vectors.iter().map(|v| v.key).collect();
    assert_eq!(keys, [vectors::PCID, vectors::COMPRESSION]);
    let (_, response) = bind(EXTENDED_RESPONSE);
    assert_eq!(ru_size::parse(response.primary_ru), Some(512));
    assert_eq!(response.user.instance, request.user.instance);
    assert!(response.plu.is_empty() && response.slu.is_empty());
    let (_, plain) = bind(PLAIN);
    let pacing = plain.pacing;
    assert!(!pacing.adaptive && !pacing.two_stage_to_secondary);
    assert_eq!((pacing.primary_send, pacing.secondary_receive), (7, 7));
}

#[test]
fn offsets_are_those_of_the_published_refusal() {
    // The article's sense 08350026 points at the session instance; the mode
    // subfield before it is there and empty.
    let (_, request) = bind(DEPENDENT);
    assert_eq!(request.user.mode.as_deref(), Some(&[][..]));
    let instance = request.user.offset_of(user_data::INSTANCE).unwrap();
    assert_eq!(
        Sense::bind(request.user_offset + instance),
        Sense(0x0835_0026)
    );
    let mode = sna::node::negotiate::mode_offset(&request);
    assert_eq!(Sense::bind(mode), Sense(0x0835_0024));
}

#[test]
fn the_published_exchange_of_limits_is_rebuilt() {
    // Q308927: Attach, request, and the reply that refuses the mode.
    let attach = hex("0D0502FF 0003D000 000206F1 00");
    let (repr, len) = fmh5::Repr::parse(&attach).unwrap();
    assert_eq!((len, repr.tpn.as_slice()), (13, &[0x06, 0xF1][..]));
    assert_eq!(repr.emit(), attach);
    let request = hex("00191210 02020000 00003400 32000200 08D4F6F2 D7F0F0F2 40");
    let repr = Cnos::parse(&request).unwrap();
    assert_eq!(repr.service, CnosService::Request);
    assert_eq!(
        (repr.limit, repr.min_winners_source, repr.min_winners_target),
        (52, 50, 2)
    );
    assert_eq!(name(&repr.mode), "M62P002");
    assert_eq!(repr.emit(), request);
    let reply = hex("00191210 08020000 00003400 32000200 08D4F6F2 D7F0F0F2 40");
    assert_eq!(Cnos::parse(&reply).unwrap().service, CnosService::Refused);
}

#[test]
fn published_attaches_parse_to_their_lengths() {
    // Q263206: user, password, logical unit of work.
    let database = hex(
        "41 0502FF00 03D00000 07E2D8D3 D7D9D6C4 130802C4 C2F2D3D4 E2C40901
        C4C2F2D9 E4D3C5E2 1A11E4E2 D4C4D5D9 F0F14BC4 D5D9C4C2 F2F0F107 D045C173 E5000100",
    );
    let (repr, len) = fmh5::Repr::parse(&database).unwrap();
    assert_eq!(len, database.len());
    assert_eq!(name(&repr.tpn), "SQLPROD");
    assert_eq!(repr.access.user.as_deref(), Some("DB2LMSD"));
    assert!(repr.access.password.is_some());
    assert!(!format!("{repr:?}").contains("DB2RULES"));
    assert_eq!(repr.luwid.len(), 0x1A);
    // Q169575: password substitute, initialisation parameters.
    let pass_through = hex(
        "430502FF 1803D000 400430F0 F0F50F04 02C1D4C9 09017B30 09E53983
        81E71A11 C2C9D6D5 C5E3C6D9 4BE2D5C1 C4E5F0F2 F124280E 0D1E0500 01000800 00000000
        0002FF",
    );
    let (repr, len) = fmh5::Repr::parse(&pass_through).unwrap();
    assert_eq!(len, pass_through.len());
    assert!(repr.pip && repr.password_substitute && !repr.mapped);
    assert_eq!((repr.sync, repr.access.user.as_deref()), (1, Some("AMI")));
    let mut parameters = hex("009E12F5 009A12E2");
    parameters.resize(0x9E, 0);
    let (fields, len) = gds::parse_pip(&parameters).unwrap();
    assert_eq!((fields.len(), fields[0].len(), len), (1, 0x96, 0x9E));
    assert_eq!(gds::emit_pip(&fields), parameters);
}

#[test]
fn published_pius_come_out_as_they_went_in() {
    let pius = [
        "2D00010222A4 EF9000 08350026 31",
        "2E0002030000 830100",
        "2E007D040003 019020 0019",
        "2E00047D0001 039101 0019",
        "2C0001020005 4B9020 0400060000",
    ];
    for text in pius {
        let bytes = hex(text);
        let mut out = Vec::new();
        Packet::parse(&bytes).unwrap().emit(&mut out);
        assert_eq!(out, bytes);
    }
}

/// PIUs of an independent script, built from the field tables and read by
/// tshark: parsing them here gives the same meaning, and emitting gives the same bytes.
#[test]
fn frames_of_an_independent_script_mean_what_they_should() {
    let text = include_str!("../../testdata/frames.txt");
    let mut joined = [Reassembler::default(), Reassembler::default()];
    let mut found = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (from, digits) = line.split_once(' ').unwrap();
        let from: usize = from.parse().unwrap();
        let bytes = Bytes::from(hex(digits));
        let piu = Packet::parse(&bytes).unwrap();
        let mut out = Vec::new();
        piu.emit(&mut out);
        assert_eq!(out, bytes);
        if let Some(biu) = joined[from].handle(&piu, &bytes, 4096).unwrap() {
            found.push(format!("{from} {}", meaning(&biu)));
        }
    }
    let expected = [
        "0 BIND APPN.ALPHA to APPN.BETA, mode #INTER, RUs of 1024 and 1024, adaptive 7",
        "1 BIND response of APPN.BETA, mode #INTER, RUs of 512 and 512, adaptive 4",
        "0 Attach of APINGD, mapped, sync level 1; begins a bracket; 404 bytes of data",
        "0 704 bytes",
        "0 1004 bytes, passes the turn",
        "1 message of 5",
        "1 pacing response",
        "0 14 bytes, to be confirmed",
        "1 confirmed",
        "1 refused with 08460000",
        "0 Attach of the exchange of limits",
        "0 limits of #BATCH: 8, 4, 4; Request",
        "1 limits of #BATCH: 8, 4, 4; Accepted",
        "1 error 08640000",
        "0 BracketStopped",
        "0 UNBIND 01",
        "1 response to UNBIND",
    ];
    assert_eq!(found, expected);
}

/// Describes a unit as text.
fn meaning(biu: &Biu) -> String {
    let (header, ru) = (biu.header, &biu.ru[..]);
    match (header.category(), header.is_response()) {
        (RuCategory::Sc, response) if ru[0] == 0x31 => {
            let bind = Bind::parse(ru).unwrap();
            assert_eq!(bind.emit(), ru);
            let size = |byte| ru_size::parse(byte).unwrap();
            let user = &bind.user;
            let who = if response {
                format!("BIND response of {}", name(user.slu.as_ref().unwrap()))
            } else {
                format!("BIND {} to {}", name(&bind.plu), name(&bind.slu))
            };
            let sizes = (size(bind.primary_ru), size(bind.secondary_ru));
            let mode = name(user.mode.as_ref().unwrap());
            assert!(bind.pacing.adaptive && bind.parallel && bind.primary_wins);
            format!(
                "{who}, mode {mode}, RUs of {} and {}, adaptive {}",
                sizes.0, sizes.1, bind.pacing.primary_send
            )
        }
        (RuCategory::Sc, true) => "response to UNBIND".into(),
        (RuCategory::Sc, false) => format!("UNBIND {:02X}", unbind::Repr::parse(ru).unwrap().kind),
        (RuCategory::Dfc, _) => format!("{:?}", dfc::Repr::parse(ru).unwrap()),
        (_, true) if header.is_isolated_pacing() && ru.is_empty() => "pacing response".into(),
        (_, true) if header.is_isolated_pacing() => {
            format!("message of {}", ipm::Repr::parse(ru).unwrap().window)
        }
        (_, true) if header.exception() => {
            let sense = Sense::from_bytes(*ru.first_chunk().unwrap());
            format!("refused with {:08X}", sense.0)
        }
        (_, true) => "confirmed".into(),
        (_, false) if header.begin_bracket() => {
            let (attach, len) = fmh5::Repr::parse(ru).unwrap();
            assert_eq!(attach.emit(), &ru[..len]);
            if attach.tpn == [0x06, 0xF1] {
                return "Attach of the exchange of limits".into();
            }
            let (data, rest) = gds::Packet::parse(&ru[len..]).unwrap();
            assert!(data.id == gds::APPLICATION && rest.is_empty());
            let rest = ru.len() - len;
            format!(
                "Attach of {}, mapped, sync level {}; begins a bracket; {rest} bytes of data",
                name(&attach.tpn),
                attach.sync
            )
        }
        (_, false) if header.format() => {
            let (fmh, _) = fmh7::Repr::parse(ru).unwrap();
            format!("error {:08X}", fmh.sense.0)
        }
        (_, false) if ru.get(2..4) == Some(&[0x12, 0x10]) => {
            let limits = Cnos::parse(ru).unwrap();
            assert_eq!(limits.emit(), ru);
            format!(
                "limits of {}: {}, {}, {}; {:?}",
                name(&limits.mode),
                limits.limit,
                limits.min_winners_source,
                limits.min_winners_target,
                limits.service
            )
        }
        (_, false) => {
            let end = match (header.change_direction(), header.answer()) {
                (true, _) => ", passes the turn",
                (_, Some(RequestedResponse::Definite2)) => ", to be confirmed",
                _ => "",
            };
            format!("{} bytes{end}", ru.len())
        }
    }
}

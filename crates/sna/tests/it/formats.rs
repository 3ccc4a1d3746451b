//! Formats that no published trace has as a whole: emitted bytes are parsed again,
//! and errors name their offset.

use sna::wire::gds::{self, LogicalLength};
use sna::wire::security::AccessSecurity;
use sna::wire::{Error, Sense, cnos, dfc, fmh5, fmh7, ps_header, ru_size, user_data};
use sna::{PasswordBytes, ebcdic};

#[test]
fn an_error_description_shows_whether_log_data_follows() {
    for log_data in [false, true] {
        let fmh = fmh7::Repr {
            sense: Sense::DEALLOCATED_ABEND,
            log_data,
        };
        let bytes = fmh.emit();
        assert_eq!(bytes[..6], [7, 7, 0x08, 0x64, 0, 0]);
        assert_eq!(fmh7::Repr::parse(&bytes), Ok((fmh, 7)));
    }
    // A longer one of a later level is skipped to its end.
    let later = [9, 7, 8, 0x64, 0, 0, 0x80, 1, 2, 0xAA];
    assert_eq!(fmh7::Repr::parse(&later).unwrap().1, 9);
    let offset = |bytes: &[u8]| fmh7::Repr::parse(bytes).unwrap_err().offset();
    assert_eq!(offset(&[6, 7, 0, 0, 0, 0]), 0);
    assert_eq!(offset(&[7, 5, 0, 0, 0, 0, 0]), 1);
    assert_eq!(offset(&[7, 7, 0, 0, 0, 0]), 6);
    assert_eq!(offset(&later[..8]), 7);
}

#[test]
fn a_record_that_goes_on_has_its_bit_and_no_identifier_again() {
    let first = LogicalLength {
        continued: true,
        len: 0x7FFF,
    };
    assert_eq!(first.emit(), [0xFF, 0xFF]);
    assert_eq!(LogicalLength::parse([0xFF, 0xFF]), first);
    let mut out = Vec::new();
    gds::Packet {
        id: gds::ERROR_LOG,
        data: b"why",
    }
    .emit(&mut out);
    assert_eq!(out, [0, 7, 0x12, 0xE1, b'w', b'h', b'y']);
    out.push(9);
    let (variable, rest) = gds::Packet::parse(&out).unwrap();
    assert_eq!(
        (variable.id, variable.data, rest),
        (0x12E1, &b"why"[..], &[9][..])
    );
    for wrong in [
        &[0, 3, 0x12, 0xE1][..],
        &[0x80, 5, 0x12, 0xFF, 1],
        &[0, 9, 0x12, 0xFF],
    ] {
        assert!(gds::Packet::parse(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn parameters_are_variables_in_a_variable() {
    let fields = vec![b"ONE".to_vec(), Vec::new(), vec![0xFF; 300]];
    let bytes = gds::emit_pip(&fields);
    assert_eq!(gds::parse_pip(&bytes), Ok((fields, bytes.len())));
    let mut wrong = bytes.clone();
    wrong[6] = 0x13;
    assert_eq!(gds::parse_pip(&wrong).unwrap_err().offset(), 4);
    assert!(gds::parse_pip(&bytes[..20]).is_err());
}

#[test]
fn access_security_has_its_three_fields_in_any_order() {
    let access = AccessSecurity {
        profile: Some("PROD".into()),
        password: Some(PasswordBytes::new("PW")),
        user: Some("ANN".into()),
    };
    let bytes = access.emit();
    assert_eq!(bytes[..5], [4, 2, 0xC1, 0xD5, 0xD5]);
    assert_eq!(AccessSecurity::parse(&bytes), Ok(access.clone()));
    let turned = [&bytes[9..], &bytes[..9]].concat();
    assert_eq!(AccessSecurity::parse(&turned), Ok(access));
    assert!(AccessSecurity::parse(&[]).unwrap().is_empty());
    // A type of a later level is skipped; a length of none is wrong.
    assert!(AccessSecurity::parse(&[2, 9, 0xC1]).unwrap().is_empty());
    assert_eq!(AccessSecurity::parse(&[0]).unwrap_err().offset(), 0);
    assert_eq!(
        AccessSecurity::parse(&[3, 2, 0xC1]).unwrap_err().offset(),
        0
    );
}

#[test]
fn an_attach_with_wrong_lengths_has_the_sense_of_its_part() {
    let mut attach = fmh5::Repr::new(&ebcdic::from_str("SERVER"), true, 1);
    attach.access.user = Some("ANN".into());
    let good = attach.emit();
    assert_eq!(fmh5::Repr::parse(&good), Ok((attach, good.len())));
    type Change = fn(&mut Vec<u8>);
    let cases: [(&str, Change, Sense); 8] = [
        ("nothing", Vec::clear, Sense::FMH_LENGTH),
        ("longer than its RU", |b| b[0] += 1, Sense::FMH_LENGTH),
        ("shorter than its parts", |b| b[0] = 12, Sense::FMH_LENGTH),
        ("another header", |b| b[1] = 6, Sense::FMH_TYPE),
        ("another command", |b| b[3] = 0xFE, Sense::FMH_COMMAND),
        ("a fixed part of two", |b| b[5] = 2, Sense::ATTACH_PARAMETER),
        (
            "no conversation type",
            |b| b[6] = 0xC0,
            Sense::ATTACH_PARAMETER,
        ),
        (
            "security past its length",
            |b| b[17] = 9,
            Sense::FMH_SECURITY_LENGTH,
        ),
    ];
    for (what, change, sense) in cases {
        let mut bytes = good.clone();
        change(&mut bytes);
        assert_eq!(fmh5::Repr::parse(&bytes).unwrap_err(), sense, "{what}");
    }
}

#[test]
fn a_presentation_services_header_is_read_to_be_refused() {
    let header = ps_header::Repr {
        kind: ps_header::SYNC_POINT,
        command: 0x0005,
        modifier: 0x0001,
    };
    let bytes = header.emit();
    assert_eq!(bytes, [6, 0x0A, 0, 5, 0, 1]);
    assert_eq!(ps_header::Repr::parse(&bytes), Ok(header));
    assert!(ps_header::Repr::parse(&bytes[..5]).is_err());
    assert_eq!(
        ps_header::Repr::parse(&[5, 0x0A, 0, 5, 0])
            .unwrap_err()
            .offset(),
        0
    );
}

#[test]
fn an_exchange_of_limits_is_cut_where_it_ends() {
    let request = cnos::Repr {
        service: cnos::CnosService::Request,
        modifier: cnos::ReplyModifier::NORMAL,
        action: 0,
        drain_source: true,
        drain_target: false,
        target_responsible: true,
        limit: 8,
        min_winners_source: 4,
        min_winners_target: 3,
        all_modes: false,
        mode: ebcdic::from_str("#BATCH"),
    };
    let bytes = request.emit();
    assert_eq!((bytes.len(), bytes[7], bytes[8]), (25, 0x10, 0x01));
    assert_eq!(cnos::Repr::parse(&bytes), Ok(request));
    for len in 0..bytes.len() {
        assert!(cnos::Repr::parse(&bytes[..len]).is_err(), "{len}");
    }
}

#[test]
fn requests_of_data_flow_control_have_their_codes() {
    let cases = [
        (
            dfc::Repr::Lustat {
                status: 0x0006_0000,
            },
            vec![4, 0, 6, 0, 0],
        ),
        (dfc::Repr::ReadyToReceive, vec![5]),
        (dfc::Repr::BracketStopped, vec![0x70]),
        (
            dfc::Repr::Signal { code: 0x0001_0001 },
            vec![0xC9, 0, 1, 0, 1],
        ),
    ];
    for (repr, bytes) in cases {
        assert_eq!(repr.emit(), bytes);
        assert_eq!(dfc::Repr::parse(&bytes), Ok(repr));
    }
    assert!(matches!(
        dfc::Repr::parse(&[4, 0]),
        Err(Error::Truncated { .. })
    ));
    assert!(matches!(
        dfc::Repr::parse(&[0x99]),
        Err(Error::Value { .. })
    ));
}

#[test]
fn user_data_keeps_what_it_does_not_know() {
    let bytes = [0, 1, 2, 4, 0x20, 7, 8, 9];
    let data = user_data::UserData::parse(&bytes).unwrap();
    assert_eq!(data.mode.as_deref(), Some(&[][..]));
    assert_eq!(data.other, [(0x20, vec![7, 8, 9])]);
    assert_eq!(data.emit(), bytes);
    assert_eq!(data.offset_of(0x20), Some(3));
    let long = user_data::UserData::parse(&[0, 9, 2, 1]).unwrap_err();
    assert_eq!(long.offset(), 1);
}

#[test]
fn sizes_of_rus_are_the_largest_that_two_digits_express() {
    for (byte, size) in [(0x85, 256), (0xF7, 1920), (0xC7, 1536), (0x8B, 16_384)] {
        assert_eq!(ru_size::parse(byte), Some(size));
        assert_eq!(ru_size::emit(size), byte);
        assert_eq!(ru_size::emit(size + 1), byte);
    }
}

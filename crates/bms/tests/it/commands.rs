//! SEND and RECEIVE commands: bytes out, bytes in.

use bms::{
    Control, CursorOption, EraseOption, InboundRecord, MapContents, MapLayout, ReceiveError,
    ScreenSize, SendError, SendMap, SendText, TerminalProfile, receive_map, send_control, send_map,
    send_text,
};

use crate::support::{AsciiPage, ebcdic, hex, layout, source};

/// A title, a label, two input fields and a message.
const FIELDS: &str = "         DFHMDF POS=(1,1),LENGTH=5,INITIAL='TITLE'
         DFHMDF POS=(3,1),LENGTH=4,INITIAL='NAME'
NAME     DFHMDF POS=(3,9),LENGTH=20,ATTRB=(UNPROT,IC)
         DFHMDF POS=(3,30),LENGTH=0
NUMBER   DFHMDF POS=(4,9),LENGTH=5,ATTRB=(UNPROT,NUM)
         DFHMDF POS=(4,15),LENGTH=0
MSG      DFHMDF POS=(24,1),LENGTH=30,ATTRB=(ASKIP,BRT)";

const SET: &str = "MODE=INOUT,STORAGE=AUTO,CTRL=FREEKB";
/// Offsets of the data of NAME, NUMBER and MSG; each has 3 bytes in front.
const NAME: usize = 3;
const NUMBER: usize = 26;
const MSG: usize = 34;

fn plain() -> MapLayout {
    layout(&source(SET, "", FIELDS))
}

fn coloured() -> MapLayout {
    let fields = FIELDS.replace(
        "LENGTH=30,ATTRB=(ASKIP,BRT)",
        "LENGTH=30,ATTRB=ASKIP,COLOR=RED",
    );
    layout(&source(
        &format!("{SET},DSATTS=(COLOR,HILIGHT)"),
        "",
        &fields,
    ))
}

fn sent(
    map: &MapLayout,
    contents: MapContents,
    erase: EraseOption,
    cursor: CursorOption,
) -> String {
    let command = SendMap {
        contents,
        erase,
        control: Control::default(),
        cursor,
    };
    hex(
        &send_map(map, &command, &TerminalProfile::model_2(), &AsciiPage)
            .unwrap()
            .to_bytes(),
    )
}

/// The area of the plain map with these changes.
fn area(changes: &[(usize, &[u8])]) -> Vec<u8> {
    let mut area = vec![0; plain().symbolic_bytes];
    for (at, bytes) in changes {
        area[*at..at + bytes.len()].copy_from_slice(bytes);
    }
    area
}

#[test]
fn maponly_sends_attributes_and_initial_values() {
    let stream = sent(
        &plain(),
        MapContents::MapOnly,
        EraseOption::Default,
        CursorOption::Map,
    );
    let expected = [
        "F5C2",
        "114040",
        "1DF0",
        "E3C9E3D3C5",
        "11C260",
        "1DF0",
        "D5C1D4C5",
        // The cursor needs no address after the attribute.
        "11C2E8",
        "1D40",
        "13",
        "11C27D",
        "1DF0",
        "11C3F8",
        "1D50",
        "11C37E",
        "1DF0",
        "115CF0",
        "1DF8",
    ];
    assert_eq!(stream, expected.concat());
}

#[test]
fn data_replace_initial_values_unless_they_begin_with_a_null() {
    let fields = "F        DFHMDF POS=(1,1),LENGTH=8,INITIAL='DEFAULT'";
    let map = layout(&source("MODE=INOUT,STORAGE=AUTO", "", fields));
    let mut area = vec![0; map.symbolic_bytes];
    let merged = |area: &[u8]| {
        sent(
            &map,
            MapContents::Merged(area),
            EraseOption::Default,
            CursorOption::Map,
        )
    };
    assert_eq!(merged(&area), "F5401140401DF0C4C5C6C1E4D3E340");
    area[3..6].copy_from_slice(b"ABC");
    area[2] = 0xC1;
    assert_eq!(merged(&area), "F5401140401DC1C1C2C3");
    // An area that ends early has nulls for the rest.
    assert_eq!(merged(&area[..4]), "F5401140401DC1C1");
    assert_eq!(merged(&[]), "F5401140401DF0C4C5C6C1E4D3E340");
}

#[test]
fn dataonly_sends_what_the_program_set() {
    let data = area(&[(NAME, b"SMITH"), (MSG - 1, &[0xC8])]);
    let only = |data: &[u8], cursor| {
        sent(
            &plain(),
            MapContents::DataOnly(data),
            EraseOption::Keep,
            cursor,
        )
    };
    // Data without attribute leave the attribute on the screen.
    assert_eq!(
        only(&data, CursorOption::Map),
        "F1C211C2E9E2D4C9E3C8115CF01DC8"
    );
    assert_eq!(only(&area(&[]), CursorOption::Map), "F1C2");
    let marked = area(&[(NUMBER - 3, &[0xFF, 0xFF]), (MSG - 3, &[0xFF, 0xFF])]);
    assert_eq!(only(&marked, CursorOption::Symbolic), "F1C211C3F913");
    assert_eq!(only(&marked, CursorOption::Position(160)), "F1C211C26013");
}

#[test]
fn the_cursor_is_that_of_the_command_else_of_the_map() {
    let cursor = |cursor, data: &[u8]| {
        let stream = sent(
            &plain(),
            MapContents::Merged(data),
            EraseOption::Default,
            cursor,
        );
        let at = stream.find("13").unwrap();
        stream[..at].to_owned()
    };
    let marked = area(&[(NUMBER - 3, &[0xFF, 0xFF])]);
    assert!(cursor(CursorOption::Map, &marked).ends_with("1D40"));
    assert!(cursor(CursorOption::Symbolic, &marked).ends_with("11C3F81D50"));
    assert!(cursor(CursorOption::Symbolic, &area(&[])).ends_with("1D40"));
    assert!(cursor(CursorOption::Position(-1), &marked).ends_with("1D50"));
    assert!(cursor(CursorOption::Position(5), &marked).ends_with("1140C5"));
}

#[test]
fn extended_attributes_are_sent_as_far_as_the_terminal_has_them() {
    let map = coloured();
    let data = vec![0; map.symbolic_bytes];
    let whole = sent(
        &map,
        MapContents::Merged(&data),
        EraseOption::Default,
        CursorOption::Map,
    );
    assert!(whole.ends_with("115CF02902C0F042F2"), "{whole}");
    // Fields without colour need no extended order.
    assert!(whole.starts_with("F5C21140401DF0"), "{whole}");
    let mut terminal = TerminalProfile::model_2();
    terminal.extended = false;
    let command = SendMap {
        contents: MapContents::MapOnly,
        erase: EraseOption::Default,
        control: Control::default(),
        cursor: CursorOption::Map,
    };
    let stream = hex(&send_map(&map, &command, &terminal, &AsciiPage)
        .unwrap()
        .to_bytes());
    assert!(stream.ends_with("115CF01DF0"), "{stream}");
}

#[test]
fn dataonly_modifies_colours_and_leaves_the_attribute() {
    let map = coloured();
    let message = map.fields.last().unwrap().symbolic.unwrap();
    let mut data = vec![0; map.symbolic_bytes];
    data[message + 3] = 0xF4;
    let only = |data: &[u8]| {
        sent(
            &map,
            MapContents::DataOnly(data),
            EraseOption::Keep,
            CursorOption::Map,
        )
    };
    assert_eq!(only(&data), "F1C2115CF02C0142F4");
    // DFHDFT asks for the default.
    data[message + 3] = 0xFF;
    assert_eq!(only(&data), "F1C2115CF02C014200");
    // A digit of the program's own page, and the blank of INITIALIZE.
    data[message + 3] = b'1';
    assert_eq!(only(&data), "F1C2115CF02C0142F1");
    data[message + 3] = b' ';
    assert_eq!(only(&data), "F1C2");
    // On a cleared screen there is no field to modify.
    let mut terminal = TerminalProfile::model_2();
    terminal.cleared = true;
    data[message + 3] = 0xF4;
    let command = SendMap {
        contents: MapContents::DataOnly(&data),
        erase: EraseOption::Keep,
        control: Control::default(),
        cursor: CursorOption::Map,
    };
    let stream = send_map(&map, &command, &terminal, &AsciiPage).unwrap();
    assert_eq!(hex(&stream.to_bytes()), "F1C2115CF02902C0F042F4");
}

#[test]
fn attributes_of_a_program_may_be_bytes_of_the_terminal_or_characters_of_its_page() {
    for (byte, sent_as) in [
        (0x40, "1D40"),
        (b' ', "1D40"),
        (b'A', "1DC1"),
        (b'0', "1DF0"),
        (0xC8, "1DC8"),
        (b'/', "1D61"),
    ] {
        let data = area(&[(MSG - 1, &[byte])]);
        let stream = sent(
            &plain(),
            MapContents::DataOnly(&data),
            EraseOption::Keep,
            CursorOption::Map,
        );
        assert_eq!(stream, format!("F1C2115CF0{sent_as}"), "{byte:02X}");
    }
}

#[test]
fn control_characters_of_a_program_never_become_orders() {
    let data = area(&[(NAME, b"A\x11\x40\x40\x1D\xF0\x12\x13\x29\x3C\x05B")]);
    let stream = sent(
        &plain(),
        MapContents::DataOnly(&data),
        EraseOption::Keep,
        CursorOption::Map,
    );
    assert!(stream.starts_with("F1C211C2E9C140"), "{stream}");
    let shown = &stream["F1C211C2E9".len()..];
    let bytes = (0..shown.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&shown[i..i + 2], 16).unwrap());
    assert!(
        bytes.into_iter().all(|byte| byte >= 0x40 || byte == 0x3C),
        "{shown}"
    );
}

#[test]
fn runs_of_one_character_take_four_bytes() {
    let data = area(&[(NAME, &[b' '; 20])]);
    let stream = sent(
        &plain(),
        MapContents::DataOnly(&data),
        EraseOption::Keep,
        CursorOption::Map,
    );
    assert_eq!(stream, "F1C211C2E93CC27D40");
}

#[test]
fn fields_that_follow_each_other_need_no_address() {
    let map = layout(&source(
        "MODE=OUT",
        "",
        "         DFHMDF POS=(1,1),LENGTH=2,INITIAL='AB'\n         DFHMDF POS=(1,4),LENGTH=1,INITIAL='C'",
    ));
    let stream = sent(
        &map,
        MapContents::MapOnly,
        EraseOption::Default,
        CursorOption::Map,
    );
    assert_eq!(stream, "F5401140401DF0C1C21DF0C3");
}

#[test]
fn controls_of_a_command_replace_those_of_its_map_and_erase_chooses_the_command() {
    let map = plain();
    let mut terminal = TerminalProfile::model_2();
    terminal.alternate_size = ScreenSize {
        lines: 43,
        columns: 80,
    };
    let start = |erase, control| {
        let command = SendMap {
            contents: MapContents::DataOnly(&[]),
            erase,
            control,
            cursor: CursorOption::Map,
        };
        hex(&send_map(&map, &command, &terminal, &AsciiPage)
            .unwrap()
            .to_bytes())
    };
    let alarm = Control {
        alarm: true,
        ..Control::default()
    };
    let reset = Control {
        reset_modified: true,
        ..Control::default()
    };
    let line_length = Control {
        line_length: true,
        ..Control::default()
    };
    // The map has CTRL=FREEKB.
    assert_eq!(start(EraseOption::Keep, Control::default()), "F1C2");
    assert_eq!(start(EraseOption::Keep, alarm), "F1C4");
    assert_eq!(start(EraseOption::Keep, line_length), "F140");
    assert_eq!(start(EraseOption::Default, reset), "F5C1");
    assert_eq!(start(EraseOption::Alternate, Control::default()), "7EC2");
    assert_eq!(
        start(EraseOption::Unprotected, Control::default()),
        "F1C2114040124040"
    );
}

#[test]
fn maps_larger_than_the_screen_are_refused() {
    let wide = layout(&source(
        "MODE=INOUT",
        ",COLUMN=2",
        "F        DFHMDF POS=(1,1),LENGTH=1",
    ));
    let low = layout(&source(
        "MODE=INOUT",
        ",LINE=2",
        "F        DFHMDF POS=(24,1),LENGTH=1",
    ));
    for map in [wide, low] {
        let command = SendMap {
            contents: MapContents::MapOnly,
            erase: EraseOption::Keep,
            control: Control::default(),
            cursor: CursorOption::Map,
        };
        let result = send_map(&map, &command, &TerminalProfile::model_2(), &AsciiPage);
        assert_eq!(result.unwrap_err(), SendError::MapSize);
    }
}

#[test]
fn a_small_map_is_painted_where_line_and_column_say() {
    let source = bms::parse(
        "S        DFHMSD TYPE=MAP,MODE=INOUT,LANG=COBOL\nM        DFHMDI SIZE=(1,10),LINE=22,COLUMN=11\n\
         F        DFHMDF POS=(1,2),LENGTH=3,INITIAL='END'\n         DFHMSD TYPE=FINAL\n",
    );
    let map = layout(&source);
    let address = map.attribute_address(&map.fields[0], ScreenSize::MODEL_2);
    assert_eq!(address, 21 * 80 + 11);
    assert_eq!(
        map.attribute_address(
            &map.fields[0],
            ScreenSize {
                lines: 27,
                columns: 132
            }
        ),
        21 * 132 + 11
    );
}

#[test]
fn large_screens_have_addresses_of_14_bits() {
    let map = plain();
    let mut terminal = TerminalProfile::model_2();
    terminal.current_size = ScreenSize {
        lines: 62,
        columns: 160,
    };
    let data = area(&[(MSG, b"A")]);
    let command = SendMap {
        contents: MapContents::DataOnly(&data),
        erase: EraseOption::Keep,
        control: Control::default(),
        cursor: CursorOption::Map,
    };
    let stream = send_map(&map, &command, &terminal, &AsciiPage).unwrap();
    assert_eq!(hex(&stream.to_bytes()), "F1C2110E61C1");
}

fn received(
    map: &MapLayout,
    aid: u8,
    cursor: u16,
    fields: &[(u16, &[u8])],
    uppercase: bool,
) -> Result<Vec<u8>, ReceiveError> {
    let mut area = vec![0xEE; map.symbolic_bytes];
    let record = InboundRecord {
        aid,
        cursor: Some(cursor),
        fields,
    };
    let result = receive_map(
        map,
        &record,
        ScreenSize::MODEL_2,
        uppercase,
        &AsciiPage,
        &mut area,
    );
    if result.is_err() {
        assert!(
            area.iter().all(|byte| *byte == 0xEE),
            "the area was changed"
        );
    }
    result.map(|_| area)
}

const ENTER: u8 = 0x7D;

#[test]
fn input_is_aligned_filled_and_counted() {
    let (name, number) = (ebcdic("ab1"), ebcdic("12"));
    let area = received(&plain(), ENTER, 172, &[(169, &name), (249, &number)], false).unwrap();
    assert_eq!(&area[..NAME], [0, 3, 0]);
    assert_eq!(&area[NAME..NAME + 20], b"ab1                 ");
    assert_eq!(&area[NUMBER - 3..NUMBER + 5], b"\0\x02\x0000012");
    assert!(area[MSG - 3..].iter().all(|byte| *byte == 0));
    let area = received(&plain(), ENTER, 172, &[(169, &name)], true).unwrap();
    assert_eq!(&area[NAME..NAME + 4], b"AB1 ");
    // A field may send more than it has after another screen was painted.
    let long = ebcdic("1234567");
    let area = received(&plain(), ENTER, 172, &[(249, &long)], false).unwrap();
    assert_eq!(&area[NUMBER - 3..NUMBER + 5], b"\0\x05\x0012345");
}

#[test]
fn an_erased_field_has_a_flag_and_no_length() {
    let area = received(&plain(), ENTER, 0, &[(169, &[])], false).unwrap();
    assert_eq!(area[..NAME], [0, 0, 0x80]);
    assert!(area[NAME..].iter().all(|byte| *byte == 0));
}

#[test]
fn nothing_of_the_map_is_mapfail() {
    let map = plain();
    let text = ebcdic("X");
    for (aid, fields) in [
        (0x6D, &[][..]),
        (0x6C, &[][..]),
        (ENTER, &[][..]),
        (ENTER, &[(500, text.as_slice())][..]),
        // A constant with its modified data tag set has no place in the area.
        (ENTER, &[(1, text.as_slice())][..]),
    ] {
        assert_eq!(
            received(&map, aid, 172, fields, false),
            Err(ReceiveError::MapFail)
        );
    }
    let output = layout(&source("MODE=OUT", "", FIELDS));
    assert_eq!(
        received(&output, ENTER, 0, &[], false),
        Err(ReceiveError::OutputOnly)
    );
}

#[test]
fn cursloc_flags_the_field_with_the_cursor_and_prevents_mapfail() {
    let map = layout(&source(&format!("{SET},CURSLOC=YES"), "", FIELDS));
    let area = received(&map, ENTER, 188, &[], false).unwrap();
    assert_eq!(area[..NAME], [0, 0, 0x02]);
    let area = received(&map, ENTER, 169, &[(169, &[])], false).unwrap();
    assert_eq!(area[2], 0x82);
    assert_eq!(
        received(&map, ENTER, 189, &[], false),
        Err(ReceiveError::MapFail)
    );
    assert_eq!(
        received(&map, 0x6C, 169, &[], false),
        Err(ReceiveError::MapFail)
    );
}

#[test]
fn mixed_case_fields_keep_lower_case() {
    let map = layout(&source(
        SET,
        "",
        "F        DFHMDF POS=(1,1),LENGTH=4,ATTRB=UNPROT,CASE=MIXED",
    ));
    let text = ebcdic("abc");
    assert_eq!(
        &received(&map, ENTER, 0, &[(1, &text)], true).unwrap()[3..],
        b"abc "
    );
}

#[test]
fn repetitions_and_groups_are_sent_and_received() {
    let map = layout(&source(
        "MODE=INOUT,STORAGE=AUTO",
        "",
        "T        DFHMDF POS=(1,1),LENGTH=2,OCCURS=3,ATTRB=UNPROT\n\
         D        DFHMDF POS=(5,1),LENGTH=2,GRPNAME=DATE,ATTRB=UNPROT\nY        DFHMDF POS=(5,3),LENGTH=4,GRPNAME=DATE",
    ));
    assert_eq!(map.symbolic_bytes, 3 * 5 + 3 + 6);
    let (t, date) = (ebcdic("XY"), ebcdic("241999"));
    let area = received(&map, ENTER, 0, &[(7, &t), (321, &date)], false).unwrap();
    assert_eq!(&area[10..15], b"\0\x02\0XY");
    assert_eq!(&area[15..], b"\0\x06\x00241999");
    let mut data = area.clone();
    data[17] = 0;
    let stream = sent(
        &map,
        MapContents::DataOnly(&data),
        EraseOption::Keep,
        CursorOption::Map,
    );
    assert_eq!(
        stream,
        "F14011 40C7 E7E8 11C5C1 F2F4F1F9F9F9".replace(' ', "")
    );
}

#[test]
fn control_alone_sends_what_it_says() {
    let terminal = TerminalProfile::model_2();
    let free = Control {
        free_keyboard: true,
        ..Control::default()
    };
    let stream = |erase, cursor| hex(&send_control(&terminal, erase, free, cursor).to_bytes());
    assert_eq!(stream(EraseOption::Default, None), "F5C2");
    assert_eq!(stream(EraseOption::Keep, None), "F1C2");
    assert_eq!(
        stream(EraseOption::Unprotected, Some(169)),
        "F1C211404012404011C2E913"
    );
}

#[test]
fn text_is_sent_in_lines_with_an_attribute_each() {
    let terminal = TerminalProfile::model_2();
    let send = |text: &str, erase| {
        let command = SendText {
            text: text.as_bytes(),
            erase,
            control: Control::default(),
            cursor: None,
        };
        send_text(&command, &terminal, &AsciiPage)
    };
    assert_eq!(
        hex(&send("HELLO", EraseOption::Default)[0].to_bytes()),
        "F5401140401D60C8C5D3D3D6"
    );
    // Without ERASE the rest of the line is blanked, and the cursor goes home.
    assert_eq!(
        hex(&send("HELLO", EraseOption::Keep)[0].to_bytes()),
        "F1401140401D60C8C5D3D3D63CC1504011404013"
    );
    let line = format!("{} NEXT", "A".repeat(78));
    let pages = send(&line, EraseOption::Default);
    assert!(hex(&pages[0].to_bytes()).ends_with("401D60D5C5E7E3"));
    assert_eq!(send(&"A ".repeat(80 * 24), EraseOption::Default).len(), 3);
    assert_eq!(send("", EraseOption::Default).len(), 1);
    // A new line of the program begins another line.
    let two = hex(&send("ONE\u{15}TWO", EraseOption::Default)[0].to_bytes());
    assert!(two.ends_with("11C1501D60E3E6D6"), "{two}");
    let blank = hex(&send("ONE\n\nTWO", EraseOption::Default)[0].to_bytes());
    assert!(blank.ends_with("11C2601D60E3E6D6"), "{blank}");
}

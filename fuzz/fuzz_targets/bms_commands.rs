//! Any symbolic map is sent and any record is received: the stream has only
//! orders that can be parsed, and the area keeps its size.
#![no_main]

use std::sync::LazyLock;

use bms::{
    Control, CursorOption, EraseOption, InboundRecord, MapContents, MapLayout, ScreenSize, SendMap,
    SendText, StreamItem, TerminalPage, TerminalProfile, receive_map, send_map, send_text,
};
use libfuzzer_sys::fuzz_target;

const SOURCE: &str = "\
S        DFHMSD TYPE=MAP,MODE=INOUT,LANG=COBOL,TIOAPFX=YES,DSATTS=COLOR
M        DFHMDI SIZE=(24,80),CURSLOC=YES
F        DFHMDF POS=(3,9),LENGTH=20,ATTRB=(UNPROT,IC),INITIAL='FIRST'
T        DFHMDF POS=(5,1),LENGTH=10,OCCURS=3,JUSTIFY=(RIGHT,ZERO)
G1       DFHMDF POS=(20,1),LENGTH=2,GRPNAME=G
G2       DFHMDF POS=(20,4),LENGTH=2,GRPNAME=G
E        DFHMDF POS=(24,75),LENGTH=20,COLOR=RED
         DFHMSD TYPE=FINAL
";

static MAP: LazyLock<MapLayout> =
    LazyLock::new(|| MapLayout::new(&bms::parse(SOURCE).sets[0].maps[0]));

/// Every byte is its own in both pages.
struct SamePage;

impl TerminalPage for SamePage {
    fn encode(&self, character: char) -> u8 {
        u8::try_from(character).unwrap_or(0x3F)
    }
    fn to_terminal(&self, byte: u8) -> u8 {
        byte
    }
    fn to_program(&self, byte: u8) -> u8 {
        byte
    }
}

fuzz_target!(|bytes: &[u8]| {
    let [kind, erase, cursor, aid, rest @ ..] = bytes else {
        return;
    };
    let erase = match erase % 4 {
        0 => EraseOption::Keep,
        1 => EraseOption::Default,
        2 => EraseOption::Alternate,
        _ => EraseOption::Unprotected,
    };
    let mut terminal = TerminalProfile::model_2();
    terminal.cleared = kind & 0x40 != 0;
    terminal.extended = kind & 0x20 == 0;
    match kind % 3 {
        0 => send(rest, kind & 0x80 != 0, erase, *cursor, &terminal),
        1 => receive(rest, *aid, *cursor, kind & 0x80 != 0),
        _ => {
            let command = SendText {
                text: rest,
                erase,
                control: Control::default(),
                cursor: Some(u16::from(*cursor)),
            };
            assert!(!send_text(&command, &terminal, &SamePage).is_empty());
        }
    }
});

fn send(data: &[u8], data_only: bool, erase: EraseOption, cursor: u8, terminal: &TerminalProfile) {
    let command = SendMap {
        contents: if data_only {
            MapContents::DataOnly(data)
        } else {
            MapContents::Merged(data)
        },
        erase,
        control: Control::default(),
        cursor: match cursor % 3 {
            0 => CursorOption::Map,
            1 => CursorOption::Symbolic,
            _ => CursorOption::Position(i16::from(cursor) * 100),
        },
    };
    let stream = send_map(&MAP, &command, terminal, &SamePage).expect("the map fits");
    for item in stream.items() {
        match *item {
            StreamItem::Address(at)
            | StreamItem::EraseUnprotected(at)
            | StreamItem::Repeat(at, _) => {
                assert!(u32::from(at) < stream.screen.positions());
            }
            data @ StreamItem::Data(..) => {
                let orders = [0x05, 0x08, 0x11, 0x12, 0x13, 0x1D, 0x28, 0x29, 0x2C, 0x3C];
                assert!(!stream.data(data).iter().any(|byte| orders.contains(byte)));
            }
            _ => {}
        }
    }
    assert!(stream.to_bytes().len() >= 2);
}

fn receive(bytes: &[u8], aid: u8, cursor: u8, uppercase: bool) {
    let mut fields: Vec<(u16, &[u8])> = Vec::new();
    let mut rest = bytes;
    while let [high, low, length, more @ ..] = rest {
        let (data, after) = more.split_at(usize::from(*length).min(more.len()));
        fields.push((u16::from_be_bytes([*high & 0x07, *low]), data));
        rest = after;
    }
    let record = InboundRecord {
        aid,
        cursor: Some(u16::from(cursor)),
        fields: &fields,
    };
    let mut area = vec![0xEE; MAP.symbolic_bytes.min(bytes.len() + 40)];
    let result = receive_map(
        &MAP,
        &record,
        ScreenSize::MODEL_2,
        uppercase,
        &SamePage,
        &mut area,
    );
    if result.is_err() {
        assert!(area.iter().all(|byte| *byte == 0xEE));
    }
}

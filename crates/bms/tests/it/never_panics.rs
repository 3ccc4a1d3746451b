//! Whatever a source, a program or a terminal gives, reading it ends.

use bms::{
    Control, CursorOption, EraseOption, InboundRecord, MapContents, MapLayout, OccursForm,
    ScreenSize, SendMap, SendText, TerminalProfile, cobol_copybook, paint, parse, receive_map,
    send_map, send_text,
};
use proptest::prelude::*;

use crate::support::AsciiPage;

const SAMPLE: &str = "\
S        DFHMSD TYPE=&SYSPARM,MODE=INOUT,LANG=COBOL,TIOAPFX=YES,              X
               CTRL=(FREEKB,FRSET),DSATTS=(COLOR,HILIGHT)
M        DFHMDI SIZE=(24,80),LINE=1,COLUMN=1,CURSLOC=YES
         DFHMDF POS=(1,1),LENGTH=20,INITIAL='IT''S A && TITLE',            X
               COLOR=BLUE
F        DFHMDF POS=(3,9),LENGTH=20,ATTRB=(UNPROT,IC),PICIN='9(20)'
T        DFHMDF POS=(5,1),LENGTH=10,OCCURS=3,JUSTIFY=(RIGHT,ZERO)
G1       DFHMDF POS=(20,1),LENGTH=2,GRPNAME=G
G2       DFHMDF POS=(20,4),LENGTH=2,GRPNAME=G
         DFHMSD TYPE=FINAL
         END
";

/// Everything that can be done with a source.
fn use_all(text: &str) {
    let source = parse(text);
    for diagnostic in &source.diagnostics {
        assert!(diagnostic.line > 0 && diagnostic.column > 0);
    }
    for set in &source.sets {
        cobol_copybook(set, OccursForm::Assembler);
        cobol_copybook(set, OccursForm::Rehosted);
        for map in &set.maps {
            paint(map);
            let layout = MapLayout::new(map);
            let data = vec![b'1'; layout.symbolic_bytes];
            send(
                &layout,
                MapContents::Merged(&data),
                CursorOption::Symbolic,
                EraseOption::Default,
            );
        }
    }
}

fn send(map: &MapLayout, contents: MapContents, cursor: CursorOption, erase: EraseOption) {
    let command = SendMap {
        contents,
        erase,
        control: Control::default(),
        cursor,
    };
    if let Ok(stream) = send_map(map, &command, &TerminalProfile::model_2(), &AsciiPage) {
        assert!(stream.to_bytes().len() >= 2);
    }
}

fn sample() -> MapLayout {
    MapLayout::new(&parse(SAMPLE).sets[0].maps[0])
}

proptest! {
    #[test]
    fn any_text_is_read(text in "\\PC*") {
        use_all(&text);
    }

    #[test]
    fn any_change_of_a_sample_is_read(
        at in 0usize..SAMPLE.len(),
        cut in 0usize..90,
        put in "[ -~\n\t'()*=,é]{0,8}",
    ) {
        let end = (at + cut).min(SAMPLE.len());
        use_all(&format!("{}{put}{}", &SAMPLE[..at], &SAMPLE[end..]));
    }

    #[test]
    fn any_symbolic_map_is_sent(
        data in prop::collection::vec(any::<u8>(), 0..300),
        position in any::<i16>(),
    ) {
        let map = sample();
        for erase in [EraseOption::Keep, EraseOption::Default, EraseOption::Unprotected] {
            send(&map, MapContents::Merged(&data), CursorOption::Symbolic, erase);
            send(&map, MapContents::DataOnly(&data), CursorOption::Position(position), erase);
        }
    }

    #[test]
    fn any_record_is_received(
        aid in any::<u8>(),
        cursor in prop::option::of(any::<u16>()),
        fields in prop::collection::vec((any::<u16>(), prop::collection::vec(any::<u8>(), 0..40)), 0..8),
        area in 0usize..200,
        lines in 1u16..70,
        columns in 1u16..200,
    ) {
        let map = sample();
        let fields: Vec<(u16, &[u8])> = fields.iter().map(|(a, d)| (a % 400, d.as_slice())).collect();
        let record = InboundRecord { aid, cursor, fields: &fields };
        let mut area = vec![7; area];
        let screen = ScreenSize { lines, columns };
        let _ = receive_map(&map, &record, screen, true, &AsciiPage, &mut area);
    }

    #[test]
    fn any_text_is_sent_whole(text in prop::collection::vec(any::<u8>(), 0..5000)) {
        let command = SendText {
            text: &text,
            erase: EraseOption::Default,
            control: Control::default(),
            cursor: None,
        };
        let pages = send_text(&command, &TerminalProfile::model_2(), &AsciiPage);
        prop_assert!(!pages.is_empty());
    }
}

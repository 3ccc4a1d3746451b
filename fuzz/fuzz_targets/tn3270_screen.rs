//! A host's records on a screen, with keys between them: the screen keeps its
//! size and what it sends is always a data stream that a server takes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tn3270::stream::InboundRecord;
use tn3270::{Key, KeyOutcome, Screen, TerminalModel};

fuzz_target!(|bytes: &[u8]| {
    let Some((model, rest)) = bytes.split_first() else {
        return;
    };
    let mut screen = Screen::new(TerminalModel::display(2 + model % 4));
    // X'FE' parts records; the byte after it is a key.
    for part in rest.split(|byte| *byte == 0xFE) {
        let Some((key, record)) = part.split_first() else {
            continue;
        };
        if let Ok(Some(answer)) = screen.handle_record(record) {
            let positions = screen.size().positions();
            assert!(InboundRecord::parse(&answer, positions).is_ok());
        }
        screen.press(Key::Reset);
        if let KeyOutcome::Send(sent) = screen.press(chosen(*key)) {
            let positions = screen.size().positions();
            assert!(InboundRecord::parse(&sent, positions).is_ok());
        }
        assert!(screen.cursor() < screen.size().positions());
        assert_eq!(screen.cells().len(), usize::from(screen.size().positions()));
    }
});

fn chosen(byte: u8) -> Key {
    match byte {
        0 => Key::Enter,
        1..=24 => Key::Pf(byte),
        25 => Key::Tab,
        26 => Key::BackTab,
        27 => Key::NewLine,
        28 => Key::EraseEof,
        29 => Key::EraseInput,
        30 => Key::Delete,
        31 => Key::Backspace,
        32 => Key::Insert,
        33 => Key::Dup,
        34 => Key::CursorSelect,
        35 => Key::Clear,
        36 => Key::FieldEnd,
        37 => Key::Home,
        38 => Key::Up,
        39 => Key::Down,
        _ => Key::Character(byte),
    }
}

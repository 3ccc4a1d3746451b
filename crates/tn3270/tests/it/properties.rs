//! Properties over arbitrary bytes: nothing panics, everything is bounded, and
//! what a screen sends is always a data stream that the server takes.

use std::time::Duration;

use proptest::prelude::*;
use tn3270::stream::{InboundRecord, OrderReader, QuerySummary};
use tn3270::telnet::{BindImage, DeviceType, ExtendedNegotiation};
use tn3270::{
    Emulator, Key, KeyOutcome, LuName, Screen, ServerConfig, ServerSession, SessionEvent,
    TerminalModel,
};

use crate::support::{JoinedSessions, first_screen};

/// Bytes in which orders, commands and addresses are frequent.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let orders = prop::sample::select(vec![
        0x05, 0x08, 0x11, 0x12, 0x13, 0x1D, 0x28, 0x29, 0x2C, 0x3C, 0x40, 0xC1, 0xC0, 0x41, 0x42,
        0x00, 0x01, 0x02, 0xF1, 0xFF,
    ]);
    prop::collection::vec(prop_oneof![orders, any::<u8>()], 0..200)
}

/// A command and its stream.
fn record() -> impl Strategy<Value = Vec<u8>> {
    let command = prop::sample::select(vec![0xF1, 0xF5, 0x7E, 0x6F, 0xF3, 0xF2, 0xF6, 0x6E]);
    (command, any::<u8>(), stream()).prop_map(|(command, wcc, stream)| {
        let mut record = vec![command, wcc];
        record.extend(stream);
        record
    })
}

fn key() -> impl Strategy<Value = Key> {
    prop_oneof![
        any::<u8>().prop_map(Key::Character),
        (0..30u8).prop_map(Key::Pf),
        (0..5u8).prop_map(Key::Pa),
        prop::sample::select(vec![
            Key::Dup,
            Key::FieldMark,
            Key::Enter,
            Key::Clear,
            Key::CursorSelect,
            Key::Reset,
            Key::Tab,
            Key::BackTab,
            Key::NewLine,
            Key::Home,
            Key::FieldEnd,
            Key::Left,
            Key::Right,
            Key::Up,
            Key::Down,
            Key::Backspace,
            Key::Delete,
            Key::Insert,
            Key::EraseEof,
            Key::EraseInput,
        ]),
    ]
}

proptest! {
    #[test]
    fn parsers_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = InboundRecord::parse(&bytes, 1920).map(|record| record.fields().count());
        let _ = OrderReader::new(&bytes, 1920).count();
        let _ = QuerySummary::collect(&bytes);
        let _ = ExtendedNegotiation::parse(&bytes);
        let _ = BindImage::parse(&bytes);
        let _ = DeviceType::parse(&bytes);
        let _ = LuName::parse(&bytes);
    }

    #[test]
    fn a_screen_sends_only_what_a_server_takes(
        model in 2..6u8,
        steps in prop::collection::vec((record(), prop::collection::vec(key(), 0..20)), 0..12),
    ) {
        let mut screen = Screen::new(TerminalModel::display(model));
        for (record, keys) in steps {
            if let Ok(Some(answer)) = screen.handle_record(&record) {
                prop_assert!(InboundRecord::parse(&answer, screen.size().positions()).is_ok());
            }
            screen.press(Key::Reset);
            for key in keys {
                let positions = screen.size().positions();
                if let KeyOutcome::Send(sent) = screen.press(key) {
                    prop_assert!(InboundRecord::parse(&sent, positions).is_ok());
                }
                prop_assert!(screen.cursor() < positions);
            }
            prop_assert_eq!(screen.cells().len(), usize::from(screen.size().positions()));
        }
    }

    #[test]
    fn a_protected_position_never_changes_by_typing(
        keys in prop::collection::vec(key(), 0..80),
    ) {
        let mut screen = Screen::new(TerminalModel::display(2));
        screen.handle_record(&first_screen()).unwrap();
        let label = |screen: &Screen| screen.cells()[160..165].to_vec();
        let before = label(&screen);
        for key in keys.into_iter().filter(|key| *key != Key::Clear) {
            screen.press(Key::Reset);
            screen.press(key);
        }
        prop_assert_eq!(label(&screen), before);
    }

    #[test]
    fn a_server_is_bounded_whatever_comes(
        chunks in prop::collection::vec(prop::collection::vec(
            prop_oneof![
                prop::sample::select(vec![255u8, 250, 251, 253, 240, 239, 40, 24, 2, 7, 0]),
                any::<u8>(),
            ], 0..200), 0..20),
    ) {
        let mut server = ServerSession::new(ServerConfig::default(), Duration::ZERO);
        for (second, chunk) in (0..).zip(&chunks) {
            let now = Duration::from_secs(second);
            let _ = server.handle_bytes(chunk, now);
            while let Some(event) = server.poll_event() {
                if matches!(event, SessionEvent::LuRequested { .. }) {
                    let _ = server.assign_lu(LuName::parse(b"A").unwrap());
                }
            }
            server.handle_timeout(now);
            prop_assert!(server.held_bytes() < 128 << 10);
        }
    }

    #[test]
    fn a_connected_session_survives_or_ends_in_order(
        chunk in prop::collection::vec(any::<u8>(), 0..400),
        host in record(),
    ) {
        let mut joined = JoinedSessions::connected(ServerConfig::default(), TerminalModel::display(2));
        joined.server.send_record(&host, Default::default()).unwrap();
        joined.run().unwrap();
        let ended = joined.server.handle_bytes(&chunk, Duration::ZERO).is_err();
        prop_assert_eq!(ended, joined.server.is_misbehaved());
    }

    #[test]
    fn a_terminal_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut terminal = Emulator::with_model(TerminalModel::display(2));
        let _ = terminal.handle_bytes(&bytes, &mut Vec::new());
        terminal.press(Key::Enter);
    }
}

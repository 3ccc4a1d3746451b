//! The keyboard and the orders on a screen: what an operator and a program see.

use tn3270::screen::KeyboardState;
use tn3270::stream::{ErrorKind, InboundRecord};
use tn3270::{
    Aid, CodeTable, Color, Highlight, InhibitReason, Key, KeyOutcome, Screen, TerminalModel,
};

use crate::support::{bytes, first_screen, hex};

fn screen() -> Screen {
    let mut screen = Screen::new(TerminalModel::display(2));
    assert_eq!(screen.handle_record(&first_screen()), Ok(None));
    screen
}

fn sent(outcome: KeyOutcome) -> String {
    match outcome {
        KeyOutcome::Send(record) => hex(&record),
        other => panic!("{other:?}"),
    }
}

fn at(row: u16, column: u16) -> u16 {
    (row - 1) * 80 + column - 1
}

#[test]
fn the_screen_reads_as_text_without_hidden_fields() {
    let table = CodeTable::cp037();
    let mut screen = screen();
    assert_eq!(screen.cursor_position(), (2, 9));
    let password = screen.fields()[5];
    screen.fill_field(&password, "SECRET", &table);
    assert_eq!(screen.row_text(0, &table).trim_end(), "  TITLE");
    assert_eq!(screen.row_text(3, &table).trim_end(), " PASS");
    assert_eq!(screen.field_text(&password, &table), "SECRET");
    let style = screen.style(at(5, 2));
    assert_eq!(style.extended.color, Color::RED);
    assert_eq!(style.extended.highlight, Highlight::UNDERSCORE);
}

#[test]
fn a_field_is_found_by_the_label_before_it() {
    let table = CodeTable::cp037();
    let screen = screen();
    let field = screen.field_by_label("NAME", &table).unwrap();
    assert_eq!((field.first, field.length), (at(3, 10), 20));
    assert_eq!(screen.field_by_label("NOWHERE", &table), None);
}

#[test]
fn a_protected_position_inhibits_until_reset() {
    let mut screen = screen();
    screen.set_cursor(at(1, 4));
    let refused = KeyOutcome::Inhibited(InhibitReason::Protected);
    assert_eq!(screen.press(Key::Character(0xC1)), refused);
    screen.set_cursor(at(3, 10));
    assert_eq!(screen.press(Key::Character(0xC1)), refused);
    assert_eq!(screen.press(Key::Enter), refused);
    assert_eq!(screen.press(Key::Reset), KeyOutcome::Done);
    assert_eq!(screen.press(Key::Character(0xC1)), KeyOutcome::Done);
}

#[test]
fn a_numeric_field_takes_digits_only() {
    let mut screen = screen();
    screen.set_cursor(at(7, 10));
    assert_eq!(screen.press(Key::Character(0xF7)), KeyOutcome::Done);
    let refused = KeyOutcome::Inhibited(InhibitReason::Numeric);
    assert_eq!(screen.press(Key::Character(0xC1)), refused);
}

#[test]
fn the_cursor_goes_past_an_autoskip_field_to_the_next_input() {
    let table = CodeTable::cp037();
    let mut screen = screen();
    assert_eq!(
        screen.type_text("ABCDEFGHIJKLMNOPQRST", &table),
        KeyOutcome::Done
    );
    assert_eq!(screen.cursor(), at(4, 10));
}

#[test]
fn insert_mode_moves_the_rest_and_stops_when_the_field_is_full() {
    let table = CodeTable::cp037();
    let mut screen = screen();
    screen.type_text("ACD", &table);
    screen.set_cursor(at(3, 11));
    screen.press(Key::Insert);
    screen.type_text("B", &table);
    let field = screen.fields()[2];
    assert_eq!(screen.field_text(&field, &table), "ABCD");
    let outcome = screen.type_text("0123456789ABCDEFG", &table);
    assert_eq!(outcome, KeyOutcome::Inhibited(InhibitReason::Overflow));
    assert_eq!(screen.field_text(&field, &table), "AB0123456789ABCDEFCD");
}

#[test]
fn deletion_and_erasure_stay_in_their_field() {
    let table = CodeTable::cp037();
    let mut screen = screen();
    screen.type_text("ABCD", &table);
    screen.press(Key::Backspace);
    screen.set_cursor(at(3, 10));
    screen.press(Key::Delete);
    let field = screen.fields()[2];
    assert_eq!(screen.field_text(&field, &table), "BC");
    screen.set_cursor(at(3, 11));
    screen.press(Key::EraseEof);
    assert_eq!(screen.field_text(&field, &table), "B");
    assert_eq!(
        screen.press(Key::Enter),
        KeyOutcome::Send(bytes("7d c26a 11c2e9 c2 11c6d9 d4c4e3e2c5e3"))
    );
}

#[test]
fn erase_input_turns_modified_tags_off() {
    let mut screen = screen();
    assert_eq!(screen.press(Key::EraseInput), KeyOutcome::Done);
    assert_eq!(sent(screen.press(Key::Enter)), "7dc2e9");
}

#[test]
fn tabs_go_from_field_to_field_and_around() {
    let mut screen = screen();
    let mut seen = Vec::new();
    for _ in 0..4 {
        screen.press(Key::Tab);
        seen.push(screen.cursor());
    }
    assert_eq!(seen, [at(4, 10), at(6, 10), at(7, 10), at(3, 10)]);
    screen.press(Key::BackTab);
    assert_eq!(screen.cursor(), at(7, 10));
    screen.press(Key::Home);
    assert_eq!(screen.cursor(), at(3, 10));
    screen.press(Key::NewLine);
    assert_eq!(screen.cursor(), at(4, 10));
}

#[test]
fn dup_goes_to_the_next_field_and_shows_an_asterisk() {
    let table = CodeTable::cp037();
    let mut screen = screen();
    assert_eq!(screen.press(Key::Dup), KeyOutcome::Done);
    assert_eq!(screen.cursor(), at(4, 10));
    assert!(screen.row_text(2, &table).contains('*'));
}

#[test]
fn a_key_locks_the_keyboard_until_the_host_restores_it() {
    let mut screen = screen();
    sent(screen.press(Key::Pf(1)));
    let locked = KeyOutcome::Inhibited(InhibitReason::System);
    assert_eq!(screen.press(Key::Character(0xC1)), locked);
    screen.handle_record(&bytes("f140")).unwrap();
    assert_eq!(screen.keyboard(), KeyboardState::System);
    screen.handle_record(&bytes("f1c6")).unwrap();
    assert_eq!(screen.keyboard(), KeyboardState::Unlocked);
    assert!(screen.take_alarm() && !screen.take_alarm());
    assert_eq!(screen.aid(), Aid::NoAid);
}

#[test]
fn cursor_select_marks_and_sends_without_data() {
    // `?` in a detectable field, then a blank designator.
    let mut screen = Screen::new(TerminalModel::display(2));
    screen
        .handle_record(&bytes("f5c3 114040 1de4 6fc1 1140c5 1de4 40c2 114ac1 1df0"))
        .unwrap();
    screen.set_cursor(2);
    assert_eq!(screen.press(Key::CursorSelect), KeyOutcome::Done);
    screen.set_cursor(7);
    assert_eq!(sent(screen.press(Key::CursorSelect)), "7e40c71140c11140c6");
}

#[test]
fn fields_wrap_around_the_end_of_the_screen() {
    let table = CodeTable::cp037();
    let mut screen = Screen::new(TerminalModel::display(2));
    // An unprotected field at 1,918 and a protected one at 2.
    screen
        .handle_record(&bytes("f5c3 1140c2 1d60 115d7e 1d40 13"))
        .unwrap();
    assert_eq!(screen.type_text("XYZ", &table), KeyOutcome::Done);
    assert_eq!(sent(screen.press(Key::Enter)), "7d40c3115d7fe7e8e9");
}

#[test]
fn program_tab_clears_a_field_only_after_data() {
    let table = CodeTable::cp037();
    let mut screen = screen();
    screen.handle_record(&bytes("f1c2 11c2e9 c1c2c3")).unwrap();
    screen
        .handle_record(&bytes("f1c2 11c2e9 e9 05 e8"))
        .unwrap();
    assert_eq!(screen.row_text(2, &table).trim_end(), " NAME    Z");
    screen.handle_record(&bytes("f1c2 11c3f9 05 e7")).unwrap();
    let field = screen.fields()[8];
    assert_eq!(screen.field_text(&field, &table), "XDTSET");
}

#[test]
fn repeat_to_the_same_address_fills_the_screen() {
    let mut screen = Screen::new(TerminalModel::display(2));
    screen
        .handle_record(&bytes("f5c3 11c150 3cc150 7b"))
        .unwrap();
    assert!(screen.cells().iter().all(|cell| cell.content == 0x7B));
}

#[test]
fn a_rejected_record_leaves_the_screen_and_unlocks_the_keyboard() {
    let mut screen = screen();
    let before = screen.cells().to_vec();
    sent(screen.press(Key::Enter));
    let error = screen.handle_record(&bytes("f5c2 114040 c1 117f7f"));
    assert!(matches!(
        error.unwrap_err().kind,
        ErrorKind::Address { address: 4095, .. }
    ));
    assert_eq!(screen.cells(), before);
    assert_eq!(screen.keyboard(), KeyboardState::Unlocked);
    let no_field = screen.handle_record(&bytes("f1c2 114040 2c01c060"));
    assert_eq!(no_field.unwrap_err().kind, ErrorKind::NoField(0));
}

#[test]
fn character_mode_reports_character_attributes() {
    let mut screen = Screen::new(TerminalModel::display(2));
    screen
        .handle_record(&bytes("f5c3 114040 1dc1 2842f2 c1 280000 c2 114ac1 1df0"))
        .unwrap();
    screen.handle_record(&bytes("f3 0006 09 00 02 42")).unwrap();
    let answer = screen.handle_record(&bytes("f6")).unwrap().unwrap();
    // Back to the default colour before the second character.
    assert_eq!(hex(&answer), "6040401140c12842f2c1284200c2");
    assert!(InboundRecord::parse(&answer, 1920).is_ok());
}

#[test]
fn a_terminal_without_extended_data_stream_rejects_structured_fields() {
    let mut model = TerminalModel::display(2);
    model.extended = false;
    let mut screen = Screen::new(model);
    let error = screen
        .handle_record(&bytes("f3 0005 01 ff 02"))
        .unwrap_err();
    assert!(error.is_command_reject());
    assert_eq!(model.device_type().name(), "IBM-3278-2");
}

#[test]
fn a_query_list_is_answered_with_what_it_names() {
    let mut screen = Screen::new(TerminalModel::display(4));
    let answer = screen.handle_record(&bytes("f3 0008 01 ff 03 00 81 99"));
    let answer = answer.unwrap().unwrap();
    assert_eq!(&answer[..7], &bytes("88 0017 81 81 01 00")[..]);
    let none = screen.handle_record(&bytes("f3 0007 01 ff 03 00 99"));
    assert_eq!(hex(&none.unwrap().unwrap()), "88000481ff");
    let second = screen.handle_record(&bytes("f3 0005 01 ff 02 0005 01 ff 02"));
    assert_eq!(second.unwrap_err().kind, ErrorKind::SecondRead);
}

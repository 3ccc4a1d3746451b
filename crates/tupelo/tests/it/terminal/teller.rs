//! The bank's teller at a terminal, over the programs of its REST API.

use super::*;
use crate::operator::copy;
use crate::server::example;

#[test]
fn the_bank_has_a_teller_over_the_programs_of_its_api() {
    let folder = tempfile::tempdir().unwrap();
    copy(&example("bank"), folder.path());
    let settings = folder.path().join("tupelo.toml");
    let plain = std::fs::read_to_string(&settings).unwrap();
    let listens = format!("{plain}\n[terminal]\nlisten = \"127.0.0.1:0\"\n");
    std::fs::write(&settings, listens).unwrap();
    let server = Server::start(folder.path());
    let mut terminal = Terminal::model_2(&server);
    terminal.type_text("bank");
    terminal.press(Key::Enter, "TELLER MENU");
    terminal.press(Key::Pf(1), "PF5 does it");
    terminal.press(Key::Enter, "TELLER MENU");
    terminal.type_text("7");
    terminal.press(Key::Enter, "Choose 1, 2 or 3");
    terminal.type_text("1");
    terminal.press(Key::Enter, "ONE ACCOUNT");
    terminal.press(Key::Enter, "Type the number of an account");
    terminal.type_text("10000001");
    terminal.press(Key::Enter, "Ada Byron");
    assert!(terminal.text().contains("27,165.06"), "{}", terminal.text());
    // Three digits are filled up with zeros to the left.
    terminal.type_text("123");
    terminal.emulator.screen_mut().press(Key::EraseEof);
    terminal.press(Key::Enter, "There is no account 00000123");
    terminal.press(Key::Pf(3), "TELLER MENU");
    transfer(&mut terminal);
    let account = server.get("/bank/accounts/10000001");
    assert!(text(&account.body).contains("27152.56"), "{account:?}");
    list(&mut terminal);
    terminal.press(Key::Pf(3), "TELLER MENU");
    terminal.press(Key::Pf(3), "Goodbye.");
}

fn transfer(terminal: &mut Terminal) {
    terminal.type_text("2");
    terminal.press(Key::Enter, "TRANSFER");
    terminal.type_text("10000001");
    terminal.press(Key::Enter, "Type both accounts and an amount");
    // The first account is sent again only if it is typed again.
    terminal.emulator.screen_mut().press(Key::Home);
    terminal.type_text("10000001");
    terminal.type_text("10000008");
    terminal.type_text("12.50");
    terminal.press(Key::Enter, "Transfer 12.50 from 10000001 to 10000008?");
    terminal.press(Key::Enter, "Press PF5 to transfer");
    terminal.press(Key::Pf(5), "Transferred. 10000001 has 27,152.56 now");
    terminal.type_text("2");
    terminal.press(Key::Enter, "TRANSFER");
    terminal.type_text("10000001");
    terminal.type_text("10000008");
    terminal.type_text("9999999.00");
    terminal.press(Key::Enter, "9,999,999.00 from");
    terminal.press(Key::Pf(5), "Nothing is transferred: Insufficient funds");
}

fn list(terminal: &mut Terminal) {
    terminal.type_text("3");
    terminal.press(Key::Enter, "Page 01, more with PF8");
    let first = terminal.text();
    assert!(
        first.contains("Ada Byron") && first.contains("Grace Hopper"),
        "{first}"
    );
    terminal.press(Key::Pf(8), "Page 02, more with PF8");
    assert!(!terminal.text().contains("Ada Byron"));
    terminal.press(Key::Pf(8), "Page 03, the last");
    terminal.press(Key::Pf(8), "Page 03, the last");
    terminal.press(Key::Pf(7), "Page 02");
    terminal.press(Key::Pf(7), "Ada Byron");
}

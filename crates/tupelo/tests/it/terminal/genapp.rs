//! IBM's sample application genapp whole: its own definitions, jobs, maps, tables and
//! programs, used at a terminal and through an API.
//!
//! Its code is not part of this project: the test runs where the variable `GENAPP`
//! names the folder `base` of a copy of the application
//! (<https://github.com/cicsdev/cics-genapp>), and is over at once elsewhere. Every
//! option of its five menus is chosen at least once, and each is seen to fail, too.

mod api;

use super::*;
use crate::genapp::whole;

/// The option of every menu, and its message.
const OPTION: (u16, u16) = (22, 24);
/// Number of the customer on the menu of customers, of the policy on the others.
const FIRST: (u16, u16) = (4, 50);
/// Number of the customer on the menus of policies.
const CUSTOMER: (u16, u16) = (5, 50);

/// genapp, served; `None` where something is missing.
fn server() -> Option<(tempfile::TempDir, Server)> {
    let Some(base) = std::env::var_os("GENAPP").map(PathBuf::from) else {
        skipped::lacking("GENAPP", "the variable names no copy of genapp");
        return None;
    };
    if !database::cluster::is_installed() {
        skipped::lacking("postgresql", "there is no initdb");
        return None;
    }
    let state = tempfile::tempdir().unwrap();
    let app = whole(&base, state.path());
    api::import(app.path());
    let server = Server::start_in(app.path(), state);
    Some((app, server))
}

impl Terminal {
    /// The field at a place that counts from 1, as DFHMDF has it.
    fn field_at(&self, (row, column): (u16, u16)) -> tn3270::screen::Field {
        let first = (row - 1) * 80 + column;
        let fields = self.emulator.screen().fields();
        let found = fields.into_iter().find(|field| field.first == first);
        found.unwrap_or_else(|| panic!("no field at {row},{column} on\n{}", self.text()))
    }

    fn read(&self, place: (u16, u16)) -> String {
        let text = self
            .emulator
            .screen()
            .field_text(&self.field_at(place), &self.table);
        text.trim().to_owned()
    }

    fn fill(&mut self, values: &[((u16, u16), &str)]) {
        for (place, value) in values {
            let field = self.field_at(*place);
            let table = &self.table;
            let outcome = self.emulator.screen_mut().fill_field(&field, value, table);
            assert_eq!(
                outcome,
                KeyOutcome::Done,
                "{value:?} at {place:?} on\n{}",
                self.text()
            );
        }
    }

    /// Fills fields, chooses an option and waits for what it shows.
    fn choose(&mut self, option: &str, values: &[((u16, u16), &str)], then: &str) {
        self.fill(values);
        self.fill(&[(OPTION, option)]);
        self.press(Key::Enter, then);
    }

    /// Begins a transaction on an empty screen.
    fn begin(&mut self, transaction: &str, then: &str) {
        self.press(Key::Clear, "");
        self.type_text(transaction);
        self.press(Key::Enter, then);
    }
}

#[test]
fn all_of_genapp_runs_through_its_api_and_at_a_terminal() {
    let Some((_app, server)) = server() else {
        return;
    };
    api::customers(&server);
    api::policies(&server);
    let mut terminal = Terminal::model_2(&server);
    terminal.begin("LGSE", "");
    customers(&mut terminal);
    for menu in menus() {
        policies(&mut terminal, &menu);
    }
    commercial_by_other_keys(&mut terminal);
}

/// SSC1: inquiry, addition, change.
fn customers(terminal: &mut Terminal) {
    terminal.begin("ssc1", "General Insurance Customer Menu");
    terminal.choose("1", &[(FIRST, "0000000001")], "Pandy");
    assert_eq!(terminal.read((5, 50)), "Andrew");
    terminal.choose("9", &[], "Please enter a valid option");
    let new = [
        ((5, 50), "Grace"),
        ((6, 50), "Hopper"),
        ((7, 50), "1906-12-09"),
        ((8, 50), "Arlington"),
        ((9, 50), "1"),
        ((10, 50), "va22201"),
        ((11, 50), "0123"),
        ((12, 50), "0456"),
        ((13, 50), "grace@navy.example"),
    ];
    terminal.choose("2", &new, "New Customer Inserted");
    let number = terminal.read(FIRST);
    let value: u32 = number.parse().unwrap();
    assert!(value > 10, "{number}");
    terminal.choose("1", &[(FIRST, &number), ((6, 50), "X")], "Hopper");
    assert_eq!(terminal.read((10, 50)), "VA22201");
    // The change shows the customer first, and waits within its task.
    terminal.choose("4", &[((13, 50), "X")], "grace@navy.example");
    terminal.fill(&[((13, 50), "amazing@navy.example")]);
    terminal.press(Key::Enter, "Customer details updated");
    terminal.choose("1", &[(FIRST, &number)], "amazing@navy.example");
    terminal.choose("1", &[(FIRST, "0009999999")], "No data was returned");
    terminal.press(Key::Pf(3), "Transaction ended");
}

/// A menu of policies.
struct MenuScreen {
    transaction: &'static str,
    title: &'static str,
    /// The kind's name in messages.
    kind: &'static str,
    /// Fields of a new policy.
    new: Vec<((u16, u16), &'static str)>,
    /// A field that is changed, and its new value; `None` where the menu has no
    /// change.
    change: Option<((u16, u16), &'static str)>,
}

/// The dates that every policy has, and fields of its own.
fn with_dates(fields: &[((u16, u16), &'static str)]) -> Vec<((u16, u16), &'static str)> {
    let dates = [((6, 50), "2026-01-01"), ((7, 50), "2027-01-01")];
    [&dates[..], fields].concat()
}

fn menus() -> Vec<MenuScreen> {
    let mut menus = Vec::from(motor_and_life());
    menus.extend(house_and_commercial());
    menus
}

fn motor_and_life() -> [MenuScreen; 2] {
    [
        MenuScreen {
            transaction: "SSP1",
            title: "Motor Policy Menu",
            kind: "Motor",
            new: with_dates(&[
                ((8, 50), "LOTUS"),
                ((9, 50), "ELAN"),
                ((10, 50), "012000"),
                ((11, 50), "A567WWW"),
                ((12, 50), "GREEN"),
                ((13, 50), "1600"),
                ((14, 50), "1970-05-06"),
                ((15, 50), "000001"),
                ((16, 50), "000300"),
            ]),
            change: Some(((12, 50), "YELLOW")),
        },
        MenuScreen {
            transaction: "SSP2",
            title: "Endowment Policy Menu",
            kind: "Life",
            new: with_dates(&[
                ((8, 50), "FUND"),
                ((9, 50), "20"),
                ((10, 50), "100000"),
                ((11, 50), "ADA LOVELACE"),
                ((12, 50), "Y"),
                ((13, 50), "N"),
                ((14, 50), "Y"),
            ]),
            change: Some(((8, 50), "OTHERFUND")),
        },
    ]
}

fn house_and_commercial() -> [MenuScreen; 2] {
    [
        MenuScreen {
            transaction: "SSP3",
            title: "House Policy Menu",
            kind: "House",
            new: with_dates(&[
                ((8, 50), "DETACHED"),
                ((9, 50), "004"),
                ((10, 50), "00250000"),
                ((11, 50), "The House"),
                ((12, 50), "12"),
                ((13, 50), "AB1 2CD"),
            ]),
            change: Some(((11, 50), "Other House")),
        },
        MenuScreen {
            transaction: "SSP4",
            title: "Commercial Policy Menu",
            kind: "Commercial",
            new: with_dates(&[
                ((8, 50), "1 Street"),
                ((9, 50), "AB1 2CD"),
                ((10, 50), "51.0"),
                ((10, 64), "1.0"),
                ((11, 50), "Works Limited"),
                ((12, 50), "Factory"),
                ((13, 50), "0001"),
                ((13, 56), "00000002"),
                ((14, 50), "0003"),
                ((14, 56), "00000004"),
                ((15, 50), "0005"),
                ((15, 56), "00000006"),
                ((16, 50), "0007"),
                ((16, 56), "00000008"),
                ((17, 50), "0003"),
                ((18, 50), "none"),
            ]),
            change: None,
        },
    ]
}

/// Inquiry, addition, deletion and change of one kind of policies.
fn policies(terminal: &mut Terminal, menu: &MenuScreen) {
    let kind = menu.kind;
    terminal.begin(menu.transaction, menu.title);
    terminal.choose("7", &[], "Please enter a valid option");
    let mut new = menu.new.clone();
    new.push((CUSTOMER, "0000000002"));
    terminal.choose("2", &new, &format!("New {kind} Policy Inserted"));
    let number = terminal.read(FIRST);
    assert!(number.parse::<u32>().unwrap() > 10, "{number}");
    let key = [(FIRST, number.as_str()), (CUSTOMER, "0000000002")];
    // An inquiry shows the added values in fields that had other values.
    let (place, value) = menu.new[2];
    let other = [key[0], key[1], (place, "X")];
    terminal.choose("1", &other, value);
    for (place, value) in &menu.new {
        assert_eq!(
            terminal.read(*place).trim_start_matches('0'),
            value.trim_start_matches('0'),
            "{kind} {place:?}"
        );
    }
    if let Some((place, value)) = menu.change {
        terminal.choose("4", &[], "");
        terminal.fill(&[(place, value)]);
        terminal.press(Key::Enter, &format!("{kind} Policy Updated"));
        terminal.choose("1", &[key[0], key[1], (place, "X")], value);
    }
    terminal.choose("3", &key, &format!("{kind} Policy Deleted"));
    terminal.choose("1", &key, "No data was returned");
    terminal.press(Key::Clear, menu.title);
    new.pop();
    new.push((CUSTOMER, "0000999999"));
    // Two menus move this message into another menu's field.
    let refused = if matches!(kind, "Life" | "House") {
        ""
    } else {
        "Customer does not exist"
    };
    terminal.choose("2", &new, refused);
    terminal.press(Key::Pf(3), "Transaction ended");
}

/// Policies that came with the tables: by policy alone, by customer alone, and by
/// postcode.
fn commercial_by_other_keys(terminal: &mut Terminal) {
    for values in [
        [(FIRST, "0000000010"), (CUSTOMER, "0000000000")],
        [(FIRST, "0000000000"), (CUSTOMER, "0000000001")],
    ] {
        terminal.begin("SSP4", "Commercial Policy Menu");
        terminal.choose("1", &values, "HURSLEY PARK");
        assert_eq!(terminal.read(FIRST), "0000000010");
        terminal.press(Key::Pf(3), "Transaction ended");
    }
}

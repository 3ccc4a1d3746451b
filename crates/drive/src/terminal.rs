//! 3270 terminals: the parameters of a terminal, and the input of one step.
//!
//! A step fills fields, moves the cursor, types, and presses one key. Its answer is
//! the screen once the keyboard is unlocked, or once a text appears as well. The
//! screen belongs to the crate `tn3270`; this module finds the fields and checks
//! the wait condition. It has no socket.
//!
//! Invariant: a step types only what an operator could type. Text that a field
//! rejects is an error of the step; it is never truncated silently.

use crate::tls::TlsTarget;
use std::sync::Arc;
use tn3270::screen::KeyboardState;
use tn3270::{ClientConfig, Emulator, TerminalModel};
use tn3270::{CodeTable, Field, InhibitReason, Key, KeyOutcome, LuName, Screen, ScreenSize};

/// The terminals of a population.
#[derive(Clone, Debug)]
pub struct TerminalTarget {
    /// Size and features.
    pub model: TerminalModel,
    /// LU names, assigned to the clients in turn; empty for any LU.
    pub units: Arc<[LuName]>,
    /// Whether TN3270E is accepted.
    pub tn3270e: bool,
    /// The code page of the terminals.
    pub table: Arc<CodeTable>,
    /// Trust settings for TLS that the server starts within the connection
    /// (START_TLS).
    pub start_tls: Arc<TlsTarget>,
}

impl TerminalTarget {
    /// A terminal for client number `client`.
    pub fn emulator(&self, client: u64) -> Emulator {
        let mut config = ClientConfig::new(self.model.device_type());
        config.tn3270e = self.tn3270e;
        if !self.units.is_empty() {
            let turn = client % self.units.len() as u64;
            config.lu_names = vec![self.units[turn as usize].clone()];
        }
        Emulator::new(config, self.model)
    }
}

/// The input of a step at the screen. Its values are the step's request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScreenStep {
    /// Where each value is typed, in this order.
    pub places: Vec<ScreenPlace>,
    /// The key that ends the step.
    pub key: Key,
    /// When the answer is complete.
    pub wait: WaitFor,
}

/// Where a value of a step is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScreenPlace {
    /// The first input field after this text on the screen. Its contents are
    /// replaced.
    Label(Arc<str>),
    /// The input field at this row and column, both from 1. Its contents are
    /// replaced.
    Position(u16, u16),
    /// The cursor is moved to this row and column, both from 1, and the value
    /// is typed there.
    Cursor(u16, u16),
    /// The value is typed at the cursor.
    AtCursor,
}

/// When a step's answer is complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitFor {
    /// The keyboard is unlocked.
    Unlock,
    /// The keyboard is unlocked and the screen shows this text.
    Text(Arc<str>),
    /// Nothing: the step ends when the key is sent.
    Nothing,
}

impl WaitFor {
    /// Whether the screen meets the wait condition.
    pub fn is_met(&self, screen: &Screen, table: &CodeTable) -> bool {
        let unlocked = screen.keyboard() == KeyboardState::Unlocked;
        match self {
            WaitFor::Unlock => unlocked,
            WaitFor::Text(text) => unlocked && screen.screen_text(table).contains(&**text),
            WaitFor::Nothing => true,
        }
    }
}

impl ScreenStep {
    /// Performs the step at a terminal whose keyboard is unlocked. `values` are
    /// the rendered values, separated by [`SEPARATOR`].
    ///
    ///
    /// # Errors
    ///
    /// The value that cannot be typed, with the first line of the screen.
    pub fn carry_out(
        &self,
        values: &[u8],
        emulator: &mut Emulator,
        table: &CodeTable,
    ) -> Result<(), String> {
        let text = String::from_utf8_lossy(values);
        let parts: Vec<&str> = match self.places.len() {
            0 => Vec::new(),
            _ => text.split(SEPARATOR).collect(),
        };
        if parts.len() != self.places.len() {
            return Err("a value holds the character U+001F, which cannot be typed".into());
        }
        let screen = emulator.screen_mut();
        for (place, value) in self.places.iter().zip(parts) {
            place
                .enter(value, screen, table)
                .map_err(|why| format!("{why}; {}", first_line(screen, table)))?;
        }
        match emulator.press(self.key) {
            KeyOutcome::Inhibited(reason) => Err(format!(
                "the key does nothing: {}; {}",
                inhibited(reason),
                first_line(emulator.screen(), table)
            )),
            _ => Ok(()),
        }
    }
}

impl ScreenPlace {
    fn enter(&self, value: &str, screen: &mut Screen, table: &CodeTable) -> Result<(), String> {
        match self {
            ScreenPlace::Label(label) => {
                let field = screen.field_by_label(label, table);
                let field =
                    field.ok_or_else(|| format!("there is no input field after `{label}`"))?;
                fill(screen, &field, value, &format!("`{label}`"), table)
            }
            ScreenPlace::Position(row, column) => {
                let at = address(screen, *row, *column)?;
                let name = format!("{row},{column}");
                let fields = screen.fields();
                let Some(field) = fields.iter().find(|f| contains(f, at, screen.size())) else {
                    screen.set_cursor(at);
                    return type_text(screen, value, &name, table);
                };
                fill(screen, field, value, &name, table)
            }
            ScreenPlace::Cursor(row, column) => {
                let at = address(screen, *row, *column)?;
                screen.set_cursor(at);
                type_text(screen, value, &format!("{row},{column}"), table)
            }
            ScreenPlace::AtCursor => type_text(screen, value, "the cursor", table),
        }
    }
}

/// The address of row and column, both from 1.
fn address(screen: &Screen, row: u16, column: u16) -> Result<u16, String> {
    let size = screen.size();
    if row == 0 || column == 0 || row > size.rows() || column > size.columns() {
        let (rows, columns) = (size.rows(), size.columns());
        return Err(format!(
            "{row},{column} is outside the screen of {rows} rows and {columns} columns"
        ));
    }
    Ok((row - 1) * size.columns() + column - 1)
}

/// Whether a position is the field's attribute byte or within its data.
fn contains(field: &Field, at: u16, size: ScreenSize) -> bool {
    let positions = u32::from(size.positions());
    let offset = (u32::from(at) + positions - u32::from(field.start)) % positions;
    offset <= u32::from(field.length)
}

fn fill(
    screen: &mut Screen,
    field: &Field,
    value: &str,
    name: &str,
    table: &CodeTable,
) -> Result<(), String> {
    if field.attribute.is_protected() || field.length == 0 {
        return Err(format!("the field at {name} is protected"));
    }
    let length = value.chars().count();
    if length > usize::from(field.length) {
        return Err(format!(
            "the field at {name} has {} positions, but the value has {length} characters",
            field.length
        ));
    }
    typed(screen.fill_field(field, value, table), name)
}

fn type_text(
    screen: &mut Screen,
    value: &str,
    name: &str,
    table: &CodeTable,
) -> Result<(), String> {
    typed(screen.type_text(value, table), name)
}

fn typed(outcome: KeyOutcome, name: &str) -> Result<(), String> {
    match outcome {
        KeyOutcome::Inhibited(reason) => Err(format!(
            "nothing can be typed at {name}: {}",
            inhibited(reason)
        )),
        _ => Ok(()),
    }
}

const fn inhibited(reason: InhibitReason) -> &'static str {
    match reason {
        InhibitReason::System => "the keyboard is locked",
        InhibitReason::Protected => "the position is protected",
        InhibitReason::Numeric => "the field takes digits only",
        InhibitReason::Overflow => "the field is full",
        InhibitReason::NoCharacter => "the code page lacks a character of the value",
    }
}

/// The first line of the screen that is not blank, for messages.
pub fn first_line(screen: &Screen, table: &CodeTable) -> String {
    let text = screen.screen_text(table);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    line.map_or("the screen is empty".to_owned(), |line| {
        format!("the first line of the screen is `{line}`")
    })
}

/// The screen as checks and captures see it: rows without trailing blanks, each
/// followed by a line feed.
pub fn screen_body(screen: &Screen, table: &CodeTable) -> String {
    let text = screen.screen_text(table);
    let rows = text.lines().map(|row| row.trim_end().to_owned() + "\n");
    rows.collect()
}

/// The key of this name: `enter`, `clear`, `pf1` to `pf24`, `pa1` to `pa3`,
/// `attn`, `sysreq`, `select`. Returns `None` for any other.
pub fn key_named(name: &str) -> Option<Key> {
    let number = |prefix: &str| name.strip_prefix(prefix)?.parse::<u8>().ok();
    Some(match name {
        "enter" => Key::Enter,
        "clear" => Key::Clear,
        "attn" => Key::Attention,
        "sysreq" => Key::SystemRequest,
        "select" => Key::CursorSelect,
        _ => match (number("pf"), number("pa")) {
            (Some(n @ 1..=24), _) => Key::Pf(n),
            (_, Some(n @ 1..=3)) => Key::Pa(n),
            _ => return None,
        },
    })
}

/// The table of an EBCDIC code page by its name.
///
/// # Errors
/// There is no EBCDIC page of this name with one byte a character.
pub fn code_table(name: &str) -> Result<CodeTable, String> {
    let page = copybook::codepage::CodePage::by_name(name).map_err(|e| e.to_string())?;
    if !page.is_ebcdic() {
        return Err(format!("{name} is not an EBCDIC code page"));
    }
    Ok(CodeTable::from_fn(|byte| match byte {
        0..0x40 | 0xFF => None,
        _ => page.char_of(byte),
    }))
}

/// The size of `24x80`, or of a model 2 to 5. Returns `None` for anything else.
pub fn model_named(name: &str) -> Option<TerminalModel> {
    if let Ok(model @ 2..=5) = name.parse::<u8>() {
        return Some(TerminalModel::display(model));
    }
    let (rows, columns) = name.split_once('x')?;
    let size = ScreenSize::new(rows.parse().ok()?, columns.parse().ok()?)?;
    let least = ScreenSize::MODEL_2;
    let enough = size.rows() >= least.rows() && size.columns() >= least.columns();
    enough.then(|| TerminalModel::dynamic(size))
}

/// Separates two values of a step; no terminal can type it.
pub const SEPARATOR: char = '\u{1F}';

#[cfg(test)]
mod tests {
    use super::*;

    /// A menu: a label, a numeric input field of three positions, a protected
    /// text, and an input field without a label.
    fn menu() -> Emulator {
        let mut emulator = Emulator::with_model(TerminalModel::display(2));
        let record = [
            0xF5, 0xC3, 0x11, 0x40, 0x40, 0x1D, 0x60, 0xD6, 0xD7, 0xE3, 0x1D, 0x50, 0x13, 0, 0, 0,
            0x1D, 0x60, 0xC1, 0x11, 0xC1, 0x50, 0x1D, 0x40, 0, 0, 0, 0, 0x1D, 0x60,
        ];
        emulator.screen_mut().handle_record(&record).unwrap();
        emulator
    }

    fn step(places: Vec<ScreenPlace>) -> ScreenStep {
        ScreenStep {
            places,
            key: Key::Pf(3),
            wait: WaitFor::Unlock,
        }
    }

    #[test]
    fn values_go_to_labels_positions_and_the_cursor() {
        let table = CodeTable::cp037();
        let mut emulator = menu();
        let places = vec![
            ScreenPlace::Label("OPT".into()),
            ScreenPlace::Position(2, 3),
            ScreenPlace::Cursor(2, 4),
        ];
        step(places)
            .carry_out("12\u{1F}abcd\u{1F}x".as_bytes(), &mut emulator, &table)
            .unwrap();
        let screen = emulator.screen();
        assert_eq!(screen.row_text(0, &table).trim_end(), " OPT 12  A");
        assert_eq!(screen.row_text(1, &table).trim(), "abxd");
        assert!(!WaitFor::Unlock.is_met(screen, &table));
        assert!(WaitFor::Nothing.is_met(screen, &table));
    }

    #[test]
    fn what_cannot_be_typed_is_an_error_with_the_screen() {
        let table = CodeTable::cp037();
        let refused = |place: ScreenPlace, value: &str| {
            let mut emulator = menu();
            let step = step(vec![place]);
            step.carry_out(value.as_bytes(), &mut emulator, &table)
                .unwrap_err()
        };
        let label = |name: &str| ScreenPlace::Label(name.into());
        assert_eq!(
            refused(label("NAME"), "x"),
            "there is no input field after `NAME`; the first line of the screen is `OPT     A`"
        );
        assert!(refused(label("OPT"), "1234").contains("has 3 positions, but the value has 4"));
        assert!(refused(label("OPT"), "ab").contains("digits only"));
        assert!(refused(ScreenPlace::Position(1, 10), "x").contains("is protected"));
        assert!(refused(ScreenPlace::Position(25, 1), "x").contains("outside the screen"));
        assert!(refused(ScreenPlace::Position(2, 3), "\u{20AC}").contains("code page lacks"));
        assert!(refused(label("OPT"), "1\u{1F}2").contains("U+001F"));
    }

    #[test]
    fn keys_and_models_have_names() {
        assert_eq!(key_named("pf24"), Some(Key::Pf(24)));
        assert_eq!(key_named("pa3"), Some(Key::Pa(3)));
        for unknown in ["pf0", "pf25", "pa4", "PF1", ""] {
            assert_eq!(key_named(unknown), None, "{unknown}");
        }
        assert_eq!(model_named("5").unwrap().alternate.columns(), 132);
        assert!(model_named("62x160").unwrap().dynamic);
        assert!(model_named("10x10").is_none());
        assert!(model_named("6").is_none());
    }
}

//! The debugger's screens: what a report looks like, and what was typed over it.
//!
//! A screen has a header, a body that scrolls, a message line and the menu of
//! keys, as the manual's has. Values can be typed over where they stand.
//! Reference: CICS application programming, EDF, "What does EDF display?".

use cics::command::{Command, DataDirection, NOHANDLE, OptionArgument, by_number};
use cics::cvda;
use cics::resp::Condition;
use link::OperandValue;
use link::stepping::{StepPoint, StepReport};
use region::TransId;

use super::session::StepChanges;
use super::stops::StopConditions;
use crate::eib::{self, hexadecimal, printable};
use crate::panel::{ScreenPanel, UserInput, address};

/// What the user looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepView {
    /// The report that waits.
    Current,
    /// One of before.
    Previous,
    /// The EIB.
    Eib,
    /// Working storage.
    Storage,
    /// The stop conditions.
    Stops,
    /// What the program has shown.
    UserScreen,
}

/// A value that can be typed over.
#[derive(Debug, Clone)]
pub struct ShownField {
    row: u16,
    column: u16,
    shown: String,
    target: FieldTarget,
}

#[derive(Debug, Clone)]
enum FieldTarget {
    /// The command: NOOP leaves it out.
    Command,
    /// An operand with the bytes that are shown.
    Operand(u8, Vec<u8>),
    /// A number, or the name of a CVDA.
    Number(u8),
    /// The condition.
    Response,
}

/// All that a screen is made of.
pub struct StepPicture<'a> {
    /// The report.
    pub report: &'a StepReport,
    /// The transaction.
    pub transid: TransId,
    /// The task.
    pub task: u64,
    /// The region.
    pub applid: &'a str,
    /// What the user looks at.
    pub view: StepView,
    /// How many displays the user has gone back.
    pub back: usize,
    /// The terminal is the task's own.
    pub own: bool,
    /// Values are shown in hexadecimal.
    pub hexadecimal: bool,
    /// First line of the body.
    pub first_line: usize,
    /// The stop conditions.
    pub stops: &'a StopConditions,
    /// What was changed.
    pub changes: &'a StepChanges,
}

/// A line of the body: text before a value, the value, text after it.
struct BodyLine {
    before: String,
    value: Option<(String, FieldTarget)>,
    after: &'static str,
}

impl BodyLine {
    fn text(text: impl Into<String>) -> BodyLine {
        BodyLine {
            before: text.into(),
            value: None,
            after: "",
        }
    }
}

/// An SQL statement: each line of the report, cut to the width of the body.
fn sql_lines(message: &str) -> Vec<BodyLine> {
    let mut lines = Vec::new();
    for line in message.lines() {
        let characters: Vec<char> = line.chars().collect();
        let parts = characters.chunks(BODY_COLUMNS);
        lines.extend(parts.map(|part| BodyLine::text(part.iter().collect::<String>())));
    }
    lines
}

impl StepPicture<'_> {
    /// The screen, and what can be typed over on it.
    pub fn draw(&self) -> (ScreenPanel, Vec<ShownField>) {
        let mut panel = ScreenPanel::new();
        let mut fields = Vec::new();
        self.header(&mut panel);
        match self.view {
            StepView::Stops => self.stops.show(&mut panel),
            StepView::Storage => self.storage(&mut panel),
            _ => self.body(&mut panel, &mut fields),
        }
        self.foot(&mut panel, &mut fields);
        self.menu(&mut panel);
        (panel, fields)
    }

    fn header(&self, panel: &mut ScreenPanel) {
        let program = String::from_utf8_lossy(&self.report.program).into_owned();
        let header = format!(
            "TRANSACTION: {:4} PROGRAM: {program:8} TASK: {:07} APPLID: {:8} DISPLAY:{:02}",
            self.transid.to_string().trim_end(),
            self.task % 10_000_000,
            self.applid,
            self.back
        );
        panel.text(1, 2, header);
        let status = match (self.view, self.report.point) {
            (StepView::Stops, _) => "DISPLAY ON CONDITION",
            (StepView::Storage, _) => "WORKING STORAGE",
            (StepView::Eib, _) => "EIB DISPLAY",
            (_, StepPoint::ProgramBegins) => "PROGRAM INITIATION",
            (_, StepPoint::CommandBegins | StepPoint::SqlBegins) => "ABOUT TO EXECUTE COMMAND",
            (_, StepPoint::CommandEnds | StepPoint::SqlEnds) => "COMMAND EXECUTION COMPLETE",
            (_, StepPoint::ProgramEnds) => "PROGRAM TERMINATION",
            (_, StepPoint::Abend) => "AN ABEND HAS OCCURRED",
            (_, StepPoint::TaskEnds) => "TASK TERMINATION",
            (_, StepPoint::TaskAbends) => "ABNORMAL TASK TERMINATION",
        };
        panel.bright(2, 2, format!("STATUS:  {status}"));
    }

    fn body(&self, panel: &mut ScreenPanel, fields: &mut Vec<ShownField>) {
        let lines = self.lines();
        let last = lines.len().saturating_sub(1);
        let first = self.first_line.min(last / BODY_LINES * BODY_LINES);
        let more = lines.len() > first + BODY_LINES;
        let shown = lines.into_iter().skip(first).take(BODY_LINES);
        for (row, line) in (FIRST_ROW..).zip(shown) {
            panel.text(row, 2, line.before.clone());
            let Some((shown, target)) = line.value else {
                continue;
            };
            let column = 2 + line.before.len() as u16 + 1;
            let length = (shown.len() as u16).max(match target {
                FieldTarget::Command => 16,
                FieldTarget::Number(_) => 12,
                _ => 1,
            });
            panel.input(row, column, length, &shown);
            panel.text(row, column + length + 1, line.after);
            fields.push(ShownField {
                row,
                column,
                shown,
                target,
            });
        }
        if more {
            panel.bright(FIRST_ROW + BODY_LINES as u16, 2, "+");
        }
    }

    fn lines(&self) -> Vec<BodyLine> {
        let report = self.report;
        let eib = || eib::lines(&report.eib).map(BodyLine::text);
        match (self.view, report.point) {
            (StepView::Eib, _) => eib().collect(),
            (_, StepPoint::CommandBegins | StepPoint::CommandEnds) => self.command_lines(),
            (_, StepPoint::SqlBegins | StepPoint::SqlEnds) => sql_lines(&report.message),
            (_, StepPoint::TaskEnds) => Vec::new(),
            (_, StepPoint::Abend | StepPoint::TaskAbends) => {
                let code = printable(&report.abend);
                let message = report.message.chars().take(70).collect::<String>();
                let abend = [format!("ABEND :  {code}"), message];
                abend.into_iter().map(BodyLine::text).chain(eib()).collect()
            }
            (_, StepPoint::ProgramBegins | StepPoint::ProgramEnds) => {
                let shown = &report.commarea[..report.commarea.len().min(SHOWN)];
                let value = if self.hexadecimal {
                    format!("X'{}'", hexadecimal(&shown[..shown.len().min(SHOWN / 2)]))
                } else {
                    format!("'{}'", printable(shown))
                };
                let commarea = BodyLine::text(format!("COMMAREA = {value}"));
                let given = !report.commarea.is_empty();
                given.then_some(commarea).into_iter().chain(eib()).collect()
            }
        }
    }

    fn command_lines(&self) -> Vec<BodyLine> {
        let Some(row) = by_number(self.report.command) else {
            return Vec::new();
        };
        let name = if self.changes.skip { "NOOP" } else { row.name };
        let mut lines = vec![BodyLine {
            before: "EXEC CICS".to_owned(),
            value: Some((name.to_owned(), FieldTarget::Command)),
            after: "",
        }];
        let bits = self.report.operands.options;
        let given = (0..NOHANDLE).filter(|index| bits >> index & 1 == 1);
        lines.extend(given.filter_map(|index| self.option_line(row, index)));
        if bits >> NOHANDLE & 1 == 1 {
            lines.push(BodyLine::text("  NOHANDLE"));
        }
        lines
    }

    fn option_line(&self, row: &'static Command, index: u8) -> Option<BodyLine> {
        let option = row.option(index)?;
        let changed = self.changes.operands.get(&index);
        let given = self.report.operands.each().find(|(at, _)| *at == index);
        let value = changed.or(given.map(|(_, value)| value));
        let Some(value) = value else {
            // The name of SEND TEXT has its option TEXT.
            let is_named = row.name.split(' ').any(|word| word == option.name);
            return (!is_named).then(|| BodyLine::text(format!("  {}", option.name)));
        };
        let pointer = matches!(
            option.argument,
            OptionArgument::PtrRef | OptionArgument::PtrValue
        );
        let name = option.name;
        let before = self.report.point == StepPoint::CommandBegins;
        // A result can be changed when it is there, an argument before it is used.
        let can_change = self.view == StepView::Current
            && match option.direction {
                DataDirection::In => before,
                DataDirection::Out => !before,
                DataDirection::InOut => true,
            };
        let (shown, target) = match value {
            OperandValue::Int(number) if pointer => {
                return Some(BodyLine::text(format!("  {name} (AT X'{number:016X}')")));
            }
            OperandValue::Int(number) => {
                let named = u32::try_from(*number).ok().and_then(cvda::name);
                let named = named.filter(|_| option.argument == OptionArgument::Cvda);
                let shown = named.map_or_else(|| format!("{number:+06}"), str::to_owned);
                (shown, FieldTarget::Number(index))
            }
            OperandValue::Bytes(bytes) if bytes.is_empty() => {
                return Some(BodyLine::text(format!("  {name} ('')")));
            }
            OperandValue::Bytes(bytes) => {
                let room = SHOWN - name.len().min(SHOWN / 2);
                let shown = if self.hexadecimal {
                    hexadecimal(&bytes[..bytes.len().min(room / 2)])
                } else {
                    printable(&bytes[..bytes.len().min(room)])
                };
                (shown, FieldTarget::Operand(index, bytes.clone()))
            }
        };
        let is_cut = matches!(&target, FieldTarget::Operand(_, bytes)
            if bytes.len() > shown.len() / if self.hexadecimal { 2 } else { 1 });
        let (open, close) = match (&target, self.hexadecimal) {
            (FieldTarget::Number(_), _) => ("(", ")"),
            (_, true) if is_cut => ("(X'", "'...)"),
            (_, true) => ("(X'", "')"),
            (_, false) if is_cut => ("('", "'...)"),
            (_, false) => ("('", "')"),
        };
        if !can_change {
            return Some(BodyLine::text(format!("  {name} {open}{shown}{close}")));
        }
        Some(BodyLine {
            before: format!("  {name} {open}"),
            value: Some((shown, target)),
            after: close,
        })
    }

    /// The lines between body and menu.
    fn foot(&self, panel: &mut ScreenPanel, fields: &mut Vec<ShownField>) {
        let report = self.report;
        if !self.changes.message.is_empty() {
            panel.bright(MESSAGE_ROW, 2, self.changes.message.clone());
        }
        if self.changes.asks_abend && self.view == StepView::Current {
            panel.bright(ABEND_ROW, 2, "ENTER ABEND CODE AND PRESS PF12 AGAIN");
            panel.input(ABEND_ROW, ABEND_COLUMN, 4, "");
            panel.cursor(ABEND_ROW, ABEND_COLUMN);
        }
        let is_report = matches!(self.view, StepView::Current | StepView::Previous);
        if report.point.is_command() && is_report {
            let row = by_number(report.command);
            let function = row.map_or(0, |row| row.eibfn.unwrap_or(row.number));
            panel.text(
                18,
                2,
                format!("LINE: {:05}          EIBFN=X'{function:04X}'", report.line),
            );
        }
        if matches!(report.point, StepPoint::SqlBegins | StepPoint::SqlEnds) && is_report {
            panel.text(18, 2, format!("LINE: {:05}", report.line));
        }
        let ends = matches!(report.point, StepPoint::TaskEnds | StepPoint::TaskAbends);
        if report.point == StepPoint::CommandEnds && self.view == StepView::Current {
            let chosen = self.changes.response.map(i32::from);
            let number = chosen.unwrap_or(eib::response(&report.eib));
            let shown = condition_name(number);
            panel.text(RESPONSE_ROW, 2, "RESPONSE:");
            panel.input(RESPONSE_ROW, RESPONSE_COLUMN, 16, &shown);
            let resp2 = eib::response2(&report.eib);
            panel.text(
                RESPONSE_ROW,
                30,
                format!("EIBRESP={number:+011}  EIBRESP2={resp2:+011}"),
            );
            fields.push(ShownField {
                row: RESPONSE_ROW,
                column: RESPONSE_COLUMN,
                shown,
                target: FieldTarget::Response,
            });
        } else if ends && self.own && self.view == StepView::Current {
            panel.text(REPLY_ROW, 2, "CONTINUE EDF? (ENTER YES OR NO)");
            panel.text(REPLY_ROW, 50, "REPLY:");
            let reply = if continues(report) { "YES" } else { "NO" };
            panel.input(REPLY_ROW, REPLY_COLUMN, 3, reply);
            panel.cursor(REPLY_ROW, REPLY_COLUMN);
        }
    }

    fn menu(&self, panel: &mut ScreenPanel) {
        let switch = "SWITCH HEX/CHAR";
        let (enter, keys) = match self.view {
            StepView::Current | StepView::UserScreen => (
                "CONTINUE",
                [
                    "UNDEFINED",
                    switch,
                    "END EDF SESSION",
                    "SUPPRESS DISPLAYS",
                    "WORKING STORAGE",
                    "USER DISPLAY",
                    "SCROLL BACK",
                    "SCROLL FORWARD",
                    "STOP CONDITIONS",
                    "PREVIOUS DISPLAY",
                    "EIB DISPLAY",
                    "ABEND USER TASK",
                ],
            ),
            StepView::Previous => ("CURRENT DISPLAY", previous_keys(switch)),
            StepView::Storage => ("CURRENT DISPLAY, OR CHANGE", scroll_keys(switch)),
            StepView::Stops => ("CURRENT DISPLAY", stop_keys()),
            StepView::Eib => ("CURRENT DISPLAY", other_keys(switch)),
        };
        panel.text(20, 2, format!("ENTER:  {enter}"));
        for (index, key) in (0u16..).zip(keys) {
            let text = format!("PF{:<2}: {key}", index + 1);
            panel.text(21 + index / 3, 2 + index % 3 * 27, text);
        }
    }

    fn storage(&self, panel: &mut ScreenPanel) {
        let Some((offset, bytes)) = &self.report.storage else {
            return;
        };
        panel.text(
            3,
            2,
            format!("OFFSET OF {:06X}: ", self.report.storage_bytes),
        );
        panel.input(3, OFFSET_COLUMN, 6, &format!("{offset:06X}"));
        let shown = &bytes[..bytes.len().min(STORAGE_SHOWN)];
        for (row, (at, line)) in (FIRST_ROW..).zip((0u32..).step_by(16).zip(shown.chunks(16))) {
            panel.text(row, 2, format!("{:06X}", offset + at));
            for (column, word) in WORD_COLUMNS.into_iter().zip(line.chunks(4)) {
                panel.input(row, column, word.len() as u16 * 2, &hexadecimal(word));
            }
            panel.text(row, 50, format!("*{}*", printable(line)));
        }
        panel.cursor(FIRST_ROW, WORD_COLUMNS[0]);
    }
}

/// Takes what was typed over. Returns whether something was.
///
/// # Errors
/// What is wrong with it.
pub fn take_changes(
    fields: &[ShownField],
    entered: &UserInput,
    digits: bool,
    changes: &mut StepChanges,
) -> Result<bool, String> {
    let mut any = false;
    for field in fields {
        let Some(typed) = raw(entered, field.row, field.column) else {
            continue;
        };
        if typed.trim_end() == field.shown.trim_end() {
            continue;
        }
        any = true;
        let word = typed.trim().to_ascii_uppercase();
        match &field.target {
            FieldTarget::Command => {
                changes.skip = word == "NOP" || word == "NOOP";
                if !changes.skip {
                    return Err("THE COMMAND CAN BE CHANGED TO NOOP ONLY".to_owned());
                }
            }
            FieldTarget::Number(index) => {
                let named = cvda::value(&word).map(i64::from);
                let number = named.or_else(|| word.parse().ok());
                let number = number.ok_or_else(|| format!("{word} IS NOT A NUMBER"))?;
                changes.operands.insert(*index, OperandValue::Int(number));
            }
            FieldTarget::Operand(index, bytes) => {
                let bytes = typed_over(bytes, &field.shown, &typed, digits)?;
                changes.operands.insert(*index, OperandValue::Bytes(bytes));
            }
            FieldTarget::Response => {
                let condition = Condition::from_name(&word);
                let condition = condition.ok_or_else(|| format!("{word} IS NOT A CONDITION"))?;
                changes.response = Some(condition.number());
            }
        }
    }
    Ok(any)
}

/// The bytes of a value after its shown part was typed over. Characters that stay
/// as they were shown stand for the bytes of before.
fn typed_over(old: &[u8], shown: &str, typed: &str, digits: bool) -> Result<Vec<u8>, String> {
    let mut bytes = old.to_vec();
    if digits {
        let new = parse_digits(typed, shown.len() / 2)?;
        bytes[..new.len()].copy_from_slice(&new);
        return Ok(bytes);
    }
    let typed = typed.chars().chain(std::iter::repeat(' '));
    for ((to, new), old) in bytes.iter_mut().zip(typed).zip(shown.chars()) {
        if new != old {
            *to = u8::try_from(u32::from(new)).unwrap_or(b'?');
        }
    }
    Ok(bytes)
}

fn parse_digits(text: &str, bytes: usize) -> Result<Vec<u8>, String> {
    let text = text.trim();
    let wrong = || format!("{text} IS NOT {bytes} BYTES IN HEXADECIMAL");
    if text.len() != bytes * 2 || !text.is_ascii() {
        return Err(wrong());
    }
    let digits = (0..bytes).map(|at| u8::from_str_radix(&text[at * 2..at * 2 + 2], 16));
    digits.collect::<Result<_, _>>().map_err(|_| wrong())
}

/// The storage to write, or to show next: its offset, and bytes if some were typed
/// over. Returns `None` if nothing was.
///
/// # Errors
/// What was typed is not hexadecimal.
pub fn changed_storage(
    bytes: &[u8],
    offset: u32,
    entered: &UserInput,
) -> Result<Option<(u32, Vec<u8>)>, String> {
    let mut changed = bytes[..bytes.len().min(STORAGE_SHOWN)].to_vec();
    for (row, line) in (FIRST_ROW..).zip(changed.chunks_mut(16)) {
        for (column, word) in WORD_COLUMNS.into_iter().zip(line.chunks_mut(4)) {
            if let Some(typed) = raw(entered, row, column) {
                word.copy_from_slice(&parse_digits(&typed, word.len())?);
            }
        }
    }
    if changed != bytes[..changed.len()] {
        return Ok(Some((offset, changed)));
    }
    let to = entered.field(3, OFFSET_COLUMN);
    let to = to.map(|text| u32::from_str_radix(text, 16).map_err(|_| text.to_owned()));
    match to.transpose() {
        Ok(to) => Ok(to.filter(|to| *to != offset).map(|to| (to, Vec::new()))),
        Err(text) => Err(format!("{text} IS NOT AN OFFSET IN HEXADECIMAL")),
    }
}

/// What was typed into a field, with its blanks.
fn raw(entered: &UserInput, row: u16, column: u16) -> Option<String> {
    let at = address(row, column);
    let field = entered.fields.iter().find(|(start, _)| *start == at)?;
    Some(field.1.trim_end_matches('\0').to_owned())
}

/// Whether the next task of the terminal is stepped through if the user does not
/// choose: the program has named it.
pub fn continues(report: &StepReport) -> bool {
    report.next_transid.iter().any(|byte| *byte != b' ')
}

fn condition_name(number: i32) -> String {
    let named = u16::try_from(number).ok().and_then(Condition::from_number);
    named.map_or_else(|| number.to_string(), |condition| condition.to_string())
}

const UNDEFINED: &str = "UNDEFINED";

fn previous_keys(switch: &'static str) -> [&'static str; 12] {
    let mut keys = [UNDEFINED; 12];
    (keys[1], keys[9], keys[10]) = (switch, "PREVIOUS DISPLAY", "NEXT DISPLAY");
    keys
}

fn scroll_keys(switch: &'static str) -> [&'static str; 12] {
    let mut keys = [UNDEFINED; 12];
    (keys[1], keys[2]) = (switch, "CURRENT DISPLAY");
    (keys[6], keys[7]) = ("SCROLL BACK", "SCROLL FORWARD");
    keys
}

fn stop_keys() -> [&'static str; 12] {
    let mut keys = [UNDEFINED; 12];
    keys[3] = "SUPPRESS DISPLAYS";
    keys
}

fn other_keys(switch: &'static str) -> [&'static str; 12] {
    let mut keys = [UNDEFINED; 12];
    keys[1] = switch;
    keys
}

/// Characters of a line of the body.
const BODY_COLUMNS: usize = 76;
/// Lines of the body.
pub const BODY_LINES: usize = 12;
/// Bytes of storage on a screen.
pub const STORAGE_SHOWN: usize = 192;
const FIRST_ROW: u16 = 4;
const MESSAGE_ROW: u16 = 17;
const RESPONSE_ROW: u16 = 19;
const RESPONSE_COLUMN: u16 = 12;
/// Where the code of an abend is typed.
pub const ABEND_ROW: u16 = 17;
/// Its column.
pub const ABEND_COLUMN: u16 = 42;
/// Where the user says whether to continue.
pub const REPLY_ROW: u16 = 19;
/// Its column.
pub const REPLY_COLUMN: u16 = 58;
/// Where the offset of storage stands.
const OFFSET_COLUMN: u16 = 21;
/// Columns of the words of storage.
const WORD_COLUMNS: [u16; 4] = [10, 20, 30, 40];
/// Characters of a value on a line.
const SHOWN: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_stay_as_shown_stand_for_the_bytes_of_before() {
        let old = [b'A', 0, b'B', 0xFF];
        let typed = typed_over(&old, "A.B.", "X.BY", false).unwrap();
        assert_eq!(typed, [b'X', 0, b'B', b'Y']);
        // Erased characters are blank; bytes that are not shown stay.
        let typed = typed_over(b"ABCDEF", "ABCD", "AB", false).unwrap();
        assert_eq!(typed, b"AB  EF");
        let typed = typed_over(&old, "410042FF", "41004200", true).unwrap();
        assert_eq!(typed, [b'A', 0, b'B', 0]);
        assert!(typed_over(&old, "410042FF", "41 0", true).is_err());
        assert!(typed_over(&old, "410042FF", "4100420G", true).is_err());
    }

    #[test]
    fn storage_is_written_as_a_whole_or_shown_from_another_offset() {
        let bytes = [7u8; 256];
        let typed = |row, column, text: &str| UserInput {
            fields: vec![(address(row, column), text.to_owned())],
            ..UserInput::default()
        };
        let changed = changed_storage(&bytes, 32, &typed(FIRST_ROW, WORD_COLUMNS[1], "01020304"));
        let (offset, written) = changed.unwrap().unwrap();
        assert_eq!((offset, written.len()), (32, STORAGE_SHOWN));
        assert_eq!(written[..9], [7, 7, 7, 7, 1, 2, 3, 4, 7]);
        let moved = changed_storage(&bytes, 32, &typed(3, OFFSET_COLUMN, "0000F0"));
        assert_eq!(moved, Ok(Some((240, Vec::new()))));
        let same = changed_storage(&bytes, 32, &typed(3, OFFSET_COLUMN, "000020"));
        assert_eq!(same, Ok(None));
        assert!(changed_storage(&bytes, 0, &typed(FIRST_ROW, 10, "XY")).is_err());
    }
}

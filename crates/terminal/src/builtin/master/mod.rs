//! CEMT: the master terminal, as people type it.
//!
//! The command stays in the first line and can be typed over; ENTER looks
//! again, PF7, PF8, PF10 and PF11 page. A SET is done once: the pages after it
//! show how things are. Values that a SET could change can be typed over.
//! Reference: CICS supplied transactions, CEMT.

mod command;
mod overtype;
mod resources;
mod show;

use cics::command::commands as rows;
use link::CommandOperands;

use super::{BuiltInTask, CLEAR, InteractionResult, PF3, PF7, PF8, PF10, PF11};
use crate::panel::{ScreenPanel, UserInput};
use command::{MasterCommand, Verb};
use overtype::ShownLine;
use show::{LinePart, ResourceLine};

/// One interaction.
pub async fn run(task: &mut BuiltInTask<'_>, entered: Option<UserInput>) -> InteractionResult {
    if !task.may(false) {
        return task.not_authorized();
    }
    let entered = entered.unwrap_or_default();
    let before = Session::parse(&task.commarea);
    let Some(before) = before else {
        let text = entered.called_with().to_owned();
        return shown(task, Session::new(text), true, &[]).await;
    };
    if matches!(entered.aid, PF3 | CLEAR) {
        return task.leave("CEMT has ended.");
    }
    match entered.field(1, 2).map(str::to_owned) {
        // PF keys page in what is there, whatever was typed meanwhile.
        Some(text) if text != before.text => shown(task, Session::new(text), true, &[]).await,
        _ => {
            let notes = overtyped(task, &before, &entered).await?;
            let first = match entered.aid {
                PF7 => before.first.saturating_sub(LINES),
                PF8 => before.first + LINES,
                PF10 => 0,
                PF11 => usize::MAX,
                _ => before.first,
            };
            shown(task, Session { first, ..before }, false, &notes).await
        }
    }
}

/// Does what was typed over values. Returns the names with what became of each.
async fn overtyped(
    task: &mut BuiltInTask<'_>,
    before: &Session,
    entered: &UserInput,
) -> Result<Vec<(String, String)>, [u8; 4]> {
    let mut notes = Vec::new();
    let Ok(mut command) = command::parse(&before.text) else {
        return Ok(notes);
    };
    command.verb = Verb::Set;
    for (row, line) in (FIRST_ROW..).zip(&before.lines) {
        let typed = line.fields.iter().filter_map(|(column, target)| {
            let typed = entered.field(row, u16::from(*column))?;
            Some(overtype::change(command.resource, *target, typed))
        });
        let typed: Result<Vec<_>, String> = typed.collect();
        let note = match typed {
            Ok(changes) if changes.is_empty() => continue,
            _ if !task.may(true) => "NOT AUTHORIZED".to_owned(),
            Ok(changes) => {
                command.changes = changes;
                let note = show::set(task, &command, &line.key).await?;
                log(task, &command, &line.key, &note);
                note
            }
            Err(why) => why,
        };
        notes.push((line.key.clone(), note));
    }
    Ok(notes)
}

/// What is kept between two inputs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Session {
    /// The first line that is shown, from 0.
    first: usize,
    /// The command.
    text: String,
    /// The lines that are on the screen.
    lines: Vec<ShownLine>,
}

impl Session {
    fn new(text: String) -> Session {
        Session {
            text,
            ..Session::default()
        }
    }

    fn parse(commarea: &[u8]) -> Option<Session> {
        let (first, rest) = commarea.strip_prefix(MARK)?.split_first_chunk::<4>()?;
        let (length, rest) = rest.split_first_chunk::<2>()?;
        let length = usize::from(u16::from_be_bytes(*length));
        let (text, lines) = rest.split_at_checked(length)?;
        Some(Session {
            first: u32::from_be_bytes(*first) as usize,
            text: text.iter().map(|byte| char::from(*byte)).collect(),
            lines: overtype::parse(lines),
        })
    }

    fn emit(&self) -> Vec<u8> {
        // At most 1,000 lines are there.
        let first = (self.first as u32).to_be_bytes();
        let text = self.text.chars().map(|c| u8::try_from(c).unwrap_or(b'?'));
        let text: Vec<u8> = text.take(usize::from(u16::MAX)).collect();
        let mut out = MARK.to_vec();
        out.extend(first);
        out.extend((text.len() as u16).to_be_bytes());
        out.extend(text);
        overtype::emit(&self.lines, &mut out);
        out
    }
}

/// Does the command and shows the result. `acts` is false for a look at
/// what was asked for before; `notes` say what became of overtyped lines.
async fn shown(
    task: &mut BuiltInTask<'_>,
    mut session: Session,
    acts: bool,
    notes: &[(String, String)],
) -> InteractionResult {
    let parsed = command::parse(&session.text);
    let mut outcome = match &parsed {
        Ok(command) => perform(task, command, acts).await?,
        Err(lines) => CommandOutcome::syntax(lines.clone()),
    };
    outcome.note(notes);
    let resource = parsed.ok().map(|command| command.resource);
    // Who may not change anything gets no input fields.
    let resource = resource.filter(|_| task.may(true));
    let lines = &outcome.lines;
    let last = lines.len().saturating_sub(1) / LINES * LINES;
    session.first = session.first.min(last);
    let mut panel = ScreenPanel::new();
    panel.input(1, 2, COMMAND_LENGTH, &session.text);
    panel.cursor(1, 2);
    panel.text(2, 2, format!("STATUS:  {}", outcome.status));
    let page = lines.iter().skip(session.first).take(LINES);
    session.lines.clear();
    for (row, line) in (FIRST_ROW..).zip(page) {
        let parts = match resource {
            Some(resource) => line.parts(resource),
            None => vec![LinePart::Text(line.text())],
        };
        session.lines.push(ShownLine {
            key: line.key.clone(),
            fields: put(&mut panel, row, &parts),
        });
    }
    if lines.len() > LINES {
        let (from, to) = (session.first + 1, lines.len().min(session.first + LINES));
        panel.text(21, 2, format!("{from} to {to} of {}", lines.len()));
    }
    let applid = &task.shared.applid;
    panel.text(22, 50, format!("APPLID={applid}"));
    panel.bright(23, 2, format!("RESPONSE: {}", outcome.response));
    let keys = "PF 3 END   7 BACK   8 FORWARD   10 TOP   11 BOTTOM   ENTER look again";
    panel.text(24, 2, keys);
    task.show(&panel);
    task.continue_with(session.emit()).await
}

/// Puts the parts of a line on the screen. Returns where its input fields are.
fn put(
    panel: &mut ScreenPanel,
    row: u16,
    parts: &[LinePart],
) -> Vec<(u8, overtype::OvertypeTarget)> {
    let mut fields = Vec::new();
    let mut column = 2;
    // Texts without an input field between them are one field of the screen.
    let mut text = String::new();
    let mut text_column = column;
    for part in parts {
        let width = part.text().chars().count() as u16;
        match part {
            LinePart::Text(part) => {
                if text.is_empty() {
                    text_column = column;
                } else {
                    text.push(' ');
                }
                text.push_str(part);
            }
            LinePart::Input(shown, target) => {
                if !text.is_empty() {
                    panel.text(row, text_column, std::mem::take(&mut text));
                }
                panel.input(row, column, width, shown);
                // A row has 80 columns.
                fields.push((column as u8, *target));
            }
        }
        column += width + 1;
    }
    if !text.is_empty() {
        panel.text(row, text_column, text);
    }
    fields
}

/// What is shown of a command.
struct CommandOutcome {
    status: &'static str,
    lines: Vec<ResourceLine>,
    response: String,
}

impl CommandOutcome {
    fn syntax(lines: Vec<String>) -> CommandOutcome {
        CommandOutcome {
            status: "COMMAND SYNTAX CHECK",
            response: if lines.is_empty() {
                "ENTER ONE"
            } else {
                "ERROR"
            }
            .to_owned(),
            lines: command::help(&lines)
                .into_iter()
                .map(ResourceLine::of)
                .collect(),
        }
    }

    /// Puts notes to the lines of their names.
    fn note(&mut self, notes: &[(String, String)]) {
        let mut failed = 0;
        for (key, note) in notes {
            failed += usize::from(note != "NORMAL");
            match self.lines.iter_mut().find(|line| line.key == *key) {
                Some(line) => line.note.clone_from(note),
                // A filter leaves it out, or it has gone.
                None => self.lines.push(ResourceLine::of(format!("{key} {note}"))),
            }
        }
        if failed > 0 {
            self.response = errors(failed);
        }
    }

    fn refused(line: &str) -> CommandOutcome {
        CommandOutcome {
            status: "RESULTS",
            lines: vec![ResourceLine::of(line.to_owned())],
            response: "ERROR".to_owned(),
        }
    }
}

async fn perform(
    task: &mut BuiltInTask<'_>,
    command: &MasterCommand,
    acts: bool,
) -> Result<CommandOutcome, [u8; 4]> {
    if command.verb != Verb::Inquire && acts && !task.may(true) {
        return Ok(CommandOutcome::refused(
            "You may look, and not change: the role operations is needed for SET and PERFORM.",
        ));
    }
    if command.verb == Verb::Perform {
        return performed(task, command, acts).await;
    }
    let acts = acts && command.verb == Verb::Set;
    let mut lines = show::inquire(task, command).await?;
    if lines.is_empty() {
        return Ok(CommandOutcome::refused("NOT FOUND"));
    }
    let mut failed = 0;
    if acts {
        for line in &mut lines {
            line.note = show::set(task, command, &line.key).await?;
            failed += usize::from(line.note != "NORMAL");
            log(task, command, &line.key, &line.note);
        }
        lines = show::after_set(task, command, lines).await?;
    }
    Ok(CommandOutcome {
        status: "RESULTS",
        lines,
        response: errors(failed),
    })
}

/// The response line for so many lines that failed.
fn errors(failed: usize) -> String {
    match failed {
        0 => "NORMAL".to_owned(),
        1 => "1 ERROR".to_owned(),
        many => format!("{many} ERRORS"),
    }
}

/// Logs a change with its user and terminal.
fn log(task: &BuiltInTask<'_>, command: &MasterCommand, key: &str, note: &str) {
    let user = task.guest.userid().to_string();
    let terminal = task.display.terminal_name();
    let resource = command.resource.name;
    tracing::info!(target: "terminal", user = user.trim_end(), %terminal, "CEMT SET {resource}({key}): {note}");
}

/// PERFORM. The region's end is for the process that it is part of.
async fn performed(
    task: &mut BuiltInTask<'_>,
    command: &MasterCommand,
    acts: bool,
) -> Result<CommandOutcome, [u8; 4]> {
    let number = match command.resource.name {
        "SHUTDOWN" => {
            return Ok(CommandOutcome::refused(
                "PERFORM SHUTDOWN is not done at a terminal: end the server's process.",
            ));
        }
        "RESETTIME" => rows::perform_resettime::NUMBER,
        _ => rows::perform_statistics::NUMBER,
    };
    let mut note = "NORMAL".to_owned();
    if acts {
        let answer = task.command(number, &CommandOperands::default()).await;
        note = show::note(&answer);
    }
    Ok(CommandOutcome {
        status: "RESULTS",
        lines: vec![ResourceLine::of(format!(
            "PERFORM {} {note}",
            command.resource.name
        ))],
        response: note,
    })
}

/// The COMMAREA begins so.
const MARK: &[u8] = b"CEMT";
/// Row of the first line.
const FIRST_ROW: u16 = 3;
/// Lines of a page.
const LINES: usize = 18;
/// Characters of a command.
const COMMAND_LENGTH: u16 = 77;

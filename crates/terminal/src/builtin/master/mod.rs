//! CEMT: the master terminal, as people type it.
//!
//! The command stays in the first line and can be typed over; ENTER looks
//! again, PF7, PF8, PF10 and PF11 page. A SET is done once: the pages after it
//! show how things are. What is shown cannot be typed over.
//! Reference: CICS supplied transactions, CEMT.

mod command;
mod resources;
mod show;

use cics::command::commands as rows;
use link::CommandOperands;

use super::panel::{ScreenPanel, UserInput};
use super::{BuiltInTask, CLEAR, InteractionResult, PF3, PF7, PF8, PF10, PF11};
use command::{MasterCommand, Verb};
use show::ResourceLine;

/// One interaction.
pub async fn run(task: &mut BuiltInTask<'_>, entered: Option<UserInput>) -> InteractionResult {
    if !task.may(false) {
        return task.not_authorized();
    }
    let entered = entered.unwrap_or_default();
    let before = Session::parse(&task.commarea);
    let Some(before) = before else {
        let text = entered.called_with().to_owned();
        return shown(task, Session { first: 0, text }, true).await;
    };
    if matches!(entered.aid, PF3 | CLEAR) {
        return task.leave("CEMT has ended.");
    }
    match entered.field(1, 2).map(str::to_owned) {
        // PF keys page in what is there, whatever was typed meanwhile.
        Some(text) if text != before.text => shown(task, Session { first: 0, text }, true).await,
        _ => {
            let first = match entered.aid {
                PF7 => before.first.saturating_sub(LINES),
                PF8 => before.first + LINES,
                PF10 => 0,
                PF11 => usize::MAX,
                _ => before.first,
            };
            shown(task, Session { first, ..before }, false).await
        }
    }
}

/// What is kept between two inputs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Session {
    /// The first line that is shown, from 0.
    first: usize,
    /// The command.
    text: String,
}

impl Session {
    fn parse(commarea: &[u8]) -> Option<Session> {
        let (first, text) = commarea.strip_prefix(MARK)?.split_first_chunk::<4>()?;
        Some(Session {
            first: u32::from_be_bytes(*first) as usize,
            text: text.iter().map(|byte| char::from(*byte)).collect(),
        })
    }

    fn emit(&self) -> Vec<u8> {
        // At most 1,000 lines are there.
        let first = (self.first as u32).to_be_bytes();
        let text = self.text.chars().map(|c| u8::try_from(c).unwrap_or(b'?'));
        MARK.iter().copied().chain(first).chain(text).collect()
    }
}

/// Does the command and shows the result. `acts` is false for a look at
/// what was asked for before.
async fn shown(task: &mut BuiltInTask<'_>, mut session: Session, acts: bool) -> InteractionResult {
    let outcome = match command::parse(&session.text) {
        Ok(command) => perform(task, &command, acts).await?,
        Err(lines) => CommandOutcome::syntax(lines),
    };
    let lines = &outcome.lines;
    let last = lines.len().saturating_sub(1) / LINES * LINES;
    session.first = session.first.min(last);
    let mut panel = ScreenPanel::new();
    panel.input(1, 2, COMMAND_LENGTH, &session.text);
    panel.cursor(1, 2);
    panel.text(2, 2, format!("STATUS:  {}", outcome.status));
    let page = lines.iter().skip(session.first).take(LINES);
    for (row, line) in (3..).zip(page) {
        panel.text(row, 2, line.text());
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
        response: match failed {
            0 => "NORMAL".to_owned(),
            1 => "1 ERROR".to_owned(),
            many => format!("{many} ERRORS"),
        },
    })
}

/// Who changed what stands in the log.
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
/// Lines of a page.
const LINES: usize = 18;
/// Characters of a command.
const COMMAND_LENGTH: u16 = 77;

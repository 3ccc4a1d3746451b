//! CECI and CECS: a command is typed, checked and executed.
//!
//! ENTER checks a command, and executes it when it is pressed again; CECS only
//! checks. PF4 shows the EIB, PF5 the variables. The task is conversational: a
//! unit of work lasts from command to command, so READ UPDATE and REWRITE belong
//! together, and the task holds its worker until PF3.
//! Reference: CICS supplied transactions, CECI, CECS.

mod syntax;

use cics::command::CommandDomain;
use cics::command::commands::receive;
use cics::cvda;
use cics::resp::Condition;
use link::CommandOperands;
use link::interpreter::{INTERPRETER_PROGRAM, ImageOutcome};
use link::terminal::INPUT_AID;
use region::{LinkData, NotRun, ProgramName};

use super::{BuiltInTask, CLEAR, InteractionResult, PF3, PF4, PF5, good};
use crate::eib;
use crate::panel::{ScreenPanel, UserInput};
use syntax::{CheckedCommand, GivenArgument, VariableTable};

/// What the transaction remembers while it runs.
#[derive(Debug, Default)]
struct InterpreterSession {
    /// The command line.
    text: String,
    /// The command is checked, and ENTER executes it.
    about_to_execute: bool,
    /// What the last command gave.
    outcome: Option<ImageOutcome>,
    variables: VariableTable,
    view: InterpreterView,
}

/// What the screen shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum InterpreterView {
    #[default]
    Command,
    Eib,
    Variables,
}

/// The conversation, up to its end.
pub async fn run(
    task: &mut BuiltInTask<'_>,
    entered: Option<UserInput>,
    executes: bool,
) -> InteractionResult {
    if !task.may(executes) {
        return task.not_authorized();
    }
    let mut session = InterpreterSession {
        text: entered.unwrap_or_default().called_with().to_owned(),
        ..InterpreterSession::default()
    };
    session.about_to_execute = executes && syntax::parse(&session.text).is_ok();
    loop {
        show(task, &session, executes);
        let entered = next_input(task).await?;
        match entered.aid {
            PF3 | CLEAR if session.view == InterpreterView::Command => {
                return task.leave("The command interpreter has ended.");
            }
            PF3 | CLEAR => session.view = InterpreterView::Command,
            PF4 => session.view = InterpreterView::Eib,
            PF5 => {
                session.take_variables(&entered);
                session.view = InterpreterView::Variables;
            }
            _ => {
                session.take_variables(&entered);
                enter(task, &mut session, &entered, executes).await?;
            }
        }
    }
}

/// ENTER: another command is checked, the same one is executed.
async fn enter(
    task: &mut BuiltInTask<'_>,
    session: &mut InterpreterSession,
    entered: &UserInput,
    executes: bool,
) -> InteractionResult {
    let typed = entered.field(1, 2).map(str::to_owned);
    if session.view != InterpreterView::Command {
        session.view = InterpreterView::Command;
        return Ok(());
    }
    if let Some(text) = typed.filter(|text| *text != session.text) {
        session.text = text;
        session.outcome = None;
        session.about_to_execute = executes && syntax::parse(&session.text).is_ok();
        return Ok(());
    }
    let (Ok(command), true) = (syntax::parse(&session.text), executes) else {
        return Ok(());
    };
    if !std::mem::take(&mut session.about_to_execute) {
        session.about_to_execute = true;
        session.outcome = None;
        return Ok(());
    }
    let Ok(image) = command.image(&session.variables) else {
        return Ok(());
    };
    let request = LinkData::Commarea(image.emit());
    let program = ProgramName::from_bytes(INTERPRETER_PROGRAM);
    let outcome = match task.guest.link(program, &request).await {
        Ok(LinkData::Commarea(bytes)) => ImageOutcome::parse(&bytes).map_err(|_| *b"AEXZ")?,
        Ok(LinkData::Channel(_)) | Err(NotRun::Condition(..)) => return Err(*b"AEXZ"),
        Err(NotRun::Abend(code)) => return Err(code),
    };
    session.keep_outputs(&command, &outcome);
    session.outcome = Some(outcome);
    let writes = [CommandDomain::Maps, CommandDomain::Terminals];
    if writes.contains(&command.row.domain) {
        // The user looks at the program's screen before CECI's comes back.
        next_input(task).await?;
    }
    Ok(())
}

/// Waits for the user.
async fn next_input(task: &mut BuiltInTask<'_>) -> Result<UserInput, [u8; 4]> {
    let answer = task
        .command(receive::NUMBER, &CommandOperands::default())
        .await;
    let operands = good(&answer)?;
    let aid = operands.get_int(INPUT_AID).unwrap_or(0);
    let data = operands.get_bytes(receive::INTO).unwrap_or_default();
    Ok(UserInput::parse(aid as u8, data, &task.display.page()))
}

impl InterpreterSession {
    /// Takes what was typed on the screen of variables.
    fn take_variables(&mut self, entered: &UserInput) {
        if self.view != InterpreterView::Variables {
            return;
        }
        let names: Vec<String> = self.variables.keys().cloned().collect();
        for (row, index) in (VARIABLE_ROW..LAST_ROW).zip(0..) {
            let old = names.get(index).cloned().unwrap_or_default();
            let name = entered
                .field(row, 2)
                .map_or(old.clone(), str::to_ascii_uppercase);
            let value = entered.field(row, VALUE_COLUMN).map(syntax::bytes);
            let value = value.or_else(|| self.variables.get(&old).cloned());
            if name != old {
                self.variables.remove(&old);
            }
            if name.starts_with('&') && name.len() > 1 {
                self.variables.insert(name, value.unwrap_or_default());
            }
        }
    }

    /// What a command has stored into variables.
    fn keep_outputs(&mut self, command: &CheckedCommand, outcome: &ImageOutcome) {
        for (given, data) in command.with_operands().zip(outcome.operands.iter().skip(1)) {
            if let Some(GivenArgument::Variable(name)) = &given.argument {
                let binary = command.is_binary(given);
                let value = if binary {
                    syntax::bytes(&number_of(data).to_string())
                } else {
                    data.trim_ascii_end().to_vec()
                };
                self.variables.insert(name.clone(), value);
            }
        }
    }
}

fn show(task: &BuiltInTask<'_>, session: &InterpreterSession, executes: bool) {
    let mut panel = ScreenPanel::new();
    match session.view {
        InterpreterView::Command => show_command(&mut panel, session, executes),
        InterpreterView::Eib => show_eib(&mut panel, session),
        InterpreterView::Variables => show_variables(&mut panel, session),
    }
    panel.text(22, 50, format!("APPLID={}", task.shared.applid));
    panel.text(
        24,
        2,
        "PF 3 END   4 EIB   5 VAR   ENTER check, then execute",
    );
    task.show(&panel);
}

fn show_command(panel: &mut ScreenPanel, session: &InterpreterSession, executes: bool) {
    panel.input(1, 2, COMMAND_LENGTH, &session.text);
    panel.cursor(1, 2);
    let checked = syntax::parse(&session.text);
    let checked = checked.and_then(|command| match command.image(&session.variables) {
        Ok(_) => Ok(command),
        Err(why) => Err(vec![why]),
    });
    let status = match &session.outcome {
        Some(_) => "COMMAND EXECUTION COMPLETE",
        None if executes && session.about_to_execute => "ABOUT TO EXECUTE COMMAND",
        None => "COMMAND SYNTAX CHECK",
    };
    panel.text(2, 2, format!("STATUS:  {status}"));
    let lines = match &checked {
        Ok(command) => command_lines(command, session.outcome.as_ref()),
        Err(wrong) => wrong.clone(),
    };
    for (row, line) in (FIRST_ROW..LAST_ROW).zip(lines) {
        panel.text(row, 2, line);
    }
    panel.bright(23, 2, response(session.outcome.as_ref()));
}

/// A command as it is shown: its name, and a line for each option.
fn command_lines(command: &CheckedCommand, outcome: Option<&ImageOutcome>) -> Vec<String> {
    let mut lines = vec![command.row.name.to_owned()];
    // The first operand is the command block.
    let mut data = outcome.map(|outcome| outcome.operands.iter().skip(1));
    // The name of SEND TEXT has its option TEXT.
    let names = |word: &str| command.row.name.split(' ').any(|part| part == word);
    for given in &command.options {
        let name = given.option.name;
        if !given.option.argument.is_allowed() && names(name) {
            continue;
        }
        let has_operand = command
            .with_operands()
            .any(|other| other.index == given.index);
        let stored = match &mut data {
            Some(data) if has_operand => data.next(),
            _ => None,
        };
        let typed = given.argument.as_ref().map(|argument| match argument {
            GivenArgument::Text(text) => shown(text),
            GivenArgument::Variable(name) => name.clone(),
        });
        let value = match stored {
            Some(stored) if command.is_binary(given) => Some(number_shown(given, stored)),
            Some(stored) => Some(format!("'{}'", shown(stored.trim_ascii_end()))),
            None => typed,
        };
        lines.push(match value {
            Some(value) => format!("  {name}( {value} )"),
            None => format!("  {name}"),
        });
    }
    lines
}

fn number_shown(given: &syntax::GivenOption, data: &[u8]) -> String {
    let number = number_of(data);
    let named = u32::try_from(number).ok().and_then(cvda::name);
    match named.filter(|_| given.option.argument == cics::command::OptionArgument::Cvda) {
        Some(name) => name.to_owned(),
        None => format!("{number:+011}"),
    }
}

fn number_of(data: &[u8]) -> i64 {
    match data {
        [a, b] => i16::from_ne_bytes([*a, *b]).into(),
        [a, b, c, d] => i32::from_ne_bytes([*a, *b, *c, *d]).into(),
        _ => data.try_into().map_or(0, i64::from_ne_bytes),
    }
}

/// The first characters of a value.
fn shown(data: &[u8]) -> String {
    eib::printable(&data[..data.len().min(SHOWN_BYTES)])
}

fn response(outcome: Option<&ImageOutcome>) -> String {
    let Some(outcome) = outcome else {
        return "RESPONSE:".to_owned();
    };
    if outcome.abend != [0; 4] {
        return format!("RESPONSE: ABEND {}", shown(&outcome.abend));
    }
    let (resp, resp2) = (eib::response(&outcome.eib), eib::response2(&outcome.eib));
    let named = u16::try_from(resp).ok().and_then(Condition::from_number);
    let name = named.map_or_else(|| "UNKNOWN".to_owned(), |condition| condition.to_string());
    format!("RESPONSE: {name}   EIBRESP={resp:+011}   EIBRESP2={resp2:+011}")
}

fn show_eib(panel: &mut ScreenPanel, session: &InterpreterSession) {
    panel.bright(1, 2, "EXEC INTERFACE BLOCK");
    let Some(outcome) = &session.outcome else {
        panel.text(FIRST_ROW, 2, "No command has been executed.");
        return;
    };
    for (row, line) in (FIRST_ROW..LAST_ROW).zip(eib::lines(&outcome.eib)) {
        panel.text(row, 2, line);
    }
}

fn show_variables(panel: &mut ScreenPanel, session: &InterpreterSession) {
    panel.bright(1, 2, "VARIABLES: a name with & in front, and its value");
    let mut variables = session.variables.iter();
    for row in VARIABLE_ROW..LAST_ROW {
        let (name, value) = variables.next().map_or_else(
            || (String::new(), String::new()),
            |(name, value)| (name.clone(), shown(value)),
        );
        panel.input(row, 2, NAME_LENGTH, &name);
        panel.input(row, VALUE_COLUMN, VALUE_LENGTH, &value);
    }
    panel.cursor(VARIABLE_ROW, 2);
}

/// Row of the first line.
const FIRST_ROW: u16 = 4;
/// Row after the last line.
const LAST_ROW: u16 = 21;
/// Row of the first variable.
const VARIABLE_ROW: u16 = 4;
/// Characters of a variable's name.
const NAME_LENGTH: u16 = 10;
/// Where the value of a variable begins.
const VALUE_COLUMN: u16 = 14;
/// Characters of it that can be typed.
const VALUE_LENGTH: u16 = 60;
/// Characters of a command.
const COMMAND_LENGTH: u16 = 77;
/// Bytes of a value that are shown.
const SHOWN_BYTES: usize = 60;

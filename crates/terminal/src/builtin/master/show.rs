//! Lines of CEMT: values by INQUIRE, changes by SET.

use cics::command::commands as rows;
use cics::command::{Command, by_number};
use cics::cvda;
use cics::resp::Condition;
use link::{CallAnswer, CommandOperands};
use region::PurgeOutcome;

use super::super::BuiltInTask;
use super::command::{MasterCommand, ValueFilter, fits, is_cut};
use super::overtype::{OvertypeTarget, target_of_number, target_of_value};
use super::resources::{ResourceColumn, ResourceKind, ValueFormat, ValueSource};

/// A line.
#[derive(Debug, Clone, Default)]
pub struct ResourceLine {
    /// The resource's name.
    pub key: String,
    /// The name as it is shown.
    head: String,
    values: Vec<ShownValue>,
    /// What became of it.
    pub note: String,
}

#[derive(Debug, Clone)]
enum ShownValue {
    Word(String),
    Labelled(&'static str, String),
}

/// A part of a line on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinePart {
    /// Text.
    Text(String),
    /// An input field with what it shows.
    Input(String, OvertypeTarget),
}

/// The first three letters of a value, as CEMT shows them.
fn abbreviated(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().unwrap_or(' ');
    let more: String = letters.take(2).collect();
    format!("{first}{}", more.to_ascii_lowercase())
}

impl ResourceLine {
    /// A line of text.
    pub fn of(text: String) -> ResourceLine {
        ResourceLine {
            head: text,
            ..ResourceLine::default()
        }
    }

    /// As it is shown.
    pub fn text(&self) -> String {
        let mut text = self.head.clone();
        for value in &self.values {
            match value {
                ShownValue::Word(word) => text.push_str(&format!(" {}", abbreviated(word))),
                ShownValue::Labelled(label, value) => text.push_str(&format!(" {label}({value})")),
            }
        }
        if !self.note.is_empty() {
            // What became of it is shown even if the values fill the line.
            let room = WIDTH.saturating_sub(self.note.chars().count() + 1);
            text = text.chars().take(room).collect();
            text.push(' ');
            text.push_str(&self.note);
        }
        text
    }

    /// The parts of the line, with the values that can be typed over as input
    /// fields. Parts are next to each other with one position between them.
    /// Returns one text if the line has no room for its note otherwise.
    pub fn parts(&self, resource: &ResourceKind) -> Vec<LinePart> {
        let mut parts = vec![LinePart::Text(self.head.clone())];
        for (column, value) in self.values.iter().enumerate() {
            match value {
                ShownValue::Word(word) => {
                    let shown = abbreviated(word);
                    parts.push(match target_of_value(resource, word) {
                        Some(target) => LinePart::Input(shown, target),
                        None => LinePart::Text(shown),
                    });
                }
                ShownValue::Labelled(label, value) => match target_of_number(resource, column) {
                    Some(target) => parts.extend([
                        LinePart::Text(format!("{label}(")),
                        LinePart::Input(value.clone(), target),
                        LinePart::Text(")".into()),
                    ]),
                    None => parts.push(LinePart::Text(format!("{label}({value})"))),
                },
            }
        }
        if !self.note.is_empty() {
            parts.push(LinePart::Text(self.note.clone()));
        }
        let width: usize = parts
            .iter()
            .map(|part| part.text().chars().count() + 1)
            .sum();
        if width > WIDTH + 1 {
            return vec![LinePart::Text(self.text())];
        }
        parts
    }

    fn passes(&self, filter: &ValueFilter) -> bool {
        self.values.iter().any(|value| match (filter, value) {
            (ValueFilter::Word(cut), ShownValue::Word(word)) => is_cut(word, 2, cut),
            (ValueFilter::Labelled(cut, wanted), ShownValue::Labelled(label, value)) => {
                let label = label.to_ascii_uppercase();
                let named = label.starts_with(cut.as_str()) || cut.starts_with(&label);
                named && fits(wanted, value.trim())
            }
            _ => false,
        })
    }
}

impl LinePart {
    /// What is shown.
    pub fn text(&self) -> &str {
        match self {
            LinePart::Text(text) | LinePart::Input(text, _) => text,
        }
    }
}

/// The lines of INQUIRE: those whose names fit and whose values pass.
pub async fn inquire(
    task: &mut BuiltInTask<'_>,
    command: &MasterCommand,
) -> Result<Vec<ResourceLine>, [u8; 4]> {
    let resource = command.resource;
    if resource.source == ValueSource::Terminals {
        let mut lines = terminals(task);
        lines.retain(|line| is_wanted(command, &line.key));
        lines.retain(|line| command.filters.iter().all(|f| line.passes(f)));
        return Ok(lines);
    }
    let mut lines = Vec::new();
    for key in keys(task, command).await? {
        let line = line(task, resource, &key).await?;
        // What has gone meanwhile is not shown.
        let line = line.filter(|line| command.filters.iter().all(|f| line.passes(f)));
        lines.extend(line);
    }
    Ok(lines)
}

/// The lines after a SET, with what became of each.
pub async fn after_set(
    task: &mut BuiltInTask<'_>,
    command: &MasterCommand,
    before: Vec<ResourceLine>,
) -> Result<Vec<ResourceLine>, [u8; 4]> {
    let mut lines = Vec::new();
    for old in before {
        let now = match command.resource.source {
            ValueSource::Terminals => terminals(task).into_iter().find(|l| l.key == old.key),
            _ => line(task, command.resource, &old.key).await?,
        };
        // A task that was purged has gone.
        lines.push(ResourceLine {
            note: old.note.clone(),
            ..now.unwrap_or(old)
        });
    }
    Ok(lines)
}

/// SET of one resource; what became of it.
pub async fn set(
    task: &mut BuiltInTask<'_>,
    command: &MasterCommand,
    key: &str,
) -> Result<String, [u8; 4]> {
    let resource = command.resource;
    if resource.source == ValueSource::Terminals {
        return Ok(set_terminal(task, command, key));
    }
    let Some(row) = by_number(resource.set) else {
        return Ok("NOT SERVED".to_owned());
    };
    let mut bits = 0u128;
    let mut values = Vec::new();
    for change in &command.changes {
        let index = row.index_of(change.option).unwrap_or(0);
        bits |= 1 << index;
        values.extend(change.value.map(|value| (index, value)));
    }
    let mut operands = keyed(resource, bits, key);
    for (index, value) in values {
        operands = operands.int(index, value);
    }
    let answer = task.command(resource.set, &operands).await;
    Ok(note(&answer))
}

/// What a command came to, in a word or two.
pub fn note(answer: &CallAnswer) -> String {
    if !answer.abend.is_blank() {
        return format!("ABEND {}", answer.abend);
    }
    match (answer.condition, answer.resp2) {
        (Condition::Normal, 0) => "NORMAL".to_owned(),
        // SET TASK of a task that runs: it ends when it next waits.
        (Condition::Normal, _) => "NORMAL".to_owned(),
        (condition, resp2) => format!("{condition}, RESP2 {resp2}"),
    }
}

/// The names that fit.
async fn keys(task: &mut BuiltInTask<'_>, command: &MasterCommand) -> Result<Vec<String>, [u8; 4]> {
    let resource = command.resource;
    let generic = |name: &String| name.contains(['*', '+']);
    let all = match resource.source {
        ValueSource::System => vec![String::new()],
        ValueSource::Tasks => {
            let tasks = task.region.tasks().into_iter();
            tasks.map(|t| format!("{:07}", t.task)).collect()
        }
        ValueSource::Browse(_)
            if !command.names.is_empty() && !command.names.iter().any(generic) =>
        {
            command.names.clone()
        }
        ValueSource::Browse(number) => browse(task, number).await?,
        ValueSource::Terminals | ValueSource::Nothing => Vec::new(),
    };
    Ok(all
        .into_iter()
        .filter(|key| is_wanted(command, key))
        .collect())
}

fn is_wanted(command: &MasterCommand, key: &str) -> bool {
    if command.names.is_empty() {
        return true;
    }
    let tasks = command.resource.source == ValueSource::Tasks;
    command.names.iter().any(|name| {
        // Leading zeros of a task's number may be left out.
        let same = tasks && key.trim_start_matches('0') == name.trim_start_matches('0');
        same || fits(name, key)
    })
}

/// All names of a kind, at most [`MOST`].
async fn browse(task: &mut BuiltInTask<'_>, number: u16) -> Result<Vec<String>, [u8; 4]> {
    let Some(row) = by_number(number) else {
        return Ok(Vec::new());
    };
    let step = |word: &str| CommandOperands::new(row.index_of(word).map_or(0, |index| 1 << index));
    let started = task.command(number, &step("START")).await;
    let mut names = Vec::new();
    while started.condition == Condition::Normal && names.len() < MOST {
        let answer = task.command(number, &step("NEXT")).await;
        if answer.condition != Condition::Normal || !answer.abend.is_blank() {
            break;
        }
        let given = super::super::good(&answer)?;
        let name = given.get_bytes(0).unwrap_or_default();
        names.push(String::from_utf8_lossy(name).trim_end().to_owned());
    }
    task.command(number, &step("END")).await;
    Ok(names)
}

/// The line of one resource. Returns `None` if it is not there.
async fn line(
    task: &mut BuiltInTask<'_>,
    resource: &'static ResourceKind,
    key: &str,
) -> Result<Option<ResourceLine>, [u8; 4]> {
    let number = match resource.source {
        ValueSource::Browse(number) => number,
        ValueSource::Tasks => rows::inquire_task::NUMBER,
        ValueSource::System => rows::inquire_system::NUMBER,
        ValueSource::Terminals | ValueSource::Nothing => return Ok(None),
    };
    let Some(row) = by_number(number) else {
        return Ok(None);
    };
    let wanted = resource
        .columns
        .iter()
        .filter_map(|c| row.index_of(c.option));
    let bits = wanted.fold(0u128, |all, index| all | 1 << index);
    let answer = task.command(number, &keyed(resource, bits, key)).await;
    if answer.condition != Condition::Normal {
        return Ok(None);
    }
    let given = super::super::good(&answer)?;
    let values = resource.columns.iter().map(|c| shown(row, c, &given));
    let key_length = resource.key_length;
    Ok(Some(ResourceLine {
        key: key.to_owned(),
        head: match resource.label {
            "" => String::new(),
            label => format!("{label}({key:key_length$})"),
        },
        values: values.collect(),
        note: String::new(),
    }))
}

/// Operands that name a resource.
fn keyed(resource: &ResourceKind, bits: u128, key: &str) -> CommandOperands {
    match resource.source {
        ValueSource::System | ValueSource::Nothing => CommandOperands::new(bits),
        ValueSource::Tasks => CommandOperands::new(bits | 1).int(0, key.parse().unwrap_or(0)),
        _ => {
            let name = format!("{key:0$}", resource.key_length);
            CommandOperands::new(bits | 1).bytes(0, name.into_bytes())
        }
    }
}

fn shown(row: &Command, column: &ResourceColumn, given: &CommandOperands) -> ShownValue {
    let index = row.index_of(column.option).unwrap_or(0);
    match column.show {
        ValueFormat::Word => {
            let value = given.get_int(index).and_then(|v| u32::try_from(v).ok());
            let named = |name: &&&str| value.is_some() && cvda::value(name) == value;
            // Some values have several names.
            let word = USUAL_WORDS.iter().find(named).copied();
            let word = word.or_else(|| value.and_then(cvda::name));
            ShownValue::Word(word.unwrap_or("---").to_owned())
        }
        ValueFormat::Text(label, width) => {
            let text = given.get_bytes(index).unwrap_or_default();
            let text = String::from_utf8_lossy(text).trim_end().to_owned();
            ShownValue::Labelled(label, format!("{text:width$}"))
        }
        ValueFormat::Number(label, width) => {
            let value = given.get_int(index).unwrap_or(0);
            ShownValue::Labelled(label, format!("{value:0width$}"))
        }
    }
}

/// The door's terminals.
fn terminals(task: &BuiltInTask<'_>) -> Vec<ResourceLine> {
    let mut lines: Vec<ResourceLine> = Vec::new();
    for (id, display) in task.shared.displays() {
        let (Some(names), Some(state)) = (display.names(), task.region.facility(id)) else {
            continue;
        };
        let transid = display.transid_of(state.busy);
        let word = |word: &str| ShownValue::Word(word.to_owned());
        let key = names.terminal.to_string().trim_end().to_owned();
        lines.push(ResourceLine {
            head: format!("Ter({key:4})"),
            values: vec![
                ShownValue::Labelled("Tra", format!("{transid:4}")),
                word("INSERVICE"),
                word(if state.waits {
                    "WAITING"
                } else if state.busy {
                    "ACTIVE"
                } else {
                    "IDLE"
                }),
                word(display.upper_case().cvda()),
                ShownValue::Labelled("Net", format!("{:8}", names.unit.as_str())),
                ShownValue::Labelled("Use", state.userid.to_string()),
            ],
            key,
            note: String::new(),
        });
    }
    lines.sort_by(|a, b| a.key.cmp(&b.key));
    lines
}

fn set_terminal(task: &BuiltInTask<'_>, command: &MasterCommand, key: &str) -> String {
    let found = task.shared.displays().into_iter().find(|(_, display)| {
        let names = display.names();
        names.is_some_and(|names| names.terminal.to_string().trim_end() == key)
    });
    let Some((_, display)) = found else {
        return "NOT FOUND".to_owned();
    };
    for change in &command.changes {
        match change.option {
            "RELEASED" => {
                display.lock().session.close();
                display.notify();
            }
            "PURGE" | "FORCEPURGE" => {
                let force = change.option == "FORCEPURGE";
                match purge(task, key, force) {
                    None => return "NO TASK".to_owned(),
                    Some(PurgeOutcome::Refused) => return "TASK IS NOT PURGEABLE".to_owned(),
                    Some(_) => {}
                }
            }
            word => display.set_upper_case(word),
        }
    }
    "NORMAL".to_owned()
}

/// Ends the task of a terminal. Returns `None` if it has none, or it is this
/// one.
fn purge(task: &BuiltInTask<'_>, terminal: &str, force: bool) -> Option<PurgeOutcome> {
    let tasks = task.region.tasks().into_iter();
    let mut own = tasks.filter(|t| t.facility.to_string().trim_end() == terminal);
    let found = own.find(|t| t.task != task.guest.number())?;
    Some(task.region.purge(found.task, force))
}

/// The names of values that have several, as CEMT shows them.
const USUAL_WORDS: &[&str] = &["VSAM", "ENABLED", "DISABLED", "UNENABLED", "OPEN", "CLOSED"];
/// Characters of a line.
const WIDTH: usize = 78;
/// Most names of one command.
const MOST: usize = 1_000;

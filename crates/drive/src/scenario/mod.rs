//! Scenarios: load described in a TOML file.
//!
//! [`keys`] is the single source: the check of a file, its JSON schema and its
//! reference page all come from that table. A file that is wrong gets all its
//! mistakes back at once, each with line and column; unknown keys are mistakes.

mod appc;
mod build;
mod data;
mod keys;
mod matrix;
mod request;
mod schema;
mod step;
mod template;
mod terminal;
mod tree;

pub use schema::{Key, ValueKind, json_schema, reference};
pub(crate) use terminal::resolve;

use crate::objective::Objective;
use crate::observe::ObservedServer;
use crate::plan::RunPlan;
use std::fmt;
use std::path::Path;

/// A scenario, ready to run: one plan for each combination of its loop.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The combinations, in the order of the file.
    pub variants: Vec<ScenarioVariant>,
    /// What the file itself asks of the result.
    pub objectives: Vec<Objective>,
    /// Whose resources the file itself asks to sample.
    pub observed: Vec<ObservedServer>,
}

/// One combination.
#[derive(Clone, Debug)]
pub struct ScenarioVariant {
    /// `clients=100 size=1024`; empty without a loop.
    pub name: String,
    /// The same as names and values of the loop, in the order of the file.
    pub values: Vec<(String, String)>,
    /// Its plan.
    pub plan: RunPlan,
}

/// One mistake in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioMistake {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// The line's text.
    pub text: String,
}

impl fmt::Display for ScenarioMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ScenarioMistake {
            line,
            column,
            message,
            text,
        } = self;
        let marker = " ".repeat(column.saturating_sub(1));
        write!(f, "{line}:{column}: {message}\n    {text}\n    {marker}^")
    }
}

/// The key table of a scenario file.
pub fn keys() -> &'static [Key] {
    keys::SCENARIO
}

/// Reads a scenario. Files that it names are found beside `folder`.
pub fn read(text: &str, folder: &Path) -> Result<Scenario, Vec<ScenarioMistake>> {
    read_observing(text, folder, false)
}

/// Reads a scenario that is run with servers observed that the file itself does
/// not name, if `observing`; its objectives may then ask for their CPU.
pub fn read_observing(
    text: &str,
    folder: &Path,
    observing: bool,
) -> Result<Scenario, Vec<ScenarioMistake>> {
    let mut notes = tree::MistakeList::new(text);
    let root = tree::parse(text, &mut notes);
    let mut variants = Vec::new();
    let mut extras = (Vec::new(), Vec::new());
    matrix::unused(&root, &mut notes);
    data::unused(&root, folder, &mut notes);
    for matrix::LoopCombination { values, root } in matrix::expand(&root, &mut notes) {
        let parts: Vec<String> = values.iter().map(|(n, v)| format!("{n}={v}")).collect();
        let name = parts.join(" ");
        schema::check(&root, keys::SCENARIO, &mut notes);
        if let Some(plan) = build::plan(&root, folder, &name, &mut notes) {
            variants.push(ScenarioVariant { name, values, plan });
        }
        extras = build::extras(&root, observing, &mut notes);
    }
    let mistakes = notes.finish();
    match mistakes.is_empty() {
        true => Ok(Scenario {
            variants,
            objectives: extras.0,
            observed: extras.1,
        }),
        false => Err(mistakes),
    }
}

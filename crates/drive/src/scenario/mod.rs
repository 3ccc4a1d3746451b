//! Scenarios: load described by a TOML file.
//!
//! [`keys`] is the single source: the check of a file, its JSON schema and its
//! reference page all come from that table. All mistakes of a file are reported at
//! once, each with line and column. Unknown keys are mistakes.

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
use base::Diagnostic;
use std::path::Path;
use toml::de::DeTable;

/// A scenario that is ready to run: one plan for each combination of its loop.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The combinations, in the order of the file.
    pub variants: Vec<ScenarioVariant>,
    /// The objectives in the file.
    pub objectives: Vec<Objective>,
    /// The servers that the file observes.
    pub observed: Vec<ObservedServer>,
}

/// One combination.
#[derive(Clone, Debug)]
pub struct ScenarioVariant {
    /// `clients=100 size=1024`; empty without a loop.
    pub name: String,
    /// Names and values of the loop, in the order of the file.
    pub values: Vec<(String, String)>,
    /// Its plan.
    pub plan: RunPlan,
}

/// The key table of a scenario file.
pub fn keys() -> &'static [Key] {
    keys::SCENARIO
}

/// Whether a text is a scenario: TOML with populations.
pub fn is_scenario(text: &str) -> bool {
    let (table, _) = DeTable::parse_recoverable(text);
    table.get_ref().contains_key("population")
}

/// Reads a scenario. File names in it are relative to `folder`. Mistakes have no file; a
/// server whose address is not found is a warning, since another machine may find it.
pub fn read(text: &str, folder: &Path) -> Result<Scenario, Vec<Diagnostic>> {
    read_observing(text, folder, false)
}

/// Reads a scenario. If `observing`, the caller observes servers that the file does
/// not name, so that objectives may refer to their CPU.
pub fn read_observing(
    text: &str,
    folder: &Path,
    observing: bool,
) -> Result<Scenario, Vec<Diagnostic>> {
    let mut notes = tree::MistakeList::new(text);
    let root = tree::parse(text, &mut notes);
    let mut variants = Vec::new();
    let mut extras = (Vec::new(), Vec::new());
    matrix::unused(&root, &mut notes);
    data::unused(&root, folder, &mut notes);
    for matrix::LoopCombination { values, root } in matrix::expand(&root, &mut notes) {
        let parts: Vec<String> = values.iter().map(|(n, v)| format!("{n}={v}")).collect();
        let name = parts.join(" ");
        schema::check(&root, keys::SCENARIO, "", &mut notes);
        if let Some(plan) = build::plan(&root, folder, &name, &mut notes) {
            variants.push(ScenarioVariant { name, values, plan });
        }
        extras = build::extras(&root, observing, &mut notes);
    }
    let mistakes = notes.finish();
    if mistakes.is_empty() {
        Ok(Scenario {
            variants,
            objectives: extras.0,
            observed: extras.1,
        })
    } else {
        Err(mistakes)
    }
}

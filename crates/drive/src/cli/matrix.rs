//! The runs of a scenario's loop, in sequence, and their common report.

use super::CliError;
use super::load::RunContext;
use super::print::outln;
use crate::scenario::ScenarioVariant;
use measure::report::{LoopMatrix, MatrixCell};
use std::sync::atomic::Ordering;

/// Runs every combination. Returns `true` if every objective was met. A combination
/// that fails ends the loop; the ones before it are reported.
pub(super) fn run(
    variants: &[ScenarioVariant],
    runs: &mut RunContext<'_>,
) -> Result<bool, CliError> {
    let Some(first) = variants.first() else {
        return Ok(true);
    };
    let suffix = format!(" ({})", first.name);
    let title = &first.plan.title;
    let mut matrix = LoopMatrix {
        title: title.strip_suffix(&suffix).unwrap_or(title).to_owned(),
        names: first.values.iter().map(|(name, _)| name.clone()).collect(),
        ..LoopMatrix::default()
    };
    let mut trouble = None;
    for (i, variant) in variants.iter().enumerate() {
        if !runs.output.json {
            outln!("== {} ({} of {})", variant.name, i + 1, variants.len());
        }
        match runs.one(variant) {
            Ok(report) => matrix.cells.push(MatrixCell {
                values: variant.values.iter().map(|(_, v)| v.clone()).collect(),
                report,
            }),
            // The combinations that ran are reported.
            Err(CliError::Interrupted) if !matrix.cells.is_empty() => {}
            Err(error) => {
                let text = format!("{} failed to run: {error}", variant.name);
                matrix.warnings.push(text);
                trouble = Some(error);
            }
        }
        let stopped = runs.stop.load(Ordering::Relaxed);
        if stopped || trouble.is_some() {
            let missing = variants.len() - matrix.cells.len();
            if missing > 0 {
                let text = format!("{missing} of {} combinations did not run.", variants.len());
                matrix.warnings.push(text);
            }
            break;
        }
    }
    runs.output.write_matrix(&matrix)?;
    match trouble {
        Some(error) => Err(error),
        None => Ok(runs.met),
    }
}

//! A recorded session as the text of a scenario file.
//!
//! A step waits for new text on the answer's screen and pauses as long as the user
//! did.

use super::RecordSettings;
use super::step::RecordedStep;
use crate::import::{literal, plain, quoted};
use std::fmt::Write;
use std::time::Duration;
use tn3270::TerminalModel;

/// The scenario with these steps: one client that performs them once, with the
/// pauses of the recording.
pub fn scenario(
    steps: &[RecordedStep],
    settings: &RecordSettings,
    model: &TerminalModel,
) -> String {
    let mut out = String::new();
    write_scenario(steps, settings, model, &mut out).expect("writing to a string does not fail");
    out
}

fn write_scenario(
    steps: &[RecordedStep],
    settings: &RecordSettings,
    model: &TerminalModel,
    out: &mut String,
) -> std::fmt::Result {
    writeln!(out, "# Recorded by tupelo drive record.")?;
    writeln!(out, "title = \"recorded session\"")?;
    writeln!(out, "\n[[population]]\nname = \"users\"")?;
    writeln!(out, "clients = 1\niterations = 1")?;
    writeln!(out, "\n[population.terminal]")?;
    writeln!(out, "address = {}", quoted(&settings.server_name))?;
    writeln!(out, "model = {}", quoted(&model_name(model)))?;
    if settings.code_page.0 != USUAL_PAGE {
        writeln!(out, "code_page = {}", quoted(&settings.code_page.0))?;
    }
    for (index, step) in steps.iter().enumerate() {
        write_step(index + 1, step, out)?;
    }
    Ok(())
}

fn write_step(number: usize, step: &RecordedStep, out: &mut String) -> std::fmt::Result {
    writeln!(out, "\n[[population.step]]")?;
    let title = step.wait_for.as_deref().unwrap_or(&step.key);
    let name = plain(&format!("{number} {title}"));
    writeln!(out, "name = {}", quoted(&name))?;
    if let Some((row, column)) = step.cursor {
        writeln!(out, "cursor = \"{row},{column}\"")?;
    }
    if !step.typed.is_empty() {
        writeln!(out, "type = {}", quoted(&literal(&step.typed)))?;
    }
    if step.key != "enter" {
        writeln!(out, "key = {}", quoted(&step.key))?;
    }
    if let Some(text) = &step.wait_for {
        writeln!(out, "wait_for = {}", quoted(&plain(text)))?;
    }
    if step.think >= SHORTEST_THINK {
        writeln!(out, "think = \"{}ms\"", step.think.as_millis())?;
    }
    if !step.fields.is_empty() {
        writeln!(out, "[population.step.fields]")?;
    }
    for field in &step.fields {
        let hidden = if field.hidden {
            " # a hidden field is not recorded"
        } else {
            ""
        };
        let text = quoted(&literal(&field.text));
        writeln!(out, "{} = {text}{hidden}", quoted(&field.name))?;
    }
    Ok(())
}

fn model_name(model: &TerminalModel) -> String {
    let size = model.alternate;
    match (size.rows(), size.columns()) {
        (24, 80) => "2".into(),
        (32, 80) => "3".into(),
        (43, 80) => "4".into(),
        (27, 132) => "5".into(),
        (rows, columns) => format!("{rows}x{columns}"),
    }
}

/// The default code page of terminals.
const USUAL_PAGE: &str = "037";
/// Shorter pauses are not written.
const SHORTEST_THINK: Duration = Duration::from_millis(1);

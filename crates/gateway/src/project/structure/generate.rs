//! The copybooks of an API-first project, for its programs.
//!
//! An operation has two: `PREFIXnnQ01` with its request, `PREFIXnnP01` with its
//! response, counted in the order of the API's document. `options.yaml` gives
//! the prefix.

use super::derive::{GeneratedCopybook, Limits, derive};
use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use crate::openapi::Document;
use crate::project::{folder_name, read_yaml};
use serde_json::Value;
use std::path::Path;

/// Derives the copybooks of the project in `folder`.
///
/// # Errors
/// A file that cannot be read, and schemas that the rules do not cover.
pub fn structures(folder: &Path) -> Result<Vec<GeneratedCopybook>, ProjectDiagnostics> {
    let mut out = ProjectDiagnostics::default();
    let all = generate(folder, &mut out).unwrap_or_default();
    if out.has_errors() { Err(out) } else { Ok(all) }
}

fn generate(folder: &Path, out: &mut ProjectDiagnostics) -> Option<Vec<GeneratedCopybook>> {
    let main = folder.join("src/main");
    let main = if main.is_dir() {
        main
    } else {
        folder.to_owned()
    };
    let document = Document::load(&main.join("api"), out)?;
    let file = main.join("config/options.yaml");
    let options = if file.is_file() {
        Some(read_yaml(&file, out)?)
    } else {
        None
    };
    let option = |name: &str| Some(options.as_ref()?.get(name)?.text()?.trim().to_owned());
    let prefix = option("providerPrefix").filter(|p| !p.is_empty());
    let prefix = prefix.unwrap_or_else(|| "API".to_owned());
    let usual = Limits::default();
    let limits = Limits {
        characters: option("defaultCharacterMaxLength")
            .and_then(|n| n.parse().ok())
            .unwrap_or(usual.characters),
        fraction_digits: option("defaultFractionDigits")
            .and_then(|n| n.parse().ok())
            .unwrap_or(usual.fraction_digits),
        ..usual
    };
    let mut all = Vec::new();
    for (number, operation) in document.operations().iter().enumerate() {
        let place = main.join("operations").join(folder_name(operation.path));
        let yaml = place.join(operation.method).join("operation.yaml");
        if !yaml.is_file() {
            continue;
        }
        let node = read_yaml(&yaml, out)?;
        let asset = node
            .get("zasset")
            .and_then(|n| n.text())
            .unwrap_or_default();
        let made = main.join("zosAssets").join(asset).join("providerFiles/gen");
        for (direction, letter, pointer) in [
            ("request", 'Q', "/properties/channel/properties/data"),
            ("response", 'P', "/properties/channel"),
        ] {
            let file = made.join(format!("{direction}Schema.json"));
            let bytes = std::fs::read(&file);
            let schema: Option<Value> = bytes.ok().and_then(|b| serde_json::from_slice(&b).ok());
            let Some(schema) = schema.as_ref().and_then(|s| s.pointer(pointer)) else {
                continue;
            };
            match derive(schema, &format!("{prefix}{number:02}{letter}01"), limits) {
                Ok((_, generated)) => all.push(generated),
                Err(why) => {
                    let message = format!("there is no rule for this schema: {why}");
                    out.error(&file, FilePosition::default(), message);
                }
            }
        }
    }
    if all.is_empty() && !out.has_errors() {
        let message = "no operation of this project has an asset with JSON schemas";
        out.error(&main, FilePosition::default(), message);
    }
    Some(all)
}

//! `tupelo reference`: the reference pages, made from the tables and types that the program
//! itself uses. `cargo xtask docs` writes them to `docs/`.

mod command_line;
mod metrics;

use std::fmt::Write;

use clap::CommandFactory;
use miette::Result;
use serde_json::Value;

use crate::Outcome;
use crate::app::schema::{self, SettingsSchema, resolve, type_of};

/// Print a reference page in Markdown.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo reference configuration | less")]
pub struct Args {
    /// The page.
    #[arg(value_enum)]
    page: ReferencePage,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ReferencePage {
    /// Every key of tupelo.toml.
    Configuration,
    /// Every EXEC CICS command: what is supported and what is not.
    Commands,
    /// Every key of a load scenario.
    DriveScenario,
    /// Every kind of evidence of `capture explain`, with its reasons.
    Causes,
    /// Every rule of `tupelo advise`, and the files it reads.
    Advice,
    /// Every command of `tupelo` with its options.
    CommandLine,
    /// Every metric of `/metrics`.
    Metrics,
    /// Every keyword of OpenAPI, and the gateway's support for it.
    Openapi,
}

/// Prints the page.
pub fn run(args: Args) -> Result<Outcome> {
    print!("{}", text(args.page));
    Ok(Outcome::Clean)
}

fn text(page: ReferencePage) -> String {
    match page {
        ReferencePage::Configuration => configuration(),
        ReferencePage::Commands => cics::command::reference_page(),
        ReferencePage::Advice => advise::reference_page(),
        ReferencePage::DriveScenario => drive::scenario::reference(),
        ReferencePage::CommandLine => command_line::page(crate::Cli::command()),
        ReferencePage::Metrics => metrics::page(),
        ReferencePage::Openapi => gateway::openapi_reference(),
        ReferencePage::Causes => capture::report::reference_page(),
    }
}

/// The keys of `tupelo.toml` with type, default and meaning.
fn configuration() -> String {
    let SettingsSchema { schema, defaults } = SettingsSchema::new();
    let mut page = String::from(
        "# tupelo.toml\n\nEvery key has a default; an unknown key is an error. \
         This page is made by `tupelo reference configuration`.\n",
    );
    for (section, shape) in schema["properties"].as_object().into_iter().flatten() {
        table(&mut page, &schema, section, shape, &defaults[section.as_str()]);
    }
    page
}

/// A table of keys, and further tables for keys that are sections themselves.
fn table(page: &mut String, schema: &Value, title: &str, field: &Value, defaults: &Value) {
    let (title, shape) = match &field["additionalProperties"] {
        Value::Object(_) => (format!("{title}.NAME"), &field["additionalProperties"]),
        _ => (title.to_owned(), field),
    };
    let about = field["description"].as_str().map_or(String::new(), one_line);
    let _ = write!(page, "\n## [{title}]\n\n{about}\n\n");
    *page += "| key | type | default | meaning |\n|---|---|---|---|\n";
    let shape = resolve(schema, shape);
    let mut tables = Vec::new();
    for (key, field) in shape["properties"].as_object().into_iter().flatten() {
        let default = match &defaults[key.as_str()] {
            Value::Null => &field["default"],
            value => value,
        };
        let shown = match default {
            Value::Null => String::from("none"),
            value => format!("`{value}`"),
        };
        let meaning = field["description"].as_str().map_or(String::new(), one_line);
        let choices = choices(schema, field);
        let _ = writeln!(
            page,
            "| `{key}` | {} | {shown} | {meaning}{choices} |",
            type_of(schema, field)
        );
        let inner = match &field["additionalProperties"] {
            Value::Object(_) => resolve(schema, &field["additionalProperties"]),
            _ => resolve(schema, field),
        };
        if inner["properties"].is_object() {
            tables.push((format!("{title}.{key}"), field, default));
        }
    }
    for (title, field, default) in tables {
        table(page, schema, &title, field, default);
    }
}

/// The allowed words of a field with such a list, each with its meaning.
fn choices(schema: &Value, field: &Value) -> String {
    let words = resolve(schema, field)["oneOf"].as_array().cloned().unwrap_or_default();
    let each: Vec<String> = words
        .iter()
        .filter_map(|w| {
            let meaning = w["description"].as_str().map(one_line)?;
            Some(format!("`{}`: {meaning}", w["const"].as_str()?))
        })
        .collect();
    if each.is_empty() {
        String::new()
    } else {
        format!(" {}", each.join(" "))
    }
}

fn one_line(text: &str) -> String {
    schema::one_line(text).replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn the_pages_in_docs_are_current() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
        let stale: Vec<String> = ReferencePage::value_variants()
            .iter()
            .map(|page| (page.to_possible_value().expect("no page is hidden"), text(*page)))
            .map(|(name, text)| (folder.join(format!("{}.md", name.get_name())), text))
            .filter(|(path, text)| std::fs::read_to_string(path).ok().as_ref() != Some(text))
            .map(|(path, _)| path.display().to_string())
            .collect();
        assert!(stale.is_empty(), "`cargo xtask docs` writes {}", stale.join(", "));
    }
}

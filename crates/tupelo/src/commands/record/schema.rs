//! `tupelo record schema`: the JSON Schema of a record.

use copybook::codec::CodecOptions;
use copybook::{SchemaDirection, json_schema};
use copybook::NamingStyle;
use miette::{IntoDiagnostic, Result};

use super::source::CopybookSource;
use crate::Outcome;

/// Print the JSON Schema (2020-12) of a record's JSON.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo record schema copybooks/ACCOUNT.cpy > account.schema.json")]
pub struct Args {
    #[command(flatten)]
    source: CopybookSource,
    /// The record, when the copybook has several.
    #[arg(long)]
    record: Option<String>,
    /// Print the schema of the input of `encode` instead of the output of `decode`.
    #[arg(long)]
    input: bool,
    /// Names that are valid in JSON instead of the COBOL names: `-` becomes `_`.
    #[arg(long)]
    json_names: bool,
}

/// Prints the schema.
pub fn run(args: Args) -> Result<Outcome> {
    let layout = args.source.record(args.record.as_deref())?;
    let options = CodecOptions {
        naming: if args.json_names {
            NamingStyle::JsonSafe { lowercase: false }
        } else {
            NamingStyle::Kept
        },
        ..CodecOptions::default()
    };
    let direction = if args.input {
        SchemaDirection::ToRecord
    } else {
        SchemaDirection::FromRecord
    };
    let schema = json_schema(&layout, &options, direction).into_diagnostic()?;
    println!("{}", serde_json::to_string_pretty(&schema).into_diagnostic()?);
    Ok(Outcome::Clean)
}

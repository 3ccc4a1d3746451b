//! `tupelo record layout`: offset, length and type of every field.

use copybook::{RecordDescription, describe};
use miette::{IntoDiagnostic, Result};

use super::source::CopybookSource;
use crate::Outcome;
use crate::table::Table;

/// Show offset, length and type of every field.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo record layout copybooks/ACCOUNT.cpy")]
pub struct Args {
    #[command(flatten)]
    source: CopybookSource,
    /// Print one JSON object for each record.
    #[arg(long)]
    json: bool,
}

/// Prints the layouts.
pub fn run(args: Args) -> Result<Outcome> {
    let records = args.source.records()?;
    for (i, layout) in records.iter().enumerate() {
        let description = describe(layout);
        if args.json {
            println!("{}", serde_json::to_string(&description).into_diagnostic()?);
        } else {
            if i > 0 {
                println!();
            }
            print!("{}", text(&description));
        }
    }
    Ok(Outcome::Clean)
}

fn text(record: &RecordDescription) -> String {
    let range = match record.min_length {
        Some(min) => format!("{min} to {} bytes", record.length),
        None => format!("{} bytes", record.length),
    };
    let mut table = Table::new(&["level", "name", ">offset", ">length", "type", "picture", "notes"]);
    for field in &record.fields {
        let depth = field.path.matches('.').count();
        let name = field.path.rsplit('.').next().unwrap_or_default();
        let mut notes = Vec::new();
        if let Some(occurs) = &field.occurs {
            notes.push(match (&occurs.depending_on, occurs.min == occurs.max) {
                (Some(counter), _) => format!("occurs {} to {} depending on {counter}", occurs.min, occurs.max),
                (None, true) => format!("occurs {}", occurs.max),
                (None, false) => format!("occurs {} to {}", occurs.min, occurs.max),
            });
        }
        if let Some(other) = &field.redefines {
            notes.push(format!("redefines {other}"));
        }
        if let Some(sign) = field.sign {
            notes.push(format!("sign {sign}"));
        }
        if field.slides {
            notes.push("slides".into());
        }
        table.row([
            format!("{:02}", field.level),
            format!("{}{name}", "  ".repeat(depth)),
            field.offset.to_string(),
            field.length.to_string(),
            field.kind.to_owned(),
            field.picture.clone().unwrap_or_default(),
            notes.join(", "),
        ]);
        for condition in &field.conditions {
            table.row([
                "88".into(),
                format!("{}{}", "  ".repeat(depth + 1), condition.name),
                String::new(),
                String::new(),
                "condition".into(),
                String::new(),
                condition.values.join(", "),
            ]);
        }
    }
    for renames in &record.renames {
        table.row([
            "66".into(),
            format!("  {}", renames.name),
            renames.offset.to_string(),
            renames.length.to_string(),
            "renames".into(),
            String::new(),
            String::new(),
        ]);
    }
    format!("{}, {range}\n{table}", record.record)
}

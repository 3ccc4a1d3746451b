//! `tupelo console`: a link to the console with a key for changes.

use miette::{Result, bail};

use crate::Outcome;
use crate::operator::OperatorArgs;

/// Print a link to the console of a running region. Its key works once.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo console\n  tupelo console --admin 9081")]
pub struct Args {
    #[command(flatten)]
    ask: OperatorArgs,
}

/// Prints the link.
pub fn run(args: Args) -> Result<Outcome> {
    let key = args.ask.post("/operator/key")?;
    let Some(key) = key["key"].as_str() else {
        bail!("the region returned no key");
    };
    let link = args.ask.link(key);
    if args.ask.json {
        println!("{}", serde_json::json!({ "link": link }));
    } else {
        println!("{link}");
    }
    Ok(Outcome::Clean)
}

//! The rules of `capture explain` judged against captures whose truth is known.
//!
//! The table has one line a rule and confidence: in how many captures it was
//! right, wrong, or silent although planted. `--write` keeps it where
//! `tupelo reference causes` prints it from.

mod real;

use std::fs;

use anyhow::{Context, Result};
use capture::judge::{Judgement, judge};
use capture::synth::corpus::cases;

/// Judge the rules on generated captures.
#[derive(clap::Args)]
pub struct Args {
    /// Captures of each kind
    #[arg(long, default_value_t = 40)]
    rounds: u32,
    /// Where the parameters are drawn from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Play programs in network namespaces too, so many rounds (a minute each)
    #[arg(long, value_name = "ROUNDS", default_value_t = 0)]
    real: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// List what was wrong or not named, with the capture's name
    #[arg(long)]
    misses: bool,
    /// Write each capture that was misjudged into this folder
    #[arg(long, value_name = "FOLDER")]
    keep: Option<std::path::PathBuf>,
    /// Keep the table for the reference page
    #[arg(long)]
    write: bool,
}

/// Where the reference page has its figures from.
const RESULT: &str = "crates/capture/src/rules/judged.json";

/// Judges; false when less is right than is promised.
pub fn run(args: &Args) -> Result<bool> {
    let mut cases = cases(args.seed, args.rounds);
    if args.real > 0 {
        lab::net::permission::check()?;
        cases.extend(real::cases(args.real)?);
    }
    let (table, misses) = judge(&cases);
    if args.json {
        println!("{}", serde_json::to_string_pretty(&table)?);
    } else {
        print(&table);
    }
    if args.misses {
        for miss in &misses {
            let sure = miss
                .confidence
                .map_or("silent".to_owned(), |c| format!("{c:?}"));
            println!("{sure:<7} {:<28} {}: {}", miss.rule, miss.case, miss.text);
        }
    }
    if let Some(folder) = &args.keep {
        fs::create_dir_all(folder)?;
        for case in cases
            .iter()
            .filter(|c| misses.iter().any(|m| m.case == c.name))
        {
            let name: String = (case.name.chars())
                .map(|c| if c.is_alphanumeric() { c } else { '-' })
                .collect();
            let path = folder.join(name + ".pcapng");
            fs::write(&path, &case.capture).with_context(|| path.display().to_string())?;
        }
    }
    if args.write {
        let text = serde_json::to_string_pretty(&table)? + "\n";
        fs::write(RESULT, text).context(RESULT)?;
    }
    let (right, wrong) = table.total("high");
    let (fair, unfair) = table.total("medium");
    Ok(share(right, wrong) >= HIGH && share(fair, unfair) >= MEDIUM)
}

fn print(table: &Judgement) {
    println!(
        "{:<32} {:<10} {:>6} {:>6} {:>6}",
        "rule", "confidence", "right", "wrong", "silent"
    );
    for line in &table.lines {
        println!(
            "{:<32} {:<10} {:>6} {:>6} {:>6}",
            line.rule, line.confidence, line.right, line.wrong, line.silent
        );
    }
    println!("{} captures", table.captures);
    for confidence in ["high", "medium", "low"] {
        let (right, wrong) = table.total(confidence);
        let percent = 100.0 * share(right, wrong);
        println!("{confidence}: {right} right, {wrong} wrong, {percent:.1} % right");
    }
    println!("planted and not named: {}", table.missed());
}

fn share(right: u64, wrong: u64) -> f64 {
    match right + wrong {
        0 => 1.0,
        all => right as f64 / all as f64,
    }
}

/// Of claims with high confidence, so much is right.
const HIGH: f64 = 0.98;

/// Of claims with medium confidence, so much is right.
const MEDIUM: f64 = 0.85;

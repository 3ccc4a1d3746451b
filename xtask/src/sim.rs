//! The region in virtual time: random histories by seed, with workers and a
//! region that die, disks that fill and partners that refuse and vanish,
//! and the rules that none of them may break. A history that breaks one says its seed, and the same seed
//! plays it again.

use std::io::IsTerminal;
use std::panic;
use std::time::{Duration, Instant};

use anyhow::Result;
use region::sim::{Report, play};

/// Which histories to play.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  cargo xtask sim --seconds 120\n  cargo xtask sim --seed 4711")]
pub struct Args {
    /// Play this seed alone
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The first seed; the following ones are played too
    #[arg(long, value_name = "N", default_value_t = 1)]
    from: u64,
    /// Seconds after which no new history begins
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    seconds: u64,
    /// Steps of a history before it is let come to rest
    #[arg(long, value_name = "STEPS", default_value_t = 5_000)]
    steps: u64,
}

/// Plays histories; false when one breaks a rule.
pub fn run(args: &Args) -> Result<bool> {
    if let Some(seed) = args.seed {
        // Its panic tells the rest.
        println!("{}", told(1, &play(seed, args.steps)));
        return Ok(true);
    }
    let until = Instant::now() + Duration::from_secs(args.seconds);
    let live = std::io::stderr().is_terminal();
    let (mut all, mut histories) = (Report::default(), 0);
    for seed in args.from.. {
        if Instant::now() >= until {
            break;
        }
        let steps = args.steps;
        let Ok(report) = panic::catch_unwind(|| play(seed, steps)) else {
            println!("seed {seed} breaks a rule: cargo xtask sim --seed {seed} --steps {steps}");
            return Ok(false);
        };
        add(&mut all, &report);
        histories += 1;
        if live && histories % 10 == 0 {
            eprint!("\r{}", told(histories, &all));
        }
    }
    if live {
        eprintln!();
    }
    println!("{}", told(histories, &all));
    Ok(true)
}

fn add(all: &mut Report, one: &Report) {
    all.steps += one.steps;
    all.tasks += one.tasks;
    all.refused += one.refused;
    all.started += one.started;
    all.committed += one.committed;
    all.backed_out += one.backed_out;
    all.deaths += one.deaths;
    all.disk_failures += one.disk_failures;
    all.restarts += one.restarts;
    all.power_losses += one.power_losses;
    all.vanished += one.vanished;
    all.in_doubt += one.in_doubt;
    all.triggered += one.triggered;
    all.fetched += one.fetched;
    all.cancelled += one.cancelled;
}

fn told(histories: u64, r: &Report) -> String {
    format!(
        "{histories} histories, {} steps: {} tasks ({} started by the region, {} refused), \
         {} units committed, {} backed out, {} workers killed, {} store failures, \
         {} deaths of the region, {} of them with a loss of power, {} of the partners' links with {} units in doubt, \
         {} tasks triggered, {} children fetched, {} STARTs cancelled; no rule broken",
        r.steps,
        r.tasks,
        r.started,
        r.refused,
        r.committed,
        r.backed_out,
        r.deaths,
        r.disk_failures,
        r.restarts,
        r.power_losses,
        r.vanished,
        r.in_doubt,
        r.triggered,
        r.fetched,
        r.cancelled
    )
}

//! The region in virtual time: random histories by seed, with workers and a
//! region that die, disks that fill and partners that refuse and vanish; and two
//! regions whose units of work span both, over connections that are cut. The rules
//! that none of them may break are looked at all the while. A history that breaks
//! one says its seed, and the same seed plays it again.

use std::io::IsTerminal;
use std::panic;
use std::time::{Duration, Instant};

use anyhow::Result;
use ipconn::sim::PairHistoryReport as Two;
use region::sim::{HistoryReport, play, play_hashed};

/// Which histories to play.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask sim --seconds 120\n  cargo xtask sim --seed 4711\n  \
    cargo xtask sim --seed 1 --count 200 --hashes"
)]
pub struct Args {
    /// Play this seed alone
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Play so many seeds from --seed on
    #[arg(long, value_name = "N", default_value_t = 1, requires = "seed")]
    count: u64,
    /// Print nothing but a line with the hash of each history, to compare builds
    #[arg(long, requires = "seed")]
    hashes: bool,
    /// The first seed; the following ones are played too
    #[arg(long, value_name = "N", default_value_t = 1)]
    from: u64,
    /// Seconds after which no new history begins
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    seconds: u64,
    /// Play these alone
    #[arg(long, value_name = "WORLD")]
    world: Option<SimWorld>,
    /// Steps of a history before it is let come to rest
    #[arg(long, value_name = "STEPS", default_value_t = 5_000)]
    steps: u64,
}

/// What is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum SimWorld {
    /// A region with its workers
    One,
    /// Two regions and what is between them
    Two,
}

/// Plays histories; false when one breaks a rule.
pub fn run(args: &Args) -> Result<bool> {
    if let Some(first) = args.seed {
        for seed in first..first.saturating_add(args.count) {
            play_one(seed, args);
        }
        return Ok(true);
    }
    let until = Instant::now() + Duration::from_secs(args.seconds);
    let live = std::io::stderr().is_terminal();
    let (mut one, mut two, mut histories) = (HistoryReport::default(), Two::default(), 0);
    let steps = args.steps;
    for seed in args.from.. {
        if Instant::now() >= until {
            break;
        }
        if args.world != Some(SimWorld::Two) {
            match panic::catch_unwind(|| play(seed, steps)) {
                Ok(report) => add(&mut one, &report),
                Err(_) => return Ok(broken(seed, steps, "one")),
            }
        }
        if args.world != Some(SimWorld::One) {
            match panic::catch_unwind(|| ipconn::sim::play(seed, steps)) {
                Ok(report) => add_two(&mut two, &report),
                Err(_) => return Ok(broken(seed, steps, "two")),
            }
        }
        histories += 1;
        if live && histories % 10 == 0 {
            eprint!("\r{histories} histories");
        }
    }
    if live {
        eprintln!();
    }
    if args.world != Some(SimWorld::Two) {
        println!("{}", one_region_summary(histories, &one));
    }
    if args.world != Some(SimWorld::One) {
        println!("{}", two_regions_summary(histories, &two));
    }
    Ok(true)
}

/// Plays the histories of a seed, with their hashes. A broken rule panics.
fn play_one(seed: u64, args: &Args) {
    let print = |world: &str, hash: u64, report: String| {
        println!("{world} {seed} {hash:016x}");
        if !args.hashes {
            println!("{report}");
        }
    };
    if args.world != Some(SimWorld::Two) {
        let report = play_hashed(seed, args.steps);
        print("one", report.hash, one_region_summary(1, &report));
    }
    if args.world != Some(SimWorld::One) {
        let report = ipconn::sim::play_hashed(seed, args.steps);
        print("two", report.hash, two_regions_summary(1, &report));
    }
}

fn broken(seed: u64, steps: u64, world: &str) -> bool {
    println!(
        "seed {seed} breaks a rule: cargo xtask sim --world {world} --seed {seed} --steps {steps}"
    );
    false
}

fn add_two(all: &mut Two, one: &Two) {
    all.steps += one.steps;
    all.committed += one.committed;
    all.backed_out += one.backed_out;
    all.untold += one.untold;
    all.alone += one.alone;
    all.links += one.links;
    all.cuts += one.cuts;
    all.crashes += one.crashes;
    all.power_losses += one.power_losses;
    all.outcome_queries += one.outcome_queries;
    all.in_doubt += one.in_doubt;
    all.disk_failures += one.disk_failures;
}

fn two_regions_summary(histories: u64, r: &Two) -> String {
    format!(
        "{histories} histories of two regions, {} steps: {} LINKs, {} units committed ({} in one \
         phase), {} backed out, {} without an answer, {} connections cut, {} deaths of a region, \
         {} of them with a loss of power, {} units asked for, {} in doubt, {} store failures; no \
         rule broken",
        r.steps,
        r.links,
        r.committed,
        r.alone,
        r.backed_out,
        r.untold,
        r.cuts,
        r.crashes,
        r.power_losses,
        r.outcome_queries,
        r.in_doubt,
        r.disk_failures
    )
}

fn add(all: &mut HistoryReport, one: &HistoryReport) {
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
    all.entered += one.entered;
    all.recovered += one.recovered;
}

fn one_region_summary(histories: u64, r: &HistoryReport) -> String {
    format!(
        "{histories} histories, {} steps: {} tasks ({} started by the region, {} refused), \
         {} units committed, {} backed out, {} workers killed, {} store failures, \
         {} deaths of the region, {} of them with a loss of power, {} of the partners' links with {} units in doubt, \
         {} tasks triggered, {} children fetched, {} STARTs cancelled, {} inputs of terminals, {} of \
         them back to find what they had left; no rule broken",
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
        r.cancelled,
        r.entered,
        r.recovered
    )
}

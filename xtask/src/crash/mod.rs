//! A bank whose workers and region are killed while it works.
//!
//! Clients transfer money over HTTP; kills by seed hit a worker, or the whole
//! region, which is started again over the same records. Half of the clients
//! have two accounts each to themselves: they know to the cent what must be
//! there, and look whenever a transfer had no answer. The others share accounts
//! and wait for each other's locks. Afterwards the bank must have the total it
//! began with, and each shared account a count of movements between what was
//! acknowledged and that plus what was left without an answer.

mod bank;
mod clients;
mod jobs;
mod queues;
pub(crate) mod served;
mod shop;
mod things;
mod units;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use bank::{BankAccount, CrashBank};
use base::SeededRandom;
use clients::{ClientThreads, TransferBook};

/// How much is killed.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask crash --kills 30\n  cargo xtask crash --kills 10000 --seed 7\n  cargo xtask crash --units --kills 1000\n  cargo xtask crash --sql --kills 200\n  cargo xtask crash --batch --kills 200\n  cargo xtask crash --queues --kills 2000\n  cargo xtask crash --queues --two-regions --kills 2000"
)]
pub struct Args {
    /// Kills in all
    #[arg(long, default_value_t = 30, value_name = "N")]
    kills: u32,
    /// Of so many kills one hits the region, the others a worker
    #[arg(long, default_value_t = 5, value_name = "N")]
    region_every: u32,
    /// Chooses the instants, the victims and the transfers
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Clients that transfer money
    #[arg(long, default_value_t = 8, value_name = "N")]
    clients: usize,
    /// Most milliseconds between two kills
    #[arg(long, default_value_t = 120, value_name = "MS")]
    pause: u64,
    /// Seconds after which no more is killed
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<u64>,
    /// Kill a region, its workers and the participant that decides its units, instead of the bank
    #[arg(long, conflicts_with_all = ["region_every", "clients", "pause", "tupelo"])]
    units: bool,
    /// Kill a region, its workers and its private PostgreSQL over units with a file, a
    /// queue and tables, instead of the bank
    #[arg(long, conflicts_with = "units")]
    sql: bool,
    /// Kill batch programs over units with a file and a table, instead of the bank: the first
    /// half of the kills without a region, and then with one
    #[arg(long, conflicts_with_all = ["units", "sql", "clients"])]
    batch: bool,
    /// Kill workers and the region over recoverable queues and protected STARTs, instead
    /// of the bank
    #[arg(long, conflicts_with_all = ["units", "sql", "batch"])]
    queues: bool,
    /// With --queues: two regions, whose queues and STARTs are changed in one unit of work
    #[arg(long, requires = "queues")]
    two_regions: bool,
    /// The program to kill, instead of the one that is built here
    #[arg(long, value_name = "FILE")]
    tupelo: Option<PathBuf>,
}

/// What was killed.
#[derive(Default)]
struct KillCounts {
    workers: u32,
    regions: u32,
    /// How long each region took to serve again, milliseconds.
    starts_ms: Vec<f64>,
}

/// Kills, and looks at what is left; false when something is wrong.
pub fn run(args: &Args) -> Result<bool> {
    if args.units {
        return units::run(args.kills, args.seed, args.seconds);
    }
    if args.sql {
        return shop::run(args);
    }
    if args.batch {
        return jobs::run(args);
    }
    if args.queues {
        return queues::run(args);
    }
    let mut bank = CrashBank::open(args.tupelo.as_deref())?;
    let before = bank.accounts()?;
    let clients = ClientThreads::start(&bank, &before, args.clients, args.seed)?;
    let began = Instant::now();
    let killed = kill(args, &mut bank, &clients)?;
    let took = began.elapsed();
    let book = clients.stop()?;
    // What was in flight at the last kill may end while it is looked at.
    let after = match bank.settle() {
        Ok(()) => bank.accounts()?,
        Err(error) => bail!("{error:#}; {}", bank.served().exit_report()),
    };
    let mut wrong = book.wrong.clone();
    wrong.extend(compare(&before, &after, &book));
    wrong.iter().for_each(|line| println!("{line}"));
    report(&killed, &book, took, wrong.len());
    Ok(wrong.is_empty())
}

/// Kills until it was enough, or something is wrong.
fn kill(args: &Args, bank: &mut CrashBank, clients: &ClientThreads) -> Result<KillCounts> {
    let until = args
        .seconds
        .map(|s| Instant::now() + Duration::from_secs(s));
    let mut random = SeededRandom::new(args.seed);
    let mut killed = KillCounts::default();
    let mut kills = 0;
    while kills < args.kills {
        let over = until.is_some_and(|until| Instant::now() >= until);
        if over || clients.found_wrong() || clients.one_ended() {
            break;
        }
        std::thread::sleep(Duration::from_millis(random.below(args.pause.max(1))));
        if (kills + 1) % args.region_every.max(1) == 0 {
            bank.served().kill_region()?;
            let start = Instant::now();
            bank.served().start()?;
            killed.starts_ms.push(start.elapsed().as_secs_f64() * 1e3);
            killed.regions += 1;
        } else if bank.served().kill_worker(random.below(u64::MAX))? {
            killed.workers += 1;
        } else {
            // It has no worker yet, or the one chosen was gone already.
            continue;
        }
        kills += 1;
        if kills % 100 == 0 {
            let (bytes, descriptors) = bank.served().size().unwrap_or_default();
            eprintln!(
                "{kills} kills, {} transfers acknowledged; the region has {} MiB and {descriptors} descriptors",
                clients.acknowledged(),
                bytes >> 20
            );
        }
    }
    Ok(killed)
}

fn report(killed: &KillCounts, book: &TransferBook, took: Duration, wrong: usize) {
    let mut starts = killed.starts_ms.clone();
    starts.sort_by(f64::total_cmp);
    let at = |share: usize| starts.get(starts.len() * share / 100).copied();
    println!(
        "{} workers and {} regions killed in {:.0} s",
        killed.workers,
        killed.regions,
        took.as_secs_f64()
    );
    println!(
        "{} transfers acknowledged, {} without an answer, {} refused",
        book.acknowledged, book.unanswered, book.refused
    );
    println!(
        "of those without an answer {} were looked at: {} had been made, {} had not",
        book.made + book.not_made,
        book.made,
        book.not_made
    );
    if let (Some(half), Some(most)) = (at(50), at(99)) {
        println!("a killed region served again after {half:.0} ms (median), {most:.0} ms (p99)");
    }
    println!("{wrong} rules broken");
}

fn compare(
    before: &BTreeMap<u32, BankAccount>,
    after: &BTreeMap<u32, BankAccount>,
    book: &TransferBook,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let total =
        |accounts: &BTreeMap<u32, BankAccount>| accounts.values().map(|a| a.cents).sum::<i64>();
    if total(before) != total(after) {
        wrong.push(format!(
            "the bank had {} cents and has {}",
            total(before),
            total(after)
        ));
    }
    for (number, old) in before {
        let Some(new) = after.get(number) else {
            wrong.push(format!("account {number} is gone"));
            continue;
        };
        if let Some(known) = book.known.get(number) {
            if known != new {
                wrong.push(format!("account {number} has {new:?}, not {known:?}"));
            }
            continue;
        }
        let of = |map: &BTreeMap<u32, u64>| map.get(number).copied().unwrap_or(0);
        let least = old.movements + of(&book.shared_acknowledged);
        let most = least + of(&book.shared_unanswered);
        if !(least..=most).contains(&new.movements) {
            wrong.push(format!(
                "account {number} has {} movements, not {least} to {most}",
                new.movements
            ));
        }
    }
    ensure_accounts(before, after, &mut wrong);
    wrong
}

/// No client opened an account.
fn ensure_accounts(
    before: &BTreeMap<u32, BankAccount>,
    after: &BTreeMap<u32, BankAccount>,
    wrong: &mut Vec<String>,
) {
    let new = after.keys().filter(|number| !before.contains_key(number));
    wrong.extend(new.map(|number| format!("account {number} was opened by no client")));
}

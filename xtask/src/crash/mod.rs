//! A bank whose workers and region are killed while it works.
//!
//! Clients transfer money over HTTP; kills by seed hit a worker, or the whole
//! region, which is started again over the same records. Afterwards the bank
//! must have the total it began with, each transfer that was acknowledged must
//! be there once, and none may be there that nobody asked for: each account's
//! count of movements lies between what was acknowledged and that plus what
//! was left without an answer.

mod bank;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use bank::{Account, Bank, Sent};

/// How much is killed.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask crash --kills 30\n  cargo xtask crash --kills 10000 --seed 7"
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
    clients: u32,
    /// Seconds after which no more is killed
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<u64>,
}

/// What the clients know of the transfers.
#[derive(Default)]
struct Book {
    /// By account: transfers acknowledged.
    acknowledged: BTreeMap<u32, u64>,
    /// By account: transfers without an answer.
    unknown: BTreeMap<u32, u64>,
    refused: u64,
}

/// Kills, and looks at what is left; false when something is wrong.
pub fn run(args: &Args) -> Result<bool> {
    let mut bank = Bank::open()?;
    let before = bank.accounts()?;
    let numbers: Vec<u32> = before.keys().copied().collect();
    ensure!(numbers.len() >= 2, "the bank has no accounts");
    let (book, stop) = (
        Arc::new(Mutex::new(Book::default())),
        Arc::new(AtomicBool::new(false)),
    );
    let clients: Vec<_> = (0..args.clients)
        .map(|client| {
            let (address, numbers) = (bank.address(), numbers.clone());
            let (book, stop) = (book.clone(), stop.clone());
            let seed = args
                .seed
                .wrapping_mul(1_000_003)
                .wrapping_add(client.into());
            std::thread::spawn(move || transfer(&address, &numbers, seed, &book, &stop))
        })
        .collect();
    let until = args
        .seconds
        .map(|s| Instant::now() + Duration::from_secs(s));
    let mut random = Random(args.seed | 1);
    let (mut workers, mut regions) = (0, 0);
    for kill in 1..=args.kills {
        if until.is_some_and(|until| Instant::now() >= until) {
            break;
        }
        std::thread::sleep(Duration::from_millis(random.below(120)));
        if kill % args.region_every.max(1) == 0 {
            bank.kill_region()?;
            bank.start()?;
            regions += 1;
        } else if bank.kill_worker(random.below(u64::MAX))? {
            workers += 1;
        }
        if kill % 100 == 0 {
            eprintln!("{kill} kills");
        }
    }
    stop.store(true, Ordering::SeqCst);
    for client in clients {
        ensure!(client.join().is_ok(), "a client panicked");
    }
    // What was in flight at the last kill may end while it is looked at.
    bank.settle()?;
    let after = bank.accounts()?;
    let book = book.lock().unwrap_or_else(PoisonError::into_inner);
    let wrong = compare(&before, &after, &book);
    wrong.iter().for_each(|line| println!("{line}"));
    let sum = |of: &BTreeMap<u32, u64>| of.values().sum::<u64>() / 2;
    println!(
        "{workers} workers and {regions} regions killed, {} transfers acknowledged, {} without an \
         answer, {} refused, {} rules broken",
        sum(&book.acknowledged),
        sum(&book.unknown),
        book.refused,
        wrong.len()
    );
    Ok(wrong.is_empty())
}

/// A client: transfers between two accounts until it is told to stop.
fn transfer(
    address: &Mutex<String>,
    numbers: &[u32],
    seed: u64,
    book: &Mutex<Book>,
    stop: &AtomicBool,
) {
    let mut random = Random(seed | 1);
    while !stop.load(Ordering::SeqCst) {
        let from = numbers[random.below(numbers.len() as u64) as usize];
        let to = numbers[random.below(numbers.len() as u64) as usize];
        if from == to {
            continue;
        }
        let cents = 1 + random.below(500);
        let to_address = address
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let sent = bank::transfer(&to_address, from, to, cents);
        let mut book = book.lock().unwrap_or_else(PoisonError::into_inner);
        let of = match sent {
            Sent::Acknowledged => &mut book.acknowledged,
            Sent::Unknown => &mut book.unknown,
            Sent::Refused => {
                book.refused += 1;
                continue;
            }
            Sent::Nowhere => {
                drop(book);
                std::thread::sleep(Duration::from_millis(2));
                continue;
            }
        };
        *of.entry(from).or_default() += 1;
        *of.entry(to).or_default() += 1;
    }
}

fn compare(
    before: &BTreeMap<u32, Account>,
    after: &BTreeMap<u32, Account>,
    book: &Book,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let total = |accounts: &BTreeMap<u32, Account>| accounts.values().map(|a| a.cents).sum::<i64>();
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
        let of = |map: &BTreeMap<u32, u64>| map.get(number).copied().unwrap_or(0);
        let least = old.movements + of(&book.acknowledged);
        let most = least + of(&book.unknown);
        if !(least..=most).contains(&new.movements) {
            wrong.push(format!(
                "account {number} has {} movements, not {least} to {most}",
                new.movements
            ));
        }
    }
    wrong
}

/// Chance by seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

//! Clients that transfer money while the bank is killed, and what they know.
//!
//! A client of its own accounts knows what they must hold after each answer. A
//! transfer without an answer was made or was not: the client looks, and either
//! both accounts have moved or neither.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Result, ensure};

use super::bank::{self, BankAccount, CrashBank, TransferResult};
use super::served::current;
use base::SeededRandom;

/// What the clients know of the transfers.
#[derive(Default, Clone)]
pub struct TransferBook {
    /// Transfers that the bank said were made.
    pub acknowledged: u64,
    /// Transfers without an answer.
    pub unanswered: u64,
    /// Transfers that the bank said were not made.
    pub refused: u64,
    /// Of those without an answer, looked at and found made.
    pub made: u64,
    /// Of those without an answer, looked at and found not made.
    pub not_made: u64,
    /// What accounts of one client must hold.
    pub known: BTreeMap<u32, BankAccount>,
    /// By shared account: transfers acknowledged.
    pub shared_acknowledged: BTreeMap<u32, u64>,
    /// By shared account: transfers without an answer.
    pub shared_unanswered: BTreeMap<u32, u64>,
    /// Rules that were found broken.
    pub wrong: Vec<String>,
}

/// The clients' threads.
pub struct ClientThreads {
    common: Arc<ClientContext>,
    threads: Vec<JoinHandle<Result<()>>>,
}

struct ClientContext {
    address: Arc<Mutex<String>>,
    book: Mutex<TransferBook>,
    stop: AtomicBool,
}

impl ClientThreads {
    /// Starts so many. Every second one gets two accounts to itself, as far as
    /// there are accounts.
    pub fn start(
        bank: &CrashBank,
        accounts: &BTreeMap<u32, BankAccount>,
        clients: usize,
        seed: u64,
    ) -> Result<ClientThreads> {
        let numbers: Vec<u32> = accounts.keys().copied().collect();
        let alone = (clients / 2).min(numbers.len().saturating_sub(2) / 2);
        let (own, shared) = numbers.split_at(2 * alone);
        ensure!(shared.len() >= 2, "the bank has too few accounts");
        let known = own.iter().map(|n| (*n, accounts[n])).collect();
        let common = Arc::new(ClientContext {
            address: bank.address(),
            book: Mutex::new(TransferBook {
                known,
                ..TransferBook::default()
            }),
            stop: AtomicBool::new(false),
        });
        let threads = (0..clients)
            .map(|client| {
                let random = SeededRandom::stream(seed, client as u64);
                let pair = own.chunks_exact(2).nth(client).map(|p| [p[0], p[1]]);
                let (common, shared) = (common.clone(), shared.to_vec());
                std::thread::spawn(move || match pair {
                    Some(pair) => common.alone(pair, random),
                    None => common.together(&shared, random),
                })
            })
            .collect();
        Ok(ClientThreads { common, threads })
    }

    /// True when a client found a rule broken.
    pub fn found_wrong(&self) -> bool {
        !self.common.book().wrong.is_empty()
    }

    /// True when a client could not continue: [`ClientThreads::stop`] says why.
    pub fn one_ended(&self) -> bool {
        self.threads.iter().any(JoinHandle::is_finished)
    }

    /// Transfers acknowledged until now.
    pub fn acknowledged(&self) -> u64 {
        self.common.book().acknowledged
    }

    /// Waits for the clients' last transfers and returns what they know.
    pub fn stop(self) -> Result<TransferBook> {
        self.common.stop.store(true, Ordering::SeqCst);
        for thread in self.threads {
            match thread.join() {
                Ok(result) => result?,
                Err(_) => anyhow::bail!("a client panicked"),
            }
        }
        Ok(self.common.book().clone())
    }
}

impl ClientContext {
    fn book(&self) -> MutexGuard<'_, TransferBook> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::SeqCst)
    }

    /// Asks for a transfer and counts the answer; `None` when no server listened.
    fn send(&self, from: u32, to: u32, cents: u64) -> Option<TransferResult> {
        let sent = bank::transfer(&current(&self.address), from, to, cents);
        let mut book = self.book();
        match sent {
            TransferResult::Acknowledged => book.acknowledged += 1,
            TransferResult::Unknown => book.unanswered += 1,
            TransferResult::Refused => book.refused += 1,
            TransferResult::Nowhere => {
                drop(book);
                std::thread::sleep(Duration::from_millis(2));
                return None;
            }
        }
        Some(sent)
    }

    /// A client with accounts of its own: to and fro, so that neither runs dry.
    fn alone(&self, pair: [u32; 2], mut random: SeededRandom) -> Result<()> {
        let mut known = pair.map(|number| self.book().known[&number]);
        let mut turn = 0;
        while self.goes_on() {
            let cents = 1 + random.below(500);
            let (from, to) = (turn % 2, (turn + 1) % 2);
            let Some(sent) = self.send(pair[from], pair[to], cents) else {
                continue;
            };
            turn += 1;
            let mut moved = known;
            moved[from].cents -= cents as i64;
            moved[to].cents += cents as i64;
            moved[from].movements += 1;
            moved[to].movements += 1;
            match sent {
                TransferResult::Acknowledged => known = moved,
                TransferResult::Refused | TransferResult::Nowhere => {}
                TransferResult::Unknown => {
                    let found = [
                        bank::account_of(&self.address, pair[0])?,
                        bank::account_of(&self.address, pair[1])?,
                    ];
                    let mut book = self.book();
                    if found == moved {
                        book.made += 1;
                        known = moved;
                    } else if found == known {
                        book.not_made += 1;
                    } else {
                        book.wrong.push(format!(
                            "accounts {pair:?} hold {found:?}, neither {known:?} nor {moved:?}"
                        ));
                        return Ok(());
                    }
                }
            }
            let mut book = self.book();
            for (number, account) in pair.into_iter().zip(known) {
                book.known.insert(number, account);
            }
        }
        Ok(())
    }

    /// A client among others: between any two of the shared accounts.
    fn together(&self, numbers: &[u32], mut random: SeededRandom) -> Result<()> {
        while self.goes_on() {
            let mut one = || numbers[random.below(numbers.len() as u64) as usize];
            let (from, to) = (one(), one());
            if from == to {
                continue;
            }
            let cents = 1 + random.below(500);
            let sent = self.send(from, to, cents);
            let mut book = self.book();
            let of = match sent {
                Some(TransferResult::Acknowledged) => &mut book.shared_acknowledged,
                Some(TransferResult::Unknown) => &mut book.shared_unanswered,
                _ => continue,
            };
            *of.entry(from).or_default() += 1;
            *of.entry(to).or_default() += 1;
        }
        Ok(())
    }
}

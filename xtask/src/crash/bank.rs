//! The bank of the examples as a process, and transfers to it.

use std::collections::BTreeMap;
use std::net::TcpStream;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::served::{self, ServedApplication, WAIT, current, exchange, get};

/// What an account holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BankAccount {
    /// Its balance.
    pub cents: i64,
    /// Transfers that it took part in.
    pub movements: u64,
}

/// What became of a transfer.
pub enum TransferResult {
    /// The bank said that it was made.
    Acknowledged,
    /// The bank said that it was not made.
    Refused,
    /// The request was sent, and no answer came that says either.
    Unknown,
    /// No server was there to receive it.
    Nowhere,
}

/// A bank that is served, killed and served again.
pub struct CrashBank(ServedApplication);

impl CrashBank {
    /// Serves the bank with records of its own, in workers whose sandbox is complete.
    pub fn open(tupelo: Option<&Path>) -> Result<CrashBank> {
        let mut served = ServedApplication::new(tupelo, "bank")?;
        served::copy(Path::new("examples/bank"), served.folder())?;
        let settings = served.folder().join("tupelo.toml");
        let text = std::fs::read_to_string(&settings)?;
        let required = text.replacen("[region]\n", "[region]\nsandbox = \"required\"\n", 1);
        ensure!(text != required, "{} has no [region]", settings.display());
        std::fs::write(&settings, required)?;
        served.start()?;
        Ok(CrashBank(served))
    }

    /// Its process.
    pub fn served(&mut self) -> &mut ServedApplication {
        &mut self.0
    }

    /// Where it listens; changes with every start.
    pub fn address(&self) -> Arc<Mutex<String>> {
        self.0.address()
    }

    /// Waits until two looks at the bank are the same.
    pub fn settle(&mut self) -> Result<()> {
        let until = Instant::now() + WAIT;
        let mut last = self.accounts()?;
        loop {
            std::thread::sleep(Duration::from_millis(200));
            let now = self.accounts()?;
            if now == last {
                return Ok(());
            }
            ensure!(Instant::now() < until, "the bank does not come to rest");
            last = now;
        }
    }

    /// All its accounts.
    pub fn accounts(&mut self) -> Result<BTreeMap<u32, BankAccount>> {
        let address = current(&self.0.address());
        let mut accounts = BTreeMap::new();
        let mut from = 1;
        loop {
            let path = format!("/bank/accounts?start={from}&limit=20");
            let list = get(&address, &path)?;
            let rows = list["accounts"].as_array().cloned().unwrap_or_default();
            let Some(last) = rows.last().and_then(|row| row["number"].as_u64()) else {
                break;
            };
            for row in &rows {
                let number = row["number"].as_u64().context("a number")? as u32;
                if let std::collections::btree_map::Entry::Vacant(e) = accounts.entry(number) {
                    let one = get(&address, &format!("/bank/accounts/{number}"))?;
                    e.insert(account(&one)?);
                }
            }
            if last < from {
                break;
            }
            from = last + 1;
        }
        Ok(accounts)
    }
}

/// One account, from the server that listens by then.
pub fn account_of(address: &Mutex<String>, number: u32) -> Result<BankAccount> {
    let until = Instant::now() + WAIT;
    loop {
        let here = current(address);
        match get(&here, &format!("/bank/accounts/{number}")) {
            Ok(one) => return account(&one),
            // KillCounts while it answered, or not there yet.
            Err(_) if Instant::now() < until => std::thread::sleep(Duration::from_millis(2)),
            Err(error) => return Err(error),
        }
    }
}

/// Asks for a transfer.
pub fn transfer(address: &str, from: u32, to: u32, cents: u64) -> TransferResult {
    let (whole, part) = (cents / 100, cents % 100);
    let body = format!("{{\"from\":{from},\"to\":{to},\"amount\":{whole}.{part:02}}}");
    let Ok(stream) = TcpStream::connect(address) else {
        return TransferResult::Nowhere;
    };
    match exchange(stream, address, "POST", "/bank/transfers", &body) {
        Ok((200, _)) => TransferResult::Acknowledged,
        Ok((400..=499 | 503, _)) => TransferResult::Refused,
        // An abend backs out, but one that hit a commit may have come too late.
        _ => TransferResult::Unknown,
    }
}

fn account(one: &Value) -> Result<BankAccount> {
    let balance = one["balance"].as_f64().context("a balance")?;
    Ok(BankAccount {
        cents: (balance * 100.0).round() as i64,
        movements: one["movements"].as_u64().context("movements")?,
    })
}

//! The bank of the examples as a process, and transfers to it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::bench::program;

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
    /// There was nobody to send it to.
    Nowhere,
}

/// A bank that is served, killed and served again.
pub struct CrashBank {
    tupelo: PathBuf,
    folder: PathBuf,
    state: tempfile::TempDir,
    address: Arc<Mutex<String>>,
    process: Option<Child>,
}

/// How long the bank may take to answer: on a full machine a start at the lowest priority took more
/// than a minute.
const WAIT: Duration = Duration::from_secs(300);

impl CrashBank {
    /// Serves the bank with records of its own, in workers whose sandbox is
    /// complete. The program is a copy, so that a build meanwhile is not mixed
    /// into the run.
    pub fn open(tupelo: Option<&Path>) -> Result<CrashBank> {
        let built = match tupelo {
            Some(path) => path.to_owned(),
            None => program::tupelo()?,
        };
        let state = tempfile::tempdir()?;
        let folder = state.path().join("bank");
        copy(Path::new("examples/bank"), &folder)?;
        let settings = folder.join("tupelo.toml");
        let text = std::fs::read_to_string(&settings)?;
        let required = text.replacen("[region]\n", "[region]\nsandbox = \"required\"\n", 1);
        ensure!(text != required, "{} has no [region]", settings.display());
        std::fs::write(&settings, required)?;
        let tupelo = state.path().join("tupelo");
        std::fs::copy(&built, &tupelo).with_context(|| built.display().to_string())?;
        let mut bank = CrashBank {
            tupelo,
            folder,
            state,
            address: Arc::default(),
            process: None,
        };
        bank.start()?;
        Ok(bank)
    }

    /// Where it listens; changes with every start.
    pub fn address(&self) -> Arc<Mutex<String>> {
        self.address.clone()
    }

    /// Starts it over the records that are there.
    pub fn start(&mut self) -> Result<()> {
        let path = self.state.path().join("log");
        let log = File::create(&path)?;
        let mut child = Command::new(&self.tupelo)
            .arg("serve")
            .arg(&self.folder)
            .arg("--state")
            .arg(self.state.path().join("state"))
            .args([
                "--listen",
                "127.0.0.1:0",
                "--admin",
                "127.0.0.1:0",
                "--no-reload",
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .with_context(|| self.tupelo.display().to_string())?;
        let out = child.stdout.take().context("its output")?;
        let mut address = None;
        let mut lines = BufReader::new(out).lines();
        for line in lines.by_ref() {
            let line = line?;
            if let Some(rest) = line.strip_prefix("gateway") {
                let word = rest.split_whitespace().next().unwrap_or_default();
                address = word.strip_prefix("http://").map(str::to_owned);
                break;
            }
        }
        self.process = Some(child);
        // Read to the end: a server ends when nobody reads what it says.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        let Some(address) = address else {
            let status = self.process.as_mut().map(Child::wait).transpose()?;
            let log = std::fs::read_to_string(&path).unwrap_or_default();
            bail!("the bank did not start ({status:?}):\n{log}");
        };
        *self.address.lock().unwrap_or_else(PoisonError::into_inner) = address;
        Ok(())
    }

    /// Whether its region has ended by itself, and what it said last.
    pub fn exit_report(&mut self) -> String {
        let status = self.process.as_mut().map(Child::try_wait);
        let log = std::fs::read_to_string(self.state.path().join("log")).unwrap_or_default();
        let first = log.lines().count().saturating_sub(20);
        let last: Vec<&str> = log.lines().skip(first).collect();
        format!("the region: {status:?}\n{}", last.join("\n"))
    }

    /// Kills the region as it is.
    pub fn kill_region(&mut self) -> Result<()> {
        if let Some(mut child) = self.process.take() {
            child.kill()?;
            child.wait()?;
        }
        Ok(())
    }

    /// Kills one of its workers; false when it has none.
    pub fn kill_worker(&mut self, choice: u64) -> Result<bool> {
        let Some(child) = &self.process else {
            return Ok(false);
        };
        let path = format!("/proc/{0}/task", child.id());
        let mut workers = Vec::new();
        for thread in std::fs::read_dir(path)? {
            let children = thread?.path().join("children");
            // A thread may have ended meanwhile.
            let text = std::fs::read_to_string(children).unwrap_or_default();
            workers.extend(text.split_whitespace().map(str::to_owned));
        }
        if workers.is_empty() {
            return Ok(false);
        }
        let victim = &workers[(choice % workers.len() as u64) as usize];
        let killed = Command::new("kill")
            .args(["-9", victim])
            .stderr(Stdio::null())
            .status()?;
        Ok(killed.success())
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

    /// Bytes of memory and descriptors that its region's process has now.
    pub fn size(&self) -> Option<(u64, usize)> {
        let process = format!("/proc/{}", self.process.as_ref()?.id());
        let status = std::fs::read_to_string(format!("{process}/status")).ok()?;
        let line = status.lines().find(|l| l.starts_with("VmRSS:"))?;
        let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        let descriptors = std::fs::read_dir(format!("{process}/fd")).ok()?.count();
        Some((kib << 10, descriptors))
    }

    /// All its accounts.
    pub fn accounts(&mut self) -> Result<BTreeMap<u32, BankAccount>> {
        let address = current(&self.address);
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

impl Drop for CrashBank {
    fn drop(&mut self) {
        // It is gone already where a kill was the last thing.
        let _ = self.kill_region();
    }
}

/// One account, from whoever listens by then.
pub fn account_of(address: &Mutex<String>, number: u32) -> Result<BankAccount> {
    let until = Instant::now() + WAIT;
    loop {
        let here = current(address);
        match get(&here, &format!("/bank/accounts/{number}")) {
            Ok(one) => return account(&one),
            // Killed while it answered, or not there yet.
            Err(_) if Instant::now() < until => std::thread::sleep(Duration::from_millis(2)),
            Err(error) => return Err(error),
        }
    }
}

/// Where the bank listens now.
pub fn current(address: &Mutex<String>) -> String {
    let address = address.lock().unwrap_or_else(PoisonError::into_inner);
    address.clone()
}

/// Copies a folder.
fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &target)?,
            false => drop(std::fs::copy(entry.path(), target)?),
        }
    }
    Ok(())
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

fn get(address: &str, path: &str) -> Result<Value> {
    let until = Instant::now() + WAIT;
    loop {
        let stream = TcpStream::connect(address)?;
        match exchange(stream, address, "GET", path, "") {
            Ok((200, body)) => return Ok(serde_json::from_str(&body)?),
            // The worker that was killed last may have had this request.
            Ok((500 | 503, _)) if Instant::now() < until => {}
            Ok((status, body)) => bail!("GET {path}: {status} {body}"),
            Err(error) => return Err(error).with_context(|| format!("GET {path}")),
        }
    }
}

fn exchange(
    mut stream: TcpStream,
    address: &str,
    method: &str,
    path: &str,
    body: &str,
) -> Result<(u16, String)> {
    stream.set_read_timeout(Some(WAIT))?;
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let status = text.split(' ').nth(1).context("a status line")?.parse()?;
    let (_, body) = text.split_once("\r\n\r\n").context("a head")?;
    Ok((status, body.to_owned()))
}

fn account(one: &Value) -> Result<BankAccount> {
    let balance = one["balance"].as_f64().context("a balance")?;
    Ok(BankAccount {
        cents: (balance * 100.0).round() as i64,
        movements: one["movements"].as_u64().context("movements")?,
    })
}

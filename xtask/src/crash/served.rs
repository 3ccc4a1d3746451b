//! An application as a process that is served, killed and served again, and requests to
//! it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::bench::program;

/// A region that is served, killed and served again.
pub struct ServedApplication {
    tupelo: PathBuf,
    folder: PathBuf,
    state: tempfile::TempDir,
    address: Arc<Mutex<String>>,
    admin: String,
    process: Option<Child>,
    /// More arguments of `serve`.
    arguments: Vec<String>,
}

/// How long a region may take to answer: on a full machine a start at the lowest priority
/// took more than a minute.
pub const WAIT: Duration = Duration::from_secs(300);

impl ServedApplication {
    /// A region that is not started. The program is a copy, so that a build meanwhile
    /// is not mixed into the run.
    pub fn new(tupelo: Option<&Path>, name: &str) -> Result<ServedApplication> {
        let built = match tupelo {
            Some(path) => path.to_owned(),
            None => program::tupelo()?,
        };
        let state = tempfile::tempdir()?;
        let tupelo = state.path().join("tupelo");
        std::fs::copy(&built, &tupelo).with_context(|| built.display().to_string())?;
        Ok(ServedApplication {
            tupelo,
            folder: state.path().join(name),
            state,
            address: Arc::default(),
            admin: String::new(),
            process: None,
            arguments: Vec::new(),
        })
    }

    /// The program that serves it, a copy of its own.
    pub fn program(&self) -> &Path {
        &self.tupelo
    }

    /// Serves the application with one more argument.
    pub fn add_argument(&mut self, argument: &str) {
        self.arguments.push(argument.to_owned());
    }

    /// The application folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The state folder.
    pub fn state(&self) -> PathBuf {
        self.state.path().join("state")
    }

    /// Runs another command of the program in the application folder.
    pub fn run(&self, args: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.tupelo);
        let output = command.args(args).current_dir(&self.folder).output()?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            bail!(
                "tupelo {args:?}: {printed}{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        Ok(printed)
    }

    /// Where it listens; changes with every start.
    pub fn address(&self) -> Arc<Mutex<String>> {
        self.address.clone()
    }

    /// Units of work that are in doubt.
    pub fn units_in_doubt(&self) -> Result<usize> {
        let units = get(&self.admin, "/uow")?;
        Ok(units.as_array().map_or(0, Vec::len))
    }

    /// Tasks that are not over, those of batch jobs among them.
    pub fn tasks(&self) -> Result<usize> {
        let tasks = get(&self.admin, "/tasks")?;
        Ok(tasks.as_array().map_or(0, Vec::len))
    }

    /// Starts the application over the records that are there.
    pub fn start(&mut self) -> Result<()> {
        let path = self.state.path().join("log");
        let log = File::create(&path)?;
        let mut child = Command::new(&self.tupelo)
            .arg("serve")
            .arg(&self.folder)
            .arg("--state")
            .arg(self.state())
            .args([
                "--listen",
                "127.0.0.1:0",
                "--admin",
                "127.0.0.1:0",
                "--no-reload",
            ])
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .with_context(|| self.tupelo.display().to_string())?;
        let out = child.stdout.take().context("its output")?;
        let (mut address, mut admin) = (None, None);
        let mut lines = BufReader::new(out).lines();
        for line in lines.by_ref() {
            let line = line?;
            let mut words = line.split_whitespace();
            let (name, word) = (words.next(), words.next().unwrap_or_default());
            let found = word.strip_prefix("http://").map(str::to_owned);
            match name {
                Some("gateway") => address = found,
                Some("admin") => admin = found,
                _ => {}
            }
            if address.is_some() && admin.is_some() {
                break;
            }
        }
        self.admin = admin.unwrap_or_default();
        self.process = Some(child);
        // Read to the end: a server ends when its output is not read.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        let Some(address) = address else {
            let status = self.process.as_mut().map(Child::wait).transpose()?;
            let log = std::fs::read_to_string(&path).unwrap_or_default();
            bail!("the region did not start ({status:?}):\n{log}");
        };
        *self.address.lock().unwrap_or_else(PoisonError::into_inner) = address;
        Ok(())
    }

    /// Whether its region has ended by itself, and what it logged last.
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

    /// Ends the region by SIGTERM; how long that took.
    pub fn stop(&mut self) -> Result<Duration> {
        let begun = Instant::now();
        if let Some(mut child) = self.process.take() {
            let pid = child.id().to_string();
            Command::new("kill").args(["-TERM", &pid]).status()?;
            child.wait()?;
        }
        Ok(begun.elapsed())
    }

    /// Kills one of its workers; false when it has none.
    pub fn kill_worker(&mut self, choice: u64) -> Result<bool> {
        let workers = self.workers()?;
        if workers.is_empty() {
            return Ok(false);
        }
        kill(&workers[(choice % workers.len() as u64) as usize])
    }

    /// Process ids of its workers.
    pub fn workers(&self) -> Result<Vec<String>> {
        let Some(child) = &self.process else {
            return Ok(Vec::new());
        };
        let path = format!("/proc/{0}/task", child.id());
        let mut workers = Vec::new();
        for thread in std::fs::read_dir(path)? {
            let children = thread?.path().join("children");
            // A thread may have ended meanwhile.
            let text = std::fs::read_to_string(children).unwrap_or_default();
            let pids = text.split_whitespace().filter(|pid| is_worker(pid));
            workers.extend(pids.map(str::to_owned));
        }
        Ok(workers)
    }

    /// Process id of the region; `None` while it is not served.
    pub fn pid(&self) -> Option<u32> {
        self.process.as_ref().map(Child::id)
    }

    /// Asks the administration port for a change; its status.
    pub fn change(&self, path: &str) -> Result<u16> {
        let token = std::fs::read_to_string(self.state().join("operator.token"))?;
        let mut stream = TcpStream::connect(&self.admin)?;
        stream.set_read_timeout(Some(WAIT))?;
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nx-tupelo-operator: {}\r\n\
             Content-Length: 0\r\nConnection: close\r\n\r\n",
            token.trim()
        )?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        Ok(text.split(' ').nth(1).context("a status line")?.parse()?)
    }

    /// Kills its private PostgreSQL; false when it has none now.
    pub fn kill_sql_server(&self) -> Result<bool> {
        let file = self.state().join("sql/data/postmaster.pid");
        let text = std::fs::read_to_string(file).unwrap_or_default();
        match text
            .lines()
            .next()
            .map(str::trim)
            .filter(|pid| !pid.is_empty())
        {
            Some(pid) if Path::new(&format!("/proc/{pid}")).is_dir() => kill(pid),
            _ => Ok(false),
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
}

impl Drop for ServedApplication {
    fn drop(&mut self) {
        // It is gone already where a kill was the last thing.
        let _ = self.kill_region();
    }
}

/// Whether a child of the region runs programs: the private PostgreSQL is a child, too.
fn is_worker(pid: &str) -> bool {
    let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    command
        .split(|byte| *byte == 0)
        .any(|word| word == b"worker")
}

fn kill(pid: &str) -> Result<bool> {
    let killed = Command::new("kill")
        .args(["-9", pid])
        .stderr(Stdio::null())
        .status()?;
    Ok(killed.success())
}

/// Where a region listens now.
pub fn current(address: &Mutex<String>) -> String {
    let address = address.lock().unwrap_or_else(PoisonError::into_inner);
    address.clone()
}

/// Waits until nothing is left of what is counted; what is left after `limit`.
pub fn until_none(limit: Duration, mut count: impl FnMut() -> Result<usize>) -> Result<usize> {
    let until = Instant::now() + limit;
    loop {
        let left = count()?;
        if left == 0 || Instant::now() > until {
            return Ok(left);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Asks until there is an answer of 200.
pub fn get(address: &str, path: &str) -> Result<Value> {
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

/// One request and its answer: the status and the body.
pub fn exchange(
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

/// Copies a folder.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

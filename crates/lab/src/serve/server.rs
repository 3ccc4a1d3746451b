//! `tupelo serve` as a child process: started on free loopback ports, queried,
//! stopped.
//!
//! The child is the running executable, so an experiment measures the program that
//! it is part of. Every wait ends: with its condition, at its limit, with the
//! child's end, or by Ctrl-C. The child's log is kept in its folder, and the error
//! of a server that does not start contains its last lines.

use super::application::ServedApplication;
use super::interrupt::interrupted;
use super::metrics::MetricsReading;
use super::record::{Record, RecordFile};
use crate::error::LabError;
use drive::load::LoadError;
use drive::scrape::MetricsEndpoint;
use drive::url::Url;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// A server that runs. Dropping it stops it and removes its folder.
#[derive(Debug)]
pub struct Server {
    process: ServerProcess,
    gateway: String,
    admin: String,
    metrics: MetricsEndpoint,
    records: RecordFile,
}

impl Server {
    /// Serves an application and waits until its gateway listens. The
    /// application's settings may hold anything but the addresses; monitoring
    /// records are read when they say `monitoring = "records.jsonl"`.
    pub fn start(application: &ServedApplication) -> Result<Server, LabError> {
        let executable = std::env::current_exe().map_err(LabError::system("this program"))?;
        Server::start_of(&executable, application)
    }

    /// A region alone: its programs are reached where [`Server::ipconn`] says.
    pub fn region(application: &ServedApplication) -> Result<Server, LabError> {
        let executable = std::env::current_exe().map_err(LabError::system("this program"))?;
        let options = ["--region-only", "--ipconn", "127.0.0.1:0"];
        Server::start_as(&executable, application, &options, "ipconn")
    }

    /// A gateway alone, whose settings say where its regions are.
    pub fn gateway(application: &ServedApplication) -> Result<Server, LabError> {
        let executable = std::env::current_exe().map_err(LabError::system("this program"))?;
        Server::start_as(&executable, application, &["--gateway-only"], "gateway")
    }

    /// The same as [`Server::start`] with another `tupelo`.
    pub fn start_of(
        executable: &Path,
        application: &ServedApplication,
    ) -> Result<Server, LabError> {
        Server::start_as(executable, application, &[], "gateway")
    }

    /// Starts `tupelo serve` with options, and waits for the address after a
    /// word of its output.
    fn start_as(
        executable: &Path,
        application: &ServedApplication,
        options: &[&str],
        word: &str,
    ) -> Result<Server, LabError> {
        let folder = tempfile::Builder::new()
            .prefix("tupelo-lab-")
            .tempdir()
            .map_err(LabError::system("a temporary folder"))?;
        let written = application.write(folder.path());
        written.map_err(LabError::system(folder.path().display().to_string()))?;
        let records = RecordFile::of(&folder.path().join(STATE).join(RECORDS));
        let (mut process, lines) = ServerProcess::start(executable, folder, options)?;
        let mut found = [None, None];
        process.until("the server listens", || {
            lines
                .try_iter()
                .for_each(|line| take_address(&line, word, &mut found));
            Ok(found.iter().all(Option::is_some))
        })?;
        let [gateway, admin] = found.map(Option::unwrap_or_default);
        let metrics = Url::parse(&format!("{admin}/metrics")).map_err(LoadError::from)?;
        Ok(Server {
            process,
            gateway,
            admin,
            metrics: MetricsEndpoint(metrics),
            records,
        })
    }

    /// The address of a path at the gateway.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.gateway)
    }

    /// The address of a region's listener for gateways, `address:port`.
    pub fn ipconn(&self) -> &str {
        &self.gateway
    }

    /// The address of a listener of CICS sockets.
    pub fn listener(&self, name: &str) -> Result<String, LabError> {
        let failed =
            |why: &dyn std::fmt::Display| LabError::Failed(format!("listener {name}: {why}"));
        let url = Url::parse(&format!("{}/sockets/list", self.admin)).map_err(LoadError::from)?;
        let text = MetricsEndpoint(url).text().map_err(|e| failed(&e))?;
        let list: serde_json::Value = serde_json::from_str(&text).map_err(|e| failed(&e))?;
        let all = list["listeners"].as_array().into_iter().flatten();
        let found = all.into_iter().find(|l| l["listener"] == name);
        let address = found.and_then(|l| l["address"].as_str());
        address
            .map(str::to_owned)
            .ok_or_else(|| failed(&"it is not started"))
    }

    /// The process that serves; its workers are its children.
    pub fn process(&self) -> u32 {
        self.process.child.id()
    }

    /// Reads `/metrics`.
    pub fn metrics(&self) -> Result<MetricsReading, LabError> {
        read(&self.metrics)
    }

    /// Waits until no task is running or waiting, and returns `/metrics`. While
    /// a backlog is processed, the server may not answer in time.
    pub fn idle(&mut self) -> Result<MetricsReading, LabError> {
        let mut last = MetricsReading::default();
        self.process.until("the server is idle", || {
            let Ok(now) = read(&self.metrics) else {
                return Ok(false);
            };
            last = now;
            Ok(last.tasks_open() == 0.0)
        })?;
        Ok(last)
    }

    /// The monitoring records of the tasks that ended between two readings of
    /// an idle server, each taken once. It writes them a moment later than it
    /// counts the tasks.
    pub fn records(
        &mut self,
        before: &MetricsReading,
        now: &MetricsReading,
    ) -> Result<Vec<Record>, LabError> {
        let dropped = now.since(before, "tupelo_region_records_dropped_total");
        let due = (now.tasks_ended() - before.tasks_ended() - dropped) as usize;
        let mut records = Vec::new();
        self.process
            .until("the monitoring records are written", || {
                records.extend(self.records.take()?);
                Ok(records.len() >= due)
            })?;
        Ok(records)
    }
}

impl Server {
    /// Waits for the monitoring record of a transaction. Returns it with those
    /// that were written before it, each taken once.
    pub fn records_until(&mut self, transid: &str) -> Result<Vec<Record>, LabError> {
        let mut records = Vec::new();
        self.process.until(&format!("{transid} has ended"), || {
            records.extend(self.records.take()?);
            let mut all = records.iter();
            Ok(all.any(|r: &Record| r.transid.trim_end() == transid))
        })?;
        Ok(records)
    }
}

/// The child and its folder, which go together.
#[derive(Debug)]
struct ServerProcess {
    child: Child,
    folder: tempfile::TempDir,
}

impl ServerProcess {
    /// Starts `tupelo serve` over a folder. Returns the lines that it prints.
    fn start(
        executable: &Path,
        folder: tempfile::TempDir,
        options: &[&str],
    ) -> Result<(ServerProcess, Receiver<String>), LabError> {
        let log = folder.path().join(LOG);
        let log = File::create(&log).map_err(LabError::system(log.display().to_string()))?;
        let mut child = Command::new(executable)
            .arg("serve")
            .arg(folder.path())
            .arg("--state")
            .arg(folder.path().join(STATE))
            .args(["--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"])
            .arg("--no-reload")
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .map_err(LabError::system(executable.display().to_string()))?;
        let (sender, lines) = mpsc::channel();
        let stdout = child.stdout.take();
        // Reads until the child ends, so that it never blocks on a full
        // pipe.
        thread::spawn(move || {
            let lines = stdout.into_iter().flat_map(|s| BufReader::new(s).lines());
            for line in lines.map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Ok((ServerProcess { child, folder }, lines))
    }

    /// Waits until `done` says so, the child ends, or it takes too long.
    fn until(
        &mut self,
        what: &str,
        mut done: impl FnMut() -> Result<bool, LabError>,
    ) -> Result<(), LabError> {
        let began = Instant::now();
        loop {
            if interrupted() {
                return Err(LabError::Failed("interrupted".into()));
            }
            // Checked first: the address is not valid after the child's
            // end.
            if let Ok(Some(status)) = self.child.try_wait() {
                return Err(self.complaint(&format!("the server ended ({status})")));
            }
            if done()? {
                return Ok(());
            }
            if began.elapsed() > LONGEST_WAIT {
                let seconds = LONGEST_WAIT.as_secs();
                return Err(self.complaint(&format!("{seconds} s passed before {what}")));
            }
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// An error with the last lines of the child's log.
    fn complaint(&self, what: &str) -> LabError {
        let log = std::fs::read_to_string(self.folder.path().join(LOG)).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        let last = &lines[lines.len().saturating_sub(LAST_LINES)..];
        LabError::Failed(format!("{what}\n{}", last.join("\n")).trim_end().to_owned())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // A child that was waited for has no process id any more.
        if let (Ok(None), Ok(pid)) = (self.child.try_wait(), self.child.id().try_into()) {
            // SAFETY: kill(2) accepts any pid; the child belongs to
            // this process and is not reaped.
            unsafe { libc::kill(pid, libc::SIGTERM) };
        }
        let began = Instant::now();
        while let Ok(None) = self.child.try_wait() {
            if began.elapsed() > LONGEST_STOP {
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            thread::sleep(POLL_INTERVAL);
        }
    }
}

/// Takes an address out of a line such as `gateway   http://127.0.0.1:8080`.
fn take_address(line: &str, wanted: &str, found: &mut [Option<String>; 2]) {
    let mut words = line.split_whitespace();
    let place = match words.next() {
        Some(word) if word == wanted => &mut found[0],
        Some("admin") => &mut found[1],
        _ => return,
    };
    let plain = |word: &&str| word.starts_with("http://") || !word.contains("://");
    let address = words.next().filter(plain);
    if let Some(address) = address {
        *place = Some(address.trim_end_matches('/').to_owned());
    }
}

fn read(endpoint: &MetricsEndpoint) -> Result<MetricsReading, LabError> {
    let text = endpoint.text();
    let text = text.map_err(|error| LabError::Failed(format!("{endpoint}: {error}")))?;
    Ok(MetricsReading::parse(&text))
}

/// The child's log, in its folder.
const LOG: &str = "server.log";
/// Its state folder, in its folder.
const STATE: &str = "state";
/// The monitoring records, in its state folder.
const RECORDS: &str = "records.jsonl";
/// Interval of checking a condition.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Longer than compiling and starting take on a machine that is busy.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// After this a child that was reported to stop is killed.
const LONGEST_STOP: Duration = Duration::from_secs(15);
/// Lines of a log that an error shows.
const LAST_LINES: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_from_the_lines_that_have_them() {
        let mut found = [None, None];
        for line in [
            "compiled  1 program",
            "gateway   http://127.0.0.1:41001/",
            "gateway",
            "admin     http://127.0.0.1:41002",
            "appc      dlsw://127.0.0.1:2065",
        ] {
            take_address(line, "gateway", &mut found);
        }
        let found = found.map(Option::unwrap);
        assert_eq!(found, ["http://127.0.0.1:41001", "http://127.0.0.1:41002"]);
    }

    #[test]
    fn a_program_that_ends_instead_of_listening_is_reported_with_its_log() {
        let error =
            Server::start_of(Path::new("/bin/sh"), &ServedApplication::default()).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("the server ended (exit status") && text.contains("serve"),
            "{text}"
        );
    }
}

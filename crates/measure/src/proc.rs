//! Resources that programs use, from the kernel's accounting: processes by id or
//! name, or a whole control group. CPU time comes from each process's CPU clock,
//! per-thread time from the scheduler, user and system time from the clock ticks.
//!
//! Reference: proc(5), clock_getcpuclockid(3),
//! `Documentation/admin-guide/cgroup-v2.rst`. This is the one module of the
//! crate that reads files and clocks.

mod census;
mod spaces;

pub use census::{CensusCount, ProcessCensus, machine};
pub use spaces::AddressSpace;

use serde::Serialize;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The processes whose resources are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CountedSubject {
    /// One process and its children, by id.
    Process(u32),
    /// Every process of this name (as in `/proc/PID/comm`, or the program's
    /// file name).
    Name(String),
    /// Every process of a control group, by its folder.
    Group(PathBuf),
}

/// Resources used up to a moment. Counters grow; use the difference of two.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Usage {
    /// CPU time, ns.
    pub cpu_ns: u64,
    /// The part in user mode, ns.
    pub user_ns: u64,
    /// The part in the kernel, ns.
    pub system_ns: u64,
    /// Context switches because a thread waited.
    pub voluntary_switches: u64,
    /// Context switches because a thread was preempted.
    pub involuntary_switches: u64,
    /// Resident memory, bytes (a level, not a counter).
    pub resident_bytes: u64,
    /// Bytes received by every interface of the network namespace.
    pub network_in: u64,
    /// Bytes sent by every interface of the network namespace.
    pub network_out: u64,
    /// Number of processes.
    pub processes: usize,
    /// Processes that have ended since they were found. What they used after
    /// their last sample is in no figure. Always 0 for a control group, whose
    /// own account contains it.
    #[serde(skip)]
    pub ended: usize,
    /// CPU time by thread group: the thread's name without its number, ns.
    pub threads: BTreeMap<String, u64>,
    /// The program's own counters, by name and unit.
    pub counters: BTreeMap<String, f64>,
}

/// Why resources cannot be counted.
#[derive(Debug, Error)]
pub enum ProcError {
    /// No process matches.
    #[error("no process {0}")]
    NoProcess(String),
    /// The group's folder cannot be read.
    #[error("control group {0}: {1}")]
    Group(PathBuf, io::Error),
}

impl CountedSubject {
    /// Parses a name or a process id. Digits are an id unless a running program
    /// has this name.
    pub fn called(text: &str) -> CountedSubject {
        match text.parse() {
            Ok(pid) if by_name(text).is_empty() => CountedSubject::Process(pid),
            _ => CountedSubject::Name(text.to_owned()),
        }
    }

    /// Resources that the subject has used so far.
    pub fn usage(&self) -> Result<Usage, ProcError> {
        self.usage_by(&self.members()?, &mut process)
    }

    /// The ids of the subject's processes now.
    fn members(&self) -> Result<Vec<u32>, ProcError> {
        Ok(match self {
            CountedSubject::Process(pid) => with_children(*pid),
            CountedSubject::Name(name) => by_name(name),
            CountedSubject::Group(path) => {
                let mut found =
                    in_group(path).map_err(|e| ProcError::Group(path.join("cgroup.procs"), e))?;
                // The kernel's figure of a group includes its child
                // groups.
                let mut within = vec![path.clone()];
                while let Some(folder) = within.pop() {
                    let inner = fs::read_dir(folder).into_iter().flatten().flatten();
                    let inner = inner.filter(|e| e.file_type().is_ok_and(|t| t.is_dir()));
                    for folder in inner.map(|e| e.path()) {
                        found.extend(in_group(&folder).unwrap_or_default());
                        within.push(folder);
                    }
                }
                found
            }
        })
    }

    /// The sum over all members; `read` returns the usage of one.
    fn usage_by(
        &self,
        pids: &[u32],
        read: &mut dyn FnMut(u32) -> Option<Usage>,
    ) -> Result<Usage, ProcError> {
        let mut usage = Usage::default();
        // A process that ends now is not counted.
        for one in pids.iter().filter_map(|pid| read(*pid)) {
            usage.add(&one);
        }
        if usage.processes == 0 && !matches!(self, CountedSubject::Group(_)) {
            return Err(ProcError::NoProcess(self.to_string()));
        }
        if let Some([cpu, user, system]) = self.group_cpu() {
            (usage.cpu_ns, usage.user_ns, usage.system_ns) = (cpu, user, system);
        }
        if let Some((received, sent)) = pids.first().and_then(|pid| network(*pid)) {
            (usage.network_in, usage.network_out) = (received, sent);
        }
        Ok(usage)
    }

    /// CPU, user and system time of a control group, including processes that
    /// have ended. Returns `None` for processes, and for a group whose CPU
    /// controller is off.
    fn group_cpu(&self) -> Option<[u64; 3]> {
        match self {
            CountedSubject::Group(path) => group_cpu(path),
            _ => None,
        }
    }
}

impl std::fmt::Display for CountedSubject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CountedSubject::Process(pid) => write!(f, "pid {pid}"),
            CountedSubject::Name(name) => write!(f, "{name}"),
            CountedSubject::Group(path) => write!(f, "{}", path.display()),
        }
    }
}

impl Usage {
    /// Adds the usage of another process. The network figures belong to the
    /// namespace and are not added.
    fn add(&mut self, other: &Usage) {
        self.cpu_ns += other.cpu_ns;
        self.user_ns += other.user_ns;
        self.system_ns += other.system_ns;
        self.voluntary_switches += other.voluntary_switches;
        self.involuntary_switches += other.involuntary_switches;
        self.resident_bytes += other.resident_bytes;
        self.processes += other.processes;
        self.ended += other.ended;
        for (name, ns) in &other.threads {
            *self.threads.entry(name.clone()).or_default() += ns;
        }
    }

    /// Usage since an earlier moment. Levels are those of `self`.
    pub fn since(&self, earlier: &Usage) -> Usage {
        let less = |a: u64, b: u64| a.saturating_sub(b);
        let threads = self.threads.iter().map(|(name, ns)| {
            let before = earlier.threads.get(name).copied().unwrap_or(0);
            (name.clone(), less(*ns, before))
        });
        let counters = self.counters.iter().map(|(name, value)| {
            let before = earlier.counters.get(name).copied().unwrap_or(0.0);
            (name.clone(), (value - before).max(0.0))
        });
        Usage {
            cpu_ns: less(self.cpu_ns, earlier.cpu_ns),
            user_ns: less(self.user_ns, earlier.user_ns),
            system_ns: less(self.system_ns, earlier.system_ns),
            voluntary_switches: less(self.voluntary_switches, earlier.voluntary_switches),
            involuntary_switches: less(self.involuntary_switches, earlier.involuntary_switches),
            resident_bytes: self.resident_bytes,
            network_in: less(self.network_in, earlier.network_in),
            network_out: less(self.network_out, earlier.network_out),
            processes: self.processes,
            ended: self.ended.saturating_sub(earlier.ended),
            threads: threads.collect(),
            counters: counters.collect(),
        }
    }
}

/// The usage of one process. Returns `None` if it does not exist.
fn process(pid: u32) -> Option<Usage> {
    let base = PathBuf::from(format!("/proc/{pid}"));
    let (user_ns, system_ns) = stat_times(&fs::read_to_string(base.join("stat")).ok()?)?;
    let status = fs::read_to_string(base.join("status")).unwrap_or_default();
    let mut usage = Usage {
        user_ns,
        system_ns,
        resident_bytes: field(&status, "VmRSS:").unwrap_or(0) * 1024,
        processes: 1,
        ..Usage::default()
    };
    let mut exact = 0;
    for task in fs::read_dir(base.join("task")).ok()?.flatten() {
        let path = task.path();
        let read = |name: &str| fs::read_to_string(path.join(name)).ok();
        let status = read("status").unwrap_or_default();
        let switches = |name| field(&status, name).unwrap_or(0);
        usage.voluntary_switches += switches("voluntary_ctxt_switches:");
        usage.involuntary_switches += switches("nonvoluntary_ctxt_switches:");
        let on_cpu = read("schedstat").and_then(|text| text.split(' ').next()?.parse().ok());
        let ticks = || stat_times(&read("stat")?).map(|(u, s)| u + s);
        let ns: u64 = on_cpu.or_else(ticks).unwrap_or(0);
        exact += ns;
        let name = read("comm").unwrap_or_default();
        *usage.threads.entry(thread_group(name.trim())).or_default() += ns;
    }
    // The time of threads that have ended is in the process's account only.
    let ticks = user_ns + system_ns;
    let own_clock = if exact + TICK_DOUBT_NS < ticks {
        ticks
    } else {
        exact
    };
    usage.cpu_ns = process_clock(pid).unwrap_or(own_clock);
    Some(usage)
}

/// The CPU clock of a process, ns: all its threads, including ended ones. Returns
/// `None` if the system denies the access.
fn process_clock(pid: u32) -> Option<u64> {
    let pid = libc::pid_t::try_from(pid).ok()?;
    let mut clock: libc::clockid_t = 0;
    // SAFETY: the clock id is written by the call.
    if unsafe { libc::clock_getcpuclockid(pid, &mut clock) } != 0 {
        return None;
    }
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the timespec is written by the call.
    if unsafe { libc::clock_gettime(clock, &mut time) } != 0 {
        return None;
    }
    Some(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

/// A thread's name without its number.
fn thread_group(name: &str) -> String {
    let trimmed = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let trimmed = trimmed.trim_end_matches(['-', '_', '#', ' ', ':', '/']);
    if trimmed.is_empty() { name } else { trimmed }.to_owned()
}

/// User and system time of a `stat` line, ns.
fn stat_times(stat: &str) -> Option<(u64, u64)> {
    // The name may contain anything; the fields begin after its last bracket.
    let rest = &stat[stat.rfind(')')? + 1..];
    let mut fields = rest.split_ascii_whitespace();
    let user: u64 = fields.nth(11)?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    let tick_ns = 1_000_000_000 / rustix::param::clock_ticks_per_second().max(1);
    Some((user * tick_ns, system * tick_ns))
}

fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|l| l.strip_prefix(name))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

fn pids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn by_name(name: &str) -> Vec<u32> {
    let matches = |pid: &u32| {
        let comm = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        let exe = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
        comm.trim() == name || exe.file_name().is_some_and(|file| file == name)
    };
    let own = std::process::id();
    pids().filter(|pid| *pid != own).filter(matches).collect()
}

fn with_children(root: u32) -> Vec<u32> {
    let parents: Vec<(u32, u32)> = pids()
        .filter_map(|pid| {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
            Some((pid, field(&status, "PPid:")? as u32))
        })
        .collect();
    // The measuring process itself is not counted, unless it is given by id.
    let own = std::process::id();
    let parents: Vec<(u32, u32)> = parents.into_iter().filter(|p| p.0 != own).collect();
    let mut found = vec![root];
    let mut next = 0;
    while next < found.len() {
        let parent = found[next];
        let children = parents.iter().filter(|(_, p)| *p == parent);
        found.extend(children.map(|(pid, _)| *pid));
        next += 1;
    }
    found
}

/// The processes of one control group, without its child groups.
fn in_group(path: &Path) -> io::Result<Vec<u32>> {
    let text = fs::read_to_string(path.join("cgroup.procs"))?;
    Ok(text.lines().filter_map(|l| l.trim().parse().ok()).collect())
}

fn group_cpu(path: &Path) -> Option<[u64; 3]> {
    if let Ok(text) = fs::read_to_string(path.join("cpu.stat")) {
        let us = |name: &str| field(&text, name).map(|us| us * 1000);
        return Some([us("usage_usec")?, us("user_usec")?, us("system_usec")?]);
    }
    let read = |name: &str| -> Option<u64> {
        fs::read_to_string(path.join(name))
            .ok()?
            .trim()
            .parse()
            .ok()
    };
    Some([
        read("cpuacct.usage")?,
        read("cpuacct.usage_user")?,
        read("cpuacct.usage_sys")?,
    ])
}

fn network(pid: u32) -> Option<(u64, u64)> {
    let text = fs::read_to_string(format!("/proc/{pid}/net/dev")).ok()?;
    let mut sum = (0, 0);
    for line in text.lines() {
        let Some((_, figures)) = line.split_once(':') else {
            continue;
        };
        let figures: Vec<u64> = figures
            .split_ascii_whitespace()
            .filter_map(|f| f.parse().ok())
            .collect();
        if let [received, _, _, _, _, _, _, _, sent, ..] = figures[..] {
            sum.0 += received;
            sum.1 += sent;
        }
    }
    Some(sum)
}

/// A smaller difference between ticks and the scheduler's count is rounding; a
/// larger one comes from threads that have ended.
const TICK_DOUBT_NS: u64 = 50_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calling_process_is_accounted() {
        let me = CountedSubject::Process(std::process::id());
        let before = me.usage().unwrap();
        let mut x = 1u64;
        while me.usage().unwrap().since(&before).cpu_ns == 0 {
            x = x.wrapping_mul(3);
        }
        assert!(x != 0 && before.resident_bytes > 0 && before.processes >= 1);
    }

    #[test]
    fn a_thread_that_ends_takes_no_time_with_it() {
        // Without children, because other tests start some.
        let me = || super::process(std::process::id()).unwrap();
        let (thread, receiver) = std::sync::mpsc::channel();
        let spinning = std::thread::spawn(move || {
            let own = || fs::read_to_string("/proc/thread-self/schedstat").unwrap();
            let spent = || own().split(' ').next().unwrap().parse::<u64>().unwrap();
            while spent() < 2_000_000 {}
            thread.send(()).unwrap();
        });
        receiver.recv().unwrap();
        let before = me();
        spinning.join().unwrap();
        assert!(me().cpu_ns >= before.cpu_ns);
    }

    #[test]
    fn names_with_brackets_do_not_confuse_the_fields() {
        let stat = "1 (a) b) S 0 1 1 0 -1 0 0 0 0 0 7 9 0 0 20 0";
        let tick = 1_000_000_000 / rustix::param::clock_ticks_per_second();
        assert_eq!(stat_times(stat), Some((7 * tick, 9 * tick)));
        assert_eq!(thread_group("worker-12"), "worker");
        assert_eq!(thread_group("123"), "123");
    }

    #[test]
    fn a_process_is_called_by_its_id_too() {
        let own = std::process::id();
        let me = CountedSubject::called(&own.to_string());
        assert_eq!(me, CountedSubject::Process(own));
        assert!(me.usage().unwrap().processes >= 1);
        for name in ["tupelo", "4294967296", ""] {
            assert_eq!(
                CountedSubject::called(name),
                CountedSubject::Name(name.into())
            );
        }
    }

    #[test]
    fn a_process_that_is_not_there_is_an_error() {
        let missing = CountedSubject::Name("no such program".into());
        assert!(missing.usage().is_err());
    }
}

//! Counts several subjects together. A process that belongs to more than one of
//! them is counted once.
//!
//!
//! Invariant: [`CensusCount::together_ns`] never counts a process twice and never
//! decreases, even if processes end between two counts.

use super::{CountedSubject, ProcError, Usage, process};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

/// Counts the same subjects repeatedly.
#[derive(Debug, Default)]
pub struct ProcessCensus {
    subjects: Vec<CountedSubject>,
    lives: BTreeMap<u32, PidHistory>,
    /// What each subject's processes used, by subject.
    ledgers: Vec<SubjectLedger>,
    /// CPU of groups, by folder; kept when a group is removed.
    groups: BTreeMap<PathBuf, u64>,
    pids: BTreeSet<u32>,
    shared: bool,
}

/// One count.
#[derive(Debug)]
pub struct CensusCount {
    /// The usage of each subject, in the given order.
    pub usages: Vec<Result<Usage, ProcError>>,
    /// CPU of all subjects together, every process once, ns. Processes that
    /// have ended keep their last value. `None` until a process was found.
    pub together_ns: Option<u64>,
}

/// Resources of one subject's processes. A plain sum over existing processes would
/// decrease when one ends, so a difference of two sums would be wrong.
#[derive(Debug, Default)]
struct SubjectLedger {
    /// Counters of processes that have ended.
    ended: Usage,
    /// The usage of each existing process at the last count.
    last: BTreeMap<u32, Usage>,
}

/// The CPU of all processes that had a process id, ns.
#[derive(Debug, Default)]
struct PidHistory {
    /// CPU of earlier processes with the id.
    before: u64,
    /// CPU of the current process.
    now: u64,
}

impl ProcessCensus {
    /// A census of these subjects.
    pub fn new(subjects: Vec<CountedSubject>) -> ProcessCensus {
        ProcessCensus {
            subjects,
            ..ProcessCensus::default()
        }
    }

    /// Takes a count. Every process is read once, even if several subjects
    /// include it.
    pub fn take(&mut self) -> CensusCount {
        let mut known: BTreeMap<u32, Option<Usage>> = BTreeMap::new();
        let mut read = |pid: u32| known.entry(pid).or_insert_with(|| process(pid)).clone();
        let members: Vec<_> = self.subjects.iter().map(CountedSubject::members).collect();
        self.ledgers
            .resize_with(self.subjects.len(), SubjectLedger::default);
        let usages = self.subjects.iter().zip(&members).zip(&mut self.ledgers);
        let usages = usages.map(|((subject, members), ledger)| {
            let pids = members.as_ref().map_err(ProcError::again)?;
            let mut now = BTreeMap::new();
            let mut noted = |pid: u32| {
                let usage = read(pid)?;
                now.insert(pid, usage.clone());
                Some(usage)
            };
            let usage = subject.usage_by(pids, &mut noted);
            ledger.handle(now);
            // The kernel's account of a group includes processes that
            // have ended.
            match (usage, subject.group_cpu()) {
                (Ok(mut usage), None) => {
                    usage.add(&ledger.ended);
                    Ok(usage)
                }
                (usage, _) => usage,
            }
        });
        let usages: Vec<Result<Usage, ProcError>> = usages.collect();
        // Processes within a group's own account are not counted
        // separately.
        let accounts = self.accounts();
        let mut covered = BTreeSet::new();
        let mut seen = BTreeMap::new();
        for (subject, members) in self.subjects.iter().zip(&members) {
            let counts = subject.group_cpu().is_some();
            for pid in members.iter().flatten() {
                // The same subject given twice is one subject.
                self.shared |= *seen.entry(*pid).or_insert(subject) != subject;
                if counts {
                    covered.insert(*pid);
                }
            }
        }
        for (folder, ns) in accounts {
            let kept = self.groups.entry(folder).or_default();
            *kept = ns.max(*kept);
        }
        for pid in seen.keys().filter(|pid| !covered.contains(pid)) {
            if let Some(Some(usage)) = known.get(pid) {
                self.lives.entry(*pid).or_default().handle(usage.cpu_ns);
            }
        }
        self.pids.extend(seen.keys());
        let lives = self.lives.values().map(|l| l.before + l.now);
        let together: u64 = lives.chain(self.groups.values().copied()).sum();
        let any = !self.lives.is_empty() || !self.groups.is_empty();
        CensusCount {
            usages,
            together_ns: any.then_some(together),
        }
    }

    /// Every process that was seen so far.
    pub fn pids(&self) -> &BTreeSet<u32> {
        &self.pids
    }

    /// Whether two different subjects include the same process.
    pub fn shared(&self) -> bool {
        self.shared
    }

    /// The groups with their own CPU account, except child groups of such a
    /// group.
    fn accounts(&self) -> BTreeMap<PathBuf, u64> {
        let groups = self.subjects.iter().filter_map(|subject| match subject {
            CountedSubject::Group(path) => {
                let [ns, _, _] = subject.group_cpu()?;
                Some((path.canonicalize().unwrap_or_else(|_| path.clone()), ns))
            }
            _ => None,
        });
        let all: BTreeMap<PathBuf, u64> = groups.collect();
        let inner = |path: &PathBuf| path.ancestors().skip(1).any(|a| all.contains_key(a));
        all.iter()
            .filter(|(path, _)| !inner(path))
            .map(|(path, ns)| (path.clone(), *ns))
            .collect()
    }
}

/// Identifies this machine for process ids: its boot id and the namespace of
/// process ids.
pub fn machine() -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let ids = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    format!("{} {}", boot.trim(), ids.display())
}

impl SubjectLedger {
    /// Handles the next count. Processes that are missing have ended, and so
    /// has the earlier process of an id that was reused.
    fn handle(&mut self, now: BTreeMap<u32, Usage>) {
        for (pid, before) in std::mem::replace(&mut self.last, now) {
            let same = self
                .last
                .get(&pid)
                .is_some_and(|now| now.cpu_ns >= before.cpu_ns);
            if !same {
                self.ended.add(&Usage {
                    resident_bytes: 0,
                    processes: 0,
                    ended: 1,
                    ..before
                });
            }
        }
    }
}

impl PidHistory {
    fn handle(&mut self, ns: u64) {
        if ns < self.now {
            // The id was given to another process.
            self.before += self.now;
        }
        self.now = ns;
    }
}

impl ProcError {
    /// A copy of the error; an I/O error cannot be cloned.
    fn again(&self) -> ProcError {
        match self {
            ProcError::NoProcess(name) => ProcError::NoProcess(name.clone()),
            ProcError::Group(path, error) => {
                ProcError::Group(path.clone(), std::io::Error::other(error.to_string()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command, Stdio};

    /// Computes for a while, then waits for the end of its standard input.
    fn busy() -> Child {
        busy_as(std::path::Path::new("sh"))
    }

    fn busy_as(shell: &std::path::Path) -> Child {
        let work = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo done; read x";
        let mut command = Command::new(shell);
        command.args(["-c", work]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let out = child.stdout.as_mut().unwrap();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).unwrap();
        let stat = format!("/proc/{}/stat", child.id());
        // It reports the end of the computation shortly before it waits.
        while !fs::read_to_string(&stat).unwrap().contains(") S ") {
            std::thread::yield_now();
        }
        child
    }

    fn together(subjects: &[CountedSubject]) -> u64 {
        ProcessCensus::new(subjects.to_vec())
            .take()
            .together_ns
            .unwrap()
    }

    fn end(mut child: Child) {
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    #[test]
    fn a_process_that_ends_takes_nothing_back() {
        let folder = std::env::temp_dir().join(format!("census-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let shell = folder.join("censustest");
        fs::copy("/bin/sh", &shell).unwrap();
        let (short, long) = (busy_as(&shell), busy_as(&shell));
        let subject = CountedSubject::Name("censustest".into());
        let mut census = ProcessCensus::new(vec![subject]);
        let before = census.take().usages.remove(0).unwrap();
        assert_eq!(before.processes, 2);
        end(short);
        let after = census.take().usages.remove(0).unwrap();
        end(long);
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(after.processes, 1);
        assert_eq!((before.ended, after.ended), (0, 1));
        assert!(after.cpu_ns >= before.cpu_ns, "{before:?} {after:?}");
        let used = after.since(&before);
        let threads: u64 = used.threads.values().sum();
        // Between the counts only the end of a waiting loop ran.
        assert!(
            used.cpu_ns < 1_000_000_000 && threads <= used.cpu_ns + 1_000_000_000,
            "{used:?}"
        );
        assert!(after.threads.values().sum::<u64>() >= before.threads.values().sum::<u64>());
    }

    #[test]
    fn a_process_under_several_names_is_counted_once() {
        let child = busy();
        let id = child.id();
        let once = together(&[CountedSubject::Process(id)]);
        let subjects = [
            CountedSubject::Process(id),
            CountedSubject::called(&id.to_string()),
            CountedSubject::Process(id),
        ];
        let mut census = ProcessCensus::new(subjects.to_vec());
        let counted = census.take();
        let alone: u64 = counted
            .usages
            .iter()
            .map(|u| u.as_ref().unwrap().cpu_ns)
            .sum();
        assert!(once > 0);
        // The process waits: its CPU does not change.
        assert_eq!(counted.together_ns, Some(once));
        assert_eq!(alone, 3 * once);
        assert!(!census.shared() && census.pids().contains(&id));
        end(child);
    }

    #[test]
    fn different_processes_add_up_and_keep_what_they_used_when_they_end() {
        let (a, b) = (busy(), busy());
        let subjects = [
            CountedSubject::Process(a.id()),
            CountedSubject::Process(b.id()),
        ];
        let alone = [together(&subjects[..1]), together(&subjects[1..])];
        let mut census = ProcessCensus::new(subjects.to_vec());
        assert_eq!(census.take().together_ns, Some(alone[0] + alone[1]));
        assert!(!census.shared());
        end(a);
        let after = census.take();
        assert!(after.usages[0].is_err() && after.usages[1].is_ok());
        assert!(after.together_ns.unwrap() >= alone[0] + alone[1]);
        end(b);
    }

    #[test]
    fn a_group_in_a_group_and_the_processes_of_both_are_counted_once() {
        let child = busy();
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).unwrap();
        let account = |us: u64| format!("usage_usec {us}\nuser_usec {us}\nsystem_usec 0\n");
        fs::write(folder.path().join("cgroup.procs"), "").unwrap();
        fs::write(folder.path().join("cpu.stat"), account(900)).unwrap();
        fs::write(inner.join("cgroup.procs"), format!("{}\n", child.id())).unwrap();
        fs::write(inner.join("cpu.stat"), account(300)).unwrap();
        let outer = CountedSubject::Group(folder.path().into());
        let same = CountedSubject::Group(inner.join(".."));
        let within = CountedSubject::Group(inner);
        let process = CountedSubject::Process(child.id());
        let all = [outer.clone(), same, within.clone(), process.clone()];
        let mut census = ProcessCensus::new(all.to_vec());
        assert_eq!(census.take().together_ns, Some(900_000));
        assert!(census.shared());
        assert_eq!(together(&[within, process.clone()]), 300_000);
        // A group that does not count CPU is the sum of its processes.
        fs::remove_file(folder.path().join("cpu.stat")).unwrap();
        fs::remove_file(folder.path().join("inner/cpu.stat")).unwrap();
        assert_eq!(together(&[outer, process.clone()]), together(&[process]));
        end(child);
    }

    #[test]
    fn an_id_that_is_given_again_goes_on_counting() {
        let mut life = PidHistory::default();
        [5, 7, 2, 3].into_iter().for_each(|ns| life.handle(ns));
        assert_eq!((life.before, life.now), (7, 3));
    }
}

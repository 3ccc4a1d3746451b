//! The individual processes of a subject, and the scheduling class of their
//! threads.
//!
//!
//! A thread under a real-time policy runs until it waits: it is not preemptable. A
//! thread with a nice value below 0 is promoted: it is preferred to ordinary
//! threads. The CPU of a thread counts under its class at the time of the count.
//!
//! Reference: sched(7), getpriority(2).

use std::fs;

use super::{CountedSubject, ProcError, Usage, process};

/// One process of a subject.
#[derive(Clone, Debug, Default)]
pub struct AddressSpace {
    /// Its id.
    pub process: u32,
    /// Resources used so far.
    pub usage: Usage,
    /// CPU of its threads that cannot be preempted, ns.
    pub unpreemptable_ns: u64,
    /// CPU of its threads that are preferred to ordinary ones, ns.
    pub promoted_ns: u64,
}

impl CountedSubject {
    /// Its processes; the named one is first.
    pub fn address_spaces(&self) -> Result<Vec<AddressSpace>, ProcError> {
        let members = self.members()?.into_iter();
        // A process that ends now is not counted.
        let found = members.filter_map(|pid| {
            let (unpreemptable_ns, promoted_ns) = special(pid);
            Some(AddressSpace {
                process: pid,
                usage: process(pid)?,
                unpreemptable_ns,
                promoted_ns,
            })
        });
        Ok(found.collect())
    }
}

/// CPU of non-preemptable threads and of promoted threads, ns.
fn special(pid: u32) -> (u64, u64) {
    let (mut unpreemptable, mut promoted) = (0, 0);
    let tasks = fs::read_dir(format!("/proc/{pid}/task"));
    let names = tasks.into_iter().flatten().flatten().map(|t| t.file_name());
    for tid in names.filter_map(|name| name.to_str()?.parse::<libc::pid_t>().ok()) {
        let used = match treatment(tid) {
            ThreadTreatment::Usual => continue,
            ThreadTreatment::Unpreemptable => &mut unpreemptable,
            ThreadTreatment::Promoted => &mut promoted,
        };
        let text = fs::read_to_string(format!("/proc/{pid}/task/{tid}/schedstat"));
        let ns = text.ok().and_then(|t| t.split(' ').next()?.parse().ok());
        *used += ns.unwrap_or(0u64);
    }
    (unpreemptable, promoted)
}

#[derive(Debug, PartialEq, Eq)]
enum ThreadTreatment {
    Usual,
    Unpreemptable,
    Promoted,
}

/// The scheduling class of a thread now. A thread that has ended counts as
/// ordinary.
fn treatment(tid: libc::pid_t) -> ThreadTreatment {
    // SAFETY: plain calls.
    let (policy, nice) = unsafe {
        let policy = libc::sched_getscheduler(tid) & !libc::SCHED_RESET_ON_FORK;
        let which = libc::PRIO_PROCESS;
        (policy, libc::getpriority(which, tid.cast_unsigned()))
    };
    match policy {
        libc::SCHED_FIFO | libc::SCHED_RR | libc::SCHED_DEADLINE => ThreadTreatment::Unpreemptable,
        _ if nice < 0 => ThreadTreatment::Promoted,
        _ => ThreadTreatment::Usual,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_reported_with_its_children_each_by_itself() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let own = std::process::id();
        let found = CountedSubject::Process(own).address_spaces().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(found[0].process, own);
        assert!(found[0].usage.cpu_ns > 0);
        assert!(found.iter().any(|space| space.process == child.id()));
    }

    #[test]
    fn a_thread_that_is_made_nicer_to_others_is_a_usual_one() {
        let thread = std::thread::spawn(|| {
            // SAFETY: plain calls, about the calling thread.
            unsafe {
                let tid = libc::gettid();
                libc::setpriority(libc::PRIO_PROCESS, tid.cast_unsigned(), 5);
                let usual = treatment(tid);
                // This needs a privilege.
                let may = libc::setpriority(libc::PRIO_PROCESS, tid.cast_unsigned(), -5) == 0;
                (usual, may.then(|| treatment(tid)))
            }
        });
        let (usual, raised) = thread.join().unwrap();
        assert_eq!(usual, ThreadTreatment::Usual);
        assert!(raised.is_none_or(|t| t == ThreadTreatment::Promoted));
    }
}

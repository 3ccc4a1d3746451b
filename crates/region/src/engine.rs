//! Kinds of engine, and which thread works for which.
//!
//! CPU sets named `general` and `offload` stand for general processors and
//! zIIPs. A thread says itself, once, for which service it works and on which
//! kind of engine its work may run; its CPU time is counted there, also after
//! it has ended. Threads that say nothing are the region's own: general.
//!
//! Reference: proc(5), `/proc/self/task/TID/schedstat`.

use std::cell::RefCell;
use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A kind of engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EngineClass {
    /// General processors: programs, dispatching, commits.
    General,
    /// Processors for infrastructure: what doors do may run there.
    Offload,
}

/// The CPU time of a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceUse {
    /// The service: `gateway`, `appc`.
    pub service: &'static str,
    /// The processors on which its threads may run.
    pub class: EngineClass,
    /// CPU time in nanoseconds, of threads that have ended too.
    pub cpu_ns: u64,
}

/// Says for which service the calling thread works from now on, to its end.
pub fn enter(service: &'static str, class: EngineClass) {
    MEMBERSHIP.with_borrow_mut(|mine| {
        if mine.is_none() {
            // SAFETY: a plain call.
            let tid = unsafe { libc::gettid() };
            let member = RegisteredThread {
                tid,
                service,
                class,
            };
            lock().members.push(member);
            *mine = Some(ThreadRegistration { tid });
        }
    });
}

/// The CPU time of each service so far, by name.
pub fn usage() -> Vec<ServiceUse> {
    let registry = lock();
    let mut all = registry.ended.clone();
    for member in &registry.members {
        add(&mut all, member.service, member.class, run_ns(member.tid));
    }
    all.sort_by_key(|u| (u.service, u.class));
    all
}

/// Threads that said what they work for.
static REGISTRY: Mutex<ThreadRegistry> = Mutex::new(ThreadRegistry {
    members: Vec::new(),
    ended: Vec::new(),
});

thread_local! {
    static MEMBERSHIP: RefCell<Option<ThreadRegistration>> = const { RefCell::new(None) };
}

struct ThreadRegistry {
    members: Vec<RegisteredThread>,
    /// The CPU time of threads that have ended.
    ended: Vec<ServiceUse>,
}

struct RegisteredThread {
    tid: libc::pid_t,
    service: &'static str,
    class: EngineClass,
}

/// Keeps what a thread has used when it ends.
struct ThreadRegistration {
    tid: libc::pid_t,
}

impl Drop for ThreadRegistration {
    fn drop(&mut self) {
        let used = run_ns(self.tid);
        let mut registry = lock();
        let at = registry.members.iter().position(|m| m.tid == self.tid);
        if let Some(at) = at {
            let member = registry.members.swap_remove(at);
            add(&mut registry.ended, member.service, member.class, used);
        }
    }
}

fn lock() -> MutexGuard<'static, ThreadRegistry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

fn add(all: &mut Vec<ServiceUse>, service: &'static str, class: EngineClass, cpu_ns: u64) {
    let same = |u: &&mut ServiceUse| u.service == service && u.class == class;
    match all.iter_mut().find(same) {
        Some(known) => known.cpu_ns += cpu_ns,
        None => all.push(ServiceUse {
            service,
            class,
            cpu_ns,
        }),
    }
}

/// CPU time of a thread of this process; 0 when it has ended.
fn run_ns(tid: libc::pid_t) -> u64 {
    let text = fs::read_to_string(format!("/proc/self/task/{tid}/schedstat"));
    let first = text.ok().and_then(|t| t.split(' ').next()?.parse().ok());
    first.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(service: &str) -> u64 {
        let all = usage();
        let own = all.iter().filter(|u| u.service == service);
        own.map(|u| u.cpu_ns).sum()
    }

    #[test]
    fn the_time_of_a_thread_is_its_services_after_its_end_too() {
        let thread = std::thread::spawn(|| {
            enter("a-test", EngineClass::Offload);
            // Until the kernel has counted something.
            let mut n = 0u64;
            while used("a-test") < 1_000_000 {
                n = std::hint::black_box(n + 1);
            }
            used("a-test")
        });
        let seen = thread.join().unwrap();
        assert!(used("a-test") >= seen);
        let class = usage().into_iter().find(|u| u.service == "a-test");
        assert_eq!(class.unwrap().class, EngineClass::Offload);
    }
}

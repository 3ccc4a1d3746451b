//! Limits of the worker's process.
//!
//! When the process is confined, memory is bounded in addition to what is mapped:
//! the arenas and the store's map are address space that costs nothing. The other
//! bounds are what a worker needs, with room.
//! Reference: getrlimit(2).

use std::fs;
use std::io;

use link::{WorkerConfig, WorkerConfinement};

use super::{SandboxError, done};

/// Descriptors: its own, one for each further instance of a program, and those
/// that are passed to it.
const DESCRIPTORS: u64 = 1024;
/// Bytes of the largest file that it writes, except a copy of a module. The kernel
/// charges memory files to no process, so many of them must stay small.
const FILE_BYTES: u64 = 1 << 20;
/// Further address space for the code of modules, in bytes. The loader
/// maps a module's storage over its code's place, so that the limit of data
/// does not count it: this one does.
const CODE_BYTES: u64 = 512 << 20;

/// Sets the limits of this process for good.
pub fn set(config: &WorkerConfig) -> Result<(), SandboxError> {
    let bounds = &config.confinement;
    let failed = |error| SandboxError::System {
        what: "reading its own size",
        error,
    };
    let size = ProcessSize::read().map_err(failed)?;
    if let Some(bytes) = memory_bytes(bounds) {
        limit(libc::RLIMIT_DATA, size.data.saturating_add(bytes))?;
        let mapped = size.mapped.saturating_add(bytes + CODE_BYTES);
        limit(libc::RLIMIT_AS, mapped)?;
    }
    limit(libc::RLIMIT_CORE, 0)?;
    limit(libc::RLIMIT_NPROC, 0)?;
    limit(libc::RLIMIT_NOFILE, DESCRIPTORS)?;
    limit(libc::RLIMIT_FSIZE, largest_module(config).max(FILE_BYTES))?;
    limit(libc::RLIMIT_MSGQUEUE, 0)
}

/// Bytes of private memory that programs may have: the limit of a task, in addition to
/// what earlier tasks may leave in the worker, and at most the limit of a worker. A
/// limit for each task would take a system call that programs may not make.
/// `None` for no limit.
fn memory_bytes(bounds: &WorkerConfinement) -> Option<u64> {
    let of_tasks = (bounds.task_bytes > 0 && bounds.resident_bytes > 0)
        .then(|| bounds.task_bytes.saturating_add(bounds.resident_bytes));
    let of_process = (bounds.process_bytes > 0).then_some(bounds.process_bytes);
    [of_tasks, of_process].into_iter().flatten().min()
}

/// Bytes of the largest module, which a second instance has a copy of.
fn largest_module(config: &WorkerConfig) -> u64 {
    let modules = config.programs.iter().filter_map(|p| p.module.as_deref());
    let bytes = modules.filter_map(|path| fs::metadata(path).ok().map(|file| file.len()));
    bytes.max().unwrap_or(0)
}

/// Sets a limit, or leaves it where it is lower already.
fn limit(what: libc::__rlimit_resource_t, bound: u64) -> Result<(), SandboxError> {
    let mut now = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: a valid place for the limit, and a limit.
    let rc = unsafe {
        match libc::getrlimit(what, &mut now) {
            0 => {
                now.rlim_cur = bound.min(now.rlim_max);
                now.rlim_max = now.rlim_cur;
                libc::setrlimit(what, &now)
            }
            rc => rc,
        }
    };
    done("setting a limit", rc)
}

/// Sizes of this process in bytes.
#[derive(Debug, Clone, Copy)]
struct ProcessSize {
    /// Everything that is mapped.
    mapped: u64,
    /// Private and writable memory, the stack included.
    data: u64,
}

impl ProcessSize {
    fn read() -> io::Result<ProcessSize> {
        let text = fs::read_to_string("/proc/self/statm")?;
        let page = page_bytes();
        let field = |n: usize| {
            let pages = text.split_whitespace().nth(n)?.parse::<u64>().ok()?;
            Some(pages * page)
        };
        let size = field(0).zip(field(5));
        let (mapped, data) = size.ok_or(io::ErrorKind::InvalidData)?;
        Ok(ProcessSize { mapped, data })
    }
}

/// Bytes of a page of memory.
pub fn page_bytes() -> u64 {
    // SAFETY: asks for a constant.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(task: u64, process: u64, resident: u64) -> Option<u64> {
        memory_bytes(&WorkerConfinement {
            task_bytes: task,
            process_bytes: process,
            resident_bytes: resident,
            ..WorkerConfinement::default()
        })
    }

    #[test]
    fn a_task_has_its_memory_and_what_others_left_and_no_more() {
        assert_eq!(bytes(100, 1_000, 50), Some(150));
        assert_eq!(bytes(100, 120, 50), Some(120));
        assert_eq!(bytes(100, 0, 50), Some(150));
        assert_eq!(bytes(0, 1_000, 50), Some(1_000));
        assert_eq!(bytes(0, 0, 0), None);
    }
}

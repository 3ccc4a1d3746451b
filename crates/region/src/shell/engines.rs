//! Engines: threads and processes bound to sets of CPUs.
//!
//! Reference: sched_setaffinity(2).

use std::io;

/// CPUs that the calling thread may use.
pub fn available_cpus() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Makes a CPU set of numbers; `None` for an empty list, which means all.
pub fn cpu_set(cpus: &[usize]) -> Option<libc::cpu_set_t> {
    if cpus.is_empty() {
        return None;
    }
    // SAFETY: a cpu set is plain bits; numbers beyond it are left out.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        for &cpu in cpus {
            if cpu < libc::CPU_SETSIZE as usize {
                libc::CPU_SET(cpu, &mut set);
            }
        }
        Some(set)
    }
}

/// Binds the calling thread to a set. Safe between fork and exec.
pub fn bind(set: Option<&libc::cpu_set_t>) -> io::Result<()> {
    let Some(set) = set else {
        return Ok(());
    };
    // SAFETY: the set is valid and of the size said; 0 is the calling thread.
    let rc = unsafe { libc::sched_setaffinity(0, std::mem::size_of_val(set), set) };
    if rc < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

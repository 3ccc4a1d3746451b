//! The sandbox that confines a worker's programs to their task.
//!
//! A worker puts itself into the sandbox when everything that it needs is open
//! and before the first program runs: no further privileges, not dumpable, no
//! capabilities, limits, Landlock, and a filter of system calls. None of these can
//! be removed again, not even by the worker itself.
//!
//! Still allowed: reading modules and time zones, memory, the descriptors that
//! the worker has, and those that the region passes it.
//! Reference: prctl(2), capabilities(7), getrlimit(2), landlock(7), seccomp(2).

mod calls;
mod files;
mod health;
mod limits;

use std::io;

use link::{SandboxMode, WorkerConfig};

pub(crate) use health::HealthCheck;
pub(crate) use limits::page_bytes;

/// Why a worker could not be confined.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SandboxError {
    /// A system call of its own failed.
    #[error("{what}: {error}")]
    System {
        /// The attempted step.
        what: &'static str,
        /// The system's error.
        error: io::Error,
    },
    /// The rules for files were not taken.
    #[error("Landlock: {0}")]
    Files(#[from] landlock::RulesetError),
    /// The filter of system calls was not taken.
    #[error("seccomp: {0}")]
    Calls(#[from] seccompiler::Error),
    /// The kernel lacks a part, and the sandbox is required.
    #[error("the kernel lacks {0}, and the sandbox is required")]
    Lacking(String),
}

/// The parts of the sandbox that this kernel does not have, in words; none
/// when it has them all.
pub fn lacking() -> Vec<&'static str> {
    let mut lacking = Vec::new();
    match files::abi() {
        0 => lacking.push("Landlock (files and signals)"),
        1..=5 => lacking.push("Landlock's scope for signals (Linux 6.12)"),
        _ => {}
    }
    if !calls::known() {
        lacking.push("seccomp (system calls)");
    }
    lacking
}

/// Confines this process for the rest of its life, as the configuration says.
/// The process has one thread, and has opened all files that it needs.
pub(crate) fn enter(config: &WorkerConfig) -> Result<(), SandboxError> {
    let mode = config.confinement.sandbox;
    if mode == SandboxMode::Off {
        return Ok(());
    }
    let lacking = lacking();
    if mode == SandboxMode::Required && !lacking.is_empty() {
        return Err(SandboxError::Lacking(lacking.join(" and ")));
    }
    clear_environment();
    limits::set(config)?;
    no_new_privileges()?;
    drop_capabilities()?;
    files::restrict(config)?;
    // Last: what comes before needs calls that it takes away.
    if calls::known() {
        calls::restrict()?;
    }
    Ok(())
}

/// Programs find nothing in the environment but the time zone.
fn clear_environment() {
    let names: Vec<_> = std::env::vars_os().map(|(name, _)| name).collect();
    for name in names.iter().filter(|n| *n != "TZ") {
        // SAFETY: the process has one thread.
        unsafe { std::env::remove_var(name) };
    }
}

fn no_new_privileges() -> Result<(), SandboxError> {
    // SAFETY: plain calls; the unused arguments are zero as the call wants.
    let (privileges, dumpable) = unsafe {
        (
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
            libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0),
        )
    };
    done("no new privileges", privileges)?;
    done("not dumpable", dumpable)
}

/// Gives up every capability. A process without any has nothing to give.
fn drop_capabilities() -> Result<(), SandboxError> {
    #[repr(C)]
    struct Header {
        version: u32,
        pid: i32,
    }
    /// `_LINUX_CAPABILITY_VERSION_3`, with two sets of three words.
    const VERSION: u32 = 0x2008_0522;
    let header = Header {
        version: VERSION,
        pid: 0,
    };
    let none = [[0u32; 3]; 2];
    // SAFETY: a header and two data sets, as this version has them.
    let rc = unsafe { libc::syscall(libc::SYS_capset, &header, none.as_ptr()) };
    done("dropping capabilities", rc as i32)
}

fn done(what: &'static str, rc: i32) -> Result<(), SandboxError> {
    match rc {
        0.. => Ok(()),
        _ => Err(SandboxError::System {
            what,
            error: io::Error::last_os_error(),
        }),
    }
}

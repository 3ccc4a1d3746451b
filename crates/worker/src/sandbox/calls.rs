//! seccomp: which system calls a worker may still make.
//!
//! Two filters. The first lets through what a program and its run-time library
//! use and answers EPERM to the rest. The second ends the process for calls
//! that no COBOL program makes by accident: a shell, another process's memory,
//! a signal to another process. The stricter one decides.
//! Reference: seccomp(2).

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::SeccompCmpArgLen::{Dword, Qword};
use seccompiler::SeccompCmpOp::{Eq, MaskedEq, Ne};
use seccompiler::{
    BackendError, BpfProgram, Error, SeccompAction, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
};

type SeccompRules = BTreeMap<i64, Vec<SeccompRule>>;

/// True when the kernel can end a process for a call.
pub fn known() -> bool {
    const ACTION_AVAILABLE: u32 = 2;
    let action: u32 = libc::SECCOMP_RET_KILL_PROCESS;
    // SAFETY: the call reads the action's number.
    unsafe { libc::syscall(libc::SYS_seccomp, ACTION_AVAILABLE, 0, &action) == 0 }
}

/// Puts both filters on this thread, which is the process's only one.
pub fn restrict() -> Result<(), Error> {
    let architecture: TargetArch = std::env::consts::ARCH.try_into()?;
    let filter = |rules, otherwise, matched| -> Result<BpfProgram, BackendError> {
        SeccompFilter::new(rules, otherwise, matched, architecture)?.try_into()
    };
    let refuse = SeccompAction::Errno(libc::EPERM as u32);
    let own = u64::from(std::process::id());
    let usual = filter(usual(own)?, refuse, SeccompAction::Allow)?;
    let fatal = filter(
        hostile(own)?,
        SeccompAction::Allow,
        SeccompAction::KillProcess,
    )?;
    // The other way round the first would not let the second be put on.
    apply_filter(&fatal)?;
    apply_filter(&usual)
}

/// Calls let through, some with certain arguments only.
fn usual(own: u64) -> Result<SeccompRules, BackendError> {
    let mut rules: SeccompRules = USUAL.iter().map(|&call| (call, Vec::new())).collect();
    let mut only = |call: c_long, any: Vec<SeccompRule>| rules.insert(call, any);
    // Reading: nothing is opened for writing or made.
    let writing = (libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC | O_TMPFILE) as u64;
    only(
        libc::SYS_openat,
        vec![rule(2, Dword, MaskedEq(writing), 0)?],
    );
    // No descriptor is made to send signals.
    only(libc::SYS_fcntl, each(1, &CONTROLS)?);
    only(libc::SYS_ioctl, each(1, &DEVICE_CONTROLS)?);
    // Signals to itself: what a panic ends with.
    for call in [libc::SYS_kill, libc::SYS_tgkill, libc::SYS_tkill] {
        only(call, vec![rule(0, Dword, Eq, own)?]);
    }
    // Its own limits may be read.
    let unchanged = SeccompRule::new(vec![
        condition(0, Dword, Eq, 0)?,
        condition(2, Qword, Eq, 0)?,
    ])?;
    only(libc::SYS_prlimit64, vec![unchanged]);
    // A socket that was passed sends to its peer. With MSG_FASTOPEN it would
    // connect to an address of the program's choice.
    let opens = u64::from(libc::MSG_FASTOPEN as u32);
    let to_peer = SeccompRule::new(vec![
        condition(4, Qword, Eq, 0)?,
        condition(3, Dword, MaskedEq(opens), 0)?,
    ])?;
    only(libc::SYS_sendto, vec![to_peer]);
    only(libc::SYS_sendmsg, vec![rule(2, Dword, MaskedEq(opens), 0)?]);
    Ok(rules)
}

/// Calls that end the process.
fn hostile(own: u64) -> Result<SeccompRules, BackendError> {
    let mut rules: SeccompRules = HOSTILE.iter().map(|&call| (call, Vec::new())).collect();
    for call in [libc::SYS_kill, libc::SYS_tgkill, libc::SYS_tkill] {
        rules.insert(call, vec![rule(0, Dword, Ne, own)?]);
    }
    Ok(rules)
}

fn condition(
    argument: u8,
    width: seccompiler::SeccompCmpArgLen,
    how: seccompiler::SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, width, how, value)
}

fn rule(
    argument: u8,
    width: seccompiler::SeccompCmpArgLen,
    how: seccompiler::SeccompCmpOp,
    value: u64,
) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![condition(argument, width, how, value)?])
}

fn each(argument: u8, values: &[u64]) -> Result<Vec<SeccompRule>, BackendError> {
    let rules = values.iter().map(|&v| rule(argument, Dword, Eq, v));
    rules.collect()
}

/// The bit of O_TMPFILE that O_DIRECTORY does not have.
const O_TMPFILE: i32 = 0o20_000_000;

/// fcntl: descriptors and record locks, which LMDB's readers take. Not the
/// flags of open files: the region shares some, and must never block.
const CONTROLS: [u64; 8] = [
    libc::F_DUPFD as u64,
    libc::F_DUPFD_CLOEXEC as u64,
    libc::F_GETFD as u64,
    libc::F_SETFD as u64,
    libc::F_GETFL as u64,
    libc::F_GETLK as u64,
    libc::F_SETLK as u64,
    libc::F_GET_SEALS as u64,
];

/// ioctl: is it a terminal, how much is there to read.
const DEVICE_CONTROLS: [u64; 2] = [libc::TCGETS, libc::FIONREAD];

/// Let through whatever their arguments are.
const USUAL: &[c_long] = &[
    // Memory.
    libc::SYS_brk,
    libc::SYS_madvise,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_memfd_create,
    // Descriptors that are there.
    libc::SYS_close,
    libc::SYS_dup,
    libc::SYS_fstat,
    libc::SYS_lseek,
    libc::SYS_newfstatat,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_statx,
    libc::SYS_write,
    libc::SYS_writev,
    // Waiting, and being woken.
    libc::SYS_clock_nanosleep,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_eventfd2,
    libc::SYS_futex,
    libc::SYS_nanosleep,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_sched_yield,
    // Sockets that the region passed.
    libc::SYS_getpeername,
    libc::SYS_getsockname,
    libc::SYS_getsockopt,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_setsockopt,
    libc::SYS_shutdown,
    // Clocks, and the process's own identifiers.
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_getcpu,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getrandom,
    libc::SYS_getrusage,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_getuid,
    libc::SYS_sched_getaffinity,
    libc::SYS_times,
    libc::SYS_uname,
    // Its own thread.
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_membarrier,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_set_robust_list,
    libc::SYS_sigaltstack,
    // Older forms of the same.
    #[cfg(target_arch = "x86_64")]
    libc::SYS_epoll_wait,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lstat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_select,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_stat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_time,
];

/// The end of the process.
const HOSTILE: &[c_long] = &[
    // Another program, another process.
    libc::SYS_clone,
    libc::SYS_clone3,
    libc::SYS_execve,
    libc::SYS_execveat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
    // Memory, descriptors, limits and signals of other processes.
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    libc::SYS_process_madvise,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    // The system.
    libc::SYS_add_key,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_init_module,
    libc::SYS_io_uring_setup,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_mount,
    libc::SYS_open_by_handle_at,
    libc::SYS_perf_event_open,
    libc::SYS_pivot_root,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setns,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
];

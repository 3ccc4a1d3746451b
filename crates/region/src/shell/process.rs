//! The spawner: the one thread that starts and kills worker processes.
//!
//! The thread is permanent, because PR_SET_PDEATHSIG ends a child when the thread that
//! made it ends; so no worker outlives the region, however that dies. A worker
//! is exec'd with its socket as descriptor 3 and no other open file: no
//! environment but what finds libraries and the time zone. When memory runs
//! out the system ends workers before the region.
//! Reference: prctl(2), pidfd_open(2), proc_pid_oom_score_adj(5).

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender};

use super::SharedRegion;
use super::engines::bind;
use super::output::WorkerOutput;

/// The orders to the spawner.
pub enum Order {
    /// Start the process of a worker whose memory has been made.
    Spawn(usize),
    /// Kill the process of a worker.
    Kill(usize),
    /// Kill everything and end.
    Stop,
}

/// A process that was started, for the thread that watches it.
pub struct StartedProcess {
    /// The worker's number.
    pub worker: usize,
    /// The process.
    pub child: Child,
    /// Readable when the process has ended.
    pub pidfd: OwnedFd,
}

/// How workers are started.
pub struct WorkerLaunch {
    /// Executable.
    pub exe: PathBuf,
    /// Arguments.
    pub args: Vec<OsString>,
    /// CPUs for workers.
    pub general: Option<libc::cpu_set_t>,
    /// Steps of nice(2) by which workers run after the region's threads.
    pub nice: u8,
    /// Their oom_score_adj, above the region's.
    pub oom_score: String,
}

/// The spawner's thread.
pub fn run(
    shared: &Arc<SharedRegion>,
    recipe: &WorkerLaunch,
    output: &WorkerOutput,
    orders: &Receiver<Order>,
    started: &Sender<StartedProcess>,
) {
    while let Ok(order) = orders.recv() {
        match order {
            Order::Spawn(worker) => {
                if let Err(error) = start(shared, recipe, output, worker, started) {
                    tracing::error!(worker, %error, "a worker could not be started");
                    shared.with(|core, cx| {
                        let how = format!("it could not be started: {error}");
                        core.dead(cx, worker, false, &how);
                    });
                }
            }
            Order::Kill(worker) => kill(shared, worker),
            Order::Stop => return,
        }
    }
}

fn start(
    shared: &Arc<SharedRegion>,
    recipe: &WorkerLaunch,
    output: &WorkerOutput,
    worker: usize,
    started: &Sender<StartedProcess>,
) -> io::Result<()> {
    let Some(link) = shared.lock().links.get(worker).cloned() else {
        return Ok(());
    };
    let socket = link.socket.lock().ok().and_then(|mut s| s.take());
    let Some(socket) = socket else {
        return Ok(());
    };
    let (out_read, out_write) = pipe()?;
    let (err_read, err_write) = pipe()?;
    let socket_fd = socket.as_raw_fd();
    let (general, nice) = (recipe.general, recipe.nice);
    let score = recipe.oom_score.clone().into_bytes();
    let region = std::process::id() as libc::pid_t;
    let mut command = Command::new(&recipe.exe);
    command
        .args(&recipe.args)
        .env_clear()
        .envs(
            KEPT.iter()
                .filter_map(|&name| Some((name, std::env::var_os(name)?))),
        )
        .stdin(Stdio::null())
        .stdout(out_write)
        .stderr(err_write)
        .process_group(0);
    // SAFETY: between fork and exec only system calls are made.
    unsafe {
        command.pre_exec(move || {
            hand_over(socket_fd)?;
            bind(general.as_ref())?;
            first_to_go(&score);
            // One that the system does not allow is no reason not to start.
            if nice > 0 {
                libc::nice(nice.into());
            }
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) < 0 {
                return Err(io::Error::last_os_error());
            }
            // A region that ended before that sends no signal.
            if libc::getppid() != region {
                libc::_exit(1);
            }
            Ok(())
        });
    }
    let mut child = command.spawn()?;
    drop(command);
    let pid = child.id() as libc::pid_t;
    let pidfd = match pidfd_open(pid) {
        Ok(fd) => fd,
        Err(error) => {
            let _ = child.kill();
            let _ = child.wait();
            link.pid.store(super::links::ENDED, Ordering::Relaxed);
            return Err(error);
        }
    };
    link.pid.store(pid, Ordering::Relaxed);
    output.watch(worker, out_read, err_read);
    let _ = started.send(StartedProcess {
        worker,
        child,
        pidfd,
    });
    shared.page.notify(0);
    Ok(())
}

/// Kills a worker's process. The number cannot have been given to another
/// process: it is reaped only after the core has noticed its end.
fn kill(shared: &Arc<SharedRegion>, worker: usize) {
    let state = shared.lock();
    let Some(link) = state.links.get(worker) else {
        return;
    };
    let pid = link.pid.load(Ordering::Relaxed);
    if pid > 0 {
        // SAFETY: a plain call; the negative number names the worker's own
        // process group.
        unsafe { libc::kill(-pid, libc::SIGKILL) };
    }
}

/// How a process ended, in words, and whether it did so by itself and well.
pub fn describe(status: ExitStatus) -> (bool, String) {
    match (status.code(), status.signal()) {
        (Some(0), _) => (true, "it ended".to_owned()),
        (Some(code), _) => (false, format!("exit status {code}")),
        (None, Some(signal)) => (false, format!("signal {signal}{}", signal_name(signal))),
        (None, None) => (false, "it ended without a status".to_owned()),
    }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        libc::SIGSEGV => " (SIGSEGV)",
        libc::SIGBUS => " (SIGBUS)",
        libc::SIGFPE => " (SIGFPE)",
        libc::SIGILL => " (SIGILL)",
        libc::SIGABRT => " (SIGABRT)",
        libc::SIGKILL => " (SIGKILL)",
        libc::SIGTERM => " (SIGTERM)",
        libc::SIGSYS => " (SIGSYS: a system call that programs may not make)",
        libc::SIGXFSZ => " (SIGXFSZ)",
        _ => "",
    }
}

/// Makes a descriptor number 3 of the process to be.
fn hand_over(fd: RawFd) -> io::Result<()> {
    // SAFETY: plain calls on descriptor numbers.
    let rc = unsafe {
        if fd == link::WORKER_FD {
            libc::fcntl(fd, libc::F_SETFD, 0)
        } else {
            libc::dup2(fd, link::WORKER_FD)
        }
    };
    if rc < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// The variables in a worker's environment: the path of libraries, and the time zone.
const KEPT: [&str; 2] = ["LD_LIBRARY_PATH", "TZ"];

/// The oom_score_adj of workers, which stays above the region's. A region whose own
/// leaves no room above it has it lowered, where the system allows that.
pub fn oom_score_of_workers() -> String {
    const PATH: &str = "/proc/self/oom_score_adj";
    let read = || {
        let text = std::fs::read_to_string(PATH).ok()?;
        text.trim().parse::<i32>().ok()
    };
    let mut own = read().unwrap_or(0);
    if own > HIGHEST_OWN_SCORE {
        let _ = std::fs::write(PATH, HIGHEST_OWN_SCORE.to_string());
        own = read().unwrap_or(own);
    }
    if own > HIGHEST_OWN_SCORE {
        tracing::warn!(
            "the region's oom_score_adj is {own} and cannot be lowered: when memory runs out the \
             system may end the region before its workers"
        );
    }
    score_above(own).to_string()
}

/// Highest oom_score_adj of a region that leaves room above it.
const HIGHEST_OWN_SCORE: i32 = 900;

/// The score of workers of a region with this one: 500, or more where the region's
/// is high itself.
fn score_above(own: i32) -> i32 {
    (own + 100).clamp(500, 1_000)
}

/// Has the system end this process before others when memory runs out. Where
/// it may not be said, the process is as good a choice as any.
fn first_to_go(score: &[u8]) {
    // SAFETY: plain calls on a path and bytes that live until they return.
    unsafe {
        let fd = libc::open(
            c"/proc/self/oom_score_adj".as_ptr(),
            libc::O_WRONLY | libc::O_CLOEXEC,
        );
        if fd >= 0 {
            libc::write(fd, score.as_ptr().cast(), score.len());
            libc::close(fd);
        }
    }
}

/// A pipe that blocks neither side: a program that prints more than is drained
/// loses lines, not time.
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut fds: [RawFd; 2] = [-1; 2];
    // SAFETY: room for two descriptors.
    if unsafe { libc::pipe2(fds.as_mut_ptr(), libc::O_CLOEXEC | libc::O_NONBLOCK) } < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: two fresh descriptors.
    unsafe { Ok((OwnedFd::from_raw_fd(fds[0]), OwnedFd::from_raw_fd(fds[1]))) }
}

fn pidfd_open(pid: libc::pid_t) -> io::Result<OwnedFd> {
    // SAFETY: a plain call; the child is not reaped yet.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a fresh descriptor.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_have_a_higher_oom_score_than_their_region() {
        for own in [-1_000, -500, 0, 400, 500, 800, HIGHEST_OWN_SCORE] {
            let score = score_above(own);
            assert!(
                score > own && (500..=1_000).contains(&score),
                "{own}: {score}"
            );
        }
    }
}

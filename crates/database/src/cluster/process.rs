//! The server's process, and the thread that starts it and starts it again.
//!
//! The kernel sends PDEATHSIG when the *thread* that has started a process ends, so
//! the thread stays as long as the server. SIGINT is PostgreSQL's fast shutdown:
//! transactions are rolled back and the cluster is left clean.
//!
//! Reference: prctl(2); PostgreSQL 15, "Shutting Down the Server".

use std::fs::{File, OpenOptions};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sql::wire::LoginCredentials;

use super::folder::{ClusterFolder, failed, fd_path};
use super::user::SystemUser;
use super::{ClusterError, ClusterOptions};
use crate::address::ServerAddress;
use crate::connection::Connection;

/// How long a start may take: recovery of the log included.
const START_LIMIT: Duration = Duration::from_secs(120);
/// How often a server that starts is asked.
const LOOK: Duration = Duration::from_millis(15);
/// How long a stop may take before it is an immediate one.
const STOP_LIMIT: Duration = Duration::from_secs(10);
/// The least time between two starts.
const PAUSE: Duration = Duration::from_millis(500);
/// Sessions besides those of programs: the owner's, operators', the superuser's.
const OTHER_SESSIONS: usize = 20;

/// Settings of the server that follow from what EXEC SQL needs.
const SETTINGS: &[&str] = &[
    // Deadlocks of programs are seen soon; a check costs little.
    "deadlock_timeout=100ms",
    // Sessions of workers that died end in a statement, too.
    "client_connection_check_interval=500ms",
    "listen_addresses=",
    "unix_socket_permissions=0700",
    "max_prepared_transactions=64",
    "wal_level=minimal",
    "max_wal_senders=0",
    "synchronous_commit=on",
    "standard_conforming_strings=on",
    "idle_in_transaction_session_timeout=0",
    // Statements have data of programs: only the server's own ends are logged.
    "log_min_messages=fatal",
    "log_min_error_statement=panic",
    "logging_collector=off",
];

/// A server that runs, and is started again when it is killed.
#[derive(Debug)]
pub struct ServerProcess {
    state: Arc<Mutex<ProcessState>>,
    ended: Mutex<Receiver<()>>,
}

#[derive(Debug, Default)]
struct ProcessState {
    pid: Option<libc::pid_t>,
    stopping: bool,
}

/// What the thread needs.
struct ServerSupervisor {
    binaries: PathBuf,
    folder: Arc<ClusterFolder>,
    owner: String,
    sessions: usize,
    state: Arc<Mutex<ProcessState>>,
}

impl ServerProcess {
    /// Starts the server and waits until it answers.
    pub fn start(
        binaries: &Path,
        folder: &Arc<ClusterFolder>,
        options: &ClusterOptions,
    ) -> Result<ServerProcess, ClusterError> {
        let state = Arc::new(Mutex::new(ProcessState::default()));
        let supervisor = ServerSupervisor {
            binaries: binaries.to_owned(),
            folder: folder.clone(),
            owner: options.owner.clone(),
            sessions: options.sessions,
            state: state.clone(),
        };
        let (started, first) = channel();
        let (alive, ended) = channel();
        let thread = std::thread::Builder::new().name("tupelo-cluster".to_owned());
        thread
            .spawn(move || {
                // Dropped at the thread's end, which ends the wait of a stop.
                let _alive: Sender<()> = alive;
                supervisor.run(&started);
            })
            .map_err(|e| {
                failed(
                    "cannot start a thread for",
                    folder.file("data").as_path(),
                    e,
                )
            })?;
        let lost = || Err(ClusterError::Start("its thread ended".to_owned()));
        first.recv().unwrap_or_else(|_| lost())?;
        Ok(ServerProcess {
            state,
            ended: Mutex::new(ended),
        })
    }

    /// Its process number, while it runs.
    pub fn pid(&self) -> Option<u32> {
        lock(&self.state).pid.map(libc::pid_t::unsigned_abs)
    }

    /// Ends the server process and waits: a fast shutdown, then an immediate one.
    pub fn stop(&self) {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGKILL] {
            {
                let mut state = lock(&self.state);
                state.stopping = true;
                if let Some(pid) = state.pid {
                    // SAFETY: sends a signal to a child that is not reaped yet: its
                    // number is taken out of the state under this lock first.
                    unsafe { libc::kill(pid, signal) };
                }
            }
            if ended.recv_timeout(STOP_LIMIT) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
        }
    }
}

impl ServerSupervisor {
    fn run(&self, started: &Sender<Result<(), ClusterError>>) {
        self.folder.remove_stale();
        let mut child = match self.start() {
            Ok(child) => child,
            Err(error) => {
                let _ = started.send(Err(error));
                return;
            }
        };
        if started.send(Ok(())).is_err() {
            lock(&self.state).stopping = true;
        }
        loop {
            self.wait(&mut child);
            let mut first = true;
            child = loop {
                if lock(&self.state).stopping {
                    return;
                }
                if std::mem::take(&mut first) {
                    tracing::error!("the private PostgreSQL ended; it is started again");
                }
                std::thread::sleep(PAUSE);
                match self.start() {
                    Ok(child) => break child,
                    Err(error) => tracing::error!(%error, "it does not start"),
                }
            };
        }
    }

    /// Starts the server and waits until it takes sessions.
    fn start(&self) -> Result<Child, ClusterError> {
        let data = self.folder.own("data")?;
        let log_path = self.folder.file("log");
        let log = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(true)
            .mode(0o600)
            .open(&log_path)
            .map_err(|e| failed("cannot open", &log_path, e))?;
        let program = self.binaries.join("postgres");
        let mut command = server_command(&program, &self.folder, &data, libc::SIGINT);
        command.arg("-D").arg(fd_path(&data));
        let folder = fd_path(self.folder.socket_folder());
        let connections = self.sessions.min(4000) + OTHER_SESSIONS;
        let own = [
            format!("unix_socket_directories={}", folder.display()),
            format!("max_connections={connections}"),
        ];
        for setting in SETTINGS
            .iter()
            .copied()
            .chain(own.iter().map(String::as_str))
        {
            command.args(["-c", setting]);
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        let mut child = {
            let mut state = lock(&self.state);
            let child = command
                .spawn()
                .map_err(|e| failed("cannot run", &program, e))?;
            state.pid = Some(child.id().cast_signed());
            child
        };
        match self.until_ready(&mut child) {
            Ok(()) => Ok(child),
            Err(why) => {
                let _ = child.kill();
                self.wait(&mut child);
                Err(ClusterError::Start(why))
            }
        }
    }

    fn until_ready(&self, child: &mut Child) -> Result<(), String> {
        let deadline = Instant::now() + START_LIMIT;
        let address = ServerAddress::Unix(self.folder.socket());
        loop {
            let credentials = LoginCredentials {
                user: self.owner.clone(),
                database: "postgres".to_owned(),
                password: None,
                settings: Vec::new(),
            };
            let why = match Connection::open(&address, credentials, deadline) {
                Ok(_) => return Ok(()),
                Err(error) => error.to_string(),
            };
            if has_ended(child) {
                let log = std::fs::read_to_string(self.folder.file("log")).unwrap_or_default();
                let lines: Vec<&str> = log.lines().rev().take(4).collect();
                let lines: Vec<&str> = lines.into_iter().rev().collect();
                return Err(lines.join("; "));
            }
            if Instant::now() > deadline {
                return Err(why);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Waits for the end of the server. Its number is taken out of the state before
    /// it is another process's.
    fn wait(&self, child: &mut Child) {
        wait_without_reaping(child, 0);
        let mut state = lock(&self.state);
        state.pid = None;
        let _ = child.wait();
    }
}

/// A program of PostgreSQL as the server's user, with the descriptors that it names
/// its folders by. `death_signal` is sent when this thread ends; 0 for none.
pub fn server_command(
    program: &Path,
    folder: &ClusterFolder,
    data: &File,
    death_signal: libc::c_int,
) -> Command {
    let mut command = Command::new(program);
    let mut kept: Vec<RawFd> = folder.inherited().to_vec();
    kept.push(data.as_raw_fd());
    let user = folder.user;
    command
        .env_clear()
        .env("LC_ALL", "C")
        .env("PATH", "/usr/bin:/bin");
    if let Some(zone) = std::env::var_os("TZ") {
        command.env("TZ", zone);
    }
    command.current_dir("/");
    // A terminal's interrupt is the region's: it ends the server when it is done.
    command.process_group(0);
    // SAFETY: only calls that are allowed between fork and exec.
    unsafe {
        command.pre_exec(move || prepare(user, &kept, death_signal));
    }
    command
}

/// In the child, before exec.
fn prepare(
    user: Option<SystemUser>,
    kept: &[RawFd],
    death_signal: libc::c_int,
) -> std::io::Result<()> {
    // SAFETY: plain calls.
    unsafe {
        let mut failed = false;
        if let Some(user) = user {
            failed |= libc::setgroups(0, std::ptr::null()) != 0;
            failed |= libc::setgid(user.gid) != 0;
            failed |= libc::setuid(user.uid) != 0;
        }
        for fd in kept {
            failed |= libc::fcntl(*fd, libc::F_SETFD, 0) != 0;
        }
        libc::umask(0o077);
        // Afterwards: a change of user takes it back.
        failed |= death_signal != 0 && libc::prctl(libc::PR_SET_PDEATHSIG, death_signal) != 0;
        if failed {
            return Err(std::io::Error::last_os_error());
        }
    }
    Ok(())
}

fn has_ended(child: &mut Child) -> bool {
    wait_without_reaping(child, libc::WNOHANG)
}

/// Whether the child has ended; it stays a zombie, so its number stays its own.
fn wait_without_reaping(child: &Child, flags: libc::c_int) -> bool {
    loop {
        // SAFETY: a siginfo is integers and pointers, for which zero is a value.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        let flags = libc::WEXITED | libc::WNOWAIT | flags;
        // SAFETY: the info is writable.
        let result = unsafe { libc::waitid(libc::P_PID, child.id(), &raw mut info, flags) };
        // SAFETY: waitid has filled it in, or it is zero.
        let pid = unsafe { info.si_pid() };
        match result {
            0 => return pid != 0,
            _ if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
            _ => return true,
        }
    }
}

fn lock(state: &Mutex<ProcessState>) -> MutexGuard<'_, ProcessState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

//! The cluster's folders, by descriptors, and the lock on them.
//!
//! The server inherits the lock's descriptor. While a process of it lives, a region
//! that was killed and starts again waits; afterwards a `postmaster.pid` that is left
//! over is stale for certain, also where its number is another process's by now.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::ClusterError;
use super::user::SystemUser;

/// How long a server of a region that was killed may take to end, and after each signal.
const END_LIMIT: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 10 });
/// What a server gets that has not ended in time: an immediate shutdown, which loses nothing
/// that is committed, then a kill. The children of an immediate shutdown have 5 s.
const END_SIGNALS: &[(libc::c_int, Duration)] = &[
    (libc::SIGQUIT, Duration::from_secs(10)),
    (libc::SIGKILL, END_LIMIT),
];
/// How often it is looked for.
const LOOK: Duration = Duration::from_millis(20);
/// The part of a socket's name that is fixed.
const SOCKET: &str = ".s.PGSQL.5432";

/// The folders of a cluster.
#[derive(Debug)]
pub struct ClusterFolder {
    path: PathBuf,
    /// The server's user, where it is not this process's.
    pub user: Option<SystemUser>,
    socket: File,
    lock: File,
}

impl ClusterFolder {
    /// Opens the folders, and makes them where they are missing.
    ///
    /// # Errors
    /// Of the file system.
    pub fn open(path: &Path, user: Option<SystemUser>) -> Result<ClusterFolder, ClusterError> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o755)
            .create(path)
            .map_err(|e| failed("cannot make", path, e))?;
        let socket = own_folder(&path.join("socket"), user)?;
        let lock = path.join("lock");
        let lock = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&lock)
            .map_err(|e| failed("cannot open", &lock, e))?;
        Ok(ClusterFolder {
            path: path.to_owned(),
            user,
            socket,
            lock,
        })
    }

    /// Takes the lock. Returns false if a process has it and its server answers, or
    /// if it is not free in time.
    ///
    /// A server that got its signal to end while it recovered from the end of a backend can
    /// wait for its checkpointer for ever (PostgreSQL 15). It is ended here.
    ///
    /// # Errors
    /// Of flock(2).
    pub fn lock(&self) -> Result<bool, ClusterError> {
        let mut deadline = Instant::now() + END_LIMIT;
        let mut signals = END_SIGNALS.iter();
        loop {
            // SAFETY: a plain call on a descriptor that is open.
            if unsafe { libc::flock(self.lock.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0 {
                return Ok(true);
            }
            let error = io::Error::last_os_error();
            match error.kind() {
                ErrorKind::WouldBlock if self.answers() => return Ok(false),
                ErrorKind::WouldBlock if Instant::now() > deadline => {
                    let (Some((signal, limit)), Some(server)) =
                        (signals.next(), self.stopping_server())
                    else {
                        return Ok(false);
                    };
                    tracing::warn!(
                        pid = server,
                        "the private PostgreSQL of an earlier run does not end; it is ended now"
                    );
                    // SAFETY: a plain call; the process has the lock of this folder open.
                    unsafe { libc::kill(server, *signal) };
                    deadline = Instant::now() + *limit;
                }
                ErrorKind::WouldBlock | ErrorKind::Interrupted => std::thread::sleep(LOOK),
                _ => return Err(failed("cannot lock", &self.path.join("lock"), error)),
            }
        }
    }

    /// A folder of the server's, made if it is missing.
    ///
    /// # Errors
    /// Of the file system.
    pub fn own(&self, name: &str) -> Result<File, ClusterError> {
        own_folder(&self.path.join(name), self.user)
    }

    /// The path of a file in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The socket's path for this process: short, since it goes by the descriptor.
    pub fn socket(&self) -> PathBuf {
        fd_path(&self.socket).join(SOCKET)
    }

    /// The folder of the socket.
    pub fn socket_folder(&self) -> &File {
        &self.socket
    }

    /// Descriptors that the server inherits, besides that of its data.
    pub fn inherited(&self) -> [RawFd; 2] {
        [self.socket.as_raw_fd(), self.lock.as_raw_fd()]
    }

    /// Removes what a server left that was killed. The lock shows that it is gone.
    pub fn remove_stale(&self) {
        for file in [
            self.path.join("data/postmaster.pid"),
            self.path.join("socket").join(format!("{SOCKET}.lock")),
            self.path.join("socket").join(SOCKET),
        ] {
            let _ = std::fs::remove_file(file);
        }
    }

    /// The process of a server that is about to end: it has inherited the lock, and its file
    /// has its state.
    fn stopping_server(&self) -> Option<libc::pid_t> {
        let text = std::fs::read_to_string(self.path.join("data/postmaster.pid")).ok()?;
        let stopping = text.lines().last()?.trim() == "stopping";
        let pid: libc::pid_t = text.lines().next()?.trim().parse().ok()?;
        let own = self.lock.metadata().ok()?;
        let open = std::fs::read_dir(format!("/proc/{pid}/fd")).ok()?;
        let has_lock = open.flatten().any(|fd| {
            std::fs::metadata(fd.path())
                .is_ok_and(|file| (file.dev(), file.ino()) == (own.dev(), own.ino()))
        });
        (stopping && pid > 1 && has_lock).then_some(pid)
    }

    /// Whether a server listens that is not about to end.
    pub fn answers(&self) -> bool {
        std::os::unix::net::UnixStream::connect(self.socket()).is_ok()
            && is_ready(&self.path.join("data/postmaster.pid"))
    }
}

/// The last line of `postmaster.pid` is the server's state.
fn is_ready(pid_file: &Path) -> bool {
    let text = std::fs::read_to_string(pid_file).unwrap_or_default();
    text.lines()
        .last()
        .is_some_and(|state| state.trim() == "ready")
}

/// A path to a folder by its descriptor, valid in each process that has it.
pub fn fd_path(folder: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()))
}

/// A folder that only the server's user enters.
fn own_folder(path: &Path, user: Option<SystemUser>) -> Result<File, ClusterError> {
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(failed("cannot make", path, error)),
    }
    let folder = File::open(path).map_err(|e| failed("cannot open", path, e))?;
    if let Some(user) = user {
        fchown(&folder, Some(user.uid), Some(user.gid))
            .map_err(|e| failed("cannot give away", path, e))?;
    }
    Ok(folder)
}

/// What could not be done with a path.
pub fn failed(what: &str, path: &Path, source: io::Error) -> ClusterError {
    ClusterError::Folder {
        what: format!("{what} {}", path.display()),
        source,
    }
}

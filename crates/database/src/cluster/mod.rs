//! A private PostgreSQL in the state folder, started when a program needs it.
//!
//! ```text
//!  STATE/sql/lock      held by the region and, inherited, by the server
//!  STATE/sql/data/     the cluster, of a user of its own when the region is root
//!  STATE/sql/socket/   its Unix socket; other users cannot enter the folder
//!  STATE/sql/log       why it did not start
//! ```
//!
//! Server and region name the folders by `/proc/self/fd/N`. So the path of a socket
//! is short however deep the state folder is, and the server's user needs no right
//! to the folders above its own.
//!
//! Reference: PostgreSQL 15, "Server Setup and Operation".
//! Invariant: it has no TCP port, and it ends with the region (PDEATHSIG).

mod binaries;
mod folder;
mod make;
mod process;
mod roles;
mod user;

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use crate::address::ServerAddress;

pub use binaries::MISSING;
use folder::ClusterFolder;
use process::ServerProcess;
pub use roles::role_script;

/// What a cluster needs.
#[derive(Debug, Clone)]
pub struct ClusterOptions {
    /// Its folder.
    pub folder: PathBuf,
    /// System user that runs it when this process is root's.
    pub user: String,
    /// Superuser of the cluster.
    pub owner: String,
    /// Sessions of programs at a time.
    pub sessions: usize,
}

/// Why there is no cluster.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// PostgreSQL is not installed.
    #[error("{MISSING}")]
    Missing,
    /// The server must not run as root, and there is no user for it.
    #[error(
        "PostgreSQL does not run as root, and there is no user {0}: install the package \
         postgresql, or name another user in [sql] cluster_user"
    )]
    NoUser(String),
    /// A folder or file.
    #[error("{what}: {source}")]
    Folder {
        /// What could not be done.
        what: String,
        /// Why.
        source: std::io::Error,
    },
    /// Another process has the cluster, and its server does not answer.
    #[error("another process uses the private cluster in {0}, and its server does not answer")]
    InUse(String),
    /// initdb failed.
    #[error("initdb failed: {0}")]
    Init(String),
    /// The server did not start.
    #[error("the private PostgreSQL did not start: {0}")]
    Start(String),
}

/// Whether PostgreSQL is installed.
pub fn is_installed() -> bool {
    binaries::find().is_some()
}

/// A cluster that runs.
#[derive(Debug)]
pub struct Cluster {
    folder: Arc<ClusterFolder>,
    /// The server's process; `None` if another process of this user started it, as a
    /// region does for the jobs next to it.
    process: Option<ServerProcess>,
}

impl Cluster {
    /// Makes the cluster if it is not there, and starts its server. A server that
    /// runs for another process is used with it.
    ///
    /// # Errors
    /// See [`ClusterError`].
    pub fn start(options: &ClusterOptions) -> Result<Cluster, ClusterError> {
        let binaries = binaries::find().ok_or(ClusterError::Missing)?;
        let user = user::server_user(&options.user)?;
        let folder = Arc::new(ClusterFolder::open(&options.folder, user)?);
        if !folder.lock()? {
            return Cluster::join(&options.folder)?
                .ok_or_else(|| ClusterError::InUse(options.folder.display().to_string()));
        }
        make::make(&binaries, &folder, &options.owner)?;
        let process = ServerProcess::start(&binaries, &folder, options)?;
        Ok(Cluster {
            folder,
            process: Some(process),
        })
    }

    /// A cluster that another process has started; `None` if none runs.
    ///
    /// # Errors
    /// The folder cannot be opened.
    pub fn join(folder: &std::path::Path) -> Result<Option<Cluster>, ClusterError> {
        if !folder.join("socket").is_dir() {
            return Ok(None);
        }
        let folder = Arc::new(ClusterFolder::open(folder, None)?);
        let cluster = Cluster {
            folder,
            process: None,
        };
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(1);
        let answers = cluster.address().connect(deadline).is_ok();
        Ok(answers.then_some(cluster))
    }

    /// Its socket, for this process.
    pub fn address(&self) -> ServerAddress {
        ServerAddress::Unix(self.folder.socket())
    }

    /// Whether sessions can be opened, now or after the server's own restart. The server of
    /// another process ends with that process: then one is to be started here.
    pub fn is_usable(&self) -> bool {
        self.process.is_some() || self.folder.answers()
    }

    /// Process number of the server, where this process has started it.
    pub fn pid(&self) -> Option<u32> {
        self.process.as_ref()?.pid()
    }

    /// Ends the server, its sessions included, if this process has started it.
    pub fn stop(&self) {
        if let Some(process) = &self.process {
            process.stop();
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.stop();
    }
}

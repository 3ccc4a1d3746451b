//! A private cluster that the tests of this crate share while one of them runs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::config::SqlConfig;
use crate::connection::{Connection, Exchange};
use crate::server::{Server, ServerSettings};

/// A server and its folder.
pub struct TestServer {
    pub server: Arc<Server>,
    folder: tempfile::TempDir,
}

static SHARED: Mutex<Weak<TestServer>> = Mutex::new(Weak::new());

/// The server; `None` where PostgreSQL is missing.
pub fn server() -> Option<Arc<TestServer>> {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(server) = shared.upgrade() {
        return Some(server);
    }
    let server = Arc::new(start(SqlConfig::default())?);
    *shared = Arc::downgrade(&server);
    Some(server)
}

/// A server of its own.
pub fn start(config: SqlConfig) -> Option<TestServer> {
    if !is_installed() {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let settings = ServerSettings {
        config,
        passwords: BTreeMap::new(),
        cluster_folder: folder.path().join("sql"),
        application: "test".into(),
    };
    let server = Arc::new(Server::new(settings).unwrap());
    server.open_owner().unwrap();
    Some(TestServer { server, folder })
}

impl TestServer {
    /// A server over the same folder, as another process has it.
    pub fn another(&self) -> Server {
        let settings = ServerSettings {
            config: SqlConfig::default(),
            passwords: BTreeMap::new(),
            cluster_folder: self.folder.path().join("sql"),
            application: "test".into(),
        };
        Server::new(settings).unwrap()
    }
}

/// Whether the tests can start a cluster.
pub fn is_installed() -> bool {
    let is_there = crate::cluster::is_installed();
    if !is_there {
        skipped::lacking("postgresql", "there is no initdb");
    }
    is_there
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.server.stop();
    }
}

/// When a statement of a test must be done.
pub fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

/// Runs a statement that must work.
pub fn run(connection: &mut Connection, sql: &str) -> Exchange {
    let answer = connection.query(sql, 1000, soon()).unwrap();
    assert_eq!(answer.error, None, "{sql}");
    answer
}

/// Runs a statement that must be refused; its SQLSTATE.
pub fn refused(connection: &mut Connection, sql: &str) -> String {
    let answer = connection.query(sql, 1000, soon()).unwrap();
    answer
        .error
        .unwrap_or_else(|| panic!("{sql} was done"))
        .sqlstate
}

//! The server of a region: the one of the settings, or the private cluster.
//!
//! Opens sessions for roles of programs and for the owner of schema `db2`.
//! Passwords are here and in no message.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sql::wire::{CancelKey, LoginCredentials};

use crate::address::{ServerAddress, ServerUrl};
use crate::cluster::{Cluster, ClusterError, ClusterOptions};
use crate::config::SqlConfig;
use crate::connection::{ConnectError, Connection, ConnectionError};
use crate::identity;
use crate::request::NoSession;
use crate::setup::{self, SetupError};

/// How long a CancelRequest may take.
const CANCEL_LIMIT: Duration = Duration::from_secs(2);

/// What a server needs besides the settings.
#[derive(Clone)]
pub struct ServerSettings {
    /// `[sql]`.
    pub config: SqlConfig,
    /// Passwords by role, the owner's included.
    pub passwords: BTreeMap<String, String>,
    /// Folder of the private cluster.
    pub cluster_folder: PathBuf,
    /// What sessions call themselves (`application_name`).
    pub application: String,
}

/// Why there is no session.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// It cannot be connected to, or refuses.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The connection failed at once.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// The private cluster does not start.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// Schema db2 cannot be made.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A role of programs that could do anything.
    #[error("role {0} is a superuser: programs must not run as one")]
    Privileged(String),
    /// A role that can read the numbers of units of work.
    #[error("role {0} can read or change table db2.unit: programs must only insert there")]
    ReadsUnits(String),
    /// The settings.
    #[error("{0}")]
    Settings(String),
}

/// A server.
pub struct Server {
    settings: ServerSettings,
    url: Option<ServerUrl>,
    state: Mutex<ServerState>,
}

#[derive(Default)]
struct ServerState {
    cluster: Option<Arc<Cluster>>,
    /// Roles that were looked at.
    checked: BTreeSet<String>,
    /// Whether a server of the settings can prepare transactions, once it was asked.
    prepares: Option<bool>,
    /// Random number of the state folder, once it was read.
    number: Option<String>,
}

impl Server {
    /// The server of the settings. Nothing is started or connected yet.
    ///
    /// # Errors
    /// The settings are wrong.
    pub fn new(settings: ServerSettings) -> Result<Server, ServerError> {
        let wrong = settings.config.check();
        if !wrong.is_empty() {
            return Err(ServerError::Settings(wrong.join("\n")));
        }
        let url = settings.config.url.as_ref().map(|url| url.parse());
        let url = url
            .transpose()
            .map_err(|e: crate::AddressError| ServerError::Settings(format!("[sql] url: {e}")))?;
        Ok(Server {
            settings,
            url,
            state: Mutex::default(),
        })
    }

    /// `[sql]`.
    pub fn config(&self) -> &SqlConfig {
        &self.settings.config
    }

    /// What distinguishes it from another server: its address, or that it is private.
    pub fn location(&self) -> String {
        match &self.url {
            Some(url) => format!("{}/{}", url.address, url.database),
            None => "private".to_owned(),
        }
    }

    /// Whether it is a private cluster.
    pub fn is_private(&self) -> bool {
        self.url.is_none()
    }

    /// Whether transactions can be prepared, as far as it is known: in the private
    /// cluster they can.
    pub fn prepares(&self) -> bool {
        self.is_private() || self.lock().prepares == Some(true)
    }

    /// Whether it is known if transactions can be prepared.
    pub fn knows_whether_it_prepares(&self) -> bool {
        self.is_private() || self.lock().prepares.is_some()
    }

    /// Asks a server of the settings whether transactions can be prepared.
    pub fn ask_whether_it_prepares(&self) -> bool {
        let limit = Instant::now() + self.connect_limit();
        let asked = self.open_owner().and_then(|mut owner| {
            let answer = owner.query("SHOW max_prepared_transactions", 1, limit)?;
            Ok(answer.text(0, 0).is_some_and(|most| most != "0"))
        });
        match asked {
            Ok(prepares) => {
                self.lock().prepares = Some(prepares);
                prepares
            }
            Err(error) => {
                tracing::warn!(%error, "the server cannot be asked whether it prepares transactions");
                false
            }
        }
    }

    /// What distinguishes this region's names at the server: its name, and the random
    /// number of its state folder.
    ///
    /// # Errors
    /// The number cannot be read or written.
    pub fn identity(&self) -> std::io::Result<String> {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let name: String = self
            .settings
            .application
            .chars()
            .map(plain)
            .take(40)
            .collect();
        let mut state = self.lock();
        let number = match &state.number {
            Some(number) => number.clone(),
            None => {
                let number = identity::number_of(&self.settings.cluster_folder)?;
                state.number.insert(number).clone()
            }
        };
        Ok(format!("{name}/{number}"))
    }

    /// A session of the owner of schema `db2`. The private cluster is started, and
    /// the schema made there.
    ///
    /// # Errors
    /// No cluster, no connection.
    pub fn open_owner(&self) -> Result<Connection, ServerError> {
        let url = self.url()?;
        let owner = &self.settings.config.owner;
        Ok(self.open(&url, owner, Vec::new())?)
    }

    /// A session for programs of a role.
    ///
    /// # Errors
    /// No cluster, no connection; a role with more rights than programs may have.
    pub fn open_role(&self, role: &str) -> Result<Connection, ServerError> {
        let url = self.url()?;
        self.check_role(role)?;
        let connection = self.open(&url, role, self.session_settings())?;
        if connection.parameter("is_superuser") == Some("on") {
            return Err(ServerError::Privileged(role.to_owned()));
        }
        Ok(connection)
    }

    /// Has the server cancel the statement of a session.
    pub fn cancel(&self, key: CancelKey) {
        let address = self.address();
        let cancelled = address.map(|address| {
            let deadline = Instant::now() + CANCEL_LIMIT;
            Connection::cancel(&address, key, deadline)
        });
        if let Some(Err(error)) = cancelled {
            tracing::warn!(%error, "a statement could not be cancelled");
        }
    }

    /// Stops the private cluster, if this region has started one.
    pub fn stop(&self) {
        let cluster = self.lock().cluster.take();
        if let Some(cluster) = cluster {
            cluster.stop();
        }
    }

    /// Where the server is, without starting one.
    fn address(&self) -> Option<ServerAddress> {
        match &self.url {
            Some(url) => Some(url.address.clone()),
            None => Some(self.lock().cluster.as_ref()?.address()),
        }
    }

    fn url(&self) -> Result<ServerUrl, ServerError> {
        if let Some(url) = &self.url {
            return Ok(url.clone());
        }
        let config = &self.settings.config;
        let mut state = self.lock();
        let usable = state.cluster.clone().filter(|cluster| cluster.is_usable());
        let cluster = match usable {
            Some(cluster) => cluster,
            None => {
                let sessions: usize = config
                    .program_roles()
                    .iter()
                    .map(|role| config.limit_of(role))
                    .sum();
                let cluster = Arc::new(Cluster::start(&ClusterOptions {
                    folder: self.settings.cluster_folder.clone(),
                    user: config.cluster_user.clone(),
                    owner: config.owner.clone(),
                    sessions,
                })?);
                self.prepare(&cluster)?;
                state.cluster.insert(cluster).clone()
            }
        };
        drop(state);
        Ok(ServerUrl {
            address: cluster.address(),
            database: "postgres".to_owned(),
        })
    }

    /// Makes schema `db2` and the roles of programs in the private cluster.
    fn prepare(&self, cluster: &Cluster) -> Result<(), ServerError> {
        let url = ServerUrl {
            address: cluster.address(),
            database: "postgres".to_owned(),
        };
        let mut connection = self.open(&url, &self.settings.config.owner, Vec::new())?;
        setup::apply(&mut connection)?;
        let limit = Instant::now() + self.connect_limit();
        let roles = crate::cluster::role_script(&self.settings.config.program_roles());
        let answer = connection.query(&roles, 10, limit)?;
        match answer.error {
            Some(error) => Err(SetupError::Refused(error.message).into()),
            None => Ok(()),
        }
    }

    /// Programs that can read tokens of units could commit for others. Looked at
    /// once a role.
    fn check_role(&self, role: &str) -> Result<(), ServerError> {
        if self.lock().checked.contains(role) {
            return Ok(());
        }
        let mut owner = match self.open_owner() {
            Ok(owner) => owner,
            // Without the owner units of several participants are refused at their
            // end, and those of SQL alone run.
            Err(error) if self.url.is_some() => {
                tracing::warn!(%error, "[sql] owner cannot connect: only units of SQL alone commit");
                self.lock().checked.insert(role.to_owned());
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let name = role.replace('\'', "''");
        let ask = format!(
            "SELECT bool_or(has_table_privilege(r.oid, c.oid, p)) FROM pg_catalog.pg_roles r, \
             pg_catalog.pg_class c, unnest(ARRAY['SELECT','UPDATE','DELETE','TRIGGER']) p \
             WHERE r.rolname = '{name}' AND NOT r.rolsuper \
             AND c.oid = pg_catalog.to_regclass('db2.unit')"
        );
        let answer = owner.query(&ask, 1, Instant::now() + self.connect_limit())?;
        if answer.text(0, 0) == Some("t") {
            return Err(ServerError::ReadsUnits(role.to_owned()));
        }
        self.lock().checked.insert(role.to_owned());
        Ok(())
    }

    fn open(
        &self,
        url: &ServerUrl,
        role: &str,
        settings: Vec<(String, String)>,
    ) -> Result<Connection, ConnectError> {
        let credentials = LoginCredentials {
            user: role.to_owned(),
            database: url.database.clone(),
            password: self.settings.passwords.get(role).cloned(),
            settings,
        };
        let deadline = Instant::now() + self.connect_limit();
        Connection::open(&url.address, credentials, deadline)
    }

    /// What statements of Db2 rely on. A role's or server's own settings do not
    /// count before these.
    fn session_settings(&self) -> Vec<(String, String)> {
        let config = &self.settings.config;
        // Temporary tables last: they shadow nothing.
        let path = match &config.qualifier {
            Some(schema) => format!("{}, public, pg_temp", sql::quoted_name(schema)),
            None => "public, pg_temp".to_owned(),
        };
        let own = |name: &str, value: String| (name.to_owned(), value);
        vec![
            own("application_name", self.settings.application.clone()),
            own("search_path", path),
            // What db2.current_server() gives.
            own("db2.location", config.location.clone()),
            own("DateStyle", "ISO".to_owned()),
            own("IntervalStyle", "postgres".to_owned()),
            own("standard_conforming_strings", "on".to_owned()),
            own("default_transaction_isolation", "read committed".to_owned()),
            own("default_transaction_read_only", "off".to_owned()),
            own("lock_timeout", format!("{}ms", config.lock_wait_ms)),
            own("statement_timeout", "0".to_owned()),
            own("idle_in_transaction_session_timeout", "0".to_owned()),
        ]
    }

    fn connect_limit(&self) -> Duration {
        Duration::from_millis(u64::from(self.settings.config.connect_timeout_ms))
    }

    fn lock(&self) -> MutexGuard<'_, ServerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServerError {
    /// What a program gets for it.
    pub fn no_session(&self) -> NoSession {
        use sql::wire::StartupError;
        let sqlstate = match self {
            ServerError::Connect(ConnectError::Refused(StartupError::Server(error))) => {
                error.sqlstate.as_str()
            }
            ServerError::Connect(ConnectError::Refused(_))
            | ServerError::Privileged(_)
            | ServerError::ReadsUnits(_) => "28000",
            _ => "",
        };
        let sqlcode = match sqlstate {
            "28P01" | "28000" | "3D000" | "42501" => -922,
            "53300" | "53200" | "53100" => -904,
            _ => -923,
        };
        NoSession::new(sqlcode, self)
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Passwords are in no log.
        f.debug_struct("Server")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

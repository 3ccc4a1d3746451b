//! The schema `db2` on a server: made where it is missing or older.
//!
//! The comment of the schema has a digest of the script that made it, so that a
//! start with the same script does nothing.

use std::time::{Duration, Instant};

use ring::digest::{SHA256, digest};
use sql::SETUP_SQL;

use crate::connection::{Connection, ConnectionError};

/// How long the script may take.
const LIMIT: Duration = Duration::from_secs(60);

/// Held by a transaction that makes the schema or roles: a region and a batch job may start at
/// once, and PostgreSQL refuses the second change of a definition ("tuple concurrently updated").
pub const DEFINITIONS_LOCK: &str = "SELECT pg_catalog.pg_advisory_xact_lock(4404930142)";

/// Why the schema could not be made.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The connection failed.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// The server refused a statement.
    #[error("schema db2 cannot be made: {0}")]
    Refused(String),
}

/// The script as `tupelo sql setup --print` shows it.
pub fn script() -> String {
    format!(
        "BEGIN;\n{DEFINITIONS_LOCK};\n{SETUP_SQL}\nCOMMENT ON SCHEMA db2 IS '{}';\nCOMMIT;\n",
        stamp()
    )
}

/// Makes the schema unless this script has made it. Returns true if it did.
///
/// # Errors
/// The server refused a statement; nothing is made then.
pub fn apply(connection: &mut Connection) -> Result<bool, SetupError> {
    if is_current(connection)? {
        return Ok(false);
    }
    let deadline = Instant::now() + LIMIT;
    let answer = connection.query(&script(), 100, deadline)?;
    match answer.error {
        Some(error) => {
            connection.query("ROLLBACK", 1, deadline)?;
            Err(SetupError::Refused(error.message))
        }
        None => Ok(true),
    }
}

/// Whether the server's schema is the one of this script.
///
/// # Errors
/// The connection failed.
pub fn is_current(connection: &mut Connection) -> Result<bool, ConnectionError> {
    let ask = "SELECT pg_catalog.obj_description(oid, 'pg_namespace') \
               FROM pg_catalog.pg_namespace WHERE nspname = 'db2'";
    let answer = connection.query(ask, 1, Instant::now() + LIMIT)?;
    Ok(answer.text(0, 0) == Some(stamp().as_str()))
}

fn stamp() -> String {
    let digest = digest(&SHA256, SETUP_SQL.as_bytes());
    format!("tupelo {}", base::hex::lower(&digest.as_ref()[..8]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn current_server_is_the_location_of_the_settings() {
        let Some(server) = crate::testing::server() else {
            return;
        };
        let mut connection = server.server.open_role("CICSUSER").unwrap();
        let ask = "SELECT db2.current_server()";
        for _ in 0..2 {
            let answer = crate::testing::run(&mut connection, ask);
            assert_eq!(answer.text(0, 0), Some("TUPELO"));
            // As between users of a session.
            crate::testing::run(&mut connection, "RESET ALL");
        }
    }

    #[test]
    fn the_printed_script_is_one_transaction() {
        let script = script();
        assert!(script.starts_with("BEGIN;") && script.trim_end().ends_with("COMMIT;"));
        assert!(script.contains("CREATE TABLE IF NOT EXISTS db2.unit"));
    }
}

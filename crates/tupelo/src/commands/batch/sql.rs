//! EXEC SQL of batch programs: a session for each step whose program has statements.
//!
//! The role is that of `[sql]`. While a region runs, its private cluster is used;
//! otherwise the cluster runs as long as the job. The step's process has a copy of the
//! session, and has this process commit what changes files, too.

use std::collections::{BTreeMap, BTreeSet};
use std::net::Shutdown;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use batch::unit_host::{UnitCommitter, serve};
use batch::{SqlAt, StoreAt};
use database::{DateFormat, LeftUnits, Server, StepUnits, inheritable_copy};
use miette::{IntoDiagnostic, Result, WrapErr};

use crate::app::{Application, sql as settings};

/// The routine that a module with EXEC SQL calls.
const CALLED: &[u8] = b"DSNHLI";

/// The SQL server of a job.
pub struct SqlSteps(Arc<Server>);

/// A session that lasts as long as its step.
pub struct StepSession {
    /// The session's parameters for the step.
    pub at: SqlAt,
    stream: UnixStream,
    serving: Option<JoinHandle<()>>,
    _copies: [OwnedFd; 2],
}

impl SqlSteps {
    /// `None` if no module of the folder has EXEC SQL.
    pub fn of(app: &Application, modules: &Path) -> Result<Option<SqlSteps>> {
        let entries = std::fs::read_dir(modules).into_iter().flatten().flatten();
        let mut paths = entries.map(|entry| entry.path());
        if !paths.any(|path| has_sql(&path)) {
            return Ok(None);
        }
        Ok(Some(SqlSteps(settings::server(app)?)))
    }

    /// The server, whether a program has EXEC SQL or not.
    pub fn always(app: &Application) -> Result<SqlSteps> {
        Ok(SqlSteps(settings::server(app)?))
    }

    /// The server.
    pub fn server(&self) -> Arc<Server> {
        self.0.clone()
    }

    /// Connects for a step, whose program is one of the folder's modules.
    pub fn open(&self, modules: &Path, program: &str) -> Result<StepSession> {
        let config = self.0.config();
        let connection = self.0.open_role(&config.role).into_diagnostic();
        let connection = connection.wrap_err("EXEC SQL cannot be served")?;
        let copy = connection.socket().inheritable_copy().into_diagnostic()?;
        let dates = match config.dates {
            DateFormat::Iso => "ISO",
            DateFormat::Usa => "USA",
            DateFormat::Eur => "EUR",
            DateFormat::Jis => "JIS",
        };
        let (stream, theirs) = UnixStream::pair().into_diagnostic()?;
        let theirs = inheritable_copy(theirs.as_fd()).into_diagnostic()?;
        let serving = start_serving(&stream, StepUnits::new(self.0.clone(), connection));
        Ok(StepSession {
            at: SqlAt {
                descriptor: copy.as_raw_fd(),
                dates: dates.to_owned(),
                decimal_digits: config.decimal_digits,
                qualifier: config.qualifier.clone(),
                host: theirs.as_raw_fd(),
                server: self.0.location(),
                holds_files: uses_sql(modules, program),
            },
            stream,
            serving: Some(serving.into_diagnostic()?),
            _copies: [copy, theirs],
        })
    }
}

/// Starts the thread that ends the step's units.
fn start_serving(stream: &UnixStream, units: StepUnits) -> std::io::Result<JoinHandle<()>> {
    let stream = stream.try_clone()?;
    let mut committer = StepCommitter(units);
    let thread = std::thread::Builder::new().name("tupelo-units".into());
    thread.spawn(move || {
        if let Err(error) = serve(&stream, &mut committer) {
            tracing::warn!(%error, "the process of a batch step cannot be reached");
        }
    })
}

struct StepCommitter(StepUnits);

impl UnitCommitter for StepCommitter {
    fn commit(&mut self, token: region::UnitToken) -> Option<bool> {
        self.0.commit(token)
    }

    fn forget(&mut self, token: region::UnitToken) {
        self.0.forget(token);
    }
}

/// The step's process has ended: the session ends, so that the server rolls back what is open.
impl Drop for StepSession {
    fn drop(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Both);
        if let Some(serving) = self.serving.take() {
            let _ = serving.join();
        }
    }
}

/// Ends the units of work in doubt of a store that no region has open, as the SQL server has
/// decided them.
///
/// # Errors
/// One stays in doubt.
pub fn end_units_in_doubt(
    store: &StoreAt,
    server: impl FnOnce() -> Result<Arc<Server>>,
) -> Result<()> {
    let (mut server, mut left, mut failure) = (Some(server), None, None);
    let ended = batch::doubt::end_units(store, &mut |token| {
        if let Some(server) = server.take() {
            match server() {
                Ok(server) => left = Some(LeftUnits::new(server)),
                Err(error) => failure = Some(error),
            }
        }
        left.as_ref()?.ask(token)
    });
    if let Some(error) = failure {
        return Err(error.wrap_err("a unit of work of an earlier run is in doubt"));
    }
    let ended = ended.into_diagnostic()?;
    for unit in &ended {
        let outcome = if unit.committed { "committed" } else { "backed out" };
        eprintln!("unit of work {} of an earlier run is {outcome}", unit.token);
    }
    if let Some(left) = left {
        left.forget(&ended.iter().map(|unit| unit.token).collect::<Vec<_>>());
    }
    Ok(())
}

impl Drop for SqlSteps {
    fn drop(&mut self) {
        self.0.stop();
    }
}

fn has_sql(module: &Path) -> bool {
    contains(&std::fs::read(module).unwrap_or_default(), CALLED)
}

fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|part| part == text)
}

/// Whether a module has a name as a word.
fn names(bytes: &[u8], name: &[u8]) -> bool {
    let is_outside = |byte: Option<&u8>| {
        byte.is_none_or(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'-' | b'_'))
    };
    let mut all = bytes.windows(name.len()).enumerate();
    all.any(|(at, part)| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        part == name && is_outside(before) && is_outside(bytes.get(at + name.len()))
    })
}

/// Whether a program has EXEC SQL, or names one that has.
fn uses_sql(modules: &Path, program: &str) -> bool {
    let entries = std::fs::read_dir(modules).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let paths = paths.filter(|path| path.extension().is_some_and(|ending| ending == "so"));
    let modules: BTreeMap<String, Vec<u8>> = paths
        .filter_map(|path| {
            let name = path.file_stem()?.to_str()?.to_ascii_uppercase();
            Some((name, std::fs::read(&path).ok()?))
        })
        .collect();
    let mut seen = BTreeSet::new();
    let mut next = vec![program.to_ascii_uppercase()];
    while let Some(name) = next.pop() {
        let Some(bytes) = modules.get(&name).filter(|_| seen.insert(name.clone())) else {
            continue;
        };
        if contains(bytes, CALLED) {
            return true;
        }
        let named = modules.keys().filter(|other| names(bytes, other.as_bytes()));
        next.extend(named.cloned());
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_uses_sql_that_it_has_or_calls() {
        let folder = tempfile::tempdir().unwrap();
        let module = |name: &str, text: &str| {
            std::fs::write(folder.path().join(format!("{name}.so")), text).unwrap();
        };
        module("MAIN", "... SUB ...");
        module("SUB", "... DEEP and MAIN ...");
        module("DEEP", "... DSNHLI ...");
        module("OTHER", "... SUBMIT, MAIN-LINE ");
        let uses = |program| uses_sql(folder.path(), program);
        assert!(uses("MAIN") && uses("sub") && uses("DEEP"));
        assert!(!uses("OTHER") && !uses("ABSENT"));
    }
}

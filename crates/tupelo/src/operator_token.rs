//! The token of requests that change something on a loopback administration port.
//!
//! A server writes it into its state folder, which programs cannot read, and
//! leaves a note of that place under its port in a folder of the user, so that
//! the commands find it from any folder. Both are for the user alone.

use std::fs;
use std::io::Write;
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The file in the state folder.
const FILE: &str = "operator.token";

/// Writes a server's token into its state folder.
///
/// # Errors
/// The folder cannot be written.
pub fn write(state: &Path, token: &str) -> std::io::Result<()> {
    fs::create_dir_all(state)?;
    replace(&state.join(FILE), token)
}

/// Notes where the token of an administration port lies. Without it the commands
/// find the token by the state folder of the current folder only.
pub fn note(state: &Path, admin: SocketAddr) {
    let written = notes(true).and_then(|folder| {
        let path = state.canonicalize()?.join(FILE);
        replace(
            &folder.join(admin.port().to_string()),
            &path.to_string_lossy(),
        )
    });
    if let Err(error) = written {
        tracing::debug!(%error, "the place of the operator's token is not noted");
    }
}

/// The token of the administration port there, if this user can read it.
pub fn find(admin: SocketAddr) -> Option<String> {
    if let Ok(token) = std::env::var("TUPELO_OPERATOR_TOKEN") {
        return Some(token);
    }
    if !admin.ip().is_loopback() {
        return None;
    }
    let folder = notes(false).ok()?;
    let path = fs::read_to_string(folder.join(admin.port().to_string())).ok()?;
    let token = fs::read_to_string(path.trim_end()).ok()?;
    let token = token.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    token.chars().all(plain).then(|| token.to_owned())
}

/// The folder of notes, which must be the user's own.
fn notes(make: bool) -> std::io::Result<PathBuf> {
    // SAFETY: a plain system call.
    let user = unsafe { libc::geteuid() };
    let folder = match std::env::var_os("XDG_RUNTIME_DIR") {
        Some(folder) if Path::new(&folder).is_dir() => Path::new(&folder).join("tupelo"),
        _ => std::env::temp_dir().join(format!("tupelo-{user}")),
    };
    if make {
        let made = fs::DirBuilder::new().mode(0o700).create(&folder);
        made.or_else(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => Ok(()),
            _ => Err(error),
        })?;
    }
    let found = fs::symlink_metadata(&folder)?;
    let own = found.is_dir() && found.uid() == user && found.mode() & 0o022 == 0;
    own.then_some(folder)
        .ok_or_else(|| std::io::Error::other("the folder of notes is not this user's alone"))
}

/// Writes a file anew, for the user alone.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let part = path.with_extension("new");
    let _ = fs::remove_file(&part);
    let mut options = fs::OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&part)?;
    writeln!(file, "{text}")?;
    fs::rename(&part, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_readable_by_its_user_alone() {
        let state = tempfile::tempdir().unwrap();
        write(state.path(), "first").unwrap();
        write(state.path(), "second").unwrap();
        let path = state.path().join(FILE);
        assert_eq!(fs::read_to_string(&path).unwrap(), "second\n");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    }
}

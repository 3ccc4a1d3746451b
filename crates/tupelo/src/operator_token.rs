//! The token of requests that change something through a loopback administration port.
//!
//! A server writes it into its state folder, which programs cannot read. A note with that
//! path, named by the port, goes into a folder of the user, so that the commands find the
//! token from any folder. Only the user can read both.

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

/// Records the path of the token of an administration port. Without this note the commands
/// find the token only in the state folder of the current folder.
pub fn note(state: &Path, admin: SocketAddr) {
    let written = notes(true).and_then(|folder| {
        let path = state.canonicalize()?.join(FILE);
        replace(
            &folder.join(admin.port().to_string()),
            &path.to_string_lossy(),
        )
    });
    if let Err(error) = written {
        tracing::debug!(%error, "the path of the operator's token cannot be recorded");
    }
}

/// The token of an administration port, if this user can read it.
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

/// Replaces a file that only the user can read.
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
    fn only_its_user_can_read_a_token() {
        let state = tempfile::tempdir().unwrap();
        write(state.path(), "first").unwrap();
        write(state.path(), "second").unwrap();
        let path = state.path().join(FILE);
        assert_eq!(fs::read_to_string(&path).unwrap(), "second\n");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    }
}

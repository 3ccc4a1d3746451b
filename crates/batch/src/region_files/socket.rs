//! The socket of a region in its state folder.
//!
//! It is in its own folder that only the owner can access: users who may change the
//! store's files may have the region change them.

use std::fs::{DirBuilder, File, Permissions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// Its folder in the state folder.
const FOLDER: &str = "jobs";
/// Its name there.
const SOCKET: &str = "socket";
/// The longest path that the address of a socket holds.
const LONGEST: usize = 100;

/// Listens in a state folder. A socket of an earlier region is removed: the caller
/// has the folder's store locked, so no other region serves it.
pub fn listen(state: &Path) -> io::Result<UnixListener> {
    let folder = state.join(FOLDER);
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => std::fs::set_permissions(&folder, Permissions::from_mode(0o700))?,
    }
    match std::fs::remove_file(folder.join(SOCKET)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let (path, _open) = address(&folder)?;
    UnixListener::bind(path)
}

/// Connects to the region of a state folder.
pub fn connect(state: &Path) -> io::Result<UnixStream> {
    let (path, _open) = address(&state.join(FOLDER))?;
    UnixStream::connect(path)
}

/// The socket's path. A path that is too long is opened through its folder.
fn address(folder: &Path) -> io::Result<(PathBuf, Option<File>)> {
    let path = folder.join(SOCKET);
    if path.as_os_str().len() <= LONGEST {
        return Ok((path, None));
    }
    let open = File::open(folder)?;
    let short = format!("/proc/self/fd/{}/{SOCKET}", open.as_raw_fd());
    Ok((short.into(), Some(open)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_folder_with_a_long_name_has_a_socket_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("long".repeat(60));
        std::fs::create_dir(&state).expect("a folder");
        for _ in 0..2 {
            let listener = listen(&state).expect("a socket");
            connect(&state).expect("a connection");
            listener.accept().expect("a connection");
        }
        let mode = state.join(FOLDER).metadata().expect("it is there");
        assert_eq!(mode.permissions().mode() & 0o777, 0o700);
    }
}

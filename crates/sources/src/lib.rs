//! Files of an application: regular files within its folders.
//!
//! A user who can write into an application's folder must not be able to stop the
//! server or to have it show files of others. A FIFO would block the thread that
//! opens it for good, and a link may lead anywhere. So every file that is found in
//! a folder is opened here: without blocking, and only if what was opened is a
//! regular file. A process that serves names its application's folders with
//! [`confine`]; from then on the file must be in one of them, wherever its path
//! seems to lead.
//!
//! Reference: open(2), "O_NONBLOCK"; proc(5), "/proc/pid/fd".
//! Invariant: what is checked is the file that was opened, not its path.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

static FOLDERS: RwLock<Vec<PathBuf>> = RwLock::new(Vec::new());

/// Adds a folder to those in which files must lie from now on. It may be made
/// later.
pub fn confine(folder: &Path) {
    if let Ok(folder) = resolved(folder) {
        let mut folders = FOLDERS.write().unwrap_or_else(PoisonError::into_inner);
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
}

/// Where a folder really is, or will be when it is made.
fn resolved(folder: &Path) -> io::Result<PathBuf> {
    let absent = match folder.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => error,
        found => return found,
    };
    let folder = std::path::absolute(folder)?;
    match (folder.parent(), folder.file_name()) {
        (Some(parent), Some(name)) => Ok(resolved(parent)?.join(name)),
        _ => Err(absent),
    }
}

/// Why something that was opened is not a file of the application.
#[derive(Debug)]
struct ForeignFile(&'static str);

impl std::fmt::Display for ForeignFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for ForeignFile {}

/// Whether an error of this crate says that a path is not a file of the application: it
/// is not a regular file, or leads out. What has such a path never was a source.
pub fn is_foreign(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|why| why.is::<ForeignFile>())
}

/// Opens a file for reading.
///
/// # Errors
/// Those of open(2); that it is not a regular file; that it is outside of the
/// application's folders.
pub fn open(path: &Path) -> io::Result<File> {
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other(ForeignFile("it is not a regular file")));
    }
    let folders = FOLDERS.read().unwrap_or_else(PoisonError::into_inner);
    if !folders.is_empty() {
        let real = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
        if !folders.iter().any(|folder| real.starts_with(folder)) {
            let why = ForeignFile("it is a link that leads out of the application's folder");
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
    }
    Ok(file)
}

/// The bytes of a file.
///
/// # Errors
/// As [`open`], and those of read(2).
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of a file.
///
/// # Errors
/// As [`read`], and that it is not UTF-8.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// Whether a path can be opened: a regular file of the application's folders.
pub fn is_file(path: &Path) -> bool {
    open(path).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;

    fn fifo(path: &Path) {
        let name = CString::new(path.as_os_str().as_bytes()).unwrap();
        // SAFETY: a path that ends with a zero byte.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
    }

    // One test, because the folders are global in the process.
    #[test]
    fn only_regular_files_of_the_folders_are_read_and_nothing_blocks() {
        let (own, others) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let at = |name: &str| own.path().join(name);
        std::fs::write(at("PROGRAM.cbl"), "text").unwrap();
        std::fs::write(others.path().join("secret"), "secret").unwrap();
        fifo(&at("PIPE.cbl"));
        let error = |name: &str| read(&at(name)).unwrap_err().to_string();
        assert_eq!(read(&at("PROGRAM.cbl")).unwrap(), b"text");
        assert_eq!(error("PIPE.cbl"), "it is not a regular file");
        assert!(read(own.path()).is_err(), "a folder");
        // Links are followed until the process is confined.
        std::os::unix::fs::symlink(at("PROGRAM.cbl"), at("INSIDE.cbl")).unwrap();
        std::os::unix::fs::symlink(others.path().join("secret"), at("OUT.cbl")).unwrap();
        std::os::unix::fs::symlink(others.path(), at("below")).unwrap();
        assert_eq!(read_to_string(&at("OUT.cbl")).unwrap(), "secret");
        confine(own.path());
        assert_eq!(read_to_string(&at("INSIDE.cbl")).unwrap(), "text");
        for out in ["OUT.cbl", "below/secret"] {
            assert!(error(out).contains("leads out"), "{out}");
            assert!(!is_file(&at(out)), "{out}");
        }
        assert!(error("nothing").contains("No such file"));
        let foreign = ["PIPE.cbl", "OUT.cbl", "nothing"]
            .map(|name| is_foreign(&read(&at(name)).unwrap_err()));
        assert_eq!(foreign, [true, true, false]);
        // A folder may be made after it was named.
        let state = others.path().join("state");
        confine(&state.join("maps"));
        std::fs::create_dir_all(state.join("maps")).unwrap();
        for (file, is_readable) in [("maps/SET.cpy", true), ("other", false)] {
            std::fs::write(state.join(file), "text").unwrap();
            assert_eq!(is_file(&state.join(file)), is_readable, "{file}");
        }
    }
}

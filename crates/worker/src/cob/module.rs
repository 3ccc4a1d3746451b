//! Compiled programs: shared objects that are loaded once for each storage
//! they need.
//!
//! A module holds all programs and ENTRY names of its source, which share an
//! instance. A second load of the same file gives the same storage, so a further
//! instance comes from a copy in a memory file. Its descriptor stays open:
//! the loader knows an object by its path, and a number that is used again
//! would return the earlier object.

use std::ffi::{CStr, CString, c_void};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::Path;

use cics::cobol::entry_symbol;

/// A loaded instance of a module, with storage of its own. An instance stays loaded
/// until the process ends.
#[derive(Debug)]
pub struct ModuleInstance {
    handle: *mut c_void,
    _copy: Option<OwnedFd>,
}

/// Why a program could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file could not be read or copied.
    #[error("{path} cannot be read: {error}")]
    Read {
        /// The module's path.
        path: String,
        /// The system's error.
        error: io::Error,
    },
    /// The loader refused.
    #[error("{path} cannot be loaded: {reason}")]
    Open {
        /// The module's path.
        path: String,
        /// The loader's message.
        reason: String,
    },
    /// The module has no entry of the program's name.
    #[error("{path} has no program {program}")]
    Entry {
        /// The module's path.
        path: String,
        /// The program.
        program: String,
    },
}

impl ModuleInstance {
    /// Loads a module: the file itself the first time, a copy for each
    /// further instance.
    pub fn load(path: &Path, copy: bool) -> Result<Self, LoadError> {
        let shown = || path.display().to_string();
        let read = |error| LoadError::Read {
            path: shown(),
            error,
        };
        let (name, copy) = if copy {
            let fd = copy_of(path).map_err(read)?;
            let name = format!("/proc/self/fd/{}", fd.as_raw_fd());
            (name.into_bytes(), Some(fd))
        } else {
            use std::os::unix::ffi::OsStrExt;
            (path.as_os_str().as_bytes().to_vec(), None)
        };
        let name = CString::new(name).map_err(|e| read(e.into()))?;
        // SAFETY: a program's module has no constructors of its own.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            return Err(LoadError::Open {
                path: shown(),
                reason: loader_error(),
            });
        }
        Ok(ModuleInstance {
            handle,
            _copy: copy,
        })
    }

    /// The entry of a program or ENTRY name, or null if the module has none.
    pub fn entry(&self, program: &str) -> *mut c_void {
        let Ok(symbol) = CString::new(entry_symbol(program)) else {
            return std::ptr::null_mut();
        };
        // SAFETY: the handle is open.
        unsafe { libc::dlsym(self.handle, symbol.as_ptr()) }
    }
}

/// The loader's message about the last failure.
pub(super) fn loader_error() -> String {
    // SAFETY: the text stays until the next call of the loader.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "no reason given".into();
    }
    // SAFETY: a C string, by the loader's contract.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

/// A memory file with these contents.
pub(super) fn memory_file(name: &CStr, contents: &[u8]) -> io::Result<OwnedFd> {
    // SAFETY: the result is checked.
    let raw = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if raw < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a fresh descriptor.
    let fd = unsafe { OwnedFd::from_raw_fd(raw) };
    io::Write::write_all(&mut std::fs::File::from(fd.try_clone()?), contents)?;
    Ok(fd)
}

fn copy_of(path: &Path) -> io::Result<OwnedFd> {
    memory_file(c"tupelo-module", &std::fs::read(path)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_distinguished_from_a_foreign_one() {
        let missing = ModuleInstance::load(Path::new("/nonexistent.so"), true).unwrap_err();
        assert!(matches!(missing, LoadError::Read { .. }));
        let foreign = ModuleInstance::load(Path::new("/proc/self/status"), false).unwrap_err();
        assert!(matches!(foreign, LoadError::Open { .. }));
    }
}

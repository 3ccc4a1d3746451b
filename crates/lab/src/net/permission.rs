//! Whether this process may make networks, and the way round when it may not:
//! an ordinary user may be root inside a user namespace of its own, where the
//! kernel's settings allow that.
//!
//! Reference: user_namespaces(7). Invariant: nothing outside the new namespace
//! changes, and nothing there gains a right.

use crate::error::LabError;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Returns whether network namespaces can be made here.
pub fn check() -> Result<(), LabError> {
    super::NetworkNamespace::new().map(drop)
}

/// Converts a denied permission to the error with a remedy.
pub fn refused(what: &str) -> impl FnOnce(io::Error) -> LabError {
    let what = what.to_owned();
    move |error| match error.kind() {
        io::ErrorKind::PermissionDenied => LabError::Permission {
            what,
            hint: "run as root, or where ordinary users may make user namespaces \
                   (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone)"
                .into(),
        },
        // Containers often show their settings without letting them be changed.
        io::ErrorKind::ReadOnlyFilesystem => LabError::Permission {
            what,
            hint: "/proc/sys is read-only; run on the host, or in a container that may \
                   change its own network settings"
                .into(),
        },
        // unshare(2): a limit on namespaces, which hardened hosts set to 0.
        _ if matches!(error.raw_os_error(), Some(libc::ENOSPC | libc::EUSERS)) => {
            LabError::Permission {
                what,
                hint: "the kernel allows no more of them \
                       (sysctl user.max_net_namespaces, user.max_user_namespaces)"
                    .into(),
            }
        }
        _ => LabError::System { what, error },
    }
}

/// Makes a command start as root of a new user namespace with a network
/// namespace in it. Starting it fails where the kernel does not allow that.
pub fn inside_user_namespace(command: &mut Command) -> &mut Command {
    // SAFETY: these calls have no arguments and cannot fail.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    let users = format!("0 {user} 1");
    let groups = format!("0 {group} 1");
    let enter = move || {
        // SAFETY: the child has one thread; the call changes only the child.
        if unsafe { libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNET) } != 0 {
            return Err(io::Error::last_os_error());
        }
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", &users)?;
        fs::write("/proc/self/gid_map", &groups)
    };
    command.env(INSIDE, "1");
    // SAFETY: between fork and exec the closure makes system calls and opens
    // files by paths made before; `Command` runs it in a child with one thread.
    unsafe { command.pre_exec(enter) }
}

/// Whether this process was started by [`inside_user_namespace`], so that it
/// does not try again.
pub fn is_inside() -> bool {
    std::env::var_os(INSIDE).is_some()
}

const INSIDE: &str = "TUPELO_LAB_INSIDE";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_the_kernel_is_something_that_is_lacking() {
        for code in [libc::EPERM, libc::EROFS, libc::ENOSPC, libc::EUSERS] {
            let error = refused("a network namespace")(io::Error::from_raw_os_error(code));
            assert!(error.is_lacking(), "{error}");
        }
        let other = refused("a network namespace")(io::Error::from_raw_os_error(libc::EINVAL));
        assert!(!other.is_lacking());
    }
}

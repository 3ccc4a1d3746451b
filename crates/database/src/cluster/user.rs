//! The system user that runs the server: this process's own, or one that is named
//! when this process is root's, since PostgreSQL refuses to run as root.

use std::ffi::CString;

use super::ClusterError;

/// Numbers of a user and its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SystemUser {
    /// User.
    pub uid: libc::uid_t,
    /// Group.
    pub gid: libc::gid_t,
}

/// The user to change to; `None` if the server runs as this process's user.
///
/// # Errors
/// This process is root's and there is no user of the name, or it is root, too.
pub fn server_user(name: &str) -> Result<Option<SystemUser>, ClusterError> {
    // SAFETY: a plain call.
    if unsafe { libc::geteuid() } != 0 {
        return Ok(None);
    }
    let user = look_up(name).filter(|user| user.uid != 0);
    user.map(Some)
        .ok_or_else(|| ClusterError::NoUser(name.to_owned()))
}

fn look_up(name: &str) -> Option<SystemUser> {
    let name = CString::new(name).ok()?;
    let mut buffer = vec![0; 16 * 1024];
    // SAFETY: a passwd is integers and pointers, for which zero is a value.
    let mut entry: libc::passwd = unsafe { std::mem::zeroed() };
    let mut found = std::ptr::null_mut();
    // SAFETY: all pointers are valid for the call, the buffer for its length.
    let error = unsafe {
        libc::getpwnam_r(
            name.as_ptr(),
            &raw mut entry,
            buffer.as_mut_ptr(),
            buffer.len(),
            &raw mut found,
        )
    };
    (error == 0 && !found.is_null()).then_some(SystemUser {
        uid: entry.pw_uid,
        gid: entry.pw_gid,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_and_unknown_users_do_not_run_a_server() {
        assert_eq!(look_up("root").map(|user| user.uid), Some(0));
        assert_eq!(look_up("no such user"), None);
        // SAFETY: a plain call.
        if unsafe { libc::geteuid() } == 0 {
            assert!(matches!(server_user("root"), Err(ClusterError::NoUser(_))));
        }
    }
}

//! Makes the cluster: initdb in a folder of its own, which gets its name when it is
//! whole, so that a kill leaves no half of one.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::Stdio;

use super::ClusterError;
use super::folder::{ClusterFolder, failed, fd_path};
use super::process::server_command;

/// Makes the cluster, unless it is there.
pub fn make(binaries: &Path, folder: &ClusterFolder, owner: &str) -> Result<(), ClusterError> {
    let data = folder.file("data");
    if data.join("PG_VERSION").is_file() {
        return Ok(());
    }
    let new = folder.file("data.new");
    remove(&new)?;
    let new_folder = folder.own("data.new")?;
    let output = server_command(&binaries.join("initdb"), folder, &new_folder, 0)
        .arg("-D")
        .arg(fd_path(&new_folder))
        .arg("-U")
        .arg(owner)
        .args([
            "--no-locale",
            "-E",
            "UTF8",
            "--auth=trust",
            "--no-sync",
            "--no-instructions",
        ])
        .stdin(Stdio::null())
        .output()
        .map_err(|e| failed("cannot run", &binaries.join("initdb"), e))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(ClusterError::Init(text));
    }
    sync(&new_folder);
    remove(&data)?;
    std::fs::rename(&new, &data).map_err(|e| failed("cannot rename", &new, e))
}

/// Writes the files to the disk: one call is faster than initdb's, a file at a time.
fn sync(folder: &File) {
    // SAFETY: a plain call on a descriptor that is open.
    unsafe { libc::syncfs(folder.as_raw_fd()) };
}

fn remove(path: &Path) -> Result<(), ClusterError> {
    match std::fs::remove_dir_all(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(failed("cannot remove", path, error)),
    }
}

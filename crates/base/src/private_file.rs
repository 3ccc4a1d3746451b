//! Files that only their owner can read, written whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Replaces a file: a reader sees the old one or the new one, also after a crash. Nothing
/// that has the name of the draft (the file's, with `.new` after it) is followed or kept.
///
/// # Errors
/// Of the file system; the old file is as it was unless the last step, the flush of the
/// folder, failed.
pub fn replace_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut draft = OsString::from(path);
    draft.push(".new");
    match fs::remove_file(&draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&draft, path)?;
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, symlink};

    #[test]
    fn a_file_is_replaced_and_a_link_in_the_place_of_its_draft_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("users"), folder.path().join("other"));
        replace_private(&path, b"one").unwrap();
        fs::write(&other, "untouched").unwrap();
        symlink(&other, folder.path().join("users.new")).unwrap();
        replace_private(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::read(&other).unwrap(), b"untouched");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        replace_private(&folder.path().join("none/users"), b"three").unwrap_err();
    }
}

//! Whether the store's file is still the one that the region opened.
//!
//! The region has the file mapped and would notice a missing one only at its next
//! start. `/health` uses this check instead, which examines the file and its disk in a
//! few microseconds.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Free bytes of the disk below which commits are likely to fail.
const LEAST_FREE: u64 = 16 << 20;

/// The data file of a store, as it was when the region started.
pub struct StoreWatch {
    file: PathBuf,
    identity: (u64, u64),
    /// Its length at the last check; it only grows.
    bytes: AtomicU64,
    /// Address space set aside for it.
    map_bytes: u64,
}

impl StoreWatch {
    /// Watches the file of the store in this folder, which exists.
    pub fn new(folder: &Path, map_bytes: u64) -> io::Result<StoreWatch> {
        let file = folder.join("data.mdb");
        let found = file.metadata()?;
        Ok(StoreWatch {
            identity: identity(&found),
            bytes: AtomicU64::new(found.len()),
            file,
            map_bytes,
        })
    }

    /// Reports a full map; called when commits fail. A commit needs pages of its own, so
    /// the last pages are never used.
    pub fn full(&self) -> Option<String> {
        let bytes = self.file.metadata().ok()?.len();
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let full = bytes >= self.map_bytes - self.map_bytes / 16;
        full.then(|| {
            let (used, all) = (mib(bytes), mib(self.map_bytes));
            format!(
                "the store is full: {used} of {all} MiB are used; [store] map_gib sets the size"
            )
        })
    }

    /// What is wrong with the file or its disk. The text names no path: every client of
    /// the gateway may read it.
    pub fn impairment(&self) -> Option<String> {
        let found = match self.file.metadata() {
            Ok(found) => found,
            Err(error) => return Some(format!("the store's data.mdb: {error}")),
        };
        if identity(&found) != self.identity {
            return Some("the store's data.mdb was replaced by another".to_owned());
        }
        let before = self.bytes.fetch_max(found.len(), Ordering::Relaxed);
        if found.len() < before {
            let now = found.len();
            return Some(format!(
                "the store's data.mdb was cut from {before} to {now} bytes"
            ));
        }
        let free = free_bytes(&self.file)?;
        (free < LEAST_FREE)
            .then(|| format!("the store's disk is full: {} KiB are free", free >> 10))
    }
}

fn identity(file: &Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

/// Free bytes of the disk that a file is on.
fn free_bytes(file: &Path) -> Option<u64> {
    let path = std::ffi::CString::new(file.as_os_str().as_encoded_bytes()).ok()?;
    // SAFETY: all zero is a value of this plain structure; a C string and a
    // valid place.
    let mut disk: libc::statvfs = unsafe { std::mem::zeroed() };
    let known = unsafe { libc::statvfs(path.as_ptr(), &mut disk) } == 0;
    known.then(|| disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_map_is_reported_with_its_setting() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("data.mdb");
        std::fs::write(&file, vec![0; 3 << 20]).unwrap();
        let small = StoreWatch::new(folder.path(), 3 << 20).unwrap();
        let text = small.full().unwrap();
        let expected = "the store is full: 3 of 3 MiB are used; [store] map_gib sets the size";
        assert_eq!(text, expected);
        assert_eq!(
            StoreWatch::new(folder.path(), 4 << 20).unwrap().full(),
            None
        );
    }

    #[test]
    fn a_file_that_is_cut_replaced_or_gone_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("data.mdb");
        std::fs::write(&file, [0; 100]).unwrap();
        let watch = StoreWatch::new(folder.path(), 1 << 20).unwrap();
        assert_eq!(watch.impairment(), None);
        std::fs::write(&file, [0; 200]).unwrap();
        assert_eq!(watch.impairment(), None);
        std::fs::write(&file, [0; 150]).unwrap();
        let text = watch.impairment().unwrap();
        assert!(text.contains("cut from 200 to 150 bytes"), "{text}");
        let other = folder.path().join("other");
        std::fs::write(&other, [0; 300]).unwrap();
        std::fs::rename(&other, &file).unwrap();
        assert!(watch.impairment().unwrap().contains("replaced"));
        std::fs::remove_file(&file).unwrap();
        assert!(watch.impairment().unwrap().contains("No such file"));
    }
}

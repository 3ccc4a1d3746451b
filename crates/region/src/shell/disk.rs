//! The reserve of the disks that hold the store and the state folder.
//!
//! The dispatch thread asks for the free bytes several times a second while tasks
//! run. Below the reserve, commands that take room on a disk are refused: the rest
//! is for commits, the log and the end of the region.
//!
//! Reference: statvfs(3).

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::api::RegionConfig;

/// Nanoseconds between two looks.
const EVERY_NS: u64 = 200_000_000;

/// The disks, and whether one of them is short.
#[derive(Debug, Default)]
pub struct DiskReserve {
    folders: Vec<CString>,
    reserve_bytes: u64,
    is_short: bool,
    next_ns: u64,
}

impl DiskReserve {
    /// The reserve of a region.
    pub fn new(config: &RegionConfig) -> DiskReserve {
        let store = config.store.as_ref().map(|store| store.path.as_path());
        let folders = [Some(config.state.as_path()), store];
        let name = |path: &Path| CString::new(path.as_os_str().as_bytes()).ok();
        DiskReserve {
            folders: folders.into_iter().flatten().filter_map(name).collect(),
            reserve_bytes: config.disk_reserve_bytes,
            ..DiskReserve::default()
        }
    }

    /// Looks, when it is time. Returns whether a disk is short, if that has
    /// changed.
    pub fn check(&mut self, now: u64) -> Option<bool> {
        if self.reserve_bytes == 0 || now < self.next_ns {
            return None;
        }
        self.next_ns = now + EVERY_NS;
        let free = self.folders.iter().filter_map(free_bytes).min()?;
        let is_short = free < self.reserve_bytes;
        let has_changed = is_short != std::mem::replace(&mut self.is_short, is_short);
        has_changed.then(|| {
            let mib = free >> 20;
            if is_short {
                tracing::error!(
                    "{mib} MiB are free on the disk, less than the reserve: programs write \
                     nothing more there"
                );
            } else {
                tracing::info!("{mib} MiB are free on the disk: programs write there again");
            }
            is_short
        })
    }
}

/// Free bytes of the disk that a folder is on; `None` if that cannot be read.
fn free_bytes(folder: &CString) -> Option<u64> {
    // SAFETY: all zeros are a value of this plain structure; a C string and a valid
    // place.
    let mut disk: libc::statvfs = unsafe { std::mem::zeroed() };
    let is_known = unsafe { libc::statvfs(folder.as_ptr(), &mut disk) } == 0;
    is_known.then(|| disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reserve(bytes: u64) -> DiskReserve {
        DiskReserve::new(&RegionConfig {
            disk_reserve_bytes: bytes,
            ..RegionConfig::default()
        })
    }

    #[test]
    fn a_disk_with_less_than_the_reserve_is_reported_once() {
        let mut disk = reserve(u64::MAX);
        assert_eq!(disk.check(0), Some(true));
        assert_eq!(disk.check(EVERY_NS), None, "it is as it was");
        disk.reserve_bytes = 1;
        assert_eq!(disk.check(EVERY_NS + 1), None, "not before its time");
        assert_eq!(disk.check(2 * EVERY_NS), Some(false));
    }

    #[test]
    fn a_region_without_a_reserve_never_looks() {
        assert_eq!(reserve(0).check(0), None);
    }
}

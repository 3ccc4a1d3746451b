//! The log line for a store that could not be read.
//!
//! A damaged page is logged once, however often it is read. The hashes of the logged pages are
//! the only global state of this crate, so that every module that reads the store can log
//! without access to the kernel's state.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use store::StorageError;

/// Most damaged pages that are logged.
const MOST_LOGGED: usize = 100;

/// Logs that the store could not be read.
pub fn log_unreadable(error: &StorageError) {
    static LOGGED: LoggedPages = LoggedPages([const { AtomicU64::new(0) }; MOST_LOGGED]);
    match error {
        StorageError::Damaged { reason } if !LOGGED.is_new(reason) => {}
        _ => tracing::error!(%error, "the store could not be read"),
    }
}

/// Hashes of the reasons that were logged; 0 is a free place.
struct LoggedPages([AtomicU64; MOST_LOGGED]);

impl LoggedPages {
    /// Whether a reason was not logged before and has a place.
    fn is_new(&self, reason: &str) -> bool {
        let mut hasher = DefaultHasher::new();
        reason.hash(&mut hasher);
        let hash = hasher.finish().max(1);
        for place in &self.0 {
            match place.compare_exchange(0, hash, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(before) if before == hash => return false,
                Err(_) => {}
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_page_is_logged_once_and_no_more_pages_than_the_bound() {
        let pages = LoggedPages([const { AtomicU64::new(0) }; MOST_LOGGED]);
        for page in 0..MOST_LOGGED {
            assert!(pages.is_new(&format!("page {page}")));
            assert!(!pages.is_new(&format!("page {page}")));
        }
        assert!(!pages.is_new("one more"));
    }
}

//! What the log says of a store that could not be read.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use store::StorageError;

/// Says that the store could not be read; of a damaged page once, however often
/// it is asked for.
pub fn tell_unreadable(error: &StorageError) {
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if let StorageError::Damaged { reason } = error {
        let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() >= MOST_TOLD || !told.insert(reason.clone()) {
            return;
        }
    }
    tracing::error!(%error, "the store could not be read");
}

/// Damaged places that are told.
const MOST_TOLD: usize = 100;

//! The files that security is read from, and when they were written.

use super::config::{SecurityConfig, SecurityError};
use super::keys::{KeySet, KeySource};
use super::users::UserStore;
use std::path::Path;
use std::time::SystemTime;

/// Length and time of a file.
pub(super) type FileStamp = Option<(u64, SystemTime)>;

/// The users of a store.
pub(super) fn load_users(file: &Path) -> Result<UserStore, SecurityError> {
    UserStore::load(file).map_err(|wrong| {
        let reasons: Vec<String> = wrong.iter().map(ToString::to_string).collect();
        SecurityError::Users {
            file: file.to_owned(),
            reason: reasons.join("; "),
        }
    })
}

/// The keys of a file.
pub(super) fn load_keys(file: &Path, source: &KeySource) -> Result<KeySet, SecurityError> {
    let read = std::fs::read(file).map_err(|e| format!("cannot be read: {e}"));
    let keys = read.and_then(|bytes| KeySet::parse(&bytes));
    keys.map_err(|reason| SecurityError::Keys {
        source_name: source.to_string(),
        reason,
    })
}

/// When the files of users and keys were written.
pub(super) fn stamps(config: &SecurityConfig) -> [FileStamp; 2] {
    let of = |file: Option<&Path>| -> FileStamp {
        let about = file?.metadata().ok()?;
        Some((about.len(), about.modified().ok()?))
    };
    let keys = match config.tokens.as_ref().map(|tokens| &tokens.keys) {
        Some(KeySource::File(file)) => Some(file.as_path()),
        _ => None,
    };
    [of(config.users.as_deref()), of(keys)]
}

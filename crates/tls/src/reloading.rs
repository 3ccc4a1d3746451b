//! Settings that are read again when one of their files is written.
//!
//! They count for connections that begin after that; who begins one looks at
//! the files, once a second at most. What cannot be used is logged, and what
//! was in force before stays so.

use crate::FileError;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Time between two looks at the files.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

type ReadSettings<T> = dyn Fn() -> Result<T, FileError> + Send + Sync;

/// Settings from files: [`rustls::ServerConfig`] or [`rustls::ClientConfig`].
pub struct ReloadingSettings<T> {
    files: Vec<PathBuf>,
    read: Box<ReadSettings<T>>,
    state: Mutex<ReloadState<T>>,
}

struct ReloadState<T> {
    config: Arc<T>,
    checked_at: Instant,
    stamps: Vec<FileStamp>,
}

/// Bytes of a file and when it was written; none where it cannot be seen.
type FileStamp = Option<(u64, SystemTime)>;

impl<T> std::fmt::Debug for ReloadingSettings<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reloading")
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

impl<T> ReloadingSettings<T> {
    /// Reads them for the first time; `files` are those that `read` reads.
    pub(crate) fn new(
        files: Vec<PathBuf>,
        read: impl Fn() -> Result<T, FileError> + Send + Sync + 'static,
    ) -> Result<ReloadingSettings<T>, FileError> {
        let stamps = stamps(&files);
        let config = Arc::new(read()?);
        Ok(ReloadingSettings {
            files,
            read: Box::new(read),
            state: Mutex::new(ReloadState {
                config,
                checked_at: Instant::now(),
                stamps,
            }),
        })
    }

    /// The configuration for the next connection.
    pub fn config(&self) -> Arc<T> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.checked_at.elapsed() >= CHECK_INTERVAL {
            state.checked_at = Instant::now();
            self.reload_if_changed(&mut state);
        }
        state.config.clone()
    }

    fn reload_if_changed(&self, state: &mut ReloadState<T>) {
        let now = stamps(&self.files);
        if now == state.stamps {
            return;
        }
        state.stamps = now;
        match (self.read)() {
            Ok(config) => {
                state.config = Arc::new(config);
                let file = self.files.first().map(|file| file.display().to_string());
                tracing::info!(file, "the TLS certificate was read again");
            }
            Err(e) => tracing::error!("{e}; the previous certificate is still used"),
        }
    }
}

fn stamps(files: &[PathBuf]) -> Vec<FileStamp> {
    let stamp = |file: &PathBuf| {
        let about = file.metadata().ok()?;
        Some((about.len(), about.modified().ok()?))
    };
    files.iter().map(stamp).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    impl<T> ReloadingSettings<T> {
        /// Checks the files now, whenever the last check was.
        fn reloaded_config(&self) -> Arc<T> {
            self.reload_if_changed(&mut self.state.lock().unwrap());
            self.config()
        }
    }

    #[test]
    fn what_is_written_counts_and_what_cannot_be_read_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("it");
        let reads = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        std::fs::write(&file, "one").unwrap();
        let (named, counted) = (file.clone(), reads.clone());
        let config = ReloadingSettings::new(vec![file.clone()], move || {
            counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            std::fs::read_to_string(&named).map_err(|e| FileError::new(&named, e))
        })
        .unwrap();
        assert_eq!(*config.reloaded_config(), "one");
        assert_eq!(reads.load(std::sync::atomic::Ordering::Relaxed), 1);
        std::fs::write(&file, "second").unwrap();
        assert_eq!(*config.reloaded_config(), "second");
        std::fs::remove_file(&file).unwrap();
        assert_eq!(*config.reloaded_config(), "second");
        std::fs::write(&file, "a third").unwrap();
        assert_eq!(*config.reloaded_config(), "a third");
    }
}

//! What an experiment is given: the seed, where captures are kept, and whom
//! to tell how far it is.

use crate::error::LabError;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What an experiment is given.
pub struct Context<'a> {
    /// What everything random depends on; the same seed gives the same losses
    /// and the same order.
    pub seed: u64,
    /// How long each load is presented, in seconds; none for as long as the
    /// experiment usually does.
    pub seconds: Option<u64>,
    /// Which repetition this is, from 1.
    pub repetition: usize,
    /// Where captures are kept; none to throw them away.
    pub keep: Option<PathBuf>,
    /// Is told what happens next, for a person who waits.
    pub progress: &'a dyn Fn(&str),
}

impl Context<'_> {
    /// How long a load is presented that usually takes so long.
    pub fn length(&self, usual: Duration) -> Duration {
        self.seconds.map_or(usual, Duration::from_secs)
    }

    /// Keeps a file under `name`, if files are kept. Returns where.
    pub fn keep(&self, name: &str, bytes: &[u8]) -> Result<Option<PathBuf>, LabError> {
        let Some(folder) = &self.keep else {
            return Ok(None);
        };
        let path = folder.join(name);
        let write = |path: &Path| {
            std::fs::create_dir_all(folder)?;
            std::fs::write(path, bytes)
        };
        write(&path).map_err(LabError::system(path.display().to_string()))?;
        Ok(Some(path))
    }

    /// Says what happens next.
    pub fn report_progress(&self, text: &str) {
        (self.progress)(text);
    }
}

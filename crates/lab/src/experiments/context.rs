//! The parameters of an experiment: the seed, the folder for captures, and the
//! progress callback.

use crate::error::LabError;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The parameters of an experiment.
pub struct Context<'a> {
    /// Seed of all random choices; the same seed gives the same losses and the
    /// same order.
    pub seed: u64,
    /// Seconds of each load. `None` for the experiment's default.
    pub seconds: Option<u64>,
    /// Which repetition this is, from 1.
    pub repetition: usize,
    /// The folder for captures. `None` to discard them.
    pub keep: Option<PathBuf>,
    /// Receives progress messages for the user.
    pub progress: &'a dyn Fn(&str),
}

impl Context<'_> {
    /// The length of a load; `usual` is the default.
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

    /// Reports the next step.
    pub fn report_progress(&self, text: &str) {
        (self.progress)(text);
    }
}

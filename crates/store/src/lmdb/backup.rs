//! A copy of a store while it is served, and the way back.
//!
//! A backup is one data file, of one committed state, without free pages. The file is
//! checked to the last record before it counts as a backup, and again before it
//! replaces a store.

use std::fs::{File, OpenOptions};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::check::{CheckReport, check_data};
use super::env::{OpenError, lock_error};
use super::home;
use super::lock::WriterLock;
use super::reader::LmdbReader;
use crate::error::StorageError;

/// Why no backup was made, or none restored. The former store or backup is
/// unchanged.
#[derive(Debug, Error)]
pub enum BackupError {
    /// The store cannot be opened, or another process has it.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The store could not be copied.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A file could not be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        error: io::Error,
    },
    /// The copy is not whole.
    #[error("{} is damaged: {}", path.display(), first(report))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The findings.
        report: CheckReport,
    },
}

fn first(report: &CheckReport) -> String {
    let more = report.findings.len() as u64 + report.more_findings;
    match report.findings.first() {
        Some(first) if more > 1 => format!("{first} (and {} more)", more - 1),
        Some(first) => first.clone(),
        None => String::new(),
    }
}

impl LmdbReader {
    /// Writes a backup; its file exists only when it is complete. `progress`
    /// receives the number of checked pages.
    pub fn backup(
        &mut self,
        to: &Path,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<CheckReport, BackupError> {
        // LMDB follows every page when it copies.
        let before = self.check_newest(progress)?;
        if !before.is_clean() {
            return Err(BackupError::Damaged {
                path: self.env.path.clone(),
                report: before,
            });
        }
        let part = sibling_path(to, "part");
        let io = |error| BackupError::Io {
            path: part.clone(),
            error,
        };
        let file = File::create(&part).map_err(io)?;
        let copied = self
            .env
            .sys()
            .copy_to(&file)
            .map_err(|code| self.env.error(code, "copying it").into())
            .and_then(|()| file.sync_all().map_err(io))
            .and_then(|()| whole(&part, progress))
            .map_err(|error| match error {
                // Damage in the copy is damage in the store.
                BackupError::Damaged { report, .. } => BackupError::Damaged {
                    path: self.env.path.clone(),
                    report,
                },
                other => other,
            });
        let report = match copied {
            Ok(report) => report,
            Err(error) => {
                // The rest of the copy is useless; if it stays, it does no
                // harm.
                let _ = std::fs::remove_file(&part);
                return Err(error);
            }
        };
        put_in_place(&part, to).map_err(io)?;
        Ok(report)
    }
}

/// Puts a backup into a store's directory, replacing a store there. No process
/// may write the store; a reader continues with the old one.
pub fn restore(
    backup: &Path,
    directory: &Path,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<CheckReport, BackupError> {
    let at = |path: &Path| {
        let path = path.to_owned();
        move |error| BackupError::Io { path, error }
    };
    let report = whole(backup, progress)?;
    std::fs::create_dir_all(directory).map_err(at(directory))?;
    let _lock = WriterLock::take(directory).map_err(|error| lock_error(error, directory))?;
    let data = directory.join("data.mdb");
    let part = sibling_path(&data, "part");
    let copy = || {
        let mut from = File::open(backup)?;
        let mut to = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .open(&part)?;
        io::copy(&mut from, &mut to)?;
        to.sync_all()
    };
    copy().map_err(at(&part))?;
    // The reader table speaks of the transactions of the old file.
    match std::fs::remove_file(directory.join("lock.mdb")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(at(directory)(error)),
        _ => {}
    }
    put_in_place(&part, &data).map_err(at(&data))?;
    home::mark(directory).map_err(at(directory))?;
    Ok(report)
}

fn whole(data: &Path, progress: &mut dyn FnMut(u64, u64)) -> Result<CheckReport, BackupError> {
    let mut progress = |met, all| {
        progress(met, all);
        ControlFlow::Continue(())
    };
    let report = check_data(data, &mut progress).map_err(|error| BackupError::Io {
        path: data.to_owned(),
        error,
    })?;
    if report.is_clean() {
        Ok(report)
    } else {
        Err(BackupError::Damaged {
            path: data.to_owned(),
            report,
        })
    }
}

fn put_in_place(part: &Path, to: &Path) -> io::Result<()> {
    std::fs::rename(part, to)?;
    let directory = to.parent().filter(|parent| !parent.as_os_str().is_empty());
    File::open(directory.unwrap_or(Path::new(".")))?.sync_all()
}

fn sibling_path(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(ending);
    path.with_file_name(name)
}

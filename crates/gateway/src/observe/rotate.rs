//! A file of lines with a bounded size: at its limit it becomes `NAME.1`, the
//! one before `NAME.2`, and the oldest is deleted.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file that is written.
#[derive(Debug)]
pub(super) struct RotatingFile {
    path: PathBuf,
    max_bytes: u64,
    /// Most older files that are kept.
    kept: u32,
    open: Option<(File, u64)>,
}

impl RotatingFile {
    /// Opens the file, and appends to it.
    ///
    /// # Errors
    /// The system's error.
    pub fn open(path: &Path, max_bytes: u64, kept: u32) -> io::Result<RotatingFile> {
        let mut file = RotatingFile {
            path: path.to_owned(),
            max_bytes,
            kept,
            open: None,
        };
        file.current()?;
        Ok(file)
    }

    fn current(&mut self) -> io::Result<&mut (File, u64)> {
        if self.open.is_none() {
            if let Some(folder) = self.path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            let mut options = OpenOptions::new();
            options.create(true).append(true);
            // The file has callers' requests, so it is not readable for all
            // users of the machine.
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o640);
            let file = options.open(&self.path)?;
            let bytes = file.metadata()?.len();
            self.open = Some((file, bytes));
        }
        self.open.as_mut().ok_or(io::ErrorKind::NotFound.into())
    }

    /// Writes whole lines with one call.
    ///
    /// # Errors The system's error; the next write tries again.
    pub fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        let (max_bytes, (_, bytes)) = (self.max_bytes, self.current()?);
        if *bytes > 0 && *bytes + lines.len() as u64 > max_bytes {
            self.turn()?;
        }
        let (file, bytes) = self.current()?;
        let written = file.write_all(lines);
        *bytes += lines.len() as u64;
        if written.is_err() {
            self.open = None;
        }
        written
    }

    fn turn(&mut self) -> io::Result<()> {
        self.open = None;
        if self.kept == 0 {
            return std::fs::remove_file(&self.path);
        }
        for number in (1..self.kept).rev() {
            // One that is not there yet is not a fault.
            let _ = std::fs::rename(self.numbered(number), self.numbered(number + 1));
        }
        std::fs::rename(&self.path, self.numbered(1))
    }

    fn numbered(&self, number: u32) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{number}"));
        name.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_goes_and_no_line_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sub/audit.jsonl");
        let mut file = RotatingFile::open(&path, 10, 2).unwrap();
        for n in 0..8 {
            file.write(format!("line{n}\n").as_bytes()).unwrap();
        }
        let read = |name: &str| std::fs::read_to_string(folder.path().join("sub").join(name));
        assert_eq!(read("audit.jsonl").unwrap(), "line7\n");
        assert_eq!(read("audit.jsonl.1").unwrap(), "line6\n");
        assert_eq!(read("audit.jsonl.2").unwrap(), "line5\n");
        assert!(read("audit.jsonl.3").is_err());
        let mut again = RotatingFile::open(&path, 1000, 2).unwrap();
        again.write(b"more\n").unwrap();
        assert_eq!(read("audit.jsonl").unwrap(), "line7\nmore\n");
    }
}

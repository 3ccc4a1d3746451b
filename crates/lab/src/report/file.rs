//! A page that has its name only when it is whole.
//!
//! The target is checked before the experiment, so that its minutes are not lost.
//! An existing file is kept until the new page is complete, and a failed experiment
//! leaves no file.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A page to be written.
#[derive(Debug)]
pub struct ReportPage {
    path: PathBuf,
    /// The temporary file. `None` if the target is not an ordinary file, such
    /// as a terminal or a pipe, which is written directly.
    draft: Option<PathBuf>,
}

impl ReportPage {
    /// Makes sure that a page can be written under this name.
    pub fn begin(path: &Path) -> io::Result<ReportPage> {
        let named = |error: io::Error| {
            let text = format!("{}: {error}", path.display());
            io::Error::new(error.kind(), text)
        };
        let special = match fs::metadata(path) {
            Ok(found) if found.is_dir() => {
                return Err(named(io::ErrorKind::IsADirectory.into()));
            }
            Ok(found) => !found.is_file(),
            Err(_) => false,
        };
        if special {
            return Ok(ReportPage {
                path: path.to_owned(),
                draft: None,
            });
        }
        // A link's target is replaced, not the link, also where it is to be made.
        let path = fs::canonicalize(path).unwrap_or_else(|_| target(path));
        if path.exists() {
            File::options().append(true).open(&path).map_err(named)?;
        }
        let name = path.file_name().map(|name| name.to_string_lossy());
        let name = name.ok_or_else(|| named(io::ErrorKind::InvalidFilename.into()))?;
        let draft = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
        // Only to see whether it can be: work that is interrupted leaves nothing.
        File::create(&draft).map_err(named)?;
        fs::remove_file(&draft).map_err(named)?;
        Ok(ReportPage {
            path,
            draft: Some(draft),
        })
    }

    /// Writes the page and gives it its name.
    pub fn finish(self, html: &str) -> io::Result<()> {
        let written = match &self.draft {
            None => fs::write(&self.path, html),
            Some(draft) => replace(draft, &self.path, html).inspect_err(|_| {
                // After any error the incomplete page is removed.
                let _ = fs::remove_file(draft);
            }),
        };
        written.map_err(|error| {
            let text = format!("{}: {error}", self.path.display());
            io::Error::new(error.kind(), text)
        })
    }
}

/// The target of a dangling link; the path itself if it is not a link.
fn target(path: &Path) -> PathBuf {
    match fs::read_link(path) {
        Ok(to) => path.parent().unwrap_or(Path::new("")).join(to),
        Err(_) => path.to_owned(),
    }
}

fn replace(draft: &Path, path: &Path, html: &str) -> io::Result<()> {
    let mut file = File::create(draft)?;
    file.write_all(html.as_bytes())?;
    if let Ok(old) = fs::metadata(path) {
        file.set_permissions(old.permissions())?;
    }
    fs::rename(draft, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let name = |e: io::Result<fs::DirEntry>| e.unwrap().file_name().into_string().unwrap();
        entries.map(name).collect()
    }

    #[test]
    fn a_page_that_is_not_finished_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.html");
        drop(ReportPage::begin(&path).unwrap());
        assert_eq!(names(folder.path()), Vec::<String>::new());
        fs::write(&path, "old").unwrap();
        drop(ReportPage::begin(&path).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        ReportPage::begin(&path).unwrap().finish("new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["a.html"]);
    }

    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link.html");
        std::os::unix::fs::symlink("page.html", &link).unwrap();
        for text in ["first", "second"] {
            ReportPage::begin(&link).unwrap().finish(text).unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            let page = folder.path().join("page.html");
            assert_eq!(fs::read_to_string(page).unwrap(), text);
        }
    }

    #[test]
    fn what_cannot_be_written_is_reported_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        assert!(ReportPage::begin(folder.path()).is_err());
        let missing = folder.path().join("no/such/a.html");
        let error = ReportPage::begin(&missing).unwrap_err().to_string();
        assert!(error.contains("no/such/a.html"), "{error}");
        assert!(ReportPage::begin(Path::new("")).is_err());
        ReportPage::begin(Path::new("/dev/null"))
            .unwrap()
            .finish("x")
            .unwrap();
    }
}

//! Where COPY members come from.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The text of one COPY member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Name to show in diagnostics, usually a path.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Finds COPY members by name.
pub trait CopyResolver {
    /// The member `name` of `library` (the `IN` or `OF` phrase), `None` when
    /// there is no such member, and the reason when it cannot be read.
    fn resolve(&self, name: &str, library: Option<&str>) -> Result<Option<Member>, String>;

    /// Advice to give when a member is missing.
    fn hint(&self) -> String {
        "name the folders that hold the COPY members".into()
    }
}

/// A resolver without members.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCopy;

impl CopyResolver for NoCopy {
    fn resolve(&self, _name: &str, _library: Option<&str>) -> Result<Option<Member>, String> {
        Ok(None)
    }
}

/// Members as files in a list of folders, the first that has one wins. The
/// name is tried as written, in upper and in lower case, alone and with the
/// usual extensions; a library is a folder within.
#[derive(Debug, Clone, Default)]
pub struct CopyFolders {
    folders: Vec<PathBuf>,
}

/// Extensions tried, in this order.
const EXTENSIONS: [&str; 9] = [
    "", ".cpy", ".CPY", ".cbl", ".CBL", ".cob", ".COB", ".copy", ".inc",
];

impl CopyFolders {
    /// Searches `folders` in order.
    pub fn new(folders: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        CopyFolders {
            folders: folders.into_iter().map(Into::into).collect(),
        }
    }
}

impl CopyResolver for CopyFolders {
    fn resolve(&self, name: &str, library: Option<&str>) -> Result<Option<Member>, String> {
        let stays_inside = |part: &str| {
            Path::new(part)
                .components()
                .all(|c| matches!(c, Component::Normal(_) | Component::CurDir))
        };
        if !stays_inside(name) || !library.is_none_or(stays_inside) {
            return Err("the name leads out of the COPY folders".into());
        }
        for folder in &self.folders {
            let places = library
                .map(|library| folder.join(library))
                .into_iter()
                .chain([folder.clone()]);
            for place in places {
                for spelling in [
                    name.to_owned(),
                    name.to_ascii_uppercase(),
                    name.to_ascii_lowercase(),
                ] {
                    for extension in EXTENSIONS {
                        let path = place.join(format!("{spelling}{extension}"));
                        if let Some(text) = read_text(&path)? {
                            let name = path.display().to_string();
                            return Ok(Some(Member { name, text }));
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    fn hint(&self) -> String {
        if self.folders.is_empty() {
            return "name the folders that hold the COPY members".into();
        }
        let names: Vec<String> = self
            .folders
            .iter()
            .map(|folder| folder.display().to_string())
            .collect();
        format!("searched in {}", names.join(", "))
    }
}

/// The text of a file, `None` when there is none. Bytes that are not UTF-8
/// are read as Latin-1, which keeps columns where they are.
fn read_text(path: &Path) -> Result<Option<String>, String> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => error.into_bytes().into_iter().map(char::from).collect(),
        })),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::InvalidInput => Ok(None),
            _ => Err(format!("{}: {error}", path.display())),
        },
    }
}

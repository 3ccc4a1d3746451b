//! Finds COPY members.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

/// The text of one COPY member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyMember {
    /// Name to show in diagnostics, usually a path.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Finds COPY members by name.
pub trait CopyResolver {
    /// The member `name` of `library` (the `IN` or `OF` phrase). Returns `None` if
    /// there is no such member, and the reason when it cannot be read.
    fn resolve(&self, name: &str, library: Option<&str>) -> Result<Option<CopyMember>, String>;

    /// Advice to give when a member is missing.
    fn hint(&self, _name: &str) -> String {
        "name the folders that hold the COPY members".into()
    }
}

/// A resolver without members.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCopy;

impl CopyResolver for NoCopy {
    fn resolve(&self, _name: &str, _library: Option<&str>) -> Result<Option<CopyMember>, String> {
        Ok(None)
    }
}

/// Members as files in a list of folders, the first that has one wins. Names
/// are compared without regard to case. Within a folder a file of exactly the
/// name comes first, then the usual endings in their order; a file with any
/// other ending is taken when no folder has one of those. A library is a
/// folder within.
///
/// The folders are listed once, when a member is first asked for.
#[derive(Debug, Clone, Default)]
pub struct CopyFolders {
    folders: Vec<PathBuf>,
    listed: OnceLock<Vec<MemberListing>>,
}

/// Endings of member files, in the order of preference.
const ENDINGS: [&str; 14] = [
    "", "cpy", "copy", "cbl", "cob", "cobol", "inc", "dcl", "cpb", "cbk", "copybook", "cbcpy",
    "mbr", "txt",
];

/// Endings of files that are not COBOL text, whatever their names.
const OTHER_TEXTS: [&str; 22] = [
    "bms", "jcl", "proc", "asm", "md", "json", "yaml", "yml", "xml", "sql", "ddl", "csd", "toml",
    "c", "h", "java", "py", "sh", "so", "rexx", "html", "class",
];

/// The members of one folder by upper-case name, the best file of each, and
/// its rank: the index of its ending, more for an unusual one.
#[derive(Debug, Clone, Default)]
struct MemberListing(HashMap<String, (usize, PathBuf)>);

impl MemberListing {
    /// Lists a folder; one that cannot be read is empty.
    fn of(folder: &Path) -> Self {
        let mut members = HashMap::new();
        let Ok(entries) = fs::read_dir(folder) else {
            return MemberListing::default();
        };
        let mut paths: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.is_file())
            .collect();
        paths.sort();
        for path in paths {
            let upper = |part: Option<&std::ffi::OsStr>| {
                part.map_or(String::new(), |p| p.to_string_lossy().to_ascii_uppercase())
            };
            let ending = upper(path.extension()).to_ascii_lowercase();
            if OTHER_TEXTS.contains(&ending.as_str()) {
                continue;
            }
            let rank = ENDINGS
                .iter()
                .position(|e| *e == ending)
                .unwrap_or(ENDINGS.len());
            for (name, rank) in [
                (upper(path.file_stem()), rank),
                (upper(path.file_name()), 0),
            ] {
                let best = members.entry(name).or_insert_with(|| (rank, path.clone()));
                if rank < best.0 {
                    *best = (rank, path.clone());
                }
            }
        }
        MemberListing(members)
    }

    fn get(&self, name: &str, usual: bool) -> Option<&Path> {
        let (rank, path) = self.0.get(name)?;
        ((*rank < ENDINGS.len()) == usual).then_some(path)
    }
}

impl CopyFolders {
    /// Searches `folders` in order.
    pub fn new(folders: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        CopyFolders {
            folders: folders.into_iter().map(Into::into).collect(),
            listed: OnceLock::new(),
        }
    }

    /// The file of a member. Returns `None` if it does not exist.
    ///
    /// # Errors
    /// A name that leads out of the folders.
    pub fn find(&self, name: &str, library: Option<&str>) -> Result<Option<PathBuf>, String> {
        let stays_inside = |part: &str| {
            Path::new(part)
                .components()
                .all(|c| matches!(c, Component::Normal(_) | Component::CurDir))
        };
        if !stays_inside(name) || !library.is_none_or(stays_inside) {
            return Err("the name leads out of the COPY folders".into());
        }
        let below = Path::new(name).parent().filter(|p| *p != Path::new(""));
        let upper = match below {
            Some(_) => Path::new(name)
                .file_name()
                .map_or(String::new(), |n| n.to_string_lossy().into_owned()),
            None => name.to_owned(),
        }
        .to_ascii_uppercase();
        for usual in [true, false] {
            for (index, folder) in self.folders.iter().enumerate() {
                for library in library.map(Some).into_iter().chain([None]) {
                    let found = match (library, below) {
                        (None, None) => self
                            .listing(index)
                            .and_then(|listing| listing.get(&upper, usual).map(Path::to_owned)),
                        (library, below) => {
                            let place = folder
                                .join(library.unwrap_or_default())
                                .join(below.unwrap_or(Path::new("")));
                            let listing = MemberListing::of(&place);
                            listing.get(&upper, usual).map(Path::to_owned)
                        }
                    };
                    if found.is_some() {
                        return Ok(found);
                    }
                }
            }
        }
        Ok(None)
    }

    /// The source of a map set, in a folder of members or in a folder `bms` next to one.
    fn map_source(&self, name: &str) -> Option<PathBuf> {
        let next_to = |folder: &PathBuf| folder.parent().map(|f| f.join(MAP_FOLDER));
        let folders = self.folders.iter().filter_map(next_to);
        let folders: Vec<PathBuf> = folders.chain(self.folders.iter().cloned()).collect();
        let files = folders
            .iter()
            .flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
        let mut files: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
        files.dedup();
        let mut sources = files.into_iter().filter(|path| sources::is_file(path));
        sources.find(|path| {
            let text = sources::read(path).unwrap_or_default();
            String::from_utf8_lossy(&text).lines().any(|line| {
                let mut words = line.split_ascii_whitespace();
                !line.starts_with([' ', '*'])
                    && words.next().is_some_and(|w| w.eq_ignore_ascii_case(name))
                    && words
                        .next()
                        .is_some_and(|w| w.eq_ignore_ascii_case("DFHMSD"))
            })
        })
    }

    fn listing(&self, index: usize) -> Option<&MemberListing> {
        let all = self
            .listed
            .get_or_init(|| self.folders.iter().map(|f| MemberListing::of(f)).collect());
        all.get(index)
    }
}

impl CopyResolver for CopyFolders {
    fn resolve(&self, name: &str, library: Option<&str>) -> Result<Option<CopyMember>, String> {
        let Some(path) = self.find(name, library)? else {
            return Ok(None);
        };
        let text = read_text(&path)?;
        let name = path.display().to_string();
        Ok(text.map(|text| CopyMember { name, text }))
    }

    fn hint(&self, name: &str) -> String {
        if let Some(source) = self.map_source(name) {
            return map_hint(name, &source);
        }
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

/// The folder of map sources in an application.
const MAP_FOLDER: &str = "bms";

/// Why the source of a map set gives no member, and what to do.
fn map_hint(name: &str, source: &Path) -> String {
    let folder = source.parent().and_then(Path::file_name);
    let ending = source.extension();
    let place = source.display();
    if folder.is_none_or(|folder| folder != MAP_FOLDER) {
        format!("{place} is the source of this map set: put it into {MAP_FOLDER}/{name}.bms")
    } else if ending.is_none_or(|ending| !ending.eq_ignore_ascii_case("bms")) {
        format!("{place} is the source of this map set: give the file a name that ends with .bms")
    } else {
        format!("the source of this map set has errors, so it has no symbolic map: {place}")
    }
}

/// The text of a file. Returns `None` if it does not exist. Bytes that are not UTF-8
/// are read as Latin-1, which keeps columns where they are.
fn read_text(path: &Path) -> Result<Option<String>, String> {
    match sources::read(path) {
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

//! Map sources of an application: `bms/*.bms`, built before its programs.
//!
//! Each map set becomes a COPY member in the state folder. The member has the
//! name of the set, and of the file where that differs. Folders of COPY members
//! are searched first, so an application's own member wins.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use bms::{MapSource, OccursForm};
use miette::{IntoDiagnostic, Result, WrapErr};

use super::Application;
use super::finding::Finding;

/// The folder of map sources in an application.
pub const FOLDER: &str = "bms";

/// Symbolic maps that were built.
#[derive(Debug, Default)]
pub struct BuiltMaps {
    /// The folder of their COPY members; `None` if there are no map sources.
    pub folder: Option<PathBuf>,
    /// What is wrong with the sources.
    pub findings: Vec<Finding>,
}

impl Application {
    /// Builds the symbolic maps of `bms/`. A source with errors has no member.
    ///
    /// # Errors
    ///
    /// A source cannot be read, or a member cannot be written.
    pub fn build_maps(&self) -> Result<BuiltMaps> {
        let folder = self.state.join("maps");
        let sources = map_sources(&self.folder.join(FOLDER));
        if sources.is_empty() && !folder.exists() {
            return Ok(BuiltMaps::default());
        }
        let mut members = BTreeMap::new();
        let mut findings = Vec::new();
        for path in sources {
            let source = read_source(&path)?;
            findings.extend(source.diagnostics.iter().map(|d| d.clone().in_file(&path)));
            if !source.has_errors() {
                add_members(&path, &source, &mut members);
            }
        }
        write_members(&folder, &members)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot write symbolic maps to {}", folder.display()))?;
        Ok(BuiltMaps {
            folder: Some(folder),
            findings,
        })
    }
}

impl Application {
    /// The map sets of `bms/` whose sources have no errors, for commands on maps.
    ///
    /// # Errors
    ///
    /// A source cannot be read.
    pub fn map_sets(&self) -> Result<Vec<bms::MapSet>> {
        let mut sets = Vec::new();
        for path in map_sources(&self.folder.join(FOLDER)) {
            let source = read_source(&path)?;
            if !source.has_errors() {
                sets.extend(source.sets);
            }
        }
        Ok(sets)
    }
}

fn read_source(path: &Path) -> Result<MapSource> {
    let bytes = sources::read(path)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot read {}", path.display()))?;
    Ok(bms::parse(&bms::source_text(&bytes)))
}

/// The map sources of a folder in the order of their names.
fn map_sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_source = |path: &PathBuf| {
        let ending = path.extension();
        path.is_file() && ending.is_some_and(|ending| ending.eq_ignore_ascii_case("bms"))
    };
    let mut sources: Vec<PathBuf> = entries.map(|e| e.path()).filter(is_source).collect();
    sources.sort();
    sources
}

/// Adds the members of a source: one for each set, one for the file.
fn add_members(path: &Path, source: &MapSource, members: &mut BTreeMap<String, String>) {
    let texts = source.sets.iter().map(|set| {
        let text = bms::cobol_copybook(set, OccursForm::Assembler);
        (set.name.clone(), text)
    });
    let mut all = String::new();
    for (name, text) in texts {
        all.push_str(&text);
        if is_member_name(&name) {
            members.entry(name).or_insert(text);
        }
    }
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    if let Some(stem) = stem.filter(|stem| is_member_name(stem)) {
        members.entry(stem.to_ascii_uppercase()).or_insert(all);
    }
}

/// Names of sets come from the source, so they are checked before they name files.
fn is_member_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "@#$-_".contains(c);
    !name.is_empty() && name.chars().all(allowed)
}

/// Writes members that changed, and removes those whose set is gone.
fn write_members(folder: &Path, members: &BTreeMap<String, String>) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    for entry in fs::read_dir(folder)?.flatten() {
        let path = entry.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        if stem.is_none_or(|stem| !members.contains_key(stem)) {
            fs::remove_file(path)?;
        }
    }
    for (name, text) in members {
        let path = folder.join(format!("{name}.cpy"));
        if fs::read_to_string(&path).is_ok_and(|written| written == *text) {
            continue;
        }
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        std::io::Write::write_all(&mut file, text.as_bytes())?;
        file.persist(path).map_err(|e| e.error)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::finding::Severity;

    const SOURCE: &str = "S        DFHMSD TYPE=MAP,MODE=INOUT,LANG=COBOL,STORAGE=AUTO\n\
         M        DFHMDI SIZE=(24,80)\nF        DFHMDF POS=(1,1),LENGTH=5\n         DFHMSD TYPE=FINAL\n";

    #[test]
    fn a_set_becomes_a_member_and_goes_with_its_source() {
        let folder = tempfile::tempdir().unwrap();
        let maps = folder.path().join("bms");
        fs::create_dir(&maps).unwrap();
        fs::write(maps.join("menu.bms"), SOURCE).unwrap();
        let app = Application::open(folder.path(), None).unwrap();
        let built = app.build_maps().unwrap();
        let members = built.folder.unwrap();
        assert_eq!(built.findings.len(), 0);
        for name in ["S.cpy", "MENU.cpy"] {
            let text = fs::read_to_string(members.join(name)).unwrap();
            assert!(text.contains("02  FL    COMP  PIC  S9(4)."), "{text}");
        }
        fs::write(
            maps.join("menu.bms"),
            SOURCE.replace("LENGTH=5", "LENGTH=X"),
        )
        .unwrap();
        let built = app.build_maps().unwrap();
        let mut errors = built
            .findings
            .iter()
            .filter(|f| f.severity == Severity::Error);
        let error = errors.next().unwrap();
        assert_eq!((error.line, error.column), (3, 27));
        assert!(!members.join("S.cpy").exists());
    }
}

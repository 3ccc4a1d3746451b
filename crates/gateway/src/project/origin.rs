//! The sources of an asset's copybooks, and whether the copies still agree with
//! them.
//!
//! An asset has copies of the copybooks that its program is compiled with. When
//! the program's own copybook changes, the program is compiled again and the
//! copy is not, and every field after the change is read wrongly. So an asset
//! may name in `sources.yaml` where each copy came from, and the two are
//! compared by layout: different remarks do not matter.
//!
//! ```yaml
//! version: 1
//! copybooks:
//!   ACCT-AREA_request_0.cpy: copybooks/ACCT.cpy
//! ```
//!
//! Invariant: where nothing says what a copy came from, nothing is refused; a
//! record of the same name with another layout is a warning.

use super::asset::{DataArea, ProgramAsset};
use super::import::program_text;
use super::operation::LoadedApi;
use super::read_yaml;
use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use copybook::{CopyFolders, Copybook, Field, FieldKind, ParseOptions, RecordLayout};
use std::path::{Path, PathBuf};

/// Name of the file next to `zosAsset.yaml`.
pub(crate) const SOURCES: &str = "sources.yaml";

/// The contents of `sources.yaml`.
#[derive(Debug, Default, Clone)]
pub(crate) struct CopybookSources {
    /// The file itself.
    pub file: PathBuf,
    /// Name of each copy, where it came from (from the application folder),
    /// and the place of that.
    pub copybooks: Vec<(String, PathBuf, FilePosition)>,
    /// The options that it was imported with, as they are written.
    pub options: Vec<(String, String)>,
}

impl CopybookSources {
    /// Reads the file of an asset's folder. Returns `None` when it is missing.
    pub fn load(folder: &Path, out: &mut ProjectDiagnostics) -> Option<CopybookSources> {
        let file = folder.join(SOURCES);
        if !file.is_file() {
            return None;
        }
        let node = read_yaml(&file, out)?;
        let mut sources = CopybookSources {
            file,
            ..CopybookSources::default()
        };
        for (key, value) in node.map().unwrap_or_default() {
            let name = key.text().unwrap_or_default();
            match (name, value.map(), value.text()) {
                ("copybooks", Some(entries), _) => {
                    for (copy, source) in entries {
                        let names = copy.text().zip(source.text());
                        let (copy, source) = names.unwrap_or_default();
                        let at = value.locate_key([copy]);
                        sources.copybooks.push((copy.to_owned(), source.into(), at));
                    }
                }
                ("copybooks" | "version", _, _) => {}
                (name, _, Some(text)) => sources.options.push((name.into(), text.into())),
                _ => {}
            }
        }
        Some(sources)
    }

    /// The source of a copy.
    fn of(&self, copy: &Path) -> Option<(&Path, FilePosition)> {
        let name = copy.file_name()?.to_str()?;
        let mut all = self.copybooks.iter();
        let (_, source, at) = all.find(|(copy, ..)| copy == name)?;
        Some((source, *at))
    }
}

impl LoadedApi {
    /// Compares the copybooks of its assets with those of the application: an
    /// error for each copy whose source has another layout now, a warning for
    /// one whose source is missing. `folders` are those of the programs' COPY
    /// members.
    pub fn check_sources(&self, application: &Path, folders: &[PathBuf]) -> ProjectDiagnostics {
        let mut out = ProjectDiagnostics::default();
        for asset in self.assets() {
            let checked = OriginCheck {
                api: &self.name,
                asset,
                application,
                folders,
            };
            checked.asset(&mut out);
        }
        out
    }
}

struct OriginCheck<'a> {
    api: &'a str,
    asset: &'a ProgramAsset,
    application: &'a Path,
    folders: &'a [PathBuf],
}

impl OriginCheck<'_> {
    fn asset(&self, out: &mut ProjectDiagnostics) {
        let areas = self
            .asset
            .request
            .areas
            .iter()
            .chain(&self.asset.response.areas);
        let program = program_text(self.application, self.asset.program.as_str());
        for area in areas {
            // The program's DECIMAL-POINT clause, else that of its copy.
            let comma = match &program {
                Some(text) => copybook::has_decimal_comma(text),
                None => sources::read_to_string(&area.file)
                    .is_ok_and(|text| copybook::has_decimal_comma(&text)),
            };
            let said = self
                .asset
                .sources
                .as_ref()
                .and_then(|s| Some((s, s.of(&area.file)?)));
            match said {
                Some((sources, (source, at))) => {
                    let source = self.application.join(source);
                    if source.is_file() {
                        self.compare(area, &source, comma, out);
                    } else {
                        let message = format!(
                            "{} does not exist, so its changes are not noticed",
                            source.display()
                        );
                        out.warn(&sources.file, at, message);
                    }
                }
                None => self.namesake(area, comma, out),
            }
        }
    }

    /// A copy against the copybook that it came from.
    fn compare(&self, area: &DataArea, source: &Path, comma: bool, out: &mut ProjectDiagnostics) {
        let layouts = match self.layouts(source, comma) {
            Ok(book) => {
                book.warnings.list.into_iter().for_each(|f| out.copybook(f));
                book.layouts
            }
            Err(faults) => {
                // The other records may be in members that the source copies.
                faults.list.into_iter().for_each(|f| out.copybook(f));
                return;
            }
        };
        let own = area.layout();
        let Some(now) = layouts
            .iter()
            .find(|l| l.name().eq_ignore_ascii_case(own.name()))
            .or(layouts.first())
        else {
            let message = "it no longer describes a record";
            return out.error(source, FilePosition::default(), message);
        };
        if let Some(difference) = difference(own, now) {
            let message = format!(
                "the API {} was generated from another version of this copybook: {}; served like \
                 this it would read and write wrong values",
                self.api, difference.what
            );
            let help = format!(
                "apply the change with `tupelo api import {} --update`, which keeps the mappings",
                self.api
            );
            let at = FilePosition {
                line: difference.line,
                column: indentation(source, difference.line),
            };
            out.error_help(source, at, message, help);
        }
    }

    /// A record of the same name among the programs' copybooks.
    fn namesake(&self, area: &DataArea, comma: bool, out: &mut ProjectDiagnostics) {
        let own = area.layout();
        for folder in self.folders {
            for path in members(folder) {
                let Ok(text) = sources::read_to_string(&path) else {
                    continue;
                };
                // Only a text that has the name is worth a parse.
                if !text
                    .to_ascii_uppercase()
                    .contains(&own.name().to_ascii_uppercase())
                {
                    continue;
                }
                let Ok(book) = self.layouts(&path, comma) else {
                    continue;
                };
                let same = book
                    .layouts
                    .iter()
                    .find(|l| l.name().eq_ignore_ascii_case(own.name()));
                if let Some(difference) = same.and_then(|now| difference(own, now)) {
                    let message = format!(
                        "{} has a record {} of another layout ({}); if the program is compiled \
                         with that one, this API reads and writes wrong values",
                        path.display(),
                        own.name(),
                        difference.what
                    );
                    let help = "write a sources.yaml next to zosAsset.yaml that names this \
                        copybook's source, so that changes are noticed";
                    out.warn_help(
                        &area.file,
                        FilePosition::default(),
                        message,
                        Some(help.into()),
                    );
                }
            }
        }
    }

    fn layouts(&self, file: &Path, comma: bool) -> Result<Copybook, copybook::Diagnostics> {
        let bytes = sources::read(file).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let name = file.display().to_string();
        let own = file.parent().map(Path::to_owned);
        let copy = CopyFolders::new(own.into_iter().chain(self.folders.iter().cloned()));
        let options = ParseOptions {
            source_name: &name,
            copy: &copy,
            decimal_comma: comma,
            ..ParseOptions::default()
        };
        copybook::parse_with_warnings(&text, &options)
    }
}

fn members(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|e| e.path()).filter(|p| p.is_file()).collect();
    files.sort();
    files
}

/// The column from 1 where a line's text begins; 0 when there is no such line.
fn indentation(file: &Path, line: u32) -> u32 {
    let text = sources::read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    crate::project::record::first_column(&text, line)
}

/// The first thing in which two layouts differ.
pub(crate) struct LayoutDifference {
    pub what: String,
    /// Line of the newer text, 0 for none.
    pub line: u32,
}

/// Compares a copy with its source, field by field.
pub(crate) fn difference(copy: &RecordLayout, now: &RecordLayout) -> Option<LayoutDifference> {
    let mut group = None;
    let fields = copy.iter().zip(now.iter());
    for ((_, old), (_, new)) in fields.skip(1) {
        if old.name != new.name {
            let (old, new) = (named(old), named(new));
            return reported(format!("{new} replaces {old}"), now, &new);
        }
        let edited = [old, new]
            .iter()
            .all(|f| matches!(f.kind, FieldKind::NumericEdited(_)));
        if edited && old.kind != new.kind && old.picture == new.picture {
            let what = format!(
                "{} (PIC {}) has another decimal point, because DECIMAL-POINT IS COMMA was added \
                 to or removed from its program",
                named(old),
                old.picture.as_deref().unwrap_or_default()
            );
            let line = new.line;
            return Some(LayoutDifference { what, line });
        }
        if !same(old, new) {
            let what = format!(
                "{} was {} and is now {}",
                named(old),
                described(old),
                described(new)
            );
            let difference = LayoutDifference {
                what,
                line: new.line,
            };
            // A group differs because of its fields; their differences are more specific.
            if !(is_plain_group(old) && is_plain_group(new)) {
                return Some(difference);
            }
            group.get_or_insert(difference);
        }
    }
    let (was, is) = (copy.fields.len(), now.fields.len());
    if is > was {
        let first = &now.fields[was];
        let what = format!("{} is new", named(first));
        return Some(LayoutDifference {
            what,
            line: first.line,
        });
    }
    if is < was {
        let what = format!("{} no longer exists", named(&copy.fields[is]));
        return Some(LayoutDifference { what, line: 0 });
    }
    group.or_else(|| {
        (copy.length != now.length).then(|| LayoutDifference {
            what: format!("it had {} bytes and now has {}", copy.length, now.length),
            line: 0,
        })
    })
}

/// The names that are in the second layout and not in the first.
pub(crate) fn new_names<'a>(old: &RecordLayout, new: &'a RecordLayout) -> Vec<&'a str> {
    let names = new.fields.iter().skip(1).filter_map(|f| f.name.as_deref());
    let known = |name: &&str| old.fields.iter().any(|f| f.name.as_deref() == Some(name));
    names.filter(|name| !known(name)).collect()
}

/// A group that is neither a table nor another description of something.
fn is_plain_group(field: &Field) -> bool {
    field.kind == FieldKind::Group && field.occurs.is_none() && field.redefines.is_none()
}

fn reported(what: String, now: &RecordLayout, name: &str) -> Option<LayoutDifference> {
    let field = now.fields.iter().find(|f| f.name.as_deref() == Some(name));
    Some(LayoutDifference {
        what,
        line: field.map_or(0, |f| f.line),
    })
}

fn same(a: &Field, b: &Field) -> bool {
    let table = |f: &Field| {
        f.occurs
            .as_ref()
            .map(|o| (o.min, o.max, o.stride, o.depending_on))
    };
    (a.offset, a.length, &a.kind, table(a)) == (b.offset, b.length, &b.kind, table(b))
        && a.justified == b.justified
        && a.redefines == b.redefines
}

fn named(field: &Field) -> String {
    field.name.clone().unwrap_or_else(|| "FILLER".into())
}

/// Enough of a field to distinguish its versions.
fn described(field: &Field) -> String {
    let mut text = match &field.picture {
        Some(picture) => format!("PIC {picture}"),
        None if field.kind == FieldKind::Group => "a group".into(),
        None => "an item without PICTURE".into(),
    };
    let unit = if field.length == 1 { "byte" } else { "bytes" };
    text += &format!(", {} {unit} at {}", field.length, field.offset);
    if let Some(occurs) = &field.occurs {
        text += &if occurs.min == occurs.max {
            format!(", {} times", occurs.max)
        } else {
            format!(", {} to {} times", occurs.min, occurs.max)
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str) -> RecordLayout {
        copybook::parse(text, &ParseOptions::default())
            .unwrap()
            .remove(0)
    }

    #[test]
    fn remarks_and_spelling_are_no_difference_and_pictures_are() {
        let before =
            layout("       01  R.\n           05  A PIC S9(7)V99.\n           05  B PIC X.\n");
        let after = layout(
            "      * moved\n       01 R.\n\n        05 A PIC S9(7)V9(2).\n        05 B PIC X(1).\n",
        );
        assert!(difference(&before, &after).is_none());
        let after =
            layout("       01  R.\n           05  A PIC S9(6)V999.\n           05  B PIC X.\n");
        let reported = difference(&before, &after).unwrap();
        assert_eq!(
            reported.what,
            "A was PIC S9(7)V99, 9 bytes at 0 and is now PIC S9(6)V999, 9 bytes at 0"
        );
        assert_eq!(reported.line, 2);
        let group = |picture: &str| {
            let inner = format!("           05  G.\n               10  A PIC {picture}.\n");
            layout(&format!("       01  R.\n{inner}"))
        };
        let reported = difference(&group("X(8)"), &group("X(12)")).unwrap();
        assert_eq!(
            (reported.what.as_str(), reported.line),
            (
                "A was PIC X(8), 8 bytes at 0 and is now PIC X(12), 12 bytes at 0",
                3
            ),
            "the field in the group is named, not the group"
        );
        let after = layout(
            "       01  R.\n           05  A PIC S9(7)V99.\n           05  B PIC X.\n           05  C PIC X.\n",
        );
        assert_eq!(difference(&before, &after).unwrap().what, "C is new");
        assert_eq!(new_names(&before, &after), ["C"]);
        assert_eq!(
            difference(&after, &before).unwrap().what,
            "C no longer exists"
        );
    }
}

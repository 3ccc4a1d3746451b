//! Takes changes of copybooks over into a project that was imported.
//!
//! The project is generated twice, from the copies that it has and from the
//! current copybooks. A file that equals the first result is replaced by the
//! second; an edited one is kept and reported.

use super::{
    FieldOverrides, ImportBook, ImportNames, ImportRequest, ImportedProject, NameStyle, Redefines,
    import,
};
use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use crate::project::asset;
use crate::project::origin::{CopybookSources, difference, new_names};
use crate::project::read_yaml;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The changes of an update to a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectUpdate {
    /// Files to write, with their texts.
    pub write: Vec<(PathBuf, String)>,
    /// Files to remove.
    pub remove: Vec<PathBuf>,
    /// Files that would be different now and were changed by hand.
    pub kept: Vec<PathBuf>,
    /// The differences in each copybook.
    pub changes: Vec<String>,
}

/// Works out what has to be written so that the project's copybooks are those
/// of the application again.
///
/// # Errors
/// The faults of the copybooks, and of a project that does not say where its
/// copybooks came from.
pub fn update(
    project: &Path,
    application: &Path,
    copies: &[PathBuf],
) -> Result<ProjectUpdate, ProjectDiagnostics> {
    let mut out = ProjectDiagnostics::default();
    let mut done = ProjectUpdate::default();
    let assets = project.join("src/main/zosAssets");
    let entries = std::fs::read_dir(&assets).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|e| e.path()).filter(|p| p.is_dir()).collect();
    folders.sort();
    let mut any = false;
    for folder in folders {
        let Some(sources) = CopybookSources::load(&folder, &mut out) else {
            continue;
        };
        any = true;
        one(
            project,
            application,
            copies,
            &folder,
            &sources,
            &mut done,
            &mut out,
        );
    }
    if !any && !out.has_errors() {
        let help = "import it again with --force, or write a sources.yaml next to zosAsset.yaml";
        let message = "no asset names the source of its copybooks (sources.yaml)";
        out.error_help(&assets, FilePosition::default(), message, help);
    }
    if out.has_errors() { Err(out) } else { Ok(done) }
}

fn one(
    project: &Path,
    application: &Path,
    copies: &[PathBuf],
    folder: &Path,
    sources: &CopybookSources,
    done: &mut ProjectUpdate,
    out: &mut ProjectDiagnostics,
) {
    let Some(asset) = read_yaml(&folder.join("zosAsset.yaml"), out) else {
        return;
    };
    let property = |name: &str| {
        let properties = asset.get("providerProperties")?;
        Some(properties.get(name)?.text()?.to_owned())
    };
    let option = |name: &str| {
        let mut all = sources.options.iter();
        all.find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    };
    let channel = asset
        .get("type")
        .and_then(|t| t.text())
        .is_some_and(|t| t.starts_with("cicsChannel"));
    let generated = folder.join("providerFiles/gen");
    let mut before = ImportRequest {
        name: project
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        program: property("program").unwrap_or_default(),
        transid: property("transid"),
        channel,
        names: ImportNames {
            style: NameStyle::by_word(option("names").unwrap_or_default()),
            prefix: option("prefix").map(str::to_owned),
        },
        redefines: Redefines::by_word(option("redefines").unwrap_or_default()),
        overrides: FieldOverrides::by_words(
            ["booleans", "dates", "trimTables", "enums", "outputs"]
                .map(|key| option(key).unwrap_or_default()),
        ),
        copies: copies.to_vec(),
        decimal_comma: None,
        program_text: None,
        request: Vec::new(),
        response: Vec::new(),
    };
    let mut after = before.clone();
    for (copy, source, at) in &sources.copybooks {
        let stem = copy
            .rsplit_once('.')
            .map_or(copy.as_str(), |(stem, _)| stem);
        let Some((name, direction, _)) = asset::split_name(stem) else {
            out.error(
                &sources.file,
                *at,
                format!("{copy} is not the name of a copybook of an asset"),
            );
            continue;
        };
        let mut read = |path: &Path| match std::fs::read(path) {
            Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Err(e) => {
                out.error(
                    &sources.file,
                    *at,
                    format!("{} cannot be read: {e}", path.display()),
                );
                None
            }
        };
        let (Some(old), Some(new)) = (read(&generated.join(copy)), read(&application.join(source)))
        else {
            continue;
        };
        let book = |file: PathBuf, text: String| ImportBook {
            file,
            container: channel.then(|| name.to_owned()),
            text,
            source: Some(source.clone()),
        };
        let (old, new) = (
            book(generated.join(copy), old),
            book(application.join(source), new),
        );
        match direction {
            "request" => {
                before.request.push(old);
                after.request.push(new);
            }
            _ => {
                before.response.push(old);
                after.response.push(new);
            }
        }
    }
    if out.has_errors() {
        return;
    }
    // The program sorts the fields of a COMMAREA; it is the same both times.
    let program = program_text(application, &after.program);
    // The program's DECIMAL-POINT clause may have changed; the copies have the
    // former one, and without the program it counts for both.
    let mut all = before.request.iter().chain(&before.response);
    let said = all.any(|book| copybook::has_decimal_comma(&book.text));
    before.decimal_comma = Some(said);
    after.decimal_comma = program.is_none().then_some(said);
    before.program_text.clone_from(&program);
    after.program_text = program;
    let (was, is) = match (import(&before), import(&after)) {
        (Ok(was), Ok(is)) => (was, is),
        (was, is) => {
            out.0.extend(is.err().or(was.err()).unwrap_or_default().0);
            return;
        }
    };
    compare(project, &was, &is, done);
}

fn compare(project: &Path, was: &ImportedProject, is: &ImportedProject, done: &mut ProjectUpdate) {
    for (old, new) in was.layouts.iter().zip(&is.layouts) {
        if let Some(difference) = difference(old, new) {
            let mut text = format!("{}: {}", new.name(), difference.what);
            // The first difference hides others; an author of edited mappings
            // needs to know which fields are missing, and which are removed.
            for (kind, mut names) in [("new", new_names(old, new)), ("gone", new_names(new, old))] {
                names.retain(|name| !difference.what.split(' ').any(|word| word == *name));
                if !names.is_empty() {
                    text += &format!("; {kind}: {}", names.join(", "));
                }
            }
            if !done.changes.contains(&text) {
                done.changes.push(text);
            }
        }
    }
    let known: BTreeSet<&PathBuf> = is.files.iter().map(|f| &f.path).collect();
    for file in &is.files {
        let path = project.join(&file.path);
        let there = std::fs::read_to_string(&path).ok();
        if there.as_deref() == Some(file.text.as_str()) {
            continue;
        }
        let before = was.files.iter().find(|f| f.path == file.path);
        let untouched = there.as_deref() == before.map(|f| f.text.as_str());
        let changes = before.is_none_or(|before| before.text != file.text);
        // A project may have been made by hand, and then it has the copies only.
        match (is.generated.contains(&file.path), untouched) {
            (true, _) if there.is_some() || file.path.extension().is_some_and(|e| e == "cpy") => {
                done.write.push((file.path.clone(), file.text.clone()));
            }
            (true, _) => {}
            (false, true) if there.is_some() => {
                done.write.push((file.path.clone(), file.text.clone()))
            }
            _ if changes && there.is_some() => done.kept.push(file.path.clone()),
            _ => {}
        }
    }
    let gone = was.generated.iter().filter(|path| !known.contains(path));
    done.remove
        .extend(gone.filter(|path| project.join(path).is_file()).cloned());
}

/// The text of a program below the application's folder, by its file's name.
pub fn program_text(application: &Path, program: &str) -> Option<String> {
    program_source(application, program).map(|(_, text)| text)
}

/// As above with its file: the one that has the program's name, else the one
/// with its PROGRAM-ID.
pub fn program_source(application: &Path, program: &str) -> Option<(PathBuf, String)> {
    let mut folders = vec![application.join("cobol")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path)
            } else {
                files.push(path)
            }
        }
    }
    files.sort();
    let read = |path: &PathBuf| {
        let bytes = std::fs::read(path).ok()?;
        Some((path.clone(), String::from_utf8_lossy(&bytes).into_owned()))
    };
    let namesake = files.iter().find(|path| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        stem.eq_ignore_ascii_case(program)
    });
    if let Some(path) = namesake {
        return read(path);
    }
    files.iter().filter_map(read).find(|(_, text)| {
        let words = copybook::words(text);
        let mut heads = words.windows(3).filter(|w| w[0] == "PROGRAM-ID");
        heads.next().is_some_and(|w| {
            let name = if w[1] == "." { &w[2] } else { &w[1] };
            name.trim_matches(['\'', '"']).eq_ignore_ascii_case(program)
        })
    })
}

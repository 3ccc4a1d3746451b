//! The programs of an application folder, compiled.

use std::path::{Path, PathBuf};

use base::suggestion;
use miette::{IntoDiagnostic, Result};
use translator::{BuildResult, CompilerOptions, DiagnosticKind, ModuleCompiler, ProgramSource};

use super::Application;
use super::definitions::Program;
use super::finding::{Finding, Severity};

/// The result of compiling all programs.
#[derive(Debug, Default)]
pub struct CompiledPrograms {
    /// Programs that can run.
    pub programs: Vec<Program>,
    /// One result for each source file.
    pub built: Vec<BuildResult>,
    /// Folders of programs that could not be read, and the reasons.
    pub unread: Vec<(PathBuf, String)>,
    /// Diagnostics of the map sources.
    pub maps: Vec<Finding>,
}

/// A folder of programs that does not exist any more, or cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub struct KeptFolder {
    /// The folder.
    pub path: PathBuf,
    /// Why the folder is not read.
    pub why: String,
    /// The number of programs of it that stay in force.
    pub programs: usize,
}

impl CompiledPrograms {
    /// The number of sources that did not compile.
    pub fn failed(&self) -> usize {
        self.built.iter().filter(|b| b.module.is_none()).count()
    }

    /// The programs that did not compile: their PROGRAM-IDs, or the name of the source
    /// if none was found.
    pub fn uncompiled(&self) -> Vec<String> {
        let names = |one: &BuildResult| -> Vec<String> {
            let stem = one.source.file_stem().and_then(|stem| stem.to_str());
            match one.programs.as_slice() {
                [] => stem.into_iter().map(str::to_ascii_uppercase).collect(),
                named => named.iter().map(|n| n.to_ascii_uppercase()).collect(),
            }
        };
        let failed = self.built.iter().filter(|one| one.module.is_none());
        failed.flat_map(names).collect()
    }

    /// Keeps the earlier results of folders that cannot be read now.
    pub fn keep_folders(&mut self, before: &CompiledPrograms) -> Vec<KeptFolder> {
        let mut kept = Vec::new();
        for (path, why) in &self.unread {
            let own = |one: &&BuildResult| one.source.starts_with(path);
            let old: Vec<&BuildResult> = before.built.iter().filter(own).collect();
            if old.is_empty() {
                continue;
            }
            kept.push(KeptFolder {
                path: path.clone(),
                why: why.clone(),
                programs: old.iter().filter(|one| one.module.is_some()).count(),
            });
            self.built.extend(old.into_iter().cloned());
        }
        if !kept.is_empty() {
            self.programs = all_programs(&self.built);
        }
        kept
    }

    /// Warnings about programs that several sources define: the first one runs.
    pub fn namesakes(&self) -> Vec<Finding> {
        let named =
            |built: &'_ BuildResult| built.programs.first().map(|name| name.to_ascii_uppercase());
        let mut findings = Vec::new();
        for (at, later) in self.built.iter().enumerate() {
            let name = named(later);
            let earlier = self.built[..at]
                .iter()
                .find(|one| name.is_some() && named(one) == name);
            let (Some(name), Some(earlier)) = (name, earlier) else {
                continue;
            };
            findings.push(
                Finding::new(
                    Severity::Warning,
                    (0, 0),
                    format!(
                        "PROGRAM-ID {name} is also that of {}; the program of that file runs",
                        earlier
                            .source
                            .file_name()
                            .unwrap_or_default()
                            .to_string_lossy()
                    ),
                )
                .in_file(&later.source)
                .with_help("give one of them another PROGRAM-ID, or move it out of the folder"),
            );
        }
        findings
    }

    /// Keeps the earlier results of sources that do not compile now. Returns the names
    /// of these programs.
    pub fn keep(&mut self, before: &CompiledPrograms) -> Vec<String> {
        let mut kept = Vec::new();
        for one in self.built.iter_mut().filter(|b| b.module.is_none()) {
            let old = before.built.iter().find(|b| b.source == one.source);
            let programs = old.map(runnable).unwrap_or_default();
            let Some(first) = programs.first() else {
                continue;
            };
            one.module = Some(first.module.clone());
            one.programs = old.map(|o| o.programs.clone()).unwrap_or_default();
            one.entries = old.map(|o| o.entries.clone()).unwrap_or_default();
            one.uses_cics = first.translated;
            kept.push(first.name.clone());
            self.programs.extend(programs);
        }
        kept
    }
}

/// The programs of a source: the one the source is named by, those that follow it
/// in the same file, and their ENTRY names, which only CALL reaches.
fn runnable(built: &BuildResult) -> Vec<Program> {
    let Some(module) = &built.module else {
        return Vec::new();
    };
    let program = |name: &String, translated: bool| Program {
        name: name.to_ascii_uppercase(),
        module: module.clone(),
        translated,
    };
    let programs = built
        .programs
        .iter()
        .map(|name| program(name, built.uses_cics));
    let entries = built.entries.iter().map(|name| program(name, false));
    programs.chain(entries).collect()
}

/// All programs. Of two with one name the one whose source has that name is taken,
/// else the first.
fn all_programs(built: &[BuildResult]) -> Vec<Program> {
    let each: Vec<Vec<Program>> = built.iter().map(runnable).collect();
    let mut all: Vec<Program> = each.iter().filter_map(|p| p.first()).cloned().collect();
    for later in each.into_iter().flat_map(|p| p.into_iter().skip(1)) {
        if later.name.len() <= 8 && all.iter().all(|p| p.name != later.name) {
            all.push(later);
        }
    }
    all
}

impl Application {
    /// Compiler options in addition to the translator's own.
    pub fn compiler_flags(&self) -> Vec<String> {
        let sign = self.config.region.zoned_sign.flag();
        sign.into_iter()
            .chain(self.config.compile.options.iter().cloned())
            .collect()
    }

    /// Compiles the sources that changed, and calls `done` with each result.
    pub fn compile(&self, done: impl Fn(&BuildResult) + Sync) -> Result<CompiledPrograms> {
        let settings = &self.config.compile;
        // Programs COPY the symbolic maps; members of the application take precedence.
        let maps = self.build_maps()?;
        let (sources, unread) = self.sources();
        if sources.is_empty() {
            return Ok(CompiledPrograms {
                unread,
                maps: maps.findings,
                ..CompiledPrograms::default()
            });
        }
        let compiler = ModuleCompiler::new(CompilerOptions {
            cobc: settings.cobc.clone(),
            copy_dirs: self.copy_folders().into_iter().chain(maps.folder).collect(),
            flags: self.compiler_flags(),
            ..CompilerOptions::new(self.state.join("modules"))
        })
        .into_diagnostic()?;
        let mut built = compiler.build_all(&sources, done);
        for finding in built.iter_mut().flat_map(|one| &mut one.diagnostics) {
            if let DiagnosticKind::MissingMember(name) = &finding.kind
                && let Some(help) = self.where_it_may_be(name)
            {
                finding.help = Some(help);
            }
        }
        let programs = all_programs(&built);
        Ok(CompiledPrograms {
            programs,
            built,
            unread,
            maps: maps.findings,
        })
    }

    /// A hint for a COPY member that was not found: another folder that has the member,
    /// or a similar name.
    fn where_it_may_be(&self, name: &str) -> Option<String> {
        let stem = |path: &Path| Some(path.file_stem()?.to_str()?.to_owned());
        let folders = self.copy_folders();
        let entries = folders
            .iter()
            .flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
        let members: Vec<String> = entries.filter_map(|entry| stem(&entry.path())).collect();
        let upper: Vec<String> = members
            .iter()
            .map(|name| name.to_ascii_uppercase())
            .collect();
        let near = suggestion(&name.to_ascii_uppercase(), upper.iter().map(String::as_str));
        if near.is_some() {
            return near;
        }
        let mut there = Vec::new();
        files_below(&self.folder, 3, &mut there);
        let found = there.iter().find(|path| {
            let named = stem(path).is_some_and(|stem| stem.eq_ignore_ascii_case(name));
            named
                && path
                    .extension()
                    .is_none_or(|e| !NO_COBOL.iter().any(|other| e.eq_ignore_ascii_case(other)))
        })?;
        let folder = found.parent()?.strip_prefix(&self.folder).ok()?;
        let shown = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        Some(format!(
            "{} is in {}: move it into copybooks/, or add that folder to [compile] copybooks of tupelo.toml",
            found.file_name()?.to_string_lossy(),
            shown.display()
        ))
    }

    /// A folder with COBOL programs that is not among `[compile] programs`.
    pub fn programs_elsewhere(&self) -> Option<PathBuf> {
        let mut there = Vec::new();
        files_below(&self.folder, 3, &mut there);
        let is_program = |path: &&PathBuf| {
            let ending = path
                .extension()
                .and_then(|e| e.to_str())
                .unwrap_or_default();
            EXTENSIONS.contains(&ending.to_ascii_lowercase().as_str())
        };
        let folder = there.iter().find(is_program)?.parent()?;
        let folder = folder.strip_prefix(&self.folder).ok()?;
        Some(if folder.as_os_str().is_empty() {
            ".".into()
        } else {
            folder.to_owned()
        })
    }

    /// Whether a program source has this name.
    pub fn has_source(&self, name: &str) -> bool {
        let stem = |source: &ProgramSource| {
            let stem = source.path.file_stem()?.to_str()?;
            Some(stem.eq_ignore_ascii_case(name))
        };
        let (sources, _) = self.sources();
        sources.iter().any(|source| stem(source) == Some(true))
    }

    /// The program sources in the order of their paths, and the folders that could
    /// not be read.
    fn sources(&self) -> (Vec<ProgramSource>, Vec<(PathBuf, String)>) {
        let settings = &self.config.compile;
        let (mut paths, mut unread) = (Vec::new(), Vec::new());
        for folder in &settings.programs {
            find(&self.folder.join(folder), &mut paths, &mut unread);
        }
        paths.sort();
        let checked = |path: &Path| {
            let stem = path
                .file_stem()
                .and_then(|s| s.to_str())
                .unwrap_or_default();
            let named = |name: &String| name.eq_ignore_ascii_case(stem);
            settings.checks && !settings.unchecked.iter().any(named)
        };
        let source = |path: PathBuf| ProgramSource {
            checks: checked(&path),
            path,
        };
        (paths.into_iter().map(source).collect(), unread)
    }
}

/// Adds the COBOL programs below a folder. A missing folder has none.
fn find(folder: &Path, found: &mut Vec<PathBuf>, unread: &mut Vec<(PathBuf, String)>) {
    let entries: Result<Vec<_>, _> = std::fs::read_dir(folder).and_then(Iterator::collect);
    let entries = match entries {
        Ok(entries) => entries,
        Err(error) => return unread.push((folder.to_owned(), error.to_string())),
    };
    for entry in entries {
        let path = entry.path();
        let extension = path
            .extension()
            .and_then(|e| e.to_str())
            .unwrap_or_default();
        if path.is_dir() {
            find(&path, found, unread)
        } else if EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str()) {
            found.push(path)
        }
    }
}

/// Adds the files below a folder, down to `depth` folders. Names that begin with a
/// dot are skipped: they belong to tools.
fn files_below(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = match std::fs::read_dir(folder) {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
        Err(_) => return,
    };
    entries.sort();
    for path in entries {
        let hidden = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        match path.is_dir() {
            _ if hidden || found.len() >= MOST_FILES => {}
            true if depth > 1 => files_below(&path, depth - 1, found),
            true => {}
            false => found.push(path),
        }
    }
}

/// With more files the folder is not an application but, say, a home directory.
const MOST_FILES: usize = 5000;

/// Endings of files that are never COPY members.
const NO_COBOL: [&str; 8] = ["so", "i", "log", "json", "yaml", "md", "csd", "bms"];

/// Endings of COBOL sources.
const EXTENSIONS: [&str; 4] = ["cbl", "cob", "cobol", "ccp"];

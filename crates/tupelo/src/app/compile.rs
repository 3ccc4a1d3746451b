//! The programs of an application folder, compiled.

use std::path::{Path, PathBuf};

use miette::{IntoDiagnostic, Result};
use translator::{Built, Compiler, CompilerOptions, Source};

use super::Application;
use super::definitions::Program;

/// What became of all programs.
#[derive(Debug, Default)]
pub struct Compiled {
    /// Those that can run.
    pub programs: Vec<Program>,
    /// One for each source file.
    pub built: Vec<Built>,
    /// Folders of programs that could not be read, and why not.
    pub unread: Vec<(PathBuf, String)>,
}

/// A folder of programs that is not there any more, or cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub struct KeptFolder {
    /// The folder.
    pub path: PathBuf,
    /// Why it is not read.
    pub why: String,
    /// Programs that stay as they were.
    pub programs: usize,
}

impl Compiled {
    /// How many sources became no program.
    pub fn failed(&self) -> usize {
        self.built.iter().filter(|b| b.module.is_none()).count()
    }

    /// Keeps what was built before in folders that cannot be read now.
    pub fn keep_folders(&mut self, before: &Compiled) -> Vec<KeptFolder> {
        let mut kept = Vec::new();
        for (path, why) in &self.unread {
            let own = |one: &&Built| one.source.starts_with(path);
            let old: Vec<&Built> = before.built.iter().filter(own).collect();
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

    /// Keeps what was built before of sources that do not compile now. Gives
    /// the names of these programs.
    pub fn keep(&mut self, before: &Compiled) -> Vec<String> {
        let mut kept = Vec::new();
        for one in self.built.iter_mut().filter(|b| b.module.is_none()) {
            let old = before.built.iter().find(|b| b.source == one.source);
            let programs = old.map(runnable).unwrap_or_default();
            let Some(first) = programs.first() else {
                continue;
            };
            one.module = Some(first.module.clone());
            one.programs = programs.iter().map(|p| p.name.clone()).collect();
            one.uses_cics = first.translated;
            kept.push(first.name.clone());
            self.programs.extend(programs);
        }
        kept
    }
}

/// The programs that a source became: the one it is named by, and those that
/// follow it in the same file.
fn runnable(built: &Built) -> Vec<Program> {
    let Some(module) = &built.module else {
        return Vec::new();
    };
    let program = |name: &String| Program {
        name: name.to_ascii_uppercase(),
        module: module.clone(),
        translated: built.uses_cics,
    };
    built.programs.iter().map(program).collect()
}

/// All programs. Of two of one name the one that its source is named by
/// counts, else the first.
fn all_programs(built: &[Built]) -> Vec<Program> {
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
    /// Compiles what changed; `done` is told of each program.
    pub fn compile(&self, done: impl Fn(&Built) + Sync) -> Result<Compiled> {
        let settings = &self.config.compile;
        let (sources, unread) = self.sources();
        if sources.is_empty() {
            return Ok(Compiled {
                unread,
                ..Compiled::default()
            });
        }
        let compiler = Compiler::new(CompilerOptions {
            cobc: settings.cobc.clone(),
            copy_dirs: self.copy_folders(),
            flags: settings.options.clone(),
            ..CompilerOptions::new(self.state.join("modules"))
        })
        .into_diagnostic()?;
        let built = compiler.build_all(&sources, done);
        let programs = all_programs(&built);
        Ok(Compiled {
            programs,
            built,
            unread,
        })
    }

    /// Whether a program source has this name.
    pub fn has_source(&self, name: &str) -> bool {
        let stem = |source: &Source| {
            let stem = source.path.file_stem()?.to_str()?;
            Some(stem.eq_ignore_ascii_case(name))
        };
        let (sources, _) = self.sources();
        sources.iter().any(|source| stem(source) == Some(true))
    }

    /// The program sources in the order of their paths, and folders that could
    /// not be read.
    fn sources(&self) -> (Vec<Source>, Vec<(PathBuf, String)>) {
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
        let source = |path: PathBuf| Source {
            checks: checked(&path),
            path,
        };
        (paths.into_iter().map(source).collect(), unread)
    }
}

/// COBOL programs below a folder; one that is missing holds none.
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
        match path.is_dir() {
            true => find(&path, found, unread),
            false if EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str()) => {
                found.push(path)
            }
            false => {}
        }
    }
}

/// What a program's file name ends with.
const EXTENSIONS: [&str; 4] = ["cbl", "cob", "cobol", "ccp"];

//! The compiled batch programs of an application, each under its own name.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use miette::{IntoDiagnostic, Result, miette};
use translator::{BuildResult, CompilerOptions, ModuleCompiler, ProgramSource};

use crate::app::Application;
use crate::app::finding::{Findings, Severity};

/// Folder of batch programs in an application.
pub const FOLDER: &str = "batch";

/// Endings of COBOL sources.
const ENDINGS: [&str; 4] = ["cbl", "cob", "cobol", "ccp"];

/// Programs that can run.
pub struct RunnablePrograms {
    /// Folder that contains each program as NAME.so.
    pub folder: PathBuf,
    entry: String,
}

impl RunnablePrograms {
    /// Compiles the program with that name or path and all programs of the application's
    /// batch folder, or only the `wanted` ones and the sources in the same folders. Returns
    /// `None` and prints the errors if a required program has errors.
    pub fn build(app: &Application, program: Option<&str>, wanted: &[String]) -> Result<Option<RunnablePrograms>> {
        let mut sources = in_folder(&app.folder.join(FOLDER));
        let mut needed: Vec<String> = wanted.to_vec();
        if let Some(program) = program {
            let path = Path::new(program);
            let is_path = program.contains('/') || path.extension().is_some();
            if is_path && !path.is_file() {
                return Err(miette!("there is no program {}", path.display()));
            }
            let name = name_of(path);
            if is_path {
                sources.retain(|source| name_of(source) != name);
                sources.push(path.to_owned());
            }
            needed.push(name);
        }
        for name in &needed {
            if !sources.iter().any(|source| name_of(source) == *name) {
                let there: Vec<String> = sources.iter().map(|s| name_of(s)).collect();
                return Err(miette!(
                    help = "give the name of a program in FOLDER/batch, or a path",
                    "there is no program {name} in {}; expected {}",
                    app.folder.join(FOLDER).display(),
                    if there.is_empty() { "none".to_owned() } else { there.join(", ") }
                ));
            }
        }
        let modules = modules(app);
        let built = Self::compile(app, sources)?;
        let mut findings = Findings::new(&app.folder);
        let (asked, others): (Vec<_>, Vec<_>) =
            built.iter().partition(|b| needed.contains(&name_of(&b.source)));
        findings.extend(asked.iter().flat_map(|b| &b.diagnostics));
        let color = std::io::stderr().is_terminal();
        eprint!("{}", findings.text(Severity::Warning, color));
        // One of these programs may be called, but most are not.
        for name in others.iter().filter(|b| b.module.is_none()).map(|b| name_of(&b.source)) {
            eprintln!("{name} does not compile and cannot be called: `tupelo batch {name} --check` prints the errors");
        }
        // Jobs with other compiler flags may run at the same time.
        let folder = match app.config.region.zoned_sign.flag() {
            Some(_) => modules.join("names-ebcdic"),
            None => modules.join("names"),
        };
        std::fs::create_dir_all(&folder).into_diagnostic()?;
        for one in &built {
            let Some(module) = &one.module else {
                continue;
            };
            for name in one.programs.iter().chain(&one.entries) {
                let name = name.to_ascii_uppercase();
                link(module, &folder.join(format!("{name}.so")))?;
            }
        }
        let failed = built.iter().find(|b| b.module.is_none() && needed.contains(&name_of(&b.source)));
        if failed.is_some() {
            return Ok(None);
        }
        let last = needed.last().cloned().unwrap_or_default();
        let first = |name: &String| {
            let of = built.iter().find(|b| name_of(&b.source) == *name);
            of.and_then(|b| b.programs.first()).map(|p| p.to_ascii_uppercase())
        };
        Ok(Some(RunnablePrograms {
            folder,
            entry: first(&last).unwrap_or(last),
        }))
    }

    /// Compiles sources of batch programs.
    pub fn compile(app: &Application, sources: Vec<PathBuf>) -> Result<Vec<BuildResult>> {
        let compiler = ModuleCompiler::new(CompilerOptions {
            cobc: app.config.compile.cobc.clone(),
            copy_dirs: app.copy_folders(),
            flags: app.compiler_flags(),
            batch: true,
            ..CompilerOptions::new(modules(app))
        })
        .into_diagnostic()?;
        let sources: Vec<ProgramSource> = sources.into_iter().map(ProgramSource::new).collect();
        Ok(compiler.build_all(&sources, |_| ()))
    }

    /// The program that was requested.
    pub fn entry(&self) -> &str {
        &self.entry
    }
}

/// The folder of the modules of batch programs.
fn modules(app: &Application) -> PathBuf {
    app.state.join("modules").join(FOLDER)
}

/// The COBOL sources of a folder, sorted by name.
pub fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|p| is_source(p)).collect();
    found.sort();
    found
}

fn is_source(path: &Path) -> bool {
    let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
}

/// The program name of a source.
pub fn name_of(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().to_ascii_uppercase()
}

/// Makes a name refer to a module, atomically.
fn link(module: &Path, name: &Path) -> Result<()> {
    let module = module.canonicalize().into_diagnostic()?;
    let made = name.with_extension(format!("{}.tmp", std::process::id()));
    let _ = std::fs::remove_file(&made);
    std::os::unix::fs::symlink(module, &made).into_diagnostic()?;
    std::fs::rename(&made, name).into_diagnostic()
}

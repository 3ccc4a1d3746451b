//! From sources to modules: translates, runs `cobc`, keeps modules that are current.
//!
//! A module's file name holds a digest of everything that made it (the
//! translated text with all its COPY members, the flags, the versions of
//! compiler and translator). So a build only looks for a file when
//! nothing changed, a running worker never sees its module change under it,
//! and a reload loads a new file. Files appear by renaming: no half module is
//! ever seen.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, io, thread};

use copybook::ReferenceFormat;

use crate::checked;
use crate::copy::CopyLibrary;
use crate::diagnostic::{Diagnostic, DiagnosticKind, Severity};
use crate::digest::SourceDigest;
use crate::messages;
use crate::reach::{self, CalledLiteral};
use crate::sql::SqlUse;
use crate::translate::{TranslatedSource, translate_for};
use crate::words;

/// Counts changes of the generated code that its text alone does not show.
const GENERATION: u32 = 12;

/// Flags of every module: the dialect, the guard of the PERFORM stack, and
/// usages that z/OS has by other names.
const FLAGS: &[&str] = &[
    "-m",
    "-std=ibm",
    // With it, cobc 3.1 loses the right operand of an operator that is an expression
    // itself and has fewer decimals than the result: A - B * C is A.
    "-fno-arithmetic-osvs",
    // Reports comparisons that cobc 3.1 makes wrong (`messages`).
    "-Wconstant-expression",
    "-fstack-check",
    // A length of zero in a reference modification means no characters, as with IBM's
    // ZLEN: SQLERRMC(1:SQLERRML) is written by programs without a test.
    "-fref-mod-zero-length",
    "-freserved=FUNCTION-POINTER:PROGRAM-POINTER",
    // With LP(32) it is a POINTER.
    "-freserved=POINTER-32:POINTER",
];

/// The flags that every module is compiled with.
pub fn flags() -> impl Iterator<Item = &'static str> {
    FLAGS.iter().chain(words::FREE).copied()
}

/// Items after a table of varying length move with its counter, as IBM's
/// compiler has it. Only where a record needs it: with this flag GnuCOBOL 3.1
/// counts redefined storage twice in all uses of such a record (`lengths`).
const SLIDE: &str = "-fodoslide";

/// Options that `-std=ibm` sets from 3.2 on and that are not wanted here. One checks
/// divisions and levels in Area A, by marks that the compiler's own text pass
/// leaves; the text compiled here has been through that pass and has none. The
/// other fills items without VALUE with binary zeros, where all versions before
/// fill them after their PICTURE: programs shall not depend on the version.
const FROM_3_2: &[&str] = &["-fno-areacheck", "-fdefaultbyte=init"];

/// The handler that the file statements of batch programs call.
pub const FILE_HANDLER: &str = "tupelo_file_handler";

/// Subscript, reference modification and data checks.
const CHECKS: &str = "-debug";

/// How to build.
#[derive(Debug, Clone)]
pub struct CompilerOptions {
    /// The compiler; a bare name is looked for on the PATH.
    pub cobc: PathBuf,
    /// Folder of the modules; made if it is not there.
    pub out_dir: PathBuf,
    /// Folders of COPY members; the first that has a member wins.
    pub copy_dirs: Vec<PathBuf>,
    /// Reference format of the programs.
    pub format: ReferenceFormat,
    /// Flags for the compiler in addition to its own.
    pub flags: Vec<String>,
    /// Compilations at a time; 0 for one a processor.
    pub jobs: usize,
    /// Whether these are batch programs: their file statements call
    /// [`FILE_HANDLER`], and they have no commands.
    pub batch: bool,
}

impl CompilerOptions {
    /// `cobc` from the PATH, format seen from the text, one job a processor.
    pub fn new(out_dir: impl Into<PathBuf>) -> Self {
        CompilerOptions {
            cobc: "cobc".into(),
            out_dir: out_dir.into(),
            copy_dirs: Vec::new(),
            format: ReferenceFormat::Auto,
            flags: Vec::new(),
            jobs: 0,
            batch: false,
        }
    }
}

/// One program to build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramSource {
    /// Its file.
    pub path: PathBuf,
    /// Whether subscripts, reference modification and data are checked.
    pub checks: bool,
}

impl ProgramSource {
    /// A program with all checks.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        ProgramSource {
            path: path.into(),
            checks: true,
        }
    }
}

/// The result of building one program.
#[derive(Debug, Clone)]
pub struct BuildResult {
    /// Its file.
    pub source: PathBuf,
    /// PROGRAM-ID of each outermost program; the first is the module's entry.
    pub programs: Vec<String>,
    /// Names of their ENTRY statements, which CALL finds too.
    pub entries: Vec<String>,
    /// The module, unless there are errors.
    pub module: Option<PathBuf>,
    /// Whether it uses EXEC CICS, the EIB or a COMMAREA.
    pub uses_cics: bool,
    /// Files whose change makes a new build necessary.
    pub inputs: Vec<PathBuf>,
    /// Its statements of EXEC SQL, in the order of the text.
    pub sql: Vec<SqlUse>,
    /// Whether the compiler did not have to run.
    pub cached: bool,
    /// Everything that is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
}

impl BuildResult {
    /// Takes a module that reaches nothing it may not. Returns where it does.
    fn accept(&mut self, module: PathBuf, calls: &[CalledLiteral], batch: bool) {
        let foreign = match reach::foreign(&module, batch) {
            Ok(foreign) if foreign.is_empty() => {
                self.module = Some(module);
                return;
            }
            Ok(foreign) => foreign,
            Err(error) => {
                let message = format!("the module {} cannot be read: {error}", module.display());
                self.diagnostics.push(about(&self.source, message));
                return;
            }
        };
        let mut traced = Vec::new();
        for symbol in foreign {
            let before = traced.len();
            traced.extend(calls.iter().filter(|c| reach::refers(&c.name, &symbol)));
            if traced.len() == before {
                let message = format!("the program uses {symbol}, which is not for programs");
                self.diagnostics.push(about(&self.source, message));
            }
        }
        // One name can have two symbols.
        traced.sort_by_key(|c| c.place);
        traced.dedup();
        for call in traced {
            let file = self.inputs.get(usize::from(call.place.file));
            let message = format!("CALL of {}, which is not for programs", call.literal);
            let help = "programs reach programs of the region, without STATIC, and the \
                        routines that the guide lists";
            let place = (call.place.line, call.place.column);
            self.diagnostics.push(Diagnostic {
                finding: base::Diagnostic::new(Severity::Error, place, message)
                    .in_file(file.unwrap_or(&self.source))
                    .with_help(help),
                kind: DiagnosticKind::Source,
            });
        }
    }
}

/// Why nothing can be built.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The compiler does not run.
    #[error("{} does not run: {error}; GnuCOBOL is needed to build programs: install the package gnucobol3 (Debian, Ubuntu) or gnucobol (Fedora, Homebrew)", cobc.display())]
    Cobc {
        /// The compiler.
        cobc: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The folder of the modules cannot be made.
    #[error("cannot make the folder {}: {error}", folder.display())]
    OutDir {
        /// The folder.
        folder: PathBuf,
        /// The system's error.
        error: io::Error,
    },
}

/// Builds modules.
#[derive(Debug)]
pub struct ModuleCompiler {
    options: CompilerOptions,
    version: String,
    library: CopyLibrary,
}

impl ModuleCompiler {
    /// Looks for the compiler, makes the folder and lists the COPY members.
    pub fn new(options: CompilerOptions) -> Result<Self, SetupError> {
        let unusable = |error| SetupError::Cobc {
            cobc: options.cobc.clone(),
            error,
        };
        let output = Command::new(&options.cobc)
            .arg("--version")
            .output()
            .map_err(unusable)?;
        // With a truncated version everything would be compiled again at the next start.
        if !output.status.success() {
            let why = format!("--version ended with {}", output.status);
            return Err(unusable(std::io::Error::other(why)));
        }
        let version = String::from_utf8_lossy(&output.stdout)
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned();
        fs::create_dir_all(&options.out_dir).map_err(|error| SetupError::OutDir {
            folder: options.out_dir.clone(),
            error,
        })?;
        let library = CopyLibrary::open(&options.copy_dirs);
        Ok(ModuleCompiler {
            options,
            version,
            library,
        })
    }

    /// First line of the compiler's version text.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Translates a program without compiling it.
    pub fn check(&self, path: &Path) -> Result<TranslatedSource, io::Error> {
        let text = sources::read(path)?;
        let Self {
            options, library, ..
        } = self;
        Ok(translate_for(
            path,
            &text,
            options.format,
            library,
            options.batch,
        ))
    }

    /// Builds programs in parallel and reports each as it is done. The
    /// results come in the order of the sources.
    pub fn build_all(
        &self,
        sources: &[ProgramSource],
        done: impl Fn(&BuildResult) + Sync,
    ) -> Vec<BuildResult> {
        let jobs = match self.options.jobs {
            0 => thread::available_parallelism().map_or(1, usize::from),
            n => n,
        };
        let next = AtomicUsize::new(0);
        let results: Mutex<Vec<(usize, BuildResult)>> =
            Mutex::new(Vec::with_capacity(sources.len()));
        thread::scope(|scope| {
            for _ in 0..jobs.min(sources.len()) {
                scope.spawn(|| {
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(source) = sources.get(at) else { break };
                        let built = self.build(source);
                        done(&built);
                        let mut results = results
                            .lock()
                            .unwrap_or_else(std::sync::PoisonError::into_inner);
                        results.push((at, built));
                    }
                });
            }
        });
        let mut results = results
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        results.sort_by_key(|(at, _)| *at);
        results.into_iter().map(|(_, built)| built).collect()
    }

    /// Builds one program.
    pub fn build(&self, source: &ProgramSource) -> BuildResult {
        let mut built = BuildResult {
            source: source.path.clone(),
            programs: Vec::new(),
            entries: Vec::new(),
            module: None,
            uses_cics: false,
            inputs: vec![source.path.clone()],
            sql: Vec::new(),
            cached: false,
            diagnostics: Vec::new(),
        };
        let translation = match self.check(&source.path) {
            Ok(translation) => translation,
            Err(error) => {
                let message = format!("cannot be read: {error}");
                built.diagnostics.push(about(&source.path, message));
                return built;
            }
        };
        let failed = translation.has_errors();
        let places = &translation.called;
        built.programs = translation.programs.clone();
        built.entries = translation.entries.clone();
        built.uses_cics = translation.uses_cics;
        built.inputs = translation.files.paths().to_vec();
        built.sql = translation.sql.clone();
        built.diagnostics = translation.diagnostics.clone();
        if failed {
            let further = self.further_errors(&translation, source.checks, &source.path);
            built.diagnostics.extend(further);
            return built;
        }
        let stem = plain_stem(&source.path);
        let name = format!("{stem}-{}", self.digest(&translation.text, source.checks));
        let module = self.options.out_dir.join(format!("{name}.so"));
        let log = self.options.out_dir.join(format!("{name}.log"));
        if module.is_file() {
            let said = fs::read_to_string(&log).unwrap_or_default();
            built.diagnostics.extend(messages::parse(&said));
            built.cached = true;
            built.accept(module, places, self.options.batch);
            return built;
        }
        match self.compile(&translation, source.checks, &name) {
            Ok((said, true)) => {
                built.diagnostics.extend(messages::parse(&said));
                built.accept(module, places, self.options.batch);
                self.remove_older(&stem, &name);
            }
            Ok((said, false)) => {
                let before = built.diagnostics.len();
                let mut found = messages::parse(&said);
                messages::suggest(&mut found, &String::from_utf8_lossy(&translation.text));
                built.diagnostics.extend(found);
                if !built.diagnostics[before..]
                    .iter()
                    .any(|d| d.severity == Severity::Error)
                {
                    let message = format!("the COBOL compiler failed: {}", said.trim());
                    built.diagnostics.push(about(&source.path, message));
                }
            }
            Err(error) => {
                let message = format!("the COBOL compiler could not be run: {error}");
                built.diagnostics.push(about(&source.path, message));
            }
        }
        built
    }

    fn digest(&self, text: &[u8], checks: bool) -> String {
        let mut digest = SourceDigest::default();
        digest.add(text);
        digest.add(self.version.as_bytes());
        digest.add(env!("CARGO_PKG_VERSION").as_bytes());
        digest.add(&GENERATION.to_be_bytes());
        for flag in flags() {
            digest.add(flag.as_bytes());
        }
        for flag in &self.options.flags {
            digest.add(flag.as_bytes());
        }
        digest.add(&[u8::from(checks), u8::from(self.options.batch)]);
        digest.finish()
    }

    /// The messages of the COBOL compiler for a program whose commands have errors, with
    /// CONTINUE instead of those: errors in commands hide no others.
    /// Empty when the text itself is incomplete, since every message of the
    /// compiler could follow from that.
    fn further_errors(
        &self,
        translation: &TranslatedSource,
        checks: bool,
        path: &Path,
    ) -> Vec<Diagnostic> {
        let own: Vec<&Diagnostic> = translation
            .diagnostics
            .iter()
            .filter(|d| d.severity == Severity::Error)
            .collect();
        let replaced = |d: &&Diagnostic| match d.kind {
            DiagnosticKind::Command => !d.message.ends_with("has no END-EXEC"),
            DiagnosticKind::Unsupported(_) => true,
            DiagnosticKind::Source
            | DiagnosticKind::MissingMember(_)
            | DiagnosticKind::Compiler => false,
        };
        if !own.iter().all(replaced) {
            return Vec::new();
        }
        let name = format!("{}.{}.check", plain_stem(path), std::process::id());
        let input = self.options.out_dir.join(format!("{name}.i"));
        let said = self
            .compiler_command(translation, checks, &format!("{name}.i"))
            .and_then(|mut command| {
                command
                    .arg("-fsyntax-only")
                    .arg(format!("{name}.i"))
                    .output()
            });
        let _ = fs::remove_file(input);
        let Ok(said) = said else { return Vec::new() };
        let mut further = messages::parse(&String::from_utf8_lossy(&said.stderr));
        messages::suggest(&mut further, &String::from_utf8_lossy(&translation.text));
        let same_line = |d: &Diagnostic| own.iter().any(|o| o.file == d.file && o.line == d.line);
        further.retain(|d| d.severity == Severity::Error && !same_line(d));
        further
    }

    /// Runs the compiler. Returns its messages, and whether the module exists. The compiler
    /// runs in the folder of the modules and passes the names that it is given
    /// to a shell: they are plain ones.
    fn compile(
        &self,
        translation: &TranslatedSource,
        checks: bool,
        name: &str,
    ) -> io::Result<(String, bool)> {
        let dir = &self.options.out_dir;
        let input = format!("{name}.i");
        let output = format!("{name}.{}.tmp.so", std::process::id());
        let made = dir.join(&output);
        let mut command = self.compiler_command(translation, checks, &input)?;
        let output = command.arg("-o").arg(&output).arg(&input).output()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if !output.status.success() || !made.is_file() {
            let _ = fs::remove_file(&made);
            return Ok((said, false));
        }
        fs::write(dir.join(format!("{name}.log")), &said)?;
        fs::rename(&made, dir.join(format!("{name}.so")))?;
        Ok((said, true))
    }

    /// The compiler with all options for a translated text, which is written to
    /// `input` in the folder of the modules.
    fn compiler_command(
        &self,
        translation: &TranslatedSource,
        checks: bool,
        input: &str,
    ) -> io::Result<Command> {
        let text = &translation.text;
        let dir = &self.options.out_dir;
        fs::write(dir.join(input), text)?;
        let mut command = Command::new(from_elsewhere(&self.options.cobc)?);
        command.current_dir(dir);
        command.args(flags()).args(&translation.freed_words);
        if checks {
            command.arg(CHECKS);
        }
        if self.options.batch {
            command.arg(format!("-fcallfh={FILE_HANDLER}"));
        }
        if moves_with_a_counter(text) {
            command.arg(SLIDE);
        }
        if is_from_3_2(&self.version) {
            command.args(FROM_3_2);
        }
        command
            .args(checked::arguments(dir)?)
            .args(&self.options.flags);
        Ok(command)
    }

    /// Removes the texts and logs of earlier builds of a program, and its
    /// modules but the newest two: a worker may still be about to load one.
    fn remove_older(&self, stem: &str, name: &str) {
        let Ok(entries) = fs::read_dir(&self.options.out_dir) else {
            return;
        };
        let mut modules = Vec::new();
        for path in entries.flatten().map(|e| e.path()) {
            let file = path
                .file_stem()
                .map_or(String::new(), |s| s.to_string_lossy().into_owned());
            let ours = file
                .strip_prefix(stem)
                .and_then(|rest| rest.strip_prefix('-'))
                .is_some_and(|d| {
                    d.len() == SourceDigest::LENGTH && d.bytes().all(|b| b.is_ascii_hexdigit())
                });
            if !ours || file == name {
                continue;
            }
            if path.extension().is_some_and(|e| e == "so") {
                let age = path.metadata().and_then(|m| m.modified()).ok();
                modules.push((age, path));
            } else {
                let _ = fs::remove_file(&path);
            }
        }
        modules.sort();
        for (_, path) in modules.iter().rev().skip(1) {
            let _ = fs::remove_file(path);
        }
    }
}

/// The compiler's path for a process that runs in another folder.
fn from_elsewhere(cobc: &Path) -> io::Result<PathBuf> {
    if cobc.is_relative() && cobc.components().count() > 1 {
        fs::canonicalize(cobc)
    } else {
        Ok(cobc.to_owned())
    }
}

/// The beginning of the module's name: the source's name without characters that a shell
/// could interpret; a number replaces them.
fn plain_stem(path: &Path) -> String {
    let stem = path
        .file_stem()
        .map_or("program".into(), |s| s.to_string_lossy());
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '@' | '#');
    let plain: String = stem
        .char_indices()
        .map(|(at, c)| {
            if is_plain(c) || c == '-' && at > 0 {
                c
            } else {
                '_'
            }
        })
        .collect();
    // `#` begins a comment, but not within a word.
    if plain == stem && !plain.starts_with('#') {
        return plain;
    }
    let mut digest = SourceDigest::default();
    digest.add(stem.as_bytes());
    format!("x{plain}.{}", digest.finish())
}

fn about(path: &Path, message: String) -> Diagnostic {
    Diagnostic {
        finding: base::Diagnostic::new(Severity::Error, (0, 0), message).in_file(path),
        kind: DiagnosticKind::Compiler,
    }
}
/// Whether some record has an item after a table of varying length, or such a
/// table within a table. A text that the layout pass cannot read has none.
fn moves_with_a_counter(text: &[u8]) -> bool {
    let text: String = String::from_utf8_lossy(text)
        .lines()
        .map(|line| {
            if line.starts_with('#') {
                "\n".into()
            } else {
                format!("{line}\n")
            }
        })
        .collect();
    let varies = |layout: &copybook::RecordLayout, field: &copybook::Field| {
        let counted = |f: &copybook::Field| f.occurs.as_ref().is_some_and(|o| o.min != o.max);
        let mut above = field.parent;
        let mut within = false;
        while let Some(id) = above {
            within |= layout[id].occurs.is_some();
            above = layout[id].parent;
        }
        field.slides || (counted(field) && within)
    };
    copybook::parse(&text, &copybook::ParseOptions::default()).is_ok_and(|layouts| {
        layouts
            .iter()
            .any(|l| l.fields.iter().any(|f| varies(l, f)))
    })
}

/// Whether the compiler is of version 3.2 or later.
fn is_from_3_2(version: &str) -> bool {
    let number = version.split_whitespace().next_back().unwrap_or_default();
    let mut parts = number.split('.').map(|part| part.parse::<u32>().ok());
    match (parts.next().flatten(), parts.next().flatten()) {
        (Some(major), Some(minor)) => (major, minor) >= (3, 2),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_from_3_2;

    #[test]
    fn versions_from_3_2_on_are_known() {
        assert!(is_from_3_2("cobc (GnuCOBOL) 3.2.0"));
        assert!(!is_from_3_2("cobc (GnuCOBOL) 3.1.2.0"));
        assert!(!is_from_3_2("") && !is_from_3_2("another compiler"));
    }
}

//! The copybook that a record command works on.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use copybook::{CopyFolders, ReferenceFormat, RecordLayout, ParseOptions};
use crate::app::counted;
use crate::app::finding::{Findings, Severity};
use miette::{Context, IntoDiagnostic, Result, bail, miette};

/// Options for reading a copybook.
#[derive(Debug, clap::Args)]
pub struct CopybookSource {
    /// A copybook, or a COBOL program with records.
    copybook: PathBuf,
    /// A folder of COPY members, searched after the copybook's own. May be
    /// given several times.
    #[arg(short = 'I', long = "include", value_name = "FOLDER")]
    include: Vec<PathBuf>,
    /// Reference format of the text.
    #[arg(long, value_enum, default_value = "auto")]
    source_format: SourceFormat,
    /// DECIMAL-POINT IS COMMA.
    #[arg(long)]
    decimal_comma: bool,
    /// Bytes of a POINTER: 8 as in Tupelo's programs, 4 as on z/OS.
    #[arg(long, value_name = "BYTES", default_value = "8")]
    pointer_bytes: u32,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum SourceFormat {
    /// Detected from the text.
    Auto,
    /// Columns 8 to 72.
    Fixed,
    /// Free format.
    Free,
}

impl CopybookSource {
    /// Every 01-level record; warnings go to standard error.
    pub fn records(&self) -> Result<Vec<RecordLayout>> {
        if !matches!(self.pointer_bytes, 4 | 8) {
            return Err(crate::stdout::wrong_usage("--pointer-bytes: a POINTER has 4 or 8 bytes", None));
        }
        let text = read_text(&self.copybook)?;
        let folders = self.folders();
        let name = self.copybook.display().to_string();
        let options = ParseOptions {
            format: match self.source_format {
                SourceFormat::Auto => ReferenceFormat::Auto,
                SourceFormat::Fixed => ReferenceFormat::Fixed,
                SourceFormat::Free => ReferenceFormat::Free,
            },
            copy: &folders,
            source_name: &name,
            decimal_comma: self.decimal_comma,
            pointer_bytes: self.pointer_bytes,
            ..ParseOptions::default()
        };
        let copybook = copybook::parse_with_warnings(&text, &options)
            .map_err(|faults| {
                let errors = shown(&faults);
                miette!("{name} cannot be laid out: {}", counted(errors, "error"))
            })?;
        shown(&copybook.warnings);
        if copybook.layouts.is_empty() {
            bail!("{name} has no record");
        }
        Ok(copybook.layouts)
    }

    /// The folders of COPY members: first the copybook's own folder.
    fn folders(&self) -> CopyFolders {
        let own = self.copybook.parent().unwrap_or(Path::new(""));
        let own = if own.as_os_str().is_empty() { Path::new(".") } else { own };
        CopyFolders::new(std::iter::once(own.to_owned()).chain(self.include.iter().cloned()))
    }

    /// The record with this name, or the only record.
    pub fn record(&self, name: Option<&str>) -> Result<RecordLayout> {
        let mut records = self.records()?;
        let names = || records.iter().map(|r| r.name().to_owned()).collect::<Vec<_>>().join(", ");
        let at = match name {
            Some(name) => records
                .iter()
                .position(|r| r.name().eq_ignore_ascii_case(name))
                .ok_or_else(|| miette!("there is no record {name}; expected {}", names()))?,
            None if records.len() == 1 => 0,
            None => {
                bail!("there are several records; select one with --record: {}", names());
            }
        };
        Ok(records.swap_remove(at))
    }
}

/// Prints diagnostics of a copybook on standard error, and returns the number of errors.
pub fn shown(diagnostics: &copybook::Diagnostics) -> usize {
    let mut findings = Findings::new(Path::new(""));
    findings.extend(&diagnostics.list);
    eprint!("{}", findings.text(Severity::Note, std::io::stderr().is_terminal()));
    findings.count(Severity::Error)
}

/// The text of a source in an application's folder. Only a regular file is read, so that
/// a FIFO blocks nothing.
pub fn read_source(path: &Path) -> Result<String> {
    text_of(path, sources::read(path))
}

/// A source text; bytes that are not UTF-8 are read as Latin-1.
pub fn read_text(path: &Path) -> Result<String> {
    text_of(path, std::fs::read(path))
}

fn text_of(path: &Path, read: std::io::Result<Vec<u8>>) -> Result<String> {
    let bytes = read
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot read {}", path.display()))?;
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|e| e.into_bytes().into_iter().map(char::from).collect()))
}

/// A copybook's text with its COPY members in it; it must be complete without a program.
pub fn expanded_text(path: &Path, include: &[PathBuf]) -> Result<String> {
    let source = of_path(path, include);
    let records = source.records()?;
    let text = read_text(path)?;
    let alone = copybook::parse(&text, &ParseOptions::default());
    if alone.is_ok_and(|layouts| layouts == records) {
        return Ok(text);
    }
    let (folders, name) = (source.folders(), path.display().to_string());
    let options = ParseOptions {
        copy: &folders,
        source_name: &name,
        ..ParseOptions::default()
    };
    let expanded = copybook::expand(&text, &options)
        .map_err(|faults| miette!("{name} cannot be read: {}", counted(shown(&faults), "error")))?;
    // Statements of the program, such as DECIMAL-POINT, are not in the text.
    match copybook::parse(&expanded, &ParseOptions::default()) {
        Ok(layouts) if layouts.len() == records.len() => Ok(expanded),
        _ => bail!("{name} depends on statements of its program: give the copybook itself"),
    }
}

/// The single record that a copybook describes; COPY members are searched first in the
/// copybook's folder.
pub fn layout_of(path: &Path, include: &[PathBuf]) -> Result<RecordLayout> {
    of_path(path, include).record(None)
}

/// The single record of a copybook, with the decimal point that its programs declare.
pub fn record_of(path: &Path, include: &[PathBuf], decimal_comma: bool) -> Result<RecordLayout> {
    let source = of_path(path, include);
    CopybookSource { decimal_comma, ..source }.record(None)
}

fn of_path(path: &Path, include: &[PathBuf]) -> CopybookSource {
    CopybookSource {
        copybook: path.to_owned(),
        include: include.to_vec(),
        source_format: SourceFormat::Auto,
        decimal_comma: false,
        pointer_bytes: 8,
    }
}

//! The options that select a file and its application.

use std::path::{Path, PathBuf};

use batch::CodePageOf;
use copybook::RecordLayout;
use miette::{IntoDiagnostic, Result, miette};
use store::{CatalogueEntry, DiskReader, OpenError, ReadStore, WriteStore};

use crate::app::Application;
use crate::app::compile::CompiledPrograms;
use crate::app::config::{DataFormat, FileSection, ZonedSign};
use crate::app::definitions::{InstalledDefinitions, KeyedFile};
use crate::app::files::{define_command, describe};
use crate::app::records::ExternalRecords;

/// Application and file.
#[derive(Debug, clap::Args)]
pub struct FileSelection {
    /// The file's name.
    pub name: String,
    /// The application folder.
    #[arg(long, default_value = ".")]
    pub app: PathBuf,
    /// Where records are kept; FOLDER/.tupelo when absent.
    #[arg(long)]
    pub state: Option<PathBuf>,
}

/// The format of records outside of a file.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct FormatOptions {
    /// Format of the records outside of the file.
    #[arg(long, value_enum)]
    format: Option<DataFormat>,
    /// Code page outside: ascii, cp037, cp1047 …
    #[arg(long)]
    code_page: Option<String>,
    /// Copybook of the record; the one of [files.NAME] when absent.
    #[arg(long)]
    copybook: Option<PathBuf>,
}

impl FileSelection {
    /// The application.
    pub fn application(&self) -> Result<Application> {
        Application::open(&self.app, self.state.as_deref())
    }

    /// The file's section of the settings.
    pub fn section(&self, app: &Application) -> FileSection {
        section_of(app, &self.name)
    }

    /// The file in a store that is open for writing. A file that exists only in the definitions
    /// is defined; a different definition is reported.
    pub fn entry_for_writing(&self, app: &Application, store: &mut dyn WriteStore) -> Result<CatalogueEntry> {
        let known = self.name.parse().into_diagnostic()?;
        let there = store.reader().into_diagnostic()?.find(&known).into_diagnostic()?;
        let installed = match app.install(&CompiledPrograms::default()) {
            // A file that exists in the store needs no definition.
            Err(_) if there.is_some() => InstalledDefinitions::default(),
            installed => installed?,
        };
        let named = |file: &&KeyedFile| file.def.name.as_str().eq_ignore_ascii_case(&self.name);
        match (installed.files.iter().find(named), there) {
            (Some(file), None) => {
                store.define(file.def.clone()).into_diagnostic()?;
                eprintln!("{}: defined as in resources.csd", file.def.name);
            }
            (Some(file), Some(entry)) if *entry.def != file.def => eprintln!(
                "{}: the store has {},\nthe application defines {}. To change the store:\n  {}",
                file.def.name,
                describe(&entry.def),
                describe(&file.def),
                define_command(&file.def)
            ),
            _ => {}
        }
        self.entry(&mut *store.reader().into_diagnostic()?)
    }

    /// The file in a store.
    pub fn entry(&self, store: &mut dyn ReadStore) -> Result<CatalogueEntry> {
        let name = self.name.parse().into_diagnostic()?;
        let known = store.files().into_diagnostic()?;
        store.find(&name).into_diagnostic()?.ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|f| f.def.name.as_str()).collect();
            miette!(
                help = "DEFINE FILE in resources.csd or `tupelo file define` makes a file",
                "there is no file {name} in the store; expected {}",
                if names.is_empty() { "none".to_owned() } else { names.join(", ") }
            )
        })
    }
}

impl FormatOptions {
    /// Whether records are to be converted.
    pub fn converts(&self) -> bool {
        self.code_page.is_some() || self.copybook.is_some()
    }

    /// The code page and copybook for a batch program's files.
    pub fn code_page(&self, signs: ZonedSign) -> Result<Option<CodePageOf>> {
        let copybook = self.copybook.clone();
        match &self.code_page {
            Some(name) => Ok(Some(CodePageOf {
                name: name.clone(),
                copybook,
                letter_signs: signs == ZonedSign::Ebcdic,
            })),
            None if copybook.is_some() => Err(miette!(
                help = "--code-page cp037 names the code page of the records",
                "--copybook needs the code page to convert from"
            )),
            None => Ok(None),
        }
    }

    /// Records in a format and code page, both of which may be absent.
    pub fn of(format: Option<DataFormat>, code_page: Option<String>) -> FormatOptions {
        FormatOptions {
            format,
            code_page,
            copybook: None,
        }
    }

    /// Framing and conversion.
    pub fn records(&self, app: &Application, section: &FileSection, def: &store::FileDef) -> Result<ExternalRecords> {
        let layout: Option<RecordLayout> = match &self.copybook {
            Some(path) => Some(app.layout_of(path)?),
            None => app.file_layout(section)?,
        };
        let code_page = self.code_page.as_deref().or(section.code_page.as_deref());
        ExternalRecords::build(self.format.unwrap_or(section.format), code_page, layout.as_ref(), def, app.config.region.zoned_sign)
    }

    /// The format of records in a file of this machine. In a data set of jobs it is that of
    /// batch programs, unless an option names another.
    pub fn records_at(
        &self,
        app: &Application,
        section: &FileSection,
        def: &store::FileDef,
        path: &Path,
    ) -> Result<ExternalRecords> {
        let of_jobs = ["datasets", "batch"].iter().any(|folder| path.starts_with(app.state.join(folder)));
        if !of_jobs || self.format.is_some() {
            return self.records(app, section, def);
        }
        let format = match def.format {
            store::RecordFormat::Fixed => DataFormat::Fixed,
            store::RecordFormat::Variable => DataFormat::Rdw,
        };
        ExternalRecords::build(format, self.code_page.as_deref(), None, def, app.config.region.zoned_sign)
    }
}

/// The section of the settings for a file of this name.
pub fn section_of(app: &Application, file: &str) -> FileSection {
    let named = |(name, _): &(&String, &FileSection)| name.eq_ignore_ascii_case(file);
    app.config.files.iter().find(named).map(|(_, s)| s.clone()).unwrap_or_default()
}

/// The store, for reading, also while a region has opened it.
pub fn open_reader(app: &Application) -> Result<DiskReader> {
    let path = app.store_path();
    match DiskReader::open(&path, &app.store_options()) {
        Err(OpenError::Missing { .. }) => Err(miette!(
            help = "`tupelo serve` or `tupelo file define` makes it",
            "there is no store in {}",
            path.display()
        )),
        opened => opened.into_diagnostic(),
    }
}

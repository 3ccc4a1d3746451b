//! The files of an application before its region starts: defined from the resource
//! definitions, and loaded with their first records.

use std::fs::File;
use std::io::BufReader;

use miette::{Context, IntoDiagnostic, Result, bail, miette};
use store::transfer::{LoadEvent, LoadOptions, load};
use store::{
    CommitDurability, DiskOptions, DiskStore, FileId, OpenError, ReadExt, SeekKey, WriteStore,
};

use super::Application;
use super::config::Config;
use super::definitions::{InstalledDefinitions, KeyedFile};
use super::ports;
use super::records::ExternalRecords;

impl Application {
    /// The options that the store is opened with for writing.
    pub fn store_options(&self) -> DiskOptions {
        DiskOptions {
            map_bytes: u64::from(self.config.store.map_gib) << 30,
            max_readers: self.max_readers(),
            walked_bytes: self.walked_bytes(),
            durability: if self.config.store.sync {
                CommitDurability::Flush
            } else {
                CommitDurability::NoFlush
            },
            ..DiskOptions::default()
        }
    }

    /// Bytes of data.mdb up to which all pages are checked before requests are served.
    pub fn walked_bytes(&self) -> u64 {
        u64::from(self.config.store.walk_gib) << 30
    }

    /// Opens the store for writing; the region must not be running.
    pub fn open_store(&self) -> Result<DiskStore> {
        let path = self.store_path();
        std::fs::create_dir_all(&path)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot make {}", path.display()))?;
        DiskStore::open(&path, &self.store_options()).map_err(|error| match &error {
            OpenError::Held { pid, .. } => held(*pid, &error),
            _ => miette!("{error}"),
        })
    }

    /// Why a region did not start. If another process has opened the store, the report
    /// names that process and what to do.
    pub fn not_started(&self, error: &region::StartError) -> miette::Report {
        if !matches!(error, region::StartError::Store(_)) {
            return miette!("{error}");
        }
        match DiskStore::open(&self.store_path(), &self.store_options()) {
            Err(OpenError::Held { pid, .. }) => held(pid, error),
            _ => miette!("{error}"),
        }
    }

    /// Defines the files that are new and loads them. An existing file keeps its
    /// records. An existing file with another definition is an error, since its
    /// records would not fit.
    pub fn prepare_files(&self, installed: &InstalledDefinitions) -> Result<()> {
        if installed.files.is_empty() {
            return Ok(());
        }
        self.define_new_files(&mut self.open_store()?, installed, None)
    }

    /// Defines and loads new files in a store that is open for writing. A file that
    /// existed `before` without first records, and is empty, gets the first records of
    /// its settings: its DEFINE FILE was written before its section.
    pub fn define_new_files(
        &self,
        store: &mut dyn WriteStore,
        installed: &InstalledDefinitions,
        before: Option<&Config>,
    ) -> Result<()> {
        for file in &installed.files {
            let mut reader = store.reader().into_diagnostic()?;
            let data_set = file.data_set.as_ref().and_then(|name| name.parse().ok());
            if let Some(name) = data_set
                && reader.access(&name).into_diagnostic()?.is_some()
            {
                continue;
            }
            let known = reader.find(&file.def.name).into_diagnostic()?;
            let had_data = |config: &Config| {
                let section = config.files.get(file.def.name.as_str());
                section.is_some_and(|section| section.data.is_some())
            };
            let data_is_new = before.is_some_and(|config| !had_data(config));
            match known {
                Some(entry) if *entry.def == file.def && data_is_new => {
                    let first = reader.read(entry.id, SeekKey::First, |_| ());
                    if first.into_diagnostic()?.is_none() {
                        self.load_first_records(store, entry.id, file)?;
                    }
                }
                Some(entry) if *entry.def == file.def => {}
                Some(entry) => {
                    bail!(
                        help = format!(
                            "`tupelo file dump {}` saves its records; this replaces the file with an empty one:\n{}",
                            file.def.name,
                            define_command(&file.def)
                        ),
                        "file {} is in the store with another definition\n  there: {}\n  here:  {}",
                        file.def.name,
                        describe(&entry.def),
                        describe(&file.def)
                    );
                }
                None => {
                    let id = store.define(file.def.clone()).into_diagnostic()?;
                    if let Err(report) = self.load_first_records(store, id, file) {
                        // At the next start a file without its first records would be taken
                        // for a finished one.
                        let _ = store.remove(id);
                        return Err(report);
                    }
                }
            }
        }
        Ok(())
    }

    fn load_first_records(
        &self,
        store: &mut dyn WriteStore,
        id: FileId,
        file: &KeyedFile,
    ) -> Result<()> {
        let Some(data) = &file.section.data else {
            return Ok(());
        };
        let path = self.folder.join(data);
        let layout = self.file_layout(&file.section)?;
        let records = ExternalRecords::build(
            file.section.format,
            file.section.code_page.as_deref(),
            layout.as_ref(),
            &file.def,
            self.config.region.zoned_sign,
        )?;
        let input = File::open(&path)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot read {}", path.display()))?;
        let mut refused = Vec::new();
        let loaded = load(
            store,
            id,
            &mut BufReader::new(input),
            &LoadOptions::new(records.framing),
            &*records.convert,
            &mut |event| {
                if let LoadEvent::Rejected { number, reason, .. } = event {
                    refused.push(format!("record {number}: {reason}"));
                }
            },
        );
        match loaded {
            Ok((report, _)) => {
                tracing::info!(file = %file.def.name, records = report.loaded, "loaded");
                Ok(())
            }
            Err(error) => Err(miette!("{}: {error}", path.display())),
        }
    }
}

/// A file definition as text.
pub fn describe(def: &store::FileDef) -> String {
    let organisation = match def.organisation {
        store::FileOrganisation::Ksds(key) => format!(
            "KSDS, key of {} bytes at offset {}",
            key.length_bytes, key.offset_bytes
        ),
        other => other.to_string(),
    };
    let format = match def.format {
        store::RecordFormat::Fixed => "fixed",
        store::RecordFormat::Variable => "variable",
    };
    let recovery = if def.recoverable {
        "recoverable"
    } else {
        "not recoverable"
    };
    format!(
        "{organisation}, {format} records of {} bytes, {recovery}",
        def.max_record_bytes
    )
}

/// The command that replaces an existing file by one with this definition.
pub fn define_command(def: &store::FileDef) -> String {
    let organisation = match def.organisation {
        store::FileOrganisation::Ksds(key) => {
            format!("--key {}:{}", key.offset_bytes, key.length_bytes)
        }
        store::FileOrganisation::Esds => "--esds".to_owned(),
        store::FileOrganisation::Rrds => "--rrds".to_owned(),
    };
    let (name, bytes) = (&def.name, def.max_record_bytes);
    let mut command =
        format!("tupelo file define {name} {organisation} --record {bytes} --replace");
    if def.format == store::RecordFormat::Variable {
        command += " --variable";
    }
    if def.recoverable {
        command += " --recoverable";
    }
    command
}

/// The store is open for writing in another process: names it, and says what to do.
fn held(pid: Option<u32>, error: &dyn std::fmt::Display) -> miette::Report {
    let who = pid
        .and_then(ports::command)
        .map_or_else(String::new, |line| format!("that process is `{line}`; "));
    miette!(
        help = format!("{who}end that process, or use another store with --state FOLDER"),
        "{error}"
    )
}

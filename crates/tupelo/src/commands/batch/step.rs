//! One program in a process of its own, with its DDs.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use batch::{Dd, Format, Source, Step, StoreAt};
use miette::{Context, IntoDiagnostic, Result, miette};
use store::{DiskReader, OpenError, ReadStore};

use super::programs::Programs;
use crate::app::Application;

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// With its RETURN-CODE.
    Code(u32),
    /// Abnormally, and how.
    Abend(String),
}

/// Runs programs of one application, one after the other.
pub struct Runner<'a> {
    programs: &'a Programs,
    store: StoreAt,
    known: Vec<String>,
    folder: PathBuf,
}

impl<'a> Runner<'a> {
    /// A runner; it looks which files the store has.
    pub fn new(app: &'a Application, programs: &'a Programs) -> Result<Self> {
        let folder = app.state.join("batch").join(std::process::id().to_string());
        std::fs::create_dir_all(&folder)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot make {}", folder.display()))?;
        let options = app.store_options();
        Ok(Runner {
            programs,
            store: StoreAt {
                path: app.store_path(),
                state: app.state.clone(),
                map_bytes: options.map_bytes,
                max_readers: options.max_readers,
                sync: app.config.store.sync,
            },
            known: known(app)?,
            folder,
        })
    }

    /// Every name of the store.
    pub fn known(&self) -> &[String] {
        &self.known
    }

    /// Runs a program to its end.
    pub fn run(&mut self, program: &str, parm: Option<String>, dds: Vec<(String, Dd)>) -> Result<Ended> {
        let dds: BTreeMap<String, Dd> = dds.into_iter().collect();
        let is_stored = |dd: &Dd| dd.sources.iter().any(|s| matches!(s, Source::Store(_)));
        let result = self.folder.join("result");
        let step = Step {
            program: program.to_owned(),
            modules: self.programs.folder.clone(),
            parm,
            store: dds.values().any(is_stored).then(|| self.store.clone()),
            dds,
            result: result.clone(),
        };
        let path = self.folder.join("step.json");
        std::fs::write(&path, serde_json::to_vec(&step).into_diagnostic()?).into_diagnostic()?;
        let _ = std::fs::remove_file(&result);
        std::io::stdout().flush().into_diagnostic()?;
        let status = Command::new(std::env::current_exe().into_diagnostic()?)
            .arg("batch-step")
            .arg(&path)
            .status()
            .into_diagnostic()?;
        let said = std::fs::read_to_string(&result).unwrap_or_default();
        Ok(match said.trim().parse::<i64>() {
            Ok(code) => Ended::Code(u32::try_from(code).unwrap_or(u32::MAX)),
            Err(_) if said.starts_with("abend") => Ended::Abend("it ended abnormally".to_owned()),
            Err(_) => Ended::Abend(format!("its process ended with {status}")),
        })
    }
}

impl Drop for Runner<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The names of files, indexes and paths; none where there is no store yet.
fn known(app: &Application) -> Result<Vec<String>> {
    let mut reader = match DiskReader::open(&app.store_path(), &app.store_options()) {
        Err(OpenError::Missing { .. }) => return Ok(Vec::new()),
        opened => opened.into_diagnostic()?,
    };
    let names = reader.names().into_diagnostic()?;
    Ok(names.iter().map(|named| named.name().to_string()).collect())
}

/// Reads what `--dd NAME=` is followed by.
pub fn what(text: &str, known: &[String]) -> Result<Dd> {
    let mut dd = Dd::default();
    let mut words = text.split(',');
    let place = words.next().unwrap_or_default();
    let mut written = None;
    for word in words {
        match word {
            "fixed" => written = Some(Format::Fixed),
            "lines" => written = Some(Format::Lines),
            "rdw" => written = Some(Format::Rdw),
            "mod" => dd.append = true,
            "reuse" => dd.reuse = true,
            other => {
                return Err(miette!(
                    help = "behind a file stand fixed, lines, rdw, mod or reuse",
                    "{other:?} in {text:?} means nothing"
                ));
            }
        }
    }
    let stored = |name: &str| known.iter().find(|k| k.eq_ignore_ascii_case(name)).cloned();
    let sources = place.split('+').map(|place| match place {
        "*" => Source::Input,
        name if name.eq_ignore_ascii_case("SYSOUT") => Source::Output,
        name if name.eq_ignore_ascii_case("DUMMY") => Source::Dummy,
        name => match stored(name) {
            Some(name) => Source::Store(name),
            None => Source::File {
                path: name.into(),
                format: written,
            },
        },
    });
    dd.sources = sources.collect();
    Ok(dd)
}

//! An application folder: its settings, definitions, programs and files.
//!
//! Every subcommand that works on a folder opens it here, so that `check`, `serve`
//! and `run` read the same application.

pub mod apis;
pub mod appc;
pub mod attachsec;
pub mod backend;
pub mod changes;
pub mod compile;
pub mod config;
pub mod cpus;
mod decimal_comma;
pub mod definitions;
mod doors;
pub mod files;
pub mod finding;
pub mod interfaces;
pub mod ipconn;
pub mod known;
mod limits;
pub mod local;
pub mod mainframe;
mod maps;
pub mod metrics;
pub mod mirror;
pub mod named;
pub mod observe;
pub mod operate;
pub mod policies;
pub mod ports;
pub mod queues;
pub mod records;
pub mod region_limits;
pub mod reported;
pub mod restart;
pub mod schema;
pub mod scripts;
mod secret;
pub mod security;
pub mod services;
pub mod settings;
pub mod signals;
mod snapshot;
pub mod socket_names;
pub mod sql;
pub mod sql_check;
pub mod sql_types;
pub mod store_watch;
pub mod systems;
pub mod telemetry;
mod terminal_host;
mod terminal_pages;
pub mod texts;
pub mod toml_errors;
pub mod transforms;
pub mod units;
pub mod uow;
pub mod web;
pub mod zoned_signs;

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use cics::command::SpiGrants;
use cics::csd::{self, Csd};
use copybook::RecordLayout;
use miette::{IntoDiagnostic, Result, bail, miette};
use region::{EngineCpus, RegionConfig, SandboxMode, StoreEntry, UserId, WorkerConfinement};

use compile::CompiledPrograms;
use config::{Config, FileSection, Sandbox};
use definitions::InstalledDefinitions;
use finding::{Findings, Severity};

/// An application folder as it is on the disk.
pub struct Application {
    /// The folder.
    pub folder: PathBuf,
    /// Folder of compiled programs and records.
    pub state: PathBuf,
    /// `tupelo.toml`, or the defaults.
    pub config: Config,
    /// The definitions of `resources.csd`, or none.
    pub csd: Csd,
    /// Findings about settings and definitions, with their places.
    pub warnings: Findings,
    /// Names of definitions with errors: further findings about them are consequences.
    /// Empty in an application that can run.
    pub broken_definitions: BTreeSet<String>,
    /// Whether the settings could be read. If not, `config` has the defaults, and
    /// nothing that depends on settings can be checked.
    pub has_settings: bool,
}

/// Prints the findings about a file that all commands depend on. The error that
/// ends the command has their number.
fn unusable<T>(found: &Findings, what: &str) -> Result<T> {
    eprint!(
        "{}",
        found.text(Severity::Note, std::io::stderr().is_terminal())
    );
    let errors = found.count(Severity::Error);
    bail!("{what}: {}", counted(errors, "error"))
}

impl Application {
    /// Reads settings and definitions.
    ///
    /// # Errors
    /// Those of [`Application::open_in_spite`], and mistakes in either text, which
    /// are printed all at once.
    pub fn open(folder: &Path, state: Option<&Path>) -> Result<Application> {
        let app = Application::open_in_spite(folder, state)?;
        if app.warnings.count(Severity::Error) == 0 {
            return Ok(app);
        }
        let of_settings = |f: &&finding::Finding| {
            f.severity == Severity::Error && f.file.ends_with("tupelo.toml")
        };
        if app.warnings.iter().any(|f| of_settings(&f)) {
            return unusable(&app.warnings, "tupelo.toml cannot be used");
        }
        unusable(&app.warnings, "resources.csd cannot be installed")
    }

    /// Reads settings and definitions for a check: a mistake in one text hides none in
    /// another. Faulty settings and definitions are left out.
    ///
    /// # Errors
    /// The folder does not exist, or a file of it cannot be read.
    pub fn open_in_spite(folder: &Path, state: Option<&Path>) -> Result<Application> {
        let folder = opened_folder(folder)?;
        let state = state.map_or_else(|| folder.join(".tupelo"), Path::to_owned);
        let mut warnings = Findings::new(&folder);
        let (mut config, mut has_settings) = (Config::default(), true);
        if let Some(text) = read_if_there(&folder.join("tupelo.toml"))? {
            let (read, wrong) = toml_errors::read("tupelo.toml", &text);
            has_settings = read.is_some();
            config = read.unwrap_or_default();
            warnings.extend(wrong);
        }
        if let Some(wrong) = settings::code_page(&folder, &config) {
            warnings.extend(wrong.iter().cloned());
            config.region.code_page = Config::default().region.code_page;
        }
        warnings.extend(limits::findings(&folder, &config.gateway).iter().cloned());
        warnings.extend(region_limits::findings(&folder, &config).iter().cloned());
        let text = read_if_there(&folder.join("resources.csd"))?.unwrap_or_default();
        let csd = csd::parse(&text);
        let own = csd.diagnostics.iter();
        warnings.extend(own.map(|d| d.clone().in_file("resources.csd")));
        let broken_definitions = if csd.has_errors() {
            broken_definitions(&text, &csd)
        } else {
            BTreeSet::new()
        };
        Ok(Application {
            folder,
            state,
            config,
            csd,
            warnings,
            broken_definitions,
            has_settings,
        })
    }

    /// Combines the definitions with the compiled programs.
    pub fn install(&self, compiled: &CompiledPrograms) -> Result<InstalledDefinitions> {
        let record_bytes = |section: &FileSection| {
            let layout = self.file_layout(section).ok()??;
            Some(layout.length)
        };
        let mut installed =
            definitions::install(&self.csd, &self.config, &compiled.programs, &record_bytes);
        installed.mark_uncompiled(&compiled.uncompiled());
        let (transforms, wrong) = transforms::read(&self.folder.join(transforms::FOLDER))?;
        installed.region.transforms = transforms;
        installed.errors.extend(wrong);
        if installed.errors.is_empty() {
            Ok(installed)
        } else {
            let mut faults = Findings::new(&self.folder);
            let all = installed.errors.iter();
            faults.extend(all.map(|fault| settings::placed(self, fault)));
            let colours = std::io::stderr().is_terminal();
            let text = faults.text(Severity::Note, colours);
            bail!("the definitions do not fit together\n{}", text.trim_end());
        }
    }

    /// The layout of a file's records, if its section names a copybook.
    pub fn file_layout(&self, section: &FileSection) -> Result<Option<RecordLayout>> {
        let Some(copybook) = &section.copybook else {
            return Ok(None);
        };
        self.layout_of(&self.folder.join(copybook)).map(Some)
    }

    /// User id of tasks whose caller is not authenticated.
    pub fn user(&self) -> Result<UserId> {
        let user = &self.config.region.default_user;
        user.parse()
            .map_err(|e| miette!("[region] default_user: {e}"))
    }

    /// Folders of COPY members.
    pub fn copy_folders(&self) -> Vec<PathBuf> {
        self.config
            .compile
            .copybooks
            .iter()
            .map(|folder| self.folder.join(folder))
            .collect()
    }

    /// An error if the folder has nothing to serve: probably it is the wrong folder.
    pub fn not_empty(&self) -> Result<()> {
        let there = |name: &PathBuf| self.folder.join(name).exists();
        let settings = ["tupelo.toml", "resources.csd"].map(PathBuf::from);
        let own = [&self.config.gateway.apis, &self.config.script.folder];
        let folders = self.config.compile.programs.iter().chain(own);
        if settings.iter().chain(folders).any(there) {
            return Ok(());
        }
        let help = match self.programs_elsewhere() {
            Some(folder) => format!(
                "there are COBOL programs in {0}: move them into cobol/, or write [compile] programs = [\"{0}\"] into tupelo.toml",
                folder.display()
            ),
            None => "`tupelo new hello` makes an application to start from, then `tupelo serve hello`; for your own programs, put them into cobol/ and their copybooks into copybooks/; `tupelo api import NAME --program PROGRAM --request COPYBOOK` makes an API of one".to_owned(),
        };
        bail!(
            help = help,
            "there is nothing to serve in {}: no tupelo.toml, no resources.csd, no cobol/ and no apis/",
            self.folder.display()
        )
    }

    /// As many facilities as terminals can connect, and no fewer than usual.
    fn facility_limits(&self) -> region::FacilityLimits {
        let usual = region::FacilityLimits::default();
        region::FacilityLimits {
            most: usual.most.max(self.config.terminal.max_connections),
            ..usual
        }
    }

    /// Folder of the records.
    pub fn store_path(&self) -> PathBuf {
        self.state.join(&self.config.store.path)
    }

    /// The configuration that the region is started with.
    pub fn region_config(&self, installed: &InstalledDefinitions) -> Result<RegionConfig> {
        let settings = &self.config.region;
        Ok(RegionConfig {
            applid: settings
                .applid
                .parse()
                .map_err(|e| miette!("[region] applid: {e}"))?,
            sysid: settings
                .sysid
                .parse()
                .map_err(|e| miette!("[region] sysid: {e}"))?,
            default_user: self.user()?,
            mxt: settings.max_tasks as usize,
            queue_limit: settings.max_queued as usize,
            runaway_ms: settings.runaway_ms,
            priority_aging_ms: settings.priority_aging_ms.min(65_535),
            lock_timeout_ms: settings.lock_wait_ms,
            cwa_bytes: settings.cwa_bytes,
            shared_storage_bytes: settings.shared_storage_bytes as usize,
            arena_bytes: settings.channel_bytes.next_multiple_of(4096) as usize,
            worker_exe: std::env::current_exe().into_diagnostic()?,
            worker_args: vec!["worker".into()],
            engines: EngineCpus {
                general: cpu_list(&self.config.engines.general, "general")?,
                offload: self.offload_cpus()?,
            },
            monitoring: settings
                .monitoring
                .as_ref()
                .map(|path| self.state.join(path)),
            state: self.state.clone(),
            temporary_storage_bytes: u64::from(self.config.queues.temporary_storage_mib) << 20,
            transient_data_bytes: u64::from(self.config.queues.transient_data_mib) << 20,
            dumps: Some(self.state.join("dumps")),
            store: Some(StoreEntry {
                path: self.store_path(),
                map_bytes: u64::from(self.config.store.map_gib) << 30,
                max_readers: self.max_readers(),
                sync: self.config.store.sync,
                walked_bytes: Some(self.walked_bytes()),
            }),
            accounts: region_limits::account_limits(settings),
            facilities: self.facility_limits(),
            disk_reserve_bytes: u64::from(settings.disk_reserve_mib) << 20,
            confinement: self.confinement()?,
            worker_nice: settings.worker_nice.min(19),
            isolate_tasks: settings.isolate_tasks,
            spi: SpiGrants::new(settings.spi.iter().map(String::as_str))
                .map_err(|e| miette!("[region] spi: {e}"))?,
            display_lines_per_s: settings.display_lines_per_s,
            characters: self.characters(),
            trace: settings.trace,
            definitions: installed.region.clone(),
            ..RegionConfig::default()
        })
    }

    /// The sandbox of the workers. Logs the parts that the kernel lacks; they are an
    /// error if `[region] sandbox` is `required`.
    fn confinement(&self) -> Result<WorkerConfinement> {
        let settings = &self.config.region;
        let mib = |mib: u32| u64::from(mib) << 20;
        let lacking = worker::sandbox::lacking().join(" and ");
        let sandbox = match settings.sandbox {
            Sandbox::Required => SandboxMode::Required,
            Sandbox::BestEffort => SandboxMode::BestEffort,
            Sandbox::Off => SandboxMode::Off,
        };
        match sandbox {
            SandboxMode::Required if !lacking.is_empty() => bail!(
                help = "sandbox = \"best-effort\" goes on without it",
                "[region] sandbox is required, and this kernel lacks {lacking}"
            ),
            SandboxMode::BestEffort if !lacking.is_empty() => {
                tracing::warn!(
                    "programs run without a part of the sandbox: this kernel lacks {lacking}"
                );
            }
            SandboxMode::Off => {
                tracing::warn!("programs run without a sandbox: [region] sandbox is off")
            }
            _ => {}
        }
        Ok(WorkerConfinement {
            sandbox,
            task_bytes: mib(settings.task_memory_mib),
            process_bytes: mib(settings.worker_memory_mib),
            resident_bytes: mib(settings.worker_keep_mib),
        })
    }

    /// CPUs of the offload engines, empty for all.
    pub fn offload_cpus(&self) -> Result<Vec<usize>> {
        cpu_list(&self.config.engines.offload, "offload")
    }

    /// Reader slots of the store: one for each worker, as many again for retiring
    /// workers that still end their tasks, and some for tools.
    pub fn max_readers(&self) -> u32 {
        self.config
            .region
            .max_tasks
            .saturating_mul(2)
            .saturating_add(64)
    }
}

/// The whole path of an application folder.
fn opened_folder(folder: &Path) -> Result<PathBuf> {
    if folder.is_file() {
        bail!(
            help = "name the folder that has tupelo.toml, resources.csd, cobol/ or apis/",
            "{} is a file, and an application is a folder",
            folder.display()
        );
    }
    if !folder.is_dir() {
        bail!(
            help = "`tupelo new FOLDER` makes an application to start from",
            "there is no application folder {}",
            folder.display()
        );
    }
    folder.canonicalize().into_diagnostic()
}

/// The names of definitions with errors: those that the errors name, and those whose
/// statement could not be read at all.
fn broken_definitions(text: &str, csd: &Csd) -> BTreeSet<String> {
    let (read, _) = csd::definitions(text);
    let about = |line: u32| {
        let before = read.iter().filter(|d| d.line <= line);
        before.max_by_key(|d| d.line).map(|d| d.name.clone())
    };
    let errors = csd.diagnostics.iter();
    let errors = errors.filter(|d| d.severity == base::Severity::Error);
    let wrong = errors.filter_map(|d| about(d.line));
    let words: Vec<&str> = text.split_whitespace().collect();
    let defined = words
        .windows(2)
        .filter(|pair| pair[0].eq_ignore_ascii_case("DEFINE"));
    let defined = defined.filter_map(|pair| pair[1].split_once('(')?.1.split(')').next());
    let unread = defined
        .map(str::to_ascii_uppercase)
        .filter(|name| read.iter().all(|d| d.name != *name));
    wrong.chain(unread).collect()
}

/// `1 error`, `2 errors`.
pub fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}

fn cpu_list(list: &Option<String>, key: &str) -> Result<Vec<usize>> {
    match list {
        Some(list) => cpus::parse(list).map_err(|e| miette!("[engines] {key}: {e}")),
        None => Ok(Vec::new()),
    }
}

fn read_if_there(path: &Path) -> Result<Option<String>> {
    match sources::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(miette!("cannot read {}: {e}", path.display())),
    }
}

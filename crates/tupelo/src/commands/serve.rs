//! `tupelo serve`: serves an application folder on the network.

use std::fmt::Write as _;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use miette::{IntoDiagnostic, Result, bail};
use region::Region;

use crate::Outcome;
use crate::app::compile::CompiledPrograms;
use crate::app::config::Config;
use crate::app::finding::Findings;
use crate::app::reported::ReportedFindings;
use crate::app::services::front::RunningGateway;
use crate::app::services::{RegionServices, RunningRegion};
use crate::app::signals::{ShutdownSignals, TerminateSignal};
use crate::app::{Application, changes, counted, restart};
use crate::log::SERVE;

/// Compile an application, run it, and serve its APIs until Ctrl-C.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tupelo serve examples/bank\n  curl http://127.0.0.1:8080/bank/accounts/10000001\n\n\
    Sources, definitions, files and API projects that change are loaded again\n\
    without dropping a request. Settings that need a restart, such as the\n\
    addresses, are named when they change."
)]
pub struct Args {
    /// The application folder.
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// Folder of compiled programs and records; FOLDER/.tupelo when absent.
    #[arg(long)]
    state: Option<PathBuf>,
    /// Address for HTTP, instead of the one in tupelo.toml. Port 0 selects a free port.
    #[arg(long, value_name = "[ADDRESS:]PORT", value_parser = crate::address::address)]
    listen: Option<SocketAddr>,
    /// Address for administration, instead of the one in tupelo.toml.
    #[arg(long, value_name = "[ADDRESS:]PORT", value_parser = crate::address::address)]
    admin: Option<SocketAddr>,
    /// Address for gateways and regions (ipconn), instead of the one in
    /// tupelo.toml.
    #[arg(long, value_name = "[ADDRESS:]PORT", value_parser = crate::address::address)]
    ipconn: Option<SocketAddr>,
    /// Name of the gateway or region, instead of `[region] applid` in
    /// tupelo.toml: several processes of one application need one each.
    #[arg(long, value_name = "NAME")]
    applid: Option<region::Name<8>>,
    /// Serve only the APIs: their programs run in the regions of [ipconn.connections].
    #[arg(long, conflicts_with_all = ["region_only", "ipconn"])]
    gateway_only: bool,
    /// Run only the region: no APIs, for gateways elsewhere.
    #[arg(long)]
    region_only: bool,
    /// Do not check for changes of the application's files.
    #[arg(long)]
    no_reload: bool,
    /// Print the settings in force and exit.
    #[arg(long)]
    print_config: bool,
}

impl Args {
    /// Reads the application folder; --applid replaces the configured name.
    fn open(&self) -> Result<Application> {
        let mut app = Application::open(&self.folder, self.state.as_deref())?;
        if let Some(name) = &self.applid {
            app.config.region.applid = name.to_string();
        }
        changes::confine(&app);
        Ok(app)
    }
}

/// Serves until SIGINT or SIGTERM arrives.
pub fn run(args: Args) -> Result<Outcome> {
    let (mut app, mut seen) = changes::read_seen(|| args.open())?;
    let started = app.config.clone();
    app.config.gateway.listen = args.listen.unwrap_or(app.config.gateway.listen);
    app.config.admin.listen = args.admin.unwrap_or(app.config.admin.listen);
    app.config.ipconn.listen = args.ipconn.or(app.config.ipconn.listen);
    app.config.gateway.enabled &= !args.region_only;
    if args.print_config {
        let users = app
            .config
            .appc
            .iter_mut()
            .flat_map(|node| node.users.values_mut());
        users.for_each(|password| *password = "********".to_owned());
        print!("{}", toml::to_string_pretty(&app.config).into_diagnostic()?);
        return Ok(Outcome::Clean);
    }
    app.not_empty()?;
    let mut reported = ReportedFindings::default();
    reported.show_new(&app.warnings);
    let signals = ShutdownSignals::catch().into_diagnostic()?;
    if args.gateway_only {
        return serve_gateway(&args, app, &started, seen, &signals, reported);
    }
    let mut compiled = compile(&app, &mut reported)?;
    for (folder, why) in compiled.unread.iter().filter(|(folder, _)| folder.exists()) {
        tracing::warn!(target: SERVE, "{}: {why}: none of its programs is served", folder.display());
    }
    let installed = app.install(&compiled)?;
    let mut services = RegionServices::new();
    services.prepare(&app, &compiled, &mut reported)?;
    app.prepare_files(&installed)?;
    let mut config = app.region_config(&installed)?;
    services.provide(&mut config);
    config.stop = Some(Arc::new(TerminateSignal));
    let store = config.store.as_ref().map(|store| store.path.clone());
    if let Some(store) = &store {
        note_large_store(store, app.walked_bytes());
    }
    let region = Region::start(config).map_err(|error| app.not_started(&error))?;
    services.start(&RunningRegion {
        app: &app,
        compiled: &compiled,
        region: region.handle(),
        user: app.user()?,
        store: store.as_deref(),
    })?;

    let made = made(&compiled, installed.files.len());
    print_addresses(Some(made.as_str()), services.addresses());

    let mut restart_keys = Vec::new();
    while !stopped(&signals, args.no_reload).into_diagnostic()? {
        let now = changes::fingerprint(&app);
        if now == seen {
            continue;
        }
        seen = now;
        reported.begin();
        let before = ActiveState {
            config: &app.config,
            compiled: &compiled,
            region: &region,
            store: store.as_deref(),
        };
        match reload(&args, &before, &mut services, &mut reported) {
            Ok(again) => {
                tracing::info!(target: SERVE, "loaded again: {}", again.summary);
                compiled = again.compiled;
                seen = again.seen;
                follow_settings(&mut app.config, &again.app.config);
                restart_keys = warn_of_restart(&started, &again.app.config, restart_keys);
            }
            Err(report) => not_loaded(&report),
        }
    }
    tracing::info!("stopping");
    services.stop(Duration::from_secs(10));
    region.shutdown_within(Duration::from_secs(app.config.region.shutdown_s.into()));
    Ok(Outcome::Clean)
}

/// Serves the APIs of an application whose programs run in regions of other processes.
fn serve_gateway(
    args: &Args,
    mut app: Application,
    started: &Config,
    mut seen: u64,
    signals: &ShutdownSignals,
    mut reported: ReportedFindings,
) -> Result<Outcome> {
    let mut front = RunningGateway::start(&app, &mut reported)?;
    print_addresses(None, front.addresses());
    let mut restart_keys = Vec::new();
    while !stopped(signals, args.no_reload).into_diagnostic()? {
        let now = changes::fingerprint(&app);
        if now == seen {
            continue;
        }
        seen = now;
        reported.begin();
        let again = changes::read_seen(|| args.open()).and_then(|(again, seen)| {
            reported.show_new(&again.warnings);
            Ok((front.reload(&again, &mut reported)?, seen, again))
        });
        match again {
            Ok((served, when_read, again)) => {
                tracing::info!(target: SERVE, "loaded again: {served}");
                seen = when_read;
                follow_settings(&mut app.config, &again.config);
                restart_keys = warn_of_restart(started, &again.config, restart_keys);
            }
            Err(report) => not_loaded(&report),
        }
    }
    tracing::info!("stopping");
    front.stop(Duration::from_secs(10));
    Ok(Outcome::Clean)
}

/// From now on the folders and files of the settings that were read are checked for
/// changes.
fn follow_settings(config: &mut Config, read: &Config) {
    config.compile.clone_from(&read.compile);
    config.gateway.apis.clone_from(&read.gateway.apis);
    config.gateway.policy.clone_from(&read.gateway.policy);
    config.gateway.policies.clone_from(&read.gateway.policies);
    config.requester.clone_from(&read.requester);
    config.files.clone_from(&read.files);
    config.script.folder.clone_from(&read.script.folder);
}

/// Logs once which changed settings need a restart, and returns their keys.
fn warn_of_restart(started: &Config, now: &Config, restart_keys: Vec<String>) -> Vec<String> {
    let keys = restart::needed(started, now);
    if !keys.is_empty() && keys != restart_keys {
        let keys = keys.join(", ");
        tracing::warn!("tupelo.toml: restart the server to apply the change of {keys}");
    }
    keys
}

/// Logs why a change is not in force.
fn not_loaded(report: &miette::Report) {
    let causes: Vec<String> = report.chain().map(ToString::to_string).collect();
    let help = report.help().map(|help| format!("\n  help: {help}"));
    let (why, help) = (causes.join(": "), help.unwrap_or_default());
    tracing::error!(target: SERVE, "not loaded, the previous state stays in force: {why}{help}");
}

/// Prints what is served and where. The process that started the server may have closed
/// the pipe: the server runs nevertheless.
fn print_addresses(made: Option<&str>, addresses: Vec<(&str, String)>) {
    let mut text = made.map_or_else(String::new, |made| format!("{:<10}{made}\n", "compiled"));
    for (what, address) in addresses {
        let _ = writeln!(text, "{what:<10}{address}");
    }
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// Waits for a signal, or for the next check of the application's files. Returns true for
/// a signal.
fn stopped(signals: &ShutdownSignals, no_reload: bool) -> std::io::Result<bool> {
    if no_reload {
        signals.wait_for_ever().map(|()| true)
    } else {
        signals.wait(Duration::from_millis(500))
    }
}

/// Compiles the programs, and prints the diagnostics. A program with errors is left out;
/// the rest is served.
fn compile(app: &Application, reported: &mut ReportedFindings) -> Result<CompiledPrograms> {
    let compiled = app.compile(|built| {
        if !built.cached {
            tracing::info!(program = %built.source.display(), "compiled");
        }
    })?;
    let mut findings = Findings::new(&app.folder);
    findings.extend(compiled.built.iter().flat_map(|b| &b.diagnostics));
    findings.extend(compiled.namesakes());
    reported.show_new(&findings);
    Ok(compiled)
}

/// Logs that the pages of a large store are checked while it is served.
fn note_large_store(store: &Path, walked_bytes: u64) {
    let bytes = std::fs::metadata(store.join("data.mdb")).map_or(0, |data| data.len());
    if bytes > walked_bytes {
        let (has, most) = (bytes >> 20, walked_bytes >> 30);
        tracing::info!(
            "data.mdb has {has} MiB: above {most} GiB its pages are checked while it is served, and reads take longer until the check is complete"
        );
    }
}

/// A summary of the programs and files.
fn made(compiled: &CompiledPrograms, files: usize) -> String {
    let mut programs = counted(compiled.programs.len(), "program");
    if compiled.built.is_empty() {
        programs += " (cobol/ has no COBOL source)";
    }
    let files = counted(files, "file");
    match compiled.failed() {
        0 => format!("{programs}, {files}"),
        failed => format!(
            "{programs}, {files}; {} did not compile",
            counted(failed, "program")
        ),
    }
}

/// The result of a reload.
struct ReloadResult {
    app: Arc<Application>,
    compiled: CompiledPrograms,
    /// The folder's fingerprint before it was read.
    seen: u64,
    /// A summary of what is in force now.
    summary: String,
}

/// The state in force before a reload.
struct ActiveState<'a> {
    config: &'a Config,
    compiled: &'a CompiledPrograms,
    region: &'a Region,
    store: Option<&'a Path>,
}

/// Reads the folder again and puts the result in force in region and services. A program
/// that does not compile any more keeps its old module.
fn reload(
    args: &Args,
    before: &ActiveState<'_>,
    services: &mut RegionServices,
    reported: &mut ReportedFindings,
) -> Result<ReloadResult> {
    let (app, seen) = changes::read_seen(|| args.open())?;
    let app = Arc::new(app);
    reported.show_new(&app.warnings);
    let mut compiled = compile(&app, reported)?;
    for kept in compiled.keep_folders(before.compiled) {
        if before
            .compiled
            .unread
            .iter()
            .all(|(path, _)| *path != kept.path)
        {
            tracing::warn!(
                target: SERVE,
                "{}: {}: its loaded programs stay in force, {}",
                kept.path.display(),
                kept.why,
                counted(kept.programs, "program")
            );
        }
    }
    let failed = compiled.failed();
    for name in compiled.keep(before.compiled) {
        tracing::warn!(target: SERVE, "{name}: its last compiled version stays in force");
    }
    let installed = Arc::new(app.install(&compiled)?);
    services.prepare(&app, &compiled, reported)?;
    let region = before.region.handle();
    let (with, files, config) = (app.clone(), installed.clone(), before.config.clone());
    match region.with_store(move |store| with.define_new_files(store, &files, Some(&config))) {
        Some(defined) => defined?,
        None if installed.files.is_empty() => {}
        None => {
            bail!(
                "restart the server to add the first file: it was started without a store"
            );
        }
    }
    region.reload(installed.region.clone()).into_diagnostic()?;
    services.reload(&RunningRegion {
        app: &app,
        compiled: &compiled,
        region,
        user: app.user()?,
        store: before.store,
    })?;
    let mut summary = vec![
        counted(compiled.programs.len(), "program"),
        counted(installed.files.len(), "file"),
    ];
    summary.extend(services.served());
    let mut summary = summary.join(", ");
    if failed > 0 {
        summary += &format!("; {} did not compile", counted(failed, "program"));
    }
    Ok(ReloadResult {
        app,
        compiled,
        seen,
        summary,
    })
}

//! `tupelo serve`: an application folder on the network.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gateway::{Api, Gateway, GatewayConfig, StartError, TlsConfig};
use miette::{IntoDiagnostic, Result, bail, miette};
use region::Region;

use crate::Outcome;
use crate::app::apis::Apis;
use crate::app::finding::{Finding, Findings, Severity};
use crate::app::texts::ProgramTexts;
use crate::app::{Application, counted, interfaces, ports};
use crate::log::SERVE;
use crate::app::appc::{self as partners, Partners};
use crate::app::backend::RegionBackend;
use crate::app::compile::Compiled;
use crate::app::config::Config;
use crate::app::{changes, restart};
use crate::app::signals::Signals;
use crate::app::store_watch::StoreWatch;

/// Compile an application, run it, and serve its APIs until Ctrl-C.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo serve examples/bank\n  curl http://127.0.0.1:8080/bank/accounts/10000001\n\n\
    Sources, definitions, files and API projects that change are loaded again\n\
    without dropping a request. Settings that take a new start, such as the\n\
    addresses, are named when they change.")]
pub struct Args {
    /// The application folder.
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// Where compiled programs and records are kept; FOLDER/.tupelo when absent.
    #[arg(long)]
    state: Option<PathBuf>,
    /// Address for HTTP, instead of the one in tupelo.toml. Port 0 takes a free one.
    #[arg(long, value_name = "[ADDRESS:]PORT", value_parser = ports::address)]
    listen: Option<SocketAddr>,
    /// Address for administration, instead of the one in tupelo.toml.
    #[arg(long, value_name = "[ADDRESS:]PORT", value_parser = ports::address)]
    admin: Option<SocketAddr>,
    /// Do not look for changes.
    #[arg(long)]
    no_reload: bool,
    /// Print the settings in force, and end.
    #[arg(long)]
    print_config: bool,
}

/// Serves until told to stop.
pub fn run(args: Args) -> Result<Outcome> {
    let mut app = Application::open(&args.folder, args.state.as_deref())?;
    let started = app.config.clone();
    let mut seen = changes::fingerprint(&app);
    app.config.gateway.listen = args.listen.unwrap_or(app.config.gateway.listen);
    app.config.admin.listen = args.admin.unwrap_or(app.config.admin.listen);
    if args.print_config {
        let users = app.config.appc.iter_mut().flat_map(|node| node.users.values_mut());
        users.for_each(|password| *password = "********".to_owned());
        print!("{}", toml::to_string_pretty(&app.config).into_diagnostic()?);
        return Ok(Outcome::Clean);
    }
    empty(&app)?;
    let mut said = Said::default();
    said.say(&app.warnings);
    let signals = Signals::catch().into_diagnostic()?;
    let mut compiled = compile(&app, &mut said)?;
    let installed = app.install(&compiled.programs)?;
    let mut apis = load_apis(&app, &compiled, &mut said);
    if apis.good.is_empty() && !apis.bad.is_empty() && app.config.appc.is_none() {
        bail!("no API of {} can be served", app.api_folder().display());
    }
    app.prepare_files(&installed)?;
    let partners = partners::start(&app)?;
    let mut config = app.region_config(&installed)?;
    if let Some(partners) = &partners {
        config.conversations = Some(Arc::new(partners.clone()));
    }
    let watched = config.store.as_ref().map(|store| store.path.clone());
    let region = Region::start(config).into_diagnostic()?;
    let watched = watched.and_then(|path| StoreWatch::new(&path).ok());
    let texts = Arc::new(ProgramTexts::default());
    texts.set(&compiled);
    let backend = RegionBackend {
        region: region.handle(),
        user: app.user()?,
        store: watched.map(Arc::new),
        texts: texts.clone(),
    };
    if let Some(partners) = &partners {
        partners.define(&app.csd, &installed.region, &region.handle(), app.user()?);
    }
    let gateway = Gateway::start(gateway_config(&app)?, apis.good.clone(), backend).map_err(|error| taken(error, &app))?;

    println!("{:<10}{}", "compiled", made(&compiled, installed.files.len()));
    println!("{:<10}http://{}  {}", "gateway", gateway.address(), apis.counted());
    println!("{:<10}http://{}/docs/  every API, to read and to try", "docs", reachable(gateway.address()));
    if let Some(address) = gateway.tls_address() {
        println!("{:<10}https://{address}", "gateway");
    }
    if let Some(address) = gateway.admin_address() {
        println!("{:<10}http://{address}  /health /metrics /apis", "admin");
    }
    if let Some(address) = partners.as_ref().and_then(|p| p.host().listening()) {
        println!("{:<10}dlsw://{address}", "appc");
    }

    let mut told = Vec::new();
    while !signals.wait(Duration::from_millis(500)).into_diagnostic()? {
        if args.no_reload {
            continue;
        }
        let now = changes::fingerprint(&app);
        if now == seen {
            continue;
        }
        seen = now;
        let running = Running {
            compiled: &compiled,
            apis: &apis.good,
            region: &region,
            gateway: &gateway,
            partners: partners.as_ref(),
        };
        said.begin();
        match reload(&args, &app.config, &running, &mut said) {
            Ok(again) => {
                tracing::info!(target: SERVE, "loaded again: {}", again.told);
                compiled = again.compiled;
                apis = again.apis;
                texts.set(&compiled);
                seen = again.seen;
                // Its folders are the ones to be looked at from now on.
                let config = &again.app.config;
                app.config.compile.clone_from(&config.compile);
                app.config.gateway.apis.clone_from(&config.gateway.apis);
                app.config.files.clone_from(&config.files);
                let keys = restart::needed(&started, config);
                if !keys.is_empty() && keys != told {
                    let verb = if keys.len() == 1 { "takes" } else { "take" };
                    let keys = keys.join(", ");
                    tracing::warn!("tupelo.toml: a change of {keys} {verb} a new start");
                }
                told = keys;
            }
            Err(report) => tracing::error!(target: SERVE, "not loaded, the old state stays in force: {report:?}"),
        }
    }
    tracing::info!("stopping");
    gateway.shutdown(Duration::from_secs(10));
    if let Some(partners) = partners {
        partners.host().stop();
    }
    region::block_on(region.shutdown());
    Ok(Outcome::Clean)
}

/// Compiles, and tells what is wrong. A program with errors is left out: the
/// rest is served.
fn compile(app: &Application, said: &mut Said) -> Result<Compiled> {
    let compiled = app.compile(|built| {
        if !built.cached {
            tracing::info!(program = %built.source.display(), "compiled");
        }
    })?;
    let mut findings = Findings::new(&app.folder);
    findings.extend(compiled.built.iter().flat_map(|b| &b.diagnostics));
    said.say(&findings);
    Ok(compiled)
}

/// Loads the API projects, and tells what is wrong.
fn load_apis(app: &Application, compiled: &Compiled, said: &mut Said) -> Apis {
    let mut findings = Findings::new(&app.folder);
    let apis = app.load_apis(&mut findings);
    let good: Vec<&Api> = apis.good.iter().map(|api| &**api).collect();
    findings.extend(interfaces::findings(app, compiled, &good));
    said.say(&findings);
    apis
}

/// What was said of the application's texts: a finding that a reload makes
/// again is not said again.
#[derive(Default)]
struct Said {
    before: Vec<Finding>,
    now: Vec<Finding>,
}

impl Said {
    /// The next load begins.
    fn begin(&mut self) {
        self.before = std::mem::take(&mut self.now);
    }

    /// Shows warnings and errors that the load before did not make.
    fn say(&mut self, findings: &Findings) {
        let fresh = findings.without(&self.before);
        eprint!("{}", fresh.text(Severity::Warning, std::io::stderr().is_terminal()));
        self.now.extend(findings.iter().cloned());
    }
}

/// A folder in which there is nothing to serve is the wrong one.
fn empty(app: &Application) -> Result<()> {
    let there = |name: &PathBuf| app.folder.join(name).exists();
    let settings = ["tupelo.toml", "resources.csd"].map(PathBuf::from);
    let folders = app.config.compile.programs.iter().chain([&app.config.gateway.apis]);
    if settings.iter().chain(folders).any(there) {
        return Ok(());
    }
    bail!(
        help = "`tupelo new hello` makes an application to start from, then `tupelo serve hello`; for programs of your own, put them into cobol/ and their copybooks into copybooks/, and `tupelo api import NAME --program PROGRAM --request COPYBOOK` makes an API of one",
        "there is nothing to serve in {}: no tupelo.toml, no resources.csd, no cobol/ and no apis/",
        app.folder.display()
    )
}

/// A listener that could not be had: who has the port, and what to do.
fn taken(error: StartError, app: &Application) -> miette::Report {
    let StartError::Listen { address, source } = &error else {
        return miette!("{error}");
    };
    if source.kind() != std::io::ErrorKind::AddrInUse {
        return miette!("{error}");
    }
    let who = ports::owner(address.port()).map_or(String::from("another program"), |who| who);
    let (option, key) = match *address == app.config.admin.listen {
        true => ("--admin", "[admin] listen"),
        false if app.config.gateway.listen == *address => ("--listen", "[gateway] listen"),
        false => ("tls_listen", "[gateway] tls_listen"),
    };
    let next = address.port().saturating_add(1);
    miette!(
        help = format!("{option} {next} takes another port, and so does {key} in tupelo.toml"),
        "port {} is in use by {who}",
        address.port()
    )
}

/// What was made of programs and files, in words.
fn made(compiled: &Compiled, files: usize) -> String {
    let programs = counted(compiled.programs.len(), "program");
    let files = counted(files, "file");
    match compiled.failed() {
        0 => format!("{programs}, {files}"),
        failed => format!("{programs}, {files}; {} did not compile", counted(failed, "program")),
    }
}

/// An address that a browser on this machine can be given.
fn reachable(address: SocketAddr) -> SocketAddr {
    match address.ip().is_unspecified() {
        true => SocketAddr::new(std::net::Ipv4Addr::LOCALHOST.into(), address.port()),
        false => address,
    }
}

fn gateway_config(app: &Application) -> Result<GatewayConfig> {
    let settings = &app.config.gateway;
    let tls = match (&settings.tls_certificate, &settings.tls_key) {
        (Some(certificate), Some(key)) => Some(TlsConfig {
            listen: settings.tls_listen,
            certificate: app.folder.join(certificate),
            key: app.folder.join(key),
        }),
        (None, None) => None,
        _ => {
            bail!("[gateway] HTTPS needs both tls_certificate and tls_key");
        }
    };
    let seconds = |s: u64| u32::try_from(s.saturating_mul(1000)).unwrap_or(u32::MAX);
    Ok(GatewayConfig {
        listen: settings.listen,
        tls,
        admin: Some(app.config.admin.listen),
        threads: settings.threads as usize,
        cpus: app.offload_cpus()?,
        max_body_bytes: settings.max_body_bytes as usize,
        request_timeout_ms: seconds(settings.request_timeout_s),
        idle_timeout_ms: seconds(settings.idle_timeout_s),
        response_timeout_ms: settings.response_timeout_ms,
        cors_origins: settings.cors_origins.clone(),
        access_log: settings.access_log,
        ..GatewayConfig::default()
    })
}

/// What a reload took over.
struct Reloaded {
    app: Arc<Application>,
    compiled: Compiled,
    apis: Apis,
    /// The folder's fingerprint before anything of it was read.
    seen: u64,
    /// What there is now, in words.
    told: String,
}

/// What is in force before a reload.
struct Running<'a> {
    compiled: &'a Compiled,
    apis: &'a [Arc<Api>],
    region: &'a Region,
    gateway: &'a Gateway<RegionBackend>,
    partners: Option<&'a Partners>,
}

/// Reads the folder again and switches region and gateway over. A program that
/// does not compile any more keeps its old module, and an API that is wrong its
/// old version. One whose copybooks are not the programs' any more stops all of
/// it: the new programs would be called with the old layout.
fn reload(args: &Args, before: &Config, running: &Running<'_>, said: &mut Said) -> Result<Reloaded> {
    let app = Arc::new(Application::open(&args.folder, args.state.as_deref())?);
    let seen = changes::fingerprint(&app);
    said.say(&app.warnings);
    let mut compiled = compile(&app, said)?;
    let failed = compiled.failed();
    for name in compiled.keep(running.compiled) {
        tracing::warn!(target: SERVE, "{name}: its last version that compiled stays in force");
    }
    let installed = Arc::new(app.install(&compiled.programs)?);
    let mut apis = load_apis(&app, &compiled, said);
    let in_force = |name: &&String| running.apis.iter().any(|api| api.name() == name.as_str());
    if let Some(name) = apis.drifted.iter().find(in_force) {
        bail!(
            help = format!("`tupelo api import {name} --update --app {}`", app.folder.display()),
            "the copybooks of the API {name} are not those of its programs any more"
        );
    }
    for name in apis.keep(running.apis) {
        tracing::warn!(target: SERVE, "API {name}: its last version that was right stays in force");
    }
    let known = partners::known(&app)?;
    let mut told = format!(
        "{}, {}, {}",
        counted(compiled.programs.len(), "program"),
        counted(installed.files.len(), "file"),
        counted(apis.good.len(), "API")
    );
    if failed > 0 {
        told += &format!("; {} did not compile", counted(failed, "program"));
    }
    if !apis.bad.is_empty() {
        told += &format!("; wrong: {}", apis.bad.join(", "));
    }
    let region = running.region;
    let (with, files, before) = (app.clone(), installed.clone(), before.clone());
    match region
        .handle()
        .with_store(move |store| with.define_new_files(store, &files, Some(&before)))
    {
        Some(defined) => defined?,
        None if installed.files.is_empty() => {}
        None => {
            bail!("the first file of an application takes a new start: it was started without a store");
        }
    }
    region.handle().reload(installed.region.clone()).into_diagnostic()?;
    if let Some(partners) = running.partners {
        let lines = known.map(|known| partners.change(known)).unwrap_or_default();
        lines.iter().for_each(|line| tracing::warn!("{line}"));
        partners.define(&app.csd, &installed.region, &region.handle(), app.user()?);
    }
    running.gateway.reload(apis.good.clone());
    Ok(Reloaded { app, compiled, apis, seen, told })
}

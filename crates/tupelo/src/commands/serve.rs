//! `tupelo serve`: an application folder on the network.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gateway::{Api, Gateway, GatewayConfig, TlsConfig};
use miette::{IntoDiagnostic, Result, bail, miette};
use region::Region;

use crate::Outcome;
use crate::app::Application;
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
    #[arg(long)]
    listen: Option<SocketAddr>,
    /// Address for administration, instead of the one in tupelo.toml.
    #[arg(long)]
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
    for warning in &app.warnings {
        tracing::warn!("{warning}");
    }
    let signals = Signals::catch().into_diagnostic()?;
    let mut compiled = compile(&app)?;
    let installed = app.install(&compiled.programs)?;
    let apis = load_apis(&app)?;
    app.prepare_files(&installed)?;
    let partners = partners::start(&app)?;
    let mut config = app.region_config(&installed)?;
    if let Some(partners) = &partners {
        config.conversations = Some(Arc::new(partners.clone()));
    }
    let watched = config.store.as_ref().map(|store| store.path.clone());
    let region = Region::start(config).into_diagnostic()?;
    let watched = watched.and_then(|path| StoreWatch::new(&path).ok());
    let backend = RegionBackend {
        region: region.handle(),
        user: app.user()?,
        store: watched.map(Arc::new),
    };
    if let Some(partners) = &partners {
        partners.define(&app.csd, &installed.region, &region.handle(), app.user()?);
    }
    let (operations, projects) = (apis.iter().flat_map(Api::operations).count(), apis.len());
    let gateway = Gateway::start(gateway_config(&app)?, apis, backend).into_diagnostic()?;

    println!("{:<10}{} programs, {} files", "compiled", compiled.programs.len(), installed.files.len());
    println!("{:<10}http://{}  {operations} operations of {projects} APIs", "gateway", gateway.address());
    if let Some(address) = gateway.tls_address() {
        println!("{:<10}https://{address}", "gateway");
    }
    if let Some(address) = gateway.admin_address() {
        println!("{:<10}http://{address}  /docs/ /health /metrics", "admin");
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
        match reload(&args, &app.config, &compiled, &region, &gateway, partners.as_ref()) {
            Ok(again) => {
                tracing::warn!("loaded again: {}", again.told);
                compiled = again.compiled;
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
            Err(report) => tracing::error!("not loaded, the old state stays in force: {report:?}"),
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
fn compile(app: &Application) -> Result<Compiled> {
    let compiled = app.compile(|built| {
        if !built.cached {
            tracing::info!(program = %built.source.display(), "compiled");
        }
    })?;
    for diagnostic in compiled.built.iter().flat_map(|b| &b.diagnostics) {
        match diagnostic.severity {
            translator::Severity::Error => tracing::error!("{diagnostic}"),
            translator::Severity::Warning => tracing::warn!("{diagnostic}"),
            translator::Severity::Note => tracing::info!("{diagnostic}"),
        }
    }
    Ok(compiled)
}

fn load_apis(app: &Application) -> Result<Vec<Api>> {
    let folder = app.folder.join(&app.config.gateway.apis);
    let apis = Api::load_all(&folder)
        .map_err(|faults| miette!("the API projects in {} cannot be served\n{faults}", folder.display()))?;
    for api in &apis {
        if !api.warnings().0.is_empty() {
            tracing::warn!("{}", api.warnings());
        }
    }
    Ok(apis)
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
    /// The folder's fingerprint before anything of it was read.
    seen: u64,
    /// What there is now, in words.
    told: String,
}

/// Reads the folder again and switches region and gateway over. A program that
/// does not compile any more keeps its `old` module.
fn reload(
    args: &Args,
    before: &Config,
    old: &Compiled,
    region: &Region,
    gateway: &Gateway<RegionBackend>,
    partners: Option<&Partners>,
) -> Result<Reloaded> {
    let app = Arc::new(Application::open(&args.folder, args.state.as_deref())?);
    let seen = changes::fingerprint(&app);
    let mut compiled = compile(&app)?;
    for name in compiled.keep(old) {
        tracing::warn!("{name}: its last version that compiled stays in force");
    }
    let installed = Arc::new(app.install(&compiled.programs)?);
    let apis = load_apis(&app)?;
    let known = partners::known(&app)?;
    let told = format!(
        "{} programs, {} files, {} APIs",
        compiled.programs.len(),
        installed.files.len(),
        apis.len()
    );
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
    if let Some(partners) = partners {
        let lines = known.map(|known| partners.change(known)).unwrap_or_default();
        lines.iter().for_each(|line| tracing::warn!("{line}"));
        partners.define(&app.csd, &installed.region, &region.handle(), app.user()?);
    }
    gateway.reload(apis);
    Ok(Reloaded { app, compiled, seen, told })
}

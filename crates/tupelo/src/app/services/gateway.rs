//! The gateway: REST and JSON in front of the region's programs.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tls::{ClientCertificates, ServerFiles};

use gateway::{
    CorsConfig, Gateway, GatewayConfig, LoadedApi, OperatorTokens, PolicySet, StartError, TlsConfig,
};
use miette::{IntoDiagnostic, Result, bail, miette};

use super::{ConnectionSlot, GatewayExtras, RegionService, RunningRegion};
use crate::app::apis::LoadedApis;
use crate::app::backend::{ProgramProviders, RemoteRegions};
use crate::app::compile::CompiledPrograms;
use crate::app::finding::Findings;
use crate::app::ipconn::doors;
use crate::app::local::LocalRegion;
use crate::app::reported::ReportedFindings;
use crate::app::security::unserved;
use crate::app::store_watch::StoreWatch;
use crate::app::texts::ProgramTexts;
use crate::app::{Application, interfaces, named, ports, scripts};
use crate::log::SERVE;
use crate::operator_token;

/// The gateway and the APIs in force.
#[derive(Default)]
struct GatewayService {
    gateway: Option<Gateway<ProgramProviders>>,
    apis: LoadedApis,
    texts: Arc<ProgramTexts>,
    /// The administration port uses HTTPS.
    admin_tls: bool,
    /// APIs that were read and are not in force yet.
    next: Option<LoadedApis>,
    /// The rule sets for `next`.
    policies: PolicySet,
    /// Handlers in addition to the APIs.
    extras: GatewayExtras,
    /// The connections to other regions.
    connections: ConnectionSlot,
    /// Only the administration port is served.
    without_http: bool,
}

/// The service before its first `prepare`.
pub fn service() -> Box<dyn RegionService> {
    Box::new(GatewayService::default())
}

impl RegionService for GatewayService {
    fn set_extras(&mut self, extras: &GatewayExtras) {
        self.extras = extras.clone();
    }

    fn set_connections(&mut self, connections: &ConnectionSlot) {
        self.connections = connections.clone();
    }

    /// An API with errors keeps its version in force. An API whose copybooks differ from
    /// those of its programs stops the reload: the new programs would be called with the
    /// old layout.
    fn prepare(
        &mut self,
        app: &Application,
        compiled: &CompiledPrograms,
        reported: &mut ReportedFindings,
    ) -> Result<()> {
        if self.gateway.is_none() {
            self.without_http = !app.config.gateway.enabled;
        }
        if self.without_http {
            return Ok(());
        }
        let mut findings = Findings::new(&app.folder);
        let policies = app.policies(&mut findings);
        reported.show_new(&findings);
        let Some(policies) = policies else {
            bail!("a policy of [gateway] cannot be used");
        };
        let mut apis = load_apis(app, compiled, reported);
        // An API that an operator has redeployed keeps that version.
        let running = self.gateway.as_ref().map(Gateway::apis).unwrap_or_default();
        let running = &running;
        if self.gateway.is_none() {
            if apis.good.is_empty() && !apis.bad.is_empty() && app.config.appc.is_none() {
                bail!("no API of {} can be served", app.api_folder().display());
            }
        } else {
            let in_force = |name: &&String| running.iter().any(|api| api.name() == name.as_str());
            if let Some(name) = apis.drifted.iter().find(in_force) {
                bail!(
                    help = format!(
                        "`tupelo api import {name} --update --app {}`",
                        app.folder.display()
                    ),
                    "the copybooks of the API {name} differ from those of its programs"
                );
            }
            for name in apis.keep(running) {
                tracing::warn!(target: SERVE, "API {name}: its last version without errors stays in force");
            }
        }
        self.next = Some(apis);
        self.policies = policies;
        Ok(())
    }

    fn start(&mut self, running: &RunningRegion<'_>) -> Result<()> {
        let app = running.app;
        self.apis = self.next.take().unwrap_or_default();
        self.admin_tls = app.config.admin.tls;
        self.texts.set(running.compiled);
        let map_bytes = u64::from(app.config.store.map_gib) << 30;
        let local = LocalRegion {
            region: running.region.clone(),
            user: running.user,
            store: running
                .store
                .and_then(|path| StoreWatch::new(path, map_bytes).ok())
                .map(Arc::new),
            texts: self.texts.clone(),
            partners: self.extras.partners.clone(),
            terminals: self.extras.terminals.clone(),
        };
        let connections = self.connections.get();
        let remote = connections.map(|connections| RemoteRegions {
            connections: connections.clone(),
            folder: app.folder.clone(),
            lanes: connections.lanes(app, true),
        });
        let backend = ProgramProviders {
            local: Some(local),
            remote: remote.map(Arc::new),
            mainframe: Arc::new(app.mainframe(doors(app))?),
            default: app.config.gateway.connection.clone(),
            web: self.extras.scripts.clone(),
        };
        let apis = self.apis.good.clone();
        let config = GatewayConfig {
            services: self.extras.take(),
            policies: self.policies.clone(),
            loader: Some(app.loader(true)),
            ..gateway_config(app)?
        };
        let gateway = Gateway::start(config, apis, backend);
        let gateway = gateway.map_err(|error| taken(error, app))?;
        note_operators(&gateway, app);
        gateway.report_unserved(unserved(&self.apis, &running.compiled.uncompiled()));
        self.gateway = Some(gateway);
        Ok(())
    }

    fn addresses(&self) -> Vec<(&'static str, String)> {
        let Some(gateway) = &self.gateway else {
            return Vec::new();
        };
        let mut lines: Vec<_> = if self.without_http {
            admin_addresses(gateway, self.admin_tls)
        } else {
            addresses(gateway, &self.apis, self.admin_tls)
        };
        let page = gateway.admin_address();
        let page = page.filter(|_| self.extras.terminals.get().is_some());
        lines.extend(page.map(|admin| {
            let scheme = scheme(self.admin_tls);
            let key = link_key(gateway);
            let page = format!("{scheme}://{admin}/console/terminal.html{key}");
            ("terminal", page)
        }));
        lines
    }

    fn reload(&mut self, running: &RunningRegion<'_>) -> Result<()> {
        self.texts.set(running.compiled);
        if let (Some(gateway), Some(apis)) = (&self.gateway, self.next.take()) {
            self.apis = apis;
            gateway.report_unserved(unserved(&self.apis, &running.compiled.uncompiled()));
            gateway.reload_with(self.apis.good.clone(), self.policies.clone());
        }
        Ok(())
    }

    fn served(&self) -> Option<String> {
        (!self.without_http).then(|| served(&self.apis))
    }

    fn stop(&mut self, limit: Duration) {
        if let Some(gateway) = self.gateway.take() {
            gateway.shutdown(limit);
        }
    }
}

/// The number of operations and APIs, and the names of APIs with errors.
pub fn served(apis: &LoadedApis) -> String {
    let good = crate::app::counted(apis.good.len(), "API");
    match apis.bad.as_slice() {
        [] => good,
        bad => format!("{good}; with errors: {}", bad.join(", ")),
    }
}

/// The addresses of a gateway: lines of a word and an address.
pub fn addresses(
    gateway: &Gateway<ProgramProviders>,
    apis: &LoadedApis,
    admin_tls: bool,
) -> Vec<(&'static str, String)> {
    let address = gateway.address();
    let docs = format!(
        "http://{}/docs/  every API, to read and to try",
        reachable(address)
    );
    let mut lines = vec![
        ("gateway", format!("http://{address}  {}", apis.counted())),
        ("docs", docs),
    ];
    if let Some(address) = gateway.tls_address() {
        lines.push(("gateway", format!("https://{address}")));
    }
    for (name, address) in gateway.service_addresses() {
        lines.push(("web", format!("{address}  TCPIPSERVICE {name}")));
    }
    lines.extend(admin_addresses(gateway, admin_tls));
    lines
}

fn scheme(tls: bool) -> &'static str {
    if tls { "https" } else { "http" }
}

fn admin_addresses(gateway: &Gateway<ProgramProviders>, tls: bool) -> Vec<(&'static str, String)> {
    let Some(address) = gateway.admin_address() else {
        return Vec::new();
    };
    let scheme = scheme(tls);
    let port = format!("{scheme}://{address}  /console/ /health /metrics /apis");
    let mut lines = vec![("admin", port)];
    let key = link_key(gateway);
    if !key.is_empty() {
        lines.push(("console", format!("{scheme}://{address}/console/{key}")));
    }
    lines
}

/// The query of a link to a page that may change something: a key that works once.
/// Empty if users authenticate.
fn link_key(gateway: &Gateway<ProgramProviders>) -> String {
    let key = gateway.operators().and_then(|tokens| tokens.key().ok());
    key.map_or_else(String::new, |key| format!("#key={key}"))
}

/// Writes the address of the administration port, and the path of its token, for the
/// commands; programs cannot connect to it.
pub fn note_operators(gateway: &Gateway<ProgramProviders>, app: &Application) {
    if let Some(admin) = gateway.admin_address() {
        ezasoket::refuse_own_port(admin);
    }
    if let (Some(admin), Some(_)) = (gateway.admin_address(), gateway.operators()) {
        operator_token::note(&app.state, admin);
    }
}

/// Loads the API projects, and prints their diagnostics.
fn load_apis(
    app: &Application,
    compiled: &CompiledPrograms,
    reported: &mut ReportedFindings,
) -> LoadedApis {
    let mut findings = Findings::new(&app.folder);
    let apis = app.load_apis(&mut findings);
    let good: Vec<&LoadedApi> = apis.good.iter().map(|api| &**api).collect();
    findings.extend(interfaces::findings(app, compiled, &good));
    scripts::hidden(app, &good, &mut findings);
    findings.extend(named::findings(app, compiled));
    reported.show_new(&findings);
    apis
}

/// The report about a listener that cannot start: the process that has the port, and
/// what to do.
pub fn taken(error: StartError, app: &Application) -> miette::Report {
    if let StartError::OpenAdministration(address) = &error {
        return miette!(
            help = format!(
                "`tupelo user add NAME --roles admin --app {}` makes a user who may use it; or \
                 listen on 127.0.0.1:{}",
                app.folder.display(),
                address.port()
            ),
            "{error}"
        );
    }
    let StartError::Listen { address, source } = &error else {
        return miette!("{error}");
    };
    if source.kind() != std::io::ErrorKind::AddrInUse {
        return miette!("{error}");
    }
    let who = ports::owner(address.port()).map_or(String::from("another program"), |who| who);
    let (option, key) = if *address == app.config.admin.listen {
        ("--admin", "[admin] listen")
    } else if app.config.gateway.listen == *address {
        ("--listen", "[gateway] listen")
    } else {
        ("tls_listen", "[gateway] tls_listen")
    };
    let next = address.port().saturating_add(1);
    miette!(
        help = format!("{option} {next}, or {key} in tupelo.toml, uses another port"),
        "port {} is in use by {who}",
        address.port()
    )
}

/// An address that a browser on this machine can open.
fn reachable(address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        SocketAddr::new(std::net::Ipv4Addr::LOCALHOST.into(), address.port())
    } else {
        address
    }
}

/// The certificate of HTTPS, if configured; other services use it too.
pub fn tls_config(app: &Application) -> Result<Option<TlsConfig>> {
    let settings = &app.config.gateway;
    match (&settings.tls_certificate, &settings.tls_key) {
        (Some(certificate), Some(key)) => Ok(Some(TlsConfig {
            listen: settings.tls_listen,
            files: ServerFiles {
                certificate: app.folder.join(certificate),
                key: app.folder.join(key),
                clients: settings
                    .tls_client_ca
                    .as_ref()
                    .map(|file| ClientCertificates {
                        authorities: app.folder.join(file),
                        required: settings.tls_client_required,
                    }),
            },
        })),
        (None, None) if settings.tls_client_ca.is_some() => {
            bail!("[gateway] tls_client_ca is for HTTPS: name tls_certificate and tls_key too")
        }
        (None, None) if app.config.admin.tls => {
            bail!("[admin] tls uses the gateway's certificate: name tls_certificate and tls_key")
        }
        (None, None) => Ok(None),
        _ => {
            bail!("[gateway] HTTPS needs both tls_certificate and tls_key");
        }
    }
}

/// The configuration that a gateway is started with.
pub fn gateway_config(app: &Application) -> Result<GatewayConfig> {
    let settings = &app.config.gateway;
    let tls = tls_config(app)?;
    let seconds = |s: u64| u32::try_from(s.saturating_mul(1000)).unwrap_or(u32::MAX);
    let operators = OperatorTokens::new().into_diagnostic()?;
    let written = operator_token::write(&app.state, operators.token());
    written.map_err(|e| miette!("{}: {e}", app.state.display()))?;
    Ok(GatewayConfig {
        listen: settings.listen,
        tls,
        admin: Some(app.config.admin.listen),
        admin_auth: app.config.admin.require_auth,
        admin_tls: app.config.admin.tls,
        http: settings.enabled,
        security: app.security(),
        threads: settings.threads as usize,
        cpus: app.offload_cpus()?,
        max_connections: settings.max_connections as usize,
        memory_bytes: (settings.memory_mib as usize) << 20,
        min_rate_bytes_s: settings.min_rate_bytes_s,
        rate_window_ms: seconds(settings.min_rate_window_s),
        max_body_bytes: settings.max_body_bytes as usize,
        max_header_bytes: settings.max_header_bytes as usize,
        max_headers: settings.max_headers as usize,
        max_json_depth: settings.max_json_depth as usize,
        max_streams: settings.max_streams,
        handshake_timeout_ms: seconds(settings.tls_handshake_timeout_s),
        request_timeout_ms: seconds(settings.request_timeout_s),
        idle_timeout_ms: seconds(settings.idle_timeout_s),
        response_timeout_ms: settings.response_timeout_ms,
        cors: CorsConfig {
            origins: settings.cors_origins.clone(),
            allow_headers: settings.cors_allow_headers.clone(),
            expose_headers: settings.cors_expose_headers.clone(),
            credentials: settings.cors_credentials,
            max_age_s: settings.cors_max_age_s,
        },
        access_log: settings.access_log,
        observe: app.observed()?,
        operators: Some(Arc::new(operators)),
        ..GatewayConfig::default()
    })
}

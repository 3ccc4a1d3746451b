//! CICS sockets: EZASOKET for programs, and the listeners.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use miette::{IntoDiagnostic, Result, WrapErr, bail, miette};
use region::{RegionConfig, SocketOptions};
use sockets::{CallPlace, CharacterTranslation, SocketService, SocketsConfig, TlsSource};

use super::gateway::tls_config;
use super::{RegionService, RunningRegion};
use crate::app::Application;
use crate::app::compile::CompiledPrograms;
use crate::app::reported::ReportedFindings;
use crate::log::SERVE;

/// The socket interface, if it is enabled.
#[derive(Default)]
struct CicsSockets {
    sockets: Option<SocketService>,
    options: SocketOptions,
    /// The settings that are in force, and those that a reload has read.
    in_force: SocketsConfig,
    next: Option<SocketsConfig>,
    started: bool,
}

/// The service before its first `prepare`.
pub fn service() -> Box<dyn RegionService> {
    Box::new(CicsSockets::default())
}

impl RegionService for CicsSockets {
    fn prepare(
        &mut self,
        app: &Application,
        _: &CompiledPrograms,
        _: &mut ReportedFindings,
    ) -> Result<()> {
        let config = settings(app)?;
        if !self.started {
            self.options = options(&config);
            self.in_force = config.clone();
            self.sockets = if config.enabled {
                Some(SocketService::new(config, applid(app)?))
            } else {
                None
            };
        } else if config != self.in_force {
            if config.listeners.values().any(|l| l.tls) && tls_config(app)?.is_none() {
                bail!("[sockets] a listener has tls, and [gateway] names no certificate");
            }
            self.next = Some(config);
        }
        Ok(())
    }

    fn provide(&self, config: &mut RegionConfig) {
        if let Some(sockets) = &self.sockets {
            config.sockets = Some(Arc::new(sockets.clone()));
            config.socket_options = self.options;
        }
    }

    fn start(&mut self, running: &RunningRegion<'_>) -> Result<()> {
        self.started = true;
        let tls = certificate(running.app)?;
        match &self.sockets {
            Some(sockets) => sockets
                .start(&running.region, running.user, tls)
                .into_diagnostic()
                .wrap_err("the listeners of [sockets] cannot start"),
            None => Ok(()),
        }
    }

    fn addresses(&self) -> Vec<(&'static str, String)> {
        let all = self.sockets.iter().flat_map(SocketService::listening);
        let open = all.filter_map(|l| Some(("sockets", format!("{}  {}", l.address?, l.listener))));
        open.collect()
    }

    fn reload(&mut self, _: &RunningRegion<'_>) -> Result<()> {
        let Some(next) = self.next.take() else {
            return Ok(());
        };
        if let Some(sockets) = &self.sockets {
            for why in sockets.reload(&next) {
                tracing::warn!(target: SERVE, "[sockets]: {why}");
            }
        }
        self.in_force = next;
        Ok(())
    }

    fn stop(&mut self, limit: Duration) {
        if let Some(sockets) = self.sockets.take() {
            sockets.stop(limit);
        }
    }
}

/// The gateway's certificate, read again for each connection.
fn certificate(app: &Application) -> Result<Option<TlsSource>> {
    let Some(config) = tls_config(app)? else {
        return Ok(None);
    };
    let tls = tls::server(config.files, &[]).into_diagnostic()?;
    Ok(Some(Arc::new(move || tls.config())))
}

/// The interface of an application whose region runs one task and has no
/// listeners.
pub fn without_listeners(app: &Application, config: &mut RegionConfig) -> Result<()> {
    let settings = settings(app)?;
    if settings.enabled {
        config.socket_options = options(&settings);
        config.sockets = Some(Arc::new(SocketService::new(settings, applid(app)?)));
    }
    Ok(())
}

/// The section with the listeners of its definitions file.
fn settings(app: &Application) -> Result<SocketsConfig> {
    let mut config = app.config.sockets.clone();
    if let Some(path) = config.definitions.clone() {
        let path = app.folder.join(path);
        let text = sources::read_to_string(&path)
            .into_diagnostic()
            .wrap_err_with(|| format!("[sockets] definitions: {}", path.display()))?;
        add(&mut config, &path, &text, &app.config.region.applid)?;
    }
    let wrong: Vec<String> = config.check().iter().map(ToString::to_string).collect();
    if wrong.is_empty() {
        Ok(config)
    } else {
        bail!("tupelo.toml\n{}", wrong.join("\n"))
    }
}

fn add(config: &mut SocketsConfig, path: &Path, text: &str, applid: &str) -> Result<()> {
    let made = sockets::parse_definitions(text, applid);
    if !made.mistakes.is_empty() {
        let wrong: Vec<String> = made.mistakes.iter().map(ToString::to_string).collect();
        bail!("{}\n{}", path.display(), wrong.join("\n"));
    }
    config.ntasks = made.ntasks.unwrap_or(config.ntasks);
    for (name, listener) in made.listeners {
        if config.listeners.insert(name.clone(), listener).is_some() {
            bail!(
                "listener {name} is in [sockets.listeners] and in {}: remove one of the two",
                path.display()
            );
        }
    }
    Ok(())
}

fn options(config: &SocketsConfig) -> SocketOptions {
    SocketOptions {
        enabled: config.enabled,
        local: config.served != CallPlace::Region,
        tables: config.translation == CharacterTranslation::Tables,
    }
}

fn applid(app: &Application) -> Result<[u8; 8]> {
    let applid: region::Name<8> = app
        .config
        .region
        .applid
        .parse()
        .map_err(|e| miette!("[region] applid: {e}"))?;
    Ok(*applid.as_bytes())
}

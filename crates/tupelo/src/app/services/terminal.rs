//! 3270 terminals: the TN3270 listener and the maps of the application.

use std::sync::Arc;
use std::time::Duration;

use miette::{IntoDiagnostic, Result, WrapErr, bail};
use region::RegionConfig;
use terminal::{MapTable, ServerTls, TerminalConfig, TerminalService};

use super::{GatewayExtras, RegionService, RunningRegion, tls_config};
use crate::app::Application;
use crate::app::compile::CompiledPrograms;
use crate::app::counted;
use crate::app::reported::ReportedFindings;
use crate::app::terminal_host::TerminalUsers;

/// The terminals, and maps that were read and are not in force yet.
#[derive(Default)]
struct TerminalDoor {
    terminals: Option<TerminalService>,
    config: TerminalConfig,
    next: Option<MapTable>,
    extras: GatewayExtras,
}

/// The service before its first `prepare`.
pub fn service() -> Box<dyn RegionService> {
    Box::new(TerminalDoor::default())
}

impl RegionService for TerminalDoor {
    fn set_extras(&mut self, extras: &GatewayExtras) {
        self.extras = extras.clone();
    }

    fn prepare(
        &mut self,
        app: &Application,
        _: &CompiledPrograms,
        _: &mut ReportedFindings,
    ) -> Result<()> {
        // Errors of the maps are reported when they are built.
        let maps = MapTable::new(&app.map_sets()?);
        if self.terminals.is_some() {
            self.next = Some(maps);
            return Ok(());
        }
        self.config = app.config.terminal.clone();
        let applid = &app.config.region.applid;
        self.terminals = Some(TerminalService::new(
            self.config.clone(),
            applid,
            maps,
            Some(Arc::new(TerminalUsers::new(app))),
            certificate(app)?,
        ));
        Ok(())
    }

    fn provide(&self, config: &mut RegionConfig) {
        if let Some(terminals) = &self.terminals {
            config.services.push(terminals.service());
            config.guests = Some(terminals.guests(config.guests.take()));
        }
    }

    fn start(&mut self, running: &RunningRegion<'_>) -> Result<()> {
        let Some(terminals) = &mut self.terminals else {
            return Ok(());
        };
        if self.config.browser {
            let _ = self.extras.terminals.set(terminals.browser());
        }
        let listening = terminals.start(&running.region, running.user);
        listening.into_diagnostic().wrap_err_with(|| {
            let address = self.config.listen.map(|address| address.to_string());
            format!(
                "[terminal] cannot listen at {}",
                address.unwrap_or_default()
            )
        })?;
        let own = [terminals.address(), terminals.tls_address()];
        own.into_iter()
            .flatten()
            .for_each(ezasoket::refuse_own_port);
        Ok(())
    }

    fn addresses(&self) -> Vec<(&'static str, String)> {
        let terminals = self.terminals.as_ref();
        let plain = terminals.and_then(TerminalService::address);
        let encrypted = terminals.and_then(TerminalService::tls_address);
        let plain = plain.map(|address| address.to_string());
        let encrypted = encrypted.map(|address| format!("{address}  TLS"));
        let lines = plain.into_iter().chain(encrypted);
        lines.map(|address| ("tn3270", address)).collect()
    }

    fn reload(&mut self, _: &RunningRegion<'_>) -> Result<()> {
        if let (Some(terminals), Some(maps)) = (&self.terminals, self.next.take()) {
            terminals.reload(maps);
        }
        Ok(())
    }

    fn served(&self) -> Option<String> {
        let sets = self.terminals.as_ref().map_or(0, TerminalService::map_sets);
        (sets > 0).then(|| counted(sets, "map set"))
    }

    fn stop(&mut self, _: Duration) {
        self.terminals = None;
    }
}

/// The TLS settings for clients, if TLS is configured: they use the gateway's
/// certificate.
fn certificate(app: &Application) -> Result<Option<ServerTls>> {
    let settings = &app.config.terminal;
    for (unit, page) in &settings.code_pages {
        terminal::code_table(page)
            .map_err(|why| miette::miette!("[terminal.code_pages] {unit}: {why}"))?;
    }
    terminal::code_table(&settings.code_page)
        .map_err(|why| miette::miette!("[terminal] code_page: {why}"))?;
    if !settings.needs_certificate() {
        return Ok(None);
    }
    let Some(tls) = tls_config(app)? else {
        bail!(
            "[terminal] tls_listen and start_tls use the gateway's certificate: name \
             tls_certificate and tls_key in [gateway]"
        );
    };
    let read = ::tls::server(tls.files, &[]).into_diagnostic()?;
    Ok(Some(read))
}

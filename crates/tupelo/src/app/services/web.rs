//! Web support: EXEC CICS WEB at the TCPIPSERVICEs, on the gateway's HTTP stack.

use std::sync::Arc;
use std::time::Duration;

use cics::csd::{TcpIpServiceDef, UriMapUsage};
use miette::{Result, bail};
use region::RegionConfig;
use web::{CicsWebSupport, WebDefinitions};

use super::{GatewayExtras, RegionService, RunningRegion};
use crate::app::Application;
use crate::app::compile::CompiledPrograms;
use crate::app::counted;
use crate::app::finding::{Findings, Severity};
use crate::app::reported::ReportedFindings;
use crate::app::web as support;
use crate::log::SERVE;

/// Web support, and definitions that were read and are not in force yet.
#[derive(Default)]
struct WebSupport {
    extras: GatewayExtras,
    web: Option<CicsWebSupport>,
    next: Option<WebDefinitions>,
    /// The TCPIPSERVICEs that listen.
    services: Vec<TcpIpServiceDef>,
    maps: usize,
}

/// The service before its first `prepare`.
pub fn service() -> Box<dyn RegionService> {
    Box::new(WebSupport::default())
}

impl RegionService for WebSupport {
    fn set_extras(&mut self, extras: &GatewayExtras) {
        self.extras = extras.clone();
    }

    fn prepare(
        &mut self,
        app: &Application,
        _: &CompiledPrograms,
        reported: &mut ReportedFindings,
    ) -> Result<()> {
        let mut findings = Findings::new(&app.folder);
        let edition = support::read(app, &mut findings);
        reported.show_new(&findings);
        let errors = findings.count(Severity::Error);
        if errors > 0 {
            // A message must not skip a step that its pipeline demands.
            bail!("{} in pipelines and web services", counted(errors, "error"));
        }
        match &self.web {
            None => {
                let web = support::make(app, edition);
                self.services.clone_from(&app.csd.tcpipservices);
                self.extras
                    .give(support::services(app, &web, &self.extras.scripts)?);
                self.web = Some(web);
                self.maps = served(app);
            }
            Some(_) => {
                if self.services != app.csd.tcpipservices {
                    tracing::warn!(
                        target: SERVE,
                        "a TCPIPSERVICE has changed: restart the server to apply the change"
                    );
                }
                self.next = Some(edition);
            }
        }
        Ok(())
    }

    fn provide(&self, config: &mut RegionConfig) {
        if let Some(web) = &self.web {
            config.services.push(Arc::new(web.clone()));
        }
    }

    fn start(&mut self, running: &RunningRegion<'_>) -> Result<()> {
        if let Some(web) = &self.web {
            web.start(running.region.clone(), running.user);
        }
        Ok(())
    }

    fn addresses(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn reload(&mut self, running: &RunningRegion<'_>) -> Result<()> {
        if let (Some(web), Some(edition)) = (&self.web, self.next.take()) {
            web.reload(edition);
            self.maps = served(running.app);
        }
        Ok(())
    }

    fn served(&self) -> Option<String> {
        (self.maps > 0).then(|| counted(self.maps, "URIMAP"))
    }

    fn stop(&mut self, _: Duration) {
        if let Some(web) = self.web.take() {
            web.stop();
        }
    }
}

fn served(app: &Application) -> usize {
    let maps = app.csd.urimaps.iter();
    maps.filter(|m| m.usage != UriMapUsage::Client).count()
}

/// Web support of an application whose region runs one task and does not listen:
/// documents, and sessions with servers.
pub fn without_services(app: &Application, config: &mut RegionConfig) {
    let mut findings = Findings::new(&app.folder);
    let edition = support::read(app, &mut findings);
    let web = support::make(app, edition);
    config.services.push(Arc::new(web));
}

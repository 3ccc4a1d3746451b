//! Scripts: JavaScript in the region, served at paths of the gateway.

use std::sync::Arc;
use std::time::Duration;

use miette::Result;
use region::RegionConfig;
use script::{LoadedScripts, ScriptService};

use super::{GatewayExtras, RegionService, RunningRegion};
use crate::app::Application;
use crate::app::compile::CompiledPrograms;
use crate::app::reported::ReportedFindings;
use crate::app::scripts::{self, ScriptGuests, ScriptWeb, WebSlot};
use crate::log::SERVE;

/// The scripts in force.
#[derive(Default)]
struct ScriptHosting {
    web: WebSlot,
    guests: ScriptGuests,
    scripts: Option<Arc<ScriptService>>,
    /// Scripts that were read and are not in force yet.
    next: Option<LoadedScripts>,
    /// The process serves no HTTP, so no request reaches the routes.
    without_http: bool,
}

/// The service before its first `prepare`.
pub fn service() -> Box<dyn RegionService> {
    Box::new(ScriptHosting::default())
}

impl RegionService for ScriptHosting {
    fn set_extras(&mut self, extras: &GatewayExtras) {
        self.web = extras.scripts.clone();
    }

    /// At the start scripts with errors are left out. At a reload with errors all scripts
    /// stay as they were, since they import each other.
    fn prepare(
        &mut self,
        app: &Application,
        _: &CompiledPrograms,
        reported: &mut ReportedFindings,
    ) -> Result<()> {
        let checked = scripts::check(app);
        reported.show_new(&scripts::findings(app, &checked));
        self.next = Some(checked);
        Ok(())
    }

    fn provide(&self, config: &mut RegionConfig) {
        config.guests = Some(Arc::new(self.guests.clone()));
    }

    fn start(&mut self, running: &RunningRegion<'_>) -> Result<()> {
        self.without_http = !running.app.config.gateway.enabled;
        if let Some(checked) = self.next.take() {
            let config = &running.app.config.script;
            let scripts =
                ScriptService::start(running.region.clone(), running.user, config, checked);
            let scripts = Arc::new(scripts);
            let _ = self.guests.0.set(scripts.clone());
            let _ = self.web.set(Arc::new(ScriptWeb(scripts.clone())));
            self.scripts = Some(scripts);
        }
        Ok(())
    }

    fn addresses(&self) -> Vec<(&'static str, String)> {
        let scripts = self.scripts.as_ref().filter(|_| !self.without_http);
        let now = scripts.map(|s| s.now());
        let routes = now.iter().flat_map(|now| now.routes.iter());
        routes
            .map(|route| ("script", format!("{}  {}", route.path, route.script)))
            .collect()
    }

    fn reload(&mut self, _: &RunningRegion<'_>) -> Result<()> {
        let (Some(scripts), Some(next)) = (&self.scripts, self.next.take()) else {
            return Ok(());
        };
        if next.mistakes.is_empty() {
            scripts.reload(next)
        } else {
            tracing::warn!(target: SERVE, "the scripts stay as they were")
        }
        Ok(())
    }

    fn served(&self) -> Option<String> {
        let now = self.scripts.as_ref()?.now();
        let routes = now.routes.iter().count();
        (routes > 0).then(|| crate::app::counted(routes, "script route"))
    }

    fn stop(&mut self, _: Duration) {
        if let Some(scripts) = self.scripts.take() {
            scripts.stop();
        }
    }
}

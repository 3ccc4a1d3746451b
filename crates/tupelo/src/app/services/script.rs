//! Scripts: JavaScript in the region, behind the gateway's paths.

use std::sync::Arc;
use std::time::Duration;

use miette::Result;
use region::RegionConfig;
use script::{LoadedScripts, ScriptService};

use super::{GatewayExtras, RegionService, RunningRegion};
use crate::app::Application;
use crate::app::compile::CompiledPrograms;
use crate::app::said::ReportedFindings;
use crate::app::scripts::{self, ScriptGuests, ScriptWeb, WebSlot};
use crate::log::SERVE;

/// The scripts in force.
#[derive(Default)]
struct ScriptHosting {
    web: WebSlot,
    guests: ScriptGuests,
    scripts: Option<Arc<ScriptService>>,
    /// What was read and is not in force yet.
    next: Option<LoadedScripts>,
    /// Nobody reaches their routes: the process serves no HTTP.
    without_http: bool,
}

/// A service that has read nothing yet.
pub fn service() -> Box<dyn RegionService> {
    Box::new(ScriptHosting::default())
}

impl RegionService for ScriptHosting {
    fn set_extras(&mut self, beside: &GatewayExtras) {
        self.web = beside.scripts.clone();
    }

    /// Scripts with mistakes are left out at the start; at a reload all stay as
    /// they were, since they import each other.
    fn prepare(
        &mut self,
        app: &Application,
        _: &CompiledPrograms,
        said: &mut ReportedFindings,
    ) -> Result<()> {
        let checked = scripts::check(app);
        said.show_new(&scripts::findings(app, &checked));
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

//! EXEC SQL: sessions with the SQL server for programs.

use std::time::Duration;

use database::{SqlConfig, SqlService};
use miette::Result;
use region::{Region, RegionConfig};

use super::{GatewayExtras, RegionService, RunningRegion, SqlSlot};
use crate::app::Application;
use crate::app::compile::CompiledPrograms;
use crate::app::reported::ReportedFindings;
use crate::app::sql;
use crate::log::SERVE;

/// The service, once the settings are read.
#[derive(Default)]
struct SqlDoor {
    service: Option<SqlService>,
    config: SqlConfig,
    slot: SqlSlot,
}

/// The service before its first `prepare`.
pub fn service() -> Box<dyn RegionService> {
    Box::new(SqlDoor::default())
}

impl RegionService for SqlDoor {
    fn prepare(
        &mut self,
        app: &Application,
        _: &CompiledPrograms,
        _: &mut ReportedFindings,
    ) -> Result<()> {
        let config = sql::settings(app)?;
        if self.service.is_none() {
            let service = sql::service(app)?;
            let _ = self.slot.set(service.clone());
            self.service = Some(service);
            self.config = config;
        } else if config != self.config {
            tracing::warn!(
                target: SERVE,
                "[sql] has changed: restart the server to apply the change"
            );
        }
        Ok(())
    }

    fn set_extras(&mut self, extras: &GatewayExtras) {
        self.slot = extras.sql.clone();
    }

    fn provide(&self, config: &mut RegionConfig) {
        if let Some(service) = &self.service {
            config.services.push(service.service());
        }
    }

    fn start(&mut self, running: &RunningRegion<'_>) -> Result<()> {
        if let Some(service) = &self.service {
            service.start(&running.region);
        }
        Ok(())
    }

    fn addresses(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn reload(&mut self, _: &RunningRegion<'_>) -> Result<()> {
        Ok(())
    }

    fn stop(&mut self, _: Duration) {
        if let Some(service) = self.service.take() {
            service.stop();
        }
    }
}

/// EXEC SQL of a region that runs one task.
pub struct SqlOfOneTask(SqlService);

impl SqlOfOneTask {
    /// Adds EXEC SQL to the region's configuration before it starts.
    ///
    /// # Errors
    /// The settings have errors.
    pub fn provide(app: &Application, config: &mut RegionConfig) -> Result<SqlOfOneTask> {
        let service = sql::service(app)?;
        config.services.push(service.service());
        Ok(SqlOfOneTask(service))
    }

    /// Attaches the service to the running region.
    pub fn start(&self, region: &Region) {
        self.0.start(&region.handle());
    }
}

impl Drop for SqlOfOneTask {
    fn drop(&mut self) {
        self.0.stop();
    }
}

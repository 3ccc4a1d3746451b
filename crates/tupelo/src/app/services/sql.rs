//! EXEC SQL: sessions with the SQL server for programs.

use std::time::Duration;

use database::{SqlConfig, SqlService};
use miette::Result;
use region::{Region, RegionConfig};

use super::{Running, Service};
use crate::app::Application;
use crate::app::compile::Compiled;
use crate::app::said::Said;
use crate::app::sql;
use crate::log::SERVE;

/// The service, once the settings were read.
#[derive(Default)]
struct SqlDoor {
    service: Option<SqlService>,
    config: SqlConfig,
}

/// A service that has read nothing yet.
pub fn service() -> Box<dyn Service> {
    Box::new(SqlDoor::default())
}

impl Service for SqlDoor {
    fn prepare(&mut self, app: &Application, _: &Compiled, _: &mut Said) -> Result<()> {
        let config = sql::settings(app)?;
        if self.service.is_none() {
            self.service = Some(sql::service(app)?);
            self.config = config;
        } else if config != self.config {
            tracing::warn!(
                target: SERVE,
                "[sql] has changed: a new start of the region takes the change over"
            );
        }
        Ok(())
    }

    fn provide(&self, config: &mut RegionConfig) {
        if let Some(service) = &self.service {
            config.services.push(service.service());
        }
    }

    fn start(&mut self, running: &Running<'_>) -> Result<()> {
        if let Some(service) = &self.service {
            service.start(&running.region);
        }
        Ok(())
    }

    fn addresses(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn reload(&mut self, _: &Running<'_>) -> Result<()> {
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
    /// Gives the region, before it starts, what it needs.
    ///
    /// # Errors
    /// The settings are wrong.
    pub fn provide(app: &Application, config: &mut RegionConfig) -> Result<SqlOfOneTask> {
        let service = sql::service(app)?;
        config.services.push(service.service());
        Ok(SqlOfOneTask(service))
    }

    /// The region runs.
    pub fn start(&self, region: &Region) {
        self.0.start(&region.handle());
    }
}

impl Drop for SqlOfOneTask {
    fn drop(&mut self) {
        self.0.stop();
    }
}

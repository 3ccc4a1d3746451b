//! APPC: the region's LU 6.2 node.

use std::sync::Arc;
use std::time::Duration;

use miette::Result;
use region::RegionConfig;

use super::{Beside, Running, Service};
use crate::app::Application;
use crate::app::appc::{self as partners, Partners};
use crate::app::compile::Compiled;
use crate::app::known::Known;
use crate::app::said::Said;

/// The node, when the application has an `[appc]` section.
#[derive(Default)]
struct Appc {
    partners: Option<Partners>,
    /// What a reload has read.
    next: Option<Known>,
    /// Who shows it to operators.
    beside: Beside,
}

/// A service that has read nothing yet.
pub fn service() -> Box<dyn Service> {
    Box::new(Appc::default())
}

impl Service for Appc {
    fn meet(&mut self, beside: &Beside) {
        self.beside = beside.clone();
    }

    fn prepare(&mut self, app: &Application, _: &Compiled, _: &mut Said) -> Result<()> {
        match &self.partners {
            None => self.partners = partners::start(app)?,
            Some(_) => self.next = partners::known(app)?,
        }
        Ok(())
    }

    fn provide(&self, config: &mut RegionConfig) {
        if let Some(partners) = &self.partners {
            config.conversations = Some(Arc::new(partners.clone()));
        }
    }

    fn start(&mut self, running: &Running<'_>) -> Result<()> {
        if let Some(partners) = &self.partners {
            partners.define(&running.app.csd, &running.region, running.user);
            let _ = self.beside.partners.set(partners.clone());
        }
        Ok(())
    }

    fn addresses(&self) -> Vec<(&'static str, String)> {
        let listening = self.partners.as_ref().and_then(|p| p.host().listening());
        let line = listening.map(|address| ("appc", format!("dlsw://{address}")));
        line.into_iter().collect()
    }

    fn reload(&mut self, running: &Running<'_>) -> Result<()> {
        let known = self.next.take();
        if let (Some(partners), Some(known)) = (&self.partners, known) {
            for line in partners.change(known) {
                tracing::warn!("{line}");
            }
        }
        self.start(running)
    }

    fn stop(&mut self, _: Duration) {
        if let Some(partners) = self.partners.take() {
            partners.host().stop();
        }
    }
}

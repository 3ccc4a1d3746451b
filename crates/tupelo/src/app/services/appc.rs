//! APPC: the region's LU 6.2 node.

use std::sync::Arc;
use std::time::Duration;

use miette::Result;
use region::RegionConfig;

use super::{GatewayExtras, RegionService, RunningRegion};
use crate::app::Application;
use crate::app::appc::{self as partners, PartnerDirectory};
use crate::app::compile::CompiledPrograms;
use crate::app::known::KnownPartners;
use crate::app::reported::ReportedFindings;

/// The node, if the application has an `[appc]` section.
#[derive(Default)]
struct AppcService {
    partners: Option<PartnerDirectory>,
    /// The definitions that a reload has read.
    next: Option<KnownPartners>,
    /// Shows the node to operators.
    extras: GatewayExtras,
}

/// The service before its first `prepare`.
pub fn service() -> Box<dyn RegionService> {
    Box::new(AppcService::default())
}

impl RegionService for AppcService {
    fn set_extras(&mut self, extras: &GatewayExtras) {
        self.extras = extras.clone();
    }

    fn prepare(
        &mut self,
        app: &Application,
        _: &CompiledPrograms,
        _: &mut ReportedFindings,
    ) -> Result<()> {
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

    fn start(&mut self, running: &RunningRegion<'_>) -> Result<()> {
        if let Some(partners) = &self.partners {
            if let Some(listening) = partners.host().listening() {
                ezasoket::refuse_own_port(listening);
            }
            partners.define(&running.app.csd, &running.region, running.user);
            let _ = self.extras.partners.set(partners.clone());
        }
        Ok(())
    }

    fn addresses(&self) -> Vec<(&'static str, String)> {
        let listening = self.partners.as_ref().and_then(|p| p.host().listening());
        let line = listening.map(|address| ("appc", format!("dlsw://{address}")));
        line.into_iter().collect()
    }

    fn reload(&mut self, running: &RunningRegion<'_>) -> Result<()> {
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

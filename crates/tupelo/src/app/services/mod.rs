//! The services of a region: what it offers beside running programs.
//!
//! A service reads what it needs of the application, starts when the region
//! runs, takes over what a reload has read, and stops. To add one: write its
//! file and a row in [`SERVICES`]. Its threads say for which kind of engine
//! they work ([`region::engine::enter`]).

mod appc;
mod batch;
pub mod front;
mod gateway;
mod ipconn;
mod requester;
mod script;
mod sockets;
mod sql;
mod terminal;
mod web;

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use ::gateway::ServiceConfig;
use ::terminal::BrowserTerminals;
use miette::Result;
use region::{Handle, RegionConfig, UserId};

use super::Application;
use super::appc::PartnerDirectory;
use super::compile::CompiledPrograms;
use super::said::ReportedFindings;
use super::scripts::WebSlot;

/// Every service, in the order they start. They stop in the other one.
const SERVICES: &[fn() -> Box<dyn RegionService>] = &[
    appc::service,
    ipconn::service,
    sockets::service,
    sql::service,
    script::service,
    web::service,
    requester::service,
    terminal::service,
    batch::service,
    gateway::service,
];

pub use gateway::tls_config;
pub use ipconn::ConnectionSlot;
pub use requester::{read as read_requesters, without_region as requester_without_region};
pub use sockets::without_listeners as sockets_without_listeners;
pub use sql::SqlOfOneTask;
pub use web::without_services as web_without_services;

/// What the gateway serves beside its APIs, as others give it.
#[derive(Clone, Default)]
pub struct GatewayExtras {
    /// Scripts, by path.
    pub scripts: WebSlot,
    services: Arc<Mutex<Vec<ServiceConfig>>>,
    /// The terminals in browsers.
    pub terminals: Arc<OnceLock<Arc<BrowserTerminals>>>,
    /// The APPC node, for what operators are shown.
    pub partners: Arc<OnceLock<PartnerDirectory>>,
}

impl GatewayExtras {
    /// Gives addresses that are served by somebody else.
    pub fn give(&self, services: Vec<ServiceConfig>) {
        let mut all = self.services.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(services);
    }

    /// Takes what was given.
    pub fn take(&self) -> Vec<ServiceConfig> {
        let mut all = self.services.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *all)
    }
}

/// Something that a region offers.
pub trait RegionService {
    /// Reads what it needs of an application, at the start and for a reload,
    /// and says what is wrong with it. Nothing is taken over yet.
    fn prepare(
        &mut self,
        app: &Application,
        compiled: &CompiledPrograms,
        said: &mut ReportedFindings,
    ) -> Result<()>;

    /// Hears where the gateway finds what is served beside its APIs.
    fn set_extras(&mut self, _beside: &GatewayExtras) {}

    /// Hears where the connections to other regions are found.
    fn set_connections(&mut self, _connections: &ConnectionSlot) {}

    /// Gives the region, before it starts, what it needs of the service.
    fn provide(&self, _config: &mut RegionConfig) {}

    /// Takes up work with what was prepared.
    fn start(&mut self, running: &RunningRegion<'_>) -> Result<()>;

    /// Where it is reached: lines of a word and an address.
    fn addresses(&self) -> Vec<(&'static str, String)>;

    /// Takes over what was prepared; what is under way ends as it began.
    fn reload(&mut self, running: &RunningRegion<'_>) -> Result<()>;

    /// What it serves now, in words; none when it has nothing to tell.
    fn served(&self) -> Option<String> {
        None
    }

    /// Takes nothing new and waits, so long at most, for what is under way;
    /// then it is over.
    fn stop(&mut self, limit: Duration);
}

/// A region with its application, as services see it.
pub struct RunningRegion<'a> {
    /// The application.
    pub app: &'a Application,
    /// Its programs.
    pub compiled: &'a CompiledPrograms,
    /// The region.
    pub region: Handle,
    /// Who runs what nobody is named for.
    pub user: UserId,
    /// Folder of the store, when there is one.
    pub store: Option<&'a Path>,
}

/// All services of a region.
pub struct RegionServices(Vec<Box<dyn RegionService>>);

impl RegionServices {
    /// Services that have not read anything yet.
    pub fn new() -> RegionServices {
        let beside = GatewayExtras::default();
        let connections = ConnectionSlot::default();
        let made = SERVICES.iter().map(|make| {
            let mut service = make();
            service.set_extras(&beside);
            service.set_connections(&connections);
            service
        });
        RegionServices(made.collect())
    }

    /// Each reads what it needs.
    pub fn prepare(
        &mut self,
        app: &Application,
        compiled: &CompiledPrograms,
        said: &mut ReportedFindings,
    ) -> Result<()> {
        let mut each = self.0.iter_mut();
        each.try_for_each(|service| service.prepare(app, compiled, said))
    }

    /// Each gives the region what it needs.
    pub fn provide(&self, config: &mut RegionConfig) {
        self.0.iter().for_each(|service| service.provide(config));
    }

    /// Each takes up work.
    pub fn start(&mut self, running: &RunningRegion<'_>) -> Result<()> {
        self.0
            .iter_mut()
            .try_for_each(|service| service.start(running))
    }

    /// Where they are reached.
    pub fn addresses(&self) -> Vec<(&'static str, String)> {
        self.0
            .iter()
            .rev()
            .flat_map(|service| service.addresses())
            .collect()
    }

    /// Each takes over what it has read.
    pub fn reload(&mut self, running: &RunningRegion<'_>) -> Result<()> {
        self.0
            .iter_mut()
            .try_for_each(|service| service.reload(running))
    }

    /// What they serve, in words.
    pub fn served(&self) -> Vec<String> {
        self.0
            .iter()
            .filter_map(|service| service.served())
            .collect()
    }

    /// Each ends, the last first.
    pub fn stop(&mut self, limit: Duration) {
        self.0
            .iter_mut()
            .rev()
            .for_each(|service| service.stop(limit));
    }
}

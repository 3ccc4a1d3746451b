//! The services of a region: what it offers in addition to running programs.
//!
//! A service reads what it needs of the application, starts with the region, applies
//! what a reload has read, and stops. To add one, write its file and a row in
//! [`SERVICES`]. Its threads declare the kind of engine that they work for
//! ([`region::engine::enter`]).

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
use super::reported::ReportedFindings;
use super::scripts::WebSlot;

/// All services in the order of their start. They stop in the reverse order.
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

/// The slot in which the region's EXEC SQL is found.
pub type SqlSlot = Arc<OnceLock<database::SqlService>>;

/// Handlers of other services that the gateway serves in addition to its APIs.
#[derive(Clone, Default)]
pub struct GatewayExtras {
    /// Scripts, by path.
    pub scripts: WebSlot,
    services: Arc<Mutex<Vec<ServiceConfig>>>,
    /// The terminals in browsers.
    pub terminals: Arc<OnceLock<Arc<BrowserTerminals>>>,
    /// EXEC SQL, which ends units of work of batch jobs.
    pub sql: SqlSlot,
    /// The APPC node, whose state operators can query.
    pub partners: Arc<OnceLock<PartnerDirectory>>,
}

impl GatewayExtras {
    /// Adds addresses whose requests another service handles.
    pub fn give(&self, services: Vec<ServiceConfig>) {
        let mut all = self.services.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(services);
    }

    /// Removes and returns the added addresses.
    pub fn take(&self) -> Vec<ServiceConfig> {
        let mut all = self.services.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *all)
    }
}

/// A service that a region offers.
pub trait RegionService {
    /// Reads what the service needs of an application, at the start and for a reload, and
    /// reports errors. Nothing takes effect yet.
    fn prepare(
        &mut self,
        app: &Application,
        compiled: &CompiledPrograms,
        reported: &mut ReportedFindings,
    ) -> Result<()>;

    /// Passes the slots in which the gateway finds the handlers of other services.
    fn set_extras(&mut self, _extras: &GatewayExtras) {}

    /// Passes the slot in which the connections to other regions are found.
    fn set_connections(&mut self, _connections: &ConnectionSlot) {}

    /// Adds the service's hooks to the region's configuration before it starts.
    fn provide(&self, _config: &mut RegionConfig) {}

    /// Starts the service with what was prepared.
    fn start(&mut self, running: &RunningRegion<'_>) -> Result<()>;

    /// The service's addresses: lines of a word and an address.
    fn addresses(&self) -> Vec<(&'static str, String)>;

    /// Applies what was prepared; requests in progress end as they began.
    fn reload(&mut self, running: &RunningRegion<'_>) -> Result<()>;

    /// A summary of what is served now. Returns `None` if there is nothing to report.
    fn served(&self) -> Option<String> {
        None
    }

    /// Accepts nothing new, waits at most this time for requests in progress, and ends.
    fn stop(&mut self, limit: Duration);
}

/// A running region with its application, as services see it.
pub struct RunningRegion<'a> {
    /// The application.
    pub app: &'a Application,
    /// Its programs.
    pub compiled: &'a CompiledPrograms,
    /// The region.
    pub region: Handle,
    /// The user of tasks whose caller is not authenticated.
    pub user: UserId,
    /// Folder of the store, if there is one.
    pub store: Option<&'a Path>,
}

/// All services of a region.
pub struct RegionServices(Vec<Box<dyn RegionService>>);

impl RegionServices {
    /// The services before their first `prepare`.
    pub fn new() -> RegionServices {
        let extras = GatewayExtras::default();
        let connections = ConnectionSlot::default();
        let made = SERVICES.iter().map(|make| {
            let mut service = make();
            service.set_extras(&extras);
            service.set_connections(&connections);
            service
        });
        RegionServices(made.collect())
    }

    /// Calls `prepare` of each service.
    pub fn prepare(
        &mut self,
        app: &Application,
        compiled: &CompiledPrograms,
        reported: &mut ReportedFindings,
    ) -> Result<()> {
        let mut each = self.0.iter_mut();
        each.try_for_each(|service| service.prepare(app, compiled, reported))
    }

    /// Calls `provide` of each service.
    pub fn provide(&self, config: &mut RegionConfig) {
        self.0.iter().for_each(|service| service.provide(config));
    }

    /// Starts each service.
    pub fn start(&mut self, running: &RunningRegion<'_>) -> Result<()> {
        self.0
            .iter_mut()
            .try_for_each(|service| service.start(running))
    }

    /// The addresses of all services.
    pub fn addresses(&self) -> Vec<(&'static str, String)> {
        self.0
            .iter()
            .rev()
            .flat_map(|service| service.addresses())
            .collect()
    }

    /// Calls `reload` of each service.
    pub fn reload(&mut self, running: &RunningRegion<'_>) -> Result<()> {
        self.0
            .iter_mut()
            .try_for_each(|service| service.reload(running))
    }

    /// The summaries of all services.
    pub fn served(&self) -> Vec<String> {
        self.0
            .iter()
            .filter_map(|service| service.served())
            .collect()
    }

    /// Stops each service, the last one first.
    pub fn stop(&mut self, limit: Duration) {
        self.0
            .iter_mut()
            .rev()
            .for_each(|service| service.stop(limit));
    }
}

//! `ipconn`: the listener for gateways and regions, and the connections to other
//! regions for programs that name a SYSID.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ipconn::{Listener, RegionCaller, ServedRegion, StartError};
use miette::{Result, miette};
use region::RegionConfig;

use super::{RegionService, RunningRegion};
use crate::app::compile::CompiledPrograms;
use crate::app::ipconn::{IpconnConnections, config};
use crate::app::reported::ReportedFindings;
use crate::app::systems::RemoteSystems;
use crate::app::units::Coordinator;
use crate::app::{Application, ports};
use crate::log::SERVE;

/// The slot in which the gateway finds the connections, once they are read.
pub type ConnectionSlot = Arc<OnceLock<IpconnConnections>>;

/// The listener and the connections, if the application has them.
#[derive(Default)]
struct IpconnService {
    slot: ConnectionSlot,
    caller: Option<RegionCaller>,
    coordinator: Coordinator,
    listener: Option<Listener>,
}

/// The service before its first `prepare`.
pub fn service() -> Box<dyn RegionService> {
    Box::new(IpconnService::default())
}

impl RegionService for IpconnService {
    fn set_connections(&mut self, slot: &ConnectionSlot) {
        self.slot = slot.clone();
    }

    fn prepare(
        &mut self,
        app: &Application,
        _: &CompiledPrograms,
        _: &mut ReportedFindings,
    ) -> Result<()> {
        if let Some(before) = self.slot.get() {
            if config(app)?.connections != before.config.connections {
                tracing::warn!(
                    target: SERVE,
                    "the connections to other regions have changed: restart the server to apply the change"
                );
            }
            return Ok(());
        }
        let read = IpconnConnections::read(app)?;
        if !read.config.connections.is_empty() {
            let lanes = read.lanes(app, true);
            let (config, who) = (&read.config, &read.who);
            let opened = self.coordinator.opened();
            let caller =
                RegionCaller::start(config, &app.folder, who, lanes, &read.directory, opened);
            let caller = caller.map_err(|e| miette!("[ipconn.connections] {e}"))?;
            self.coordinator
                .calls(read.directory.clone(), caller.clone());
            self.caller = Some(caller);
        }
        let _ = self.slot.set(read);
        Ok(())
    }

    fn provide(&self, config: &mut RegionConfig) {
        let directory = self.slot.get().map(|read| read.directory.clone());
        let regions = directory.zip(self.caller.clone());
        let regions =
            regions.map(|(directory, caller)| (directory, caller, self.coordinator.clone()));
        let partners = config.conversations.take();
        if regions.is_some() || partners.is_some() {
            config.conversations = Some(Arc::new(RemoteSystems { regions, partners }));
        }
    }

    fn start(&mut self, running: &RunningRegion<'_>) -> Result<()> {
        let Some(read) = self.slot.get() else {
            return Ok(());
        };
        self.coordinator.start(running.region.clone());
        let served = ServedRegion {
            region: running.region.clone(),
            user: running.user,
        };
        let folder = &running.app.folder;
        let started = Listener::start(
            &read.config,
            folder,
            &read.who,
            served,
            read.directory.clone(),
        );
        self.listener = started.map_err(taken)?;
        if let Some(listener) = &self.listener {
            ezasoket::refuse_own_port(listener.address());
        }
        Ok(())
    }

    fn addresses(&self) -> Vec<(&'static str, String)> {
        let Some(read) = self.slot.get() else {
            return Vec::new();
        };
        let listening = self.listener.iter().map(|listener| {
            let name = &read.who.applid;
            ("ipconn", format!("{}  {name}", listener.address()))
        });
        listening.collect()
    }

    /// The settings are those of the start; the region has the new programs.
    fn reload(&mut self, _: &RunningRegion<'_>) -> Result<()> {
        Ok(())
    }

    fn stop(&mut self, limit: Duration) {
        if let Some(listener) = self.listener.take() {
            listener.stop(limit);
        }
    }
}

/// The report about a listener that cannot start: the process that has the port, and
/// what to do.
fn taken(error: StartError) -> miette::Report {
    let StartError::Listen { address, source } = &error else {
        return miette!("[ipconn] {error}");
    };
    if source.kind() != std::io::ErrorKind::AddrInUse {
        return miette!("[ipconn] {error}");
    }
    let who = ports::owner(address.port()).unwrap_or_else(|| "another program".into());
    let (port, next) = (address.port(), address.port().saturating_add(1));
    miette!(
        help = format!("--ipconn {next}, or [ipconn] listen in tupelo.toml, uses another port"),
        "port {port} is in use by {who}"
    )
}

//! A gateway without a region: it serves the APIs of an application whose programs
//! run in regions of other processes.
//!
//! Nothing is compiled. The folder has the settings and the API projects.

use std::sync::Arc;
use std::time::Duration;

use gateway::{Gateway, GatewayConfig, PolicySet};
use miette::{Result, bail};

use super::gateway::{addresses, gateway_config, note_operators, served, taken};
use crate::app::Application;
use crate::app::apis::LoadedApis;
use crate::app::backend::{ProgramProviders, RemoteRegions};
use crate::app::finding::Findings;
use crate::app::ipconn::{IpconnConnections, doors};
use crate::app::reported::ReportedFindings;
use crate::app::security::unserved;
use crate::log::SERVE;

/// A running gateway.
pub struct RunningGateway {
    gateway: Gateway<ProgramProviders>,
    apis: LoadedApis,
    admin_tls: bool,
}

impl RunningGateway {
    /// Reads the APIs and serves them.
    pub fn start(app: &Application, reported: &mut ReportedFindings) -> Result<RunningGateway> {
        let connections = IpconnConnections::read(app)?;
        if connections.config.connections.is_empty() && app.config.mainframe.connections.is_empty()
        {
            bail!(
                help = "[ipconn.connections.NAME] with address = \"host:1435\" in tupelo.toml configures one",
                "a gateway without a region needs a connection to one, and none is configured"
            );
        }
        let apis = load(app, reported);
        if apis.good.is_empty() && !apis.bad.is_empty() {
            bail!("no API of {} can be served", app.api_folder().display());
        }
        let providers = ProgramProviders {
            local: None,
            remote: Some(Arc::new(RemoteRegions {
                lanes: connections.lanes(app, false),
                connections,
                folder: app.folder.clone(),
            })),
            mainframe: Arc::new(app.mainframe(doors(app))?),
            default: app.config.gateway.connection.clone(),
            web: Arc::default(),
        };
        let config = GatewayConfig {
            policies: policies(app, reported)?,
            loader: Some(app.loader(false)),
            ..gateway_config(app)?
        };
        let gateway = Gateway::start(config, apis.good.clone(), providers);
        let gateway = gateway.map_err(|error| taken(error, app))?;
        note_operators(&gateway, app);
        gateway.report_unserved(unserved(&apis, &[]));
        Ok(RunningGateway {
            gateway,
            apis,
            admin_tls: app.config.admin.tls,
        })
    }

    /// The addresses of the gateway: lines of a word and an address.
    pub fn addresses(&self) -> Vec<(&'static str, String)> {
        addresses(&self.gateway, &self.apis, self.admin_tls)
    }

    /// Loads the APIs again. An API with errors keeps its version in force.
    pub fn reload(&mut self, app: &Application, reported: &mut ReportedFindings) -> Result<String> {
        let policies = policies(app, reported)?;
        let mut apis = load(app, reported);
        for name in apis.keep(&self.gateway.apis()) {
            tracing::warn!(target: SERVE, "API {name}: its last version without errors stays in force");
        }
        self.apis = apis;
        self.gateway.report_unserved(unserved(&self.apis, &[]));
        self.gateway.reload_with(self.apis.good.clone(), policies);
        Ok(served(&self.apis))
    }

    /// Stops accepting requests, and ends after at most this time.
    pub fn stop(self, limit: Duration) {
        self.gateway.shutdown(limit);
    }
}

fn policies(app: &Application, reported: &mut ReportedFindings) -> Result<PolicySet> {
    let mut findings = Findings::new(&app.folder);
    let policies = app.policies(&mut findings);
    reported.show_new(&findings);
    match policies {
        Some(policies) => Ok(policies),
        None => bail!("a policy of [gateway] cannot be used"),
    }
}

fn load(app: &Application, reported: &mut ReportedFindings) -> LoadedApis {
    let mut findings = Findings::new(&app.folder);
    let apis = app.load_apis_alone(&mut findings);
    reported.show_new(&findings);
    apis
}

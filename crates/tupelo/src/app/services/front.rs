//! A gateway without a region: it serves the APIs of an application whose
//! programs run in regions elsewhere.
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
use crate::app::said::ReportedFindings;
use crate::app::security::unserved;
use crate::log::SERVE;

/// A gateway that runs.
pub struct RunningGateway {
    gateway: Gateway<ProgramProviders>,
    apis: LoadedApis,
    admin_tls: bool,
}

impl RunningGateway {
    /// Reads the APIs and serves them.
    pub fn start(app: &Application, said: &mut ReportedFindings) -> Result<RunningGateway> {
        let connections = IpconnConnections::read(app)?;
        if connections.config.connections.is_empty() && app.config.mainframe.connections.is_empty()
        {
            bail!(
                help = "[ipconn.connections.NAME] with address = \"host:1435\" in tupelo.toml names one",
                "a gateway without a region needs a connection to one, and there is none"
            );
        }
        let apis = load(app, said);
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
            policies: policies(app, said)?,
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

    /// Where it is reached: lines of a word and an address.
    pub fn addresses(&self) -> Vec<(&'static str, String)> {
        addresses(&self.gateway, &self.apis, self.admin_tls)
    }

    /// Takes the APIs over as they are now. One that is wrong keeps the version
    /// that is in force.
    pub fn reload(&mut self, app: &Application, said: &mut ReportedFindings) -> Result<String> {
        let policies = policies(app, said)?;
        let mut apis = load(app, said);
        for name in apis.keep(&self.gateway.apis()) {
            tracing::warn!(target: SERVE, "API {name}: its last version that was right stays in force");
        }
        self.apis = apis;
        self.gateway.report_unserved(unserved(&self.apis, &[]));
        self.gateway.reload_with(self.apis.good.clone(), policies);
        Ok(served(&self.apis))
    }

    /// Accepts nothing more and ends, after so long at most.
    pub fn stop(self, limit: Duration) {
        self.gateway.shutdown(limit);
    }
}

fn policies(app: &Application, said: &mut ReportedFindings) -> Result<PolicySet> {
    let mut findings = Findings::new(&app.folder);
    let policies = app.policies(&mut findings);
    said.show_new(&findings);
    match policies {
        Some(policies) => Ok(policies),
        None => bail!("a policy of [gateway] cannot be used"),
    }
}

fn load(app: &Application, said: &mut ReportedFindings) -> LoadedApis {
    let mut findings = Findings::new(&app.folder);
    let apis = app.load_apis_alone(&mut findings);
    said.show_new(&findings);
    apis
}

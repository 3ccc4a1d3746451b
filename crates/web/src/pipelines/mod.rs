//! Web services: pipelines that serve requests, and those that programs send
//! requests through.
//!
//! What a message's way is says [`soap::pipeline`]; here are the definitions
//! ([`Pipelines`]), a provider's task ([`provider`]), INVOKE SERVICE
//! ([`requester`]), the conversion between messages and records ([`convert`]),
//! and the faults that programs make ([`faults`]).
//!
//! Reference: CICS Transaction Server, "Creating web services".

mod addressing;
mod channel;
mod convert;
mod encoding;
pub(crate) mod faults;
mod load;
pub(crate) mod provider;
pub(crate) mod requester;

use std::collections::HashMap;
use std::sync::Arc;

use cics::csd::UriMapDef;
use cics::names::GroupName;
use soap::pipeline::Config;
use soap::{Binding, Conversions};

pub use load::Misconfigured;

/// The pipelines and web services of an application.
#[derive(Debug, Default)]
pub struct Pipelines {
    pipelines: HashMap<String, Arc<Installed>>,
    services: HashMap<String, Arc<WebService>>,
    maps: Vec<UriMapDef>,
}

/// A pipeline that is installed.
#[derive(Debug)]
pub struct Installed {
    /// Its name.
    pub name: String,
    /// Its group.
    pub group: GroupName,
    /// STATUS(ENABLED).
    pub enabled: bool,
    /// Its configuration file.
    pub config: Arc<Config>,
    /// RESPWAIT in seconds; none for the region's limit, 0 for no limit.
    pub wait_s: Option<u32>,
}

/// A web service that is installed.
#[derive(Debug)]
pub struct WebService {
    /// Its name: of the definition, or of its binding file.
    pub name: String,
    /// Its pipeline.
    pub pipeline: String,
    /// Its binding file.
    pub binding: Binding,
    /// The same, compiled.
    pub conversions: Conversions,
    /// Its service description, for `?wsdl`.
    pub description: Option<Vec<u8>>,
}

impl Pipelines {
    /// The pipeline of a name.
    pub fn pipeline(&self, name: &str) -> Option<&Arc<Installed>> {
        self.pipelines.get(name)
    }

    /// The web service of a name.
    pub fn service(&self, name: &str) -> Option<&Arc<WebService>> {
        self.services.get(name)
    }

    /// How many web services there are.
    pub fn services(&self) -> usize {
        self.services.len()
    }

    /// The maps of services that a pickup directory gave.
    pub fn maps(&self) -> &[UriMapDef] {
        &self.maps
    }

    /// Programs that pipelines name, each with the pipeline.
    pub fn programs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pipelines.values().flat_map(|installed| {
            let programs = installed.config.programs();
            programs.map(|program| (installed.name.as_str(), program))
        })
    }
}

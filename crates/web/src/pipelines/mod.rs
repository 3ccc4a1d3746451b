//! Web services: pipelines that serve requests, and those that programs send
//! requests through.
//!
//! [`soap::pipeline`] has the state machine of a pipeline; here are the
//! definitions ([`PipelineTable`]), a provider's task ([`provider`]), INVOKE
//! SERVICE ([`requester`]), the conversion between messages and records
//! ([`convert`]), and the faults that programs make ([`faults`]).
//!
//! Reference: CICS Transaction Server, "Creating web services".

mod abends;
mod addressing;
mod channel;
mod convert;
mod encoding;
pub(crate) mod faults;
mod load;
pub(crate) mod provider;
pub(crate) mod requester;

use std::collections::BTreeMap;
use std::sync::Arc;

use cics::csd::{PipelineDef, UriMapDef};
use soap::pipeline::Config;
use soap::{MessageCodecs, ServiceBinding};

/// The pipelines and web services of an application.
#[derive(Debug, Clone, Default)]
pub struct PipelineTable {
    pipelines: BTreeMap<String, Arc<InstalledPipeline>>,
    services: BTreeMap<String, Arc<WebService>>,
    maps: Vec<UriMapDef>,
}

/// A pipeline that is installed.
#[derive(Debug, Clone)]
pub struct InstalledPipeline {
    /// Its name.
    pub name: String,
    /// Its definition.
    pub def: PipelineDef,
    /// STATUS(ENABLED), or the value of SET PIPELINE.
    pub enabled: bool,
    /// Its configuration file.
    pub config: Arc<Config>,
    /// RESPWAIT in seconds, or the value of SET PIPELINE; `None` for the
    /// region's limit, 0 for no limit.
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
    pub binding: ServiceBinding,
    /// The compiled binding.
    pub conversions: MessageCodecs,
    /// Its service description, for `?wsdl`.
    pub description: Option<Vec<u8>>,
    /// The paths of its binding file and of its description; empty for none.
    pub paths: (String, String),
}

impl PipelineTable {
    /// The pipeline of a name.
    pub fn pipeline(&self, name: &str) -> Option<&Arc<InstalledPipeline>> {
        self.pipelines.get(name)
    }

    /// The web service of a name.
    pub fn service(&self, name: &str) -> Option<&Arc<WebService>> {
        self.services.get(name)
    }

    /// All pipelines, in the order of their names.
    pub fn each(&self) -> impl Iterator<Item = &Arc<InstalledPipeline>> {
        self.pipelines.values()
    }

    /// All web services, in the order of their names.
    pub fn each_service(&self) -> impl Iterator<Item = &Arc<WebService>> {
        self.services.values()
    }

    /// A copy with one pipeline replaced.
    #[must_use]
    pub fn with(&self, installed: InstalledPipeline) -> PipelineTable {
        let mut made = self.clone();
        let name = installed.name.clone();
        made.pipelines.insert(name, Arc::new(installed));
        made
    }

    /// A copy with the changes by SET PIPELINE to pipelines whose definitions
    /// are the same.
    #[must_use]
    pub fn with_changes_of(mut self, before: &PipelineTable) -> PipelineTable {
        for (name, installed) in &mut self.pipelines {
            let Some(old) = before.pipelines.get(name) else {
                continue;
            };
            let line = installed.def.line;
            let same = PipelineDef {
                line,
                ..old.def.clone()
            } == installed.def;
            let changed = (old.enabled, old.wait_s) != (old.def.enabled, old.def.wait_s);
            if same && changed {
                let mut made = InstalledPipeline::clone(installed);
                (made.enabled, made.wait_s) = (old.enabled, old.wait_s);
                *installed = Arc::new(made);
            }
        }
        self
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

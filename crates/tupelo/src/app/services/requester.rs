//! The API requester: REST APIs that programs call.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use miette::Result;
use region::RegionConfig;

use super::{Running, Service};
use crate::app::Application;
use crate::app::compile::Compiled;
use crate::app::finding::Findings;
use crate::app::requester::{self, Api, Requesters};
use crate::app::said::Said;

/// The APIs in force, and those that were read and are not yet.
#[derive(Default)]
struct ApiRequester {
    apis: Arc<Requesters>,
    next: Option<BTreeMap<String, Arc<Api>>>,
}

/// A service that has read nothing yet.
pub fn service() -> Box<dyn Service> {
    Box::new(ApiRequester::default())
}

impl Service for ApiRequester {
    fn prepare(&mut self, app: &Application, _: &Compiled, said: &mut Said) -> Result<()> {
        let mut findings = Findings::new(&app.folder);
        self.next = Some(requester::read(app, &mut findings));
        said.say(&findings);
        Ok(())
    }

    fn provide(&self, config: &mut RegionConfig) {
        config.services.push(self.apis.clone());
    }

    fn start(&mut self, running: &Running<'_>) -> Result<()> {
        self.reload(running)
    }

    fn addresses(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn reload(&mut self, _: &Running<'_>) -> Result<()> {
        if let Some(next) = self.next.take() {
            self.apis.take_over(next);
        }
        Ok(())
    }

    fn served(&self) -> Option<String> {
        let count = self.apis.count();
        (count > 0).then(|| crate::app::counted(count, "API that programs call"))
    }

    fn stop(&mut self, _: Duration) {
        self.apis.stop();
    }
}

/// The requester of an application whose region runs one task.
///
/// # Errors
/// APIs that cannot be called as they are described.
pub fn without_region(app: &Application, config: &mut RegionConfig) -> Result<()> {
    let mut findings = Findings::new(&app.folder);
    let apis = requester::read(app, &mut findings);
    eprint!(
        "{}",
        findings.text(crate::app::finding::Severity::Warning, false)
    );
    config.services.push(Arc::new(Requesters::new(apis)));
    Ok(())
}

//! The API requester: calls of programs through BAQEXEC and BAQCSTUB.
//!
//! Crate `gateway` converts an API's structures, crate `fetch` makes requests. This
//! module selects the server and the credentials, and has the thread on which calls
//! wait.

mod api;
mod credential;
mod result;

use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use miette::Result;
use region::{CommandService, RegionConfig, ServiceCommand};
use tokio::sync::mpsc;
use worker::baq::{REQUESTER_CALL, operand, outcome};

use super::{RegionService, RunningRegion};
use crate::app::Application;
use crate::app::compile::CompiledPrograms;
use crate::app::finding::{Findings, Severity};
use crate::app::reported::ReportedFindings;
use api::CallableApis;
pub use api::read;
use result::CallResult;

/// The APIs in force, and those that were read and are not in force yet.
#[derive(Default)]
struct ApiRequester {
    apis: Arc<ApiRequesters>,
    next: Option<CallableApis>,
}

/// The service before its first `prepare`.
pub fn service() -> Box<dyn RegionService> {
    Box::new(ApiRequester::default())
}

impl RegionService for ApiRequester {
    fn prepare(
        &mut self,
        app: &Application,
        _: &CompiledPrograms,
        reported: &mut ReportedFindings,
    ) -> Result<()> {
        let mut findings = Findings::new(&app.folder);
        self.next = Some(read(app, &mut findings));
        reported.show_new(&findings);
        Ok(())
    }

    fn provide(&self, config: &mut RegionConfig) {
        config.services.push(self.apis.clone());
    }

    fn start(&mut self, running: &RunningRegion<'_>) -> Result<()> {
        self.reload(running)
    }

    fn addresses(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn reload(&mut self, _: &RunningRegion<'_>) -> Result<()> {
        if let Some(next) = self.next.take() {
            self.apis.take_over(next);
        }
        Ok(())
    }

    fn served(&self) -> Option<String> {
        let count = self.apis.now().len();
        (count > 0).then(|| crate::app::counted(count, "API that programs call"))
    }

    fn stop(&mut self, _: Duration) {
        self.apis.stop();
    }
}

/// The requester of an application whose region runs one task.
///
/// # Errors
/// An API cannot be called as it is described.
pub fn without_region(app: &Application, config: &mut RegionConfig) -> Result<()> {
    let mut findings = Findings::new(&app.folder);
    let requesters = ApiRequesters::default();
    requesters.take_over(read(app, &mut findings));
    eprint!("{}", findings.text(Severity::Warning, false));
    config.services.push(Arc::new(requesters));
    Ok(())
}

/// A program's call, and the APIs in force when it was made.
type RequesterCall = (ServiceCommand, Arc<CallableApis>);

/// The APIs that programs call, and the channel to the thread that calls them, which
/// starts with the first call.
#[derive(Debug, Default)]
struct ApiRequesters {
    apis: RwLock<Arc<CallableApis>>,
    sender: Mutex<Option<mpsc::UnboundedSender<RequesterCall>>>,
}

impl ApiRequesters {
    /// Replaces the APIs; calls in progress end as they began.
    fn take_over(&self, apis: CallableApis) {
        *self.apis.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(apis);
    }

    fn now(&self) -> Arc<CallableApis> {
        let apis = self.apis.read().unwrap_or_else(PoisonError::into_inner);
        apis.clone()
    }

    /// Lets the thread end after its calls in progress.
    fn stop(&self) {
        let mut sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        sender.take();
    }
}

impl CommandService for ApiRequesters {
    fn commands(&self) -> &'static [u16] {
        &[REQUESTER_CALL]
    }

    fn serve(&self, mut command: ServiceCommand) {
        command.later();
        let mut sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        if sender.is_none() {
            let (send, receive) = mpsc::unbounded_channel();
            let thread = std::thread::Builder::new().name("tupelo-requester".into());
            match thread.spawn(move || run(receive)) {
                Ok(_) => *sender = Some(send),
                Err(error) => {
                    return tracing::error!(%error, "cannot start the thread of the API requester");
                }
            }
        }
        // Dropping the command notifies the task.
        if let Some(sender) = &*sender {
            let _ = sender.send((command, self.now()));
        }
    }

    fn task_ended(&self, _: u64) {}

    fn metrics(&self, _: &mut String) {}
}

/// Runs calls until the channel is closed.
fn run(mut jobs: mpsc::UnboundedReceiver<RequesterCall>) {
    region::engine::enter("requester", region::engine::EngineClass::Offload);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return tracing::error!(%error, "the API requester's thread cannot run"),
    };
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, async move {
        while let Some((command, apis)) = jobs.recv().await {
            tokio::task::spawn_local(call(command, apis));
        }
    });
}

async fn call(command: ServiceCommand, apis: Arc<CallableApis>) {
    let given = &command.operands;
    let name = given.get_bytes(operand::API).unwrap_or_default();
    let name = String::from_utf8_lossy(name);
    let result = match apis.get(&name) {
        Some(api) => api.call(given).await,
        None => CallResult::refused(format!(
            "the API {name} is not among those of [requester.apis] in tupelo.toml that can be called; {}",
            apis.names()
        )),
    };
    if result.outcome >= outcome::REFUSED {
        let task = command.task;
        tracing::info!(task, api = %name, "a call of the API requester: {}", result.message);
    }
    command.answer(&result.answer());
}

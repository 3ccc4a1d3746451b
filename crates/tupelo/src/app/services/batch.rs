//! Batch jobs that change files while the region has them open.
//!
//! Each job's process has a connection, a thread and an open task of transaction
//! CBAT, which owns the job's locks and unit of work. Its changes are committed in
//! groups shortly after they were made, so other tasks do not wait long for their
//! locks. Before the job waits for a record, it commits its changes.

use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use miette::Result;
use region::engine::{EngineClass, enter};
use region::{Handle, UserId};

use super::{GatewayExtras, RegionService, RunningRegion, SqlSlot};
use crate::app::Application;
use crate::app::compile::CompiledPrograms;
use crate::app::reported::ReportedFindings;
use crate::log::SERVE;

mod catalogue;
mod job;

/// The service.
#[derive(Default)]
struct BatchService {
    open: Option<BatchListener>,
    sql: SqlSlot,
}

struct BatchListener {
    state: PathBuf,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// The service before its start.
pub fn service() -> Box<dyn RegionService> {
    Box::new(BatchService::default())
}

impl RegionService for BatchService {
    fn prepare(
        &mut self,
        _: &Application,
        _: &CompiledPrograms,
        _: &mut ReportedFindings,
    ) -> Result<()> {
        Ok(())
    }

    fn set_extras(&mut self, extras: &GatewayExtras) {
        self.sql = extras.sql.clone();
    }

    /// A region that cannot listen for jobs still provides all other services.
    fn start(&mut self, running: &RunningRegion<'_>) -> Result<()> {
        let state = running.app.state.clone();
        if running.store.is_none() {
            return Ok(());
        }
        let stop = Arc::new(AtomicBool::new(false));
        let (region, user, stopping) = (running.region.clone(), running.user, stop.clone());
        let sql = self.sql.clone();
        let thread = batch::region_files::listen(&state).and_then(|listener| {
            let thread = std::thread::Builder::new().name("tupelo-batch".into());
            thread.spawn(move || accept(&listener, &region, user, &stopping, &sql))
        });
        match thread {
            Ok(thread) => {
                self.open = Some(BatchListener {
                    state,
                    stop,
                    thread,
                });
            }
            Err(error) => tracing::warn!(
                target: SERVE,
                %error,
                "batch jobs cannot change files while this region runs"
            ),
        }
        Ok(())
    }

    fn addresses(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn reload(&mut self, _: &RunningRegion<'_>) -> Result<()> {
        Ok(())
    }

    /// A job may last for hours: its process gets a message that the region has ended.
    fn stop(&mut self, _: Duration) {
        if let Some(BatchListener {
            state,
            stop,
            thread,
        }) = self.open.take()
        {
            stop.store(true, Ordering::SeqCst);
            if batch::region_files::connect(&state).is_ok() {
                let _ = thread.join();
            }
        }
    }
}

/// The thread that jobs connect to.
fn accept(
    listener: &UnixListener,
    region: &Handle,
    user: UserId,
    stop: &AtomicBool,
    sql: &SqlSlot,
) {
    enter("batch", EngineClass::General);
    let jobs: Mutex<Vec<(usize, UnixStream)>> = Mutex::default();
    let lock = || jobs.lock().unwrap_or_else(PoisonError::into_inner);
    std::thread::scope(|scope| {
        for (number, stream) in listener.incoming().enumerate() {
            if stop.load(Ordering::SeqCst) {
                break;
            }
            let both = stream.and_then(|stream| Ok((stream.try_clone()?, stream)));
            let (mine, theirs) = match both {
                Ok(both) => both,
                Err(error) => {
                    tracing::warn!(target: SERVE, %error, "a batch job could not connect");
                    continue;
                }
            };
            lock().push((number, mine));
            let thread = std::thread::Builder::new().name("tupelo-job".into());
            let served = thread.spawn_scoped(scope, move || {
                enter("batch", EngineClass::General);
                region::block_on(job::serve(region, user, theirs, sql.get()));
                lock().retain(|(n, _)| *n != number);
            });
            if let Err(error) = served {
                tracing::warn!(target: SERVE, %error, "cannot start a thread for a batch job");
                lock().retain(|(n, _)| *n != number);
            }
        }
        for (_, stream) in lock().iter() {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    });
}

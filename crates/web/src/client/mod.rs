//! CICS as a client: sessions with servers, and the runtime on which their
//! requests wait, one thread that begins with its first use.

mod body;
mod connect;
mod session;

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use region::engine::{self, EngineClass};
use tokio::sync::mpsc;

pub use body::{ChunkSender, RequestBody};
pub use connect::{ClientConnector, ServerTarget};
pub use session::{ExchangeResult, OutgoingRequest, Response, Session, exchange};

/// Why a server could not be talked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientError {
    /// The host is not known.
    Host,
    /// The settings do not allow the address.
    NotAllowed,
    /// There is no trust in the server's certificate, or in none.
    Trust,
    /// There is no certificate of that label, or it cannot be used.
    Certificate,
    /// The connection could not be made, or was lost.
    Socket,
    /// The path cannot be one of a request.
    Path,
    /// The answer is larger than allowed, or not as it must be.
    Body,
    /// The request took too long.
    TimedOut,
}

type Job = Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = ()>>> + Send>;

/// The thread, once there is one.
#[derive(Debug, Default)]
pub struct ClientThread(Mutex<Option<mpsc::UnboundedSender<Job>>>);

impl ClientThread {
    /// Runs a future on the thread; dropped when there is no thread to be had.
    pub fn spawn<F: Future<Output = ()> + 'static>(
        &self,
        make: impl FnOnce() -> F + Send + 'static,
    ) {
        let mut way = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let job: Job = Box::new(move || Box::pin(make()));
        let job = match &*way {
            Some(way) => match way.send(job) {
                Ok(()) => return,
                Err(back) => back.0,
            },
            None => job,
        };
        let (send, receive) = mpsc::unbounded_channel();
        let thread = std::thread::Builder::new().name("tupelo-web".into());
        match thread.spawn(move || run(receive)) {
            Ok(_) => {
                let _ = send.send(job);
                *way = Some(send);
            }
            Err(error) => tracing::error!(%error, "cannot start the thread of web clients"),
        }
    }

    /// Lets the thread end after its present work.
    pub fn stop(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

fn run(mut jobs: mpsc::UnboundedReceiver<Job>) {
    engine::enter("web", EngineClass::Offload);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return tracing::error!(%error, "the thread for web clients cannot start"),
    };
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, async move {
        while let Some(job) = jobs.recv().await {
            tokio::task::spawn_local(job());
        }
    });
}

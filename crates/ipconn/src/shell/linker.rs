//! Calls for threads that wait: a program's LINK holds a thread until its
//! answer is there.
//!
//! One thread has the connections; callers pass it their requests.

use std::path::Path;
use std::sync::mpsc::{self, RecvError};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use region::engine::{self, EngineClass};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::{LocalSet, spawn_local};

use super::client::LocalIdentity;
use super::directory::ConnectionDirectory;
use super::pool::ConnectionPool;
use super::tls::TlsError;
use crate::IpconnConfig;
use crate::wire::ReplyMessage;
use region::CallFailure;

/// Why a thread that calls could not start.
#[derive(Debug, thiserror::Error)]
pub enum CallerError {
    /// A certificate, a key or an authority cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The thread or its runtime cannot be created.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
}

/// The regions that a process calls, for any thread; cheap to clone. The
/// connections end with the last one.
#[derive(Debug, Clone)]
pub struct RegionCaller(UnboundedSender<LinkJob>);

/// A request of another thread.
struct LinkJob {
    connection: String,
    message: Bytes,
    answer: ReplyCallback,
    /// Resolves when the caller stops waiting; `None` for a caller that always
    /// waits.
    wanted: Option<oneshot::Receiver<()>>,
}

/// Receives the reply. If it is dropped, the request ends without one.
pub type ReplyCallback = Box<dyn FnOnce(Result<ReplyMessage, CallFailure>) + Send>;

/// Called for each new connection with its name and the region's own.
pub type OpenCallback = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// A call that another thread may end.
#[derive(Debug, Clone)]
pub struct CallInterrupt(Arc<Mutex<Option<oneshot::Sender<()>>>>);

impl CallInterrupt {
    /// Ends the call, if it has not ended.
    pub fn interrupt(&self) {
        drop(self.lock().take());
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<oneshot::Sender<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that was made and is not answered yet.
#[derive(Debug)]
pub struct PendingCall {
    answer: mpsc::Receiver<Result<ReplyMessage, CallFailure>>,
    interrupt: CallInterrupt,
}

impl RegionCaller {
    /// Connects to the regions of the settings, as one of so many threads of
    /// the process.
    pub fn start(
        config: &IpconnConfig,
        folder: &Path,
        who: &LocalIdentity,
        lanes: u16,
        directory: &ConnectionDirectory,
        opened: OpenCallback,
    ) -> Result<RegionCaller, CallerError> {
        // Reports problems of certificates here, before the thread starts.
        drop(ConnectionPool::new(config, folder, who, lanes, directory)?);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let (jobs, queue) = unbounded_channel();
        let (config, folder) = (config.clone(), folder.to_owned());
        let (who, directory) = (*who, directory.clone());
        std::thread::Builder::new()
            .name("ipconn-link".into())
            .spawn(move || {
                engine::enter("ipconn", EngineClass::Offload);
                let Ok(mut pool) = ConnectionPool::new(&config, &folder, &who, lanes, &directory)
                else {
                    return;
                };
                pool.on_open(&opened);
                let local = LocalSet::new();
                runtime.block_on(local.run_until(async move {
                    pool.start();
                    serve(pool, queue).await;
                }));
            })?;
        Ok(RegionCaller(jobs))
    }

    /// Sends a request by a connection or one of a group.
    pub fn call(&self, connection: &str, message: Vec<u8>) -> PendingCall {
        let (answer, given) = mpsc::channel();
        let (interrupt, wanted) = oneshot::channel();
        self.send(LinkJob {
            connection: connection.to_owned(),
            message: Bytes::from(message),
            answer: Box::new(move |reply| {
                // The requester may have stopped waiting.
                let _ = answer.send(reply);
            }),
            wanted: Some(wanted),
        });
        PendingCall {
            answer: given,
            interrupt: CallInterrupt(Arc::new(Mutex::new(Some(interrupt)))),
        }
    }
}

impl RegionCaller {
    /// Sends a request by a connection. The reply is passed to `answer` on the
    /// thread of the connections, which must not block.
    pub fn send_request(&self, connection: &str, message: Vec<u8>, answer: ReplyCallback) {
        self.send(LinkJob {
            connection: connection.to_owned(),
            message: Bytes::from(message),
            answer,
            wanted: None,
        });
    }

    fn send(&self, job: LinkJob) {
        // The thread ends with the last of these.
        let _ = self.0.send(job);
    }
}

impl PendingCall {
    /// Returns a handle with which another thread ends the call.
    pub fn interrupt(&self) -> CallInterrupt {
        self.interrupt.clone()
    }

    /// Waits for the reply. Returns an error if the call was interrupted.
    pub fn wait(self) -> Result<ReplyMessage, CallFailure> {
        let given = self.answer.recv();
        given.unwrap_or_else(|RecvError| Err(CallFailure::Lost("the call was cancelled".into())))
    }
}

async fn serve(pool: ConnectionPool, mut queue: UnboundedReceiver<LinkJob>) {
    let pool = std::rc::Rc::new(pool);
    while let Some(job) = queue.recv().await {
        let pool = pool.clone();
        spawn_local(async move {
            let LinkJob {
                connection,
                message,
                answer,
                wanted,
            } = job;
            let unwanted = async {
                match wanted {
                    Some(wanted) => drop(wanted.await),
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                reply = pool.call(&connection, message, false) => answer(reply),
                () = unwanted => {}
            }
        });
    }
}

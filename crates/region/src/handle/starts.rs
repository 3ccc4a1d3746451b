//! Requests of doors without a task: STARTs, and records for
//! queues that start transactions.

use std::sync::Arc;

use cics::resp::Condition;
use link::{Name, TransId, UserId};

use super::Handle;
use crate::api::{CommandService, SocketCalls, StartRefusal};

impl Handle {
    /// The service for the socket calls of tasks.
    pub fn sockets(&self) -> Option<&Arc<dyn SocketCalls>> {
        self.shared.config.sockets.as_ref()
    }

    /// The services that serve commands in addition to the kernel.
    pub fn services(&self) -> &[Arc<dyn CommandService>] {
        &self.shared.config.services
    }

    /// Whether a transaction is enabled. Returns `None` if it is not defined.
    pub fn transaction(&self, transid: TransId) -> Option<bool> {
        let shared = &self.shared;
        shared.kernel(|kernel, _, _| kernel.resources.interval.transaction(transid))
    }

    /// Starts a transaction as START FROM does, after `delay_ms` milliseconds.
    /// Its end is not reported. Refused when it is not defined or disabled.
    pub fn start(
        &self,
        transid: TransId,
        userid: UserId,
        delay_ms: u64,
        data: Vec<u8>,
    ) -> Result<(), StartRefusal> {
        let delay_ns = delay_ms.saturating_mul(1_000_000);
        self.shared.kernel(|kernel, now, out| {
            kernel.with(now, out, |resources, cx| {
                let interval = &mut resources.interval;
                interval.start(cx, (transid, userid), delay_ns, data)
            })
        })
    }

    /// Writes a record to a transient data queue, as WRITEQ TD does. The
    /// conditions are those of the command; INVREQ for a recoverable queue,
    /// because a door has no unit of work.
    pub fn write_queue(&self, queue: Name<4>, record: &[u8]) -> Result<(), Condition> {
        self.shared.kernel(|kernel, now, out| {
            kernel.with(now, out, |resources, cx| {
                let queues = &mut resources.transient_data;
                queues.write(cx, *queue.as_bytes(), record)
            })
        })
    }
}

//! The reply of a task.

use link::{ChannelData, ContainerData, ContainerName, ContainerType, TransId};

use super::lease::SlotLease;
use crate::api::{ProgramReply, TaskCosts};
use kernel::{Abend, MonitoringRecord};

/// How a task ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskOutcome {
    /// Normally; its unit of work is committed.
    Ok,
    /// With an abend; its unit of work is backed out.
    Abend(Abend),
}

/// One container of a reply. Its bytes lie where the program left them.
#[derive(Debug, Clone, Copy)]
pub struct Container<'a> {
    /// Name.
    pub name: ContainerName,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Data type.
    pub kind: ContainerType,
    /// Code page of its characters, 0 for the region's.
    pub ccsid: u16,
}

/// A task's output. Dropping it gives its memory back to the worker, so keep
/// it no longer than the response takes to be written.
///
/// The bytes are shared with the worker process. A worker that misbehaves may
/// change them while they are read: the values may be nonsense, never out of
/// bounds. Check text with `from_utf8` after copying it, not before.
pub struct TaskReply {
    pub(crate) lease: SlotLease,
    pub(crate) outcome: TaskOutcome,
    pub(crate) record: Box<MonitoringRecord>,
    pub(crate) commarea: (usize, usize),
    pub(crate) web: (usize, usize),
    pub(crate) next_transid: TransId,
    pub(crate) channel: link::ChannelName,
}

impl Drop for TaskReply {
    fn drop(&mut self) {
        let ok = self.outcome == TaskOutcome::Ok;
        self.lease.release(ok, &self.record);
    }
}

impl TaskReply {
    /// How the task ended.
    pub fn outcome(&self) -> &TaskOutcome {
        &self.outcome
    }

    /// The bytes of a container. Returns `None` if no container has this name.
    pub fn container(&self, name: &str) -> Option<&[u8]> {
        self.named(ContainerName::new(name).ok()?)
    }

    fn named(&self, name: ContainerName) -> Option<&[u8]> {
        let name = u128::from_ne_bytes(*name.as_bytes());
        let same = |e: &&link::ContainerEntry| u128::from_ne_bytes(*e.name.as_bytes()) == name;
        let entry = self.lease.entries.iter().find(same)?;
        Some(self.lease.bytes(entry.offset, entry.bytes))
    }

    /// All containers of the returned channel.
    pub fn containers(&self) -> impl ExactSizeIterator<Item = Container<'_>> {
        self.lease.entries.iter().map(|e| Container {
            name: e.name,
            bytes: self.lease.bytes(e.offset, e.bytes),
            kind: e.kind,
            ccsid: e.ccsid,
        })
    }

    /// The COMMAREA; empty if the program returned none.
    pub fn commarea(&self) -> &[u8] {
        self.lease.bytes(self.commarea.0, self.commarea.1)
    }

    /// The answer to the web request that the task served, as the crate
    /// `webtask` has it; empty when it left none.
    pub fn web_answer(&self) -> &[u8] {
        self.lease.bytes(self.web.0, self.web.1)
    }

    /// Name of the returned channel; blank if the program returned none.
    pub fn channel(&self) -> link::ChannelName {
        self.channel
    }

    /// A copy of the returned channel, without a name if the program returned none.
    pub fn channel_data(&self) -> ChannelData {
        let containers = self.containers().map(|c| ContainerData {
            name: c.name,
            kind: c.kind,
            ccsid: c.ccsid,
            bytes: c.bytes.to_vec(),
        });
        ChannelData {
            name: self.channel(),
            containers: containers.collect(),
        }
    }

    /// Transaction that RETURN TRANSID named for the next input, blank for none.
    pub fn next_transid(&self) -> TransId {
        self.next_transid
    }

    /// The monitoring record of the task.
    pub fn record(&self) -> &MonitoringRecord {
        &self.record
    }
}

impl ProgramReply for TaskReply {
    fn abend(&self) -> Option<&Abend> {
        match &self.outcome {
            TaskOutcome::Ok => None,
            TaskOutcome::Abend(abend) => Some(abend),
        }
    }

    fn container(&self, name: ContainerName) -> Option<&[u8]> {
        self.named(name)
    }

    fn container_names(&self) -> Vec<ContainerName> {
        self.containers().map(|container| container.name).collect()
    }

    fn commarea(&self) -> &[u8] {
        self.commarea()
    }

    fn costs(&self) -> Option<TaskCosts> {
        Some(self.record.costs())
    }
}

/// The reply is moved a few times on its way to the caller.
const _: () = assert!(size_of::<TaskReply>() <= 256);

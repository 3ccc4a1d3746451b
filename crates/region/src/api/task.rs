//! A task that is admitted: its input is written, then it runs.

use link::{ContainerName, ContainerType, Entry, Heap};

use crate::api::{PutError, Reply};
use crate::shell::SlotLease;

/// An admitted task. Dropping it before [`Task::run`] gives its place up.
pub struct Task {
    pub(crate) lease: SlotLease,
    pub(crate) heap: Heap,
    pub(crate) entries: Vec<Entry>,
    pub(crate) commarea: (usize, usize),
    pub(crate) channel: link::ChannelName,
}

impl Task {
    /// The task's number.
    pub fn number(&self) -> u64 {
        self.lease.task()
    }

    /// Names the channel; without it a task with containers has `TUPELO`.
    pub fn set_channel(&mut self, name: link::ChannelName) {
        self.channel = name;
    }

    /// Puts a container of at most `max_len` bytes. `fill` writes it in place,
    /// where the program will read it, and says how many bytes it wrote. A
    /// container of the same name is replaced.
    pub fn put_container<E>(
        &mut self,
        name: &str,
        kind: ContainerType,
        max_len: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), PutError<E>> {
        let _ = (ContainerName::new(name)?, kind, max_len, &fill);
        todo!()
    }

    /// Sets the COMMAREA to `len` bytes that `fill` writes in place. They are
    /// zeros before.
    pub fn set_commarea<E>(
        &mut self,
        len: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), PutError<E>> {
        let _ = (len, &fill);
        todo!()
    }

    /// Runs the task to its end, its unit of work committed or backed out.
    /// Dropping the future lets the task end by itself.
    pub async fn run(self) -> Reply {
        todo!()
    }
}

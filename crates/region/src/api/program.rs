//! Program calls as a front door makes them, wherever the program runs: in the
//! region of this process, in one elsewhere, or in a mainframe's CICS.
//!
//! The traits are resolved at compile time, so that nothing is boxed on a
//! request's path. Names of containers are parsed before: when an API is loaded,
//! not for each request.

use std::future::Future;

use link::ContainerName;

use kernel::{Abend, CallFailure, NotStarted, PutError, TaskCosts, TaskRequest};

/// A program call, before its data.
#[derive(Debug, Clone, Copy)]
pub struct ProgramCall<'a> {
    /// The request to the region; the user is blank if the caller is not known.
    pub request: TaskRequest,
    /// The connection that the asset names (`connectionRef`), if it names one.
    pub connection: Option<&'a str>,
    /// The request's method allows running the program twice with the effect of
    /// running it once.
    pub idempotent: bool,
}

/// A thread's end of what runs programs.
pub trait ProgramDoor: 'static {
    /// A call that is admitted.
    type Task: ProgramTask;

    /// The CCSID of the mainframe's code page for data over this connection,
    /// unless a policy or the asset names another. Returns `None` if programs
    /// run in a local region.
    fn mainframe_ccsid(&self, connection: Option<&str>) -> Option<u16> {
        let _ = connection;
        None
    }

    /// A request was answered without a call: completions of other calls are
    /// collected, since the thread may not sleep for long.
    fn poll_completions(&self) {}

    /// Waits for the call's admission.
    fn begin(&self, call: ProgramCall<'_>) -> impl Future<Output = Result<Self::Task, NotStarted>>;
}

/// An admitted call: its input is written in place, then it runs.
pub trait ProgramTask {
    /// The reply.
    type Reply: ProgramReply;

    /// Puts a container of at most `max` bytes. `fill` returns how many it wrote.
    ///
    /// # Errors
    /// There is no room, the place where it runs does not take such a container,
    /// or `fill` has failed.
    fn put_container<E>(
        &mut self,
        name: ContainerName,
        max: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), PutError<E>>;

    /// Sets the COMMAREA to `len` bytes, zeros before `fill`.
    ///
    /// # Errors
    /// There is no room, or `fill` has failed.
    fn set_commarea<E>(
        &mut self,
        len: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), PutError<E>>;

    /// Runs the program to its end.
    fn run(self) -> impl Future<Output = Result<Self::Reply, CallFailure>>;
}

/// How a program ended, and its output.
pub trait ProgramReply {
    /// The abend, if it ended with one.
    fn abend(&self) -> Option<&Abend>;
    /// A container's bytes.
    fn container(&self, name: ContainerName) -> Option<&[u8]>;
    /// The names of all containers, for messages.
    fn container_names(&self) -> Vec<ContainerName>;
    /// The COMMAREA.
    fn commarea(&self) -> &[u8];
    /// The task's attributes and cost, if they are known.
    fn costs(&self) -> Option<TaskCosts> {
        None
    }
}

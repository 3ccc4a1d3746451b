//! Guest programs: what a door runs in the place of a COBOL program.
//!
//! A program of the program table without a module is a guest's. When a task
//! links to it, the region hands the LINK to the service for guests, and the
//! worker waits. The guest asks the region within the task's unit of work, has
//! programs run in the waiting worker, and answers the LINK. A guest's program
//! may link to a guest again; the inner guest then runs first.
//!
//! Reference: CICS application programming, LINK; abends of linked programs.

use std::fmt::{self, Debug};
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::task::{Context, Poll};

use cics::resp::Condition;
use link::call::LINK_CHANNEL;
use link::{
    CallAnswer, CallOperation, ChannelData, Name, ProgramName, TransId, UserId, WorkerCall,
};

use crate::api::FacilityId;

/// Runs guest programs.
pub trait GuestPrograms: Debug + Send + Sync {
    /// A task links to a program that is not a worker's. The answer may come
    /// later, from any thread; nothing is waited for here.
    fn begin(&self, task: GuestTask);
}

/// The calls of a guest to the region, for the LINK that it serves. Dropped
/// without an answer, the LINK ends with [`GIVEN_UP`].
pub(crate) trait GuestHost: Send + Sync {
    /// Set when the task shall end.
    fn purged(&self) -> Arc<AtomicBool>;
    /// The port whose thread is woken with answers from now on.
    fn listen_at(&self, port: usize);
    /// Asks the kernel for the task; [`GuestHost::poll_answer`] has the answer.
    fn ask(&self, call: WorkerCall) -> Result<(), CallAnswer>;
    /// Ready with the answer to the last call.
    fn poll_answer(&self, cx: &mut Context<'_>) -> Poll<CallAnswer>;
    /// Has the waiting worker run a program.
    fn begin_run(&self, program: ProgramName, given: &LinkData) -> Result<(), NotRun>;
    /// Ready when the program is over.
    fn poll_run(&self, cx: &mut Context<'_>) -> Poll<Result<LinkData, NotRun>>;
    /// Ready when the task shall end.
    fn poll_purged(&self, cx: &mut Context<'_>) -> Poll<()>;
    /// The task begins or ends a wait for children.
    fn lend(&self, lends: bool);
    /// Answers the LINK with the returned data, or with an abend.
    fn finish(&mut self, result: Result<LinkData, [u8; 4]>, cpu_ns: u64);
    /// The same with an answer that is made.
    fn answer(&mut self, answer: &CallAnswer, cpu_ns: u64);
}

/// The data that LINK passes to a program, and that the program returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkData {
    /// A COMMAREA; an empty one is none.
    Commarea(Vec<u8>),
    /// A channel.
    Channel(ChannelData),
}

/// Why a program that a guest linked to gave nothing back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotRun {
    /// The LINK was answered with a condition, and RESP2.
    Condition(Condition, u32),
    /// The program abended with this code, or the guest's task is to end.
    Abend([u8; 4]),
}

/// A LINK to a guest program, within a running task. Dropped without an
/// answer, the LINK ends with the abend AEXY.
pub struct GuestTask {
    pub(crate) seat: Box<dyn GuestHost>,
    pub(crate) number: u64,
    pub(crate) transid: TransId,
    pub(crate) userid: UserId,
    pub(crate) program: ProgramName,
    pub(crate) facility: Option<FacilityId>,
    pub(crate) depth: usize,
    pub(crate) given: LinkData,
}

impl GuestTask {
    /// Number of the task.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Its transaction.
    pub fn transid(&self) -> TransId {
        self.transid
    }

    /// The user of the task.
    pub fn userid(&self) -> UserId {
        self.userid
    }

    /// The program that is linked to.
    pub fn program(&self) -> ProgramName {
        self.program
    }

    /// Its task's facility, where that outlives it.
    pub fn facility(&self) -> Option<FacilityId> {
        self.facility
    }

    /// How many guests of its task wait for this one.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The passed data.
    pub fn given(&self) -> &LinkData {
        &self.given
    }

    /// Becomes true when the task shall end. Calls and runs are refused from
    /// then on.
    pub fn purged(&self) -> Arc<AtomicBool> {
        self.seat.purged()
    }

    /// Asks the region within the task's unit of work, as
    /// [`crate::OpenTask::call`] does.
    pub async fn call(&mut self, op: CallOperation, args: [u64; 8], data: Vec<u8>) -> CallAnswer {
        let call = WorkerCall {
            op,
            slot: 0,
            args,
            data,
        };
        match self.seat.ask(call) {
            Ok(()) => poll_fn(|cx| self.seat.poll_answer(cx)).await,
            Err(refused) => refused,
        }
    }

    /// Runs a program in the waiting worker, within the task's unit of work.
    ///
    /// # Errors
    /// PGMIDERR where the program cannot be run, LENGERR for more than the link
    /// takes, or the program's abend.
    pub async fn link(
        &mut self,
        program: ProgramName,
        given: &LinkData,
    ) -> Result<LinkData, NotRun> {
        self.seat.begin_run(program, given)?;
        poll_fn(|cx| self.seat.poll_run(cx)).await
    }

    /// Waits until the task shall end.
    pub async fn until_purged(&mut self) {
        poll_fn(|cx| self.seat.poll_purged(cx)).await;
    }

    /// The task begins or ends a wait for children: [`crate::OpenTask::lend`].
    pub fn lend(&mut self, lends: bool) {
        self.seat.lend(lends);
    }

    /// Answers the LINK with the returned data, or with the abend that the linking program
    /// gets. `cpu_ns` is what the guest's thread used.
    pub fn finish(mut self, result: Result<LinkData, [u8; 4]>, cpu_ns: u64) {
        self.seat.finish(result, cpu_ns);
    }

    /// Answers the LINK with PGMIDERR: there is no such guest.
    pub fn is_unknown(mut self) {
        let answer = CallAnswer::of_condition(Condition::PgmIdErr, 3);
        self.seat.answer(&answer, 0);
    }
}

impl Debug for GuestTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuestTask")
            .field("task", &self.number)
            .field("program", &self.program)
            .finish_non_exhaustive()
    }
}

impl LinkData {
    /// The bytes of the link, and whether they are a channel.
    pub(crate) fn emit(&self) -> (Vec<u8>, u64) {
        match self {
            LinkData::Commarea(bytes) => (bytes.clone(), 0),
            LinkData::Channel(channel) => (channel.emit(), LINK_CHANNEL),
        }
    }

    /// Reads what a worker wrote.
    pub(crate) fn parse(kind: u64, bytes: &[u8]) -> Result<LinkData, link::ProtocolViolation> {
        if kind == LINK_CHANNEL {
            ChannelData::parse(bytes).map(LinkData::Channel)
        } else {
            Ok(LinkData::Commarea(bytes.to_vec()))
        }
    }
}

/// The abend of a LINK whose guest was given up.
pub(crate) const GIVEN_UP: [u8; 4] = *b"AEXY";

/// The program of an answer's abend code.
pub(crate) fn abend_of(answer: &CallAnswer) -> Option<[u8; 4]> {
    let none = answer.abend.is_blank() || answer.abend == Name::from_bytes([0; 4]);
    (!none).then(|| *answer.abend.as_bytes())
}

//! The services that a worker uses: the region, the store, shared memory.
//!
//! A trait for each resource, and one object-safe trait of them all with two
//! homes: [`crate::LinkServices`] over the link and the embedded store, and an
//! in-memory one for programs under test. A command asks here and does not know
//! which implementation answers.
//!
//! Invariant: no call keeps a borrow of its arguments; records are passed
//! to a closure in place.

use cics::file::FileAccess;
pub use cics::resp::CommandFailure;
use cics::resp::Condition;
use link::conversation::Verb;
use link::{ArenaHeap, ChannelData, CommandOperands, TransId};
pub use store::FoundRecord;
use store::SeekKey;

use crate::sql::{SqlLink, SqlRefusal};

/// A result of a service.
pub type ServiceResult<T> = Result<T, CommandFailure>;

/// The data that a LINK passes and returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkData {
    /// A COMMAREA; empty for none.
    Commarea(Vec<u8>),
    /// A channel.
    Channel(ChannelData),
}

/// The outcome of a LINK to a program that the region runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkStep {
    /// The program ended, and returned this.
    Done(LinkData),
    /// The region requests a run of this program first; its result is passed to
    /// [`ProgramServices::nested_done`].
    Run {
        /// The program.
        program: [u8; 8],
        /// The COMMAREA or channel of the program.
        payload: LinkData,
    },
}

/// The outcome of a command that the region served. A condition does not hide
/// the operands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandReply {
    /// The condition, or NORMAL.
    pub condition: Condition,
    /// RESP2.
    pub resp2: u32,
    /// The values that the command's options receive.
    pub operands: CommandOperands,
}

/// The outcome of a verb of a conversation. A condition does not hide the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerbAnswer {
    /// The condition, or NORMAL.
    pub condition: Condition,
    /// RESP2.
    pub resp2: u32,
    /// Conversation, state, indicators, error code and what the verb says, as
    /// [`link::conversation`] has them.
    pub args: [u64; 8],
    /// The record received, or a name.
    pub data: Vec<u8>,
}

impl VerbAnswer {
    /// A verb that could not be tried.
    pub fn refused(condition: Condition) -> VerbAnswer {
        VerbAnswer {
            condition,
            resp2: 0,
            args: [0; 8],
            data: Vec::new(),
        }
    }
}

/// A channel's containers and the COMMAREA live in this arena.
pub struct Arena<'a> {
    /// Its first byte; offsets count from here.
    pub base: *mut u8,
    /// Which of its bytes are free.
    pub heap: &'a mut ArenaHeap,
}

/// Is shown a record, at most once.
pub type RecordVisitor<'s> = dyn FnMut(FoundRecord<&[u8]>) + 's;

/// The files that a task reads and changes.
pub trait FileServices {
    /// Shows the record that `seek` finds; false if no record matches. `access`
    /// is the command that looks.
    fn fetch(
        &mut self,
        file: usize,
        seek: SeekKey<'_>,
        access: FileAccess,
        show: &mut RecordVisitor<'_>,
    ) -> ServiceResult<bool>;
    /// As `fetch`, and locks the record for the task. Returns the lock's token.
    fn fetch_for_update(
        &mut self,
        file: usize,
        seek: SeekKey<'_>,
        access: FileAccess,
        nosuspend: bool,
        show: &mut RecordVisitor<'_>,
    ) -> ServiceResult<Option<u32>>;
    /// Adds a record and returns its key. `number` is the relative record number
    /// of a file that has them, and empty otherwise.
    fn write(
        &mut self,
        file: usize,
        number: &[u8],
        record: &[u8],
        nosuspend: bool,
    ) -> ServiceResult<Vec<u8>>;
    /// Replaces the record that the token locks.
    fn rewrite(
        &mut self,
        file: usize,
        token: u32,
        record: &[u8],
        nosuspend: bool,
    ) -> ServiceResult<()>;
    /// Deletes the record that the token locks.
    fn delete_held(&mut self, file: usize, token: u32) -> ServiceResult<()>;
    /// Deletes the record with this key. Of a path: whether another record with
    /// this alternate key follows.
    fn delete(&mut self, file: usize, key: &[u8], nosuspend: bool) -> ServiceResult<bool>;
    /// Deletes all records whose key begins so. Returns their number.
    fn delete_generic(&mut self, file: usize, key: &[u8], nosuspend: bool) -> ServiceResult<u64>;
    /// Gives up a lock, or all of the file's.
    fn unlock(&mut self, file: usize, token: Option<u32>) -> ServiceResult<()>;
    /// The task's unit of work has changes from before it came here: its files
    /// are read through the region until the unit ends.
    fn sees_changes(&mut self) {}
    /// Counts the changes of files' switches since the region's start.
    fn file_changes(&self) -> u32 {
        0
    }
}

/// The task's unit of work.
pub trait UnitServices {
    /// Commits the unit of work.
    fn syncpoint(&mut self) -> ServiceResult<()>;
    /// Backs the unit of work out.
    fn rollback(&mut self) -> ServiceResult<()>;
}

/// Programs that run elsewhere.
pub trait ProgramServices {
    /// Runs a program that lives elsewhere.
    fn link(&mut self, program: &[u8; 8], payload: &LinkData) -> ServiceResult<LinkStep>;
    /// Passes the result of a program that the region requested: its abend
    /// code, or none, and its data. Then continues to wait for the LINK.
    fn nested_done(
        &mut self,
        abend: Option<[u8; 4]>,
        payload: &LinkData,
    ) -> ServiceResult<LinkStep>;
}

/// Partners: those of APPC conversations and of sockets.
pub trait PartnerServices {
    /// A verb of an APPC conversation, waiting until it is done.
    fn converse(&mut self, verb: Verb, args: [u64; 3], data: &[&[u8]])
    -> ServiceResult<VerbAnswer>;

    /// A call of EZASOKET, waiting until it is done: the integers of the
    /// answer, and its bytes.
    fn socket(&mut self, _args: [u64; 8], _data: &[u8]) -> ServiceResult<([u64; 8], Vec<u8>)> {
        Err(CommandFailure::Abend(*b"AEY9"))
    }

    /// Takes over a descriptor that came along with the last answer.
    fn receive_descriptor(&mut self) -> Option<std::os::fd::OwnedFd> {
        None
    }
}

/// The processor that quasi-reentrant programs share.
pub trait TurnServices {
    /// Notes that the task gave up control.
    fn progress(&mut self);
    /// Takes the QR token, waiting for it. While it is held, calls that wait
    /// for the region give it back and take it again.
    fn qr_take(&mut self);
    /// Gives the QR token back.
    fn qr_give(&mut self);
}

/// The connection of EXEC SQL.
pub trait SqlServices {
    /// The connection of the unit of work at hand, taken for a statement.
    ///
    /// # Errors
    /// No connection: an SQLCODE, or the end of the task.
    fn sql_open(&mut self) -> Result<Box<SqlLink>, SqlRefusal> {
        Err(SqlRefusal::Failed(CommandFailure::Abend(*b"AEY9")))
    }
    /// The unit of work has cursors WITH HOLD.
    fn sql_holds(&mut self) -> ServiceResult<()> {
        Ok(())
    }
    /// Takes it back after the statement.
    fn sql_keep(&mut self, link: Box<SqlLink>) {
        drop(link);
    }
    /// Returns a connection that is no longer usable.
    fn sql_lost(&mut self, link: Box<SqlLink>) -> ServiceResult<()> {
        drop(link);
        Ok(())
    }
    /// The server has cancelled a statement: the task may have been purged.
    fn sql_cancelled(&mut self) -> ServiceResult<()> {
        Ok(())
    }
}

/// Memory that outlives a program.
pub trait MemoryAreas {
    /// The running task's arena.
    fn arena(&mut self) -> Arena<'_>;
    /// Address and bytes of the area that all workers share, if there is one.
    fn shared(&self) -> Option<(usize, usize)> {
        None
    }
}

/// Everything outside of the worker that a task can reach.
pub trait WorkerServices:
    FileServices
    + UnitServices
    + ProgramServices
    + PartnerServices
    + TurnServices
    + MemoryAreas
    + SqlServices
{
    /// The task in this slot begins: its arena is at hand from now on.
    fn begin_task(&mut self, slot: usize);
    /// The task ended.
    fn end_task(&mut self);
    /// A command that the region serves, by the number of its row.
    fn command(&mut self, number: u16, operands: &CommandOperands) -> ServiceResult<CommandReply>;
    /// The same for a command that gives nothing back and raises no condition: the region
    /// serves it before the next one at the latest, or at the end of the task.
    fn command_later(&mut self, number: u16, operands: &CommandOperands) -> ServiceResult<()> {
        self.command(number, operands).map(drop)
    }
    /// Takes the command that the region has not been asked for yet: its number and its
    /// operands.
    fn take_later(&mut self) -> Option<Vec<u8>> {
        None
    }
    /// Asks the region for a command that was taken so.
    fn ask_taken(&mut self, _later: &[u8]) {}
    /// What was counted since the worker's start.
    fn crossings(&self) -> CrossingCounts;
}

/// Calls and waits since the worker's start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CrossingCounts {
    /// Calls that crossed to the region.
    pub calls: u32,
    /// Nanoseconds spent waiting for their answers.
    pub wait_ns: u64,
    /// Nanoseconds spent waiting for the QR token.
    pub qr_wait_ns: u64,
}

/// Facts of the region and its definitions that commands ask for.
#[derive(Debug, Clone, Default)]
pub struct RegionFacts {
    /// ASSIGN APPLID.
    pub applid: [u8; 8],
    /// ASSIGN SYSID.
    pub sysid: [u8; 4],
    /// The areas that all workers share.
    pub shared: SharedAreas,
    /// File commands run under the QR token.
    pub fc_qr_only: bool,
    /// How socket calls are served.
    pub sockets: link::SocketOptions,
    /// Transactions with a work area and its bytes, in the order of names.
    pub work_areas: Vec<(TransId, u32)>,
}

/// The CWA and shared storage, at the same addresses in every worker. Both are
/// empty in a region without them.
#[derive(Debug, Clone, Copy, Default)]
pub struct SharedAreas {
    address: usize,
    /// Bytes of the CWA.
    pub cwa_bytes: usize,
    storage_bytes: usize,
}

impl SharedAreas {
    /// The parts of an area of `bytes` bytes at `address`.
    pub fn new((address, bytes): (usize, usize), cwa_bytes: usize) -> Self {
        let cwa_bytes = cwa_bytes.min(bytes);
        SharedAreas {
            address,
            cwa_bytes,
            storage_bytes: bytes - cwa_bytes.next_multiple_of(link::PAGE).min(bytes),
        }
    }

    /// The CWA, or null.
    pub fn cwa(&self) -> *mut u8 {
        match self.cwa_bytes {
            0 => std::ptr::null_mut(),
            _ => self.address as *mut u8,
        }
    }

    /// Whether GETMAIN SHARED gives storage that all workers have.
    pub fn has_storage(&self) -> bool {
        self.storage_bytes > 0
    }

    /// The address of an offset in the shared storage.
    pub fn storage(&self, offset: usize) -> *mut u8 {
        (self.front() + offset) as *mut u8
    }

    /// The offset of an address, if it is in the shared storage.
    pub fn offset(&self, at: *const u8) -> Option<usize> {
        let offset = (at as usize).checked_sub(self.front())?;
        (offset < self.storage_bytes).then_some(offset)
    }

    /// Whether an address means the same in all workers.
    pub fn holds(&self, at: *const u8) -> bool {
        let cwa = self.address..self.address + self.cwa_bytes;
        cwa.contains(&(at as usize)) || self.offset(at).is_some()
    }

    fn front(&self) -> usize {
        self.address + self.cwa_bytes.next_multiple_of(link::PAGE)
    }
}

impl RegionFacts {
    /// Bytes of a transaction's work area.
    pub fn twa_bytes(&self, transid: &[u8; 4]) -> usize {
        let name = TransId::from_bytes(*transid);
        let at = self.work_areas.binary_search_by_key(&name, |(t, _)| *t);
        at.map_or(0, |at| self.work_areas[at].1 as usize)
    }
}

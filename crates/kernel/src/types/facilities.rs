//! Facilities that outlive tasks: a terminal, a socket.
//!
//! A door registers each facility with the region and passes the user's inputs to
//! the region. The region decides which transaction an input begins, gives the task
//! the data that the last task has saved for it, and passes events to the door's
//! sink. Between two inputs no task exists and no worker is held.
//!
//! Reference: CICS application programming, "Pseudoconversational programming";
//! API reference, RETURN, START, RECEIVE.

use link::terminal::ScreenSize;
use link::{Name, TransId, UserId};

use super::{Abend, StartRefusal};

/// Identifies a facility until the region ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FacilityId(pub u64);

/// The kind of a facility.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FacilityKind {
    /// A display terminal.
    #[default]
    Terminal,
    /// A socket that tasks use like a terminal.
    Socket,
}

/// The attributes of a facility, which its door specifies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FacilityDef {
    /// The kind of facility.
    pub kind: FacilityKind,
    /// The terminal identifier: EIBTRMID, TERMID of START. Not blank.
    pub terminal: Name<4>,
    /// The logical unit: NETNAME. Blank for the terminal identifier.
    pub netname: Name<8>,
    /// The logical unit comes from a pool, so another user may have it next.
    /// No data of it outlive the connection.
    pub pooled: bool,
    /// The user of its tasks, until [`Handle::sign_on`].
    pub userid: UserId,
    /// Screen size in use when a task begins.
    pub screen: ScreenSize,
    /// Default screen size.
    pub default_screen: ScreenSize,
    /// Alternate screen size; 0 × 0 for none.
    pub alternate_screen: ScreenSize,
    /// TERMCODE: the kind of device and its model.
    pub term_code: [u8; 2],
    /// Bits of [`link::terminal::feature`].
    pub features: u16,
    /// RTIMOUT: milliseconds that a task waits for input before it abends with AKCT; 0 for
    /// no limit.
    pub read_timeout_ms: u32,
}

/// An input of a user.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FacilityInput {
    /// The AID of the 3270 data stream, `7D` for ENTER.
    pub aid: u8,
    /// Position of the cursor, from 0.
    pub cursor: u16,
    /// The data after AID and cursor; characters are in the region's code page.
    pub data: Vec<u8>,
    /// What the door has prepared of it for the worker: a
    /// [`link::terminal::PreparedInput`], or nothing.
    pub prepared: Vec<u8>,
    /// The transaction to begin when no task has named the next one, as the door
    /// finds it in the first characters; blank for none.
    pub transid: TransId,
}

impl FacilityInput {
    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.data.len() + self.prepared.len()
    }
}

/// What became of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputTaken {
    /// A task of this transaction begins.
    Begins(TransId),
    /// The task that owns the facility waited for the input, and continues.
    Received,
    /// The input waits until the task that owns the facility receives it or ends.
    Queued,
}

/// Reason for refusing an input. The data saved for the next task stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InputRefused {
    /// No such facility is registered.
    #[error("the facility is not registered")]
    Gone,
    /// Neither the last task nor the input specifies a transaction.
    #[error("no transaction is named")]
    NoTransaction,
    /// The transaction cannot begin.
    #[error(transparent)]
    Task(StartRefusal),
    /// Too much input waits already, or the input is too long.
    #[error("too much input waits for the task")]
    TooMuch,
    /// A unit of work of an earlier task is in doubt, and changes the data saved for the
    /// next task.
    #[error("an earlier unit of work is in doubt")]
    InDoubt,
}

/// Reason for refusing to register a facility.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RegisterRefused {
    /// The terminal identifier is blank or has a facility already.
    #[error("terminal {0} is in use")]
    InUse(Name<4>),
    /// The region has its maximum of facilities.
    #[error("the region has its maximum of facilities")]
    TooMany,
}

/// The state of a facility between and during tasks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FacilityState {
    /// The user of its tasks.
    pub userid: UserId,
    /// A task owns the facility.
    pub busy: bool,
    /// That task waits for input.
    pub waits: bool,
    /// There is an input that no task has received: RECEIVE does not wait.
    pub has_input: bool,
    /// The transaction that RETURN has named for the next input, blank for
    /// none.
    pub next_transid: TransId,
    /// Bytes of the COMMAREA or channel saved for the next task.
    pub saved_bytes: usize,
    /// The data were saved in an earlier connection, or before a restart of the region.
    pub recovered: bool,
    /// STARTs and triggers that wait for the facility.
    pub queued_starts: usize,
    /// A unit of work in doubt changes the saved data: no task begins until the outcome
    /// is known.
    pub in_doubt: bool,
}

/// How output is written to a screen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ScreenErase {
    /// Over the existing contents.
    #[default]
    No,
    /// On an empty screen of the size in use.
    Same,
    /// On an empty screen of the default size.
    Default,
    /// On an empty screen of the alternate size.
    Alternate,
}

/// Output of a task to its terminal with SEND or CONVERSE.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FacilityOutput {
    /// The program's data stream after command and write control character.
    pub data: Vec<u8>,
    /// ERASE.
    pub erase: ScreenErase,
    /// CTLCHAR; `None` for the default, which unlocks the keyboard.
    pub control: Option<u8>,
    /// STRFIELD: the data are structured fields.
    pub structured: bool,
    /// LAST: the last output of this task.
    pub last: bool,
}

/// An event at a facility.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FacilityEvent {
    /// A task of this transaction owns the facility from now on.
    Begins(TransId),
    /// The task sends output, and continues at once: the sink keeps a copy.
    Output(FacilityOutput),
    /// A command of the task that its door serves and that gives nothing back.
    Command {
        /// The number of its row.
        number: u16,
        /// Its operands, as [`link::CommandOperands`] has them. A worker wrote them.
        operands: Vec<u8>,
    },
    /// The task waits for input: the keyboard is unlocked.
    Waits,
    /// The task has ended.
    Ended {
        /// The abend, if the task ended with one.
        abend: Option<Abend>,
        /// The transaction that the next input begins, blank for none.
        next_transid: TransId,
    },
    /// A task could not begin.
    Refused {
        /// The transaction of the task.
        transid: TransId,
        /// Reason of the refusal.
        refusal: StartRefusal,
    },
}

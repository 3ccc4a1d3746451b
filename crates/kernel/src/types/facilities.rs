//! Facilities that outlive tasks: a terminal, a socket.
//!
//! A door registers each with the region and gives it what its user enters. The
//! region decides which transaction that begins, gives the task what the last
//! one has saved for it, and hands events back to the door's sink. Between two
//! inputs no task exists and no worker is held.
//!
//! Reference: CICS application programming, "Pseudoconversational programming";
//! API reference, RETURN, START, RECEIVE.

use link::terminal::ScreenSize;
use link::{Name, TransId, UserId};

use super::{Abend, StartRefusal};

/// Names a facility within one life of the region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FacilityId(pub u64);

/// What a facility is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FacilityKind {
    /// A display terminal.
    #[default]
    Terminal,
    /// A socket whose peer is talked with as with a terminal.
    Socket,
}

/// A facility as its door describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FacilityDef {
    /// What it is.
    pub kind: FacilityKind,
    /// The terminal identifier: EIBTRMID, TERMID of START. Not blank.
    pub terminal: Name<4>,
    /// The logical unit: NETNAME. Blank for the terminal identifier.
    pub netname: Name<8>,
    /// The logical unit comes from a pool, so another user may have it next.
    /// Nothing of it outlives the connection.
    pub pooled: bool,
    /// Who its tasks run for, until [`Handle::sign_on`].
    pub userid: UserId,
    /// Size in use when a task begins.
    pub screen: ScreenSize,
    /// Default size.
    pub default_screen: ScreenSize,
    /// Alternate size; 0 × 0 for none.
    pub alternate_screen: ScreenSize,
    /// TERMCODE: the kind of device and its model.
    pub term_code: [u8; 2],
    /// Bits of [`link::terminal::feature`].
    pub features: u16,
    /// RTIMOUT: milliseconds that a task waits for input; 0 for no limit. Then
    /// it ends with AKCT.
    pub read_timeout_ms: u32,
}

/// What a user entered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FacilityInput {
    /// The AID as the 3270 data stream has it, `7D` for ENTER.
    pub aid: u8,
    /// Position of the cursor, from 0.
    pub cursor: u16,
    /// The data after AID and cursor, in the region's code page where they are
    /// characters.
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
    /// The task that has the facility waits for it, and goes on.
    Received,
    /// It waits until the task that has the facility asks for it or ends.
    Queued,
}

/// Why an input was not taken. What was saved for it stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InputRefused {
    /// No such facility is registered.
    #[error("the facility is not registered")]
    Gone,
    /// No transaction is named, neither by the last task nor by the input.
    #[error("no transaction is named")]
    NoTransaction,
    /// The transaction cannot begin.
    #[error(transparent)]
    Task(StartRefusal),
    /// Too much input waits already, or it is too long.
    #[error("too much input waits for the task")]
    TooMuch,
    /// A unit of work of an earlier task is in doubt, and it changes what is saved
    /// for the next one.
    #[error("an earlier unit of work is in doubt")]
    InDoubt,
}

/// Why a facility was not registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RegisterRefused {
    /// The terminal identifier is blank or has a facility already.
    #[error("terminal {0} is in use")]
    InUse(Name<4>),
    /// The region has its maximum of facilities.
    #[error("the region has its maximum of facilities")]
    TooMany,
}

/// What waits for the next input of a facility.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FacilityState {
    /// Who its tasks run for.
    pub userid: UserId,
    /// A task has it.
    pub busy: bool,
    /// That task waits for input.
    pub waits: bool,
    /// An input that no task has received is there: RECEIVE does not wait.
    pub has_input: bool,
    /// The transaction that RETURN has named for the next input, blank for
    /// none.
    pub next_transid: TransId,
    /// Bytes of the COMMAREA or channel that are saved for it.
    pub saved_bytes: usize,
    /// It was saved in an earlier connection or life of the region.
    pub recovered: bool,
    /// STARTs and triggers that wait for it.
    pub queued_starts: usize,
    /// A unit of work in doubt changes what is saved for it: no task begins until
    /// the outcome is known.
    pub in_doubt: bool,
}

/// How output is written to a screen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ScreenErase {
    /// Over what is there.
    #[default]
    No,
    /// On an empty screen of the size in use.
    Same,
    /// On an empty screen of the default size.
    Default,
    /// On an empty screen of the alternate size.
    Alternate,
}

/// What a task sends to its terminal with SEND or CONVERSE.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FacilityOutput {
    /// The data stream after command and write control character, as the
    /// program has it.
    pub data: Vec<u8>,
    /// ERASE.
    pub erase: ScreenErase,
    /// CTLCHAR; `None` for the default, which unlocks the keyboard.
    pub control: Option<u8>,
    /// STRFIELD: the data are structured fields.
    pub structured: bool,
    /// LAST: nothing more comes of this task.
    pub last: bool,
}

/// What happens at a facility.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FacilityEvent {
    /// A task of this transaction has it from now on.
    Begins(TransId),
    /// The task sends. It goes on at once: the sink keeps a copy.
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
    /// The task is over.
    Ended {
        /// Its abend, if it had one.
        abend: Option<Abend>,
        /// The transaction that the next input begins, blank for none.
        next_transid: TransId,
    },
    /// A task could not begin.
    Refused {
        /// Its transaction.
        transid: TransId,
        /// Why.
        refusal: StartRefusal,
    },
}

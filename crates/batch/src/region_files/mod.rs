//! Files of a store that a region owns: the requests of a job's process to the
//! region.
//!
//! A region is the only writer of its store. A job that changes the files of a
//! running region has the region lock and change the records, over a socket in the
//! region's state folder. The job reads committed records itself and merges its own
//! changes that are not committed yet.
//!
//! ```text
//!  job                                    region
//!   │  Hello program                       │  a task of transaction CBAT
//!   │  Hold file key ─────────────────────▶│  locks, as READ UPDATE does
//!   │  Replace file key record ───────────▶│  in the task's unit of work
//!   │◀──────────────── status, commits ────│  … committed a moment later
//!   │  Flush ─────────────────────────────▶│  commits now
//!   │                                      │
//!   │  HoldChanges ───────────────────────▶│  a program with EXEC SQL: commits by Flush
//!   │  Prepare ───────────────────────────▶│  and Prepare only
//!   │◀───────────────────────────── token ─│  the store keeps the unit as prepared
//!   │  (the SQL server commits)            │
//!   │  Outcome ───────────────────────────▶│  applies, or backs out
//! ```
//!
//! Invariant: a change that the region has acknowledged is committed even if the
//! job's process ends abnormally, unless the job holds its changes. Only a failure of the
//! region loses changes after its last commit. If a job that has a token ends, the region
//! asks the SQL server for the outcome.

mod client;
mod socket;
mod wire;

use cics::resp::Condition;

use crate::status::Status;

pub use client::Region;
pub use socket::{connect, listen};
pub use wire::{FrameBuffer, JobRequest, Response, VERSION};

/// Maps the condition of a change to the file status of the program.
pub fn status_of(condition: Condition) -> Status {
    match condition {
        Condition::Normal => Status::OK,
        Condition::DupRec => Status::DUPLICATE,
        Condition::NotFnd => Status::NOT_FOUND,
        Condition::NoSpace => Status::NO_ROOM,
        Condition::LengErr | Condition::InvReq => Status::BAD_LENGTH,
        Condition::RecordBusy => Status::IN_USE,
        _ => Status::PERMANENT,
    }
}

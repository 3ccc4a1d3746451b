//! Files of a store that a region has: what a job's process asks of the region.
//!
//! A region is the only writer of its store. A job that changes files beside
//! it has the region lock and change the records, over a socket in the
//! region's state folder; it reads what is committed by itself, and lays what
//! it has changed and the region has not committed yet over that.
//!
//! ```text
//!  job                                    region
//!   │  Hello program                       │  a task of transaction CBAT
//!   │  Hold file key ─────────────────────▶│  locks, as READ UPDATE does
//!   │  Replace file key record ───────────▶│  in the task's unit of work
//!   │◀──────────────── status, commits ────│  … committed a moment later
//!   │  Flush ─────────────────────────────▶│  commits now
//! ```
//!
//! Invariant: what the region has answered it commits also when the job's
//! process dies; only the death of the region loses what is younger than its
//! last commit.

mod client;
mod socket;
mod wire;

use cics::resp::Condition;

use crate::status::Status;

pub use client::Region;
pub use socket::{connect, listen};
pub use wire::{FrameBuffer, JobRequest, Response, VERSION};

/// What a program is told of a condition that a change came to.
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

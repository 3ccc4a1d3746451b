//! The part of a request about its caller's unit of work.
//!
//! ```text
//! 76      84         88      92
//! +-------+----------+-------+
//! | unit  | step     | link  |
//! | u64   | u32      | 4     |
//! +-------+----------+-------+
//! ```
//!
//! The step of a LINK is the number of earlier ones of the unit; if those are
//! missing, the program must not run, since their changes are lost. The step of
//! an order is the order.
//!
//! Reference: CICS intercommunication guide, "Syncpoint flows"; X/Open
//! distributed transaction processing, presumed rollback.

use super::reader::MalformedBytes;
use region::Name;

/// The unit of work of a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfUnit {
    /// Its number, which no other unit of the caller has.
    pub unit: u64,
    /// The step.
    pub step: UnitStep,
    /// The caller's name for the connection, which keeps two of them to one
    /// region apart.
    pub link: Name<4>,
}

/// A request's step in a unit of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitStep {
    /// A LINK whose changes belong to it, and the number of earlier ones.
    Link(u32),
    /// The changes must be committed after any failure, if asked.
    Prepare,
    /// It is committed.
    Commit,
    /// It is backed out.
    BackOut,
    /// It commits in one phase, because no other region has changed data.
    CommitOnePhase,
    /// Queries the outcome of such a unit.
    Outcome,
    /// The connection is new: which prepared units are in doubt? Units that are
    /// not prepared are backed out.
    Resync,
}

const PREPARE: u32 = 1;
const COMMIT: u32 = 2;
const BACK_OUT: u32 = 3;
const RESYNC: u32 = 4;
const COMMIT_ONE_PHASE: u32 = 5;
const OUTCOME: u32 = 6;

impl UnitStep {
    /// Whether the unit step is an order, not a LINK.
    pub fn is_order(self) -> bool {
        !matches!(self, UnitStep::Link(_))
    }

    pub(super) fn number(self) -> u32 {
        match self {
            UnitStep::Link(before) => before,
            UnitStep::Prepare => PREPARE,
            UnitStep::Commit => COMMIT,
            UnitStep::BackOut => BACK_OUT,
            UnitStep::Resync => RESYNC,
            UnitStep::CommitOnePhase => COMMIT_ONE_PHASE,
            UnitStep::Outcome => OUTCOME,
        }
    }

    pub(super) fn order(number: u32) -> Result<UnitStep, MalformedBytes> {
        Ok(match number {
            PREPARE => UnitStep::Prepare,
            COMMIT => UnitStep::Commit,
            BACK_OUT => UnitStep::BackOut,
            RESYNC => UnitStep::Resync,
            COMMIT_ONE_PHASE => UnitStep::CommitOnePhase,
            OUTCOME => UnitStep::Outcome,
            _ => {
                return Err(MalformedBytes {
                    what: "unknown order on a unit of work",
                    at: 84,
                });
            }
        })
    }
}

/// Units in a COMMAREA: those of an answer to [`UnitStep::Resync`], and those whose
/// outcome the coordinator acknowledges in [`UnitStep::CommitOnePhase`].
pub fn emit_units(units: &[u64]) -> Vec<u8> {
    units.iter().flat_map(|unit| unit.to_be_bytes()).collect()
}

/// Parses such a COMMAREA. Returns `None` if its length is not a multiple of a
/// unit's.
pub fn parse_units(bytes: &[u8]) -> Option<Vec<u64>> {
    let (units, []) = bytes.as_chunks::<8>() else {
        return None;
    };
    Some(units.iter().map(|unit| u64::from_be_bytes(*unit)).collect())
}

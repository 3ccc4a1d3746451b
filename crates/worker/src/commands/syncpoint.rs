//! SYNCPOINT and SYNCPOINT ROLLBACK.
//!
//! Reference: CICS API reference, SYNCPOINT. Browses go on over it: their
//! position is a key.

use cics::command::commands::syncpoint as row;

use crate::exec::{Call, Outcome};
use crate::worker::Worker;

pub fn serve(w: &mut Worker, call: &Call<'_>) -> Outcome {
    let done = if call.has(row::ROLLBACK) {
        w.services.rollback()
    } else {
        w.services.syncpoint()
    };
    w.files.end_unit();
    Ok(done?)
}

//! The areas of RECEIVE and CONVERSE for received data, and the length that the
//! program asks for.

use cics::resp::Condition;
use link::conversation::VERB_NOTRUNCATE;

use super::conversation::MAX_RECORD;
use crate::exec::{CommandCall, CommandStop, condition};
use crate::services::VerbAnswer;
use crate::worker::Worker;

/// Key of the area where SET points, out of the way of those of files.
const RECORD_AREA: u32 = u32::MAX - 1;

/// The options for the data and their length.
pub(super) struct DataTarget {
    pub into: u8,
    pub set: u8,
    pub length: u8,
    pub flength: u8,
    pub maxlength: u8,
    pub maxflength: u8,
    pub notruncate: u8,
}

impl DataTarget {
    /// Most bytes wanted, and the flags.
    pub(super) fn wanted(&self, call: &CommandCall<'_>) -> Result<(u64, u64), CommandStop> {
        let max = call.int(self.maxlength).or(call.int(self.maxflength));
        let length = call.int(self.length).or(call.int(self.flength));
        let limit = match call.arg(self.into) {
            // MAXLENGTH is the size of the area, else LENGTH is.
            Some(into) => max.or(length).unwrap_or(into.size() as i64),
            None => max.unwrap_or(MAX_RECORD),
        };
        if !(0..=MAX_RECORD).contains(&limit) {
            return condition(Condition::LengErr, 0);
        }
        let area = call.arg(self.into).map_or(limit, |a| a.size() as i64);
        let flags = if call.has(self.notruncate) {
            VERB_NOTRUNCATE
        } else {
            0
        };
        Ok((limit.min(area) as u64, flags))
    }

    /// Gives the program what a verb has received.
    pub(super) fn deliver(&self, w: &mut Worker, call: &CommandCall<'_>, answer: &VerbAnswer) {
        self.store(w, call, &answer.data, answer.args[4] as i64);
    }

    /// Gives the program data and a length.
    pub(super) fn store(&self, w: &mut Worker, call: &CommandCall<'_>, data: &[u8], length: i64) {
        call.set_int(self.length, length);
        call.set_int(self.flength, length);
        if call.has(self.set) {
            let at = w.task.storage.area(RECORD_AREA, data);
            call.set_pointer(self.set, at);
        }
        if let Some(into) = call.arg(self.into) {
            into.set_bytes(data, into.size());
        }
    }
}

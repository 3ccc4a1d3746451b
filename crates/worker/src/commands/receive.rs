//! RECEIVE and CONVERSE.
//!
//! Reference: CICS API reference, RECEIVE (APPC), CONVERSE (APPC). A record
//! that is longer than the program wants is cut with LENGERR, or goes on with
//! the next RECEIVE when NOTRUNCATE is there. LENGTH receives the length that
//! the record has, or with NOTRUNCATE what was given of it. What ends the
//! partner's chain (its turn, a request to confirm, its end) raises EOC, which a
//! program that does not ask for it never sees.

use std::sync::LazyLock;

use cics::command::commands::{converse as converse_row, receive as row};
use cics::resp::Condition;
use link::conversation::{VERB_DATA, VERB_NOTRUNCATE, Verb};

use super::conversation::{
    MAX_RECORD, Named, allocated, from, outcome, refuse_options, run_verb, terminal_options,
};
use super::terminal;
use crate::exec::{Call, Outcome, Stop, condition};
use crate::services::VerbAnswer;
use crate::worker::Worker;

/// Key of the area where SET points, out of the way of those of files.
pub(super) const RECORD_AREA: u32 = u32::MAX - 1;

/// Where the data and their length go, by option.
pub(super) struct Target {
    into: u8,
    set: u8,
    length: u8,
    flength: u8,
    maxlength: u8,
    maxflength: u8,
    notruncate: u8,
}

pub fn receive(w: &mut Worker, call: &Call<'_>) -> Outcome {
    const NAMED: Named = Named {
        convid: row::CONVID,
        session: Some(row::SESSION),
        state: Some(row::STATE),
    };
    static OTHERS: LazyLock<Vec<u8>> = LazyLock::new(|| terminal_options(&row::ROW));
    const TARGET: Target = Target {
        into: row::INTO,
        set: row::SET,
        length: row::LENGTH,
        flength: row::FLENGTH,
        maxlength: row::MAXLENGTH,
        maxflength: row::MAXFLENGTH,
        notruncate: row::NOTRUNCATE,
    };
    if terminal::is_for(w, call, &NAMED) {
        return terminal::receive(w, call, &TARGET);
    }
    allocated(w, call, &NAMED)?;
    refuse_options(call, &OTHERS)?;
    let (limit, flags) = TARGET.wanted(call)?;
    let answer = run_verb(w, call, &NAMED, Verb::Receive, [flags, limit], &[])?;
    TARGET.deliver(w, call, &answer);
    outcome(&answer)
}

pub fn converse(w: &mut Worker, call: &Call<'_>) -> Outcome {
    const NAMED: Named = Named {
        convid: converse_row::CONVID,
        session: Some(converse_row::SESSION),
        state: Some(converse_row::STATE),
    };
    const TARGET: Target = Target {
        into: converse_row::INTO,
        set: converse_row::SET,
        length: converse_row::TOLENGTH,
        flength: converse_row::TOFLENGTH,
        maxlength: converse_row::MAXLENGTH,
        maxflength: converse_row::MAXFLENGTH,
        notruncate: converse_row::NOTRUNCATE,
    };
    static OTHERS: LazyLock<Vec<u8>> = LazyLock::new(|| terminal_options(&converse_row::ROW));
    if terminal::is_for(w, call, &NAMED) {
        return terminal::converse(w, call, &TARGET);
    }
    allocated(w, call, &NAMED)?;
    refuse_options(call, &OTHERS)?;
    let record = from(
        call,
        converse_row::FROM,
        converse_row::FROMLENGTH,
        converse_row::FROMFLENGTH,
    )?;
    let (limit, mut flags) = TARGET.wanted(call)?;
    flags |= record.map_or(0, |_| VERB_DATA);
    let data: &[&[u8]] = &[record.unwrap_or_default()];
    let answer = run_verb(w, call, &NAMED, Verb::Converse, [flags, limit], data)?;
    TARGET.deliver(w, call, &answer);
    outcome(&answer)
}

impl Target {
    /// Most bytes wanted, and the flags.
    pub(super) fn wanted(&self, call: &Call<'_>) -> Result<(u64, u64), Stop> {
        let max = call.int(self.maxlength).or(call.int(self.maxflength));
        let length = call.int(self.length).or(call.int(self.flength));
        let limit = match call.arg(self.into) {
            // MAXLENGTH says how long the area is, else LENGTH does.
            Some(into) => max.or(length).unwrap_or(into.size() as i64),
            None => max.unwrap_or(MAX_RECORD),
        };
        if !(0..=MAX_RECORD).contains(&limit) {
            return condition(Condition::LengErr, 0);
        }
        let area = call.arg(self.into).map_or(limit, |a| a.size() as i64);
        let flags = match call.has(self.notruncate) {
            true => VERB_NOTRUNCATE,
            false => 0,
        };
        Ok((limit.min(area) as u64, flags))
    }

    fn deliver(&self, w: &mut Worker, call: &Call<'_>, answer: &VerbAnswer) {
        self.store(w, call, &answer.data, answer.args[4] as i64, RECORD_AREA);
    }

    /// Gives the program data and a length; `area` is where SET points.
    pub(super) fn store(
        &self,
        w: &mut Worker,
        call: &Call<'_>,
        data: &[u8],
        length: i64,
        area: u32,
    ) {
        call.set_int(self.length, length);
        call.set_int(self.flength, length);
        if call.has(self.set) {
            let at = w.task.storage.area(area, data);
            call.set_pointer(self.set, at);
        }
        if let Some(into) = call.arg(self.into) {
            into.set_bytes(data, into.size());
        }
    }
}

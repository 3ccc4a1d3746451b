//! READ.
//!
//! Reference: CICS API reference, READ. Without UPDATE the newest committed
//! record is read, or the task's own changed record; with UPDATE the region
//! locks the record first.

use cics::command::commands::read as row;
use cics::file::FileAccess;
use cics::resp::Condition;
use link::UpdateHold;

use super::key::{RecordOptions, RecordTarget, deliver, file, file_options, named};
use crate::exec::{CommandCall, CommandResult, condition};
use crate::services::FoundRecord;
use crate::worker::Worker;

const NAMED: RecordOptions = named!(row);
const TARGET: RecordTarget = RecordTarget {
    into: row::INTO,
    set: row::SET,
    length: row::LENGTH,
};

pub fn serve(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let by_token = call.has(row::TOKEN);
    let update = call.has(row::UPDATE) || by_token;
    let access = if update {
        FileAccess::ReadUpdate
    } else {
        FileAccess::Read
    };
    let file = file(w, call, file_options!(row), access)?;
    let key = NAMED.key(&w.files, file, call)?;
    if update && !by_token && w.files.held.find(file, None).is_some() {
        return condition(Condition::InvReq, 28);
    }
    // A record that the task holds cannot be read for update again.
    if update && !key.generic && !call.has(row::GTEQ) && w.files.held.holds(file, key.bytes()) {
        return condition(Condition::InvReq, 28);
    }
    let seek = key.seek(call.has(row::GTEQ));
    let mut found = std::mem::take(&mut w.task.fetched.0);
    found.clear();
    let (mut of, mut more) = (Vec::new(), false);
    let mut show = |f: FoundRecord<&[u8]>| {
        found.extend_from_slice(f.record);
        more = f.more;
        if update {
            of.extend_from_slice(f.position);
        }
    };
    let read = if update {
        let nosuspend = call.has(row::NOSUSPEND);
        w.services
            .fetch_for_update(file, seek, access, nosuspend, &mut show)
            .map(|token| {
                token.is_some_and(|token| {
                    w.files.held.add(UpdateHold {
                        file,
                        token,
                        by_token,
                        position: std::mem::take(&mut of).into(),
                        key_at: 0,
                    });
                    call.set_int(row::TOKEN, i64::from(token));
                    true
                })
            })
    } else {
        w.services.fetch(file, seek, access, &mut show)
    };
    let outcome = match read {
        Ok(true) => deliver(w, call, &TARGET, file, &found).and_then(|()| {
            if more {
                condition(Condition::DupKey, 140)
            } else {
                Ok(())
            }
        }),
        Ok(false) => condition(Condition::NotFnd, 80),
        Err(failure) => Err(failure.into()),
    };
    w.task.fetched.0 = found;
    outcome
}

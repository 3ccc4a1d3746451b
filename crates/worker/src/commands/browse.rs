//! STARTBR, READNEXT, READPREV, RESETBR and ENDBR.
//!
//! Each step looks from a key, so nothing is held between two commands. A
//! program that changes RIDFLD skips to that key; READPREV after READNEXT, and
//! the other way round, gives the same record once more.
//! Reference: CICS API reference, the commands; application development,
//! "Browsing records".

use cics::command::commands::{endbr as endbr_row, readnext as next, readprev as prev};
use cics::command::commands::{resetbr as reset_row, startbr as start_row};
use cics::file::FileAccess;
use cics::resp::Condition;
use link::UpdateHold;
use store::SeekKey;

use super::key::{
    FileOptions, Key, RecordOptions, RecordTarget, RidfldKind, address, deliver, file,
    file_options, key, named, set_ridfld,
};
use crate::cob::CommandOperand;
use crate::exec::{CommandCall, CommandResult, CommandStop, condition};
use crate::files::{BrowseState, FileBrowse};
use crate::services::FoundRecord;
use crate::worker::Worker;

const START: RecordOptions = named!(start_row);
const RESET: RecordOptions = named!(reset_row);
const NEXT: RecordTarget = RecordTarget {
    into: next::INTO,
    set: next::SET,
    length: next::LENGTH,
};
const PREV: RecordTarget = RecordTarget {
    into: prev::INTO,
    set: prev::SET,
    length: prev::LENGTH,
};

pub fn startbr(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    use start_row as row;
    let access = FileAccess::StartBrowse;
    let file = file(w, call, file_options!(row), access)?;
    let reqid = call.int(row::REQID).unwrap_or(0);
    if w.files.browse(file, reqid).is_some() {
        return condition(Condition::InvReq, 33);
    }
    let generic = START.is_generic(call);
    let key = START.key(&w.files, file, call)?;
    let equal = call.has(row::EQUAL);
    if !can_start(w, file, &key, equal, access)? {
        return condition(Condition::NotFnd, 80);
    }
    w.files.browses.push(FileBrowse {
        file,
        reqid,
        generic,
        equal,
        key: key.bytes().to_vec(),
        position: key.bytes().to_vec(),
        state: BrowseState::Start,
    });
    Ok(())
}

/// Whether a browse can start there: a record satisfies the key, or the key
/// is the highest possible, from which READPREV reads backwards.
fn can_start(
    w: &mut Worker,
    file: usize,
    key: &Key,
    equal: bool,
    access: FileAccess,
) -> Result<bool, CommandStop> {
    if !key.bytes().is_empty() && key.bytes().iter().all(|b| *b == 0xFF) {
        return Ok(true);
    }
    let seek = key.seek(!equal);
    Ok(w.services.fetch(file, seek, access, &mut |_| ())?)
}

pub fn resetbr(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    use reset_row as row;
    let access = FileAccess::ContinueBrowse;
    let file = file(w, call, file_options!(row), access)?;
    let reqid = call.int(row::REQID).unwrap_or(0);
    if w.files.browse(file, reqid).is_none() {
        return condition(Condition::InvReq, 36);
    }
    let generic = RESET.is_generic(call);
    let key = RESET.key(&w.files, file, call)?;
    let equal = call.has(row::EQUAL);
    let found = can_start(w, file, &key, equal, access)?;
    if let Some(browse) = w.files.browse(file, reqid) {
        browse.generic = generic;
        browse.equal = equal;
        browse.key = key.bytes().to_vec();
        browse.position.clone_from(&browse.key);
        browse.state = BrowseState::Start;
    }
    if found {
        Ok(())
    } else {
        condition(Condition::NotFnd, 80)
    }
}

pub fn endbr(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let file = file(w, call, file_options!(endbr_row), FileAccess::EndBrowse)?;
    let reqid = call.int(endbr_row::REQID).unwrap_or(0);
    let before = w.files.browses.len();
    w.files
        .browses
        .retain(|b| !(b.file == file && b.reqid == reqid));
    if w.files.browses.len() < before {
        Ok(())
    } else {
        condition(Condition::InvReq, 35)
    }
}

/// The options of READNEXT and READPREV, which are the same.
struct BrowseOptions {
    file: FileOptions,
    ridfld: u8,
    keylength: u8,
    named: RecordOptions,
    reqid: u8,
    token: u8,
    nosuspend: u8,
    target: RecordTarget,
    forward: bool,
    /// RESP2 of INVREQ when there is no browse.
    no_browse: u32,
}

pub fn readnext(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    step(
        w,
        call,
        &BrowseOptions {
            file: file_options!(next),
            ridfld: next::RIDFLD,
            keylength: next::KEYLENGTH,
            named: named!(next, None),
            reqid: next::REQID,
            token: next::TOKEN,
            nosuspend: next::NOSUSPEND,
            target: NEXT,
            forward: true,
            no_browse: 34,
        },
    )
}

pub fn readprev(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    step(
        w,
        call,
        &BrowseOptions {
            file: file_options!(prev),
            ridfld: prev::RIDFLD,
            keylength: prev::KEYLENGTH,
            named: named!(prev, None),
            reqid: prev::REQID,
            token: prev::TOKEN,
            nosuspend: prev::NOSUSPEND,
            target: PREV,
            forward: false,
            no_browse: 41,
        },
    )
}

fn step(w: &mut Worker, call: &CommandCall<'_>, s: &BrowseOptions) -> CommandResult {
    let update = call.has(s.token);
    let access = if update {
        FileAccess::UpdateInBrowse
    } else {
        FileAccess::ContinueBrowse
    };
    let file = file(w, call, s.file, access)?;
    let reqid = call.int(s.reqid).unwrap_or(0);
    let Some(browse) = w.files.browse(file, reqid).cloned() else {
        return condition(Condition::InvReq, s.no_browse);
    };
    if !s.forward && browse.generic {
        return condition(Condition::InvReq, 24);
    }
    let ridfld = call.arg(s.ridfld);
    let skip = skip_to(w, call, s, &browse, ridfld)?;
    let looking = skip.as_ref().map_or_else(
        || from_state(&browse, s.forward),
        |key| {
            Some(if s.forward {
                key.seek(!browse.equal)
            } else {
                SeekKey::Equal(key.bytes())
            })
        },
    );
    let Some(seek) = looking else {
        return condition(Condition::EndFile, 90);
    };
    let mut found = std::mem::take(&mut w.task.fetched.0);
    found.clear();
    let (mut position, mut more) = (Vec::new(), false);
    let mut show = |f: FoundRecord<&[u8]>| {
        found.extend_from_slice(f.record);
        position.extend_from_slice(f.position);
        more = f.more;
    };
    let step = FileAccess::ContinueBrowse;
    let read = w.services.fetch(file, seek, step, &mut show);
    let outcome = match read {
        Ok(true) => {
            let taken = take(w, call, s, (file, reqid), ridfld, position, &mut found);
            taken.and_then(|()| {
                if more {
                    condition(Condition::DupKey, 140)
                } else {
                    Ok(())
                }
            })
        }
        Ok(false) => none_found(w, s, file, reqid, skip.is_some()),
        Err(failure) => Err(failure.into()),
    };
    w.task.fetched.0 = found;
    outcome
}

/// The key that the program put into RIDFLD since the last step, if it did.
fn skip_to(
    w: &Worker,
    call: &CommandCall<'_>,
    s: &BrowseOptions,
    browse: &FileBrowse,
    ridfld: Option<CommandOperand<'_>>,
) -> Result<Option<Key>, CommandStop> {
    let length = call.int(s.keylength);
    let full = w.files.key_bytes(browse.file) as i64;
    let generic = browse.generic && length.is_some_and(|l| l < full);
    let named = match s.named.addressing(&w.files, browse.file, call)? {
        RidfldKind::Key => key(&w.files, browse.file, ridfld, length, generic)?,
        by => address(ridfld, by)?,
    };
    let (named, seen) = (named.bytes(), browse.key.as_slice());
    let same = named.len().min(seen.len());
    let unchanged = named[..same] == seen[..same] && !(generic && same == 0 && !seen.is_empty());
    Ok((!unchanged).then(|| Key::new(named, generic)))
}

/// The key of the next step. Returns `None` at the end of the file.
fn from_state(browse: &FileBrowse, forward: bool) -> Option<SeekKey<'_>> {
    let key = browse.position.as_slice();
    let highest = !key.is_empty() && key.iter().all(|b| *b == 0xFF);
    Some(match (browse.state, forward) {
        (BrowseState::Start, true) if browse.equal && browse.generic => SeekKey::Prefix(key),
        (BrowseState::Start, true) => SeekKey::AtLeast(key),
        (BrowseState::Start, false) if highest => SeekKey::Last,
        // READPREV right after STARTBR wants the very record.
        (BrowseState::Start, false) => SeekKey::Equal(key),
        (BrowseState::Forward, true) => SeekKey::Greater(key),
        (BrowseState::Backward, false) => SeekKey::Less(key),
        (BrowseState::Forward, false) => SeekKey::AtMost(key),
        (BrowseState::Backward, true) => SeekKey::AtLeast(key),
        (BrowseState::AtEnd, true) | (BrowseState::AtFront, false) => return None,
        (BrowseState::AtEnd, false) => SeekKey::Last,
        (BrowseState::AtFront, true) => SeekKey::First,
    })
}

fn none_found(
    w: &mut Worker,
    s: &BrowseOptions,
    file: usize,
    reqid: i64,
    skipped: bool,
) -> CommandResult {
    let Some(browse) = w.files.browse(file, reqid) else {
        return condition(Condition::InvReq, s.no_browse);
    };
    let wanted = skipped && (browse.equal || !s.forward);
    if wanted || (browse.state == BrowseState::Start && !s.forward) {
        return condition(Condition::NotFnd, 80);
    }
    browse.state = if s.forward {
        BrowseState::AtEnd
    } else {
        BrowseState::AtFront
    };
    condition(Condition::EndFile, 90)
}

fn take(
    w: &mut Worker,
    call: &CommandCall<'_>,
    s: &BrowseOptions,
    (file, reqid): (usize, i64),
    ridfld: Option<CommandOperand<'_>>,
    position: Vec<u8>,
    found: &mut Vec<u8>,
) -> CommandResult {
    if call.has(s.token) {
        found.clear();
        let mut show = |f: FoundRecord<&[u8]>| found.extend_from_slice(f.record);
        let nosuspend = call.has(s.nosuspend);
        let (seek, access) = (SeekKey::Equal(&position), FileAccess::UpdateInBrowse);
        let token = w
            .services
            .fetch_for_update(file, seek, access, nosuspend, &mut show)?;
        let Some(token) = token else {
            return condition(Condition::NotFnd, 80);
        };
        w.files.held.add(UpdateHold {
            file,
            token,
            by_token: true,
            position: position.as_slice().into(),
            key_at: 0,
        });
        call.set_int(s.token, i64::from(token));
    }
    if let Some(ridfld) = ridfld {
        set_ridfld(&w.files, file, ridfld, &position);
    }
    let key_bytes = w.files.key_bytes(file).min(position.len());
    if let Some(browse) = w.files.browse(file, reqid) {
        browse.key = position[..key_bytes].to_vec();
        browse.position = position;
        browse.state = if s.forward {
            BrowseState::Forward
        } else {
            BrowseState::Backward
        };
    }
    deliver(w, call, &s.target, file, found)
}

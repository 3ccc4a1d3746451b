//! ASSIGN: values of the task, its program and the region.
//!
//! Reference: CICS API reference, ASSIGN. Options of terminals answer INVREQ
//! 1 in a task that has none, but FACILITY of a task that a partner
//! attached is its conversation. QNAME is the queue that triggered the task. Size and
//! origin of a map are those of the one that was sent last; before, and for
//! options of pages and partitions, the answer is INVREQ 5, and INVREQ 6 of
//! batch data interchange. The other options of the command are still given.

use cics::command::commands::assign as row;
use cics::cvda;
use cics::resp::Condition;
use link::terminal::MapFacts;

use super::assign_terminal::{self, NO_TERMINAL};
use super::convert::LOCAL_CCSID;
use super::maps;
use crate::exec::{CommandCall, CommandResult, condition};
use crate::worker::Worker;

pub fn serve(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let mut refused = 0;
    let map = if MAP_OPTIONS.iter().any(|option| call.has(*option)) {
        sent_map(w)
    } else {
        None
    };
    for option in call
        .each()
        .filter(|o| usize::from(*o) < call.row.options.len())
    {
        let given = if MAP_OPTIONS.contains(&option) {
            give_map(call, option, map)
        } else {
            give(w, call, option)
        };
        if let Err(resp2) = given {
            refused = resp2;
        }
    }
    if refused == 0 {
        Ok(())
    } else {
        condition(Condition::InvReq, refused)
    }
}

const NOT_STARTED_BY_QUEUE: u32 = 3;
const NO_MAPS: u32 = 5;
const NO_BATCH: u32 = 6;

/// Options of the map that the task has sent last.
const MAP_OPTIONS: [u8; 4] = [row::MAPCOLUMN, row::MAPHEIGHT, row::MAPLINE, row::MAPWIDTH];

/// The map that the task has sent last.
fn sent_map(w: &mut Worker) -> Option<MapFacts> {
    let name = w.task.terminal.as_ref()?.sent_map?;
    maps::facts(w, name)
}

fn give_map(call: &CommandCall<'_>, option: u8, map: Option<MapFacts>) -> Result<(), u32> {
    let map = map.ok_or(NO_MAPS)?;
    let value = match option {
        row::MAPCOLUMN => map.column,
        row::MAPHEIGHT => map.height,
        row::MAPLINE => map.line,
        _ => map.width,
    };
    call.set_int(option, value.into());
    Ok(())
}

fn give(w: &Worker, call: &CommandCall<'_>, option: u8) -> Result<(), u32> {
    let task = &w.task;
    let level = task.level();
    let text = |value: &[u8]| call.set_chars(option, value);
    let int = |value: i64| call.set_int(option, value);
    let abend = task.abend.as_deref();
    match option {
        row::ABCODE => text(abend.map_or(b"    ", |a| &a.code)),
        row::ORGABCODE => text(abend.map_or(b"    ", |_| &task.first_abend)),
        row::ABPROGRAM => text(abend.map_or(&[b' '; 8], |a| &a.program)),
        row::ABOFFSET => int(-1),
        row::APPLID => text(&w.facts.applid),
        row::SYSID => text(&w.facts.sysid),
        row::CHANNEL => {
            text(
                &level
                    .passed
                    .channel
                    .map_or([b' '; 16], |c| task.channels.name(c)),
            );
        }
        row::PROGRAM => text(&level.name),
        row::INVOKINGPROG => text(&level.invoking),
        row::RETURNPROG => text(&task.return_program()),
        row::LINKLEVEL => int(task.depth as i64),
        row::STARTCODE => text(&task.start_code),
        row::USERID => text(&task.userid),
        row::TASKPRIORITY | row::TRANPRIORITY => int(i64::from(task.priority)),
        row::TWALENG => int(task.twa.len() as i64),
        row::LOCALCCSID => int(i64::from(LOCAL_CCSID)),
        row::LANGINUSE => text(b"ENU"),
        row::NATLANGINUSE => text(b"E"),
        row::OPID => text(&[0; 3]),
        row::MAJORVERSION | row::MINORVERSION | row::MICROVERSION => int(-1),
        row::ASRAKEY | row::ASRASPC | row::ASRASTG => {
            int(i64::from(cvda::value("NOTAPPLIC").unwrap_or(1)));
        }
        row::TNIPFAMILY => int(i64::from(cvda::value("NOTAPPLIC").unwrap_or(1))),
        // The principal facility is a terminal.
        row::FCI if task.terminal.is_some() => text(&[1]),
        // Not supported: binary zeros.
        row::ABDUMP
        | row::ASRAINTRPT
        | row::ASRAPSW
        | row::ASRAPSW16
        | row::ASRAREGS
        | row::ASRAREGS64
        | row::FCI
        | row::OPCLASS
        | row::OPERKEYS
        | row::OPSECURITY
        | row::RESTART
        | row::STATIONID
        | row::TELLERID => call.set_zeros(option),
        row::CWALENG => int(w.facts.shared.cwa_bytes as i64),
        row::TCTUALENG
        | row::TERMPRIORITY
        | row::USERPRIORITY
        | row::INITPARMLEN
        | row::ERRORMSGLEN
        | row::INPUTMSGLEN
        | row::TNPORT => int(0),
        row::ACTIVITY
        | row::ACTIVITYID
        | row::PROCESS
        | row::PROCESSTYPE
        | row::APPLICATION
        | row::OPERATION
        | row::PLATFORM
        | row::BRIDGE
        | row::CMDSEC
        | row::RESSEC
        | row::ERRORMSG
        | row::INITPARM
        | row::TNADDR
        | row::USERNAME => text(b""),
        row::QNAME if task.start_code == *b"QD" => match &task.terminal {
            Some(terminal) => text(terminal.data.queue.as_bytes()),
            None => text(&task.facility),
        },
        row::QNAME => return Err(NOT_STARTED_BY_QUEUE),
        row::FACILITY if task.start_code == *b"QD" && task.terminal.is_none() => {
            return Err(NO_TERMINAL);
        }
        row::FACILITY if task.facility != [b' '; 4] => text(&task.facility),
        row::DESTCOUNT
        | row::INPARTN
        | row::LDCMNEM
        | row::LDCNUM
        | row::PAGENUM
        | row::PARTNPAGE
        | row::PARTNSET => return Err(NO_MAPS),
        row::DESTID | row::DESTIDLENG => return Err(NO_BATCH),
        _ => return assign_terminal::give(w, call, option),
    }
    Ok(())
}

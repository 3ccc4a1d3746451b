//! LINK: a program at the next level, here or elsewhere.
//!
//! Reference: CICS API reference, LINK. SYNCONRETURN and TRANSID concern
//! programs of other regions and are ignored for one that runs here. A program
//! of another region commits by itself; over `ipconn` one that changes something
//! must be linked to with SYNCONRETURN. Without SYSID, or with this region's,
//! the definition's REMOTESYSTEM, REMOTENAME and TRANSID say where it runs.

use cics::command::commands::link as row;
use cics::names::AbendCode;
use cics::resp::Condition;
use link::interpreter::INTERPRETER_PROGRAM;
use link::program_link::{MAX_COMMAREA as LONGEST, valid_name};
use link::{ChannelData, ProgramFault};

use super::containers::{channel_named, export, import};
use super::remote_link::{self, LinkArea, LinkTarget};
use super::terminal::hand_over_input;
use crate::abend::Abend;
use crate::exec::{CommandCall, CommandResult, CommandStop, condition};
use crate::host::ProgramId;
use crate::services::{LinkData, LinkStep};
use crate::worker::{EntryArguments, Worker};

/// Longest COMMAREA.
pub const MAX_COMMAREA: i64 = LONGEST as i64;
/// The mirror transaction where nothing names another.
const MIRROR: [u8; 4] = *b"CSMI";

pub fn serve(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let name = call.name::<8>(row::PROGRAM).unwrap_or([b' '; 8]);
    w.task.level_mut().eib().set_resource(&name);
    if call.has(row::INPUTMSG) {
        return condition(Condition::InvReq, 8);
    }
    let (commarea, bytes) = commarea(call, row::COMMAREA, row::LENGTH)?;
    if let Some(data) = call.int(row::DATALENGTH) {
        match data {
            ..0 => return condition(Condition::LengErr, 12),
            d if d > bytes as i64 => return condition(Condition::LengErr, 13),
            _ => {}
        }
    }
    if let Some(remote) = remote(w, call, &name) {
        let given = match channel(w, call, row::CHANNEL)? {
            Some(channel) => LinkArea::Channel(channel),
            // SAFETY: the program's own area, which nothing else uses while it
            // waits.
            None => LinkArea::Commarea(unsafe { as_area(commarea, bytes) }),
        };
        return remote_link::serve(w, &remote, given);
    }
    let program = w.programs.runnable(&name).or_else(cannot_run)?;
    let here = w.programs.definition(program).module.is_some();
    let channel = channel(w, call, row::CHANNEL)?;
    let passed = EntryArguments {
        commarea,
        bytes,
        channel,
    };
    if !here {
        return elsewhere(w, &name, passed);
    }
    match w.run_level(program, passed) {
        None => Ok(()),
        Some(abend) => Err(CommandStop::Abend(abend)),
    }
}

/// PGMIDERR of a program that cannot be run here.
pub fn cannot_run<T>(fault: ProgramFault) -> Result<T, CommandStop> {
    condition(Condition::PgmIdErr, fault.resp2())
}

/// The COMMAREA that a command passes, with its length checked.
pub fn commarea(
    call: &CommandCall<'_>,
    area: u8,
    length: u8,
) -> Result<(*mut u8, usize), CommandStop> {
    let Some(area) = call.arg(area) else {
        return Ok((std::ptr::null_mut(), 0));
    };
    let bytes = call.int(length).unwrap_or(area.size() as i64);
    if !(0..=MAX_COMMAREA).contains(&bytes) {
        return condition(Condition::LengErr, 11);
    }
    Ok((area.data(), bytes as usize))
}

/// The channel that a command passes, which is made if missing. Returns `None` when
/// the command names no channel.
pub fn channel(
    w: &mut Worker,
    call: &CommandCall<'_>,
    option: u8,
) -> Result<Option<crate::channel::ChannelId>, CommandStop> {
    match call.name::<16>(option) {
        None => Ok(None),
        Some(name) if !valid_name(&name) => condition(Condition::ChannelErr, 1),
        Some(name) => Ok(Some(channel_named(w, &name))),
    }
}

/// The region of SYSID or of the program's definition, when that is not
/// this region. SYSID overrides the definition.
fn remote(w: &Worker, call: &CommandCall<'_>, name: &[u8; 8]) -> Option<LinkTarget> {
    let mirror = call.name::<4>(row::TRANSID);
    let blank = [b' '; 4];
    let elsewhere = |system: &[u8; 4]| *system != blank && *system != w.facts.sysid;
    match call.name::<4>(row::SYSID) {
        Some(system) if system != w.facts.sysid => elsewhere(&system).then_some(LinkTarget {
            system,
            mirror: mirror.unwrap_or(MIRROR),
            program: *name,
            syncs: call.has(row::SYNCONRETURN),
        }),
        _ => {
            let def = w.programs.definition(w.programs.find(name)?);
            if !def.enabled {
                return None;
            }
            let defined = def.remote_transid;
            let defined = (!defined.is_blank()).then_some(*defined.as_bytes());
            let program = if def.remote_name.is_blank() {
                *name
            } else {
                *def.remote_name.as_bytes()
            };
            let system = *def.remote_system.as_bytes();
            elsewhere(&system).then_some(LinkTarget {
                system,
                mirror: mirror.or(defined).unwrap_or(MIRROR),
                program,
                syncs: call.has(row::SYNCONRETURN),
            })
        }
    }
}

/// The bytes of a COMMAREA.
///
/// # Safety
/// `commarea` has so many bytes, and nothing else uses them meanwhile.
unsafe fn as_area<'a>(commarea: *mut u8, bytes: usize) -> &'a mut [u8] {
    match bytes {
        0 => &mut [],
        // SAFETY: by the contract.
        _ => unsafe { std::slice::from_raw_parts_mut(commarea, bytes) },
    }
}

/// LINK to a program that the region runs.
pub fn elsewhere(w: &mut Worker, name: &[u8; 8], passed: EntryArguments) -> CommandResult {
    hand_over_input(w)?;
    // SAFETY: the program's own area, which nothing else uses while it waits.
    let area = unsafe { as_area(passed.commarea, passed.bytes) };
    let given = match passed.channel {
        Some(channel) => LinkData::Channel(export(w, channel)),
        None => LinkData::Commarea(area.to_vec()),
    };
    let mut step = w.services.link(name, &given)?;
    loop {
        match step {
            LinkStep::Done(LinkData::Commarea(back)) => {
                let n = back.len().min(area.len());
                area[..n].copy_from_slice(&back[..n]);
                return Ok(());
            }
            LinkStep::Done(LinkData::Channel(back)) => {
                return match passed.channel {
                    Some(channel) => import(w, channel, &back),
                    None => Ok(()),
                };
            }
            LinkStep::Run { program, payload } => step = nested(w, program, payload)?,
        }
    }
}

/// Runs a program at the next level with a channel of its own that holds
/// `data`; returns its abend and the channel as it left it.
pub fn run_with(
    w: &mut Worker,
    program: ProgramId,
    data: &ChannelData,
) -> Result<(Option<Box<Abend>>, ChannelData), CommandStop> {
    let level = w.task.depth;
    let channel = w.task.channels.make(data.name.as_bytes(), level);
    import(w, channel, data)?;
    let passed = EntryArguments {
        channel: Some(channel),
        ..EntryArguments::NOTHING
    };
    let abend = w.run_level(program, passed);
    let back = export(w, channel);
    let heap = w.services.arena().heap;
    w.task.channels.drop_channel(channel, heap);
    Ok((abend, back))
}

/// Runs a program that the region needs before it can answer.
fn nested(w: &mut Worker, name: [u8; 8], given: LinkData) -> Result<LinkStep, CommandStop> {
    if let LinkData::Commarea(request) = &given
        && name == INTERPRETER_PROGRAM
        && w.programs.find(&name).is_some_and(|p| !w.can_run(p))
        && let Some(outcome) = super::interpret::run(w, request)
    {
        let outcome = LinkData::Commarea(outcome);
        return Ok(w.services.nested_done(None, &outcome)?);
    }
    let Some(program) = w.programs.find(&name).filter(|p| w.can_run(*p)) else {
        let missing = AbendCode::literal(b"APCT").0;
        return Ok(w.services.nested_done(Some(missing), &given)?);
    };
    let (abend, back) = match given {
        LinkData::Commarea(mut commarea) => {
            let passed = EntryArguments {
                commarea: commarea.as_mut_ptr(),
                bytes: commarea.len().min(MAX_COMMAREA as usize),
                channel: None,
            };
            let abend = w.run_level(program, passed);
            (abend, LinkData::Commarea(commarea))
        }
        LinkData::Channel(data) => {
            let (abend, back) = run_with(w, program, &data)?;
            (abend, LinkData::Channel(back))
        }
    };
    Ok(w.services.nested_done(abend.map(|a| a.code), &back)?)
}

//! SET of what the core decides by: tasks, transactions, classes, programs and
//! files, and the region's own settings.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cics::command::commands as rows;
use cics::cvda;
use cics::resp::Condition;
use link::{CommandOperands, Name};

use super::super::clock::now_ns;
use super::super::{SharedRegion, unix_offset};
use super::view::{OptionValue, numbered_class};
use super::{CommandResult, SystemCommand};
use crate::api::{ClassDef, PurgeOutcome, StartRefusal, TraceFilter};
use kernel::core::Core;
use kernel::resources::system::{DAY_S, StatisticsRecording};
use kernel::{CommandFailure, condition};

impl SharedRegion {
    pub(super) fn set_task(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        use rows::set_task as row;
        let key = self.task_of(asked, row::TASK)?;
        let named = asked.operands.get_int(row::PURGETYPE);
        let is = |flag, name| {
            let value = cvda::value(name).map(i64::from);
            asked.operands.has(flag) || (named.is_some() && named == value)
        };
        let force = is(row::FORCEPURGE, "FORCEPURGE") || is(row::KILL, "KILL");
        let purge = force || is(row::PURGE, "PURGE");
        if named.is_some() && !purge {
            return condition(Condition::InvReq, 3);
        }
        let priority = match asked.operands.get_int(row::PRIORITY).map(u8::try_from) {
            Some(Err(_)) => return condition(Condition::InvReq, 1),
            known => known.and_then(Result::ok),
        };
        if let Some(priority) = priority {
            self.with(|core, _| core.set_priority(key, priority));
        }
        if purge {
            match self.purge_task(key, force, "SET TASK purged the task") {
                PurgeOutcome::Refused => return condition(Condition::InvReq, 5),
                // The task ends when it next waits.
                PurgeOutcome::Deferred => return condition(Condition::Normal, 13),
                PurgeOutcome::Done | PurgeOutcome::WorkerEnded | PurgeOutcome::Unknown => {}
            }
        }
        if purge || priority.is_some() {
            Ok(CommandOperands::default())
        } else {
            condition(Condition::InvReq, 1)
        }
    }

    pub(super) fn set_transaction(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        use rows::set_transaction as row;
        let operands = asked.operands;
        let enabled = match operands.get_int(row::STATUS) {
            Some(n) if Some(n) == cvda::value("ENABLED").map(i64::from) => Some(true),
            Some(n) if Some(n) == cvda::value("DISABLED").map(i64::from) => Some(false),
            Some(_) => return condition(Condition::InvReq, 3),
            None if operands.has(row::ENABLED) => Some(true),
            None => operands.has(row::DISABLED).then_some(false),
        };
        let priority = match operands.get_int(row::PRIORITY).map(u8::try_from) {
            Some(Err(_)) => return condition(Condition::InvReq, 5),
            known => known.and_then(Result::ok),
        };
        let runaway = match operands.get_int(row::RUNAWAY).map(u32::try_from) {
            Some(Err(_)) => return condition(Condition::InvReq, 10),
            known => known.and_then(Result::ok),
        };
        let purgeable = asked.switch("PURGEABILITY", "PURGEABLE", "NOTPURGEABLE", 1)?;
        let serves = [
            row::PURGEABILITY,
            row::PURGEABLE,
            row::NOTPURGEABLE,
            row::TRANSACTION,
            row::STATUS,
            row::ENABLED,
            row::DISABLED,
            row::PRIORITY,
            row::RUNAWAY,
        ];
        asked.only(&serves)?;
        let mut state = self.lock();
        let defs = state.core.defs_mut();
        let name = operands.get_name(row::TRANSACTION).map(Name::from_bytes);
        let is_disabled = enabled == Some(false);
        let Some(number) = name.and_then(|name| defs.transaction(name)) else {
            return condition(Condition::TransIdErr, 7);
        };
        let def = &mut defs.transactions[number].def;
        def.enabled = enabled.unwrap_or(def.enabled);
        def.priority = priority.unwrap_or(def.priority);
        def.runaway_ms = runaway.or(def.runaway_ms);
        def.purgeable = purgeable.unwrap_or(def.purgeable);
        let transid = def.name;
        drop(state);
        if is_disabled {
            self.empty_queue(transid, StartRefusal::Disabled(transid));
        }
        Ok(CommandOperands::default())
    }

    pub(super) fn set_tranclass(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        use rows::set_tranclass as row;
        let operands = asked.operands;
        asked.only(&[row::TRANCLASS, row::MAXACTIVE, row::PURGETHRESH])?;
        let limit = |option, most, resp2| match operands.get_int(option) {
            Some(n) if (0..=most).contains(&n) => Ok(Some(n as usize)),
            Some(_) => condition(Condition::InvReq, resp2),
            None => Ok(None),
        };
        let max_active = limit(row::MAXACTIVE, 999, 2)?;
        let threshold = limit(row::PURGETHRESH, 1_000_000, 3)?;
        let name = operands.get_name::<8>(row::TRANCLASS);
        self.with(|core, cx| {
            let classes = &mut core.defs_mut().classes;
            let of_name = |c: &ClassDef| Some(*c.name.as_bytes()) == name;
            let Some(number) = classes.iter().position(of_name) else {
                return condition(Condition::TcIdErr, 1);
            };
            let class = &mut classes[number];
            class.max_active = max_active.unwrap_or(class.max_active);
            if let Some(threshold) = threshold {
                // One more than may wait; 0 for any number.
                class.purge_threshold = threshold.checked_sub(1);
            }
            core.class_changed(cx, number);
            Ok(CommandOperands::default())
        })
    }

    /// SET FILE: the switches take effect at the next command on the file, of any
    /// worker. The operations that a file allows are changed while it is closed,
    /// which the same command may do.
    ///
    /// Reference: CICS system programming reference, SET FILE.
    pub(super) fn set_file(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        use rows::set_file as row;
        let switch = |option, yes, no, resp2| asked.switch(option, yes, no, resp2);
        let read = switch("READ", "READABLE", "NOTREADABLE", 12)?;
        let update = switch("UPDATE", "UPDATABLE", "NOTUPDATABLE", 14)?;
        let add = switch("ADD", "ADDABLE", "NOTADDABLE", 4)?;
        let delete = switch("DELETE", "DELETABLE", "NOTDELETABLE", 7)?;
        let browse = switch("BROWSE", "BROWSABLE", "NOTBROWSABLE", 5)?;
        let enabled = switch("ENABLESTATUS", "ENABLED", "DISABLED", 17)?;
        let closed = switch("OPENSTATUS", "CLOSED", "OPEN", 16)?;
        if asked
            .row
            .options
            .iter()
            .skip(usize::from(row::CFDTPOOL))
            .any(|o| asked.has(o.name))
        {
            return condition(Condition::InvReq, 1);
        }
        let name = asked.operands.get_name(row::FILE).map(Name::from_bytes);
        let mut kernel = self.kernel.lock();
        let files = &mut kernel.resources.files;
        let Some(file) = name.and_then(|name| files.entry_mut(name)) else {
            return condition(Condition::FileNotFound, 18);
        };
        let allows = [read, update, add, delete, browse]
            .iter()
            .any(Option::is_some);
        if allows && !file.closed && closed != Some(true) {
            return condition(Condition::InvReq, 2);
        }
        let permits = &mut file.permits;
        permits.read = read.unwrap_or(permits.read);
        permits.update = update.unwrap_or(permits.update);
        permits.add = add.unwrap_or(permits.add);
        permits.delete = delete.unwrap_or(permits.delete);
        permits.browse = browse.unwrap_or(permits.browse);
        file.enabled = enabled.unwrap_or(file.enabled);
        // ENABLED ends UNENABLED too.
        file.closed = closed.unwrap_or(file.closed && enabled != Some(true));
        self.page.count_file_change();
        Ok(CommandOperands::default())
    }

    /// SET TCLASS: MAXACTIVE of a class by its number.
    pub(super) fn set_tclass(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        use rows::set_tclass as row;
        let maximum = match asked.operands.get_int(row::MAXIMUM) {
            Some(n) if (0..=999).contains(&n) => Some(n as usize),
            Some(_) => return condition(Condition::InvReq, 2),
            None => None,
        };
        let number = asked.operands.get_int(row::TCLASS).unwrap_or(0);
        let name = numbered_class(number);
        self.with(|core, cx| {
            let classes = &mut core.defs_mut().classes;
            let of_name = |c: &ClassDef| name.as_deref() == Some(c.name.as_str());
            let Some(number) = classes.iter().position(of_name) else {
                return condition(Condition::TcIdErr, 1);
            };
            classes[number].max_active = maximum.unwrap_or(classes[number].max_active);
            core.class_changed(cx, number);
            Ok(CommandOperands::default())
        })
    }

    /// SET ASSOCIATION: the task's own correlation data.
    pub(super) fn set_association(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        use rows::set_association as row;
        let data = asked.operands.get_bytes(row::USERCORRDATA);
        if let (Some(data), Some(task)) = (data, self.lock().core.task_mut(asked.key)) {
            task.correlation = data.into();
        }
        Ok(CommandOperands::default())
    }

    /// SET UOW: a unit in doubt is committed or backed out, as the command or its
    /// transaction's ACTION requires.
    pub(super) fn set_uow(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        use rows::set_uow as row;
        let states = ["COMMIT", "BACKOUT", "FORCE"];
        let is = |name: &str, state| cvda::value(name).map(i64::from) == Some(state);
        let wanted = match asked.operands.get_int(row::UOWSTATE) {
            Some(state) => match states.iter().find(|name| is(name, state)) {
                Some(name) => Some(*name),
                None => return condition(Condition::InvReq, 3),
            },
            None => states.into_iter().find(|name| asked.has(name)),
        };
        let name = asked.operands.get_bytes(row::UOW).unwrap_or_default();
        if !self.is_unit(name) {
            return condition(Condition::UowNotFound, 1);
        }
        let mut units = self.prepared_units().into_iter();
        let found = units.find(|unit| unit.number.to_be_bytes() == name && !unit.deciding);
        let Some(unit) = found else {
            return condition(Condition::InvReq, 4);
        };
        if let Some(wanted) = wanted {
            let commits = match wanted {
                "FORCE" => unit.task.in_doubt.commits,
                wanted => wanted == "COMMIT",
            };
            let action = if commits { "commits" } else { "backs out" };
            let branch = unit.branch;
            tracing::warn!(
                %branch,
                "SET UOW {action} a unit of work that another region decides: the two may differ now"
            );
            // As on CICS, the program does not wait for it.
            self.settle(branch, commits, Box::new(|_| {}));
        }
        Ok(CommandOperands::default())
    }

    /// SET CONNECTION ACQUIRED: sessions are made by and by, as on CICS.
    pub(super) fn set_connection(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        use rows::set_connection as row;
        let acquired = cvda::value("ACQUIRED").map(i64::from);
        let wanted = asked.operands.get_int(row::CONNSTATUS);
        if wanted.is_some() && wanted != acquired {
            return condition(Condition::InvReq, 2);
        }
        asked.only(&[row::CONNECTION, row::CONNSTATUS, row::ACQUIRED])?;
        let name = asked.operands.get_name::<4>(row::CONNECTION);
        let name = Name::from_bytes(name.unwrap_or([b' '; 4])).to_string();
        let partners = self.config.conversations.clone();
        let found = partners.and_then(|p| Some((p.system(name.trim_end())?, p)));
        let Some((destination, partners)) = found else {
            return condition(Condition::SysIdErr, 1);
        };
        if wanted.is_some() || asked.operands.has(row::ACQUIRED) {
            let thread = std::thread::Builder::new().name("tupelo-acquire".into());
            let started = thread.spawn(move || partners.reach(&destination));
            if let Err(error) = started {
                tracing::error!(%error, "no thread to acquire sessions");
                return condition(Condition::InvReq, 4);
            }
        }
        Ok(CommandOperands::default())
    }

    /// SET MONITOR: whether monitoring records are written.
    pub(super) fn set_monitor(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        use rows::set_monitor as row;
        let status = asked.switch("STATUS", "ON", "OFF", 2)?;
        let class = asked.switch("PERFCLASS", "PERF", "NOPERF", 1)?;
        asked.only(&[row::MONITOR, row::STATUS, row::ON, row::OFF, row::PERFCLASS])?;
        let wanted = match (status, class) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (on, perf) => on.or(perf),
        };
        if wanted == Some(true) && self.sink.is_none() {
            // There is no file that they could go to.
            return condition(Condition::InvReq, 2);
        }
        if let Some(on) = wanted {
            self.monitoring.store(on, Ordering::Relaxed);
        }
        Ok(CommandOperands::default())
    }

    /// SET DISPATCHER: how priorities age, and the runaway limit.
    pub(super) fn set_dispatcher(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        use rows::set_dispatcher as row;
        asked.only(&[row::DISPATCHER, row::PRTYAGING, row::RUNAWAY])?;
        let dispatch = DispatchChange::from_command(asked, row::PRTYAGING, row::RUNAWAY)?;
        self.with(|core, _| dispatch.apply(core));
        Ok(CommandOperands::default())
    }

    /// SET SYSTEM: the same, and MXT.
    pub(super) fn set_system(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        use rows::set_system as row;
        asked.only(&[row::SYSTEM, row::MAXTASKS, row::PRTYAGING, row::RUNAWAY])?;
        let mxt = match asked.operands.get_int(row::MAXTASKS) {
            Some(n) if (1..=1000).contains(&n) => Some(n as usize),
            Some(_) => return condition(Condition::InvReq, 1),
            None => None,
        };
        let dispatch = DispatchChange::from_command(asked, row::PRTYAGING, row::RUNAWAY)?;
        self.with(|core, cx| {
            dispatch.apply(core);
            if let Some(mxt) = mxt {
                core.set_mxt(cx, mxt);
            }
        });
        Ok(CommandOperands::default())
    }

    /// SET PROGRAM: later tasks find the program enabled or not, and run its
    /// newest version. Tasks under way end with the version that they began with.
    pub(super) fn set_program(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        use rows::set_program as row;
        let value = |name| cvda::value(name).map(i64::from);
        let enabled = asked.switch("STATUS", "ENABLED", "DISABLED", 2)?;
        let copy = asked.switch("COPY", "NEWCOPY", "PHASEIN", 5)?;
        let set = asked.operands.get_int(row::EXECUTIONSET);
        if set.is_some() && set != value("FULLAPI") {
            return condition(Condition::InvReq, 1);
        }
        asked.only(&[
            row::PROGRAM,
            row::COPY,
            row::NEWCOPY,
            row::PHASEIN,
            row::EXECUTIONSET,
            row::FULLAPI,
            row::STATUS,
            row::ENABLED,
            row::DISABLED,
        ])?;
        let name = asked.operands.get_name(row::PROGRAM).map(Name::from_bytes);
        self.redefine(|definitions| {
            let mut programs = definitions.programs.iter_mut();
            let Some(program) = programs.find(|p| Some(p.name) == name) else {
                return condition(Condition::PgmIdErr, 7);
            };
            let before = program.enabled;
            program.enabled = enabled.unwrap_or(before);
            Ok(copy.is_some() || program.enabled != before)
        })
    }

    /// INQUIRE TRACEDEST: the rings stand for the internal trace, the file for
    /// the auxiliary one.
    pub(super) fn trace_destination(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        let auxiliary = match self.trace_status() {
            Some(status) if status.full => "AUXPAUSE",
            Some(_) => "AUXSTART",
            None => "AUXSTOP",
        };
        let value = |name| cvda::value(name).map(|n| OptionValue::Int(n.into()));
        self.answer_options(asked, |_, option| match option {
            "AUXSTATUS" => value(auxiliary),
            "GTFSTATUS" => value("GTFSTOP"),
            "INTSTATUS" => value("INTSTART"),
            "SWITCHSTATUS" => value("NOSWITCH"),
            "TABLESIZE" => Some(OptionValue::Int(TRACE_KIB)),
            _ => None,
        })
    }

    /// SET TRACEDEST AUXSTART and AUXSTOP: writes the trace to a file of the
    /// region's folder.
    pub(super) fn set_trace_destination(
        self: &Arc<Self>,
        asked: &SystemCommand<'_>,
    ) -> CommandResult {
        use rows::set_tracedest as row;
        let value = |name| cvda::value(name).map(i64::from);
        let internal = asked.operands.get_int(row::INTSTATUS);
        if internal.is_some() && internal != value("INTSTART") {
            return condition(Condition::InvReq, 3);
        }
        let start = asked.switch("AUXSTATUS", "AUXSTART", "AUXSTOP", 1)?;
        asked.only(&[
            row::TRACEDEST,
            row::AUXSTATUS,
            row::AUXSTART,
            row::AUXSTOP,
            row::INTSTATUS,
            row::INTSTART,
        ])?;
        match start {
            Some(true) if self.trace_status().is_none() => {
                let name = format!("trace-{}", (now_ns() + unix_offset()) / 1_000_000);
                let started = self.trace_start(&name, TraceFilter::default(), TRACE_BYTES);
                if let Err(error) = started {
                    tracing::error!(%error, "the trace cannot be written to a file");
                    return condition(Condition::IoErr, 0);
                }
            }
            Some(false) => drop(self.trace_stop()),
            _ => {}
        }
        Ok(CommandOperands::default())
    }

    /// PERFORM STATISTICS: a line of the log with the region's counters.
    pub(super) fn perform_statistics(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        if asked.has("RESETNOW") {
            // The counters run from the region's start, since monitoring reads them.
            return condition(Condition::InvReq, 1);
        }
        self.record_statistics();
        Ok(CommandOperands::default())
    }

    /// Writes a line of the log with the region's counters.
    pub(in crate::shell) fn record_statistics(&self) {
        let statistics = serde_json::to_string(&self.statistics()).unwrap_or_default();
        tracing::info!(target: "tupelo::statistics", "{statistics}");
    }

    /// SET STATISTICS: when they are recorded.
    pub(super) fn set_statistics(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        use rows::set_statistics as row;
        let on = asked.switch("RECORDING", "ON", "OFF", 3)?;
        let interval = time_of(
            asked,
            row::INTERVAL,
            [row::INTERVALHRS, row::INTERVALMINS, row::INTERVALSECS],
            [1, 4, 5, 6],
            24,
        )?;
        let end_of_day = time_of(
            asked,
            row::ENDOFDAY,
            [row::ENDOFDAYHRS, row::ENDOFDAYMINS, row::ENDOFDAYSECS],
            [2, 7, 8, 9],
            23,
        )?;
        if interval.is_some_and(|s| !(60..=DAY_S).contains(&s)) {
            return condition(Condition::InvReq, 1);
        }
        let before = self.kernel.lock().resources.system.recording();
        let after = StatisticsRecording {
            on: on.unwrap_or(before.on),
            interval_s: interval.unwrap_or(before.interval_s),
            end_of_day_s: end_of_day.unwrap_or(before.end_of_day_s),
        };
        if asked.operands.has(row::RECORDNOW) && after.on != before.on {
            self.record_statistics();
        }
        self.kernel(|kernel, now, out| {
            kernel.with(now, out, |resources, cx| {
                resources.system.set_recording(cx, after);
            });
        });
        Ok(CommandOperands::default())
    }
}

/// Seconds of a time that is given whole, as hhmmss, or in parts; with the
/// RESP2 of a wrong one, and of each wrong part.
fn time_of(
    asked: &SystemCommand<'_>,
    whole: u8,
    parts: [u8; 3],
    resp2: [u32; 4],
    most_hours: i64,
) -> Result<Option<u64>, CommandFailure> {
    let operands = asked.operands;
    if let Some(n) = operands.get_int(whole) {
        let (h, m, s) = (n / 10_000, n / 100 % 100, n % 100);
        let fits = n >= 0 && h <= most_hours && m < 60 && s < 60;
        return if fits {
            Ok(Some((h * 3600 + m * 60 + s) as u64))
        } else {
            condition(Condition::InvReq, resp2[0])
        };
    }
    let mut seconds = None;
    for (at, (option, most)) in parts.into_iter().zip([most_hours, 59, 59]).enumerate() {
        match operands.get_int(option) {
            None => {}
            Some(n) if (0..=most).contains(&n) => {
                let unit = [3600, 60, 1][at];
                seconds = Some(seconds.unwrap_or(0) + n as u64 * unit);
            }
            Some(_) => return condition(Condition::InvReq, resp2[at + 1]),
        }
    }
    Ok(seconds)
}

/// KiB of a ring of the trace.
const TRACE_KIB: i64 = (link::layout::TRACE_ENTRIES * 32 / 1024) as i64;
/// Most bytes of a trace file that a program begins.
const TRACE_BYTES: u64 = 256 << 20;

/// The changes of SET SYSTEM and SET DISPATCHER to dispatching.
struct DispatchChange {
    aging_ns: Option<u64>,
    runaway_ns: Option<u64>,
}

impl DispatchChange {
    fn from_command(
        asked: &SystemCommand<'_>,
        aging: u8,
        runaway: u8,
    ) -> Result<Self, CommandFailure> {
        let within = |option, most: i64, least: i64, resp2| match asked.operands.get_int(option) {
            Some(0) => Ok(Some(0)),
            Some(ms) if (least..=most).contains(&ms) => Ok(Some(ms as u64 * 1_000_000)),
            Some(_) => condition(Condition::InvReq, resp2),
            None => Ok(None),
        };
        Ok(DispatchChange {
            aging_ns: within(aging, 65_535, 0, 1)?,
            runaway_ns: within(runaway, 2_700_000, 500, 4)?,
        })
    }

    fn apply(&self, core: &mut Core) {
        if let Some(aging_ns) = self.aging_ns {
            core.set_priority_aging(aging_ns);
        }
        if let Some(runaway_ns) = self.runaway_ns {
            core.set_runaway(runaway_ns);
        }
    }
}

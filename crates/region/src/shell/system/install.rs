//! CREATE and DISCARD: definitions are added and removed while the region runs.
//!
//! A definition that a program makes lasts until the region ends or its definitions are
//! read again. A task that is under way keeps the programs and files that it
//! began with; later tasks have the new ones. The worker ends the unit of work, as
//! CREATE does.
//!
//! Reference: CICS system programming reference, the commands' own pages,
//! "Creating resource definitions" and "Discarding resource definitions".

use std::sync::Arc;

use cics::command::commands::discard as row;
use cics::csd::{self, Csd};
use cics::resp::Condition;
use link::{CommandOperands, Name, ProgramEntry};

use super::super::SharedRegion;
use super::{CommandResult, SystemCommand};
use crate::api::{QueueFileFormat, RegionDefinitions, TdKind, TdRecovery, TransactionDef, install};
use kernel::resources::system::ResourceKind;
use kernel::{CommandFailure, condition};

impl SharedRegion {
    /// CREATE: the type is the word of the row, the name its first option.
    pub(super) fn create(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        asked.switch("LOGMESSAGE", "LOG", "NOLOG", 7)?;
        let operands = asked.operands;
        let length = asked.option("ATTRLEN").and_then(|o| operands.get_int(o));
        if length.is_some_and(|n| n < 0) {
            return condition(Condition::LengErr, 1);
        }
        let text =
            |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
        let name = text(operands.get_bytes(0));
        let attributes = asked.option("ATTRIBUTES");
        let attributes = text(attributes.and_then(|o| operands.get_bytes(o)));
        let kind = asked.row.words[0];
        let made = csd::definition(kind, name.trim(), &attributes).map_err(|wrong| {
            tracing::warn!("CREATE {kind}({}): {}", name.trim(), wrong.message);
            CommandFailure::Condition(Condition::InvReq, wrong.resp2())
        })?;
        let (key, name) = (asked.key, name.trim().as_bytes());
        let before = {
            let created = &mut self.kernel.lock().resources.system.created;
            created.add(key, kind, name, attributes.len())?
        };
        let installed = self.install(&made);
        if installed.is_err() {
            let created = &mut self.kernel.lock().resources.system.created;
            created.undo(kind, name, before);
        }
        installed
    }

    fn install(self: &Arc<Self>, made: &Csd) -> CommandResult {
        if let Some(model) = made.enqmodels.first() {
            let mut kernel = self.kernel.lock();
            let installed = kernel.resources.enqueue.install(install::enq_model(model));
            return match installed {
                Ok(()) => Ok(CommandOperands::default()),
                Err(_) => condition(Condition::InvReq, 0),
            };
        }
        let user = self.config.default_user.to_string();
        self.redefine(|definitions| {
            add(definitions, made, user.trim_end())?;
            Ok(true)
        })
    }

    /// DISCARD.
    pub(super) fn discard(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        let serve = DISCARDS
            .iter()
            .find(|(option, _)| asked.operands.has(*option));
        let Some((option, serve)) = serve else {
            return condition(Condition::InvReq, 1);
        };
        let given = serve(self, asked)?;
        let kind = asked.row.options[usize::from(*option)].name;
        let name = asked.operands.get_bytes(*option).unwrap_or_default();
        let created = &mut self.kernel.lock().resources.system.created;
        created.remove(kind, name);
        Ok(given)
    }

    fn discard_file(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        let name = asked.name::<8>(row::FILE);
        let found = self.view(|view| {
            let mut files = view.kernel.resources.files.entries();
            let found = files.find(|(f, _)| f.name == name);
            found.map(|(f, stored)| (stored && !f.closed, f.enabled))
        });
        match found {
            None => condition(Condition::FileNotFound, 18),
            Some(_) if name.as_str().starts_with("DFH") => condition(Condition::InvReq, 26),
            Some((true, _)) => condition(Condition::InvReq, 2),
            Some((_, true)) => condition(Condition::InvReq, 3),
            Some(_) => self.redefine(|d| {
                d.files.retain(|f| f.name != name);
                Ok(true)
            }),
        }
    }

    fn discard_program(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        let name = asked.name::<8>(row::PROGRAM);
        if name.as_str().starts_with("DFH") {
            return condition(Condition::InvReq, 1);
        }
        let runs = self.view(|view| {
            let keys = view.core.task_keys();
            let mut tasks = keys.iter().filter_map(|key| view.core.task(*key));
            tasks.any(|task| task.program == name)
        });
        self.redefine(|d| {
            let Some(at) = d.programs.iter().position(|p| p.name == name) else {
                return condition(Condition::PgmIdErr, 7);
            };
            // A transaction needs its first program to be known.
            if runs || d.transactions.iter().any(|t| t.program == name) {
                return condition(Condition::InvReq, 11);
            }
            let program = d.programs.remove(at);
            d.discarded.retain(|p| p.name != name);
            d.discarded.push(program);
            Ok(true)
        })
    }

    fn discard_transaction(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        let name = asked.name::<4>(row::TRANSACTION);
        let scheduled = self.view(|view| {
            let requests = &view.kernel.resources.interval;
            requests.scheduled().any(|transid| transid == name)
        });
        self.redefine(|d| {
            let Some(at) = d.transactions.iter().position(|t| t.name == name) else {
                return condition(Condition::TransIdErr, 1);
            };
            if name.as_str().starts_with('C') && d.transactions[at].program.is_blank() {
                return condition(Condition::InvReq, 4);
            }
            if scheduled {
                return condition(Condition::InvReq, 14);
            }
            d.transactions.remove(at);
            Ok(true)
        })
    }

    fn discard_class(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        let name = asked.name::<8>(row::TRANCLASS);
        self.with(|core, _| {
            let defs = core.defs();
            let Some(class) = defs.classes.iter().position(|c| c.name == name) else {
                return condition(Condition::TcIdErr, 1);
            };
            if defs.transactions.iter().any(|t| t.def.class == Some(name)) {
                return condition(Condition::InvReq, 12);
            }
            if core.class_load(class) != (0, 0) {
                return condition(Condition::InvReq, 2);
            }
            core.forget_class(class);
            Ok(CommandOperands::default())
        })
    }

    fn discard_td_queue(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        let name = asked.name::<4>(row::TDQUEUE);
        if !self.has_resource(ResourceKind::TdQueue, name.as_bytes()) {
            return condition(Condition::QIdErr, 1);
        }
        if name.as_str().starts_with('C') {
            return condition(Condition::InvReq, 11);
        }
        let (enabled, open, logical) = self.view(|view| {
            let td = &view.kernel.resources.transient_data;
            let queue = td.each().find(|q| q.def.name == name);
            queue.map_or((false, false, false), |q| {
                let logical = matches!(&q.def.kind, TdKind::Intrapartition { recovery, .. } if *recovery == TdRecovery::Logical);
                (q.def.enabled, q.open, logical)
            })
        });
        if enabled {
            return condition(Condition::InvReq, 31);
        }
        if open {
            return condition(Condition::InvReq, 18);
        }
        // Its records go with it.
        self.with_store(move |store| {
            kernel::resources::transient_data::forget(store, *name.as_bytes());
        });
        self.redefine(|d| {
            d.queues.transient.retain(|q| q.name != name);
            Ok(true)
        })?;
        // Marks for the worker that the unit of work ends with the command.
        let ended = CommandOperands::default();
        Ok(if logical {
            ended.int(row::TDQUEUE, 1)
        } else {
            ended
        })
    }

    fn discard_ts_model(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        let name = asked.name::<8>(row::TSMODEL);
        self.redefine(|d| taken(&mut d.queues.models, |m| m.name == name))
    }

    fn discard_journal_model(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        let name = asked.name::<8>(row::JOURNALMODEL);
        self.redefine(|d| taken(&mut d.queues.journals, |m| m.model == name))
    }

    fn discard_journal(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        let name = asked.name::<8>(row::JOURNALNAME);
        let mut kernel = self.kernel.lock();
        if kernel.resources.journals.discard(name.as_bytes()) {
            Ok(CommandOperands::default())
        } else {
            condition(Condition::JidErr, 1)
        }
    }

    fn discard_enq_model(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        let name = asked.name::<8>(row::ENQMODEL);
        let mut kernel = self.kernel.lock();
        if kernel.resources.enqueue.discard(name) {
            Ok(CommandOperands::default())
        } else {
            condition(Condition::NotFnd, 1)
        }
    }

    fn has_resource(&self, kind: ResourceKind, name: &[u8]) -> bool {
        self.view(|view| view.names(kind)).iter().any(|n| n == name)
    }
}

/// Serves DISCARD, by the option that names the resource.
type DiscardHandler = fn(&Arc<SharedRegion>, &SystemCommand<'_>) -> CommandResult;

const DISCARDS: &[(u8, DiscardHandler)] = &[
    (row::ENQMODEL, SharedRegion::discard_enq_model),
    (row::FILE, SharedRegion::discard_file),
    (row::JOURNALMODEL, SharedRegion::discard_journal_model),
    (row::JOURNALNAME, SharedRegion::discard_journal),
    (row::PROGRAM, SharedRegion::discard_program),
    (row::TDQUEUE, SharedRegion::discard_td_queue),
    (row::TRANCLASS, SharedRegion::discard_class),
    (row::TRANSACTION, SharedRegion::discard_transaction),
    (row::TSMODEL, SharedRegion::discard_ts_model),
];

impl SystemCommand<'_> {
    fn name<const N: usize>(&self, option: u8) -> Name<N> {
        let name = self.operands.get_name(option).map(Name::from_bytes);
        name.unwrap_or(Name::BLANK)
    }
}

/// Removes the element that `meant` selects from a list; NOTFND when it is missing.
fn taken<T>(list: &mut Vec<T>, meant: impl Fn(&T) -> bool) -> Result<bool, CommandFailure> {
    let before = list.len();
    list.retain(|one| !meant(one));
    if list.len() < before {
        Ok(true)
    } else {
        condition(Condition::NotFnd, 1)
    }
}

/// Adds definitions; one of the same name is replaced.
fn add(definitions: &mut RegionDefinitions, made: &Csd, user: &str) -> Result<(), CommandFailure> {
    for def in &made.transactions {
        let new = install::transaction(def);
        let old = definitions
            .transactions
            .iter_mut()
            .find(|t| t.name == new.name);
        match old {
            // The settings have these.
            Some(old) => {
                *old = TransactionDef {
                    timeout_ms: old.timeout_ms,
                    recover_conversation: old.recover_conversation,
                    ..new.clone()
                };
            }
            None => definitions.transactions.push(new.clone()),
        }
        // As with an application's definitions: known by name, and PGMIDERR.
        let known = definitions.programs.iter().any(|p| p.name == new.program);
        if !known && !new.program.is_blank() {
            definitions.programs.push(ProgramEntry {
                name: new.program,
                missing: true,
                translated: true,
                enabled: true,
                ..ProgramEntry::default()
            });
        }
    }
    for def in &made.tranclasses {
        put(&mut definitions.classes, install::class(def), |c| c.name);
    }
    for def in &made.programs {
        add_program(definitions, install::program(def));
    }
    for def in &made.files {
        put(&mut definitions.files, install::file(def), |f| f.name);
    }
    let queues = &mut definitions.queues;
    for def in &made.tsmodels {
        put(&mut queues.models, install::ts_model(def), |m| m.name);
    }
    for def in &made.journalmodels {
        put(&mut queues.journals, install::journal_model(def), |m| {
            m.model
        });
    }
    for def in &made.tdqueues {
        let queue = install::td_queue(def, user).map_err(|why| {
            tracing::warn!("CREATE: {why}");
            CommandFailure::Condition(Condition::InvReq, 0)
        })?;
        let fixed = matches!(&queue.kind, TdKind::Extrapartition { format, .. } if *format == QueueFileFormat::Fixed);
        if fixed && matches!(&def.kind, csd::TdQueueKind::Extra(e) if e.record_bytes.is_none()) {
            // RECORDSIZE is omitted.
            return condition(Condition::InvReq, 403);
        }
        put(&mut queues.transient, queue, |q| q.name);
    }
    Ok(())
}

/// A program has the module that was compiled, if one was.
fn add_program(definitions: &mut RegionDefinitions, new: ProgramEntry) {
    let programs = &mut definitions.programs;
    let known = programs.iter().position(|p| p.name == new.name);
    let discarded = &mut definitions.discarded;
    let old = match known {
        Some(at) => Some(programs.remove(at)),
        None => discarded
            .iter()
            .position(|p| p.name == new.name)
            .map(|at| discarded.remove(at)),
    };
    let (module, translated) = old.map_or((None, true), |old| (old.module, old.translated));
    programs.push(ProgramEntry {
        missing: module.is_none(),
        module,
        translated,
        ..new
    });
}

fn put<T, N: PartialEq>(list: &mut Vec<T>, new: T, name: impl Fn(&T) -> N) {
    match list.iter_mut().find(|old| name(old) == name(&new)) {
        Some(old) => *old = new,
        None => list.push(new),
    }
}

//! The queries of operators to a region, and their changes to its tasks.

use std::collections::BTreeMap;
use std::sync::Arc;

use link::TransId;
use store::FileId;

use super::SharedRegion;
use super::system::RegionView;
use crate::api::{
    ClassInfo, FileInfo, LockInfo, MessageInfo, PurgeOutcome, PurgedTasks, QueueStatus,
    ResourceInfo, StartRefusal, TaskInfo, TdKind, TdRecovery,
};
use kernel::core::TaskKey;
use kernel::{LockName, LockSpace};

impl SharedRegion {
    /// At most so many tasks whose number is above another one, by number.
    pub fn task_list(&self, after: u64, most: usize) -> Vec<TaskInfo> {
        self.view(|view| {
            let numbered = |key: TaskKey| Some((view.core.task(key)?.number, key));
            let keys = view.core.task_keys().into_iter().filter_map(numbered);
            let mut keys: Vec<(u64, TaskKey)> = keys.filter(|(n, _)| *n > after).collect();
            keys.sort_unstable();
            keys.truncate(most);
            let listed = keys.into_iter();
            listed.filter_map(|(_, key)| task_info(view, key)).collect()
        })
    }

    /// All locks, by name.
    pub fn lock_list(&self) -> Vec<LockInfo> {
        self.view(|view| {
            let number = |key| view.core.task(key).map_or(0, |t| t.number);
            let transid = |key| view.core.task(key).map(|t| t.transid).unwrap_or_default();
            let locks = view
                .kernel
                .locks()
                .each()
                .map(|(name, owner, waiters)| LockInfo {
                    name: shown(view, name),
                    owner: number(owner),
                    transid: transid(owner),
                    waiters: waiters.into_iter().map(number).collect(),
                });
            let mut locks: Vec<LockInfo> = locks.collect();
            locks.sort_unstable_by(|a, b| a.name.cmp(&b.name));
            locks
        })
    }

    /// The owner of a record's lock.
    pub fn record_owner(&self, file: FileId, key: &[u8]) -> Option<(u64, TransId)> {
        let record = LockName::new(LockSpace::Record(file), key);
        self.view(|view| {
            let mut locks = view.kernel.locks().each();
            let (_, owner, _) = locks.find(|(name, ..)| **name == record)?;
            let task = view.core.task(owner)?;
            Some((task.number, task.transid))
        })
    }

    /// Classes, files and queues.
    pub fn resource_info(&self) -> ResourceInfo {
        self.view(|view| ResourceInfo {
            classes: classes(view),
            files: files(view),
            queues: queues(view),
            max_tasks: view.core.limits().mxt,
        })
    }

    /// Whether a FILE is defined over a data set, under any name, or a record of it is
    /// locked.
    pub fn uses_data_set(&self, name: &str) -> bool {
        self.view(|view| {
            let files = &view.kernel.resources.files;
            let is_over = |file: &link::FileEntry| {
                [
                    file.base.as_str(),
                    file.data_set.as_str(),
                    file.name.as_str(),
                ]
                .contains(&name)
            };
            files
                .entries()
                .any(|(file, stored)| stored && is_over(file))
                || view
                    .kernel
                    .locks()
                    .each()
                    .any(|(lock, ..)| match lock.space {
                        LockSpace::Record(id) => files.data_set_of(id).as_deref() == Some(name),
                        _ => false,
                    })
        })
    }

    /// The messages that wait for a reply.
    pub fn message_list(&self) -> Vec<MessageInfo> {
        self.view(|view| {
            let messages = view.kernel.resources.operator.messages();
            let waiting = messages.map(|(message, m)| MessageInfo {
                message,
                task: m.number,
                transid: m.transid,
                text: m.text.clone(),
            });
            waiting.collect()
        })
    }

    /// Gives the task of a message its reply.
    pub fn reply(self: &Arc<Self>, message: u64, text: &[u8]) -> bool {
        self.kernel(|kernel, now, out| {
            kernel.with(now, out, |resources, cx| {
                resources.operator.reply(cx, message, text)
            })
        })
    }

    /// Ends the task of a number.
    pub fn purge_number(self: &Arc<Self>, number: u64, force: bool) -> PurgeOutcome {
        match self.task_key(number) {
            Some(key) => self.purge_task(key, force, "an operator purged the task"),
            None => PurgeOutcome::Unknown,
        }
    }

    /// Ends the tasks of a transaction: what waits to begin at once, the others as
    /// [`SharedRegion::purge_number`] does.
    pub fn purge_transaction(
        self: &Arc<Self>,
        transid: TransId,
        force: bool,
    ) -> Option<PurgedTasks> {
        let is_defined = self.view(|view| view.core.defs().transaction(transid).is_some());
        let why = "an operator purged the tasks of the transaction";
        let keys: Vec<TaskKey> = self.view(|view| {
            let of = |key: &TaskKey| view.core.task(*key).is_some_and(|t| t.transid == transid);
            view.core.task_keys().into_iter().filter(of).collect()
        });
        let waiting = self.kernel.lock().waiting_starts().held;
        self.kernel(|k, now, out| k.refuse_starts(now, transid, StartRefusal::Purged(why), out));
        let held = waiting - self.kernel.lock().waiting_starts().held.min(waiting);
        let mut purged = PurgedTasks {
            purged: held,
            ..PurgedTasks::default()
        };
        for key in keys {
            match self.purge_task(key, force, why) {
                PurgeOutcome::Refused => purged.refused += 1,
                PurgeOutcome::Deferred => purged.deferred += 1,
                PurgeOutcome::Done | PurgeOutcome::WorkerEnded => purged.purged += 1,
                PurgeOutcome::Unknown => {}
            }
        }
        // Tasks outlive their transaction's definition.
        (is_defined || purged != PurgedTasks::default()).then_some(purged)
    }

    /// Has a task that runs end at its next wait; false when it does not run.
    fn purge_later(&self, key: TaskKey) -> bool {
        let mut state = self.lock();
        let mut kernel = self.kernel.lock();
        if state.core.runs_in(key).is_none() || kernel.waits(key) {
            return false;
        }
        if let Some(task) = state.core.task_mut(key) {
            if task.waits_outside() {
                return false;
            }
            // Its end takes the purge back.
            task.in_kernel = true;
        }
        kernel.purge_at_next_wait(key);
        true
    }

    pub(super) fn purge_task(
        self: &Arc<Self>,
        key: TaskKey,
        force: bool,
        why: &'static str,
    ) -> PurgeOutcome {
        let purgeable = self.lock().core.task(key).is_some_and(|t| t.purgeable);
        if !force && !purgeable {
            return PurgeOutcome::Refused;
        }
        if !force && self.purge_later(key) {
            self.purge_in_services(key);
            return PurgeOutcome::Deferred;
        }
        let ends_worker = self.with(|core, cx| {
            core.purge_task(cx, key, why);
            core.loses_worker(key)
        });
        // One that waited, and had its answer by the time its wait was to end.
        if ends_worker || self.lock().core.loses_worker(key) {
            PurgeOutcome::WorkerEnded
        } else {
            PurgeOutcome::Done
        }
    }
}

/// The text of a lock's name; a record's file is shown by the name of its data set.
fn shown(view: &RegionView<'_>, name: &LockName) -> String {
    let file = match name.space {
        LockSpace::Record(id) => view.kernel.resources.files.data_set_of(id),
        _ => None,
    };
    match file {
        Some(file) => format!("record of {file} {}", name.key.escape_ascii()),
        None => name.to_string(),
    }
}

fn classes(view: &RegionView<'_>) -> Vec<ClassInfo> {
    let all = view.core.defs().classes.iter().enumerate();
    let mut classes: Vec<ClassInfo> = all
        .filter(|(_, class)| !class.name.is_blank())
        .map(|(number, class)| {
            let (active, queued) = view.core.class_load(number);
            ClassInfo {
                class: class.name,
                active,
                max_active: class.max_active,
                queued,
            }
        })
        .collect();
    classes.sort_unstable_by_key(|c| c.class);
    classes
}

fn files(view: &RegionView<'_>) -> Vec<FileInfo> {
    let resources = &view.kernel.resources;
    let mut locked: BTreeMap<String, usize> = BTreeMap::new();
    for (lock, ..) in view.kernel.locks().each() {
        if let LockSpace::Record(id) = lock.space {
            let data_set = resources.files.data_set_of(id).unwrap_or_default();
            *locked.entry(data_set).or_default() += 1;
        }
    }
    let mut files: Vec<FileInfo> = resources
        .files
        .entries()
        .map(|(file, stored)| FileInfo {
            file: file.name,
            enabled: file.enabled,
            open: stored && !file.closed,
            locks: locked.get(&file.base).copied().unwrap_or(0),
        })
        .collect();
    files.sort_unstable_by_key(|f| f.file);
    files
}

/// The queues with the most items.
fn queues(view: &RegionView<'_>) -> Vec<QueueStatus> {
    let printed = |name: &[u8]| name.trim_ascii_end().escape_ascii().to_string();
    let ts = &view.kernel.resources.temporary_storage;
    let temporary = ts.names().filter_map(|name| {
        let queue = ts.info(name)?;
        Some(QueueStatus {
            kind: "TS",
            queue: printed(name),
            items: queue.items as u64,
            recoverable: queue.recoverable,
        })
    });
    let transient = view.kernel.resources.transient_data.each();
    let transient = transient.filter_map(|queue| match &queue.def.kind {
        TdKind::Intrapartition { recovery, .. } => Some(QueueStatus {
            kind: "TD",
            queue: printed(queue.def.name.as_bytes()),
            items: queue.items,
            recoverable: *recovery != TdRecovery::No,
        }),
        _ => None,
    });
    let mut queues: Vec<QueueStatus> = temporary.chain(transient).collect();
    queues.sort_unstable_by(|a, b| (b.items, &a.queue).cmp(&(a.items, &b.queue)));
    queues.truncate(MOST_QUEUES);
    queues
}

/// Most queues that are listed.
const MOST_QUEUES: usize = 100;

fn task_info(view: &RegionView<'_>, key: TaskKey) -> Option<TaskInfo> {
    let task = view.core.task(key)?;
    let ms = |since: u64| view.now.saturating_sub(since) / 1_000_000;
    let (suspend_type, suspend_value) = view.suspended_on(key, task);
    Some(TaskInfo {
        task: task.number,
        transid: task.transid,
        program: task.program,
        userid: task.userid,
        priority: task.priority(),
        class: view.core.class_of(task).map(|c| c.name).unwrap_or_default(),
        status: view.run_status(key, task),
        suspend_type: suspend_type.to_owned(),
        suspend_value,
        // One that waits for its class or for MXT has done so since its begin.
        suspended_ms: match view.kernel.wait_of(key) {
            Some((_, since)) => ms(since),
            None if task.is_waiting() => ms(task.begun),
            None => 0,
        },
        age_ms: ms(task.begun),
        facility: task.facility(),
        start_code: link::Name::from_bytes(task.start_code()),
    })
}

//! Data saved for the next task in the store, if the transaction that RETURN names is recoverable
//! and the logical unit has its own name.
//!
//! The data is part of the unit of work that leaves it, and is removed by the first unit of the
//! task that gets it. A unit that changes nothing else does not wait for the store; one that is
//! in doubt holds the logical unit (`held.rs`). So a restart finds either the data that was left
//! last, or earlier data, followed by steps that changed nothing. It is given only to the same
//! logical unit and user, and only if it is not older than the region's limit.
//!
//! Reference: none. On CICS the COMMAREA of a pseudoconversation ends with the
//! region; TRANSACTION RESTART and TYPETERM RECOVOPTION are about tasks and
//! sessions. So a setting of the transaction asks for it.

use link::{CHANNEL_DATA, ChannelData, CommandOperands, Name, TransId, UserId};
use store::{Table, UnitOfWork};

use super::super::Resources;
use super::{FacilityEntry, FacilityId, FacilityTable, NextTask, PendingRemoval, SavedArea};
use crate::core::TaskKey;
use crate::kernel::{CallingTask, KernelContext, scan};

/// The table of saved data, by the name of the logical unit.
pub const TABLE: Table = Table::new("conversation");

/// The fields of an entry.
mod field {
    pub const AT: u8 = 0;
    pub const USERID: u8 = 1;
    pub const TRANSID: u8 = 2;
    pub const COMMAREA: u8 = 3;
    pub const MESSAGE: u8 = 4;
}

/// The stored data of a logical unit that is not connected.
#[derive(Debug)]
pub(super) struct StoredConversation {
    userid: UserId,
    /// When it was saved, nanoseconds since 1970.
    at: u64,
    next: NextTask,
}

impl StoredConversation {
    /// The data of a logical unit that disconnects.
    pub(super) fn new(
        cx: &KernelContext<'_>,
        userid: UserId,
        mut next: NextTask,
    ) -> StoredConversation {
        (next.recovered, next.immediate) = (true, false);
        StoredConversation {
            userid,
            at: unix_ns(cx),
            next,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.next.bytes()
    }
}

/// Makes a task's unit of work keep the data that it leaves, or remove earlier data. Returns true
/// if the store has data for the facility after the commit.
pub(super) fn save(
    entry: &FacilityEntry,
    cx: &mut KernelContext<'_>,
    task: TaskKey,
    next: Option<&NextTask>,
) -> bool {
    let name = entry.unit_name();
    let at = unix_ns(cx);
    match next {
        Some(next) => {
            let value = emit(at, entry.userid, next);
            let unit = cx.unit_and_store(task);
            unit.map(|(unit, _)| unit.put(TABLE, name.as_bytes(), &value))
                .is_some()
        }
        None if entry.in_store => {
            if let Some((unit, _)) = cx.unit_and_store(task) {
                unit.remove(TABLE, name.as_bytes());
            }
            false
        }
        None => false,
    }
}

/// A task begins its first unit of work, which removes the data that the task got from the store.
pub(super) fn task_begun(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    caller: &CallingTask,
) {
    let facilities = &mut resources.facilities;
    let Some(id) = caller.start.and_then(|start| facilities.of_start(start)) else {
        return;
    };
    let Some(entry) = facilities.all.get_mut(&id) else {
        return;
    };
    let given = entry.task.as_mut().and_then(|task| task.given.take());
    let given = given.filter(|_| entry.in_store);
    facilities.recount(id);
    if let Some(given) = given {
        let removal = PendingRemoval {
            facility: id,
            given,
        };
        facilities.remove_in_unit(cx, caller.key, removal);
    }
}

/// A unit of work is over: the data of RETURN takes effect, or is dropped.
pub(super) fn unit_ended(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    task: TaskKey,
    committed: bool,
) {
    let facilities = &mut resources.facilities;
    if facilities.removals.is_empty() && facilities.saves.is_empty() {
        return;
    }
    let removal = facilities.removals.remove(&task);
    let save = facilities.saves.remove(&task);
    if !committed {
        if let Some(removal) = removal {
            facilities.remove_in_unit(cx, task, removal);
        }
        return;
    }
    if let Some(entry) = removal.and_then(|r| facilities.all.get_mut(&r.facility)) {
        entry.in_store = false;
    }
    if let Some(save) = save
        && let Some(entry) = facilities.all.get_mut(&save.facility)
    {
        entry.in_store = save.in_store;
        entry.next = Some(save.next);
        let name = entry.unit_name();
        facilities.recount(save.facility);
        if save.in_store {
            facilities.drop_kept(name);
        }
    }
}

/// A task is over. The data that it got is used up even if it has committed nothing.
pub(super) fn task_ended(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    caller: &CallingTask,
) {
    let facilities = &mut resources.facilities;
    if facilities.removals.is_empty() {
        return;
    }
    let Some(removal) = facilities.removals.remove(&caller.key) else {
        return;
    };
    if let Some(entry) = facilities.all.get_mut(&removal.facility) {
        entry.in_store = false;
        let mut changes = UnitOfWork::default();
        changes.remove(TABLE, entry.unit_name().as_bytes());
        cx.change_store_once(changes);
    }
}

/// The region has started: data saved in its last run waits for the users.
pub(super) fn restore(resources: &mut Resources, cx: &mut KernelContext<'_>) {
    let mut rows: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    let Some(reader) = cx.kernel.reader.as_mut() else {
        return;
    };
    let read = scan(reader.as_mut(), TABLE, &mut |key, value| {
        rows.push((key.to_vec(), value.to_vec()));
    });
    if let Err(error) = read {
        cx.kernel
            .not_restored("what was saved for the next input of terminals", &error);
        return;
    }
    let facilities = &mut resources.facilities;
    let mut found: Vec<(Vec<u8>, Option<StoredConversation>)> = rows
        .into_iter()
        .map(|(key, value)| (key, parse(&value)))
        .collect();
    // The newest first: the oldest are dropped if there is no room for all.
    found.sort_by_key(|(_, kept)| std::cmp::Reverse(kept.as_ref().map(|k| k.at)));
    let now = unix_ns(cx);
    let mut dropped = UnitOfWork::default();
    for (key, kept) in found {
        let name = key.first_chunk::<8>().map(|name| Name::from_bytes(*name));
        let fits = |kept: &StoredConversation| {
            facilities.is_fresh(kept, now)
                && facilities.has_room(kept.bytes())
                && facilities.kept.len() < facilities.limits.most
        };
        match (name, kept.filter(fits)) {
            (Some(name), Some(kept)) => {
                facilities.keep(name, kept);
            }
            _ => dropped.remove(TABLE, &key),
        }
    }
    cx.change_store_once(dropped);
}

impl FacilityTable {
    /// A facility or its user connects: data saved for both is given to the next task.
    pub(super) fn recover(&mut self, cx: &KernelContext<'_>, id: FacilityId) {
        let Some(entry) = self.all.get(&id) else {
            return;
        };
        let (name, userid) = (entry.unit_name(), entry.userid);
        let own = self.kept.get(&name).filter(|k| k.userid == userid);
        let fresh = own.is_some_and(|kept| self.is_fresh(kept, unix_ns(cx)));
        let held = self.held.contains_key(&name);
        if !fresh || held || entry.def.pooled || entry.next.is_some() {
            return;
        }
        if let Some(kept) = self.drop_kept(name)
            && let Some(entry) = self.all.get_mut(&id)
        {
            entry.in_store = true;
            entry.next = Some(kept.next);
        }
    }

    /// A facility or its user leaves: stored data waits until both are back; other data
    /// is dropped.
    pub(super) fn put_away(&mut self, cx: &KernelContext<'_>, id: FacilityId) {
        let Some(entry) = self.all.get_mut(&id) else {
            return;
        };
        let (name, userid) = (entry.unit_name(), entry.userid);
        let next = entry.next.take();
        let in_store = std::mem::take(&mut entry.in_store);
        self.recount(id);
        let Some(next) = next.filter(|_| in_store) else {
            return;
        };
        self.drop_kept(name);
        if self.kept.len() < self.limits.most {
            self.keep(name, StoredConversation::new(cx, userid, next));
        }
    }

    /// Keeps stored data of a logical unit until it connects.
    pub(super) fn keep(&mut self, name: Name<8>, kept: StoredConversation) {
        self.bytes += kept.bytes();
        self.kept.insert(name, kept);
    }

    pub(super) fn drop_kept(&mut self, name: Name<8>) -> Option<StoredConversation> {
        let kept = self.kept.remove(&name)?;
        self.bytes -= kept.bytes();
        Some(kept)
    }

    fn is_fresh(&self, kept: &StoredConversation, now: u64) -> bool {
        let limit_ns = u64::from(self.limits.kept_s) * 1_000_000_000;
        now.saturating_sub(kept.at) <= limit_ns
    }

    fn remove_in_unit(
        &mut self,
        cx: &mut KernelContext<'_>,
        task: TaskKey,
        removal: PendingRemoval,
    ) {
        let Some(entry) = self.all.get(&removal.facility) else {
            return;
        };
        if let Some((unit, _)) = cx.unit_and_store(task) {
            unit.remove(TABLE, entry.unit_name().as_bytes());
            self.removals.insert(task, removal);
        }
    }
}

fn unix_ns(cx: &KernelContext<'_>) -> u64 {
    cx.kernel.settings.unix_offset_ns + cx.now
}

fn emit(at: u64, userid: UserId, next: &NextTask) -> Vec<u8> {
    let mut fields = CommandOperands::default()
        .int(field::AT, at as i64)
        .bytes(field::USERID, *userid.as_bytes())
        .bytes(field::TRANSID, *next.transid.as_bytes());
    match &next.data {
        SavedArea::Nothing => {}
        SavedArea::Commarea(bytes) => fields = fields.bytes(field::COMMAREA, bytes.as_slice()),
        SavedArea::Channel(channel) => fields = fields.bytes(CHANNEL_DATA, channel.emit()),
    }
    if let Some(message) = &next.message {
        fields = fields.bytes(field::MESSAGE, message.as_slice());
    }
    fields.emit()
}

pub(super) fn parse(value: &[u8]) -> Option<StoredConversation> {
    let fields = CommandOperands::parse(value).ok()?;
    let data = match (
        fields.get_bytes(CHANNEL_DATA),
        fields.get_bytes(field::COMMAREA),
    ) {
        (Some(channel), _) => SavedArea::Channel(ChannelData::parse(channel).ok()?),
        (None, Some(bytes)) => SavedArea::Commarea(bytes.to_vec()),
        (None, None) => SavedArea::Nothing,
    };
    Some(StoredConversation {
        userid: UserId::from_bytes(fields.get_name(field::USERID)?),
        at: u64::try_from(fields.get_int(field::AT)?).ok()?,
        next: NextTask {
            transid: TransId::from_bytes(fields.get_name(field::TRANSID)?),
            data,
            message: fields.get_bytes(field::MESSAGE).map(<[u8]>::to_vec),
            immediate: false,
            recovered: true,
        },
    })
}

/// The COMMAREA of an entry, for simulations.
#[cfg(any(test, feature = "sim"))]
pub fn saved_commarea(value: &[u8]) -> Vec<u8> {
    let fields = CommandOperands::parse(value).expect("an entry");
    fields
        .get_bytes(field::COMMAREA)
        .unwrap_or_default()
        .to_vec()
}

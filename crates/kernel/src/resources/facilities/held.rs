//! Facilities that a unit of work in doubt holds.
//!
//! Data that is saved with recovery for the next task is part of the unit of work that leaves or
//! removes it. While that unit is in doubt it is not known which of the two conversations is the
//! user's. So the logical unit is held: no input and no START begins a task, and a RETURN waits.
//! After a commit the new conversation is that of the facility. After a back-out the old one
//! stays, which is still in memory or was restored.
//!
//! A facility whose unit changes nothing in the store is not held: its task has
//! ended with ASP7, and what RETURN has said is gone as after any abend.
//!
//! Reference: CICS recovery and restart, "In-doubt units of work"; none for
//! conversations, which CICS does not recover.

use link::Name;
use store::{SeekKey, UnitOfWork};

use super::super::Resources;
use super::kept::{StoredConversation, TABLE, parse};
use super::{FacilityId, FacilityTable, OUTCOME, attach, key};
use crate::core::TaskKey;
use crate::kernel::KernelContext;

/// A unit of work in doubt that holds a logical unit. There may be two after a restart, if the
/// store has refused to forget one that its decider had backed out; the logical unit is held
/// until both are over.
#[derive(Debug)]
pub(super) struct HeldFacility {
    /// The key of the unit of work in doubt.
    unit: TaskKey,
    /// The data that its task got and the unit removes.
    given: Option<StoredConversation>,
}

impl HeldFacility {
    pub(super) fn bytes(&self) -> usize {
        self.given.as_ref().map_or(0, StoredConversation::bytes)
    }
}

/// A unit of work is in doubt and leaves its task.
pub(super) fn unit_prepared(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    task: TaskKey,
    to: TaskKey,
) {
    let facilities = &mut resources.facilities;
    // It is among the unit's changes, or gone.
    facilities.saves.remove(&task);
    let given = facilities.removals.remove(&task).and_then(|removal| {
        let entry = facilities.all.get(&removal.facility)?;
        let given = StoredConversation::new(cx, entry.userid, removal.given);
        Some((entry.unit_name(), given))
    });
    if let Some(unit) = cx.kernel.units.get(to) {
        facilities.hold(to, &unit.changes);
    }
    if let Some((name, given)) = given
        && let Some(held) = facilities.held.get_mut(&name)
        && let Some(held) = held.iter_mut().find(|held| held.unit == to)
    {
        facilities.bytes += given.bytes();
        held.given = Some(given);
    }
}

/// A unit of work is in doubt since the last run of the region.
pub(super) fn unit_restored(
    resources: &mut Resources,
    _cx: &mut KernelContext<'_>,
    key: TaskKey,
    changes: &UnitOfWork,
) {
    resources.facilities.hold(key, changes);
}

/// A unit of work is over: the logical units that it held are released.
pub(super) fn unit_ended(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    unit: TaskKey,
    committed: bool,
) {
    let facilities = &mut resources.facilities;
    if facilities.held.is_empty() {
        return;
    }
    let all = facilities.held.iter();
    let own = all.filter(|(_, held)| held.iter().any(|held| held.unit == unit));
    let mut names: Vec<Name<8>> = own.map(|(name, _)| *name).collect();
    names.sort_unstable();
    for name in names {
        let facilities = &mut resources.facilities;
        let id = if committed {
            facilities.change(cx, name, unit)
        } else {
            facilities.stay(name, unit)
        };
        if let Some(id) = id {
            let facilities = &mut resources.facilities;
            facilities.recover(cx, id);
            facilities.recount(id);
            cx.signal(OUTCOME, &key(id));
            attach::advance(resources, cx, id);
        }
    }
}

impl FacilityTable {
    /// Whether no task may begin at a facility.
    pub(super) fn is_held(&self, id: FacilityId) -> bool {
        if self.held.is_empty() {
            return false;
        }
        let entry = self.all.get(&id);
        entry.is_some_and(|entry| self.held.contains_key(&entry.unit_name()))
    }

    fn hold(&mut self, unit: TaskKey, changes: &UnitOfWork) {
        for (name, _) in changes.changes_of(TABLE) {
            if let Some(name) = name.first_chunk::<8>() {
                let held = HeldFacility { unit, given: None };
                let all = self.held.entry(Name::from_bytes(*name));
                all.or_default().push(held);
            }
        }
    }

    /// The unit is committed: the logical unit has the data of the store. Returns its facility if
    /// that is connected.
    fn change(
        &mut self,
        cx: &mut KernelContext<'_>,
        name: Name<8>,
        unit: TaskKey,
    ) -> Option<FacilityId> {
        self.release_name(name, unit);
        self.drop_kept(name);
        if let Some(kept) = in_store(cx, name) {
            self.keep(name, kept);
        }
        let id = self.of_unit(name)?;
        if let Some(entry) = self.all.get_mut(&id) {
            (entry.next, entry.in_store) = (None, false);
        }
        Some(id)
    }

    /// The unit is backed out: the logical unit has the data that its task got, or that
    /// is kept for it. Returns its facility if that is connected.
    fn stay(&mut self, name: Name<8>, unit: TaskKey) -> Option<FacilityId> {
        if let Some(given) = self.release_name(name, unit) {
            self.drop_kept(name);
            self.keep(name, given);
        }
        self.of_unit(name)
    }

    fn release_name(&mut self, name: Name<8>, unit: TaskKey) -> Option<StoredConversation> {
        let all = self.held.get_mut(&name)?;
        let at = all.iter().position(|held| held.unit == unit)?;
        let held = all.swap_remove(at);
        if all.is_empty() {
            self.held.remove(&name);
        }
        self.bytes -= held.bytes();
        held.given
    }

    /// The facility of a logical unit, unless it is ending.
    fn of_unit(&self, name: Name<8>) -> Option<FacilityId> {
        let mut entries = self.all.iter();
        let found = entries.find(|(_, entry)| entry.unit_name() == name && !entry.closing);
        found.map(|(id, _)| *id)
    }
}

/// The stored data of a logical unit.
fn in_store(cx: &mut KernelContext<'_>, name: Name<8>) -> Option<StoredConversation> {
    let reader = cx.kernel.reader.as_mut()?;
    let mut found = None;
    let read = reader.seek_table(TABLE, SeekKey::Equal(name.as_bytes()), &mut |entry| {
        found = parse(entry.record);
    });
    if let Err(error) = read {
        tracing::error!(%error, unit = %name, "what is saved for a terminal cannot be read");
    }
    found
}

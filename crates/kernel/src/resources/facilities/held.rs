//! Facilities that a unit of work in doubt holds.
//!
//! What is saved with recovery for the next task is part of the unit that leaves
//! it or takes it away. While that unit is in doubt nobody can say which of both
//! conversations is the user's. So the logical unit is held: no input and no START
//! begins a task, and a RETURN waits. A commit makes the new conversation the one
//! of the facility. If the unit is backed out the old one stays: the store never
//! lost it.
//!
//! A facility whose unit changes nothing in the store is not held: its task has
//! ended with ASP7, and what RETURN has said is gone as after any abend.
//!
//! Reference: CICS recovery and restart, "In-doubt units of work"; none for
//! conversations, which CICS does not recover.

use link::Name;
use store::{Seek, UnitOfWork};

use super::super::Resources;
use super::kept::{Kept, TABLE, parse};
use super::{Facilities, FacilityId, OUTCOME, attach, key};
use crate::core::TaskKey;
use crate::kernel::Cx;

/// A unit of work is in doubt and leaves its task.
pub(super) fn unit_prepared(
    resources: &mut Resources,
    cx: &mut Cx<'_>,
    task: TaskKey,
    to: TaskKey,
) {
    let facilities = &mut resources.facilities;
    // They are among the unit's changes, or gone.
    facilities.saves.remove(&task);
    facilities.removals.remove(&task);
    if let Some(unit) = cx.kernel.units.get(to) {
        facilities.hold(to, &unit.changes);
    }
}

/// A unit of work is in doubt since the last life of the region.
pub(super) fn unit_restored(
    resources: &mut Resources,
    _cx: &mut Cx<'_>,
    key: TaskKey,
    changes: &UnitOfWork,
) {
    resources.facilities.hold(key, changes);
}

/// A unit of work is over: what it held goes on.
pub(super) fn unit_ended(
    resources: &mut Resources,
    cx: &mut Cx<'_>,
    unit: TaskKey,
    committed: bool,
) {
    let facilities = &mut resources.facilities;
    if facilities.held.is_empty() {
        return;
    }
    let own = facilities.held.iter().filter(|(_, by)| **by == unit);
    let mut names: Vec<Name<8>> = own.map(|(name, _)| *name).collect();
    names.sort_unstable();
    for name in names {
        let facilities = &mut resources.facilities;
        facilities.held.remove(&name);
        let stored = in_store(cx, name);
        if let Some(id) = facilities.release(cx, name, stored, committed) {
            cx.signal(OUTCOME, &key(id));
            attach::advance(resources, cx, id);
        }
    }
}

impl Facilities {
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
                self.held.insert(Name::from_bytes(*name), unit);
            }
        }
    }

    /// A logical unit has what the store has for it. Returns its facility if that
    /// is there.
    fn release(
        &mut self,
        cx: &Cx<'_>,
        name: Name<8>,
        stored: Option<Kept>,
        committed: bool,
    ) -> Option<FacilityId> {
        let mut entries = self.all.iter_mut();
        let found = entries.find(|(_, entry)| entry.unit_name() == name && !entry.closing);
        let id = found.map(|(id, entry)| {
            // What is in memory alone is not the unit's.
            if committed || entry.in_store {
                (entry.next, entry.in_store) = (None, false);
            }
            *id
        });
        self.drop_kept(name);
        if let Some(kept) = stored {
            self.bytes += kept.bytes();
            self.kept.insert(name, kept);
        }
        if let Some(id) = id {
            self.recover(cx, id);
            self.recount(id);
        }
        id
    }
}

/// What the store has for a logical unit.
fn in_store(cx: &mut Cx<'_>, name: Name<8>) -> Option<Kept> {
    let reader = cx.kernel.reader.as_mut()?;
    let mut found = None;
    let read = reader.seek_table(TABLE, Seek::Equal(name.as_bytes()), &mut |entry| {
        found = parse(entry.record);
    });
    if let Err(error) = read {
        tracing::error!(%error, unit = %name, "what is saved for a terminal cannot be read");
    }
    found
}

//! The parts of callers' units of work that are done here and not prepared yet.
//!
//! A unit's first LINK starts a task, which exists until the unit is prepared or
//! backed out; further LINKs run in it. A unit belongs to one connection. When that
//! has ended, or the caller has connected again, the unit cannot be prepared any
//! more and is backed out. A prepared unit belongs to the region
//! ([`region::Handle::settle`]) until its outcome is known.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use region::BranchId;

use crate::wire::WireName;

/// The caller, by one of its connections to this region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallerConnection {
    /// Its name.
    pub applid: WireName,
    /// Its name for the connection.
    pub link: region::Name<4>,
}

impl CallerConnection {
    /// The region's branch for a unit.
    pub fn branch(&self, unit: u64) -> Option<BranchId> {
        BranchId::new(&[&self.prefix()[..], &unit.to_be_bytes()].concat())
    }

    /// The unit that a branch of this coordinator is of.
    pub fn unit_of(&self, branch: &BranchId) -> Option<u64> {
        let unit = branch.as_bytes().strip_prefix(&self.prefix()[..])?;
        Some(u64::from_be_bytes(unit.try_into().ok()?))
    }

    /// The coordinator of a branch, and its unit. Returns `None` if the
    /// coordinator is not a caller over `ipconn`.
    pub fn of_branch(branch: &BranchId) -> Option<(CallerConnection, u64)> {
        let (prefix, unit) = branch.as_bytes().split_first_chunk::<12>()?;
        let (applid, link) = prefix.split_first_chunk::<8>()?;
        let coordinator = CallerConnection {
            applid: WireName::from_bytes(*applid),
            link: region::Name::from_bytes(link.try_into().ok()?),
        };
        Some((coordinator, u64::from_be_bytes(unit.try_into().ok()?)))
    }

    /// The prefix of the names of its branches.
    pub fn prefix(&self) -> [u8; 12] {
        let mut prefix = [0; 12];
        prefix[..8].copy_from_slice(self.applid.as_bytes());
        prefix[8..].copy_from_slice(self.link.as_bytes());
        prefix
    }
}

/// The units of all callers.
pub struct BranchTable<T>(Mutex<BTreeMap<CallerConnection, CallerUnits<T>>>);

struct CallerUnits<T> {
    /// The number of its newest connection.
    connection: u64,
    units: BTreeMap<u64, BranchState<T>>,
}

impl<T> Default for BranchTable<T> {
    fn default() -> Self {
        BranchTable(Mutex::default())
    }
}

impl<T> Default for CallerUnits<T> {
    fn default() -> Self {
        CallerUnits {
            connection: 0,
            units: BTreeMap::new(),
        }
    }
}

enum BranchState<T> {
    /// Its task waits for the next LINK, after so many.
    Idle(Box<T>, u32),
    /// Its task works, or is being prepared.
    Busy {
        /// It was backed out meanwhile.
        lost: bool,
    },
}

/// A unit whose task is running. Dropping it removes the unit.
pub struct RunningBranch<'u, T> {
    units: &'u BranchTable<T>,
    of: CallerConnection,
    unit: u64,
    over: bool,
}

impl<T> BranchTable<T> {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<CallerConnection, CallerUnits<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a connection of a caller. Returns `false` if it is older than
    /// the known one. A new connection backs out the units of the old one.
    pub fn enter(&self, of: CallerConnection, connection: u64) -> bool {
        let mut all = self.lock();
        let caller = all.entry(of).or_default();
        if connection < caller.connection {
            return false;
        }
        let mut left = Vec::new();
        if connection > caller.connection {
            caller.connection = connection;
            left = caller.lose_all();
        }
        drop(all);
        // Their tasks are backed out without the lock.
        drop(left);
        true
    }

    /// A connection has ended. Returns those that have no newer one.
    pub fn connection_ended(&self, applid: WireName, connection: u64) -> Vec<CallerConnection> {
        let mut all = self.lock();
        let mut left = Vec::new();
        let mut gone = Vec::new();
        all.retain(|of, caller| {
            if of.applid == applid && caller.connection == connection {
                gone.push(*of);
                left.extend(caller.lose_all());
                // A late word of this connection must find it still.
                return !caller.units.is_empty();
            }
            true
        });
        drop(all);
        drop(left);
        gone
    }

    /// Begins a LINK of a unit after `before` earlier ones. Returns the task of
    /// the unit, `None` for the first LINK, or an error if a LINK is missing.
    pub fn begin(
        &self,
        of: CallerConnection,
        unit: u64,
        before: u32,
    ) -> Result<(RunningBranch<'_, T>, Option<Box<T>>), ()> {
        let mut all = self.lock();
        let units = &mut all.entry(of).or_default().units;
        let fits = match (units.get(&unit), before) {
            (None, 0) => true,
            (Some(BranchState::Idle(_, ran)), before) => *ran == before,
            _ => false,
        };
        if !fits {
            return Err(());
        }
        let task = match units.insert(unit, BranchState::Busy { lost: false }) {
            Some(BranchState::Idle(task, _)) => Some(task),
            _ => None,
        };
        Ok((self.working(of, unit), task))
    }

    /// The task of a unit to be prepared. Returns `None` if there is no such
    /// unit.
    pub fn take(&self, of: CallerConnection, unit: u64) -> Option<(RunningBranch<'_, T>, Box<T>)> {
        let mut all = self.lock();
        let slot = all.get_mut(&of)?.units.get_mut(&unit)?;
        match std::mem::replace(slot, BranchState::Busy { lost: false }) {
            BranchState::Idle(task, _) => Some((self.working(of, unit), task)),
            busy => {
                *slot = busy;
                None
            }
        }
    }

    /// Whether anything of a unit is here that is not prepared.
    pub fn is_there(&self, of: CallerConnection, unit: u64) -> bool {
        let all = self.lock();
        all.get(&of).is_some_and(|c| c.units.contains_key(&unit))
    }

    /// A unit is backed out.
    pub fn back_out(&self, of: CallerConnection, unit: u64) {
        let mut all = self.lock();
        let units = all.get_mut(&of).map(|caller| &mut caller.units);
        let mut left = None;
        if let Some(units) = units {
            left = lose(units, unit);
        }
        drop(all);
        drop(left);
    }

    fn working(&self, of: CallerConnection, unit: u64) -> RunningBranch<'_, T> {
        RunningBranch {
            units: self,
            of,
            unit,
            over: false,
        }
    }
}

impl<T> CallerUnits<T> {
    fn lose_all(&mut self) -> Vec<T> {
        let units: Vec<u64> = self.units.keys().copied().collect();
        let lost = units.into_iter().filter_map(|u| lose(&mut self.units, u));
        lost.map(|task| *task).collect()
    }
}

/// Removes the task of a unit that waits; a working task is notified at its
/// next step.
fn lose<T>(units: &mut BTreeMap<u64, BranchState<T>>, unit: u64) -> Option<Box<T>> {
    match units.get_mut(&unit) {
        Some(BranchState::Busy { lost }) => {
            *lost = true;
            None
        }
        Some(BranchState::Idle(..)) => match units.remove(&unit) {
            Some(BranchState::Idle(task, _)) => Some(task),
            _ => None,
        },
        None => None,
    }
}

impl<T> RunningBranch<'_, T> {
    /// The task waits for the next LINK, after so many. Gives it back when the
    /// unit was backed out meanwhile.
    pub fn keep(mut self, task: Box<T>, ran: u32) -> Option<Box<T>> {
        self.over = true;
        let mut all = self.units.lock();
        let Some(caller) = all.get_mut(&self.of) else {
            return Some(task);
        };
        if self.is_lost(caller) {
            caller.units.remove(&self.unit);
            return Some(task);
        }
        caller.units.insert(self.unit, BranchState::Idle(task, ran));
        None
    }

    /// Removes the unit. Returns `true` if it was backed out in the meantime.
    pub fn close(mut self) -> bool {
        self.forget()
    }

    fn forget(&mut self) -> bool {
        self.over = true;
        let mut all = self.units.lock();
        all.get_mut(&self.of).is_none_or(|caller| {
            let lost = self.is_lost(caller);
            caller.units.remove(&self.unit);
            lost
        })
    }

    fn is_lost(&self, caller: &CallerUnits<T>) -> bool {
        !matches!(
            caller.units.get(&self.unit),
            Some(BranchState::Busy { lost: false })
        )
    }
}

impl<T> Drop for RunningBranch<'_, T> {
    fn drop(&mut self) {
        if !self.over {
            self.forget();
        }
    }
}

//! How often programs were run: the counts of the workers, and those of workers that have
//! ended.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use link::ProgramName;

use super::links::{LinkTable, WorkerLink};

/// Most programs of ended workers, so that they cannot fill the memory.
const PAST_PROGRAMS: usize = 65_536;

/// The runs of ended workers.
#[derive(Default)]
pub struct PastUses(Mutex<BTreeMap<ProgramName, u64>>);

impl PastUses {
    /// Takes over what a worker has counted. Its process must have ended.
    pub(super) fn keep(&self, link: &WorkerLink) {
        let mut past = self.lock();
        link.side.read_uses(|program, count| {
            if past.len() < PAST_PROGRAMS || past.contains_key(&program) {
                let sum = past.entry(program).or_default();
                *sum = sum.wrapping_add(count);
            }
        });
    }

    /// How often a program was run since the region's start.
    pub(super) fn of(&self, links: &LinkTable, program: ProgramName) -> u64 {
        let past = self.lock();
        let mut uses = past.get(&program).copied().unwrap_or_default();
        // The counts of an ended worker are among the past ones.
        for link in links.all().filter(|link| !link.has_ended()) {
            link.side.read_uses(|name, count| {
                if name == program {
                    uses = uses.wrapping_add(count);
                }
            });
        }
        uses
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<ProgramName, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

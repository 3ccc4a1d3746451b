//! The output sinks of facilities, and the events that go to them.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::SharedRegion;
use super::ordered_lock::{LockRank, OrderedLock};
use crate::api::{FacilityDef, FacilityEvent, FacilityId, FacilitySink, RegisterRefused};
use kernel::core::TaskKey;

/// The sinks by facility.
pub struct FacilityTable(OrderedLock<HashMap<FacilityId, Arc<dyn FacilitySink>>>);

impl Default for FacilityTable {
    fn default() -> Self {
        FacilityTable(OrderedLock::new(LockRank::Facilities, HashMap::new()))
    }
}

/// The port of the thread of terminals.
#[derive(Default)]
pub struct TerminalPort {
    /// 0 without a port.
    number: AtomicUsize,
    /// The one that has ended, whose tasks may still run; 0 for none.
    left: AtomicUsize,
}

impl TerminalPort {
    /// Tasks with a terminal belong to this port from now on.
    pub fn enter(&self, port: usize) {
        self.number.store(port, Ordering::Relaxed);
    }

    /// Its thread ends: later tasks belong to the dispatch thread, which receives
    /// the ends of earlier tasks as well.
    pub fn leave(&self) {
        let port = self.number.swap(0, Ordering::Relaxed);
        self.left.store(port, Ordering::Release);
    }

    /// The port for a new task with a terminal.
    pub fn get(&self) -> usize {
        self.number.load(Ordering::Relaxed)
    }

    /// The port that the dispatch thread looks after, if there is one.
    pub fn left(&self) -> Option<usize> {
        Some(self.left.load(Ordering::Acquire)).filter(|port| *port != 0)
    }
}

impl SharedRegion {
    /// Registers a facility.
    pub(crate) fn register_facility(
        self: &Arc<Self>,
        def: FacilityDef,
        sink: Arc<dyn FacilitySink>,
    ) -> Result<FacilityId, RegisterRefused> {
        self.kernel(|kernel, now, out| {
            let id = kernel.with(now, out, |resources, cx| {
                kernel::resources::facilities::register(resources, cx, def)
            })?;
            // Under the kernel's lock: a task may begin at once.
            self.facilities.0.lock().insert(id, sink);
            Ok(id)
        })
    }

    /// A facility is removed; its sink gets no further output or events.
    pub(crate) fn close_facility(self: &Arc<Self>, id: FacilityId) {
        self.facilities.0.lock().remove(&id);
        self.kernel(|kernel, now, out| {
            kernel.with(now, out, |resources, cx| {
                kernel::resources::facilities::close(resources, cx, id);
            });
        });
    }

    /// Hands an event to the facility's door.
    pub(super) fn report_facility(&self, id: FacilityId, event: FacilityEvent) {
        let sink = self.facilities.0.lock().get(&id).cloned();
        if let Some(sink) = sink {
            sink.event(id, event);
        }
    }

    /// The facility of a running task.
    pub(super) fn facility_of(&self, key: TaskKey) -> Option<FacilityId> {
        let start = self.lock().core.task(key)?.start?;
        self.kernel.lock().resources.facilities.of_start(start)
    }
}

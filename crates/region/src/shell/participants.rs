//! Participants in units of work: who they are, and the way to them.

use std::sync::{Arc, Mutex, PoisonError};

use super::Shared;
use crate::api::{Participant, Vote};
use crate::kernel::{Order, ParticipantId, UnitId};

/// The participants of a region, by their number.
#[derive(Default)]
pub struct ParticipantTable(Mutex<Vec<Option<Arc<dyn Participant>>>>);

impl ParticipantTable {
    fn set(&self, id: ParticipantId, participant: Arc<dyn Participant>) {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if list.len() <= id.0 {
            list.resize(id.0 + 1, None);
        }
        list[id.0] = Some(participant);
    }

    fn get(&self, id: ParticipantId) -> Option<Arc<dyn Participant>> {
        let list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        list.get(id.0).cloned().flatten()
    }
}

impl Shared {
    /// Adds a participant, or puts it in the place of the one of its name.
    pub(crate) fn add_participant(&self, participant: Arc<dyn Participant>) -> ParticipantId {
        let mut kernel = self.kernel.lock();
        let id = kernel.participant(participant.name());
        if participant.is_waited_for() {
            kernel.wait_for(id);
        }
        drop(kernel);
        self.participants.set(id, participant);
        id
    }

    /// A participant has prepared units and not heard of their end.
    pub(crate) fn in_doubt(self: &Arc<Self>, id: ParticipantId, units: &[UnitId]) {
        self.kernel(|k, now, out| k.in_doubt(now, id, units, out));
    }

    pub(super) fn tell_participant(
        self: &Arc<Self>,
        unit: UnitId,
        participant: ParticipantId,
        order: Order,
    ) {
        // One that is not there drops its vote: a no.
        let vote = Vote::new(self, unit, participant, order != Order::BackOut);
        if let Some(participant) = self.participants.get(participant) {
            participant.order(unit, order, vote);
        }
    }

    /// A participant cannot be reached, and is asked what it made of a commit in
    /// one phase.
    pub(crate) fn unsure(self: &Arc<Self>, unit: UnitId) {
        self.kernel(|k, now, _| k.unsure(now, unit));
    }

    /// A participant answers.
    pub(crate) fn voted(self: &Arc<Self>, unit: UnitId, participant: ParticipantId, yes: bool) {
        self.kernel(|k, now, out| k.voted(now, unit, participant, yes, out));
    }
}

//! Participants in units of work: who they are, and the way to them.

use std::sync::{Arc, Mutex, PoisonError};

use super::Shared;
use crate::api::{Participant, Vote};
use crate::core::TaskKey;
use crate::kernel::{Order, ParticipantId};

/// The participants of a region, by their number.
#[derive(Default)]
pub struct ParticipantTable(Mutex<Vec<Arc<dyn Participant>>>);

impl ParticipantTable {
    /// Adds a participant.
    pub fn add(&self, participant: Arc<dyn Participant>) -> ParticipantId {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        list.push(participant);
        ParticipantId(list.len() - 1)
    }

    fn get(&self, id: ParticipantId) -> Option<Arc<dyn Participant>> {
        let list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        list.get(id.0).cloned()
    }
}

impl Shared {
    pub(super) fn tell_participant(
        self: &Arc<Self>,
        task: TaskKey,
        participant: ParticipantId,
        order: Order,
    ) {
        let number = self.lock().core.task(task).map_or(0, |t| t.number);
        let counts = matches!(order, Order::Prepare | Order::CommitOnePhase);
        // One that is not there drops its vote: a no.
        let vote = Vote::new(self, task, counts);
        if let Some(participant) = self.participants.get(participant) {
            participant.order(number, order, vote);
        }
    }

    /// A participant answers.
    pub(crate) fn voted(self: &Arc<Self>, task: TaskKey, yes: bool) {
        self.kernel(|k, now, out| k.voted(now, task, yes, out));
    }
}

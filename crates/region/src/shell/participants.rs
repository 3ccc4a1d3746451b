//! Participants in units of work: their list, and the orders sent to them.

use std::sync::{Arc, Mutex, PoisonError};

use super::SharedRegion;
use crate::api::{OutcomeReply, ParticipantRole, ParticipantVote, UnitParticipant};
use kernel::{Order, ParticipantId, UnitId, UnitToken};

/// The participants of a region, by their number.
#[derive(Default)]
pub struct ParticipantTable(Mutex<Vec<Option<Arc<dyn UnitParticipant>>>>);

impl ParticipantTable {
    fn set(&self, id: ParticipantId, participant: Arc<dyn UnitParticipant>) {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if list.len() <= id.0 {
            list.resize(id.0 + 1, None);
        }
        list[id.0] = Some(participant);
    }

    fn get(&self, id: ParticipantId) -> Option<Arc<dyn UnitParticipant>> {
        let list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        list.get(id.0).cloned().flatten()
    }
}

impl SharedRegion {
    /// Adds a participant, or replaces the one of the same name.
    pub(crate) fn add_participant(
        self: &Arc<Self>,
        participant: Arc<dyn UnitParticipant>,
    ) -> ParticipantId {
        let mut kernel = self.kernel.lock();
        let id = kernel.participant(participant.name());
        if participant.is_waited_for() {
            kernel.wait_for(id);
        }
        let role = participant.role();
        if let ParticipantRole::Decides { prepares } = role {
            kernel.set_decider(id, prepares);
        }
        drop(kernel);
        self.participants.set(id, participant);
        if role != ParticipantRole::Prepares {
            self.decider_returned(id);
        }
        id
    }

    /// A participant that decides is there again: it is asked for the units in
    /// doubt.
    pub(crate) fn decider_returned(self: &Arc<Self>, id: ParticipantId) {
        self.kernel(|k, _, out| k.decider_returned(id, out));
    }

    /// A decider is to commit a unit; `again` if it is asked for the outcome.
    pub(super) fn send_to_decider(
        self: &Arc<Self>,
        unit: UnitId,
        participant: ParticipantId,
        token: UnitToken,
        again: bool,
    ) {
        // Without a participant the reply is dropped: the unit is in doubt.
        let reply = OutcomeReply::new(self.clone(), unit, participant);
        if let Some(participant) = self.participants.get(participant) {
            if again {
                participant.outcome(unit, token, reply);
            } else {
                participant.decide(unit, token, reply);
            }
        }
    }

    /// Units are applied durably: their deciders need not know them any more.
    pub(super) fn forget_outcomes(&self, tokens: &mut [(ParticipantId, UnitToken)]) {
        tokens.sort_unstable();
        for of_one in tokens.chunk_by(|a, b| a.0 == b.0) {
            let list: Vec<UnitToken> = of_one.iter().map(|(_, token)| *token).collect();
            if let Some(participant) = self.participants.get(of_one[0].0) {
                participant.forget(&list);
            }
        }
    }

    /// A decider replies.
    pub(crate) fn decider_outcome(
        self: &Arc<Self>,
        unit: UnitId,
        participant: ParticipantId,
        committed: Option<bool>,
    ) {
        self.kernel(|k, now, out| k.outcome_known(now, unit, participant, committed, out));
    }

    /// A participant has prepared units whose end it does not know.
    pub(crate) fn in_doubt(self: &Arc<Self>, id: ParticipantId, units: &[UnitId]) {
        self.kernel(|k, now, out| k.in_doubt(now, id, units, out));
    }

    pub(super) fn send_to_participant(
        self: &Arc<Self>,
        unit: UnitId,
        participant: ParticipantId,
        order: Order,
    ) {
        // One that is not there drops its vote: a no.
        let vote = ParticipantVote::new(self.clone(), unit, participant, order != Order::BackOut);
        if let Some(participant) = self.participants.get(participant) {
            participant.order(unit, order, vote);
        }
    }

    /// A participant that was committing in one phase cannot be reached; it is asked
    /// for the outcome.
    pub(crate) fn unit_unsure(self: &Arc<Self>, unit: UnitId) {
        self.kernel(|k, now, _| k.unsure(now, unit));
    }

    /// A participant answers.
    pub(crate) fn voted(self: &Arc<Self>, unit: UnitId, participant: ParticipantId, yes: bool) {
        self.kernel(|k, now, out| k.voted(now, unit, participant, yes, out));
    }
}

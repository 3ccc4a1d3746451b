//! Two partners that call under one name: the first is asked whether it is still
//! there.

use super::inner::HostState;
use crate::net::{NameConflict, PATIENCE};
use sna::MonotonicTime;

impl HostState {
    /// Settles the name conflicts whose time has come.
    pub(super) fn settle_name_conflicts(&mut self, now: MonotonicTime) {
        for contest in self.names.due(now) {
            self.settle_name_conflict(contest, now);
        }
    }

    fn settle_name_conflict(&mut self, contest: NameConflict, now: MonotonicTime) {
        let NameConflict {
            name,
            place,
            queried_at: asked,
        } = contest;
        let Some(asked) = asked else {
            let mut transports = self.transports.values_mut();
            if transports.any(|transport| transport.probe_partner(&place, now)) {
                self.names.note_query(&name, now)
            } else {
                // It was released before a decision.
                self.names.free(&name)
            }
            return;
        };
        let mut transports = self.transports.iter_mut();
        let found = transports
            .find_map(|(token, transport)| Some((*token, transport.answered(&place, asked, now)?)));
        match found {
            None => self.names.free(&name),
            Some((_, true)) => self.names.keep(&name),
            Some((token, false)) if now >= asked + PATIENCE => self.give_up(token, &place, now),
            Some((_, false)) => self.names.note_query(&name, now),
        }
    }

    /// The holder of a name that another wants does not answer.
    fn give_up(&mut self, token: usize, place: &str, now: MonotonicTime) {
        let why = format!(
            "another node with its name connected, and this one sent nothing for {} s",
            PATIENCE.as_secs()
        );
        tracing::warn!("{place}: {why}");
        let mut whole = false;
        self.with(token, now, |transport, around| {
            whole = transport.give_up(around, place, &why);
            Ok(())
        });
        if whole {
            self.close(token, now, &why);
        }
    }
}

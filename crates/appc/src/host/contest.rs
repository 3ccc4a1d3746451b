//! Two partners that call under one name: the first is asked whether it is still
//! there.

use super::inner::Inner;
use crate::net::{Contest, PATIENCE};
use sna::Instant;

impl Inner {
    /// Does what is due about contested names.
    pub(super) fn look_at_names(&mut self, now: Instant) {
        for contest in self.names.due(now) {
            self.look_at(contest, now);
        }
    }

    fn look_at(&mut self, contest: Contest, now: Instant) {
        let Contest { name, place, asked } = contest;
        let Some(asked) = asked else {
            let mut transports = self.transports.values_mut();
            match transports.any(|transport| transport.ask(&place, now)) {
                true => self.names.asked(&name, now),
                // It went without a word.
                false => self.names.free(&name),
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
            Some((_, false)) => self.names.asked(&name, now),
        }
    }

    /// The holder of a name that another wants does not answer.
    fn give_up(&mut self, token: usize, place: &str, now: Instant) {
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

//! Maps partner LU names to the connections that claimed them.
//!
//! Session limits apply to a pair of logical units, so two nodes of one name
//! cannot both have sessions with this one. The first that connects has the
//! name as long as its link is up. If another connects with it, its
//! identification waits until the first one was asked to respond. If the first
//! responds, the newcomer is rejected; if it does not within [`PATIENCE`], its
//! link is ended. Links that this node called itself claim no name: two nodes
//! may call each other at once.
//!
//! Invariant: no sockets here; the host does the asking.

use sna::{LuName, MonotonicTime};
use std::collections::BTreeMap;
use std::time::Duration;

/// How long the holder of a name may be silent if another node claims it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);
/// Interval of checking for a sign.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// The names of callers, and the other nodes that claim them.
#[derive(Debug, Default)]
pub(crate) struct NameClaims {
    held: BTreeMap<LuName, NameHolder>,
}

/// A name that a caller has. Places are those of connections and stations: the
/// links of one place are one partner's.
#[derive(Debug)]
struct NameHolder {
    place: String,
    links: usize,
    waiting: Vec<String>,
    query: Option<HolderQuery>,
}

#[derive(Debug, Clone, Copy)]
struct HolderQuery {
    at: MonotonicTime,
    next_check: MonotonicTime,
}

/// The result of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NameClaim {
    /// The caller has the name.
    Granted,
    /// The holder is asked.
    Waits,
    /// The holder, which is there, answers.
    Refused(String),
}

/// A claimed name and the state of the query.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NameConflict {
    pub name: LuName,
    /// The holder's address.
    pub place: String,
    /// Time of the query. `None` before it is sent.
    pub queried_at: Option<MonotonicTime>,
}

impl NameClaims {
    /// A caller at `place` sends this name.
    pub fn claim(&mut self, name: &LuName, place: &str) -> NameClaim {
        let Some(held) = self.held.get_mut(name) else {
            self.held.insert(name.clone(), NameHolder::by(place, 1));
            return NameClaim::Granted;
        };
        if held.place == place {
            held.links += 1;
            return NameClaim::Granted;
        }
        if !held.waiting.iter().any(|waits| waits == place) {
            held.waiting.push(place.to_owned());
        }
        NameClaim::Waits
    }

    /// The result of a waiting claim.
    pub fn claim_result(&mut self, name: &LuName, place: &str) -> NameClaim {
        match self.held.get(name) {
            Some(held) if held.waiting.iter().any(|waits| waits == place) => NameClaim::Waits,
            Some(held) if held.place != place => NameClaim::Refused(held.place.clone()),
            _ => self.claim(name, place),
        }
    }

    /// A link of `place` with this name has ended, or was not activated.
    pub fn release(&mut self, name: &LuName, place: &str) {
        let Some(held) = self.held.get_mut(name) else {
            return;
        };
        if held.place != place {
            held.waiting.retain(|waits| waits != place);
            return;
        }
        held.links = held.links.saturating_sub(1);
        if held.links == 0 {
            self.free(name);
        }
    }

    /// Gives the name to the first caller that waits for it, if any.
    pub fn free(&mut self, name: &LuName) {
        if let Some(held) = self.held.remove(name)
            && let [next, rest @ ..] = &held.waiting[..]
        {
            // Its links are counted as it looks.
            let mut next = NameHolder::by(next, 0);
            next.waiting = rest.to_vec();
            self.held.insert(name.clone(), next);
        }
    }

    /// The holder has answered and keeps the name.
    pub fn keep(&mut self, name: &LuName) {
        if let Some(held) = self.held.get_mut(name) {
            held.waiting.clear();
            held.query = None;
        }
    }

    /// The holder was asked, or is still waited for.
    pub fn note_query(&mut self, name: &LuName, now: MonotonicTime) {
        if let Some(held) = self.held.get_mut(name) {
            let at = held.query.map_or(now, |asked| asked.at);
            let look = now + CHECK_INTERVAL;
            held.query = Some(HolderQuery {
                at,
                next_check: look,
            });
        }
    }

    /// When the host must look at [`NameClaims::due`] next.
    pub fn next_timeout(&self) -> Option<MonotonicTime> {
        let contested = self.held.values().filter(|held| !held.waiting.is_empty());
        let look = |held: &NameHolder| {
            held.query
                .map_or(MonotonicTime::ZERO, |asked| asked.next_check)
        };
        contested.map(look).min()
    }

    /// The contests that are to be looked at.
    pub fn due(&self, now: MonotonicTime) -> Vec<NameConflict> {
        let contested = self.held.iter().filter(|(_, held)| {
            let due = held.query.is_none_or(|asked| asked.next_check <= now);
            due && !held.waiting.is_empty()
        });
        let contest = |(name, held): (&LuName, &NameHolder)| NameConflict {
            name: name.clone(),
            place: held.place.clone(),
            queried_at: held.query.map(|asked| asked.at),
        };
        contested.map(contest).collect()
    }
}

impl NameHolder {
    fn by(place: &str, links: usize) -> NameHolder {
        NameHolder {
            place: place.to_owned(),
            links,
            waiting: Vec::new(),
            query: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name() -> LuName {
        "NET.A".parse().unwrap()
    }

    fn at(ms: u64) -> MonotonicTime {
        MonotonicTime::from_nanos(ms * 1_000_000)
    }

    #[test]
    fn a_name_is_its_first_callers_until_its_last_link_goes() {
        let mut names = NameClaims::default();
        assert_eq!(names.claim(&name(), "one"), NameClaim::Granted);
        assert_eq!(names.claim(&name(), "one"), NameClaim::Granted, "two links");
        assert_eq!(names.claim(&name(), "two"), NameClaim::Waits);
        names.release(&name(), "one");
        assert_eq!(names.claim_result(&name(), "two"), NameClaim::Waits);
        names.release(&name(), "one");
        assert_eq!(names.claim_result(&name(), "two"), NameClaim::Granted);
        names.release(&name(), "two");
        assert!(names.held.is_empty());
    }

    #[test]
    fn a_holder_that_answers_keeps_its_name_and_one_that_does_not_loses_it() {
        let mut names = NameClaims::default();
        names.claim(&name(), "one");
        assert_eq!(names.next_timeout(), None);
        for place in ["two", "three"] {
            assert_eq!(names.claim(&name(), place), NameClaim::Waits);
        }
        assert_eq!(names.due(at(5))[0].queried_at, None, "to be asked at once");
        names.note_query(&name(), at(5));
        assert_eq!(names.next_timeout(), Some(at(55)));
        assert!(names.due(at(54)).is_empty());
        assert_eq!(names.due(at(55))[0].queried_at, Some(at(5)));
        names.keep(&name());
        let refused = NameClaim::Refused("one".into());
        assert_eq!(names.claim_result(&name(), "two"), refused);
        assert_eq!(names.claim_result(&name(), "three"), refused);
        assert_eq!(names.next_timeout(), None);

        for place in ["two", "three"] {
            names.claim(&name(), place);
        }
        names.release(&name(), "one");
        assert_eq!(
            names.claim_result(&name(), "three"),
            NameClaim::Waits,
            "the next is asked"
        );
        assert_eq!(names.due(at(99))[0].place, "two");
        assert_eq!(names.claim_result(&name(), "two"), NameClaim::Granted);
    }

    #[test]
    fn one_that_goes_while_it_waits_is_forgotten() {
        let mut names = NameClaims::default();
        names.claim(&name(), "one");
        names.claim(&name(), "two");
        names.release(&name(), "two");
        assert_eq!(names.next_timeout(), None);
        names.claim(&name(), "two");
        // It received the name and was closed before it noticed.
        names.release(&name(), "one");
        names.release(&name(), "two");
        assert!(names.held.is_empty());
    }
}

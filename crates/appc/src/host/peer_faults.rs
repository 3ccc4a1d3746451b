//! Logs faults of peers without letting a peer fill the log.
//!
//! Invariant: no clock of its own; at most [`MOST`] lines in [`WINDOW`].

use sna::{LinkId, MonotonicTime, RefusedAttach};
use std::collections::VecDeque;
use std::fmt::Display;
use std::time::Duration;

/// Lines at most in one window of time.
const MOST: u32 = 10;
const WINDOW: Duration = Duration::from_secs(10);

/// Counts logged and suppressed faults.
#[derive(Debug, Default)]
pub(crate) struct PeerFaultLog {
    begun: Option<MonotonicTime>,
    logged: u32,
    left_out: u64,
    /// Partner addresses of recent links: the node reports some faults only
    /// after the end of a link.
    gone: VecDeque<(LinkId, String)>,
}

/// The maximum number of ended links in it.
const GONE: usize = 1024;

impl PeerFaultLog {
    /// Whether a line may be logged now; returns how many were suppressed since
    /// the last one.
    pub fn admit(&mut self, now: MonotonicTime) -> Option<u64> {
        let fresh = match self.begun {
            None => true,
            Some(begun) => now.as_nanos() - begun.as_nanos() >= WINDOW.as_nanos() as u64,
        };
        if fresh {
            self.begun = Some(now);
            self.logged = 0;
        }
        if self.logged == MOST {
            self.left_out += 1;
            return None;
        }
        self.logged += 1;
        Some(std::mem::take(&mut self.left_out))
    }

    /// Stores the partner's address of a link that has ended.
    pub fn note_gone(&mut self, link: LinkId, place: &str) {
        if self.gone.len() == GONE {
            self.gone.pop_front();
        }
        self.gone.push_back((link, place.to_owned()));
    }

    /// The partner's address of a link that has ended.
    pub fn place_of_gone(&self, link: LinkId) -> Option<String> {
        let mut latest = self.gone.iter().rev();
        let found = latest.find(|(gone, _)| *gone == link);
        found.map(|(_, place)| place.clone())
    }

    /// Logs an error of `peer`.
    pub fn log_fault(&mut self, now: MonotonicTime, peer: &dyn Display, why: &dyn Display) {
        match self.admit(now) {
            None => {}
            Some(0) => tracing::warn!("{peer}: {why}"),
            Some(more) => tracing::warn!("{peer}: {why} (and {more} suppressed lines before)"),
        }
    }
}

/// The message of a rejected Attach. The peer chose the program's name, so
/// unprintable bytes are escaped.
pub(super) fn refused(attach: &RefusedAttach) -> String {
    let RefusedAttach { partner, tp } = attach;
    let Some(tp) = tp else {
        return format!("an Attach of {partner} was rejected");
    };
    let name = tp.to_string();
    let name = if tp.is_service() || name.starts_with("X'") {
        name
    } else {
        format!("\"{}\"", name.escape_debug())
    };
    format!("an Attach of {partner} for the program {name} was rejected")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_attach_names_partner_and_program_and_shows_what_has_no_print() {
        let line_of = |tp: &[u8]| {
            refused(&RefusedAttach {
                partner: "NET.A".parse().unwrap(),
                tp: sna::TpName::from_ebcdic(tp).ok(),
            })
        };
        // NOPE and a blank; then a required space (X'41') and a new line (X'25').
        for (tp, name) in [
            (
                &[0xD5, 0xD6, 0xD7, 0xC5, 0x40][..],
                "for the program \"NOPE \" was",
            ),
            (&[0xD5, 0x41], "for the program \"N\\u{a0}\" was"),
            (&[0xD5, 0x25], "for the program X'D525' was"),
            (&[0x06, 0xF1], "for the program X'06F1' was"),
            (&[], "Attach of NET.A was"),
        ] {
            assert!(line_of(tp).contains(name), "{}", line_of(tp));
            assert!(line_of(tp).contains("of NET.A "), "{}", line_of(tp));
        }
    }

    #[test]
    fn the_places_of_the_latest_links_that_went_are_known() {
        let mut node = sna::Node::new(sna::NodeConfig::default());
        let mut peer_faults = PeerFaultLog::default();
        let config = sna::LinkConfig::new(sna::LinkRole::Primary, 1033);
        let links: Vec<LinkId> = (0..=GONE)
            .map(|_| node.link_up(config.clone(), at(1)))
            .collect();
        for (number, link) in links.iter().enumerate() {
            peer_faults.note_gone(*link, &format!("10.0.0.1:{number}"));
        }
        for number in [1, GONE] {
            let place = peer_faults.place_of_gone(links[number]);
            assert_eq!(place, Some(format!("10.0.0.1:{number}")));
        }
        assert_eq!(peer_faults.place_of_gone(links[0]), None);
    }

    fn at(seconds: u64) -> MonotonicTime {
        MonotonicTime::from_nanos(seconds * 1_000_000_000)
    }

    #[test]
    fn a_flood_is_logged_in_a_few_lines_and_counted() {
        let mut peer_faults = PeerFaultLog::default();
        let admitted = (0..1000).filter(|_| peer_faults.admit(at(1)).is_some());
        assert_eq!(admitted.count(), MOST as usize);
        assert_eq!(peer_faults.admit(at(10)), None);
        assert_eq!(peer_faults.admit(at(11)), Some(991));
        assert_eq!(peer_faults.admit(at(11)), Some(0));
    }
}

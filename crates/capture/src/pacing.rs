//! Whose clock a sender follows: what tells Nagle's algorithm and delayed
//! acknowledgements from an application that paces itself.
//!
//! The tracker notes every wait within a message as it ends; the rules ask for
//! the verdict, while the connection lives and when it has ended.
//! Reference: RFC 896; Minshall et al. 1999.
//! Invariant: a fixed number of bytes a direction.

use crate::Confidence;
use serde::Serialize;

/// Signs of whose clock a sender follows within its messages: the receiver's
/// acknowledgements, or its application's own.
///
/// Waits are counted by length, in classes that double: below 2 ms, 4 ms and so
/// on, from the segment before to the one that ended the wait.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Pacing {
    /// Short segments sent while another one was not acknowledged: who does
    /// that does not use Nagle's algorithm.
    pub unheld: u32,
    /// Waits of a short segment that ended about one round trip to the sender
    /// after the acknowledgement of all before, which came by itself.
    pub freed: [u16; WAIT_CLASSES],
    /// The same of other segments.
    pub freed_full: [u16; WAIT_CLASSES],
    /// Waits of which most passed although all was acknowledged.
    pub own: [u16; WAIT_CLASSES],
    /// Other waits that went on for a while behind the acknowledgement: a busy
    /// machine, or a clock that happens to be near the timer.
    pub late: u32,
    /// How much waits of freed segments differed from one to the next, in sum.
    pub wait_change_ns: i64,
    /// The same of the times from the acknowledgement to the segment: they
    /// differ less than the waits when the acknowledgement decides, and more
    /// when a clock does.
    pub turn_change_ns: i64,
    /// Changes in those sums.
    pub changes: u32,
    #[serde(skip)]
    last: Option<(i64, i64)>,
}

/// Classes of waits; the last one is open.
pub const WAIT_CLASSES: usize = 13;

impl Pacing {
    /// The class of a wait.
    pub fn class(wait_ns: i64) -> usize {
        let ms = (wait_ns / 1_000_000).max(1);
        (ms.ilog2() as usize).min(WAIT_CLASSES - 1)
    }

    /// Notes a segment that came `turn_ns` after the acknowledgement of all
    /// before and `wait_ns` after the segment before.
    pub(crate) fn free(&mut self, short: bool, wait_ns: i64, turn_ns: i64) {
        let class = Pacing::class(wait_ns);
        let count = match short {
            true => &mut self.freed[class],
            false => &mut self.freed_full[class],
        };
        *count = count.saturating_add(1);
        let last = self.last.replace((wait_ns, turn_ns));
        let alike = |last: &(i64, i64)| Pacing::class(last.0).abs_diff(class) <= 1;
        if let Some((wait_before_ns, turn_before_ns)) = last.filter(alike) {
            let change_ns = (wait_ns - wait_before_ns).abs();
            self.wait_change_ns = self.wait_change_ns.saturating_add(change_ns);
            let change_ns = (turn_ns - turn_before_ns).abs();
            self.turn_change_ns = self.turn_change_ns.saturating_add(change_ns);
            self.changes += 1;
        }
    }

    /// Notes a segment that came so long after the acknowledgement that this did
    /// not set it free.
    pub(crate) fn delay(&mut self, wait_ns: i64, turn_ns: i64) {
        if turn_ns * 2 <= wait_ns {
            self.late = self.late.saturating_add(1);
            return;
        }
        let own = &mut self.own[Pacing::class(wait_ns)];
        *own = own.saturating_add(1);
    }

    /// Whether the waits follow a clock more than the acknowledgements.
    fn has_clock(&self) -> bool {
        let slack_ns = i64::from(self.changes) * SLACK_NS;
        self.turn_change_ns > (self.wait_change_ns.saturating_add(slack_ns)).saturating_mul(2)
    }

    /// Whether acknowledgements set the sender's short segments free again and
    /// again, as Nagle's algorithm does it.
    pub(crate) fn held_short(&self) -> Option<Confidence> {
        match self.unheld {
            0 => self.earned(&self.freed),
            _ => None,
        }
    }

    /// Whether acknowledgements set the sender free again and again.
    pub(crate) fn held(&self) -> Option<Confidence> {
        let both: [u16; WAIT_CLASSES] =
            std::array::from_fn(|n| self.freed[n].saturating_add(self.freed_full[n]));
        self.earned(&both)
    }

    /// Confidence is earned by how often it was seen; an application that also
    /// takes as long of its own accord explains the waits as well.
    fn earned(&self, freed: &[u16; WAIT_CLASSES]) -> Option<Confidence> {
        let sum = |counts: &[u16]| -> u32 { counts.iter().map(|n| u32::from(*n)).sum() };
        let alike = |class: &usize| {
            let near = class.saturating_sub(1)..(class + 2).min(WAIT_CLASSES);
            sum(&freed[near]) > 0
        };
        let own: u32 = (0..WAIT_CLASSES)
            .filter(alike)
            .map(|class| u32::from(self.own[class]))
            .sum();
        let freed = sum(freed);
        match (freed, own) {
            _ if self.has_clock() || self.late * LATE_SHARE > freed => None,
            (_, 1..) if own * OWN_SHARE >= freed => None,
            (FOR_HIGH.., 0) if self.late * 2 * LATE_SHARE <= freed => Some(Confidence::High),
            (FOR_MEDIUM.., _) => Some(Confidence::Medium),
            _ => Some(Confidence::Low),
        }
    }
}

/// Of so many waits one may be the application's own.
const OWN_SHARE: u32 = 20;

/// Of so many waits one may be longer than the acknowledgement explains.
const LATE_SHARE: u32 = 3;

/// Changes of a time below this are those of a scheduler.
const SLACK_NS: i64 = 20_000;

/// Waits that make a habit: coincidence with an application's clock is unlikely.
const FOR_HIGH: u32 = 6;

/// Waits that make a habit likely.
const FOR_MEDIUM: u32 = 3;

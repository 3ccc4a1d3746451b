//! Why no rule named a cause of a wait: what was seen, and what forbids a
//! verdict on it.
//!
//! Told with `tupelo capture explain -v`, so that silence can be told from
//! nothing being wrong.

use super::Gap;
use super::pause::Pause;
use serde::Serialize;

/// What forbade a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Quiet {
    /// The capture misses packets around the wait.
    Unseen,
    /// All packets of the connection are as far apart.
    MadeTimes,
    /// The unit of the receiver's window, or the path's round trip, is unknown.
    Midway,
    /// The acknowledgement came with data, too late for a timer, or with more
    /// data under way behind it.
    NotByTimer,
    /// A loss was being repaired.
    AfterLoss,
    /// The sender also sends, or also waits as long, without acknowledgements.
    OwnClock,
    /// The wait was no round trip, or the burst before it had no full segment.
    NoRound,
    /// The bursts neither grew nor stayed the same.
    NoPattern,
}

impl Quiet {
    /// Every reason.
    pub const ALL: [Quiet; 8] = [
        Quiet::Unseen,
        Quiet::MadeTimes,
        Quiet::Midway,
        Quiet::NotByTimer,
        Quiet::AfterLoss,
        Quiet::OwnClock,
        Quiet::NoRound,
        Quiet::NoPattern,
    ];

    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Quiet::Unseen => "packets around it are not in the capture",
            Quiet::MadeTimes => "all packets are as far apart: the times were made up",
            Quiet::Midway => {
                "the handshake is not in the capture: window scale or round trip unknown"
            }
            Quiet::NotByTimer => {
                "the acknowledgement that ended it was no timer's: it came with data, or late, or \
                 more was under way"
            }
            Quiet::AfterLoss => "a loss was being repaired",
            Quiet::OwnClock => {
                "the sender also sends, or waits as long, without an acknowledgement: its \
                 application's clock"
            }
            Quiet::NoRound => {
                "it was no round trip behind a full segment, so no window explains it"
            }
            Quiet::NoPattern => "bursts neither grew nor stayed the same",
        }
    }

    /// Why nothing was said of this gap; none where nothing forbade it.
    pub(crate) fn of(gap: &Gap<'_>) -> Option<Quiet> {
        match gap.connection.has_made_times() {
            true => Some(Quiet::MadeTimes),
            false => Pause::examine(gap).err().flatten(),
        }
    }
}

/// The waits of which one reason forbade a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Silence {
    /// The reason.
    pub why: Quiet,
    /// Waits.
    pub count: u64,
    /// Their time, nanoseconds.
    pub total_ns: i64,
    /// The packet that ended the longest.
    pub packet: u64,
    /// The longest, nanoseconds.
    pub longest_ns: i64,
}

impl Silence {
    /// Of no wait yet.
    pub(crate) fn new(why: Quiet) -> Silence {
        Silence {
            why,
            count: 0,
            total_ns: 0,
            packet: 0,
            longest_ns: 0,
        }
    }

    /// Adds the waits of `other`.
    pub(crate) fn merge(&mut self, other: &Silence) {
        self.count += other.count;
        self.total_ns = self.total_ns.saturating_add(other.total_ns);
        let longer = (other.longest_ns, std::cmp::Reverse(other.packet))
            > (self.longest_ns, std::cmp::Reverse(self.packet));
        if longer {
            (self.longest_ns, self.packet) = (other.longest_ns, other.packet);
        }
    }
}

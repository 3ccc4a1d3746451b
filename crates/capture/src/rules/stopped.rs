//! What stopped a sender: what it had under way, and the window that it knew of, as far as the
//! place of capture shows.
//!
//! Away from the sender its last word from the receiver is not the last one that the capture
//! has: timestamps echo it, and without them the path's length tells which it was.

use super::pause::{TURN_NS, View};
use crate::{Flags, Marks};

/// What was under way and what the receiver allowed when a sender stopped, bytes.
#[derive(Clone, Copy)]
pub(super) struct Force {
    pub(super) flight: u32,
    pub(super) window: u32,
}

impl View<'_> {
    /// What stopped the sender, what was lost before this place included. Near the
    /// receiver the data that ended the pause echo the packet that set it free, so what
    /// counts is what was under way, and which window was in force, before that packet.
    /// None there without timestamps, or where the sender had heard it long before.
    pub(super) fn in_force(&self) -> Option<Force> {
        let resumed = self.resumed;
        if self.gap.after().from != self.sender {
            let mut earlier = self.gap.earlier().iter().rev();
            let word = earlier.find(|s| s.from != self.sender && s.flags.has(Flags::ACK))?;
            let flight = resumed.seq.wrapping_sub(word.ack);
            return (flight < 1 << 31).then(|| Force {
                flight: flight.max(self.flight()),
                window: self.window(),
            });
        }
        if resumed.ts_echo == 0 && self.last.marks.any(Marks::WINDOW_FULL) {
            // It filled what the word before it had left.
            let before = (self.gap.earlier().iter().rev())
                .filter(|s| s.packet < self.last.packet && s.from != self.sender)
                .find(|s| s.ack.wrapping_add(s.window) == self.last.end_seq())?;
            return Some(Force {
                flight: before.window,
                window: before.window,
            });
        }
        if resumed.ts_echo == 0 {
            return self.filled_there();
        }
        let control = Flags::SYN | Flags::RST;
        let mut words = (self.gap.earlier().iter().rev())
            .filter(|s| s.from != self.sender && s.flags.has(Flags::ACK) && !s.flags.any(control))
            .skip_while(|word| resumed.was_sent_before(word))
            .peekable();
        let mut freed = words.next()?;
        // Of several within one tick of the clock it was the first.
        while let Some(word) = words.next_if(|word| word.ts_value == resumed.ts_echo) {
            freed = word;
        }
        let before = words.next()?;
        let edge = before.ack.wrapping_add(before.window);
        // What was lost before this place was under way too.
        let flight = resumed.seq.wrapping_sub(before.ack);
        let heard = resumed.time_ns - freed.time_ns <= 2 * self.near_ns + TURN_NS;
        (heard && flight < 1 << 31).then(|| Force {
            flight,
            window: edge.wrapping_sub(before.ack),
        })
    }

    /// What stopped a sender without timestamps, away from it: when it sent its last segment it
    /// had heard no word that is younger here than its path takes. None where the window that
    /// such a word left had room for another segment.
    fn filled_there(&self) -> Option<Force> {
        let there = self.force_there(self.near_ns)?;
        (!self.leaves_room(&there)).then_some(there)
    }

    /// Whether the last word that such a sender had heard, if its path takes this long, left room
    /// for another segment.
    pub(super) fn has_room_there(&self, path_ns: i64) -> bool {
        let there = self.force_there(path_ns);
        self.resumed.ts_echo == 0 && there.is_some_and(|there| self.leaves_room(&there))
    }

    fn leaves_room(&self, there: &Force) -> bool {
        there.window - there.flight >= self.resumed.len.min(self.mss)
    }

    /// What was under way when the sender sent its last segment, and the window of the word that
    /// it had heard by then, if the path takes this long.
    fn force_there(&self, path_ns: i64) -> Option<Force> {
        let heard_ns = self.last.time_ns - path_ns;
        let control = Flags::SYN | Flags::RST;
        let word = (self.gap.earlier().iter().rev())
            .filter(|s| s.from != self.sender && s.flags.has(Flags::ACK) && !s.flags.any(control))
            .find(|s| s.time_ns <= heard_ns)?;
        let there = Force {
            flight: self.last.end_seq().wrapping_sub(word.ack),
            window: word.window,
        };
        (self.near_is_known && there.flight <= there.window).then_some(there)
    }
}

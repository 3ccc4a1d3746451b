//! Whether a waiting program looks at its sockets for a moment before it sleeps.
//!
//! To sleep and to be woken takes longer than many a partner takes to answer.
//! A program whose latest waits were all short looks for a while first; one wait
//! that was longer ends that until a run of short ones begins it again. So the
//! processor time spent in vain is at most [`LOOK`] for [`RUN`] answers.

use std::time::Duration;

/// How long a program looks, and what counts as a short wait.
const LOOK: Duration = Duration::from_micros(50);
/// Short waits in a row before a program looks.
const RUN: u32 = 8;

/// What the latest waits were like.
#[derive(Debug)]
pub(crate) struct Patience {
    /// Short waits in a row.
    short: u32,
    /// Whether the partner may have a processor to itself meanwhile.
    room: bool,
}

impl Patience {
    /// Nothing was waited for yet.
    pub fn new() -> Patience {
        let processors = std::thread::available_parallelism();
        Patience {
            short: 0,
            room: processors.is_ok_and(|count| count.get() > 1),
        }
    }

    /// How long to look before the next sleep; `None` is not at all.
    pub fn look(&self) -> Option<Duration> {
        (self.room && self.short >= RUN).then_some(LOOK)
    }

    /// A wait ended after so long.
    pub fn waited(&mut self, took: Duration) {
        self.short = match took < LOOK {
            true => self.short.saturating_add(1),
            false => 0,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_short_waits_makes_a_program_look_and_one_long_wait_ends_it() {
        let mut patience = Patience {
            short: 0,
            room: true,
        };
        for _ in 0..RUN {
            assert_eq!(patience.look(), None);
            patience.waited(LOOK / 2);
        }
        assert_eq!(patience.look(), Some(LOOK));
        patience.waited(LOOK);
        assert_eq!(patience.look(), None);
    }

    #[test]
    fn nobody_looks_where_there_is_one_processor() {
        let mut patience = Patience {
            short: 0,
            room: false,
        };
        for _ in 0..2 * RUN {
            patience.waited(Duration::ZERO);
        }
        assert_eq!(patience.look(), None);
    }
}

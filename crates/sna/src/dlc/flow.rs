//! Adaptive flow control of a DLSw circuit: how many messages one side may send
//! before the other grants more.
//!
//! The receiver grants by an indication (FCIND), which first changes the window
//! and then adds it to what is granted; the sender answers each indication
//! (FCACK), and the receiver has at most one unanswered.
//!
//! Reference: RFC 1795, section 8.
//! Invariant: a sender never sends what was not granted; a receiver that gets
//! more than it granted names the peer's fault.

use super::ssp::{Flow, FlowOperator};
use thiserror::Error;

/// The window as the sender of data sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendWindow {
    window: u16,
    granted: u32,
    answer_due: bool,
}

/// The window as the receiver of data sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceiveWindow {
    window: u16,
    widest: u16,
    granted: u32,
    unanswered: bool,
    held: bool,
    opened: bool,
}

/// A peer that broke flow control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum FlowError {
    /// It sent more than was granted.
    #[error("a message beyond the granted window")]
    Overrun,
    /// It acknowledged an indication that was not sent.
    #[error("an acknowledgement without an indication")]
    Unexpected,
}

/// The maximum grant, whatever a peer indicates.
const MOST_GRANTED: u32 = 1 << 20;

impl SendWindow {
    /// A window without a grant; it begins with the peer's announced size.
    pub fn new(initial: u16) -> SendWindow {
        SendWindow {
            window: initial,
            granted: 0,
            answer_due: false,
        }
    }

    /// Messages that may be sent now.
    pub fn granted(&self) -> u32 {
        self.granted
    }

    /// Counts one message. Returns `false` if none may be sent.
    pub fn take(&mut self) -> bool {
        let open = self.granted > 0;
        self.granted = self.granted.saturating_sub(1);
        open
    }

    /// Takes an indication of the peer.
    pub fn handle_indication(&mut self, operator: FlowOperator) {
        self.window = match operator {
            FlowOperator::Repeat => self.window,
            FlowOperator::Increment => self.window.saturating_add(1),
            FlowOperator::Decrement => self.window.saturating_sub(1),
            FlowOperator::Halve => self.window / 2,
            FlowOperator::Reset => 0,
        };
        self.granted = match operator {
            FlowOperator::Reset => 0,
            _ => (self.granted + u32::from(self.window)).min(MOST_GRANTED),
        };
        self.answer_due = true;
    }

    /// Whether an acknowledgement waits for a message to ride on.
    pub fn answer_due(&self) -> bool {
        self.answer_due
    }
}

impl ReceiveWindow {
    /// A window without a grant; `initial` is this side's announced size,
    /// `widest` its greatest size.
    pub fn new(initial: u16, widest: u16) -> ReceiveWindow {
        ReceiveWindow {
            window: initial,
            widest: widest.max(initial),
            granted: 0,
            unanswered: false,
            held: false,
            opened: false,
        }
    }

    /// Counts a message of the peer.
    pub fn handle_unit(&mut self) -> Result<(), FlowError> {
        match self.granted.checked_sub(1) {
            Some(left) => {
                self.granted = left;
                Ok(())
            }
            None => Err(FlowError::Overrun),
        }
    }

    /// Takes the peer's answer to an indication.
    pub fn handle_answer(&mut self) -> Result<(), FlowError> {
        if std::mem::take(&mut self.unanswered) {
            Ok(())
        } else {
            Err(FlowError::Unexpected)
        }
    }

    /// Grants nothing more while `held`.
    pub fn hold(&mut self, held: bool) {
        self.held = held;
    }

    /// Whether an indication should go out: half of the window is used up.
    pub fn due(&self) -> bool {
        !self.unanswered && !self.held && self.granted <= u32::from(self.window) / 2
    }

    /// The indication that is due, counted as sent. A window that the peer has
    /// used up entirely is widened.
    fn indicate(&mut self) -> Option<FlowOperator> {
        if !self.due() {
            return None;
        }
        self.unanswered = true;
        let starved = std::mem::replace(&mut self.opened, true)
            && self.granted == 0
            && self.window < self.widest;
        self.window += u16::from(starved);
        self.granted += u32::from(self.window);
        Some(if starved {
            FlowOperator::Increment
        } else {
            FlowOperator::Repeat
        })
    }
}

/// The flow-control byte of the next message, for both directions.
pub fn ride(sender: &mut SendWindow, receiver: &mut ReceiveWindow) -> Flow {
    Flow {
        indication: receiver.indicate(),
        acknowledgement: std::mem::take(&mut sender.answer_due),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    #[test]
    fn operators_change_the_window_before_they_grant_it() {
        let mut window = SendWindow::new(8);
        for (operator, granted) in [
            (FlowOperator::Repeat, 8),
            (FlowOperator::Increment, 17),
            (FlowOperator::Decrement, 25),
            (FlowOperator::Halve, 29),
            (FlowOperator::Reset, 0),
            (FlowOperator::Increment, 1),
        ] {
            window.handle_indication(operator);
            assert_eq!(window.granted(), granted, "{operator:?}");
        }
    }

    proptest! {
        /// Two ends over a link with any delay: nothing is overrun, and data
        /// never stops while the receiver does not hold.
        #[test]
        fn a_pair_neither_overruns_nor_stalls(
            initial in 1u16..20, widest in 1u16..40, steps in prop::collection::vec(0u8..4, 1..400),
        ) {
            let (mut a, mut b) = (SendWindow::new(initial), ReceiveWindow::new(initial, widest));
            let (mut none, mut idle) = (SendWindow::new(1), ReceiveWindow::new(1, 1));
            idle.hold(true);
            let (mut data, mut back) = (VecDeque::new(), VecDeque::new());
            let mut received = 0;
            let drain: Vec<u8> = [2, 3, 0, 1].repeat(3);
            for step in steps.into_iter().chain(drain) {
                match step {
                    0 => if a.take() { data.push_back(ride(&mut a, &mut idle)) },
                    1 => if let Some(flow) = data.pop_front() {
                        prop_assert_eq!(b.handle_unit(), Ok(()));
                        received += 1;
                        if flow.acknowledgement { prop_assert_eq!(b.handle_answer(), Ok(())); }
                    },
                    2 => if b.due() { back.push_back(ride(&mut none, &mut b)) },
                    _ => if let Some(operator) = back.pop_front().and_then(|f: Flow| f.indication) {
                        a.handle_indication(operator);
                    },
                }
            }
            prop_assert!(received > 0 || a.granted() > 0);
        }
    }
}

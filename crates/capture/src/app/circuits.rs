//! The circuits of a DLSw connection, and the send window of each end.
//!
//! Each switch numbers its end of a circuit by itself, and control messages
//! say which two numbers belong together. A sender's window begins as the
//! receiver's capabilities say; where those were not captured, an indication
//! that closes it makes it known.
//! Reference: RFC 1795, sections 3.2 (correlators) and 8 (flow control).
//! Invariant: at most [`MAX_CIRCUITS`] circuits a connection.

use crate::{ConnectionSide, SegmentMarks};
use sna::dlc::caps;
use sna::dlc::flow::SendWindow;
use sna::dlc::ssp::{FlowOperator, Kind, SspMessage};

/// The circuits of one connection.
#[derive(Debug, Default)]
pub(super) struct CircuitTable {
    known: Vec<CircuitEntry>,
    next: u32,
    /// The window that each end grants first, by its capabilities.
    first: [Option<u16>; 2],
}

#[derive(Debug)]
struct CircuitEntry {
    number: u32,
    ends: [(ConnectionSide, u32); 2],
    /// The send window of each end, if known.
    windows: [Option<SendWindow>; 2],
}

impl CircuitTable {
    /// Two numbers belong together.
    pub(super) fn learn(&mut self, ends: [(ConnectionSide, u32); 2]) {
        if ends.iter().any(|(_, correlator)| *correlator == 0) || self.find(ends[0]).is_some() {
            return;
        }
        if self.known.len() >= MAX_CIRCUITS {
            self.known.remove(0);
        }
        self.next = self.next.wrapping_add(1).max(1);
        // The send window of one end is granted by the other.
        let [client, server] = self.first;
        self.known.push(CircuitEntry {
            number: self.next,
            ends,
            windows: [server.map(SendWindow::new), client.map(SendWindow::new)],
        });
    }

    /// Takes the capabilities that `side` sent.
    pub(super) fn capabilities(&mut self, side: ConnectionSide, data: &[u8]) {
        if let Ok(caps::Exchange::Request(sent)) = caps::Exchange::parse(data) {
            self.first[side.index()] = Some(sent.initial_window);
        }
    }

    /// The circuit whose end at `side` has this number; 0 if no message named it.
    pub(super) fn of(&self, side: ConnectionSide, correlator: u32) -> u32 {
        self.find((side, correlator))
            .map_or(0, |at| self.known[at].number)
    }

    /// Counts a message of `side` on a circuit. Returns the sender concerned,
    /// and the marks for its packet.
    pub(super) fn count(
        &mut self,
        number: u32,
        side: ConnectionSide,
        message: &SspMessage<'_>,
    ) -> (ConnectionSide, u32) {
        let Some(circuit) = self.known.iter_mut().rev().find(|c| c.number == number) else {
            return (side, 0);
        };
        if let Some(operator) = message.flow.indication {
            let window = &mut circuit.windows[side.other().index()];
            let marks = indicated(window, operator);
            if marks != 0 {
                return (side.other(), marks);
            }
        }
        if message.kind != Kind::InfoFrame {
            return (side, 0);
        }
        let window = &mut circuit.windows[side.index()];
        let sent = window.as_mut().is_some_and(SendWindow::take);
        if !sent {
            // More than is known to be granted: nothing is known.
            *window = None;
        }
        let spent = window.is_some_and(|open| open.granted() == 0);
        (side, if spent { SegmentMarks::WINDOW_SPENT } else { 0 })
    }

    fn find(&self, end: (ConnectionSide, u32)) -> Option<usize> {
        self.known.iter().rposition(|c| c.ends.contains(&end))
    }
}

/// Takes an indication for a sender's window; marks for its packet.
fn indicated(window: &mut Option<SendWindow>, operator: FlowOperator) -> u32 {
    let before = window.map(|w| w.granted());
    if operator == FlowOperator::Reset {
        let mut closed = SendWindow::new(0);
        closed.handle_indication(operator);
        *window = Some(closed);
        return if before == Some(0) {
            0
        } else {
            SegmentMarks::NOT_READY
        };
    }
    let Some(open) = window else {
        return 0;
    };
    open.handle_indication(operator);
    if before == Some(0) && open.granted() > 0 {
        SegmentMarks::READY_AGAIN
    } else {
        0
    }
}

/// Circuits of one connection that are distinguished.
const MAX_CIRCUITS: usize = 256;

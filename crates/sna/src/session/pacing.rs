//! Session-level pacing: how many RUs each side may send.
//!
//! Fixed pacing has windows of one size: the first RU of a window asks, one
//! pacing response grants the next window. Under adaptive pacing the grant is
//! a message that says how large the next window is, and the receiver may
//! shrink it at any time.
//! Reference: IBM *SNA LU 6.2 Reference: Peer Protocols* (SC31-6808), session
//! pacing.
//!
//! Invariant: a [`PacingSender`] never sends more RUs than were granted, and a
//! [`PacingReceiver`] accepts none beyond its grants.

use crate::wire::Sense;
use crate::wire::ipm::{PacingMessageKind, Repr as Ipm};

/// The sending side.
#[derive(Clone, Debug)]
pub struct PacingSender {
    scheme: PacingScheme,
    left: u16,
    next: u16,
    held: bool,
}

/// The receiving side.
#[derive(Clone, Debug)]
pub struct PacingReceiver {
    scheme: PacingScheme,
    left: u16,
    next: u16,
    owes: bool,
    wants_more: bool,
    windows: u8,
    size: u16,
    max: u16,
    reset: Option<u16>,
}

/// Which pacing one direction of a session has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacingScheme {
    /// No pacing: the window is unlimited.
    None,
    /// Windows of this many RUs.
    Fixed(u16),
    /// Windows as the receiver grants them.
    Adaptive,
}

/// The pacing indicators of an RU that may go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacingIndicators {
    /// The RU begins a window and asks for the next.
    pub pacing: bool,
    /// The sender was delayed by a missing window.
    pub larger: bool,
}

/// How a receiver grants a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowGrant {
    /// By a pacing response.
    Response,
    /// By this message.
    Message(Ipm),
}

impl PacingSender {
    /// A sender at the start of a session: one window is granted, and under
    /// adaptive pacing it is one RU long.
    pub fn new(scheme: PacingScheme) -> PacingSender {
        let next = match scheme {
            PacingScheme::None => 0,
            PacingScheme::Fixed(window) => window,
            PacingScheme::Adaptive => 1,
        };
        PacingSender {
            scheme,
            left: 0,
            next,
            held: false,
        }
    }

    /// Whether an RU may go.
    pub fn is_open(&self) -> bool {
        self.scheme == PacingScheme::None || self.left > 0 || self.next > 0
    }

    /// The number of RUs that may be sent before another grant.
    pub fn credit(&self) -> u32 {
        match self.scheme {
            PacingScheme::None => u32::MAX,
            _ => u32::from(self.left) + u32::from(self.next),
        }
    }

    /// Takes one RU out of the window; nothing when it must wait.
    pub fn take(&mut self) -> Option<PacingIndicators> {
        if self.scheme == PacingScheme::None {
            return Some(PacingIndicators::default());
        }
        if self.left > 0 {
            self.left -= 1;
            return Some(PacingIndicators::default());
        }
        if self.next == 0 {
            self.held = true;
            return None;
        }
        self.left = self.next - 1;
        self.next = 0;
        let larger = self.scheme == PacingScheme::Adaptive && std::mem::take(&mut self.held);
        Some(PacingIndicators {
            pacing: true,
            larger,
        })
    }

    /// A pacing response arrived. Under adaptive pacing it is an error, and so
    /// it is while a window is granted.
    pub fn handle_response(&mut self) -> Result<(), Sense> {
        match self.scheme {
            PacingScheme::Fixed(window) if self.next == 0 => {
                self.next = window;
                Ok(())
            }
            _ => Err(Sense::PACING_UNEXPECTED_IPM),
        }
    }

    /// A pacing message arrived. Returns the answer.
    pub fn handle_message(&mut self, ipm: Ipm) -> Result<Option<Ipm>, Sense> {
        if self.scheme != PacingScheme::Adaptive {
            return Err(Sense::PACING_UNEXPECTED_IPM);
        }
        match ipm.kind {
            PacingMessageKind::Solicited if ipm.window == 0 => Err(Sense::FIELD_VALUE),
            PacingMessageKind::Solicited if self.next > 0 => Err(Sense::PACING_UNEXPECTED_IPM),
            PacingMessageKind::Solicited => {
                self.next = ipm.window;
                Ok(None)
            }
            PacingMessageKind::Unsolicited { .. } => {
                self.left = 0;
                self.next = ipm.window;
                Ok(Some(Ipm {
                    kind: PacingMessageKind::ResetAck,
                    window: ipm.window,
                }))
            }
            PacingMessageKind::ResetAck => Err(Sense::PACING_UNEXPECTED_IPM),
        }
    }
}

impl PacingReceiver {
    /// A receiver at the start of a session. `size` is the window it grants
    /// first under adaptive pacing, `max` the largest.
    pub fn new(scheme: PacingScheme, size: u16, max: u16) -> PacingReceiver {
        let next = match scheme {
            PacingScheme::None => 0,
            PacingScheme::Fixed(window) => window,
            PacingScheme::Adaptive => size.max(1),
        };
        PacingReceiver {
            scheme,
            left: 0,
            next,
            owes: false,
            wants_more: false,
            windows: 0,
            size: size.max(1),
            max: max.max(size).max(1),
            reset: None,
        }
    }

    /// A request with these indicators arrived.
    pub fn handle_request(&mut self, marks: PacingIndicators) -> Result<(), Sense> {
        if self.scheme == PacingScheme::None {
            // Without pacing a pacing request has no effect.
            return Ok(());
        }
        if !marks.pacing {
            if self.left == 0 {
                return Err(match self.next {
                    0 => Sense::PACING_EXHAUSTED,
                    _ => Sense::PACING_PI,
                });
            }
            self.left -= 1;
            return Ok(());
        }
        if self.next == 0 {
            return Err(match self.left {
                0 => Sense::PACING_EXHAUSTED,
                _ => Sense::PACING_PI_IN_WINDOW,
            });
        }
        // A sender may start with a window of one, or with the window of the
        // BIND, so under adaptive pacing the first window may end early.
        let may_end_early = self.scheme == PacingScheme::Adaptive && self.windows == 1;
        if self.left > 0 && !may_end_early {
            return Err(Sense::PACING_PI_IN_WINDOW);
        }
        self.windows = self.windows.saturating_add(1);
        self.left = self.next.saturating_sub(1);
        self.next = 0;
        self.owes = true;
        self.wants_more |= marks.larger;
        Ok(())
    }

    /// Whether the sender waits for a grant.
    pub fn owes(&self) -> bool {
        self.owes
    }

    /// Gives the grant that is owed. `room` is how many RUs there is memory
    /// for; the window is at least one.
    pub fn grant(&mut self, room: usize) -> Option<WindowGrant> {
        if !std::mem::take(&mut self.owes) {
            return None;
        }
        match self.scheme {
            PacingScheme::None => None,
            PacingScheme::Fixed(window) => {
                self.next = window;
                Some(WindowGrant::Response)
            }
            PacingScheme::Adaptive => {
                if std::mem::take(&mut self.wants_more) {
                    self.size = self.size.saturating_mul(2).min(self.max);
                }
                let room = u16::try_from(room).unwrap_or(u16::MAX);
                self.next = self.size.min(room).clamp(1, 0x7FFF);
                Some(WindowGrant::Message(Ipm {
                    kind: PacingMessageKind::Solicited,
                    window: self.next,
                }))
            }
        }
    }

    /// Shrinks the window to `window` RUs at once, 0 to close it; returns the
    /// message to send, or nothing when one is in transit or pacing is fixed.
    pub fn reset(&mut self, window: u16) -> Option<Ipm> {
        if self.scheme != PacingScheme::Adaptive || self.reset.is_some() {
            return None;
        }
        let window = window.min(0x7FFF);
        self.reset = Some(window);
        Some(Ipm {
            kind: PacingMessageKind::Unsolicited { reset: true },
            window,
        })
    }

    /// A pacing message arrived that answers this side's.
    pub fn handle_ack(&mut self, ipm: Ipm) -> Result<(), Sense> {
        match self.reset.take() {
            Some(window) if window == ipm.window => {
                self.left = 0;
                self.next = window;
                self.owes = false;
                self.windows = 2;
                self.size = window.clamp(1, self.max);
                Ok(())
            }
            Some(_) => Err(Sense::FIELD_VALUE),
            None => Err(Sense::PACING_UNEXPECTED_IPM),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solicited(window: u16) -> Ipm {
        Ipm {
            kind: PacingMessageKind::Solicited,
            window,
        }
    }

    #[test]
    fn a_fixed_window_opens_by_responses() {
        let mut s = PacingSender::new(PacingScheme::Fixed(3));
        assert!(s.take().unwrap().pacing);
        assert!(s.handle_response().is_ok());
        assert_eq!(s.credit(), 5, "up to 2N - 1 after the first");
        let marks: Vec<bool> = (0..5).map(|_| s.take().unwrap().pacing).collect();
        assert_eq!(marks, [false, false, true, false, false]);
        assert_eq!(s.take(), None);
        assert!(s.handle_response().is_ok());
        assert!(s.handle_response().is_err(), "one response a window");
    }

    #[test]
    fn an_adaptive_window_has_the_length_in_the_message() {
        let mut s = PacingSender::new(PacingScheme::Adaptive);
        assert!(s.take().unwrap().pacing);
        assert_eq!(s.take(), None);
        s.handle_message(solicited(2)).unwrap();
        assert!(s.handle_message(solicited(2)).is_err());
        assert_eq!(
            s.take(),
            Some(PacingIndicators {
                pacing: true,
                larger: true
            })
        );
        let ack = s.handle_message(Ipm {
            kind: PacingMessageKind::Unsolicited { reset: true },
            window: 0,
        });
        assert_eq!(ack.unwrap().unwrap().kind, PacingMessageKind::ResetAck);
        assert_eq!(s.take(), None);
        assert!(s.handle_message(solicited(0)).is_err());
    }

    #[test]
    fn a_receiver_names_each_breach() {
        let pi = PacingIndicators {
            pacing: true,
            larger: false,
        };
        let mut r = PacingReceiver::new(PacingScheme::Fixed(2), 2, 2);
        assert_eq!(
            r.handle_request(PacingIndicators::default()),
            Err(Sense::PACING_PI),
            "a window begins with the indicator"
        );
        r.handle_request(pi).unwrap();
        r.handle_request(PacingIndicators::default()).unwrap();
        assert_eq!(
            r.handle_request(PacingIndicators::default()),
            Err(Sense::PACING_EXHAUSTED)
        );
        assert_eq!(r.grant(9), Some(WindowGrant::Response));
        r.handle_request(pi).unwrap();
        assert_eq!(r.grant(9), Some(WindowGrant::Response));
        assert_eq!(r.handle_request(pi), Err(Sense::PACING_PI_IN_WINDOW));
    }

    #[test]
    fn a_sender_that_was_held_gets_a_larger_window() {
        let mut r = PacingReceiver::new(PacingScheme::Adaptive, 2, 6);
        let mut windows = Vec::new();
        for _ in 0..3 {
            r.handle_request(PacingIndicators {
                pacing: true,
                larger: true,
            })
            .unwrap();
            let Some(WindowGrant::Message(ipm)) = r.grant(100) else {
                panic!("a grant is owed");
            };
            windows.push(ipm.window);
            for _ in 0..r.left {
                r.handle_request(PacingIndicators::default()).unwrap();
            }
        }
        assert_eq!(windows, [4, 6, 6]);
    }

    #[test]
    fn a_reset_holds_from_its_answer_on() {
        let mut r = PacingReceiver::new(PacingScheme::Adaptive, 4, 8);
        let ipm = r.reset(1).unwrap();
        assert!(r.reset(2).is_none(), "one at a time");
        let ack = Ipm {
            kind: PacingMessageKind::ResetAck,
            window: ipm.window,
        };
        r.handle_ack(ack).unwrap();
        assert_eq!(r.handle_ack(ack), Err(Sense::PACING_UNEXPECTED_IPM));
        let pi = PacingIndicators {
            pacing: true,
            larger: false,
        };
        r.handle_request(pi).unwrap();
        assert_eq!(r.handle_request(pi), Err(Sense::PACING_EXHAUSTED));
    }
}

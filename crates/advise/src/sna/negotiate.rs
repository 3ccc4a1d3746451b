//! Negotiation of a session: the result of two ends' parameters.
//!
//! Sizes and windows can only be lowered, separately for each direction. Pacing is
//! adaptive if both ends support it, otherwise fixed. A window of 0 means no pacing
//! and counts as the largest.
//!
//! Reference: SNA Formats, BIND; the APPC tuning guide, pacing windows.
//! Invariant: pure arithmetic, without documents.

use std::fmt;

use super::ru;

/// The largest window that a BIND carries: 6 bits.
const MOST: u32 = 63;

/// The RU sizes and windows that one end of a session requests or allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionTerms {
    /// The largest RU it sends. `None` for no limit.
    pub send_ru: Option<u32>,
    /// The largest RU it receives.
    pub receive_ru: Option<u32>,
    /// RUs that this end sends before a pacing response is required; 0 for no limit.
    pub send_window: u32,
    /// RUs that this end accepts before it sends a pacing response; 0 for no limit.
    pub receive_window: u32,
    /// Whether it paces adaptively with a partner that does so too.
    pub adaptive: bool,
}

/// The pacing of one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Window {
    /// So many RUs, always.
    Fixed(u32),
    /// The receiver opens and closes it; it begins with so many.
    Adaptive(u32),
    /// No pacing.
    Unpaced,
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Window::Fixed(n) => write!(f, "fixed window {n}"),
            Window::Adaptive(n) => write!(f, "adaptive window from {n}"),
            Window::Unpaced => f.write_str("no pacing"),
        }
    }
}

/// One direction of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Flow {
    /// The largest RU in bytes. `None` if neither end sets a limit.
    pub ru: Option<u32>,
    /// Its pacing.
    pub window: Window,
}

impl Flow {
    /// The maximum number of bytes that the receiver has to buffer: RU ×
    /// window. With fixed pacing up to 2N − 1 RUs, because the next window may
    /// be granted with the first RU of a window.
    pub fn in_flight_bytes(&self) -> Option<u64> {
        let ru = u64::from(self.ru?);
        match self.window {
            Window::Fixed(n) => Some(ru.saturating_mul((2 * u64::from(n)).saturating_sub(1))),
            Window::Adaptive(n) => Some(ru.saturating_mul(u64::from(n))),
            Window::Unpaced => None,
        }
    }
}

impl fmt::Display for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ru {
            Some(ru) => write!(f, "RU {ru}, {}", self.window),
            None => write!(f, "RU without limit, {}", self.window),
        }
    }
}

/// The flows of a session from the initiator's side: sending and receiving.
pub fn negotiate(initiator: &SessionTerms, receiver: &SessionTerms) -> (Flow, Flow) {
    let adaptive = initiator.adaptive && receiver.adaptive;
    let flow = |from: &SessionTerms, to: &SessionTerms| Flow {
        ru: lesser(limit(from.send_ru), limit(to.receive_ru)).map(ru::floor),
        window: window(from.send_window, to.receive_window, adaptive),
    };
    (flow(initiator, receiver), flow(receiver, initiator))
}

/// A size of 0 in a BIND means no limit.
fn limit(size: Option<u32>) -> Option<u32> {
    size.filter(|bytes| *bytes > 0)
}

/// The smaller of two limits, where there are any.
pub(super) fn lesser(a: Option<u32>, b: Option<u32>) -> Option<u32> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Adaptive windows are the receiver's; of fixed ones the smaller counts, and
/// 0 is the largest of all.
fn window(send: u32, receive: u32, adaptive: bool) -> Window {
    let (send, receive) = (send.min(MOST), receive.min(MOST));
    let least = [send, receive].into_iter().filter(|n| *n > 0).min();
    match (adaptive, receive, least) {
        (true, 1.., _) => Window::Adaptive(receive),
        (_, _, Some(n)) => Window::Fixed(n),
        (_, _, None) => Window::Unpaced,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATION: SessionTerms = SessionTerms {
        send_ru: Some(8192),
        receive_ru: Some(8192),
        send_window: 8,
        receive_window: 63,
        adaptive: false,
    };
    const HOST: SessionTerms = SessionTerms {
        send_ru: Some(256),
        receive_ru: Some(4000),
        send_window: 0,
        receive_window: 3,
        adaptive: true,
    };

    #[test]
    fn each_direction_gets_the_lesser_of_what_the_ends_allow() {
        let (out, back) = negotiate(&STATION, &HOST);
        assert_eq!(
            out,
            Flow {
                ru: Some(3840),
                window: Window::Fixed(3)
            }
        );
        assert_eq!(
            back,
            Flow {
                ru: Some(256),
                window: Window::Fixed(63)
            }
        );
        assert_eq!(out.in_flight_bytes(), Some(5 * 3840));
    }

    #[test]
    fn adaptive_pacing_needs_both_ends_and_no_window_is_no_pacing() {
        let both = SessionTerms {
            adaptive: true,
            ..STATION
        };
        let (out, back) = negotiate(&both, &HOST);
        assert_eq!(
            (out.window, back.window),
            (Window::Adaptive(3), Window::Adaptive(63))
        );
        let open = SessionTerms {
            send_window: 0,
            receive_window: 0,
            send_ru: None,
            receive_ru: None,
            ..STATION
        };
        let (out, _) = negotiate(&open, &open);
        assert_eq!(
            out,
            Flow {
                ru: None,
                window: Window::Unpaced
            }
        );
        assert_eq!(out.in_flight_bytes(), None);
    }
}

//! Whether a DLSw partner is still there.
//!
//! A keepalive message asks, which no switch answers; the acknowledgement of the
//! partner's TCP is the sign. A partner that is stopped or busy is there; one
//! whose machine or network is gone is not.
//! Reference: RFC 1795, section 3.5 (message types); tcp(7), TCP_INFO.

use super::{Dlsw, Which};
use sna::Instant;
use sna::dlc::ssp::{Kind, Message};
use std::os::fd::AsRawFd;
use std::time::Duration;

impl Dlsw {
    /// Asks for a sign of life; false when the partner is not at `place`.
    pub fn ask(&mut self, place: &str) -> bool {
        if self.peer.to_string() != place {
            return false;
        }
        // Before that nothing but capabilities may be sent, and a partner that
        // exchanges none has its own limit.
        if self.pipes.settled() && self.exchange_until.is_none() {
            let out = self.waiting.gather();
            let before = out.len();
            Message::new(Kind::KeepAlive).emit(out);
            let added = out.len() - before;
            self.waiting.gathered(added);
        }
        true
    }

    /// Whether there was one since then; `None` when the partner is not at
    /// `place`.
    pub fn answered(&mut self, place: &str, since: Instant, now: Instant) -> Option<bool> {
        if self.peer.to_string() != place {
            return None;
        }
        let span = Duration::from_nanos(now.as_nanos().saturating_sub(since.as_nanos()));
        let written = self.waiting.len() == 0;
        let both = [Which::First, Which::Second];
        let streams = both.map(|which| self.pipes.stream(which).map(|stream| stream.as_raw_fd()));
        let mut streams = streams.into_iter().flatten();
        Some(streams.any(|socket| (written && all_taken(socket)) || heard(socket, span)))
    }
}

/// What comes this soon after the question may have left before it: an
/// acknowledgement is held back for up to 200 ms.
const LATE: Duration = Duration::from_millis(200);

/// Whether the partner's TCP has acknowledged everything that was written.
fn all_taken(socket: i32) -> bool {
    unacknowledged(socket).is_none_or(|bytes| bytes == 0)
}

/// Bytes that were written and not acknowledged.
fn unacknowledged(socket: i32) -> Option<libc::c_int> {
    let mut bytes: libc::c_int = 0;
    // SAFETY: the request writes an int to `bytes`.
    let told = unsafe { libc::ioctl(socket, libc::TIOCOUTQ, &raw mut bytes) };
    (told == 0).then_some(bytes)
}

/// Whether the partner's TCP was heard of within `span`. What the system does not
/// tell counts as heard: nobody is given up for it.
fn heard(socket: i32, span: Duration) -> bool {
    // SAFETY: all-zero bytes are a valid value of this plain structure.
    let mut info: libc::tcp_info = unsafe { std::mem::zeroed() };
    let mut length = size_of::<libc::tcp_info>() as libc::socklen_t;
    // SAFETY: the pointers name `info` and `length`, which says how long it is.
    let got = unsafe {
        libc::getsockopt(
            socket,
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            (&raw mut info).cast(),
            &raw mut length,
        )
    };
    if got != 0 {
        return true;
    }
    let last = info.tcpi_last_ack_recv.min(info.tcpi_last_data_recv);
    if Duration::from_millis(last.into()) + LATE < span {
        return true;
    }
    // A partner that reads nothing has closed its window: its TCP answers probes,
    // ever more rarely.
    let unsent = unacknowledged(socket).unwrap_or(0);
    unsent > 0 && info.tcpi_unacked == 0 && info.tcpi_probes < 2
}

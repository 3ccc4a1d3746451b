//! Whether a DLSw partner is still there.
//!
//! A partner that has data to acknowledge is given up when its TCP has been silent
//! for [`SILENCE`]. For other partners TCP's own keepalive is used. If another node
//! claims a partner's name, this side sends a keepalive message. No switch answers
//! it; the acknowledgement by the partner's TCP is the sign. A partner whose
//! program is stopped or busy counts as present; one whose machine or network is
//! down does not. Reference: RFC 1795, section 3.5 (message types); tcp(7),
//! TCP_INFO.

use super::{DlswTransport, PipeId, TransportFailure};
use sna::MonotonicTime;
use sna::dlc::ssp::{Kind, SspMessage};
use std::os::fd::AsRawFd;
use std::time::Duration;

impl DlswTransport {
    /// Asks for a sign of life. Returns `false` if the partner is not at `place`.
    pub fn probe_partner(&mut self, place: &str) -> bool {
        if self.peer.to_string() != place {
            return false;
        }
        // Before that only capabilities may be sent, and their exchange has
        // its own timeout.
        if self.pipes.settled() && self.exchange_until.is_none() {
            let out = self.waiting.gather();
            let before = out.len();
            SspMessage::new(Kind::KeepAlive).emit(out);
            let added = out.len() - before;
            self.waiting.gathered(added);
        }
        true
    }

    fn sockets(&mut self) -> [Option<i32>; 2] {
        let both = [PipeId::First, PipeId::Second];
        both.map(|which| self.pipes.stream(which).map(|stream| stream.as_raw_fd()))
    }

    /// Checks that the partner's TCP acknowledges data or reports a full
    /// window.
    pub(super) fn check_liveness(&mut self, now: u64) -> Result<(), TransportFailure> {
        let sockets = self.sockets();
        for (watch, socket) in self.watches.iter_mut().zip(sockets) {
            let waits = socket.is_some_and(|socket| !all_taken(socket));
            let sent_within = |span| socket.is_none_or(|socket| sent_segment_within(socket, span));
            if watch.is_lost(now, waits, sent_within) {
                let seconds = SILENCE.as_secs();
                let why = format!("the partner's machine did not respond for {seconds} s");
                return Err(TransportFailure::ended(why));
            }
        }
        Ok(())
    }

    /// Whether a sign arrived since then. Returns `None` if the partner is not
    /// at `place`.
    pub fn answered(
        &mut self,
        place: &str,
        since: MonotonicTime,
        now: MonotonicTime,
    ) -> Option<bool> {
        if self.peer.to_string() != place {
            return None;
        }
        let span = Duration::from_nanos(now.as_nanos().saturating_sub(since.as_nanos()));
        let written = self.waiting.len() == 0;
        let mut streams = self.sockets().into_iter().flatten();
        Some(
            streams
                .any(|socket| (written && all_taken(socket)) || sent_segment_within(socket, span)),
        )
    }
}

/// Interval of the check of partners that have data to acknowledge.
pub(super) const CHECK_INTERVAL_NS: u64 = 5_000_000_000;
/// How long data may be unacknowledged without a sign of the partner's TCP.
const SILENCE: Duration = Duration::from_secs(60);

/// Watches for a sign of life after data were written.
#[derive(Debug, Default)]
pub(super) struct LivenessCheck {
    /// Since when data wait without one.
    since: Option<u64>,
}

impl LivenessCheck {
    /// Checks again; returns true if the partner is lost. `waits` says whether
    /// data is unacknowledged, `sent_segment_within` whether its TCP sent a segment in a span
    /// that ends now.
    fn is_lost(
        &mut self,
        now: u64,
        waits: bool,
        sent_within: impl FnOnce(Duration) -> bool,
    ) -> bool {
        if !waits {
            self.since = None;
            return false;
        }
        let since = *self.since.get_or_insert(now);
        let span = Duration::from_nanos(now.saturating_sub(since));
        if sent_within(span) {
            self.since = Some(now);
            return false;
        }
        span >= SILENCE
    }
}

/// A segment within this time after the question may have been sent before it:
/// an acknowledgement is delayed by up to 200 ms.
const LATE: Duration = Duration::from_millis(200);

/// Whether the partner's TCP has acknowledged everything that was written.
fn all_taken(socket: i32) -> bool {
    unacknowledged(socket).is_none_or(|bytes| bytes == 0)
}

/// Bytes that were written and not acknowledged.
fn unacknowledged(socket: i32) -> Option<libc::c_int> {
    let mut bytes: libc::c_int = 0;
    // SAFETY: the request writes an int to `bytes`.
    let reported = unsafe { libc::ioctl(socket, libc::TIOCOUTQ, &raw mut bytes) };
    (reported == 0).then_some(bytes)
}

/// Whether the partner's TCP sent a segment within `span`. If the system does
/// not report this, the answer is yes: no partner is given up without evidence.
fn sent_segment_within(socket: i32, span: Duration) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// Looks every five seconds from 0 on; when the partner is given up.
    fn given_up(
        waits: impl Fn(u64) -> bool,
        sent_within: impl Fn(u64, u64) -> bool,
    ) -> Option<u64> {
        let mut watch = LivenessCheck::default();
        (0..600).step_by(5).find(|second| {
            let sent_within = |span: Duration| sent_within(*second, span.as_secs());
            watch.is_lost(second * SECOND, waits(*second), sent_within)
        })
    }

    #[test]
    fn a_partner_that_acknowledges_nothing_for_a_minute_is_gone() {
        assert_eq!(given_up(|second| second >= 20, |_, _| false), Some(80));
        // Its last sign came at 100 s.
        let sent_within = |second: u64, span: u64| second <= 100 && span > 0;
        assert_eq!(given_up(|_| true, sent_within), Some(160));
    }

    #[test]
    fn a_partner_that_reads_nothing_and_whose_tcp_answers_is_there() {
        // A sign every 50 s, as of window probes.
        let sent_within = |second: u64, span: u64| span > second % 50;
        assert_eq!(given_up(|_| true, sent_within), None);
    }

    #[test]
    fn silence_counts_only_while_something_waits() {
        // Idle except at the beginning of each minute.
        assert_eq!(given_up(|second| second % 60 < 30, |_, _| false), None);
    }
}

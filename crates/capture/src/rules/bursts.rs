//! A sender's bursts: what it sent between two pauses of about a round trip, and
//! how they grew.
//!
//! The congestion window is not on the wire; its growth, its limit and its
//! restart after an idle time show as the sizes of bursts.

use super::fast_retransmit::sent_again;
use super::pause::{View, is_repair};
use crate::{End, Marks, Segment, Side};

impl View<'_> {
    /// Whether the sender's packets were lost before the pause, however long ago.
    pub(super) fn lost_before(&self) -> bool {
        // A hole that nobody filled is the capture's.
        let losses = Marks::RESENT;
        let lost = |s: &&Segment| s.from == self.sender && is_repair(s);
        let later = self.gap.later().iter().filter(lost).count() as u64;
        // What had arrived was no loss.
        let marks = &self.gap.connection.end(self.sender).marks;
        let (sent, had) = (marks.of(losses), marks.of(Marks::PROVEN_SPURIOUS));
        // Nor was an opening that came twice one of data.
        let shake = &self.gap.connection.handshake;
        let opened = match self.sender {
            Side::Client => shake.syns,
            Side::Server => shake.syn_acks,
        };
        let openings = u64::from(opened.saturating_sub(1));
        sent.saturating_sub(had).saturating_sub(openings) > later
    }

    /// A pause of this length separates two bursts.
    pub(super) fn apart_ns(&self) -> i64 {
        ((self.near_ns + self.far_ns) / 2).max(BURST_NS)
    }

    /// Whether the segment is the sender's and has what it had not sent before: what others
    /// overtook on the way is part of its burst.
    fn is_first(&self, s: &Segment) -> bool {
        s.from == self.sender && (s.is_new_data() || self.was_passed(s))
    }

    /// Whether the segment came behind later ones of its burst, sent once.
    fn was_passed(&self, s: &Segment) -> bool {
        s.len > 0
            && s.marks.any(Marks::OUT_OF_ORDER)
            && self.gap.first_copy(s).is_none()
            && !sent_again(self.gap, s)
    }

    pub(super) fn bursts_back(&self) -> impl Iterator<Item = u32> + '_ {
        let mut rest = self
            .gap
            .earlier()
            .iter()
            .rev()
            .filter(|s| self.is_first(s))
            .peekable();
        std::iter::from_fn(move || {
            let first = rest.next()?;
            let (mut bytes, mut time) = (first.len, first.time_ns);
            while let Some(s) = rest.next_if(|s| time - s.time_ns < self.apart_ns()) {
                bytes = bytes.saturating_add(s.len);
                time = s.time_ns;
            }
            Some(bytes)
        })
    }

    /// Whether the data after the pause came about a round trip, or more, after
    /// the burst before it began, and that burst had a full segment: what a
    /// window makes a sender wait. Jitter on a long path pulls a burst apart by
    /// less, and an application's small messages do not fill a window. It must be
    /// twice as long as the longest time between two segments of the burst.
    pub(super) fn waited_a_round(&self) -> bool {
        self.waited_rounds(3)
    }

    /// The same, and hardly more than one round trip: a clock of the application's
    /// own is seldom just as long.
    pub(super) fn waited_no_more(&self) -> bool {
        self.waited_rounds(1)
    }

    /// Whether the data behind the pause may have been set free by the news of the burst
    /// before it: what echoes an earlier packet left its sender before, and was late on
    /// the path. True without timestamps.
    pub(super) fn has_heard_of_burst(&self) -> bool {
        let news = self.news_of_burst();
        news.is_none_or(|news| !self.resumed.was_sent_before(news))
    }

    /// The first word of the burst before the pause.
    fn news_of_burst(&self) -> Option<&Segment> {
        let mut began: Option<&Segment> = None;
        let mine =
            (self.gap.earlier().iter().rev()).filter(|s| s.from == self.sender && s.is_new_data());
        for s in mine {
            if began.is_some_and(|b| b.time_ns - s.time_ns >= self.apart_ns()) {
                break;
            }
            began = Some(s);
        }
        let began = began?;
        (self.gap.timeline.iter())
            .filter(|s| s.from != self.sender && s.packet > began.packet)
            .find(|s| s.ack.wrapping_sub(began.seq).wrapping_sub(1) < 1 << 31)
    }

    /// Whether the data behind the pause echo a later word than the first news of the burst:
    /// that news had set it free, and the sender did not go on. False without timestamps.
    pub(super) fn went_on_later(&self) -> bool {
        let slack_ns = LATER_NS.max((self.near_ns + self.far_ns) / 4);
        let Some(news) = self.news_of_burst() else {
            return false;
        };
        let heard = (self.gap.timeline.iter())
            .filter(|s| s.from != self.sender && s.packet > news.packet)
            .find(|s| s.ts_value != 0 && s.ts_value == self.resumed.ts_echo);
        heard.is_some_and(|heard| {
            heard.ts_value != news.ts_value && heard.time_ns - news.time_ns > slack_ns
        })
    }

    fn waited_rounds(&self, most: i64) -> bool {
        let mut mine = (self.gap.earlier().iter().rev())
            .filter(|s| s.from == self.sender && s.is_new_data())
            .peekable();
        let (mut began, mut ended, mut largest, mut apart_ns) = (i64::MAX, 0, 0, 0);
        while let Some(s) =
            mine.next_if(|s| began.saturating_sub(s.time_ns) < self.apart_ns() || began == i64::MAX)
        {
            match began {
                i64::MAX => ended = s.time_ns,
                _ => apart_ns = apart_ns.max(began - s.time_ns),
            }
            began = s.time_ns;
            largest = largest.max(s.len);
        }
        let (path_ns, waited_ns) = (
            self.near_ns + self.far_ns,
            self.resumed.time_ns.saturating_sub(began),
        );
        // A slow link, or a sender that paces itself, spreads what it is given:
        // then this is one more of the times between segments.
        let stands_out = self.resumed.time_ns - ended >= 2 * apart_ns;
        largest >= self.mss
            && stands_out
            && waited_ns <= most * path_ns + path_ns / 4 + SLACK_NS
            && waited_ns.saturating_mul(10) >= path_ns * 8
    }

    /// Whether the bursts before began a round trip apart, too, as far as the last three.
    pub(super) fn waits_alike(&self) -> bool {
        let mine =
            (self.gap.earlier().iter().rev()).filter(|s| s.from == self.sender && s.is_new_data());
        let most_ns = (self.near_ns + self.far_ns) * 5 / 4 + SLACK_NS;
        let mut began: Vec<i64> = Vec::new();
        let mut time = i64::MIN;
        for s in mine {
            match began.last_mut() {
                Some(first) if time - s.time_ns < self.apart_ns() => *first = s.time_ns,
                _ => began.push(s.time_ns),
            }
            time = s.time_ns;
            if began.len() > 3 {
                break;
            }
        }
        // The last one that was looked at may have begun before.
        (began.windows(2).take(2)).all(|two| two[0] - two[1] <= most_ns)
    }

    /// Segments of the burst before: what offload joined counts as its pieces.
    pub(super) fn segments_before(&self) -> u32 {
        let mine = (self.gap.earlier().iter().rev()).filter(|s| self.is_first(s));
        let (mut segments, mut time) = (0, None);
        for s in mine {
            if time.is_some_and(|time: i64| time - s.time_ns >= self.apart_ns()) {
                break;
            }
            time = Some(s.time_ns);
            segments += s.len.div_ceil(self.piece_bytes());
        }
        segments
    }

    /// The most that the receiver takes in one segment, which is what offload cuts into: not
    /// every sender keeps to the smaller of the two sizes announced.
    fn piece_bytes(&self) -> u32 {
        let connection = self.gap.connection;
        let stamps = connection.client.timestamps && connection.server.timestamps;
        let takes = (connection.end(self.sender.other()).mss).map_or(0, u32::from);
        (takes.saturating_sub(12 * u32::from(stamps)))
            .max(self.mss)
            .max(1)
    }

    /// Whether each of the last bursts had more in it than the one before: a window that grows
    /// by a little. The one behind the pause is among them, where the message does not end in it.
    pub(super) fn keeps_growing(&self) -> bool {
        let after = (!self.ends_message()).then(|| self.burst_after());
        let bursts = after.into_iter().chain(self.bursts_back()).take(4);
        bursts.is_sorted_by(|later, earlier| later > earlier)
    }

    /// Whether the burst before the pause goes back as far as the timeline, which does not begin
    /// with the sender's first data.
    pub(super) fn is_cut(&self) -> bool {
        let mut sent = Span::default();
        let mut began = self.last.time_ns;
        let mut first = self.last;
        for s in (self.gap.earlier().iter().rev()).filter(|s| self.is_first(s)) {
            if began - s.time_ns >= self.apart_ns() {
                return sent.misses_some(self.resumed);
            }
            sent.add(s);
            (began, first) = (s.time_ns, s);
        }
        first.seq > 1 || sent.misses_some(self.resumed)
    }

    /// Whether the burst behind the pause may have had more in it: some of it was lost before
    /// this place, or what is known of the connection ends before a round trip is over.
    pub(super) fn goes_on(&self) -> bool {
        let until_ns = self.resumed.time_ns + self.window_ns();
        let mut sent = Span::default();
        let mut last = self.resumed;
        for s in self.gap.later() {
            if s.time_ns >= until_ns {
                let next = if s.from == self.sender { s } else { last };
                return sent.misses_some(next);
            }
            if self.is_first(s) {
                sent.add(s);
                last = s;
            }
        }
        let heard = (self.gap.later().iter())
            .any(|s| s.from != self.sender && s.ack.wrapping_sub(last.end_seq()) < 1 << 31);
        !heard || sent.misses_some(last)
    }

    /// What one window sends is sent within this time.
    fn window_ns(&self) -> i64 {
        (self.near_ns + self.far_ns).max(self.apart_ns())
    }

    /// Whether the burst before the pause began less than a round trip before its end: a longer
    /// one is more than one window.
    pub(super) fn is_one_window(&self) -> bool {
        let mut mine = (self.gap.earlier().iter().rev())
            .filter(|s| self.is_first(s))
            .map(|s| s.time_ns);
        let Some(ended) = mine.next() else {
            return true;
        };
        let mut began = ended;
        while let Some(time) = mine.next().filter(|time| began - time < self.apart_ns()) {
            began = time;
        }
        ended - began < self.window_ns()
    }

    pub(super) fn burst_before(&self) -> u32 {
        self.bursts_back().next().unwrap_or(0)
    }

    pub(super) fn burst_after(&self) -> u32 {
        let mut time = self.resumed.time_ns;
        let data = (self.gap.later().iter()).filter(|s| self.is_first(s));
        // What comes a round trip behind its first was set free by its own acknowledgements.
        let until_ns = self.resumed.time_ns + self.window_ns();
        let mut bytes = 0_u32;
        for s in data {
            if s.time_ns - time >= self.apart_ns() || s.time_ns >= until_ns {
                break;
            }
            time = s.time_ns;
            bytes = bytes.saturating_add(s.len);
        }
        bytes
    }

    /// Whether more than the burst before the pause was under way: that burst was no window, and
    /// each acknowledgement of what was sent before it sets more free.
    pub(super) fn has_more_under_way(&self) -> bool {
        self.under_way() > self.burst_before().saturating_add(2 * self.mss)
    }

    /// Whether a time is the sender's round trip, where that may also be the
    /// receiver's timer: then no other length is believed.
    pub(super) fn is_a_round_trip(&self, ns: i64) -> bool {
        (ns - self.near_ns).abs() <= self.near_ns / 4
    }

    /// Whether the receiver said anything, since the burst before began to come,
    /// that can have set the data free. Asked away from the sender only.
    pub(super) fn was_freed(&self) -> bool {
        let mut burst = self.burst_before();
        for s in self.gap.earlier().iter().rev() {
            if s.from != self.sender {
                if s.marks.any(Marks::ADVANCES | Marks::WINDOW_UPDATE) {
                    return true;
                }
            } else if s.is_new_data() {
                burst = burst.saturating_sub(s.len);
                if burst == 0 {
                    return false;
                }
            }
        }
        true
    }

    pub(super) fn part_start_ns(&self) -> i64 {
        self.gap.exchange.part(self.sender).start_ns
    }

    /// Bursts of this message before the one that the gap ended.
    pub(super) fn rounds_before(&self) -> usize {
        let start = self.part_start_ns();
        let mut data = self
            .gap
            .earlier()
            .iter()
            .filter(|s| s.from == self.sender && s.is_new_data() && s.time_ns >= start);
        let Some(mut time) = data.next().map(|s| s.time_ns) else {
            return 0;
        };
        let mut rounds = 0;
        for s in data {
            rounds += usize::from(s.time_ns - time >= self.apart_ns());
            time = s.time_ns;
        }
        rounds
    }

    pub(super) fn grew_before(&self) -> bool {
        let mut back = self.bursts_back();
        match (back.next(), back.next()) {
            // Less than a segment is a message, not a window.
            (Some(last), Some(before)) => {
                before >= self.mss && u64::from(last) * 4 >= u64::from(before) * 5
            }
            _ => false,
        }
    }

    /// Whether the message ends within the burst after the pause.
    pub(super) fn ends_message(&self) -> bool {
        let end = self.resumed.seq.wrapping_add(self.burst_after());
        !self.gap.later().iter().any(|s| {
            s.from == self.sender
                && s.is_new_data()
                && s.seq.wrapping_sub(end) < 1 << 31
                && s.len > 0
        })
    }

    /// Whether the sender's bursts were more than twice as large in its first
    /// round trips, in exchanges before this one.
    pub(super) fn shrunk(&self, burst: u32) -> bool {
        let larger = self.gap.connection.end(self.sender).flights.iter().max();
        self.gap.exchange.index > 0
            && larger.is_some_and(|flight| u64::from(*flight) > 2 * u64::from(burst))
    }

    /// Whether the message began after an idle time with a smaller window than
    /// the connection once had.
    pub(super) fn after_idle(&self) -> bool {
        if self.gap.exchange.index == 0 {
            return false;
        }
        let start = self.part_start_ns();
        let mine = self
            .gap
            .earlier()
            .iter()
            .filter(|s| s.from == self.sender && s.len > 0);
        let before = mine.clone().rfind(|s| s.time_ns < start);
        let mut message = mine.filter(|s| s.time_ns >= start);
        let Some(first) = message.next() else {
            return false;
        };
        let idle = before.is_some_and(|b| first.time_ns - b.time_ns >= IDLE_NS);
        let mut since = self.gap.earlier().iter().filter(|s| s.time_ns >= start);
        let marked = since.any(|s| s.marks.any(Marks::AFTER_IDLE));
        let (mut burst, mut time) = (first.len, first.time_ns);
        for s in message {
            if s.time_ns - time >= self.apart_ns() {
                break;
            }
            time = s.time_ns;
            burst = burst.saturating_add(s.len);
        }
        (idle || marked) && u64::from(self.largest_before(start)) * 2 > u64::from(burst) * 3
    }

    /// Whether the message itself shows a window that began again: after an idle time
    /// longer than any timer of this path it begins with full segments, ten and one
    /// at most; each burst begins a round trip after the one before; and either the
    /// bursts grew twice as slow start's do, or the first is as large as the one that the
    /// connection began with, and that one grew.
    pub(super) fn shows_restart(&self) -> bool {
        let start = self.part_start_ns();
        let path_ns = self.near_ns + self.far_ns;
        let mine = (self.gap.timeline.iter())
            .filter(|s| s.from == self.sender && s.len > 0 && s.is_new_data());
        let Some(before) = mine.clone().rfind(|s| s.time_ns < start) else {
            return false;
        };
        // What was sent in each round: when it began, how much, and the least segment.
        let mut rounds: Vec<(i64, u32, u32)> = Vec::new();
        let mut time = i64::MIN;
        for s in mine.filter(|s| s.time_ns >= start) {
            match rounds.last_mut() {
                Some(round) if s.time_ns - time < self.apart_ns() => {
                    round.1 = round.1.saturating_add(s.len);
                    round.2 = round.2.min(s.len);
                }
                _ => rounds.push((s.time_ns, s.len, s.len)),
            }
            time = s.time_ns;
        }
        let Some((began, first, least)) = rounds.first().copied() else {
            return false;
        };
        let idle = began - before.time_ns >= IDLE_NS + path_ns;
        let initial = least >= self.mss && first <= 11 * self.mss;
        let steps = (rounds.windows(2))
            .take_while(|pair| {
                let ((a, small, _), (b, large, _)) = (pair[0], pair[1]);
                let waited_ns = b - a;
                let (small, large) = (u64::from(small), u64::from(large));
                waited_ns * 10 >= path_ns * 8
                    && waited_ns <= path_ns + path_ns / 4 + SLACK_NS
                    && large * 4 >= small * 5
                    && large <= small * 3 + 2 * u64::from(self.mss)
            })
            .count();
        let flights = &self.gap.connection.end(self.sender).flights;
        let as_at_first = first.abs_diff(flights[0]) <= self.mss
            && u64::from(flights[1]) * 4 >= u64::from(flights[0]) * 5;
        idle && initial && (steps >= 2 || (steps == 1 && as_at_first))
    }

    /// The largest burst of the messages before this one, as far back as the
    /// timeline reaches: what came later says nothing of the window then.
    pub(super) fn largest_before(&self, start_ns: i64) -> u32 {
        let mine = (self.gap.earlier().iter())
            .filter(|s| s.from == self.sender && s.is_new_data() && s.time_ns < start_ns);
        let (mut largest, mut burst, mut time) = (0, 0_u32, i64::MIN);
        for s in mine {
            burst = match s.time_ns.saturating_sub(time) < self.apart_ns() {
                true => burst.saturating_add(s.len),
                false => s.len,
            };
            time = s.time_ns;
            largest = largest.max(burst);
        }
        largest
    }

    /// Most bytes that the sender had under way at a time, or sent in a burst.
    pub(super) fn largest_burst(&self) -> u32 {
        largest_burst(self.gap.connection.end(self.sender))
    }
}

/// What a burst has of the sequence numbers that it spans.
#[derive(Default)]
struct Span {
    /// From the first number to the one behind the last.
    range: Option<(u32, u32)>,
    bytes: u32,
}

impl Span {
    fn add(&mut self, s: &Segment) {
        let before = |a: u32, b: u32| (b.wrapping_sub(a) as i32) > 0;
        let end = s.seq.wrapping_add(s.len);
        let (mut from, mut to) = self.range.unwrap_or((s.seq, end));
        if before(s.seq, from) {
            from = s.seq;
        }
        if before(to, end) {
            to = end;
        }
        self.range = Some((from, to));
        self.bytes = self.bytes.saturating_add(s.len);
    }

    /// Whether some of it is not there, as far as `next`, if that is later data of the same end.
    fn misses_some(&self, next: &Segment) -> bool {
        let Some((from, to)) = self.range else {
            return false;
        };
        let ahead = next.seq.wrapping_sub(to) as i32;
        self.bytes < to.wrapping_sub(from) || (next.is_new_data() && ahead > 0)
    }
}

/// Near the sender flights show the window, near the receiver bursts do.
fn largest_burst(end: &End) -> u32 {
    let flights = end.flights.iter().max().copied().unwrap_or(0);
    flights.max(end.burst_max_bytes)
}

/// What ends take, beside the path, in a round trip that a window made them wait.
const SLACK_NS: i64 = 1_000_000;

/// A sender that its window stopped goes on this soon, beside what the path may vary by.
const LATER_NS: i64 = 2_000_000;

/// Data closer together than this is one burst, on any path.
const BURST_NS: i64 = 500_000;

/// Shortest idle time after which a window starts again (the least
/// retransmission timeout).
const IDLE_NS: i64 = 200_000_000;

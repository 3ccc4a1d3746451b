//! Why a sender that had more to send stood still: the judgement that the
//! rules on acknowledgements, windows and Nagle's algorithm share.
//!
//! A transfer's gap ends either with an acknowledgement that set the sender
//! free (seen near the sender) or with the data that one set free (seen near
//! the receiver, a round trip of the sender's side later). Both are brought to
//! one form here, and exactly one [`Reason`] comes out, so that no two rules
//! claim the same pause. Losses are not judged here; they show in marks.
//!
//! Reference: Zhang et al., "On the characteristics and origins of Internet
//! flow rates" (T-RAT, SIGCOMM 2002), and Siekkinen et al., "A root cause
//! analysis toolkit for TCP" (2008), whose critique it heeds: time that the
//! application did not use is told apart first. Minshall, Saito, Mogul and
//! Verghese, "Application performance pitfalls and TCP's Nagle algorithm" (1999).

use super::fast_retransmit::was_overtaken;
use super::known::{LEAST_MSS, as_known, knows_mss, knows_path, segment_bytes};
use super::quiet::Quiet;
use super::stopped::Force;
use super::{Claim, Confidence, Evidence, Gap};
use crate::{End, Flags, Marks, Phase, Protocol, Segment, Side};

/// Why a sender stood still, where its window was not closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// Nagle's algorithm held a short segment until a delayed acknowledgement.
    NagleDelayed,
    /// Nagle's algorithm held a short segment for a round trip.
    Nagle,
    /// A delayed acknowledgement held a sender whose window was used up.
    AckDelayed,
    /// The receiver's window was full.
    WindowFull,
    /// The congestion window was still growing.
    SlowStart,
    /// The congestion window grew again after an idle time.
    IdleRestart,
    /// The congestion window was small after a loss.
    CongestionWindow,
    /// The sender kept to a constant amount below the receiver's window.
    SenderLimited,
    /// The application gave nothing to send.
    Application,
}

impl Reason {
    /// Whether an acknowledgement was all that was missing.
    fn is_for_an_acknowledgement(self) -> bool {
        matches!(
            self,
            Reason::NagleDelayed | Reason::Nagle | Reason::AckDelayed
        )
    }
}

/// A sender's pause.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pause {
    /// Who stood still.
    pub sender: Side,
    /// Why.
    pub reason: Reason,
    /// How sure.
    pub confidence: Confidence,
    /// What it cost.
    pub cost_ns: i64,
    /// Bytes sent and waiting for an acknowledgement.
    pub flight: u32,
    /// The receiver's window.
    pub window: u32,
    /// Bytes of the burst before and the burst after.
    pub bursts: (u32, u32),
    /// Segments of the burst before.
    pub segments: u32,
    /// The burst before may have begun earlier than what is known of the connection, or lost some.
    pub cut: bool,
    /// The burst after may have had more in it.
    pub goes_on: bool,
    /// Bytes of the segment that the pause held back.
    pub held: u32,
    /// How late the acknowledgement was, the path's own time taken off.
    pub ack_delay_ns: i64,
    /// The packet that was waited with, the acknowledgement, the data set free.
    pub packets: [u64; 3],
}

impl Pause {
    /// The pause that this gap is, if it is one in the middle of a transfer.
    pub fn of(gap: &Gap<'_>) -> Option<Pause> {
        Pause::examine(gap).ok()
    }

    /// The same, or what forbids a verdict; none where there is no pause.
    pub fn examine(gap: &Gap<'_>) -> Result<Pause, Option<Quiet>> {
        if gap.connection.protocol == Protocol::Sna {
            // No TCP: neither windows nor acknowledgements to judge by.
            return Err(None);
        }
        let sender = match gap.phase {
            Phase::Tls => writer(gap),
            phase => gap.exchange.sender(phase),
        };
        let sender = sender.ok_or(None)?;
        let after = gap.after();
        if after.marks.any(Marks::RESENT | Marks::OUT_OF_ORDER)
            || after.flags.any(Flags::SYN | Flags::RST)
        {
            return Err(None);
        }
        let view = View::of(gap, sender).ok_or(None)?;
        let mut pause = view.judge()?;
        if view.paused_less() {
            pause.confidence = Confidence::Low;
        }
        // A handshake is too short for windows, and its turns have a rule.
        match gap.phase != Phase::Tls || pause.reason.is_for_an_acknowledgement() {
            true => Ok(pause),
            false => Err(None),
        }
    }

    /// The claim on the gap if the reason is this one.
    pub fn claim(gap: &Gap<'_>, reason: Reason) -> Option<Claim> {
        let pause = Pause::of(gap).filter(|p| p.reason == reason)?;
        let mut evidence = Evidence::default();
        let mut packets = pause.packets;
        packets.sort_unstable();
        for (n, packet) in packets.iter().enumerate() {
            if n == 0 || packets[n - 1] != *packet {
                evidence.push(*packet);
            }
        }
        // Both ends write in a handshake, so that what is taken back later could not be
        // told apart.
        let settled = gap.phase == Phase::Tls;
        let pending = pause.reason.is_for_an_acknowledgement() && !settled;
        Some(Claim {
            cost_ns: pause.cost_ns,
            confidence: match settled {
                true => pause.confidence.min(Confidence::Medium),
                false => pause.confidence,
            },
            evidence,
            stays: pause.reason == Reason::Application,
            pending: pending.then_some(pause.sender),
        })
    }
}

/// Who wrote before the gap and goes on behind it, the other end having written
/// nothing between.
fn writer(gap: &Gap<'_>) -> Option<Side> {
    let before = gap.earlier().iter().rev().find(|s| s.len > 0)?;
    let after = gap.later().iter().find(|s| s.len > 0)?;
    (before.from == after.from).then_some(after.from)
}

/// The facts around a pause.
pub(super) struct View<'a> {
    pub(super) gap: &'a Gap<'a>,
    pub(super) sender: Side,
    /// The last data before, and the first new data after.
    pub(super) last: &'a Segment,
    pub(super) resumed: &'a Segment,
    /// The acknowledgement that may have set the sender free.
    ack: Option<&'a Segment>,
    pub(super) mss: u32,
    /// Round trip between the place of capture and the sender, and the receiver.
    pub(super) near_ns: i64,
    pub(super) far_ns: i64,
    /// The round trip to the sender is no delayed acknowledgement's.
    pub(super) near_is_known: bool,
}

impl<'a> View<'a> {
    fn of(gap: &'a Gap<'a>, sender: Side) -> Option<View<'a>> {
        let after = gap.after();
        let last = gap.last_data(sender)?;
        let resumed = gap
            .later()
            .iter()
            .find(|s| s.from == sender && s.is_new_data())?;
        let ack =
            match after.from == sender {
                true => gap.earlier().iter().rev().find(|s| {
                    s.from != sender && s.flags.has(Flags::ACK) && !s.flags.has(Flags::RST)
                }),
                false => Some(after),
            };
        let best = |side: Side| gap.connection.end(side).rtt.best_ns().unwrap_or(0);
        Some(View {
            gap,
            sender,
            last,
            resumed,
            ack,
            mss: segment_bytes(gap, sender),
            near_ns: best(sender),
            near_is_known: knows_path(gap.connection) || best(sender) < DELAYED_NS,
            far_ns: best(sender.other()),
        })
    }

    fn judge(&self) -> Result<Pause, Option<Quiet>> {
        let (gap, length) = (self.gap, self.gap.length_ns());
        let receiver = self.sender.other();
        let by_ack = gap.after().from == receiver;
        if closed_by(gap).is_some() {
            // The receiver's own word.
            return Err(None);
        }
        if gap.has_unseen(self.resumed.packet) {
            return Err(Some(Quiet::Unseen));
        }
        if by_ack {
            let advances = gap
                .after()
                .marks
                .any(Marks::ADVANCES | Marks::WINDOW_UPDATE);
            let turn = self.resumed.time_ns - gap.after().time_ns;
            // Data that follows much later was not set free by this packet.
            let at_once = match self.near_is_known {
                true => turn <= self.near_ns * 3 / 2 + TURN_NS,
                false => turn <= TURN_NS || self.is_a_round_trip(turn),
            };
            if !advances {
                return Err(None);
            }
            if !at_once {
                // It could have sent then: it had nothing to send before either.
                return Ok(self.pause(Reason::Application, Confidence::Low, length));
            }
        } else if gap.after().packet != self.resumed.packet {
            return Err(None);
        } else if let Some(own_ns) = self.own_ns(length) {
            let ack = self.ack.filter(|ack| self.resumed.was_sent_before(ack));
            return match ack {
                // It left its sender before that word came: the path was long, not the pause.
                Some(_) => Err(Some(Quiet::NoRound)),
                None => Ok(self.pause(Reason::Application, self.own_time(own_ns), own_ns)),
            };
        }
        let (reason, confidence) = self.reason()?;
        Ok(self.pause(reason, confidence, length))
    }

    /// How much of a pause away from the sender was its application's own; none where the data
    /// may have been set free by a word of the receiver's.
    fn own_ns(&self, length: i64) -> Option<i64> {
        if !self.near_is_known && !self.is_a_round_trip(length) {
            return Some(length);
        }
        if self.near_ns * 5 < length * 3 {
            // Longer than a round trip: nothing on the network held it back.
            return Some(length - self.near_ns);
        }
        (!self.was_freed()).then_some(length)
    }

    fn reason(&self) -> Result<(Reason, Confidence), Option<Quiet>> {
        let flight = self.flight();
        let window = self.window();
        let end = self.gap.connection.end(self.sender);
        let delay_ns = self.ack_delay_ns();
        let delayed = delay_ns >= DELAYED_NS && self.may_have_waited();
        // No timer waits longer (RFC 1122 4.2.3.2), and one that ran out sends
        // an acknowledgement by itself.
        let by_timer = delay_ns <= LONGEST_DELAY_NS && self.ack.is_some_and(Segment::is_pure_ack);
        // With more behind it, the receiver would not have waited.
        let all = self.ack.is_some_and(|ack| ack.ack == self.last.end_seq());
        let short = self.resumed.len < self.mss
            && !self.resumed.marks.any(Marks::OFFLOADED)
            && !self.is_full_there();
        let fits = flight.saturating_add(self.resumed.len) <= window;
        // A sender that once had more in flight than it has here with the short
        // segment added was not stopped by its congestion window, unless a loss
        // has made that smaller since.
        let reach = flight.saturating_add(self.resumed.len);
        let lost = self.lost_before();
        let had_more = !lost
            && (end.flight_max_bytes > reach || self.bursts_back().any(|burst| burst > reach));
        if short && fits && flight > 0 && (flight < self.mss || had_more) {
            let path_ns = self.near_ns + self.far_ns;
            let waited = (self.resumed.time_ns - self.last.time_ns) * 10 >= path_ns * 8;
            if self.after_loss() {
                return Err(Some(Quiet::AfterLoss));
            }
            if !by_timer || !waited || !all {
                return Err(Some(Quiet::NotByTimer));
            }
            if self
                .ack
                .is_some_and(|ack| self.resumed.was_sent_before(ack))
            {
                return Err(Some(Quiet::NotByTimer));
            }
            let reason = match delayed {
                true => Reason::NagleDelayed,
                false => Reason::Nagle,
            };
            let held = end.pacing.held_short().ok_or(Some(Quiet::OwnClock))?;
            return Ok((reason, as_known(self.gap.connection, held)));
        }
        let in_force = self.in_force();
        let full = match in_force {
            Some(Force { flight, window }) => {
                flight.saturating_add(self.resumed.len.min(self.mss)) > window
            }
            // Were the path half as long again, the sender would still have known of room.
            None if self.has_room_there(self.near_ns * 3 / 2) => false,
            None => {
                window < flight.saturating_add(self.mss) || self.last.marks.any(Marks::WINDOW_FULL)
            }
        };
        let Force { flight, window } = in_force.unwrap_or(Force { flight, window });
        if full {
            let kept = flight <= window.saturating_add(self.mss);
            if !self.stands_out() {
                return Err(Some(Quiet::NoRound));
            }
            // What it had heard by then left room, unless that took longer than the path does.
            let roomy = in_force.is_none() && self.has_room_there(self.near_ns);
            return match kept && self.knows_window() {
                true if roomy => Ok((Reason::WindowFull, Confidence::Medium)),
                true => Ok((Reason::WindowFull, self.filled_again(window))),
                false => Err(Some(Quiet::Midway)),
            };
        }
        if delayed && had_more {
            // Its window had room: the application wrote in that moment.
            return Ok((Reason::Application, Confidence::Low));
        }
        if delayed {
            if self.after_loss() {
                return Err(Some(Quiet::AfterLoss));
            }
            if !knows_mss(self.gap.connection) {
                // Whether the segment was short is not known either.
                return Err(Some(Quiet::Midway));
            }
            let freed = self
                .ack
                .is_some_and(|ack| !self.resumed.was_sent_before(ack));
            // Sooner than the path to the sender and back, the data were on their way already.
            let soon = self
                .ack
                .is_some_and(|ack| (self.resumed.time_ns - ack.time_ns) * 20 < self.near_ns * 17);
            if !by_timer || !all || flight == 0 || !freed || soon {
                return Err(Some(Quiet::NotByTimer));
            }
            let held = end.pacing.held().ok_or(Some(Quiet::OwnClock))?;
            return Ok((Reason::AckDelayed, as_known(self.gap.connection, held)));
        }
        if !knows_path(self.gap.connection) {
            return Err(Some(Quiet::Midway));
        }
        if !self.waited_a_round() || !self.stands_out() || !self.has_heard_of_burst() {
            return Err(Some(Quiet::NoRound));
        }
        if self.went_on_later() {
            return Err(Some(Quiet::OwnClock));
        }
        self.congestion(lost, short).ok_or(Some(Quiet::NoPattern))
    }

    /// Whether the sender sends data behind each other in pieces of just this size:
    /// full segments of a path that carries no more.
    fn is_full_there(&self) -> bool {
        let mut before: Option<&Segment> = None;
        let mine = (self.gap.earlier().iter()).filter(|s| s.from == self.sender && s.len > 0);
        self.resumed.len >= LEAST_MSS
            && mine.into_iter().any(|s| {
                let last = before.replace(s);
                last.is_some_and(|last| {
                    let close = s.time_ns - last.time_ns < self.apart_ns();
                    close && s.len == self.resumed.len && last.len == s.len
                })
            })
    }

    /// Whether a loss was being repaired: what is acknowledged then sets free
    /// whatever was written meanwhile.
    fn after_loss(&self) -> bool {
        let since = self.gap.at.saturating_sub(REPAIR_BACK);
        let around = self.gap.timeline[since..].iter();
        (around.take_while(|s| s.packet <= self.resumed.packet)).any(|s| {
            match s.from == self.sender {
                true => s.marks.any(Marks::REPEATED),
                false => s.marks.any(Marks::DUPLICATE_ACK | Marks::SACK),
            }
        })
    }

    /// Whether the unit of the receiver's window is known (both SYNs told it, or
    /// one that scaling is off), and the sender has kept to it.
    fn knows_window(&self) -> bool {
        let connection = self.gap.connection;
        let shake = &connection.handshake;
        let told = [
            (shake.syns, &connection.client),
            (shake.syn_acks, &connection.server),
        ];
        let said = |(seen, end): &(u32, &End)| *seen > 0 && end.mss.is_some();
        let off = told
            .iter()
            .any(|one| said(one) && one.1.window_scale.is_none());
        let known = off || told.iter().all(said);
        let end = connection.end(self.sender);
        let largest = connection.end(self.sender.other()).window_max_bytes;
        known && end.flight_max_bytes <= largest.saturating_add(self.mss)
    }

    fn congestion(&self, lost: bool, short: bool) -> Option<(Reason, Confidence)> {
        let (before, after) = (self.burst_before(), self.burst_after());
        let grows = u64::from(after) * 4 >= u64::from(before) * 5;
        if lost {
            // One that is long past has no part in this window, and what was overtaken was none.
            let lately = (self.gap.earlier().iter())
                .any(|s| s.from == self.sender && is_repair(s) && !was_overtaken(self.gap, s));
            let confidence = match lately && !self.has_more_under_way() {
                true => Confidence::Medium,
                false => Confidence::Low,
            };
            return Some((Reason::CongestionWindow, confidence));
        }
        let idle = self.after_idle();
        if !idle && self.shrunk(before) {
            return Some((Reason::CongestionWindow, Confidence::Low));
        }
        let first_round = self.rounds_before() == 0;
        let ends = self.ends_message();
        let larger = |burst: u32| u64::from(burst) * 4 > u64::from(before) * 5;
        if !idle && self.bursts_back().skip(1).any(larger) {
            // Its window had been larger, and nothing was lost since.
            return None;
        }
        if !grows && !idle && (!ends || !(first_round || self.grew_before())) {
            return self.limits_itself();
        }
        // One step may be an application's; a window that grew twice, each time at
        // most to the double, is what slow start does.
        let bounded = after <= before.saturating_mul(3).saturating_add(2 * self.mss);
        let ends_first = ends && first_round;
        let confidence = match (grows, self.grew_before() && bounded) {
            (true, true) if self.sees_release() => Confidence::High,
            (true, _) => Confidence::Medium,
            (false, _) if ends_first => Confidence::Medium,
            (false, _) => Confidence::Low,
        };
        // A short segment at the end is what Nagle's algorithm holds back as well. One before
        // the pause was all that the sender had; and no window begins with one segment.
        let all = self.last.len < self.mss && !self.last.marks.any(Marks::OFFLOADED);
        let single = before < 2 * self.mss;
        // Nor can growth be told where more than one window came without a pause between.
        let several = !self.is_one_window();
        let confidence = match all || single || several || (short && after == self.resumed.len) {
            true => Confidence::Low,
            false => confidence,
        };
        Some(match idle {
            true if before >= self.largest_before(self.part_start_ns()) => return None,
            // An application's own pause is as long now and then, and its messages
            // are smaller now and then.
            true if grows && self.shows_restart() => (Reason::IdleRestart, Confidence::Medium),
            true => (Reason::IdleRestart, Confidence::Low),
            false => (Reason::SlowStart, confidence),
        })
    }

    /// Whether the packets show which word set the sender free: beside the sender the data
    /// follow it at once, and elsewhere they echo it.
    fn sees_release(&self) -> bool {
        let beside = self.near_is_known && self.near_ns <= BESIDE_NS;
        let stamped = self.resumed.ts_echo != 0;
        beside || (stamped && self.has_heard_of_burst())
    }

    /// How sure it is that the receiver's window is what stops this sender: once
    /// may be chance.
    fn filled_again(&self, window: u32) -> Confidence {
        let end = self.gap.connection.end(self.sender);
        let fills = |burst: &u32| {
            burst.saturating_add(self.mss) > window && *burst <= window.saturating_add(self.mss)
        };
        let times =
            (self.bursts_back().filter(fills).count() as u64).max(end.marks.of(Marks::WINDOW_FULL));
        match times >= FILLED {
            true => Confidence::High,
            false => Confidence::Medium,
        }
    }

    /// How sure it is that a pause was the application's: the path and the place of
    /// capture spread packets by a few milliseconds too, and a slow link spreads full
    /// segments within a round trip.
    fn own_time(&self, ns: i64) -> Confidence {
        let full = |s: &Segment| s.len >= self.mss || s.marks.any(Marks::OFFLOADED);
        let train = full(self.last) && full(self.resumed) && ns <= self.near_ns + self.far_ns;
        // Without the handshake the path may be as long as this.
        let path = !knows_path(self.gap.connection) && ns < LONGEST_PATH_NS;
        // While a loss is repaired, the sender waits for that.
        match ns >= OWN_NS && !train && !path && !self.after_loss() {
            true => Confidence::Medium,
            false => Confidence::Low,
        }
    }

    /// Whether the pause is no jitter within a train: a quarter of a round trip away
    /// from the sender, and twice as long as what was between the segments before.
    pub(super) fn stands_out(&self) -> bool {
        let paused_ns = self.resumed.time_ns - self.last.time_ns;
        let mut mine = (self.gap.earlier().iter().rev())
            .filter(|s| s.from == self.sender && s.is_new_data())
            .take(TRAIN)
            .peekable();
        let mut apart_ns = 0;
        while let Some(s) = mine.next() {
            if let Some(before) = mine.peek() {
                let ns = s.time_ns - before.time_ns;
                apart_ns = apart_ns.max(if ns < self.apart_ns() { ns } else { 0 });
            }
        }
        paused_ns * 4 >= self.near_ns + self.far_ns && paused_ns >= 2 * apart_ns
    }

    /// Whether the sender's own clock of timestamps, and a tick more, went on by less than
    /// half of the pause: the rest was the path's.
    fn paused_less(&self) -> bool {
        let (last, resumed) = (self.last, self.resumed);
        if last.ts_value == 0 || resumed.ts_value == 0 {
            return false;
        }
        let ticks = resumed.ts_value.wrapping_sub(last.ts_value) as i32;
        let paused_ns = resumed.time_ns - last.time_ns;
        (self.gap.clock_tick_ns(self.sender))
            .is_some_and(|tick_ns| (i64::from(ticks) + 1).saturating_mul(tick_ns) < paused_ns / 2)
    }

    /// Bursts of one size, again and again, while the receiver's window always
    /// had room for more.
    fn limits_itself(&self) -> Option<(Reason, Confidence)> {
        let end = self.gap.connection.end(self.sender);
        let room = self.largest_burst().saturating_add(2 * self.mss) <= self.window();
        // A sender that believed in a loss has a window made small by that.
        if !room || end.marks.of(Marks::WINDOW_FULL | Marks::RESENT) > 0 {
            return None;
        }
        let burst = u64::from(self.burst_before());
        let same = |other: &u32| (3 * burst..=5 * burst).contains(&(4 * u64::from(*other)));
        let confidence = match self.bursts_back().take(BURSTS).filter(same).count() {
            // A little more each time is a congestion window that grows.
            BURSTS.. if self.keeps_growing() => Confidence::Low,
            BURSTS.. if self.waited_no_more() && self.waits_alike() => Confidence::Medium,
            BURSTS.. => Confidence::Low,
            2 => Confidence::Low,
            _ => return None,
        };
        Some((Reason::SenderLimited, confidence))
    }

    fn pause(&self, reason: Reason, confidence: Confidence, cost_ns: i64) -> Pause {
        let stopped = match reason {
            Reason::WindowFull => self.in_force(),
            _ => None,
        };
        let stopped = stopped.unwrap_or(Force {
            flight: self.flight(),
            window: self.window(),
        });
        Pause {
            sender: self.sender,
            reason,
            confidence,
            cost_ns,
            flight: stopped.flight,
            window: stopped.window,
            bursts: (self.burst_before(), self.burst_after()),
            segments: self.segments_before(),
            cut: self.is_cut(),
            goes_on: self.goes_on(),
            held: self.resumed.len,
            ack_delay_ns: self.ack_delay_ns(),
            packets: [
                self.last.packet,
                self.ack.unwrap_or(self.gap.after()).packet,
                self.resumed.packet,
            ],
        }
    }

    /// Bytes that waited for an acknowledgement. Near the receiver they are
    /// acknowledged already when the gap begins: then the burst counts.
    pub(super) fn flight(&self) -> u32 {
        match self.gap.after().from == self.sender {
            true => self
                .gap
                .flight(self.sender)
                .max(self.burst_before().min(self.since_ack())),
            false => self.gap.flight(self.sender),
        }
    }

    /// Bytes under way when the sender stopped, as far as the place of capture shows.
    pub(super) fn under_way(&self) -> u32 {
        self.in_force()
            .map_or_else(|| self.flight(), |force| force.flight)
    }

    /// Bytes sent since the acknowledgement before the one that set free.
    fn since_ack(&self) -> u32 {
        let Some(ack) = self.ack else {
            return 0;
        };
        let earlier = self.gap.earlier().iter().rev();
        let before = earlier
            .filter(|s| s.from != self.sender && s.packet < ack.packet && s.flags.has(Flags::ACK))
            .map(|s| s.ack)
            .find(|seq| *seq != ack.ack);
        // Acknowledgements that follow each other closely belong to one burst.
        let burst = self.burst_before();
        before.map_or(burst, |seq| {
            self.last.end_seq().wrapping_sub(seq).max(burst)
        })
    }

    /// Whether the receiver may have let its timer run: one that has two segments to acknowledge
    /// with more than a full one in them does so at once, and what took long then is a slow link.
    fn may_have_waited(&self) -> bool {
        let held = self.held_back();
        let Some(ack) = self.ack else {
            return held < 2 * self.mss;
        };
        let taken = (self.gap.earlier().iter().rev())
            .filter(|s| s.from == self.sender && s.len > 0 && s.packet < ack.packet)
            .take_while(|s| ack.ack.wrapping_sub(s.seq).wrapping_sub(1) < held)
            .count();
        held < 2 * self.mss && (taken < 2 || held <= self.mss)
    }

    /// Bytes the receiver had not acknowledged when it let the sender wait.
    fn held_back(&self) -> u32 {
        let Some(ack) = self.ack else {
            return 0;
        };
        let earlier = self.gap.earlier().iter().rev();
        let before = earlier
            .filter(|s| s.from != self.sender && s.packet < ack.packet && s.flags.has(Flags::ACK))
            .map(|s| s.ack)
            .find(|seq| *seq != ack.ack);
        // A word on the window alone came behind the acknowledgement that counts.
        before.map_or(0, |seq| ack.ack.wrapping_sub(seq))
    }

    pub(super) fn window(&self) -> u32 {
        let before = self.gap.window(self.sender.other()).unwrap_or(u32::MAX);
        // Near the receiver the last word may already be the update.
        match (self.gap.after().from == self.sender, self.ack) {
            (true, Some(ack)) => ack.window,
            _ => before,
        }
    }

    /// From the last data that the acknowledgement covers to the
    /// acknowledgement, less what the path takes.
    fn ack_delay_ns(&self) -> i64 {
        let Some(ack) = self.ack else {
            return 0;
        };
        let covered = self.gap.timeline[..=self.gap.at].iter().rev().find(|s| {
            s.from == self.sender
                && s.len > 0
                && s.packet < ack.packet
                && ack.ack.wrapping_sub(s.end_seq()) < 1 << 31
        });
        covered.map_or(0, |s| ack.time_ns - s.time_ns - self.far_ns)
    }
}

/// Whether data was sent again that the receiver did not say it had.
pub(super) fn is_repair(s: &Segment) -> bool {
    s.len > 0 && s.marks.any(Marks::RESENT) && !s.marks.any(Marks::PROVEN_SPURIOUS)
}

/// The end whose window was closed during the gap.
pub(super) fn closed_by(gap: &Gap<'_>) -> Option<Side> {
    // Without ACK it is no segment of a conversation: a program made it up.
    let says = |s: &&Segment| {
        s.flags.has(Flags::ACK) && !s.flags.any(Flags::RST | Flags::SYN | Flags::FIN)
    };
    [Side::Client, Side::Server].into_iter().find(|receiver| {
        let mut words = gap.earlier().iter().rev().filter(|s| s.from == *receiver);
        let closed = |s: Option<&Segment>| s.filter(says).is_some_and(|s| s.window == 0);
        let latest = words.next();
        // Near the receiver the update passes first, then a round trip.
        let opened_just_now = gap.after().from != *receiver
            && gap.before().from == *receiver
            && latest.is_some_and(|s| s.marks.any(Marks::WINDOW_UPDATE | Marks::ADVANCES));
        closed(latest) || (opened_just_now && closed(words.next()))
    })
}

/// What an end takes to send what an acknowledgement set free, at most, beside
/// the path. An application that happens to write then takes any time.
pub(super) const TURN_NS: i64 = 500_000;

/// An end no farther than this is at the place of capture.
const BESIDE_NS: i64 = 2_000_000;

/// An acknowledgement later than this was delayed on purpose: the shortest
/// timers in use are 40 ms, less what the path's figure may be wrong by.
const DELAYED_NS: i64 = 20_000_000;

/// The longest that an acknowledgement may be delayed, and a tick.
const LONGEST_DELAY_NS: i64 = 550_000_000;

/// No path's round trip is longer, but for a few.
const LONGEST_PATH_NS: i64 = 1_000_000_000;

/// A path's jitter and a busy machine's are shorter.
const OWN_NS: i64 = 10_000_000;

/// Bursts of one size that show a limit.
const BURSTS: usize = 3;

/// Segments of a train among which a pause must stand out.
const TRAIN: usize = 6;

/// Bursts that filled the window, for high confidence.
const FILLED: u64 = 3;

/// Segments before a pause among which the repair of a loss is looked for.
const REPAIR_BACK: usize = 6;

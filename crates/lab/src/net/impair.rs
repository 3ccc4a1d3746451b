//! The impairments of a path: delay, rate, loss, reordering. Pure: input is a
//! frame's time and size, output is its fate. The same seed gives the same fates.

use base::SeededRandom;

/// The impairments of TCP segments in one direction. Other frames are only delayed,
/// so that address resolution always works.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Impairment {
    /// Time on the way, in microseconds.
    pub delay_us: u64,
    /// Bits/s of the slowest link. `None` for no limit.
    pub rate_bits: Option<u64>,
    /// Share of segments that are lost.
    pub loss: f64,
    /// Segments that are lost for certain, counted from 0.
    pub lose: Vec<u64>,
    /// Fraction of segments that are delayed after later ones.
    pub reorder: f64,
    /// The delay of such segments, in microseconds.
    pub reorder_us: u64,
    /// The additional delay of segments that only acknowledge, in microseconds.
    pub hold_acks_us: u64,
}

/// One direction at work.
#[derive(Debug)]
pub struct ImpairedDirection {
    plan: Impairment,
    rng: SeededRandom,
    segments: u64,
    free_ns: u64,
}

/// The fate of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameFate {
    /// It arrives at this time.
    Arrives {
        /// When, on the clock of the call.
        at_ns: u64,
        /// Whether it was delayed after later ones.
        late: bool,
    },
    /// It is lost.
    Lost,
}

impl ImpairedDirection {
    /// A direction whose chances depend on `seed` and its number.
    pub fn new(plan: Impairment, seed: u64, number: u64) -> ImpairedDirection {
        ImpairedDirection {
            plan,
            rng: SeededRandom::stream(seed, number),
            segments: 0,
            free_ns: 0,
        }
    }

    /// The fate of a frame received at `now_ns`.
    pub fn handle_frame(&mut self, now_ns: u64, frame: &[u8]) -> FrameFate {
        let sent_ns = match self.plan.rate_bits {
            Some(rate) => {
                // A wire also carries preamble, check sequence and a gap.
                let bits = (frame.len() as u64 + 24) * 8;
                let time = bits.saturating_mul(1_000_000_000) / rate.max(1);
                self.free_ns = self.free_ns.max(now_ns).saturating_add(time);
                self.free_ns
            }
            None => now_ns,
        };
        let at_ns = sent_ns.saturating_add(self.plan.delay_us.saturating_mul(1000));
        if !is_tcp(frame) {
            return FrameFate::Arrives { at_ns, late: false };
        }
        // Both are drawn for every segment, so that one probability does
        // not shift the random sequence of the other.
        let (lost, late) = (self.chance(self.plan.loss), self.chance(self.plan.reorder));
        let number = self.segments;
        self.segments += 1;
        if lost || self.plan.lose.contains(&number) {
            return FrameFate::Lost;
        }
        let mut more = if late { self.plan.reorder_us } else { 0 };
        if self.plan.hold_acks_us > 0 && only_acknowledges(frame) {
            more += self.plan.hold_acks_us;
        }
        FrameFate::Arrives {
            at_ns: at_ns.saturating_add(more.saturating_mul(1000)),
            late,
        }
    }

    fn chance(&mut self, share: f64) -> bool {
        self.rng.unit() <= share
    }
}

impl Impairment {
    /// Nothing but delay.
    pub fn delay(delay_us: u64) -> Impairment {
        Impairment {
            delay_us,
            ..Impairment::default()
        }
    }

    /// Splits the impairment into two consecutive ones: each has half of the
    /// delay, the second has everything else.
    pub fn halves(&self) -> [Impairment; 2] {
        let first = Impairment::delay(self.delay_us / 2);
        let second = Impairment {
            delay_us: self.delay_us - first.delay_us,
            ..self.clone()
        };
        [first, second]
    }
}

/// Whether an Ethernet frame carries TCP over IPv4.
fn is_tcp(frame: &[u8]) -> bool {
    frame.get(12..14) == Some(&[8, 0]) && frame.get(23) == Some(&6)
}

/// Whether a frame is a segment without data that neither begins nor ends a
/// connection.
fn only_acknowledges(frame: &[u8]) -> bool {
    let byte = |at: usize| frame.get(at).copied().unwrap_or(0);
    let packet = usize::from(byte(16)) << 8 | usize::from(byte(17));
    let header = usize::from(byte(14) & 0x0F) * 4;
    let offset = usize::from(byte(14 + header + 12) >> 4) * 4;
    let flags = byte(14 + header + 13);
    // FIN, SYN and RST are the lowest bits.
    packet == header + offset && flags & 0x07 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(bytes: usize) -> Vec<u8> {
        let mut frame = vec![0; bytes.max(24)];
        frame[12] = 8;
        frame[23] = 6;
        frame
    }

    fn fates(plan: &Impairment, seed: u64, step_ns: u64) -> Vec<FrameFate> {
        let mut direction = ImpairedDirection::new(plan.clone(), seed, 0);
        (0..200)
            .map(|i| direction.handle_frame(i * step_ns, &segment(1000)))
            .collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_fates_at_any_pace() {
        let plan = Impairment {
            loss: 0.1,
            reorder: 0.1,
            reorder_us: 5,
            ..Impairment::delay(10)
        };
        let kinds = |seed, step| {
            fates(&plan, seed, step)
                .iter()
                .map(|f| match f {
                    FrameFate::Lost => 0,
                    FrameFate::Arrives { late: true, .. } => 1,
                    FrameFate::Arrives { .. } => 2,
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(kinds(7, 1), kinds(7, 1_000_000));
        assert_ne!(kinds(7, 1), kinds(8, 1));
        let lost = kinds(7, 1).iter().filter(|k| **k == 0).count();
        assert!((5..40).contains(&lost), "{lost}");
    }

    #[test]
    fn segments_that_only_acknowledge_are_held_back() {
        let plan = Impairment {
            hold_acks_us: 200_000,
            ..Impairment::default()
        };
        let frame = |payload: u8, flags: u8| {
            let mut frame = segment(54 + usize::from(payload));
            frame[14] = 0x45;
            frame[17] = 40 + payload;
            frame[46] = 0x50;
            frame[47] = flags;
            frame
        };
        let mut direction = ImpairedDirection::new(plan, 1, 0);
        let mut at = |frame: Vec<u8>| match direction.handle_frame(0, &frame) {
            FrameFate::Arrives { at_ns, .. } => at_ns,
            FrameFate::Lost => panic!("nothing is lost here"),
        };
        assert_eq!(at(frame(0, 0x10)), 200_000_000);
        assert_eq!(at(frame(9, 0x18)), 0);
        assert_eq!(at(frame(0, 0x12)), 0);
        assert_eq!(at(frame(0, 0x11)), 0);
    }

    #[test]
    fn a_rate_spaces_segments() {
        let plan = Impairment {
            rate_bits: Some(8_000_000),
            ..Impairment::default()
        };
        let mut direction = ImpairedDirection::new(plan, 1, 0);
        let mut at = |now| match direction.handle_frame(now, &segment(976)) {
            FrameFate::Arrives { at_ns, .. } => at_ns,
            FrameFate::Lost => panic!("nothing is lost here"),
        };
        assert_eq!(at(0), 1_000_000);
        assert_eq!(at(0), 2_000_000);
        assert_eq!(at(5_000_000), 6_000_000);
    }

    #[test]
    fn named_segments_are_lost_and_other_frames_never() {
        let plan = Impairment {
            loss: 1.0,
            ..Impairment::default()
        };
        let mut direction = ImpairedDirection::new(plan, 1, 0);
        assert_eq!(direction.handle_frame(0, &segment(60)), FrameFate::Lost);
        assert!(matches!(
            direction.handle_frame(0, &[0; 42]),
            FrameFate::Arrives { .. }
        ));
        let plan = Impairment {
            lose: vec![1],
            ..Impairment::default()
        };
        let lost = fates(&plan, 1, 1);
        assert_eq!(lost.iter().filter(|f| **f == FrameFate::Lost).count(), 1);
        assert_eq!(lost[1], FrameFate::Lost);
    }
}

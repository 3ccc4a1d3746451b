//! When statistics are recorded: at intervals that divide the time to the end of the day, and at
//! the end of the day.
//!
//! Without a SET STATISTICS nothing is recorded, and the region has no alarm for it. A record is a
//! line of the log with the region's counters, which are not reset.
//!
//! Reference: CICS system programming reference, SET STATISTICS.

use super::SystemBrowses;
use crate::kernel::{AlarmTarget, KernelContext, KernelEffect, KernelSettings, TimerId};
use crate::resources::Resources;

const SECOND_NS: u64 = 1_000_000_000;
/// Seconds of a day.
pub const DAY_S: u64 = 24 * 3600;

/// How statistics are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatisticsRecording {
    /// At every interval; if not, only at the end of the day.
    pub on: bool,
    /// Seconds from one recording to the next, a minute to a day.
    pub interval_s: u64,
    /// End of the day, seconds of the local day.
    pub end_of_day_s: u64,
}

impl Default for StatisticsRecording {
    fn default() -> Self {
        StatisticsRecording {
            on: false,
            interval_s: 3600,
            end_of_day_s: 0,
        }
    }
}

impl StatisticsRecording {
    /// Seconds to the next recording from a second of the local day.
    pub fn next_in_s(&self, day_s: u64) -> u64 {
        let left = (self.end_of_day_s + DAY_S - day_s % DAY_S - 1) % DAY_S + 1;
        if self.on {
            (left - 1) % self.interval_s + 1
        } else {
            left
        }
    }
}

/// The state of the recording in a region.
#[derive(Debug, Default)]
pub struct StatisticsRecorder {
    recording: StatisticsRecording,
    timer: Option<TimerId>,
}

/// The second of the local day at an instant of the region's clock.
pub fn day_s(settings: &KernelSettings, now: u64) -> u64 {
    settings.local_ns(now) / SECOND_NS % DAY_S
}

impl SystemBrowses {
    /// The settings of the recording.
    pub fn recording(&self) -> StatisticsRecording {
        self.recorder.recording
    }

    /// Changes the settings of the recording.
    pub fn set_recording(&mut self, cx: &mut KernelContext<'_>, recording: StatisticsRecording) {
        self.recorder.recording = recording;
        self.set_alarm(cx);
    }

    fn set_alarm(&mut self, cx: &mut KernelContext<'_>) {
        if let Some(timer) = self.recorder.timer.take() {
            cx.kernel.timers.cancel(timer);
        }
        let day_s = day_s(&cx.kernel.settings, cx.now);
        let next = self.recorder.recording.next_in_s(day_s) * SECOND_NS;
        let alarm = AlarmTarget::Manager(SystemBrowses::INDEX, 0);
        self.recorder.timer = Some(cx.kernel.timers.set(cx.now + next, alarm));
    }
}

/// The time of a recording has come: writes the record.
pub fn alarm(resources: &mut Resources, cx: &mut KernelContext<'_>, _: u64) {
    resources.system.recorder.timer = None;
    cx.out.push(KernelEffect::Statistics);
    resources.system.set_alarm(cx);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::world::KernelFixture;
    use crate::types::KernelConfig;

    #[test]
    fn the_interval_divides_the_time_to_the_end_of_the_day() {
        let recording = StatisticsRecording {
            on: true,
            interval_s: 2 * 3600,
            end_of_day_s: 17 * 3600,
        };
        // 08:00: at 09:00, 11:00 ... and 17:00.
        assert_eq!(recording.next_in_s(8 * 3600), 3600);
        assert_eq!(recording.next_in_s(9 * 3600), 2 * 3600);
        assert_eq!(recording.next_in_s(17 * 3600 - 1), 1);
        let off = StatisticsRecording {
            on: false,
            ..recording
        };
        assert_eq!(off.next_in_s(8 * 3600), 9 * 3600);
        assert_eq!(off.next_in_s(17 * 3600), DAY_S);
    }

    #[test]
    fn statistics_are_recorded_at_each_interval_and_only_after_a_request() {
        let mut w = KernelFixture::new(KernelConfig::default());
        assert_eq!(w.kernel.next_alarm(), None);
        let recording = StatisticsRecording {
            on: true,
            interval_s: 60,
            end_of_day_s: 0,
        };
        let now = w.now;
        w.kernel.with(now, &mut Vec::new(), |r, cx| {
            r.system.set_recording(cx, recording);
        });
        w.later(59_000);
        let early = w.recorded;
        w.later(61_000);
        assert_eq!((early, w.recorded), (1, 2));
    }
}

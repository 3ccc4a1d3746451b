//! A run with its surroundings: servers are sampled, intervals are kept for the
//! report and the log, the live view and the exporter get each interval.

use crate::engine::{self, IntervalRecord, LoadOutcome, RunError, RunObserver};
use crate::observe::{
    ObservationPanel, ObservedServer, SamplerThread, UsageSample, cost_within, lost_at, used_within,
};
use crate::plan::RunPlan;
use crate::summary;
use measure::hdrlog::{self, EncodedHistogram};
use measure::report::{LoadReport, ReportInterval, Server, ServerCpu};
use std::sync::atomic::AtomicBool;

/// A view of a run that is updated every interval.
pub trait IntervalViewer {
    /// Shows a new interval; `total` is the sum of all intervals so far.
    fn show(&mut self, moment: &ReportInterval, total: &IntervalRecord);
}

/// A plan and its observers.
pub struct Session<'a> {
    /// The load.
    pub plan: &'a RunPlan,
    /// Servers to sample.
    pub observed: &'a [ObservedServer],
    /// Views that get every interval.
    pub viewers: Vec<&'a mut dyn IntervalViewer>,
}

/// The result of a session.
pub struct SessionResult {
    /// The engine's figures.
    pub outcome: LoadOutcome,
    /// The report.
    pub report: LoadReport,
    /// The histograms of every interval.
    pub log: Vec<hdrlog::HistogramEntry>,
}

impl Session<'_> {
    /// Runs the plan. `stop` ends it early.
    pub fn run(self, stop: &AtomicBool) -> Result<SessionResult, RunError> {
        // The sampler takes a first sample here: a short run may be over
        // before its thread has taken one.
        let panel = (!self.observed.is_empty()).then(|| {
            let mut panel = ObservationPanel::new(self.observed.to_vec());
            let first = panel.sample();
            (panel, first)
        });
        let mut keeper = SessionRecorder {
            plan: self.plan,
            panel,
            viewers: self.viewers,
            sampler: None,
            moments: Vec::new(),
            log: Vec::new(),
            total: IntervalRecord::new(0, &vec![0; self.plan.populations.len()]),
            started: 0,
        };
        let outcome = engine::run(self.plan, &mut keeper, stop)?;
        let samples = keeper
            .sampler
            .map(SamplerThread::finish)
            .unwrap_or_default();
        let end_s = outcome.window.1.saturating_sub(keeper.started) as f64 / 1e9;
        end_at(
            &mut keeper.moments,
            end_s,
            self.plan.interval_ns as f64 / 1e9,
        );
        fill_server_cpu(&mut keeper.moments, &samples, keeper.started);
        // Without a warm-up, the sample from before the load is as good as
        // one at its beginning. A short run does not have the latter.
        let before = (0, outcome.window.1);
        let early = (self.plan.warmup_ns == 0).then_some(before);
        let windows = || [outcome.window].into_iter().chain(early);
        let answers = |[from, to]: [u64; 2]| {
            answers_between(&outcome, &keeper.moments, keeper.started, from, to)
        };
        let mut ended = Vec::new();
        let servers = self
            .observed
            .iter()
            .enumerate()
            .filter_map(|(i, observed)| {
                let (usage, ends) = windows().find_map(|w| used_within(&samples, i, w))?;
                let seconds = (ends[1] - ends[0]) as f64 / 1e9;
                let name = observed.name();
                ended.extend(ended_note(&name, usage.ended, self.plan.interval_ns));
                if let Some(at) = lost_at(&samples, i, outcome.window) {
                    let after_s = at.saturating_sub(outcome.window.0) as f64 / 1e9;
                    ended.push(format!(
                        "{name} could not be read from {after_s:.1} s on: it has ended or does not answer. Its figures end there."
                    ));
                }
                Some(Server::of(name, &usage, seconds, answers(ends)))
            })
            .collect();
        let cost = windows().find_map(|w| cost_within(&samples, w, answers));
        let moments = keeper.moments;
        let mut report = summary::report(self.plan, &outcome, moments, servers, self.observed);
        report.server_cpu = cost;
        report.warnings.extend(ended);
        Ok(SessionResult {
            outcome,
            report,
            log: keeper.log,
        })
    }
}

struct SessionRecorder<'a> {
    plan: &'a RunPlan,
    panel: Option<(ObservationPanel, UsageSample)>,
    viewers: Vec<&'a mut dyn IntervalViewer>,
    sampler: Option<SamplerThread>,
    moments: Vec<ReportInterval>,
    log: Vec<hdrlog::HistogramEntry>,
    total: IntervalRecord,
    started: u64,
}

impl RunObserver for SessionRecorder<'_> {
    fn begun(&mut self, start: u64, _wall: u64) {
        self.started = start;
        let Some((panel, first)) = self.panel.take() else {
            return;
        };
        let plan = self.plan;
        let mut times = vec![start + plan.warmup_ns];
        if let Some(length) = plan.length_ns() {
            let marks = (0..=length / plan.interval_ns).map(|i| start + i * plan.interval_ns);
            times.extend(marks.chain([start + length]));
            times.sort_unstable();
            times.dedup();
        }
        let sampler = SamplerThread::start(panel, first, times, plan.interval_ns);
        self.sampler = Some(sampler);
    }

    fn interval(&mut self, interval: &IntervalRecord, seconds: f64) {
        self.total.merge(interval);
        self.total.outstanding = interval.outstanding;
        let moment = summary::moment(self.plan, interval, seconds);
        for (population, record) in self.plan.populations.iter().zip(&interval.populations) {
            let kinds = [
                ("response", &record.response),
                ("wire", &record.wire),
                ("lateness", &record.lateness),
            ];
            for (kind, histogram) in kinds.into_iter().filter(|k| !k.1.is_empty()) {
                self.log.push(hdrlog::HistogramEntry {
                    tag: format!("{}.{kind}", summary::tag(&population.name)),
                    start_s: interval.index as f64 * seconds,
                    length_s: seconds,
                    histogram: EncodedHistogram::of(histogram),
                });
            }
        }
        // The report uses the samples at the interval's ends. The live view
        // uses the latest two.
        let mut seen = moment.clone();
        let sampler = self.sampler.as_ref();
        let latest = sampler.and_then(|s| s.latest_cost(moment.answered_s));
        set_cost(&mut seen, latest);
        for viewer in &mut self.viewers {
            viewer.show(&seen, &self.total);
        }
        self.moments.push(moment);
    }
}

/// A note about processes that ended. The sum over processes contains only what
/// each had used at its last sample.
fn ended_note(name: &str, ended: usize, interval_ns: u64) -> Option<String> {
    let processes = match ended {
        0 => return None,
        1 => "one process".to_owned(),
        n => format!("{n} processes"),
    };
    Some(format!(
        "{processes} of {name} ended during the measurement. CPU after the last sample of each (one every {:.1} s) is not counted; --cgroup counts it.",
        interval_ns as f64 / 1e9
    ))
}

/// Cuts the timeline at the end of the load. The wait for outstanding answers is
/// not shown, and the last interval of an interrupted run is shorter.
fn end_at(moments: &mut Vec<ReportInterval>, end_s: f64, interval_s: f64) {
    let begun = |m: &ReportInterval| ((m.at_s / interval_s - 1e-9).ceil() - 1.0) * interval_s;
    moments.retain(|m| begun(m) < end_s - 1e-9);
    if let Some(last) = moments.last_mut().filter(|m| m.at_s > end_s + 1e-9) {
        let from = begun(last);
        let stretch = (last.at_s - from) / (end_s - from);
        last.at_s = end_s;
        for rate in [&mut last.sent_s, &mut last.answered_s, &mut last.errors_s] {
            *rate *= stretch;
        }
    }
}

/// Sets the servers' CPU of each interval from the samples around it.
fn fill_server_cpu(moments: &mut [ReportInterval], samples: &[UsageSample], started: u64) {
    let mut from = 0.0;
    for moment in moments {
        let at = |s: f64| started + (s * 1e9) as u64;
        let nearest = |t: u64| samples.iter().min_by_key(|s| s.at.abs_diff(t));
        if let (Some(a), Some(b)) = (nearest(at(from)), nearest(at(moment.at_s))) {
            let seconds = b.at.saturating_sub(a.at) as f64 / 1e9;
            if seconds > 0.5 * (moment.at_s - from) {
                let cost = b.cost_since(a, moment.answered_s * seconds);
                set_cost(moment, cost);
            }
        }
        from = moment.at_s;
    }
}

/// Sets the servers' CPU of an interval.
fn set_cost(moment: &mut ReportInterval, cost: Option<ServerCpu>) {
    moment.server_cpu_percent = cost.as_ref().map(|c| c.percent);
    let cost = cost.filter(|_| moment.answered_s > 0.0);
    moment.server_cpu_us = cost.map(|c| c.us);
}

/// The number of answers between two times. If the two enclose the measured part,
/// its rate is used. If a server could be sampled in a part of it only, the
/// intervals are used.
fn answers_between(
    outcome: &LoadOutcome,
    moments: &[ReportInterval],
    started: u64,
    from: u64,
    to: u64,
) -> f64 {
    let (begin, end) = outcome.window;
    let common = to.min(end).saturating_sub(from.max(begin)) as f64 / 1e9;
    if common > MOST_OF_IT * outcome.measured_s {
        return outcome.throughput() * common;
    }
    let since = |t: u64| t.saturating_sub(started) as f64 / 1e9;
    let (from_s, to_s) = (since(from), since(to));
    let mut begun = 0.0;
    let mut answers = 0.0;
    for moment in moments {
        let common = moment.at_s.min(to_s) - f64::max(begun, from_s);
        answers += moment.answered_s * common.max(0.0);
        begun = moment.at_s;
    }
    answers
}

/// Samples this close to the ends of the measured part count as the whole of it.
const MOST_OF_IT: f64 = 0.95;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_that_ended_are_reported_with_what_is_missing_of_them() {
        assert_eq!(ended_note("server", 0, 1_000_000_000), None);
        let one = ended_note("server", 1, 500_000_000).unwrap();
        assert!(one.starts_with("one process of server ended"), "{one}");
        assert!(one.contains("every 0.5 s"), "{one}");
        let several = ended_note("server", 3, 1_000_000_000).unwrap();
        assert!(several.starts_with("3 processes of server"), "{several}");
    }

    #[test]
    fn a_run_that_ended_early_has_a_shorter_last_interval() {
        let moment = |at_s| ReportInterval {
            at_s,
            sent_s: 100.0,
            ..ReportInterval::default()
        };
        let ended = |end_s| {
            let mut moments: Vec<ReportInterval> = [1.0, 2.0, 3.0].map(moment).into();
            end_at(&mut moments, end_s, 1.0);
            let last = moments.last().unwrap();
            (moments.len(), last.at_s, last.sent_s)
        };
        assert_eq!(ended(3.0), (3, 3.0, 100.0));
        assert_eq!(ended(2.5), (3, 2.5, 200.0));
        assert_eq!(ended(2.0), (2, 2.0, 100.0));
        assert_eq!(ended(9.0), (3, 3.0, 100.0));
    }
}

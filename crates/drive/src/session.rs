//! A run with everything around it: servers observed, intervals kept for the
//! report and the log, a live view and an exporter fed.

use crate::engine::{self, Interval, Observer, Outcome, RunError};
use crate::observe::{Observed, Sample, Sampler, used_within};
use crate::plan::Plan;
use crate::summary;
use measure::hdrlog;
use measure::report::{Moment, Report};
use std::sync::atomic::AtomicBool;

/// Something that is shown every interval.
pub trait Viewer {
    /// A new interval, and everything before it.
    fn show(&mut self, moment: &Moment, total: &Interval);
}

/// A plan and what is watched while it runs.
pub struct Session<'a> {
    /// The load.
    pub plan: &'a Plan,
    /// Whose resources are sampled.
    pub observed: &'a [Observed],
    /// Who wants to see every interval.
    pub viewers: Vec<&'a mut dyn Viewer>,
}

/// What a session came to.
pub struct Recording {
    /// The engine's figures.
    pub outcome: Outcome,
    /// The report.
    pub report: Report,
    /// Every interval's histograms.
    pub log: Vec<hdrlog::Entry>,
}

impl Session<'_> {
    /// Runs the plan. `stop` ends it early.
    pub fn run(self, stop: &AtomicBool) -> Result<Recording, RunError> {
        let mut keeper = Keeper {
            plan: self.plan,
            observed: self.observed,
            viewers: self.viewers,
            sampler: None,
            moments: Vec::new(),
            log: Vec::new(),
            total: Interval::new(0, &vec![0; self.plan.populations.len()]),
            started: 0,
        };
        let outcome = engine::run(self.plan, &mut keeper, stop)?;
        let samples = keeper.sampler.map(Sampler::finish).unwrap_or_default();
        let end_s = outcome.window.1.saturating_sub(keeper.started) as f64 / 1e9;
        end_at(
            &mut keeper.moments,
            end_s,
            self.plan.interval_ns as f64 / 1e9,
        );
        fill_server_cpu(&mut keeper.moments, &samples, keeper.started);
        let servers = self
            .observed
            .iter()
            .enumerate()
            .filter_map(|(i, observed)| {
                let (usage, seconds) = used_within(&samples, i, outcome.window)?;
                let answers = outcome.throughput() * seconds;
                let name = observed.name();
                Some(measure::report::Server::of(name, &usage, seconds, answers))
            })
            .collect();
        let report = summary::report(self.plan, &outcome, keeper.moments, servers, self.observed);
        Ok(Recording {
            outcome,
            report,
            log: keeper.log,
        })
    }
}

struct Keeper<'a> {
    plan: &'a Plan,
    observed: &'a [Observed],
    viewers: Vec<&'a mut dyn Viewer>,
    sampler: Option<Sampler>,
    moments: Vec<Moment>,
    log: Vec<hdrlog::Entry>,
    total: Interval,
    started: u64,
}

impl Observer for Keeper<'_> {
    fn begun(&mut self, start: u64, _wall: u64) {
        self.started = start;
        if self.observed.is_empty() {
            return;
        }
        let plan = self.plan;
        let mut times = vec![start + plan.warmup_ns];
        if let Some(length) = plan.length_ns() {
            let marks = (0..=length / plan.interval_ns).map(|i| start + i * plan.interval_ns);
            times.extend(marks.chain([start + length]));
            times.sort_unstable();
            times.dedup();
        }
        let sampler = Sampler::start(self.observed.to_vec(), times, plan.interval_ns);
        self.sampler = Some(sampler);
    }

    fn interval(&mut self, interval: &Interval, seconds: f64) {
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
                self.log.push(hdrlog::Entry {
                    tag: format!("{}.{kind}", summary::tag(&population.name)),
                    start_s: interval.index as f64 * seconds,
                    length_s: seconds,
                    histogram: histogram.clone(),
                });
            }
        }
        // The report's figures come from the samples at the interval's ends;
        // while the run goes on, the latest two have to do.
        let mut seen = moment.clone();
        let latest = self.sampler.as_ref().and_then(Sampler::latest_cpu_s);
        if let Some((cpu_s, over_s)) = latest.filter(|l| l.1 > 0.0) {
            seen.server_cpu_percent = Some(cpu_s / over_s * 100.0);
            let answers = moment.answered_s * over_s;
            seen.server_cpu_us = (answers > 0.0).then(|| cpu_s * 1e6 / answers);
        }
        for viewer in &mut self.viewers {
            viewer.show(&seen, &self.total);
        }
        self.moments.push(moment);
    }
}

/// What was only waited for after the end is no part of the picture, and the
/// interval in which a run ended early is as long as the run went.
fn end_at(moments: &mut Vec<Moment>, end_s: f64, interval_s: f64) {
    let begun = |m: &Moment| ((m.at_s / interval_s - 1e-9).ceil() - 1.0) * interval_s;
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

/// Gives each moment the servers' CPU between the samples around it.
fn fill_server_cpu(moments: &mut [Moment], samples: &[Sample], started: u64) {
    let mut from = 0.0;
    for moment in moments {
        let at = |s: f64| started + (s * 1e9) as u64;
        let nearest = |t: u64| samples.iter().min_by_key(|s| s.at.abs_diff(t));
        if let (Some(a), Some(b)) = (nearest(at(from)), nearest(at(moment.at_s))) {
            let seconds = b.at.saturating_sub(a.at) as f64 / 1e9;
            let cpu_s = b.cpu_ns().saturating_sub(a.cpu_ns()) as f64 / 1e9;
            if seconds > 0.5 * (moment.at_s - from) {
                moment.server_cpu_percent = Some(cpu_s / seconds * 100.0);
                let answers = moment.answered_s * seconds;
                moment.server_cpu_us = (answers > 0.0).then(|| cpu_s * 1e6 / answers);
            }
        }
        from = moment.at_s;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_ended_early_has_a_shorter_last_interval() {
        let moment = |at_s| Moment {
            at_s,
            sent_s: 100.0,
            ..Moment::default()
        };
        let ended = |end_s| {
            let mut moments: Vec<Moment> = [1.0, 2.0, 3.0].map(moment).into();
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

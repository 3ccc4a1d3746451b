//! The comparison of one run with a stored report.

use measure::report::{LoadReport, PopulationReport};

/// The result of comparing a report with a stored one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BaselineComparison {
    /// Figures that became worse by more than the tolerance, one sentence each.
    pub worse: Vec<String>,
    /// Figures within the tolerance, with their change.
    pub held: Vec<String>,
    /// Figures that could not be compared, with the reason.
    pub apart: Vec<String>,
}

impl BaselineComparison {
    /// Compares; figures may be worse by `tolerance` percent.
    pub fn of(baseline: &LoadReport, report: &LoadReport, tolerance: f64) -> BaselineComparison {
        let mut standing = BaselineComparison::default();
        let (Some(was), Some(is)) = (baseline.sum(), report.sum()) else {
            let why = "one of the two reports is empty";
            standing.worse.push(why.into());
            return standing;
        };
        standing.judge(
            "p50",
            was.response.p50,
            is.response.p50,
            "ms",
            tolerance,
            false,
        );
        standing.judge(
            "p99",
            was.response.p99,
            is.response.p99,
            "ms",
            tolerance,
            false,
        );
        standing.server_cpu(baseline, report, tolerance);
        let (was_s, is_s) = (baseline.throughput, report.throughput);
        standing.judge("throughput", was_s, is_s, "answers/s", tolerance, true);
        standing.errors(was, is);
        standing
    }

    /// Compares the server's CPU, if both reports observed it in the same way.
    fn server_cpu(&mut self, baseline: &LoadReport, report: &LoadReport, tolerance: f64) {
        const NAME: &str = "server CPU per answer";
        let view = |r: &LoadReport| r.server_cpu.as_ref().map(|c| c.view);
        match (baseline.server_cpu_us(), report.server_cpu_us()) {
            (Some(_), Some(_)) if view(baseline).is_some_and(|v| Some(v) != view(report)) => {
                let of = |r: &LoadReport| {
                    let cpu = r.server_cpu.as_ref();
                    cpu.map_or(String::new(), |c| c.subjects().join(" + "))
                };
                self.apart.push(format!(
                    "{NAME} is not compared: the baseline's is that of {}, this run's that of {}",
                    of(baseline),
                    of(report)
                ));
            }
            (Some(was), Some(is)) => self.judge(NAME, was, is, "µs", tolerance, false),
            (Some(_), None) => self
                .apart
                .push(format!("{NAME} is not compared: this run observed no server")),
            (None, _) if !baseline.servers.is_empty() => self.apart.push(format!(
                "{NAME} is not compared: the baseline was stored before the servers of a run had one figure"
            )),
            _ => {}
        }
    }

    fn errors(&mut self, was: &PopulationReport, is: &PopulationReport) {
        let share =
            |p: &PopulationReport| (p.failed + p.checks_failed) as f64 / p.sent.max(1) as f64;
        let (was, is) = (share(was) * 100.0, share(is) * 100.0);
        if is > was {
            self.worse
                .push(format!("errors were {was:.3} % and are {is:.3} %"))
        } else {
            self.held.push(format!("errors {was:.3} % → {is:.3} %"))
        }
    }

    fn judge(&mut self, name: &str, was: f64, is: f64, unit: &str, tolerance: f64, more: bool) {
        if was <= 0.0 {
            // The baseline measured nothing, so the figure cannot have
            // become worse.
            if is > 0.0 {
                self.apart
                    .push(format!("{name} is not compared: the baseline has none"));
            }
            return;
        }
        let factor = 1.0 + tolerance / 100.0;
        let percent = (is / was - 1.0) * 100.0;
        let worse = if more {
            is * factor < was
        } else {
            is > was * factor
        };
        if worse {
            self.worse.push(format!(
                "{name} was {was:.3} {unit} and is {is:.3} ({percent:+.0} %)"
            ))
        } else {
            self.held.push(format!(
                "{name} {was:.3} → {is:.3} {unit} ({percent:+.1} %)"
            ))
        }
    }

    /// Whether no figure became worse.
    pub fn holds(&self) -> bool {
        self.worse.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use measure::report::{CpuPart, CpuView, ServerCpu};

    fn report(p99: f64, throughput: f64) -> LoadReport {
        crate::objective::tests::report(p99, throughput, 0)
    }

    fn with_cpu(view: CpuView, us: f64) -> LoadReport {
        let part = CpuPart {
            view,
            us,
            ..CpuPart::default()
        };
        LoadReport {
            server_cpu: ServerCpu::of([part]),
            ..report(10.0, 1000.0)
        }
    }

    #[test]
    fn only_what_became_worse_is_a_regression() {
        let base = report(10.0, 1000.0);
        let near = BaselineComparison::of(&base, &report(10.5, 980.0), 10.0);
        assert!(near.holds());
        assert_eq!(
            near.held,
            [
                "p99 10.000 → 10.500 ms (+5.0 %)",
                "throughput 1000.000 → 980.000 answers/s (-2.0 %)",
                "errors 0.000 % → 0.000 %"
            ]
        );
        assert_eq!(
            BaselineComparison::of(&base, &report(15.0, 500.0), 10.0)
                .worse
                .len(),
            2
        );
    }

    #[test]
    fn cpu_is_compared_only_with_cpu_seen_in_the_same_way() {
        let base = with_cpu(CpuView::Processes, 100.0);
        let worse = BaselineComparison::of(&base, &with_cpu(CpuView::Processes, 200.0), 10.0);
        assert!(worse.worse[0].starts_with("server CPU per answer was 100.000"));
        let other = BaselineComparison::of(&base, &with_cpu(CpuView::Endpoints, 200.0), 10.0);
        assert!(other.holds() && other.apart[0].contains("not compared"));
        let blind = BaselineComparison::of(&base, &report(10.0, 1000.0), 10.0);
        assert!(blind.holds() && blind.apart[0].contains("observed no server"));
    }
}

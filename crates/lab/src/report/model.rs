//! The results of an experiment. A figure always has its origin and conditions, and
//! the published value next to it.

use page::chart::{BarChart, LineChart};
use page::short;
use serde::Serialize;
use std::path::PathBuf;

/// The result of one experiment.
#[derive(Clone, Debug, Default)]
pub struct ExperimentReport {
    /// The experiment's name on the command line.
    pub experiment: String,
    /// Its title.
    pub title: String,
    /// The paper it reproduces, by its title in short.
    pub paper: String,
    /// Its question, in a sentence or two.
    pub question: String,
    /// Conditions of all figures, as name and value.
    pub conditions: Vec<(String, String)>,
    /// The figures.
    pub figures: Vec<ReportFigure>,
    /// The causes that the explained captures (or another judge) named.
    pub findings: Vec<JudgeFinding>,
    /// Further tables: assumptions, contributions of the parts.
    pub tables: Vec<Table>,
    /// Whether the figures are predictions of a model that was calibrated on
    /// some of them; their JSON lines then say `predicted`.
    pub predictions: bool,
    /// Pictures.
    pub pictures: Vec<Picture>,
    /// Conclusions, in whole sentences; the first is the verdict.
    pub conclusions: Vec<String>,
    /// The three most important figures: each with its unit and its name.
    pub headline: Vec<(String, String)>,
    /// Files that were kept.
    pub files: Vec<PathBuf>,
    /// Repetitions that the figures are means of; 0 and 1 for one run.
    pub repetitions: usize,
}

/// One figure.
#[derive(Clone, Debug, Serialize)]
pub struct ReportFigure {
    /// Its name, for example `packets per request`.
    pub name: String,
    /// The conditions that are this figure's own, for example `MSS 536`.
    pub conditions: String,
    /// The paper's value.
    pub published: Option<PublishedValue>,
    /// The value found.
    pub found: f64,
    /// The origin of `found`.
    pub origin: FigureOrigin,
    /// The unit, last and in the usual symbols: `ms`, `Mb/s`, `%`, `packets`.
    pub unit: String,
    /// Half the width of the 95 % interval of `found`, in its unit. `None` for
    /// one run, or if all repetitions have the same value.
    pub half_width: Option<f64>,
    /// Whether it is a change in percent, for which repetitions give a verdict.
    pub is_change: bool,
}

/// A published value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum PublishedValue {
    /// A number.
    Number(f64),
    /// Words, where a chart or a sentence carries no number.
    Words(String),
}

/// The origin of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FigureOrigin {
    /// Real traffic on this machine.
    Measured,
    /// A model in virtual time, or arithmetic on measured figures, without a
    /// choice for this figure.
    Predicted,
    /// The same, but a choice that moves it was made with the published figure
    /// in sight.
    Seen,
    /// A model or conditions that were chosen to match this figure.
    Calibrated,
    /// Arithmetic on other rows, or the same by construction: no claim of its
    /// own.
    Derived,
}

/// The causes named by a judge that did not know the plan.
#[derive(Clone, Debug, Serialize)]
pub struct JudgeFinding {
    /// Which of the experiment's runs it is about.
    pub conditions: String,
    /// The planted cause. `None` if the judge should name none.
    pub planted: Option<String>,
    /// The named causes.
    pub named: Vec<NamedCause>,
    /// A sentence about it.
    pub summary: String,
}

/// One named cause.
#[derive(Clone, Debug, Serialize)]
pub struct NamedCause {
    /// Its dotted name.
    pub cause: String,
    /// Its cost in this run, in milliseconds.
    pub cost_ms: f64,
    /// Number of occurrences.
    pub count: usize,
}

/// A table in addition to the figures.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Its title.
    pub title: String,
    /// The names of its columns.
    pub heading: Vec<String>,
    /// Its rows, each as long as the heading.
    pub rows: Vec<Vec<String>>,
    /// The caption, a sentence; may be empty.
    pub caption: String,
}

/// A picture of a report.
#[derive(Clone, Debug)]
pub enum Picture {
    /// Lines over axes.
    Plot(LineChart),
    /// Lines over axes, with a caption.
    Captioned {
        /// The lines.
        plot: LineChart,
        /// The caption, a sentence.
        caption: String,
    },
    /// Bars, with a caption.
    Bars {
        /// The bars.
        chart: BarChart,
        /// The caption, a sentence; may be empty.
        caption: String,
    },
}

impl Picture {
    /// The picture as an SVG file of its own, with its colours inside.
    pub fn alone(&self) -> String {
        match self {
            Picture::Plot(plot) | Picture::Captioned { plot, .. } => plot.alone(),
            Picture::Bars { chart, .. } => chart.alone(),
        }
    }
}

impl ExperimentReport {
    /// Whether every planted cause was named, and named nothing where nothing
    /// was planted.
    pub fn holds(&self) -> bool {
        self.findings.iter().all(JudgeFinding::holds)
    }

    /// Adds a figure that was measured.
    pub fn measured(
        &mut self,
        name: &str,
        conditions: &str,
        published: Option<PublishedValue>,
        found: f64,
        unit: &str,
    ) {
        self.add(
            FigureOrigin::Measured,
            name,
            conditions,
            published,
            found,
            unit,
        );
    }

    /// Adds a figure that was predicted.
    pub fn predicted(
        &mut self,
        name: &str,
        conditions: &str,
        published: Option<PublishedValue>,
        found: f64,
        unit: &str,
    ) {
        self.add(
            FigureOrigin::Predicted,
            name,
            conditions,
            published,
            found,
            unit,
        );
    }

    /// Adds a figure that the model or the conditions were chosen for.
    pub fn calibrated(
        &mut self,
        name: &str,
        conditions: &str,
        published: Option<PublishedValue>,
        found: f64,
        unit: &str,
    ) {
        self.add(
            FigureOrigin::Calibrated,
            name,
            conditions,
            published,
            found,
            unit,
        );
    }

    /// Adds a figure of any origin.
    pub fn add(
        &mut self,
        origin: FigureOrigin,
        name: &str,
        conditions: &str,
        published: Option<PublishedValue>,
        found: f64,
        unit: &str,
    ) {
        self.figures.push(ReportFigure {
            name: name.into(),
            conditions: conditions.into(),
            published,
            found,
            origin,
            unit: unit.into(),
            half_width: None,
            is_change: false,
        });
    }

    /// Adds a change in percent of a measured figure. Its significance is known
    /// only after repetitions.
    pub fn change(
        &mut self,
        name: &str,
        conditions: &str,
        published: Option<PublishedValue>,
        percent: f64,
    ) {
        self.measured(name, conditions, published, percent, "%");
        if let Some(figure) = self.figures.last_mut() {
            figure.is_change = true;
        }
    }

    /// Adds a condition of all figures.
    pub fn condition(&mut self, name: &str, value: impl Into<String>) {
        self.conditions.push((name.into(), value.into()));
    }

    /// Adds one of the three figures that matter.
    pub fn matters(&mut self, value: f64, unit: &str, what: &str) {
        let value = format!("{} {unit}", short(value));
        self.headline.push((value.trim_end().into(), what.into()));
    }

    /// Whether no figure was published and a table shows the results, so that a
    /// list of the figures would only repeat them.
    pub fn has_no_comparison(&self) -> bool {
        !self.tables.is_empty() && self.figures.iter().all(|f| f.published.is_none())
    }

    /// The figure of this name under these conditions.
    pub fn figure(&self, name: &str, conditions: &str) -> Option<f64> {
        let found = |f: &&ReportFigure| f.name == name && f.conditions == conditions;
        self.figures.iter().find(found).map(|f| f.found)
    }
}

impl ReportFigure {
    /// The relative difference to the published figure. Returns `None` if no
    /// number was published, if it is zero and the figure is not, or if the
    /// figure is not a prediction.
    pub fn error(&self) -> Option<f64> {
        if !self.origin.claims() {
            return None;
        }
        match &self.published {
            Some(PublishedValue::Number(published)) if *published == self.found => Some(0.0),
            Some(PublishedValue::Number(published)) if *published != 0.0 => {
                Some((self.found - published) / published.abs())
            }
            _ => None,
        }
    }
}

impl FigureOrigin {
    /// Whether a figure of this origin can agree or disagree with the published
    /// one.
    pub fn claims(self) -> bool {
        !matches!(self, FigureOrigin::Calibrated | FigureOrigin::Derived)
    }
}

impl JudgeFinding {
    /// Whether the named cause is the planted one.
    pub fn holds(&self) -> bool {
        match &self.planted {
            Some(planted) => self.named.iter().any(|n| &n.cause == planted),
            None => self.named.is_empty(),
        }
    }
}

impl PublishedValue {
    /// Words in place of a number.
    pub fn words(text: &str) -> Option<PublishedValue> {
        Some(PublishedValue::Words(text.into()))
    }

    /// A number.
    pub fn number(value: f64) -> Option<PublishedValue> {
        Some(PublishedValue::Number(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_a_share_of_what_was_published() {
        let mut report = ExperimentReport::default();
        report.measured("change", "", PublishedValue::number(-38.0), -19.0, "%");
        report.predicted("time", "", PublishedValue::words("short"), 3.0, "s");
        report.measured("packets", "", PublishedValue::number(0.0), 1.0, "");
        report.calibrated("rate", "", PublishedValue::number(8.0), 8.1, "Mb/s");
        let errors: Vec<_> = report.figures.iter().map(ReportFigure::error).collect();
        assert_eq!(errors, [Some(0.5), None, None, None]);
        assert_eq!(report.figure("time", ""), Some(3.0));
    }

    #[test]
    fn a_finding_holds_when_it_names_what_was_planted() {
        let mut finding = JudgeFinding {
            conditions: String::new(),
            planted: None,
            named: Vec::new(),
            summary: String::new(),
        };
        assert!(finding.holds());
        finding.planted = Some("tcp.ack.delayed".into());
        assert!(!finding.holds());
        finding.named.push(NamedCause {
            cause: "tcp.ack.delayed".into(),
            cost_ms: 40.0,
            count: 1,
        });
        assert!(finding.holds());
    }
}

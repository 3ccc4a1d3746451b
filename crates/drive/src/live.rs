//! The live view: a few lines on the terminal that are drawn over once a
//! second, plain enough for any terminal and silent where there is none.

use crate::engine::{Counts, Interval};
use crate::session::Viewer;
use measure::report::Moment;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};

/// Draws on standard error when that is a terminal.
pub struct Live {
    length_s: Option<f64>,
    drawn_lines: usize,
    history: VecDeque<f64>,
    on: bool,
}

impl Live {
    /// A view of a run of this many seconds.
    pub fn new(length_s: Option<f64>, quiet: bool) -> Live {
        Live {
            length_s,
            drawn_lines: 0,
            history: VecDeque::new(),
            on: !quiet && io::stderr().is_terminal(),
        }
    }

    /// Takes the view off the screen.
    pub fn clear(&mut self) {
        if self.drawn_lines > 0 {
            eprint!("\x1b[{}A\x1b[J", self.drawn_lines);
            self.drawn_lines = 0;
        }
    }

    fn lines(&mut self, moment: &Moment, total: &Interval) -> String {
        let mut counts = Counts::default();
        for population in &total.populations {
            counts += &population.whole;
        }
        self.history.push_back(moment.answered_s);
        if self.history.len() > SPARKS {
            self.history.pop_front();
        }
        let peak = self.history.iter().fold(1.0f64, |a, b| a.max(*b));
        let spark: String = self
            .history
            .iter()
            .map(|v| BARS[((v / peak * 7.0).round() as usize).min(7)])
            .collect();
        let phase = if moment.warmup {
            "warm-up"
        } else {
            "measuring"
        };
        let of = self
            .length_s
            .map_or(String::new(), |s| format!(" of {s:.0}"));
        let mut out = String::new();
        let errors = colour(
            moment.errors_s,
            [0.0001, 1.0],
            &format!("{:.0}", moment.errors_s),
        );
        let late = colour(
            moment.late_p99,
            [1.0, 10.0],
            &format!("{:.3}", moment.late_p99),
        );
        let _ = writeln!(out, "{phase} {:.0}{of} s   {spark}", moment.at_s);
        let _ = writeln!(
            out,
            "  sent {:.0}/s   answered {:.0}/s   errors {errors}/s   outstanding {}",
            moment.sent_s, moment.answered_s, moment.outstanding
        );
        let _ = writeln!(
            out,
            "  response ms: p50 {:.3}   p99 {:.3}   max {:.3}   lateness p99 {late}",
            moment.p50, moment.p99, moment.max
        );
        let _ = writeln!(
            out,
            "  whole run: {} sent, {} answered, {} failed   driver CPU {:.2} µs an answer",
            counts.sent,
            counts.answered,
            counts.failures(),
            total.cpu_ns as f64 / 1e3 / counts.answered.max(1) as f64
        );
        out
    }
}

impl Viewer for Live {
    fn show(&mut self, moment: &Moment, total: &Interval) {
        if !self.on {
            return;
        }
        let text = self.lines(moment, total);
        self.clear();
        self.drawn_lines = text.lines().count();
        // A terminal that has gone away is no reason to end a run.
        let _ = io::stderr().write_all(text.as_bytes());
    }
}

/// Colours text by two thresholds: above the first yellow, above the second red.
fn colour(value: f64, [warn, bad]: [f64; 2], text: &str) -> String {
    match value {
        v if v >= bad => format!("\x1b[31m{text}\x1b[0m"),
        v if v >= warn => format!("\x1b[33m{text}\x1b[0m"),
        _ => text.to_owned(),
    }
}

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Seconds of throughput shown.
const SPARKS: usize = 40;

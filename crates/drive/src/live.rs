//! The live view: a few lines on the terminal, redrawn once an interval and cut to
//! the terminal's width. Nothing is written if standard error is not a terminal.

use crate::engine::{IntervalRecord, RequestCounts};
use crate::session::IntervalViewer;
use measure::Histogram;
use measure::report::{ReportInterval, sparkline};
use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};

/// Draws on standard error when that is a terminal.
pub struct LiveView {
    length_s: Option<f64>,
    drawn_lines: usize,
    history: VecDeque<f64>,
    observed: bool,
    on: bool,
}

impl LiveView {
    /// A view of a run of this many seconds; `observed` says whether servers
    /// are sampled.
    pub fn new(length_s: Option<f64>, observed: bool, quiet: bool) -> LiveView {
        LiveView {
            length_s,
            drawn_lines: 0,
            history: VecDeque::new(),
            observed,
            on: !quiet && io::stderr().is_terminal(),
        }
    }

    /// Removes the view from the screen.
    pub fn clear(&mut self) {
        if self.drawn_lines > 0 {
            let _ = write!(io::stderr(), "\x1b[{}A\x1b[J", self.drawn_lines);
            self.drawn_lines = 0;
        }
    }

    fn lines(&mut self, moment: &ReportInterval, total: &IntervalRecord) -> Vec<String> {
        let mut counts = RequestCounts::default();
        let mut response = Histogram::default();
        for population in &total.populations {
            counts += &population.whole;
            response.merge(&population.response);
        }
        self.history.push_back(moment.answered_s);
        if self.history.len() > SPARKS {
            self.history.pop_front();
        }
        let spark = sparkline(self.history.iter().copied());
        let late = colour(
            moment.late_p99,
            [1.0, 10.0],
            &format!("{:.3}", moment.late_p99),
        );
        let errors = colour(
            moment.errors_s,
            [0.0001, 1.0],
            &grouped(moment.errors_s as u64),
        );
        let driver = total.cpu_ns as f64 / 1e3 / counts.answered.max(1) as f64;
        let server = match (moment.server_cpu_us, moment.server_cpu_percent) {
            (Some(us), Some(percent)) => {
                format!("{us:.2} µs per answer, {percent:.0} % of a processor")
            }
            _ if self.observed => "no two samples yet".into(),
            _ => "not observed (--process, --pid, --cgroup, --scrape)".into(),
        };
        vec![
            format!("{}   {spark}", self.phase(moment)),
            format!(
                "  sent {}/s   answered {}/s   errors {errors}/s   outstanding {}",
                grouped(moment.sent_s as u64),
                grouped(moment.answered_s as u64),
                grouped(moment.outstanding)
            ),
            if moment.max > 0.0 {
                format!(
                    "  response ms  p50 {:.3}   p99 {:.3}   max {:.3}",
                    moment.p50, moment.p99, moment.max
                )
            } else if moment.warmup {
                "  response ms  not measured in the warm-up".into()
            } else {
                "  response ms  no answer in this interval".into()
            },
            format!("  spread       {}", spread(&response)),
            format!("  lateness ms  p99 {late}   driver CPU {driver:.2} µs per answer"),
            format!("  server CPU   {server}"),
            format!(
                "  so far       {} sent, {} answered, {}, {}",
                grouped(counts.sent),
                grouped(counts.answered),
                red(counts.failures(), "failed"),
                red(counts.checks_failed, "wrong")
            ),
        ]
    }

    fn phase(&self, moment: &ReportInterval) -> String {
        match self.length_s {
            Some(length) if moment.at_s > length + 1e-9 => {
                format!("waiting for {} answers", moment.outstanding)
            }
            Some(length) if moment.warmup => format!("warm-up {:.0} of {length:.0} s", moment.at_s),
            Some(length) => format!("measuring {:.0} of {length:.0} s", moment.at_s),
            None => format!("measuring {:.0} s", moment.at_s),
        }
    }
}

impl IntervalViewer for LiveView {
    fn show(&mut self, moment: &ReportInterval, total: &IntervalRecord) {
        if !self.on {
            return;
        }
        let width = width();
        let lines = self.lines(moment, total);
        let text: String = lines.iter().map(|l| cut(l, width) + "\n").collect();
        self.clear();
        self.drawn_lines = lines.len();
        // The run continues if the terminal is closed.
        let _ = io::stderr().write_all(text.as_bytes());
    }
}

/// The response times of the run so far as one line of blocks, a column for
/// each bucket, between the shortest and the longest.
fn spread(response: &Histogram) -> String {
    let shape = response.shape();
    let (Some((first, _)), Some((last, _))) = (shape.first(), shape.last()) else {
        return "no answer was measured yet".into();
    };
    let each = (last - first) / COLUMNS + 1;
    let mut columns = vec![0.0; ((last - first) / each + 1) as usize];
    for (bucket, count) in &shape {
        columns[((bucket - first) / each) as usize] += *count as f64;
    }
    let ms = |ns: u64| ns as f64 / 1e6;
    format!(
        "{:.3} {} {:.3} ms",
        ms(response.min()),
        sparkline(columns.into_iter()),
        ms(response.max())
    )
}

/// Columns of the terminal on standard error.
fn width() -> usize {
    // SAFETY: all zeros are a valid winsize.
    let mut size: libc::winsize = unsafe { std::mem::zeroed() };
    // SAFETY: the request fills the winsize it is given.
    let rc = unsafe { libc::ioctl(libc::STDERR_FILENO, libc::TIOCGWINSZ, &raw mut size) };
    match (rc, size.ws_col) {
        (0, columns) if columns > 0 => usize::from(columns),
        _ => USUAL_WIDTH,
    }
}

/// The part of a line that fits `width`: a line that wraps could not be redrawn.
/// Colour sequences count as no columns.
fn cut(line: &str, width: usize) -> String {
    let mut out = String::new();
    let mut columns = 0;
    let mut coloured = false;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c == '\x1b' {
            out.push(c);
            for c in chars.by_ref() {
                out.push(c);
                if c == 'm' {
                    break;
                }
            }
            coloured = !coloured;
            continue;
        }
        if columns + 1 >= width {
            break;
        }
        out.push(c);
        columns += 1;
    }
    if coloured {
        out += RESET;
    }
    out
}

/// A count with a separator between thousands.
fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Colours text by two thresholds: yellow above the first, red above the second.
fn colour(value: f64, [warn, bad]: [f64; 2], text: &str) -> String {
    match value {
        v if v >= bad => format!("\x1b[31m{text}{RESET}"),
        v if v >= warn => format!("\x1b[33m{text}{RESET}"),
        _ => text.to_owned(),
    }
}

/// A count of errors: red unless it is 0.
fn red(count: u64, what: &str) -> String {
    colour(
        count as f64,
        [f64::INFINITY, 1.0],
        &format!("{} {what}", grouped(count)),
    )
}

const RESET: &str = "\x1b[0m";
/// Intervals of throughput shown.
const SPARKS: usize = 50;
/// Columns of the histogram, at most.
const COLUMNS: i32 = 40;
/// Width if the terminal does not report one.
const USUAL_WIDTH: usize = 80;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_to_the_terminal_and_keeps_its_colours_closed() {
        assert_eq!(cut("abcdef", 10), "abcdef");
        assert_eq!(cut("abcdef", 4), "abc");
        assert_eq!(cut("a\x1b[31mbcd\x1b[0me", 3), "a\x1b[31mb\x1b[0m");
        assert_eq!(cut("äöüß", 4), "äöü");
    }

    #[test]
    fn no_line_of_the_view_is_wider_than_the_terminal() {
        let mut live = LiveView::new(Some(60.0), true, true);
        let moment = ReportInterval {
            at_s: 61.0,
            sent_s: 1e9,
            late_p99: 1e6,
            outstanding: u64::MAX,
            ..ReportInterval::default()
        };
        for width in [1, 20, 80, 120] {
            for line in live.lines(&moment, &IntervalRecord::default()) {
                let plain = cut(&line, width).replace("\x1b[31m", "").replace(RESET, "");
                assert!(plain.chars().count() <= width, "{plain}");
            }
        }
    }

    #[test]
    fn the_spread_has_a_column_for_each_part_of_the_range() {
        let mut response = Histogram::default();
        assert_eq!(spread(&response), "no answer was measured yet");
        for _ in 0..7 {
            response.record(1_000_000);
        }
        response.record(1_500_000);
        let line = spread(&response);
        assert!(line.starts_with("1.000 █▁▁▂ 1.5"), "{line}");
        response.record(60_000_000_000);
        let columns = spread(&response)
            .chars()
            .filter(|c| *c > '\u{2580}')
            .count();
        assert!(columns <= COLUMNS as usize, "{columns}");
    }

    #[test]
    fn thousands_stand_apart() {
        for (value, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1234567, "1,234,567"),
        ] {
            assert_eq!(grouped(value), text);
        }
    }
}

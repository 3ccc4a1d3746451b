//! `tupelo top`: the activity of a running region, live, and its CPU use.
//!
//! A sample is read from the administration port once per interval; rates are the
//! difference of two samples. On a terminal each page is drawn over the previous one, in one
//! write; otherwise the samples are printed below each other.

mod snapshot;
mod terminal;
mod view;

use std::io::Write;
use std::time::Duration;

use clap::ValueEnum;
use miette::{IntoDiagnostic, Result};
use serde_json::Value;

use crate::Outcome;
use crate::operator::OperatorArgs;
use terminal::{Key, Terminal};

/// Show tasks, classes, engines, files, queues and rates of a running region.
#[derive(Debug, clap::Args)]
#[command(after_help = "Keys: q leaves, s sorts the tasks by the next column.\n\n\
    Example:\n  tupelo top\n  tupelo top --reset\n  tupelo top --delta\n  tupelo top --sort wait --interval 5\n  tupelo top --once --json")]
pub struct Args {
    /// Print one sample and end.
    #[arg(long)]
    once: bool,
    /// Print the CPU of the region's processes so far, by kind of engine.
    #[arg(long, conflicts_with_all = ["once", "delta", "reset"])]
    actual: bool,
    /// Print the use since the baseline, or since the start without one.
    #[arg(long, conflicts_with_all = ["once", "reset"])]
    delta: bool,
    /// Make the current counters the baseline.
    #[arg(long, conflicts_with = "once")]
    reset: bool,
    /// Seconds between samples.
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = seconds)]
    interval: f64,
    /// Order of the tasks.
    #[arg(long, value_enum, default_value_t = TaskOrder::Age)]
    sort: TaskOrder,
    #[command(flatten)]
    ask: OperatorArgs,
}

/// Orders of the tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TaskOrder {
    /// The oldest first.
    Age,
    /// The longest waiting first.
    Wait,
    /// The highest priority first.
    Priority,
    /// By transaction.
    Transaction,
    /// By number.
    Task,
}

impl TaskOrder {
    fn next(self) -> TaskOrder {
        let all = TaskOrder::value_variants();
        let at = all.iter().position(|s| *s == self).unwrap_or(0);
        all[(at + 1) % all.len()]
    }
}

/// Shows samples until a key or a signal ends the program.
pub fn run(args: Args) -> Result<Outcome> {
    let snapshot = match () {
        () if args.reset => Some(args.ask.post("/top/reset")?),
        () if args.delta => Some(args.ask.get("/top/delta")?),
        () if args.actual => Some(args.ask.get("/top/actual")?),
        () => None,
    };
    if let Some(snapshot) = snapshot {
        match (args.ask.json, args.reset) {
            (true, _) => println!("{snapshot}"),
            (false, true) => println!("the counters are the baseline"),
            (false, false) => print!("{}", lines(&snapshot::page(&snapshot))),
        }
        return Ok(Outcome::Clean);
    }
    let sample = || args.ask.get("/top");
    let first = sample()?;
    if args.once {
        if args.ask.json {
            println!("{first}")
        } else {
            print!("{}", lines(&view::page(None, &first, args.sort)))
        }
        return Ok(Outcome::Clean);
    }
    let wait = Duration::from_secs_f64(args.interval);
    match (!args.ask.json).then(Terminal::open).flatten() {
        Some(terminal) => draw(terminal, first, sample, wait, args.sort),
        None => print_on(first, sample, wait, &args),
    }
}

/// Draws on the terminal until the user quits.
fn draw(
    mut terminal: Terminal,
    first: Value,
    sample: impl Fn() -> Result<Value>,
    wait: Duration,
    mut sort: TaskOrder,
) -> Result<Outcome> {
    let (mut before, mut now) = (None, first);
    loop {
        terminal.show(&view::page(before.as_ref(), &now, sort)).into_diagnostic()?;
        match terminal.key(wait).into_diagnostic()? {
            Some(Key::Leave) => return Ok(Outcome::Clean),
            Some(Key::Sort) => sort = sort.next(),
            Some(Key::Other) => {}
            None => before = Some(std::mem::replace(&mut now, sample()?)),
        }
    }
}

/// Prints one sample below the other.
fn print_on(first: Value, sample: impl Fn() -> Result<Value>, wait: Duration, args: &Args) -> Result<Outcome> {
    let (mut before, mut now) = (None, first);
    loop {
        let text = if args.ask.json {
            format!("{now}\n")
        } else {
            lines(&view::page(before.as_ref(), &now, args.sort)) + "\n"
        };
        let mut out = std::io::stdout().lock();
        // The reader of the pipe may have ended: `tupelo top | head`.
        if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
            return Ok(Outcome::Clean);
        }
        drop(out);
        std::thread::sleep(wait);
        before = Some(std::mem::replace(&mut now, sample()?));
    }
}

fn lines(page: &[String]) -> String {
    page.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if (0.1..=3600.0).contains(&s) => Ok(s),
        _ => Err("seconds from 0.1 to 3600".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting_cycles_through_all_columns() {
        let mut sort = TaskOrder::Age;
        let mut seen = Vec::new();
        loop {
            seen.push(sort);
            sort = sort.next();
            if sort == TaskOrder::Age {
                break;
            }
        }
        assert_eq!(seen, TaskOrder::value_variants());
    }

    #[test]
    fn an_interval_is_a_number_of_seconds_within_reason() {
        assert_eq!(seconds("0.5"), Ok(0.5));
        for wrong in ["0", "-1", "1e9", "NaN", "soon"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}

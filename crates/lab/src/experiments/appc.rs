//! The APPC tuning guide in virtual time: its before and after, what each
//! parameter brings, and where the guide contradicts itself.
//!
//! Reference: paper 004, Appendices A and B.

use super::{Context, Experiment, Needs};
use crate::appc::attribution::{Attribution, attribute};
use crate::appc::contradiction::{self, Contradiction};
use crate::appc::figures::{self, Figure, Repetitions};
use crate::appc::machine::COSTS;
use crate::appc::mainframe::Client;
use crate::appc::sweep;
use crate::error::LabError;
use crate::report::{Picture, Published, Report, Table};
use sna::ring::RingError;

/// The row of the table.
pub const EXPERIMENT: Experiment = Experiment {
    name: "appc",
    about: "the APPC tuning guide on a token ring in virtual time: before, after, and why",
    paper: "004",
    needs: Needs::Nothing,
    run,
};

fn run(context: &Context<'_>) -> Result<Report, LabError> {
    let mut report = Report {
        experiment: EXPERIMENT.name.into(),
        title: "APPC tuning on a token ring".into(),
        paper: EXPERIMENT.paper.into(),
        question: "What do RU size, frame size, pacing, link windows, MAXBFRU and DELAY bring on \
                   the guide's two networks? Real LU 6.2 sessions and a real 802.2 link layer run \
                   in virtual time; costs of the machines are calibrated on one side of each \
                   published pair and the other side is predicted."
            .into(),
        predictions: true,
        ..Report::default()
    };
    conditions(&mut report);
    context.say("the published figures");
    let found = figures::all(Repetitions::PUBLISHED, context.seed).map_err(failed)?;
    for figure in &found {
        add(&mut report, figure);
    }
    report.tables.push(unmet(&found));
    context.say("one parameter at a time");
    for client in Client::ALL {
        let parts = attribute(client, ATTRIBUTION_REPETITIONS, context.seed);
        report.conclusions.push(conclusion(client, &parts, &found));
        report.tables.push(contributions(client, &parts));
    }
    context.say("both readings where the guide contradicts itself");
    let both = contradiction::all(context.seed).map_err(failed)?;
    report.tables.push(contradictions(&both));
    report.tables.push(costs());
    context.say("sweeps");
    for sweep in sweep::all(context.seed).map_err(failed)? {
        report.pictures.push(Picture::Captioned {
            plot: sweep.plot,
            caption: sweep.caption.into(),
        });
    }
    Ok(report)
}

fn conditions(report: &mut Report) {
    report.condition(
        "timed",
        "from the first send to the confirmation (file), to the answer (inquiry); \
         allocate and deallocate are not",
    );
    report.condition(
        "conversation",
        "long-running: allocated once, sync level confirm, warmed up before the clock counts",
    );
    report.condition(
        "Appendix A",
        "4 Mb/s ring, 3745 with NCP, 4381 with VTAM; 100,000 bytes from DOS, 1,000,000 from the \
         others, in buffers of 32,000; mean of 10",
    );
    report.condition(
        "Appendix B",
        "16 Mb/s ring, two 486/33; 100,000 bytes in buffers of 32,000, mean of 1,000; \
         100 bytes each way, mean of 20,000",
    );
}

fn add(report: &mut Report, figure: &Figure) {
    let published = Published::number(figure.published);
    let (name, unit) = (&figure.name, figure.unit);
    match figure.calibrated {
        true => report.calibrated(name, "", published, figure.simulated, unit),
        false => report.predicted(name, "", published, figure.simulated, unit),
    }
}

/// Predictions that are further off than a seventh, with the reason.
fn unmet(found: &[Figure]) -> Table {
    let far = |f: &&Figure| f.error().is_some_and(|e| e.abs() > AIM);
    let mut told: Vec<&str> = Vec::new();
    let mut row = |f: &Figure| {
        let off = format!("{:+.0} %", f.error().unwrap_or(0.0) * 100.0);
        let reason = match told.contains(&f.note) {
            true => "as above",
            false => f.note,
        };
        told.push(f.note);
        vec![f.name.clone(), off, reason.to_owned()]
    };
    Table {
        title: "Predictions more than 15 % off, and why".into(),
        heading: words(&["figure", "off", "reason"]),
        rows: found.iter().filter(far).map(&mut row).collect(),
        caption: String::new(),
    }
}

fn contributions(client: Client, parts: &[Attribution]) -> Table {
    let seconds = |s: Option<f64>| s.map_or("session fails".into(), |s| format!("{s:.2}"));
    let row = |a: &Attribution| {
        vec![
            a.change.name().to_owned(),
            seconds(a.alone_s),
            seconds(a.without_s),
        ]
    };
    Table {
        title: format!("{}: one parameter at a time, seconds", client.name()),
        heading: words(&["parameter", "tuned alone", "tuned all but it"]),
        rows: parts.iter().map(row).collect(),
        caption: String::new(),
    }
}

fn contradictions(both: &[Contradiction]) -> Table {
    let side = |(text, seconds): (&str, Option<f64>)| match seconds {
        Some(s) => format!("{text}: {s:.3} s"),
        None => text.to_owned(),
    };
    let row = |c: &Contradiction| {
        vec![
            c.parameter.to_owned(),
            side(c.first),
            side(c.second),
            c.taken.to_owned(),
        ]
    };
    Table {
        title: "Where the guide contradicts itself".into(),
        heading: words(&["parameter", "one place", "another", "taken"]),
        rows: both.iter().map(row).collect(),
        caption: String::new(),
    }
}

fn costs() -> Table {
    let row = |k: &crate::appc::machine::Known| {
        let value = match k.unit {
            "ns" => format!("{} µs", k.value as f64 / 1e3),
            _ => format!("{} µs", k.value as f64 / 1e6),
        };
        vec![
            k.machine.to_owned(),
            k.what.to_owned(),
            value,
            k.calibrated_on.unwrap_or("assumed").to_owned(),
            k.reason.to_owned(),
        ]
    };
    Table {
        title: "What the machines cost".into(),
        heading: words(&["machine", "what", "cost", "from", "reason"]),
        rows: COSTS.iter().map(row).collect(),
        caption: String::new(),
    }
}

/// What brings the gain, in the guide's own order of importance.
fn conclusion(client: Client, parts: &[Attribution], found: &[Figure]) -> String {
    let name = client.name();
    let start = found
        .iter()
        .find(|f| f.name.starts_with(&format!("A {name} before")));
    let before = start.map_or(0.0, |f| f.simulated);
    let mut saved: Vec<(&str, f64)> = parts
        .iter()
        .filter_map(|a| Some((a.change.name(), before - a.alone_s?)))
        .collect();
    saved.sort_by(|a, b| b.1.total_cmp(&a.1));
    let best: Vec<String> = saved
        .iter()
        .take(3)
        .map(|(name, s)| format!("{name} {s:.2} s"))
        .collect();
    let guide = match client {
        Client::Dos => " The guide names MAXBFRU and DELAY.",
        Client::Os2 => " The guide names RU size and DLC pacing.",
        Client::Rs6000 => "",
    };
    format!(
        "{name}: of {before:.2} s before tuning, changed alone, the most is saved by {}.{guide}",
        best.join(", ")
    )
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|w| (*w).to_owned()).collect()
}

fn failed(error: RingError) -> LabError {
    LabError::Failed(error.to_string())
}

/// Predictions should be within this share of what was published.
const AIM: f64 = 0.15;
const ATTRIBUTION_REPETITIONS: usize = 5;

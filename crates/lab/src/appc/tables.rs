//! The tables of the report.

use super::attribution::{ChangeEffect, ChangeEffects};
use super::choices::{CHOICES, ModelChoice};
use super::contradiction::GuideContradiction;
use super::costs::{COSTS, KnownCost};
use super::figures::PredictedFigure;
use super::mainframe::Client;
use super::micro::{self, MachinePair, TransactionKind};
use super::model::NetworkModel;
use super::sensitivity;
use crate::report::{FigureOrigin, Table};
use crate::ring::RingError;

/// Predictions that are further off than a seventh, with the reason.
pub fn unmet(found: &[PredictedFigure]) -> Table {
    let far = |f: &&PredictedFigure| f.error().is_some_and(|e| e.abs() > AIM);
    let mut printed: Vec<&str> = Vec::new();
    let mut row = |f: &PredictedFigure| {
        let off = format!("{:+.0} %", f.error().unwrap_or(0.0) * 100.0);
        let reason = if printed.contains(&f.note) {
            "as above"
        } else {
            f.note
        };
        printed.push(f.note);
        let ms = |s: f64| format!("{:.1}", s * 1e3);
        let (guide, model) = f.defaults_s.map_or_else(Default::default, |d| {
            let (low, high) = d.published_s;
            (format!("{} to {}", ms(low), ms(high)), ms(d.simulated_s))
        });
        vec![f.name.clone(), off, guide, model, reason.to_owned()]
    };
    Table {
        title: "Predictions more than 15 % off, and why".into(),
        heading: words(&[
            "figure",
            "off",
            "guide, ms before",
            "model, ms before",
            "reason",
        ]),
        rows: found.iter().filter(far).map(&mut row).collect(),
        caption: "Milliseconds of a transaction with the defaults: the range that the guide's \
                  rounded time and gain allow, and the model's."
            .into(),
    }
}

/// Seconds to hundredths; zero has no sign.
fn hundredths(seconds: f64) -> String {
    format!("{:.2}", (seconds * 100.0).round() / 100.0 + 0.0)
}

/// The effect of each parameter for one client.
pub fn contributions(title: &str, all: &ChangeEffects) -> Table {
    let seconds = |s: Option<f64>| s.map_or("session fails".into(), |s| format!("{s:.2}"));
    let gain_s = all.before_s - all.after_s;
    let row = |a: &ChangeEffect| {
        let share = a.share_s.map(|s| (s, s / gain_s * 100.0));
        vec![
            a.change.name().to_owned(),
            seconds(a.alone_s),
            seconds(a.without_s),
            share.map_or("".into(), |(s, _)| hundredths(s)),
            // Adding zero avoids "-0" after rounding.
            share.map_or("".into(), |(_, p)| format!("{:.0}", p.round() + 0.0)),
        ]
    };
    Table {
        title: title.to_owned(),
        heading: words(&[
            "parameter",
            "tuned alone, s",
            "tuned all but it, s",
            "share of the gain, s",
            "share, %",
        ]),
        rows: all.parts.iter().map(row).collect(),
        caption: format!(
            "{:.2} s before, {:.2} s after. The share is what the parameter saves on average over \
             all orders in which the eight could have been tuned; the shares add up to the gain.",
            all.before_s, all.after_s
        ),
    }
}

/// The time of a frame before tuning, computed from published numbers only.
pub fn frame_times(found: &[PredictedFigure]) -> Table {
    let row = |client: Client| {
        let name = format!("A {} before", client.name());
        let figure = found.iter().find(|f| f.name.starts_with(&name));
        let published = figure.map_or(0.0, |f| f.published);
        let before = client.baseline();
        let frames = before.frames(client);
        vec![
            client.name().to_owned(),
            before.dlc_send.to_string(),
            frames.to_string(),
            format!("{published}"),
            format!("{:.1}", published * 1e3 / frames as f64),
        ]
    };
    Table {
        title: "Before tuning: time of a frame, from the guide's numbers only".into(),
        heading: words(&[
            "client",
            "link window",
            "frames",
            "published, s",
            "ms a frame",
        ]),
        rows: [Client::Os2, Client::Rs6000].into_iter().map(row).collect(),
        caption:
            "OS/2 with a link window of 3 and the much faster RS/6000 with one of 10 took the \
                  same time a frame. So it was not the link window that held OS/2 up."
                .into(),
    }
}

/// The gain of a file transfer, were the default frame of NS/DOS another.
pub fn dos_frames(model: &NetworkModel) -> Result<Table, RingError> {
    let gain = |pair: MachinePair, frame: usize| -> Result<String, RingError> {
        let tuned = pair.tuned(TransactionKind::File);
        let defaults = micro::MicroParameters {
            dos_frame_bytes: frame,
            ..pair.dos_defaults(TransactionKind::File)
        };
        let tuned_s = model.micro_s(pair, TransactionKind::File, &tuned, DOS_REPETITIONS)?;
        let default_s = model.micro_s(pair, TransactionKind::File, &defaults, DOS_REPETITIONS)?;
        Ok(format!("{:.1}", (1.0 - tuned_s / default_s) * 100.0))
    };
    let row = |(frame, place): (usize, &str)| -> Result<Vec<String>, RingError> {
        Ok(vec![
            frame.to_string(),
            place.to_owned(),
            gain(MachinePair::DosServer, frame)?,
            gain(MachinePair::DosClient, frame)?,
            "14.3".into(),
        ])
    };
    let frames = [
        (256, "Figure 10, default"),
        (987, "Figure 6, default as shipped"),
        (1929, "Figure 10, inquiries"),
        (4464, "text, with fix IC06030"),
    ];
    Ok(Table {
        title: "File transfer with DOS: gain over DOS defaults, were the default frame another, %"
            .into(),
        heading: words(&[
            "frame",
            "where the guide has it",
            "DOS server",
            "DOS client",
            "published",
        ]),
        rows: frames.into_iter().map(row).collect::<Result<_, _>>()?,
        caption: "The pacing window stays at its default of 3.".into(),
    })
}

/// Both readings where the guide contradicts itself.
pub fn contradictions(both: &[GuideContradiction]) -> Table {
    let side = |(text, seconds): (&str, Option<f64>)| match seconds {
        Some(s) => format!("{text}: {s:.3} s"),
        None => text.to_owned(),
    };
    let row = |c: &GuideContradiction| {
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

/// The costs of the machines.
pub fn costs() -> Table {
    let row = |k: &KnownCost| {
        vec![
            k.machine.to_owned(),
            k.what.to_owned(),
            k.show(k.value),
            k.calibrated_on.unwrap_or("given by the guide").to_owned(),
            k.reason.to_owned(),
        ]
    };
    Table {
        title: "Costs of the machines".into(),
        heading: words(&["machine", "what", "cost", "from", "reason"]),
        rows: COSTS.iter().map(row).collect(),
        caption: "A cost is calibrated on its own figure, given by the guide, or zero.".into(),
    }
}

/// The choices, with the published figures known at the time.
pub fn choices() -> Table {
    let row = |c: &ModelChoice| {
        let cells = [c.what, c.taken, c.other, c.seen, c.why];
        let mut row = vec![c.appendix.letter().to_owned()];
        row.extend(cells.map(str::to_owned));
        row
    };
    Table {
        title: "Choices, and the published figures known when they were made".into(),
        heading: words(&["", "what", "taken", "other", "in sight", "why"]),
        rows: CHOICES.iter().map(row).collect(),
        caption: String::new(),
    }
}

/// The number of predictions, and how many of them are correct.
pub fn count(found: &[PredictedFigure]) -> Table {
    let kinds = [
        ("held out: no choice depends on it", FigureOrigin::Predicted),
        (
            "predicted, with a choice made in sight of it",
            FigureOrigin::Seen,
        ),
        ("a cost was calibrated on it", FigureOrigin::Calibrated),
        (
            "arithmetic on other rows, or the same by construction",
            FigureOrigin::Derived,
        ),
    ];
    let row = |(kind, origin): (&str, FigureOrigin)| {
        let of_kind: Vec<&PredictedFigure> = found.iter().filter(|f| f.origin == origin).collect();
        let near = |f: &&&PredictedFigure| f.error().is_some_and(|e| e.abs() <= AIM);
        let near = if origin.claims() {
            of_kind.iter().filter(near).count().to_string()
        } else {
            String::new()
        };
        vec![kind.to_owned(), of_kind.len().to_string(), near]
    };
    Table {
        title: "Kinds of figures".into(),
        heading: words(&["kind", "figures", "within 15 %"]),
        rows: kinds.into_iter().map(row).collect(),
        caption: String::new(),
    }
}

/// By how much each figure of an appendix moves with each cost.
pub fn cost_sensitivity(
    title: &str,
    found: &[PredictedFigure],
    rows: &[sensitivity::SensitivityRow<(KnownCost, u64)>],
) -> Table {
    let named = |row: &sensitivity::SensitivityRow<(KnownCost, u64)>| {
        let (known, value) = &row.of;
        vec![
            format!("{}: {}", known.machine, known.what),
            known.show(*value),
        ]
    };
    let change = |of: &PredictedFigure, now: &PredictedFigure| {
        if of.simulated == 0.0 {
            now.simulated * 100.0
        } else {
            (now.simulated / of.simulated - 1.0) * 100.0
        }
    };
    Table {
        title: title.to_owned(),
        caption: "By how much each figure moves, in percent of itself, when one cost is a quarter \
                  smaller or larger and all else stays."
            .into(),
        ..moved(&["cost", "value"], found, rows, named, change)
    }
}

/// The errors of an appendix' predictions with each choice made the other way.
pub fn choice_sensitivity(
    title: &str,
    found: &[PredictedFigure],
    rows: &[sensitivity::SensitivityRow<&ModelChoice>],
) -> Table {
    let claims = |f: &&PredictedFigure| f.origin.claims();
    let found: Vec<PredictedFigure> = found.iter().filter(claims).cloned().collect();
    let named = |row: &sensitivity::SensitivityRow<&ModelChoice>| {
        vec![row.of.what.to_owned(), row.of.other.to_owned()]
    };
    let error =
        |_: &PredictedFigure, now: &PredictedFigure| now.error().unwrap_or(f64::NAN) * 100.0;
    let mut table = moved(&["choice", "made otherwise"], &found, rows, named, error);
    let mut first = words(&["all as in the report", ""]);
    let shown = found.iter().filter(|f| short(f).is_some());
    first.extend(shown.map(|f| percent(error(f, f))));
    table.rows.insert(0, first);
    Table {
        title: title.to_owned(),
        caption: "Errors of the predictions in percent. The calibrated costs are found anew for \
                  every row; none where no such cost meets its figure."
            .into(),
        ..table
    }
}

/// One row for each change, with a cell for each figure that has a short heading.
fn moved<T>(
    first: &[&str],
    found: &[PredictedFigure],
    rows: &[sensitivity::SensitivityRow<T>],
    named: impl Fn(&sensitivity::SensitivityRow<T>) -> Vec<String>,
    cell: impl Fn(&PredictedFigure, &PredictedFigure) -> f64,
) -> Table {
    let shown: Vec<&PredictedFigure> = found.iter().filter(|f| short(f).is_some()).collect();
    let mut heading = words(first);
    heading.extend(shown.iter().filter_map(|f| short(f)));
    let row = |row: &sensitivity::SensitivityRow<T>| {
        let mut cells = named(row);
        let now = |f: &PredictedFigure| row.figures.as_ref()?.iter().find(|now| now.name == f.name);
        let text = |f: &&PredictedFigure| now(f).map_or("none".into(), |now| percent(cell(f, now)));
        cells.extend(shown.iter().map(text));
        cells
    };
    Table {
        heading,
        rows: rows.iter().map(row).collect(),
        ..Table::default()
    }
}

/// Whole percent; zero has no minus sign.
fn percent(value: f64) -> String {
    format!("{:+.0}", value.round() + 0.0)
}

/// The short heading of a figure. Returns `None` for figures that the tables of
/// sensitivity omit: arithmetic, and figures that [`unmet`] calls unexplained.
fn short(figure: &PredictedFigure) -> Option<String> {
    let short = SHORT.iter().find(|(name, _)| figure.name.starts_with(name));
    short.map(|(_, short)| (*short).to_owned())
}

const SHORT: [(&str, &str); 18] = [
    ("A NS/DOS before", "DOS before"),
    ("A NS/DOS after", "DOS after"),
    ("A OS/2 before", "OS/2 before"),
    ("A OS/2 after", "OS/2 after"),
    ("A RS/6000 before", "RS/6000 before"),
    ("A RS/6000 after", "RS/6000 after"),
    ("B OS/2-OS/2 Turbo file transfer, Mb/s", "Turbo rate"),
    ("B OS/2-OS/2 Turbo file transfer gain", "Turbo gain"),
    ("B OS/2-OS/2 Turbo inquiry, s", "Turbo inquiry"),
    (
        "B OS/2-OS/2 Busmaster file transfer, Mb/s",
        "Busmaster rate",
    ),
    ("B OS/2-OS/2 Busmaster file transfer gain", "Busmaster gain"),
    ("B OS/2-OS/2 Busmaster inquiry, s", "Busmaster inquiry"),
    (
        "B OS/2-DOS (DOS server) file transfer, Mb/s",
        "DOS server rate",
    ),
    (
        "B OS/2-DOS (DOS server) file transfer gain over OS/2",
        "DOS server gain",
    ),
    (
        "B DOS-OS/2 (DOS client) file transfer, Mb/s",
        "DOS client rate",
    ),
    (
        "B DOS-OS/2 (DOS client) file transfer gain over OS/2",
        "DOS client gain",
    ),
    ("B DOS-OS/2 (DOS client) inquiry, s", "DOS client inquiry"),
    ("B OS/2-DOS (DOS server) inquiry, s", "DOS server inquiry"),
];

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|w| (*w).to_owned()).collect()
}

/// The accepted relative error of predictions.
const AIM: f64 = 0.15;
const DOS_REPETITIONS: usize = 20;

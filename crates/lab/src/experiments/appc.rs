//! The APPC tuning guide in virtual time: before and after tuning, the effect of
//! each parameter, and the contradictions of the guide.
//!
//! Reference: "APPC tuning guide", Appendices A and B.

use super::{Context, Experiment, MachineNeeds};
use crate::appc::attribution::{
    ChangeEffect, ChangeEffects, ParameterChange, attribute, frame_with_ru_held_s,
};
use crate::appc::calibrate::{MAINFRAME_TARGETS, calibrate};
use crate::appc::contradiction;
use crate::appc::figures::{self, PredictedFigure, TransactionCounts};
use crate::appc::mainframe::Client;
use crate::appc::model::NetworkModel;
use crate::appc::sensitivity::{self, GuideAppendix};
use crate::appc::{sweep, tables};
use crate::error::LabError;
use crate::report::{ExperimentReport, Picture, PublishedValue};
use crate::ring::{AcknowledgePoint, RingError};

/// The row of the table.
pub const EXPERIMENT: Experiment = Experiment {
    name: "appc",
    about: "the APPC tuning guide on a token ring in virtual time: before, after, and why",
    paper: "APPC tuning guide",
    needs: MachineNeeds::Nothing,
    repeats: 1,
    run,
};

fn run(context: &Context<'_>) -> Result<ExperimentReport, LabError> {
    let mut report = ExperimentReport {
        experiment: EXPERIMENT.name.into(),
        title: "APPC tuning on a token ring".into(),
        paper: EXPERIMENT.paper.into(),
        question: "What do RU size, frame size, pacing, link windows, MAXBFRU and DELAY bring on \
                   the guide's two networks? Real LU 6.2 sessions and a real 802.2 link layer run \
                   in virtual time; costs of the machines are calibrated on one side of each \
                   published pair, the other side is predicted, and what was chosen in sight of a \
                   published figure is named."
            .into(),
        predictions: true,
        ..ExperimentReport::default()
    };
    conditions(&mut report);
    let model = &NetworkModel::new(context.seed);
    context.report_progress("the published figures");
    let found = figures::all(TransactionCounts::PUBLISHED, model).map_err(failed)?;
    for figure in &found {
        add(&mut report, figure);
    }
    report.tables.push(tables::count(&found));
    report.tables.push(tables::unmet(&found));
    report
        .tables
        .push(tables::dos_frames(model).map_err(failed)?);
    context.report_progress("one parameter at a time, and in all orders");
    for client in Client::ALL {
        let all = attribute(client, ATTRIBUTION_REPETITIONS, model);
        if client == Client::Dos {
            verdict(&mut report, &all);
        }
        report.conclusions.push(conclusion(client, &all));
        let title = format!("{}: one parameter at a time", client.name());
        report.tables.push(tables::contributions(&title, &all));
        if client == Client::Os2 {
            about_os2(model, &all, &mut report);
            report.tables.push(tables::frame_times(&found));
        }
    }
    context.report_progress("both readings where the guide contradicts itself");
    let both = contradiction::all(model).map_err(failed)?;
    report.tables.push(tables::contradictions(&both));
    report.tables.push(tables::costs());
    report.tables.push(tables::choices());
    context.report_progress("the figures with other costs and other choices");
    for appendix in GuideAppendix::BOTH {
        let letter = appendix.letter();
        let of_appendix = |f: &&PredictedFigure| f.name.starts_with(letter);
        let found: Vec<PredictedFigure> = found.iter().filter(of_appendix).cloned().collect();
        let title = format!("Appendix {letter}: the figures with other costs");
        let costs = sensitivity::costs(appendix, model);
        report
            .tables
            .push(tables::cost_sensitivity(&title, &found, &costs));
        let title = format!("Appendix {letter}: the predictions with other choices");
        let choices = sensitivity::choices(appendix, model);
        report
            .tables
            .push(tables::choice_sensitivity(&title, &found, &choices));
    }
    context.report_progress("sweeps");
    for sweep in sweep::all(model).map_err(failed)? {
        report.pictures.push(Picture::Captioned {
            plot: sweep.plot,
            caption: sweep.caption.into(),
        });
    }
    Ok(report)
}

fn conditions(report: &mut ExperimentReport) {
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
        format!(
            "4 Mb/s ring, 3745 with NCP, 4381 with VTAM; 100,000 bytes from DOS, 1,000,000 from \
             the others, in buffers of 32,000; mean of {}",
            TransactionCounts::PUBLISHED.mainframe
        ),
    );
    report.condition(
        "Appendix B",
        "16 Mb/s ring, two 486/33; 100,000 bytes in buffers of 32,000, mean of 1,000; \
         100 bytes each way, mean of 20,000",
    );
}

fn add(report: &mut ExperimentReport, figure: &PredictedFigure) {
    let published = PublishedValue::number(figure.published);
    let (name, unit) = (&figure.name, figure.unit);
    report.add(figure.origin, name, "", published, figure.simulated, unit);
}

/// The largest effect of tuning.
fn verdict(report: &mut ExperimentReport, all: &ChangeEffects) {
    let saved = |a: &&ChangeEffect| a.alone_s.map_or(0.0, |alone_s| all.before_s - alone_s);
    let most = |a: &&ChangeEffect, b: &&ChangeEffect| saved(a).total_cmp(&saved(b));
    let Some(first) = all.parts.iter().max_by(most) else {
        return;
    };
    let alone_s = all.before_s - saved(&first);
    let change = first.change.name();
    report.conclusions.push(format!(
        "Tuned, 100,000 bytes from DOS take {:.2} s instead of {:.1} s, and most of that is \
         saved by {change} alone.",
        all.after_s, all.before_s
    ));
    report.matters(all.before_s, "s", "from DOS before tuning");
    report.matters(all.after_s, "s", "after it");
    report.matters(alone_s, "s", &format!("with {change} changed alone"));
}

/// The causes of the gain, compared with those that the guide names.
fn conclusion(client: Client, all: &ChangeEffects) -> String {
    let name = client.name();
    let list = |mut parts: Vec<(&str, f64)>| {
        parts.sort_by(|a, b| b.1.total_cmp(&a.1));
        let first = parts.iter().take(3).map(|(n, s)| format!("{n} {s:.2} s"));
        first.collect::<Vec<_>>().join(", ")
    };
    let saved = |a: &ChangeEffect| Some((a.change.name(), all.before_s - a.alone_s?));
    let shares = |a: &ChangeEffect| Some((a.change.name(), a.share_s?));
    let alone = list(all.parts.iter().filter_map(saved).collect());
    let shared = list(all.parts.iter().filter_map(shares).collect());
    let mut text = format!(
        "{name}: {:.2} s before tuning, {:.2} s after. Changed alone, the most is saved by {alone}. \
         Over all orders the largest shares are {shared}.",
        all.before_s, all.after_s
    );
    let named: (&str, &[ParameterChange]) = match client {
        Client::Dos => (
            "MAXBFRU and DELAY",
            &[ParameterChange::Maxbfru, ParameterChange::Delay],
        ),
        Client::Os2 => (
            "RU size and DLC pacing",
            &[
                ParameterChange::RuSize,
                ParameterChange::Frame,
                ParameterChange::DlcPacing,
            ],
        ),
        Client::Rs6000 => return text,
    };
    if let Some(seconds) = all.with_s(named.1) {
        let share = (all.before_s - seconds) / (all.before_s - all.after_s) * 100.0;
        text += &format!(
            " The guide names {}: these alone lead to {seconds:.2} s, {share:.0} % of the gain.",
            named.0
        );
    }
    if client == Client::Dos {
        text += FITTED;
    }
    text
}

/// A note for NS/DOS: which parts of the gain were calibrated.
const FITTED: &str = " The model's default of DELAY was found from this very figure before tuning, \
    so what DELAY saves here is fitted and explains nothing; for OS/2 and the RS/6000 it is predicted.";

/// The limits of the model for OS/2: larger frames with unchanged RUs, and a front
/// end that acknowledges late.
fn about_os2(model: &NetworkModel, base: &ChangeEffects, report: &mut ExperimentReport) {
    let os2 = Client::Os2;
    let ru = os2.baseline().effective_ru_bytes();
    if let Some(held) = frame_with_ru_held_s(os2, ATTRIBUTION_REPETITIONS, model) {
        report.conclusions.push(format!(
            "OS/2: CM/2's default RU follows the frame, so the row of the frame holds the gain of \
             the RU. Larger frames with the RU held at {ru} bytes lead to {held:.2} s from {:.2} s.",
            base.before_s
        ));
    }
    let late = model.with_structure(|s| s.acknowledges = AcknowledgePoint::WhenPassedOn);
    let Some(late) = calibrate(&late, MAINFRAME_TARGETS) else {
        return;
    };
    let parts = attribute(os2, ATTRIBUTION_REPETITIONS, &late);
    let without = parts
        .parts
        .iter()
        .find(|a| a.change == ParameterChange::DlcPacing);
    let cost = without.and_then(|a| a.without_s).unwrap_or(f64::NAN) - parts.after_s;
    let rs = Client::Rs6000;
    let rs_s = late.mainframe_s(rs, &rs.baseline(), ATTRIBUTION_REPETITIONS);
    let now = base
        .parts
        .iter()
        .find(|a| a.change == ParameterChange::DlcPacing);
    let now = now.and_then(|a| a.without_s).unwrap_or(f64::NAN) - base.after_s;
    let first_s = model.mainframe_s(rs, &rs.baseline(), ATTRIBUTION_REPETITIONS);
    report.conclusions.push(format!(
        "OS/2: the gain of DLC pacing depends on when the front end acknowledges a frame, which no \
         public source describes. If it does so on arrival, windows of 3 instead of 8 add {:.2} s to \
         the tuned transfer; if it does so after passing the frame on, {cost:.2} s. The RS/6000 \
         before tuning takes {:.2} s in the first case and {:.2} s in the second; 8.66 s are \
         published. The model does not decide this.",
        // Zero has no sign.
        (now * 100.0).round() / 100.0 + 0.0,
        first_s.unwrap_or(f64::NAN),
        rs_s.unwrap_or(f64::NAN)
    ));
    report.tables.push(tables::contributions(
        "OS/2, if the front end acknowledged a frame only when it had passed it on",
        &parts,
    ));
}

fn failed(error: RingError) -> LabError {
    LabError::Failed(error.to_string())
}

const ATTRIBUTION_REPETITIONS: usize = 10;

//! MAXFRAME in the line and in the controller.

use std::collections::HashMap;

use super::coded::CodedSetting;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::kinds::as400::KIND;
use crate::sna::source::AS400;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.as400.frame",
    summary: "MAXFRAME is not the largest of its line, or differs between line and controller.",
    why: "The defaults are not the best, and the smaller of line description and controller \
          description counts: a change to one of them alone changes nothing.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[AS400],
    check: &check,
};

/// The largest frame of an Ethernet line, and its default.
const ETHERNET: u32 = 1496;

/// The largest frame of a line, by its command and speed.
fn most(verb: &str, speed_16: bool) -> Option<u32> {
    match verb.get(3..)? {
        "LINTRN" => Some(if speed_16 { 16_393 } else { 4472 }),
        "LINETH" => Some(ETHERNET),
        "LINSDLC" => Some(2057),
        _ => None,
    }
}

/// The line that all of some indices name. Returns `None` if they differ.
fn only(mut lines: impl Iterator<Item = usize>) -> Option<usize> {
    let first = lines.next()?;
    lines.all(|other| other == first).then_some(first)
}

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let all = documents
        .of(&KIND)
        .flat_map(|d| d.statements().iter().map(move |s| (d, s)));
    let coded = |(d, s)| CodedSetting::on(d, s, &["MAXFRAME"]);
    let objects: Vec<_> = all.filter(|(_, s)| s.verb.len() > 6).map(coded).collect();
    let lines = objects
        .iter()
        .filter(|c| c.statement.verb.get(3..6) == Some("LIN"));
    for line in lines.clone() {
        let sixteen = line
            .statement
            .operand("LINESPEED")
            .is_some_and(|o| o.is("16M"));
        let Some(want) = most(&line.statement.verb, sixteen) else {
            continue;
        };
        // A CRT command without the operand has the default, which the guide
        // does not recommend; on Ethernet it is the maximum already.
        let created = line.statement.verb.starts_with("CRT");
        let by_default = line.operand.is_none() && created && want != ETHERNET;
        if by_default || line.number().is_some_and(|n| n < want) {
            let finding = line.finding(&RULE).code(line.line(&want.to_string()));
            let finding = finding.needs("the same in the controller descriptions");
            out.push(finding.needs("partners that take such frames"));
        }
    }
    let mut named: HashMap<String, Vec<usize>> = HashMap::new();
    let lines: Vec<_> = lines.collect();
    for (i, line) in lines.iter().enumerate() {
        let name = line.statement.name.to_ascii_uppercase();
        named.entry(name).or_default().push(i);
    }
    let controllers = objects
        .iter()
        .filter(|c| c.statement.verb.get(3..6) == Some("CTL"));
    for controller in controllers {
        // A controller names its lines; without names, the only line is its.
        let names = controller.statement.any(&["SWTLINLST", "LINE"]);
        let line = match names.map_or("", |o| o.value.as_str()) {
            "" => only(0..lines.len()),
            names => only(
                names
                    .split_whitespace()
                    .flat_map(|n| named.get(&n.to_ascii_uppercase()).into_iter().flatten())
                    .copied(),
            ),
        };
        let Some(line) = line.map(|i| lines[i]) else {
            continue;
        };
        if let (Some(frame), Some(most)) = (controller.number(), line.number())
            && frame < most
        {
            let finding = controller
                .finding(&RULE)
                .code(controller.line(&most.to_string()));
            let finding = finding.severity(FindingSeverity::Warning);
            out.push(finding.because(line.place(), format!("the line has MAXFRAME({most})")));
        }
    }
}

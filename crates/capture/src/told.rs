//! Findings told as one: what one rule found again and again between the same two ends is one
//! claim, and how sure it is is judged once.

use crate::{Confidence, Finding, station};
use serde::Serialize;
use std::net::IpAddr;

/// One cause between two ends, or in the whole capture, however often it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    /// The rule's stable name.
    pub rule: &'static str,
    /// Who asked whom (`192.0.2.1 to 192.0.2.9:80`); none for what concerns the whole capture.
    pub between: Option<String>,
    /// How sure the rule is, by all places together.
    pub confidence: Confidence,
    /// Places among the findings kept; there may be more.
    pub times: u64,
    /// What they cost in all.
    pub cost_ns: i64,
    /// The costliest place's sentence.
    pub text: String,
    /// The costliest place's packets.
    pub packets: Vec<u64>,
    /// Of each other place, costliest first, the packet that shows it.
    pub also: Vec<u64>,
}

/// Client, server and the server's port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Between(pub(crate) IpAddr, pub(crate) IpAddr, pub(crate) u16);

impl Told {
    /// The claims that these findings make, costliest first.
    ///
    /// A pair on which a rule is sure less often than not is not sure at all: the same thing
    /// goes on there, and most places do not show it.
    pub(crate) fn of(findings: &[Finding]) -> Vec<Told> {
        let mut all: Vec<(Option<Between>, Told)> = Vec::new();
        for finding in findings {
            let confidence = finding.confidence.min(most(findings, finding));
            let same = |(between, told): &&mut (Option<Between>, Told)| {
                between.is_some()
                    && *between == finding.between
                    && (told.rule, told.confidence) == (finding.rule, confidence)
            };
            match all.iter_mut().find(same) {
                Some((_, told)) => {
                    told.times += 1;
                    told.cost_ns = told.cost_ns.saturating_add(finding.cost_ns);
                    told.also.extend(finding.packets.last());
                }
                None => all.push((finding.between, Told::first(finding, confidence))),
            }
        }
        let mut told: Vec<Told> = all.into_iter().map(|(_, told)| told).collect();
        // Stable: equals keep the order of the findings.
        told.sort_by_key(|told| std::cmp::Reverse(told.cost_ns));
        told
    }

    fn first(finding: &Finding, confidence: Confidence) -> Told {
        let name = |Between(client, server, port): Between| {
            format!(
                "{} to {}",
                station::name(client),
                station::end_name(server, port)
            )
        };
        Told {
            rule: finding.rule,
            between: finding.between.map(name),
            confidence,
            times: 1,
            cost_ns: finding.cost_ns,
            text: finding.text.clone(),
            packets: finding.packets.clone(),
            also: Vec::new(),
        }
    }

    /// The other places in words; none where there are none.
    pub fn again(&self) -> Option<String> {
        let between = self.between.as_ref().filter(|_| self.times > 1)?;
        let more = match self.times - 1 {
            1 => "once more".to_owned(),
            n => format!("{n} times more"),
        };
        let cost = match self.cost_ns {
            0 => String::new(),
            ns => format!(", {} ms in all", crate::report::ms(ns)),
        };
        let shown: Vec<String> = (self.also.iter().take(PLACES))
            .map(u64::to_string)
            .collect();
        let rest = match self.also.len() > PLACES {
            true => " …",
            false => "",
        };
        let places = match shown.is_empty() {
            true => String::new(),
            false => format!(" (packets {}{rest})", shown.join(" ")),
        };
        Some(format!("{more} from {between}{cost}{places}"))
    }
}

/// How sure a rule may be of one of these ends' places: high where at least half of those that
/// it is not unsure of are.
fn most(findings: &[Finding], of: &Finding) -> Confidence {
    if of.between.is_none() || of.confidence != Confidence::High {
        return Confidence::High;
    }
    let count = |confidence| {
        (findings.iter())
            .filter(|f| f.rule == of.rule && f.between == of.between)
            .filter(|f| f.confidence == confidence)
            .count()
    };
    match count(Confidence::Medium) > count(Confidence::High) {
        true => Confidence::Medium,
        false => Confidence::High,
    }
}

/// Places that a line names.
const PLACES: usize = 8;

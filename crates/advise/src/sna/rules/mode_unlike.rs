//! A mode that is defined differently in different places.

use crate::document::{Documents, Place};
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::sna::model::{Ru, host_modes, modes};
use crate::sna::source::MODES;

pub(super) static RULE: Rule = Rule {
    name: "sna.mode.unlike",
    summary: "One mode has different classes of service, or different values in two nodes of one product.",
    why: "Users of one mode expect one service. Which definition a session follows depends on who \
          initiates it and on which machine it ends.",
    severity: Severity::Advice,
    effect: None,
    sources: &[MODES],
    check,
};

/// A value of a mode: its name, what it is, where.
struct Said {
    mode: String,
    what: &'static str,
    value: String,
    place: Place,
}

fn check(documents: &Documents, out: &mut Vec<Finding>) {
    let mut first: Vec<Said> = Vec::new();
    for said in all(documents) {
        match first
            .iter()
            .find(|f| f.mode == said.mode && f.what == said.what)
        {
            None => first.push(said),
            Some(f) if f.value == said.value => {}
            Some(f) => {
                let value = format!("mode {}: {} {}", said.mode, said.what, said.value);
                let finding = Finding::at(&RULE, said.place, value);
                out.push(finding.because(f.place.clone(), format!("{} {}", f.what, f.value)));
            }
        }
    }
}

fn all(documents: &Documents) -> Vec<Said> {
    let mut said = Vec::new();
    for m in host_modes(documents) {
        if let Some(cos) = m.statement.operand("COS") {
            let value = cos.value.to_ascii_uppercase();
            said.push(Said {
                mode: m.name.clone(),
                what: "class of service",
                value,
                place: m.place("COS"),
            });
        }
    }
    for m in modes(documents) {
        let mut push = |what, value: Option<String>, place: Place| {
            said.extend(value.map(|value| Said {
                mode: m.name.clone(),
                what,
                value,
                place,
            }));
        };
        if let Some(cos) = m.cos {
            push(
                "class of service",
                Some(cos.value.trim().to_ascii_uppercase()),
                m.document.place(cos.at),
            );
        }
        // The products' own best values differ, so only one product's nodes
        // are compared in these.
        let (ru, window) = match m.product {
            crate::sna::model::Product::Cm2 => ("RU of CM/2", "receive window of CM/2"),
            crate::sna::model::Product::NsDos => ("RU of NS/DOS", "receive window of NS/DOS"),
            crate::sna::model::Product::SnaServices => (
                "RU of SNA Services/6000",
                "receive window of SNA Services/6000",
            ),
            crate::sna::model::Product::As400 => ("RU of AS/400", "receive window of AS/400"),
        };
        let size = match m.ru {
            Ru::Bytes(n) => Some(n.to_string()),
            Ru::Frame => Some("of one frame".to_owned()),
            Ru::Open => None,
        };
        push(ru, size, m.place());
        push(window, m.receive_window.map(|n| n.to_string()), m.place());
    }
    said
}

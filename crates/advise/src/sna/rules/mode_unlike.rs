//! A mode that is defined differently in different places.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::document::{DocumentSet, FilePlace};
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::model::{Ru, SessionProduct, host_modes, modes};
use crate::sna::source::MODES;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.mode.unlike",
    summary: "One mode has different classes of service, or different values in two nodes of one product.",
    why: "Users of one mode expect one service. Which definition a session follows depends on who \
          initiates it and on which machine it ends.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[MODES],
    check: &check,
};

/// A value of a mode.
struct ModeValue {
    mode: String,
    what: String,
    value: String,
    place: FilePlace,
    /// Whether it is compared only with other files: within a file a later
    /// statement changes an earlier one.
    across_files: bool,
}

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let mut first: HashMap<(String, String), ModeValue> = HashMap::new();
    for said in all(documents) {
        let f = match first.entry((said.mode.clone(), said.what.clone())) {
            Entry::Occupied(f) => f.into_mut(),
            Entry::Vacant(free) => {
                free.insert(said);
                continue;
            }
        };
        let apart = !said.across_files || f.place.file != said.place.file;
        if apart && f.value != said.value {
            let value = format!("mode {}: {} {}", said.mode, said.what, said.value);
            let finding = TuningFinding::at(&RULE, said.place, value);
            out.push(finding.because(f.place.clone(), format!("{} {}", f.what, f.value)));
        }
    }
}

fn all(documents: &DocumentSet) -> Vec<ModeValue> {
    let mut said = Vec::new();
    let mut push = |mode: &str,
                    what: &str,
                    product: Option<SessionProduct>,
                    value: String,
                    place: FilePlace| {
        said.push(ModeValue {
            mode: mode.to_owned(),
            what: match product {
                Some(product) => format!("{what} of {}", product.name()),
                None => what.to_owned(),
            },
            value,
            place,
            across_files: product.is_some(),
        });
    };
    let class = "class of service";
    for m in host_modes(documents) {
        if let Some(cos) = m.statement.operand("COS") {
            push(
                &m.name,
                class,
                None,
                cos.value.to_ascii_uppercase(),
                m.place("COS"),
            );
        }
    }
    for m in modes(documents) {
        if let Some(cos) = m.cos {
            let (value, place) = (
                cos.value.trim().to_ascii_uppercase(),
                m.document.place(cos.at),
            );
            push(&m.name, class, None, value, place);
        }
        // The products' own best values differ, so sizes and windows are
        // compared within one product.
        let product = Some(m.product);
        let size = match m.ru {
            Ru::Bytes(n) => n.to_string(),
            Ru::Frame => "of one frame".to_owned(),
            Ru::Open => "not coded".to_owned(),
        };
        push(&m.name, "RU", product, size, m.place());
        if let Some(window) = m.receive_window {
            push(
                &m.name,
                "receive window",
                product,
                window.to_string(),
                m.place(),
            );
        }
    }
    said
}

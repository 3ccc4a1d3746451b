//! Findings that are the same for every value that an unreadable one may have.
//!
//! An invalid value (`VPACING=q`) is neither absent nor a default: it is open. The
//! rules then run once for each of a few candidates (a *world*: the bounds, their
//! neighbours, a value between, the special words), and only findings that are the
//! same in every world are reported. So no rule needs code for open values, and no
//! finding depends on one.
//!
//! Invariant: documents without open values are judged once, as they are.

use std::collections::HashMap;

use crate::document::{Document, DocumentContent, DocumentSet};
use crate::finding::TuningFinding;
use crate::sna::values::WORLDS;

/// A value that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableValue {
    /// The statement or definition that has it, counted from 0.
    pub statement: usize,
    /// Its operand or attribute, counted from 0.
    pub operand: usize,
    /// Its candidates, one for each world.
    pub samples: Vec<String>,
}

impl Document {
    /// The values that could not be read.
    pub(crate) fn open(&self) -> &[UnreadableValue] {
        match &self.content {
            DocumentContent::Sna(content) => &content.open,
            DocumentContent::Cics(crate::cicsts::CicsContent::Csd(csd)) => &csd.open,
            _ => &[],
        }
    }

    fn set_candidate(&mut self, open: &UnreadableValue, value: &str) {
        match &mut self.content {
            DocumentContent::Sna(content) => {
                let statement = content.statements.get_mut(open.statement);
                if let Some(o) = statement.and_then(|s| s.operands.get_mut(open.operand)) {
                    value.clone_into(&mut o.value);
                }
            }
            DocumentContent::Cics(crate::cicsts::CicsContent::Csd(csd)) => {
                let definition = csd.definitions.get_mut(open.statement);
                if let Some((_, v, _)) = definition.and_then(|d| d.attributes.get_mut(open.operand))
                {
                    value.clone_into(v);
                }
            }
            _ => {}
        }
    }
}

/// The findings of `judge` in every world.
pub(crate) fn for_each_candidate(
    documents: &DocumentSet,
    judge: impl Fn(&DocumentSet) -> Vec<TuningFinding>,
) -> Vec<TuningFinding> {
    if documents.all.iter().all(|d| d.open().is_empty()) {
        return judge(documents);
    }
    // One copy, which becomes each world in turn. It has no errors and no
    // candidates, which rules do not read.
    let mut copy = DocumentSet::new(documents.all.iter().map(Document::copy_for_candidates));
    let mut world = |world: usize| {
        for (document, original) in copy.all.iter_mut().zip(&documents.all) {
            for open in original.open() {
                if let Some(sample) = open.samples.get(world) {
                    document.set_candidate(open, sample);
                }
            }
        }
        judge(&copy)
    };
    let mut common = world(0);
    for i in 1..WORLDS {
        // An empty result stays empty.
        if common.is_empty() {
            break;
        }
        let here = world(i);
        let mut left: HashMap<&TuningFinding, usize> = HashMap::new();
        for finding in &here {
            *left.entry(finding).or_default() += 1;
        }
        common.retain(|finding| match left.get_mut(finding) {
            Some(n) if *n > 0 => {
                *n -= 1;
                true
            }
            _ => false,
        });
    }
    common
}

//! Findings that are the same for every value that an unreadable one may have.
//!
//! A value that is malformed (`VPACING=q`) is neither absent nor a default: it
//! is open. The rules then run once for each of a handful of values that it may
//! have had (a *world*: the bounds, their neighbours, a value between, the
//! special words), and only findings that are the same in every world are
//! reported. So no rule needs code for open values, and none reports what
//! depends on one.
//!
//! Invariant: documents without open values are judged once, as they are.

use std::collections::HashMap;

use crate::document::{Content, Document, Documents};
use crate::finding::Finding;
use crate::sna::values::WORLDS;

/// A value that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    /// The statement or definition that has it, counted from 0.
    pub statement: usize,
    /// Its operand or attribute, counted from 0.
    pub operand: usize,
    /// Its possible values, one for each world.
    pub samples: Vec<String>,
}

impl Document {
    /// The values that could not be read.
    pub(crate) fn open(&self) -> &[Open] {
        match &self.content {
            Content::Sna(content) => &content.open,
            Content::Cics(crate::cicsts::Content::Csd(csd)) => &csd.open,
            _ => &[],
        }
    }

    fn suppose(&mut self, open: &Open, value: &str) {
        match &mut self.content {
            Content::Sna(content) => {
                let statement = content.statements.get_mut(open.statement);
                if let Some(o) = statement.and_then(|s| s.operands.get_mut(open.operand)) {
                    value.clone_into(&mut o.value);
                }
            }
            Content::Cics(crate::cicsts::Content::Csd(csd)) => {
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
pub(crate) fn in_every(
    documents: &Documents,
    judge: impl Fn(&Documents) -> Vec<Finding>,
) -> Vec<Finding> {
    if documents.all.iter().all(|d| d.open().is_empty()) {
        return judge(documents);
    }
    // One copy, which is each world in turn: it has neither the errors, which
    // no rule reads, nor the samples.
    let mut copy = Documents::new(documents.all.iter().map(Document::to_suppose));
    let mut world = |world: usize| {
        for (document, original) in copy.all.iter_mut().zip(&documents.all) {
            for open in original.open() {
                if let Some(sample) = open.samples.get(world) {
                    document.suppose(open, sample);
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
        let mut left: HashMap<&Finding, usize> = HashMap::new();
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

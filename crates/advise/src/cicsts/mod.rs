//! CICS resource definitions and system initialization parameters.

mod csd;
pub mod rules;

pub use csd::{Csd, Definition};

use crate::document::{At, Document, Documents};
use crate::kind::Kind;

/// What a document of this area says.
#[derive(Debug, Clone)]
pub enum Content {
    /// Statements for DFHCSDUP.
    Csd(Csd),
}

/// The kinds of this area.
pub(crate) static KINDS: &[&Kind] = &[&csd::KIND];

impl Documents {
    /// Each CSD extract of the set.
    pub fn csds(&self) -> impl Iterator<Item = (&Document, &Csd)> {
        self.all.iter().filter_map(|d| match &d.content {
            crate::Content::Cics(Content::Csd(csd)) => Some((d, csd)),
            _ => None,
        })
    }

    /// Each definition of a type (`TCPIPSERVICE`) in all CSD extracts.
    pub fn definitions(&self, kind: &str) -> impl Iterator<Item = (&Document, &Definition)> {
        self.csds()
            .flat_map(|(document, csd)| csd.definitions.iter().map(move |d| (document, d)))
            .filter(move |(_, d)| d.kind == kind)
    }
}

/// A value and where it stands.
pub(crate) type Placed<T> = (T, At);

//! CICS: resource definitions, system initialization parameters, and the
//! configuration of CICS sockets.

mod csd;
mod ezacicd;
pub mod rules;
mod sit;
mod sit_names;

pub use csd::{CsdDefinition, CsdDefinitions};
pub use ezacicd::{EzacicdMacros, SocketEntry};
pub use sit::{SitParameter, SitParameters};

use crate::document::{Document, DocumentSet, LineColumn};
use crate::kind::DocumentKind;

/// The content of a document of this area.
#[derive(Debug, Clone)]
pub enum CicsContent {
    /// Statements for DFHCSDUP.
    Csd(CsdDefinitions),
    /// System initialization parameters.
    Sit(SitParameters),
    /// EZACICD macros.
    Sockets(EzacicdMacros),
}

/// The kinds of this area.
pub(crate) static KINDS: &[&DocumentKind] = &[&csd::KIND, &sit::KIND, &ezacicd::KIND];

impl DocumentSet {
    /// Each CSD extract of the set.
    pub fn csds(&self) -> impl Iterator<Item = (&Document, &CsdDefinitions)> {
        self.all.iter().filter_map(|d| match &d.content {
            crate::DocumentContent::Cics(CicsContent::Csd(csd)) => Some((d, csd)),
            _ => None,
        })
    }

    /// Each definition of a type (`TCPIPSERVICE`) in all CSD extracts.
    pub fn definitions(&self, kind: &str) -> impl Iterator<Item = (&Document, &CsdDefinition)> {
        self.csds()
            .flat_map(|(document, csd)| csd.definitions.iter().map(move |d| (document, d)))
            .filter(move |(_, d)| d.kind == kind)
    }

    /// A system initialization parameter: the last one wins.
    pub fn sit(&self, name: &str) -> Option<(&Document, &SitParameter)> {
        let all = self.all.iter().rev().filter_map(|d| match &d.content {
            crate::DocumentContent::Cics(CicsContent::Sit(sit)) => Some((d, sit)),
            _ => None,
        });
        all.into_iter()
            .find_map(|(d, sit)| Some((d, sit.get(name)?)))
    }

    /// The first document with system initialization parameters.
    pub fn first_sit(&self) -> Option<&Document> {
        let sit =
            |d: &&Document| matches!(d.content, crate::DocumentContent::Cics(CicsContent::Sit(_)));
        self.all.iter().find(sit)
    }

    /// Each EZACICD macro of a TYPE.
    pub fn socket_entries(&self, kind: &str) -> impl Iterator<Item = (&Document, &SocketEntry)> {
        let each = self.all.iter().filter_map(|d| match &d.content {
            crate::DocumentContent::Cics(CicsContent::Sockets(s)) => Some((d, s)),
            _ => None,
        });
        each.flat_map(|(d, s)| s.entries.iter().map(move |e| (d, e)))
            .filter(move |(_, e)| {
                e.get("TYPE")
                    .is_some_and(|(t, _)| t.eq_ignore_ascii_case(kind))
            })
    }
}

/// A value and its position.
pub(crate) type PlacedValue<T> = (T, LineColumn);

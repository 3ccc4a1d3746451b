//! VTAM, NCP and the SNA products: LU 6.2 sessions over token rings.
//!
//! Every text is parsed to [`Statement`]s ([`syntax`]), whatever its punctuation.
//! [`values`] checks the values that rules use. [`model`] collects the modes and
//! links of all products under common names. [`session`] pairs the nodes, and
//! [`negotiate`] computes the result of the BIND. The rules follow the APPC tuning
//! guide.

pub mod applications;
pub(crate) mod kinds;
pub mod model;
pub mod negotiate;
pub mod ru;
pub mod rules;
pub mod session;
mod source;
pub mod syntax;
pub(crate) mod values;

pub use syntax::{KeywordOperand, Statement};

use crate::document::{Document, DocumentSet};
use crate::kind::DocumentKind;
use crate::worlds::UnreadableValue;
use kinds::{aix, as400, cm2_lan, cm2_ndf, nsdos, vtam};

/// The content of a document of this area; its syntax depends on its kind.
#[derive(Debug, Clone)]
pub struct SnaContent {
    /// The statements in their order.
    pub statements: Vec<Statement>,
    /// Values in them that could not be read.
    pub open: Vec<UnreadableValue>,
}

/// The kinds of this area.
pub(crate) static KINDS: &[&DocumentKind] = &[
    &vtam::MODES,
    &vtam::MAJOR,
    &vtam::NCP,
    &vtam::START,
    &cm2_ndf::KIND,
    &cm2_lan::KIND,
    &nsdos::KIND,
    &as400::KIND,
    &aix::KIND,
];

impl Document {
    /// The statements of an SNA text; empty for another text.
    pub fn statements(&self) -> &[Statement] {
        match &self.content {
            crate::DocumentContent::Sna(content) => &content.statements,
            _ => &[],
        }
    }
}

impl DocumentSet {
    /// The documents of a kind.
    pub(crate) fn of(&self, kind: &'static DocumentKind) -> impl Iterator<Item = &Document> {
        self.all.iter().filter(move |d| d.kind == kind)
    }

    /// The statements with a verb, in the documents of a kind.
    pub(crate) fn stated<'a>(
        &'a self,
        kind: &'static DocumentKind,
        verb: &'a str,
    ) -> impl Iterator<Item = (&'a Document, &'a Statement)> {
        self.of(kind)
            .flat_map(|d| d.statements().iter().map(move |s| (d, s)))
            .filter(move |(_, s)| s.verb == verb)
    }
}

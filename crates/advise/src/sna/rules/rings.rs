//! The token rings of NCP generations: the operands of each line, including those
//! of its group.
//!
//! A ring's line is one whose group or own statement has an ECLTYPE, a ring
//! adapter or MAXTSL. Lines of `ECLTYPE=LOGICAL` groups are the stations'
//! connections over a ring and say nothing of its frames.

use super::coded::CodedSetting;
use super::tiers::{NestedStatement, StatementIndex, tiers};
use crate::document::{Document, DocumentSet};
use crate::sna::kinds::vtam;

/// The largest frame of an old adapter.
pub(super) const TIC1: u32 = 1108;
/// The best frame of a TIC2 at 4 Mb/s.
const TIC2_4: u32 = 4060;
/// The best frame of a TIC2 at 16 Mb/s.
const TIC2_16: u32 = 16_000;

/// One ring of an NCP.
#[derive(Debug, Clone)]
pub(super) struct NcpRing<'a> {
    line: NestedStatement<'a>,
    units: Vec<NestedStatement<'a>>,
}

/// The rings of every generation.
pub(super) fn rings(documents: &DocumentSet) -> Vec<NcpRing<'_>> {
    documents.of(&vtam::NCP).flat_map(of).collect()
}

/// The rings of one generation: its ring lines, and groups without lines. A
/// setting of a group applies to all its lines and is reported once.
pub(super) fn of(document: &Document) -> Vec<NcpRing<'_>> {
    let all = tiers(document);
    let (lines, units) = (
        StatementIndex::of(&all, "LINE"),
        StatementIndex::of(&all, "PU"),
    );
    all.iter()
        .filter(|t| match t.statement.verb.as_str() {
            "LINE" => true,
            "GROUP" => lines.below(t.statement).next().is_none(),
            _ => false,
        })
        .filter(|t| is_ring(t))
        .map(|t| NcpRing {
            line: t.clone(),
            units: units.below(t.statement).cloned().collect(),
        })
        .collect()
}

fn is_ring(tier: &NestedStatement<'_>) -> bool {
    let said = ecltype(tier);
    let adapter = tier
        .operand("ADAPTER")
        .map(|o| o.value.to_ascii_uppercase());
    !said.contains("LOGICAL")
        && (!said.is_empty()
            || adapter.is_some_and(|a| a.starts_with("TIC"))
            || tier.operand("MAXTSL").is_some())
}

fn ecltype(tier: &NestedStatement<'_>) -> String {
    let named = tier.coded(&["ECLTYPE", "NTRIECLT"]).operand;
    named.map_or(String::new(), |o| o.value.to_ascii_uppercase())
}

impl<'a> NcpRing<'a> {
    /// A setting that holds for the ring.
    pub(super) fn coded(&self, name: &'a str) -> CodedSetting<'a> {
        self.line.coded(&[name])
    }

    /// Every place at which the ring's group, line and physical units code a
    /// setting.
    pub(super) fn settings(&self, name: &'a str) -> Vec<CodedSetting<'a>> {
        let units = self.units.iter().map(|u| u.statement);
        let all = self.line.chain.iter().copied().chain(units);
        all.map(|s| CodedSetting::on(self.line.document, s, &[name]))
            .filter(|c| c.operand.is_some())
            .collect()
    }

    /// A setting as the ring's group should code it.
    pub(super) fn group(&self, name: &'a str) -> Option<CodedSetting<'a>> {
        let group = self.line.chain.iter().find(|s| s.verb == "GROUP")?;
        Some(CodedSetting::on(self.line.document, group, &[name]))
    }

    /// The generation that it belongs to.
    pub(super) fn document(&self) -> &'a Document {
        self.line.document
    }

    /// Whether the NCP ring connects subareas instead of stations.
    pub(super) fn subarea(&self) -> bool {
        ecltype(&self.line).contains("SUBAREA")
    }

    /// Whether the NCP ring is on a TIC1.
    pub(super) fn old(&self) -> bool {
        self.line.operand("ADAPTER").is_some_and(|o| o.is("TIC1"))
    }

    /// The largest frame now, where it is coded.
    pub(super) fn maxtsl(&self) -> Option<u32> {
        self.coded("MAXTSL").number()
    }

    /// The frame size for a ring of stations, and the assumed adapter.
    pub(super) fn advised(&self) -> (u32, &'static str) {
        let speed = self.coded("TRSPEED").number();
        match (self.old(), speed) {
            (true, _) => (TIC1, "ADAPTER=TIC1: at most 1108"),
            (false, Some(16)) => (TIC2_16, "a TIC2 at 16 Mb/s"),
            (false, Some(_)) => (TIC2_4, "a TIC2 at 4 Mb/s"),
            (false, None) => (
                TIC2_4,
                "a TIC2 at 4 Mb/s (TRSPEED is not coded); 16000 at 16 Mb/s",
            ),
        }
    }

    /// The largest frame after the advice. A subarea ring, and an old adapter
    /// with short frames, keep theirs.
    pub(super) fn frame(&self) -> u32 {
        let advised = self.advised().0;
        match self.maxtsl() {
            Some(coded) if self.subarea() || (self.old() && coded < advised) => coded,
            _ => advised,
        }
    }
}

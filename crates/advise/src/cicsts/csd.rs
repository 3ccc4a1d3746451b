//! CSD extracts: DEFINE statements for DFHCSDUP, read by the vocabulary crate.
//!
//! Reference: CICS system definition utility program (DFHCSDUP).

use base::{Diagnostic, Severity};
use cics::csd::{OtherDef, resource_types};

use super::{CicsContent, PlacedValue};
use crate::document::{LineColumn, ParsedText};
use crate::kind::DocumentKind;
use crate::sna::values;
use crate::worlds::UnreadableValue;

/// Everything a CSD extract defines.
#[derive(Debug, Clone, Default)]
pub struct CsdDefinitions {
    /// The definitions in their order.
    pub definitions: Vec<CsdDefinition>,
    /// Values in them that could not be read.
    pub open: Vec<UnreadableValue>,
}

/// One definition, as written.
#[derive(Debug, Clone)]
pub struct CsdDefinition {
    /// The type in full, as `TCPIPSERVICE`.
    pub kind: String,
    /// The name.
    pub name: String,
    /// The group.
    pub group: String,
    /// Start of the definition.
    pub at: LineColumn,
    /// The attributes: full name, value, place.
    pub attributes: Vec<(String, String, LineColumn)>,
}

impl CsdDefinition {
    /// The value of an attribute and its place.
    pub fn get(&self, name: &str) -> Option<PlacedValue<&str>> {
        let found = self.attributes.iter().find(|(n, ..)| n == name);
        found.map(|(_, value, at)| (value.as_str(), *at))
    }

    /// The value of an attribute as a number.
    pub fn number(&self, name: &str) -> Option<PlacedValue<u64>> {
        let (value, at) = self.get(name)?;
        Some((value.trim().parse().ok()?, at))
    }

    /// Whether an attribute has a value; abbreviated values count.
    pub fn is(&self, name: &str, value: &str) -> bool {
        self.get(name)
            .is_some_and(|(v, _)| v.eq_ignore_ascii_case(value))
    }

    /// Whether an attribute is coded, with a value.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some_and(|(value, _)| !value.is_empty())
    }

    /// The attribute that names the LSR pool: LSRPOOLNUM, or LSRPOOLID in older
    /// releases.
    pub(crate) fn pool_attribute(&self) -> &'static str {
        if self.has("LSRPOOLID") && !self.has("LSRPOOLNUM") {
            "LSRPOOLID"
        } else {
            "LSRPOOLNUM"
        }
    }

    /// The number of the LSR pool; 1 is the default.
    pub(crate) fn pool_number(&self) -> u64 {
        self.number(self.pool_attribute()).map_or(1, |(n, _)| n)
    }

    /// Whether the file is in no LSR pool.
    pub(crate) fn is_nsr(&self) -> bool {
        self.is(self.pool_attribute(), "NONE")
    }

    /// The place of an attribute, or of the definition where it is left out.
    pub fn at(&self, name: &str) -> LineColumn {
        self.get(name).map_or(self.at, |(_, at)| at)
    }

    /// The statement that gives attributes other values.
    pub fn alter(&self, attributes: &str) -> String {
        let CsdDefinition {
            kind, name, group, ..
        } = self;
        format!("ALTER {kind}({name}) GROUP({group}) {attributes}")
    }
}

impl From<OtherDef> for CsdDefinition {
    fn from(def: OtherDef) -> CsdDefinition {
        let attributes = def.attributes.into_iter().map(|a| {
            let at = LineColumn {
                line: a.line,
                column: a.column,
            };
            (a.name, a.value.unwrap_or_default(), at)
        });
        CsdDefinition {
            kind: def.kind,
            name: def.name,
            group: def.group.as_str().to_owned(),
            at: LineColumn {
                line: def.line,
                column: def.column,
            },
            attributes: attributes.collect(),
        }
    }
}

pub(super) static KIND: DocumentKind = DocumentKind {
    word: "csd",
    title: "CICS resource definitions: DEFINE and ALTER statements for DFHCSDUP",
    recognise,
    parse,
};

/// The number of lines that define a resource. Returns 0 if many more words are
/// outside statements: such a text only quotes definitions.
fn recognise(text: &str) -> usize {
    let own = text.lines().filter(|l| defines(l)).count();
    if own == 0 {
        return 0;
    }
    let (_, reported) = cics::csd::definitions(text);
    let errors = reported.iter().filter(|d| d.severity == Severity::Error);
    if errors.count() > FOREIGN * own {
        return 0;
    }
    2 * own
}

/// Whether a line begins the definition of a resource that CICS has.
fn defines(line: &str) -> bool {
    let line = line.trim_start();
    let (verb, rest) = line.split_at(line.find(char::is_whitespace).unwrap_or(line.len()));
    let verbs = ["DEFINE", "ALTER"];
    let rest = rest.trim_start();
    let kind = &rest[..rest.find(['(', ' ', '\t']).unwrap_or(rest.len())];
    let kind = kind.to_ascii_uppercase();
    // The type may be on the next line.
    verbs.iter().any(|v| v.eq_ignore_ascii_case(verb))
        && (kind.is_empty() || (kind.len() >= 3 && resource_types().any(|t| t.starts_with(&kind))))
}

/// A definition with this many errors is in another language.
const FOREIGN: usize = 4;

fn parse(text: &str) -> ParsedText {
    let (definitions, mut diagnostics) = cics::csd::definitions(text);
    let definitions: Vec<_> = definitions.into_iter().map(CsdDefinition::from).collect();
    let open = judge(&definitions, &mut diagnostics);
    ParsedText {
        content: crate::DocumentContent::Cics(CicsContent::Csd(CsdDefinitions {
            definitions,
            open,
        })),
        diagnostics,
    }
}

/// Checks the values that rules of SNA read. An attribute without a value has
/// its default, as with DFHCSDUP.
fn judge(definitions: &[CsdDefinition], reported: &mut Vec<Diagnostic>) -> Vec<UnreadableValue> {
    let mut open = Vec::new();
    let Some(table) = values::table(KIND.word) else {
        return open;
    };
    for (d, definition) in definitions.iter().enumerate() {
        for (a, (name, value, at)) in definition.attributes.iter().enumerate() {
            // Sessions of the external CICS interface and of LU 6.1 have counts
            // of their own, and an extract prints MAXIMUM(0,0) for them.
            let other = name == "MAXIMUM"
                && definition.has("PROTOCOL")
                && !definition.is("PROTOCOL", "APPC");
            let row = table
                .row(&definition.kind, name)
                .filter(|_| !value.is_empty() && !other);
            let place = (definition.kind.as_str(), name.as_str(), *at);
            if let Some(samples) = row.and_then(|row| table.value(row, place, value, reported)) {
                open.push(UnreadableValue {
                    statement: d,
                    operand: a,
                    samples,
                });
            }
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_of_the_external_interface_have_no_maximum() {
        let define = |protocol: &str| {
            let text = format!(
                "DEFINE SESSIONS(S) GROUP(G) CONNECTION(C) PROTOCOL({protocol})\n  MAXIMUM(0,0)\n"
            );
            parse(&text).diagnostics.len()
        };
        assert_eq!((define("EXCI"), define("LU61"), define("APPC")), (0, 0, 1));
    }

    #[test]
    fn only_types_of_a_csd_make_one() {
        assert_eq!(recognise("DEFINE TRANS(A) GROUP(G) PROGRAM(P)\n"), 2);
        assert_eq!(recognise("DEFINE CICSPLEX(A)\nDEFINE REGION(R)\n"), 0);
    }
}

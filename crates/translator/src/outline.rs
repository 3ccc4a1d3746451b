//! The outline of a source file: its programs, their divisions and labels.
//!
//! Only as much is read as the translator must know to put its declarations
//! and its first statements in their places; everything else is the
//! compiler's business.

use crate::token::{Token, TokenKind};

/// A program of the file, outermost or contained in another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ProgramUnit {
    /// PROGRAM-ID.
    pub name: String,
    /// Index of the unit it is contained in.
    pub parent: Option<usize>,
    /// Tokens from IDENTIFICATION to the end.
    pub start: usize,
    /// Index after the last token.
    pub end: usize,
    /// Whether END PROGRAM closes it.
    pub closed: bool,
    /// Index after the period of DATA DIVISION.
    pub data: Option<usize>,
    /// Index after the period of WORKING-STORAGE SECTION.
    pub working_storage: Option<usize>,
    /// Index after the period of LINKAGE SECTION.
    pub linkage: Option<usize>,
    /// First token of the sections that follow WORKING-STORAGE.
    pub after_working_storage: Option<usize>,
    /// First token of the sections that follow LINKAGE.
    pub after_linkage: Option<usize>,
    /// PROCEDURE of PROCEDURE DIVISION.
    pub procedure: Option<usize>,
    /// Index after the period of PROCEDURE DIVISION.
    pub procedure_body: Option<usize>,
    /// Index after the period of END DECLARATIVES.
    pub declaratives_end: Option<usize>,
    /// Level-01 and level-77 names of the LINKAGE SECTION, upper case.
    pub linkage_names: Vec<String>,
    /// Paragraphs and sections.
    pub labels: Vec<ProcedureLabel>,
}

/// A paragraph or section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProcedureLabel {
    /// Name in upper case.
    pub name: String,
    /// Its token.
    pub at: usize,
    /// Section it is in, upper case; `None` outside and for sections.
    pub section: Option<String>,
    /// Whether it is a section.
    pub is_section: bool,
}

impl ProgramUnit {
    /// The place of the first statement.
    pub(crate) fn first_statement(&self) -> Option<usize> {
        self.declaratives_end.or(self.procedure_body)
    }

    /// The label of a name as a statement at an index would find it; the
    /// section to qualify it with where the name alone is not unique.
    pub(crate) fn label(&self, name: &str, at: usize) -> Option<(&ProcedureLabel, Option<&str>)> {
        let found: Vec<&ProcedureLabel> = self.labels.iter().filter(|l| l.name == name).collect();
        match found.as_slice() {
            [] => None,
            [only] => Some((only, None)),
            several => {
                let section = self
                    .labels
                    .iter()
                    .rfind(|l| l.is_section && l.at <= at)
                    .map(|l| l.name.as_str());
                let near = several.iter().find(|l| l.section.as_deref() == section);
                let label = near.copied().unwrap_or(several[0]);
                Some((label, label.section.as_deref()))
            }
        }
    }
}

/// Whether the token at an index ends a sentence.
pub(crate) fn is_period(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|t| t.is_mark('.')) && tokens.get(at + 1).is_none_or(|t| t.spaced)
}

fn after_period(tokens: &[Token], at: usize) -> usize {
    (at..tokens.len())
        .find(|&i| is_period(tokens, i))
        .map_or(tokens.len(), |i| i + 1)
}

/// The programs of a file in the order of their beginning.
pub(crate) fn outline(tokens: &[Token]) -> Vec<ProgramUnit> {
    let mut units: Vec<ProgramUnit> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let ends = end_programs(tokens);
    let mut at = 0;
    while at < tokens.len() {
        let t = &tokens[at];
        let next_is = |word: &str| tokens.get(at + 1).is_some_and(|n| n.is(word));
        if t.is_any(&["EXEC", "EXECUTE"]) {
            at = skip_exec(tokens, at);
            continue;
        }
        if t.is_any(&["IDENTIFICATION", "ID"]) && next_is("DIVISION") {
            // A program is contained in the open one if that one is closed later.
            while let Some(&outer) = open.last() {
                let name = &units[outer].name;
                if ends.iter().any(|(i, n)| *i > at && n == name) {
                    break;
                }
                units[outer].end = at;
                open.pop();
            }
            units.push(ProgramUnit {
                parent: open.last().copied(),
                start: at,
                end: tokens.len(),
                ..ProgramUnit::default()
            });
            open.push(units.len() - 1);
        } else if t.is_any(&["PROGRAM-ID", "FUNCTION-ID"]) && starts_line_or_sentence(tokens, at) {
            if open.is_empty() {
                units.push(ProgramUnit {
                    start: at,
                    end: tokens.len(),
                    ..ProgramUnit::default()
                });
                open.push(units.len() - 1);
            }
            if let Some(unit) = open.last().and_then(|&u| units.get_mut(u)) {
                let name = tokens[at + 1..].iter().find(|t| t.kind != TokenKind::Mark);
                if let Some(name) = name {
                    unit.name = name.text.trim_matches(['\'', '"']).to_ascii_uppercase();
                }
            }
        } else if t.is("END") && next_is("PROGRAM") {
            if let Some(u) = open.pop() {
                units[u].closed = true;
                units[u].end = after_period(tokens, at);
            }
        } else if let Some(&u) = open.last() {
            divisions(tokens, at, &mut units[u]);
        }
        at += 1;
    }
    for unit in &mut units {
        sections(tokens, unit);
    }
    let children: Vec<(usize, usize, usize)> = units
        .iter()
        .filter_map(|u| u.parent.map(|p| (p, u.start, u.end)))
        .collect();
    for (i, unit) in units.iter_mut().enumerate() {
        let inner = children.iter().filter(|c| c.0 == i).map(|c| c.1).min();
        labels(tokens, unit, inner.unwrap_or(unit.end));
    }
    units
}

/// END PROGRAM statements and their names.
fn end_programs(tokens: &[Token]) -> Vec<(usize, String)> {
    (0..tokens.len())
        .filter(|&i| tokens[i].is("END") && tokens.get(i + 1).is_some_and(|t| t.is("PROGRAM")))
        .filter_map(|i| {
            let name = tokens.get(i + 2)?;
            Some((i, name.text.trim_matches(['\'', '"']).to_ascii_uppercase()))
        })
        .collect()
}

/// The index after an EXEC block, or of the next token if it has no end.
pub(crate) fn skip_exec(tokens: &[Token], at: usize) -> usize {
    for (i, t) in tokens.iter().enumerate().skip(at + 1) {
        if t.is("END-EXEC") {
            return i + 1;
        }
        // EXECUTE is a statement of SQL itself.
        let is_statement = t.is("EXECUTE") && tokens[at + 1].is("SQL");
        if t.is_any(&["EXEC", "EXECUTE"]) && !is_statement {
            break;
        }
    }
    at + 1
}

fn starts_line_or_sentence(tokens: &[Token], at: usize) -> bool {
    at == 0 || is_period(tokens, at - 1) || tokens[at].place.line != tokens[at - 1].place.line
}

fn divisions(tokens: &[Token], at: usize, unit: &mut ProgramUnit) {
    let t = &tokens[at];
    let next_is = |word: &str| tokens.get(at + 1).is_some_and(|n| n.is(word));
    if t.is("DATA") && next_is("DIVISION") && unit.data.is_none() {
        unit.data = Some(after_period(tokens, at));
    } else if t.is("PROCEDURE") && next_is("DIVISION") && unit.procedure.is_none() {
        unit.procedure = Some(at);
        unit.procedure_body = Some(after_period(tokens, at));
    } else if t.is("END") && next_is("DECLARATIVES") && unit.procedure.is_some() {
        unit.declaratives_end = Some(after_period(tokens, at));
    }
}

const SECTIONS: &[&str] = &[
    "FILE",
    "WORKING-STORAGE",
    "LOCAL-STORAGE",
    "LINKAGE",
    "COMMUNICATION",
    "REPORT",
    "SCREEN",
];

/// The sections of the data division, which have a fixed order.
fn sections(tokens: &[Token], unit: &mut ProgramUnit) {
    let Some(data) = unit.data else { return };
    let end = unit.procedure.unwrap_or(unit.end);
    for at in data..end.min(tokens.len()) {
        let t = &tokens[at];
        if !(t.is_any(SECTIONS) && tokens.get(at + 1).is_some_and(|n| n.is("SECTION"))) {
            continue;
        }
        let body = after_period(tokens, at);
        if t.is("WORKING-STORAGE") {
            unit.working_storage = Some(body);
        } else if t.is("LINKAGE") {
            unit.linkage = Some(body);
            unit.after_working_storage.get_or_insert(at);
            unit.linkage_names = level_names(tokens, body, end);
        } else if !t.is("FILE") {
            unit.after_working_storage.get_or_insert(at);
            if unit.linkage.is_some() || t.is_any(&["COMMUNICATION", "REPORT", "SCREEN"]) {
                unit.after_linkage.get_or_insert(at);
            }
        }
    }
}

fn level_names(tokens: &[Token], from: usize, to: usize) -> Vec<String> {
    let mut names = Vec::new();
    for at in from..to.min(tokens.len()) {
        let starts = at == from || is_period(tokens, at - 1);
        if starts
            && tokens[at].is_any(&["01", "1", "77"])
            && let Some(name) = tokens.get(at + 1)
        {
            names.push(name.upper());
        }
    }
    names
}

/// Statements of one word, which look like a paragraph's name.
pub(crate) const ONE_WORD: &[&str] = &[
    "EXIT",
    "GOBACK",
    "CONTINUE",
    "DECLARATIVES",
    "ELSE",
    "EJECT",
    "SKIP1",
    "SKIP2",
    "SKIP3",
];

fn labels(tokens: &[Token], unit: &mut ProgramUnit, end: usize) {
    let Some(body) = unit.procedure_body else {
        return;
    };
    let mut section: Option<String> = None;
    let mut at = body;
    while at < end.min(tokens.len()) {
        if tokens[at].is_any(&["EXEC", "EXECUTE"]) {
            at = skip_exec(tokens, at);
            continue;
        }
        let t = &tokens[at];
        let starts = at == body || is_period(tokens, at - 1);
        if starts
            && t.kind == TokenKind::Word
            && !t.upper().starts_with("END-")
            && !t.is_any(ONE_WORD)
        {
            if tokens.get(at + 1).is_some_and(|n| n.is("SECTION")) {
                section = Some(t.upper());
                unit.labels.push(ProcedureLabel {
                    name: t.upper(),
                    at,
                    section: None,
                    is_section: true,
                });
            } else if is_period(tokens, at + 1) {
                unit.labels.push(ProcedureLabel {
                    name: t.upper(),
                    at,
                    section: section.clone(),
                    is_section: false,
                });
            }
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    use crate::copy::{CopyLibrary, expand};

    fn units(source: &str) -> Vec<ProgramUnit> {
        let format = copybook::ReferenceFormat::Free;
        let library = CopyLibrary::default();
        outline(&expand(Path::new("a"), source.as_bytes(), format, &library).tokens)
    }

    #[test]
    fn divisions_sections_and_labels_are_found() {
        let u = units(
            "identification division. program-id. a. data division. working-storage section.\n\
             01 x pic x. linkage section. 01 dfhcommarea. 05 y pic x.\n\
             procedure division.\nmain section. p1. goback. p2. exit. q section. p1. stop run.\n",
        );
        assert_eq!(u.len(), 1);
        assert_eq!(u[0].name, "A");
        assert_eq!(u[0].linkage_names, ["DFHCOMMAREA"]);
        let labels: Vec<&str> = u[0].labels.iter().map(|l| l.name.as_str()).collect();
        assert_eq!(labels, ["MAIN", "P1", "P2", "Q", "P1"]);
        let last = u[0].labels[4].at + 1;
        assert_eq!(u[0].label("P1", last).unwrap().1, Some("Q"));
        assert_eq!(u[0].label("P2", last).unwrap().1, None);
    }

    #[test]
    fn contained_and_following_programs_are_distinguished() {
        let inner = units(
            "id division. program-id. a. procedure division. goback.\n\
             id division. program-id. b. procedure division. goback. end program b. end program a.\n",
        );
        assert_eq!(inner[1].parent, Some(0));
        let next = units(
            "id division. program-id. a. procedure division. goback.\n\
             id division. program-id. b. procedure division. goback.\n",
        );
        assert_eq!((next[1].parent, next[0].closed), (None, false));
        assert_eq!(next[0].end, next[1].start);
    }
}

//! The kinds of SNA configuration text: one file each, one row in
//! [`super::KINDS`].

pub(crate) mod aix;
pub(crate) mod as400;
pub(crate) mod cm2_lan;
pub(crate) mod cm2_ndf;
pub(crate) mod nsdos;
pub(crate) mod vtam;

use crate::document::ParsedText;
use crate::kind::DocumentKind;
use crate::sna::syntax::ParsedStatements;
use crate::sna::{SnaContent, values};
use crate::unknown::UnknownNames;

/// A text whose verbs are checked against a list (`*` ends a prefix) and whose
/// values against the table of its kind.
fn parsed(
    kind: &DocumentKind,
    mut text: ParsedStatements,
    known: &[&str],
    noun: &str,
) -> ParsedText {
    let mut unknown = UnknownNames::default();
    for s in &text.statements {
        let fits = |k: &&str| match k.strip_suffix('*') {
            Some(prefix) => s.verb.starts_with(prefix),
            None => s.verb == **k,
        };
        if !known.iter().any(fits) {
            unknown.add(&s.verb, s.at);
        }
    }
    unknown.report(noun, &mut text.diagnostics);
    let table = values::table(kind.word);
    let open = table.map_or_else(Vec::new, |t| {
        t.judge(&mut text.statements, &mut text.diagnostics)
    });
    ParsedText {
        content: crate::DocumentContent::Sna(SnaContent {
            statements: text.statements,
            open,
        }),
        diagnostics: text.diagnostics,
    }
}

//! The kinds of SNA configuration text: one file each, one row in
//! [`super::KINDS`].

pub(crate) mod aix;
pub(crate) mod as400;
pub(crate) mod cm2_lan;
pub(crate) mod cm2_ndf;
pub(crate) mod nsdos;
pub(crate) mod vtam;

use crate::document::Parsed;
use crate::kind::Kind;
use crate::sna::syntax::Text;
use crate::sna::{Content, values};
use crate::unknown::Unknowns;

/// A text whose verbs are checked against a list (`*` ends a prefix) and whose
/// values against the table of its kind.
fn parsed(kind: &Kind, mut text: Text, known: &[&str], noun: &str) -> Parsed {
    let mut unknown = Unknowns::default();
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
    Parsed {
        content: crate::Content::Sna(Content {
            statements: text.statements,
            open,
        }),
        diagnostics: text.diagnostics,
    }
}

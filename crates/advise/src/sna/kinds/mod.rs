//! The kinds of SNA configuration text: one file each, one row in
//! [`super::KINDS`].

pub(crate) mod aix;
pub(crate) mod as400;
pub(crate) mod cm2_lan;
pub(crate) mod cm2_ndf;
pub(crate) mod nsdos;
pub(crate) mod vtam;

use crate::document::Parsed;
use crate::sna::Content;
use crate::sna::syntax::Text;
use crate::unknown::Unknowns;

/// A text whose verbs are checked against a list; `*` ends a prefix.
fn parsed(mut text: Text, known: &[&str], noun: &str) -> Parsed {
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
    Parsed {
        content: crate::Content::Sna(Content {
            statements: text.statements,
        }),
        diagnostics: text.diagnostics,
    }
}

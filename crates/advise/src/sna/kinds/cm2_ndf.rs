//! Node definition files of Communications Manager/2 and Extended Services.
//!
//! Reference: CMVERIFY.TXT of Communications Manager/2 1.11.

use super::parsed;
use crate::document::ParsedText;
use crate::kind::{DocumentKind, lines_beginning};
use crate::sna::syntax::keyword::{StatementEnd, read};

pub(crate) static KIND: DocumentKind = DocumentKind {
    word: "cm2-ndf",
    title: "Communications Manager/2 node definitions (.NDF): DEFINE_MODE and the other DEFINE statements",
    recognise,
    parse,
};

fn recognise(text: &str) -> usize {
    3 * lines_beginning(
        text,
        &[
            "DEFINE_MODE",
            "DEFINE_LOCAL_CP",
            "DEFINE_LOGICAL_LINK",
            "DEFINE_LOCAL_LU",
            "DEFINE_PARTNER_LU",
            "DEFINE_DEFAULTS",
        ],
    )
}

fn parse(text: &str) -> ParsedText {
    parsed(
        &KIND,
        read(text, StatementEnd::Semicolon),
        &["DEFINE_*", "START_*", "ACTIVATE_*"],
        "statement",
    )
}

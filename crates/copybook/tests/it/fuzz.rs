//! For any text the parser returns a layout or diagnostics.

use copybook::{
    CopyMember, CopyResolver, Diagnostics, ParseOptions, RecordLayout, ReferenceFormat,
};
use proptest::prelude::*;

use crate::corpus::handwritten;

/// Tokens to put into texts.
const TOKENS: &[&str] = &[
    "01",
    "05",
    "10",
    "49",
    "66",
    "77",
    "78",
    "88",
    ".",
    ". ",
    "PIC",
    "X(",
    "9(",
    ")",
    "(999999999)",
    "S9(18)V9(18)",
    "COMP-3",
    "COMP-5",
    "OCCURS",
    "268435456",
    "TO 4294967295",
    "DEPENDING ON",
    "REDEFINES",
    "RENAMES",
    "THRU",
    "SYNC",
    "SAME AS",
    "TYPE",
    "VALUE",
    "ALL",
    "'",
    "\"",
    "X'",
    "==",
    "COPY M.",
    "COPY M REPLACING ==A== BY ==A A==.",
    "REPLACE ==A== BY ==A A==.",
    "EXEC SQL INCLUDE M END-EXEC.",
    "CONSTANT AS",
    "&",
    "\n",
    "\n      -    ",
    "\n      *",
    "\t",
    "é",
    "\u{0}",
    "SIGN LEADING SEPARATE",
    "PROCEDURE DIVISION.",
    "DATA DIVISION.",
    "P(30)",
    "-",
    "1.5E99999",
];

/// A member that copies itself and another.
struct LoopingMembers;

impl CopyResolver for LoopingMembers {
    fn resolve(&self, name: &str, _library: Option<&str>) -> Result<Option<CopyMember>, String> {
        let text = match name {
            "M" => "           05  A PIC X(4).\n           COPY N.\n",
            "N" => "           05  A OCCURS 9. COPY M.\n",
            _ => return Ok(None),
        };
        Ok(Some(CopyMember {
            name: name.into(),
            text: text.into(),
        }))
    }
}

/// One change to a text.
#[derive(Debug, Clone)]
enum TextChange {
    Insert(usize, usize),
    Remove(usize, usize),
    Repeat(usize, usize),
}

fn change() -> impl Strategy<Value = TextChange> {
    prop_oneof![
        (any::<usize>(), 0..TOKENS.len()).prop_map(|(at, token)| TextChange::Insert(at, token)),
        (any::<usize>(), 1usize..60).prop_map(|(at, length)| TextChange::Remove(at, length)),
        (any::<usize>(), 1usize..120).prop_map(|(at, length)| TextChange::Repeat(at, length)),
    ]
}

fn apply(text: &mut Vec<char>, change: &TextChange) {
    match *change {
        TextChange::Insert(at, token) => {
            let at = at % (text.len() + 1);
            text.splice(at..at, TOKENS[token].chars());
        }
        TextChange::Remove(at, length) => {
            let at = at % (text.len() + 1);
            let end = (at + length).min(text.len());
            text.drain(at..end);
        }
        TextChange::Repeat(at, length) => {
            let at = at % (text.len() + 1);
            let end = (at + length).min(text.len());
            let piece = text[at..end].to_vec();
            text.splice(at..at, piece);
        }
    }
}

/// Parses in every format and checks what must hold of the outcome.
fn check(text: &str) {
    for format in [
        ReferenceFormat::Auto,
        ReferenceFormat::Fixed,
        ReferenceFormat::Free,
    ] {
        let options = ParseOptions {
            format,
            copy: &LoopingMembers,
            ..ParseOptions::default()
        };
        match copybook::parse(text, &options) {
            Ok(layouts) => layouts.iter().for_each(check_layout),
            Err(diagnostics) => check_diagnostics(&diagnostics),
        }
        let _ = copybook::expand(text, &options);
    }
}

/// Every item is within its record, and names find fields.
fn check_layout(layout: &RecordLayout) {
    assert!(layout.min_length <= layout.length);
    for (id, field) in layout.iter() {
        let times = field.occurs.as_ref().map_or(1, |o| u64::from(o.max));
        let end = u64::from(field.offset) + u64::from(field.length) * times;
        // GnuCOBOL puts the slack of a table before its last item, which can
        // push that item over the end.
        assert!(end <= u64::from(layout.length) + 16 * times);
        assert!(field.parent.is_none_or(|parent| parent < id));
        assert!(!layout.path(id).is_empty());
    }
    let _ = copybook::describe(layout);
}

/// Diagnostics point into their files.
fn check_diagnostics(diagnostics: &Diagnostics) {
    assert!(diagnostics.has_errors());
    for diagnostic in &diagnostics.list {
        let file = diagnostics.file(diagnostic).expect("its file is known");
        let start = diagnostic.at.offset as usize;
        let end = start + diagnostic.at.length as usize;
        assert!(file.text.get(start..end).is_some(), "{diagnostic}");
    }
}

proptest! {
    #[test]
    fn changed_copybooks_never_panic(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 1..12),
    ) {
        let samples = handwritten();
        let mut text: Vec<char> = which.get(&samples).text.chars().collect();
        for change in &changes {
            apply(&mut text, change);
        }
        check(&text.into_iter().collect::<String>());
    }

    #[test]
    fn arbitrary_text_never_panics(text in "\\PC{0,300}") {
        check(&text);
    }

    #[test]
    fn token_soup_never_panics(tokens in prop::collection::vec(0..TOKENS.len(), 0..80)) {
        let words: Vec<&str> = tokens.iter().map(|t| TOKENS[*t]).collect();
        check(&words.join(" "));
        check(&words.concat());
    }
}

#[test]
fn deep_and_wide_texts_are_answered() {
    let nested: String = (0..5000).map(|_| "05 A. ").collect();
    check(&nested);
    let falling: String = (1..5000)
        .map(|n| format!("{:02} A{n}.\n", n % 49 + 1))
        .collect();
    check(&falling);
    check(&"REPLACE ==A== BY ==A A A A==. ".repeat(40));
    check(&format!(
        "01 R. {}",
        "05 A REDEFINES B PIC X. ".repeat(2000)
    ));
    check(&format!("01 R PIC {}.", "9".repeat(100_000)));
    check(&format!("01 R PIC X VALUE '{}", "'".repeat(100_000)));
}

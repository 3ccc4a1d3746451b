//! Whatever a source holds, translating it ends.

use std::path::Path;

use proptest::prelude::*;
use translator::{CopyLibrary, ReferenceFormat, translate};

use super::testdata;

fn sample() -> impl Strategy<Value = Vec<u8>> {
    let read = |name: &str| std::fs::read(testdata().join(name)).unwrap();
    prop::sample::select(vec![
        read("basics.cbl"),
        read("handles.cbl"),
        read("programs.cbl"),
        read("wrong.cbl"),
    ])
}

fn format() -> impl Strategy<Value = ReferenceFormat> {
    prop::sample::select(vec![
        ReferenceFormat::Auto,
        ReferenceFormat::Fixed,
        ReferenceFormat::Free,
    ])
}

/// Pieces that mean something to the translator.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let known = [
        "(",
        ")",
        "'",
        "\"",
        ".",
        "==",
        "EXEC CICS ",
        " END-EXEC",
        "COPY DFHAID.",
        "REPLACE ==A== BY ====.",
        "REPLACE OFF.",
        "\n",
        "\t",
        "X'",
        "DFHRESP(",
        "END PROGRAM X.",
        "ID DIVISION.",
        "PROCEDURE DIVISION.",
        ">>IF",
        "LENGTH OF",
        "ADDRESS OF",
        "COPY A REPLACING",
        "- ",
        "*>",
    ];
    prop_oneof![
        prop::sample::select(known.map(|k| k.as_bytes().to_vec()).to_vec()),
        prop::collection::vec(any::<u8>(), 0..6),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_are_translated(text in prop::collection::vec(any::<u8>(), 0..400), format in format()) {
        translate(Path::new("any.cbl"), &text, format, &CopyLibrary::default());
    }

    #[test]
    fn any_change_of_a_program_is_translated(
        text in sample(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0usize..30, piece()), 1..8),
        format in format(),
    ) {
        let mut text = text;
        for (at, cut, put) in changes {
            let start = at.index(text.len() + 1);
            let end = (start + cut).min(text.len());
            text.splice(start..end, put);
        }
        translate(Path::new("any.cbl"), &text, format, &CopyLibrary::default());
    }
}

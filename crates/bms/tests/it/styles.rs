//! Map sets as different shops write them, with the copybooks that must come out.
//!
//! `testdata/styles` has both; the copybooks were read line by line against the
//! rules of the manual. `UPDATE_GOLDENS=1` writes them anew.

use std::path::{Path, PathBuf};

use base::Severity;
use bms::{MapLayout, MapSource, OccursForm, cobol_copybook, parse};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/styles")
}

fn source(name: &str) -> MapSource {
    let path = folder().join(format!("{name}.bms"));
    parse(&std::fs::read_to_string(path).unwrap())
}

/// Each set, and the warnings that it gets.
const SETS: [(&str, usize); 10] = [
    ("BASSET", 0),
    ("BNKSET", 0),
    ("GRPSET", 0),
    ("INSSET", 0),
    ("JCLSET", 1),
    ("LITSET", 1),
    ("LSTSET", 0),
    ("MULSET", 0),
    ("ODDSET", 0),
    ("OUTSET", 0),
];

#[test]
fn map_sets_of_ten_styles_have_their_copybooks() {
    for (name, warnings) in SETS {
        let source = source(name);
        assert!(!source.has_errors(), "{name}: {:#?}", source.diagnostics);
        let warned = source.diagnostics.iter();
        let warned = warned.filter(|d| d.severity == Severity::Warning).count();
        assert_eq!(warned, warnings, "{name}: {:#?}", source.diagnostics);
        let mut text = String::new();
        for set in &source.sets {
            text += &cobol_copybook(set, OccursForm::Assembler);
        }
        let golden = folder().join(format!("{name}.cpy"));
        if std::env::var_os("UPDATE_GOLDENS").is_some() {
            std::fs::write(&golden, &text).unwrap();
        }
        assert_eq!(text, std::fs::read_to_string(golden).unwrap(), "{name}");
    }
}

#[test]
fn literals_beyond_column_71_keep_their_quotes_ampersands_and_blanks() {
    let source = source("LITSET");
    let painted = bms::paint(&source.sets[0].maps[0]).join("\n");
    for line in [
        "The customer's balance & limits are shown below; press PF1 for help.",
        "ABCDEFGHIJ.KLMNOPQRST.UVWXYZ.0123456789.'QUOTED'.END........",
    ] {
        assert!(painted.contains(line), "no {line:?} in\n{painted}");
    }
}

#[test]
fn occurrences_follow_each_other_and_a_group_is_one_field() {
    let repeated = MapLayout::new(&source("LSTSET").sets[0].maps[0]);
    let lines: Vec<u32> = repeated
        .fields
        .iter()
        .filter(|field| field.name.as_deref() == Some("LINEX"))
        .map(|field| u32::from(field.line - 1) * 80 + u32::from(field.column - 1) + field.shift)
        .collect();
    let expected: Vec<u32> = (0..15).map(|line| (5 + line) * 80).collect();
    assert_eq!(lines, expected);
    let group = MapLayout::new(&source("GRPSET").sets[0].maps[0]);
    let birth = group
        .fields
        .iter()
        .find(|f| f.name.as_deref() == Some("BIRTH"));
    let parts: Vec<u16> = birth
        .unwrap()
        .parts
        .iter()
        .map(|part| part.length)
        .collect();
    assert_eq!(parts, [2, 2, 4]);
}

#[test]
fn a_field_whose_item_is_a_reserved_word_is_reported_at_its_line() {
    let set = concat!(
        "S        DFHMSD TYPE=MAP,MODE=INOUT,LANG=COBOL,STORAGE=AUTO\n",
        "M        DFHMDI SIZE=(24,80)\n",
        "SEL      DFHMDF POS=(1,1),LENGTH=1\n",
        "COUN     DFHMDF POS=(2,1),LENGTH=1\n",
        "         DFHMSD TYPE=FINAL\n",
    );
    let found = parse(set).diagnostics;
    let reserved: Vec<_> = found
        .iter()
        .filter(|d| d.message.contains("reserved"))
        .collect();
    // COUNT would need TRANSP in DSATTS.
    assert_eq!(reserved.len(), 1, "{found:#?}");
    assert_eq!(reserved[0].line, 3);
    assert!(
        reserved[0].message.contains("the item SELF"),
        "{reserved:?}"
    );
}

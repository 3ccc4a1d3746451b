//! Texts that must be refused, with every diagnostic.
//!
//! `testdata/rejected.txt` holds the texts, each followed by what is said of
//! it. Run with `UPDATE_GOLDEN=1` to write the file again.

use std::fmt::Write as _;
use std::path::Path;

use copybook::{CopyFolders, ParseOptions, ReferenceFormat};

#[test]
fn faulty_texts_are_refused_with_all_their_diagnostics() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let golden = data.join("rejected.txt");
    let text = std::fs::read_to_string(&golden).expect("the golden file");
    let copy = CopyFolders::new([data.join("rejected")]);
    let mut anew = String::new();
    let text = format!("\n{text}");
    for case in text.split("\n=== ").skip(1) {
        let (name, rest) = case.split_once('\n').expect("a name on its own line");
        let source = rest.split("--- says\n").next().unwrap_or(rest);
        let source = format!("{}\n", source.trim_end_matches('\n'));
        let options = ParseOptions {
            format: ReferenceFormat::Fixed,
            copy: &copy,
            source_name: name,
            ..ParseOptions::default()
        };
        let said = match copybook::parse(&source, &options) {
            Ok(_) => panic!("{name} is accepted"),
            Err(diagnostics) => diagnostics
                .to_string()
                .replace(&format!("{}/", data.join("rejected").display()), ""),
        };
        let _ = writeln!(anew, "=== {name}\n{source}--- says\n{said}");
    }
    let anew = anew.replace(&format!("{}", data.join("rejected").display()), "testdata");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&golden, &anew).expect("the golden file is written");
    }
    let text = std::fs::read_to_string(&golden).expect("the golden file");
    assert_eq!(
        anew, text,
        "run with UPDATE_GOLDEN=1 if the change is meant"
    );
}

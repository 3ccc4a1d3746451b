//! Translations against their goldens. `UPDATE_GOLDENS=1` writes them again.

use std::path::Path;

use super::{testdata, translated};

fn check(name: &str) {
    let translation = translated(name);
    assert!(!translation.has_errors(), "{:#?}", translation.diagnostics);
    let here = testdata().to_string_lossy().into_owned();
    let text = String::from_utf8(translation.text)
        .unwrap()
        .replace(&here, "testdata");
    let golden = testdata().join(Path::new(name).with_extension("golden"));
    if std::env::var_os("UPDATE_GOLDENS").is_some() {
        std::fs::write(&golden, &text).unwrap();
    }
    let expected = std::fs::read_to_string(&golden).unwrap();
    assert!(text == expected, "{} differs:\n{text}", golden.display());
}

#[test]
fn commands_become_calls_in_every_place_of_a_statement() {
    check("basics.cbl");
}

#[test]
fn handle_commands_become_go_to_depending() {
    check("handles.cbl");
}

#[test]
fn contained_and_plain_programs_and_members() {
    check("programs.cbl");
}

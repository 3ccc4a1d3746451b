//! Programs that display the same lines in a region and as batch programs.
//!
//! `testdata/displays/NAME.cbl` is a program NUM without CICS commands, and
//! `NAME.lines` has the lines that it displays.

use std::path::Path;

use crate::program::{run, text};
use crate::server::application;

/// The definitions of a region with the program.
pub const DEFINITIONS: &str = "DEFINE TRANSACTION(NUM) GROUP(G) PROGRAM(NUM)\n";

/// A program of `testdata/displays` and the lines that it displays.
pub fn program_and_lines(name: &str) -> (String, String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/displays");
    let read = |ending: &str| {
        let path = folder.join(format!("{name}.{ending}"));
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    (read("cbl"), read("lines"))
}

/// Runs a program of `testdata/displays` and compares its lines with the expected
/// ones.
pub fn displays_its_lines(name: &str) {
    let (source, lines) = program_and_lines(name);
    assert_eq!(displays(&source), lines.lines().collect::<Vec<_>>());
}

/// The output of the program in a region and as a batch program, which must be
/// the same.
pub fn displays(source: &str) -> Vec<String> {
    let app = application(&[
        ("resources.csd", DEFINITIONS),
        ("cobol/NUM.cbl", source),
        ("batch/NUM.cbl", source),
    ]);
    let folder = app.path().to_str().unwrap();
    let batch = run(&["batch", "NUM", folder]);
    let in_batch: Vec<String> = text(&batch.stdout).lines().map(str::to_owned).collect();
    let task = run(&["run", "NUM", folder]);
    let all = format!("{}{}", text(&task.stdout), text(&task.stderr));
    for line in &in_batch {
        assert!(
            all.contains(line.trim_end()),
            "batch has {line:?}, the region:\n{all}"
        );
    }
    in_batch
}

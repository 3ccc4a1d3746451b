//! The translator from outside: what it writes, what it says, what compiles.

mod compiling;
mod exec_sql;
mod goldens;
mod lengths;
mod never_panics;
mod reach;
mod wrong_programs;

use std::path::{Path, PathBuf};

use translator::{CopyLibrary, ReferenceFormat, TranslatedSource, translate};

fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata")
}

/// Translates a file of the test data under its bare name.
fn translated(name: &str) -> TranslatedSource {
    let text = std::fs::read(testdata().join(name)).unwrap();
    let library = CopyLibrary::open(&[testdata().join("copy")]);
    translate(Path::new(name), &text, ReferenceFormat::Auto, &library)
}

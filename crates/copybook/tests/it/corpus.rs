//! The layouts of a corpus of copybooks equal GnuCOBOL's own.

use std::path::{Path, PathBuf};

use crate::generate;
use crate::oracle::{CopybookSample, compare};

/// Copybooks made by the generator.
const GENERATED: u64 = 160;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/corpus")
}

/// The folder of the COPY members that the corpus uses.
pub fn members() -> PathBuf {
    folder().join("members")
}

/// The handwritten copybooks, in the order of their names.
pub fn handwritten() -> Vec<CopybookSample> {
    let mut samples: Vec<CopybookSample> = std::fs::read_dir(folder())
        .expect("the corpus is there")
        .map(|entry| entry.expect("an entry of the corpus").path())
        .filter(|path| path.extension().is_some_and(|e| e == "cpy"))
        .map(|path| CopybookSample {
            name: path
                .file_name()
                .map(|n| n.to_string_lossy().into_owned())
                .unwrap_or_default(),
            text: std::fs::read_to_string(&path).expect("a copybook in UTF-8"),
        })
        .collect();
    samples.sort_by(|a, b| a.name.cmp(&b.name));
    samples
}

#[test]
fn handwritten_copybooks_are_laid_out_as_gnucobol_does() {
    compare(&handwritten(), &members());
}

#[test]
fn generated_copybooks_are_laid_out_as_gnucobol_does() {
    let samples: Vec<CopybookSample> = (1..=GENERATED)
        .map(|seed| CopybookSample {
            name: format!("seed-{seed}"),
            text: generate::copybook(seed),
        })
        .collect();
    compare(&samples, &members());
}

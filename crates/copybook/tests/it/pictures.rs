//! PICTURE strings: accepted exactly when GnuCOBOL accepts them.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::process::Command;

use copybook::ParseOptions;

use base::SeededRandom;

/// Strings tried.
const TRIED: usize = 8000;

/// Symbols, the usual ones more often.
const SYMBOLS: &[&str] = &[
    "9", "9", "9", "Z", "Z", "*", "$", "$", "+", "-", "-", "--", ".", ",", "V", "S", "P", "P", "B",
    "0", "/", "CR", "DB", "X", "X", "A", "N",
];

#[test]
fn pictures_are_accepted_as_gnucobol_accepts_them() {
    let mut random = SeededRandom::new(7);
    let mut pictures: Vec<String> = Vec::new();
    while pictures.len() < TRIED {
        let length = 1 + random.below(7);
        let picture: String = (0..length)
            .map(|_| SYMBOLS[random.below(SYMBOLS.len() as u64) as usize])
            .collect();
        // A point or comma at the end is the end of the clause; national
        // editing is accepted by GnuCOBOL but has no defined storage.
        let edits_national =
            picture.contains('N') && picture.contains(['B', '0', '/']) && !picture.contains("DB");
        // Without a digit GnuCOBOL makes P an item of no bytes.
        let scales_nothing = picture.contains('P') && !picture.contains(['9', 'Z', '*']);
        if !scales_nothing
            && !picture.ends_with(['.', ','])
            && !picture.starts_with(',')
            && !edits_national
        {
            pictures.push(picture);
        }
    }
    let refused = refused_by_gnucobol(&pictures);
    let differences: Vec<String> = pictures
        .iter()
        .enumerate()
        .filter_map(|(index, picture)| {
            let text = format!("01 R PIC {picture} .\n");
            let ours = copybook::parse(&text, &ParseOptions::default());
            let accepted = !refused.contains(&index);
            (ours.is_ok() != accepted).then(|| {
                let reason = ours.err().map(|e| e.to_string()).unwrap_or_default();
                format!("{picture}: GnuCOBOL accepts it: {accepted} {reason}")
            })
        })
        .collect();
    assert!(
        differences.is_empty(),
        "{} of {TRIED} differ:\n{}",
        differences.len(),
        differences.join("\n")
    );
}

/// Indexes of the pictures that `cobc` reports an error for.
fn refused_by_gnucobol(pictures: &[String]) -> HashSet<usize> {
    const FIRST_LINE: usize = 5;
    let mut source = String::from(
        "IDENTIFICATION DIVISION.\nPROGRAM-ID. PICTURES.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n",
    );
    for (index, picture) in pictures.iter().enumerate() {
        let _ = writeln!(source, "01 F{index} PIC {picture} .");
    }
    source.push_str("PROCEDURE DIVISION.\nGOBACK.\n");
    let folder = tempfile::tempdir().expect("a folder for the program");
    let path = folder.path().join("pictures.cob");
    std::fs::write(&path, source).expect("the program is written");
    let output = Command::new("cobc")
        .args([
            "-std=ibm",
            "-free",
            "-fsyntax-only",
            "-w",
            "-fmax-errors=100000",
        ])
        .arg(&path)
        .output()
        .expect("cobc is installed");
    let messages = String::from_utf8_lossy(&output.stderr);
    messages
        .lines()
        .filter(|line| line.contains(": error:"))
        .filter_map(|line| {
            let rest = line.split("pictures.cob:").nth(1)?;
            let number: usize = rest.split(':').next()?.parse().ok()?;
            number.checked_sub(FIRST_LINE)
        })
        .collect()
}

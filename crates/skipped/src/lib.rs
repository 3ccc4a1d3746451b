//! Tests that this machine cannot run. A test that lacks something says so with
//! [`lacking`] and returns. That prints `SKIPPED`, adds a line to the file that
//! `TUPELO_SKIPPED` names, so that the gate counts it, and fails where
//! `TUPELO_PROMISED` has the thing among its words: a machine that was set up for
//! the tests must not pass by leaving some out.
//!
//! Invariant: nothing but tests uses this crate.

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write;

/// The variable with the things that set-up promised, parted by blanks.
pub const PROMISED: &str = "TUPELO_PROMISED";
/// The variable with the file that takes a line for each skipped test.
pub const COUNTED: &str = "TUPELO_SKIPPED";

/// Reports that the running test is skipped for want of `thing`: `network`,
/// `packet-socket`, `mount`, `sandbox`, or the name of a program.
///
/// # Panics
/// When `thing` was promised.
pub fn lacking(thing: &str, why: impl Display) {
    let thread = std::thread::current();
    let line = format!(
        "SKIPPED {} for want of {thing}: {why}",
        thread.name().unwrap_or("a test")
    );
    println!("{line}");
    if let Some(path) = std::env::var_os(COUNTED) {
        let file = OpenOptions::new().create(true).append(true).open(path);
        // One write, so that tests of other processes do not come between.
        let reported = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
        assert!(
            reported.is_ok(),
            "the skipped test could not be counted: {reported:?}"
        );
    }
    let promised = std::env::var(PROMISED).unwrap_or_default();
    assert!(
        !is_promised(&promised, thing),
        "{thing} was promised, but {line}"
    );
}

fn is_promised(promised: &str, thing: &str) -> bool {
    promised.split_whitespace().any(|word| word == thing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_promised_fails() {
        assert!(is_promised("cc cobc tshark", "cobc"));
        assert!(!is_promised("cc cobc tshark", "network"));
        assert!(!is_promised("", "cobc"));
    }
}

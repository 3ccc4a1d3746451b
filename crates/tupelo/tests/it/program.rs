//! The program itself, run with arguments.

use std::process::{Command, Output};

/// A command of the program, before its arguments.
pub fn tupelo() -> Command {
    Command::new(env!("CARGO_BIN_EXE_tupelo"))
}

/// Runs the program to its end.
pub fn run(args: &[&str]) -> Output {
    tupelo().args(args).output().unwrap()
}

/// What it printed.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Looks until it is so; a minute means never. Between two looks the machine,
/// which may have few cores, is left to those that make it so.
pub fn until(what: &str, mut so: impl FnMut() -> bool) {
    let begin = std::time::Instant::now();
    while !so() {
        assert!(begin.elapsed().as_secs() < 60, "waited for {what}");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

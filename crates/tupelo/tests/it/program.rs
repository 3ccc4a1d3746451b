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

/// The output.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Repeats a check until it is true; fails after a minute. Between two checks the machine,
/// which may have few cores, is free for the processes under test.
pub fn until(what: &str, mut so: impl FnMut() -> bool) {
    let begin = std::time::Instant::now();
    while !so() {
        assert!(begin.elapsed().as_secs() < 60, "waited for {what}");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

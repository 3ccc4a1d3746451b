//! `tupelo lab` from the outside: names, exit codes, and a reader that leaves.
//! What the experiments find is tested in their own crate.

use std::process::Output;

use serde_json::Value;

use crate::program::{text, tupelo};

fn lab(args: &[&str]) -> Output {
    tupelo().arg("lab").args(args).output().unwrap()
}

#[test]
fn without_a_name_the_experiments_are_listed() {
    let plain = lab(&[]);
    assert_eq!(plain.status.code(), Some(0));
    let json = lab(&["--json"]);
    let names: Vec<String> = text(&json.stdout)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|e| e["experiment"].as_str().unwrap().to_owned())
        .collect();
    for name in [
        "mss",
        "nagle",
        "slow-start",
        "tcp-tuning",
        "delayed-ack",
        "appc",
    ] {
        assert!(names.iter().any(|n| n == name), "{names:?}");
        assert!(text(&plain.stdout).contains(name));
    }
}

#[test]
fn wrong_words_exit_64_and_name_the_experiments() {
    let unknown = lab(&["nonsense"]);
    assert_eq!(unknown.status.code(), Some(64));
    assert!(text(&unknown.stderr).contains("slow-start"));
    assert_eq!(lab(&["mss", "--seed", "x"]).status.code(), Some(64));
    assert_eq!(lab(&["mss", "nagle"]).status.code(), Some(64));
}

#[test]
fn a_report_that_cannot_be_written_is_told_before_the_work() {
    let output = lab(&["mss", "--html", "/nowhere/mss.html"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("/nowhere/mss.html"));
    assert!(output.stdout.is_empty());
}

/// Runs a network experiment, or says that this machine does not let it.
#[test]
fn an_experiment_prints_a_line_a_figure_or_says_what_it_lacks() {
    let output = lab(&["nagle", "--json"]);
    match output.status.code() {
        Some(2) => assert!(
            text(&output.stderr).starts_with("error: nagle: "),
            "{output:?}"
        ),
        // A busy machine may have added waits of its own.
        Some(0 | 1) => {
            let lines: Vec<Value> = text(&output.stdout)
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            let figures = lines.iter().filter(|l| l["found"].is_number()).count();
            let planted = lines.iter().find(|l| l["planted"].is_string()).unwrap();
            assert!(figures >= 5, "{lines:?}");
            assert_eq!(planted["planted"], "tcp.nagle.write-write-read");
            assert_eq!(planted["holds"], true, "{planted}");
        }
        _ => panic!("{output:?}"),
    }
}

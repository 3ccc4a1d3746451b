//! `tupelo lab` from the outside: names, exit codes, and a reader that leaves.
//! What the experiments find is tested in their own crate.

use std::io::{BufRead, BufReader};
use std::process::{Output, Stdio};

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

#[test]
fn a_reader_that_has_seen_enough_ends_the_program_without_a_word() {
    for args in [
        &["lab"][..],
        &["advise", "--rules"],
        &["reference", "advice"],
        &["record", "layout", "--help"],
    ] {
        let mut child = tupelo()
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Closed before the program prints, or while it does.
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(text(&output.stderr), "", "{args:?}");
        assert!(
            matches!(output.status.code(), Some(0 | 141)),
            "{args:?}: {:?}",
            output.status
        );
    }
}

#[test]
fn a_full_disk_is_an_error_that_is_told() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
        return;
    };
    let output = tupelo()
        .arg("lab")
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let mut lines = BufReader::new(&output.stderr[..]).lines();
    let told = lines.next().unwrap().unwrap();
    assert!(
        told.starts_with("error: standard output: No space left"),
        "{told}"
    );
    assert!(lines.next().is_none());
}

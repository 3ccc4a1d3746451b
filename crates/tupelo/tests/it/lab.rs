//! `tupelo lab` from the outside: names, exit codes, and a reader that leaves.
//! The figures of the experiments are tested in their own crate.

use std::process::Output;

use serde_json::Value;

use crate::program::{text, tupelo};
use crate::schemas::fits;

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
        "threadsafe",
        "overload",
        "script",
        "sockets",
        "delayed-ack",
        "web-services",
        "capacity",
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
fn a_report_that_cannot_be_written_is_reported_before_the_work() {
    let output = lab(&["mss", "--html", "/nowhere/mss.html"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("/nowhere/mss.html"));
    assert!(output.stdout.is_empty());
}

/// The cycles of `lab sockets`, briefly: all messages are answered in every
/// way, and by the region's own threads only where they serve.
#[test]
fn cycles_are_served_in_every_way() {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_tupelo"));
    let engines = std::thread::available_parallelism().map_or(1, usize::from);
    for case in &::lab::cycles::CASES {
        if case.offload && engines < 2 {
            skipped::lacking("cpus", "offload needs a second processor");
            continue;
        }
        let mut region = ::lab::cycles::Region::start(case, Some(program)).unwrap();
        for concurrent in [1, 5] {
            let found = region.cycles(concurrent, 20).unwrap();
            assert_eq!(found.messages, f64::from(concurrent * 20), "{}", case.name);
            let native = found.receivers_us > 0.0;
            assert_eq!(native, case.served == "native", "{}", case.name);
        }
    }
}

/// A flow of `lab web-services`, once, with and without TLS: request and answer
/// each wait for an acknowledgement, in the time of no task.
#[test]
fn a_region_that_calls_itself_waits_outside_of_its_tasks() {
    use ::lab::services::{ClientTransport, Flow, FlowConditions};
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_tupelo"));
    let context = ::lab::experiments::Context {
        seed: 1,
        seconds: None,
        repetition: 1,
        keep: None,
        progress: &|_| (),
    };
    let mut report = ::lab::report::ExperimentReport::default();
    for transport in [ClientTransport::Plain, ClientTransport::Tls] {
        let flow = Flow {
            name: "test",
            client: "FXC1",
            transport,
        };
        let met = FlowConditions {
            first: 24,
            hold_us: 200_000,
            rounds: 1,
        };
        let rounds = match flow.run(&context, &mut report, met, "test", Some(program)) {
            Err(why @ ::lab::LabError::Permission { .. }) => {
                return skipped::lacking("network", why);
            }
            other => other.unwrap(),
        };
        let round = rounds.median();
        let tasks: Vec<&str> = round.others.iter().map(|r| r.transid.trim_end()).collect();
        assert_eq!(tasks, ["CWXN", "FXS1", "CPIH"]);
        // Data that is held back cannot arrive earlier. A busy machine's tasks may still
        // work while it is, but not for longer than one of the two times.
        let response = round.response_ms();
        let missing = response - round.others_ms();
        assert!(response >= 400.0 && missing > 200.0, "{response} {missing}");
    }
}

/// Runs a network experiment, or says that this machine does not let it.
#[test]
fn an_experiment_prints_a_line_for_each_figure_or_reports_what_is_missing() {
    let output = lab(&["nagle", "--json"]);
    match output.status.code() {
        Some(2) => assert!(
            text(&output.stderr).starts_with("error: nagle: "),
            "{output:?}"
        ),
        // A busy machine may have added waits of its own.
        Some(0 | 1) => {
            let lines = json_lines(&output);
            let figures = lines.iter().filter(|l| l["found"].is_number()).count();
            let planted = lines.iter().find(|l| l["planted"].is_string()).unwrap();
            assert!(figures >= 5, "{lines:?}");
            assert_eq!(planted["planted"], "waited-for-ack");
            assert_eq!(planted["holds"], true, "{planted}");
        }
        _ => panic!("{output:?}"),
    }
}

/// The figures of an experiment that starts servers of its own.
fn figures(name: &str) -> Vec<Value> {
    let output = lab(&[name, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    json_lines(&output)
}

/// The lines that an experiment prints, each as the schema has it.
fn json_lines(output: &Output) -> Vec<Value> {
    let line = |line: &str| {
        fits("lab", line);
        serde_json::from_str(line).unwrap()
    };
    text(&output.stdout).lines().map(line).collect()
}

/// The measured values of a figure, by condition.
fn found<'a>(figures: &'a [Value], name: &str) -> Vec<(&'a str, f64)> {
    let of = |f: &&Value| f["figure"] == name;
    let figures = figures.iter().filter(of);
    let found = figures.map(|f| {
        (
            f["conditions"].as_str().unwrap(),
            f["found"].as_f64().unwrap(),
        )
    });
    found.collect()
}

#[test]
fn file_commands_change_the_mode_twelve_times_or_never() {
    let figures = figures("threadsafe");
    let changes = found(&figures, "changes of mode a transaction");
    assert_eq!(changes[0], ("threadsafe, FCQRONLY=YES", 12.0));
    assert_eq!(changes[1], ("threadsafe, FCQRONLY=NO", 0.0));
    let chosen = figures.iter().find(|f| f["published"] == 12.0).unwrap();
    assert_eq!(chosen["origin"], "calibrated");
    for name in ["throughput, 8 clients", "CPU a transaction, 8 clients"] {
        let all = found(&figures, name);
        assert!(all.len() == 3 && all.iter().all(|f| f.1 > 0.0), "{all:?}");
    }
}

#[test]
fn a_script_is_presented_at_three_rates_with_and_without_changes_of_mode() {
    let figures = figures("script");
    let changes = found(&figures, "changes of mode per request");
    assert_eq!(changes.len(), 9);
    for (conditions, changes) in changes {
        let some = conditions.ends_with(", changes of mode");
        assert_eq!(changes > 0.0, some, "{conditions}");
    }
    let answered = found(&figures, "answered");
    assert!(answered.iter().all(|f| f.1 > 0.0), "{answered:?}");
}

#[test]
fn a_flood_is_refused_by_the_region_with_limits_alone() {
    let figures = figures("overload");
    let refused = found(&figures, "refused");
    let answered = found(&figures, "answered");
    assert_eq!((refused.len(), answered.len()), (10, 10));
    assert!(answered.iter().all(|f| f.1 > 0.0), "{answered:?}");
    for (conditions, refused) in &refused {
        if conditions.ends_with("without limits") {
            assert_eq!(*refused, 0.0, "{conditions}");
        }
    }
    let at = |figures: &[(&str, f64)], conditions| {
        let figure = figures.iter().find(|f| f.0 == conditions);
        figure.unwrap().1
    };
    // The target was measured at one moment: if the machine was busy only then,
    // ten times as much may not be a flood.
    let flood = "10 × target, with limits";
    let presented = found(&figures, "presented");
    let kept_up = at(&answered, flood) > 0.5 * at(&presented, flood);
    let refused_then = at(&refused, flood);
    assert!(refused_then > 0.0 || kept_up, "{answered:?} {refused:?}");
}

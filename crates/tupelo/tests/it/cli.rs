//! The other subcommands.

use std::process::{Command, Output};

use crate::server::{application, example};

fn tupelo(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tupelo"))
        .args(args)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn wrong_usage_exits_64_and_help_exits_0() {
    assert_eq!(
        tupelo(&["serve", "--no-such-option"]).status.code(),
        Some(64)
    );
    let help = tupelo(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(text(&help.stdout).contains("serve"));
}

#[test]
fn every_subcommand_explains_itself_with_an_example() {
    for command in [
        &["serve"][..],
        &["check"],
        &["new"],
        &["api", "import"],
        &["record", "layout"],
        &["record", "schema"],
        &["record", "decode"],
        &["record", "encode"],
        &["file", "define"],
        &["file", "load"],
        &["file", "dump"],
        &["file", "stat"],
        &["run"],
    ] {
        let help = tupelo(&[command, &["--help"]].concat());
        assert_eq!(help.status.code(), Some(0), "{command:?}");
        assert!(text(&help.stdout).contains("Example"), "{command:?}");
    }
}

#[test]
fn a_new_application_checks_clean() {
    let app = application(&[]);
    let check = tupelo(&["check", app.path().to_str().unwrap()]);
    assert_eq!(
        check.status.code(),
        Some(0),
        "{}{}",
        text(&check.stdout),
        text(&check.stderr)
    );
}

#[test]
fn check_names_the_line_of_a_cobol_mistake() {
    let app = application(&[]);
    let path = app.path().join("cobol/HELLO.cbl");
    let good = std::fs::read_to_string(&path).unwrap();
    std::fs::write(
        &path,
        good.replace("MOVE EIBTASKN TO HELLO-TASK", "MOVE EIBTASKN TO HELLO-TSAK"),
    )
    .unwrap();
    let line = good.lines().position(|l| l.contains("EIBTASKN")).unwrap() + 1;
    let check = tupelo(&["check", app.path().to_str().unwrap()]);
    assert_eq!(check.status.code(), Some(1));
    let all = text(&check.stdout) + &text(&check.stderr);
    assert!(all.contains(&format!("HELLO.cbl:{line}")), "{all}");
    assert!(all.contains("HELLO-TSAK"), "{all}");
}

#[test]
fn record_layout_prints_what_other_tools_can_check() {
    let copybook = example("bank/copybooks/ACCOUNT.cpy");
    let layout = tupelo(&["record", "layout", copybook.to_str().unwrap(), "--json"]);
    assert!(layout.status.success(), "{}", text(&layout.stderr));
    let json: serde_json::Value = serde_json::from_slice(&layout.stdout).unwrap();
    let record = if json.is_array() { &json[0] } else { &json };
    assert_eq!(record["record"], "ACCOUNT-RECORD");
    assert_eq!(record["length"], 80);
    let balance = record["fields"]
        .as_array()
        .unwrap()
        .iter()
        .find(|f| f["path"].as_str().unwrap().ends_with("ACCOUNT-BALANCE"))
        .unwrap();
    assert_eq!(
        (balance["offset"].as_u64(), balance["length"].as_u64()),
        (Some(46), Some(7))
    );
}

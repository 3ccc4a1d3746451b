//! `tupelo drive` at the terminals of a server: a scenario by hand, and one that
//! `tupelo drive record` wrote.

use super::*;
use crate::program::tupelo;
use std::process::Output;

/// The conversation of three screens, as a user does it.
fn scenario(address: &str, clients: u32) -> String {
    format!(
        r#"
[[population]]
name = "tellers"
clients = {clients}
iterations = {clients}
[population.terminal]
address = "{address}"
[[population.step]]
type = "tell"
wait_for = "TELLER MENU"
[[population.step]]
fields = {{ Option = "1" }}
wait_for = "TRANSFER"
[[population.step]]
fields = {{ Account = "saving{{{{client}}}}", Amount = "1250" }}
wait_for = "CONFIRM"
matches = "to +saving{{{{client}}}}"
[[population.step]]
fields = {{ "Yes or no" = "y" }}
contains = "Transferred 0001250 to saving"
[[population.step]]
key = "pf3"
wait_for = "Goodbye"
"#
    )
    .replace(
        "matches = \"to +saving{{client}}\"",
        "matches = \"to +saving[0-9]\"",
    )
}

fn drive(folder: &Path, text: &str) -> Output {
    let file = folder.join("scenario.toml");
    std::fs::write(&file, text).unwrap();
    let mut command = tupelo();
    command.args(["drive", "--json", "--objective", "errors=0", "--scenario"]);
    command.arg(&file).output().unwrap()
}

#[test]
fn a_scenario_drives_the_conversation_at_many_terminals() {
    let server = Server::start(&application());
    let folder = tempfile::tempdir().unwrap();
    let output = drive(folder.path(), &scenario(&server.tn3270, 8));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let population = &report["populations"][0];
    assert_eq!(population["answered"], 40, "{report:#}");
    assert_eq!(population["checks_failed"], 0);
}

#[test]
fn a_session_that_was_recorded_between_emulator_and_server_can_be_driven() {
    let server = Server::start(&application());
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("recorded.toml");
    let mut recorder = tupelo();
    recorder.args([
        "drive",
        "record",
        &server.tn3270,
        "--listen",
        "127.0.0.1:0",
        "-o",
    ]);
    let mut recorder = recorder.arg(&out).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(recorder.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    let proxy = line.split([' ', ';']).find(|word| word.starts_with("127."));
    // The driver is the emulator that is recorded.
    let output = drive(folder.path(), &scenario(proxy.unwrap(), 1));
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(recorder.wait().unwrap().success());
    let text = std::fs::read_to_string(&out).unwrap();
    for part in [
        "\"1,2\" = \"tell\"",
        "\"Account\" = \"saving0\"",
        "key = \"pf3\"",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let output = drive(folder.path(), &text);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{text}");
}

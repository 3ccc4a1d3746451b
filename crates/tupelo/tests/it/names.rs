//! Many processes at one node: with names of their own, and with the same.

use std::io::BufReader;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::node::{Node, complaint, good, send};
use crate::program::{text, tupelo, until};

#[test]
fn many_clients_without_names_are_served_at_once() {
    let node = Node::start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("client.toml");
    std::fs::write(&file, "[appc]\nmax-btu-bytes = 4105\n").unwrap();
    let quiet = |command: &mut Command| {
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let mut transfer = tupelo();
    transfer.args(["appc", "file-transfer", "NET.SERVER", "--at", &node.at]);
    let transfer = quiet(transfer.args(["-r", "100000000"]));
    until("the transfer", || node.status()["running"] == 1);
    // All of them at once, and half of them with a file that names no node.
    let running: Vec<Child> = (0..24)
        .map(|number| match number % 2 {
            0 => quiet(&mut node.aping_command(&["-i", "20"])),
            _ => quiet(&mut node.aping_command(&["--config", file.to_str().unwrap()])),
        })
        .collect();
    for client in running {
        good(&client.wait_with_output().unwrap());
    }
    send(&transfer, libc::SIGINT);
    good(&transfer.wait_with_output().unwrap());
}

#[test]
fn of_two_clients_with_one_given_name_the_second_is_refused_and_the_first_goes_on() {
    let mut node = Node::start_with_stderr();
    let stderr = node.child.stderr.take().unwrap();
    let twin = ["--lu", "NET.TWIN"];
    let mut transfer = tupelo();
    transfer.args(["appc", "file-transfer", "NET.SERVER", "--at", &node.at]);
    transfer.args(twin).args(["-r", "100000000"]);
    let first = transfer.stdout(Stdio::piped()).spawn().unwrap();
    until("the transfer", || node.status()["running"] == 1);
    let error_text = complaint(&node.aping(&twin));
    let words = error_text.split_whitespace().filter(|word| *word != "│");
    let error_text = words.collect::<Vec<_>>().join(" ");
    for part in ["another node called NET.TWIN", "`--lu`"] {
        assert!(error_text.contains(part), "{part}: {error_text}");
    }
    send(&first, libc::SIGINT);
    assert!(good(&first.wait_with_output().unwrap()).contains(" on average of "));
    until("its program's end", || node.status()["running"] == 0);
    // A killed node leaves its name in use for a moment.
    let killed = tupelo()
        .args(["appc", "inquiry", "NET.SERVER", "--at", &node.at])
        .args(twin)
        .args(["-r", "100000000"])
        .spawn();
    let mut killed = killed.unwrap();
    until("the inquiry", || node.status()["running"] == 1);
    killed.kill().unwrap();
    killed.wait().unwrap();
    good(&node.aping(&twin));
    node.signal(libc::SIGTERM);
    node.child.wait().unwrap();
    let mut log = String::new();
    std::io::Read::read_to_string(&mut BufReader::new(stderr), &mut log).unwrap();
    assert_eq!(log.lines().count(), 1, "{log}");
    for part in ["has its name NET.TWIN", "1016000B"] {
        assert!(log.contains(part), "{part}: {log}");
    }
}

fn drive(target: &str) -> Command {
    let mut command = tupelo();
    command.args(["drive", target, "--quiet"]);
    command
}

#[test]
fn drivers_without_names_load_one_node_at_once() {
    let node = Node::start();
    let target = format!("appc://{}/NET.SERVER?tp=INQUIRY", node.at);
    let running: Vec<Child> = (0..4)
        .map(|_| {
            let mut one = drive(&target);
            one.args(["-c", "8", "--threads", "3", "-n", "2000", "--json"]);
            let one = one.stdout(Stdio::piped()).stderr(Stdio::piped());
            one.spawn().unwrap()
        })
        .collect();
    for driver in running {
        let report: Value =
            serde_json::from_str(&good(&driver.wait_with_output().unwrap())).unwrap();
        let users = &report["populations"][0];
        assert_eq!(users["answered"], 2000, "{users}");
        assert_eq!(users["failed"], 0, "{users}");
    }
}

#[test]
fn of_two_drivers_with_one_given_name_the_second_is_refused_and_the_first_goes_on() {
    let node = Node::start();
    let target = format!("appc://{}/NET.SERVER?tp=INQUIRY&lu=NET.TWIN", node.at);
    let mut first = drive(&target);
    first.args(["--warmup", "0s", "--duration", "1h", "--json"]);
    let first = first.stdout(Stdio::piped()).spawn().unwrap();
    until("the first", || node.status()["running"] == 1);
    let second = drive(&target).output().unwrap();
    assert_eq!(second.status.code(), Some(2));
    let error_text = text(&second.stderr);
    for part in ["another node called NET.TWIN", "`lu`"] {
        assert!(error_text.contains(part), "{part}: {error_text}");
    }
    send(&first, libc::SIGINT);
    let first = first.wait_with_output().unwrap();
    let report: Value = serde_json::from_slice(&first.stdout).unwrap();
    let users = &report["populations"][0];
    assert!(users["answered"].as_u64().unwrap() > 0, "{users}");
    assert_eq!(users["failed"], 0, "{users}");
}

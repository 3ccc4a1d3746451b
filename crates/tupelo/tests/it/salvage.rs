//! `tupelo file salvage`, from a damaged store to a new one.

use std::collections::BTreeSet;
use std::path::Path;

use crate::program::{run, text};
use crate::schemas::fits;
use crate::server::example;

/// Runs a command on files of the bank, in a state folder and returns what it
/// printed and its status.
fn file(state: &Path, words: &[&str]) -> (i32, String) {
    let bank = example("bank");
    let state = state.to_str().unwrap();
    let place = ["--app", bank.to_str().unwrap(), "--state", state];
    let output = run(&[&["file"], words, &place].concat());
    let printed = text(&output.stdout) + &text(&output.stderr);
    (output.status.code().expect("no signal"), printed)
}

fn done(state: &Path, words: &[&str]) -> String {
    let (status, printed) = file(state, words);
    assert_eq!(status, 0, "{words:?}: {printed}");
    printed
}

#[test]
fn records_of_a_damaged_store_come_out_and_go_into_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let name = |name: &str| path(name).display().to_string();
    let (old, new) = (path("old"), path("new"));
    let mut accounts = std::fs::read_to_string(example("bank/data/accounts.jsonl")).unwrap();
    let line = accounts.lines().next().unwrap().to_owned();
    let more =
        (20_000_000..20_000_400).map(|n| line.replacen("10000001", &n.to_string(), 1) + "\n");
    accounts.extend(more);
    std::fs::write(path("accounts.jsonl"), accounts).unwrap();
    std::fs::write(
        path("slots"),
        b"\0\x0a\0\0\0\0\0\x02ab\0\x0a\0\0\0\0\0\x07cd",
    )
    .unwrap();
    let slots = ["--format", "rdw", "--numbered"];
    for state in [&old, &new] {
        done(state, &["define", "SLOTS", "--rrds", "--record", "2"]);
    }
    done(
        &old,
        &[&["load", "SLOTS", &name("slots")], &slots[..]].concat(),
    );
    done(&old, &["load", "ACCTFILE", &name("accounts.jsonl")]);
    let before = done(&old, &["dump", "ACCTFILE"]);
    let numbered = done(&old, &[&["dump", "SLOTS"], &slots[..]].concat());
    assert_eq!(numbered.as_bytes(), std::fs::read(path("slots")).unwrap());

    // A page of account records.
    let data = old.join("store/data.mdb");
    let mut bytes = std::fs::read(&data).unwrap();
    let at = bytes.windows(8).rposition(|w| w == b"20000200").unwrap();
    bytes[at / 4096 * 4096..][..4096].fill(0);
    std::fs::write(&data, &bytes).unwrap();
    let (status, printed) = file(&old, &["dump", "ACCTFILE"]);
    assert_eq!(status, 2);
    assert!(printed.contains("file salvage"), "{printed}");

    let (status, printed) = file(&old, &["salvage", &name("saved"), "--json"]);
    assert_eq!(status, 1, "{printed}");
    fits("file-salvage", &printed);
    let report: serde_json::Value = serde_json::from_str(&printed).unwrap();
    let damage = &report["files"][0];
    assert_eq!(damage["damaged_pages"], 1, "{report}");
    assert_eq!(damage["lost"].as_array().map(Vec::len), Some(1), "{report}");
    let missing = damage["missing"].as_u64().unwrap() as usize;
    let saved = std::fs::read_to_string(path("saved/ACCTFILE.jsonl")).unwrap();
    let all: BTreeSet<_> = before.lines().collect();
    assert!(saved.lines().all(|line| all.contains(line)));
    assert_eq!(saved.lines().count() + missing, all.len());
    assert!((10..100).contains(&missing), "{missing}");
    assert_eq!(
        std::fs::read(&data).unwrap(),
        bytes,
        "the store is as it was"
    );

    done(&new, &["load", "ACCTFILE", &name("saved/ACCTFILE.jsonl")]);
    assert_eq!(done(&new, &["dump", "ACCTFILE"]), saved);
    done(
        &new,
        &[&["load", "SLOTS", &name("saved/SLOTS.rdw")], &slots[..]].concat(),
    );
    assert_eq!(
        done(&new, &[&["dump", "SLOTS"], &slots[..]].concat()),
        numbered
    );
    let (status, printed) = file(&old, &["salvage", &name("saved")]);
    assert_eq!(
        (status, printed.contains("is not empty")),
        (2, true),
        "{printed}"
    );
}

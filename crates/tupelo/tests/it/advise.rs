//! `tupelo advise` as a person or a script uses it.

use std::io::Write;
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::program::{text, tupelo};
use crate::server::example;

fn advise(args: &[&str]) -> Output {
    tupelo().arg("advise").args(args).output().unwrap()
}

/// Runs the command with a text on standard input.
fn advise_of(text: &[u8], args: &[&str]) -> Output {
    let mut child = tupelo()
        .arg("advise")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text).unwrap();
    child.wait_with_output().unwrap()
}

/// The files of a folder under `examples/advise`.
fn files(folder: &str) -> Vec<String> {
    let folder = example(&format!("advise/{folder}"));
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().to_str().unwrap().to_owned())
        .collect();
    files.sort();
    files
}

#[test]
fn the_examples_have_the_findings_that_the_guide_shows() {
    for (folder, last) in [
        (
            "appc/baseline",
            "50 findings: 4 warnings, 41 of advice, 5 notes",
        ),
        ("appc/tuned", "6 findings: 0 warnings, 0 of advice, 6 notes"),
    ] {
        let files = files(folder);
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let output = advise(&files);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        assert_eq!(text(&output.stdout).lines().last(), Some(last), "{folder}");
    }
}

#[test]
fn json_has_documents_findings_and_what_holds() {
    let files = files("web");
    let mut args = vec!["--json"];
    args.extend(files.iter().map(String::as_str));
    let output = advise(&args);
    assert_eq!(output.status.code(), Some(1));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["documents", "findings", "effective"]);
    let findings = json["findings"].as_array().unwrap();
    let port = findings
        .iter()
        .find(|f| f["rule"] == "tcpip.delayed-ack.port")
        .unwrap();
    let mut keys: Vec<&String> = port.as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(
        keys,
        [
            "because", "code", "effect", "needs", "place", "rule", "severity", "sources", "value",
            "why"
        ]
    );
    assert_eq!(port["code"][0], "PORT 80 TCP CICSA NOAUTOLOG NODELAYACKS");
    assert_eq!(port["place"]["line"], 7);
    let effective = json["effective"].as_array().unwrap();
    let decided = effective
        .iter()
        .find(|e| e["subject"] == "PORT 3010 TCP CICSA")
        .unwrap();
    assert_eq!(decided["acknowledgement"], "immediate");
}

#[test]
fn nothing_to_say_exits_0_and_unknown_statements_are_listed_once() {
    let clean = b"TCPCONFIG NODELAYACKS\nFROBNICATE 1\nPORT\n 80 TCP WEB\nFROBNICATE 2\n";
    let output = advise_of(clean, &["-"]);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{shown}");
    assert_eq!(shown.matches("FROBNICATE").count(), 1, "{shown}");
    assert!(shown.contains("2:1       note     statement FROBNICATE is skipped, 2 times"));
    assert!(shown.ends_with("no findings\n"), "{shown}");
}

#[test]
fn what_cannot_be_read_exits_2_and_says_why() {
    let missing = advise(&["/nowhere/profile.tcpip", "/nowhere/region.sit"]);
    assert_eq!(missing.status.code(), Some(2));
    let error_text = text(&missing.stderr);
    for file in ["/nowhere/profile.tcpip", "/nowhere/region.sit"] {
        assert!(error_text.contains(file), "{error_text}");
    }
    for (bytes, reason) in [
        (&b""[..], "the file is empty"),
        (
            b"The quick brown fox.\n",
            "the kind of the content is not recognised",
        ),
        (b"\x7fELF\x02\x01\0\0PORT\n", "is not text"),
        (b"\xd4\xe7\xe3\x7e\xf1\x40\x40\x40", "looks like EBCDIC"),
    ] {
        let output = advise_of(bytes, &["-"]);
        assert_eq!(output.status.code(), Some(2), "{reason}");
        assert!(
            text(&output.stderr).contains(reason),
            "{}",
            text(&output.stderr)
        );
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn wrong_words_exit_64() {
    for args in [
        &["--kind", "nonsense", "-"][..],
        &["--rule", "no.such", "-"],
        &[],
        &["--no"],
    ] {
        assert_eq!(advise(args).status.code(), Some(64), "{args:?}");
    }
}

#[test]
fn a_numbered_profile_with_windows_line_ends_reads_like_the_plain_one() {
    let plain = std::fs::read_to_string(example("advise/web/profile.tcpip")).unwrap();
    let numbered: String = plain
        .lines()
        .enumerate()
        .map(|(i, line)| format!("{line:<72}{:08}\r\n", (i + 1) * 100))
        .collect();
    let codes = |bytes: &[u8]| {
        let output = advise_of(bytes, &["--json", "-"]);
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        let findings = json["findings"].as_array().unwrap().iter();
        findings.map(|f| f["code"].clone()).collect::<Vec<_>>()
    };
    let expected = codes(plain.as_bytes());
    assert!(expected.len() > 3);
    assert_eq!(codes(numbered.as_bytes()), expected);
}

#[test]
fn a_page_is_written_in_addition_to_the_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("advice.html");
    let files = files("web");
    let mut args = vec!["--html", path.to_str().unwrap()];
    args.extend(files.iter().map(String::as_str));
    let output = advise(&args);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("tcpip.mtu.route"));
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("cics.fcqronly"));
    assert!(!page.contains("<script") && !page.contains("http://"));
}

//! What a shell does to a command: closed pipes, odd names, missing parts.

use std::io::{Read, Write};
use std::process::Stdio;

use crate::program::tupelo;
use crate::server::{application, example};

/// Runs a command whose reader takes a few bytes and goes.
fn beginning_of(args: &[&str]) -> (Option<i32>, String) {
    let mut child = tupelo()
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = [0; 16];
    let mut reader = child.stdout.take().unwrap();
    reader.read_exact(&mut line).unwrap();
    drop(reader);
    let mut said = String::new();
    let mut stderr = child.stderr.take().unwrap();
    stderr.read_to_string(&mut said).unwrap();
    (child.wait().unwrap().code(), said)
}

/// As SIGPIPE ends a program, or cleanly where all of it fitted into the pipe.
fn ended_quietly(status: Option<i32>) -> bool {
    matches!(status, Some(141 | 0))
}

#[test]
fn a_reader_that_has_seen_enough_ends_a_command_quietly() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("WIDE.cpy");
    let mut text = String::from("       01  WIDE.\n");
    for n in 0..4000 {
        text += &format!("           05  FIELD-{n:05} PIC X(30).\n");
    }
    std::fs::write(&book, text).unwrap();
    let records = folder.path().join("wide.bin");
    let mut file = std::fs::File::create(&records).unwrap();
    for _ in 0..20 {
        file.write_all(&[b'A'; 4000 * 30]).unwrap();
    }
    let (book, records) = (book.to_str().unwrap(), records.to_str().unwrap());
    for args in [
        &["record", "layout", book][..],
        &["record", "layout", book, "--json"],
        &["record", "schema", book],
        &["record", "decode", book, records],
        &["reference", "commands"],
    ] {
        let (status, said) = beginning_of(args);
        assert!(ended_quietly(status), "{args:?}: {status:?}");
        assert_eq!(said, "", "{args:?}");
    }
}

#[test]
fn an_api_has_a_name_that_stays_in_its_folder() {
    let app = application(&[(
        "copybooks/A.cpy",
        "       01  A.\n           05  B PIC X.\n",
    )]);
    let book = app.path().join("copybooks/A.cpy");
    let import = |name: &str| {
        tupelo()
            .args(["api", "import", name, "--program", "P1", "--request"])
            .arg(&book)
            .arg("--app")
            .arg(app.path())
            .output()
            .unwrap()
    };
    for name in ["../out", "a/b", ".hidden", ""] {
        let output = import(name);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_ne!(output.status.code(), Some(0), "{name}");
        assert!(said.contains("no name for an API"), "{name}: {said}");
    }
    assert!(!app.path().join("out").exists());
    assert_eq!(import("plain").status.code(), Some(0));
    let check = tupelo().arg("check").arg(app.path()).output().unwrap();
    let said = String::from_utf8_lossy(&check.stdout).into_owned();
    assert!(
        said.contains("calls P1, and there is no such program"),
        "{said}"
    );
}

#[test]
fn the_value_of_a_field_chooses_among_redefinitions() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(
        at("E.cpy"),
        "       01  E.\n           05  KIND PIC X.\n           05  BODY PIC X(4).\n           \
         05  NUM REDEFINES BODY PIC 9(4).\n",
    )
    .unwrap();
    std::fs::write(at("e.bin"), b"N0042TabcdXwxyz").unwrap();
    let decode = |rule: &str| {
        let args = [
            "record",
            "decode",
            &at("E.cpy"),
            &at("e.bin"),
            "--redefines-by",
            rule,
        ];
        tupelo().args(args).output().unwrap()
    };
    let output = decode("BODY:KIND:N=NUM,*=BODY");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "{\"KIND\":\"N\",\"NUM\":42}\n{\"KIND\":\"T\",\"BODY\":\"abcd\"}\n{\"KIND\":\"X\",\"BODY\":\"wxyz\"}\n"
    );
    let wrong = decode("BODY:KIND");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("ITEM:FIELD:VALUE=NAME"));
}

#[test]
fn a_dump_ends_quietly_with_its_reader() {
    let (app, state) = (example("bank"), tempfile::tempdir().unwrap());
    let (folder, state) = (app.to_str().unwrap(), state.path().to_str().unwrap());
    let made = tupelo()
        .args(["run", "BLST", folder, "--channel", "LIST", "--state", state])
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    let dump = [
        "file", "dump", "ACCTFILE", "--app", folder, "--state", state,
    ];
    let (status, said) = beginning_of(&dump);
    assert!(ended_quietly(status), "{status:?}");
    assert_eq!(said, "");
}

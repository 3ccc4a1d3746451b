//! What a shell does to a command: closed pipes, odd names, missing parts.

use std::fs::File;
use std::path::Path;
use std::process::Stdio;

use crate::program::{text, tupelo};
use crate::server::{application, example};

/// Commands that print, one of each way to print, and a folder that they read.
fn commands_that_print(folder: &Path) -> Vec<Vec<String>> {
    let book = folder.join("WIDE.cpy");
    let mut lines = String::from("       01  WIDE.\n");
    for n in 0..4000 {
        lines += &format!("           05  FIELD-{n:05} PIC X(30).\n");
    }
    std::fs::write(&book, lines).unwrap();
    let records = folder.join("wide.bin");
    std::fs::write(&records, vec![b'A'; 20 * 4000 * 30]).unwrap();
    let capture = folder.join("empty.pcap");
    let mut header = [0; 24];
    header[..8].copy_from_slice(&[0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0]);
    header[16..].copy_from_slice(&[0, 0, 1, 0, 1, 0, 0, 0]);
    std::fs::write(&capture, header).unwrap();
    let state = folder.join("state");
    let app = example("bank");
    let bank = [
        "--app",
        app.to_str().unwrap(),
        "--state",
        state.to_str().unwrap(),
    ];
    let made = tupelo()
        .args(["run", "BLST", bank[1], "--channel", "LIST"])
        .args(&bank[2..])
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    let (book, records) = (book.to_str().unwrap(), records.to_str().unwrap());
    let capture = capture.to_str().unwrap();
    let dump = [&["file", "dump", "ACCTFILE"][..], &bank].concat();
    [
        &["--help"][..],
        &["record", "layout", book],
        &["record", "layout", book, "--json"],
        &["record", "schema", book],
        &["record", "decode", book, records],
        &["reference", "commands"],
        &["advise", "--rules"],
        &["capture", "explain", capture],
        &["capture", "explain", capture, "--json"],
        &["drive", "schema"],
        &["lab"],
        &dump,
    ]
    .iter()
    .map(|args| args.iter().map(|&arg| arg.to_owned()).collect())
    .collect()
}

#[test]
fn a_reader_that_has_seen_enough_ends_every_command_as_sigpipe_does() {
    let folder = tempfile::tempdir().unwrap();
    for args in commands_that_print(folder.path()) {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = tupelo().args(&args).stdout(writer).output().unwrap();
        assert_eq!(output.status.code(), Some(128 + 13), "{args:?}");
        assert_eq!(text(&output.stderr), "", "{args:?}");
    }
}

#[test]
fn a_full_disk_under_standard_output_is_reported_by_every_command() {
    let folder = tempfile::tempdir().unwrap();
    for args in commands_that_print(folder.path()) {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = tupelo().args(&args).stdout(full).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains("No space left on device"), "{args:?}: {said}");
        assert!(!said.contains("panicked"), "{args:?}: {said}");
    }
}

#[test]
fn a_file_that_cannot_take_the_records_is_named_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let decode = &commands_that_print(folder.path())[4];
    let output = tupelo()
        .args(decode)
        .args(["-o", "/dev/full"])
        .stdout(Stdio::null())
        .output()
        .unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("No space left on device"), "{said}");
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
            .args([
                "api",
                "import",
                name,
                "--program",
                "P1",
                "--transid",
                "NONE",
                "--request",
            ])
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
        assert!(
            said.contains("is not a valid name of an API"),
            "{name}: {said}"
        );
    }
    assert!(!app.path().join("out").exists());
    let definitions = app.path().join("resources.csd");
    let before = std::fs::read_to_string(&definitions).unwrap();
    assert_eq!(import("plain").status.code(), Some(0));
    let added = std::fs::read_to_string(&definitions).unwrap();
    assert!(
        added.contains("DEFINE TRANSACTION(NONE) GROUP(HELLO) PROGRAM(P1)"),
        "{added}"
    );
    std::fs::write(&definitions, before).unwrap();
    let check = tupelo().arg("check").arg(app.path()).output().unwrap();
    let said = String::from_utf8_lossy(&check.stdout).into_owned();
    assert!(
        said.contains("calls P1, and there is no such program"),
        "{said}"
    );
    assert!(
        said.contains("its transaction NONE is not defined"),
        "{said}"
    );
    // Where its connection leads elsewhere, they are there.
    let settings = app.path().join("tupelo.toml");
    let with = |more: &str| {
        let before = std::fs::read_to_string(&settings).unwrap();
        std::fs::write(&settings, format!("{before}\n{more}")).unwrap();
        let check = tupelo().arg("check").arg(app.path()).output().unwrap();
        std::fs::write(&settings, before).unwrap();
        String::from_utf8_lossy(&check.stdout).into_owned()
    };
    let connection = |name: &str| format!("[ipconn.connections.{name}]\naddress = \"x:1\"\n");
    let said = with(&connection("cicsConn"));
    assert!(said.contains("0 errors, 0 warnings"), "{said}");
    let said = with(&connection("OTHER"));
    assert!(
        said.contains("calls P1") && said.contains("transaction NONE"),
        "{said}"
    );
    let said = with(&format!(
        "[gateway]\nconnection = \"OTHER\"\n{}",
        connection("OTHER")
    ));
    assert!(said.contains("0 errors, 0 warnings"), "{said}");
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
fn a_server_goes_on_when_its_output_is_not_read() {
    let state = tempfile::tempdir().unwrap();
    let (read, write) = std::io::pipe().unwrap();
    drop(read);
    let mut server = tupelo()
        .arg("serve")
        .arg(example("bank"))
        .arg("--state")
        .arg(state.path())
        .args(["--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"])
        .stdin(Stdio::null())
        .stdout(write)
        .spawn()
        .unwrap();
    // The signal may arrive before or after the server has printed its addresses:
    // it prints them first.
    let store = state.path().join("store/data.mdb");
    let looks = std::iter::repeat_n(std::time::Duration::from_millis(5), 12_000);
    for pause in looks {
        if store.exists() || server.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(pause);
    }
    // SAFETY: kill(2) takes any pid; the child is ours and not yet reaped.
    unsafe { libc::kill(server.id() as i32, libc::SIGTERM) };
    assert_eq!(server.wait().unwrap().code(), Some(0));
}

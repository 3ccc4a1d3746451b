//! Changes of an application folder while it is served.

use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::http::HttpAnswer;
use crate::program::{run, text, tupelo};
use crate::server::{Server, application, example};

/// A folder with all beneath it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true if entry.file_name() == ".tupelo" => {}
            true => copy(&entry.path(), &to),
            false => drop(std::fs::copy(entry.path(), to).unwrap()),
        }
    }
}

fn append(file: &Path, text: &str) {
    let before = std::fs::read_to_string(file).unwrap();
    std::fs::write(file, before + text).unwrap();
}

/// Asks again and again until the answer is as wanted.
fn until(
    server: &Server,
    ask: impl Fn(&Server) -> HttpAnswer,
    wanted: impl Fn(&HttpAnswer) -> bool,
) {
    let begin = std::time::Instant::now();
    while begin.elapsed().as_secs() < 60 {
        if wanted(&ask(server)) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    panic!("the change is not served: {:?}", ask(server));
}

const NOTE: &str = "       01  NOTE.\n           05  NOTE-KEY PIC X(4).\n           \
    05  NOTE-TEXT PIC X(12).\n";

const READER: &str = include_str!("../../testdata/programs/reload/NOTEGET.cbl");

/// Adds a file with a record, a program that reads it, and an API for that.
fn add_notes(folder: &Path) {
    std::fs::write(folder.join("copybooks/NOTE.cpy"), NOTE).unwrap();
    std::fs::write(folder.join("data/notes.txt"), "A001first note  \n").unwrap();
    std::fs::write(folder.join("cobol/NOTEGET.cbl"), READER).unwrap();
    let made = tupelo()
        .args(["api", "import", "notes", "--program", "NOTEGET", "--app"])
        .arg(folder)
        .arg("--request")
        .arg(folder.join("copybooks/NOTE.cpy"))
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(made.success());
    append(
        &folder.join("tupelo.toml"),
        "\n[files.NOTES]\ncopybook = \"copybooks/NOTE.cpy\"\ndata = \"data/notes.txt\"\nformat = \"lines\"\n",
    );
    // Before the bank's own file, which must keep its number.
    let csd = folder.join("resources.csd");
    let before = std::fs::read_to_string(&csd).unwrap();
    let file = "DEFINE FILE(NOTES) GROUP(BANK) KEYLENGTH(4) RECORDSIZE(16) RECORDFORMAT(F) STATUS(ENABLED)\n";
    std::fs::write(csd, format!("{file}{before}")).unwrap();
}

#[test]
fn a_file_a_program_and_an_api_are_added_without_a_lost_request() {
    let folder = tempfile::tempdir().unwrap();
    copy(&example("bank"), folder.path());
    let server = Server::start(folder.path());
    let (stop, sent) = (AtomicBool::new(false), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for account in ["10000001", "10000008"] {
            let (server, stop, sent) = (&server, &stop, &sent);
            scope.spawn(move || {
                let path = format!("/bank/accounts/{account}/movements");
                while !stop.load(Ordering::Relaxed) {
                    let body = "{\"kind\": \"DEPOSIT\", \"amount\": 1.00}";
                    let answer = server.send("POST", &path, Some(body));
                    assert_eq!(answer.status, 200, "{answer:?}");
                    sent.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        add_notes(folder.path());
        let ask = |server: &Server| server.send("POST", "/notes", Some("{\"note_key\": \"A001\"}"));
        until(&server, ask, |answer| {
            String::from_utf8_lossy(&answer.body).contains("first note")
        });
        // And removed again: the bank's file is the first again.
        let csd = folder.path().join("resources.csd");
        std::fs::copy(example("bank").join("resources.csd"), &csd).unwrap();
        let settings = folder.path().join("tupelo.toml");
        std::fs::copy(example("bank").join("tupelo.toml"), settings).unwrap();
        until(&server, ask, |answer| answer.status == 500);
        stop.store(true, Ordering::Relaxed);
    });
    assert!(sent.load(Ordering::Relaxed) > 0);
    // Every deposit arrived in the file it was meant for.
    let movements = |account: &str| {
        let answer = server.get(&format!("/bank/accounts/{account}"));
        answer.json()["movements"].as_u64().unwrap()
    };
    let before = movements_at_first("10000001") + movements_at_first("10000008");
    let made = u64::from(sent.load(Ordering::Relaxed));
    assert_eq!(movements("10000001") + movements("10000008"), before + made);
}

/// Movements of an account in the bank's initial data.
fn movements_at_first(account: &str) -> u64 {
    let data = std::fs::read_to_string(example("bank").join("data/accounts.jsonl")).unwrap();
    let line = data.lines().find(|line| line.contains(account)).unwrap();
    let record: serde_json::Value = serde_json::from_str(line).unwrap();
    record["ACCOUNT-MOVEMENTS"].as_u64().unwrap()
}

#[test]
fn a_program_that_compiles_no_more_is_served_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    copy(&example("bank"), folder.path());
    let server = Server::start(folder.path());
    let account = |server: &Server| server.get("/bank/accounts/10000001");
    let before = account(&server);
    assert_eq!(before.status, 200);
    let broken = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. ACCTINQ.\n       NONSENSE.\n";
    std::fs::write(folder.path().join("cobol/ACCTINQ.cbl"), broken).unwrap();
    // A change that is loaded, and another one after it: a project that was kept once is
    // kept again.
    add_notes(folder.path());
    let ask = |server: &Server| server.send("POST", "/notes", Some("{\"note_key\": \"A001\"}"));
    until(&server, ask, |answer| {
        String::from_utf8_lossy(&answer.body).contains("first note")
    });
    assert_eq!(account(&server).body, before.body);
    std::fs::remove_file(folder.path().join("cobol/NOTEGET.cbl")).unwrap();
    until(&server, ask, |answer| answer.status == 500);
    assert_eq!(account(&server).body, before.body);
}

#[test]
fn a_folder_of_programs_that_is_gone_leaves_them_in_force() {
    let folder = application(&[]);
    let log = tempfile::NamedTempFile::new().unwrap();
    let server = Server::start_logging(folder.path(), log.reopen().unwrap());
    let greeting = |server: &Server| server.get("/hello/world");
    let said = || std::fs::read_to_string(log.path()).unwrap();
    let programs = folder.path().join("cobol");
    let away = folder.path().join("away");
    std::fs::rename(&programs, &away).unwrap();
    until(&server, greeting, |_| said().contains("stay in force"));
    assert_eq!(greeting(&server).status, 200);
    // Another change, with the folder still missing: kept again, and not reported again.
    let loads = || said().matches("loaded again").count();
    let before = loads();
    append(&folder.path().join("resources.csd"), "* a comment\n");
    until(&server, greeting, |_| loads() > before);
    assert_eq!(greeting(&server).status, 200);
    let log_text = said();
    let line = log_text
        .lines()
        .find(|l| l.contains("stay in force"))
        .unwrap();
    assert!(line.contains("cobol: No such file"), "{line}");
    assert!(line.contains("stay in force, 2 programs"), "{line}");
    assert_eq!(log_text.matches("stay in force").count(), 1, "{log_text}");
    // A program that is removed from an existing folder is no longer served.
    std::fs::create_dir(&programs).unwrap();
    until(&server, greeting, |answer| answer.status == 500);
    std::fs::remove_dir(&programs).unwrap();
    std::fs::rename(&away, &programs).unwrap();
    until(&server, greeting, |answer| answer.status == 200);
}

#[test]
fn a_folder_of_apis_that_is_gone_leaves_them_in_force() {
    let folder = application(&[]);
    let log = tempfile::NamedTempFile::new().unwrap();
    let server = Server::start_logging(folder.path(), log.reopen().unwrap());
    let greeting = |server: &Server| server.get("/hello/world");
    let said = || std::fs::read_to_string(log.path()).unwrap();
    let (apis, away) = (folder.path().join("apis"), folder.path().join("away"));
    std::fs::rename(&apis, &away).unwrap();
    until(&server, greeting, |_| {
        said().contains("API hello: its last version")
    });
    assert_eq!(greeting(&server).status, 200);
    // A project that is removed from an existing folder is no longer served.
    std::fs::create_dir(&apis).unwrap();
    until(&server, greeting, |answer| answer.status == 404);
    std::fs::remove_dir(&apis).unwrap();
    std::fs::rename(&away, &apis).unwrap();
    until(&server, greeting, |answer| answer.status == 200);
}

#[test]
fn a_fifo_and_a_link_that_leads_out_stop_neither_reloads_nor_the_end() {
    let route = "\n[script.routes]\n\"/scripted\" = \"scripted.js\"\n";
    let script = |text: &str| format!("export function GET() {{ return '{text}' }}\n");
    let folder = application(&[("scripts/scripted.js", &script("one"))]);
    append(&folder.path().join("tupelo.toml"), route);
    let log = tempfile::NamedTempFile::new().unwrap();
    let server = Server::start_logging(folder.path(), log.reopen().unwrap());
    let greeting = |server: &Server| server.get("/hello/world");
    let others = tempfile::NamedTempFile::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    for fifo in ["cobol/PIPE.cbl", "copybooks/PIPE.cpy", "scripts/pipe.js"] {
        let made = std::process::Command::new("mkfifo").arg(at(fifo)).status();
        assert!(made.unwrap().success(), "{fifo}");
    }
    std::os::unix::fs::symlink(others.path(), at("cobol/OUT.cbl")).unwrap();
    let checked = run(&["check", folder.path().to_str().unwrap()]);
    let said = text(&checked.stderr) + &text(&checked.stdout);
    for why in ["it is not a regular file", "a link that leads out"] {
        assert!(said.contains(why), "{why}: {said}");
    }
    // They keep their values, and changes next to them take effect.
    let program = at("cobol/HELLO.cbl");
    let hello = std::fs::read_to_string(&program).unwrap();
    std::fs::write(&program, hello.replace("Hello, ", "Salve, ")).unwrap();
    until(&server, greeting, |answer| {
        String::from_utf8_lossy(&answer.body).contains("Salve, world")
    });
    std::fs::write(at("scripts/scripted.js"), script("two")).unwrap();
    let scripted = |server: &Server| server.get("/scripted");
    until(&server, scripted, |answer| {
        String::from_utf8_lossy(&answer.body).contains("two")
    });
    // Each is reported once, in one line.
    let log = std::fs::read_to_string(log.path()).unwrap();
    for name in ["PIPE.cbl", "OUT.cbl", "pipe.js"] {
        let lines = log.lines().filter(|line| line.contains(name));
        assert_eq!(lines.count(), 1, "{name}: {log}");
    }
    server.stop();
}

#[test]
fn what_cannot_be_read_leaves_the_old_state_in_force() {
    let folder = application(&[]);
    let server = Server::start(folder.path());
    let greeting = |server: &Server| server.get("/hello/world");
    let program = folder.path().join("cobol/HELLO.cbl");
    let text = std::fs::read_to_string(&program).unwrap();
    // Unreadable definitions, then a program with another greeting:
    // changes take effect only when both are valid.
    let csd = folder.path().join("resources.csd");
    let definitions = std::fs::read_to_string(&csd).unwrap();
    std::fs::write(&csd, "DEFINE PROGRAM(").unwrap();
    std::fs::write(&program, text.replace("Hello, ", "Salve, ")).unwrap();
    for _ in 0..50 {
        let answer = greeting(&server);
        assert!(String::from_utf8_lossy(&answer.body).contains("Hello, world"));
    }
    std::fs::write(&csd, definitions).unwrap();
    until(&server, greeting, |answer| {
        String::from_utf8_lossy(&answer.body).contains("Salve, world")
    });
}

#[test]
fn an_api_that_begins_to_ask_for_unchecked_credentials_is_served_no_more() {
    let folder = application(&[]);
    let server = Server::start(folder.path());
    let greeting = |server: &Server| server.get("/hello/world");
    assert_eq!(greeting(&server).status, 200);
    let document = folder.path().join("apis/hello/src/main/api/openapi.yaml");
    let open = std::fs::read_to_string(&document).unwrap();
    append(&document, "\nsecurity:\n  - bearer: []\n");
    until(&server, greeting, |answer| answer.status != 200);
    std::fs::write(&document, open).unwrap();
    until(&server, greeting, |answer| answer.status == 200);
}

//! EXEC CICS commands, one program for each: the RESP, RESP2 and data that it returns.
//!
//! `testdata/commands/GROUP/` is an application of programs. Each program with an
//! `.expected` file is run as a transaction of the first four characters of its name, and
//! displays its steps by the members in `copybooks/`. The expected text is taken from the
//! public manual, not from a run. A group may have definitions (`resources.csd`), settings
//! (`tupelo.toml`), data sets (`setup.idcams`) and more files.
//!
//! To add a program: write it and its `.expected` file.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::program::tupelo;

/// Bytes of the COMMAREA: 50 lines of 80 characters.
const COMMAREA_BYTES: &str = "4000";

#[test]
fn areas() {
    run("areas");
}

#[test]
fn counters() {
    run("counters");
}

#[test]
fn enqueue() {
    run("enqueue");
}

#[test]
fn files() {
    run("files");
}

#[test]
fn builtin() {
    run("builtin");
}

#[test]
fn definitions() {
    run("definitions");
}

#[test]
fn children() {
    run("children");
}

#[test]
fn interval() {
    run("interval");
}

#[test]
fn temporary_storage() {
    run("temporary_storage");
}

#[test]
fn transient_data() {
    run("transient_data");
}

#[test]
fn programs() {
    run("programs");
}

#[test]
fn settings() {
    run("settings");
}

#[test]
fn sockets() {
    run("sockets");
}

#[test]
fn sockets_whose_data_the_worker_moves() {
    run_with("sockets", |app| {
        let path = app.join("tupelo.toml");
        let settings = fs::read_to_string(&path).expect("settings");
        fs::write(path, settings + "served = \"worker\"\n").expect("settings");
    });
}

#[test]
fn spool() {
    run("spool");
}

#[test]
fn journals() {
    run("journals");
}

#[test]
fn operator() {
    run("operator");
}

#[test]
fn inquiry() {
    run("inquiry");
}

#[test]
fn system() {
    run("system");
}

#[test]
fn web() {
    run("web");
}

/// Runs every program of a group and compares its output.
fn run(group: &str) {
    run_with(group, |_| ());
}

/// The same, with the application changed before.
fn run_with(group: &str, change: impl Fn(&Path)) {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/commands");
    let (app, programs) = application(&data, group);
    change(app.path());
    assert!(!programs.is_empty(), "{group} has no programs");
    set_up(app.path());
    let mut wrong = String::new();
    for program in programs {
        let transid: String = program.chars().take(4).collect();
        let shown = commarea_lines(app.path(), &transid);
        let path = data.join(group).join(format!("{program}.expected"));
        let expected = fs::read_to_string(&path).expect("an expectation");
        if shown.trim_end() != expected.trim_end() {
            let _ = writeln!(wrong, "{program} prints\n{shown}and not\n{expected}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The application of a group, and the programs to be run.
fn application(data: &Path, group: &str) -> (tempfile::TempDir, Vec<String>) {
    let app = tempfile::tempdir().expect("a folder");
    copy(&data.join("copybooks"), &app.path().join("copybooks"));
    copy(&data.join(group), app.path());
    fs::create_dir_all(app.path().join("cobol")).expect("a folder");
    let own = app.path().join("resources.csd");
    let mut csd = fs::read_to_string(&own).unwrap_or_default();
    let mut programs = Vec::new();
    for path in entries_of(app.path()) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = name.into_owned();
        if path.extension().is_some_and(|e| e == "cbl") {
            let to = app.path().join("cobol").join(format!("{name}.cbl"));
            fs::rename(&path, to).expect("a program");
            if !csd.contains(&format!("DEFINE PROGRAM({name})")) {
                let _ = writeln!(csd, "DEFINE PROGRAM({name}) GROUP(TESTS)");
            }
        } else if path.extension().is_some_and(|e| e == "expected") {
            let transid: String = name.chars().take(4).collect();
            if !csd.contains(&format!("DEFINE TRANSACTION({transid})")) {
                let _ = writeln!(
                    csd,
                    "DEFINE TRANSACTION({transid}) GROUP(TESTS) PROGRAM({name})"
                );
            }
            programs.push(name);
        }
    }
    fs::write(own, csd).expect("definitions");
    programs.sort();
    (app, programs)
}

/// Defines the data sets of a group that has IDCAMS statements.
fn set_up(app: &Path) {
    let statements = app.join("setup.idcams");
    if !statements.exists() {
        return;
    }
    let output = tupelo()
        .args(["file", "idcams"])
        .arg(statements)
        .arg("--app")
        .arg(app)
        .output()
        .expect("tupelo runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

/// The COMMAREA at the end of a transaction, line by line.
pub fn commarea_lines(app: &Path, transid: &str) -> String {
    let output = tupelo()
        .args(["run", transid])
        .arg(app)
        .args(["--json", "--commarea", "", "--length", COMMAREA_BYTES])
        .output()
        .expect("tupelo runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let problems = String::from_utf8_lossy(&output.stderr);
    let Ok(reply) = serde_json::from_str::<serde_json::Value>(&text) else {
        return format!("{text}{problems}\n");
    };
    let commarea = reply["commarea"].as_str().unwrap_or_default();
    let lines = commarea.as_bytes().chunks(80);
    let mut shown = String::new();
    for line in lines.map(String::from_utf8_lossy) {
        if !line.trim().is_empty() {
            let _ = writeln!(shown, "{}", line.trim_end());
        }
    }
    if !reply["abend"].is_null() {
        let _ = writeln!(shown, "abend {}", reply["abend"]);
    }
    shown
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for path in entries_of(from) {
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() {
            copy(&path, &to.join(name));
        } else {
            fs::copy(&path, to.join(name)).expect("a copy");
        }
    }
}

pub fn entries_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut files: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    files.sort();
    files
}

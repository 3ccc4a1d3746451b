//! A batch program over a file and SQL that is killed in its third unit of work: what it
//! has committed is there, in the file and in the table.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Stdio;

use super::{import, served_state, shop, sql, steps};
use crate::program::{text, tupelo, until};
use crate::server::Server;

const PROGRAM: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. UNITS.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT OUTF ASSIGN TO OUTDD ORGANIZATION IS INDEXED
               ACCESS MODE IS DYNAMIC RECORD KEY IS R-KEY
               FILE STATUS IS W-STATUS.
       DATA DIVISION.
       FILE SECTION.
       FD  OUTF.
       01  R-REC.
           05 R-KEY                    PIC X(8).
           05 R-TEXT                   PIC X(12).
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  W-STATUS                    PIC XX.
       01  W-UNIT                      PIC 9(4).
       01  W-ANSWER                    PIC X(8).
       PROCEDURE DIVISION.
           OPEN I-O OUTF
           PERFORM ONE-UNIT VARYING W-UNIT FROM 1 BY 1 UNTIL W-UNIT > 3
           CLOSE OUTF
           STOP RUN.
       ONE-UNIT.
           MOVE W-UNIT TO R-KEY
           MOVE 'WRITTEN' TO R-TEXT
           WRITE R-REC
           EXEC SQL UPDATE STOCK SET COUNTED = COUNTED + 1
               WHERE ITEM = 'BOLT' END-EXEC
           IF W-UNIT = 3
               DISPLAY 'READY ' W-STATUS ' ' SQLCODE
               ACCEPT W-ANSWER
           END-IF
           EXEC SQL COMMIT END-EXEC.
";

/// Runs the program to its third unit, and kills it with all its processes.
fn run_and_kill(app: &Path, state: &Path) {
    let mut job = tupelo()
        .args(["batch", "UNITS"])
        .arg(app)
        .arg("--state")
        .arg(state)
        .args(["--dd", "OUTDD=SHOP.OUT"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("tupelo runs");
    let printed = BufReader::new(job.stdout.take().expect("a pipe"));
    let ready = printed
        .lines()
        .map_while(Result::ok)
        .find(|l| l.starts_with("READY"));
    assert_eq!(ready.as_deref(), Some("READY 00 +0000000000"));
    // SAFETY: kill(2) takes any group; it is the job's own.
    unsafe { libc::kill(-job.id().cast_signed(), libc::SIGKILL) };
    job.wait().expect("its end");
}

/// The records of the file.
fn records(app: &Path, state: &Path) -> String {
    let output = tupelo()
        .args(["file", "dump", "SHOP.OUT", "--format", "lines", "--app"])
        .arg(app)
        .arg("--state")
        .arg(state)
        .output()
        .expect("tupelo runs");
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn files_of_a_batch_program_that_is_killed_are_not_behind_its_sql() {
    let Some(app) = shop() else {
        return;
    };
    let app = app.path();
    std::fs::write(app.join("batch/UNITS.cbl"), PROGRAM).expect("a program");
    let state = app.join(".tupelo");
    let define = |state: &Path| {
        let deck = "  DEFINE CLUSTER (NAME(SHOP.OUT) INDEXED KEYS(8 0) RECORDSIZE(20 20))\n";
        std::fs::write(app.join("define.idcams"), deck).expect("a file");
        let output = tupelo()
            .args(["file", "idcams", "define.idcams", "--app", ".", "--state"])
            .arg(state)
            .current_dir(app)
            .output()
            .expect("tupelo runs");
        assert!(output.status.success(), "{}", text(&output.stderr));
    };
    // The job has the store to itself.
    define(&state);
    run_and_kill(app, &state);
    let kept = records(app, &state);
    assert!(kept.contains("0001") && kept.contains("0002"), "{kept}");
    let count = "SELECT COUNTED FROM STOCK WHERE ITEM = 'BOLT'";
    assert!(sql(app, &[count]).contains("42"), "{}", sql(app, &[count]));
    // A region has it.
    let state = served_state(app);
    define(state.path());
    import(app);
    let server = Server::start_in(app, state);
    run_and_kill(app, server.state.path());
    until("the end of the unit", || {
        steps(&server, "U", "BOLT").1 == ["0"]
    });
    assert_eq!(steps(&server, "Q", "BOLT").1, ["43"]);
    let kept = records(app, server.state.path());
    assert!(kept.contains("0001") && kept.contains("0002"), "{kept}");
}

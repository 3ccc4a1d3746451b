//! `tupelo check` compares EXEC SQL with the tables.

use std::path::Path;

use super::{application, shop};
use crate::program::{text, tupelo};

/// Statements that translate and cannot run. Their lines are in the test.
const WRONG: &str = include_str!("../../../testdata/programs/sql/check/WRONG.cbl");

fn check(app: &Path, more: &[&str]) -> (Option<i32>, String) {
    let output = tupelo()
        .arg("check")
        .arg(app)
        .args(more)
        .output()
        .expect("tupelo runs");
    (output.status.code(), text(&output.stdout))
}

#[test]
fn unknown_names_and_types_that_do_not_fit_have_their_lines() {
    let Some(app) = shop() else {
        return;
    };
    std::fs::write(app.path().join("cobol/WRONG.cbl"), WRONG).expect("a program");
    let (status, printed) = check(app.path(), &["--database"]);
    assert_eq!(status, Some(1), "{printed}");
    for expected in [
        "cobol/WRONG.cbl:11:",
        "SQLCODE -206",
        "did you mean COUNTED?",
        "cobol/WRONG.cbl:13:",
        "SQLCODE -303",
        "cobol/WRONG.cbl:15:",
        "SQLCODE -204",
        "did you mean STOCK?",
        "cobol/WRONG.cbl:16:",
        "cobol/WRONG.cbl:18:",
    ] {
        assert!(printed.contains(expected), "no {expected:?} in\n{printed}");
    }
    // The other program names a table on purpose that is not there.
    assert_eq!(printed.matches("STOCK.cbl:").count(), 1, "{printed}");
    assert!(!printed.contains("not compared"), "{printed}");
}

#[test]
fn batch_programs_with_exec_sql_are_compared_and_others_are_not_compiled() {
    let Some(app) = shop() else {
        return;
    };
    let batch = app.path().join("batch");
    std::fs::create_dir_all(&batch).expect("a folder");
    std::fs::write(batch.join("WRONG.cbl"), WRONG).expect("a program");
    std::fs::write(batch.join("BROKEN.cbl"), "NOT COBOL\n").expect("a program");
    let (status, printed) = check(app.path(), &["--database"]);
    assert_eq!(status, Some(1), "{printed}");
    assert!(printed.contains("batch/WRONG.cbl:11:"), "{printed}");
    assert!(printed.contains("SQLCODE -206"), "{printed}");
    assert!(!printed.contains("BROKEN"), "{printed}");
}

#[test]
fn one_line_says_that_nothing_could_be_compared() {
    let app = application();
    // What Db2 brings is no missing program.
    let call = "           CALL 'DSNTIAC' USING DFHEIBLK DFHCOMMAREA SQLCA WS-ITEM WS-AT
           EXEC CICS RETURN END-EXEC.
       ONE-STEP.";
    let stock = app.path().join("cobol/STOCK.cbl");
    let text = std::fs::read_to_string(&stock).expect("the program");
    let text = text.replace(
        "           EXEC CICS RETURN END-EXEC.\n       ONE-STEP.",
        call,
    );
    assert!(text.contains("DSNTIAC"));
    std::fs::write(&stock, text).expect("the program");
    let (status, printed) = check(app.path(), &[]);
    assert_eq!(status, Some(0), "{printed}");
    assert!(!printed.contains("DSNTIAC"), "{printed}");
    let line = "statements of EXEC SQL not compared with the tables: no region runs its SQL server";
    assert!(printed.contains(line), "{printed}");
    super::add_settings(app.path(), "url = \"postgresql://127.0.0.1:1/shop\"\n");
    let (status, printed) = check(app.path(), &[]);
    assert_eq!(status, Some(0), "{printed}");
    assert!(
        printed.contains("--database connects to the server of [sql]"),
        "{printed}"
    );
    let (status, printed) = check(app.path(), &["--database"]);
    assert_eq!(status, Some(0), "{printed}");
    assert!(
        printed.contains("not compared with the tables") && printed.contains("127.0.0.1:1"),
        "{printed}"
    );
}

//! Jobs that run Db2's programs under TSO: DSNTIAD, DSNTEP2 and programs with EXEC SQL.

use std::path::Path;
use std::process::Output;

use super::shop;
use crate::program::{text, tupelo};

/// A step that runs TSO, with its SYSTSIN and SYSIN.
fn step(name: &str, program: &str, commands: &str, sysin: &str) -> String {
    format!(
        "//{name} EXEC PGM={program},DYNAMNBR=20\n//SYSTSPRT DD SYSOUT=*\n//SYSPRINT DD SYSOUT=*\n\
         //SYSTSIN DD *\n{commands}/*\n//SYSIN DD *\n{sysin}/*\n"
    )
}

/// DSN with one program.
fn dsn(run: &str) -> String {
    format!(
        "  DSN SYSTEM(DB2A)\n  RUN PROGRAM({run}) PLAN(SHOPPLAN) -\n      LIB('SHOP.RUNLIB.LOAD')\n  END\n"
    )
}

fn job(app: &Path, steps: &[String]) -> Output {
    let path = app.join("job.jcl");
    std::fs::write(&path, format!("//NIGHT JOB 1\n{}", steps.concat())).expect("a job");
    let mut command = tupelo();
    command.args(["batch", "--jcl"]).arg(path).arg(app);
    command.output().expect("tupelo runs")
}

/// The condition codes of the job's table.
fn codes(output: &Output) -> Vec<String> {
    let printed = text(&output.stdout);
    let table = printed
        .split_once("\nNIGHT\n")
        .expect("a table")
        .1
        .to_owned();
    let lines = table.lines().skip(1);
    lines
        .filter_map(|line| line.split_whitespace().nth(2).map(str::to_owned))
        .collect()
}

#[test]
fn a_job_makes_tables_runs_a_program_and_prints_rows() {
    let Some(app) = shop() else {
        return;
    };
    let make = "  SET CURRENT SQLID = 'SHOP';\n  CREATE TABLESPACE TS IN DB USING STOGROUP SG;\n  \
                CREATE TABLE PRICE (ITEM CHAR(8) NOT NULL PRIMARY KEY, CENTS INTEGER) IN DB.TS;\n  \
                INSERT INTO PRICE VALUES('BOLT', 12);\n  COMMIT;\n  \
                INSERT INTO PRICE VALUES('NUT', 3);\n  ROLLBACK;\n";
    let show = "--#SET TERMINATOR #\nSELECT ITEM, CENTS FROM SHOP.PRICE ORDER BY ITEM#\n\
                SELECT COUNTED FROM SHOP.STOCK WHERE ITEM = 'NUT'#\n";
    let steps = [
        step("MAKE", "IKJEFT01", &dsn("DSNTIAD"), make),
        step("COUNT", "IKJEFT1B", &dsn("RECOUNT"), ""),
        step("SHOW", "IKJEFT01", &dsn("DSNTEP2"), show),
    ];
    let output = job(app.path(), &steps);
    let printed = text(&output.stdout);
    assert!(output.status.success(), "{printed}{}", text(&output.stderr));
    assert_eq!(codes(&output), ["0000", "0000", "0000"], "{printed}");
    for expected in [
        "CREATE TABLESPACE is left out",
        "CHANGED 0002",
        "| ITEM | CENTS |",
        "     1_| BOLT |    12 |",
        "SUCCESSFUL RETRIEVAL OF          1 ROW(S)",
        "|      17 |",
    ] {
        assert!(printed.contains(expected), "no {expected:?} in\n{printed}");
    }
}

#[test]
fn condition_codes_are_those_of_db2_programs() {
    let Some(app) = shop() else {
        return;
    };
    let nothing = "DELETE FROM SHOP.STOCK WHERE ITEM = 'SCREW';\n";
    let wrong = "UPDATE SHOP.NOTHERE SET A = 1;\nUPDATE SHOP.STOCK SET COUNTED = 1;\n";
    let double = "INSERT INTO SHOP.STOCK VALUES('BOLT', 1, NULL);\n";
    let query = "SELECT ITEM FROM SHOP.STOCK;\n";
    let steps = [
        step("WARNING", "IKJEFT01", &dsn("DSNTEP2"), nothing),
        step("ERROR", "IKJEFT01", &dsn("DSNTIAD"), wrong),
        step("SEVERE", "IKJEFT01", &dsn("DSNTIAD"), double),
        step("ZERO", "IKJEFT01", &dsn("DSNTIAD) PARMS('RC0'"), double),
        step("NOQUERY", "IKJEFT01", &dsn("DSNTIAD"), query),
        step("BINDS", "IKJEFT01", "DSN S(DB2A)\nBIND PLAN(P)\nEND\n", ""),
    ];
    let output = job(app.path(), &steps);
    let printed = text(&output.stdout);
    assert_eq!(
        codes(&output),
        ["0004", "0008", "0012", "0000", "0008", "0000"],
        "{printed}"
    );
    assert!(
        printed.contains("DSNT408I SQLCODE = -204, ERROR"),
        "{printed}"
    );
    // The statement after the one that failed was done, and the end committed it.
    let shown = super::sql(
        app.path(),
        &["SELECT COUNTED FROM STOCK WHERE ITEM = 'BOLT'"],
    );
    assert_eq!(shown, "COUNTED\n      1\n1 row\n");
}

#[test]
fn too_many_errors_roll_back_what_was_done() {
    let Some(app) = shop() else {
        return;
    };
    let wrong = "UPDATE SHOP.NOTHERE SET A = 1;\n".repeat(11);
    let sysin =
        format!("UPDATE SHOP.STOCK SET COUNTED = 1;\n{wrong}UPDATE SHOP.STOCK SET COUNTED = 2;\n");
    let output = job(
        app.path(),
        &[step("WRONG", "IKJEFT01", &dsn("DSNTEP2"), &sysin)],
    );
    assert_eq!(codes(&output), ["0008"]);
    let shown = super::sql(
        app.path(),
        &["SELECT COUNTED FROM STOCK WHERE ITEM = 'BOLT'"],
    );
    assert_eq!(shown, "COUNTED\n     40\n1 row\n");
}

#[test]
fn a_job_that_cannot_run_is_reported_before_it_begins() {
    let Some(app) = shop() else {
        return;
    };
    let steps = [
        step("ONE", "IKJEFT01", &dsn("DSNTIAUL"), ""),
        step("TWO", "IKJEFT01", &dsn("NOTHERE"), ""),
        "//THREE EXEC PGM=DSNTEP2\n".to_owned(),
        step("FOUR", "IKJEFT01", "LISTCAT\n", ""),
    ];
    let output = job(app.path(), &steps);
    assert_eq!(output.status.code(), Some(1));
    let output_text = text(&output.stderr);
    for expected in [
        "DSNTIAUL is not supported",
        "there is no program NOTHERE",
        "DSNTEP2 is not supported",
        "run it under IKJEFT01",
        "the command LISTCAT is not supported",
        "4 errors; no command was run",
        "job.jcl:7",
    ] {
        assert!(
            output_text.contains(expected),
            "no {expected:?} in\n{output_text}"
        );
    }
}

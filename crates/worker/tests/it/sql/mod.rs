//! EXEC SQL of compiled programs against a PostgreSQL cluster of the tests.
//!
//! Expected values are those of Db2's manuals.

mod cursors;
mod dialect;
mod dynamic;
mod failures;
mod genapp;
mod others;
mod rows;

use serde_json::{Value, json};

use crate::cluster::TestCluster;
use crate::cobol::{CobolHarness, ProbeResult};

/// The programs' tables, as in Db2. A text ends in column 72.
const TABLES: &str = "
CREATE TABLE DEPT (NO SMALLINT NOT NULL, NAME VARCHAR(20) NOT NULL,
  PRIMARY KEY (NO));
CREATE TABLE EMP (ID CHAR(4) NOT NULL, NAME VARCHAR(20) NOT NULL,
  DEPT SMALLINT, PAY DECIMAL(9,2) NOT NULL WITH DEFAULT,
  HIRED DATE, SEEN TIMESTAMP, AT TIME, NOTE CHAR(10),
  PRIMARY KEY (ID), FOREIGN KEY (DEPT) REFERENCES DEPT (NO)
  ON DELETE RESTRICT);
CREATE TABLE NUMS (N INTEGER NOT NULL, T CHAR(3), PRIMARY KEY (N));
CREATE TABLE IDS (ID INTEGER NOT NULL GENERATED ALWAYS AS IDENTITY,
  T CHAR(3));
INSERT INTO DEPT VALUES (1, 'SALES');
INSERT INTO DEPT VALUES (2, 'STORES ');
INSERT INTO EMP VALUES ('A001', 'SMITH', 1, 100.50, '2020-02-29',
  '2026-02-28 13:45:59.123456', '13:45:59', 'HELLO');
INSERT INTO EMP VALUES ('A002', 'JONES', NULL, 7.25, NULL, NULL, NULL,
  NULL);
";

/// Items that every program has.
const STORAGE: &str = "EXEC SQL INCLUDE SQLCA END-EXEC.
77 SC PIC -(9)9.
77 H-ID PIC X(4).
77 H-TXT PIC X(20).
77 H-SHORT PIC X(3).
77 H-N PIC S9(9) COMP.
77 H-S PIC S9(4) COMP.
77 H-D PIC S9(7)V9(2) COMP-3.
77 H-SMALL PIC S9(1)V9(1) COMP-3.
77 H-DATE PIC X(10).
77 H-TIME PIC X(8).
77 H-STAMP PIC X(26).
77 IND PIC S9(4) COMP.
77 IND2 PIC S9(4) COMP-5.
77 I PIC S9(4) COMP.
01 H-VC.
   49 H-VC-LEN PIC S9(4) COMP.
   49 H-VC-TXT PIC X(20).
";

/// A cluster with the schema db2 and the tables.
fn cluster() -> Option<TestCluster> {
    let cluster = TestCluster::start()?;
    cluster.psql(sql::SETUP_SQL).unwrap();
    let mut script = String::new();
    for applied in sql::ddl::apply(TABLES, &sql::RewriteOptions::default()) {
        assert_eq!(applied.problem, None);
        for statement in applied.sql {
            script.push_str(&format!("{statement};\n"));
        }
    }
    script.push_str(
        "INSERT INTO \"NUMS\" SELECT n, lpad(n::text, 3, '0') FROM generate_series(1, 120) n;\n",
    );
    cluster.psql(&script).unwrap();
    Some(cluster)
}

/// Where programs find the cluster.
fn place(cluster: &TestCluster) -> Value {
    json!({ "socket": cluster.socket(), "user": cluster.user() })
}

/// `place` with one more setting.
fn place_with(cluster: &TestCluster, name: &str, value: Value) -> Value {
    let mut place = place(cluster);
    place[name] = value;
    place
}

/// Runs a program and returns its lines, without blanks at their ends.
fn lines(sql: Value, storage: &str, procedure: &str) -> Vec<String> {
    let played = play(sql, storage, procedure);
    assert!(
        played.end(0)["abend"].is_null(),
        "{} {:?}",
        played.end(0),
        played.displayed
    );
    trimmed(&played)
}

fn trimmed(played: &ProbeResult) -> Vec<String> {
    let lines = played.displayed.iter();
    lines
        .map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

fn play(sql: Value, storage: &str, procedure: &str) -> ProbeResult {
    let procedure = format!(
        "{}\nGOBACK.\nSHOW-CODE.\nMOVE SQLCODE TO SC\nDISPLAY \"code \" SC.\n",
        procedure.replace("SHOW;", "PERFORM SHOW-CODE")
    );
    CobolHarness::new()
        .sql(sql)
        .program("A", &format!("{STORAGE}{storage}"), "", &procedure)
        .run("A", "")
        .play()
}

//! Statements of two megabytes, tables that change while they are in use, and a private
//! server at the end of a long path.

use super::{add_steps, application, apply_in, import, is_installed, served, steps};
use crate::program::{text, tupelo, until};
use crate::server::Server;

/// Makes a statement of a beginning, many pieces and an end, and executes it.
const BRANCHES: &str = "               WHEN 'B'
                   MOVE 'DELETE FROM STOCK WHERE ITEM IN (''A'''
                       TO WS-PART
                   MOVE ',''ABCDEFGH''' TO WS-PIECE
                   MOVE 180000 TO WS-TIMES
                   MOVE ')' TO WS-LAST
                   PERFORM LONG-STATEMENT
               WHEN 'C'
                   MOVE 'DELETE FROM STOCK WHERE COUNTED = 1'
                       TO WS-PART
                   MOVE '+1' TO WS-PIECE
                   MOVE 999000 TO WS-TIMES
                   MOVE SPACES TO WS-LAST
                   PERFORM LONG-STATEMENT
               WHEN 'D'
                   MOVE 'DELETE FROM STOCK WHERE COUNTED = '
                       TO WS-PART
                   MOVE '(' TO WS-PIECE
                   MOVE 2000000 TO WS-TIMES
                   MOVE SPACES TO WS-LAST
                   PERFORM LONG-STATEMENT
";
const DATA: &str = "       01  WS-STMT USAGE IS SQL TYPE IS CLOB(3M).
       01  WS-PART                     PIC X(60).
       01  WS-PIECE                    PIC X(20).
       01  WS-LAST                     PIC X(4).
       01  WS-TIMES                    PIC S9(9) COMP.
       01  WS-NEXT                     PIC S9(9) COMP.
";
const PARAGRAPHS: &str = "       LONG-STATEMENT.
           MOVE 1 TO WS-NEXT
           STRING FUNCTION TRIM(WS-PART) DELIMITED BY SIZE
               INTO WS-STMT-DATA WITH POINTER WS-NEXT
           PERFORM WS-TIMES TIMES
               STRING WS-PIECE DELIMITED BY SPACE
                   INTO WS-STMT-DATA WITH POINTER WS-NEXT
           END-PERFORM
           STRING WS-LAST DELIMITED BY SPACE
               INTO WS-STMT-DATA WITH POINTER WS-NEXT
           COMPUTE WS-STMT-LENGTH = WS-NEXT - 1
           EXEC SQL EXECUTE IMMEDIATE :WS-STMT END-EXEC
           PERFORM SHOW-CODE.
";

/// Most memory that a worker of the server has had, in KiB.
fn most_memory(server: &Server) -> u64 {
    let of = |pid: &i32| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let line = status
            .lines()
            .find_map(|l| l.strip_prefix("VmHWM:"))?
            .trim();
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    server.workers().iter().filter_map(of).max().unwrap_or(0)
}

#[test]
fn statements_of_two_megabytes_run_or_are_refused_in_their_unit() {
    if !is_installed() {
        return;
    }
    let app = application();
    // One in the program's text, which is longer than a literal of the compiler.
    let item = "                       ,'ABCDEFGH','ABCDEFGI'\n";
    let branches = format!(
        "{BRANCHES}               WHEN 'X'
                   EXEC SQL SELECT COUNTED INTO :WS-COUNTED FROM STOCK
                       WHERE ITEM = :WS-ITEM AND ITEM IN ('A'
{}                       ,'BOLT') END-EXEC
                   MOVE WS-COUNTED TO WS-SHOWN
                   MOVE WS-SHOWN TO WS-TEXT
",
        item.repeat(2000)
    );
    add_steps(app.path(), &branches, DATA, PARAGRAPHS);
    let state = tempfile::tempdir().unwrap();
    apply_in(app.path(), state.path());
    import(app.path());
    let server = Server::start_in(app.path(), state);
    // A list runs. A chain of operators and parentheses are too complex, and what was
    // changed before and after is committed.
    assert_eq!(
        steps(&server, "UBUCUDUSQ", "BOLT"),
        (
            200,
            ["0", "100", "0", "-101", "0", "-101", "0", "", "44"]
                .map(String::from)
                .to_vec()
        )
    );
    let memory = most_memory(&server);
    assert!((1..500_000).contains(&memory), "{memory} KiB");
    assert_eq!(steps(&server, "QX", "BOLT").1, ["44", "44"]);
}

#[test]
fn statements_that_are_prepared_follow_a_table_that_changes() {
    if !is_installed() {
        return;
    }
    // One session, so that its statements are those of the run before.
    let (app, server) = served("thread_limit = 1\n");
    let alter = |statement: &str| {
        let output = tupelo()
            .args([
                "sql",
                &format!("\\ALTER TABLE \"SHOP\".\"STOCK\" {statement}"),
                "--app",
            ])
            .arg(app.path())
            .arg("--state")
            .arg(server.state.path())
            .output()
            .expect("tupelo runs");
        assert!(output.status.success(), "{}", text(&output.stderr));
    };
    let all = |item: &str, expected: &[&str]| {
        assert_eq!(
            steps(&server, "QUQ", item),
            (200, expected.iter().map(|s| (*s).to_owned()).collect())
        );
    };
    all("BOLT", &["40", "0", "41"]);
    alter("ALTER COLUMN \"COUNTED\" TYPE integer");
    all("BOLT", &["41", "0", "42"]);
    alter("DROP COLUMN \"NOTE\"");
    alter("ADD COLUMN \"MORE\" varchar(9) NOT NULL DEFAULT 'X'");
    // After a change in the same unit, too.
    assert_eq!(steps(&server, "IIQU", "NEW").1, ["0", "-803", "1", "0"]);
    alter("ALTER COLUMN \"COUNTED\" TYPE numeric(11,2)");
    all("NEW", &["2", "0", "3"]);
    alter("RENAME COLUMN \"COUNTED\" TO \"TOTAL\"");
    let codes = steps(&server, "QUQ", "BOLT").1;
    let is_unknown = |code: &String| matches!(code.as_str(), "-205" | "-206");
    assert!(
        codes.len() == 3 && codes.iter().all(is_unknown),
        "{codes:?}"
    );
    alter("RENAME COLUMN \"TOTAL\" TO \"COUNTED\"");
    all("BOLT", &["42", "0", "43"]);
    alter("RENAME TO \"GONE\"");
    all("BOLT", &["-204", "-204", "-204"]);
}

#[test]
fn a_long_path_and_a_stale_pid_file_are_no_obstacle() {
    if !is_installed() {
        return;
    }
    let app = application();
    let state = tempfile::Builder::new()
        .prefix(&"s".repeat(220))
        .tempdir()
        .unwrap();
    assert!(state.path().as_os_str().len() > 200);
    apply_in(app.path(), state.path());
    import(app.path());
    let server = Server::start_in(app.path(), state);
    assert_eq!(steps(&server, "UWSQ", "BOLT").1, ["0", "", "", "41"]);
    let state = server.kill();
    // The server ends after its region. Another process has its number by now.
    let file = state.path().join("sql/data/postmaster.pid");
    until("the server's end", || !file.exists());
    let own = std::process::id();
    std::fs::write(&file, format!("{own}\n/x\n1\n5432\n/x\n\n  1 2\nready\n")).unwrap();
    let server = Server::start_in(app.path(), state);
    assert_eq!(steps(&server, "QL", "BOLT").1, ["41", "BOLT"]);
}

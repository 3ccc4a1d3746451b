//! Each row of the table of limits has a recipe that reaches the limit.
//!
//! The table is that of `docs/guide/bounds.md`: a row without a recipe fails the
//! test. One server has small limits, and one program uses up each resource, a part
//! for each recipe. Meanwhile another client sends requests without pause; the test reports
//! the result of the attacker, and the errors and response times of the other client. Limits that
//! need a disk, a terminal or another process have separate tests, which are named
//! here.

use crate::http;
use crate::others::OtherClients;
use crate::server::{Server, application};

/// How the limit of a row is reached.
enum LimitRecipe {
    /// Statements that are repeated until WS-RESP is not 0, and the attacker's result: a
    /// RESP, or an abend code.
    Grows(&'static str, &'static str),
    /// A test of its own: the text of its file, and its name.
    Tested(&'static str, &'static str),
}

use LimitRecipe::{Grows, Tested};

/// The beginning of each row's first column, and its recipe.
const RECIPES: [(&str, LimitRecipe); 27] = [
    (
        "active tasks",
        Tested(
            include_str!("bounds.rs"),
            "parents_without_end_are_reported_and_purged_and_the_server_ends",
        ),
    ),
    (
        "starts and children that are active",
        Tested(
            include_str!("bounds.rs"),
            "parents_without_end_are_reported_and_purged_and_the_server_ends",
        ),
    ),
    (
        "children above MXT",
        Tested(
            include_str!("bounds.rs"),
            "parents_without_end_are_reported_and_purged_and_the_server_ends",
        ),
    ),
    (
        "workers",
        Tested(
            include_str!("bounds.rs"),
            "parents_without_end_are_reported_and_purged_and_the_server_ends",
        ),
    ),
    (
        "requests that wait",
        Tested(
            include_str!("bounds.rs"),
            "requests_beyond_the_queue_get_503_until_there_is_room",
        ),
    ),
    (
        "starts and children that wait",
        Tested(
            include_str!("bounds.rs"),
            "a_program_that_starts_itself_fills_its_part_and_clients_are_served",
        ),
    ),
    (
        "children of one task at once",
        Tested(
            include_str!("bounds.rs"),
            "a_parent_of_many_children_waits_for_them_and_clients_are_served",
        ),
    ),
    (
        "START requests with their data",
        Grows(
            "EXEC CICS START TRANSID('HELO') INTERVAL(990000) FROM(WS-DATA)
                 LENGTH(1000) RESP(WS-RESP) END-EXEC",
            "17",
        ),
    ),
    (
        "names of ENQ",
        Grows(
            "EXEC CICS ENQ RESOURCE(WS-NAME) LENGTH(16) RESP(WS-RESP) END-EXEC",
            "AEXZ",
        ),
    ),
    (
        "temporary storage in memory",
        Grows(
            "EXEC CICS WRITEQ TS QNAME(WS-NAME) FROM(WS-DATA) LENGTH(1) MAIN
                 NOSUSPEND RESP(WS-RESP) END-EXEC",
            "18",
        ),
    ),
    (
        "temporary storage in the store",
        Grows(
            "EXEC CICS WRITEQ TS QNAME('RQ') FROM(WS-DATA) LENGTH(30000)
                 NOSUSPEND RESP(WS-RESP) END-EXEC",
            "18",
        ),
    ),
    (
        "transient data in the store or memory",
        Grows(
            "EXEC CICS WRITEQ TD QUEUE('GROW') FROM(WS-DATA) LENGTH(30000)
                 RESP(WS-RESP) END-EXEC",
            "18",
        ),
    ),
    (
        "reports that are open",
        Grows(
            "EXEC CICS SPOOLOPEN OUTPUT NODE('LOCAL') USERID('ME')
                 TOKEN(WS-TOKEN) RESP(WS-RESP) END-EXEC",
            "42",
        ),
    ),
    (
        "journals that are open",
        Grows(
            "EXEC CICS WRITE JOURNALNAME(WS-SHORT) JTYPEID('GR') FROM(WS-DATA)
                 FLENGTH(1) RESP(WS-RESP) END-EXEC",
            "45",
        ),
    ),
    (
        "named counters",
        Grows(
            "EXEC CICS DEFINE COUNTER(WS-NAME) RESP(WS-RESP) END-EXEC",
            "16",
        ),
    ),
    (
        "children that are not freed",
        Grows(
            "EXEC CICS RUN TRANSID('QUIK') CHILD(WS-NAME) RESP(WS-RESP) END-EXEC
               EXEC CICS FETCH CHILD(WS-NAME) COMPSTATUS(WS-STATUS) END-EXEC",
            "AEXZ",
        ),
    ),
    (
        "definitions that CREATE makes",
        Grows(
            "EXEC CICS CREATE PROGRAM(WS-SHORT) ATTRIBUTES(WS-DATA) ATTRLEN(15)
                 RESP(WS-RESP) END-EXEC",
            "16",
        ),
    ),
    (
        "dumps",
        Grows(
            "EXEC CICS DUMP TRANSACTION DUMPCODE('GROW') RESP(WS-RESP) END-EXEC",
            "18",
        ),
    ),
    (
        "documents",
        Grows(
            "EXEC CICS DOCUMENT CREATE DOCTOKEN(WS-NAME) TEXT(WS-DATA)
                 LENGTH(1000) RESP(WS-RESP) END-EXEC",
            "16",
        ),
    ),
    (
        "facilities and what waits at them",
        Tested(
            include_str!("terminal/flooded.rs"),
            "starts_at_a_terminal_beyond_its_bound_are_refused_and_others_are_served",
        ),
    ),
    (
        "GETMAIN SHARED",
        Grows(
            "EXEC CICS GETMAIN SET(WS-AT) FLENGTH(65536) SHARED NOSUSPEND
                 RESP(WS-RESP) END-EXEC",
            "42",
        ),
    ),
    (
        "storage of a task: GETMAIN",
        Grows(
            "EXEC CICS GETMAIN SET(WS-AT) FLENGTH(1048576) NOSUSPEND
                 RESP(WS-RESP) END-EXEC",
            "42",
        ),
    ),
    (
        "storage of a task: all of it",
        Grows("MOVE 0 TO WS-RESP CALL 'DOWN'", "AKCP"),
    ),
    (
        "containers of a task",
        Grows(
            "EXEC CICS PUT CONTAINER(WS-NAME) CHANNEL('GROWS') FROM(WS-DATA)
                 FLENGTH(30000) RESP(WS-RESP) END-EXEC",
            "42",
        ),
    ),
    ("CPU time without a command", Grows("CONTINUE", "AICA")),
    (
        "lines of DISPLAY",
        Grows(
            "DISPLAY WS-NAME
               IF WS-COUNT > 30000 MOVE 99 TO WS-RESP END-IF",
            "99",
        ),
    ),
    (
        "disks of the store and the state folder",
        Tested(
            include_str!("faults.rs"),
            "a_full_disk_refuses_updates_and_loses_none",
        ),
    ),
];

const SETTINGS: &str = "max_tasks = 10\nrunaway_ms = 500\ntask_memory_mib = 64\n\
    channel_bytes = 1048576\nshared_storage_bytes = 1048576\ndisplay_lines_per_s = 100\n\
    spi = [\"CREATE\"]\n\
    [queues]\ntemporary_storage_mib = 4\ntransient_data_mib = 4\n\
    [region.limits.starts]\ntask = 40\n[region.limits.enqueue_names]\ntask = 40\n\
    [region.limits.temporary_storage]\ntask = 40\n[region.limits.reports]\ntask = 3\n\
    [region.limits.journals]\ntask = 3\n[region.limits.counters]\ntask = 40\n\
    [region.limits.children]\ntask = 5\n[region.limits.created_definitions]\ntask = 40\n\
    [region.limits.dumps]\ntask = 3\n[region.limits.documents]\ntask = 20\n";

const DEFINITIONS: &str = "DEFINE TRANSACTION(HELO) GROUP(A) PROGRAM(HELLO)\n\
    DEFINE TRANSACTION(QUIK) GROUP(A) PROGRAM(QUICK)\n\
    DEFINE PROGRAM(HELLO) GROUP(A) CONCURRENCY(THREADSAFE)\n\
    DEFINE PROGRAM(DOWN) GROUP(A) CONCURRENCY(THREADSAFE)\n\
    DEFINE JOURNALMODEL(ALL) GROUP(A) JOURNALNAME(G*) TYPE(MVS) STREAMNAME(grow/&JNAME)\n\
    DEFINE TSMODEL(RQ) GROUP(A) PREFIX(RQ) RECOVERY(YES)\n\
    DEFINE TDQUEUE(GROW) GROUP(A) TYPE(INTRA) RECOVSTATUS(NO)\n";

const QUICK: &str = include_str!("../../testdata/programs/limits/QUICK.cbl");

/// Links to itself, with new storage each time.
const DOWN: &str = include_str!("../../testdata/programs/limits/DOWN.cbl");

/// The program of all recipes: it runs the recipe of its input name, else greets.
fn program() -> String {
    let mut recipes = String::new();
    for (number, (_, recipe)) in RECIPES.iter().enumerate() {
        if let Grows(statements, _) = recipe {
            recipes += &format!(
                "           WHEN 'GROW{number:02}'
             PERFORM UNTIL WS-RESP NOT = 0
               PERFORM NEXT-NAME
{}             END-PERFORM\n",
                wrapped(statements)
            );
        }
    }
    format!(
        "       IDENTIFICATION DIVISION.
       PROGRAM-ID. HELLO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                      PIC S9(8) COMP VALUE 0.
       01  WS-STATUS                    PIC S9(8) COMP.
       01  WS-COUNT                     PIC 9(8) VALUE 0.
       01  WS-SHOWN                     PIC Z9.
       01  WS-AT                        POINTER.
       01  WS-TOKEN                     PIC X(8).
       01  WS-NAME                      PIC X(16).
       01  WS-SHORT                     PIC X(8).
       01  WS-DATA                      PIC X(30000).
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X.
       COPY HELLO.
       PROCEDURE DIVISION.
           SET ADDRESS OF HELLO-AREA TO ADDRESS OF DFHCOMMAREA
           MOVE EIBTASKN TO HELLO-TASK
           MOVE 'LANGUAGE(COBOL)' TO WS-DATA
           EVALUATE HELLO-NAME
{recipes}           WHEN OTHER
             CONTINUE
           END-EVALUATE
           MOVE WS-RESP TO WS-SHOWN
           MOVE SPACES TO HELLO-GREETING
           STRING 'RESP ' WS-SHOWN DELIMITED BY SIZE INTO HELLO-GREETING
           EXEC CICS RETURN END-EXEC.
       NEXT-NAME.
           ADD 1 TO WS-COUNT
           MOVE SPACES TO WS-NAME
           STRING 'G' WS-COUNT DELIMITED BY SIZE INTO WS-NAME
           MOVE WS-NAME TO WS-SHORT
           MOVE 'G' TO WS-SHORT(1:1)
           MOVE WS-COUNT(2:7) TO WS-SHORT(2:7).
"
    )
}

/// Statements in the columns that COBOL has for them.
fn wrapped(statements: &str) -> String {
    let mut text = String::new();
    let mut line = " ".repeat(14);
    for word in statements.split_whitespace() {
        if line.len() + word.len() > 70 {
            text += &format!("{line}\n");
            line = " ".repeat(16);
        }
        line += &format!(" {word}");
    }
    text + &line + "\n"
}

/// The attacker's result, and the other client's figures.
fn attack(server: &Server, name: &str) -> (String, OtherClients) {
    let ask = || server.get(&format!("/hello/{name}"));
    let (answer, others) = OtherClients::during(server, "/hello/other", ask);
    (got(&answer), others)
}

fn got(answer: &http::HttpAnswer) -> String {
    let body = answer.json();
    let greeting = body["greeting"].as_str();
    let resp = greeting.and_then(|text| text.strip_prefix("RESP "));
    match resp {
        Some(resp) => resp.trim().to_owned(),
        None => body["abendCode"]
            .as_str()
            .map_or_else(|| body.to_string(), str::to_owned),
    }
}

/// The first columns of the table, without the names of accounts.
fn rows() -> Vec<String> {
    let page = include_str!("../../../../docs/guide/bounds.md");
    let (_, table) = page.split_once("| resource | setting |").unwrap();
    let rows = table.lines().skip(2).take_while(|l| l.starts_with('|'));
    let first = |row: &str| row.split('|').nth(1).unwrap().trim().to_owned();
    rows.map(first).collect()
}

#[test]
fn every_row_of_the_table_of_limits_has_a_recipe() {
    let rows = rows();
    assert_eq!(rows.len(), RECIPES.len(), "{rows:?}");
    assert!(rows.len() <= 40);
    for (row, (begins, recipe)) in rows.iter().zip(&RECIPES) {
        assert!(row.starts_with(begins), "{row}: the recipe is for {begins}");
        if let Tested(file, name) = recipe {
            assert!(file.contains(&format!("fn {name}(")), "{row}: {name}");
        }
    }
}

#[test]
fn who_reaches_a_limit_gets_its_condition_and_the_others_are_served() {
    let app = application(&[
        ("cobol/HELLO.cbl", &program()),
        ("cobol/QUICK.cbl", QUICK),
        ("cobol/DOWN.cbl", DOWN),
    ]);
    let settings = app.path().join("tupelo.toml");
    let text = std::fs::read_to_string(&settings).unwrap();
    assert!(text.contains("[region]\n") && !text.contains("[queues]"));
    let (before, after) = text.split_once("[region]\n").unwrap();
    let (own, rest) = after.split_once("\n[").unwrap_or((after, ""));
    let rest = if rest.is_empty() {
        String::new()
    } else {
        format!("[{rest}")
    };
    std::fs::write(
        &settings,
        format!("{before}[region]\n{own}\n{SETTINGS}{rest}"),
    )
    .unwrap();
    std::fs::write(app.path().join("resources.csd"), DEFINITIONS).unwrap();
    let server = Server::start(app.path());
    let mut wrong = Vec::new();
    for (number, (row, recipe)) in RECIPES.iter().enumerate() {
        let Grows(_, expected) = recipe else {
            continue;
        };
        let (got, others) = attack(&server, &format!("GROW{number:02}"));
        let line = format!("{row}: {got}; {others}");
        println!("{line}");
        if got != *expected || others.errors > 0 {
            wrong.push(format!("{line}; expected {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

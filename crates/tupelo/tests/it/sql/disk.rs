//! A disk that is full: a statement, the log of the server, and room again.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use database::Connection;
use database::cluster::Cluster;

use super::failures::asked;
use super::{add_settings, add_steps, application, apply_text, import, is_installed, steps};
use crate::program::{text, tupelo, until};
use crate::server::Server;

/// Inserts rows until there is an error.
const FILL: &str = "               WHEN 'F'
                   MOVE ALL 'X' TO WS-LONG
                   MOVE 0 TO SQLCODE
                   PERFORM 60 TIMES
                       IF SQLCODE = 0
                           EXEC SQL INSERT INTO BULK (TEXT)
                               VALUES (:WS-LONG) END-EXEC
                       END-IF
                   END-PERFORM
                   PERFORM SHOW-CODE
";
const LONG: &str = "       01  WS-LONG                     PIC X(1900).\n";
const BULK: &str = "  CREATE TABLE SHOP.BULK (TEXT CHAR(1900) NOT NULL);\n";

/// Writes until a disk is full.
fn fill_up(file: &Path) {
    let mut file = std::fs::File::create(file).expect("a file");
    for block in [1 << 20, 64 << 10, 4096, 512] {
        while file.write_all(&vec![0; block]).is_ok() {}
    }
}

/// Replies to a message. The region's state is in a mount namespace of its own, so the
/// command does not find its token.
fn reply(server: &Server, message: &str) {
    let token = std::fs::read_to_string(server.in_state("operator.token")).expect("the token");
    let replied = tupelo()
        .args(["task", "reply", message, "YES", "--admin", &server.admin])
        .env("TUPELO_OPERATOR_TOKEN", token.trim())
        .output()
        .expect("tupelo runs");
    assert!(replied.status.success(), "{}", text(&replied.stderr));
}

/// Has the SQL server begin another segment of its log, for which there is no room.
fn switch_log(state: &Path) {
    let cluster = Cluster::join(&state.join("sql")).expect("its folder");
    let cluster = cluster.expect("a server that runs");
    let credentials = sql::wire::LoginCredentials {
        user: "tupelo".to_owned(),
        database: "postgres".to_owned(),
        password: None,
        settings: Vec::new(),
    };
    let deadline = Instant::now() + Duration::from_secs(20);
    let opened = Connection::open(&cluster.address(), credentials, deadline);
    let mut connection = opened.expect("a session of the owner");
    let switched = connection.query("SELECT pg_switch_wal(); CHECKPOINT", 2, deadline);
    assert!(
        !switched.is_ok_and(|answer| answer.error.is_none()),
        "the disk is not full"
    );
}

#[test]
fn a_full_disk_is_an_sqlcode_and_nothing_is_half_done() {
    if !is_installed() {
        return;
    }
    let app = application();
    add_steps(app.path(), FILL, LONG, "");
    // Without the reserve, below which programs are refused what takes room.
    add_settings(app.path(), "[region]\ndisk_reserve_mib = 0\n");
    import(app.path());
    let Some(server) = Server::start_on_small_disk_as_is(app.path(), "110m") else {
        return;
    };
    // The private server is in the region's mount namespace.
    assert_eq!(steps(&server, "Q", "BOLT").1, ["-204"]);
    let state = server.in_state("");
    let tables = std::fs::read_to_string(app.path().join("ddl/stock.sql")).expect("the tables");
    apply_text(app.path(), &state, "ddl/all.sql", &(tables + BULK));
    assert_eq!(
        steps(&server, "UF", "BOLT"),
        (200, vec!["0".into(), "0".into()])
    );
    let filler = server.in_state("filler");
    // What the task writes after P finds no room.
    let fills_up_at_p = |text: &str, item: &str| {
        std::thread::scope(|scope| {
            let task = scope.spawn(|| steps(&server, text, item));
            let (message, _) = asked(&server);
            fill_up(&filler);
            reply(&server, &message);
            let done = task.join().expect("an answer");
            // The region goes on.
            assert_eq!(steps(&server, "Q", item).0, 200);
            done
        })
    };
    let make_room = || std::fs::remove_file(&filler).expect("it is there");
    // The statement fails, and the unit lives on: it can be backed out, by a command and
    // by an abend, with what it has of the store.
    assert_eq!(
        fills_up_at_p("UWPFRQ", "BOLT"),
        (
            200,
            ["0", "", "", "-904", "", "41"].map(String::from).to_vec()
        )
    );
    make_room();
    assert_eq!(fills_up_at_p("UWPFA", "BOLT").0, 500);
    make_room();
    assert_eq!(steps(&server, "LQ", "BOLT").1, ["", "41"]);
    // A unit that goes to its end is kept whole or not at all.
    let (status, _) = fills_up_at_p("UWP", "NUT");
    let counted = if status == 200 { "8" } else { "7" };
    assert_eq!(steps(&server, "Q", "NUT").1, [counted], "{status}");
    // Without room for its log the server ends, and is started again as often as it
    // takes. The region goes on meanwhile.
    switch_log(&state);
    assert_eq!(steps(&server, "Q", "BOLT").0, 200);
    make_room();
    let written = if status == 200 { "NUT" } else { "" };
    assert_eq!(steps(&server, "L", "NUT").1, [written], "{status}");
    until("the server", || steps(&server, "Q", "BOLT").1 == ["41"]);
    assert_eq!(
        steps(&server, "UWFSQ", "BOLT"),
        (200, ["0", "", "0", "", "42"].map(String::from).to_vec())
    );
    assert_eq!(steps(&server, "Q", "NUT").1, [counted]);
    // Nothing waits for an outcome.
    let units = crate::operator::ask(&server, &["uow", "list"]);
    assert_eq!(units.as_array().map(Vec::len), Some(0), "{units}");
}

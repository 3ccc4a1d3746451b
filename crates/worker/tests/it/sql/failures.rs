//! A server that disconnects, cancels or waits.

use serde_json::json;

use super::{cluster, lines, place, place_with, play};

const VIEWS: &str = "CREATE VIEW \"KILLER\" AS SELECT pg_terminate_backend(pg_backend_pid())::int AS \"X\";
CREATE VIEW \"CANCELLER\" AS SELECT pg_cancel_backend(pg_backend_pid())::int + pg_sleep(5)::text::int AS \"X\";";

#[test]
fn a_server_that_ends_the_session_is_924() {
    let Some(cluster) = cluster() else { return };
    cluster.psql(VIEWS).unwrap();
    let shown = lines(
        place(&cluster),
        "",
        "EXEC SQL SELECT X INTO :H-N FROM KILLER END-EXEC
         SHOW;
         DISPLAY SQLSTATE",
    );
    assert_eq!(shown, ["code -924", "58006"]);
}

#[test]
fn a_statement_that_the_server_cancels_is_952_and_the_unit_lives() {
    let Some(cluster) = cluster() else { return };
    cluster.psql(VIEWS).unwrap();
    let shown = lines(
        place(&cluster),
        "",
        "EXEC SQL INSERT INTO NUMS VALUES (800, 'AAA') END-EXEC
         EXEC SQL SELECT X INTO :H-N FROM CANCELLER END-EXEC
         SHOW;
         EXEC SQL SELECT N INTO :H-N FROM NUMS WHERE N = 800 END-EXEC
         SHOW;",
    );
    assert_eq!(shown, ["code -952", "code 0"]);
}

#[test]
fn a_lock_that_is_not_given_in_time_is_911_or_913() {
    let Some(cluster) = cluster() else { return };
    cluster
        .psql("ALTER DATABASE postgres SET lock_timeout = '100ms';")
        .unwrap();
    let blocked = "INSERT INTO \"NUMS\" VALUES (900, 'XXX')";
    let procedure = "EXEC SQL INSERT INTO NUMS VALUES (801, 'AAA') END-EXEC
         EXEC SQL INSERT INTO NUMS VALUES (900, 'AAA') END-EXEC
         SHOW;
         DISPLAY SQLERRD(3) SQLSTATE
         EXEC SQL SELECT N INTO :H-N FROM NUMS WHERE N = 801 END-EXEC
         SHOW;
         EXEC CICS SYNCPOINT ROLLBACK END-EXEC";
    let other = worker::sql::connect(&cluster.socket(), &cluster.user(), "postgres").unwrap();
    hold(other, blocked);
    let shown = lines(place(&cluster), "", procedure);
    assert_eq!(shown, ["code -911", "+001317287840001", "code 100"]);
    let keeps = place_with(&cluster, "rolls_back", json!(false));
    let shown = lines(keeps, "", procedure);
    assert_eq!(shown, ["code -913", "+001317287857033", "code 0"]);
}

/// Begins a transaction that holds what the statement locks, as long as the
/// process lives.
fn hold(fd: std::os::fd::OwnedFd, statement: &str) {
    use std::io::{Read, Write};
    let mut stream = std::os::unix::net::UnixStream::from(fd);
    let mut out = Vec::new();
    sql::wire::frontend::query(&mut out, &format!("BEGIN; {statement}"));
    stream.write_all(&out).unwrap();
    let mut seen = Vec::new();
    // ReadyForQuery within a transaction.
    while !seen.ends_with(b"Z\0\0\0\x05T") {
        let mut bytes = [0; 512];
        let count = stream.read(&mut bytes).unwrap();
        assert!(count > 0);
        seen.extend_from_slice(&bytes[..count]);
    }
    // It stays open to the test's end.
    std::mem::forget(stream);
}

#[test]
fn without_a_server_the_task_ends_as_without_db2() {
    let played = play(json!(null), "", "EXEC SQL DELETE FROM NUMS END-EXEC");
    assert_eq!(played.abend(0), "AEY9");
}

#[test]
fn a_block_that_is_none_is_refused_and_storage_stays_whole() {
    let Some(cluster) = cluster() else { return };
    let shown = lines(
        place(&cluster),
        "77 BAD PIC X(60) VALUE 'TQ NOTHING'. 77 TAIL-TXT PIC X(9) VALUE 'UNTOUCHED'.",
        "CALL 'DSNHLI' USING BAD SQLCA
         SHOW;
         DISPLAY TAIL-TXT",
    );
    assert_eq!(shown, ["code -818", "UNTOUCHED"]);
}

//! Uses of a session's descriptor by a hostile program, and their
//! results.
//!
//! A program that has taken its worker over can send any bytes on its copy of the
//! descriptor, before and after each of the region's statements.

use std::time::{Duration, Instant};

use region::UnitToken;
use sql::wire::{TransactionState, frontend, oid};

use crate::connection::Connection;
use crate::outcomes::OutcomeDesk;
use crate::settle::{self, UnitSettlement};
use crate::socket::DeadlineSocket;
use crate::testing::{self, TestServer, refused, run, soon};

/// A session of a role of programs, and the copy of its descriptor that a worker has.
fn lent(server: &TestServer) -> (Connection, DeadlineSocket) {
    let connection = server.server.open_role("CICSUSER").unwrap();
    let copy = DeadlineSocket::of(connection.socket().copy().unwrap());
    (connection, copy)
}

fn token(byte: u8) -> UnitToken {
    let mut bytes = [byte; 16];
    // Tests share a cluster.
    bytes[..8].copy_from_slice(&std::process::id().to_be_bytes().repeat(2));
    UnitToken(bytes)
}

/// Sends a statement as a hostile program does, and reads its answer or leaves it.
fn send(copy: &DeadlineSocket, sql: &str, reads: bool) {
    let mut bytes = Vec::new();
    frontend::query(&mut bytes, sql);
    copy.send_all(&bytes, soon()).unwrap();
    if !reads {
        return;
    }
    let mut answer = vec![0; 4096];
    loop {
        let got = copy.receive(&mut answer, soon()).unwrap();
        // ReadyForQuery is six bytes and the last of an answer.
        if answer[..got].ends_with(b"Z\0\0\0\x05T") || answer[..got].ends_with(b"Z\0\0\0\x05I") {
            return;
        }
    }
}

fn commit_with_token(connection: &mut Connection, unit: UnitToken) -> UnitSettlement {
    settle::begin_commit_with_token(connection, unit).finish(connection)
}

fn commit_one_phase(connection: &mut Connection) -> UnitSettlement {
    settle::begin_commit_one_phase(connection).finish(connection)
}

fn table(server: &TestServer, name: &str) {
    let mut owner = server.server.open_owner().unwrap();
    run(&mut owner, &format!("CREATE TABLE {name} (n int)"));
}

fn rows(server: &TestServer, name: &str) -> usize {
    let mut owner = server.server.open_owner().unwrap();
    run(&mut owner, &format!("SELECT * FROM {name}")).rows.len()
}

#[test]
fn a_program_logs_in_without_privileges_and_cannot_get_any() {
    let Some(server) = testing::server() else {
        return;
    };
    let (mut connection, _) = lent(&server);
    assert_eq!(connection.parameter("is_superuser"), Some("off"));
    for sql in [
        "SET ROLE tupelo",
        "SET SESSION AUTHORIZATION tupelo",
        "CREATE ROLE other",
        "CREATE TABLE public.mine (n int)",
        "COPY (SELECT 1) TO PROGRAM 'true'",
        "ALTER SYSTEM SET fsync = off",
        "SELECT pg_catalog.pg_read_file('PG_VERSION')",
    ] {
        assert_eq!(refused(&mut connection, sql), "42501", "{sql}");
    }
}

#[test]
fn a_role_that_is_a_superuser_gets_no_session() {
    let Some(server) = testing::server() else {
        return;
    };
    let mut owner = server.server.open_owner().unwrap();
    run(&mut owner, "CREATE ROLE strong LOGIN SUPERUSER");
    let error = server.server.open_role("strong").unwrap_err();
    assert_eq!(error.no_session().sqlcode, -922, "{error}");
    run(
        &mut owner,
        "CREATE ROLE reader LOGIN; GRANT SELECT ON db2.unit TO reader",
    );
    let error = server.server.open_role("reader").unwrap_err();
    assert!(error.to_string().contains("db2.unit"), "{error}");
}

#[test]
fn a_program_can_write_a_unit_number_and_never_read_one() {
    let Some(server) = testing::server() else {
        return;
    };
    let (mut connection, _) = lent(&server);
    let (mut other, _) = lent(&server);
    run(&mut connection, "BEGIN");
    let unit = token(1);
    assert_eq!(
        commit_with_token(&mut connection, unit),
        UnitSettlement::Committed
    );
    for sql in [
        "SELECT id FROM db2.unit",
        "SELECT count(*) FROM db2.unit",
        "COPY db2.unit TO STDOUT",
        "DELETE FROM db2.unit",
        "UPDATE db2.unit SET refused = true",
        "INSERT INTO db2.unit (id, refused) VALUES (gen_random_uuid(), true)",
        "INSERT INTO db2.unit (id) VALUES (gen_random_uuid()) RETURNING id",
        "INSERT INTO db2.unit (id) VALUES (gen_random_uuid()) ON CONFLICT (id) DO NOTHING",
        "CREATE TRIGGER t BEFORE INSERT ON db2.unit EXECUTE FUNCTION now()",
    ] {
        assert!(
            ["42501", "42P17"].contains(&refused(&mut other, sql).as_str()),
            "{sql}"
        );
    }
    let lock = "BEGIN; LOCK TABLE db2.unit IN ACCESS EXCLUSIVE MODE";
    assert_eq!(refused(&mut other, lock), "42501");
    run(&mut other, "ROLLBACK");
    // The text of the region's statement is visible to the role; the number is not.
    let seen = run(
        &mut other,
        "SELECT string_agg(query, ' ') FROM pg_catalog.pg_stat_activity",
    );
    let text = seen.text(0, 0).unwrap();
    assert!(
        text.contains("COMMIT") && !text.contains(&unit.to_string()),
        "{text}"
    );
}

#[test]
fn a_copy_that_a_program_kept_is_dead_once_the_session_is_taken_back() {
    let Some(server) = testing::server() else {
        return;
    };
    let (connection, copy) = lent(&server);
    let key = connection.cancel_key().unwrap();
    table(&server, "taken");
    send(&copy, "BEGIN; INSERT INTO taken VALUES (1)", true);
    connection.socket().shut_down();
    drop(connection);
    let mut bytes = Vec::new();
    frontend::query(&mut bytes, "COMMIT");
    assert!(copy.send_all(&bytes, soon()).is_err());
    let mut owner = server.server.open_owner().unwrap();
    let ask = format!("SELECT 1 FROM pg_stat_activity WHERE pid = {}", key.process);
    let begin = Instant::now();
    while !run(&mut owner, &ask).rows.is_empty() {
        assert!(
            begin.elapsed() < Duration::from_secs(20),
            "the session goes on"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(rows(&server, "taken"), 0);
}

#[test]
fn a_commit_of_the_program_does_not_decide_its_unit() {
    let Some(server) = testing::server() else {
        return;
    };
    table(&server, "early");
    let desk = OutcomeDesk::new(server.server.clone());
    let (mut connection, copy) = lent(&server);
    send(&copy, "BEGIN; INSERT INTO early VALUES (1); COMMIT", true);
    // The region backs the unit out: its row is not there, whatever the program did.
    assert!(settle::roll_back(&mut connection));
    assert_eq!(desk.ask(token(2)), Some(false));
    send(&copy, "BEGIN; INSERT INTO early VALUES (2); COMMIT", true);
    assert_eq!(
        commit_with_token(&mut connection, token(3)),
        UnitSettlement::Committed
    );
    assert_eq!(desk.ask(token(3)), Some(true));
    assert_eq!(connection.state(), TransactionState::Idle);
}

#[test]
fn names_in_pg_temp_do_not_catch_the_unit_s_row() {
    let Some(server) = testing::server() else {
        return;
    };
    let (mut connection, copy) = lent(&server);
    let shadow = "CREATE TEMP TABLE unit (id uuid); \
                  CREATE FUNCTION pg_temp.pg_current_xact_id_if_assigned() RETURNS xid8 \
                  LANGUAGE sql AS 'SELECT NULL::xid8'; \
                  SET search_path = pg_temp, public; BEGIN; INSERT INTO unit VALUES (NULL)";
    send(&copy, shadow, true);
    assert_eq!(
        commit_with_token(&mut connection, token(4)),
        UnitSettlement::Committed
    );
    let desk = OutcomeDesk::new(server.server.clone());
    assert_eq!(desk.ask(token(4)), Some(true));
    assert_eq!(run(&mut connection, "SELECT id FROM unit").rows, [[None]]);
}

/// Data that a program leaves on its connection can have the answers of the region's own
/// statements: only the random number distinguishes them.
#[test]
fn answers_that_a_program_left_are_not_taken_for_the_region_s() {
    let Some(server) = testing::server() else {
        return;
    };
    let desk = OutcomeDesk::new(server.server.clone());
    let (mut connection, copy) = lent(&server);
    let mut client = sql::wire::Client::new(TransactionState::Idle, Default::default());
    settle::statement(&mut client, "BEGIN", &[]);
    settle::statement(&mut client, "SELECT $1", &[(oid::TEXT, &[b'0'; 32])]);
    settle::statement(&mut client, "ROLLBACK", &[]);
    client.sync();
    copy.send_all(client.output(), soon()).unwrap();
    assert_eq!(
        commit_with_token(&mut connection, token(5)),
        UnitSettlement::Unknown(None)
    );
    // The region's COMMIT came after them and was done: that is what is found.
    let begin = Instant::now();
    let outcome = loop {
        match desk.ask(token(5)) {
            Some(outcome) => break outcome,
            None => assert!(begin.elapsed() < Duration::from_secs(20)),
        }
    };
    let mut again = server.server.open_role("CICSUSER").unwrap();
    let second = commit_with_token(&mut again, token(5));
    // Either way the number cannot be used once more.
    assert_eq!(second, UnitSettlement::RolledBack);
    assert_eq!(desk.ask(token(5)), Some(outcome));
}

#[test]
fn an_error_that_a_program_left_does_not_hide_a_commit() {
    let Some(server) = testing::server() else {
        return;
    };
    let desk = OutcomeDesk::new(server.server.clone());
    let (mut connection, copy) = lent(&server);
    let mut client = sql::wire::Client::new(TransactionState::Idle, Default::default());
    settle::statement(&mut client, "SELECT 1/0", &[]);
    client.sync();
    copy.send_all(client.output(), soon()).unwrap();
    let settlement = commit_with_token(&mut connection, token(6));
    assert_eq!(settlement, UnitSettlement::Unknown(None));
    assert!(desk.ask(token(6)).is_some());
}

#[test]
fn half_a_message_ends_in_an_outcome_query() {
    let Some(server) = testing::server() else {
        return;
    };
    table(&server, "half");
    let desk = OutcomeDesk::new(server.server.clone());
    let (mut connection, copy) = lent(&server);
    send(&copy, "BEGIN; INSERT INTO half VALUES (1)", true);
    copy.send_all(b"Q\0\x01\0\0", soon()).unwrap();
    let settlement = commit_with_token(&mut connection, token(7));
    assert_eq!(settlement, UnitSettlement::Unknown(None));
    assert_eq!(desk.ask(token(7)), Some(false));
    assert_eq!(rows(&server, "half"), 0);
}

#[test]
fn an_outcome_query_makes_a_late_commit_impossible() {
    let Some(server) = testing::server() else {
        return;
    };
    table(&server, "late");
    let desk = OutcomeDesk::new(server.server.clone());
    let (mut connection, _) = lent(&server);
    run(&mut connection, "BEGIN; INSERT INTO late VALUES (1)");
    assert_eq!(desk.ask(token(8)), Some(false));
    assert_eq!(
        commit_with_token(&mut connection, token(8)),
        UnitSettlement::RolledBack
    );
    assert_eq!(rows(&server, "late"), 0);
    // While the row is written but not committed, the query waits.
    let uuid = token(9).to_string();
    run(
        &mut connection,
        &format!("BEGIN; INSERT INTO db2.unit (id) VALUES ('{uuid}')"),
    );
    assert_eq!(desk.ask(token(9)), None);
    run(&mut connection, "COMMIT");
    assert_eq!(desk.ask(token(9)), Some(true));
    assert!(desk.forget(&[token(9)]) && !desk.forget(&[token(5)]));
    desk.delete_forgotten();
}

#[test]
fn a_unit_of_sql_alone_commits_in_one_phase_without_a_row() {
    let Some(server) = testing::server() else {
        return;
    };
    table(&server, "alone");
    let desk = OutcomeDesk::new(server.server.clone());
    let (mut connection, copy) = lent(&server);
    run(&mut connection, "BEGIN; INSERT INTO alone VALUES (1)");
    let number = run(&mut connection, "SELECT pg_current_xact_id()::text");
    assert_eq!(commit_one_phase(&mut connection), UnitSettlement::Committed);
    assert_eq!(rows(&server, "alone"), 1);
    let number_text = number.text(0, 0).unwrap().to_owned();
    let units = format!("(SELECT id FROM db2.unit WHERE xmin::text = '{number_text}') u");
    assert_eq!(rows(&server, &units), 0);
    assert_eq!(desk.ask_transaction(&number_text), Some(true));
    run(&mut connection, "BEGIN; SELECT 1");
    assert_eq!(commit_one_phase(&mut connection), UnitSettlement::Committed);
    // With the statements that a program left, the number is answered before COMMIT.
    run(&mut connection, "BEGIN; INSERT INTO alone VALUES (3)");
    send(&copy, "ROLLBACK", false);
    let deadline = soon();
    while !connection.socket().has_input() {
        assert!(Instant::now() < deadline);
        std::thread::yield_now();
    }
    assert_eq!(
        commit_one_phase(&mut connection),
        UnitSettlement::RolledBack
    );
    let (mut connection, _) = lent(&server);
    // One that failed is not a commit, though the server answers COMMIT without an error.
    run(&mut connection, "BEGIN; INSERT INTO alone VALUES (2)");
    assert_eq!(refused(&mut connection, "SELECT 1/0"), "22012");
    assert_eq!(
        commit_one_phase(&mut connection),
        UnitSettlement::RolledBack
    );
    assert_eq!(rows(&server, "alone"), 1);
}

#[test]
fn a_unit_of_sql_alone_whose_session_the_server_ends_is_rolled_back_or_asked_for() {
    let Some(server) = testing::server() else {
        return;
    };
    table(&server, "ended");
    let desk = OutcomeDesk::new(server.server.clone());
    let mut committed = 0;
    for step in 0..20 {
        let (mut connection, _) = lent(&server);
        run(&mut connection, "BEGIN; INSERT INTO ended VALUES (1)");
        let process = run(&mut connection, "SELECT pg_backend_pid()::text");
        let process = process.text(0, 0).unwrap().to_owned();
        let ender = server.server.clone();
        let ends = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_micros(step * 40));
            let mut owner = ender.open_owner().unwrap();
            run(
                &mut owner,
                &format!("SELECT pg_terminate_backend({process})"),
            );
        });
        committed += match commit_one_phase(&mut connection) {
            UnitSettlement::Committed => 1,
            UnitSettlement::RolledBack => 0,
            UnitSettlement::Unknown(number) => {
                let number = number.expect("the number came before the end");
                usize::from(desk.ask_transaction(&number).unwrap())
            }
        };
        ends.join().unwrap();
        // The session has ended when its lock on the table is free.
        let mut owner = server.server.open_owner().unwrap();
        run(&mut owner, "BEGIN; LOCK TABLE ended; COMMIT");
    }
    assert_eq!(rows(&server, "ended"), committed);
}

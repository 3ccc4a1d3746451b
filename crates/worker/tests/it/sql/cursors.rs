//! OPEN, FETCH and CLOSE; changes at a cursor's row; units of work.

use super::{cluster, lines, place, place_with};
use serde_json::json;

#[test]
fn a_cursor_gives_its_rows_and_then_100() {
    let Some(cluster) = cluster() else { return };
    let shown = lines(
        place(&cluster),
        "77 TOTAL PIC S9(9) COMP VALUE 0. 77 ROWS-READ PIC S9(4) COMP VALUE 0.",
        "EXEC SQL DECLARE C1 CURSOR FOR SELECT N, T FROM NUMS WHERE N > :H-N ORDER BY N END-EXEC
         EXEC SQL FETCH C1 INTO :H-N, :H-SHORT END-EXEC
         SHOW;
         MOVE 10 TO H-N
         EXEC SQL OPEN C1 END-EXEC
         SHOW;
         EXEC SQL OPEN C1 END-EXEC
         SHOW;
         PERFORM UNTIL SQLCODE = 100
           EXEC SQL FETCH C1 INTO :H-N, :H-SHORT END-EXEC
           IF SQLCODE = 0 ADD 1 TO ROWS-READ ADD H-N TO TOTAL END-IF
         END-PERFORM
         DISPLAY ROWS-READ \" \" TOTAL
         EXEC SQL FETCH C1 INTO :H-N, :H-SHORT END-EXEC
         SHOW;
         EXEC SQL CLOSE C1 END-EXEC
         SHOW;
         EXEC SQL CLOSE C1 END-EXEC
         SHOW;
         MOVE 118 TO H-N
         EXEC SQL OPEN C1 END-EXEC
         EXEC SQL FETCH NEXT FROM C1 INTO :H-N, :H-SHORT END-EXEC
         DISPLAY H-N H-SHORT",
    );
    assert_eq!(
        shown,
        [
            "code -501",
            "code 0",
            "code -502",
            "+00110 +0000007205",
            "code 100",
            "code 0",
            "code -501",
            "+0000000119119",
        ]
    );
}

#[test]
fn a_scrollable_cursor_moves_to_the_row_of_fetch() {
    let Some(cluster) = cluster() else { return };
    let shown = lines(
        place(&cluster),
        "",
        "EXEC SQL DECLARE C1 INSENSITIVE SCROLL CURSOR FOR SELECT N FROM NUMS ORDER BY N END-EXEC
         EXEC SQL DECLARE C2 CURSOR FOR SELECT N FROM NUMS ORDER BY N END-EXEC
         EXEC SQL OPEN C1 END-EXEC
         EXEC SQL FETCH LAST FROM C1 INTO :H-N END-EXEC DISPLAY H-N
         EXEC SQL FETCH PRIOR FROM C1 INTO :H-N END-EXEC DISPLAY H-N
         EXEC SQL FETCH FIRST FROM C1 INTO :H-N END-EXEC DISPLAY H-N
         EXEC SQL FETCH PRIOR FROM C1 INTO :H-N END-EXEC
         SHOW;
         MOVE 60 TO H-S
         EXEC SQL FETCH ABSOLUTE :H-S FROM C1 INTO :H-N END-EXEC DISPLAY H-N
         EXEC SQL FETCH RELATIVE -3 FROM C1 INTO :H-N END-EXEC DISPLAY H-N
         EXEC SQL OPEN C2 END-EXEC
         EXEC SQL FETCH PRIOR FROM C2 INTO :H-N END-EXEC
         SHOW;",
    );
    assert_eq!(
        shown,
        [
            "+0000000120",
            "+0000000119",
            "+0000000001",
            "code 100",
            "+0000000060",
            "+0000000057",
            "code -225",
        ]
    );
}

#[test]
fn a_cursors_row_is_changed_and_deleted() {
    let Some(cluster) = cluster() else { return };
    let shown = lines(
        place(&cluster),
        "",
        "EXEC SQL DECLARE C1 CURSOR FOR SELECT N, T FROM NUMS WHERE N <= 3 FOR UPDATE OF T END-EXEC
         EXEC SQL UPDATE NUMS SET T = 'UUU' WHERE CURRENT OF C1 END-EXEC
         SHOW;
         EXEC SQL OPEN C1 END-EXEC
         EXEC SQL UPDATE NUMS SET T = 'UUU' WHERE CURRENT OF C1 END-EXEC
         SHOW;
         EXEC SQL FETCH C1 INTO :H-N, :H-SHORT END-EXEC
         EXEC SQL UPDATE NUMS SET T = 'UUU' WHERE CURRENT OF C1 END-EXEC
         SHOW;
         MOVE 'VVV' TO H-SHORT
         EXEC SQL UPDATE NUMS SET T = :H-SHORT WHERE CURRENT OF C1 END-EXEC
         SHOW;
         EXEC SQL FETCH C1 INTO :H-N, :H-SHORT END-EXEC
         SHOW;
         EXEC SQL DELETE FROM NUMS WHERE CURRENT OF C1 END-EXEC
         SHOW;
         EXEC SQL UPDATE NUMS SET T = 'WWW' WHERE CURRENT OF C1 END-EXEC
         SHOW;
         EXEC SQL FETCH C1 INTO :H-N, :H-SHORT END-EXEC
         DISPLAY H-N
         EXEC SQL FETCH C1 INTO :H-N, :H-SHORT END-EXEC
         SHOW;",
    );
    assert_eq!(
        shown,
        [
            "code -507",
            "code -508",
            "code 0",
            "code 0",
            "code 0",
            "code 0",
            "code -508",
            "+0000000003",
            "code 100",
        ]
    );
    let left = cluster.psql("SELECT \"N\", \"T\" FROM \"NUMS\" WHERE \"N\" <= 3 ORDER BY 1");
    assert_eq!(left.unwrap(), "1|VVV\n3|003");
}

#[test]
fn one_statement_changes_the_row_of_each_fetch() {
    let Some(cluster) = cluster() else { return };
    let shown = lines(
        place(&cluster),
        "",
        "EXEC SQL DECLARE C1 CURSOR FOR SELECT N, T FROM NUMS WHERE N <= 6 FOR UPDATE OF T END-EXEC
         EXEC SQL DECLARE C2 CURSOR FOR SELECT N FROM NUMS WHERE N <= 3 FOR UPDATE OF T END-EXEC
         EXEC SQL DECLARE C3 CURSOR WITH HOLD FOR SELECT N, T FROM NUMS WHERE N > 117
           FOR UPDATE OF T END-EXEC
         EXEC SQL OPEN C1 END-EXEC
         PERFORM 6 TIMES
         EXEC SQL FETCH C1 INTO :H-N, :H-SHORT END-EXEC
         PERFORM 2 TIMES
         EXEC SQL UPDATE NUMS SET T = 'UUU' WHERE CURRENT OF C1 END-EXEC
         SHOW;
         END-PERFORM
         END-PERFORM
         EXEC SQL OPEN C2 END-EXEC
         PERFORM 3 TIMES
         EXEC SQL FETCH C2 INTO :H-N END-EXEC
         EXEC SQL DELETE FROM NUMS WHERE CURRENT OF C2 END-EXEC
         SHOW;
         END-PERFORM
         EXEC CICS SYNCPOINT END-EXEC
         EXEC SQL OPEN C3 END-EXEC
         PERFORM 3 TIMES
         EXEC SQL FETCH C3 INTO :H-N, :H-SHORT END-EXEC
         EXEC SQL UPDATE NUMS SET T = 'HHH' WHERE CURRENT OF C3 END-EXEC
         SHOW;
         EXEC CICS SYNCPOINT END-EXEC
         END-PERFORM",
    );
    assert_eq!(shown, ["code 0"; 18]);
    let rows = "SELECT \"N\", \"T\" FROM \"NUMS\" WHERE \"N\" <= 6 OR \"N\" > 116 ORDER BY 1";
    let expected = "4|UUU\n5|UUU\n6|UUU\n117|117\n118|HHH\n119|HHH\n120|HHH";
    assert_eq!(cluster.psql(rows).unwrap(), expected);
}

#[test]
fn a_held_cursor_goes_on_after_a_syncpoint_and_others_do_not() {
    let Some(cluster) = cluster() else { return };
    let procedure = "EXEC SQL DECLARE C1 CURSOR WITH HOLD FOR SELECT N FROM NUMS ORDER BY N END-EXEC
         EXEC SQL DECLARE C2 CURSOR FOR SELECT N FROM NUMS ORDER BY N END-EXEC
         EXEC SQL DECLARE C3 CURSOR WITH HOLD FOR SELECT N, T FROM NUMS WHERE N < 5 FOR UPDATE OF T END-EXEC
         EXEC SQL OPEN C1 END-EXEC EXEC SQL OPEN C2 END-EXEC EXEC SQL OPEN C3 END-EXEC
         EXEC SQL FETCH C1 INTO :H-N END-EXEC
         EXEC SQL FETCH C2 INTO :H-N END-EXEC
         EXEC SQL FETCH C3 INTO :H-N, :H-SHORT END-EXEC
         EXEC CICS SYNCPOINT RESP(H-N) END-EXEC DISPLAY H-N
         EXEC SQL FETCH C2 INTO :H-N END-EXEC
         SHOW;
         PERFORM 70 TIMES EXEC SQL FETCH C1 INTO :H-N END-EXEC END-PERFORM
         DISPLAY H-N
         EXEC SQL UPDATE NUMS SET T = 'UUU' WHERE CURRENT OF C3 END-EXEC
         SHOW;
         EXEC SQL FETCH C3 INTO :H-N, :H-SHORT END-EXEC
         EXEC SQL UPDATE NUMS SET T = 'UUU' WHERE CURRENT OF C3 END-EXEC
         SHOW;
         DISPLAY H-N
         EXEC CICS SYNCPOINT ROLLBACK END-EXEC
         EXEC SQL FETCH C1 INTO :H-N END-EXEC
         SHOW;";
    let shown = lines(place(&cluster), "", procedure);
    assert_eq!(
        shown,
        [
            "+0000000000",
            "code -501",
            "+0000000071",
            "code -508",
            "code 0",
            "+0000000002",
            "code -501",
        ]
    );
    let little = place_with(&cluster, "cursor_bytes", json!(1000));
    let shown = lines(little, "", procedure);
    // ROLLEDBACK: what is left of the cursor does not fit.
    assert_eq!(shown[..2], ["+0000000082", "code -501"]);
}

#[test]
fn a_rowset_fills_tables_in_storage() {
    let Some(cluster) = cluster() else { return };
    let shown = lines(
        place(&cluster),
        "01 T-ALL. 05 T-N PIC S9(9) COMP OCCURS 50. 05 T-T PIC X(3) OCCURS 50.",
        "EXEC SQL DECLARE C1 CURSOR WITH ROWSET POSITIONING FOR SELECT N, T FROM NUMS ORDER BY N END-EXEC
         EXEC SQL OPEN C1 END-EXEC
         EXEC SQL FETCH NEXT ROWSET FROM C1 FOR 50 ROWS INTO :T-N, :T-T END-EXEC
         SHOW;
         DISPLAY SQLERRD(3) T-N(50) T-T(50)
         EXEC SQL FETCH NEXT ROWSET FROM C1 FOR 50 ROWS INTO :T-N, :T-T END-EXEC
         DISPLAY SQLERRD(3) T-N(1)
         EXEC SQL FETCH NEXT ROWSET FROM C1 FOR 50 ROWS INTO :T-N, :T-T END-EXEC
         SHOW;
         DISPLAY SQLERRD(3) T-N(20) T-N(21)",
    );
    assert_eq!(
        shown,
        [
            "code 0",
            "+0000000050+0000000050050",
            "+0000000050+0000000051",
            "code 100",
            "+0000000020+0000000120+0000000071",
        ]
    );
}

#[test]
fn a_positioned_change_is_for_one_row_of_a_rowset_or_for_all() {
    let Some(cluster) = cluster() else { return };
    let shown = lines(
        place(&cluster),
        "01 T-ALL. 05 T-N PIC S9(9) COMP OCCURS 5. 05 T-T PIC X(3) OCCURS 5.",
        "EXEC SQL DECLARE C1 CURSOR WITH ROWSET POSITIONING FOR
           SELECT N, T FROM NUMS WHERE N <= 7 FOR UPDATE OF T END-EXEC
         EXEC SQL OPEN C1 END-EXEC
         EXEC SQL FETCH NEXT ROWSET FROM C1 FOR 5 ROWS INTO :T-N, :T-T END-EXEC
         MOVE 2 TO H-N
         EXEC SQL UPDATE NUMS SET T = 'TWO' WHERE CURRENT OF C1
           FOR ROW :H-N OF ROWSET END-EXEC
         SHOW;
         EXEC SQL DELETE FROM NUMS WHERE CURRENT OF C1 FOR ROW 3 OF ROWSET END-EXEC
         SHOW;
         EXEC SQL DELETE FROM NUMS WHERE CURRENT OF C1 FOR ROW 3 OF ROWSET END-EXEC
         SHOW;
         EXEC SQL UPDATE NUMS SET T = 'SIX' WHERE CURRENT OF C1 FOR ROW 6 OF ROWSET END-EXEC
         SHOW;
         EXEC SQL SELECT COUNT(*) INTO :H-N FROM NUMS WHERE T = 'TWO' END-EXEC
         DISPLAY H-N
         EXEC SQL UPDATE NUMS SET T = 'ALL' WHERE CURRENT OF C1 END-EXEC
         DISPLAY SQLERRD(3)
         EXEC SQL UPDATE NUMS SET T = 'ONE' WHERE CURRENT OF C1 FOR ROW 1 OF ROWSET END-EXEC
         SHOW;
         EXEC SQL FETCH NEXT ROWSET FROM C1 FOR 5 ROWS INTO :T-N, :T-T END-EXEC
         EXEC SQL DELETE FROM NUMS WHERE CURRENT OF C1 END-EXEC
         DISPLAY SQLERRD(3)
         EXEC SQL SELECT COUNT(*) INTO :H-N FROM NUMS WHERE T = 'ALL' END-EXEC
         DISPLAY H-N
         EXEC SQL SELECT COUNT(*) INTO :H-N FROM NUMS END-EXEC
         DISPLAY H-N",
    );
    let expected = [
        "code 0",
        "code 0",
        "code -222",
        "code -248",
        "+0000000001",
        "+0000000004",
        "code 0",
        "+0000000002",
        "+0000000003",
        "+0000000117",
    ];
    assert_eq!(shown, expected);
}

/// A cursor over 3,000 rows, and statements that read it to its end.
const MANY: &str = "EXEC SQL DECLARE C1 CURSOR FOR SELECT N FROM NUMS ORDER BY N END-EXEC
         EXEC SQL DECLARE H1 CURSOR WITH HOLD FOR SELECT N FROM NUMS ORDER BY N END-EXEC
         EXEC SQL DECLARE D1 CURSOR FOR SELECT 1000 / (2000 - N) FROM NUMS ORDER BY N END-EXEC
";
const MANY_ROWS: &str = "INSERT INTO \"NUMS\" SELECT n, '' FROM generate_series(121, 3000) n;";
const COUNTERS: &str = "77 TOTAL PIC S9(9) COMP VALUE 0. 77 ROWS-READ PIC S9(4) COMP VALUE 0.";

/// Rows that are under way do not disturb other statements, nor they those.
#[test]
fn statements_between_the_fetches_of_a_large_result_see_their_own_rows() {
    let Some(cluster) = cluster() else { return };
    cluster.psql(MANY_ROWS).unwrap();
    let shown = lines(
        place(&cluster),
        COUNTERS,
        &format!(
            "{MANY}
         EXEC SQL OPEN C1 END-EXEC
         PERFORM UNTIL SQLCODE NOT = 0
           EXEC SQL FETCH C1 INTO :H-N END-EXEC
           IF SQLCODE = 0
             ADD 1 TO ROWS-READ ADD H-N TO TOTAL
             IF FUNCTION MOD(ROWS-READ, 7) = 0
               EXEC SQL SELECT N + 1 INTO :H-N FROM NUMS WHERE N = :H-N END-EXEC
               IF SQLCODE NOT = 0 DISPLAY 'LOST' SQLCODE END-IF
               IF H-N NOT = ROWS-READ + 1 DISPLAY 'WRONG' H-N END-IF
             END-IF
             IF ROWS-READ = 900
               EXEC SQL INSERT INTO NUMS VALUES (5, 'DUP') END-EXEC
               DISPLAY SQLCODE
               EXEC SQL UPDATE NUMS SET T = 'NEW' WHERE N = 901 END-EXEC
               DISPLAY SQLCODE
             END-IF
           END-IF
         END-PERFORM
         SHOW;
         DISPLAY ROWS-READ ' ' TOTAL
         EXEC SQL CLOSE C1 END-EXEC
         EXEC SQL SELECT T INTO :H-SHORT FROM NUMS WHERE N = 901 END-EXEC
         DISPLAY H-SHORT"
        ),
    );
    let codes = ["-0000000803", "+0000000000"];
    let ends = ["code 100", "+03000 +0004501500", "NEW"];
    assert_eq!(shown, [&codes[..], &ends[..]].concat());
}

#[test]
fn an_error_in_rows_that_are_under_way_comes_at_its_row_and_the_unit_lives() {
    let Some(cluster) = cluster() else { return };
    cluster.psql(MANY_ROWS).unwrap();
    let shown = lines(
        place(&cluster),
        COUNTERS,
        &format!(
            "{MANY}
         EXEC SQL INSERT INTO NUMS VALUES (9000, 'NEW') END-EXEC
         EXEC SQL OPEN D1 END-EXEC
         PERFORM UNTIL SQLCODE NOT = 0
           EXEC SQL FETCH D1 INTO :H-N END-EXEC
           IF SQLCODE = 0 ADD 1 TO ROWS-READ END-IF
           IF SQLCODE = 0 AND ROWS-READ = 1700
             EXEC SQL UPDATE NUMS SET T = 'UPD' WHERE N = 9000 END-EXEC
             DISPLAY 'UPDATE ' SQLCODE
           END-IF
         END-PERFORM
         SHOW;
         IF ROWS-READ < 1700 OR ROWS-READ > 1999 DISPLAY ROWS-READ END-IF
         EXEC SQL CLOSE D1 END-EXEC
         SHOW;
         EXEC CICS SYNCPOINT NOHANDLE END-EXEC
         EXEC SQL SELECT T INTO :H-SHORT FROM NUMS WHERE N = 9000 END-EXEC
         DISPLAY H-SHORT"
        ),
    );
    assert_eq!(shown, ["UPDATE +0000000000", "code -802", "code 0", "UPD"]);
}

#[test]
fn a_syncpoint_among_rows_that_are_under_way_closes_a_cursor_and_keeps_a_held_one() {
    let Some(cluster) = cluster() else { return };
    cluster.psql(MANY_ROWS).unwrap();
    let read = |cursor: &str| {
        format!(
            "MOVE 0 TO ROWS-READ
         EXEC SQL OPEN {cursor} END-EXEC
         PERFORM UNTIL SQLCODE NOT = 0 OR ROWS-READ = 500
           EXEC SQL FETCH {cursor} INTO :H-N END-EXEC ADD 1 TO ROWS-READ
         END-PERFORM
         EXEC SQL UPDATE NUMS SET T = 'ONE' WHERE N = 1 END-EXEC
         EXEC CICS SYNCPOINT NOHANDLE END-EXEC
         EXEC SQL FETCH {cursor} INTO :H-N END-EXEC
         SHOW;
         DISPLAY H-N
         EXEC SQL SELECT T INTO :H-SHORT FROM NUMS WHERE N = 1 END-EXEC
         DISPLAY H-SHORT
         PERFORM UNTIL SQLCODE NOT = 0
           EXEC SQL FETCH {cursor} INTO :H-N END-EXEC
         END-PERFORM
         SHOW;
         DISPLAY H-N
"
        )
    };
    let procedure = format!("{MANY}{}{}", read("C1"), read("H1"));
    let shown = lines(place(&cluster), COUNTERS, &procedure);
    let plain = [
        "code -501",
        "+0000000500",
        "ONE",
        "code -501",
        "+0000000500",
    ];
    let held = ["code 0", "+0000000501", "ONE", "code 100", "+0000003000"];
    assert_eq!(shown, [plain, held].concat());
}

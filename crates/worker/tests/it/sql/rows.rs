//! Statements on one row, and changes.

use super::{cluster, lines, place, place_with};
use serde_json::json;

#[test]
fn a_row_is_read_into_fields_of_every_kind() {
    let Some(cluster) = cluster() else { return };
    let shown = lines(
        place(&cluster),
        "",
        "EXEC SQL SELECT NAME, DEPT, PAY, HIRED, SEEN, AT INTO :H-VC, :H-S, :H-D, :H-DATE, :H-STAMP, :H-TIME
           FROM EMP WHERE ID = 'A001' END-EXEC
         SHOW;
         DISPLAY H-VC-LEN H-VC-TXT(1:H-VC-LEN) DISPLAY H-S H-D DISPLAY H-DATE \" \" H-TIME \" \" H-STAMP
         DISPLAY SQLSTATE \"/\" SQLWARN0 \"/\" SQLCAID \"/\" SQLERRP(1:3)
         MOVE 'A002' TO H-ID
         EXEC SQL SELECT NAME INTO :H-SHORT:IND FROM EMP WHERE ID = :H-ID END-EXEC
         SHOW;
         DISPLAY H-SHORT \" \" IND SQLWARN0 SQLWARN1 SQLWARN2 \"/\" SQLSTATE
         EXEC SQL SELECT NAME INTO :H-TXT FROM EMP WHERE ID = 'ZZZZ' END-EXEC
         SHOW;
         DISPLAY H-TXT(1:1) \"/\" SQLSTATE
         EXEC SQL SELECT N INTO :H-N FROM NUMS END-EXEC
         SHOW;
         MOVE 5 TO H-S
         EXEC SQL SELECT DEPT INTO :H-S:IND2 FROM EMP WHERE ID = :H-ID END-EXEC
         SHOW;
         DISPLAY H-S IND2
         EXEC SQL SELECT DEPT INTO :H-S FROM EMP WHERE ID = :H-ID END-EXEC
         SHOW;
         DISPLAY SQLERRML SQLERRMC(1:1)
         EXEC SQL SELECT PAY INTO :H-SMALL FROM EMP WHERE ID = 'A001' END-EXEC
         SHOW;
         EXEC SQL SELECT PAY INTO :H-SMALL:IND FROM EMP WHERE ID = 'A001' END-EXEC
         SHOW;
         DISPLAY IND
         EXEC SQL SELECT NAME, DEPT INTO :H-TXT FROM EMP WHERE ID = 'A001' END-EXEC
         SHOW;
         DISPLAY SQLWARN0 SQLWARN3",
    );
    assert_eq!(
        shown,
        [
            "code 0",
            "+00005SMITH",
            "+00001+000010050",
            "2020-02-29 13.45.59 2026-02-28-13.45.59.123456",
            "00000/ /SQLCA /DSN",
            "code 0",
            "JON +00005WW /01004",
            "code 100",
            "/02000",
            "code -811",
            "code 0",
            "+00005-00001",
            "code -305",
            "+000011",
            "code -304",
            "code 304",
            "-00002",
            "code 0",
            "WW",
        ]
    );
}

#[test]
fn a_statement_that_fails_leaves_the_unit_as_it_was() {
    let Some(cluster) = cluster() else { return };
    let shown = lines(
        place(&cluster),
        "",
        "EXEC SQL INSERT INTO NUMS VALUES (500, 'AAA') END-EXEC
         SHOW;
         DISPLAY SQLERRD(3)
         EXEC SQL INSERT INTO NUMS (N, T) VALUES (500, 'BBB') END-EXEC
         SHOW;
         DISPLAY SQLERRMC(1:9) \"/\" SQLSTATE
         EXEC SQL UPDATE NUMS SET T = 'CCC' WHERE N = 500 END-EXEC
         SHOW;
         EXEC SQL UPDATE NUMS SET T = 'CCC' WHERE N = 9999 END-EXEC
         SHOW;
         EXEC SQL UPDATE NUMS SET T = 'DDD' WHERE N BETWEEN 1 AND 10 END-EXEC
         DISPLAY SQLERRD(3)
         EXEC SQL DELETE FROM NUMS WHERE N = 1 END-EXEC
         SHOW;
         EXEC SQL INSERT INTO EMP (ID, NAME, DEPT) VALUES ('B001', 'X', 99) END-EXEC
         SHOW;
         EXEC SQL DELETE FROM DEPT WHERE NO = 1 END-EXEC
         SHOW;
         EXEC SQL UPDATE DEPT SET NO = 7 WHERE NO = 1 END-EXEC
         SHOW;
         EXEC SQL UPDATE EMP SET NAME = NULL WHERE ID = 'A001' END-EXEC
         SHOW;
         EXEC SQL SELECT X INTO :H-TXT FROM NOTABLE END-EXEC
         SHOW;
         DISPLAY SQLERRMC(1:7)
         EXEC SQL SELECT NOCOL INTO :H-TXT FROM EMP WHERE ID = 'A001' END-EXEC
         SHOW;
         DISPLAY SQLERRMC(1:5)
         EXEC SQL SELECT 1 / (N - N) INTO :H-N FROM NUMS WHERE N = 2 END-EXEC
         SHOW;
         MOVE 'MUCH TOO LONG' TO H-TXT
         EXEC SQL UPDATE NUMS SET T = :H-TXT WHERE N = 2 END-EXEC
         SHOW;
         EXEC SQL SELECT T INTO :H-SHORT FROM NUMS WHERE N = 500 END-EXEC
         DISPLAY H-SHORT
         EXEC CICS SYNCPOINT ROLLBACK END-EXEC
         EXEC SQL SELECT T INTO :H-SHORT FROM NUMS WHERE N = 500 END-EXEC
         SHOW;
         EXEC SQL SELECT COUNT(*) INTO :H-N FROM NUMS END-EXEC
         DISPLAY H-N",
    );
    assert_eq!(
        shown,
        [
            "code 0",
            "+0000000001",
            "code -803",
            "NUMS_pkey/23505",
            "code 0",
            "code 100",
            "+0000000010",
            "code 0",
            "code -530",
            "code -532",
            "code -531",
            "code -407",
            "code -204",
            "NOTABLE",
            "code -206",
            "NOCOL",
            "code -802",
            "code -302",
            "CCC",
            "code 100",
            "+0000000120",
        ]
    );
}

#[test]
fn a_syncpoint_commits_and_db2s_own_words_are_refused_in_a_task() {
    let Some(cluster) = cluster() else { return };
    let shown = lines(
        place(&cluster),
        "",
        "EXEC SQL INSERT INTO NUMS VALUES (700, 'AAA') END-EXEC
         EXEC SQL COMMIT END-EXEC
         SHOW;
         DISPLAY SQLSTATE
         EXEC SQL ROLLBACK END-EXEC
         SHOW;
         EXEC CICS SYNCPOINT END-EXEC
         EXEC SQL INSERT INTO NUMS VALUES (701, 'AAA') END-EXEC
         EXEC CICS SYNCPOINT ROLLBACK END-EXEC
         EXEC SQL INSERT INTO NUMS VALUES (702, 'AAA') END-EXEC",
    );
    assert_eq!(shown, ["code -925", "2D521", "code -926"]);
    let left = cluster.psql("SELECT \"N\" FROM \"NUMS\" WHERE \"N\" >= 700 ORDER BY 1");
    assert_eq!(left.unwrap(), "700\n702");
}

#[test]
fn a_program_that_owns_its_units_commits_by_itself() {
    let Some(cluster) = cluster() else { return };
    let shown = lines(
        place_with(&cluster, "owner", json!("program")),
        "",
        "EXEC SQL INSERT INTO NUMS VALUES (700, 'AAA') END-EXEC
         EXEC SQL COMMIT END-EXEC
         SHOW;
         EXEC SQL INSERT INTO NUMS VALUES (701, 'AAA') END-EXEC
         EXEC SQL ROLLBACK WORK END-EXEC
         SHOW;
         EXEC SQL SELECT COUNT(*) INTO :H-N FROM NUMS WHERE N >= 700 END-EXEC
         DISPLAY H-N",
    );
    assert_eq!(shown, ["code 0", "code 0", "+0000000001"]);
}

#[test]
fn values_are_cut_padded_and_read_as_db2_does() {
    let Some(cluster) = cluster() else { return };
    let shown = lines(
        place_with(&cluster, "dates", json!("EUR")),
        "77 H-D4 PIC S9(5)V9(4) COMP-3.
         77 H-U PIC 9(4).
         01 REC. 05 R-ID PIC X(4). 05 R-NAME. 49 R-LEN PIC S9(4) COMP. 49 R-TXT PIC X(20). 05 R-DEPT PIC S9(4) COMP.
         05 R-PAY PIC S9(7)V9(2) COMP-3.",
        "MOVE 12.3456 TO H-D4 MOVE '31.12.2025' TO H-DATE MOVE 'A001' TO H-ID
         EXEC SQL UPDATE EMP SET PAY = :H-D4, HIRED = :H-DATE WHERE ID = :H-ID END-EXEC
         SHOW;
         EXEC SQL SELECT PAY, HIRED INTO :H-D, :H-DATE FROM EMP WHERE ID = :H-ID END-EXEC
         DISPLAY H-D \" \" H-DATE
         MOVE '2025-13-01' TO H-DATE
         EXEC SQL UPDATE EMP SET HIRED = :H-DATE WHERE ID = :H-ID END-EXEC
         SHOW;
         MOVE 'NONSENSE' TO H-DATE
         EXEC SQL UPDATE EMP SET HIRED = :H-DATE WHERE ID = :H-ID END-EXEC
         SHOW;
         MOVE LOW-VALUES TO H-ID
         EXEC SQL SELECT COUNT(*) INTO :H-U FROM EMP WHERE ID >= :H-ID END-EXEC
         DISPLAY H-U
         MOVE -1 TO IND
         EXEC SQL UPDATE EMP SET NOTE = :H-TXT:IND WHERE ID = 'A001' END-EXEC
         SHOW;
         MOVE 99 TO H-VC-LEN
         EXEC SQL UPDATE EMP SET NAME = :H-VC WHERE ID = 'A001' END-EXEC
         SHOW;
         MOVE 'STORES' TO H-TXT
         EXEC SQL SELECT NO INTO :H-S FROM DEPT WHERE NAME = :H-TXT END-EXEC
         SHOW;
         DISPLAY H-S
         EXEC SQL SELECT ID, NAME, DEPT, PAY INTO :REC FROM EMP WHERE ID = 'A001' END-EXEC
         SHOW;
         DISPLAY R-ID R-TXT(1:R-LEN) R-DEPT R-PAY
         MOVE 'C001' TO R-ID MOVE 3 TO R-LEN MOVE 'NEW' TO R-TXT
         EXEC SQL INSERT INTO EMP (ID, NAME, DEPT, PAY) VALUES (:REC) END-EXEC
         SHOW;
         EXEC SQL SET :H-DATE = DATE('2026-01-31') + 1 MONTH END-EXEC
         DISPLAY H-DATE
         EXEC SQL VALUES (7 / 2, 'X' CONCAT 'Y') INTO :H-N, :H-SHORT END-EXEC
         DISPLAY H-N H-SHORT
         EXEC SQL INSERT INTO IDS (T) VALUES ('ONE') END-EXEC
         SHOW;
         EXEC SQL SET :H-N = IDENTITY_VAL_LOCAL() END-EXEC
         DISPLAY H-N",
    );
    assert_eq!(
        shown,
        [
            "code 0",
            "+000001234 31.12.2025",
            "code -181",
            "code -180",
            "0002",
            "code 0",
            "code -311",
            "code 0",
            "+00002",
            "code 0",
            "A001SMITH+00001+000001234",
            "code 0",
            "28.02.2026",
            "+0000000003XY",
            "code 0",
            "+0000000001",
        ]
    );
}

#[test]
fn rows_of_tables_in_storage_are_inserted_at_once_or_not_at_all() {
    let Some(cluster) = cluster() else { return };
    let shown = lines(
        place(&cluster),
        "01 T-ALL. 05 T-N PIC S9(9) COMP OCCURS 150. 05 T-T PIC X(3) OCCURS 150.",
        "PERFORM VARYING I FROM 1 BY 1 UNTIL I > 150
           COMPUTE T-N(I) = 1000 + I MOVE 'ROW' TO T-T(I)
         END-PERFORM
         EXEC SQL INSERT INTO NUMS (N, T) VALUES (:T-N, :T-T) FOR 150 ROWS END-EXEC
         SHOW;
         DISPLAY SQLERRD(3)
         PERFORM VARYING I FROM 1 BY 1 UNTIL I > 150
           COMPUTE T-N(I) = 2000 + I
         END-PERFORM
         MOVE 1150 TO T-N(140) MOVE 145 TO H-N
         EXEC SQL INSERT INTO NUMS (N, T) VALUES (:T-N, :T-T) FOR :H-N ROWS END-EXEC
         SHOW;
         EXEC SQL SELECT COUNT(*) INTO :H-N FROM NUMS WHERE N > 1000 END-EXEC
         DISPLAY H-N",
    );
    assert_eq!(shown, ["code 0", "+0000000150", "code -803", "+0000000150"]);
}

#[test]
fn an_sqlca_becomes_lines_of_text() {
    let Some(cluster) = cluster() else { return };
    let shown = lines(
        place(&cluster),
        "01 MSG. 02 MSG-LEN PIC S9(4) COMP VALUE 960. 02 MSG-LINE PIC X(80) OCCURS 12.
         77 LRECL PIC S9(9) COMP VALUE 80.",
        "EXEC SQL SELECT N INTO :H-N FROM NOTABLE END-EXEC
         CALL 'DSNTIAR' USING SQLCA MSG LRECL
         DISPLAY RETURN-CODE
         DISPLAY MSG-LINE(1)
         MOVE 20 TO LRECL
         CALL 'DSNTIAC' USING DFHEIBLK DFHCOMMAREA SQLCA MSG LRECL
         DISPLAY RETURN-CODE",
    );
    assert_eq!(shown[0], "+000000000");
    assert!(
        shown[1].starts_with("DSNT408I SQLCODE = -204, ERROR:"),
        "{shown:?}"
    );
    assert_eq!(shown[2], "+000000008");
}

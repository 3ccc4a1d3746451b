//! MERGE, FINAL TABLE, GET DIAGNOSTICS, CALL and SQLDA.

use super::{cluster, lines, place};

#[test]
fn merge_updates_the_rows_that_match_and_inserts_the_others() {
    let Some(cluster) = cluster() else { return };
    let shown = lines(
        place(&cluster),
        "",
        "MOVE 5 TO H-N MOVE 'UPD' TO H-SHORT
         PERFORM MERGE-ONE
         MOVE 900 TO H-N MOVE 'INS' TO H-SHORT
         PERFORM MERGE-ONE
         EXEC SQL MERGE INTO NUMS USING NUMS AS S ON NUMS.N = S.N + 1000
             WHEN MATCHED THEN UPDATE SET T = 'X'
             ELSE IGNORE END-EXEC
         SHOW;
         PERFORM VARYING I FROM 1 BY 1 UNTIL I > 2
             IF I = 1 MOVE 5 TO H-N ELSE MOVE 900 TO H-N END-IF
             EXEC SQL SELECT T INTO :H-TXT FROM NUMS WHERE N = :H-N END-EXEC
             DISPLAY H-TXT
         END-PERFORM
         GOBACK.
         MERGE-ONE.
         EXEC SQL MERGE INTO NUMS AS A
             USING (VALUES (:H-N, :H-SHORT)) AS S (N, T)
             ON A.N = S.N
             WHEN MATCHED THEN UPDATE SET A.T = S.T
             WHEN NOT MATCHED THEN INSERT (N, T) VALUES (S.N, S.T) END-EXEC
         DISPLAY SQLERRD(3)
         SHOW;
         CONTINUE.
         MERGE-END.",
    );
    assert_eq!(
        shown,
        [
            "+0000000001",
            "code 0",
            "+0000000001",
            "code 0",
            "code 100",
            "UPD",
            "INS"
        ]
    );
}

#[test]
fn the_rows_of_a_change_are_read_as_a_table() {
    let Some(cluster) = cluster() else { return };
    let shown = lines(
        place(&cluster),
        "",
        "MOVE 'ABC' TO H-SHORT
         EXEC SQL SELECT ID, T INTO :H-N, :H-TXT FROM FINAL TABLE
             (INSERT INTO IDS (T) VALUES (:H-SHORT)) END-EXEC
         SHOW;
         DISPLAY H-N H-TXT
         MOVE 7 TO H-N
         EXEC SQL SELECT T INTO :H-TXT FROM FINAL TABLE
             (UPDATE NUMS SET T = 'ZZZ' WHERE N = :H-N) END-EXEC
         SHOW;
         DISPLAY H-TXT
         EXEC SQL DECLARE C9 CURSOR FOR SELECT N FROM OLD TABLE
             (DELETE FROM NUMS WHERE N < 4) ORDER BY N END-EXEC
         EXEC SQL OPEN C9 END-EXEC
         PERFORM UNTIL SQLCODE NOT = 0
             EXEC SQL FETCH C9 INTO :H-N END-EXEC
             IF SQLCODE = 0 DISPLAY H-N END-IF
         END-PERFORM
         EXEC SQL CLOSE C9 END-EXEC
         EXEC SQL SELECT COUNT(*) INTO :H-N FROM NUMS WHERE N < 4 END-EXEC
         DISPLAY H-N
         MOVE 500 TO H-N
         EXEC SQL SELECT T INTO :H-TXT FROM FINAL TABLE
             (INSERT INTO NUMS (N, T) SELECT N, T FROM NUMS WHERE N = :H-N)
             END-EXEC
         SHOW;",
    );
    assert_eq!(
        shown,
        [
            "code 0",
            "+0000000001ABC",
            "code 0",
            "ZZZ",
            "+0000000001",
            "+0000000002",
            "+0000000003",
            "+0000000000",
            "code 100"
        ]
    );
}

#[test]
fn a_change_whose_rows_are_not_received_is_undone() {
    let Some(cluster) = cluster() else { return };
    let shown = lines(
        place(&cluster),
        "77 H-IND PIC S9(4) COMP-5.",
        "EXEC SQL SELECT T INTO :H-TXT FROM FINAL TABLE
             (UPDATE NUMS SET T = 'ONE' WHERE N < 4) END-EXEC
         SHOW;
         EXEC SQL UPDATE NUMS SET T = 'TWO' WHERE N = 1 END-EXEC
         SHOW;
         EXEC SQL SELECT T INTO :H-TXT FROM FINAL TABLE
             (UPDATE NUMS SET T = 'ONE' WHERE N < 4) END-EXEC
         SHOW;
         EXEC SQL SELECT T INTO :H-TXT FROM FINAL TABLE
             (UPDATE NUMS SET T = NULL WHERE N = 1) END-EXEC
         SHOW;
         EXEC SQL SELECT COUNT(*) INTO :H-N FROM NUMS WHERE T = 'ONE'
             END-EXEC
         DISPLAY H-N
         EXEC SQL SELECT T INTO :H-TXT :H-IND FROM NUMS WHERE N = 1
             END-EXEC
         SHOW;
         DISPLAY H-IND ' ' H-TXT",
    );
    assert_eq!(
        shown,
        [
            "code -811",
            "code 0",
            "code -811",
            "code -305",
            "+0000000000",
            "code 0",
            "+00000 TWO"
        ]
    );
}

#[test]
fn diagnostics_are_those_of_the_statement_before() {
    let Some(cluster) = cluster() else { return };
    let shown = lines(
        place(&cluster),
        "77 H-STATE PIC X(5).\n77 H-LONG PIC X(60).",
        "EXEC SQL UPDATE NUMS SET T = 'Q' WHERE N < 11 END-EXEC
         EXEC SQL GET DIAGNOSTICS :H-N = ROW_COUNT, :H-S = NUMBER END-EXEC
         SHOW;
         DISPLAY H-N H-S
         EXEC SQL INSERT INTO NUMS VALUES (5, 'X') END-EXEC
         SHOW;
         EXEC SQL GET DIAGNOSTICS CONDITION 1 :H-STATE = RETURNED_SQLSTATE,
             :H-N = DB2_RETURNED_SQLCODE, :H-LONG = MESSAGE_TEXT END-EXEC
         SHOW;
         DISPLAY H-STATE H-N ' ' H-LONG
         MOVE 2 TO H-S
         EXEC SQL GET DIAGNOSTICS CONDITION :H-S :H-STATE = RETURNED_SQLSTATE
             END-EXEC
         SHOW;",
    );
    assert_eq!(
        shown[..4],
        ["code 0", "+0000000010+00001", "code -803", "code 0"]
    );
    assert!(shown[4].starts_with("23505-0000000803 "), "{shown:?}");
    assert!(shown[4].contains("BECAUSE THE INDEX"), "{shown:?}");
    assert_eq!(shown[5], "code -35");
}

#[test]
fn a_procedure_of_the_server_gets_and_sets_host_variables() {
    let Some(cluster) = cluster() else { return };
    let made = "CREATE PROCEDURE public.\"PAY\"(IN who bpchar, INOUT amount numeric, OUT outcome bpchar) \
                LANGUAGE plpgsql AS $$ BEGIN UPDATE \"EMP\" SET \"PAY\" = \"PAY\" + amount WHERE \"ID\" = who \
                RETURNING \"PAY\" INTO amount; outcome := 'paid ' || who; END $$;";
    cluster.psql(made).unwrap();
    let shown = lines(
        place(&cluster),
        "",
        "MOVE 'A001' TO H-ID MOVE 9.50 TO H-D
         EXEC SQL CALL PAY(:H-ID, :H-D:IND, :H-TXT) END-EXEC
         SHOW;
         DISPLAY H-D H-TXT IND
         EXEC SQL CALL PAY('A002', :H-D, :H-TXT) END-EXEC
         SHOW;
         DISPLAY H-D H-TXT
         EXEC SQL CALL PAY('A002', 1, :H-TXT) END-EXEC
         SHOW;
         EXEC SQL CALL NOTTHERE(:H-D) END-EXEC
         SHOW;",
    );
    assert_eq!(
        shown,
        [
            "code 0",
            "+000011000paid A001 +00000",
            "code 0",
            "+000011725paid A002",
            "code -469",
            "code -440",
        ]
    );
}

/// An SQLDA, and a statement that is described into it.
const DESCRIBED: &str = "EXEC SQL INCLUDE SQLDA END-EXEC.
01 STMT. 49 STMT-LEN PIC S9(4) COMP. 49 STMT-TXT PIC X(200).
77 D-N PIC S9(9) COMP.
77 D-D PIC S9(7)V9(2) COMP-3.
77 D-IND PIC S9(4) COMP VALUE 9.
01 D-VC. 49 D-VC-LEN PIC S9(4) COMP. 49 D-VC-TXT PIC X(20).
77 D-TYPE PIC ZZZ9.
77 D-LEN PIC ZZZZ9.
";

#[test]
fn a_statement_is_described_and_fetched_through_an_sqlda() {
    let Some(cluster) = cluster() else { return };
    let shown = lines(
        place(&cluster),
        DESCRIBED,
        "MOVE 'SELECT NAME, PAY, NOTE FROM EMP WHERE ID > ? ORDER BY ID'
             TO STMT-TXT
         MOVE 200 TO STMT-LEN
         MOVE 1 TO SQLN
         EXEC SQL PREPARE S1 INTO :SQLDA FROM :STMT END-EXEC
         SHOW;
         DISPLAY SQLD
         MOVE 5 TO SQLN
         EXEC SQL DESCRIBE S1 INTO :SQLDA END-EXEC
         SHOW;
         PERFORM VARYING I FROM 1 BY 1 UNTIL I > SQLD
             MOVE SQLTYPE(I) TO D-TYPE
             MOVE SQLLEN(I) TO D-LEN
             DISPLAY SQLNAMEC(I)(1:SQLNAMEL(I)) D-TYPE D-LEN
         END-PERFORM
         EXEC SQL DECLARE C1 CURSOR FOR S1 END-EXEC
         MOVE 'A000' TO H-ID
         EXEC SQL OPEN C1 USING :H-ID END-EXEC
         SHOW;
         SET SQLDATA(1) TO ADDRESS OF D-VC
         SET SQLDATA(2) TO ADDRESS OF D-D
         SET SQLDATA(3) TO ADDRESS OF H-TXT
         SET SQLIND(3) TO ADDRESS OF D-IND
         MOVE SPACES TO H-TXT
         EXEC SQL FETCH C1 USING DESCRIPTOR :SQLDA END-EXEC
         SHOW;
         DISPLAY D-VC-TXT(1:D-VC-LEN) D-D H-TXT D-IND
         EXEC SQL FETCH C1 INTO DESCRIPTOR :SQLDA END-EXEC
         SHOW;
         DISPLAY D-VC-TXT(1:D-VC-LEN) D-D D-IND
         EXEC SQL FETCH C1 USING DESCRIPTOR :SQLDA END-EXEC
         SHOW;
         EXEC SQL CLOSE C1 END-EXEC",
    );
    assert_eq!(
        shown,
        [
            "code 236",
            "+00003",
            "code 0",
            "NAME 448 20",
            "PAY 484 2306",
            "NOTE 453 10",
            "code 0",
            "code 0",
            "SMITH+000010050HELLO +00000",
            "code 0",
            "JONES+000000725-00001",
            "code 100",
        ]
    );
}

#[test]
fn inputs_come_from_an_sqlda_and_a_pointer_to_nothing_is_804() {
    let Some(cluster) = cluster() else { return };
    let shown = lines(
        place(&cluster),
        DESCRIBED,
        "MOVE 'UPDATE NUMS SET T = ? WHERE N = ?' TO STMT-TXT
         MOVE 200 TO STMT-LEN
         EXEC SQL PREPARE S1 FROM :STMT END-EXEC
         MOVE 5 TO SQLN
         EXEC SQL DESCRIBE INPUT S1 INTO :SQLDA END-EXEC
         SHOW;
         DISPLAY SQLD
         MOVE 452 TO SQLTYPE(1) MOVE 3 TO SQLLEN(1)
         MOVE 496 TO SQLTYPE(2) MOVE 4 TO SQLLEN(2)
         MOVE 'DSC' TO H-SHORT MOVE 12 TO D-N
         SET SQLDATA(1) TO ADDRESS OF H-SHORT
         SET SQLDATA(2) TO ADDRESS OF D-N
         EXEC SQL EXECUTE S1 USING DESCRIPTOR :SQLDA END-EXEC
         SHOW;
         DISPLAY SQLERRD(3)
         MOVE 'SELECT N FROM NUMS WHERE T = ?' TO STMT-TXT
         EXEC SQL PREPARE S2 FROM :STMT END-EXEC
         EXEC SQL DECLARE C2 CURSOR FOR S2 END-EXEC
         MOVE 1 TO SQLD
         EXEC SQL OPEN C2 USING DESCRIPTOR :SQLDA END-EXEC
         EXEC SQL FETCH C2 INTO :H-N END-EXEC
         SHOW;
         DISPLAY H-N
         SET SQLDATA(1) TO NULL
         EXEC SQL EXECUTE S1 USING DESCRIPTOR :SQLDA END-EXEC
         SHOW;
         EXEC SQL DESCRIBE S9 INTO :SQLDA END-EXEC
         SHOW;",
    );
    assert_eq!(
        shown,
        [
            "code 0",
            "+00002",
            "code 0",
            "+0000000001",
            "code 0",
            "+0000000012",
            "code -804",
            "code -516",
        ]
    );
}

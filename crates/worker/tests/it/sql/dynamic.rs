//! Statements whose text is made at run time.

use super::{cluster, lines, place};

#[test]
fn a_prepared_statement_is_executed_with_its_markers() {
    let Some(cluster) = cluster() else { return };
    let shown = lines(
        place(&cluster),
        "01 STMT. 49 STMT-LEN PIC S9(4) COMP. 49 STMT-TXT PIC X(200).",
        "EXEC SQL EXECUTE S1 USING :H-N END-EXEC
         SHOW;
         MOVE 'UPDATE NUMS SET T = ? WHERE N = ?' TO STMT-TXT MOVE 200 TO STMT-LEN
         EXEC SQL PREPARE S1 FROM :STMT END-EXEC
         SHOW;
         MOVE 'NEW' TO H-SHORT MOVE 3 TO H-N
         EXEC SQL EXECUTE S1 USING :H-SHORT, :H-N END-EXEC
         SHOW;
         DISPLAY SQLERRD(3)
         EXEC SQL EXECUTE S1 USING :H-SHORT END-EXEC
         SHOW;
         MOVE 'SELECT N, T FROM NUMS WHERE T = ? ORDER BY N' TO STMT-TXT
         EXEC SQL PREPARE S2 FROM :STMT END-EXEC
         EXEC SQL DECLARE C2 CURSOR FOR S2 END-EXEC
         EXEC SQL OPEN C2 USING :H-SHORT END-EXEC
         SHOW;
         EXEC SQL FETCH C2 INTO :H-N, :H-TXT END-EXEC
         SHOW;
         DISPLAY H-N H-TXT
         EXEC SQL PREPARE S2 FROM :STMT END-EXEC
         SHOW;
         EXEC SQL CLOSE C2 END-EXEC
         MOVE 'SELEC N FROM NUMS' TO STMT-TXT
         EXEC SQL PREPARE S2 FROM :STMT END-EXEC
         SHOW;
         EXEC SQL DECLARE C3 CURSOR FOR S3 END-EXEC
         EXEC SQL OPEN C3 END-EXEC
         SHOW;",
    );
    assert_eq!(
        shown,
        [
            "code -518",
            "code 0",
            "code 0",
            "+0000000001",
            "code -313",
            "code 0",
            "code 0",
            "+0000000003NEW",
            "code -519",
            "code -104",
            "code -514",
        ]
    );
}

#[test]
fn definitions_are_executed_at_once_and_seen_by_prepared_statements() {
    let Some(cluster) = cluster() else { return };
    let shown = lines(
        place(&cluster),
        "77 STMT PIC X(200).",
        "MOVE 'CREATE TABLE NEWT (A INTEGER NOT NULL, B VARCHAR(10) NOT NULL WITH DEFAULT) IN DB1.TS1' TO STMT
         EXEC SQL EXECUTE IMMEDIATE :STMT END-EXEC
         SHOW;
         EXEC SQL INSERT INTO NEWT (A) VALUES (1) END-EXEC
         SHOW;
         PERFORM READ-IT
         MOVE 'ALTER TABLE NEWT ALTER COLUMN B SET DATA TYPE VARCHAR(30)' TO STMT
         EXEC SQL EXECUTE IMMEDIATE :STMT END-EXEC
         SHOW;
         PERFORM READ-IT
         EXEC SQL EXECUTE IMMEDIATE 'DELETE FROM NEWT WHERE A = 1' END-EXEC
         SHOW;
         PERFORM READ-IT
         EXEC SQL EXECUTE IMMEDIATE 'SELECT A FROM NEWT' END-EXEC
         SHOW;
         EXEC SQL SAVEPOINT ONE ON ROLLBACK RETAIN CURSORS END-EXEC
         EXEC SQL INSERT INTO NEWT (A) VALUES (2) END-EXEC
         EXEC SQL INSERT INTO NEWT (A) VALUES (3) END-EXEC
         EXEC SQL ROLLBACK TO SAVEPOINT ONE END-EXEC
         SHOW;
         EXEC SQL INSERT INTO NEWT (A) VALUES (4) END-EXEC
         EXEC SQL SELECT MAX(A) + COUNT(*) INTO :H-N FROM NEWT END-EXEC
         SHOW;
         DISPLAY H-N
         EXEC SQL ROLLBACK TO SAVEPOINT TWO END-EXEC
         SHOW;
         GOBACK.
         READ-IT.
         EXEC SQL SELECT A INTO :H-N FROM NEWT END-EXEC
         SHOW;
         CONTINUE.
         READ-END.",
    );
    assert_eq!(
        shown,
        [
            "code 0",
            "code 0",
            "code 0",
            "code 0",
            "code 0",
            "code 0",
            "code 100",
            "code -84",
            "code 0",
            "code 0",
            "+0000000005",
            "code -880",
        ]
    );
}

      * Adds units of work until it is killed: each a record of a file
      * and a row of a table, while a held cursor is read. It begins
      * with what earlier runs have left in both.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. UNITS.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT OUTF ASSIGN TO OUTDD ORGANIZATION IS INDEXED
               ACCESS MODE IS DYNAMIC RECORD KEY IS R-KEY
               FILE STATUS IS W-STATUS.
       DATA DIVISION.
       FILE SECTION.
       FD  OUTF.
       01  R-REC.
           05 R-KEY                    PIC 9(8).
           05 R-TEXT                   PIC X(12).
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  W-STATUS                    PIC XX.
       01  W-ROWS                      PIC S9(9) COMP-5.
       01  W-LAST                      PIC S9(9) COMP-5.
       01  W-ITEM                      PIC X(8).
       01  W-OPEN                      PIC X VALUE 'N'.
       01  W-CODE                      PIC S9(4).
       01  W-START.
           05 FILLER                   PIC X(6) VALUE 'START '.
           05 W-SHOWN-ROWS             PIC 9(8).
           05 FILLER                   PIC X VALUE ' '.
           05 W-SHOWN-LAST             PIC 9(8).
           05 FILLER                   PIC X VALUE ' '.
           05 W-RECORDS                PIC 9(8) VALUE 0.
           05 FILLER                   PIC X VALUE ' '.
           05 W-KEY                    PIC 9(8) VALUE 0.
           EXEC SQL DECLARE C1 CURSOR WITH HOLD FOR
               SELECT ITEM FROM STOCK ORDER BY ITEM END-EXEC.
       PROCEDURE DIVISION.
           EXEC SQL SELECT COUNT(*), COALESCE(MAX(N), 0)
               INTO :W-ROWS, :W-LAST FROM UNITS END-EXEC
           MOVE W-ROWS TO W-SHOWN-ROWS
           MOVE W-LAST TO W-SHOWN-LAST
           OPEN INPUT OUTF
           PERFORM UNTIL W-STATUS NOT = '00'
               READ OUTF NEXT RECORD
               IF W-STATUS = '00'
                   ADD 1 TO W-RECORDS
                   MOVE R-KEY TO W-KEY
               END-IF
           END-PERFORM
           CLOSE OUTF
           DISPLAY W-START
           OPEN I-O OUTF
           PERFORM ONE-UNIT UNTIL W-STATUS NOT = '00' OR SQLCODE < 0
           MOVE SQLCODE TO W-CODE
           EXEC SQL ROLLBACK END-EXEC
           DISPLAY 'FAULT ' W-STATUS ' ' W-CODE
           STOP RUN.
       ONE-UNIT.
           PERFORM READ-ITEM
           ADD 1 TO W-LAST
           MOVE W-LAST TO R-KEY
           MOVE W-ITEM TO R-TEXT
           WRITE R-REC
           IF W-STATUS = '00'
               EXEC SQL INSERT INTO UNITS VALUES (:W-LAST) END-EXEC
               IF SQLCODE = 0
                   EXEC SQL COMMIT END-EXEC
               END-IF
           END-IF.
       READ-ITEM.
           IF W-OPEN = 'Y'
               EXEC SQL FETCH C1 INTO :W-ITEM END-EXEC
               IF SQLCODE = 100
                   EXEC SQL CLOSE C1 END-EXEC
                   MOVE 'N' TO W-OPEN
               END-IF
           END-IF
           IF W-OPEN = 'N'
               EXEC SQL OPEN C1 END-EXEC
               EXEC SQL FETCH C1 INTO :W-ITEM END-EXEC
               MOVE 'Y' TO W-OPEN
           END-IF.

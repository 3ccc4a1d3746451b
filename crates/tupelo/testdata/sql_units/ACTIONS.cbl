      * Does what each line of its input says, and shows the outcome.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ACTIONS.
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
       01  W-LINE.
           05 W-ACTION                 PIC X.
           05 W-NUMBER                 PIC 9(4).
       01  W-N                         PIC S9(9) COMP-5.
       01  W-CODE                      PIC S9(4) SIGN LEADING SEPARATE.
       01  W-ABEND                     PIC S9(9) COMP-5 VALUE 7.
       01  W-TEXT                      PIC X(20).
       PROCEDURE DIVISION.
           OPEN I-O OUTF
           PERFORM ACT UNTIL W-ACTION = 'E'
           CLOSE OUTF
           STOP RUN.
       ACT.
           MOVE 'E' TO W-LINE
           ACCEPT W-LINE
           MOVE 0 TO SQLCODE
           EVALUATE W-ACTION
               WHEN 'W'
                   MOVE W-NUMBER TO R-KEY
                   WRITE R-REC
                   DISPLAY W-LINE ' ' W-STATUS
               WHEN 'I'
                   MOVE W-NUMBER TO W-N
                   EXEC SQL INSERT INTO UNITS VALUES (:W-N) END-EXEC
               WHEN 'C'
                   EXEC SQL COMMIT END-EXEC
               WHEN 'R'
                   EXEC SQL ROLLBACK END-EXEC
               WHEN 'X'
                   MOVE 'COMMIT' TO W-TEXT
                   EXEC SQL EXECUTE IMMEDIATE :W-TEXT END-EXEC
               WHEN 'L'
                   CLOSE OUTF
                   OPEN I-O OUTF
                   DISPLAY W-LINE ' ' W-STATUS
               WHEN 'A'
                   CALL 'ILBOABN0' USING W-ABEND
           END-EVALUATE
           IF W-ACTION = 'I' OR 'C' OR 'R' OR 'X'
               MOVE SQLCODE TO W-CODE
               DISPLAY W-LINE ' ' W-CODE
           END-IF.

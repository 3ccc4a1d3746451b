      * Adds one to an item and shows its count at a terminal: a program to
      * step through. The item is typed after the transaction code; without
      * one it is BOLT.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. STOCKSCR.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  WS-INPUT                    PIC X(13) VALUE SPACES.
       01  WS-LENGTH                   PIC S9(4) COMP VALUE 13.
       01  WS-ITEM                     PIC X(8).
       01  WS-COUNTED                  PIC S9(7) COMP-3 VALUE 0.
       01  WS-SHOWN                    PIC -(7)9.
       01  WS-OUT                      PIC X(40) VALUE SPACES.
           EXEC SQL DECLARE C1 CURSOR FOR
               SELECT COUNTED FROM STOCK
               WHERE ITEM = :WS-ITEM END-EXEC.
       PROCEDURE DIVISION.
           EXEC CICS RECEIVE INTO(WS-INPUT) LENGTH(WS-LENGTH)
               NOHANDLE END-EXEC
           MOVE WS-INPUT(6:) TO WS-ITEM
           IF WS-ITEM = SPACES
               MOVE 'BOLT' TO WS-ITEM
           END-IF
           EXEC SQL UPDATE STOCK SET COUNTED = COUNTED + 1
               WHERE ITEM = :WS-ITEM END-EXEC
           EXEC SQL OPEN C1 END-EXEC
           EXEC SQL FETCH C1 INTO :WS-COUNTED END-EXEC
           EXEC SQL CLOSE C1 END-EXEC
           EXEC SQL UPDATE NOTHERE SET A = 1 END-EXEC
           MOVE WS-COUNTED TO WS-SHOWN
           STRING WS-ITEM ' COUNTS ' WS-SHOWN
               DELIMITED BY SIZE INTO WS-OUT
           EXEC CICS SEND TEXT FROM(WS-OUT) ERASE FREEKB END-EXEC
           EXEC CICS RETURN END-EXEC.

      * Counts how often a START began its task.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. QBEGUN.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                     PIC S9(8) COMP.
       01  WS-LENGTH                   PIC S9(4) COMP VALUE 8.
       01  WS-ITEM                     PIC X(8).
       01  WS-RECORD.
           05  WS-KEY                  PIC X(8).
           05  WS-COUNT                PIC 9(8).
       PROCEDURE DIVISION.
           EXEC CICS RETRIEVE INTO(WS-ITEM) LENGTH(WS-LENGTH) END-EXEC
           EXEC CICS READ FILE('BEGUN') INTO(WS-RECORD) RIDFLD(WS-ITEM)
               UPDATE RESP(WS-RESP) END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
               ADD 1 TO WS-COUNT
               EXEC CICS REWRITE FILE('BEGUN') FROM(WS-RECORD) END-EXEC
           ELSE
               MOVE WS-ITEM TO WS-KEY
               MOVE 1 TO WS-COUNT
               EXEC CICS WRITE FILE('BEGUN') FROM(WS-RECORD)
                   RIDFLD(WS-KEY) END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.

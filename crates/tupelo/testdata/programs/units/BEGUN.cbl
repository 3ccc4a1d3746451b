       IDENTIFICATION DIVISION.
       PROGRAM-ID. BEGUN.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RECORD.
           05  WS-KEY                   PIC X(4).
           05  WS-COUNT                 PIC 9(8).
       01  WS-RESP                      PIC S9(8) COMP.
       PROCEDURE DIVISION.
           MOVE 'STAR' TO WS-KEY
           EXEC CICS READ FILE('MONEY') INTO(WS-RECORD) RIDFLD(WS-KEY)
                UPDATE RESP(WS-RESP)
           END-EXEC
           IF WS-RESP NOT = DFHRESP(NORMAL)
               MOVE 'STAR' TO WS-KEY
               MOVE 1 TO WS-COUNT
               EXEC CICS WRITE FILE('MONEY') FROM(WS-RECORD)
                    RIDFLD(WS-KEY)
               END-EXEC
           ELSE
               ADD 1 TO WS-COUNT
               EXEC CICS REWRITE FILE('MONEY') FROM(WS-RECORD) END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.

       IDENTIFICATION DIVISION.
       PROGRAM-ID. TAKES.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RECORD.
           05  WS-KEY                   PIC X(4).
           05  WS-MONEY                 PIC 9(8).
       01  WS-RESP                      PIC S9(8) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X(30).
       PROCEDURE DIVISION.
           MOVE 'MINE' TO WS-KEY
           EXEC CICS READ FILE('MONEY') INTO(WS-RECORD) RIDFLD(WS-KEY)
                UPDATE RESP(WS-RESP)
           END-EXEC
           IF WS-RESP NOT = DFHRESP(NORMAL)
               MOVE 'MINE' TO WS-KEY
               MOVE 1 TO WS-MONEY
               EXEC CICS WRITE FILE('MONEY') FROM(WS-RECORD)
                    RIDFLD(WS-KEY)
               END-EXEC
           ELSE
               ADD 1 TO WS-MONEY
               EXEC CICS REWRITE FILE('MONEY') FROM(WS-RECORD) END-EXEC
           END-IF
           EXEC CICS WRITEQ TS QUEUE('RQUEUE') FROM(WS-RECORD)
                LENGTH(12)
           END-EXEC
           EXEC CICS WRITEQ TD QUEUE('RTDQ') FROM(WS-RECORD)
                LENGTH(12)
           END-EXEC
           EXEC CICS START TRANSID('STAR') PROTECT END-EXEC
           IF DFHCOMMAREA(1:4) = 'fail'
               EXEC CICS ABEND ABCODE('OOPS') NODUMP END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.

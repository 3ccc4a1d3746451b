       IDENTIFICATION DIVISION.
       PROGRAM-ID. HELLO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-CONVID                    PIC X(4).
       01  WS-ANSWER                    PIC X(30).
       01  WS-LENGTH                    PIC S9(4) COMP.
       01  WS-RESP                      PIC S9(8) COMP.
       01  WS-SHOWN                     PIC 9(4).
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X.
       COPY HELLO.
       PROCEDURE DIVISION.
           SET ADDRESS OF HELLO-AREA TO ADDRESS OF DFHCOMMAREA
           EXEC CICS ALLOCATE SYSID('PEER') RESP(WS-RESP) END-EXEC
           MOVE 'ALLOCATE' TO WS-ANSWER
           IF WS-RESP = DFHRESP(NORMAL)
               MOVE EIBRSRCE TO WS-CONVID
               EXEC CICS CONNECT PROCESS CONVID(WS-CONVID)
                    PROCNAME('SHOUT') PROCLENGTH(5) SYNCLEVEL(1)
                    RESP(WS-RESP)
               END-EXEC
               MOVE 'CONNECT' TO WS-ANSWER
           END-IF
           IF WS-RESP = DFHRESP(NORMAL)
               MOVE SPACES TO WS-ANSWER
               EXEC CICS CONVERSE CONVID(WS-CONVID)
                    FROM(HELLO-NAME) FROMLENGTH(LENGTH OF HELLO-NAME)
                    INTO(WS-ANSWER) TOLENGTH(WS-LENGTH)
                    MAXLENGTH(LENGTH OF WS-ANSWER)
                    RESP(WS-RESP)
               END-EXEC
               IF WS-RESP = DFHRESP(EOC)
                   MOVE DFHRESP(NORMAL) TO WS-RESP
               ELSE
                   MOVE 'CONVERSE' TO WS-ANSWER
                   IF EIBERR = X'FF' AND EIBFREE = X'FF'
                       EVALUATE EIBERRCD
                         WHEN X'08640000' MOVE 'ABEND' TO WS-ANSWER
                         WHEN X'10086021' MOVE 'NAME' TO WS-ANSWER
                         WHEN X'A0000000' MOVE 'SESSION' TO WS-ANSWER
                       END-EVALUATE
                   END-IF
               END-IF
           END-IF
           IF WS-RESP = DFHRESP(NORMAL)
               EXEC CICS FREE CONVID(WS-CONVID) RESP(WS-RESP) END-EXEC
           END-IF
           MOVE WS-RESP TO WS-SHOWN
           MOVE SPACES TO HELLO-GREETING
           STRING WS-SHOWN ' ' WS-ANSWER DELIMITED BY SIZE
                  INTO HELLO-GREETING
           MOVE EIBTASKN TO HELLO-TASK
           EXEC CICS RETURN END-EXEC.

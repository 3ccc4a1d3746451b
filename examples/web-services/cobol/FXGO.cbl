      * Starts a client, as somebody at a terminal does: /fx/go?FXC1, and
      * with /fx/go?FXC1,XXX another currency than USD.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. FXGO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-QUERY                    PIC X(20).
       01  WS-LENGTH                   PIC S9(8) COMP VALUE 20.
       01  WS-TRANSACTION              PIC X(4).
       01  WS-CURRENCY                 PIC X(3).
       PROCEDURE DIVISION.
           MOVE SPACES TO WS-QUERY WS-TRANSACTION WS-CURRENCY
           EXEC CICS WEB EXTRACT QUERYSTRING(WS-QUERY)
               QUERYSTRLEN(WS-LENGTH) END-EXEC
           UNSTRING WS-QUERY DELIMITED BY ',' OR ' '
               INTO WS-TRANSACTION WS-CURRENCY
           IF WS-CURRENCY = SPACES
               EXEC CICS START TRANSID(WS-TRANSACTION) END-EXEC
           ELSE
               EXEC CICS START TRANSID(WS-TRANSACTION)
                   FROM(WS-CURRENCY) LENGTH(3) END-EXEC
           END-IF
           EXEC CICS WEB SEND FROM('started') FROMLENGTH(7)
               MEDIATYPE('text/plain') STATUSCODE(200) END-EXEC
           EXEC CICS RETURN END-EXEC.

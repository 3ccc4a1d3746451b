      * Empties the queue that triggered it, and tells so.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. TRIGD.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                     PIC S9(8) COMP VALUE 0.
       01  WS-DATA                     PIC X(10).
       01  WS-TOLD.
           05  WS-CODE                 PIC X(2).
           05  FILLER                  PIC X VALUE SPACE.
           05  WS-QUEUE                PIC X(4).
           05  FILLER                  PIC X VALUE SPACE.
           05  WS-COUNT                PIC 9 VALUE 0.
           05  FILLER                  PIC X(21) VALUE SPACES.
       PROCEDURE DIVISION.
           EXEC CICS ASSIGN STARTCODE(WS-CODE) QNAME(WS-QUEUE)
               END-EXEC
           PERFORM UNTIL WS-RESP NOT = DFHRESP(NORMAL)
               EXEC CICS READQ TD QUEUE(WS-QUEUE) INTO(WS-DATA)
                   RESP(WS-RESP) END-EXEC
               IF WS-RESP = DFHRESP(NORMAL) ADD 1 TO WS-COUNT END-IF
           END-PERFORM
           EXEC CICS WRITEQ TS QUEUE('TOLD') FROM(WS-TOLD) END-EXEC
           EXEC CICS RETURN END-EXEC.

      * Returns and deletes what a client received: /fx/result?FXC1.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. FXTOLD.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-QUEUE                    PIC X(8).
       01  WS-QUERY-LENGTH             PIC S9(8) COMP VALUE 8.
       01  WS-LINE                     PIC X(100).
       01  WS-LENGTH                   PIC S9(4) COMP.
       PROCEDURE DIVISION.
           MOVE SPACES TO WS-QUEUE WS-LINE
           EXEC CICS WEB EXTRACT QUERYSTRING(WS-QUEUE)
               QUERYSTRLEN(WS-QUERY-LENGTH) END-EXEC
           MOVE 100 TO WS-LENGTH
           EXEC CICS READQ TS QUEUE(WS-QUEUE) INTO(WS-LINE)
               LENGTH(WS-LENGTH) ITEM(1) NOHANDLE END-EXEC
           IF EIBRESP = DFHRESP(NORMAL)
               EXEC CICS DELETEQ TS QUEUE(WS-QUEUE) END-EXEC
           ELSE
               MOVE 'nothing' TO WS-LINE
           END-IF
           EXEC CICS WEB SEND FROM(WS-LINE) FROMLENGTH(100)
               MEDIATYPE('text/plain') STATUSCODE(200) END-EXEC
           EXEC CICS RETURN END-EXEC.

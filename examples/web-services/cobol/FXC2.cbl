      * The client by web support: the same question in plain text.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. FXC2.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-TOKEN                    PIC X(8).
       01  WS-STATUS                   PIC S9(4) COMP.
       01  WS-LENGTH                   PIC S9(8) COMP.
       01  WS-ASK                      PIC X(20) VALUE
           'USD EUR 000000100.00'.
       01  WS-LINE.
           05  WS-LINE-STATUS          PIC ZZ9.
           05  FILLER                  PIC X VALUE SPACE.
           05  WS-ANSWER               PIC X(70).
       PROCEDURE DIVISION.
           MOVE SPACES TO WS-ANSWER
           EXEC CICS WEB OPEN URIMAP('FXOUT2')
               SESSTOKEN(WS-TOKEN) END-EXEC
           MOVE 70 TO WS-LENGTH
           EXEC CICS WEB CONVERSE SESSTOKEN(WS-TOKEN) POST
               MEDIATYPE('text/plain') FROM(WS-ASK) FROMLENGTH(20)
               INTO(WS-ANSWER) TOLENGTH(WS-LENGTH)
               STATUSCODE(WS-STATUS) NOHANDLE END-EXEC
           MOVE WS-STATUS TO WS-LINE-STATUS
           EXEC CICS WEB CLOSE SESSTOKEN(WS-TOKEN) END-EXEC
           EXEC CICS WRITEQ TS QUEUE('FXC2') FROM(WS-LINE)
               LENGTH(LENGTH OF WS-LINE) END-EXEC
           EXEC CICS RETURN END-EXEC.

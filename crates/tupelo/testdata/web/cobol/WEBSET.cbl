      * Changes the URIMAP of WEBECHO as the query says, and answers with
      * RESP and RESP2.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEBSET.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-QUERY                    PIC X(8).
       01  WS-LENGTH                   PIC S9(8) COMP VALUE 8.
       01  WS-LOCATION                 PIC X(255).
       01  WS-RESP                     PIC S9(8) COMP.
       01  WS-RESP2                    PIC S9(8) COMP.
       01  WS-TYPE                     PIC S9(8) COMP.
       01  WS-ANSWER.
           05  WS-RESP-N               PIC 999.
           05  FILLER                  PIC X VALUE SPACE.
           05  WS-RESP2-N              PIC 999.
           05  FILLER                  PIC X VALUE SPACE.
           05  WS-WHERE                PIC X(20).
       PROCEDURE DIVISION.
           MOVE SPACES TO WS-QUERY
           EXEC CICS WEB EXTRACT QUERYSTRING(WS-QUERY)
               QUERYSTRLEN(WS-LENGTH) END-EXEC
           MOVE 'http://h.example/x' TO WS-LOCATION
           EVALUATE WS-QUERY
               WHEN 'off'
                   EXEC CICS SET URIMAP('ECHO') DISABLED
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'on'
                   MOVE DFHVALUE(ENABLED) TO WS-TYPE
                   EXEC CICS SET URIMAP('ECHO')
                       ENABLESTATUS(WS-TYPE)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'move'
                   EXEC CICS SET URIMAP('ECHO') TEMPORARY
                       LOCATION(WS-LOCATION)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'back'
                   EXEC CICS SET URIMAP('ECHO')
                       REDIRECTTYPE(DFHVALUE(NONE))
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'part'
                   EXEC CICS SET URIMAP('ECHO') LOCATION('/x')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN OTHER
                   EXEC CICS SET URIMAP('NONE') ENABLED
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           END-EVALUATE
           MOVE WS-RESP TO WS-RESP-N
           MOVE WS-RESP2 TO WS-RESP2-N
           EXEC CICS INQUIRE URIMAP('ECHO') LOCATION(WS-LOCATION)
               REDIRECTTYPE(WS-TYPE) END-EXEC
           MOVE WS-LOCATION TO WS-WHERE
           EXEC CICS WEB SEND FROM(WS-ANSWER)
               FROMLENGTH(LENGTH OF WS-ANSWER)
               MEDIATYPE('text/plain') END-EXEC
           EXEC CICS RETURN END-EXEC.

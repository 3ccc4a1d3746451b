      * Converses with a server: COMMAREA is its port and the number of
      * requests, five digits each, then room for the microseconds. A
      * hundred requests go before those that are timed.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEBCONV.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-PORT                     PIC S9(8) COMP.
       01  WS-TIMES                    PIC S9(8) COMP.
       01  WS-TOKEN                    PIC X(8).
       01  WS-BODY                     PIC X(1000) VALUE ALL 'x'.
       01  WS-ANSWER                   PIC X(4000).
       01  WS-LENGTH                   PIC S9(8) COMP.
       01  WS-STATUS                   PIC S9(4) COMP.
       01  WS-BEGIN                    PIC 9(16) COMP.
       01  WS-END                      PIC 9(16) COMP.
       01  WS-NOW.
           05  WS-DATE                 PIC 9(8).
           05  WS-HH                   PIC 99.
           05  WS-MM                   PIC 99.
           05  WS-SS                   PIC 99.
           05  WS-CC                   PIC 99.
           05  FILLER                  PIC X(5).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-PORT                 PIC 9(5).
           05  CA-TIMES                PIC 9(5).
           05  CA-US                   PIC 9(12).
       PROCEDURE DIVISION.
           MOVE CA-PORT TO WS-PORT
           MOVE CA-TIMES TO WS-TIMES
           EXEC CICS WEB OPEN HOST('127.0.0.1') HOSTLENGTH(9)
               PORTNUMBER(WS-PORT) SCHEME(DFHVALUE(HTTP))
               SESSTOKEN(WS-TOKEN) END-EXEC
           PERFORM ONE-REQUEST 100 TIMES
           PERFORM CLOCK
           MOVE WS-END TO WS-BEGIN
           PERFORM ONE-REQUEST WS-TIMES TIMES
           PERFORM CLOCK
           COMPUTE CA-US = (WS-END - WS-BEGIN) * 10000
           EXEC CICS WEB CLOSE SESSTOKEN(WS-TOKEN) END-EXEC
           EXEC CICS RETURN END-EXEC.
       ONE-REQUEST.
           MOVE 4000 TO WS-LENGTH
           EXEC CICS WEB CONVERSE SESSTOKEN(WS-TOKEN) POST
               PATH('/echo') PATHLENGTH(5)
               MEDIATYPE('text/plain')
               FROM(WS-BODY) FROMLENGTH(1000)
               INTO(WS-ANSWER) TOLENGTH(WS-LENGTH)
               STATUSCODE(WS-STATUS) END-EXEC.
       CLOCK.
           MOVE FUNCTION CURRENT-DATE TO WS-NOW
           COMPUTE WS-END = ((WS-HH * 60 + WS-MM) * 60 + WS-SS) * 100
               + WS-CC.

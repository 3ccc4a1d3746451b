      * A client with a certificate and without one: COMMAREA is the
      * port of a server, then a line for each, as WEBCLNT has them.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEBSHOW.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-PORT                     PIC S9(8) COMP.
       01  WS-TOKEN                    PIC X(8).
       01  WS-TEXT                     PIC X(100).
       01  WS-LENGTH                   PIC S9(8) COMP.
       01  WS-N                        PIC S9(8) COMP VALUE 0.
       01  WS-STEP                     PIC X(12).
       01  WS-RESP                     PIC ZZ9.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-PORT                 PIC 9(5).
           05  CA-LINE                 PIC X(80) OCCURS 20.
       PROCEDURE DIVISION.
           MOVE CA-PORT TO WS-PORT
           EXEC CICS WEB OPEN HOST('localhost') HOSTLENGTH(9)
               PORTNUMBER(WS-PORT) SCHEME(DFHVALUE(HTTPS))
               CERTIFICATE('MINE') SESSTOKEN(WS-TOKEN)
               NOHANDLE END-EXEC
           MOVE 'WITH' TO WS-STEP
           PERFORM ASK
           EXEC CICS WEB OPEN HOST('localhost') HOSTLENGTH(9)
               PORTNUMBER(WS-PORT) SCHEME(DFHVALUE(HTTPS))
               SESSTOKEN(WS-TOKEN) NOHANDLE END-EXEC
           MOVE 'WITHOUT' TO WS-STEP
           PERFORM ASK
           EXEC CICS RETURN END-EXEC.
       ASK.
           MOVE SPACES TO WS-TEXT
           IF EIBRESP = DFHRESP(NORMAL)
               MOVE 100 TO WS-LENGTH
               EXEC CICS WEB CONVERSE SESSTOKEN(WS-TOKEN) GET
                   PATH('/certificate') PATHLENGTH(12)
                   INTO(WS-TEXT) TOLENGTH(WS-LENGTH)
                   NOHANDLE END-EXEC
           END-IF
           ADD 1 TO WS-N
           MOVE EIBRESP TO WS-RESP
           MOVE SPACES TO CA-LINE(WS-N)
           STRING WS-STEP WS-RESP ' ' WS-TEXT(1:64)
               DELIMITED BY SIZE INTO CA-LINE(WS-N)
           EXEC CICS WEB CLOSE SESSTOKEN(WS-TOKEN) NOHANDLE
               END-EXEC.

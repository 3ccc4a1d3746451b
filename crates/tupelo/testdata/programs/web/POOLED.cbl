
       IDENTIFICATION DIVISION.
       PROGRAM-ID. POOLED.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-TOKEN                    PIC X(8).
       01  WS-TEXT                     PIC X(2).
       01  WS-LENGTH                   PIC S9(8) COMP.
       01  WS-RESP                     PIC S9(8) COMP.
       01  WS-SHOWN.
           05  WS-ONE OCCURS 2.
               10  WS-SHOWN-TEXT       PIC X(2).
               10  FILLER              PIC X.
               10  WS-SHOWN-RESP       PIC 999.
               10  FILLER              PIC X.
       01  WS-N                        PIC S9(8) COMP.
       PROCEDURE DIVISION.
           MOVE SPACES TO WS-SHOWN
           PERFORM VARYING WS-N FROM 1 BY 1 UNTIL WS-N > 2
               EXEC CICS WEB OPEN URIMAP('POOL') SESSTOKEN(WS-TOKEN)
                   END-EXEC
               MOVE SPACES TO WS-TEXT
               MOVE 2 TO WS-LENGTH
               EXEC CICS WEB CONVERSE SESSTOKEN(WS-TOKEN) GET
                   INTO(WS-TEXT) TOLENGTH(WS-LENGTH) RESP(WS-RESP)
                   END-EXEC
               MOVE WS-TEXT TO WS-SHOWN-TEXT(WS-N)
               MOVE WS-RESP TO WS-SHOWN-RESP(WS-N)
               EXEC CICS WEB CLOSE SESSTOKEN(WS-TOKEN) END-EXEC
           END-PERFORM
           EXEC CICS WEB SEND FROM(WS-SHOWN) FROMLENGTH(13)
               MEDIATYPE('text/plain') END-EXEC
           EXEC CICS RETURN END-EXEC.

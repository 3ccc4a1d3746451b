      * Sends its answer in chunks, with a trailer behind them and a
      * header that was not announced as one.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEBCHUNK.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-LINE                     PIC X(20).
       01  WS-N                        PIC 99.
       01  WS-RESP                     PIC S9(8) COMP.
       01  WS-RESP2                    PIC S9(8) COMP.
       PROCEDURE DIVISION.
           EXEC CICS WEB WRITE HTTPHEADER('Trailer') NAMELENGTH(7)
               VALUE('X-Lines') VALUELENGTH(7) END-EXEC
           PERFORM VARYING WS-N FROM 1 BY 1 UNTIL WS-N > 40
               STRING 'line ' WS-N X'0A' DELIMITED BY SIZE
                   INTO WS-LINE
               EXEC CICS WEB SEND FROM(WS-LINE) FROMLENGTH(8)
                   MEDIATYPE('text/plain') CHUNKYES
                   RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               IF WS-RESP = DFHRESP(INVREQ)
                   EXEC CICS WEB SEND FROM('no chunks')
                       FROMLENGTH(9) STATUSCODE(505) END-EXEC
                   EXEC CICS RETURN END-EXEC
               END-IF
           END-PERFORM
           EXEC CICS WEB WRITE HTTPHEADER('X-Lines') NAMELENGTH(7)
               VALUE('40') VALUELENGTH(2) END-EXEC
           EXEC CICS WEB WRITE HTTPHEADER('X-Other') NAMELENGTH(7)
               VALUE('no') VALUELENGTH(2) END-EXEC
           EXEC CICS WEB SEND CHUNKEND END-EXEC
           EXEC CICS RETURN END-EXEC.

      * Makes an answer that waits for the end of its task, and then another
      * in the way that its query says.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEBTWICE.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-HOW                      PIC X(8).
       01  WS-LENGTH                   PIC S9(8) COMP VALUE 8.
       01  WS-RESP                     PIC S9(8) COMP.
       01  WS-RESP2                    PIC S9(8) COMP.
       01  WS-TOKEN                    PIC X(16).
       01  WS-SENT                     PIC X(16).
       PROCEDURE DIVISION.
           EXEC CICS WEB READ QUERYPARM('how') VALUE(WS-HOW)
               VALUELENGTH(WS-LENGTH) END-EXEC
           EXEC CICS WEB RETRIEVE DOCTOKEN(WS-SENT)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           IF WS-RESP NOT = DFHRESP(INVREQ) OR WS-RESP2 NOT = 2
               EXEC CICS ABEND ABCODE('NONE') END-EXEC
           END-IF
           PERFORM FIRST-ANSWER
           EXEC CICS WEB RETRIEVE DOCTOKEN(WS-SENT)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           IF WS-RESP NOT = DFHRESP(NOTFND)
               EXEC CICS ABEND ABCODE('KEPT') END-EXEC
           END-IF
           EXEC CICS WEB WRITE HTTPHEADER('X-Second') NAMELENGTH(8)
               VALUE('2') VALUELENGTH(1) END-EXEC
           EVALUATE WS-HOW(1:WS-LENGTH)
             WHEN 'kept'
               EXEC CICS WEB SEND FROM('second') FROMLENGTH(6)
                   MEDIATYPE('text/plain') STATUSCODE(202) END-EXEC
             WHEN 'now'
               EXEC CICS WEB SEND FROM('second') FROMLENGTH(6)
                   MEDIATYPE('text/plain') IMMEDIATE END-EXEC
             WHEN 'document'
               EXEC CICS DOCUMENT CREATE DOCTOKEN(WS-TOKEN)
                   TEXT('second') LENGTH(6) END-EXEC
               EXEC CICS WEB SEND DOCTOKEN(WS-TOKEN)
                   MEDIATYPE('text/plain') END-EXEC
             WHEN 'refused'
               EXEC CICS WEB SEND FROM('second') FROMLENGTH(6)
                   CHUNKEND RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               IF WS-RESP NOT = DFHRESP(INVREQ) OR WS-RESP2 NOT = 77
                   EXEC CICS ABEND ABCODE('CHNK') END-EXEC
               END-IF
             WHEN OTHER
               EXEC CICS ABEND ABCODE('WHAT') END-EXEC
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.
       FIRST-ANSWER.
           EXEC CICS WEB WRITE HTTPHEADER('X-First') NAMELENGTH(7)
               VALUE('1') VALUELENGTH(1) END-EXEC
           EXEC CICS WEB SEND FROM('first') FROMLENGTH(5)
               MEDIATYPE('text/plain') STATUSCODE(201) END-EXEC.
